"""Tidy rows: one number and what it is a number of."""

import math
from collections.abc import Sequence
from typing import TypedDict

from nerscope.scoring.metrics import metric_named


class Row(TypedDict, total=False):
    """One number and what it is a number of; see docs/results.md."""

    dataset: str
    system: str
    run: str | None
    unit: str
    facet: str
    level: str
    type: str | None
    match: str
    metric: str
    value: float | None
    n: int
    std: float | None
    runs: int
    low: float | None
    high: float | None
    clusters: int  # documents or sentences in which it occurs
    caution: str | None  # why there is no interval, or only a rough one


def row_value(value: float) -> float | None:
    """A number as rows hold it: None where it is undefined."""
    return None if value != value else value


def or_nan(value: float | None) -> float:
    """A number of a row to compute with: NaN where it is undefined."""
    return math.nan if value is None else value


def summary_row(rows: Sequence[Row]) -> Row:
    """The mean over a system's runs; a run for which the number is undefined has no share in it."""
    summary = rows[0].copy()
    summary["run"] = None
    if len(rows) == 1:
        summary["std"], summary["runs"] = None, 1
        return summary
    values = [row["value"] for row in rows if row["value"] is not None]
    sizes = [row["n"] for row in rows if row["value"] is not None] or [row["n"] for row in rows]
    summary["value"] = math.fsum(values) / len(values) if values else None
    summary["n"] = round(sum(sizes) / len(sizes))
    summary["std"] = _sample_deviation(values) if len(values) > 1 else None
    summary["runs"] = len(rows)
    return summary


def _sample_deviation(values: Sequence[float]) -> float:
    mean = math.fsum(values) / len(values)
    return math.sqrt(math.fsum((value - mean) ** 2 for value in values) / (len(values) - 1))


def scale_of(metric: str) -> float:
    """How many points a value of 1 is.

    >>> scale_of("f1")
    100.0
    """
    return 100.0 if metric_named(metric).is_fraction else 1.0
