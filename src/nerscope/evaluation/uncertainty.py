"""Intervals in rows: what resampling says of each number, beside the number."""

from collections.abc import Iterable, Mapping, Sequence

from nerscope.results.results import Row
from nerscope.scoring.evidence import Evidence, shown_facet
from nerscope.stats.intervals import Bounds, Sampling
from nerscope.stats.paired import resample

_DIGITS = 6
RowBounds = dict[str, tuple[float, float] | None]  # by what names the row among those of a system


def row_bounds(evidence: Evidence, found: Bounds) -> tuple[str, tuple[float, float] | None]:
    """The name of a row, and its bounds."""
    level, kind, metric = found.key
    name = _name(
        found.run,
        shown_facet(found.facet),
        found.match,
        level,
        None if kind is None else evidence.types[kind],
        metric,
    )
    return name, found.interval and (
        round(found.interval[0], _DIGITS),
        round(found.interval[1], _DIGITS),
    )


def _name(
    run: str | None, facet: str, match: str, level: str, kind: str | None, metric: str
) -> str:
    return "\t".join([run or "", facet, match, level, kind or "", metric])


def bounds_of(
    evidence: Evidence, systems: Sequence[str], sampling: Sampling
) -> dict[str, RowBounds]:
    """The bounds of all rows of some systems."""
    found: dict[str, RowBounds] = {system: {} for system in systems}
    for one in resample(evidence, sampling, systems=systems):
        if isinstance(one, Bounds):
            name, bounds = row_bounds(evidence, one)
            found[one.system][name] = bounds
    return found


def add_intervals(rows: Iterable[Row], dataset: str, found: Mapping[str, RowBounds]) -> None:
    """Put `low` and `high` into the rows of a dataset that have an interval."""
    for row in rows:
        if row["dataset"] == dataset and row["system"] in found:
            name = _name(
                row["run"], row["facet"], row["match"], row["level"], row["type"], row["metric"]
            )
            if name in found[row["system"]]:
                row["low"], row["high"] = found[row["system"]][name] or (None, None)
