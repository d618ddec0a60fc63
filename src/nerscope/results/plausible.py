"""The power of primary tests after the correction, and how far a significant result misleads if the
true difference has a plausible size.

If power is low, a significant difference is overestimated and may even have the wrong sign: errors
of type M and type S (Gelman and Carlin 2014).
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from nerscope.codec import serialisable
from nerscope.errors import UsageError
from nerscope.results.needed import corrected_level, design_of
from nerscope.results.rows import ComparisonRow
from nerscope.scoring.metrics import metric_named
from nerscope.stats.corrections import SIGNIFICANT
from nerscope.stats.power import Design
from nerscope.stats.system_differences import Difference

DEFAULT_PLAUSIBLE = 1.0  # points
_MOST_PLAUSIBLE = 100.0


def check_plausible(points: float | None) -> None:
    """Raise a UsageError for an invalid plausible difference."""
    number = isinstance(points, int | float) and not isinstance(points, bool)
    if points is not None and not (number and 0 < points <= _MOST_PLAUSIBLE):
        raise UsageError(
            "plausible", f"invalid value {points!r}", "give a number of points above 0, such as 1"
        )


def with_plausible(
    rows: Sequence[ComparisonRow], family: str, points: float | None, correction: str
) -> list[ComparisonRow]:
    """The rows; rows of `family` have the difference that their test detects after the correction,
    and its power and errors for a plausible true difference.

    Each test is the one of `compare`, with its standard error, its degrees of freedom, and the
    level after the correction. `power` predicts the same.
    """
    tested = sum(row.family == family and row.p is not None for row in rows)
    level = corrected_level(SIGNIFICANT, tested, correction)
    return [
        _with_errors(row, points, level) if row.family == family and row.p is not None else row
        for row in rows
    ]


def _with_errors(row: ComparisonRow, points: float | None, level: float) -> ComparisonRow:
    if not metric_named(row.metric).is_fraction or row.design is None:
        return row
    design, runs = row.design.variances, row.design.runs
    row = replace(row, detectable=design.least(design.clusters, runs, level))
    if points is None:
        return row
    errors = design.significance_errors(points / 100, design.clusters, runs, level)
    return replace(
        row,
        plausible=points,
        plausible_power=errors.power,
        wrong_sign=errors.wrong_sign,
        exaggeration=errors.exaggeration,
    )


@serialisable
class RowDesign(NamedTuple):
    """The components of the variance of a row's difference, and the runs of both sides."""

    variances: Design
    runs: tuple[int, int]


def row_design(difference: Difference) -> RowDesign:
    """The design of the test of a difference."""
    pair = difference.pair
    runs = (len(pair.spread.runs[pair.a]), len(pair.spread.runs[pair.b]))
    return RowDesign(design_of(pair, difference.at, runs), runs)
