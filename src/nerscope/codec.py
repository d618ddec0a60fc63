"""Values as bytes, to travel between processes and machines and to lie in files; no code travels.

    8 bytes   magic, version
    8 bytes   length of the head
    head      JSON: the structure, with what is short in it
    buffers   of arrays and bytes, in the order of the head, each from a multiple of 8 on

In the head, a value is itself if JSON has it; whatever else is a list of a tag and its parts. Whole
numbers travel in the narrowest type that holds them, and arrive in their own.

Bytes may come from anywhere: what is damaged or made up is a `ValueError`, and takes no more memory
than a small multiple of its own length.
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
_Buffers = list[memoryview]
_MAGIC = b"nswire\x00\x01"  # the last byte is the version
_START = len(_MAGIC) + 8
_DEEPEST = 50  # values within values
_MOST_DIMENSIONS = 64
_LARGEST_DIMENSION = 2**62
_PLAIN_INT = 2**63  # up to here JSON says it; beyond, Python would refuse very long numbers
_PLAIN_KINDS = {str, bool, type(None)}  # those that JSON says as they are, whatever their value
_FEW = 64  # numbers for which narrowing does not pay
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
    """Let a dataclass or a named tuple travel, under its name.

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
        raise ValueError(f"two classes that travel are called {name}")
    if not is_dataclass(kind) and not hasattr(kind, "_fields"):
        raise TypeError(f"{name} is neither a dataclass nor a named tuple")
    _CLASSES[name] = kind
    _FIELDS[kind] = (
        tuple(one.name for one in fields(kind)) if is_dataclass(kind) else kind._fields  # type: ignore[attr-defined]
    )
    return kind


_CLASSES: dict[str, type] = {}
_FIELDS: dict[type, tuple[str, ...]] = {}


def pack(value: object) -> bytes:
    """A value as bytes.

    That is None, a truth value, a number, a string, bytes, a tuple, list or dict, an array of truth
    values or numbers (or of objects that travel themselves), or what `travels` was said of.

    >>> unpack(pack({"codes": np.array([3, 1], np.int16), "by": (1.5, None)}))
    {'codes': array([3, 1], dtype=int16), 'by': (1.5, None)}
    >>> pack(print)
    Traceback (most recent call last):
    TypeError: a builtin_function_or_method does not travel
    """
    buffers: _Buffers = []
    node = _written(value, buffers, 0)
    text = json.dumps(node, ensure_ascii=False, separators=(",", ":"))
    head = text.encode("utf-8", "surrogatepass")  # a lone half of a character stays one
    whole = [memoryview(head), *buffers]
    padded = (part for buffer in whole for part in (buffer, bytes(-buffer.nbytes % 8)))
    return b"".join([_MAGIC, struct.pack("<Q", len(head)), *padded])


def unpack(data: bytes) -> Any:
    """The value that was packed; arrays in it cannot be written to.

    >>> unpack(b"something else")
    Traceback (most recent call last):
    ValueError: these are no packed bytes
    """
    if not isinstance(data, bytes) or data[: len(_MAGIC) - 1] != _MAGIC[:-1]:
        raise ValueError("these are no packed bytes")
    if len(data) < _START or data[len(_MAGIC) - 1] != _MAGIC[-1]:
        raise ValueError("they are cut off, or packed by another version")
    (size,) = struct.unpack_from("<Q", data, len(_MAGIC))
    if size > len(data) - _START:
        raise ValueError("their head is cut off")
    reader = _Reader(data, _START + size)
    try:
        text = data[_START : _START + size].decode("utf-8", "surrogatepass")
        value = reader.read(json.loads(text, parse_constant=_refused), 0)
    except RecursionError:
        raise ValueError("their head is nested too deeply") from None
    except UnicodeDecodeError:
        raise ValueError("their head is no text") from None
    reader.end()
    return value


def _refused(constant: str) -> NoReturn:
    raise ValueError(f"their head has a {constant}")


# Writing: a node of the head for each value, and buffers beside it.


def _written(value: Any, buffers: _Buffers, depth: int) -> Any:
    if depth > _DEEPEST:
        raise ValueError("a value is nested too deeply to travel")
    kind = type(value)
    if kind in _WRITERS:
        return _WRITERS[kind](value, buffers, depth)
    if kind in _FIELDS:
        own = (getattr(value, name) for name in _FIELDS[kind])
        return ["class", kind.__name__, *(_written(one, buffers, depth + 1) for one in own)]
    if isinstance(value, np.generic):
        return ["scalar", _dtype_name(value.dtype), value.tobytes().hex()]
    raise TypeError(f"a {kind.__name__} does not travel")


def _as_it_is(value: Any, buffers: _Buffers, depth: int) -> Any:
    return value


def _int(value: int, buffers: _Buffers, depth: int) -> Any:
    return value if -_PLAIN_INT <= value < _PLAIN_INT else ["int", hex(value)]


def _float(value: float, buffers: _Buffers, depth: int) -> Any:
    return value if math.isfinite(value) else ["float", struct.pack("<d", value).hex()]


def _bytes(value: bytes, buffers: _Buffers, depth: int) -> Any:
    buffers.append(memoryview(value))
    return ["bytes", len(value)]


def _several(value: tuple[Any, ...] | list[Any], buffers: _Buffers, depth: int) -> Any:
    tag = type(value).__name__
    if _PLAIN_KINDS.issuperset(map(type, value)):
        return [tag, *value]
    return [tag, *(_written(one, buffers, depth + 1) for one in value)]


def _dict(value: dict[Any, Any], buffers: _Buffers, depth: int) -> Any:
    flat = (one for item in value.items() for one in item)
    return ["dict", *(_written(one, buffers, depth + 1) for one in flat)]


def _array(value: _Array, buffers: _Buffers, depth: int) -> Any:
    if value.dtype == object:
        return _objects(value, buffers, depth)
    stored = _narrowed(np.asarray(value, order="C"))
    buffers.append(stored.reshape(-1).view(np.uint8).data)
    return ["array", _dtype_name(value.dtype), _dtype_name(stored.dtype), list(value.shape)]


def _objects(value: _Array, buffers: _Buffers, depth: int) -> Any:
    """An array of objects, each distinct one once: most shapes of mentions are the plain one."""
    flat = value.reshape(-1).tolist()
    distinct = {id(one): one for one in flat}
    places = dict(zip(distinct, range(len(distinct)), strict=True))
    codes = np.fromiter((places[id(one)] for one in flat), np.int64, len(flat))
    table = _several(list(distinct.values()), buffers, depth)
    return ["objects", table, _array(codes.reshape(value.shape), buffers, depth)]


def _narrowed(array: _Array) -> _Array:
    """The same whole numbers in the narrowest type that holds them."""
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
        raise TypeError(f"a number of the type {dtype} does not travel")
    return dtype.str


_WRITERS: dict[type, Callable[[Any, _Buffers, int], Any]] = {
    **dict.fromkeys(_PLAIN_KINDS, _as_it_is),
    int: _int,
    float: _float,
    bytes: _bytes,
    tuple: _several,
    list: _several,
    dict: _dict,
    np.ndarray: _array,
}


class _Reader:
    """Builds values from their nodes, and takes the buffers one after the other."""

    def __init__(self, data: bytes, end_of_head: int) -> None:
        self._data, self._at = data, end_of_head

    def read(self, node: Any, depth: int) -> Any:
        """The value of a node."""
        if not isinstance(node, list):
            if isinstance(node, dict):
                raise ValueError("their head has an object")
            return node
        tag = node[0] if node else None
        if not isinstance(tag, str) or tag not in _READERS or depth > _DEEPEST:
            raise ValueError("their head has an unknown tag, or is nested too deeply")
        return _READERS[tag](self, node, depth)

    def end(self) -> None:
        """Refuse bytes behind the last buffer."""
        if self._aligned() != len(self._data):
            raise ValueError("they are cut off, or go on behind their end")

    def _buffer(self, size: int) -> int:
        """Where the next buffer starts, of which all bytes are there."""
        first = self._aligned()
        if not 0 <= size <= len(self._data) - first:
            raise ValueError("a buffer is cut off")
        self._at = first + size
        return first

    def _aligned(self) -> int:
        return self._at + -self._at % 8

    def _int(self, node: list[Any], depth: int) -> int:
        (text,) = _parts(node, str)
        if not _HEX.fullmatch(text):
            raise ValueError("a number of theirs is none")
        return int(text, 16)

    def _float(self, node: list[Any], depth: int) -> float:
        (text,) = _parts(node, str)
        number: float = struct.unpack("<d", _exactly(text, 8))[0]
        return number

    def _scalar(self, node: list[Any], depth: int) -> Any:
        name, text = _parts(node, str, str)
        dtype = _dtype_named(name)
        return _checked(np.frombuffer(_exactly(text, dtype.itemsize), dtype))[0]

    def _bytes(self, node: list[Any], depth: int) -> bytes:
        (size,) = _parts(node, int)
        first = self._buffer(size)
        return self._data[first : first + size]

    def _tuple(self, node: list[Any], depth: int) -> tuple[Any, ...]:
        return tuple(self._list(node, depth))

    def _list(self, node: list[Any], depth: int) -> list[Any]:
        if _PLAIN_KINDS.issuperset(map(type, node)):
            return node[1:]
        return [self.read(one, depth + 1) for one in node[1:]]

    def _dict(self, node: list[Any], depth: int) -> dict[Any, Any]:
        flat = self._list(node, depth)
        if len(flat) % 2:
            raise ValueError("a key of theirs has no value")
        try:
            return dict(zip(flat[::2], flat[1::2], strict=True))
        except TypeError:
            raise ValueError("a key of theirs cannot be one") from None

    def _array(self, node: list[Any], depth: int) -> _Array:
        name, stored_name, shape = _parts(node, str, str, list)
        dtype, stored = _dtype_named(name), _dtype_named(stored_name)
        if stored.kind != dtype.kind or stored.itemsize > dtype.itemsize:
            raise ValueError(f"{name} does not come from {stored_name}")
        size = _size_of(shape)
        first = self._buffer(size * stored.itemsize)
        array = np.frombuffer(self._data, stored, size, first) if size else np.zeros(0, stored)
        own = _checked(array).astype(dtype, copy=False).reshape(shape)
        own.flags.writeable = False
        return own

    def _objects(self, node: list[Any], depth: int) -> _Array:
        table, codes = _parts(node, list, list)
        if table[:1] != ["list"] or codes[:1] != ["array"]:
            raise ValueError("an array of objects has no table, or no codes")
        distinct = self._list(table, depth)
        places = self._array(codes, depth)
        if places.dtype.kind != "i" or not _all_between(places, 0, len(distinct) - 1):
            raise ValueError("an object of theirs is not in its table")
        own = np.fromiter(distinct, object, len(distinct))
        own = own[places.reshape(-1)].reshape(places.shape)
        own.flags.writeable = False
        return own

    def _class(self, node: list[Any], depth: int) -> Any:
        name = node[1] if len(node) > 1 else None
        kind = _CLASSES.get(name) if isinstance(name, str) else None
        if kind is None:
            raise ValueError(f"no class that travels is called {name!r}")
        values = [self.read(one, depth + 1) for one in node[2:]]
        if len(values) != len(_FIELDS[kind]):
            raise ValueError(f"{name} has other fields here")
        if issubclass(kind, tuple):
            return tuple.__new__(kind, values)
        made = object.__new__(kind)  # as it was: nothing is checked or computed again
        for field, value in zip(_FIELDS[kind], values, strict=True):
            object.__setattr__(made, field, value)
        return made


_READERS: dict[str, Callable[[_Reader, list[Any], int], Any]] = {
    "int": _Reader._int,
    "float": _Reader._float,
    "scalar": _Reader._scalar,
    "bytes": _Reader._bytes,
    "tuple": _Reader._tuple,
    "list": _Reader._list,
    "dict": _Reader._dict,
    "array": _Reader._array,
    "objects": _Reader._objects,
    "class": _Reader._class,
}


def _parts(node: list[Any], *kinds: type) -> list[Any]:
    """What follows a tag, refused if it is of other kinds."""
    if tuple(map(type, node[1:])) != kinds:
        raise ValueError(f"the parts of a value with the tag {node[0]} are others")
    return node[1:]


def _dtype_named(name: str) -> np.dtype[Any]:
    if name not in _DTYPES:
        raise ValueError(f"no array is of the type {name!r}")
    return _DTYPES[name]


def _exactly(text: str, size: int) -> bytes:
    data = bytes.fromhex(text)
    if len(data) != size:
        raise ValueError(f"{size} bytes of theirs are {len(data)}")
    return data


def _size_of(shape: list[Any]) -> int:
    fine = all(type(one) is int and 0 <= one <= _LARGEST_DIMENSION for one in shape)
    if not fine or len(shape) > _MOST_DIMENSIONS:
        raise ValueError("the shape of an array is none")
    return math.prod(shape)


def _checked(array: _Array) -> _Array:
    """The array, if its truth values are such."""
    if array.dtype.kind == "b" and not _all_between(array.view(np.uint8), 0, 1):
        raise ValueError("a truth value of theirs is none")
    return array


def _all_between(array: _Array, low: int, high: int) -> bool:
    return not array.size or (array.min() >= low and array.max() <= high)
