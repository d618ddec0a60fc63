"""The difference between two systems: its bounds, and how surprising it is where there is none.

The variance over clusters is that of the jackknife, as if two clusters more had been seen: one in
which A is right about a unit and B is not, and one the other way round (Bonett and Price 2012, for
shares; here, of any number). So nothing has no width because few clusters differ. With several
training runs, their spread is added with the quantile of its own few degrees of freedom, so that
neither few clusters nor few runs ever pass for many (Banerjee 1960).
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from nerscope.corpus.arrays import Floats
from nerscope.stats.intervals import quantiles, run_variance
from nerscope.stats.spread import Spread

OUTPUTS, RECIPES = "outputs", "recipes"  # what a comparison is about
_ALONE = 2.0  # how much more a single run may vary than the runs that its variance is borrowed from
_GRID = np.concatenate([np.geomspace(1e-12, 0.05, 60)[:-1], np.linspace(0.05, 1.0, 40)])


@dataclass(frozen=True, eq=False)
class Pair:
    """Two systems on the same clusters; `about` says whether other training runs are meant, too.

    With `same_seeds`, the runs of both sides belong together, one by one. `differing` tells in how
    many clusters the systems differ.
    """

    spread: Spread
    a: str
    b: str
    differing: Floats
    about: str = OUTPUTS
    same_seeds: bool = False

    @cached_property
    def difference(self) -> Floats:
        """A - B, in every number."""
        return self.spread.values(self.a) - self.spread.values(self.b)

    @cached_property
    def run_variance(self) -> Floats:
        """The variance that training adds to the difference; a single run borrows the other's."""
        if self.about == OUTPUTS:
            return np.zeros(len(self.spread.keys))
        ours, theirs = self._runs
        if self.same_seeds:
            return run_variance(ours - theirs) / len(ours)
        # Seeds fail now and then, and of one run alone nobody can tell whether it did.
        shares = [1 / len(side) if len(side) > 1 else _ALONE for side in self._runs]
        return self.single_run_variance * sum(shares)

    @cached_property
    def single_run_variance(self) -> Floats:
        """The variance of a single run, pooled over both sides."""
        squares = sum((len(side) - 1) * run_variance(side) for side in self._runs)
        return np.asarray(squares / max(1, sum(len(side) - 1 for side in self._runs)))

    @property
    def run_degrees(self) -> int:
        """The degrees of freedom of the variance of runs."""
        ours, theirs = map(len, self._runs)
        return ours - 1 if self.same_seeds else ours + theirs - 2

    @cached_property
    def cluster_variance(self) -> Floats:
        """The variance of the difference over clusters."""
        one, other = self._places
        products = self.spread.products
        moved = products[one, one] + products[other, other] - 2 * products[one, other]
        unit = np.maximum(self._unit, moved / np.maximum(1.0, self.differing))
        return np.asarray((moved + 2 * unit) * (1 - 1 / np.maximum(1.0, self.clusters)))

    @property
    def variance(self) -> Floats:
        """The variance of the difference."""
        return np.maximum(self.cluster_variance, self.apart + self.run_variance)

    @property
    def apart(self) -> Floats:
        """The variance over clusters, without what is in the variance of the runs, too."""
        return np.asarray(np.maximum(0.0, self.cluster_variance - self._of_runs))

    @cached_property
    def clusters(self) -> Floats:
        """In how many clusters each number occurs."""
        return np.asarray(self.spread.clusters[list(self._places)].max(axis=0))

    @cached_property
    def degrees(self) -> Floats:
        """The degrees of freedom that clusters have."""
        return np.asarray(self.spread.degrees[list(self._places)].min(axis=0))

    @property
    def all_degrees(self) -> Floats:
        """The degrees of freedom of the whole variance (Satterthwaite)."""
        parts = [(self.apart, self.degrees), (self.run_variance, np.full(1, self.run_degrees))]
        squares = sum(part**2 / np.maximum(1.0, own) for part, own in parts)
        whole = sum(part for part, _ in parts) ** 2
        return np.asarray(np.divide(whole, squares, out=self.degrees * 1.0, where=squares > 0))

    def bounds(self, alpha: float) -> tuple[Floats, Floats]:
        """The bounds of each difference that leave out a share of alpha."""
        reach = self._reach(np.array([alpha]))[0]
        scale = np.array([1.0 if metric.is_fraction else np.inf for metric in self.spread.metrics])
        return np.maximum(self.difference - reach, -scale), np.minimum(
            self.difference + reach, scale
        )

    def p_at(self, supposed: float = 0.0) -> Floats:
        """Two-sided p-values of the hypothesis that the difference is the supposed one: the share
        that bounds must leave out to reach it.
        """
        if (supposed,) not in self._known:
            distance = np.abs(self.difference - supposed)
            self._known[supposed,] = np.array(
                [
                    _reached(size, own) if size == size and own[0] == own[0] else np.nan
                    for size, own in zip(distance, self._on_grid.T, strict=True)
                ]
            )
        return self._known[supposed,]

    def detectable(self, alpha: float, power: float = 0.8) -> Floats:
        """The smallest true differences that would be found with this power; NaN for none."""
        if (alpha, power) not in self._known:
            both = quantiles(np.array([alpha, 2 * (1 - power)]), self.all_degrees)
            found = both.sum(axis=0) * np.sqrt(self.variance)
            nothing = (self.clusters < 2) | np.isnan(self.difference)
            self._known[alpha, power] = np.where(nothing, np.nan, found)
        return self._known[alpha, power]

    @cached_property
    def _known(self) -> dict[tuple[float, ...], Floats]:
        return {}

    @cached_property
    def _on_grid(self) -> Floats:
        return self._reach(_GRID)

    def _reach(self, alphas: Floats) -> Floats:
        """How far the bounds (levels of alpha, numbers) lie from the difference."""
        t = quantiles(alphas, self.degrees)
        squares = t**2 * self.cluster_variance
        if self.about == RECIPES:
            t_runs = quantiles(alphas, np.full(len(self.spread.keys), self.run_degrees))
            # Runs may agree by chance; what clusters tell of them is the least, then.
            squares = np.maximum(squares, t**2 * self.apart + t_runs**2 * self.run_variance)
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
    def _of_runs(self) -> Floats:
        """What single runs add to the variance over clusters; one alone borrows the other's."""
        return np.asarray(sum(own / len(s) for own, s in zip(self.of_run, self._runs, strict=True)))

    @cached_property
    def of_run(self) -> tuple[Floats, Floats]:
        """What a single run of each side adds to the variance over clusters."""
        ours, theirs = (self.spread.of_run[place] for place in self._places)
        several = [len(side) > 1 for side in self._runs]
        return (ours if several[0] else theirs), (theirs if several[1] else ours)

    @cached_property
    def _unit(self) -> Floats:
        """The square of what one unit more or less makes in one run, as a part of the mean over
        runs: 1 / n of a share, 1 of a count.
        """
        n = np.maximum(1.0, self.spread.sizes[list(self._places)].mean(axis=0))
        found = np.where([metric.is_fraction for metric in self.spread.metrics], 1 / n**2, 1.0)
        for at in range(len(n)):
            sides = [self.spread.parts.get((place, at)) for place in self._places]
            both = [one.sizes for one in sides if one is not None and len(one.sizes)]
            if both:
                # A unit falls on a part as often as the part has units, and moves it by 1 / n.
                found[at] = np.mean([(2 / one).sum() / len(one) ** 2 for one in both]) / n[at]
        return np.asarray(found / max(map(len, self._runs)) ** 2)


def _reached(size: float, reach: Floats) -> float:
    """The share of alpha at which a bound reaches as far as this."""
    return float(np.exp(np.interp(-size, -reach, np.log(_GRID))))
