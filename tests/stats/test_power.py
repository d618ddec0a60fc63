"""How small a difference a test can find, and what a smaller one takes."""

import math
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from nerscope.corpus.arrays import Floats
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
    """Exact: Student's t of a true difference has the noncentral t distribution."""
    for degrees in (6, 20, 90):
        design = Design(clusters=100, degrees=degrees, beyond_runs=4e-4)
        bound = stats.t.isf(0.025, degrees)
        for shift in (1.0, 2.8, 4.0):
            exact = stats.nct.sf(bound, degrees, shift)
            assert design.power(0.02 * shift, 100) == pytest.approx(exact, abs=0.005)
    four_times = Design(400, 360, beyond_runs=1e-4)
    assert Design(100, 90, 4e-4).least(400) == pytest.approx(four_times.least(400))


def test_a_single_run_is_tested_with_more_variance_than_it_has() -> None:
    design = Design(100, 90, beyond_runs=1e-8, of_training=4e-4, recipes=True)
    # Reach: 2 + 1/5 times the variance, with 4 degrees; true error: 1 + 1/5 times.
    random, rounds = np.random.default_rng(1), 20_000
    reach = stats.t.isf(0.025, 4) * np.sqrt(
        4e-4 * (ALONE + 1 / 5) * random.chisquare(4, rounds) / 4
    )
    found = 0.1 + random.normal(0, math.sqrt(4e-4 * (1 + 1 / 5)), rounds) > reach
    assert design.power(0.1, 100, (5, 1)) == pytest.approx(found.mean(), abs=0.01)


@given(designs, st.floats(0.55, 0.99), st.sampled_from([0.05, 0.01]))
def test_the_least_difference_is_found_as_surely_as_was_asked(
    design: Design, power: float, alpha: float
) -> None:
    runs = (3, 4) if design.recipes else (1, 1)
    least = design.least(design.clusters, runs, alpha, power)
    assert design.power(least, design.clusters, runs, alpha) == pytest.approx(power, abs=1e-6)


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


class Simulated(NamedTuple):
    """Differences, and how far a bound reaches, drawn as `compare` computes them."""

    difference: Floats
    reach: Floats


def simulated(design: Design, true: float, k: int, rounds: int = 20_000) -> Simulated:
    """Naive: scores of runs are drawn, and each variance gets the quantile of its degrees."""
    random, m = np.random.default_rng(1), design.clusters
    sides = random.normal(0, math.sqrt(design.of_training), (2, k, rounds))
    moved = random.normal(0, math.sqrt(design.beyond_runs), rounds)
    difference = true + moved + sides[0].mean(axis=0) - sides[1].mean(axis=0)
    degrees, prior = 2 * k - 2, design.prior_degrees
    single = degrees * sides.var(axis=1, ddof=1).mean(axis=0) + prior * design.prior_variance
    by_runs = single / (degrees + prior) * 2 / k
    by_clusters = design.beyond_runs * random.chisquare(m - 1, rounds) / (m - 1)
    t, t_runs = stats.t.isf(0.025, m - 1), stats.t.isf(0.025, degrees + prior)
    squares = t**2 * by_clusters + t_runs**2 * by_runs
    if prior:  # one quantile for both, of the joint degrees (Satterthwaite 1946)
        both = by_clusters + by_runs
        joint = both**2 / (by_clusters**2 / (m - 1) + by_runs**2 / (degrees + prior))
        squares = stats.t.isf(0.025, joint) ** 2 * both
    return Simulated(difference, np.sqrt(np.maximum(t**2 * by_clusters, squares)))


@pytest.mark.parametrize("k", [2, 3, 5])
@pytest.mark.parametrize("prior", [0, 4])
def test_power_is_that_of_the_test_of_runs(k: int, prior: float) -> None:
    design = Design(
        200, 199, 1e-4, of_training=4e-4, recipes=True, prior_degrees=prior, prior_variance=3e-4
    )
    for share in (0.55, 0.8, 0.95):
        least = design.least(200, (k, k), power=share)
        drawn = simulated(design, least, k)
        assert (drawn.difference > drawn.reach).mean() == pytest.approx(share, abs=0.01)


@pytest.mark.parametrize("true", [0.005, 0.01, 0.03, 0.1])
@pytest.mark.parametrize("k", [2, 5])
def test_errors_of_sign_and_size_are_those_of_a_simulation(true: float, k: int) -> None:
    design = Design(200, 199, 1e-4, of_training=1e-4, recipes=True)
    drawn = simulated(design, true, k, 400_000)
    significant = drawn.difference[np.abs(drawn.difference) > drawn.reach]
    power, wrong_sign, exaggeration = design.significance_errors(true, 200, (k, k))
    assert power == pytest.approx(len(significant) / 400_000, rel=0.05)
    assert wrong_sign == pytest.approx((significant < 0).mean(), abs=0.01)
    assert exaggeration == pytest.approx(np.abs(significant).mean() / true, rel=0.03)


def test_errors_of_sign_and_size_are_those_of_gelman_and_carlin() -> None:
    """Their section 2.1: a true effect of 2 with a standard error of 8.1, for a normal estimate."""
    design = Design(10**6, 1e6, beyond_runs=0.081**2)
    power, wrong_sign, exaggeration = design.significance_errors(0.02, 10**6)
    assert power == pytest.approx(0.057, abs=0.001)
    assert wrong_sign == pytest.approx(0.24, abs=0.01)
    assert exaggeration == pytest.approx(9.5, abs=0.3)


def test_what_is_needed_has_an_interval_that_holds_the_truth() -> None:
    """Simulated: the variance of clusters is estimated from 40 degrees, and the number needed
    that it gives has an interval; the true number lies inside in 95 % of the samples.
    """
    truth = Design(100, 1e6, beyond_runs=1e-4).clusters_needed(0.01)
    random, inside, rounds = np.random.default_rng(2), 0, 150
    assert truth is not None
    for factor in random.chisquare(40, rounds) / 40:
        design = Design(100, 1e6, beyond_runs=1e-4 * factor, variance_degrees=40)
        low, high = design.needed_range(0.01)
        assert low is not None and high is not None
        inside += low <= truth <= high
    assert 0.90 <= inside / rounds <= 0.99


def test_few_runs_leave_open_whether_any_number_is_enough() -> None:
    design = Design(
        100,
        99,
        beyond_runs=1e-4,
        of_training=1e-5,
        recipes=True,
        run_degrees=2,
        variance_degrees=50,
    )
    low, high = design.needed_range(0.02, (5, 5))
    assert low is not None and high is None
    known = replace(design, run_degrees=1000)
    narrow_low, narrow_high = known.needed_range(0.02, (5, 5))
    assert narrow_high is not None and narrow_low is not None
    assert narrow_low <= (known.clusters_needed(0.02, (5, 5)) or 0) <= narrow_high
