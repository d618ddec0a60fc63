"""One answer of a language model: the mentions it names, whatever surrounds them."""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from nerscope.formats.realign import without_blanks

MALFORMED = "mentions without a text or a type"
UNREADABLE = "answers without readable JSON"
BROKEN = "answers of which only a part is readable"
_TEXT_KEYS = ("text", "mention", "name", "word", "surface", "value", "extraction_text", "span")
_TYPE_KEYS = (
    *("type", "label", "entity_type", "category", "class", "tag", "entity_group"),
    *("extraction_class", "labels"),
)
_EITHER = "entity"  # some write the text under it, some the type
_LISTS = ("entities", "mentions", "ner", "predictions", "extractions", "spans", "ents", "output")
_ANSWERS = ("response", "answer", "completion", "output", "generated_text", "content", "prediction")
_OFFSETS = {"start", "end", "start_offset", "end_offset", "char_interval", "tokens", "start_char"}
_RAW = re.compile(r'\s*\{.{0,2000}"(?:' + "|".join(_ANSWERS) + r')"\s*:\s*"', re.DOTALL)
_FENCE = re.compile(r"```[A-Za-z]*\s*\n?(.*?)(?:```|\Z)", re.DOTALL)
_OPENERS = re.compile(r"[\[{]")
_LIKE_JSON = re.compile(r'[\[{]\s*["\[{]')
_KEY = re.compile(r'"([^"\\]{1,80})"\s*:\s*$')
# NUL ends a string unseen, U+001F stands between tokens in results, lone surrogates are no text.
_FORBIDDEN = re.compile("[\0\x1f\ud800-\udfff]")
_MOST_TRIES = 2000  # places in an answer where JSON may begin


class Said(NamedTuple):
    """A mention that an answer names."""

    text: str
    type: str


class Answer(NamedTuple):
    """What an answer says, what of it could not be read, and the line where it stands."""

    said: Sequence[Said]
    found: Mapping[str, int]
    line: int
    text: str | None = None  # the text it is about, if it says so


def read_answer(item: object, line: int = 0) -> Answer:
    """Read one answer: a list of mentions, a mapping that has one, or text around JSON.

    >>> read_answer('Sure! ```json\\n[{"text": "Ada", "type": "PER"}]\\n``` Anything else?').said
    [Said(text='Ada', type='PER')]
    >>> read_answer({"PER": ["Ada", "Bob"], "LOC": []}).said
    [Said(text='Ada', type='PER'), Said(text='Bob', type='PER')]
    """
    text = item.get("text") if isinstance(item, Mapping) else None
    about = text if isinstance(text, str) else None
    if isinstance(item, Mapping):
        raw = next((item[key] for key in _ANSWERS if isinstance(item.get(key), str)), None)
        item = item if raw is None else raw
    if isinstance(item, str):
        return _from_text(item, line)._replace(text=about)
    entries = _entries(item)
    if entries is None:
        return Answer([], {UNREADABLE: 1}, line, about)
    return _counted(entries, {}, line)._replace(text=about)


def _counted(entries: Iterable[object], found: Mapping[str, int], line: int) -> Answer:
    said = [_mention(entry) for entry in entries]
    good = [one for one in said if one is not None]
    bad = len(said) - len(good)
    return Answer(good, {**found, **({MALFORMED: bad} if bad else {})}, line)


def _entries(item: object) -> list[object] | None:
    """The mentions of an answer as they are written, or None if it holds none in any known way."""
    if isinstance(item, list):
        return item
    if not isinstance(item, Mapping):
        return None
    inner = [_entries(item[key]) for key in _LISTS if isinstance(item.get(key), list | Mapping)]
    known = [entries for entries in inner if entries is not None]
    if known:
        return [entry for entries in known for entry in entries]
    if _mention(item) is not None:
        return [item]
    if item and all(isinstance(value, list | None) for value in item.values()):  # by type
        return [[text, kind] for kind, texts in item.items() for text in texts or ()]
    return [] if not item else None


def _mention(entry: object) -> Said | None:
    """A mention with a text and a type, both strings that say something."""
    text: object = None
    kind: object = None
    if isinstance(entry, Mapping):
        kind = next((entry[key] for key in _TYPE_KEYS if key in entry), None)
        text = next((entry[key] for key in _TEXT_KEYS if key in entry), None)
        kind = entry.get(_EITHER) if kind is None else kind
        text = entry.get(_EITHER) if text is None else text
        kind = kind[0] if isinstance(kind, list) and len(kind) == 1 else kind
    elif isinstance(entry, list | tuple) and len(entry) == 2:
        text, kind = entry
    if not (
        isinstance(text, str) and isinstance(kind, str) and without_blanks(text) and kind.strip()
    ):
        return None
    return None if _FORBIDDEN.search(text + kind) else Said(text, kind.strip())


def _from_text(text: str, line: int) -> Answer:
    """The mentions in an answer that is text: all that is named, in its fences or else anywhere."""
    parts = [_values(part) for part in _FENCE.findall(text)]
    parts = parts if any(_named(values) for values, _ in parts) else [_values(text)]
    found = {BROKEN: 1} if any(broken for _, broken in parts) else {}
    named = [entry for values, _ in parts for entry in _named(values)]
    if named:
        return _counted(named, found, line)
    if not found and any(_entries(value) == [] for values, _ in parts for value in values):
        return Answer([], {}, line)  # it says that there is nothing
    return Answer([], {UNREADABLE: 1}, line)


def _named(values: Iterable[object]) -> list[object]:
    """The entries of those values that name something; footnotes such as [1] are values too."""
    found: list[object] = []
    for value in values:
        entries = _entries(value) or []
        if any(isinstance(entry, Mapping) or _mention(entry) for entry in entries):
            found += entries
    return found


def _values(text: str) -> tuple[list[object], bool]:
    """The JSON values in a text, also those inside of one that is cut off or broken, and whether
    there is such a one.
    """
    decoder = json.JSONDecoder(parse_int=float, parse_constant=lambda name: None)
    values, broken, at = list[object](), False, 0
    for _ in range(_MOST_TRIES):
        opener = _OPENERS.search(text, at)
        if opener is None:
            break
        try:
            value, at = decoder.raw_decode(text, opener.start())
        except ValueError:
            at = opener.end()
            broken = broken or _LIKE_JSON.match(text, opener.start()) is not None
            continue
        except RecursionError:
            return values, True
        values.append(_under_its_type(value, text[max(0, opener.start() - 100) : opener.start()]))
    return values, broken


def _under_its_type(value: object, before: str) -> object:
    """Strings by type, where the mapping around them is broken."""
    key = _KEY.search(before)
    strings = isinstance(value, list) and value and all(isinstance(one, str) for one in value)
    return {key[1]: value} if key is not None and strings else value


def is_answer(item: object) -> bool | None:
    """Whether a record holds strings without offsets; None if it does not tell."""
    if isinstance(item, str):
        return None
    if isinstance(item, Mapping):
        if any(isinstance(item.get(key), str) for key in _ANSWERS):
            return True
        if item.keys() & _OFFSETS:
            return False
    entries = _entries(item) or []
    mentions = [entry for entry in entries if isinstance(entry, Mapping)]
    if any(entry.keys() & _OFFSETS for entry in mentions):
        return False
    return True if any(_mention(entry) is not None for entry in entries) else None


def begins_as_answer(text: str) -> bool:
    """Whether the beginning of a long line is that of an answer in words."""
    return _RAW.match(text) is not None
