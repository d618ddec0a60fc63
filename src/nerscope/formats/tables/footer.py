"""Read the claimed number of values from the footer of a Parquet file.

The check protects against files that claim huge sizes. A file of 563 bytes can have one row with
100 million repeated tokens; pyarrow 26 then allocates 1.4 GB for it with any batch size. pyarrow
itself cannot read the number safely: if the metadata of a column is damaged, reading it
(`ParquetFile.metadata.row_group(0).column(0)`) aborts the whole process ("Repetition level
histogram size mismatch"), which no `except` can catch. So the footer is parsed here.

It is written in Thrift's compact protocol. A struct is a sequence of fields, each with a head byte:
the upper four bits are the difference to the number of the field before, the lower four the type.
A zero byte ends the struct. Example: `25 06` is field 2 (0 + 2) of type 5 (an integer); integers
are zigzag varints, so 06 is 3.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

# Numbers of fields in parquet.thrift: FileMetaData.row_groups, RowGroup.columns,
# ColumnChunk.meta_data, ColumnMetaData.num_values and total_compressed_size.
_ROW_GROUPS, _COLUMNS, _META_DATA, _NUM_VALUES, _SIZE = 4, 1, 3, 5, 7
# Types of the compact protocol.
_TRUE, _FALSE, _BYTE, _DOUBLE, _BINARY, _LIST, _SET, _MAP, _STRUCT = 1, 2, 3, 7, 8, 9, 10, 11, 12
_INTEGERS = (4, 5, 6)
_DEEPEST = 30  # levels of nesting; real footers have fewer than ten


class Claim(NamedTuple):
    """The numbers of values and bytes of a column in a row group."""

    values: int
    size: int


def claims_of(footer: bytes) -> Iterator[Claim]:
    """The claims of all columns; a damaged footer raises ValueError.

    >>> list(claims_of(b"\\x00"))
    []
    """
    file_data, _ = _read(footer, 0, _STRUCT, 0)
    for group in file_data.get(_ROW_GROUPS, []):
        for column in group.get(_COLUMNS, []):
            meta_data = column.get(_META_DATA, {})
            claim = Claim(meta_data.get(_NUM_VALUES, 0), meta_data.get(_SIZE, 0))
            if not all(isinstance(number, int) for number in claim):
                raise ValueError("the footer cannot be read")
            yield claim


def _read(data: bytes, at: int, kind: int, depth: int) -> tuple[Any, int]:
    """A value of a type, and the offset after it; only needed values are decoded."""
    if depth > _DEEPEST or at > len(data):
        raise ValueError("the footer cannot be read")
    if kind == _STRUCT:
        return _struct(data, at, depth)
    if kind in (_LIST, _SET):
        return _list(data, at, depth)
    if kind in _INTEGERS:
        number, at = _varint(data, at)
        return (number >> 1) ^ -(number & 1), at  # zigzag: 0, 1, 2, 3 stand for 0, -1, 1, -2
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
    """A number in groups of seven bits, the lowest first; a byte below 0x80 is the last."""
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
        else:  # the difference does not fit into four bits; the number follows
            number, at = _read(data, at, _INTEGERS[0], depth)
        fields[number], at = _read(data, at, head & 15, depth + 1)
    return fields, at + 1


def _list(data: bytes, at: int, depth: int) -> tuple[list[Any], int]:
    head = _byte(data, at)
    size, kind, at = head >> 4, head & 15, at + 1
    if size == 15:  # a longer list; its size follows
        size, at = _varint(data, at)
    if size > len(data):
        raise ValueError("the footer cannot be read")
    values = []
    for _ in range(size):
        # Booleans take a byte in lists; as fields they are part of the head byte.
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
