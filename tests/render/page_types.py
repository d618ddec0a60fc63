"""Whether data have the types of the page's schema, field by field."""

from collections.abc import Mapping
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints, is_typeddict


def faults(value: Any, kind: Any, place: str = "page") -> list[str]:
    """What differs from a type, by place; empty if all fits.

    >>> faults({"a": [1, "x"]}, dict[str, list[int]])
    ["page.a[1]: 'x' is not int"]
    """
    if is_typeddict(kind):
        return _record_faults(value, get_type_hints(kind), place)
    origin, parts = get_origin(kind), get_args(kind)
    if origin in (Union, UnionType):
        tried = [faults(value, part, place) for part in parts]
        return min(tried, key=len)
    if origin is Literal:
        return [] if value in parts else [f"{place}: {value!r} is none of {parts}"]
    if origin is list:
        if not isinstance(value, list):
            return [f"{place}: {value!r} is no list"]
        found = [faults(item, parts[0], f"{place}[{at}]") for at, item in enumerate(value)]
        return [fault for each in found for fault in each]
    if origin in (dict, Mapping):
        if not isinstance(value, dict):
            return [f"{place}: {value!r} is no mapping"]
        found = [faults(item, parts[1], f"{place}.{key}") for key, item in value.items()]
        return [fault for each in found for fault in each]
    return [] if _is(value, kind) else [f"{place}: {value!r} is not {kind.__name__}"]


def _record_faults(value: Any, fields: dict[str, Any], place: str) -> list[str]:
    if not isinstance(value, dict):
        return [f"{place}: {value!r} is no record"]
    if value.keys() != fields.keys():
        return [f"{place}: its fields differ by {sorted(value.keys() ^ fields.keys())}"]
    found = [faults(value[name], kind, f"{place}.{name}") for name, kind in fields.items()]
    return [fault for each in found for fault in each]


def _is(value: Any, kind: Any) -> bool:
    if kind is object:
        return True
    if kind in (int, float) and isinstance(value, bool):
        return False
    return isinstance(value, (int, float) if kind is float else kind)
