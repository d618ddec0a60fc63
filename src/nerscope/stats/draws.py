"""P-values for two sets of outputs, from random swaps or resampled clusters.

If two systems are equally good, swapping their outputs in some documents changes nothing. The
observed difference should then look like the differences after such swaps. If few clusters differ,
all swaps are enumerated; otherwise many swaps are drawn at random.
"""

from collections.abc import Iterator, Sequence
from math import lcm, prod
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from nerscope.corpus.arrays import Bools, Floats, Ints
from nerscope.errors import UsageError
from nerscope.scoring.metrics import MICRO
from nerscope.stats.clusters import (
    ClusterCounts,
    DifferingClusters,
    Weights,
    bootstrap_weights,
    exact_type,
    swap_weights,
)
from nerscope.stats.intervals import Sampling
from nerscope.stats.paired import DEFAULT_METHOD, EXACT, METHODS, Method, Paired, p_value
from nerscope.stats.runs import mean_of_defined

_MOST_WEIGHTS = 2_000_000_000  # bytes: one per cluster and resample
_MOST_VALUES = 8_000_000  # counts of resamples in memory at once
_DIGITS = 12
_MOST_ENUMERATED = 12  # differing clusters: 4,096 swaps, fewer than the usual samples


class ResampleWeights(NamedTuple):
    """The random weights of all clusters (rows) in all resamples (columns), if needed."""

    drawn: Weights | None
    swapped: Weights | None

    @classmethod
    def of(cls, n_clusters: int, sampling: Sampling, method: Method) -> "ResampleWeights":
        """The weights that a method needs."""
        samples, seed = sampling.samples, sampling.seed
        if n_clusters * samples > _MOST_WEIGHTS:
            raise UsageError(
                "samples",
                f"{samples} resamples of {n_clusters} clusters do not fit into memory",
                f"--samples {_MOST_WEIGHTS // n_clusters} (or fewer)",
            )
        return cls(
            bootstrap_weights(n_clusters, samples, seed) if method.needs_resamples else None,
            swap_weights(n_clusters, samples, seed) if method.needs_swaps else None,
        )


class PValues(NamedTuple):
    """P-values and the test of each; NaN and None if nothing was tested.

    `null` maps the index of each number in a family to an array: for each sample, the number of
    samples that are as extreme as this one. See `corrections.step_down_min_p`.
    """

    p: Floats
    test: list[str | None]
    null: dict[int, Ints]


def p_values_of_outputs(
    clustered: ClusterCounts,
    pair: tuple[str, str],
    method: str,
    weights: ResampleWeights,
    testable: Bools,
    in_family: Bools | None = None,
) -> PValues:
    """Test every testable number: are the outputs of A and B equally good?

    Numbers that are `in_family` also keep the p-value of each sample.
    """
    runs = [clustered.runs_of(name) for name in pair]
    values = [mean_of_defined(clustered.values[side]) for side in runs]
    observed = values[0] - values[1]
    p, test = np.full(len(observed), np.nan), list[str | None]([None] * len(observed))
    to_test = testable & ~np.isnan(observed)
    if to_test.any():
        differing = clustered.differing(*pair)
        if METHODS[method].is_exact_if_few and max(map(len, runs)) == 1:
            for at in np.flatnonzero(to_test & (differing.number() <= _MOST_ENUMERATED)):
                exact = _exact(clustered, differing, runs[0][0], runs[1][0], int(at))
                if exact is not None:
                    p[at], test[at], to_test[at] = exact, EXACT, False
    # `null` ranks samples by the size of the difference, which only randomisation does.
    joint = np.zeros(len(observed), bool)
    if in_family is not None and method == DEFAULT_METHOD:
        joint = in_family & testable & ~np.isnan(observed)
    places = np.flatnonzero(to_test | joint)
    null = dict[int, Ints]()
    if len(places):
        # Each has one column per place, or is None if the method does not need it.
        resampled = swapped = by_cluster = None
        if weights.drawn is not None:
            resampled = _resampled(clustered, runs, weights.drawn, places)
        if weights.swapped is not None:
            swapped = _swapped(clustered, runs, weights.swapped, places)
        if METHODS[method].needs_clusters:
            by_cluster = _by_cluster(clustered, runs, places)
        for column, at in enumerate(places):
            paired = Paired(
                observed[at],
                None if resampled is None else resampled[:, column],
                None if swapped is None else swapped[:, column],
                None if by_cluster is None else by_cluster[:, column],
            )
            if to_test[at]:
                p[at], test[at] = METHODS[method].p(paired), method
            if joint[at] and swapped is not None:
                null[int(at)] = _as_extreme(swapped[:, column], observed[at])
    return PValues(p, test, null)


def _as_extreme(swapped: Floats, observed: float) -> Ints:
    """For each sample, the number of samples (and the observed difference) that are as large.

    >>> _as_extreme(np.array([0.0, 0.2, -0.1]), 0.1).tolist()
    [4, 1, 3]
    """
    # Undefined values are not extreme; the tolerance is for ties.
    sizes = np.round(np.nan_to_num(np.abs(np.append(swapped, observed))), _DIGITS)
    order = np.argsort(sizes)
    ascending = sizes[order]
    # The place of the first of equal sizes: 0.1 0.1 0.2 has 0 0 2.
    begins = np.append(True, ascending[1:] != ascending[:-1])
    smaller = np.maximum.accumulate(np.where(begins, np.arange(len(sizes)), 0))
    counts: Ints = np.empty(len(sizes), np.min_scalar_type(len(sizes)))
    counts[order] = len(sizes) - smaller
    return counts[:-1]


def _resampled(
    clustered: ClusterCounts, runs: Sequence[Sequence[int]], weights: Weights, places: Ints
) -> Floats:
    """The differences (resamples, places) between the means over runs."""
    sides = []
    for side in runs:
        values = [_resampled_values(clustered, run, weights, places) for run in side]
        sides.append(np.mean(values, axis=0))
    return np.asarray(sides[0] - sides[1])


def _resampled_values(
    clustered: ClusterCounts, run: int, weights: Weights, places: Ints | slice = slice(None)
) -> Floats:
    """The numbers of a run in every resample."""
    counts = clustered.columns_of_run(run, clustered.counts)
    blocks = _weighted_sums(counts, weights)
    return np.concatenate([clustered.values_in(sums)[:, places] for sums in blocks])


def _swapped(
    clustered: ClusterCounts, runs: Sequence[Sequence[int]], weights: Weights, places: Ints
) -> Floats:
    """The differences (resamples, places) after swapping the systems in random clusters."""
    pairs = _paired_runs(runs)
    total: Floats | float = 0.0
    for left, right in pairs:
        before, after = (clustered.columns_of_run(run, clustered.counts) for run in (left, right))
        # Swapping a cluster adds `change` to A and subtracts it from B. Clusters without change
        # need no weights, which are most clusters of similar systems.
        change = after - before
        where = change.any(axis=(1, 2, 3))
        ours, theirs = before.sum(axis=0), after.sum(axis=0)
        blocks = [
            (clustered.values_in(ours + moved) - clustered.values_in(theirs - moved))[:, places]
            for moved in _weighted_sums(change[where], weights[where])
        ]
        total = total + np.concatenate(blocks)
    return np.asarray(total / len(pairs))


def _paired_runs(runs: Sequence[Sequence[int]]) -> list[tuple[int, int]]:
    """Pairs of runs of both sides in order; with unequal numbers, each run occurs equally often."""
    ours, theirs = runs
    return [
        (ours[k % len(ours)], theirs[k % len(theirs)]) for k in range(lcm(len(ours), len(theirs)))
    ]


def _by_cluster(clustered: ClusterCounts, runs: Sequence[Sequence[int]], places: Ints) -> Floats:
    """Half of the decrease of each difference if the systems are swapped in one cluster alone.

    The array has the shape (clusters, numbers). With 10 gold mentions and a cluster in which A
    finds 2 and B finds 1, the difference in recall falls by 2 / 10 after the swap: the entry is
    1 / 10.
    """
    pairs = _paired_runs(runs)
    by_cluster = np.zeros((len(clustered.counts), len(places)))
    for left, right in pairs:
        before, after = (clustered.columns_of_run(run, clustered.counts) for run in (left, right))
        change = after - before
        differing = np.flatnonzero(change.any(axis=(1, 2, 3)))
        totals = before.sum(axis=0), after.sum(axis=0)
        observed = clustered.values_in(totals[0]) - clustered.values_in(totals[1])
        step = max(1, _MOST_VALUES // max(1, totals[0].size))
        for first in range(0, len(differing), step):
            block = differing[first : first + step]
            swapped = clustered.values_in(totals[0] + change[block]) - clustered.values_in(
                totals[1] - change[block]
            )
            by_cluster[block] += (observed - swapped)[:, places]
    return np.asarray(by_cluster / (2 * len(pairs)))


def _weighted_sums(counts: Floats, weights: Weights) -> Iterator[Floats]:
    """The weighted sums of the counts of clusters, for blocks of resamples."""
    shape = counts.shape[1:]
    flat = counts.reshape(len(counts), prod(shape))
    used = np.flatnonzero(flat.any(axis=0))  # the counts of gold never change by a swap
    narrow = flat[:, used].astype(exact_type(flat * weights.max(initial=1)))
    step = max(1, _MOST_VALUES // max(1, flat.shape[1]))
    for first in range(0, weights.shape[1], step):
        chosen = weights[:, first : first + step].T.astype(narrow.dtype)
        sums = np.zeros((len(chosen), flat.shape[1]))
        sums[:, used] = chosen @ narrow
        yield sums.reshape(-1, *shape)


def _exact(
    clustered: ClusterCounts, differing: DifferingClusters, left: int, right: int, at: int
) -> float | None:
    """The p-value over all swaps of the differing clusters; None for a number that combines several
    levels or types.
    """
    key, metric = clustered.keys[at], clustered.metrics[at]
    if metric.is_over_levels or metric.average != MICRO:
        return None
    where = differing.clusters(at)
    ((level, kind),) = clustered.places(key, metric)

    def chosen(counts: npt.NDArray[Any]) -> npt.NDArray[Any]:
        at_level = counts[..., level, :, :]
        return at_level[..., kind - 1, :] if kind else at_level.sum(axis=-2)

    counts = chosen(clustered.counts[where])
    change = clustered.columns_of_run(right, counts) - clustered.columns_of_run(left, counts)
    moved = _all_ways(len(change)) @ change
    ours, theirs = (chosen(clustered.totals[run]) for run in (left, right))
    zero_division = clustered.zero_division
    every = metric.shares(ours + moved, zero_division) - metric.shares(
        theirs - moved, zero_division
    )
    return p_value(float(every[0]), every, drawn=False)


def _all_ways(n: int) -> npt.NDArray[np.float64]:
    """All subsets (rows) of n items; the first is empty."""
    # The bits of 0, 1, 2, …: for n = 2 the rows are 00, 10, 01, 11.
    return ((np.arange(1 << n)[:, None] >> np.arange(n)) & 1).astype(np.float64)
