"""The difference of two systems: bounds, p-values, and what training runs add to them."""

import math
import warnings
from typing import Any

import numpy as np
import pytest
from scipy import stats
from tests.scoring.toys import drawn, noisy

import nerscope
from nerscope.errors import UsageError
from nerscope.stats.clusters import CellKey, ClusterCounts, clusters_of
from nerscope.stats.intervals import Sampling
from nerscope.stats.jackknife import jackknife
from nerscope.stats.system_differences import ComparisonPlan, Difference, differences
from nerscope.stats.system_pair import ABOUT_OUTPUTS, ABOUT_RECIPES, SystemPair

GOLD = drawn(120, seed=1)


def run(rate: float, seed: int) -> Any:
    return noisy(GOLD, rate, seed)


def pair_of(a: Any, b: Any, about: str = ABOUT_OUTPUTS, same_seeds: bool = False) -> SystemPair:
    evidence = nerscope.evaluate(GOLD, {"a": a, "b": b}, metrics=["f1"]).evidence[0]
    table = next(one for one in evidence.tables if one.unit == "mention")
    clustered = ClusterCounts(evidence, table, "exact", ["a", "b"], clusters_of(evidence))
    differing = clustered.differing("a", "b").number()
    return SystemPair(jackknife(clustered), "a", "b", differing, about, same_seeds)


def at(pair: SystemPair) -> int:
    return pair.spread.keys.index(CellKey("all", None, "f1"))


def test_bounds_are_where_p_falls_below_alpha() -> None:
    for about, a, b in [
        (ABOUT_OUTPUTS, run(0.1, 2), run(0.15, 3)),
        (ABOUT_RECIPES, [run(0.1, k) for k in range(3)], [run(0.15, k) for k in range(5, 9)]),
        (ABOUT_RECIPES, [run(0.1, k) for k in range(3)], run(0.15, 5)),
    ]:
        pair = pair_of(a, b, about)
        for alpha in (0.2, 0.05, 0.01, 0.001):
            for bound in (float(side[at(pair)]) for side in pair.bounds(alpha)):
                if abs(bound) < 1:  # else, it was cut to the scale
                    assert pair.p_at(bound)[at(pair)] == pytest.approx(alpha, rel=0.02)
        assert pair.p_at(float(pair.difference[at(pair)]))[at(pair)] == pytest.approx(1.0)


def test_without_runs_it_is_students_test_over_clusters() -> None:
    pair = pair_of(run(0.1, 2), run(0.15, 3))
    here = at(pair)
    t = abs(pair.difference[here]) / math.sqrt(pair.variance[here])
    wanted = 2 * stats.t.sf(t, math.floor(pair.degrees[here]))
    assert pair.p_at()[here] == pytest.approx(wanted, rel=0.02)


def test_a_variance_counts_as_if_two_clusters_more_differed() -> None:
    pair = pair_of(run(0.1, 2), run(0.15, 3))
    here = at(pair)
    products = pair.spread.products
    moved = products[0, 0, here] + products[1, 1, here] - 2 * products[0, 1, here]
    k, m, n = pair.differing[here], pair.clusters[here], pair.spread.sizes[:, here].mean()
    unit = max(moved / k, 1 / n**2)  # what such a cluster moves: as much as others do, or one unit
    assert pair.cluster_variance[here] == pytest.approx((moved + 2 * unit) * (1 - 1 / m))


def test_equal_outputs_may_differ_elsewhere() -> None:
    pair = pair_of(run(0.1, 2), run(0.1, 2))
    low, high = (float(side[at(pair)]) for side in pair.bounds(0.05))
    n = pair.spread.sizes[0, at(pair)]
    assert -low == high == pytest.approx(1.98 * math.sqrt(2) / n, rel=0.02)


def test_runs_are_pooled_and_the_rest_is_that_of_clusters() -> None:
    a, b = [run(0.1, k) for k in range(2)], [run(0.2, k) for k in range(5, 9)]
    pair = pair_of(a, b, ABOUT_RECIPES)
    here = at(pair)
    ours, theirs = (pair.spread.runs[name][:, here] for name in "ab")
    pooled = (ours.var(ddof=1) + 3 * theirs.var(ddof=1)) / 4
    assert set(pair.run_degrees.tolist()) == {4}
    assert pair.run_variance[here] == pytest.approx(pooled * (1 / 2 + 1 / 4))
    own = pair.spread.single_run_squares[0, here] / 2 + pair.spread.single_run_squares[1, here] / 4
    assert pair.variance_beyond_runs[here] == pytest.approx(
        max(0.0, pair.cluster_variance[here] - own)
    )


def test_a_single_run_borrows_the_variance_of_the_other_side_and_counts_twice() -> None:
    a, b = [run(0.1, k) for k in range(5)], run(0.2, 9)
    pair = pair_of(a, b, ABOUT_RECIPES)
    here = at(pair)
    variance = pair.spread.runs["a"][:, here].var(ddof=1)
    assert set(pair.run_degrees.tolist()) == {4}
    assert pair.run_variance[here] == pytest.approx(variance * (1 / 5 + 2))


def test_runs_that_agree_by_chance_are_no_proof() -> None:
    # Both runs of a system are the same: their spread is 0, and says nothing.
    a, b = [run(0.1, 1)] * 2, [run(0.2, 2)] * 2
    recipes, outputs = pair_of(a, b, ABOUT_RECIPES), pair_of(a, b, ABOUT_OUTPUTS)
    assert recipes.p_at()[at(recipes)] == pytest.approx(outputs.p_at()[at(outputs)], rel=0.02)


def test_same_seeds_belong_together() -> None:
    seeds = [0.05, 0.1, 0.3, 0.2]
    a = [run(rate, k) for k, rate in enumerate(seeds)]
    b = [run(rate + 0.02, k) for k, rate in enumerate(seeds)]
    apart, together = pair_of(a, b, ABOUT_RECIPES), pair_of(a, b, ABOUT_RECIPES, same_seeds=True)
    here = at(apart)
    differences_ = together.spread.runs["a"][:, here] - together.spread.runs["b"][:, here]
    assert together.run_variance[here] == pytest.approx(differences_.var(ddof=1) / 4)
    assert set(together.run_degrees.tolist()) == {3}
    assert together.p_at()[here] < apart.p_at()[here]


def compared(a: Any, b: Any, **options: Any) -> Difference:
    evidence = nerscope.evaluate(GOLD, {"a": a, "b": b}, metrics=["f1"]).evidence[0]
    found = differences(evidence, [("a", "b")], Sampling(samples=200), ComparisonPlan(**options))
    return next(
        one for one in found if one.key == ("all", None, "f1") and one.pair.spread.match == "exact"
    )


@pytest.mark.parametrize(
    ("runs", "about", "wanted", "test"),
    [
        ((1, 1), None, ABOUT_OUTPUTS, "randomisation"),
        ((2, 2), None, ABOUT_RECIPES, "runs"),
        ((3, 1), None, ABOUT_RECIPES, "runs"),
        ((2, 2), ABOUT_OUTPUTS, ABOUT_OUTPUTS, "randomisation"),
    ],
)
def test_the_number_of_runs_decides_what_is_asked(
    runs: tuple[int, int], about: str | None, wanted: str, test: str
) -> None:
    a = [run(0.1, k) for k in range(runs[0])]
    b = [run(0.3, 10 + k) for k in range(runs[1])]
    one = compared(a, b, about=about)
    assert (one.pair.about, one.test) == (wanted, test)


@pytest.mark.parametrize(
    ("runs", "options", "message"),
    [
        ((1, 1), {"about": "recipes"}, "have one run each, so recipes cannot be compared"),
        ((1, 1), {"about": "recipe"}, "did you mean 'recipes'"),
        ((2, 3), {"same_seeds": True}, "has 2 and .* has 3 runs"),
        ((1, 1), {"same_seeds": True}, "has 1 and .* has 1 runs"),
    ],
)
def test_questions_that_cannot_be_asked(
    runs: tuple[int, int], options: dict[str, Any], message: str
) -> None:
    a, b = ([run(0.1, 10 * k + side) for k in range(n)] for side, n in enumerate(runs))
    with pytest.raises(UsageError, match=message):
        compared(a, b, **options)


@pytest.mark.slow
@pytest.mark.parametrize("k", [2, 3])
def test_runs_of_one_recipe_rarely_differ(k: int) -> None:
    """A run has a strength of its own, so that outputs differ more than sentences explain."""
    p_values = []
    for seed in range(60):
        rates = np.random.default_rng(seed).uniform(0.05, 0.35, 2 * k)
        runs = [run(float(rate), 100 * seed + place) for place, rate in enumerate(rates)]
        pair = pair_of(runs[:k], runs[k:], ABOUT_RECIPES)
        p_values.append(float(pair.p_at()[at(pair)]))
    assert np.mean(np.array(p_values) < 0.05) <= 0.1
    naive = pair_of(runs[:k], runs[k:], ABOUT_OUTPUTS)
    assert naive.p_at()[at(naive)] < p_values[-1]


def test_one_sided_tests_add_up() -> None:
    one = compared(run(0.1, 2), run(0.12, 3))
    for bound in (-0.1, 0.0, 0.05):
        assert one.p_below(bound) + one.p_above(bound) == pytest.approx(1.0)
    assert one.p_above(-0.5) < 1e-6 < 1 - 1e-6 < one.p_below(-0.5)


def test_what_can_be_detected_shrinks_with_data() -> None:
    one = compared(run(0.1, 2), run(0.12, 3))
    wanted = (1.98 + 0.845) * math.sqrt(one.variance)
    assert one.detectable == pytest.approx(wanted, rel=0.02)
    more, less = one.detectable_at(0.05, 0.9), one.detectable_at(0.2, 0.8)
    assert more is not None and less is not None and less < wanted < more


def test_every_interval_holds_its_difference_and_agrees_with_its_p() -> None:
    """Also simultaneous ones, and those of a type that one system alone has."""
    gold = [(["a", "b", "c", "d"], ["B-PER", "O", "B-LOC", "O"])] * 40
    right, wrong = ["B-PER", "O", "B-LOC", "O"], ["O", "O", "O", "B-NEW"]
    sides = {"x": [right] * 40, "y": [*[wrong] * 30, *[right] * 10]}
    for zero_division in (0.0, 1.0):
        results = nerscope.evaluate(gold, sides, zero_division=zero_division)
        for simultaneous in (False, True):
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                compared = nerscope.compare(
                    results, "x", "y", by_type=True, samples=200, simultaneous=simultaneous
                )
            for row in compared.rows:
                if row.low is None or row.high is None or row.difference is None:
                    continue
                assert row.low <= row.difference <= row.high
                p = row.p_corrected if simultaneous else row.p
                assert (row.low <= 0 <= row.high) == (p is None or p >= 0.05)
                assert row.detectable is None or math.isfinite(row.detectable)


@pytest.mark.parametrize("match", ["iou", "dice", "overlap(credit=0.2)"])
def test_compared_scores_are_those_of_the_results_to_the_last_digit(match: str) -> None:
    tokens = ["a", "b", "c", "d", "e"]
    gold = [(tokens, [(0, 5, "PER")])] * 12
    sides = {"x": [(tokens, [(0, 1, "PER")])] * 12, "y": [(tokens, [(0, 4, "PER")])] * 12}
    results = nerscope.evaluate(gold, sides, matches=[match])
    for row in nerscope.compare(results, "x", "y", metrics=["recall"], samples=50).rows:
        for system, value in (("x", row.a), ("y", row.b)):
            expected = results.value(system=system, metric="recall", match=match, type=row.type)
            assert value == pytest.approx(expected, abs=1e-15)
