"""What a command has to say: tables for people, data for programs, notes for both."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from nerscope.registry import Registry
from nerscope.results.results import Results

UNDEFINED = "–"


@dataclass(frozen=True, slots=True)
class Cell:
    """One entry of a table; `best` makes it stand out."""

    text: str
    best: bool = False


@dataclass(frozen=True, slots=True)
class Table:
    """A title, a header, rows of cells, and what a reader must know."""

    title: str
    header: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    notes: tuple[str, ...] = ()

    def __str__(self) -> str:
        return OUTPUTS["text"](Document([self]))


@dataclass(frozen=True, slots=True)
class Document:
    """What a command has to say.

    `data` is what JSON holds; `records`, if there are any, are what CSV holds instead of tables;
    `lines` are said in words below the tables; `notes` go to standard error, or into the text.
    """

    tables: Sequence[Table] = ()
    data: Any = None
    records: Sequence[Mapping[str, Any]] | None = None
    lines: Sequence[str] = ()
    notes: Sequence[str] = ()
    signature: str | None = None
    results: Results | None = field(default=None, repr=False)


Output = Callable[[Document], str]
OUTPUTS: Registry[Output] = Registry("format")


def register_output(name: str, output: Output) -> None:
    """Make a way to write documents known by its name; `--format NAME` finds it.

    >>> register_output("titles", lambda document: " ".join(t.title for t in document.tables))
    >>> OUTPUTS["titles"](Document([Table("Exact match", (), ())]))
    'Exact match'
    """
    OUTPUTS.add(name, output)


def as_json(data: object) -> str:
    """Strict JSON for people to look at: undefined is null."""
    return json.dumps(data, ensure_ascii=False, allow_nan=False, indent=1) + "\n"


def table_of(title: str, records: Sequence[Mapping[str, Any]], notes: Sequence[str] = ()) -> Table:
    """Records of any kind as a table."""
    keys = dict.fromkeys(key for record in records for key in record)
    header = tuple(key for key in keys if key != "judgement")  # that is for a file to fill in
    body = tuple(tuple(Cell(shown(record.get(key))) for key in header) for record in records)
    return Table(title, header, body, tuple(notes))


def shown(value: Any) -> str:
    """A value in a cell."""
    if value is None:
        return UNDEFINED
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def percent(value: float | None, digits: int = 2) -> str:
    """A fraction as a percentage that never claims 0 or 100 unless it is exactly that.

    >>> percent(0.99999), percent(1.0), percent(0.00001), percent(None)
    ('99.99', '100.00', '0.01', '–')
    """
    if value is None:
        return UNDEFINED
    least = 10.0**-digits
    points = 100 * value
    if 0 < value < 1:
        points = min(max(points, least), 100 - least)
    return f"{points:.{digits}f}"
