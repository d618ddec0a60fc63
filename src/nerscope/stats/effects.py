"""Tests of the effect of an attribute on a score, by flipping the signs of clusters.

A score in a bucket is a sum of contributions of clusters (documents or sentences). If the attribute
has no effect, the contribution of a cluster above or below the common score may have either sign.
So the signs of clusters are flipped at random, each in all buckets, runs and systems at once.
Dependence within a cluster is kept, and no test uses the variance over runs.

Statistics weight buckets by their size. Dividing by the standard error of each bucket instead would
give far too much weight to small buckets without errors.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from nerscope.corpus.arrays import Floats, Ints
from nerscope.scoring.cluster_units import count_units
from nerscope.scoring.evidence import Evidence, FacetTable
from nerscope.scoring.metrics import Counts, Metric, ratio
from nerscope.stats.clusters import dense_counts

FEWEST_CLUSTERS = 6  # with five, p is never below 0.05
_STEP = 1e-4  # of the numerical derivative
_NOTHING = 1e-7  # less than the contribution of any unit
_TIE = 1e-12  # tolerance for ties


class BucketParts(NamedTuple):
    """A system in the buckets of an attribute: its scores, and the contribution of each cluster.

    All are means over runs. `added` is the contribution of a cluster to a bucket's score (the sum
    is 0); `share` is its share of the bucket's units (the sum is 1). An undefined score is NaN.
    """

    scores: Floats  # buckets
    sizes: Floats  # buckets
    added: Floats  # clusters, buckets
    share: Floats  # clusters, buckets


def bucket_parts(
    evidence: Evidence,
    table: FacetTable,
    match: str,
    metric: Metric,
    clusters: Ints,
    runs: Sequence[int],
) -> BucketParts:
    """The contributions of each cluster to the scores of a system, as a mean over runs."""
    by_code = dense_counts(evidence, table, match, clusters, runs, by_type=False)
    by_code = by_code.astype(np.float64)
    levels = np.stack([by_code[list(codes)].sum(axis=0) for codes in table.levels.values()])
    width = (levels.shape[1] - 1) // len(runs)
    places = [[0, *range(1 + width * run, 1 + width * (run + 1))] for run in range(len(runs))]
    zero_division = evidence.signature.zero_division
    by_run = [
        run_bucket_parts(levels[:, columns].transpose(2, 0, 1), metric, zero_division)
        for columns in places
    ]
    return BucketParts(*(np.mean(part, axis=0) for part in zip(*by_run, strict=True)))


def run_bucket_parts(
    counts: Floats, metric: Metric, zero_division: float | None = None
) -> BucketParts:
    """The contributions for one run, from counts (clusters, buckets, columns)."""
    total = counts.sum(axis=0)
    sizes = total[:, 0] + total[:, 2]
    # The linear part of a score that is a ratio of sums (delta method): each count times the
    # derivative of the score with respect to it, by central differences.
    steps = 1 + _STEP * np.eye(total.shape[1])[:, None]  # one column is slightly larger
    more, less = (metric.formula(Counts(total * moved)) for moved in (steps, 2 - steps))
    slopes = np.nan_to_num((more - less).T / (2 * _STEP)) / np.maximum(total, 1e-9)
    added: Floats = np.einsum("gbc,bc->gb", counts, slopes)
    share = (counts[..., 0] + counts[..., 2]) / np.maximum(sizes, 1e-9)
    return BucketParts(metric.value(total[:, None], zero_division), sizes, added, share)


class FlippedScores(NamedTuple):
    """Scores as sums over clusters with flipped signs, one row per draw."""

    scores: Floats
    sizes: Floats
    added: Floats  # draws, buckets
    share: Floats  # draws, buckets
    clusters: int  # that have units
    every: bool  # all combinations of signs were enumerated, not drawn

    @property
    def defined(self) -> npt.NDArray[np.bool_]:
        """The buckets that have units and a score."""
        return (self.sizes > 0) & ~np.isnan(self.scores)

    def why_not(self, cluster_unit: str = "cluster") -> str | None:
        """Why the test is missing; None if it is possible."""
        if self.clusters < FEWEST_CLUSTERS:
            needed = f"{count_units(FEWEST_CLUSTERS, cluster_unit)} with mentions are needed"
            return f"{needed}, the data has {self.clusters}"
        if self.defined.sum() < 2:
            return "two buckets with mentions are needed"
        if np.abs(self.added).max() < _NOTHING and np.ptp(self.scores[self.defined]) < _NOTHING:
            return "the score is the same in all buckets"
        return None

    def null(self) -> tuple[Floats, Floats, Floats]:
        """For the defined buckets: sizes, scores, and scores by chance; the last two are relative
        to the common score.
        """
        defined = self.defined
        sizes = self.sizes[defined]
        around = self.scores[defined] - self.scores[defined] @ sizes / sizes.sum()
        return sizes, around, self.added[:, defined] + around * self.share[:, defined]


def flip_signs(
    many: Sequence[BucketParts], samples: int, seed: Sequence[int]
) -> list[FlippedScores]:
    """Flip the signs of clusters, the same for all; enumerate all combinations if there are few."""
    n_clusters = len(many[0].added)
    every = 2**n_clusters <= samples
    columns = [part for parts in many for part in _weighted(parts)]
    rows = np.concatenate(columns, axis=1)
    sums = np.concatenate([signs @ rows for signs in _signs(n_clusters, samples, seed, every)])
    ends = np.cumsum([part.shape[1] for part in columns])
    split = iter(np.split(sums, ends[:-1], axis=1))
    return [
        FlippedScores(
            parts.scores, parts.sizes, next(split), next(split), _n_clusters(parts), every
        )
        for parts in many
    ]


def _n_clusters(parts: BucketParts) -> int:
    return int(parts.share.any(axis=1).sum())


def _weighted(parts: BucketParts) -> tuple[Floats, Floats]:
    """Undo the shrinkage of contributions: each cluster is part of the common score."""
    units = parts.share @ parts.sizes
    rest = np.maximum(1 - units / max(units.sum(), 1e-9), 1e-9)
    scale = 1 / np.sqrt(rest)[:, None]
    return parts.added * scale, parts.share * scale


def _signs(n_clusters: int, samples: int, seed: Sequence[int], every: bool) -> Iterator[Floats]:
    """Signs of the clusters (columns), in blocks of rows."""
    if every:
        ways = np.arange(2**n_clusters)[:, None] >> np.arange(n_clusters) & 1
        yield 1 - 2 * ways.astype(np.float64)
        return
    rng, step = np.random.default_rng(seed), max(1, 4_000_000 // n_clusters)
    for first in range(0, samples, step):
        rows = min(step, samples - first)
        bytes_of_bits = np.frombuffer(rng.bytes(-(-rows * n_clusters // 8)), np.uint8)
        bits = np.unpackbits(bytes_of_bits, count=rows * n_clusters)
        yield 2 * bits.reshape(rows, n_clusters).astype(np.float64) - 1


class NullTest(NamedTuple):
    """A statistic, and its values by chance alone."""

    observed: float
    null: Floats
    every: bool

    @property
    def p(self) -> float:
        """The two-sided p-value; NaN if nothing varies."""
        sizes, observed = np.abs(self.null), abs(self.observed)
        if not sizes.any() or np.isnan(observed):
            return float("nan")
        extreme = np.count_nonzero(sizes >= observed * (1 - _TIE))
        return float(extreme / len(sizes) if self.every else (1 + extreme) / (1 + len(sizes)))


def any_effect(flipped: FlippedScores) -> NullTest:
    """The variance of the scores over buckets, weighted by size."""
    sizes, around, null = flipped.null()
    weights = sizes / sizes.sum()

    def spread(scores: Floats) -> Floats:
        deviations = scores - (scores @ weights)[..., None]
        deviation: Floats = np.sqrt((deviations * deviations) @ weights)
        return deviation

    return NullTest(float(spread(around)), spread(null), flipped.every)


def trend(flipped: FlippedScores) -> NullTest:
    """The slope of the scores over the order of the buckets, weighted by size."""
    sizes, around, null = flipped.null()
    places = np.flatnonzero(flipped.defined).astype(np.float64)
    slope = sizes * (places - places @ sizes / sizes.sum())
    return NullTest(float(around @ slope), null @ slope, flipped.every)


def gap(flipped: FlippedScores, best: int, worst: int) -> NullTest:
    """The difference of two buckets against the largest difference of all pairs, because the two
    may have been picked for their scores. Each pair is scaled by the sizes of its buckets.
    """
    sizes, around, null = flipped.null()
    if not flipped.defined[[best, worst]].all():
        return NullTest(float("nan"), np.zeros(len(null)), flipped.every)
    place = np.cumsum(flipped.defined) - 1
    pairs = np.array(list(combinations(range(len(sizes)), 2)))
    scale = np.sqrt((1 / sizes[pairs]).sum(axis=1))
    largest = (np.abs(null[:, pairs[:, 0]] - null[:, pairs[:, 1]]) / scale).max(axis=1)
    a, b = place[best], place[worst]
    observed = (around[a] - around[b]) / np.sqrt(1 / sizes[a] + 1 / sizes[b])
    return NullTest(float(observed), largest, flipped.every)


def mean_lead(ours: FlippedScores, theirs: FlippedScores) -> float:
    """The difference of two systems over all buckets, weighted by size; NaN if they share none."""
    both = ours.defined & theirs.defined
    sizes = (ours.sizes + theirs.sizes)[both]
    differences = (ours.scores - theirs.scores)[both]
    return float(differences @ sizes / sizes.sum()) if both.any() else float("nan")


def lead(ours: FlippedScores, theirs: FlippedScores, bucket: int) -> NullTest:
    """How far the difference of two systems in a bucket deviates from the difference over all
    buckets, against the largest deviation, because the bucket may have been picked for it.
    """
    both = ours.defined & theirs.defined
    if not both[bucket] or both.sum() < 2:
        return NullTest(float("nan"), np.zeros(len(ours.added)), ours.every)
    sizes = (ours.sizes + theirs.sizes)[both] / 2
    weights = sizes / sizes.sum()
    around = (ours.scores - theirs.scores)[both] - mean_lead(ours, theirs)
    share = (ours.share + theirs.share)[:, both] / 2
    null = (ours.added - theirs.added)[:, both] + around * share
    null = null - (null @ weights)[:, None]
    scale = np.sqrt(np.maximum(1 / sizes - 1 / sizes.sum(), 1e-12))
    place = int(np.cumsum(both)[bucket]) - 1
    largest = (np.abs(null) / scale).max(axis=1)
    return NullTest(float(around[place] / scale[place]), largest, ours.every)


def over_systems(each: Iterable[NullTest]) -> NullTest:
    """Several systems on the same clusters: the mean square, each scaled by its own noise."""
    chances = list(each)
    scales = [float(np.mean(chance.null**2)) or 1.0 for chance in chances]
    observed = [chance.observed**2 / scale for chance, scale in zip(chances, scales, strict=True)]
    null = [chance.null**2 / scale for chance, scale in zip(chances, scales, strict=True)]
    return NullTest(float(np.mean(observed)), np.mean(null, axis=0), chances[0].every)


def over_datasets(
    each: Iterable[NullTest], samples: int, seed: int, *, signed: bool = False
) -> NullTest:
    """Several independent datasets: the sum of the statistics, or of their squares, each scaled by
    its own noise.
    """
    chances = list(each)
    if len(chances) == 1:
        return chances[0]
    rng, power = np.random.default_rng(seed), 1 if signed else 2
    observed, null = 0.0, np.zeros(samples)
    for chance in chances:
        scale = float(np.sqrt(np.mean(chance.null**2))) or 1.0
        observed += (chance.observed / scale) ** power
        null += (rng.choice(chance.null, samples) / scale) ** power
    return NullTest(observed, null, every=False)


def chance_spearman(flipped: FlippedScores) -> Floats:
    """Spearman's correlation with the order of the buckets by chance alone, that is, if all buckets
    had the same true score; NaN if all are equal.
    """
    by_chance = flipped.added[:, flipped.defined]
    above = np.sign(by_chance[:, :, None] - by_chance[:, None, :]).sum(axis=2)  # ranks, centred
    places = np.arange(above.shape[1]) - (above.shape[1] - 1) / 2
    return ratio(above @ places, np.sqrt((above * above).sum(axis=1) * (places @ places)))
