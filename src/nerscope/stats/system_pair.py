"""The difference between two systems: its bounds and its p-values.

The variance over clusters is the jackknife variance, plus two artificial clusters: one in which
only A is right about a unit, and one in which only B is (Bonett and Price 2012, for shares; here
for any number). So no interval has zero width because few clusters differ. With several training
runs, the variance over runs is added with the quantile of its own few degrees of freedom, so that
neither few clusters nor few runs are treated as many (Banerjee 1960).
"""

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from nerscope.codec import serialisable
from nerscope.corpus.arrays import Bools, Floats
from nerscope.scoring.metrics import FREE
from nerscope.stats.intervals import joint_degrees, quantiles, squared_reach
from nerscope.stats.jackknife import Jackknife
from nerscope.stats.runs import (
    RunVariance,
    defined_runs,
    pooled_run_variance,
    run_spread,
    run_variance,
)

ABOUT_OUTPUTS, ABOUT_RECIPES = "outputs", "recipes"  # what a comparison is about
ALONE = 2.0  # factor of the borrowed variance of a single run
_ROUNDING = 1e-9
# Levels of alpha at which bounds are computed; p-values are interpolated between them. They are
# dense near 0, where the p-values of clear differences are.
_GRID = np.concatenate([np.geomspace(1e-12, 0.05, 60)[:-1], np.linspace(0.05, 1.0, 40)])


@serialisable
class VarianceParts(NamedTuple):
    """The components of the variance of one difference."""

    by_clusters: float
    beyond_runs: float  # the variance without the part of single runs
    degrees: float  # of freedom, of clusters
    by_runs: float
    run_degrees: float
    borrowed: float  # degrees of freedom of runs that come from other systems

    def reach(self, alpha: float) -> float:
        """The distance of the bounds at level 1 - alpha from the difference."""
        by_clusters, beyond_runs, degrees, by_runs, run_degrees, borrowed = np.array(self)[:, None]
        alphas = np.array([alpha])
        squares = quantiles(alphas, degrees) ** 2 * by_clusters
        if self.by_runs:
            both = squared_reach(alphas, (beyond_runs, degrees), (by_runs, run_degrees), borrowed)
            squares = np.maximum(squares, both)
        return float(np.sqrt(squares[0, 0]))


@dataclass(frozen=True, eq=False)
class SystemPair:
    """Two systems on the same clusters; `about` is "outputs", or "recipes" for other training runs.

    With `same_seeds`, the runs of both sides are paired in order. `differing` is the number of
    clusters in which the systems differ.
    """

    spread: Jackknife
    a: str
    b: str
    differing: Floats
    about: str = ABOUT_OUTPUTS
    same_seeds: bool = False

    @cached_property
    def difference(self) -> Floats:
        """A - B for every number."""
        return self.spread.values(self.a) - self.spread.values(self.b)

    @cached_property
    def run_variance(self) -> Floats:
        """The variance of the difference from training; one run borrows from the other side."""
        if self.about == ABOUT_OUTPUTS:
            return np.zeros(len(self.spread.keys))
        ours, theirs = self._runs
        if self.same_seeds:
            return run_variance(ours - theirs) / defined_runs(ours - theirs)
        # Some seeds fail, which a single run does not show, so its variance is increased.
        shares = (np.where(k > 1, 1 / k, ALONE) for k in self._n_runs)
        return np.asarray(self.single_run_variance * sum(shares))

    @cached_property
    def single_run_variance(self) -> Floats:
        """The variance of a single run, pooled over both sides and moderated by other systems."""
        return self._of_run.variance

    @cached_property
    def run_degrees(self) -> Floats:
        """The degrees of freedom of the variance over runs."""
        if self.same_seeds:
            return defined_runs(self._runs[0] - self._runs[1]) - 1
        return self._of_run.degrees

    @cached_property
    def borrowed_degrees(self) -> Floats:
        """The degrees of freedom of the variance over runs that are borrowed from other systems."""
        return np.zeros(len(self.spread.keys)) if self.same_seeds else self._of_run.borrowed

    @cached_property
    def _of_run(self) -> RunVariance:
        spreads = self.spread.run_spreads()
        sides = [spreads[name] for name in (self.a, self.b) if name in spreads]
        if not sides:
            return run_spread(self._runs[0])
        others = [runs for name, runs in spreads.items() if name not in (self.a, self.b)]
        return pooled_run_variance(sides, others)

    @cached_property
    def _n_runs(self) -> tuple[Floats, Floats]:
        """The number of runs of each side in which a number is defined."""
        return defined_runs(self._runs[0]), defined_runs(self._runs[1])

    @cached_property
    def cluster_variance(self) -> Floats:
        """The variance of the difference over clusters."""
        # Var(A - B) = Var A + Var B - 2 Cov(A, B): the difference of systems with errors in the
        # same clusters has little noise, however much each of them varies.
        a, b = self._places
        moved = self.spread.largest(lambda of: of[a, a] + of[b, b] - 2 * of[a, b])
        # Two more clusters, one per system, in which it wins one unit: with 3 differing clusters of
        # 100, the variance is that of 5, and never zero (Bonett and Price 2012).
        unit = np.maximum(self._unit, moved / np.maximum(1.0, self.differing))
        return np.asarray((moved + 2 * unit) * (1 - 1 / np.maximum(1.0, self.clusters)))

    @cached_property
    def variance(self) -> Floats:
        """The variance of the difference."""
        return np.maximum(self.cluster_variance, self.variance_beyond_runs + self.run_variance)

    @cached_property
    def variance_beyond_runs(self) -> Floats:
        """The variance over clusters, without the part that is also in the variance over runs."""
        return np.asarray(
            np.maximum(0.0, self.cluster_variance - self._run_part_of_cluster_variance)
        )

    @cached_property
    def clusters(self) -> Floats:
        """The number of clusters with units of each number."""
        return np.asarray(self.spread.clusters[list(self._places)].max(axis=0))

    @cached_property
    def degrees(self) -> Floats:
        """The degrees of freedom of the variance over clusters."""
        return np.asarray(self.spread.degrees[list(self._places)].min(axis=0))

    @cached_property
    def all_degrees(self) -> Floats:
        """The degrees of freedom of the total variance."""
        if self.about == ABOUT_OUTPUTS:
            return self.degrees
        return joint_degrees(self._data_part, self._run_part)

    @property
    def _data_part(self) -> tuple[Floats, Floats]:
        return self.variance_beyond_runs, self.degrees

    @property
    def _run_part(self) -> tuple[Floats, Floats]:
        return self.run_variance, self.run_degrees

    @cached_property
    def variance_parts(self) -> list[VarianceParts]:
        """The parts of the variance of every number."""
        about_runs = self.about == ABOUT_RECIPES
        nothing = np.zeros(len(self.spread.keys))
        columns = (
            self.cluster_variance,
            self.variance_beyond_runs,
            self.degrees,
            self.run_variance,
            self.run_degrees if about_runs else nothing,
            self.borrowed_degrees if about_runs else nothing,
        )
        numbers = zip(*(column.tolist() for column in columns), strict=True)
        return [VarianceParts(*parts) for parts in numbers]

    def bounds(self, alpha: float) -> tuple[Floats, Floats]:
        """The bounds of each difference at level 1 - alpha."""
        reach = self._reach(np.array([alpha]))[0]
        scale = np.where(self._is_fraction, 1.0, np.inf)
        return np.maximum(self.difference - reach, -scale), np.minimum(
            self.difference + reach, scale
        )

    def p_at(self, supposed: float = 0.0) -> Floats:
        """Two-sided p-values of the hypothesis that the difference is `supposed`: the alpha at
        which the bounds reach it.
        """
        if (supposed,) not in self._known:
            distance = np.abs(self.difference - supposed)
            self._known[supposed,] = _alpha_reaching(distance, self._on_grid)
        return self._known[supposed,]

    def detectable(self, alpha: float, power: float = 0.8) -> Floats:
        """The smallest true differences that are detected with this power; NaN if none is."""
        if (alpha, power) not in self._known:
            # A bound must exclude 0, and for a power of 0.8, the estimate is t_power standard
            # errors below the truth in one of five test sets.
            t_power = quantiles(np.array([2 * (1 - power)]), self.all_degrees)[0]
            smallest = self._reach(np.array([alpha]))[0] + t_power * np.sqrt(self.variance)
            nothing = (self.clusters < 2) | np.isnan(self.difference)
            self._known[alpha, power] = np.where(nothing, np.nan, smallest)
        return self._known[alpha, power]

    @cached_property
    def _known(self) -> dict[tuple[float, ...], Floats]:
        return {}

    @cached_property
    def _on_grid(self) -> Floats:
        return self._reach(_GRID)

    def _reach(self, alphas: Floats) -> Floats:
        """The distance of the bounds (levels of alpha, numbers) from the difference."""
        squares = quantiles(alphas, self.degrees) ** 2 * self.cluster_variance
        if self.about == ABOUT_RECIPES:
            # Runs may agree by chance, so their part of the variance over clusters is a minimum.
            squares = np.maximum(
                squares,
                squared_reach(alphas, self._data_part, self._run_part, self.borrowed_degrees),
            )
        reach = np.sqrt(squares)
        reach[:, (self.clusters < 2) | np.isnan(self.difference)] = np.nan
        return reach

    @property
    def _places(self) -> tuple[int, int]:
        return self.spread.systems.index(self.a), self.spread.systems.index(self.b)

    @property
    def _runs(self) -> tuple[Floats, Floats]:
        return self.spread.runs[self.a], self.spread.runs[self.b]

    @cached_property
    def _run_part_of_cluster_variance(self) -> Floats:
        """The part of runs in the variance over clusters; one run borrows from the other side."""
        sides = zip(self.single_run_squares, self._n_runs, strict=True)
        return np.asarray(sum(variance / k for variance, k in sides))

    @cached_property
    def single_run_squares(self) -> tuple[Floats, Floats]:
        """The part of a single run of each side in the variance over clusters."""
        ours, theirs = (self.spread.single_run_squares[place] for place in self._places)
        several = [k > 1 for k in self._n_runs]
        return np.where(several[0], ours, theirs), np.where(several[1], theirs, ours)

    @cached_property
    def _is_fraction(self) -> Bools:
        # Looked up once per metric: a facet has few metrics and hundreds of numbers.
        by_name = {metric.name: metric for metric in self.spread.metrics}
        fraction = {name: metric.is_fraction for name, metric in by_name.items()}
        return np.array([fraction[metric.name] for metric in self.spread.metrics], bool)

    @cached_property
    def _unit(self) -> Floats:
        """The squared effect of one more unit in one run on the mean over runs: 1 / n for a share,
        1 for a count.
        """
        places = list(self._places)
        n = np.maximum(1.0, self.spread.sizes[places].mean(axis=0))
        # A side with few units moves far: 20 and 200 units differ from 110 each. A side without
        # units, whose value comes from zero_division, is ignored.
        sizes = np.where(self.spread.sizes[places] >= 1, self.spread.sizes[places], n)
        by_size = (1 / sizes**2).mean(axis=0)
        # For a metric with its own scale, the effect of one unit is unknown, so the mean effect of
        # a cluster is used.
        squares = np.einsum("ssk->k", self.spread.products[np.ix_(places, places)])
        squares = squares / np.maximum(1.0, self.clusters)
        for at, metric in enumerate(self.spread.metrics):
            sides = [self.spread.parts.get((place, at)) for place in places]
            both = [part.sizes for part in sides if part is not None and len(part.sizes)]
            if both:
                # A unit belongs to a part with a probability proportional to its units, and moves
                # it by 1 / n. A part without units (a type of the other system only) counts as one
                # unit.
                effects = [(2 / np.maximum(1, part)).sum() / len(part) ** 2 for part in both]
                squares[at] = np.mean(effects) / n[at]
            elif metric.kind != FREE:
                squares[at] = by_size[at] if self._is_fraction[at] else 1.0
        # One of several different runs is only a part of the mean; identical runs count as one.
        moved = np.einsum("ssk->k", self.spread.products[np.ix_(places, places)])
        k = np.where(
            sum(self.single_run_squares) > _ROUNDING * moved, np.maximum(*self._n_runs), 1.0
        )
        return np.asarray(squares / k**2)


def _alpha_reaching(distance: Floats, reach: Floats) -> Floats:
    """The alpha at which the bounds reach this distance, by number; NaN if none does.

    `reach` (levels of alpha, numbers) decreases from the smallest alpha to the largest.
    """
    # Linear interpolation of log alpha between the levels on both sides, for all numbers at once.
    above = np.clip((reach > distance).sum(axis=0), 1, len(_GRID) - 1)
    numbers = np.arange(len(distance))
    far, near = reach[above - 1, numbers], reach[above, numbers]
    width = np.where(far > near, far - near, 1.0)
    share = np.clip((far - distance) / width, 0.0, 1.0)
    logs = np.log(_GRID)
    return np.asarray(np.exp(logs[above - 1] + share * (logs[above] - logs[above - 1])))
