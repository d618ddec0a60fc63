"""Bayesian tests over datasets, with a region of practical equivalence (Benavoli et al. 2017)."""

from typing import NamedTuple

import numpy as np

from nerscope.stats.across import Numbers, do_vary
from nerscope.stats.ranks import two_sided_p

_PRIOR = 0.5  # the weight of the prior: half a dataset without a difference
_SAME = 1e-12  # tolerance for sums at the edge of the region


class Probabilities(NamedTuple):
    """The probabilities that A is better, both are practically equivalent, and B is better."""

    better: float
    equivalent: float
    worse: float


def signed_rank_probabilities(
    gains: Numbers, rope: float, samples: int = 10_000, seed: int = 0
) -> Probabilities:
    """The Bayesian signed-rank test for gains of A on independent datasets.

    Datasets get random weights (Dirichlet), with a prior of half a dataset at 0. In each draw, each
    mean of two datasets is in one of three regions: below `-rope`, within `rope`, above it. The
    probability of a region is the share of draws in which it has the most weight.

    >>> found = signed_rank_probabilities([0.02, 0.03, 0.01, 0.04, 0.02], rope=0.005)
    >>> found.better > 0.99, found.worse
    (True, 0.0)
    """
    values = np.asarray(gains, np.float64)
    values = np.concatenate([[0.0], values[~np.isnan(values)]])
    if len(values) < 2:
        return Probabilities(*[float("nan")] * 3)
    weights = np.random.default_rng(seed).dirichlet(
        [_PRIOR, *[1.0] * (len(values) - 1)], size=samples
    )
    sums = values[:, None] + values
    above, below = (side > 2 * rope + _SAME for side in (sums, -sums))
    better, worse = (
        np.einsum("si,ij,sj->s", weights, side, weights, optimize=True) for side in (above, below)
    )
    regions = np.stack([better, 1 - better - worse, worse], axis=1)
    # Regions of equal weight share a draw, so that A and B can be exchanged.
    largest = regions >= regions.max(axis=1, keepdims=True) - _SAME
    shares = (largest / largest.sum(axis=1, keepdims=True)).mean(axis=0)
    return Probabilities(*shares.tolist())


def correlated_t_probabilities(gains: Numbers, rope: float, ratio: float) -> Probabilities:
    """The Bayesian correlated t-test for gains of A on splits of one corpus (Corani and Benavoli
    2015): the mean is a Student variable with the variance of the corrected resampled t-test.

    `ratio` is the ratio of test to training sentences. Gains that do not vary count as known
    exactly.

    >>> found = correlated_t_probabilities([0.02, 0.01, 0.03, 0.02, 0.01], 0.01, 0.25)
    >>> [round(share, 3) for share in found]
    [0.886, 0.11, 0.004]
    """
    values = np.asarray(gains, np.float64)
    values = values[~np.isnan(values)]
    if len(values) < 2:
        return Probabilities(*[float("nan")] * 3)
    mean = float(values.mean())
    if not do_vary(values):
        regions = (mean > rope, abs(mean) <= rope, mean < -rope)
        return Probabilities(*map(float, regions))
    error = np.sqrt((1 / len(values) + ratio) * values.var(ddof=1))
    better, worse = (_above(side * mean - rope, error, len(values) - 1) for side in (1, -1))
    return Probabilities(better, max(0.0, 1 - better - worse), worse)


def _above(distance: float, error: float, degrees: int) -> float:
    """The probability that a Student variable with this distance above a bound is above it."""
    half = float(two_sided_p(distance / error, degrees)) / 2
    return 1 - half if distance > 0 else half
