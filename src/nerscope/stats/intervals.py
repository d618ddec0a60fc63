"""Intervals for any cell: the bootstrap where there is enough to resample, a score interval where there is not.

With few units the percentiles of a bootstrap are too narrow. There, the interval is Wilson's, for as many independent units
as would give the variance that the jackknife over clusters finds, and with the quantile of Student's distribution.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import NamedTuple

import numpy as np

from nerscope.corpus.arrays import Floats, Ints
from nerscope.scoring.cells import numbers
from nerscope.scoring.evidence import Division, Evidence, used_types
from nerscope.stats.resampling import (
    ClusterCounts,
    Weights,
    bootstrap_weights,
    cluster_counts,
    clusters_of,
    resampled_counts,
    run_draws,
)

Z95 = 1.959963984540054
FEW = 200  # below this many units a cell gets a score interval


@dataclass(frozen=True, slots=True)
class Sampling:
    """How to resample: what is drawn, how often, and from which seed."""

    by: str = "sentence"
    samples: int = 10_000
    seed: int = 0


class CellKey(NamedTuple):
    """Which number of a facet: level, type (None for all), metric."""

    level: str
    type: int | None
    metric: str


class Spread(NamedTuple):
    """A facet's numbers for each run: as observed, and in every resample."""

    facet: str
    match: str
    observed: list[dict[CellKey, tuple[float, float]]]  # by run: value and denominator
    resampled: list[dict[CellKey, Floats]]  # by run: values in every resample
    counts: ClusterCounts


def spreads(evidence: Evidence, sampling: Sampling, runs: Sequence[int]) -> Iterator[Spread]:
    """Resample every facet and match for some runs, all with the same draws."""
    clusters = clusters_of(evidence, sampling.by, sampling.seed)
    weights = bootstrap_weights(int(clusters.max()) + 1, sampling.samples, sampling.seed)
    for facet, division in evidence.divisions.items():
        for match in division.matches:
            yield spread(evidence, facet, match, runs, clusters, weights)


def spread(evidence: Evidence, facet: str, match: str, runs: Sequence[int], clusters: Ints, weights: Weights) -> Spread:
    """Resample one facet and match."""
    division, types = evidence.divisions[facet], used_types(evidence)
    counts = cluster_counts(evidence, facet, match, clusters, runs)
    observed = [
        {
            CellKey(level, kind, metric): (float(value), float(n))
            for level, kind, metric, value, n in numbers(division, evidence.level_counts(run, facet, match), types)
        }
        for run in runs
    ]
    resampled = [
        {CellKey(level, kind, metric): value for level, kind, metric, value, _ in numbers(division, own, types)}
        for own in resampled_counts(division, counts, weights)
    ]
    return Spread(facet, match, observed, resampled, counts)


Interval = tuple[float, float] | None


def interval(found: Spread, division: Division, key: CellKey, runs: Sequence[int], draws: Ints | None) -> Interval:
    """The 95 % interval of the mean over some runs (places in the spread); `draws` says which runs each resample uses."""
    values = [found.observed[run][key] for run in runs]
    defined = [value for value, _ in values if not np.isnan(value)]
    size = min(n for _, n in values)
    if not defined or not size:
        return None
    if size < FEW and _is_share(key.metric):
        variance = jackknife_variance(found, division, key, runs)
        if len(defined) > 1:
            variance += float(np.var(defined, ddof=1)) / len(defined)
        return score_interval(float(np.mean(defined)), size, variance, _clusters_behind(found.counts))
    resampled = mean_over_runs([found.resampled[run][key] for run in runs], draws)
    resampled = resampled[~np.isnan(resampled)]
    if not len(resampled):
        return None
    low, high = np.percentile(resampled, [2.5, 97.5])
    return float(low), float(high)


def mean_over_runs(values: Sequence[Floats], draws: Ints | None) -> Floats:
    """The mean over the runs that each resample draws; over all of them if nothing is drawn."""
    if len(values) == 1:
        return values[0]
    stacked = np.stack(values)
    if draws is None:
        whole: Floats = stacked.mean(axis=0)
        return whole
    picked: Floats = np.take_along_axis(stacked, draws, axis=0).mean(axis=0)
    return picked


def _is_share(metric: str) -> bool:
    """Whether a metric is a share of units between 0 and 1, so that Wilson's interval fits."""
    return metric in ("precision", "recall", "f1", "f0.5", "f2", "accuracy", "ter")


def _clusters_behind(counts: ClusterCounts) -> int:
    return len(np.unique(np.concatenate([support for _, support, _ in counts.cells]))) if counts.cells else 0


def jackknife_variance(found: Spread, division: Division, key: CellKey, runs: Sequence[int]) -> float:
    """The variance of a number over clusters, from leaving out each cluster in which its level occurs."""
    left_out = leave_one_out(found.counts, division, key, runs)
    if left_out is None:
        return 0.0
    values = np.mean([_single(division, counts, key) for counts in left_out], axis=0)
    values = values[~np.isnan(values)]
    m = len(values)
    return float((m - 1) / m * ((values - values.mean()) ** 2).sum()) if m > 1 else 0.0


def leave_one_out(counts: ClusterCounts, division: Division, key: CellKey, runs: Sequence[int]) -> list[Floats] | None:
    """For each run, counts (clusters, 1, types, 4) of the key's level without each of the clusters that have it."""
    wanted = set(division.levels[key.level]) if key.level in division.levels else set()
    chosen = [
        (cell % counts.n_types, support, columns)
        for cell, support, columns in counts.cells
        if cell // counts.n_types in wanted and (key.type is None or cell % counts.n_types == key.type)
    ]
    if not chosen:
        return None
    clusters = np.unique(np.concatenate([support for _, support, _ in chosen]))
    dense = np.zeros((len(clusters), counts.n_types, 1 + 3 * counts.n_runs))
    for kind, support, columns in chosen:
        dense[np.searchsorted(clusters, support), kind] += columns.T
    without = dense.sum(axis=0) - dense
    return [without[:, None][..., [0, 1 + 3 * run, 2 + 3 * run, 3 + 3 * run]] for run in runs]


def _single(division: Division, counts: Floats, key: CellKey) -> Floats:
    from nerscope.scoring.metrics import METRICS

    value: Floats = METRICS[key.metric].value(counts)[:, 0]
    return value


def score_interval(value: float, size: float, variance: float, clusters: int) -> tuple[float, float]:
    """Wilson's interval for the number of independent units that has this variance.

    >>> [round(bound, 3) for bound in score_interval(0.9, 100, 0.0009, 10_000)]
    [0.826, 0.945]
    """
    if variance > 0 and 0 < value < 1:
        size = min(value * (1 - value) / variance, 2 * size)
    z = student_quantile(max(1, min(clusters, int(size)) - 1))
    scale = 1 + z * z / size
    centre = (value + z * z / (2 * size)) / scale
    half = z / scale * sqrt(value * (1 - value) / size + z * z / (4 * size * size))
    return max(0.0, centre - half), min(1.0, centre + half)


def student_quantile(degrees: int) -> float:
    """The 97.5 % point of Student's distribution, by the expansion of Cornish and Fisher.

    >>> round(student_quantile(10), 3), round(student_quantile(30), 3)
    (2.228, 2.042)
    """
    z, n = Z95, degrees
    return (
        z
        + (z**3 + z) / (4 * n)
        + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * n**2)
        + (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / (384 * n**3)
    )


def intervals(evidence: Evidence, sampling: Sampling) -> dict[tuple[str, str | None, str, str, CellKey], Interval]:
    """The interval of every number of every run and of every system; by system, run, facet, match and key."""
    found: dict[tuple[str, str | None, str, str, CellKey], Interval] = {}
    everyone = list(range(len(evidence.runs)))
    drawn = {
        system: run_draws(len(evidence.runs_of(system)), sampling.samples, sampling.seed + place + 1)
        for place, system in enumerate(evidence.systems)
    }
    for one in spreads(evidence, sampling, everyone):
        division = evidence.divisions[one.facet]
        for key in one.observed[0]:
            for run, (system, number) in enumerate(evidence.runs):
                found[system, number, one.facet, one.match, key] = interval(one, division, key, [run], None)
            for system in evidence.systems:
                runs = evidence.runs_of(system)
                if len(runs) == 1:
                    own = found[system, evidence.runs[runs[0]][1], one.facet, one.match, key]
                else:
                    own = interval(one, division, key, runs, drawn[system])
                found[system, None, one.facet, one.match, key] = own
    return found
