"""One span as tools write it: under whatever keys, in letters or tokens, whole or in fragments."""

import re
import reprlib
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from numbers import Integral
from typing import Any, NamedTuple, TypeAlias

from nerscope.errors import FormatError

# How keys are spelt, in small letters and without _ or -; the first one that is there counts.
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
# `word`, as pipelines give it, is not among them: tokenisers respell it.
_SURFACES = ("text", "surface", "mention", "extractiontext")
_INNER = ("charinterval",)  # where a mark keeps its offsets one floor deeper
PIECES = ("B-", "I-", "E-", "S-", "L-", "U-")
# NUL ends a string unseen, U+001F stands between tokens in results, lone surrogates are no text.
FORBIDDEN = re.compile("[\0\x1f\ud800-\udfff]")
_LARGEST = 1 << 40  # of offsets
_SHOWN = 60  # letters of a value in a message

Fragments: TypeAlias = tuple[tuple[int, int], ...]
Names: TypeAlias = Sequence[str] | None  # of labels that are numbers


class Mark(NamedTuple):
    """A span as it is written; one that is of several types counts once for each."""

    fragments: Fragments
    types: list[str]
    surface: str | None  # the words that it says it covers


class _Layout(NamedTuple):
    """The keys of a mark."""

    start: str | None
    end: str | None
    length: str | None
    fragments: str | None
    type: str | None
    surface: str | None


def mark_of(mark: object, letters: bool, place: str, names: Names = None) -> Mark:
    """A span, whose offsets count letters or tokens.

    >>> mark_of([0, 3, "PER"], True, "a.jsonl:1")
    Mark(fragments=((0, 3),), types=['PER'], surface=None)
    >>> mark_of({"BeginOffset": 0, "EndOffset": 3, "Text": "Ada", "Type": "PER"}, True, "x").surface
    'Ada'
    """
    if isinstance(mark, dict | Mapping):
        return _mark_of_mapping(_flattened(mark), letters, place, names)
    row = listed(mark)
    if row is None or len(row) != 3:
        raise FormatError(
            place,
            f"{shown(mark)} is no span",
            "give [start, end, type], or start, end and label by name; "
            "for mentions without offsets say format=answers",
        )
    start, end, kind = row
    return Mark(
        ((_offset(start, place), _offset(end, place)),), [name_of(kind, names, place)], None
    )


def is_placed(mark: object) -> bool:
    """Whether a mark says where it is, well or badly.

    >>> is_placed({"start": "3", "label": "PER"}), is_placed({"text": "Ada", "label": "PER"})
    (True, False)
    """
    if isinstance(mark, Mapping):
        layout = _layout(tuple(_flattened(mark)), True)
        return layout.fragments is not None or layout.start is not None
    return listed(mark) is not None


def pair_of(pair: object, place: str) -> tuple[int, int]:
    """A start and an end, as a list or by name.

    >>> pair_of({"start": 0, "end": 3, "id": 0}, "a.jsonl:1")
    (0, 3)
    """
    if isinstance(pair, dict | Mapping):  # a dict is found out at once, a Mapping is not
        start, end = _ends_of(tuple(pair))
        if start is not None and end is not None:
            return _offset(pair[start], place), _offset(pair[end], place)
        return _fragments(pair, _layout(tuple(pair), True)._replace(fragments=None), place)[0]
    row = listed(pair)
    if row is None or len(row) != 2:
        raise FormatError(
            place, f"{shown(pair)} is no fragment", "give each fragment as [start, end]"
        )
    return _offset(row[0], place), _offset(row[1], place)


def _mark_of_mapping(mark: Mapping[str, Any], letters: bool, place: str, names: Names) -> Mark:
    layout = _layout(tuple(mark), letters)
    if layout.type is None:
        raise FormatError(
            place,
            f"a mention has no type: its keys are {shown_keys(mark)}",
            "give each mention a label",
        )
    fragments = _fragments(mark, layout, place)
    given = mark[layout.type]
    types = [name_of(kind, names, place) for kind in listed(given) or [given]]
    if spelling(layout.type) == "entity" and types[0].startswith(PIECES):
        raise FormatError(
            place,
            f"{types[0]} is a piece of a mention, not a whole one",
            "join the pieces: pipelines do it if told an aggregation_strategy",
        )
    return Mark(fragments, types, _surface(mark, layout))


def _fragments(mark: Mapping[str, Any], layout: _Layout, place: str) -> Fragments:
    if layout.fragments is not None and (given := listed(mark[layout.fragments])):
        pairs = [given] if isinstance(given[0], Integral) else given
        return tuple(pair_of(pair, place) for pair in pairs)
    if layout.start is None or (layout.end is None and layout.length is None):
        raise FormatError(
            place,
            f"no start and end are given: the keys are {shown_keys(mark)}",
            "give start and end; for mentions without offsets say format=answers",
        )
    start = _offset(mark[layout.start], place)
    if layout.end is not None:
        return ((start, _offset(mark[layout.end], place)),)
    return ((start, start + _offset(mark[layout.length or ""], place)),)


def _surface(mark: Mapping[str, Any], layout: _Layout) -> str | None:
    """The words that a mark says it covers, where they are meant to be those of the text."""
    if layout.surface is None or mark.get("alignment_status", "match_exact") != "match_exact":
        return None
    given = mark[layout.surface]
    parts = [given] if isinstance(given, str) else listed(given) or []
    return " ".join(parts) if parts and are_strings(parts) else None


def _offset(value: object, place: str) -> int:
    if type(value) is int and 0 <= value <= _LARGEST:  # nearly always: asking for less is quicker
        return value
    if (
        isinstance(value, bool)
        or not isinstance(value, Integral)
        or not 0 <= int(value) <= _LARGEST
    ):
        raise FormatError(
            place,
            f"{shown(value)} is no offset",
            "give whole numbers, counted from 0, for start and end",
        )
    return int(value)


def name_of(value: object, names: Names, place: str) -> str:
    """The type or label that a string or number stands for.

    >>> name_of("PER", None, "a.jsonl:1"), name_of(1, ["O", "B-PER"], "a.jsonl:1")
    ('PER', 'B-PER')
    """
    if isinstance(value, str) and value and not FORBIDDEN.search(value):
        return value
    if isinstance(value, bool) or not isinstance(value, Integral):
        raise FormatError(
            place, f"{shown(value)} is no type", "give each mention a type that is a whole string"
        )
    if names is None:
        raise FormatError(
            place,
            f"the label {shown(value)} is a number, and nobody said what it means",
            "say names=O+B-PER+I-PER, all names in order, or names=FILE with one a line",
        )
    if not 0 <= int(value) < len(names):
        raise FormatError(
            place,
            f"the label {shown(value)} is a number beyond the {len(names)} names",
            "give as many names as there are labels, in order",
        )
    return names[int(value)]


def check_surface(mark: Mark, held: str | Sequence[str], place: str) -> None:
    """Refuse offsets under which other words stand than the mark says; guess what they count.

    >>> check_surface(Mark(((0, 2),), ["PER"], "Ada"), "Ada spoke", "a.jsonl:1")
    Traceback (most recent call last):
    nerscope.errors.FormatError: a.jsonl:1: at 0–2 stands 'Ad', not 'Ada'. \
Remedy: ends are inclusive: add 1 to each end
    """
    if mark.surface is None:
        return
    wanted = _squeezed(mark.surface)
    if _squeezed(_covered(held, mark.fragments, _as_given)) == wanted:
        return
    guesses = (*_OF_TEXT, *_OF_BOTH) if isinstance(held, str) else _OF_BOTH
    remedies = (
        remedy
        for cut, remedy in guesses
        if _squeezed(_covered(held, mark.fragments, cut)) == wanted
    )
    there = " ".join(_covered(held, mark.fragments, _as_given))
    where = ", ".join(f"{start}–{end}" for start, end in mark.fragments)
    raise FormatError(
        place,
        f"at {where} stands {shown(there)}, not {shown(mark.surface)}",
        next(remedies, "count from 0; the end is the first one behind the mention"),
    )


_Cut: TypeAlias = Callable[[Any, int, int], str | Sequence[str]]


def _covered(held: str | Sequence[str], fragments: Fragments, cut: _Cut) -> list[str]:
    parts = (cut(held, start, end) for start, end in fragments)
    return [part if isinstance(part, str) else " ".join(part) for part in parts]


def _squeezed(words: str | Sequence[str]) -> str:
    """What can be compared: everything but blanks, and line ends as some tools write them."""
    return "".join("".join(words).replace("\\n", "").split())


def _as_given(held: Any, start: int, end: int) -> str | Sequence[str]:
    part: str | Sequence[str] = held[start:end]
    return part


def _utf16(text: str, start: int, end: int) -> str:
    return text.encode("utf-16-le", "replace")[2 * start : 2 * end].decode("utf-16-le", "replace")


def _utf8(text: str, start: int, end: int) -> str:
    return text.encode("utf-8", "replace")[start:end].decode("utf-8", "replace")


# What offsets may count if not what they should, and what to do then.
_OF_TEXT: Sequence[tuple[_Cut, str]] = (
    (_utf16, "offsets count UTF-16 units, as JavaScript does: count characters"),
    (_utf8, "offsets count bytes: count characters"),
)
_OF_BOTH: Sequence[tuple[_Cut, str]] = (
    (lambda held, start, end: held[start : end + 1], "ends are inclusive: add 1 to each end"),
    (
        lambda held, start, end: held[max(start - 1, 0) : max(end - 1, 0)],
        "offsets count from 1: take 1 from each start and end",
    ),
    (
        lambda held, start, end: held[max(start - 1, 0) : end],
        "starts count from 1: take 1 from each start",
    ),
)


def spelling(key: str) -> str:
    """A key as the tables of spellings have it.

    >>> spelling("start_offset"), spelling("BeginOffset")
    ('startoffset', 'beginoffset')
    """
    return key.replace("_", "").replace("-", "").lower()


@lru_cache(maxsize=1024)
def spellings(keys: tuple[str, ...]) -> Mapping[str, str]:
    """The keys of a mapping by their spelling; the first of two that are spelt alike.

    >>> spellings(("text", "start_char"))["startchar"]
    'start_char'
    """
    return {spelling(key): key for key in reversed(keys) if isinstance(key, str)}


def first_key(
    mapping: Mapping[str, Any], wanted: Sequence[str], suits: Callable[[Any], object]
) -> str | None:
    """The first key that is spelt as wanted and whose value suits.

    >>> first_key({"Text": "Ada", "tokens": ["Ada"]}, ["tokens", "text"], lambda value: True)
    'tokens'
    """
    keys = spellings(tuple(mapping))
    return next((keys[one] for one in wanted if one in keys and suits(mapping[keys[one]])), None)


@lru_cache(maxsize=1024)
def _layout(keys: tuple[str, ...], letters: bool) -> _Layout:
    spelt = spellings(keys)
    tables = (
        (*_LETTER_STARTS, *_STARTS) if letters else _STARTS,
        (*_LETTER_ENDS, *_ENDS) if letters else _ENDS,
        *(_LENGTHS, _FRAGMENTS, _TYPES, _SURFACES),
    )
    return _Layout(*(next((spelt[one] for one in table if one in spelt), None) for table in tables))


@lru_cache(maxsize=1024)
def _ends_of(keys: tuple[str, ...]) -> tuple[str | None, str | None]:
    layout = _layout(keys, True)
    return layout.start, layout.end


def _flattened(mark: Mapping[str, Any]) -> Mapping[str, Any]:
    inner = first_key(mark, _INNER, lambda value: isinstance(value, Mapping))
    return mark if inner is None else {**mark, **mark[inner]}


def listed(value: object) -> list[Any] | None:
    """A list, also one of an array; None if it is something else.

    >>> listed((1, 2)), listed("12")
    ([1, 2], None)
    """
    if isinstance(value, list):
        return value
    if isinstance(value, tuple):
        return list(value)
    found = value.tolist() if hasattr(value, "tolist") else None
    return found if isinstance(found, list) else None


def are_strings(value: object) -> bool:
    """Whether this is a list of strings.

    >>> are_strings(["Ada"]), are_strings([{"text": "Ada"}]), are_strings("Ada")
    (True, False, False)
    """
    found = listed(value)
    return found is not None and all(isinstance(one, str) for one in found)


def shown(value: object) -> str:
    """A value in a message, not longer than a line, whatever it is.

    >>> shown("x" * 100)
    "'xxxxxxxxxxxxxxxxxxxxxxxxxxx...xxxxxxxxxxxxxxxxxxxxxxxxxxxx'"
    >>> shown([0, [1, 2]])
    '[0, [1, 2]]'
    """
    text = _SHORT.repr(value)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"


_SHORT = reprlib.Repr()  # goes into nothing that is deep or long
_SHORT.maxstring = _SHORT.maxother = _SHORT.maxlong = _SHOWN


def shown_keys(mapping: Mapping[str, Any]) -> str:
    """The keys of a mapping in a message.

    >>> shown_keys({"id": 1, "body": "Ada"})
    'id, body'
    """
    some = [repr(key)[1:-1] if isinstance(key, str) else shown(key) for key in mapping]
    text = ", ".join(some) or "none"
    return text if len(text) <= 2 * _SHOWN else f"{text[: 2 * _SHOWN]}…"
