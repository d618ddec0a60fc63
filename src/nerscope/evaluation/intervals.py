"""Intervals in rows: what resampling says of each number, beside the number."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from nerscope.errors import expect
from nerscope.results.results import Results
from nerscope.results.row import Row
from nerscope.scoring.evidence import Evidence
from nerscope.stats.draws import Bounds, draw
from nerscope.stats.intervals import Interval, Sampling

_DIGITS = 6
RowBounds = dict[str, list[float] | None]  # by what names a row among those of a system


def bounds_of(
    evidence: Evidence, systems: Sequence[str], sampling: Sampling
) -> dict[str, RowBounds]:
    """The bounds of all numbers of some systems."""
    found: dict[str, RowBounds] = {system: {} for system in systems}
    for draws in draw(evidence, sampling, systems):
        for system in systems:
            found[system].update(named_bounds(evidence, draws.intervals(system)))
    return found


def named_bounds(
    evidence: Evidence, bounds: Iterable[Bounds]
) -> Iterator[tuple[str, list[float] | None]]:
    """Bounds by the names of their rows."""
    for division, match, (level, kind, metric), interval in bounds:
        name = "" if kind is None else evidence.types[kind]
        yield "\t".join([division.facet, match, level, name, metric]), _rounded(interval)


def _rounded(interval: Interval) -> list[float] | None:
    return interval and [round(bound, _DIGITS) for bound in interval]


def add_intervals(rows: Iterable[Row], dataset: str, found: Mapping[str, RowBounds]) -> None:
    """Put `low` and `high` into the rows of a dataset.

    With several runs, it is the summary over them that has an interval; a single run has the same
    one as its summary.
    """
    several = {
        row["system"] for row in rows if row["dataset"] == dataset and (row.get("runs") or 0) > 1
    }
    for row in rows:
        system = row["system"]
        if row["dataset"] != dataset or system not in found:
            continue
        name = "\t".join(
            [row["facet"], row["match"], row["level"], row["type"] or "", row["metric"]]
        )
        if name in found[system] and (row["run"] is None or system not in several):
            row["low"], row["high"] = found[system][name] or (None, None)


def with_intervals(results: Results, intervals: Sampling | bool) -> Results:
    """The results with an interval for every number that can have one."""
    expect("intervals", intervals, (Sampling, bool), "say True, or give a Sampling")
    sampling = intervals if isinstance(intervals, Sampling) else Sampling()
    for evidence in results.evidence:
        bounds = bounds_of(evidence, evidence.systems, sampling)
        add_intervals(results.rows, evidence.dataset, bounds)
    said = [signed(part, sampling) for part in results.evidence]
    return Results(said, results.losses, results.rows)


def signed(evidence: Evidence, sampling: Sampling) -> Evidence:
    """Evidence whose signature says how intervals were made."""
    signature = replace(evidence.signature, resampling=sampling.signature())
    return replace(evidence, signature=signature)
