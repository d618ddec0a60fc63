"""How small a difference a test can find, and what a smaller one takes."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from nerscope.stats.power import Design
from nerscope.stats.system_pair import ALONE

variances = st.floats(1e-8, 1e-2)
designs = st.builds(
    Design,
    st.integers(5, 5000),
    st.floats(4, 4000),
    variances,
    variances,
    variances,
    st.booleans(),
)


def test_of_outputs_it_is_students_test() -> None:
    design = Design(clusters=100, degrees=90, beyond_runs=4e-4)
    wanted = (stats.t.isf(0.025, 90) + stats.t.isf(0.2, 90)) * 0.02
    assert design.least(100) == pytest.approx(wanted, rel=1e-3)
    four_times = (stats.t.isf(0.025, 360) + stats.t.isf(0.2, 360)) * 0.01
    assert design.least(400) == pytest.approx(four_times, rel=0.01)


def test_of_recipes_runs_have_their_own_quantile() -> None:
    design = Design(100, 90, beyond_runs=1e-4, of_data=1e-5, of_training=4e-4, recipes=True)
    runs = (4e-4 + 1e-5) * (1 / 3 + 1 / 3)
    reach = math.sqrt(stats.t.isf(0.025, 90) ** 2 * 1e-4 + stats.t.isf(0.025, 4) ** 2 * runs)
    degrees = (1e-4 + runs) ** 2 / (1e-8 / 90 + runs**2 / 4)
    wanted = reach + stats.t.isf(0.2, degrees) * math.sqrt(1e-4 + runs)
    assert design.least(100, (3, 3)) == pytest.approx(wanted, rel=1e-3)
    alone = (4e-4 + 1e-5) * (1 / 5 + ALONE)
    assert design.least(100, (5, 1)) > stats.t.isf(0.025, 4) * math.sqrt(alone)


@given(designs, st.floats(0.55, 0.99), st.sampled_from([0.05, 0.01]))
def test_the_least_difference_is_found_as_surely_as_was_asked(
    design: Design, power: float, alpha: float
) -> None:
    runs = (3, 4) if design.recipes else (1, 1)
    least = design.least(design.clusters, runs, alpha, power)
    assert design.power(least, design.clusters, runs, alpha) == pytest.approx(power, abs=0.03)


@given(designs, st.floats(1e-3, 0.5))
def test_what_is_needed_is_enough_and_one_fewer_is_not(design: Design, difference: float) -> None:
    runs = (3, 3) if design.recipes else (1, 1)
    needed = design.clusters_needed(difference, runs)
    if needed is None:
        assert design.least(1 << 29, runs) > difference
    else:
        assert design.least(needed, runs) <= difference
        assert needed == 2 or design.least(needed - 1, runs) > difference


@given(designs, st.floats(1e-3, 0.5))
def test_more_runs_and_more_data_find_more(design: Design, difference: float) -> None:
    few, many = design.least(design.clusters, (3, 3)), design.least(design.clusters, (6, 6))
    assert not design.recipes or many <= few
    assert design.least(10 * design.clusters, (3, 3)) <= few + 1e-12
    runs = design.runs_needed(difference)
    if design.recipes and runs is not None:
        assert design.least(design.clusters, (runs, runs)) <= difference


def test_noise_of_training_alone_may_be_too_much() -> None:
    design = Design(100, 90, beyond_runs=1e-5, of_training=1e-3, recipes=True)
    assert design.clusters_needed(0.02, (2, 2)) is None
    assert design.runs_needed(0.02) is not None
    small = Design(10, 9, beyond_runs=1e-2, of_training=1e-6, recipes=True)
    assert small.runs_needed(0.02) is None
    assert small.clusters_needed(0.02, (2, 2)) is not None


@pytest.mark.parametrize("k", [2, 3, 5])
def test_power_is_that_of_the_test_of_runs(k: int) -> None:
    """Simulated: scores of runs and the variance over clusters, tested as `compare` does."""
    apart, training, m = 1e-4, 4e-4, 200
    design = Design(m, m - 1, apart, of_training=training, recipes=True)
    least = design.least(m, (k, k))
    random, found, rounds = np.random.default_rng(1), 0, 4000
    t, t_runs = stats.t.isf(0.025, m - 1), stats.t.isf(0.025, 2 * k - 2)
    for _ in range(rounds):
        sides = random.normal(0, math.sqrt(training), (2, k))
        difference = least + random.normal(0, math.sqrt(apart)) + sides[0].mean() - sides[1].mean()
        spread = sides.var(axis=1, ddof=1).mean() * 2 / k
        found += abs(difference) > math.sqrt(t**2 * apart + t_runs**2 * spread)
    assert found / rounds == pytest.approx(0.8, abs=0.08)
