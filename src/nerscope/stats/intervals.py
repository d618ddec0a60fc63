"""Confidence intervals of single scores, from the jackknife and the variance over runs.

A share gets Wilson's score interval (1927) with the quantile of Student's distribution. Its size is
the number of independent units that would have the jackknife variance. A mean of shares combines
the intervals of its parts by squaring and adding (Zou and Donner 2008). Therefore no interval
leaves the scale, and none has zero width because a few units agree. The variance over training runs
is added.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from nerscope.corpus.arrays import Floats, Ints
from nerscope.errors import UsageError
from nerscope.scoring.cluster_units import check_cluster_unit, count_units, unit_noun
from nerscope.scoring.evidence import Evidence, Ledger, Units
from nerscope.scoring.matching import EXACT
from nerscope.scoring.metrics import COUNT, SCORE_NAMES, Metric, metric_named
from nerscope.stats.clusters import cluster_unit_of
from nerscope.stats.jackknife import Jackknife, MeanParts
from nerscope.stats.ranks import quantile
from nerscope.stats.runs import (
    RunVariance,
    defined_runs,
    mean_of_defined,
    pooled_run_variance,
    run_spread,
    run_variance,
)

MOST_SAMPLES = 1_000_000
FEW_CLUSTERS = 40  # with fewer, intervals and tests are rough (Cameron and Miller 2015)
_FEWEST_CLUSTERS = 2
Interval = tuple[float, float] | None


@dataclass(frozen=True, slots=True)
class Sampling:
    """How to resample: the unit, the number of samples, and the seed.

    `resample` is "sentence", "document", or "block:20" for blocks of 20 neighbouring sentences;
    default: documents if the data marks them, else sentences. With ",surface" after it, mentions of
    the same text also belong to one cluster (two-way clusters).

    >>> Sampling("block:20").resample
    'block:20'
    """

    resample: str | None = None
    samples: int = 10_000
    seed: int = 0

    def __post_init__(self) -> None:
        if not _is_whole(self.samples) or not 1 <= self.samples <= MOST_SAMPLES:
            raise UsageError(
                "samples",
                f"invalid value {self.samples!r}",
                f"give a whole number from 1 to {MOST_SAMPLES}, such as 10000",
            )
        if not _is_whole(self.seed) or self.seed < 0:
            raise UsageError(
                "seed", f"invalid value {self.seed!r}", "give a whole number, 0 or more"
            )
        if self.resample is not None:
            check_cluster_unit(str(self.resample))

    def as_settings(self, parts: Iterable[Evidence]) -> dict[str, str]:
        """The settings of tests of differences between systems."""
        units = dict.fromkeys(self.cluster_unit(part) for part in parts)
        return {
            "resample": "+".join(units),
            "samples": str(self.samples),
            "seed": str(self.seed),
        }

    def cluster_unit(self, evidence: Evidence) -> str:
        """The unit to draw: sentence, document or block, optionally with surfaces."""
        return self.resample or cluster_unit_of(evidence)


def _is_whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def intervals(spread: Jackknife, system: str, alpha: float = 0.05) -> list[Interval]:
    """The interval of every number of a system; with several runs, of the mean over runs."""
    at = spread.systems.index(system)
    below, above = (side[0] for side in distances(spread, at, np.array([alpha])))
    values = spread.values(system)
    return [
        (float(value - low), float(value + high)) if low == low and high == high else None
        for value, low, high in zip(values, below, above, strict=True)
    ]


def caution(value: float, clusters: float, cluster_unit: str) -> str | None:
    """Why a number has no interval or only a rough one; None if the interval is fine.

    >>> caution(0.5, 12, "document")
    'rough: 12 documents'
    """
    if np.isnan(value):
        return "none: undefined"
    if clusters < _FEWEST_CLUSTERS:
        noun = unit_noun(cluster_unit)
        return f"none: in one {noun} only" if clusters else f"none: in no {noun}"
    if clusters < FEW_CLUSTERS:
        return f"rough: {count_units(round(clusters), cluster_unit)}"
    return None


def cluster_variance(spread: Jackknife, system: int) -> Floats:
    """The jackknife variance of each number over clusters."""
    squares = spread.largest(lambda products: products[system, system])
    return np.asarray(squares * _shrink(spread.clusters[system]))


def _shrink(clusters: Floats) -> Floats:
    return 1 - 1 / np.maximum(1.0, clusters)


def distances(spread: Jackknife, system: int, alphas: Floats) -> tuple[Floats, Floats]:
    """The distances of the bounds (levels of alpha, numbers) below and above each number."""
    name = spread.systems[system]
    runs = spread.runs[name]
    k, value, sizes = defined_runs(runs), mean_of_defined(runs), spread.sizes[system]
    of_run = _moderated_run(spread, name)
    by_runs, by_clusters = of_run.variance / k, cluster_variance(spread, system)
    run_part = spread.single_run_squares[system] * _shrink(spread.clusters[system]) / k
    beyond_runs = np.maximum(0.0, by_clusters - run_part)
    degrees = spread.degrees[system]
    t, t_runs = quantiles(alphas, degrees), quantiles(alphas, of_run.degrees)
    # Runs may agree by chance, so their part of the variance over clusters is a lower bound.
    variance = np.maximum(by_clusters, beyond_runs + by_runs)
    reach = np.maximum(
        t**2 * by_clusters,
        squared_reach(alphas, (beyond_runs, degrees), (by_runs, of_run.degrees), of_run.borrowed),
    )
    z = np.sqrt(np.divide(reach, variance, out=t**2, where=variance > 0))
    below, above = score_distances(value, variance, 2 * sizes * k, spread.clusters[system], z)
    for at, metric in enumerate(spread.metrics):
        if (system, at) in spread.parts:
            parts = _square_and_add(spread.parts[system, at], alphas)
            runs_reach = t_runs[:, at] ** 2 * by_runs[at]
            below[:, at], above[:, at] = (
                np.minimum(np.sqrt(side**2 + runs_reach), room)
                for side, room in zip(parts, (value[at], 1 - value[at]), strict=True)
            )
        elif not metric.is_fraction:
            below[:, at] = above[:, at] = np.sqrt(reach[:, at])
            if metric.kind == COUNT:
                below[:, at] = np.minimum(below[:, at], value[at])
    none = np.isnan(value) | (spread.clusters[system] < _FEWEST_CLUSTERS) | (sizes == 0)
    below[:, none] = above[:, none] = np.nan
    return below, above


def _moderated_run(spread: Jackknife, name: str) -> RunVariance:
    """The variance of a single run of a system; with several runs, moderated by other systems."""
    spreads = spread.run_spreads()
    if name not in spreads:
        return run_spread(spread.runs[name])
    others = [runs for other, runs in spreads.items() if other != name]
    return pooled_run_variance([spreads[name]], others)


def quantiles(alphas: Floats, degrees: Floats) -> Floats:
    """Student's quantiles (levels of alpha, degrees); degrees may be fractions, at least 1.

    >>> quantiles(np.array([0.05]), np.array([1.0, 1.9, 10.0])).round(2).tolist()
    [[12.71, 4.53, 2.23]]
    """
    # Between two nodes, the logarithm of the quantile is almost linear in 1 / degrees. Whole
    # degrees up to 40 are exact, others to four digits, and thousands of numbers share one table.
    inverse = 1 / np.maximum(1.0, degrees)
    above = np.clip(np.searchsorted(_INVERSE_NODES, inverse), 1, len(_INVERSE_NODES) - 1)
    low, high = _INVERSE_NODES[above - 1], _INVERSE_NODES[above]
    share = (inverse - low) / (high - low)
    logs = _log_quantiles(alphas.tobytes())
    quantile_table: Floats = np.exp(logs[:, above - 1] * (1 - share) + logs[:, above] * share)
    return quantile_table


_NODES = np.concatenate(
    [
        np.arange(1, 4, 0.0625),
        np.arange(4, 10, 0.25),
        np.arange(10, 40, 1.0),
        [40, 48, 60, 80, 120, 200, 400, 1000, np.inf],
    ]
)
_INVERSE_NODES = 1 / _NODES[::-1]  # ascending


@lru_cache(maxsize=256)
def _log_quantiles(alphas: bytes) -> Floats:
    """The logarithms of the quantiles (levels of alpha, nodes from infinitely many down to 1)."""
    found = quantile(np.frombuffer(alphas)[:, None], _NODES[None, ::-1])
    return np.log(np.maximum(found, 1e-300))  # the quantile at alpha = 1 is 0


def squared_reach(
    alphas: Floats, data: tuple[Floats, Floats], runs: tuple[Floats, Floats], borrowed: Floats
) -> Floats:
    """The squared distance of the bounds (levels of alpha, numbers) from a number with two
    variances, of data and of runs, each given with its degrees of freedom.
    """
    # Each variance gets the quantile of its own degrees: with 3 runs per side, 2.8 for runs, and
    # 2.0 for 200 documents. The distance is never too short (Banerjee 1960).
    is_borrowed = borrowed > 0
    if not is_borrowed.all():
        parts = (quantiles(alphas, degrees) ** 2 * variance for variance, degrees in (data, runs))
        squares = np.asarray(sum(parts))
        if not is_borrowed.any():
            return squares
    # A borrowed variance of runs has enough degrees for one common quantile.
    together = quantiles(alphas, joint_degrees(data, runs)) ** 2 * (data[0] + runs[0])
    return together if is_borrowed.all() else np.where(is_borrowed, together, squares)


def joint_degrees(*parts: tuple[Floats, Floats]) -> Floats:
    """The degrees of freedom of a sum of variances, each given with its own (Satterthwaite 1946).

    (v1 + v2)² / (v1² / d1 + v2² / d2): closer to the degrees of the larger variance.
    """
    squares = sum(variance**2 / np.maximum(1.0, degrees) for variance, degrees in parts)
    whole = np.asarray(sum(variance for variance, _ in parts)) ** 2
    return np.asarray(np.divide(whole, squares, out=parts[0][1] * 1.0, where=squares > 0))


def score_distances(
    value: Floats, variance: Floats, most: Floats, least: Floats, z: Floats
) -> tuple[Floats, Floats]:
    """The distances of Wilson's bounds below and above a share.

    The number of units is the one that gives this variance, at most `most`. If all units agree, the
    variance is 0 and the number is `least`: each cluster counts as one unit.

    >>> below, above = score_distances(*np.array([[0.9], [0.0009], [200], [50], [1.96]]))
    >>> (0.9 - below).round(3).tolist(), (0.9 + above).round(3).tolist()
    ([0.826], [0.945])
    """
    inside = np.clip(value, 0.0, 1.0)
    binomial = inside * (1 - inside)
    known = (variance > 0) & (binomial > 0)
    effective = binomial / np.where(known, np.maximum(variance, 1e-300), 1.0)
    size = np.maximum(np.where(known, np.minimum(effective, most), least), 1e-12)
    # Wilson (1927): all q with |value - q| <= z · sqrt(q (1 - q) / size). The centre of the bounds
    # is shifted towards 1/2, and the bounds stay within 0 and 1.
    scale = 1 + z * z / size
    shift = (inside + z * z / (2 * size)) / scale - inside
    half = z / scale * np.sqrt(binomial / size + z * z / (4 * size * size))
    return np.maximum(0.0, half - shift), np.maximum(0.0, half + shift)


def _square_and_add(parts: MeanParts, alphas: Floats) -> tuple[Floats, Floats]:
    """The distances of the bounds of a mean of shares, from the bounds of its parts."""
    k = len(parts.values)
    if not k:
        return np.full(len(alphas), np.nan), np.full(len(alphas), np.nan)
    z, ways = quantiles(alphas, parts.degrees), (*parts.one_way_products, parts.products)
    squares = np.max([np.diag(products) for products in ways], axis=0)
    reaches = []
    for products in ways:
        variances = squares if products is parts.products else np.diag(products)
        sides = score_distances(
            parts.values, variances * _shrink(parts.clusters), parts.sizes, parts.clusters, z
        )
        # Parts are correlated: types in the same documents rise and fall together.
        scale = np.sqrt(np.outer(variances, variances))
        alike = np.divide(products, scale, out=np.eye(k), where=scale > 0)
        np.fill_diagonal(alike, 1.0)
        sums = (np.einsum("ap,pq,aq->a", side, alike, side) for side in sides)
        reaches.append([np.sqrt(np.maximum(0.0, total)) / k for total in sums])
    below, above = np.max(reaches, axis=0)
    return below, above


def surface_intervals(
    evidence: Evidence, runs: Sequence[int], clusters: Ints, alpha: float = 0.05
) -> Iterator[tuple[str, float, Interval]]:
    """Metric, number of clusters and interval of each score over distinct surfaces, for these runs.

    The interval is for test sets of this size: more text has more distinct surfaces.
    """
    ledger = evidence.surfaces
    if ledger is None or any(ledger.runs[run].pred.surface is None for run in runs):
        return
    n_types = len(evidence.types)
    counts = [_counts(ledger, run, clusters, n_types) for run in runs]
    for name in SCORE_NAMES:
        yield name, *_interval(metric_named(name), counts, alpha)


def _interval(metric: Metric, counts: list[Floats], alpha: float) -> tuple[float, Interval]:
    """The first row of counts is the total; each other row leaves out one cluster."""
    values = np.stack([metric.shares(run_counts) for run_counts in counts])
    occurs = np.any(
        [(run_counts[1:] != run_counts[0]).any(axis=1) for run_counts in counts], axis=0
    )
    m, k, mean = int(occurs.sum()), len(counts), values[:, 0].mean()
    if m < 2 or np.isnan(mean):
        return m, None
    moved = np.nan_to_num(values[:, :1] - values[:, 1:]).mean(axis=0)
    by_clusters, by_runs = moved @ moved * (1 - 1 / m), float(run_variance(values[:, :1])[0]) / k
    alphas = np.array([alpha])
    t, t_runs = (quantiles(alphas, np.array([degrees]))[0, 0] for degrees in (m - 1.0, k - 1.0))
    variance = by_clusters + by_runs
    z = np.sqrt((t**2 * by_clusters + t_runs**2 * by_runs) / variance) if variance else t
    most = 2 * np.mean([run_counts[0, 0] for run_counts in counts]) * k
    below, above = score_distances(*(np.array([x]) for x in (mean, variance, most, m, z)))
    return m, (float(mean - below[0]), float(mean + above[0]))


def _counts(ledger: Ledger, run: int, clusters: Ints, n_types: int) -> Floats:
    """Distinct gold, correct and predicted surfaces: in total, then without each cluster."""
    output = ledger.runs[run]
    right = output.pred_credit[EXACT] == 1
    masks = np.ones(len(ledger.gold), np.bool_), right, np.ones(len(right), np.bool_)
    units = ledger.gold, output.pred, output.pred
    gold, hits, pred = (
        _distinct(side, chosen, n_types, clusters)
        for side, chosen in zip(units, masks, strict=True)
    )
    return np.stack([gold, hits, pred, hits], axis=1)


def _distinct(units: Units, chosen: np.ndarray, n_types: int, clusters: Ints) -> Floats:
    """The number of distinct (surface, type) pairs, in total and without each cluster."""
    assert units.surface is not None
    n_clusters = int(clusters.max()) + 1
    keys = units.surface.astype(np.int64) * n_types + units.type
    pairs = np.unique(np.stack([keys[chosen], clusters[units.sentence[chosen]]]), axis=1)
    _, where, times = np.unique(pairs[0], return_inverse=True, return_counts=True)
    # Leaving out a cluster removes the surfaces that occur only in this cluster.
    only = pairs[1][times[where] == 1]
    lost = np.bincount(only.astype(np.int64), minlength=n_clusters)
    return np.concatenate([[len(times)], len(times) - lost]).astype(np.float64)
