"""Draws: every number of a facet as observed and resampled; ask for intervals or differences."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from nerscope.corpus.arrays import Floats
from nerscope.errors import UsageError
from nerscope.scoring.evidence import Division, Evidence
from nerscope.scoring.metrics import FREE, MICRO, SHARE, Metric, Numbers, metric_named
from nerscope.stats.corrections import SIGNIFICANT
from nerscope.stats.intervals import (
    Interval,
    RunNoise,
    Sampling,
    bounded,
    mean_over_runs,
    percentile_interval,
    score_interval,
    widened,
)
from nerscope.stats.jackknife import clustered, jackknife_variance
from nerscope.stats.paired import METHODS, Paired
from nerscope.stats.resampling import (
    ClusterCounts,
    RunShares,
    batches,
    bootstrap_weights,
    cluster_counts,
    clusters_of,
    resampled_counts,
    resampled_totals,
    run_shares,
    swap_weights,
)

_MOST_WEIGHTS = 2_000_000_000  # bytes: one for each cluster and resample
FEWEST = 30  # below this many units, an average over types gets no interval: too little to resample
FEW = 200  # below this many units a share gets a score interval


class CellKey(NamedTuple):
    """Which number of a facet: level, type (None for all), metric."""

    level: str
    type: int | None
    metric: str


class Bounds(NamedTuple):
    """The interval of one number of a system."""

    division: Division
    match: str
    key: CellKey
    interval: Interval


class Difference(NamedTuple):
    """One cell of a comparison: A's number, B's, and what resampling says of the difference."""

    a_system: str
    b_system: str
    division: Division
    match: str
    key: CellKey
    a: float
    b: float
    interval: Interval
    p: float
    n: float


class _System(NamedTuple):
    """One number of one system: mean over runs, denominator, resamples, and the noise of runs."""

    value: float
    n: float
    resampled: Floats
    noise: RunNoise


@dataclass(frozen=True, eq=False)
class Draws:
    """One facet under one match, for the runs of some systems, all with the same resamples."""

    evidence: Evidence
    division: Division
    match: str
    runs: Sequence[int]
    shares: Mapping[str, RunShares | None]  # by system: of each run in the mean of each resample
    counts: ClusterCounts
    resampled_counts: Sequence[Floats]  # by run
    swapped_counts: Sequence[Floats]  # by run: over the clusters that change places; may be empty

    def intervals(self, system: str) -> Iterator[Bounds]:
        """The interval of every number of a system: of the mean, if it has several runs."""
        for key in self.observed[0]:
            found = self._interval(key, self._places(system), self.shares[system])
            yield Bounds(self.division, self.match, key, found)

    def differences(
        self, pairs: Sequence[tuple[str, str]], method: str, alpha: float = SIGNIFICANT
    ) -> Iterator[Difference]:
        """What a paired test says of the difference between A and B in every number."""
        compared = list(dict.fromkeys(system for pair in pairs for system in pair))
        nulls = [self._swapped_differences(a, b) if self.swapped_counts else {} for a, b in pairs]
        for key in self.observed[0] if pairs else ():
            found = {system: self._system(key, system) for system in compared}
            for (a, b), null in zip(pairs, nulls, strict=True):
                yield self._difference(
                    key, (a, b), found[a], found[b], null.get(key), method, alpha
                )

    @cached_property
    def observed(self) -> list[dict[CellKey, tuple[float, float]]]:
        """By run: value and denominator of each number."""
        return [
            {
                key: (float(value), float(n))
                for key, value, n in _cells(self.evidence.numbers(run, self.division, self.match))
            }
            for run in self.runs
        ]

    @cached_property
    def resampled(self) -> list[dict[CellKey, Floats]]:
        """By run: the values of each number in every resample."""
        return [self._values(counts) for counts in self.resampled_counts]

    def _values(self, counts: Floats) -> dict[CellKey, Floats]:
        found = self.division.numbers(self.match, counts, self._zero_division)
        return {key: value for key, value, _ in _cells(found)}

    @property
    def _zero_division(self) -> float | None:
        return self.evidence.signature.zero_division

    def _places(self, system: str) -> list[int]:
        return [self.runs.index(run) for run in self.evidence.runs_of(system)]

    def _interval(self, key: CellKey, places: Sequence[int], shares: RunShares | None) -> Interval:
        metric = metric_named(key.metric)
        values = np.array([self.observed[place][key][0] for place in places])
        size = min(self.observed[place][key][1] for place in places)
        if np.isnan(values).all() or not size:
            return None
        mean = float(np.nanmean(values))
        resampled = [self.resampled[place][key] for place in places]
        noise = RunNoise.of(values, resampled, shares)
        if size < FEW and metric.kind == SHARE and metric.average == MICRO:
            variance = self._jackknife_variance(key, metric, places) + noise.variance
            return score_interval(mean, size, variance, most=2 * size * len(places))
        if size < FEWEST:
            return None
        moved = widened(mean, mean_over_runs(resampled) - mean, [(1, noise)])
        found = percentile_interval(moved)
        return found if metric.kind == FREE else bounded(found, 0.0, metric.most)

    def _jackknife_variance(self, key: CellKey, metric: Metric, places: Sequence[int]) -> float:
        """The variance over the clusters in which the level occurs."""
        codes = self.division.levels.get(key.level, ())
        by_run = clustered(self.counts, codes, key.type, places)
        return 0.0 if by_run is None else jackknife_variance(by_run, metric, self._zero_division)

    def _system(self, key: CellKey, system: str) -> _System:
        places = self._places(system)
        values = np.array([self.observed[place][key][0] for place in places])
        defined = values[~np.isnan(values)]
        resampled = [self.resampled[place][key] for place in places]
        return _System(
            float(defined.mean()) if len(defined) else float("nan"),
            float(np.mean([self.observed[place][key][1] for place in places])),
            mean_over_runs(resampled),
            RunNoise.of(values, resampled, self.shares[system]),
        )

    def _difference(
        self,
        key: CellKey,
        names: tuple[str, str],
        a: _System,
        b: _System,
        null: Floats | None,
        method: str,
        alpha: float,
    ) -> Difference:
        observed, found, p = a.value - b.value, None, float("nan")
        if not np.isnan(observed):
            noises = [(1, a.noise), (-1, b.noise)]
            moved = widened(observed, a.resampled - b.resampled - observed, noises)
            found = percentile_interval(moved, alpha)
            if found:
                swapped = None if null is None else widened(0.0, null, noises)
                p = METHODS[method].p(Paired(observed, moved, swapped))
            if metric_named(key.metric).is_fraction:
                found = bounded(found, -1.0, 1.0)
        n = (a.n + b.n) / 2
        return Difference(*names, self.division, self.match, key, a.value, b.value, found, p, n)

    def _swapped_differences(self, a: str, b: str) -> dict[CellKey, Floats]:
        """The differences where the systems change places at random, cluster by cluster.

        Runs are paired in order, the shorter list starting over.
        """
        ours, theirs = self._places(a), self._places(b)
        pairs = [
            (ours[k % len(ours)], theirs[k % len(theirs)])
            for k in range(max(len(ours), len(theirs)))
        ]
        sums: dict[CellKey, Floats] = {}
        for left, right in pairs:
            exchanged = self.swapped_counts[right] - self.swapped_counts[left]
            one, other = self._exchanged(left, exchanged), self._exchanged(right, -exchanged)
            for key in one:
                sums[key] = sums.get(key, 0.0) + (one[key] - other[key]) / len(pairs)
        return sums

    def _exchanged(self, place: int, exchanged: Floats) -> dict[CellKey, Floats]:
        own = self.evidence.level_counts(self.runs[place], self.division, self.match)
        return self._values(own + exchanged)


def draw(
    evidence: Evidence, sampling: Sampling, systems: Sequence[str], *, swaps: bool = False
) -> Iterator[Draws]:
    """Resample every facet and match for some systems, with swaps if a test will ask for them."""
    everyone = [system for system in evidence.systems if system in systems]
    runs = [run for system in everyone for run in evidence.runs_of(system)]
    samples, seed = sampling.samples, sampling.seed
    shares = {
        system: run_shares(system, len(evidence.runs_of(system)), samples, seed)
        for system in everyone
    }
    clusters = clusters_of(evidence, sampling.resample, seed)
    n_clusters = int(clusters.max()) + 1
    if n_clusters * samples > _MOST_WEIGHTS:
        raise UsageError(
            "samples",
            f"{samples} resamples of {n_clusters} clusters do not fit into memory",
            f"give {_MOST_WEIGHTS // n_clusters} at the most",
        )
    weights = bootstrap_weights(n_clusters, samples, seed)
    swap = swap_weights(n_clusters, samples, seed) if swaps else None
    items = [
        ((division, match), cluster_counts(evidence, division, match, clusters, runs))
        for division in evidence.divisions
        for match in division.matches
    ]
    for batch in batches(items, samples):
        counts = [own for _, own in batch]
        drawn = resampled_totals(counts, weights)
        swapped = resampled_totals(counts, swap) if swap is not None else None
        for ((division, match), own), totals in zip(batch, drawn, strict=True):
            parts = _by_run(division, own, next(swapped), samples) if swapped else []
            resampled = _by_run(division, own, totals, samples)
            yield Draws(evidence, division, match, runs, shares, own, resampled, parts)


def _cells(
    found: Iterable[tuple[Metric, Numbers]],
) -> Iterator[tuple[CellKey, Floats, Floats]]:
    """Every number by its key: value and denominator, arrays if counts were of many resamples."""
    for metric, (levels, values, sizes) in found:
        for place, level in enumerate(levels):
            for at in range(values.shape[-1]):
                key = CellKey(level, at - 1 if at else None, metric.name)
                yield key, values[..., place, at], sizes[..., place, at]


def _by_run(
    division: Division,
    counts: ClusterCounts,
    totals: Sequence[npt.NDArray[np.float32]],
    samples: int,
) -> list[Floats]:
    return list(resampled_counts(division, counts, totals, samples))
