"""The difference between two systems: its bounds, and how surprising it is where there is none.

The variance over clusters is that of the jackknife, as if two clusters more had been seen: one in
which A is right about a unit and B is not, and one the other way round (Bonett and Price 2012, for
shares; here, of any number). So nothing has no width because few clusters differ. With several
training runs, their spread is added with the quantile of its own few degrees of freedom, so that
neither few clusters nor few runs ever pass for many (Banerjee 1960).
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
ALONE = 2.0  # how much more a single run may vary than the runs that its variance is borrowed from
_ROUNDING = 1e-9
# Levels of alpha at which bounds are computed; a p-value is read off between them. They are dense
# near 0, where p-values of clear differences lie.
_GRID = np.concatenate([np.geomspace(1e-12, 0.05, 60)[:-1], np.linspace(0.05, 1.0, 40)])


@serialisable
class VarianceParts(NamedTuple):
    """What the variance of one difference is made of."""

    by_clusters: float
    beyond_runs: float  # the same without what single runs add
    degrees: float  # of freedom, of clusters
    by_runs: float
    run_degrees: float
    borrowed: float  # degrees of the runs that come from other systems

    def reach(self, alpha: float) -> float:
        """How far the bounds that leave out a share of alpha lie from the difference."""
        by_clusters, beyond_runs, degrees, by_runs, run_degrees, borrowed = np.array(self)[:, None]
        alphas = np.array([alpha])
        squares = quantiles(alphas, degrees) ** 2 * by_clusters
        if self.by_runs:
            both = squared_reach(alphas, (beyond_runs, degrees), (by_runs, run_degrees), borrowed)
            squares = np.maximum(squares, both)
        return float(np.sqrt(squares[0, 0]))


@dataclass(frozen=True, eq=False)
class SystemPair:
    """Two systems on the same clusters; `about` says whether other training runs are meant, too.

    With `same_seeds`, the runs of both sides belong together, one by one. `differing` tells in how
    many clusters the systems differ.
    """

    spread: Jackknife
    a: str
    b: str
    differing: Floats
    about: str = ABOUT_OUTPUTS
    same_seeds: bool = False

    @cached_property
    def difference(self) -> Floats:
        """A - B, in every number."""
        return self.spread.values(self.a) - self.spread.values(self.b)

    @cached_property
    def run_variance(self) -> Floats:
        """The variance that training adds to the difference; a single run borrows the other's."""
        if self.about == ABOUT_OUTPUTS:
            return np.zeros(len(self.spread.keys))
        ours, theirs = self._runs
        if self.same_seeds:
            return run_variance(ours - theirs) / defined_runs(ours - theirs)
        # Some seeds fail, and a single run does not show whether it did: it varies more.
        shares = (np.where(k > 1, 1 / k, ALONE) for k in self._n_runs)
        return np.asarray(self.single_run_variance * sum(shares))

    @cached_property
    def single_run_variance(self) -> Floats:
        """The variance of a single run, pooled over both sides, with the help of other systems."""
        return self._of_run.variance

    @cached_property
    def run_degrees(self) -> Floats:
        """The degrees of freedom of the variance of runs."""
        if self.same_seeds:
            return defined_runs(self._runs[0] - self._runs[1]) - 1
        return self._of_run.degrees

    @cached_property
    def borrowed_degrees(self) -> Floats:
        """How many of the degrees of the variance of runs come from other systems."""
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
        """In how many runs of each side a number is defined."""
        return defined_runs(self._runs[0]), defined_runs(self._runs[1])

    @cached_property
    def cluster_variance(self) -> Floats:
        """The variance of the difference over clusters."""
        # Var(A - B) = Var A + Var B - 2 Cov(A, B): systems that err in the same clusters differ
        # with little noise, however much each of them varies.
        a, b = self._places
        moved = self.spread.largest(lambda of: of[a, a] + of[b, b] - 2 * of[a, b])
        # Two clusters more, one for each system, as if each had won one unit: with 3 differing
        # clusters of 100 the variance is that of 5, never zero (Bonett and Price 2012).
        unit = np.maximum(self._unit, moved / np.maximum(1.0, self.differing))
        return np.asarray((moved + 2 * unit) * (1 - 1 / np.maximum(1.0, self.clusters)))

    @cached_property
    def variance(self) -> Floats:
        """The variance of the difference."""
        return np.maximum(self.cluster_variance, self.variance_beyond_runs + self.run_variance)

    @cached_property
    def variance_beyond_runs(self) -> Floats:
        """The variance over clusters, without what is in the variance of the runs, too."""
        return np.asarray(
            np.maximum(0.0, self.cluster_variance - self._run_part_of_cluster_variance)
        )

    @cached_property
    def clusters(self) -> Floats:
        """In how many clusters each number occurs."""
        return np.asarray(self.spread.clusters[list(self._places)].max(axis=0))

    @cached_property
    def degrees(self) -> Floats:
        """The degrees of freedom that clusters have."""
        return np.asarray(self.spread.degrees[list(self._places)].min(axis=0))

    @cached_property
    def all_degrees(self) -> Floats:
        """The degrees of freedom of the whole variance."""
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
        """The bounds of each difference that leave out a share of alpha."""
        reach = self._reach(np.array([alpha]))[0]
        scale = np.where(self._is_fraction, 1.0, np.inf)
        return np.maximum(self.difference - reach, -scale), np.minimum(
            self.difference + reach, scale
        )

    def p_at(self, supposed: float = 0.0) -> Floats:
        """Two-sided p-values of the hypothesis that the difference is the supposed one: the share
        that bounds must leave out to reach it.
        """
        if (supposed,) not in self._known:
            distance = np.abs(self.difference - supposed)
            self._known[supposed,] = _alpha_reaching(distance, self._on_grid)
        return self._known[supposed,]

    def detectable(self, alpha: float, power: float = 0.8) -> Floats:
        """The smallest true differences that would be found with this power; NaN for none."""
        if (alpha, power) not in self._known:
            # A bound must clear 0, and the estimate falls short of the truth by t_power standard
            # errors in one of five test sets (for a power of 0.8).
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
        """How far the bounds (levels of alpha, numbers) lie from the difference."""
        squares = quantiles(alphas, self.degrees) ** 2 * self.cluster_variance
        if self.about == ABOUT_RECIPES:
            # Runs may agree by chance; what clusters tell of them is the least, then.
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
        """What single runs add to the variance over clusters; one alone borrows the other's."""
        sides = zip(self.single_run_squares, self._n_runs, strict=True)
        return np.asarray(sum(variance / k for variance, k in sides))

    @cached_property
    def single_run_squares(self) -> tuple[Floats, Floats]:
        """What a single run of each side adds to the variance over clusters."""
        ours, theirs = (self.spread.single_run_squares[place] for place in self._places)
        several = [k > 1 for k in self._n_runs]
        return np.where(several[0], ours, theirs), np.where(several[1], theirs, ours)

    @cached_property
    def _is_fraction(self) -> Bools:
        # Asked once for each metric: a facet has a few of them, and hundreds of numbers.
        by_name = {metric.name: metric for metric in self.spread.metrics}
        fraction = {name: metric.is_fraction for name, metric in by_name.items()}
        return np.array([fraction[metric.name] for metric in self.spread.metrics], bool)

    @cached_property
    def _unit(self) -> Floats:
        """The square of what one unit more or less makes in one run, as a part of the mean over
        runs: 1 / n of a share, 1 of a count.
        """
        places = list(self._places)
        n = np.maximum(1.0, self.spread.sizes[places].mean(axis=0))
        # A side with few units moves far: 20 and 200 of them are not as 110 each. A side without
        # any, which has a value all the same (zero_division), says nothing of it.
        sizes = np.where(self.spread.sizes[places] >= 1, self.spread.sizes[places], n)
        by_size = (1 / sizes**2).mean(axis=0)
        # For a metric with its own scale, the effect of one unit is unknown: the mean effect of a
        # cluster is taken.
        squares = np.einsum("ssk->k", self.spread.products[np.ix_(places, places)])
        squares = squares / np.maximum(1.0, self.clusters)
        for at, metric in enumerate(self.spread.metrics):
            sides = [self.spread.parts.get((place, at)) for place in places]
            both = [part.sizes for part in sides if part is not None and len(part.sizes)]
            if both:
                # A unit falls on a part as often as the part has units, and moves it by 1 / n.
                # A part without units (a type that only the other system has) counts as one unit.
                effects = [(2 / np.maximum(1, part)).sum() / len(part) ** 2 for part in both]
                squares[at] = np.mean(effects) / n[at]
            elif metric.kind != FREE:
                squares[at] = by_size[at] if self._is_fraction[at] else 1.0
        # Of several runs that differ, one is but a part of the mean; copies are no more than one.
        moved = np.einsum("ssk->k", self.spread.products[np.ix_(places, places)])
        k = np.where(
            sum(self.single_run_squares) > _ROUNDING * moved, np.maximum(*self._n_runs), 1.0
        )
        return np.asarray(squares / k**2)


def _alpha_reaching(distance: Floats, reach: Floats) -> Floats:
    """The share of alpha at which bounds reach as far as this, by number; NaN for none.

    `reach` (levels of alpha, numbers) falls from the smallest alpha to the largest.
    """
    # Linear interpolation of log alpha between the levels on both sides, for all numbers at once.
    above = np.clip((reach > distance).sum(axis=0), 1, len(_GRID) - 1)
    numbers = np.arange(len(distance))
    far, near = reach[above - 1, numbers], reach[above, numbers]
    width = np.where(far > near, far - near, 1.0)
    share = np.clip((far - distance) / width, 0.0, 1.0)
    logs = np.log(_GRID)
    return np.asarray(np.exp(logs[above - 1] + share * (logs[above] - logs[above - 1])))
