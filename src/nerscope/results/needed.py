"""How small a difference a test set can show, and how much data or how many runs would show it."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from nerscope.errors import UsageError, expect
from nerscope.results.compare import Pair, division_named, pairs_of
from nerscope.results.results import Results
from nerscope.scoring.evidence import Evidence
from nerscope.scoring.metrics import metric_named
from nerscope.stats.compared import Asked, Difference, differences
from nerscope.stats.differences import RECIPES
from nerscope.stats.intervals import Sampling
from nerscope.stats.power import clusters_needed, power_of, runs_needed

RUNS = (1, 2, 3, 5, 10)


def power(
    results: Results,
    a: str | None = None,
    b: str | None = None,
    *,
    difference: float = 1.0,
    power: float = 0.8,
    alpha: float = 0.05,
    metric: str = "f1",
    match: str | None = None,
    resample: str | None = None,
) -> list[dict[str, Any]]:
    """For each dataset and pair: what a difference (in points) would take to be found.

    >>> from nerscope import evaluate
    >>> gold = [(["Ada", "met", "Bob"], ["B-PER", "O", "B-PER"])] * 20
    >>> half = [["B-PER", "O", "B-PER"]] * 10 + [["O", "O", "B-PER"]] * 10
    >>> results = evaluate(gold, {"x": half, "y": half[::-1]})
    >>> round(power(results, difference=10)[0]["clusters_needed"] / 10) * 10
    110
    """
    expect("results", results, Results, "give what evaluate or Results.load gave")
    _check(difference, power, alpha)
    sampling, found = Sampling(resample), list[dict[str, Any]]()
    for evidence in results.evidence:
        pairs, _ = pairs_of(evidence, results, a, b, None)
        for one in _overall(evidence, pairs, sampling, metric, match):
            found.append(_record(evidence, one, sampling, difference, power, alpha))
    return found


def _check(difference: float, power: float, alpha: float) -> None:
    for name, value, low, high, remedy in [
        ("difference", difference, 0.0, 1e6, "give a number of points above 0, as 1"),
        ("power", power, 0.5, 1.0, "give a share from 0.5 to 1, as 0.8"),
        ("alpha", alpha, 0.0, 0.5, "give a share up to 0.5, as 0.05"),
    ]:
        number = isinstance(value, int | float) and not isinstance(value, bool)
        if not number or not low < value < high:
            raise UsageError(name, f"{value!r} cannot be", remedy)


def _overall(
    evidence: Evidence, pairs: Sequence[Pair], sampling: Sampling, metric: str, match: str | None
) -> Iterator[Difference]:
    """The difference over everything, of each pair."""
    division = division_named(evidence, "all", match, metric)
    own = match or division.matches[0]
    if metric not in division.metrics.get(own, ()):
        raise UsageError(
            f"metric '{metric}'", f"there is none over everything by '{own}'", "choose another one"
        )
    narrow = replace(division, metrics={own: (metric,)}, by_type=False)
    chosen = replace(evidence, divisions=(narrow,))
    for one in differences(chosen, pairs, sampling, Asked(test=False)):
        if one.key.type is None:
            yield one


def _record(
    evidence: Evidence,
    found: Difference,
    sampling: Sampling,
    difference: float,
    power: float,
    alpha: float,
) -> dict[str, Any]:
    pair, at = found.pair, found.at
    scale = 100.0 if metric_named(found.key.metric).is_fraction else 1.0
    wanted, recipes = difference / scale, pair.about == RECIPES
    clusters, apart = round(float(pair.clusters[at])), float(pair.apart[at])
    # Runs differ because training went differently, and because they disagree on single sentences:
    # more data makes the second smaller, and not the first.
    of_data = sum(float(side[at]) for side in pair.of_run) / 2 if recipes else 0.0
    of_training = max(0.0, float(pair.single_run_variance[at]) - of_data) if recipes else 0.0
    of_run = of_data + of_training
    if not recipes:
        apart = float(pair.cluster_variance[at])
    n_runs = [len(evidence.runs_of(name)) for name in (pair.a, pair.b)]

    def documents(runs_a: int, runs_b: int) -> int | None:
        by_data = apart + of_data * (1 / runs_a + 1 / runs_b)
        own = (wanted, clusters, by_data, of_training, of_training, runs_a, runs_b)
        return clusters_needed(*own, alpha=alpha, power=power)

    least = found.detectable(alpha, power)
    degrees = float(pair.all_degrees[at])
    return {
        "dataset": evidence.dataset,
        "system_a": pair.a,
        "system_b": pair.b,
        "match": pair.spread.match,
        "metric": found.key.metric,
        "over": sampling.unit(evidence),
        "clusters": clusters,
        "runs_a": n_runs[0],
        "runs_b": n_runs[1],
        "about": pair.about,
        "difference": difference,
        "power": power_of(wanted, found.variance, degrees, alpha),
        "detectable": None if least is None else scale * least,
        "clusters_needed": documents(*n_runs),
        "runs_needed": runs_needed(wanted, apart, of_run, of_run, alpha, power)
        if recipes
        else None,
        "clusters_by_runs": {str(k): documents(k, k) for k in RUNS} if recipes else {},
    }
