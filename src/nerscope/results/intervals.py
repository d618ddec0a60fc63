"""Intervals in the rows of results; those of differences are in `stats/system_pair.py`."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from nerscope.codec import serialisable
from nerscope.corpus.units import ALL
from nerscope.errors import expect
from nerscope.results.results import Results
from nerscope.results.rows import SURFACE, Row
from nerscope.scoring.evidence import Evidence
from nerscope.stats.clusters import ClusterCounts, clusters_of
from nerscope.stats.intervals import Interval, Sampling, caution, intervals, surface_intervals
from nerscope.stats.jackknife import Jackknife, with_lenders
from nerscope.stats.two_way import jackknives

_DIGITS = 6
_RUN = "\t"  # separates the name of a system and the number of its run


@serialisable
class RowInterval(NamedTuple):
    """The interval of a row: bounds, number of clusters with such units, and a caution if any."""

    low: float | None
    high: float | None
    clusters: int
    caution: str | None


RowBounds = dict[str, RowInterval]  # by the key of a row within its system; the run is first


def bounds_of(
    evidence: Evidence, systems: Sequence[str], sampling: Sampling, *, each_run: bool = True
) -> dict[str, RowBounds]:
    """The bounds of all numbers of these systems: of the mean over runs, and of each run."""
    bounds: dict[str, RowBounds] = {system: {} for system in systems}
    unit = sampling.cluster_unit(evidence)
    clusters = clusters_of(evidence, unit)
    for table in evidence.tables:
        for match in table.matches:
            clustered = ClusterCounts(evidence, table, match, systems, clusters)
            for spread in _spreads(evidence, clustered, unit, each_run):
                for name in spread.systems:
                    system, _, run = name.partition(_RUN)
                    bounds[system].update(named_bounds(evidence, spread, name, run, unit))
    for system in systems:
        runs = evidence.runs_of(system)
        runs_by_number = {"": runs}
        if each_run and len(runs) > 1:
            runs_by_number |= {evidence.runs[run][1]: [run] for run in runs}
        for number, numbered_runs in runs_by_number.items():
            for metric, size, interval in surface_intervals(evidence, numbered_runs, clusters):
                key = "\t".join([number, ALL, SURFACE, ALL, "", metric])
                bounds[system][key] = _bounds(interval, size, 0.0, unit)
    return bounds


def _spreads(
    evidence: Evidence, clustered: ClusterCounts, unit: str, each_run: bool
) -> list[Jackknife]:
    """The jackknife of each system and, with `each_run` and several runs, of each run."""
    names = [
        f"{system}{_RUN}{evidence.runs[run][1]}"
        for system in clustered.systems
        for run in evidence.runs_of(system)
    ]
    several = each_run and len(names) > len(clustered.systems)
    spreads = jackknives(clustered, evidence, unit, names if several else ())
    return [with_lenders(spreads[0], evidence), *spreads[1:]]


def named_bounds(
    evidence: Evidence, spread: Jackknife, system: str, run: str, unit: str
) -> Iterator[tuple[str, RowInterval]]:
    """Bounds by the keys of their rows."""
    values, clusters = spread.values(system), spread.clusters[spread.systems.index(system)]
    cells = zip(spread.keys, intervals(spread, system), values, clusters, strict=True)
    for (level, kind, metric), interval, value, size in cells:
        name = "" if kind is None else evidence.types[kind]
        key = "\t".join([run, spread.table.facet, spread.match, level, name, metric])
        yield key, _bounds(interval, size, value, unit)


def _bounds(interval: Interval, clusters: float, value: float, unit: str) -> RowInterval:
    low, high = interval or (None, None)
    return RowInterval(
        low if low is None else round(low, _DIGITS) + 0.0,  # + 0.0 turns -0.0 into 0.0
        high if high is None else round(high, _DIGITS) + 0.0,
        round(clusters),
        caution(value, clusters, unit),
    )


def add_intervals(
    rows: Sequence[Row],
    dataset: str,
    bounds: Mapping[str, RowBounds],
    *,
    summaries_only: bool = False,
) -> list[Row]:
    """The rows; those of `dataset` get `low`, `high`, `clusters` and `caution`.

    The summary over several runs has the interval of their mean; each run has its own.
    """
    several = {row.system for row in rows if row.dataset == dataset and row.run not in (None, "1")}
    return [
        row
        if row.dataset != dataset
        or row.system not in bounds
        or (summaries_only and row.run is not None)
        else _with_interval(row, bounds[row.system], row.system in several)
        for row in rows
    ]


def _with_interval(row: Row, bounds: RowBounds, several: bool) -> Row:
    run = row.run or "" if several else ""
    name = "\t".join([run, row.facet, row.match, row.level, row.type or "", row.metric])
    interval = bounds.get(name)
    return row if interval is None else replace(row, **interval._asdict())


def with_intervals(
    results: Results,
    wanted: Sampling | bool,
    bounds_of: Callable[[Evidence, Sequence[str], Sampling], dict[str, RowBounds]] = bounds_of,
) -> Results:
    """The results with an interval for every number that allows one.

    Experiments pass their own `bounds_of`, which caches the bounds of systems.
    """
    expect("intervals", wanted, (Sampling, bool), "give True, False or a Sampling")
    sampling = wanted if isinstance(wanted, Sampling) else Sampling()
    rows = results.rows
    for evidence in results.evidence:
        bounds = bounds_of(evidence, evidence.systems, sampling)
        rows = add_intervals(rows, evidence.dataset, bounds)
    signed = [with_resampling(part, sampling) for part in results.evidence]
    return Results(signed, results.losses, rows, results.protocol)


def with_bounds(results: Results) -> Results:
    """The results for display: means over runs have intervals, even if the evaluation had none, and
    the signature names their resampling.
    """
    rows = results.rows
    known = {row.dataset for row in rows if row.low is not None}
    for evidence in results.evidence:
        if evidence.dataset in known:
            continue
        bounds = bounds_of(evidence, evidence.systems, Sampling(), each_run=False)
        rows = add_intervals(rows, evidence.dataset, bounds, summaries_only=True)
    parts = [
        part if part.dataset in known else with_resampling(part, Sampling())
        for part in results.evidence
    ]
    return Results(parts, results.losses, rows, results.protocol)


def with_resampling(evidence: Evidence, sampling: Sampling) -> Evidence:
    """Evidence whose signature names the resampling of the intervals."""
    resampling = {"resample": sampling.cluster_unit(evidence)}
    return replace(evidence, signature=replace(evidence.signature, resampling=resampling))
