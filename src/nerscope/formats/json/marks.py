"""Read one span as tools write it: under various keys, in characters or tokens, in fragments."""

import re
import reprlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from numbers import Integral
from operator import itemgetter
from typing import Any, NamedTuple, TypeAlias

from nerscope.corpus.corpus import file_option
from nerscope.errors import FormatError

# Keys in lower case and without _ or -; the first key that the mark has is used.
_LETTER_STARTS = ("startchar", "charstart", "startoffset", "beginoffset", "startpos", "offset")
_LETTER_ENDS = ("endchar", "charend", "endoffset", "endpos")
_STARTS = ("start", "begin", "startindex", "startidx")
_ENDS = ("end", "stop", "endindex", "endidx")
_LENGTHS = ("length",)
_FRAGMENTS = ("fragments", "offsets", "span")  # [start, end], or a list of them
_TYPES = (
    *("label", "type", "entitygroup", "entitytype", "tag", "class", "category"),
    *("extractionclass", "labels", "entity"),
)
# `word`, as in pipelines, is not included, because tokenisers change its spelling.
_SURFACES = ("text", "surface", "mention", "extractiontext")
_NESTED = ("charinterval",)  # keys of a mapping inside a mark that holds the offsets
# Keys of a mark that change how it is read.
_SPECIAL = {*_NESTED, "alignmentstatus", "answer", "entity", "user"}
PIECES = ("B-", "I-", "E-", "S-", "L-", "U-")
# NUL would silently end strings, U+001F separates tokens in results, and lone surrogates are not
# valid text.
FORBIDDEN = re.compile("[\0\x1f\ud800-\udfff]")
_LARGEST_OFFSET = 1 << 40
_SHOWN = 60  # characters of a value in a message

Fragments: TypeAlias = tuple[tuple[int, int], ...]
Names: TypeAlias = Sequence[str] | None  # of numeric labels


class SpanMark(NamedTuple):
    """A span as it is written; a span of several types counts once for each type."""

    fragments: Fragments
    types: list[str]
    surface: str | None  # the words that the mark repeats


class _MarkKeys(NamedTuple):
    """The keys of a mark, by meaning; None if the mark does not have one."""

    start: str | None
    end: str | None
    length: str | None
    fragments: str | None
    type: str | None
    surface: str | None


def mark_of(mark: object, letters: bool, place: str, names: Names = None) -> SpanMark:
    """Read a span from a mapping or a list [start, end, type].

    With `letters`, offsets count characters, otherwise tokens; `names` are the names of numeric
    types.

    >>> mark_of([0, 3, "PER"], True, "a.jsonl:1")
    SpanMark(fragments=((0, 3),), types=['PER'], surface=None)
    >>> mark_of({"BeginOffset": 0, "EndOffset": 3, "Text": "Ada", "Type": "PER"}, True, "x").surface
    'Ada'
    """
    if isinstance(mark, dict | Mapping):
        return _mark_of_mapping(_flattened(mark), letters, place, names)
    row = listed(mark)
    if row is None or len(row) != 3:
        raise FormatError(
            place,
            f"{shown(mark)} is not a span",
            "give [start, end, type], or an object with start, end and label; "
            f"for mentions without offsets: {file_option(place, 'format=answers')}",
        )
    start, end, kind = row
    return SpanMark(
        ((_offset(start, place), _offset(end, place)),), [name_of(kind, names, place)], None
    )


class SimpleSpans(NamedTuple):
    """The starts, ends and types of spans."""

    starts: Sequence[int]
    ends: Sequence[int]
    types: Sequence[str]


def simple_spans(marks: Sequence[Any], texts: Iterable[str]) -> SimpleSpans | None:
    """The spans of marks that all have the same keys for start, end and type, or are such lists.

    `texts` has the text of each mark. None if some mark has other keys or values, which only
    `mark_of` can read. Most files are simple, and this is several times faster.

    >>> simple_spans([{"start": 0, "end": 3, "label": "PER", "text": "Ada"}], ["Ada spoke"])
    SimpleSpans(starts=(0,), ends=(3,), types=('PER',))
    >>> simple_spans([{"start": 0, "length": 3, "label": "PER"}], ["Ada spoke"]) is None
    True
    """
    if not marks:
        return SimpleSpans((), (), ())
    first = marks[0]
    rows: Sequence[Any] | None = None
    if type(first) is list:
        rows = marks if all(type(mark) is list and len(mark) == 3 for mark in marks) else None
    elif type(first) is dict and (keys := plain_mark_keys(tuple(first))) is not None:
        rows = _rows(marks, keys)
    if rows is None:
        return None
    starts, ends, types, *surfaces = zip(*rows, strict=True)
    if not _are_offsets(starts) or not _are_offsets(ends) or set(map(type, types)) != {str}:
        return None
    if not all(types) or FORBIDDEN.search(" ".join({*types})):
        return None
    covered = (text[start:end] for text, start, end in zip(texts, starts, ends, strict=True))
    if surfaces and list(covered) != list(surfaces[0]):
        return None  # blanks may differ, or the offsets are wrong
    return SimpleSpans(starts, ends, types)


def simple_pairs(tokens: Sequence[Any]) -> tuple[Sequence[int], Sequence[int]] | None:
    """The starts and ends of tokens that all have the same keys; None if some do not.

    >>> simple_pairs([{"text": "Ada", "start": 0, "end": 3, "id": 0}])
    ((0,), (3,))
    """
    keys = _ends_of(tuple(tokens[0])) if tokens and type(tokens[0]) is dict else (None, None)
    if keys[0] is None or keys[1] is None or (rows := _rows(tokens, keys)) is None:
        return None
    starts, ends = zip(*rows, strict=True)
    return (starts, ends) if _are_offsets(starts) and _are_offsets(ends) else None


def _rows(marks: Sequence[Any], keys: Sequence[str | None]) -> list[Any] | None:
    """The values of some keys; None if the marks are not all mappings with the same keys."""
    same = marks[0].keys()
    if not all(type(mark) is dict and mark.keys() == same for mark in marks):
        return None
    return list(map(itemgetter(*keys), marks))


def _are_offsets(values: Sequence[Any]) -> bool:
    return set(map(type, values)) == {int} and min(values) >= 0 and max(values) <= _LARGEST_OFFSET


@lru_cache(maxsize=1024)
def plain_mark_keys(keys: tuple[str, ...]) -> tuple[str, ...] | None:
    """The keys of start, end, type and perhaps surface, of marks that need no other key."""
    found = _mark_keys(keys, True)
    if found.length or found.fragments or {*spellings(keys)} & _SPECIAL:
        return None
    if found.start is None or found.end is None or found.type is None:
        return None
    return (found.start, found.end, found.type, *([found.surface] if found.surface else []))


def is_placed(mark: object) -> bool:
    """Whether a mark has offsets, valid or not.

    >>> is_placed({"start": "3", "label": "PER"}), is_placed({"text": "Ada", "label": "PER"})
    (True, False)
    """
    if isinstance(mark, Mapping):
        keys = _mark_keys(tuple(_flattened(mark)), True)
        return keys.fragments is not None or keys.start is not None
    return listed(mark) is not None


def pair_of(pair: object, place: str) -> tuple[int, int]:
    """A start and an end, as a list or by name.

    >>> pair_of({"start": 0, "end": 3, "id": 0}, "a.jsonl:1")
    (0, 3)
    """
    if isinstance(pair, dict | Mapping):  # checking for dict first is much faster
        start, end = _ends_of(tuple(pair))
        if start is not None and end is not None:
            return _offset(pair[start], place), _offset(pair[end], place)
        return _fragments(pair, _mark_keys(tuple(pair), True)._replace(fragments=None), place)[0]
    row = listed(pair)
    if row is None or len(row) != 2:
        raise FormatError(
            place, f"{shown(pair)} is not a fragment", "give each fragment as [start, end]"
        )
    return _offset(row[0], place), _offset(row[1], place)


def _mark_of_mapping(mark: Mapping[str, Any], letters: bool, place: str, names: Names) -> SpanMark:
    keys = _mark_keys(tuple(mark), letters)
    if keys.type is None:
        raise FormatError(
            place,
            f"a mention has no type (its keys are {shown_keys(mark)})",
            "give each mention its type under the key label",
        )
    fragments = _fragments(mark, keys, place)
    given = mark[keys.type]
    types = [name_of(kind, names, place) for kind in listed(given) or [given]]
    if spelling(keys.type) == "entity" and types[0].startswith(PIECES):
        raise FormatError(
            place,
            f"{types[0]} is the label of a word piece, not the type of a mention",
            'join the pieces: pipeline(…, aggregation_strategy="simple")',
        )
    return SpanMark(fragments, types, _surface(mark, keys))


def _fragments(mark: Mapping[str, Any], keys: _MarkKeys, place: str) -> Fragments:
    if keys.fragments is not None and (given := listed(mark[keys.fragments])):
        pairs = [given] if isinstance(given[0], Integral) else given
        return tuple(pair_of(pair, place) for pair in pairs)
    if keys.start is None or (keys.end is None and keys.length is None):
        raise FormatError(
            place,
            f"no start and end were given (the keys are {shown_keys(mark)})",
            "give start and end; for mentions without offsets: "
            f"{file_option(place, 'format=answers')}",
        )
    start = _offset(mark[keys.start], place)
    if keys.end is not None:
        return ((start, _offset(mark[keys.end], place)),)
    return ((start, start + _offset(mark[keys.length or ""], place)),)


def _surface(mark: Mapping[str, Any], keys: _MarkKeys) -> str | None:
    """The text that a mark repeats, if it should be exactly the text at its offsets."""
    if keys.surface is None or mark.get("alignment_status", "match_exact") != "match_exact":
        return None
    given = mark[keys.surface]
    parts = [given] if isinstance(given, str) else listed(given) or []
    return " ".join(parts) if parts and are_strings(parts) else None


def _offset(value: object, place: str) -> int:
    if (
        type(value) is int and 0 <= value <= _LARGEST_OFFSET
    ):  # the usual case, checked first for speed
        return value
    if (
        isinstance(value, bool)
        or not isinstance(value, Integral)
        or not 0 <= int(value) <= _LARGEST_OFFSET
    ):
        raise FormatError(
            place,
            f"invalid offset {shown(value)}",
            "give whole numbers, counted from 0, for start and end",
        )
    return int(value)


def name_of(value: object, names: Names, place: str) -> str:
    """The type or label for a string or number.

    >>> name_of("PER", None, "a.jsonl:1"), name_of(1, ["O", "B-PER"], "a.jsonl:1")
    ('PER', 'B-PER')
    """
    if isinstance(value, str) and value and not FORBIDDEN.search(value):
        return value
    if isinstance(value, bool) or not isinstance(value, Integral):
        raise FormatError(
            place,
            f"invalid type {shown(value)}",
            "give each mention a non-empty string as its type",
        )
    if names is None:
        raise FormatError(
            place,
            f"label {shown(value)} is a number and no label names were given",
            f"{file_option(place, 'names=O+B-PER+I-PER')} (all names, in order), "
            "or names=FILE with one name per line",
        )
    if not 0 <= int(value) < len(names):
        raise FormatError(
            place,
            f"label {shown(value)} is a number, but only {len(names)} label names were given",
            f"{file_option(place, 'names=O+B-PER+I-PER')} (all names, in order, counted from 0)",
        )
    return names[int(value)]


def check_surface(mark: SpanMark, held: str | Sequence[str], place: str) -> None:
    """Refuse offsets that do not match the text that the mark repeats; guess what they count.

    >>> check_surface(SpanMark(((0, 2),), ["PER"], "Ada"), "Ada spoke", "a.jsonl:1")
    Traceback (most recent call last):
    nerscope.errors.FormatError: a.jsonl:1: the text at 0–2 is 'Ad', not 'Ada'. \
Fix: add 1 to each end; the ends are inclusive
    """
    if mark.surface is None:
        return
    expected = _without_blanks(mark.surface)
    if _without_blanks(_covered(held, mark.fragments, _as_given)) == expected:
        return
    guesses = (*_OF_TEXT, *_OF_BOTH) if isinstance(held, str) else _OF_BOTH
    fixes = (
        fix
        for cut, fix in guesses
        if _without_blanks(_covered(held, mark.fragments, cut)) == expected
    )
    there = " ".join(_covered(held, mark.fragments, _as_given))
    where = ", ".join(f"{start}–{end}" for start, end in mark.fragments)
    raise FormatError(
        place,
        f"the text at {where} is {shown(there)}, not {shown(mark.surface)}",
        next(fixes, "count from 0; the end is the offset after the mention"),
    )


_Cut: TypeAlias = Callable[[Any, int, int], str | Sequence[str]]


def _covered(held: str | Sequence[str], fragments: Fragments, cut: _Cut) -> list[str]:
    parts = (cut(held, start, end) for start, end in fragments)
    return [part if isinstance(part, str) else " ".join(part) for part in parts]


def _without_blanks(words: str | Sequence[str]) -> str:
    """The text without blanks, and without line ends that some tools write as a literal \\n."""
    return "".join("".join(words).replace("\\n", "").split())


def _as_given(held: Any, start: int, end: int) -> str | Sequence[str]:
    covered: str | Sequence[str] = held[start:end]
    return covered


def _utf16(text: str, start: int, end: int) -> str:
    return text.encode("utf-16-le", "replace")[2 * start : 2 * end].decode("utf-16-le", "replace")


def _utf8(text: str, start: int, end: int) -> str:
    return text.encode("utf-8", "replace")[start:end].decode("utf-8", "replace")


# Possible meanings of wrong offsets, and the fix for each.
_OF_TEXT: Sequence[tuple[_Cut, str]] = (
    (_utf16, "count characters; the offsets count UTF-16 units, as in JavaScript"),
    (_utf8, "count characters; the offsets count bytes"),
)
_OF_BOTH: Sequence[tuple[_Cut, str]] = (
    (lambda held, start, end: held[start : end + 1], "add 1 to each end; the ends are inclusive"),
    (
        lambda held, start, end: held[max(start - 1, 0) : max(end - 1, 0)],
        "subtract 1 from each start and end; the offsets count from 1",
    ),
    (
        lambda held, start, end: held[max(start - 1, 0) : end],
        "subtract 1 from each start; the starts count from 1",
    ),
)


def spelling(key: str) -> str:
    """A key in lower case and without _ or -, as in the tables of keys.

    >>> spelling("start_offset"), spelling("BeginOffset")
    ('startoffset', 'beginoffset')
    """
    return key.replace("_", "").replace("-", "").lower()


@lru_cache(maxsize=1024)
def spellings(keys: tuple[str, ...]) -> Mapping[str, str]:
    """The keys of a mapping by spelling; the first of two with the same spelling.

    >>> spellings(("text", "start_char"))["startchar"]
    'start_char'
    """
    return {spelling(key): key for key in reversed(keys) if isinstance(key, str)}


def first_key(
    mapping: Mapping[str, Any], candidates: Sequence[str], suits: Callable[[Any], object]
) -> str | None:
    """The first candidate that the mapping has with a value for which `suits` is true.

    >>> first_key({"Text": "Ada", "tokens": ["Ada"]}, ["tokens", "text"], lambda value: True)
    'tokens'
    """
    keys = spellings(tuple(mapping))
    present = (keys[candidate] for candidate in candidates if candidate in keys)
    return next((key for key in present if suits(mapping[key])), None)


@lru_cache(maxsize=1024)
def _mark_keys(keys: tuple[str, ...], letters: bool) -> _MarkKeys:
    by_spelling = spellings(keys)
    tables = (
        (*_LETTER_STARTS, *_STARTS) if letters else _STARTS,
        (*_LETTER_ENDS, *_ENDS) if letters else _ENDS,
        *(_LENGTHS, _FRAGMENTS, _TYPES, _SURFACES),
    )
    return _MarkKeys(
        *(next((by_spelling[key] for key in table if key in by_spelling), None) for table in tables)
    )


@lru_cache(maxsize=1024)
def _ends_of(keys: tuple[str, ...]) -> tuple[str | None, str | None]:
    mark_keys = _mark_keys(keys, True)
    return mark_keys.start, mark_keys.end


def _flattened(mark: Mapping[str, Any]) -> Mapping[str, Any]:
    inner = first_key(mark, _NESTED, lambda value: isinstance(value, Mapping))
    return mark if inner is None else {**mark, **mark[inner]}


def listed(value: object) -> list[Any] | None:
    """A list, tuple or array as a list; None for anything else.

    >>> listed((1, 2)), listed("12")
    ([1, 2], None)
    """
    if isinstance(value, list):
        return value
    if isinstance(value, tuple):
        return list(value)
    converted = value.tolist() if hasattr(value, "tolist") else None
    return converted if isinstance(converted, list) else None


def are_strings(value: object) -> bool:
    """Whether a value is a list of strings.

    >>> are_strings(["Ada"]), are_strings([{"text": "Ada"}]), are_strings("Ada")
    (True, False, False)
    """
    items = listed(value)
    return items is not None and all(isinstance(item, str) for item in items)


def shown(value: object) -> str:
    """A value for a message, shortened to one line.

    >>> shown("x" * 100)
    "'xxxxxxxxxxxxxxxxxxxxxxxxxxx...xxxxxxxxxxxxxxxxxxxxxxxxxxxx'"
    >>> shown([0, [1, 2]])
    '[0, [1, 2]]'
    """
    text = _SHORT.repr(value)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"


_SHORT = reprlib.Repr()  # does not descend into deep or long values
_SHORT.maxstring = _SHORT.maxother = _SHORT.maxlong = _SHOWN


def shown_keys(mapping: Mapping[str, Any]) -> str:
    """The keys of a mapping for a message.

    >>> shown_keys({"id": 1, "body": "Ada"})
    'id, body'
    """
    some = [repr(key)[1:-1] if isinstance(key, str) else shown(key) for key in mapping]
    text = ", ".join(some) or "none"
    return text if len(text) <= 2 * _SHOWN else f"{text[: 2 * _SHOWN]}…"
