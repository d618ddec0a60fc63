"""Check the arguments of public functions against their annotations.

A public function begins with `check_arguments(function, locals())`. A value of the wrong type then
raises a UsageError that names the argument, instead of an obscure error further down.
"""

import inspect
import types
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import cache
from typing import IO, Any, TypeVar, Union, get_args, get_origin, get_type_hints

import numpy as np

from nerscope.errors import UsageError, shortened


def check_arguments(function: Callable[..., Any], values: Mapping[str, Any]) -> None:
    """Raise a UsageError for the first value that does not fit its annotation.

    >>> def double(number: int) -> int:
    ...     check_arguments(double, locals())
    ...     return 2 * number
    >>> double("two")
    Traceback (most recent call last):
    nerscope.errors.UsageError: number: invalid value 'two'. Fix: give a whole number
    """
    for name, hint in _hints(function).items():
        if name in values and not _fits(values[name], hint):
            fact = f"invalid value {shortened(repr(values[name]), 200)}"
            raise UsageError(name, fact, f"give {' or '.join(_words(hint))}")


@cache
def _hints(function: Callable[..., Any]) -> dict[str, Any]:
    """The annotations of the arguments, except `**options` and names that are not imported."""
    hints = {}
    for parameter in inspect.signature(function).parameters.values():
        if parameter.kind in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY):
            holder = type("holder", (), {"__annotations__": {"hint": parameter.annotation}})
            try:
                hint = get_type_hints(holder, getattr(function, "__globals__", {}))["hint"]
            except NameError:  # imported for type checkers only
                continue
            if hint is not parameter.empty:
                hints[parameter.name] = hint
    return hints


def _fits(value: Any, hint: Any) -> bool:
    origin, parts = get_origin(hint), get_args(hint)
    if hint is Any or isinstance(hint, TypeVar | str) or getattr(hint, "_is_protocol", False):
        return True
    if origin in (Union, types.UnionType):
        return any(_fits(value, part) for part in parts)
    if hint in _NUMBERS:
        # Python counts True as an int; a user who writes samples=True made a mistake.
        return isinstance(value, _NUMBERS[hint]) and not isinstance(value, bool | np.bool_)
    if hint is bool:
        return isinstance(value, bool | np.bool_)
    if origin is not None and issubclass(origin, Mapping):
        key, item = parts
        return isinstance(value, Mapping) and all(
            _fits(name, key) and _fits(content, item) for name, content in value.items()
        )
    if origin is tuple:
        return isinstance(value, tuple | list) and (
            parts[-1] is Ellipsis or (len(parts) == len(value) and all(map(_fits, value, parts)))
        )
    if origin is IO:
        return hasattr(value, "read")
    if origin is not None and issubclass(origin, Iterable):
        return isinstance(value, str) or _fits_each(value, origin, parts[0])
    return isinstance(value, origin or hint) if isinstance(origin or hint, type) else True


def _fits_each(value: Any, origin: type, hint: Any) -> bool:
    """Whether a value can be iterated over and its items fit a hint.

    A single string passes: functions take a name as a list of one name, or raise a better error.
    """
    if issubclass(origin, Sequence):
        # An array is not simply true or false, and bytes hold numbers: neither is a list of names.
        is_list = isinstance(value, Iterable) and not isinstance(value, bytes)
        is_list = is_list and not hasattr(value, "dtype") and not hasattr(value, "dtypes")
        return (
            is_list and isinstance(value, Collection) and all(_fits(item, hint) for item in value)
        )
    # Corpora are long, so they are checked sentence by sentence when they are read. An object of
    # another library, such as a pyarrow table, may be a corpus: opening it decides.
    is_plain = hint in (str, int, float)
    is_foreign = not is_plain and type(value).__module__ != "builtins"
    has_items = isinstance(value, Iterable) or is_foreign
    has_items = has_items and getattr(value, "shape", None) != ()
    is_short = isinstance(value, Collection) and is_plain
    return has_items and (not is_short or all(_fits(item, hint) for item in value))


_NUMBERS: dict[Any, tuple[type, ...]] = {
    int: (int, np.integer),
    float: (int, float, np.integer, np.floating),
}
_WORDS = {
    str: "a string",
    int: "a whole number",
    float: "a number",
    bool: "True or False",
    type(None): "None",
}


def _words(hint: Any) -> list[str]:
    """Plain words for the types that a hint allows, without repetition."""
    origin, parts = get_origin(hint), get_args(hint)
    if origin in (Union, types.UnionType):
        return list(dict.fromkeys(word for part in parts for word in _words(part)))
    if hint in _WORDS:
        return [_WORDS[hint]]
    if origin is not None and origin is not tuple and issubclass(origin, Mapping):
        return ["a mapping"]
    if origin is not None and issubclass(origin, Iterable):
        return ["a list"]
    if origin is Callable or hint is Callable:
        return ["a function"]
    name = getattr(origin or hint, "__name__", str(hint))
    return ["a path" if name == "PathLike" else f"a {name}"]
