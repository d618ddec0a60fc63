"""Encode the messages of an engine to its workers, and the errors that workers return.

Workers return parts as plain values of `nerscope.codec`. Work, state and items contain live objects
(an open file, a vocabulary, a plan). This module decomposes them into names, arguments and
attributes that the codec can encode, and rebuilds them in the worker:

    doubled            ["works", "doubled"]: the module and name of a function or class
    Path("a.txt")      ["pathlib", "PosixPath"] and its arguments
    the same object    a number, so that one object stays one object

Only a worker decodes such messages, and only those of the process that started it.
"""

import builtins
import copyreg
import operator
import traceback
from collections.abc import Callable, Mapping
from contextlib import suppress
from importlib import import_module
from types import BuiltinFunctionType, FunctionType
from typing import Any, NamedTuple

import numpy as np

from nerscope import errors
from nerscope.codec import pack, serialisable, unpack
from nerscope.errors import NerscopeError

_PLAIN = (type(None), bool, int, float, str, bytes)
# Callables that may build an object, besides classes and functions of this package.
_BUILDERS = (copyreg.__newobj__, copyreg.__newobj_ex__, getattr)  # type: ignore[attr-defined]


def encode(value: object) -> bytes:
    """Encode work, state or an item for a worker.

    >>> from pathlib import Path
    >>> decode(encode([Path("a.txt"), len]))
    [PosixPath('a.txt'), <built-in function len>]
    """
    return pack(_Disassembly().node_of(value))


def decode(message: bytes) -> Any:
    """The value given to `encode`; its arrays are writable, because some tables grow."""
    return _Assembly().build(unpack(message))


@serialisable
class _Global(NamedTuple):
    """A function or a class."""

    module: str
    name: str


@serialisable
class _Container(NamedTuple):
    """A list or a dict, with its number in the message."""

    number: int
    content: Any


@serialisable
class _Instance(NamedTuple):
    """An object: its builder and arguments, and the attributes and items to set afterwards."""

    number: int
    builder: _Global
    arguments: tuple[Any, ...]
    state: Any
    content: Any


@serialisable
class _Reference(NamedTuple):
    """A reference to an earlier object of the message."""

    number: int


class _Disassembly:
    """Decomposes a value; an object that occurs twice is decomposed once."""

    def __init__(self) -> None:
        self._numbers: dict[int, int] = {}
        self._alive: list[object] = []  # Python may reuse the id of a deleted object

    def node_of(self, value: Any) -> Any:
        kind = type(value)
        if kind in _PLAIN or isinstance(value, np.generic):
            return value
        if isinstance(value, type | FunctionType) or (
            isinstance(value, BuiltinFunctionType) and isinstance(value.__module__, str)
        ):
            return _global_of(value)
        if id(value) in self._numbers:
            return _Reference(self._numbers[id(value)])
        if kind is tuple:
            return tuple(map(self.node_of, value))
        if kind is np.ndarray:
            return value
        self._numbers[id(value)] = number = len(self._numbers)
        self._alive.append(value)
        if kind is list:
            return _Container(number, [self.node_of(item) for item in value])
        if kind is dict:
            return _Container(number, self._pairs(value.items()))
        return self._instance(number, value)

    def _instance(self, number: int, value: Any) -> _Instance:
        reduced = value.__reduce_ex__(4)  # the pickle protocol: how to rebuild the object
        if isinstance(reduced, str):
            raise TypeError(f"a {type(value).__name__} is not serialisable")
        builder, arguments, state, items, pairs = (*reduced, None, None, None)[:5]
        content = [*map(self.node_of, items or ())], self._pairs(pairs or ())
        return _Instance(
            number,
            _global_of(builder),
            tuple(map(self.node_of, arguments)),
            self.node_of(state),
            content if any(content) else None,
        )

    def _pairs(self, pairs: Any) -> tuple[Any, ...]:
        return tuple((self.node_of(key), self.node_of(value)) for key, value in pairs)


def _global_of(value: Any) -> _Global:
    """The name of a function or class; raises a TypeError if the name has another meaning."""
    node = _Global(str(value.__module__), value.__qualname__)
    try:
        same = _resolve(node) is value
    except (ImportError, AttributeError):
        same = False
    if not same:
        raise TypeError(f"{value!r} is not serialisable: it is not a name of its module")
    return node


def _resolve(node: _Global) -> Any:
    return operator.attrgetter(node.name)(import_module(node.module))


class _Assembly:
    """Rebuilds a value."""

    def __init__(self) -> None:
        self._objects: dict[int, Any] = {}

    def build(self, node: Any) -> Any:
        kind = type(node)
        if kind is tuple:
            return tuple(map(self.build, node))
        if kind is np.ndarray:
            return node.copy()
        if kind in _ASSEMBLERS:
            return _ASSEMBLERS[kind](self, node)
        return node

    def _container(self, node: _Container) -> Any:
        # The container is numbered while it is empty, because it may contain itself.
        if isinstance(node.content, list):
            items = self._objects[node.number] = list[Any]()
            items.extend(map(self.build, node.content))
            return items
        pairs = self._objects[node.number] = dict[Any, Any]()
        pairs.update((self.build(key), self.build(value)) for key, value in node.content)
        return pairs

    def _instance(self, node: _Instance) -> Any:
        builder = _resolve(node.builder)
        if not (
            isinstance(builder, type)
            or builder in _BUILDERS
            or node.builder.module.partition(".")[0] == __name__.partition(".")[0]
        ):
            raise ValueError(f"{node.builder} does not build objects")
        made = builder(*map(self.build, node.arguments))
        self._objects[node.number] = made
        _set_state(made, self.build(node.state))
        items, pairs = node.content or ((), ())
        made.extend(map(self.build, items)) if items else None
        for key, value in pairs:
            made[self.build(key)] = self.build(value)
        return made


_ASSEMBLERS: dict[type, Callable[[_Assembly, Any], Any]] = {
    _Global: lambda assembly, node: _resolve(node),
    _Container: _Assembly._container,
    _Instance: _Assembly._instance,
    _Reference: lambda assembly, node: assembly._objects[node.number],
}


def _set_state(made: Any, state: Any) -> None:
    """Set the attributes of an object, as `copy` and `pickle` do."""
    if state is None:
        return
    if hasattr(made, "__setstate__"):
        made.__setstate__(state)
        return
    attributes, slots = state if isinstance(state, tuple) else (state, None)
    for name, value in {**(attributes or {}), **(slots or {})}.items():
        object.__setattr__(made, name, value)  # also for immutable classes


# Errors.


class ErrorText(NamedTuple):
    """An error of this package as strings."""

    kind: str  # the name of its class
    place: str
    fact: str
    fix: str

    @classmethod
    def of(cls, error: NerscopeError) -> "ErrorText":
        kind = next(base.__name__ for base in type(error).__mro__ if base in _KINDS.values())
        return cls(kind, error.place, error.fact, error.fix)

    def error(self) -> NerscopeError:
        return _KINDS[self.kind](self.place, self.fact, self.fix)


_KINDS: Mapping[str, type[NerscopeError]] = {
    name: kind
    for name, kind in vars(errors).items()
    if isinstance(kind, type) and issubclass(kind, NerscopeError)
}


def encode_error(error: Exception) -> bytes:
    """Encode an error of a worker: the texts of a NerscopeError, or the type and traceback."""
    if isinstance(error, NerscopeError):
        return pack(("message", *ErrorText.of(error)))
    trace = "".join(traceback.format_exception(error))
    name, text = type(error).__name__, str(error)
    try:
        return pack(("error", name, text, trace, error.args))
    except (TypeError, ValueError):
        return pack(("error", name, text, trace, ()))


def decode_error(data: bytes) -> Exception:
    """The error to raise here, with a note that contains the original traceback.

    A built-in exception keeps its class; any other is a RuntimeError with the name of its class.
    """
    tag, *fields = unpack(data)
    if tag == "message":
        return ErrorText(*fields).error()
    name, text, trace, arguments = fields
    error: Exception = RuntimeError(f"{name}: {text}")
    kind = getattr(builtins, name, None)
    if isinstance(kind, type) and issubclass(kind, Exception):
        with suppress(TypeError):  # the constructor of a class may need other arguments
            error = kind(*arguments)
    error.add_note(trace)
    return error
