"""The power of a test: detectable differences, the data and runs that a difference needs, and how
far a significant result may mislead.

A test at level alpha compares the difference with a reach, which is computed from estimated
variances and so varies from sample to sample. Power is therefore a mean over the distribution of
the estimates: the variance over clusters and the variance over runs are each a chi-square divided
by its degrees of freedom. With two runs per side, the mean of the estimate alone would give only
half of the true power.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from math import erfc, sqrt
from typing import NamedTuple

import numpy as np

from nerscope.codec import serialisable
from nerscope.corpus.arrays import Floats
from nerscope.stats.intervals import quantiles, squared_reach
from nerscope.stats.ranks import normal_quantile
from nerscope.stats.system_pair import ALONE

_MOST = 1 << 30  # clusters or runs: more counts as impossible
_OF_CLUSTERS, _OF_RUNS = 12, 40  # points that represent the distribution of an estimated variance
_DRAWS = 120  # pairs of plausible variances, for the interval of the clusters needed
_HALVINGS = 24  # steps of bisection, to a precision of about a millionth
_NORMAL = np.linspace(-8.5, 8.5, 3401)


class SignificanceErrors(NamedTuple):
    """The properties of a test for a given true difference (Gelman and Carlin 2014).

    `power` is the share of significant results. Among them, `wrong_sign` is the share that favours
    the wrong system (type S), and `exaggeration` is the mean size of the estimated difference
    divided by the true difference (type M).
    """

    power: float
    wrong_sign: float
    exaggeration: float


@serialisable
@dataclass(frozen=True, slots=True)
class Design:
    """The components of the variance of a difference, with the current clusters and runs.

    Clusters contribute `beyond_runs`, which all runs share. A single run contributes `of_data`, its
    own noise on single clusters, and `of_training`, the noise of its training. More clusters reduce
    the first two, more runs the last two. `degrees` are the degrees of freedom of the test. For the
    interval of the clusters needed, `variance_degrees` are the degrees of the variance over
    clusters, and `run_degrees` those of the variance over runs. A variance borrowed from other
    systems counts as `prior_degrees` additional degrees, with `prior_variance` for a single run.

    >>> now = Design(clusters=100, degrees=90, beyond_runs=1e-4)
    >>> round(now.least(100), 4), now.clusters_needed(0.01), now.needed_range(0.01)
    (0.0283, 787, (601, 1077))
    """

    clusters: int
    degrees: float
    beyond_runs: float
    of_data: float = 0.0
    of_training: float = 0.0
    recipes: bool = False
    variance_degrees: float | None = None  # default: `degrees`
    run_degrees: float = 0.0
    prior_degrees: float = 0.0
    prior_variance: float = 0.0

    def least(
        self,
        clusters: int,
        runs: tuple[int, int] = (1, 1),
        alpha: float = 0.05,
        power: float = 0.8,
    ) -> float:
        """The smallest true difference that is detected with this power."""
        reach, error = self._test(clusters, runs, alpha)
        low, high = 0.0, float(reach.max() + 10 * error)
        for _ in range(2 * _HALVINGS):
            middle = (low + high) / 2
            enough = float(_beyond(reach, middle, error).mean()) >= power
            low, high = (low, middle) if enough else (middle, high)
        return high

    def power(
        self, difference: float, clusters: int, runs: tuple[int, int] = (1, 1), alpha: float = 0.05
    ) -> float:
        """The power for a true difference: the share of significant results with the right sign."""
        reach, error = self._test(clusters, runs, alpha)
        return float(_beyond(reach, abs(difference), error).mean())

    def significance_errors(
        self, difference: float, clusters: int, runs: tuple[int, int] = (1, 1), alpha: float = 0.05
    ) -> SignificanceErrors:
        """The power and the errors of significant results for this true difference.

        >>> weak = Design(clusters=100, degrees=99, beyond_runs=1e-4)
        >>> [round(value, 2) for value in weak.significance_errors(0.005, 100)]
        [0.08, 0.09, 4.76]
        """
        reach, error = self._test(clusters, runs, alpha)
        size = abs(difference)
        if not error:  # no variance: the test is always right
            return SignificanceErrors(1.0, 0.0, 1.0)
        right, wrong = _beyond(reach, size, error), _beyond(reach, -size, error)
        # The mean of a normal variable beyond a bound is its mean times the probability of being
        # there, plus the density at the bound times its standard deviation.
        density = _density((reach - size) / error) + _density((reach + size) / error)
        found = size * (right - wrong) + error * density
        power = float((right + wrong).mean())
        return SignificanceErrors(
            power, float(wrong.mean()) / power, float(found.mean()) / power / size
        )

    def clusters_needed(
        self,
        difference: float,
        runs: tuple[int, int] = (1, 1),
        alpha: float = 0.05,
        power: float = 0.8,
    ) -> int | None:
        """The clusters that detect the difference with these runs; None if no number does."""
        return _smallest(2, lambda m: self.power(difference, m, runs, alpha) >= power)

    def needed_range(
        self,
        difference: float,
        runs: tuple[int, int] = (1, 1),
        alpha: float = 0.05,
        power: float = 0.8,
        confidence: float = 0.95,
    ) -> tuple[int | None, int | None]:
        """The interval of the number of clusters needed, given the uncertainty of the variances.

        Plausible variances are drawn (an estimate divided by a chi-square), and the number of
        clusters is computed for each. None: no number is enough.
        """
        tail = (1 - confidence) / 2
        by_clusters, by_runs = self._plausible_variances(tail)
        low, high = np.full(len(by_clusters), 1.0), np.full(len(by_clusters), float(_MOST))
        for _ in range(_HALVINGS):
            middle = np.sqrt(low * high)
            enough = self._powers(difference, middle, runs, alpha, by_clusters, by_runs) >= power
            low, high = np.where(enough, low, middle), np.where(enough, middle, high)
        bounds = np.quantile(high, [tail, 1 - tail], method="nearest")
        first, last = (None if bound > 0.99 * _MOST else int(np.ceil(bound)) for bound in bounds)
        return first, last

    def runs_needed(self, difference: float, alpha: float = 0.05, power: float = 0.8) -> int | None:
        """The runs per side that detect the difference with these clusters; None if no number."""
        return _smallest(2, lambda k: self.power(difference, self.clusters, (k, k), alpha) >= power)

    def _plausible_variances(self, tail: float) -> tuple[Floats, Floats]:
        """Plausible factors of the variances of clusters and of runs."""
        by_clusters = self.degrees if self.variance_degrees is None else self.variance_degrees
        degrees, known = np.array([by_clusters]), self.run_degrees + self.prior_degrees
        if not self.recipes or not known:
            # With one variance, its bounds give the bounds of the number needed.
            bounds = 1 / np.quantile(_mean_squares(degrees, 1000)[0], [1 - tail, tail])
            return bounds, np.ones(2)
        of_clusters = 1 / _mean_squares(degrees, _DRAWS)[0]
        # Latin hypercube: each part of both distributions occurs once, randomly combined.
        order = np.random.default_rng(0).permutation(_DRAWS)
        return of_clusters, 1 / _mean_squares_exact(known, _DRAWS)[order]

    def _test(self, clusters: int, runs: tuple[int, int], alpha: float) -> tuple[Floats, float]:
        """The reach of bounds in samples of this many clusters, and the true standard error."""
        every = np.ones(1)
        reach, error = self._tests(clusters * every, runs, alpha, every, every)
        return reach[0], float(error[0])

    def _powers(
        self,
        difference: float,
        clusters: Floats,
        runs: tuple[int, int],
        alpha: float,
        by_clusters: Floats,
        by_runs: Floats,
    ) -> Floats:
        reach, error = self._tests(clusters, runs, alpha, by_clusters, by_runs)
        found: Floats = _beyond(reach, difference, error[:, None]).mean(axis=1)
        return found

    def _tests(
        self,
        clusters: Floats,
        runs: tuple[int, int],
        alpha: float,
        by_clusters: Floats,
        by_runs: Floats,
    ) -> tuple[Floats, Floats]:
        """Reaches (designs, samples) and true standard errors, with variances times factors."""
        few = len(clusters) > 1  # with many designs, fewer points each are enough
        shrunk, alphas = self.clusters / clusters, np.array([alpha])
        t = quantiles(alphas, self.degrees / shrunk)[0][:, None]
        shares = sum(1 / k for k in runs)
        beyond_runs = self.beyond_runs * by_clusters * shrunk
        of_data = self.of_data * by_clusters * shrunk
        sampled = _mean_squares(self.degrees / shrunk, _OF_CLUSTERS // (3 if few else 1))
        if not self.recipes:
            whole = beyond_runs + of_data * shares
            return t * np.sqrt(whole[:, None] * sampled), np.sqrt(whole)
        single_run = (self.of_data * shrunk + self.of_training) * by_runs
        error = np.sqrt(beyond_runs + single_run * shares)
        estimated, degrees = self._estimated_runs(single_run, runs, _OF_RUNS // (3 if few else 1))
        # A single run is assumed to vary more than the runs that its variance is borrowed from.
        estimated = estimated * sum(1 / k if k > 1 else ALONE for k in runs)
        beyond = (beyond_runs[:, None] * sampled)[:, :, None]
        by_data = beyond + (of_data * shares)[:, None, None]
        cluster_degrees = (self.degrees / shrunk)[:, None, None]
        parts = np.broadcast_arrays(beyond, cluster_degrees, estimated[:, None, :])
        data_variance, data_degrees, run_variance = (part.ravel() for part in parts)
        squares = squared_reach(
            alphas,
            (data_variance, data_degrees),
            (run_variance, np.full(len(run_variance), degrees)),
            np.full(len(run_variance), self.prior_degrees),
        )[0].reshape(parts[0].shape)
        reach = np.sqrt(np.maximum(t[:, :, None] ** 2 * by_data, squares))
        return reach.reshape(len(clusters), -1), error

    def _estimated_runs(
        self, single_run: Floats, runs: tuple[int, int], points: int
    ) -> tuple[Floats, float]:
        """The variance of a single run as estimated in samples, and its degrees of freedom."""
        degrees = max(1, sum(runs) - 2)
        found = single_run[:, None] * _mean_squares_exact(degrees, points)
        if not self.prior_degrees:
            return found, degrees
        # Moderated: a weighted mean of the variances of this pair and of other systems.
        now = self.of_data + self.of_training
        prior = self.prior_variance * single_run[:, None] / (now or 1.0)
        whole = degrees + self.prior_degrees
        return (degrees * found + self.prior_degrees * prior) / whole, whole


def _beyond(reach: Floats, difference: float, error: Floats | float) -> Floats:
    """The probability that an estimate of this difference is larger than the reach."""
    with np.errstate(divide="ignore", invalid="ignore"):
        distance = np.nan_to_num((difference - reach) / error, nan=0.0)
    return np.interp(distance, _NORMAL, _normal_table())


@lru_cache(maxsize=1)
def _normal_table() -> Floats:
    return np.array([erfc(-z / sqrt(2)) / 2 for z in _NORMAL])


def _density(z: Floats) -> Floats:
    return np.asarray(np.exp(-z * z / 2) / sqrt(2 * np.pi))


def _middles(points: int) -> Floats:
    return (np.arange(points) + 0.5) / points


@lru_cache(maxsize=8)
def _normal_points(points: int) -> Floats:
    return np.array([normal_quantile(share) for share in _middles(points)])


def _mean_squares(degrees: Floats, points: int) -> Floats:
    """Chi-squares divided by their degrees (designs, points), after Wilson and Hilferty (1931)."""
    spread = 2 / (9 * np.maximum(1.0, degrees))[:, None]
    roots = 1 - spread + _normal_points(points) * np.sqrt(spread)
    found: Floats = np.maximum(roots, 0.05) ** 3
    return found


@lru_cache(maxsize=512)
def _mean_squares_exact(degrees: float, points: int) -> Floats:
    """The same from the density, for few degrees, where the approximation is too rough."""
    # With y = log(chi-square / degrees), the density of y is exp(degrees / 2 · (y - exp(y))).
    wide = 8 * sqrt(2 / degrees)
    y = np.linspace(-wide - 60 / degrees, wide, 20_000)
    chance = np.cumsum(np.exp(degrees / 2 * (y - np.exp(y) + 1)))
    return np.exp(np.interp(_middles(points), chance / chance[-1], y))


def _smallest(first: int, enough: Callable[[int], bool]) -> int | None:
    """The smallest number from `first` on that is enough, if all larger ones are, too."""
    low, high = first - 1, first
    while not enough(high):
        low, high = high, 2 * high
        if high > _MOST:
            return None
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high
