"""The values of a JSON file one by one, of lines or of one long list, in bounded memory."""

import codecs
import json
import re
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from itertools import chain
from typing import Any, NamedTuple, NoReturn

from nerscope.errors import FormatError, InputError
from nerscope.formats.files import FileBytes, read_some

LONGEST = 64 << 20  # characters of a single value
_BLANKS = " \t\r\n"
_INK = re.compile(r"[^ \t\r\n]")
_BEGINNING = re.compile(r"[ \t\r\n]*[^ \t\r\n][ \t\r\n]*[^ \t\r\n]")
_LIST = re.compile(r"[ \t\r\n]*\[[ \t\r\n]*[\[{\]]")
_OVER_LINES = re.compile(r"[ \t\r\n]*\{[ \t\r]*\n")
_NEAR = 16  # an error so near to the end of what was read may come from the cut


class JsonValue(NamedTuple):
    """A value, and the line on which it begins."""

    line: int
    value: Any


class _RefusedError(ValueError):
    """What JSON may say, but a corpus should not."""


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        [(twice, _)] = Counter(key for key, _ in pairs).most_common(1)
        raise _RefusedError(f"the key {twice[:40]!r} is there twice")
    return found


def _no_number(text: str) -> NoReturn:
    raise _RefusedError(f"{text} is no number")


_DECODER = json.JSONDecoder(object_pairs_hook=_distinct, parse_constant=_no_number)


def json_values(data: FileBytes) -> Iterator[JsonValue]:
    """The values of JSON Lines, of a list, or of objects one after the other.

    >>> list(json_values(FileBytes("a.jsonl", data=b'{"text": "Ada"}\\n\\n{"text": "Bob"}')))
    [JsonValue(line=1, value={'text': 'Ada'}), JsonValue(line=3, value={'text': 'Bob'})]
    >>> list(json_values(FileBytes("a.json", data=b'[{"text": "Ada"},\\n {"text": "Bob"}]')))
    [JsonValue(line=1, value={'text': 'Ada'}), JsonValue(line=2, value={'text': 'Bob'})]
    """
    pieces = _pieces(data)
    beginning = ""
    while not _BEGINNING.match(beginning) and (piece := next(pieces, "")):
        beginning += piece
        if len(beginning) > LONGEST:
            raise _too_long(f"{data.name}:1")
    whole = chain([beginning], pieces)
    if _LIST.match(beginning):
        return _of_list(_Text(data.name, whole))
    if _OVER_LINES.match(beginning):
        return _one_by_one(_Text(data.name, whole))
    return _of_lines(data.name, whole)


def first_values(name: str, head: bytes) -> list[Any]:
    """The whole values at the beginning of a file.

    >>> first_values("a.jsonl", b'{"text": "Ada"}\\n{"text": "B')
    [{'text': 'Ada'}]
    """
    found: list[Any] = []
    with suppress(InputError):  # the last value is cut off, or this is no JSON at all
        for placed in json_values(FileBytes(name, data=head)):
            found.append(placed.value)
    return found


def _pieces(data: FileBytes) -> Iterator[str]:
    """The text of a file, some of it at a time."""
    decoder = codecs.getincrementaldecoder("utf-8-sig")()
    offset = 0
    with data.open() as stream:
        while True:
            block = read_some(stream, data.name)
            pending = len(decoder.getstate()[0])
            try:
                text = decoder.decode(block, final=not block)
            except UnicodeDecodeError as error:
                raise InputError(
                    f"{data.name}: byte {offset + error.start - pending}",
                    "this is not utf-8",
                    "save the file as UTF-8; at its end, it is cut off",
                ) from None
            if text:
                yield text
            if not block:
                return
            offset += len(block)


# --- one value a line


def _of_lines(name: str, pieces: Iterator[str]) -> Iterator[JsonValue]:
    for number, line in enumerate(_lines(name, pieces), 1):
        if line.strip(_BLANKS):
            yield JsonValue(number, _decoded(line, f"{name}:{number}"))


def _lines(name: str, pieces: Iterator[str]) -> Iterator[str]:
    rest: list[str] = []  # of a line that goes on
    size, done = 0, 0
    for piece in pieces:
        *whole, last = piece.split("\n")
        if whole:
            whole[0] = "".join([*rest, whole[0]])
            yield from whole
            rest, size, done = [], 0, done + len(whole)
        rest.append(last)
        size += len(last)
        if size > LONGEST:
            raise _too_long(f"{name}:{done + 1}")
    yield "".join(rest)


def _decoded(line: str, place: str) -> Any:
    try:
        return _DECODER.decode(line)
    except json.JSONDecodeError as error:
        raise _broken(place, error.msg, error.colno) from None
    except (ValueError, RecursionError) as error:
        raise _refused(place, error) from None


def _broken(place: str, what: str, column: int) -> FormatError:
    return FormatError(
        place,
        f"this is no JSON ({what}, column {column})",
        "write one whole object on each line, or a list of them; "
        "at its end, the file may be cut off",
    )


def _refused(place: str, error: ValueError | RecursionError) -> FormatError:
    if isinstance(error, RecursionError):
        return FormatError(place, "lists or objects are nested too deeply", "give flat records")
    what = str(error) if isinstance(error, _RefusedError) else "a number has too many digits"
    return FormatError(place, f"this JSON cannot be read: {what}", "mend the value")


def _too_long(place: str) -> FormatError:
    return FormatError(
        place,
        f"a value is longer than {LONGEST >> 20} million characters",
        "break it up: write one text or sentence as one value",
    )


# --- values that are not bound to lines


class _Text:
    """Text of which only what is not yet read is kept."""

    def __init__(self, name: str, pieces: Iterator[str]) -> None:
        self._name, self._pieces = name, pieces
        self._text, self._at, self._line = "", 0, 1

    @property
    def place(self) -> str:
        """Where reading stands."""
        return f"{self._name}:{self._line}"

    def next(self) -> str:
        """The next character that is no blank, empty at the end."""
        while True:
            found = _INK.search(self._text, self._at)
            self._pass(found.start() if found else len(self._text))
            if found:
                return found[0]
            if not self._more():
                return ""

    def skip(self) -> None:
        """Go on behind the next character."""
        self._at += 1

    def value(self) -> JsonValue:
        """The next value; more is read until it is whole."""
        while True:
            try:
                value, end = _DECODER.raw_decode(self._text, self._at)
            except json.JSONDecodeError as error:
                if not self._may_be_cut(error) or not self._more():
                    raise self._broken(error) from None
            except (ValueError, RecursionError) as error:
                raise _refused(self.place, error) from None
            else:
                found = JsonValue(self._line, value)
                self._pass(end)
                return found

    def _pass(self, at: int) -> None:
        self._line += self._text.count("\n", self._at, at)
        self._at = at

    def _may_be_cut(self, error: json.JSONDecodeError) -> bool:
        unfinished = error.msg.startswith("Unterminated string")
        return unfinished or error.pos >= len(self._text) - _NEAR

    def _more(self) -> bool:
        """Read on, as much again as waits: so the time stays linear; whether there was more."""
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


def _one_by_one(text: _Text) -> Iterator[JsonValue]:
    while text.next():
        yield text.value()


def _of_list(text: _Text) -> Iterator[JsonValue]:
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
            "the list does not go on with a comma or end with ]",
            "the file is cut off or broken here: write it again",
        )
    text.skip()
    if text.next():
        raise FormatError(
            text.place,
            "something follows the end of the list",
            "write one list, or one object on each line",
        )
