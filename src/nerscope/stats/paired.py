"""Is A better than B? Paired tests on any cell, with the variance of sentences and of training
runs.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from nerscope.corpus.arrays import Floats
from nerscope.errors import UsageError, suggest
from nerscope.scoring.cells import numbers
from nerscope.scoring.evidence import Evidence
from nerscope.stats.intervals import (
    Bounds,
    CellKey,
    RunNoise,
    Sampling,
    Spread,
    mean_over_runs,
    percentile_interval,
    spreads,
    system_bounds,
    widened,
)
from nerscope.stats.resampling import (
    RunShares,
    bootstrap_weights,
    clusters_of,
    run_shares,
    swap_weights,
)

METHODS = ("bootstrap", "randomisation")
_EPSILON = 1e-7  # rounding in 32-bit sums must not decide a tie


class Difference(NamedTuple):
    """One cell of a comparison: A's number, B's, and what resampling says of the difference."""

    a_system: str
    b_system: str
    facet: str
    match: str
    key: CellKey
    a: float
    b: float
    low: float
    high: float
    p: float
    n: float


def resample(
    evidence: Evidence,
    sampling: Sampling,
    *,
    systems: Sequence[str] = (),
    pairs: Sequence[tuple[str, str]] = (),
    method: str = "bootstrap",
) -> Iterator[Bounds | Difference]:
    """Intervals of some systems and differences of some pairs, for every number of every facet, all
    in one pass.
    """
    if method not in METHODS:
        raise UsageError("method", f"there is no test '{method}'", suggest(method, METHODS))
    compared = [system for system in evidence.systems if any(system in pair for pair in pairs)]
    everyone = [system for system in evidence.systems if system in systems or system in compared]
    runs = [run for system in everyone for run in evidence.runs_of(system)]
    places = {system: [runs.index(run) for run in evidence.runs_of(system)] for system in everyone}
    shares = {
        system: run_shares(system, len(places[system]), sampling.samples, sampling.seed)
        for system in everyone
    }
    clusters = clusters_of(evidence, sampling.by, sampling.seed)
    n_clusters = int(clusters.max()) + 1
    weights = bootstrap_weights(n_clusters, sampling.samples, sampling.seed)
    swaps = (
        swap_weights(n_clusters, sampling.samples, sampling.seed)
        if method == "randomisation" and pairs
        else None
    )
    for found in spreads(evidence, runs, clusters, weights, swaps):
        for system in systems:
            yield from system_bounds(
                found, evidence.divisions[found.facet], system, places[system], shares[system]
            )
        shuffled = _Swaps(evidence, found, runs)
        nulls = [
            shuffled.differences(places[a], places[b]) if swaps is not None else {}
            for a, b in pairs
        ]
        for key in found.observed[0] if pairs else ():
            at_key = {name: _System.at(found, key, places[name], shares[name]) for name in compared}
            for (a, b), null in zip(pairs, nulls, strict=True):
                yield _difference(found, key, (a, b), at_key[a], at_key[b], null.get(key))


class _System(NamedTuple):
    """One number of one system: its mean over runs, its denominator, its resamples, and how other
    runs might move it.
    """

    value: float
    n: float
    resampled: Floats
    noise: RunNoise

    @classmethod
    def at(
        cls, found: Spread, key: CellKey, runs: Sequence[int], shares: RunShares | None
    ) -> "_System":
        """Gather it from the runs."""
        values = np.array([found.observed[run][key][0] for run in runs])
        defined = values[~np.isnan(values)]
        resampled = [found.resampled[run][key] for run in runs]
        return cls(
            float(defined.mean()) if len(defined) else float("nan"),
            float(np.mean([found.observed[run][key][1] for run in runs])),
            mean_over_runs(resampled),
            RunNoise.of(values, resampled, shares),
        )


class _Swaps(NamedTuple):
    """Numbers of two systems whose outputs change places at random, sentence by sentence."""

    evidence: Evidence
    found: Spread
    runs: Sequence[int]

    def differences(self, a: Sequence[int], b: Sequence[int]) -> dict[CellKey, Floats]:
        """The difference under every swap; runs are paired in order, the shorter list starting
        over.
        """
        pairs = [(a[k % len(a)], b[k % len(b)]) for k in range(max(len(a), len(b)))]
        sums: dict[CellKey, Floats] = {}
        for left, right in pairs:
            exchanged = self.found.swapped[right] - self.found.swapped[left]
            one, other = self._numbers(left, exchanged), self._numbers(right, -exchanged)
            for key in one:
                sums[key] = sums.get(key, 0.0) + (one[key] - other[key]) / len(pairs)
        return sums

    def _numbers(self, run: int, exchanged: Floats) -> dict[CellKey, Floats]:
        facet, match = self.found.facet, self.found.match
        counts = self.evidence.level_counts(self.runs[run], facet, match) + exchanged
        division = self.evidence.divisions[facet]
        found = numbers(division, counts, range(len(self.evidence.types)))
        return {CellKey(level, kind, metric): value for level, kind, metric, value, _ in found}


def _difference(
    found: Spread, key: CellKey, names: tuple[str, str], a: _System, b: _System, null: Floats | None
) -> Difference:
    low = high = p = float("nan")
    observed = a.value - b.value
    noises = [(1, a.noise), (-1, b.noise)]
    resampled = (
        widened(observed, a.resampled - b.resampled - observed, noises)
        if not np.isnan(observed)
        else np.zeros(0)
    )
    bounds = percentile_interval(resampled)
    if bounds:
        low, high = bounds
        # The bootstrap distribution, moved to where there is no difference; or the swaps, with what
        # other runs would do.
        p = p_value(observed, resampled - observed if null is None else widened(0.0, null, noises))
    return Difference(
        *names, found.facet, found.match, key, a.value, b.value, low, high, p, (a.n + b.n) / 2
    )


def p_value(difference: float, null: Floats) -> float:
    """How often a difference as large as the observed one comes about without any.

    >>> p_value(0.0, np.zeros(9))
    1.0
    """
    defined = (
        len(null) - int(np.count_nonzero(np.isnan(null))) if np.isnan(null.sum()) else len(null)
    )
    extreme = np.count_nonzero(
        np.abs(null) >= abs(difference) - _EPSILON
    )  # what is undefined is not extreme
    return float((1 + extreme) / (1 + defined))
