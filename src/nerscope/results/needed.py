"""How small a difference a test set can show, and how much data or how many runs would show it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from nerscope.arguments import check_arguments
from nerscope.corpus.units import ALL
from nerscope.errors import UsageError, expect
from nerscope.results.results import Results
from nerscope.results.rows import ResultRow
from nerscope.results.selection import PairNames, facet_table_named, pairs_of
from nerscope.scoring.evidence import Evidence
from nerscope.scoring.metrics import F1, metric_named
from nerscope.stats.clusters import pooled_by
from nerscope.stats.intervals import Sampling
from nerscope.stats.power import Design
from nerscope.stats.system_differences import ComparisonPlan, Difference, differences
from nerscope.stats.system_pair import ABOUT_RECIPES
from nerscope.stats.system_pair import SystemPair as Two

RUNS = (2, 3, 5, 10)


@dataclass(frozen=True, slots=True, eq=False)
class PowerRow(ResultRow):
    """What the test of one pair on one dataset can find."""

    dataset: str
    system_a: str
    system_b: str
    match: str
    metric: str
    over: str  # document, sentence or block:20
    clusters: int
    runs_a: int
    runs_b: int
    about: str
    difference: float  # in points, as asked about
    power: float | None
    detectable: float | None  # in points
    clusters_needed: int | None
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
) -> list[PowerRow]:
    """For each dataset and pair: how likely a difference is found, and what it would take.

    Args:
        results: what `evaluate` or `Results.load` gave.
        a, b: two systems; without them, all pairs.
        difference: the true difference to find, in points.
        power: the share of test sets in which it shall be found.
        alpha: the level of the test.
        metric, match: the number, over all mentions.
        resample: "document", "sentence" or "block:20"; by default documents where they are marked.

    >>> from nerscope import evaluate
    >>> gold = [(["Ada", "met", "Bob"], ["B-PER", "O", "B-PER"])] * 20
    >>> half = [["B-PER", "O", "B-PER"]] * 10 + [["O", "O", "B-PER"]] * 10
    >>> results = evaluate(gold, {"x": half, "y": half[::-1]})
    >>> round(power(results, difference=10)[0]["clusters_needed"] / 10) * 10
    110
    """
    check_arguments(_POWER, locals())
    expect("results", results, Results, "give what evaluate or Results.load gave")
    _check(difference, power, alpha)
    sampling, rows = Sampling(resample), list[PowerRow]()
    for evidence in results.evidence:
        pairs, _ = pairs_of(evidence, results, a, b, None)
        for overall in _overall(evidence, pairs, sampling, metric, match):
            rows.append(_record(evidence, overall, sampling, difference, power, alpha))
    return rows


_POWER = power  # within it, an argument has its name


def _check(difference: float, power: float, alpha: float) -> None:
    for name, value, low, high, remedy in [
        ("difference", difference, 0.0, 1e6, "give a number of points above 0, as 1"),
        ("power", power, 0.5, 1.0, "give a share above 0.5 and below 1, as 0.8"),
        ("alpha", alpha, 0.0, 0.5, "give a share up to 0.5, as 0.05"),
    ]:
        number = isinstance(value, int | float) and not isinstance(value, bool)
        if not number or not low < value < high:
            raise UsageError(name, f"{value!r} cannot be", remedy)


def _overall(
    evidence: Evidence,
    pairs: Sequence[PairNames],
    sampling: Sampling,
    metric: str,
    match: str | None,
) -> Iterator[Difference]:
    """The difference over everything, of each pair."""
    table = facet_table_named(evidence, ALL, match, metric)
    chosen_match = match or table.matches[0]
    if metric not in table.metrics.get(chosen_match, ()):
        raise UsageError(
            f"metric '{metric}'",
            f"there is none over everything by '{chosen_match}'",
            "choose another one",
        )
    if not metric_named(metric).is_fraction:
        raise UsageError(
            f"metric '{metric}'", "it is no share, and grows with the data", "choose another one"
        )
    narrow = replace(table, metrics={chosen_match: (metric,)}, by_type=False)
    chosen = replace(evidence, tables=(narrow,))
    for overall in differences(chosen, pairs, sampling, ComparisonPlan(test=False)):
        if overall.key.type is None:
            yield overall


def _record(
    evidence: Evidence,
    measured: Difference,
    sampling: Sampling,
    difference: float,
    power: float,
    alpha: float,
) -> PowerRow:
    pair, at = measured.pair, measured.at
    as_share, recipes = difference / 100, pair.about == ABOUT_RECIPES
    runs = (len(evidence.runs_of(pair.a)), len(evidence.runs_of(pair.b)))
    design, pooled = _design(pair, at), pooled_by(evidence, sampling.cluster_unit(evidence))
    known = design.clusters >= 2 and not np.isnan(measured.a - measured.b)

    def documents(n_runs: tuple[int, int]) -> int | None:
        needed = design.clusters_needed(as_share, n_runs, alpha, power) if known else None
        return None if needed is None else round(needed * pooled)

    least = measured.detectable_at(alpha, power)
    return PowerRow(
        dataset=evidence.dataset,
        system_a=pair.a,
        system_b=pair.b,
        match=pair.spread.match,
        metric=measured.key.metric,
        over=sampling.cluster_unit(evidence),
        clusters=round(design.clusters * pooled),
        runs_a=runs[0],
        runs_b=runs[1],
        about=pair.about,
        difference=difference,
        power=design.power(as_share, design.clusters, runs, alpha) if known else None,
        detectable=None if least is None or least > 1 else 100 * least,
        clusters_needed=documents(runs),
        runs_needed=design.runs_needed(as_share, alpha, power) if known and recipes else None,
        clusters_by_runs={str(k): documents((k, k)) for k in RUNS} if recipes else {},
    )


def _design(pair: Two, at: int) -> Design:
    """What the variance of a difference is made of."""
    clusters, degrees = round(float(pair.clusters[at])), float(pair.degrees[at])
    if pair.about != ABOUT_RECIPES:
        return Design(clusters, degrees, float(pair.cluster_variance[at]))
    # Runs differ because training went differently, and because they disagree on single sentences.
    of_data = sum(float(side[at]) for side in pair.single_run_squares) / 2
    of_training = max(0.0, float(pair.single_run_variance[at]) - of_data)
    return Design(
        clusters, degrees, float(pair.variance_beyond_runs[at]), of_data, of_training, recipes=True
    )
