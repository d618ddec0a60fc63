"""Every number of two systems: the difference, its interval, and a test."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import ceil, log2
from typing import NamedTuple

import numpy as np

from nerscope.corpus.arrays import Bools, Ints
from nerscope.errors import UsageError, suggest
from nerscope.scoring.cluster_units import count_units, unit_noun
from nerscope.scoring.evidence import Evidence, FacetTable
from nerscope.scoring.metrics import leading_metric
from nerscope.stats.clusters import CellKey, ClusterCounts, clusters_of
from nerscope.stats.corrections import SIGNIFICANT
from nerscope.stats.draws import PValues, ResampleWeights, p_values_of_outputs
from nerscope.stats.intervals import Interval, Sampling
from nerscope.stats.jackknife import with_lenders
from nerscope.stats.paired import DEFAULT_METHOD, METHODS, RUNS
from nerscope.stats.system_pair import ABOUT_OUTPUTS, ABOUT_RECIPES, SystemPair
from nerscope.stats.two_way import TWO_WAY, jackknives

POWER = 0.8  # of the test for detectable differences
_BESIDE_ZERO = 1e-6  # the bound next to 0 if the test rejects 0


@dataclass(frozen=True, slots=True)
class ComparisonPlan:
    """The question about two systems, and the test.

    `about` is "outputs" (only these files), "recipes" (also other training runs), or None: recipes
    if a system has several runs. With `same_seeds`, runs are paired in order.
    """

    method: str = DEFAULT_METHOD
    about: str | None = None
    same_seeds: bool = False
    alpha: float = SIGNIFICANT
    test: bool = True  # False: only bounds are computed

    def __post_init__(self) -> None:
        METHODS[self.method]
        if self.about not in (None, ABOUT_OUTPUTS, ABOUT_RECIPES):
            known = (ABOUT_OUTPUTS, ABOUT_RECIPES)
            raise UsageError("about", f"unknown value '{self.about}'", suggest(self.about, known))

    def about_runs(self, a: str, b: str, ours: int, theirs: int) -> str:
        """The question for two systems with these numbers of runs."""
        several = max(ours, theirs) > 1
        if self.about == ABOUT_RECIPES and not several:
            raise UsageError(
                "about",
                f"{a} and {b} have one run each, so recipes cannot be compared",
                "evaluate several runs of each system, or use --about outputs",
            )
        if self.same_seeds and (ours != theirs or ours < 2):
            raise UsageError(
                "same_seeds",
                f"{a} has {ours} and {b} has {theirs} runs, but runs must be paired",
                "give both systems the same seeds (two or more) in the same order",
            )
        return self.about or (ABOUT_RECIPES if several else ABOUT_OUTPUTS)


class Difference(NamedTuple):
    """One number of two systems: A's value, B's value, and the inference on the difference."""

    pair: SystemPair
    at: int  # the index of the number
    key: CellKey  # level, type and metric of the number
    a: float
    b: float
    n: float
    clusters: int  # with units of this number
    differing: int  # clusters in which the systems differ
    degrees: float  # of freedom, of the variance
    interval: Interval
    p: float
    test: str | None
    untested_reason: str | None  # why the test is missing
    detectable: float | None  # with 80 % power
    null: Ints | None = None  # the p-value of each sample: see `PValues`

    @property
    def table(self) -> FacetTable:
        """The facet."""
        return self.pair.spread.table

    @property
    def variance(self) -> float:
        """The variance of the difference."""
        return float(self.pair.variance[self.at])

    def p_below(self, bound: float) -> float:
        """The one-sided p-value of the hypothesis that the difference is `bound` or more."""
        return self._one_sided(bound, self.a - self.b < bound)

    def p_above(self, bound: float) -> float:
        """The one-sided p-value of the hypothesis that the difference is `bound` or less."""
        return self._one_sided(bound, self.a - self.b > bound)

    def _one_sided(self, bound: float, beyond: bool) -> float:
        half = float(self.pair.p_at(bound)[self.at]) / 2
        return half if beyond else 1 - half

    def detectable_at(self, alpha: float, power: float = POWER) -> float | None:
        """The smallest true difference that a test at this level detects with this power."""
        return _or_none(self.pair.detectable(alpha, power)[self.at])

    def bounds(self, alpha: float) -> Interval:
        """The interval at level 1 - alpha, from the variance over clusters and runs."""
        low, high = (float(side[self.at]) for side in self.pair.bounds(alpha))
        return None if np.isnan(low) else (low, high)


def leading_metric_of(table: FacetTable, match: str) -> str | None:
    """The metric by which the levels of a facet are judged; None if they are judged by another
    match.
    """
    return leading_metric(table.metrics[match]) if match == table.matches[0] else None


def fewest_differing(alpha: float) -> int:
    """The smallest number of differing clusters for which a p-value below alpha is possible.

    >>> fewest_differing(0.05), fewest_differing(0.001)
    (6, 11)
    """
    return ceil(1 + log2(1 / alpha))


def differences(
    evidence: Evidence, pairs: Sequence[tuple[str, str]], sampling: Sampling, plan: ComparisonPlan
) -> list[Difference]:
    """Every number of every pair, by facet table and match."""
    systems = list(dict.fromkeys(name for pair in pairs for name in pair))
    if not systems or not len(evidence.documents):
        return []
    cluster_unit = sampling.cluster_unit(evidence)
    clusters = clusters_of(evidence, cluster_unit)
    n_runs = {system: len(evidence.runs_of(system)) for system in systems}
    about = {(a, b): plan.about_runs(a, b, n_runs[a], n_runs[b]) for a, b in pairs}
    weights = None
    if ABOUT_OUTPUTS in about.values() and plan.test:
        # All numbers and pairs use the same resamples.
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
    # Two-way clusters overlap, so outputs are not swapped cluster by cluster.
    if pair.about == ABOUT_RECIPES or weights is None or spread.one_way_products:
        p_values = _by_student(pair, testable & plan.test)
    else:
        leading = leading_metric_of(spread.table, spread.match)
        in_family = np.array([key.metric == leading for key in spread.keys])
        p_values = p_values_of_outputs(clustered, names, plan.method, weights, testable, in_family)
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
            null=p_values.null.get(at),
        )


def _or_none(value: float) -> float | None:
    return None if np.isnan(value) else float(value)


def _by_student(pair: SystemPair, testable: Bools) -> PValues:
    """Student's test, for runs and for two-way clusters (which have no swap test)."""
    p = np.where(testable, pair.p_at(0.0), np.nan)
    test = RUNS if pair.about == ABOUT_RECIPES else TWO_WAY
    return PValues(p, [None if np.isnan(value) else test for value in p], {})


def _reason(difference: float, differing: int, fewest: int, cluster_unit: str) -> str:
    """Why a number is not tested."""
    if np.isnan(difference):
        return "undefined"
    if differing >= fewest:
        return f"it occurs in one {unit_noun(cluster_unit)} only"
    return f"differs in {count_units(differing, cluster_unit)}, {fewest} are needed"


def agree_with_test(difference: float, low: float, high: float, p: float, alpha: float) -> Interval:
    """The interval, made to exclude 0 if the test rejects 0, and to include 0 if not.

    An interval holds the values that a test does not reject. For 0, this is the test whose p is
    shown, so that p and interval always agree. The difference is inside the interval in both cases.

    >>> agree_with_test(1.0, -1.0, 1.0, p=0.01, alpha=0.05)
    (1e-06, 1.0)
    """
    if np.isnan(low) or np.isnan(high):
        return None
    if not p < alpha:
        return min(low, 0.0), max(high, 0.0)
    if low <= 0 <= high:
        beside = min(_BESIDE_ZERO, abs(difference))  # the difference itself may be smaller
        return (beside, high) if difference > 0 else (low, -beside)
    return low, high
