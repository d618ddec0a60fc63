"""The smallest difference a test set detects, and the data and runs needed to detect one."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import ceil
from typing import NamedTuple

import numpy as np

from nerscope.arguments import check_arguments
from nerscope.corpus.arrays import Floats
from nerscope.corpus.units import ALL
from nerscope.errors import UsageError, expect
from nerscope.results.results import Results
from nerscope.results.rows import ResultRow
from nerscope.results.selection import PairNames, facet_table_named, pairs_of
from nerscope.scoring.evidence import Evidence
from nerscope.scoring.metrics import F1, metric_named
from nerscope.stats.clusters import ClusterCounts, clusters_of, number_of_clusters
from nerscope.stats.corrections import DEFAULT_CORRECTION, correct_p_values
from nerscope.stats.intervals import Sampling
from nerscope.stats.jackknife import mean_moves
from nerscope.stats.power import Design
from nerscope.stats.runs import pooled_run_variance, run_spread
from nerscope.stats.system_differences import ComparisonPlan, Difference, differences
from nerscope.stats.system_pair import ABOUT_RECIPES
from nerscope.stats.system_pair import SystemPair as Two

RUNS = (2, 3, 5, 10)


@dataclass(frozen=True, slots=True, eq=False)
class PowerRow(ResultRow):
    """The power of the test of one pair on one dataset."""

    dataset: str
    system_a: str
    system_b: str
    match: str
    metric: str
    over: str  # document, sentence or a block, such as "block:20"
    clusters: int  # of the dataset, with and without mentions
    runs_a: int
    runs_b: int
    about: str
    difference: float  # in points: the true difference to detect
    alpha: float
    corrected_alpha: float  # the level that the smallest p-value must reach
    tests: int  # tests (pairs times datasets) that `compare` corrects for together
    power: float | None
    detectable: float | None  # in points
    clusters_needed: int | None  # counted like `clusters`
    clusters_needed_low: int | None  # 95 % interval: the variance is estimated from this data
    clusters_needed_high: int | None
    runs_needed: int | None
    clusters_by_runs: dict[str, int | None]


def power(
    results: Results,
    a: str | None = None,
    b: str | None = None,
    *,
    difference: float = 1.0,
    power: float = 0.8,
    alpha: float = 0.05,
    metric: str = F1,
    match: str | None = None,
    resample: str | None = None,
    correction: str = DEFAULT_CORRECTION,
) -> list[PowerRow]:
    """For each dataset and pair, the power of the test and the data and runs that are needed.

    Clusters are counted as the dataset has them, with and without mentions.

    Args:
        results: from `evaluate` or `Results.load`.
        a, b: two systems; default: all pairs.
        difference: the true difference to detect, in points.
        power: the share of test sets in which the difference should be detected.
        alpha: the level of the test.
        correction: as for `compare`, over all of these pairs and datasets together;
            "none" for a single comparison that was planned ahead.
        metric, match: the score to test, over all mentions.
        resample: "document", "sentence" or "block:20"; default: documents if they are marked.

    >>> from nerscope import evaluate
    >>> gold = [(["Ada", "met", "Bob"], ["B-PER", "O", "B-PER"])] * 20
    >>> half = [["B-PER", "O", "B-PER"]] * 10 + [["O", "O", "B-PER"]] * 10
    >>> results = evaluate(gold, {"x": half, "y": half[::-1]})
    >>> round(power(results, difference=10)[0]["clusters_needed"] / 10) * 10
    110
    """
    check_arguments(_POWER, locals())
    expect("results", results, Results, "give the results of evaluate or Results.load")
    _check(difference, power, alpha)
    sampling = Sampling(resample)
    measured = [
        (evidence, list(_overall(evidence, pairs, sampling, metric, match)))
        for evidence in results.evidence
        for pairs, _ in [pairs_of(evidence, results, a, b, None)]
    ]
    tests = sum(len(overall) for _, overall in measured)
    level = corrected_level(alpha, tests, correction)
    question, rows = _Question(difference, power, alpha, level, tests), list[PowerRow]()
    for evidence, overall in measured:
        moves = moves_of(evidence, overall, sampling.cluster_unit(evidence))
        rows += [_record(evidence, pair, moves, sampling, question) for pair in overall]
    return rows


_POWER = power  # an argument of `power` hides the function


def _check(difference: float, power: float, alpha: float) -> None:
    for name, value, low, high, fix in [
        ("difference", difference, 0.0, 1e6, "give a number of points above 0, such as 1"),
        ("power", power, 0.5, 1.0, "give a number between 0.5 and 1, such as 0.8"),
        ("alpha", alpha, 0.0, 0.5, "give a number between 0 and 0.5, such as 0.05"),
    ]:
        number = isinstance(value, int | float) and not isinstance(value, bool)
        if not number or not low < value < high:
            raise UsageError(name, f"invalid value {value!r}", fix)


def _overall(
    evidence: Evidence,
    pairs: Sequence[PairNames],
    sampling: Sampling,
    metric: str,
    match: str | None,
) -> Iterator[Difference]:
    """The overall difference of each pair."""
    table = facet_table_named(evidence, ALL, match, metric)
    chosen_match = match or table.matches[0]
    if metric not in table.metrics.get(chosen_match, ()):
        raise UsageError(
            f"metric '{metric}'",
            f"the results have no overall score of it by the match '{chosen_match}'",
            "choose another metric",
        )
    if not metric_named(metric).is_fraction:
        raise UsageError(
            f"metric '{metric}'",
            "it is a count, not a fraction",
            "choose another metric, such as f1",
        )
    narrow = replace(table, metrics={chosen_match: (metric,)}, by_type=False)
    chosen = replace(evidence, tables=(narrow,))
    for overall in differences(chosen, pairs, sampling, ComparisonPlan(test=False)):
        if overall.key.type is None:
            yield overall


class _Question(NamedTuple):
    """The difference to detect, the power, and the levels before and after correction."""

    difference: float
    power: float
    alpha: float
    level: float
    tests: int


def corrected_level(alpha: float, tests: int, correction: str) -> float:
    """The level that the smallest of `tests` p-values must reach to be significant.

    >>> corrected_level(0.05, 8, "holm"), corrected_level(0.05, 8, "none")
    (0.00625, 0.05)
    """
    smallest = 2.0**-40
    others = [1.0] * (max(1, tests) - 1)
    return alpha * smallest / correct_p_values([smallest, *others], correction)[0]


def _record(
    evidence: Evidence,
    measured: Difference,
    moves: Mapping[str, Floats],
    sampling: Sampling,
    question: _Question,
) -> PowerRow:
    pair, at, unit = measured.pair, measured.at, sampling.cluster_unit(evidence)
    runs = (len(evidence.runs_of(pair.a)), len(evidence.runs_of(pair.b)))
    design, recipes = design_of(pair, at, runs), pair.about == ABOUT_RECIPES
    known = design.clusters >= 2 and not np.isnan(measured.a - measured.b)
    if known:
        design = replace(design, variance_degrees=variance_degrees(measured, moves))
    clusters = number_of_clusters(evidence, unit)
    find = (question.difference / 100, runs, question.level, question.power)
    # The variance is over the clusters in which the metric is defined; users count all clusters.
    scale = clusters / max(1, design.clusters)

    def scaled(needed: int | None) -> int | None:
        return None if needed is None else ceil(needed * scale)

    def needed(n_runs: tuple[int, int]) -> int | None:
        return scaled(design.clusters_needed(find[0], n_runs, *find[2:])) if known else None

    low, high = design.needed_range(*find) if known else (None, None)
    least = design.least(design.clusters, *find[1:]) if known else None
    return PowerRow(
        dataset=evidence.dataset,
        system_a=pair.a,
        system_b=pair.b,
        match=pair.spread.match,
        metric=measured.key.metric,
        over=unit,
        clusters=clusters,
        runs_a=runs[0],
        runs_b=runs[1],
        about=pair.about,
        difference=question.difference,
        alpha=question.alpha,
        corrected_alpha=question.level,
        tests=question.tests,
        power=design.power(find[0], design.clusters, *find[1:3]) if known else None,
        detectable=None if least is None or least > 1 else 100 * least,
        clusters_needed=needed(runs),
        clusters_needed_low=scaled(low),
        clusters_needed_high=scaled(high),
        runs_needed=design.runs_needed(find[0], *find[2:]) if known and recipes else None,
        clusters_by_runs={str(k): needed((k, k)) for k in RUNS} if recipes else {},
    )


def moves_of(
    evidence: Evidence, measured: Sequence[Difference], cluster_unit: str
) -> dict[str, Floats]:
    """For each system, the change of the measured score when each cluster is left out."""
    moves, clusters = dict[str, Floats](), clusters_of(evidence, cluster_unit)
    for overall in measured:
        spread = overall.pair.spread
        for system in {overall.pair.a, overall.pair.b} - moves.keys():
            counts = ClusterCounts(evidence, spread.table, spread.match, [system], clusters)
            moves[system] = mean_moves(counts)[:, counts.keys.index(overall.key)]
    return moves


def variance_degrees(measured: Difference, moves: Mapping[str, Floats]) -> float:
    """The degrees of freedom of the estimated variance of a difference.

    A chi-square variable with d degrees of freedom has a squared coefficient of variation of 2 / d.
    The coefficient of the sum of the squared moves follows from their fourth powers: a few clusters
    that move the score a lot give fewer degrees than many that move it a little.
    """
    pair, at = measured.pair, measured.at
    squares = (moves[pair.a] - moves[pair.b]) ** 2
    whole, clusters = float(squares.sum()), max(1.0, float(pair.clusters[at]))
    spread = float((squares * squares).sum()) - whole * whole / clusters
    most = max(1.0, float(pair.degrees[at]))
    return max(1.0, min(most, 2 * whole * whole / spread)) if spread > 0 else most


def design_of(pair: Two, at: int, runs: tuple[int, int]) -> Design:
    """The components of the variance of a difference."""
    clusters, degrees = round(float(pair.clusters[at])), float(pair.degrees[at])
    if pair.about != ABOUT_RECIPES:
        return Design(clusters, degrees, float(pair.cluster_variance[at]))
    # Runs differ in their mean, and in how they label single sentences.
    of_data = sum(float(side[at]) for side in pair.single_run_squares) / 2
    of_training = max(0.0, float(pair.single_run_variance[at]) - of_data)
    borrowed, prior = float(pair.borrowed_degrees[at]), 0.0
    if borrowed:
        runs_of_sides = (pair.spread.runs[system][:, [at]] for system in (pair.a, pair.b))
        alone = pooled_run_variance([run_spread(side) for side in runs_of_sides])
        # The variance is a weighted mean of the variance of this pair and the borrowed one.
        both = float(pair.single_run_variance[at]) * float(pair.run_degrees[at])
        prior = (both - float(alone.variance[0] * alone.degrees[0])) / borrowed
    return Design(
        clusters,
        degrees,
        float(pair.variance_beyond_runs[at]),
        of_data,
        of_training,
        recipes=True,
        run_degrees=float(sum(runs) - 2),
        prior_degrees=borrowed,
        prior_variance=prior,
    )
