"""What the footer of a Parquet file claims, read without trust before memory is allotted for it.

pyarrow ends the whole process at some broken footers when asked for these numbers. The footer is in
Thrift's compact protocol: a struct is a row of fields, each with a small number and a type.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

_ROW_GROUPS, _COLUMNS, _ABOUT, _VALUES, _SIZE = 4, 1, 3, 5, 7  # numbers of fields
_TRUE, _FALSE, _BYTE, _DOUBLE, _BINARY, _LIST, _SET, _MAP, _STRUCT = 1, 2, 3, 7, 8, 9, 10, 11, 12
_INTEGERS = (4, 5, 6)
_DEEPEST = 30


class Claim(NamedTuple):
    """How many values a column has in a row group, and in how many bytes."""

    values: int
    size: int


def claims_of(footer: bytes) -> Iterator[Claim]:
    """The claims of all columns; a footer that cannot be read is a ValueError.

    >>> list(claims_of(b"\\x00"))
    []
    """
    found, _ = _read(footer, 0, _STRUCT, 0)
    for group in found.get(_ROW_GROUPS, []):
        for column in group.get(_COLUMNS, []):
            about = column.get(_ABOUT, {})
            claim = Claim(about.get(_VALUES, 0), about.get(_SIZE, 0))
            if not all(isinstance(number, int) for number in claim):
                raise ValueError("the footer cannot be read")
            yield claim


def _read(data: bytes, at: int, kind: int, depth: int) -> tuple[Any, int]:
    """A value of a type, and where the next one begins."""
    if depth > _DEEPEST or at > len(data):
        raise ValueError("the footer cannot be read")
    if kind == _STRUCT:
        return _struct(data, at, depth)
    if kind in (_LIST, _SET):
        return _list(data, at, depth)
    if kind in _INTEGERS:
        number, at = _varint(data, at)
        return (number >> 1) ^ -(number & 1), at
    if kind == _BINARY:
        size, at = _varint(data, at)
        return None, at + size
    if kind == _MAP:
        return _map(data, at, depth)
    sizes = {_TRUE: 0, _FALSE: 0, _BYTE: 1, _DOUBLE: 8}
    if kind not in sizes:
        raise ValueError("the footer cannot be read")
    return None, at + sizes[kind]


def _varint(data: bytes, at: int) -> tuple[int, int]:
    number = 0
    for shift in range(0, 70, 7):
        if at >= len(data):
            break
        byte = data[at]
        at += 1
        number |= (byte & 0x7F) << shift
        if byte < 0x80:
            return number, at
    raise ValueError("the footer cannot be read")


def _byte(data: bytes, at: int) -> int:
    if at >= len(data):
        raise ValueError("the footer cannot be read")
    return data[at]


def _struct(data: bytes, at: int, depth: int) -> tuple[dict[int, Any], int]:
    fields: dict[int, Any] = {}
    number = 0
    while head := _byte(data, at):
        at += 1
        if head >> 4:
            number += head >> 4
        else:
            number, at = _read(data, at, _INTEGERS[0], depth)
        fields[number], at = _read(data, at, head & 15, depth + 1)
    return fields, at + 1


def _list(data: bytes, at: int, depth: int) -> tuple[list[Any], int]:
    head = _byte(data, at)
    size, kind, at = head >> 4, head & 15, at + 1
    if size == 15:
        size, at = _varint(data, at)
    if size > len(data):
        raise ValueError("the footer cannot be read")
    values = []
    for _ in range(size):
        # Truth values take a byte in lists.
        value, at = _read(data, at, _BYTE if kind in (_TRUE, _FALSE) else kind, depth + 1)
        values.append(value)
    return values, at


def _map(data: bytes, at: int, depth: int) -> tuple[None, int]:
    size, at = _varint(data, at)
    if size > len(data):
        raise ValueError("the footer cannot be read")
    kinds = _byte(data, at) if size else 0
    at += bool(size)
    for _ in range(size):
        for kind in (kinds >> 4, kinds & 15):
            _, at = _read(data, at, _BYTE if kind in (_TRUE, _FALSE) else kind, depth + 1)
    return None, at
