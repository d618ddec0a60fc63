"""Tables of cells, made from rows: what they hold is decided here, how they look is decided by the
writers.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from nerscope.errors import UsageError, suggest
from nerscope.results.results import Results, Row, gain

UNDEFINED = "–"
FEW = 30  # a recall on fewer units than this says little
SPARSE = 0.01  # as does one on a smaller share of all mentions
FEW_NOTE = f"! fewer than {FEW} units, or under {SPARSE:.0%} of all: read with care"
BEST_NOTE = "* best of its column"


@dataclass(frozen=True, slots=True)
class Cell:
    """One entry of a table."""

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
        from nerscope.render.writers import plain_text

        return plain_text([self])


def percent(value: float | None, digits: int = 2) -> str:
    """A fraction as a percentage that never claims 0 or 100 unless it is exactly that.

    >>> percent(0.99999), percent(1.0), percent(0.00001), percent(None)
    ('99.99', '100.00', '0.01', '–')
    """
    if value is None:
        return UNDEFINED
    least = 10.0**-digits
    shown = 100 * value
    if 0 < value < 1:
        shown = min(max(shown, least), 100 - least)
    return f"{shown:.{digits}f}"


Columns = Sequence[tuple[str, Mapping[str, object]]]
_KEY = ("facet", "level", "type", "match", "metric")


class Summaries:
    """The summary rows of results, by what they are numbers of."""

    def __init__(self, results: Results) -> None:
        self.settings = results.settings
        self.by_facet: dict[str, list[Row]] = {}
        self.systems: dict[str, list[str]] = {}  # by dataset
        self._index: dict[tuple[object, ...], Row] = {}
        for row in results.rows:
            if row["run"] is None:
                fields: Mapping[str, Any] = row
                self.by_facet.setdefault(row["facet"], []).append(row)
                systems = self.systems.setdefault(row["dataset"], [])
                if row["system"] not in systems:
                    systems.append(row["system"])
                self._index[row["dataset"], row["system"], *(fields[key] for key in _KEY)] = row

    def find(self, dataset: str, system: str, wanted: Mapping[str, object]) -> Row | None:
        """The row of a system, or None."""
        return self._index.get((dataset, system, *(wanted[key] for key in _KEY)))

    def column(self, dataset: str, wanted: Mapping[str, object]) -> list[Row | None]:
        """The rows of all systems on a dataset."""
        return [self.find(dataset, system, wanted) for system in self.systems[dataset]]

    def match_of(self, facet: str) -> str:
        """The match that a facet is shown with."""
        return self.by_facet[facet][0]["match"]


@dataclass(frozen=True, slots=True)
class Spec:
    """A kind of table: its title, the fields common to all its cells, and its columns (which may
    depend on the results).
    """

    title: str
    common: Mapping[str, object]
    columns: Callable[[Summaries], Columns]
    notes: tuple[str, ...] = field(default_factory=tuple)


def _fixed(*columns: tuple[str, Mapping[str, object]]) -> Callable[[Summaries], Columns]:
    return lambda rows: columns


def _types(rows: Summaries) -> Columns:
    names = sorted({row["type"] for row in rows.by_facet["all"] if row["type"] is not None})
    return [("all", {"type": None}), *((name, {"type": name}) for name in names)]


def _levels(facet: str, *extra: tuple[str, str], **more: object) -> Callable[[Summaries], Columns]:
    """The levels of a facet, and extra columns of (level, metric)."""

    def columns(rows: Summaries) -> Columns:
        match = rows.match_of(facet)
        levels = dict.fromkeys(
            row["level"] for row in rows.by_facet[facet] if row["level"] != "score"
        )
        found = [(level, {"level": level, "match": match, **more}) for level in levels]
        return [
            *found,
            *(
                (level, {"level": level, "match": match, "metric": metric})
                for level, metric in extra
            ),
        ]

    return columns


def _partial_matches(rows: Summaries) -> Columns:
    matches = dict.fromkeys(row["match"] for row in rows.by_facet["all"] if row["metric"] == "f1")
    return [(match, {"match": match}) for match in matches if match != "surface"]


def _shares(rows: Summaries) -> Columns:
    return [
        (level, {"level": level, "match": rows.match_of("hard")})
        for level in ("unseen", "diff", "other")
    ]


SPECS: dict[str, Spec] = {
    "exact": Spec(
        "Exact match",
        {"facet": "all", "level": "all", "type": None},
        _fixed(
            ("precision", {"match": "exact", "metric": "precision"}),
            ("recall", {"match": "exact", "metric": "recall"}),
            ("F1", {"match": "exact", "metric": "f1"}),
            ("macro F1", {"match": "exact", "metric": "macro_f1"}),
            ("weighted F1", {"match": "exact", "metric": "weighted_f1"}),
            ("surface F1", {"match": "surface", "metric": "f1"}),
            ("accuracy", {"match": "label", "metric": "accuracy"}),
        ),
    ),
    "types": Spec(
        "F1 by type", {"facet": "all", "level": "all", "match": "exact", "metric": "f1"}, _types
    ),
    "partial": Spec(
        "F1 with partial credit",
        {"facet": "all", "level": "all", "type": None, "metric": "f1"},
        _partial_matches,
    ),
    "tmr": Spec(
        "Tough mentions: recall", {"facet": "tmr", "type": None, "metric": "recall"}, _levels("tmr")
    ),
    "hard": Spec(
        "Hard tokens: error rate (lower is better)",
        {"facet": "hard", "type": None},
        _levels("hard", ("score", "hardeval"), metric="ter"),
    ),
    "hard-strict": Spec(
        "Hard tokens, strictly: error rate (lower is better)",
        {"facet": "hard-strict", "type": None},
        _levels("hard-strict", ("score", "hardeval"), metric="ter"),
    ),
    "errors": Spec(
        "Where the errors are: share of all wrong tokens",
        {"facet": "hard", "type": None, "metric": "error_share"},
        _shares,
    ),
}


def table(results: Results, name: str) -> Table:
    """One table by name: one of the fixed ones, or any facet of the results."""
    return _table(Summaries(results), name)


def _table(rows: Summaries, name: str) -> Table:
    facets = [facet for facet in rows.by_facet if facet != "all"]
    if name in SPECS and SPECS[name].common["facet"] in rows.by_facet:
        return _built(rows, SPECS[name])
    if name in facets:
        return _built(rows, _facet_spec(rows, name))
    raise UsageError(
        f"table '{name}'",
        "there is no such table in these results",
        suggest(name, [*SPECS, *facets]),
    )


def _facet_spec(rows: Summaries, facet: str) -> Spec:
    metrics = {row["metric"] for row in rows.by_facet[facet]}
    metric = next(
        metric for metric in ("f1", "recall", "ter", *sorted(metrics)) if metric in metrics
    )
    ranges = rows.settings.get("facets", {}).get(facet, {}).get("ranges", {})
    note = (
        ("buckets: " + ", ".join(f"{level} {text}" for level, text in ranges.items()),)
        if ranges
        else ()
    )
    return Spec(
        f"{facet}: {metric}", {"facet": facet, "type": None, "metric": metric}, _levels(facet), note
    )


def overview(results: Results) -> list[Table]:
    """The tables that an evaluation shows unasked."""
    rows = Summaries(results)
    facets = list(rows.by_facet)
    matches = [match for match, _ in _partial_matches(rows)]
    names = [
        *(["exact", "types"] if "exact" in matches else []),
        *(["partial"] if matches != ["exact"] else []),
    ]
    names += [
        name
        for name in ("tmr", "hard", "errors")
        if name in facets or (name == "errors" and "hard" in facets)
    ]
    shown = [_table(rows, name) for name in names]
    bucketed = [facet for facet in facets if facet in results.settings.get("facets", {})]
    if bucketed:
        shown.append(_attribute_table(rows, bucketed))
    others = [
        facet for facet in facets if facet not in ("all", "tmr", "hard", "hard-strict", *bucketed)
    ]
    shown += [_table(rows, facet) for facet in others]
    return [one for one in shown if len(one.header) > 1 and one.rows]


def _attribute_table(rows: Summaries, facets: Sequence[str]) -> Table:
    parts = [_table(rows, facet) for facet in facets]
    header = max((part.header for part in parts), key=len)
    body = []
    for facet, part in zip(facets, parts, strict=True):
        for number, row in enumerate(part.rows):
            body.append(
                (
                    Cell("" if number else facet),
                    *row,
                    *(Cell("") for _ in range(len(header) - len(row))),
                )
            )
    notes = [
        f"{facet}: {part.notes[0].removeprefix('buckets: ')}"
        for facet, part in zip(facets, parts, strict=True)
        if part.notes
    ]
    return Table(
        "F1 by attribute", ("attribute", *header), tuple(body), (*parts[0].notes[1:], *notes)
    )


def _built(rows: Summaries, spec: Spec) -> Table:
    every = [(name, {**spec.common, **column}) for name, column in spec.columns(rows)]
    columns = [
        (name, wanted)
        for name, wanted in every
        if any(any(rows.column(dataset, wanted)) for dataset in rows.systems)
    ]
    body: list[tuple[Cell, ...]] = []
    several_runs, sparse = False, False
    for dataset, systems in rows.systems.items():
        cells = [rows.column(dataset, wanted) for _, wanted in columns]
        label = f"{dataset}: " if len(rows.systems) > 1 else ""
        whole = max(
            (
                cell["n"]
                for column in cells
                for cell in column
                if cell and cell["unit"] == "mention"
            ),
            default=0,
        )
        best = [_best(column) for column in cells]
        for place, system in enumerate(systems):
            own = [column[place] for column in cells]
            several_runs |= any(cell is not None and (cell.get("runs") or 1) > 1 for cell in own)
            marks = [
                cell is not None and value is not None and cell["value"] == value
                for cell, value in zip(own, best, strict=True)
            ]
            body.append(
                (
                    Cell(label + system),
                    *(Cell(_text(cell), mark) for cell, mark in zip(own, marks, strict=True)),
                )
            )
        sizes = [_size(column, whole) for column in cells]
        sparse |= any(size.endswith("!") for size in sizes)
        body.append((Cell(label + "n"), *map(Cell, sizes)))
    notes = [*spec.notes]
    notes += [BEST_NOTE] if any(cell.best for row in body for cell in row) else []
    notes += ["mean ± standard deviation over runs"] if several_runs else []
    notes += [FEW_NOTE] if sparse else []
    return Table(spec.title, ("system", *(name for name, _ in columns)), tuple(body), tuple(notes))


def _best(cells: Sequence[Row | None]) -> float | None:
    values = [cell["value"] for cell in cells if cell is not None and cell["value"] is not None]
    if len(values) < 2 or min(values) == max(values):
        return None
    metric = next(cell["metric"] for cell in cells if cell is not None)
    return max(values, key=lambda value: gain(metric, value)) if gain(metric, 1.0) else None


def _text(cell: Row | None) -> str:
    if cell is None:
        return UNDEFINED
    text = percent(cell["value"])
    if cell.get("low") is not None and cell.get("high") is not None:
        text += f" [{percent(cell['low'], 1)}, {percent(cell['high'], 1)}]"
    if cell.get("std") is not None:
        text += f" ± {percent(cell['std'])}"
    return text


def _size(cells: Sequence[Row | None], whole: int) -> str:
    """The denominator, or its range where systems differ (as in the number of predictions)."""
    found = [cell for cell in cells if cell is not None]
    if not found:
        return UNDEFINED
    low, high = min(cell["n"] for cell in found), max(cell["n"] for cell in found)
    few = low < FEW or (found[0]["unit"] == "mention" and low < SPARSE * whole)
    return f"{low:,}{'' if low == high else f'–{high:,}'}{' !' if few else ''}"
