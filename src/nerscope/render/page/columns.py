"""Records as columns, in which a text stands once: what a page embeds stays small."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

_DIGITS = 6


def columns_of(records: Sequence[Mapping[str, Any]], keys: Iterable[str]) -> dict[str, Any]:
    """Some fields of records by column; one that holds texts is a list of them and places in it.

    >>> columns_of([{"system": "x", "n": 3}, {"system": "x", "n": None}], ["system", "n"])
    {'size': 2, 'columns': {'system': {'of': ['x'], 'at': [0, 0]}, 'n': [3, None]}}
    """
    made = {key: _column([record.get(key) for record in records]) for key in keys}
    return {"size": len(records), "columns": made}


def _column(values: list[Any]) -> Any:
    if any(isinstance(value, str) for value in values):
        places: dict[Any, int] = {}
        at = [places.setdefault(value, len(places)) for value in values]
        return {"of": list(places), "at": at}
    return [short(value) for value in values]


def short(value: Any) -> Any:
    """A number with as many digits as anybody reads.

    >>> short(1 / 3), short(2.0), short("x")
    (0.333333, 2, 'x')
    """
    if not isinstance(value, float):
        return value
    rounded = round(value, _DIGITS)
    return int(rounded) if rounded.is_integer() else rounded
