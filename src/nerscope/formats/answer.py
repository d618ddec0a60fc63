"""One answer of a language model: the mentions it names, whatever surrounds them."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from nerscope.formats.realign import solid

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
_FENCE = re.compile(r"```[A-Za-z]*\s*\n?(.*?)(?:```|\Z)", re.DOTALL)
_OPENERS = re.compile(r"[\[{]")
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
        about = about if raw is None else None
    if isinstance(item, str):
        return _from_text(item, line)
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
    for key in _LISTS:
        if isinstance(item.get(key), list):
            return list(item[key])
        if isinstance(item.get(key), Mapping):
            return _entries(item[key])
    if _mention(item) is not None:
        return [item]
    if item and all(isinstance(value, list) for value in item.values()):  # strings by type
        return [[text, kind] for kind, texts in item.items() for text in texts]
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
    if not (isinstance(text, str) and isinstance(kind, str) and solid(text) and kind.strip()):
        return None
    return Said(text, kind.strip())


def _from_text(text: str, line: int) -> Answer:
    """The mentions in an answer that is text: in its fences if it has any, or anywhere."""
    fenced = _FENCE.findall(text)
    for part in (*fenced, text):
        for value in _values(part):
            entries = _entries(value) if _mention(value) is None else None
            if entries is not None:
                return _counted(entries, {}, line)
    # Mentions on their own, as a list leaves them that is cut off or broken.
    pieces = [value for value in _values(text) if _mention(value) is not None]
    if pieces:
        return _counted(pieces, {BROKEN: 1} if "[" in text else {}, line)
    return Answer([], {UNREADABLE: 1}, line)


def _values(text: str) -> Iterator[object]:
    """The JSON values in a text, also those inside of one that is broken."""
    decoder = json.JSONDecoder(parse_int=float, parse_constant=lambda name: None)
    at = 0
    for _ in range(_MOST_TRIES):
        opener = _OPENERS.search(text, at)
        if opener is None:
            return
        try:
            value, at = decoder.raw_decode(text, opener.start())
        except (ValueError, RecursionError):
            at = opener.end()
            continue
        yield value


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
