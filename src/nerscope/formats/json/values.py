"""Read the values of a JSON file one by one, from lines or a long list, in bounded memory."""

import codecs
import json
import re
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from itertools import chain
from typing import Any, NamedTuple, NoReturn

from nerscope.errors import FormatError, InputError
from nerscope.formats.files import (
    ByteRange,
    FileBytes,
    open_range,
    paused_collection,
    read_some,
)

LONGEST = 64 << 20  # characters of a single value
_PIECE = 1 << 19  # bytes that are decoded at once: their arrays fit the processor's cache
_FEW = 64  # values of a list that are read at once
_BLANKS = " \t\r\n"
_INK = re.compile(r"[^ \t\r\n]")
_BEGINNING = re.compile(r"[ \t\r\n]*[^ \t\r\n][ \t\r\n]*[^ \t\r\n]")
_LIST = re.compile(r"[ \t\r\n]*\[[ \t\r\n]*[\[{\]]")
_OVER_LINES = re.compile(r"[ \t\r\n]*\{[ \t\r]*\n")
_NEAR = (
    16  # characters; an error this close to the end of the text may be due to an incomplete value
)


class JsonValue(NamedTuple):
    """A value, and the line on which it begins."""

    line: int
    value: Any


class _RefusedError(ValueError):
    """Valid JSON that is not accepted in a corpus."""


def _refuse_constant(text: str) -> NoReturn:
    raise _RefusedError(f"{text} is not allowed")


# json.loads would accept NaN and Infinity. Of equal keys the last one counts; `validate` reports
# them, because a Python call for each object would take longer than everything else.
_DECODER = json.JSONDecoder(parse_constant=_refuse_constant)


class JsonBatch(NamedTuple):
    """Consecutive values, and the line on which each begins.

    `by_line` is True if every line has one value, so that a line number says which value is meant.
    """

    lines: list[int]
    values: list[Any]
    by_line: bool


def json_batches(
    data: FileBytes, decoder: json.JSONDecoder = _DECODER, span: ByteRange | None = None
) -> Iterator[JsonBatch]:
    """The values of JSON Lines, of one list, or of objects that follow each other.

    The error of an invalid value comes after the values before it. `span` is a part of a file with
    one value per line.

    >>> list(json_batches(FileBytes("a.jsonl", data=b'{"text": "Ada"}\\n\\n{"text": "Bob"}\\n')))
    [JsonBatch(lines=[1, 3], values=[{'text': 'Ada'}, {'text': 'Bob'}], by_line=True)]
    >>> list(json_batches(FileBytes("a.json", data=b'[{"text": "Ada"},\\n {"text": "Bob"}]')))
    [JsonBatch(lines=[1, 2], values=[{'text': 'Ada'}, {'text': 'Bob'}], by_line=False)]
    """
    # The first two characters decide: [{ begins a list, { and a line end begin objects over several
    # lines, and anything else is one value per line.
    pieces = _pieces(data, span)
    if span is not None:
        return _line_batches(data.name, pieces, decoder, span.line)
    beginning = ""
    while not _BEGINNING.match(beginning) and (piece := next(pieces, "")):
        beginning += piece
        if len(beginning) > LONGEST:
            raise _too_long(f"{data.name}:1")
    text = chain([beginning], pieces)
    if _LIST.match(beginning):
        return _batched(_list_values(_JsonText(data.name, text, decoder)))
    if _OVER_LINES.match(beginning):
        return _batched(_object_values(_JsonText(data.name, text, decoder)))
    return _line_batches(data.name, text, decoder)


def json_values(data: FileBytes, decoder: json.JSONDecoder = _DECODER) -> Iterator[JsonValue]:
    """The values of a file, one at a time.

    >>> [placed.line for placed in json_values(FileBytes("a", data=b'{"a": 1}\\n{"a": 2}'))]
    [1, 2]
    """
    for batch in json_batches(data, decoder):
        yield from map(JsonValue, batch.lines, batch.values)


def _batched(values: Iterator[JsonValue]) -> Iterator[JsonBatch]:
    batch = JsonBatch([], [], False)
    try:
        for line, value in values:
            batch.lines.append(line)
            batch.values.append(value)
            if len(batch.lines) == _FEW:
                yield batch
                batch = JsonBatch([], [], False)
    except InputError:
        if batch.lines:
            yield batch
        raise
    if batch.lines:
        yield batch


def repeated_keys(data: FileBytes) -> Iterator[tuple[int, str]]:
    """The keys that an object has twice, each with the line of its value.

    >>> list(repeated_keys(FileBytes("a.jsonl", data=b'{"text": "a", "text": "b"}')))
    [(1, 'text')]
    """
    repeated: dict[int, list[str]] = {}  # the keys of an object, by its identity

    def note(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        mapping = dict(pairs)
        if len(mapping) < len(pairs):
            counts = Counter(key for key, _ in pairs)
            repeated[id(mapping)] = [key for key, times in counts.items() if times > 1]
        return mapping

    decoder = json.JSONDecoder(object_pairs_hook=note, parse_constant=_refuse_constant)
    for batch in json_batches(data, decoder):
        for line, value in zip(batch.lines, batch.values, strict=True) if repeated else ():
            keys = (key for inner in _objects_in(value) for key in repeated.get(id(inner), ()))
            yield from ((line, key) for key in dict.fromkeys(keys))
        repeated.clear()


def _objects_in(value: Any) -> Iterator[dict[str, Any]]:
    """All objects in a value, inner ones first, in the order of the text."""
    stack, found = [value], list[dict[str, Any]]()
    while stack:
        item = stack.pop()
        if isinstance(item, dict):
            found.append(item)
        stack += item.values() if isinstance(item, dict) else item if isinstance(item, list) else ()
    return iter(found[::-1])


def first_values(name: str, head: bytes) -> list[Any]:
    """The complete values at the beginning of a file.

    >>> first_values("a.jsonl", b'{"text": "Ada"}\\n{"text": "B')
    [{'text': 'Ada'}]
    """
    values: list[Any] = []
    with suppress(InputError):  # the last value is cut off, or the file is not JSON
        for _, value in json_values(FileBytes(name, data=head)):
            values.append(value)
    return values


def _pieces(data: FileBytes, span: ByteRange | None = None) -> Iterator[str]:
    """The decoded text of a file, or of a part of it, block by block."""
    is_start = span is None or span.begin == 0  # a byte order mark is removed only there
    decoder = codecs.getincrementaldecoder("utf-8-sig" if is_start else "utf-8")()
    offset = 0 if span is None else span.begin
    with open_range(data, span) as stream:
        while True:
            block = read_some(stream, data.name, _PIECE)
            pending = len(decoder.getstate()[0])
            try:
                text = decoder.decode(block, final=not block)
            except UnicodeDecodeError as error:
                raise InputError(
                    f"{data.name}: byte {offset + error.start - pending}",
                    "not valid utf-8",
                    "save the file as UTF-8; an error at the end means that the file is truncated",
                ) from None
            if text:
                yield text
            if not block:
                return
            offset += len(block)


# --- one value per line


def _line_batches(
    name: str, pieces: Iterator[str], decoder: json.JSONDecoder, first: int = 1
) -> Iterator[JsonBatch]:
    for lines in _line_lists(name, pieces):
        numbers = list(range(first, first + len(lines)))
        values = _plain_values(lines, decoder)
        if values is not None:
            yield JsonBatch(numbers, values, True)
        else:
            yield from _decoded_lines(name, numbers, lines, decoder)
        first += len(lines)


def _plain_values(lines: list[str], decoder: json.JSONDecoder) -> list[Any] | None:
    """The values of lines without blanks around them; None if a line has something else."""
    scan = decoder.scan_once  # type: ignore[attr-defined]  # the scanner in C, without a wrapper
    try:
        with paused_collection():
            pairs = [scan(line, 0) for line in lines]
    except (StopIteration, ValueError, RecursionError):  # a blank line, or not JSON
        return None
    are_complete = [end for _, end in pairs] == list(map(len, lines))
    return [value for value, _ in pairs] if are_complete else None


def _decoded_lines(
    name: str, numbers: list[int], lines: list[str], decoder: json.JSONDecoder
) -> Iterator[JsonBatch]:
    """The values of lines of any kind, read one by one."""
    batch = JsonBatch([], [], True)
    for number, line in zip(numbers, lines, strict=True):
        if not line.strip(_BLANKS):
            continue
        try:
            value = _decode_line(line, f"{name}:{number}", decoder)
        except InputError:
            if batch.lines:
                yield batch
            raise
        batch.lines.append(number)
        batch.values.append(value)
    if batch.lines:
        yield batch


def _line_lists(name: str, pieces: Iterator[str]) -> Iterator[list[str]]:
    """The lines of a file, many at a time."""
    unfinished: list[str] = []  # the pieces of a line that has not ended
    size, done = 0, 0
    for piece in pieces:
        *ended, last = piece.split("\n")
        if ended:
            ended[0] = "".join([*unfinished, ended[0]])
            yield [line.rstrip("\r") for line in ended] if "\r" in piece else ended
            unfinished, size, done = [], 0, done + len(ended)
        unfinished.append(last)
        size += len(last)
        if size > LONGEST:
            raise _too_long(f"{name}:{done + 1}")
    if last_line := "".join(unfinished):
        yield [last_line]


def _decode_line(line: str, place: str, decoder: json.JSONDecoder) -> Any:
    try:
        return decoder.decode(line)
    except json.JSONDecodeError as error:
        raise _broken(place, error.msg, error.colno) from None
    except (ValueError, RecursionError) as error:
        raise _refused(place, error) from None


def _broken(place: str, what: str, column: int) -> FormatError:
    return FormatError(
        place,
        f"not valid JSON ({what}, column {column})",
        "write one complete object per line, or one list of objects; "
        "an error at the end means that the file is truncated",
    )


def _refused(place: str, error: ValueError | RecursionError) -> FormatError:
    if isinstance(error, RecursionError):
        return FormatError(place, "lists or objects are nested too deeply", "use flat records")
    what = str(error) if isinstance(error, _RefusedError) else "a number has too many digits"
    return FormatError(place, f"this JSON cannot be read: {what}", "correct the value")


def _too_long(place: str) -> FormatError:
    return FormatError(
        place,
        f"a value is longer than {LONGEST >> 20} million characters",
        "write one text or one sentence per value",
    )


# --- values that may span several lines


class _JsonText:
    """A text that is read in pieces; only the part that is not yet decoded is in memory."""

    def __init__(self, name: str, pieces: Iterator[str], decoder: json.JSONDecoder) -> None:
        self._name, self._pieces, self._decoder = name, pieces, decoder
        self._text, self._at, self._line = "", 0, 1

    @property
    def place(self) -> str:
        """The file and line of the next character, for messages."""
        return f"{self._name}:{self._line}"

    def next(self) -> str:
        """The next non-blank character, without consuming it; empty at the end."""
        while True:
            match = _INK.search(self._text, self._at)
            self._advance(match.start() if match else len(self._text))
            if match:
                return match[0]
            if not self._read_more():
                return ""

    def skip(self) -> None:
        """Consume one character."""
        self._at += 1

    def value(self) -> JsonValue:
        """Consume the next value; more text is read until it is complete."""
        while True:
            try:
                value, end = self._decoder.raw_decode(self._text, self._at)
            except json.JSONDecodeError as error:
                if not self._may_be_cut(error) or not self._read_more():
                    raise self._broken(error) from None
            except (ValueError, RecursionError) as error:
                raise _refused(self.place, error) from None
            else:
                placed = JsonValue(self._line, value)
                self._advance(end)
                return placed

    def _advance(self, at: int) -> None:
        self._line += self._text.count("\n", self._at, at)
        self._at = at

    def _may_be_cut(self, error: json.JSONDecodeError) -> bool:
        unfinished = error.msg.startswith("Unterminated string")
        return unfinished or error.pos >= len(self._text) - _NEAR

    def _read_more(self) -> bool:
        """Read at least as much text as waits to be decoded; return whether there was more.

        A long value is decoded again from its start after each call. Because the text doubles each
        time, the total time is linear in its length.
        """
        waiting = self._text[self._at :]
        if len(waiting) > LONGEST:
            raise _too_long(self.place)
        parts, size = [waiting], 0
        while size <= len(waiting) and (piece := next(self._pieces, "")):
            parts.append(piece)
            size += len(piece)
        self._text, self._at = "".join(parts), 0
        return size > 0

    def _broken(self, error: json.JSONDecodeError) -> FormatError:
        line = self._line + self._text.count("\n", self._at, error.pos)
        return _broken(f"{self._name}:{line}", error.msg, error.colno)


def _object_values(text: _JsonText) -> Iterator[JsonValue]:
    while text.next():
        yield text.value()


def _list_values(text: _JsonText) -> Iterator[JsonValue]:
    text.next()
    text.skip()
    if text.next() != "]":
        yield text.value()
        while text.next() == ",":
            text.skip()
            text.next()
            yield text.value()
    if text.next() != "]":
        raise FormatError(
            text.place,
            "a comma or ] is missing in the list",
            "export the file again; it is truncated or damaged here",
        )
    text.skip()
    if text.next():
        raise FormatError(
            text.place,
            "unexpected text after the end of the list",
            "write one list, or one object per line",
        )
