"""Paired tests of two systems."""

import math
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.scoring.toys import Corpus, corpus, drawn, noisy

import nerscope
from nerscope.errors import UsageError
from nerscope.stats.intervals import Sampling
from nerscope.stats.paired import METHODS, Difference, resample

GOLD = drawn(80, seed=1)
GOOD, BAD = noisy(GOLD, 0.05, 2), noisy(GOLD, 0.4, 3)
each_method = pytest.mark.parametrize("method", METHODS)


def differences(
    systems: dict[str, Any], method: str = "bootstrap", seed: int = 0, **options: Any
) -> list[Difference]:
    evidence = nerscope.evaluate(GOLD, systems, **options).evidence[0]
    found = resample(evidence, Sampling(samples=200, seed=seed), pairs=[("a", "b")], method=method)
    return [one for one in found if isinstance(one, Difference)]


def of_f1(found: list[Difference]) -> Difference:
    return next(
        one
        for one in found
        if (one.facet, one.match, one.key) == ("all", "exact", ("all", None, "f1"))
    )


@each_method
def test_identical_systems_do_not_differ(method: str) -> None:
    for one in differences({"a": BAD, "b": BAD}, method):
        if not math.isnan(one.a):
            assert (one.a, one.low, one.high, one.p) == (one.b, 0.0, 0.0, 1.0), one


@each_method
def test_an_obvious_difference_is_found_with_the_right_sign(method: str) -> None:
    one = of_f1(differences({"a": GOOD, "b": BAD}, method))
    assert one.a > one.b
    assert 0 < one.low < one.a - one.b < one.high
    assert one.p < 0.01
    other = of_f1(differences({"b": GOOD, "a": BAD}, method))
    assert other.high < 0
    assert other.p < 0.01


@each_method
def test_p_values_are_never_zero_and_never_above_one(method: str) -> None:
    for one in differences({"a": GOOD, "b": BAD}, method, train=GOLD[:40]):
        assert math.isnan(one.p) or 1 / 201 - 1e-12 <= one.p <= 1.0


@each_method
def test_the_same_seed_gives_the_same_numbers(method: str) -> None:
    systems = {
        "a": [GOOD, noisy(GOLD, 0.1, 4)],
        "b": [BAD, noisy(GOLD, 0.3, 5), noisy(GOLD, 0.2, 6)],
    }
    first, second, third = (repr(differences(systems, method, seed)) for seed in (0, 0, 1))
    assert first == second
    assert first != third


@each_method
def test_a_pair_does_not_depend_on_who_else_is_compared(method: str) -> None:
    systems = {"a": [GOOD, noisy(GOLD, 0.1, 4)], "b": BAD}
    alone = differences(systems, method)
    with_others = differences({"x": noisy(GOLD, 0.7, 9), **systems, "y": GOLD}, method)
    assert repr(with_others) == repr(alone)


@each_method
def test_turning_a_pair_round_changes_the_sign_and_nothing_else(method: str) -> None:
    evidence = nerscope.evaluate(GOLD, {"a": GOOD, "b": BAD}).evidence[0]
    found = list(
        resample(evidence, Sampling(samples=100), pairs=[("a", "b"), ("b", "a")], method=method)
    )
    there = [one for one in found if isinstance(one, Difference) and one.a_system == "a"]
    back = [one for one in found if isinstance(one, Difference) and one.a_system == "b"]
    assert len(there) == len(back) > 0
    for one, other in zip(there, back, strict=True):
        assert (one.a, one.b, one.n) == pytest.approx((other.b, other.a, other.n), nan_ok=True)
        assert (one.low, one.high, one.p) == pytest.approx(
            (-other.high, -other.low, other.p), nan_ok=True
        )


@each_method
def test_runs_that_differ_make_a_difference_less_certain(method: str) -> None:
    steady = of_f1(differences({"a": [GOOD, GOOD, GOOD], "b": [noisy(GOLD, 0.2, 5)] * 3}, method))
    runs: list[Corpus] = [GOLD, noisy(GOLD, 0.45, 7), GOOD]
    shaky = of_f1(differences({"a": runs, "b": [noisy(GOLD, 0.2, 5)] * 3}, method))
    assert shaky.high - shaky.low > 2 * (steady.high - steady.low)
    assert shaky.p > steady.p


@each_method
def test_an_undefined_number_has_no_difference(method: str) -> None:
    nothing = [["O"] * len(tokens) for tokens, _ in GOLD]
    found = differences({"a": GOOD, "b": nothing}, method)
    precision = next(
        one
        for one in found
        if (one.facet, one.match, one.key) == ("all", "exact", ("all", None, "precision"))
    )
    assert math.isnan(precision.b)
    assert all(math.isnan(number) for number in (precision.low, precision.high, precision.p))


def test_an_unknown_method_is_refused() -> None:
    with pytest.raises(UsageError, match="did you mean 'bootstrap'"):
        differences({"a": GOOD, "b": BAD}, "bootstrab")


def test_randomisation_is_exact_for_one_changed_sentence() -> None:
    # Only one sentence differs: every round either keeps the difference or turns it round, so it is
    # always as extreme.
    gold = corpus("a/B-PER", "b/B-PER", "c/B-PER")
    evidence = nerscope.evaluate(
        gold, {"a": gold, "b": corpus("a", "b/B-PER", "c/B-PER")}
    ).evidence[0]
    found = resample(evidence, Sampling(samples=300), pairs=[("a", "b")], method="randomisation")
    assert of_f1([one for one in found if isinstance(one, Difference)]).p == 1.0


@each_method
@settings(max_examples=10, deadline=None)
@given(seed=st.integers(0, 10**6))
def test_systems_of_equal_quality_rarely_differ_significantly(method: str, seed: int) -> None:
    systems = {"a": noisy(GOLD, 0.2, seed), "b": noisy(GOLD, 0.2, seed + 1)}
    one = of_f1(differences(systems, method, matches=["exact"], metrics=["f1"]))
    assert one.p > 0.0005
    assert one.low <= one.a - one.b <= one.high
