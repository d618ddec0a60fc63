"""Read the mentions that one answer of a language model names, in JSON with or without text."""

import ast
import json
import re
import warnings
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from nerscope.corpus.text_keys import without_blanks
from nerscope.formats.json.facts import facts_of

MALFORMED = "mentions without a text or a type"
UNREADABLE = "answers without readable JSON"
BROKEN = "answers that are only partly readable"
_TEXT_KEYS = ("text", "mention", "name", "word", "surface", "value", "extraction_text", "span")
_TYPE_KEYS = (
    *("type", "label", "entity_type", "category", "class", "tag", "entity_group"),
    *("extraction_class", "labels"),
)
_TEXT_OR_TYPE_KEY = "entity"  # some models write the text under it, some the type
_LIST_KEYS = (
    "entities",
    "mentions",
    "ner",
    "predictions",
    "extractions",
    "spans",
    "ents",
    "output",
)
_ANSWER_KEYS = (
    "response",
    "answer",
    "completion",
    "output",
    "generated_text",
    "content",
    "prediction",
)
ANSWER_KEYS_SHOWN = f"{_ANSWER_KEYS[0]} (or {', '.join(_ANSWER_KEYS[1:])})"
_OFFSET_KEYS = {
    "start",
    "end",
    "start_offset",
    "end_offset",
    "char_interval",
    "tokens",
    "start_char",
}
# A record whose answer is a string; the key must be in its first 2,000 characters.
_RAW_ANSWER = re.compile(r'\s*\{.{0,2000}"(?:' + "|".join(_ANSWER_KEYS) + r')"\s*:\s*"', re.DOTALL)
_FENCE = re.compile(r"```[A-Za-z]*\s*\n?(.*?)(?:```|\Z)", re.DOTALL)
_OPENERS = re.compile(r"[\[{]")
# A bracket that probably begins JSON (or Python) and not a remark: [" or [{ or {" or {' …
_LIKE_JSON = re.compile(r"""[\[{]\s*["'\[{]""")
_KEY_BEFORE = re.compile(r'"([^"\\]{1,80})"\s*:\s*$')
# NUL would silently end strings, U+001F separates tokens in results, and lone surrogates are not
# valid text.
_FORBIDDEN = re.compile("[\0\x1f\ud800-\udfff]")
# JSON may begin at any bracket of an answer. The limit bounds the time for hostile answers, such as
# a million times "[".
_MOST_TRIES = 2000
_LONGEST_LITERAL = 20_000  # characters that are parsed as Python, which needs much memory
_EXCERPT = 60  # characters of an answer in notes and lists


class NamedMention(NamedTuple):
    """A mention as an answer names it: text and type, without offsets."""

    text: str
    type: str


class ModelAnswer(NamedTuple):
    """The mentions of an answer, counts of unreadable parts, and its line in the file."""

    mentions: Sequence[NamedMention]
    problems: Mapping[str, int]
    line: int
    text: str | None = None  # the text that the answer is about, if the answer repeats it
    id: str | None = None  # of the record that the answer is about
    excerpt: str = ""  # how the answer begins, if parts of it are unreadable


def read_answer(item: object, line: int = 0) -> ModelAnswer:
    """Read one answer: a list of mentions, a mapping that holds one, or text around JSON.

    `item` is the decoded JSON value, or a string for an answer in words; `line` is for messages.

    >>> answer = 'Sure! ```json\\n[{"text": "Ada", "type": "PER"}]\\n``` Anything else?'
    >>> read_answer(answer).mentions
    [NamedMention(text='Ada', type='PER')]
    >>> read_answer({"PER": ["Ada"], "LOC": []}).mentions
    [NamedMention(text='Ada', type='PER')]
    """
    text = item.get("text") if isinstance(item, Mapping) else None
    about = text if isinstance(text, str) else None
    own_id = facts_of(item).id
    if isinstance(item, Mapping):
        record = _message(item)
        raw = next((record[key] for key in _ANSWER_KEYS if isinstance(record.get(key), str)), None)
        item = record if raw is None else raw
    if isinstance(item, str):
        answer = _from_text(item, line)
    elif (entries := _entries(item)) is not None:
        answer = _answer_of(entries, {}, line)
    else:
        answer = ModelAnswer([], {UNREADABLE: 1}, line)
    return answer._replace(text=about, id=own_id, excerpt=_excerpt(item) if answer.problems else "")


def _message(record: Mapping[str, Any]) -> Mapping[str, Any]:
    """The message of a chat completion as OpenAI writes it; any other record unchanged.

    >>> _message({"choices": [{"index": 0, "message": {"content": "[]"}}]})
    {'content': '[]'}
    """
    choices = record.get("choices")
    first = choices[0] if isinstance(choices, list) and choices else None
    message = first.get("message") if isinstance(first, Mapping) else None
    return message if isinstance(message, Mapping) else record


def _excerpt(item: object) -> str:
    """The beginning of an answer on one line; an empty one is shown as (empty)."""
    written = item if isinstance(item, str) else json.dumps(item, ensure_ascii=False, default=str)
    short = " ".join(_FORBIDDEN.sub(" ", written[: 2 * _EXCERPT]).split())
    return (short if len(short) <= _EXCERPT else f"{short[:_EXCERPT]}…") or "(empty)"


def _answer_of(entries: Iterable[object], problems: Mapping[str, int], line: int) -> ModelAnswer:
    read = [_mention(entry) for entry in entries]
    mentions = [mention for mention in read if mention is not None]
    malformed = len(read) - len(mentions)
    return ModelAnswer(
        mentions, {**problems, **({MALFORMED: malformed} if malformed else {})}, line
    )


def _entries(item: object) -> list[object] | None:
    """The mentions of an answer as written, or None if the layout is unknown.

    Known layouts are a list, a mapping with a list under a usual key, a single mention, and lists
    of strings by type: {"PER": ["Ada"], "LOC": []}.
    """
    if isinstance(item, list):
        return item
    if not isinstance(item, Mapping):
        return None
    inner = [_entries(item[key]) for key in _LIST_KEYS if isinstance(item.get(key), list | Mapping)]
    known = [entries for entries in inner if entries is not None]
    if known:
        return [entry for entries in known for entry in entries]
    if _mention(item) is not None:
        return [item]
    # Lists of strings by type; None means an empty list, but {"response": null} is no answer.
    if item and all(
        isinstance(value, list) or (value is None and key not in _ANSWER_KEYS)
        for key, value in item.items()
    ):
        return [[text, kind] for kind, texts in item.items() for text in texts or ()]
    return [] if not item else None


def _mention(entry: object) -> NamedMention | None:
    """A mention, or None if its text or its type is missing, blank or not a string."""
    text: object = None
    kind: object = None
    if isinstance(entry, Mapping):
        kind = next((entry[key] for key in _TYPE_KEYS if key in entry), None)
        text = next((entry[key] for key in _TEXT_KEYS if key in entry), None)
        kind = entry.get(_TEXT_OR_TYPE_KEY) if kind is None else kind
        text = entry.get(_TEXT_OR_TYPE_KEY) if text is None else text
        # Label Studio and others write {"labels": ["PER"]}.
        kind = kind[0] if isinstance(kind, list) and len(kind) == 1 else kind
    elif isinstance(entry, list | tuple) and len(entry) == 2:
        text, kind = entry
    if not (
        isinstance(text, str) and isinstance(kind, str) and without_blanks(text) and kind.strip()
    ):
        return None
    return None if _FORBIDDEN.search(text + kind) else NamedMention(text, kind.strip())


def _from_text(text: str, line: int) -> ModelAnswer:
    """The mentions of an answer in words: from its code fences, or else from anywhere in it."""
    fenced = _FENCE.findall(text)
    blocks = [_json_in(block) for block in fenced]
    if not any(_mention_entries(values) for values, _ in blocks):
        blocks = [_json_in(text)]
    problems = {BROKEN: 1} if any(is_broken for _, is_broken in blocks) else {}
    entries = [entry for values, _ in blocks for entry in _mention_entries(values)]
    if entries:
        return _answer_of(entries, problems, line)
    literals = [_python_in(block) for block in fenced]
    if not _mention_entries(literals):
        literals = [_python_in(text)]
    if entries := _mention_entries(literals):
        return _answer_of(entries, {}, line)
    # If JSON is broken, an empty list in it is not the answer.
    values = [] if problems else [value for values, _ in blocks for value in values]
    if any(_entries(value) == [] for value in (*literals, *values)):
        return ModelAnswer([], {}, line)  # an empty list: the model found no mention
    return ModelAnswer([], {UNREADABLE: 1}, line)


def _mention_entries(values: Iterable[object]) -> list[object]:
    """The entries of values that name mentions; a footnote such as [1] is also a JSON value."""
    named: list[object] = []
    for value in values:
        entries = _entries(value) or []
        if any(isinstance(entry, Mapping) or _mention(entry) for entry in entries):
            named += entries
    return named


def _python_in(text: str) -> object:
    """The list or dictionary of an answer in Python, such as {'PER': ['Ada']}; None if it has none.

    >>> _python_in("Here: {'PER': ['Ada']}")
    {'PER': ['Ada']}
    """
    opener = _OPENERS.search(text)
    end = max(text.rfind("]"), text.rfind("}")) + 1
    if opener is None or not 0 < end - opener.start() <= _LONGEST_LITERAL:
        return None
    try:
        with warnings.catch_warnings(action="ignore"):  # of escapes that Python does not know
            value: object = ast.literal_eval(text[opener.start() : end])
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return None
    return value


def _json_in(text: str) -> tuple[list[object], bool]:
    """The JSON values in a text, and whether one of them is broken or cut off.

    If a value is broken, decoding starts again at the next bracket inside it. So the first mention
    of `[{"text": "Ada", "type": "PER"}, {"te` is still read.
    """
    # Numbers are not used, and a huge one must not raise an error: as a float it is infinity.
    decoder = json.JSONDecoder(parse_int=float, parse_constant=lambda name: None)
    values, is_broken, at = list[object](), False, 0
    for _ in range(_MOST_TRIES):
        opener = _OPENERS.search(text, at)
        if opener is None:
            break
        try:
            value, at = decoder.raw_decode(text, opener.start())
        except ValueError:
            at = opener.end()
            is_broken = is_broken or _LIKE_JSON.match(text, opener.start()) is not None
            continue
        # Thousands of nested brackets: the values before them are still used.
        except RecursionError:
            return values, True
        values.append(_with_type_before(value, text[max(0, opener.start() - 100) : opener.start()]))
    return values, is_broken


def _with_type_before(value: object, before: str) -> object:
    """A list of strings with the key before it, which is their type in a broken mapping.

    In `{"PER": ["Ada"], "LOC": ["Os`, decoding finds only the list `["Ada"]`.
    """
    key = _KEY_BEFORE.search(before)
    are_strings = isinstance(value, list) and value and all(isinstance(item, str) for item in value)
    return {key[1]: value} if key is not None and are_strings else value


def is_answer(item: object) -> bool | None:
    """Whether a record names mentions without offsets; None if it is not clear."""
    if isinstance(item, str):
        return None
    if isinstance(item, Mapping):
        record = _message(item)
        if any(isinstance(record.get(key), str) for key in _ANSWER_KEYS):
            return True
        if item.keys() & _OFFSET_KEYS:
            return False
    entries = _entries(item) or []
    mentions = [entry for entry in entries if isinstance(entry, Mapping)]
    if any(entry.keys() & _OFFSET_KEYS for entry in mentions):
        return False
    return True if any(_mention(entry) is not None for entry in entries) else None


def begins_as_answer(text: str) -> bool:
    """Whether an incomplete line begins like a record with an answer in words."""
    return _RAW_ANSWER.match(text) is not None
