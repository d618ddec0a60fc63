"""Tables of cells, made from rows: what they hold is decided here, how they look is decided by the writers."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from nerscope.errors import UsageError, suggest
from nerscope.results import Results, Row, gain

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


@dataclass(frozen=True, slots=True)
class Spec:
    """A kind of table: its title, the fields common to all its cells, and its columns (which may depend on the results)."""

    title: str
    common: Mapping[str, object]
    columns: Callable[[Results], Columns]
    notes: tuple[str, ...] = field(default_factory=tuple)


def _fixed(*columns: tuple[str, Mapping[str, object]]) -> Callable[[Results], Columns]:
    return lambda results: columns


def _types(results: Results) -> Columns:
    names = sorted({row["type"] for row in results.rows if row["type"] is not None})
    return [("all", {"type": None}), *((name, {"type": name}) for name in names)]


def _levels(facet: str, **more: object) -> Callable[[Results], Columns]:
    def columns(results: Results) -> Columns:
        rows = results.select(facet=facet)
        levels = dict.fromkeys(row["level"] for row in rows if row["level"] != "score")
        return [(level, {"level": level, "match": rows[0]["match"], **more}) for level in levels]

    return columns


def _hard_levels(facet: str) -> Callable[[Results], Columns]:
    levels = _levels(facet, metric="ter")
    return lambda results: [*levels(results), ("score", {"level": "score", "metric": "hardeval"})]


_EXACT: Mapping[str, object] = {"facet": "all", "level": "all", "match": "exact", "type": None}
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
    "types": Spec("F1 by type", {"facet": "all", "level": "all", "match": "exact", "metric": "f1"}, _types),
    "partial": Spec(
        "F1 with partial credit",
        {"facet": "all", "level": "all", "type": None, "metric": "f1"},
        lambda results: [
            (match, {"match": match})
            for match in dict.fromkeys(row["match"] for row in results.rows if row["facet"] == "all" and row["metric"] == "f1")
            if match != "surface"
        ],
    ),
    "tmr": Spec("Tough mentions: recall", {"facet": "tmr", "type": None, "metric": "recall"}, _levels("tmr")),
    "hard": Spec("Hard tokens: error rate (lower is better)", {"facet": "hard", "type": None}, _hard_levels("hard")),
    "hard-strict": Spec(
        "Hard tokens, strictly: error rate (lower is better)",
        {"facet": "hard-strict", "type": None},
        _hard_levels("hard-strict"),
    ),
    "errors": Spec(
        "Where the errors are: share of all wrong tokens",
        {"facet": "hard", "type": None, "metric": "error_share"},
        _fixed(*((level, {"level": level}) for level in ("unseen", "diff", "other"))),
    ),
}
NOT_FACETS = {"all"}


def table(results: Results, name: str) -> Table:
    """One table by name: one of the fixed ones, or any facet of the results."""
    facets = [facet for facet in dict.fromkeys(row["facet"] for row in results.rows) if facet not in NOT_FACETS]
    if name in SPECS and SPECS[name].common["facet"] in (*NOT_FACETS, *facets):
        return _built(results, SPECS[name])
    if name in facets:
        return _built(results, _facet_spec(results, name))
    raise UsageError(f"table '{name}'", "there is no such table in these results", suggest(name, [*SPECS, *facets]))


def _facet_spec(results: Results, facet: str) -> Spec:
    rows = results.select(facet=facet)
    metrics = {row["metric"] for row in rows}
    metric = next(metric for metric in ("f1", "recall", "ter", *sorted(metrics)) if metric in metrics)
    ranges = results.settings.get("facets", {}).get(facet, {}).get("ranges", {})
    note = ("buckets: " + ", ".join(f"{level} {text}" for level, text in ranges.items()),) if ranges else ()
    return Spec(f"{facet}: {metric}", {"facet": facet, "type": None, "metric": metric}, _levels(facet), note)


def overview(results: Results) -> list[Table]:
    """The tables that an evaluation shows unasked."""
    facets = list(dict.fromkeys(row["facet"] for row in results.rows))
    partial = any(row["match"] not in ("exact", "label", "surface") for row in results.select(facet="all", metric="f1"))
    names = ["exact", "types", *(["partial"] if partial else [])]
    names += [name for name in ("tmr", "hard", "errors") if name in facets or (name == "errors" and "hard" in facets)]
    shown = [table(results, name) for name in names]
    bucketed = [facet for facet in facets if facet in results.settings.get("facets", {})]
    if bucketed:
        shown.append(_attribute_table(results, bucketed))
    others = [facet for facet in facets if facet not in ("all", "tmr", "hard", "hard-strict", *bucketed)]
    shown += [table(results, facet) for facet in others]
    return [one for one in shown if len(one.header) > 1 and one.rows]


def _attribute_table(results: Results, facets: Sequence[str]) -> Table:
    parts = [table(results, facet) for facet in facets]
    header = max((part.header for part in parts), key=len)
    rows = []
    for facet, part in zip(facets, parts, strict=True):
        for number, row in enumerate(part.rows):
            rows.append((Cell("" if number else facet), *row, *(Cell("") for _ in range(len(header) - len(row)))))
    notes = [
        f"{facet}: {part.notes[0].removeprefix('buckets: ')}" for facet, part in zip(facets, parts, strict=True) if part.notes
    ]
    return Table("F1 by attribute", ("attribute", *header), tuple(rows), (*parts[0].notes[1:], *notes))


def _built(results: Results, spec: Spec) -> Table:
    columns = [column for column in spec.columns(results) if results.select(**{**spec.common, **column[1], "run": None})]
    wanted = [{**spec.common, **column, "run": None} for _, column in columns]
    datasets = list(dict.fromkeys(row["dataset"] for row in results.rows))
    rows: list[tuple[Cell, ...]] = []
    several_runs, sparse = False, False
    for dataset in datasets:
        chosen = [row for row in results.rows if row["dataset"] == dataset and row["run"] is None]
        systems = list(dict.fromkeys(row["system"] for row in chosen))
        index = _index(chosen, wanted)
        label = f"{dataset}: " if len(datasets) > 1 else ""
        whole = max((row["n"] for row in index.values() if row is not None and row["unit"] == "mention"), default=0)
        best = [_best([index[system, place] for system in systems]) for place in range(len(wanted))]
        for system in systems:
            cells = [index[system, place] for place in range(len(wanted))]
            several_runs |= any(cell is not None and (cell.get("runs") or 1) > 1 for cell in cells)
            texts = [_text(cell) for cell in cells]
            marks = [
                cell is not None and value is not None and cell["value"] == value
                for cell, value in zip(cells, best, strict=True)
            ]
            rows.append((Cell(label + system), *(Cell(text, mark) for text, mark in zip(texts, marks, strict=True))))
        sizes = [_size([index[system, place] for system in systems], whole) for place in range(len(wanted))]
        sparse |= any(size.endswith("!") for size in sizes)
        rows.append((Cell(label + "n"), *map(Cell, sizes)))
    notes = [*spec.notes]
    notes += [BEST_NOTE] if any(cell.best for row in rows for cell in row) else []
    notes += ["mean ± standard deviation over runs"] if several_runs else []
    notes += [FEW_NOTE] if sparse else []
    return Table(spec.title, ("system", *(name for name, _ in columns)), tuple(rows), tuple(notes))


def _index(rows: Sequence[Row], wanted: Sequence[Mapping[str, object]]) -> dict[tuple[str, int], Row | None]:
    found: dict[tuple[str, int], Row | None] = {(row["system"], place): None for row in rows for place in range(len(wanted))}
    for row in rows:
        fields: Mapping[str, Any] = row
        for place, want in enumerate(wanted):
            if all(fields.get(key) == value for key, value in want.items()):
                found[row["system"], place] = row
    return found


def _best(cells: Sequence[Row | None]) -> float | None:
    values = [cell["value"] for cell in cells if cell is not None and cell["value"] is not None]
    if len(values) < 2 or min(values) == max(values):
        return None
    metric = next(cell["metric"] for cell in cells if cell is not None)
    return max(values, key=lambda value: gain(metric, value)) if gain(metric, 1.0) else None


def _text(cell: Row | None) -> str:
    if cell is None:
        return ""
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
        return ""
    low, high = min(cell["n"] for cell in found), max(cell["n"] for cell in found)
    few = low < FEW or (found[0]["unit"] == "mention" and low < SPARSE * whole)
    return f"{low:,}{'' if low == high else f'–{high:,}'}{' !' if few else ''}"
