"""Intervals for scores over distinct surfaces, which are no sums over sentences (WNUT17)."""

from collections.abc import Iterator, Sequence

import numpy as np

from nerscope.corpus.arrays import Floats, Ints
from nerscope.scoring.evidence import Evidence
from nerscope.scoring.ledger import Ledger, Units
from nerscope.scoring.metrics import Metric, metric_named
from nerscope.stats.intervals import Interval, quantiles, run_variance, score_distances

_METRICS = ("precision", "recall", "f1")


def surface_intervals(
    evidence: Evidence, runs: Sequence[int], clusters: Ints, alpha: float = 0.05
) -> Iterator[tuple[str, float, Interval]]:
    """Metric, number of clusters and interval of each score over distinct surfaces, of some runs.

    It is for a test set of this size: more text has more distinct surfaces.
    """
    ledger = evidence.surfaces
    if ledger is None or any(ledger.runs[run].pred.surface is None for run in runs):
        return
    n_types = len(evidence.types)
    counts = [_counts(ledger, run, clusters, n_types) for run in runs]
    for name in _METRICS:
        yield name, *_interval(metric_named(name), counts, alpha)


def _interval(metric: Metric, counts: list[Floats], alpha: float) -> tuple[float, Interval]:
    """The first row of counts is of everything, the others are without each of the clusters."""
    values = np.stack([metric.shares(own) for own in counts])
    occurs = np.any([(own[1:] != own[0]).any(axis=1) for own in counts], axis=0)
    m, k, mean = int(occurs.sum()), len(counts), values[:, 0].mean()
    if m < 2 or np.isnan(mean):
        return m, None
    moved = np.nan_to_num(values[:, :1] - values[:, 1:]).mean(axis=0)
    by_clusters, by_runs = moved @ moved * (1 - 1 / m), float(run_variance(values[:, :1])[0]) / k
    alphas = np.array([alpha])
    t, t_runs = (quantiles(alphas, np.array([degrees]))[0, 0] for degrees in (m - 1.0, k - 1.0))
    variance = by_clusters + by_runs
    z = np.sqrt((t**2 * by_clusters + t_runs**2 * by_runs) / variance) if variance else t
    most = 2 * np.mean([own[0, 0] for own in counts]) * k
    below, above = score_distances(*(np.array([x]) for x in (mean, variance, most, m, z)))
    return m, (float(mean - below[0]), float(mean + above[0]))


def _counts(ledger: Ledger, run: int, clusters: Ints, n_types: int) -> Floats:
    """Distinct gold, right and predicted surfaces: of everything, then without each cluster."""
    output = ledger.runs[run]
    right = output.pred_credit["exact"] == 1
    everyone = np.ones(len(ledger.gold), np.bool_), right, np.ones(len(right), np.bool_)
    units = ledger.gold, output.pred, output.pred
    gold, hits, pred = (
        _distinct(own, chosen, n_types, clusters)
        for own, chosen in zip(units, everyone, strict=True)
    )
    return np.stack([gold, hits, pred, hits], axis=1)


def _distinct(units: Units, chosen: np.ndarray, n_types: int, clusters: Ints) -> Floats:
    """How many (surface, type) there are, in all and without each cluster: what occurs in no other
    cluster goes with it.
    """
    assert units.surface is not None
    n_clusters = int(clusters.max()) + 1
    keys = units.surface.astype(np.int64) * n_types + units.type
    pairs = np.unique(np.stack([keys[chosen], clusters[units.sentence[chosen]]]), axis=1)
    _, where, times = np.unique(pairs[0], return_inverse=True, return_counts=True)
    only = pairs[1][times[where] == 1]
    lost = np.bincount(only.astype(np.int64), minlength=n_clusters)
    return np.concatenate([[len(times)], len(times) - lost]).astype(np.float64)
