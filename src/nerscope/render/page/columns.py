"""Values of the page's data: columns, short numbers, names of clusters."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from nerscope.render.page.schema import Columns
from nerscope.scoring.cluster_units import unit_noun

_DIGITS = 6


def columns_of(records: Sequence[Mapping[str, Any]], keys: Iterable[str]) -> Columns:
    """Fields of records by column; a column of texts holds distinct texts and indices into them.

    >>> columns_of([{"system": "x", "n": 3}, {"system": "x", "n": None}], ["system", "n"])
    {'size': 2, 'columns': {'system': {'of': ['x'], 'at': [0, 0]}, 'n': [3, None]}}
    """
    made = {key: _column([record.get(key) for record in records]) for key in keys}
    return {"size": len(records), "columns": made}


def _column(values: list[Any]) -> Any:
    if any(isinstance(value, str) for value in values):
        # Most columns repeat a few names: an index per row is a tenth of the bytes.
        places: dict[Any, int] = {}
        at = [places.setdefault(value, len(places)) for value in values]
        return {"of": list(places), "at": at}
    return [short(value) for value in values]


def short(value: Any) -> Any:
    """A number rounded to six digits, to keep the page small.

    >>> short(1 / 3), short(2.0), short("x")
    (0.333333, 2, 'x')
    """
    if not isinstance(value, float):
        return value
    rounded = round(value, _DIGITS)
    return int(rounded) if rounded.is_integer() else rounded


def records_of(columns: Columns) -> list[dict[str, Any]]:
    """The records of columns.

    >>> records_of(columns_of([{"system": "x", "n": 3}], ["system", "n"]))
    [{'system': 'x', 'n': 3}]
    """
    table: Any = columns
    read = {
        name: [values["of"][at] for at in values["at"]] if isinstance(values, dict) else values
        for name, values in table["columns"].items()
    }
    rows = zip(*read.values(), strict=True)
    return [dict(zip(read, row, strict=True)) for row in rows]


def short_row(row: Mapping[str, Any]) -> dict[str, object]:
    """A row as JSON has it, with short numbers."""
    return {key: short(value) for key, value in row.items()}


def page_unit(cluster_unit: str) -> str:
    """What clusters are, for the page, which adds an s: blocks are blocks of any size.

    >>> page_unit("block:20"), page_unit("document,surface"), page_unit("document+sentence")
    ('block', 'document', 'document+sentence')
    """
    return "+".join(unit_noun(unit).partition(" of ")[0] for unit in cluster_unit.split("+"))
