"""Every number of two systems beside each other: the difference, its interval, and a test of it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import ceil, log2
from typing import NamedTuple

import numpy as np

from nerscope.corpus.arrays import Bools
from nerscope.errors import UsageError, plural, suggest
from nerscope.scoring.evidence import Evidence, FacetTable
from nerscope.stats.clusters import CellKey, Clustered
from nerscope.stats.corrections import SIGNIFICANT
from nerscope.stats.differences import OUTPUTS, RECIPES, Pair
from nerscope.stats.draws import Tested, Weighted, tested
from nerscope.stats.intervals import Interval, Sampling
from nerscope.stats.paired import METHODS, RUNS
from nerscope.stats.resampling import clusters_of
from nerscope.stats.spread import spread_of

_BESIDE_ZERO = 1e-6  # a bound that must not be 0, since the test has ruled it out


@dataclass(frozen=True, slots=True)
class Asked:
    """What is asked of two systems, and how it is tested.

    `about` is "outputs" (these files), "recipes" (what other training runs would give, too), or
    None: recipes where a system has several runs. `same_seeds` says that runs belong together in
    order.
    """

    method: str = "randomisation"
    about: str | None = None
    same_seeds: bool = False
    alpha: float = SIGNIFICANT
    test: bool = True  # else, bounds alone are wanted

    def __post_init__(self) -> None:
        METHODS[self.method]
        if self.about not in (None, OUTPUTS, RECIPES):
            known = (OUTPUTS, RECIPES)
            raise UsageError("about", f"there is no '{self.about}'", suggest(self.about, known))

    def about_runs(self, a: str, b: str, ours: int, theirs: int) -> str:
        """What can be asked of two systems with so many runs."""
        several = max(ours, theirs) > 1
        if self.about == RECIPES and not several:
            raise UsageError(
                "about",
                f"{a} and {b}: with one run each, nothing can be said of recipes",
                "evaluate several runs of a system, or compare outputs",
            )
        if self.same_seeds and (ours != theirs or ours < 2):
            raise UsageError(
                "same_seeds",
                f"{a} and {b}: {ours} and {theirs} runs cannot be paired",
                "give both systems the same seeds, two or more, in the same order",
            )
        return self.about or (RECIPES if several else OUTPUTS)


class Difference(NamedTuple):
    """One number of two systems: A's, B's, and what can be said of the difference."""

    pair: Pair
    at: int  # the place of the number
    a: float
    b: float
    n: float
    differing: int  # clusters in which the systems differ
    interval: Interval
    p: float
    test: str | None
    why: str | None  # why there is no test

    @property
    def division(self) -> FacetTable:
        """The facet."""
        return self.pair.spread.division

    @property
    def key(self) -> CellKey:
        """Which number of the facet."""
        return self.pair.spread.keys[self.at]

    @property
    def variance(self) -> float:
        """The variance of the difference."""
        return float(self.pair.variance[self.at])

    def p_below(self, bound: float) -> float:
        """How surprising it is if the difference is in truth this or more (one-sided)."""
        return self._one_sided(bound, self.a - self.b < bound)

    def p_above(self, bound: float) -> float:
        """How surprising it is if the difference is in truth this or less (one-sided)."""
        return self._one_sided(bound, self.a - self.b > bound)

    def _one_sided(self, bound: float, beyond: bool) -> float:
        half = float(self.pair.p_at(bound)[self.at]) / 2
        return half if beyond else 1 - half

    def detectable(self, alpha: float = SIGNIFICANT, power: float = 0.8) -> float | None:
        """The smallest true difference that a test as this one finds with this power."""
        found = float(self.pair.detectable(alpha, power)[self.at])
        return None if np.isnan(found) else found

    def bounds(self, alpha: float) -> Interval:
        """The interval that leaves out a share of alpha, as the clusters and runs have it."""
        low, high = (float(side[self.at]) for side in self.pair.bounds(alpha))
        return None if np.isnan(low) else (low, high)


def fewest_differing(alpha: float) -> int:
    """In how many clusters two systems must differ for a p below alpha to be possible at all.

    >>> fewest_differing(0.05), fewest_differing(0.001)
    (6, 11)
    """
    return ceil(1 + log2(1 / alpha))


def differences(
    evidence: Evidence, pairs: Sequence[tuple[str, str]], sampling: Sampling, asked: Asked
) -> Iterator[Difference]:
    """Every number of every pair."""
    systems = list(dict.fromkeys(name for pair in pairs for name in pair))
    if not systems or not len(evidence.documents):
        return
    unit = sampling.unit(evidence)
    clusters = clusters_of(evidence, unit)
    n_runs = {system: len(evidence.runs_of(system)) for system in systems}
    about = {(a, b): asked.about_runs(a, b, n_runs[a], n_runs[b]) for a, b in pairs}
    weights = None
    if OUTPUTS in about.values() and asked.test:
        weights = Weighted.of(int(clusters.max()) + 1, sampling, METHODS[asked.method])
    for division in evidence.divisions:
        for match in division.matches:
            clustered = Clustered(evidence, division, match, systems, clusters)
            spread = spread_of(clustered)
            for pair in pairs:
                differing = clustered.differing(*pair).number()
                two = Pair(spread, *pair, differing, about[pair], asked.same_seeds)
                yield from _differences(clustered, two, asked, weights, unit)


def _differences(
    clustered: Clustered, two: Pair, asked: Asked, weights: Weighted | None, unit: str
) -> Iterator[Difference]:
    spread, names = two.spread, (two.a, two.b)
    ours, theirs = (spread.values(name) for name in names)
    differing, fewest = two.differing, fewest_differing(asked.alpha)
    testable = (differing >= fewest) & (two.clusters >= 2)
    if two.about == RECIPES or weights is None:
        found = _by_runs(two, testable & asked.test)
    else:
        found = tested(clustered, names, asked.method, weights, testable)
    n = spread.sizes[[spread.systems.index(name) for name in names]].mean(axis=0)
    low, high = two.bounds(asked.alpha)
    for at in range(len(spread.keys)):
        interval = agreeing(float(low[at]), float(high[at]), float(found.p[at]), asked.alpha)
        why = None
        if np.isnan(found.p[at]):
            why = _reason(ours[at] - theirs[at], int(differing[at]), fewest, unit)
        yield Difference(
            two,
            at,
            float(ours[at]),
            float(theirs[at]),
            float(n[at]),
            int(differing[at]),
            interval,
            float(found.p[at]),
            found.test[at],
            why,
        )


def _by_runs(two: Pair, testable: Bools) -> Tested:
    p = np.where(testable, two.p_at(0.0), np.nan)
    return Tested(p, [None if np.isnan(one) else RUNS for one in p])


def _reason(difference: float, differing: int, fewest: int, unit: str) -> str:
    """Why a number is not tested."""
    if np.isnan(difference):
        return "undefined"
    if differing >= fewest:
        return f"it occurs in one {unit} only"
    return f"differs in {plural(differing, unit)}, {fewest} are needed"


def agreeing(low: float, high: float, p: float, alpha: float) -> Interval:
    """The interval without 0 if the test has ruled 0 out, and with it if not.

    An interval holds the values that a test does not reject; for 0, that test is the one whose p is
    shown, so that both never say different things.
    """
    if np.isnan(low) or np.isnan(high):
        return None
    if not p < alpha:
        return min(low, 0.0), max(high, 0.0)
    if low <= 0 <= high:
        return (_BESIDE_ZERO, high) if high > -low else (low, -_BESIDE_ZERO)
    return low, high
