"""Encode values as bytes, for the process pool, checkpoints, the cache and results.

    8 bytes   magic, version
    8 bytes   length of the head
    head      JSON: the structure, and every value that is short
    buffers   of arrays and bytes, in the order of the head, each at a multiple of 8

The head writes JSON values as they are; any other value is a list of a tag and its operands.
`{"n": (1, 2.5), "codes": np.array([7, 7, 9])}` has the head

    ["dict", "n", ["tuple", 1, 2.5], "codes", ["array", "<i8", "<i8", [3]]]

and one buffer of 24 bytes. Whole numbers are stored in the narrowest type that holds them, and come
back in the type they had.

Decoding never runs code: it builds plain values, arrays, and the classes marked `serialisable`.
Damaged or forged bytes raise a `ValueError`, and take no more memory than a small multiple of
their length.
"""

import json
import math
import re
import struct
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from typing import Any, NoReturn, TypeVar

import numpy as np
import numpy.typing as npt

T = TypeVar("T")
_Array = npt.NDArray[Any]
_MAGIC = b"nscodec\x01"  # the last byte is the version
_START = len(_MAGIC) + 8
_DEEPEST = 50  # levels of nesting
_MOST_DIMENSIONS = 64
_LARGEST_DIMENSION = 2**62
_PLAIN_INT = 2**63  # larger numbers are hexadecimal: Python refuses to parse very long decimals
_PLAIN_KINDS = {str, bool, type(None)}  # JSON can represent all their values
_FEW = 64  # narrowing does not pay for fewer numbers
_PALETTE = 256  # distinct fractions that one-byte codes can represent
_DTYPES = {
    dtype.str: dtype
    for order in "<>"
    for name in ("b1", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8")
    for dtype in [np.dtype(f"{order}{name}")]
}
_NARROW = {kind: [np.dtype(f"<{kind}{size}") for size in (1, 2, 4)] for kind in "iu"}
_LIMITS = {dtype: np.iinfo(dtype) for kind in _NARROW.values() for dtype in kind}
_HEX = re.compile(r"-?0x[0-9a-f]+")


def serialisable(kind: type[T]) -> type[T]:
    """Let the codec encode a dataclass or a named tuple, under the name of its class.

    >>> from typing import NamedTuple
    >>> @serialisable
    ... class Point(NamedTuple):
    ...     x: int
    ...     y: int
    >>> unpack(pack(Point(1, 2)))
    Point(x=1, y=2)
    """
    name = kind.__name__
    known = _CLASSES.get(name, kind)
    if (known.__module__, known.__qualname__) != (kind.__module__, kind.__qualname__):
        raise ValueError(f"two serialisable classes are called {name}")
    if not is_dataclass(kind) and not hasattr(kind, "_fields"):
        raise TypeError(f"{name} is neither a dataclass nor a named tuple")
    _CLASSES[name] = kind
    _FIELDS[kind] = (
        tuple(item.name for item in fields(kind)) if is_dataclass(kind) else kind._fields  # type: ignore[attr-defined]
    )
    return kind


_CLASSES: dict[str, type] = {}
_FIELDS: dict[type, tuple[str, ...]] = {}


def pack(value: object, *, compact: bool = False) -> bytes:
    """Encode a value as bytes.

    The value may be None, a truth value, a number, a string, bytes, a tuple, a list, a dict, an
    array of truth values or numbers, an array of serialisable objects, or an instance of a class
    marked `serialisable`. With `compact`, columns take a form that compresses well, which costs
    time: sorted numbers are stored as steps, a few distinct fractions as codes of a palette.

    >>> unpack(pack({"codes": np.array([3, 1], np.int16), "by": (1.5, None)}))
    {'codes': array([3, 1], dtype=int16), 'by': (1.5, None)}
    >>> pack(print)
    Traceback (most recent call last):
    TypeError: a builtin_function_or_method is not serialisable
    """
    encoder = _Encoder(compact)
    node = encoder.encode(value, 0)
    text = json.dumps(node, ensure_ascii=False, separators=(",", ":"))
    # File names that are not UTF-8 hold lone surrogates, which must survive the round trip.
    head = text.encode("utf-8", "surrogatepass")
    # Buffers start at multiples of 8, so that numpy can use their bytes in place.
    padded = (
        piece
        for buffer in (memoryview(head), *encoder.buffers)
        for piece in (buffer, bytes(-buffer.nbytes % 8))
    )
    return b"".join([_MAGIC, struct.pack("<Q", len(head)), *padded])


def unpack(data: bytes) -> Any:
    """Decode bytes that `pack` made; the arrays in the value are read-only views of them.

    >>> unpack(b"something else")
    Traceback (most recent call last):
    ValueError: not packed by nerscope
    """
    if not isinstance(data, bytes) or data[: len(_MAGIC) - 1] != _MAGIC[:-1]:
        raise ValueError("not packed by nerscope")
    if len(data) < _START or data[len(_MAGIC) - 1] != _MAGIC[-1]:
        raise ValueError("the data is truncated, or packed by another version")
    (size,) = struct.unpack_from("<Q", data, len(_MAGIC))
    if size > len(data) - _START:
        raise ValueError("the head is truncated")
    decoder = _Decoder(data, _START + size)
    try:
        text = data[_START : _START + size].decode("utf-8", "surrogatepass")
        value = decoder.decode(json.loads(text, parse_constant=_refuse_constant), 0)
    except RecursionError:
        raise ValueError("the head is nested too deeply") from None
    except UnicodeDecodeError:
        raise ValueError("the head is not UTF-8") from None
    decoder.expect_end()
    return value


def _refuse_constant(constant: str) -> NoReturn:
    raise ValueError(f"the head holds {constant}")


class _Encoder:
    """Turns values into nodes of the head, and collects the buffers."""

    def __init__(self, compact: bool) -> None:
        self.buffers: list[memoryview] = []
        self._compact = compact

    def encode(self, value: Any, depth: int) -> Any:
        """The node of a value."""
        if depth > _DEEPEST:
            raise ValueError("a value is nested too deeply")
        kind = type(value)
        if kind in _ENCODERS:
            return _ENCODERS[kind](self, value, depth)
        if kind in _FIELDS:
            values = (getattr(value, name) for name in _FIELDS[kind])
            return ["class", kind.__name__, *(self.encode(item, depth + 1) for item in values)]
        if isinstance(value, np.generic):
            return ["scalar", _dtype_name(value.dtype), value.tobytes().hex()]
        raise TypeError(f"a {kind.__name__} is not serialisable")

    def _plain(self, value: Any, depth: int) -> Any:
        return value

    def _int(self, value: int, depth: int) -> Any:
        return value if -_PLAIN_INT <= value < _PLAIN_INT else ["int", hex(value)]

    def _float(self, value: float, depth: int) -> Any:
        # JSON has neither NaN nor infinity.
        return value if math.isfinite(value) else ["float", struct.pack("<d", value).hex()]

    def _bytes(self, value: bytes, depth: int) -> Any:
        self.buffers.append(memoryview(value))
        return ["bytes", len(value)]

    def _sequence(self, value: tuple[Any, ...] | list[Any], depth: int) -> Any:
        tag = type(value).__name__
        if _PLAIN_KINDS.issuperset(map(type, value)):
            return [tag, *value]
        return [tag, *(self.encode(item, depth + 1) for item in value)]

    def _dict(self, value: dict[Any, Any], depth: int) -> Any:
        flat = (entry for item in value.items() for entry in item)
        return ["dict", *(self.encode(entry, depth + 1) for entry in flat)]

    def _array(self, value: _Array, depth: int) -> Any:
        if value.dtype == object:
            return self._objects(value, depth)
        if self._compact and value.ndim == 1 and value.size:
            if value.dtype.kind == "i" and bool((value[1:] >= value[:-1]).all()):
                # 3 3 4 9 becomes 3 0 1 5: sentence numbers then compress to almost nothing.
                steps = np.diff(value.astype(np.int64), prepend=0)
                return ["steps", _dtype_name(value.dtype), self._stored(steps)]
            if value.dtype.kind == "f":
                palette, codes = np.unique(value, return_inverse=True)
                # NaN has many bit patterns and zero has two, so such columns are stored unchanged.
                if len(palette) < _PALETTE and not (np.isnan(palette) | np.signbit(palette)).any():
                    narrow = codes.astype(np.uint8)
                    return ["palette", self._stored(palette), self._stored(narrow)]
        return self._stored(value)

    def _stored(self, value: _Array) -> Any:
        stored = _narrowed(np.asarray(value, order="C"))
        self.buffers.append(stored.reshape(-1).view(np.uint8).data)
        return ["array", _dtype_name(value.dtype), _dtype_name(stored.dtype), list(value.shape)]

    def _objects(self, value: _Array, depth: int) -> Any:
        """Encode each distinct object once: nearly all mentions share one plain shape."""
        flat = value.reshape(-1).tolist()
        distinct = {id(item): item for item in flat}
        places = dict(zip(distinct, range(len(distinct)), strict=True))
        codes = np.fromiter((places[id(item)] for item in flat), np.int64, len(flat))
        table = self._sequence(list(distinct.values()), depth)
        return ["objects", table, self._stored(codes.reshape(value.shape))]


_ENCODERS: dict[type, Callable[[_Encoder, Any, int], Any]] = {
    **dict.fromkeys(_PLAIN_KINDS, _Encoder._plain),
    int: _Encoder._int,
    float: _Encoder._float,
    bytes: _Encoder._bytes,
    tuple: _Encoder._sequence,
    list: _Encoder._sequence,
    dict: _Encoder._dict,
    np.ndarray: _Encoder._array,
}


def _narrowed(array: _Array) -> _Array:
    """The same whole numbers in the narrowest type that holds all of them."""
    kind, wide = array.dtype.kind, array.dtype.itemsize
    if kind not in _NARROW or wide == 1 or array.size < _FEW:
        return array
    low, high = array.min(), array.max()
    for dtype in _NARROW[kind]:
        limits = _LIMITS[dtype]
        if dtype.itemsize < wide and limits.min <= low and high <= limits.max:
            return array.astype(dtype)
    return array


def _dtype_name(dtype: np.dtype[Any]) -> str:
    if _DTYPES.get(dtype.str) != dtype:
        raise TypeError(f"a number of the type {dtype} is not serialisable")
    return dtype.str


class _Decoder:
    """Builds values from their nodes; buffers are used in the order of the nodes."""

    def __init__(self, data: bytes, end_of_head: int) -> None:
        self._data, self._at = data, end_of_head

    def decode(self, node: Any, depth: int) -> Any:
        """The value of a node."""
        if not isinstance(node, list):
            if isinstance(node, dict):
                raise ValueError("the head holds an object")
            return node
        tag = node[0] if node else None
        if not isinstance(tag, str) or tag not in _DECODERS or depth > _DEEPEST:
            raise ValueError("the head has an unknown tag, or is nested too deeply")
        return _DECODERS[tag](self, node, depth)

    def expect_end(self) -> None:
        """Refuse bytes after the last buffer."""
        if self._aligned() != len(self._data):
            raise ValueError("the data is truncated, or has extra bytes at the end")

    def _buffer(self, size: int) -> int:
        """The start of the next buffer; raise a ValueError if it is incomplete."""
        first = self._aligned()
        if not 0 <= size <= len(self._data) - first:
            raise ValueError("a buffer is truncated")
        self._at = first + size
        return first

    def _aligned(self) -> int:
        return self._at + -self._at % 8

    def _int(self, node: list[Any], depth: int) -> int:
        (text,) = _operands(node, str)
        if not _HEX.fullmatch(text):
            raise ValueError("invalid hexadecimal number")
        return int(text, 16)

    def _float(self, node: list[Any], depth: int) -> float:
        (text,) = _operands(node, str)
        number: float = struct.unpack("<d", _exactly(text, 8))[0]
        return number

    def _scalar(self, node: list[Any], depth: int) -> Any:
        name, text = _operands(node, str, str)
        dtype = _dtype_named(name)
        return _checked(np.frombuffer(_exactly(text, dtype.itemsize), dtype))[0]

    def _bytes(self, node: list[Any], depth: int) -> bytes:
        (size,) = _operands(node, int)
        first = self._buffer(size)
        return self._data[first : first + size]

    def _tuple(self, node: list[Any], depth: int) -> tuple[Any, ...]:
        return tuple(self._list(node, depth))

    def _list(self, node: list[Any], depth: int) -> list[Any]:
        if _PLAIN_KINDS.issuperset(map(type, node)):
            return node[1:]
        return [self.decode(item, depth + 1) for item in node[1:]]

    def _dict(self, node: list[Any], depth: int) -> dict[Any, Any]:
        flat = self._list(node, depth)
        if len(flat) % 2:
            raise ValueError("a key has no value")
        try:
            return dict(zip(flat[::2], flat[1::2], strict=True))
        except TypeError:
            raise ValueError("invalid key") from None

    def _array(self, node: list[Any], depth: int) -> _Array:
        name, stored_name, shape = _operands(node, str, str, list)
        dtype, stored = _dtype_named(name), _dtype_named(stored_name)
        if stored.kind != dtype.kind or stored.itemsize > dtype.itemsize:
            raise ValueError(f"{name} does not come from {stored_name}")
        size = _size_of(shape)
        first = self._buffer(size * stored.itemsize)
        array = np.frombuffer(self._data, stored, size, first) if size else np.zeros(0, stored)
        return _read_only(_checked(array).astype(dtype, copy=False).reshape(shape))

    def _steps(self, node: list[Any], depth: int) -> _Array:
        name, stored = _operands(node, str, list)
        dtype, steps = _dtype_named(name), self._inner_array(stored, depth)
        if dtype.kind != "i" or steps.dtype.kind != "i" or steps.ndim != 1:
            raise ValueError("steps are not whole numbers")
        return _read_only(np.cumsum(steps, dtype=np.int64).astype(dtype, copy=False))

    def _palette(self, node: list[Any], depth: int) -> _Array:
        values, stored = _operands(node, list, list)
        palette, codes = self._inner_array(values, depth), self._inner_array(stored, depth)
        known = codes.dtype.kind == "u" and palette.ndim == codes.ndim == 1
        if not known or not _all_between(codes, 0, len(palette) - 1):
            raise ValueError("a code is not in its palette")
        return _read_only(palette[codes])

    def _inner_array(self, node: list[Any], depth: int) -> _Array:
        if node[:1] != ["array"]:
            raise ValueError("a column is not an array")
        return self._array(node, depth)

    def _objects(self, node: list[Any], depth: int) -> _Array:
        table, codes = _operands(node, list, list)
        if table[:1] != ["list"] or codes[:1] != ["array"]:
            raise ValueError("an array of objects has no table, or no codes")
        distinct = self._list(table, depth)
        places = self._array(codes, depth)
        if places.dtype.kind != "i" or not _all_between(places, 0, len(distinct) - 1):
            raise ValueError("an object is not in its table")
        objects = np.fromiter(distinct, object, len(distinct))
        return _read_only(objects[places.reshape(-1)].reshape(places.shape))

    def _class(self, node: list[Any], depth: int) -> Any:
        name = node[1] if len(node) > 1 else None
        kind = _CLASSES.get(name) if isinstance(name, str) else None
        if kind is None:
            raise ValueError(f"unknown class {name!r}")
        values = [self.decode(item, depth + 1) for item in node[2:]]
        if len(values) != len(_FIELDS[kind]):
            raise ValueError(f"class {name} has other fields in this version")
        if issubclass(kind, tuple):
            return tuple.__new__(kind, values)
        # The instance was checked when it was created, so __init__ is skipped.
        made = object.__new__(kind)
        for field, value in zip(_FIELDS[kind], values, strict=True):
            object.__setattr__(made, field, value)
        return made


_DECODERS: dict[str, Callable[[_Decoder, list[Any], int], Any]] = {
    "int": _Decoder._int,
    "float": _Decoder._float,
    "scalar": _Decoder._scalar,
    "bytes": _Decoder._bytes,
    "tuple": _Decoder._tuple,
    "list": _Decoder._list,
    "dict": _Decoder._dict,
    "array": _Decoder._array,
    "steps": _Decoder._steps,
    "palette": _Decoder._palette,
    "objects": _Decoder._objects,
    "class": _Decoder._class,
}


def _operands(node: list[Any], *kinds: type) -> list[Any]:
    """The operands after a tag; raise a ValueError if their types are not `kinds`."""
    if tuple(map(type, node[1:])) != kinds:
        raise ValueError(f"invalid operands of the tag {node[0]}")
    return node[1:]


def _dtype_named(name: str) -> np.dtype[Any]:
    if name not in _DTYPES:
        raise ValueError(f"unknown array type {name!r}")
    return _DTYPES[name]


def _exactly(text: str, size: int) -> bytes:
    data = bytes.fromhex(text)
    if len(data) != size:
        raise ValueError(f"expected {size} bytes, got {len(data)}")
    return data


def _size_of(shape: list[Any]) -> int:
    fine = all(type(size) is int and 0 <= size <= _LARGEST_DIMENSION for size in shape)
    if not fine or len(shape) > _MOST_DIMENSIONS:
        raise ValueError("invalid array shape")
    return math.prod(shape)


def _checked(array: _Array) -> _Array:
    """The array; raise a ValueError if a truth value is neither 0 nor 1 (numpy does not check)."""
    if array.dtype.kind == "b" and not _all_between(array.view(np.uint8), 0, 1):
        raise ValueError("invalid truth value")
    return array


def _read_only(array: _Array) -> _Array:
    array.flags.writeable = False
    return array


def _all_between(array: _Array, low: int, high: int) -> bool:
    return not array.size or (array.min() >= low and array.max() <= high)
