"""Single runs of two recipes, against pairs counted one by one and a fine grid."""

import math
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nerscope.stats.run_order import (
    Violation,
    WinProbability,
    almost_stochastic_order,
    next_run_better,
)

NAN = math.nan
Z95 = 1.959963984540054
scores = st.lists(st.integers(0, 6).map(lambda points: points / 8), min_size=1, max_size=7)
runs = st.lists(st.integers(0, 6).map(lambda points: points / 8), min_size=2, max_size=7)


@given(scores, scores)
def test_the_chance_is_the_share_of_pairs(a: list[float], b: list[float]) -> None:
    wins = sum((x > y) + (x == y) / 2 for x in a for y in b)
    assert next_run_better(a, b).value == pytest.approx(wins / len(a) / len(b))


@given(runs, runs)
def test_the_bounds_of_the_chance_solve_newcombes_equation(a: list[float], b: list[float]) -> None:
    m, n = len(a), len(b)
    found = next_run_better(a, b)

    def excess(chance: float) -> float:
        together = (1 - chance) / (2 - chance) + chance / (1 + chance)
        variance = chance * (1 - chance) / (m * n) * (1 + ((m + n) / 2 - 1) * together)
        return (found.value - chance) ** 2 - Z95**2 * variance

    assert excess(found.low) == pytest.approx(0, abs=1e-12)
    assert excess(found.high) == pytest.approx(0, abs=1e-12)
    inside = [chance for chance in np.linspace(0, 1, 401) if excess(chance) < 0]
    assert found.low <= min(inside) <= found.low + 1 / 400
    assert found.high - 1 / 400 <= max(inside) <= found.high


@given(runs, runs)
def test_the_chance_of_the_other_recipe_is_the_rest(a: list[float], b: list[float]) -> None:
    one, other = next_run_better(a, b), next_run_better(b, a)
    assert one == pytest.approx((1 - other.value, 1 - other.high, 1 - other.low))
    assert 0 <= one.low <= one.value <= one.high <= 1


def test_bounds_have_width_where_all_pairs_agree() -> None:
    few, many = next_run_better([2, 3], [0, 1]), next_run_better(range(20, 40), range(20))
    assert (few.value, few.high) == (many.value, many.high) == (1.0, 1.0)
    assert few.low < 0.4 < 0.8 < many.low < 0.95


def test_a_smaller_alpha_gives_wider_bounds() -> None:
    a, b = [1.0, 2.0, 3.0, 4.0], [0.5, 2.5, 1.5]
    usual, strict = next_run_better(a, b), next_run_better(a, b, alpha=0.01)
    assert strict.low < usual.low < usual.high < strict.high
    wide = almost_stochastic_order(a, b, alpha=0.6)
    assert wide.high < almost_stochastic_order(a, b, alpha=0.5).high < 1


@pytest.mark.parametrize("measure", [next_run_better, almost_stochastic_order])
@pytest.mark.parametrize(
    ("a", "b", "defined"),
    [
        # no run on a side; one run has a value, and no bounds
        ([], [0.5], False),
        ([0.5, 0.6], [], False),
        ([NAN], [0.5, 0.4], False),
        ([0.5], [0.4, 0.6], True),
        ([0.5, 0.6], [0.4], True),
        ([0.5, NAN], [0.4, 0.6], True),
    ],
)
def test_too_few_runs_have_no_bounds(
    measure: Callable[..., WinProbability | Violation],
    a: list[float],
    b: list[float],
    defined: bool,
) -> None:
    value, low, high = measure(a, b)
    assert math.isnan(low)
    assert math.isnan(high)
    assert math.isnan(value) is not defined


@given(scores, scores)
def test_violation_is_that_of_a_fine_grid(a: list[float], b: list[float]) -> None:
    parts = len(a) * len(b)
    middles = (np.arange(parts) + 0.5) / parts  # between the steps, which are multiples of this
    gap = np.quantile(a, middles, method="inverted_cdf") - np.quantile(
        b, middles, method="inverted_cdf"
    )
    found = almost_stochastic_order(a, b, samples=2).value
    if not gap.any():
        assert math.isnan(found)
    else:
        assert found == pytest.approx((gap[gap < 0] ** 2).sum() / (gap**2).sum())


@given(runs, runs)
def test_violation_of_the_other_recipe_is_the_rest(a: list[float], b: list[float]) -> None:
    one, other = almost_stochastic_order(a, b, samples=9), almost_stochastic_order(b, a, samples=9)
    assert one.value == pytest.approx(1 - other.value, nan_ok=True)
    if sorted(a) != sorted(b) and not math.isnan(one.value):
        assert math.isnan(one.low) or 0 <= one.low <= one.value <= one.high <= 1


@pytest.mark.parametrize(
    ("a", "b", "wanted"),
    [
        # A always better, B always better, one of each, nothing differs
        ([3.0, 4.0], [1.0, 2.0], 0.0),
        ([1.0, 2.0], [3.0, 4.0, 5.0], 1.0),
        ([0.0, 3.0], [1.0, 2.0], 0.5),
        ([2.0, 1.0, 1.0, 2.0], [1.0, 2.0], NAN),
    ],
)
def test_violation_by_hand(a: list[float], b: list[float], wanted: float) -> None:
    assert almost_stochastic_order(a, b).value == pytest.approx(wanted, nan_ok=True)


def test_bounds_of_the_violation_are_those_of_the_paper() -> None:
    random = np.random.default_rng(3)
    a, b = random.normal(0.3, 1.0, 12), random.normal(0.0, 1.2, 8)
    found = almost_stochastic_order(a, b, samples=4000)
    rate = math.sqrt(12 * 8 / 20)
    drawn = [
        almost_stochastic_order(random.choice(a, 12), random.choice(b, 8), samples=2).value
        for _ in range(1000)
    ]
    sigma = float(np.std(rate * (np.array(drawn) - found.value)))
    assert found.high == pytest.approx(found.value + Z95 * sigma / rate, abs=0.03)
    assert found.low == 0.0


def test_the_same_seed_gives_the_same_bounds() -> None:
    a, b = [0.92, 0.94, 0.91], [0.90, 0.93, 0.95]
    assert almost_stochastic_order(a, b) == almost_stochastic_order(a, b)
    assert almost_stochastic_order(a, b, 0.5) != almost_stochastic_order(a, b, 0.5, seed=1)


def test_where_one_side_is_always_ahead_there_is_no_width_to_tell() -> None:
    for a, b in [([0.0, 1.0], [0.0, 0.0]), ([3.0, 4.0], [1.0, 2.0])]:
        found = almost_stochastic_order(a, b, samples=200)
        assert found.value == 0.0
        assert math.isnan(found.low) and math.isnan(found.high)
    nothing = almost_stochastic_order([0.0, 1.0], [0.0, 0.0], samples=0)
    assert math.isnan(nothing.low)
