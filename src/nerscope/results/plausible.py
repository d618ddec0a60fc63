"""What the tests of the first question can find after the correction, and what a significant result
is worth if the true difference is a plausible one.

Where power is low, a difference must be overestimated to become significant, and may even have the
wrong sign: errors of type M and type S (Gelman and Carlin 2014).
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
    """Refuse a plausible difference that none can be."""
    number = isinstance(points, int | float) and not isinstance(points, bool)
    if points is not None and not (number and 0 < points <= _MOST_PLAUSIBLE):
        raise UsageError(
            "plausible", f"{points!r} cannot be", "give a number of points above 0, as 1"
        )


def with_plausible(
    rows: Sequence[ComparisonRow], family: str, points: float | None, correction: str
) -> list[ComparisonRow]:
    """The rows, of which those of a family say what their tests detect after the correction, and
    how these fare on a plausible true difference.

    Each test is that of `compare`: its standard error, its degrees of freedom, and the level that
    is left after the correction. `power` predicts the same.
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
    """What the variance of a row's difference is made of, and the runs of both sides."""

    variances: Design
    runs: tuple[int, int]


def row_design(difference: Difference) -> RowDesign:
    """The design of the test of a difference."""
    pair = difference.pair
    runs = (len(pair.spread.runs[pair.a]), len(pair.spread.runs[pair.b]))
    return RowDesign(design_of(pair, difference.at, runs), runs)
