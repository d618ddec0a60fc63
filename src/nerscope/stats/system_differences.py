"""Every number of two systems beside each other: the difference, its interval, and a test of it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import ceil, log2
from typing import NamedTuple

import numpy as np

from nerscope.corpus.arrays import Bools
from nerscope.errors import UsageError, suggest
from nerscope.scoring.cluster_units import count_units, unit_noun
from nerscope.scoring.evidence import Evidence, FacetTable
from nerscope.stats.clusters import CellKey, ClusterCounts, clusters_of
from nerscope.stats.corrections import SIGNIFICANT
from nerscope.stats.draws import PValues, ResampleWeights, p_values_of_outputs
from nerscope.stats.intervals import Interval, Sampling
from nerscope.stats.jackknife import with_lenders
from nerscope.stats.paired import DEFAULT_METHOD, METHODS, RUNS
from nerscope.stats.system_pair import ABOUT_OUTPUTS, ABOUT_RECIPES, SystemPair
from nerscope.stats.two_way import TWO_WAY, jackknives

POWER = 0.8  # with which detectable differences are found
_BESIDE_ZERO = 1e-6  # a bound that must not be 0, since the test has ruled it out


@dataclass(frozen=True, slots=True)
class ComparisonPlan:
    """What is asked of two systems, and how it is tested.

    `about` is "outputs" (these files), "recipes" (what other training runs would give, too), or
    None: recipes where a system has several runs. `same_seeds` says that runs belong together in
    order.
    """

    method: str = DEFAULT_METHOD
    about: str | None = None
    same_seeds: bool = False
    alpha: float = SIGNIFICANT
    test: bool = True  # else, bounds alone are wanted

    def __post_init__(self) -> None:
        METHODS[self.method]
        if self.about not in (None, ABOUT_OUTPUTS, ABOUT_RECIPES):
            known = (ABOUT_OUTPUTS, ABOUT_RECIPES)
            raise UsageError("about", f"there is no '{self.about}'", suggest(self.about, known))

    def about_runs(self, a: str, b: str, ours: int, theirs: int) -> str:
        """What can be asked of two systems with so many runs."""
        several = max(ours, theirs) > 1
        if self.about == ABOUT_RECIPES and not several:
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
        return self.about or (ABOUT_RECIPES if several else ABOUT_OUTPUTS)


class Difference(NamedTuple):
    """One number of two systems: A's, B's, and what can be said of the difference."""

    pair: SystemPair
    at: int  # the place of the number
    key: CellKey  # which number of the facet
    a: float
    b: float
    n: float
    clusters: int  # in which the number occurs
    differing: int  # clusters in which the systems differ
    degrees: float  # of freedom, of the variance
    interval: Interval
    p: float
    test: str | None
    untested_reason: str | None  # why there is no test
    detectable: float | None  # with 80 % power

    @property
    def table(self) -> FacetTable:
        """The facet."""
        return self.pair.spread.table

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

    def detectable_at(self, alpha: float, power: float = POWER) -> float | None:
        """The smallest true difference that a test at this level finds with this power."""
        return _or_none(self.pair.detectable(alpha, power)[self.at])

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
    evidence: Evidence, pairs: Sequence[tuple[str, str]], sampling: Sampling, plan: ComparisonPlan
) -> list[Difference]:
    """Every number of every pair, by division and match."""
    systems = list(dict.fromkeys(name for pair in pairs for name in pair))
    if not systems or not len(evidence.documents):
        return []
    cluster_unit = sampling.cluster_unit(evidence)
    clusters = clusters_of(evidence, cluster_unit)
    n_runs = {system: len(evidence.runs_of(system)) for system in systems}
    about = {(a, b): plan.about_runs(a, b, n_runs[a], n_runs[b]) for a, b in pairs}
    weights = None
    if ABOUT_OUTPUTS in about.values() and plan.test:
        # The same resamples serve all numbers and pairs.
        weights = ResampleWeights.of(int(clusters.max()) + 1, sampling, METHODS[plan.method])
    compared: list[Difference] = []
    for table in evidence.tables:
        for match in table.matches:
            clustered = ClusterCounts(evidence, table, match, systems, clusters)
            (spread,) = jackknives(clustered, evidence, cluster_unit, paired=True)
            if ABOUT_RECIPES in about.values() and not plan.same_seeds:
                spread = with_lenders(spread, evidence)
            for names in pairs:
                differing = clustered.differing(*names).number()
                pair = SystemPair(spread, *names, differing, about[names], plan.same_seeds)
                compared += _differences(clustered, pair, plan, weights, cluster_unit)
    return compared


def _differences(
    clustered: ClusterCounts,
    pair: SystemPair,
    plan: ComparisonPlan,
    weights: ResampleWeights | None,
    cluster_unit: str,
) -> Iterator[Difference]:
    spread, names = pair.spread, (pair.a, pair.b)
    ours, theirs = (spread.values(name) for name in names)
    differing, fewest = pair.differing, fewest_differing(plan.alpha)
    testable = (differing >= fewest) & (pair.clusters >= 2)
    # Outputs that hang together in two ways cannot change places cluster by cluster.
    if pair.about == ABOUT_RECIPES or weights is None or spread.one_way_products:
        p_values = _by_student(pair, testable & plan.test)
    else:
        p_values = p_values_of_outputs(clustered, names, plan.method, weights, testable)
    n = spread.sizes[[spread.systems.index(name) for name in names]].mean(axis=0)
    low, high = pair.bounds(plan.alpha)
    degrees, detectable = pair.all_degrees, pair.detectable(SIGNIFICANT, POWER)
    for at, key in enumerate(spread.keys):
        difference = float(ours[at] - theirs[at])
        interval = agree_with_test(
            difference, float(low[at]), float(high[at]), float(p_values.p[at]), plan.alpha
        )
        reason = None
        if np.isnan(p_values.p[at]):
            reason = _reason(difference, int(differing[at]), fewest, cluster_unit)
        yield Difference(
            pair=pair,
            at=at,
            key=key,
            a=float(ours[at]),
            b=float(theirs[at]),
            n=float(n[at]),
            clusters=round(float(pair.clusters[at])),
            differing=int(differing[at]),
            degrees=float(degrees[at]),
            interval=interval,
            p=float(p_values.p[at]),
            test=p_values.test[at],
            untested_reason=reason,
            detectable=_or_none(detectable[at]),
        )


def _or_none(value: float) -> float | None:
    return None if np.isnan(value) else float(value)


def _by_student(pair: SystemPair, testable: Bools) -> PValues:
    """Student's test, over runs; of outputs over two-way clusters, which no swap can test."""
    p = np.where(testable, pair.p_at(0.0), np.nan)
    test = RUNS if pair.about == ABOUT_RECIPES else TWO_WAY
    return PValues(p, [None if np.isnan(value) else test for value in p])


def _reason(difference: float, differing: int, fewest: int, cluster_unit: str) -> str:
    """Why a number is not tested."""
    if np.isnan(difference):
        return "undefined"
    if differing >= fewest:
        return f"it occurs in one {unit_noun(cluster_unit)} only"
    return f"differs in {count_units(differing, cluster_unit)}, {fewest} are needed"


def agree_with_test(difference: float, low: float, high: float, p: float, alpha: float) -> Interval:
    """The interval without 0 if the test has ruled 0 out, and with it if not.

    An interval holds the values that a test does not reject; for 0, that test is the one whose p is
    shown, so that both never say different things. The difference lies inside either way.

    >>> agree_with_test(1.0, -1.0, 1.0, p=0.01, alpha=0.05)
    (1e-06, 1.0)
    """
    if np.isnan(low) or np.isnan(high):
        return None
    if not p < alpha:
        return min(low, 0.0), max(high, 0.0)
    if low <= 0 <= high:
        beside = min(_BESIDE_ZERO, abs(difference))  # some differences are smaller still
        return (beside, high) if difference > 0 else (low, -beside)
    return low, high
