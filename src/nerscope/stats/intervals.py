"""Intervals for any cell: the bootstrap where there is enough to resample, a score interval where
there is not.

With few units the percentiles of a bootstrap are too narrow. There, the interval is Wilson's, for
as many independent units as would give the variance that the jackknife over clusters finds, and
with the quantile of Student's distribution.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Any, NamedTuple

import numpy as np

from nerscope.corpus.arrays import Floats, Ints
from nerscope.errors import UsageError, suggest
from nerscope.scoring.cells import numbers
from nerscope.scoring.evidence import Division, Evidence
from nerscope.scoring.metrics import METRICS
from nerscope.stats.resampling import (
    CLUSTERS,
    ClusterCounts,
    RunShares,
    Weights,
    batches,
    cluster_counts,
    resampled_counts,
    resampled_totals,
    run_columns,
)

Z95 = 1.959963984540054
MOST_SAMPLES = 1_000_000
# below this many units, an average over types gets no interval: there is too little to resample
FEWEST = 30
FEW = 200  # below this many units a cell gets a score interval


@dataclass(frozen=True, slots=True)
class Sampling:
    """How to resample: what is drawn, how often, and from which seed."""

    by: str = "sentence"
    samples: int = 10_000
    seed: int = 0

    def __post_init__(self) -> None:
        if not isinstance(self.samples, int) or not 1 <= self.samples <= MOST_SAMPLES:
            raise UsageError(
                "samples",
                f"{self.samples!r} cannot be",
                f"give 10000 for publication, {MOST_SAMPLES} at the most",
            )
        if not isinstance(self.seed, int) or self.seed < 0:
            raise UsageError("seed", f"{self.seed!r} cannot be", "give a whole number from 0 on")
        if self.by not in CLUSTERS:
            raise UsageError(
                "resample", f"there is no '{self.by}' to resample", suggest(self.by, CLUSTERS)
            )

    def signature(self) -> dict[str, str]:
        """How the intervals were made."""
        return {"resample": self.by, "samples": str(self.samples), "seed": str(self.seed)}


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
    swapped: Sequence[
        Floats
    ]  # by run: counts over the sentences that change places, in every round


def spreads(
    evidence: Evidence,
    runs: Sequence[int],
    clusters: Ints,
    weights: Weights,
    swaps: Weights | None = None,
) -> Iterator[Spread]:
    """Resample every facet and match for some runs, all with the same draws (and with the same
    swaps, if asked for).
    """
    everyone = [
        (facet, match, cluster_counts(evidence, facet, match, clusters, runs))
        for facet, division in evidence.divisions.items()
        for match in division.matches
    ]
    for batch in batches(everyone, weights.shape[1]):
        counts = [item[2] for item in batch]
        drawn = resampled_totals(counts, weights)
        swapped = resampled_totals(counts, swaps) if swaps is not None else None
        for (facet, match, own), totals in zip(batch, drawn, strict=True):
            parts = (
                _by_run(evidence.divisions[facet], own, next(swapped), weights) if swapped else []
            )
            yield _spread(
                evidence,
                facet,
                match,
                runs,
                own,
                _by_run(evidence.divisions[facet], own, totals, weights),
                parts,
            )


def _by_run(
    division: Division, counts: ClusterCounts, totals: Sequence[Any], weights: Weights
) -> list[Floats]:
    return list(resampled_counts(division, counts, totals, weights.shape[1]))


def _spread(
    evidence: Evidence,
    facet: str,
    match: str,
    runs: Sequence[int],
    counts: ClusterCounts,
    resampled: Sequence[Floats],
    swapped: Sequence[Floats],
) -> Spread:
    division, types = evidence.divisions[facet], range(len(evidence.types))
    observed = [
        {
            CellKey(level, kind, metric): (float(value), float(n))
            for level, kind, metric, value, n in numbers(
                division, evidence.level_counts(run, facet, match), types
            )
        }
        for run in runs
    ]
    values = [
        {
            CellKey(level, kind, metric): value
            for level, kind, metric, value, _ in numbers(division, own, types)
        }
        for own in resampled
    ]
    return Spread(facet, match, observed, values, counts, swapped)


Interval = tuple[float, float] | None


def interval(
    found: Spread, division: Division, key: CellKey, runs: Sequence[int], shares: RunShares | None
) -> Interval:
    """The 95 % interval of the mean over some runs (places in the spread), which have these shares
    in each resample.
    """
    values = np.array([found.observed[run][key][0] for run in runs])
    size = min(found.observed[run][key][1] for run in runs)
    if np.isnan(values).all() or not size:
        return None
    mean = float(np.nanmean(values))
    resampled = [found.resampled[run][key] for run in runs]
    noise = RunNoise.of(values, resampled, shares)
    if size < FEW and _is_share(key.metric):
        variance = jackknife_variance(found, division, key, runs) + noise.variance
        return score_interval(mean, size, variance, most=2 * size * len(runs))
    if size < FEWEST:
        return None
    return percentile_interval(widened(mean, mean_over_runs(resampled) - mean, [(1, noise)]))


def percentile_interval(values: Floats) -> Interval:
    """The 2.5 % and 97.5 % points of the values that are defined.

    >>> percentile_interval(np.arange(1001.0))
    (25.0, 975.0)
    """
    if np.isnan(values.sum()):
        values = values[~np.isnan(values)]
    last = len(values) - 1
    if last < 0:
        return None
    at = [0.025 * last, 0.975 * last]
    ordered = np.partition(
        values, sorted({int(place) for low in at for place in (low, min(low + 1, last))})
    )
    bounds = [
        float(ordered[int(place)])
        + (place - int(place)) * float(ordered[min(int(place) + 1, last)] - ordered[int(place)])
        for place in at
    ]
    return bounds[0], bounds[1]


def mean_over_runs(values: Sequence[Floats]) -> Floats:
    """The mean over runs in each resample."""
    mean: Floats = values[0] if len(values) == 1 else np.stack(values).mean(axis=0)
    return mean


_FOR_VARIANCE = 1000  # resamples are enough to estimate a variance


class RunNoise(NamedTuple):
    """How far the mean over runs would move with other runs: in each resample, its variance, and
    how many runs tell so.

    The runs of a system differ for two reasons: training went differently, and they disagree on
    single sentences. The second is in the resampling of sentences already. So the spread of the
    runs is shrunk to what sentences do not explain.
    """

    moves: Floats | float
    variance: float
    n_runs: int

    @classmethod
    def of(
        cls, observed: Floats, resampled: Sequence[Floats], shares: RunShares | None
    ) -> "RunNoise":
        """The noise of the runs with these observed and resampled values."""
        if shares is None or np.isnan(observed).any():
            return cls(0.0, 0.0, len(observed))
        residuals = observed - observed.mean()
        spread = float(residuals @ residuals) / (len(observed) - 1)
        few = np.stack([values[:_FOR_VARIANCE] for values in resampled])
        by_sentences = sum(_variance(own) for own in few - few.mean(axis=0)) / (len(observed) - 1)
        unexplained = max(0.0, spread - by_sentences)
        if not unexplained:
            return cls(0.0, 0.0, len(observed))
        moves: Floats = (residuals * np.sqrt(unexplained / spread)).astype(np.float32) @ shares
        return cls(moves, unexplained / len(observed), len(observed))


def _variance(values: Floats) -> float:
    """The variance of what is defined; 0 if nothing is."""
    defined = values[~np.isnan(values)]
    return float(defined.var()) if len(defined) else 0.0


def widened(centre: float, deviations: Floats, noises: Sequence[tuple[int, RunNoise]]) -> Floats:
    """Resampled values around a centre: deviations by sentences, plus noise of runs (with its
    sign).

    The variance of few runs is itself uncertain. Where it matters, the tails are widened to
    Student's distribution, with the degrees of freedom that Satterthwaite's formula gives to the
    sum.
    """
    by_runs = sum(noise.variance for _, noise in noises)
    if not by_runs:
        return centre + deviations
    by_sentences = _variance(deviations[:_FOR_VARIANCE])
    degrees = (by_sentences + by_runs) ** 2 / sum(
        noise.variance**2 / (noise.n_runs - 1) for _, noise in noises if noise.variance
    )
    factor = student_quantile(max(2, int(degrees))) / Z95
    moved = deviations + sum(sign * noise.moves for sign, noise in noises)
    return centre + factor * moved


def _is_share(metric: str) -> bool:
    """Whether a metric is a share of units between 0 and 1, so that Wilson's interval fits."""
    return metric in ("precision", "recall", "f1", "f0.5", "f2", "accuracy", "ter")


def jackknife_variance(
    found: Spread, division: Division, key: CellKey, runs: Sequence[int]
) -> float:
    """The variance of a number over clusters, from leaving out each cluster in which its level
    occurs.
    """
    left_out = leave_one_out(found.counts, division, key, runs)
    if left_out is None:
        return 0.0
    values = np.mean([_single(counts, key) for counts in left_out], axis=0)
    values = values[~np.isnan(values)]
    m = len(values)
    return float((m - 1) / m * ((values - values.mean()) ** 2).sum()) if m > 1 else 0.0


def leave_one_out(
    counts: ClusterCounts, division: Division, key: CellKey, runs: Sequence[int]
) -> list[Floats] | None:
    """For each run, counts (clusters, 1, types, 4) of the key's level without each of the clusters
    that have it.
    """
    wanted = division.levels.get(key.level, ())
    chosen = []
    for cell in counts.cells:
        code, kind = divmod(cell.cell, counts.n_types)
        if code in wanted and key.type in (None, kind):
            chosen.append((kind, cell))
    if not chosen:
        return None
    clusters = np.unique(np.concatenate([cell.support for _, cell in chosen]))
    dense = np.zeros((len(clusters), counts.n_types, 1 + 3 * counts.n_runs))
    for kind, cell in chosen:
        dense[np.searchsorted(clusters, cell.support), kind] += cell.distinct[cell.place].T
    own = sorted({column for run in runs for column in run_columns(run)})
    dense = dense[
        dense[..., own].any(axis=(1, 2))
    ]  # clusters that only other systems know are not left out
    without = dense.sum(axis=0) - dense
    return [without[:, None][..., run_columns(run)] for run in runs]


def _single(counts: Floats, key: CellKey) -> Floats:
    value: Floats = METRICS[key.metric].value(counts)[:, 0]
    return value


def score_interval(value: float, size: float, variance: float, most: float) -> tuple[float, float]:
    """Wilson's interval for the number of independent units that has this variance, which is taken
    to be `most` at the most.

    >>> [round(bound, 3) for bound in score_interval(0.9, 100, 0.0009, 200)]
    [0.825, 0.945]
    """
    z = student_quantile(max(1, int(size) - 1))
    if variance > 0 and 0 < value < 1:
        size = min(value * (1 - value) / variance, most)
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


class Bounds(NamedTuple):
    """The interval of one number of a system; `run` is None for the mean over its runs."""

    system: str
    run: str | None
    facet: str
    match: str
    key: CellKey
    interval: Interval


def system_bounds(
    found: Spread, division: Division, system: str, places: Sequence[int], shares: RunShares | None
) -> Iterator[Bounds]:
    """The intervals of a facet's numbers. With several runs, it is the mean over them that has one."""
    for key in found.observed[0]:
        own = interval(found, division, key, places, shares)
        yield Bounds(system, None, found.facet, found.match, key, own)
        if len(places) == 1:
            yield Bounds(system, "1", found.facet, found.match, key, own)
