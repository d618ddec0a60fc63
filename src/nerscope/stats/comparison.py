"""Is A better than B? Paired tests on any cell, with the variance of sentences and of training runs."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from nerscope.corpus.arrays import Floats, Ints
from nerscope.errors import UsageError, suggest
from nerscope.scoring.cells import numbers
from nerscope.scoring.evidence import Evidence, used_types
from nerscope.stats.intervals import CellKey, Sampling, Spread, mean_over_runs, spread
from nerscope.stats.resampling import bootstrap_weights, clusters_of, resampled_counts, run_draws, swap_weights

METHODS = ("bootstrap", "randomisation")
_EPSILON = 1e-9  # rounding in 32-bit sums must not decide a tie


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


def differences(
    evidence: Evidence, pairs: Sequence[tuple[str, str]], sampling: Sampling, method: str = "bootstrap"
) -> Iterator[Difference]:
    """All cells of all pairs of systems."""
    if method not in METHODS:
        raise UsageError("method", f"there is no test '{method}'", suggest(method, METHODS))
    systems = [system for system in evidence.systems if any(system in pair for pair in pairs)]
    runs = [run for system in systems for run in evidence.runs_of(system)]
    places = {system: [runs.index(run) for run in evidence.runs_of(system)] for system in systems}
    draws = {
        system: run_draws(len(places[system]), sampling.samples, sampling.seed + number + 1)
        for number, system in enumerate(systems)
    }
    clusters = clusters_of(evidence, sampling.by, sampling.seed)
    n_clusters = int(clusters.max()) + 1
    weights = bootstrap_weights(n_clusters, sampling.samples, sampling.seed)
    swaps = swap_weights(n_clusters, sampling.samples, sampling.seed) if method == "randomisation" else None
    for facet, division in evidence.divisions.items():
        for match in division.matches:
            found = spread(evidence, facet, match, runs, clusters, weights)
            parts = list(resampled_counts(division, found.counts, swaps)) if swaps is not None else []
            shuffled = _Swaps(evidence, found, runs, parts)
            for a, b in pairs:
                null = shuffled.differences(places[a], places[b]) if parts else {}
                for key in found.observed[0]:
                    means = {
                        name: mean_over_runs([found.resampled[run][key] for run in places[name]], draws[name]) for name in (a, b)
                    }
                    yield _difference(found, key, (a, b), places, means[a] - means[b], null.get(key), draws)


class _Swaps(NamedTuple):
    """Numbers of two systems whose outputs change places at random, sentence by sentence."""

    evidence: Evidence
    found: Spread
    runs: Sequence[int]
    parts: Sequence[Floats]  # by run: counts over the swapped sentences only

    def differences(self, a: Sequence[int], b: Sequence[int]) -> dict[CellKey, Floats]:
        """The difference under every swap; runs are paired in order, the shorter list starting over."""
        pairs = [(a[k % len(a)], b[k % len(b)]) for k in range(max(len(a), len(b)))]
        sums: dict[CellKey, Floats] = {}
        for left, right in pairs:
            exchanged = self.parts[right] - self.parts[left]
            one, other = self._numbers(left, exchanged), self._numbers(right, -exchanged)
            for key in one:
                sums[key] = sums.get(key, 0.0) + (one[key] - other[key]) / len(pairs)
        return sums

    def _numbers(self, run: int, exchanged: Floats) -> dict[CellKey, Floats]:
        facet, match = self.found.facet, self.found.match
        counts = self.evidence.level_counts(self.runs[run], facet, match) + exchanged
        division = self.evidence.divisions[facet]
        found = numbers(division, counts, used_types(self.evidence))
        return {CellKey(level, kind, metric): value for level, kind, metric, value, _ in found}


def _difference(
    found: Spread,
    key: CellKey,
    pair: tuple[str, str],
    places: dict[str, list[int]],
    resampled: Floats,
    null: Floats | None,
    draws: dict[str, Ints | None],
) -> Difference:
    observed = {name: np.array([found.observed[run][key][0] for run in places[name]]) for name in pair}
    a, b = (float(_mean(observed[name])) for name in pair)
    n = float(np.mean([found.observed[run][key][1] for name in pair for run in places[name]]))
    known = resampled[~np.isnan(resampled)]
    low = high = p = float("nan")
    if not (np.isnan(a) or np.isnan(b)) and len(known):
        low, high = (float(bound) for bound in np.percentile(known, [2.5, 97.5]))
        if null is None:
            null = known - (a - b)  # the bootstrap distribution, moved to where there is no difference
        else:
            null = null[~np.isnan(null)] + sum(
                sign * _run_noise(observed[name], draws[name], len(null)) for name, sign in zip(pair, (1, -1), strict=True)
            )
        p = p_value(a - b, null)
    return Difference(*pair, found.facet, found.match, key, a, b, low, high, p, n)


def _mean(values: Floats) -> float:
    defined = values[~np.isnan(values)]
    return float(defined.mean()) if len(defined) else float("nan")


def _run_noise(values: Floats, draws: Ints | None, samples: int) -> Floats | float:
    """What the mean over runs would vary by with other runs."""
    if draws is None:
        return 0.0
    noise: Floats = (values - values.mean())[draws[:, :samples]].mean(axis=0)
    return noise


def p_value(difference: float, null: Floats) -> float:
    """How often a difference as large as the observed one comes about without any.

    >>> p_value(0.0, np.zeros(9))
    1.0
    """
    extreme = np.count_nonzero(np.abs(null) >= abs(difference) - _EPSILON)
    return float((1 + extreme) / (1 + len(null)))
