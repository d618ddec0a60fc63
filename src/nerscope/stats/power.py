"""How small a difference a test can find, and what it would take to find a smaller one."""

from collections.abc import Callable
from dataclasses import dataclass
from math import inf, sqrt

import numpy as np

from nerscope.stats.intervals import quantiles
from nerscope.stats.ranks import two_sided_p
from nerscope.stats.system_pair import ALONE

_MOST = 1 << 30  # clusters, or runs: more is none


@dataclass(frozen=True, slots=True)
class Design:
    """What the variance of a difference is made of, with the clusters and runs of now.

    Clusters add `beyond_runs`, which all runs share. A single run adds two things: `of_data`, what
    it has of its own on single clusters, and `of_training`, how its training went. More clusters
    make the first two smaller, more runs the last two.

    >>> now = Design(clusters=100, degrees=90, beyond_runs=1e-4)
    >>> round(now.least(100), 4), now.clusters_needed(0.01)
    (0.0283, 788)
    """

    clusters: int
    degrees: float
    beyond_runs: float
    of_data: float = 0.0
    of_training: float = 0.0
    recipes: bool = False

    def least(
        self,
        clusters: int,
        runs: tuple[int, int] = (1, 1),
        alpha: float = 0.05,
        power: float = 0.8,
    ) -> float:
        """The smallest true difference that is found with this power."""
        reach, error, degrees = self._test(clusters, runs, alpha)
        return reach + _quantile(2 * (1 - power), degrees) * error

    def power(
        self, difference: float, clusters: int, runs: tuple[int, int] = (1, 1), alpha: float = 0.05
    ) -> float:
        """How often a true difference is found."""
        reach, error, degrees = self._test(clusters, runs, alpha)
        beyond = (reach - abs(difference)) / error if error else -inf
        tail = float(two_sided_p(abs(beyond), max(1.0, degrees))) / 2
        return tail if beyond > 0 else 1 - tail

    def clusters_needed(
        self,
        difference: float,
        runs: tuple[int, int] = (1, 1),
        alpha: float = 0.05,
        power: float = 0.8,
    ) -> int | None:
        """How many clusters find it with these runs; None if no number does."""
        return _smallest(2, lambda m: self.least(m, runs, alpha, power) <= difference)

    def runs_needed(self, difference: float, alpha: float = 0.05, power: float = 0.8) -> int | None:
        """How many runs on each side find it with the clusters of now; None if no number does."""
        return _smallest(2, lambda k: self.least(self.clusters, (k, k), alpha, power) <= difference)

    def _test(
        self, clusters: int, runs: tuple[int, int], alpha: float
    ) -> tuple[float, float, float]:
        """How far a bound reaches, the standard error, and its degrees of freedom."""
        shrunk, degrees = self.clusters / clusters, self.degrees * clusters / self.clusters
        by_data = (self.beyond_runs + self.of_data * sum(1 / k for k in runs)) * shrunk
        t = _quantile(alpha, degrees)
        if not self.recipes:
            return t * sqrt(by_data), sqrt(by_data), degrees
        beyond_runs = self.beyond_runs * shrunk
        shares = sum(1 / k if k > 1 else ALONE for k in runs)
        by_runs = (self.of_data * shrunk + self.of_training) * shares
        of_runs = max(1, sum(runs) - 2)
        reach = max(t * t * by_data, t * t * beyond_runs + _quantile(alpha, of_runs) ** 2 * by_runs)
        squares = beyond_runs**2 / max(1.0, degrees) + by_runs**2 / of_runs
        whole = (beyond_runs + by_runs) ** 2 / squares if squares else degrees
        return sqrt(reach), sqrt(max(by_data, beyond_runs + by_runs)), whole


def _quantile(p: float, degrees: float) -> float:
    return float(quantiles(np.array([p]), np.array([degrees]))[0, 0])


def _smallest(first: int, enough: Callable[[int], bool]) -> int | None:
    """The smallest number from the first on that is enough, if larger ones are, too."""
    low, high = first - 1, first
    while not enough(high):
        low, high = high, 2 * high
        if high > _MOST:
            return None
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high
