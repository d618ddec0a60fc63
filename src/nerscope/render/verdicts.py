"""The verdicts of a gate."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any

from nerscope.render.document import Check, Document, records_table
from nerscope.results.needed import PowerRow
from nerscope.results.verdict import Verdict
from nerscope.scoring.cluster_units import count_units, units_in_words


def verdict_document(
    verdicts: Sequence[Verdict], text: bool, notes: Sequence[str] = ()
) -> Document:
    """One line a verdict for people, one record for programs, one check for a build."""
    records = [
        {
            key: None if isinstance(value, float) and math.isnan(value) else value
            for key, value in asdict(verdict).items()
        }
        for verdict in verdicts
    ]
    tables = [] if text else [records_table("Verdicts", records)]
    lines = [str(verdict) for verdict in verdicts] if text else []
    checks = [_check(*both) for both in zip(verdicts, records, strict=True)]
    return Document(
        tables, {"verdicts": records}, records, lines=lines, checks=checks, notes=list(notes)
    )


def _check(verdict: Verdict, record: Mapping[str, Any]) -> Check:
    group = f"{verdict.dataset}, {verdict.system}"
    name = verdict.name.removeprefix(f"{group}, ")
    return Check(group, name, verdict.verdict, verdict.failed, verdict.said, record)


def power_document(rows: Sequence[PowerRow], difference: float, power: float) -> Document:
    """One row per pair and dataset: the power of this test set, and what a higher one takes."""
    title = (
        f"What it takes to find a difference of {_points(difference)} with {100 * power:g} % power"
    )
    shown = [_shown(row) for row in rows]
    notes = [
        "power: the chance that a true difference of this size becomes significant; "
        f"detectable: the smallest with {100 * power:g} %",
        "needed: with the current runs (95 % interval: how well this test set knows its variance)",
        *(["runs needed: on each side, with the current test set"] if _has_recipes(rows) else []),
        *_correction_note(rows),
        "–: no number is enough",
    ]
    tables = [replace(records_table(title, shown), notes=tuple(notes))] if shown else []
    by_runs = [shown_row for row in rows for shown_row in _by_runs(row)]
    if by_runs:
        tables.append(records_table("Needed for other numbers of runs on each side", by_runs))
    lines = []
    if any(row.about == "outputs" for row in rows):
        lines = [
            "one run each: training noise is unknown, so this is about these outputs, not the "
            "methods"
        ]
    return Document(tables, rows, rows, lines=lines)


def _has_recipes(rows: Sequence[PowerRow]) -> bool:
    return any(row.about == "recipes" for row in rows)


def _points(difference: float) -> str:
    return f"{difference:g} point{'' if difference == 1 else 's'}"


def _correction_note(rows: Sequence[PowerRow]) -> list[str]:
    row = rows[0] if rows else None
    if row is None or row.corrected_alpha == row.alpha:
        return []
    return [
        f"corrected for {row.tests} comparisons, as compare does: p must fall below "
        f"{row.corrected_alpha:.2g} (--correction none: below {row.alpha:g})"
    ]


def _shown(row: PowerRow) -> dict[str, str]:
    recipes = row.about == "recipes"
    low, high = row.clusters_needed_low, row.clusters_needed_high
    interval = "" if low is None else f" [{low:,}, {_number(high)}]"
    return {
        "dataset": row.dataset,
        "A": row.system_a,
        "B": row.system_b,
        "runs": f"{row.runs_a}, {row.runs_b}",
        "power": "–" if row.power is None else f"{100 * row.power:.0f} %",
        "detectable": "–" if row.detectable is None else f"{row.detectable:.2f}",
        "test set": count_units(row.clusters, row.over),
        "needed": f"{_number(row.clusters_needed)}{interval}",
        **({"runs needed": _number(row.runs_needed)} if recipes else {}),
    }


def _by_runs(row: PowerRow) -> list[dict[str, str]]:
    names = {"dataset": row.dataset, "A": row.system_a, "B": row.system_b}
    return [
        {**names, "runs": k, units_in_words(row.over): _number(needed)}
        for k, needed in row.clusters_by_runs.items()
    ]


def _number(value: int | None) -> str:
    return "–" if value is None else f"{value:,}"
