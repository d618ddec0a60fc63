"""Intervals in rows: where each number may lie in the population, beside the number."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from nerscope.errors import expect
from nerscope.results.results import Results
from nerscope.results.row import Row
from nerscope.results.rows import SURFACE
from nerscope.scoring.evidence import Evidence
from nerscope.stats.clusters import Clustered
from nerscope.stats.intervals import Interval, Sampling, caution, intervals
from nerscope.stats.resampling import clusters_of
from nerscope.stats.spread import Spread, spreads_of
from nerscope.stats.surfaces import surface_intervals

_DIGITS = 6
_RUN = "\t"  # between the name of a system and the number of its run
Bounds = dict[str, Any]  # low, high, clusters, caution
RowBounds = dict[str, Bounds]  # by what names a row among those of a system, its run first


def bounds_of(
    evidence: Evidence, systems: Sequence[str], sampling: Sampling, *, each_run: bool = True
) -> dict[str, RowBounds]:
    """The bounds of all numbers of some systems: of the mean over runs, and of each run."""
    found: dict[str, RowBounds] = {system: {} for system in systems}
    unit = sampling.unit(evidence)
    clusters = clusters_of(evidence, unit)
    for division in evidence.divisions:
        for match in division.matches:
            clustered = Clustered(evidence, division, match, systems, clusters)
            for spread in _spreads(evidence, clustered, each_run):
                for name in spread.systems:
                    system, _, run = name.partition(_RUN)
                    found[system].update(named_bounds(evidence, spread, name, run, unit))
    for system in systems:
        runs = evidence.runs_of(system)
        wanted = {"": runs}
        if each_run and len(runs) > 1:
            wanted |= {evidence.runs[run][1]: [run] for run in runs}
        for number, own in wanted.items():
            for metric, size, interval in surface_intervals(evidence, own, clusters):
                key = "\t".join([number, "all", SURFACE, "all", "", metric])
                found[system][key] = _bounds(interval, size, 0.0, unit)
    return found


def _spreads(evidence: Evidence, clustered: Clustered, each_run: bool) -> list[Spread]:
    """That of each system; and if any has several runs, that of each run, if wanted."""
    names = [
        f"{system}{_RUN}{evidence.runs[run][1]}"
        for system in clustered.systems
        for run in evidence.runs_of(system)
    ]
    several = each_run and len(names) > len(clustered.systems)
    return spreads_of([clustered, *([clustered.apart(names)] if several else [])])


def named_bounds(
    evidence: Evidence, spread: Spread, system: str, run: str, unit: str
) -> Iterator[tuple[str, Bounds]]:
    """Bounds by the names of their rows."""
    values, clusters = spread.values(system), spread.clusters[spread.systems.index(system)]
    found = zip(spread.keys, intervals(spread, system), values, clusters, strict=True)
    for (level, kind, metric), interval, value, size in found:
        name = "" if kind is None else evidence.types[kind]
        key = "\t".join([run, spread.division.facet, spread.match, level, name, metric])
        yield key, _bounds(interval, size, value, unit)


def _bounds(interval: Interval, clusters: float, value: float, unit: str) -> Bounds:
    low, high = interval or (None, None)
    return {
        "low": low if low is None else round(low, _DIGITS) + 0.0,  # and never -0.0
        "high": high if high is None else round(high, _DIGITS) + 0.0,
        "clusters": round(clusters),
        "caution": caution(value, clusters, unit),
    }


def add_intervals(rows: Iterable[Row], dataset: str, found: Mapping[str, RowBounds]) -> None:
    """Put `low`, `high`, `clusters` and `caution` into the rows of a dataset.

    The summary over several runs has the interval of their mean; a single run has its own.
    """
    several = {
        row["system"] for row in rows if row["dataset"] == dataset and (row.get("runs") or 0) > 1
    }
    for row in rows:
        system = row["system"]
        if row["dataset"] != dataset or system not in found:
            continue
        run = row["run"] or "" if system in several else ""
        name = "\t".join(
            [run, row["facet"], row["match"], row["level"], row["type"] or "", row["metric"]]
        )
        if name in found[system]:
            row.update(found[system][name])  # type: ignore[typeddict-item]


def with_intervals(results: Results, wanted: Sampling | bool) -> Results:
    """The results with an interval for every number that can have one."""
    expect("intervals", wanted, (Sampling, bool), "say True, or give a Sampling")
    sampling = wanted if isinstance(wanted, Sampling) else Sampling()
    for evidence in results.evidence:
        bounds = bounds_of(evidence, evidence.systems, sampling)
        add_intervals(results.rows, evidence.dataset, bounds)
    said = [signed(part, sampling) for part in results.evidence]
    return Results(said, results.losses, results.rows, results.protocol)


def with_bounds(results: Results) -> Results:
    """The results for people to look at: means over runs have their intervals, even if nobody
    asked for any when they were evaluated, and the signature says what those rest on.
    """
    rows = [row.copy() for row in results.rows]
    known = {row["dataset"] for row in rows if row.get("low") is not None}
    for evidence in results.evidence:
        if evidence.dataset in known:
            continue
        bounds = bounds_of(evidence, evidence.systems, Sampling(), each_run=False)
        add_intervals([row for row in rows if row["run"] is None], evidence.dataset, bounds)
    parts = [
        part if part.dataset in known else signed(part, Sampling()) for part in results.evidence
    ]
    return Results(parts, results.losses, rows, results.protocol)


def signed(evidence: Evidence, sampling: Sampling) -> Evidence:
    """Evidence whose signature says what intervals rest on."""
    resampling = {"resample": sampling.unit(evidence)}
    return replace(evidence, signature=replace(evidence.signature, resampling=resampling))
