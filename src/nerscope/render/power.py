"""The power of a test set: what it detects, and what a higher power takes."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from nerscope.errors import plural
from nerscope.render.document import Cell, Document, Table, metric_title, records_table
from nerscope.results.compare import ABOUT_RECIPES
from nerscope.results.needed import PowerRow
from nerscope.scoring.cluster_units import count_units, units_in_words

_FEW_PAIRS = 2  # with more, the table by numbers of runs needs --all
_MOST_ROWS = 24


def power_document(
    rows: Sequence[PowerRow], difference: float, power: float, everything: bool = False
) -> Document:
    """One row per pair and dataset: the power of this test set, and what a higher one takes."""
    if not rows:
        return Document([], rows, rows)
    metric = metric_title(rows[0].metric)
    title = (
        f"Detecting a difference of {_points(difference)} in {metric} with {100 * power:g} % power"
    )
    columns = _columns(rows)
    body = tuple(tuple(Cell(cell(row)) for cell in columns.values()) for row in rows)
    labels = sum(name in columns for name in ("dataset", "A", "B"))
    notes = [
        *_constant_notes(rows),
        f"power: chance that a true difference of {_points(difference)} becomes significant here",
        f"detectable: the smallest true difference with {100 * power:g} % power, in points",
        "needed: size of a test set with the current runs [95 % interval]",
        *(["runs needed: of each system, with this test set"] if _has_recipes(rows) else []),
        *_correction_note(rows),
        *(["–: no number is enough"] if any(c.text == "–" for line in body for c in line) else []),
    ]
    tables = [Table(title, tuple(columns), body, tuple(notes), labels=labels)]
    by_runs = [shown_row for row in rows for shown_row in _by_runs(row)]
    if by_runs and (everything or len(rows) <= _FEW_PAIRS):
        tables.append(
            replace(
                records_table("Needed for other numbers of runs of each system", by_runs), labels=3
            )
        )
    return Document(tables, rows, rows, most_rows=None if everything else _MOST_ROWS)


def _columns(rows: Sequence[PowerRow]) -> dict[str, Callable[[PowerRow], str]]:
    """The columns by heading; what is the same for all pairs is left to a note."""
    columns: dict[str, Callable[[PowerRow], str]] = {
        "dataset": lambda row: row.dataset,
        "A": lambda row: row.system_a,
        "B": lambda row: row.system_b,
        "runs": lambda row: f"{row.runs_a}, {row.runs_b}",
        "test set": lambda row: count_units(row.clusters, row.over),
        "power": lambda row: "–" if row.power is None else f"{100 * row.power:.0f} %",
        "detectable": lambda row: "–" if row.detectable is None else f"{row.detectable:.2f}",
        "needed": _needed_text,
    }
    if _has_recipes(rows):
        columns["runs needed"] = lambda row: _number(row.runs_needed)
    constant = [
        name for name in ("dataset", "runs", "test set") if _is_constant(rows, columns[name])
    ]
    return {name: cell for name, cell in columns.items() if name not in constant}


def _is_constant(rows: Sequence[PowerRow], cell: Callable[[PowerRow], str]) -> bool:
    return len({cell(row) for row in rows}) == 1


def _needed_text(row: PowerRow) -> str:
    low, high = row.clusters_needed_low, row.clusters_needed_high
    interval = "" if low is None else f" [{low:,}, {_number(high)}]"
    return f"{_number(row.clusters_needed)}{interval}"


def _constant_notes(rows: Sequence[PowerRow]) -> list[str]:
    """What holds for all rows: the test set, and the runs."""
    facts = []
    sizes = {(row.dataset, row.clusters, row.over) for row in rows}
    if len(sizes) == 1:
        facts.append(f"{rows[0].dataset} has {count_units(rows[0].clusters, rows[0].over)}")
    runs = {(row.runs_a, row.runs_b) for row in rows}
    if runs == {(1, 1)}:
        facts.append("one run each, so this is about these outputs, not the methods")
    elif len(runs) == 1 and len(set(*runs)) == 1:
        facts.append(f"{plural(rows[0].runs_a, 'run')} of each system")
    return ["; ".join(facts)] if facts else []


def _has_recipes(rows: Sequence[PowerRow]) -> bool:
    return any(row.about == ABOUT_RECIPES for row in rows)


def _points(difference: float) -> str:
    return f"{difference:g} point{'' if difference == 1 else 's'}"


def _correction_note(rows: Sequence[PowerRow]) -> list[str]:
    row = rows[0]
    if row.corrected_alpha == row.alpha:
        return []
    return [
        f"p must be below {row.corrected_alpha:.2g}: corrected for {row.tests} comparisons "
        f"(--correction none: below {row.alpha:g})"
    ]


def _by_runs(row: PowerRow) -> list[dict[str, str]]:
    names = {"dataset": row.dataset, "A": row.system_a, "B": row.system_b}
    return [
        {**names, "runs": k, f"{units_in_words(row.over)} needed": _number(needed)}
        for k, needed in row.clusters_by_runs.items()
    ]


def _number(value: int | None) -> str:
    return "–" if value is None else f"{value:,}"
