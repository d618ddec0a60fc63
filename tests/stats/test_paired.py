"""Paired tests of two systems."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.scoring.toys import drawn, noisy

import nerscope
from nerscope.errors import UsageError
from nerscope.scoring.evidence import Evidence
from nerscope.stats.intervals import Sampling
from nerscope.stats.methods.bootstrap import bootstrap
from nerscope.stats.methods.randomisation import randomisation
from nerscope.stats.paired import METHODS, Method, Paired, p_value, register_method
from nerscope.stats.system_differences import ComparisonPlan, Difference
from nerscope.stats.system_differences import differences as all_differences
from nerscope.stats.system_pair import ABOUT_OUTPUTS

GOLD = drawn(80, seed=1)
GOOD, BAD = noisy(GOLD, 0.05, 2), noisy(GOLD, 0.4, 3)
NAN = math.nan
each_method = pytest.mark.parametrize("method", ["bootstrap", "randomisation"])


def compared(
    evidence: Evidence, pairs: list[tuple[str, str]], method: str, sampling: Sampling
) -> list[Difference]:
    # Of outputs, also where there are several runs: these tests know nothing of training noise.
    return all_differences(evidence, pairs, sampling, ComparisonPlan(method, ABOUT_OUTPUTS))


def differences(
    systems: dict[str, Any], method: str = "bootstrap", seed: int = 0, **options: Any
) -> list[Difference]:
    evidence = nerscope.evaluate(GOLD, systems, **options).evidence[0]
    return list(compared(evidence, [("a", "b")], method, Sampling(samples=200, seed=seed)))


def shown(found: list[Difference]) -> list[str]:
    return [repr((one.key, one.a, one.b, one.interval, one.p, one.test, one.n)) for one in found]


def of_metric(found: list[Difference], metric: str, match: str = "exact") -> Difference:
    return next(
        one
        for one in found
        if (one.table.facet, one.pair.spread.match) == ("all", match)
        and one.key == ("all", None, metric)
    )


def of_f1(found: list[Difference]) -> Difference:
    return of_metric(found, "f1")


def bounds(one: Difference) -> tuple[float, float]:
    assert one.interval is not None
    return one.interval


def test_two_methods_are_built_in_and_say_what_they_need() -> None:
    built_in = [METHODS[name] for name in ("bootstrap", "randomisation")]
    assert [one.needs_swaps for one in built_in] == [False, True]
    assert [one.needs_resamples for one in built_in] == [True, False]


@each_method
def test_identical_systems_do_not_differ(method: str) -> None:
    for one in differences({"a": BAD, "b": BAD}, method):
        if not math.isnan(one.a):
            assert (one.a, one.differing, one.test) == (one.b, 0, None)
            assert (
                math.isnan(one.p) and one.untested_reason == "differs in 0 sentences, 6 are needed"
            )
            low, high = bounds(one)
            assert low < 0 < high  # it is not known how the systems differ elsewhere


@each_method
def test_an_obvious_difference_is_found_with_the_right_sign(method: str) -> None:
    one = of_f1(differences({"a": GOOD, "b": BAD}, method))
    assert one.a > one.b
    low, high = bounds(one)
    assert 0 < low < one.a - one.b < high
    assert one.p < 0.01
    other = of_f1(differences({"b": GOOD, "a": BAD}, method))
    assert bounds(other)[1] < 0
    assert other.p < 0.01


@each_method
def test_p_values_are_never_zero_and_never_above_one(method: str) -> None:
    for one in differences({"a": GOOD, "b": BAD}, method, train=GOLD[:40]):
        assert math.isnan(one.p) or 1 / 4096 <= one.p <= 1.0


@each_method
def test_the_same_seed_gives_the_same_numbers(method: str) -> None:
    systems = {
        "a": [GOOD, noisy(GOLD, 0.1, 4)],
        "b": [BAD, noisy(GOLD, 0.3, 5), noisy(GOLD, 0.2, 6)],
    }
    first, second, third = (shown(differences(systems, method, seed)) for seed in (0, 0, 1))
    assert first == second
    assert first != third


@each_method
def test_a_pair_does_not_depend_on_who_else_is_compared(method: str) -> None:
    systems = {"a": [GOOD, noisy(GOLD, 0.1, 4)], "b": BAD}
    alone = differences(systems, method)
    with_others = differences({"x": noisy(GOLD, 0.7, 9), **systems, "y": GOLD}, method)
    assert shown(with_others) == shown(alone)


@each_method
def test_turning_a_pair_round_changes_the_sign_and_nothing_else(method: str) -> None:
    evidence = nerscope.evaluate(GOLD, {"a": GOOD, "b": BAD}).evidence[0]
    found = list(compared(evidence, [("a", "b"), ("b", "a")], method, Sampling(samples=100)))
    there = [one for one in found if one.pair.a == "a"]
    back = [one for one in found if one.pair.a == "b"]
    assert len(there) == len(back) > 0
    for one, other in zip(there, back, strict=True):
        assert (one.a, one.b, one.n) == pytest.approx((other.b, other.a, other.n), nan_ok=True)
        assert one.p == pytest.approx(other.p, nan_ok=True)
        if one.interval is None:
            assert other.interval is None
        else:
            assert one.interval == pytest.approx(tuple(-bound for bound in bounds(other))[::-1])


@each_method
def test_an_undefined_number_has_no_difference(method: str) -> None:
    nothing = [["O"] * len(tokens) for tokens, _ in GOLD]
    precision = of_metric(differences({"a": GOOD, "b": nothing}, method), "precision")
    assert math.isnan(precision.b)
    assert precision.interval is None
    assert math.isnan(precision.p)


@each_method
def test_zero_division_reaches_the_difference(method: str) -> None:
    nothing = [["O"] * len(tokens) for tokens, _ in GOLD]
    found = differences({"a": GOOD, "b": nothing}, method, zero_division=0.0)
    precision = of_metric(found, "precision")
    assert precision.b == 0.0
    assert bounds(precision)[0] > 0.5
    assert precision.p < 0.01


@each_method
def test_a_difference_of_fractions_stays_on_its_scale(method: str) -> None:
    nothing = [["O"] * len(tokens) for tokens, _ in GOLD]
    for other in differences({"a": GOLD, "b": nothing}, method):
        if other.interval is not None and other.key.metric not in COUNTS:
            assert -1.0 <= other.interval[0] <= other.interval[1] <= 1.0


COUNTS = ("correct", "partial", "incorrect", "missed", "spurious")


def test_counts_differ_by_more_than_one() -> None:
    found = of_metric(differences({"a": GOOD, "b": BAD}), "correct", "overlap")
    assert bounds(found)[0] > 1.0
    assert found.a - found.b > 10


def test_an_unknown_method_is_refused() -> None:
    with pytest.raises(UsageError, match="did you mean 'bootstrap'"):
        differences({"a": GOOD, "b": BAD}, "bootstrab")


@each_method
@settings(max_examples=10, deadline=None)
@given(seed=st.integers(0, 10**6))
def test_systems_of_equal_quality_rarely_differ_significantly(method: str, seed: int) -> None:
    systems = {"a": noisy(GOLD, 0.2, seed), "b": noisy(GOLD, 0.2, seed + 1)}
    one = of_f1(differences(systems, method, matches=["exact"], metrics=["f1"]))
    assert one.p > 0.0005
    assert bounds(one)[0] <= one.a - one.b <= bounds(one)[1]


@pytest.fixture
def methods(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever a test registers is gone afterwards."""
    METHODS.load()  # what is loaded during the test would be gone with it
    monkeypatch.setattr(METHODS, "_things", dict(METHODS._things))


def other_sign(pair: Paired) -> float:
    assert pair.resampled is not None
    return float((pair.resampled * pair.observed <= 0).mean())


@pytest.mark.usefixtures("methods")
def test_a_method_of_ones_own_sees_the_resamples() -> None:
    register_method(Method("other-sign", other_sign))
    assert of_f1(differences({"a": GOOD, "b": BAD}, "other-sign")).p == 0.0
    assert of_f1(differences({"a": BAD, "b": GOOD}, "other-sign")).p == 0.0


@pytest.mark.usefixtures("methods")
def test_a_method_that_needs_them_sees_the_systems_change_places() -> None:
    seen: list[Paired] = []

    def watch(pair: Paired) -> float:
        seen.append(pair)
        return 1.0

    register_method(Method("watch", watch))
    differences({"a": GOOD, "b": BAD}, "watch")
    assert all(pair.swapped is None for pair in seen)
    seen.clear()
    register_method(Method("watch", watch, needs_swaps=True))
    differences({"a": GOOD, "b": BAD}, "watch")
    swapped = seen[0].swapped
    assert swapped is not None and len(swapped) == 200
    assert abs(float(np.nanmean(swapped))) < abs(seen[0].observed) / 4


def seen_by_cluster(systems: dict[str, Any], metric: str) -> Paired:
    """What a method sees of one metric, in an evaluation of that metric alone."""
    seen: list[Paired] = []

    def watch(pair: Paired) -> float:
        seen.append(pair)
        return 1.0

    register_method(Method("watch", watch, needs_resamples=False, needs_clusters=True))
    differences(systems, "watch", metrics=[metric], matches=["exact"])
    return seen[0]


@pytest.mark.usefixtures("methods")
@pytest.mark.parametrize("systems", [(GOOD, BAD), ([GOOD, BAD], [BAD, GOOD, BAD])])
def test_the_shares_of_clusters_add_up_to_the_difference_in_recall(systems: Any) -> None:
    pair = seen_by_cluster(dict(zip("ab", systems, strict=True)), "recall")
    assert pair.by_cluster is not None and len(pair.by_cluster) == len(GOLD)
    assert pair.by_cluster.sum() == pytest.approx(pair.observed)
    assert pair.resampled is None and pair.swapped is None


@pytest.mark.usefixtures("methods")
def test_the_share_of_a_cluster_is_half_of_what_its_swap_changes() -> None:
    pair = seen_by_cluster({"a": GOOD, "b": BAD}, "f1")
    assert pair.by_cluster is not None
    for at in range(0, len(GOLD), 7):
        a, b = list(GOOD), list(BAD)
        a[at], b[at] = b[at], a[at]
        results = nerscope.evaluate(GOLD, {"a": a, "b": b})
        f1_of_a, f1_of_b = (results.value(system=system, metric="f1") for system in "ab")
        assert f1_of_a is not None and f1_of_b is not None
        swapped = f1_of_a - f1_of_b
        assert pair.by_cluster[at] == pytest.approx((pair.observed - swapped) / 2, abs=1e-12)
        if GOOD[at] == BAD[at]:
            assert pair.by_cluster[at] == 0.0


@pytest.mark.usefixtures("methods")
@pytest.mark.parametrize("p", [-0.1, 1.1, NAN])
def test_a_p_value_that_cannot_be_is_refused(p: float) -> None:
    register_method(Method("odd", lambda pair: p))
    with pytest.raises(UsageError, match="it returns the p-value"):
        differences({"a": GOOD, "b": BAD}, "odd")


def test_a_built_in_method_stays() -> None:
    with pytest.raises(UsageError, match="a built-in method has this name"):
        register_method(Method("bootstrap", other_sign))


def test_bootstrap_moves_the_resamples_to_where_there_is_no_difference() -> None:
    pair = Paired(0.5, np.array([0.4, 0.5, 0.6, 1.1]), np.array([0.9, 0.9, 0.9, 0.9]))
    assert bootstrap(pair) == 2 / 5
    assert randomisation(pair) == 1.0


@pytest.mark.parametrize(
    ("difference", "null", "wanted"),
    [
        # nothing is as extreme: one in n + 1, never 0
        (0.5, [0.0] * 99, 1 / 100),
        (-0.5, [0.0] * 99, 1 / 100),
        # both sides count, and so do ties
        (0.5, [0.5, -0.5, 0.1, 0.6], 4 / 5),
        (0.5, [0.5 - 1e-15, 0.0, 0.0], 2 / 4),
        # no difference at all
        (0.0, [0.1, -0.1, 0.0], 1.0),
        # what is undefined does not count
        (0.5, [NAN, 0.6, 0.0, NAN], 2 / 3),
        (0.5, [NAN, NAN], 1.0),
    ],
)
def test_p_value_by_hand(difference: float, null: list[float], wanted: float) -> None:
    assert p_value(difference, np.array(null)) == pytest.approx(wanted)


def test_every_built_in_test_is_found_and_carries_its_words() -> None:
    built_in = [METHODS[name] for name in METHODS if METHODS.is_built_in(name)]
    assert {"bootstrap", "randomisation"} <= {method.name for method in built_in}
    for method in built_in:
        assert method.title and method.phrase and method.definition
