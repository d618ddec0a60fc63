"""What can be found: against the definitions, scipy, and each other."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from nerscope.stats.power import clusters_needed, detectable, power_of, runs_needed

NAN, INF = math.nan, math.inf
variances = st.floats(1e-8, 1e-2)
degrees_of_freedom = st.one_of(st.floats(1, 1000), st.just(INF))
powers = st.floats(0.3, 0.99)


@pytest.mark.parametrize("degrees", [1.0, 4.5, 30.0, 1e5])
@pytest.mark.parametrize("power", [0.2, 0.5, 0.8, 0.95])
def test_detectable_is_by_its_definition(degrees: float, power: float) -> None:
    for alpha in (0.05, 0.01):
        factor = stats.t.ppf(1 - alpha / 2, degrees) + stats.t.ppf(power, degrees)
        assert detectable(0.04, degrees, alpha, power) == pytest.approx(factor * 0.2, rel=1e-9)


@given(variances, degrees_of_freedom, powers)
def test_what_is_detectable_is_found_with_this_power(
    variance: float, degrees: float, power: float
) -> None:
    found = power_of(detectable(variance, degrees, power=power), variance, degrees)
    # The other direction adds what lies beyond it: little, if the power is not small.
    assert power - 1e-12 <= found <= power + 0.025
    if power >= 0.8 and degrees > 5:
        assert found == pytest.approx(power, abs=1e-3)


@pytest.mark.parametrize("difference", [0.0, 0.01, -0.03, 0.1])
def test_power_is_by_its_definition(difference: float) -> None:
    bound, shift = stats.t.ppf(0.975, 12), abs(difference) / 0.01
    wanted = stats.t.sf(bound - shift, 12) + stats.t.cdf(-bound - shift, 12)
    assert power_of(difference, 0.0001, 12) == pytest.approx(wanted, rel=1e-9)


def test_power_is_near_that_of_the_noncentral_distribution() -> None:
    bound = stats.t.ppf(0.975, 40)
    exact = stats.nct.sf(bound, 40, 2.5) + stats.nct.cdf(-bound, 40, 2.5)
    assert power_of(2.5, 1.0, 40) == pytest.approx(exact, abs=0.02)


def test_power_is_the_share_of_samples_in_which_the_difference_is_found() -> None:
    random = np.random.default_rng(0)
    samples = random.normal(0.5, 1.0, (4000, 30))
    p = stats.ttest_1samp(samples, 0.0, axis=1).pvalue
    assert power_of(0.5, 1 / 30, 29) == pytest.approx((p < 0.05).mean(), abs=0.03)


@given(
    st.lists(st.floats(0, 0.5), min_size=2, max_size=2).map(sorted), variances, degrees_of_freedom
)
def test_power_grows_with_the_difference(
    differences: list[float], variance: float, degrees: float
) -> None:
    small, large = (power_of(difference, variance, degrees) for difference in differences)
    assert 0.05 - 1e-9 <= small <= large + 1e-12 <= 1 + 1e-11
    assert power_of(-differences[0], variance, degrees) == small


@pytest.mark.parametrize(
    ("difference", "variance", "degrees", "wanted"),
    [
        (0.0, 1.0, 3.0, 0.05),
        (0.1, 0.0, 3.0, 1.0),
        (0.0, 0.0, 3.0, NAN),
        (0.1, -1.0, 3.0, NAN),
        (0.1, NAN, 3.0, NAN),
        (NAN, 1.0, 3.0, NAN),
        (0.1, 1.0, 0.0, NAN),
    ],
)
def test_power_at_the_edges(
    difference: float, variance: float, degrees: float, wanted: float
) -> None:
    assert power_of(difference, variance, degrees) == pytest.approx(wanted, nan_ok=True)


@pytest.mark.parametrize(
    ("variance", "degrees", "wanted"),
    [(0.0, 3.0, 0.0), (-1.0, 3.0, NAN), (NAN, 3.0, NAN), (1.0, 0.0, NAN), (1.0, INF, 2.8015852)],
)
def test_detectable_at_the_edges(variance: float, degrees: float, wanted: float) -> None:
    assert detectable(variance, degrees) == pytest.approx(wanted, nan_ok=True)


def suffices(difference: float, variance: float, slack: float, alpha: float, power: float) -> bool:
    factor = stats.norm.ppf(1 - alpha / 2) + stats.norm.ppf(power)
    return bool(factor**2 * variance <= difference**2 * (1 + slack))


@given(st.floats(0.001, 0.2), st.integers(2, 5000), variances, variances, st.integers(1, 9), powers)
def test_clusters_needed_are_the_fewest_that_suffice(
    difference: float, clusters: int, by_clusters: float, by_runs: float, runs: int, power: float
) -> None:
    def variance(number: float) -> float:
        return by_clusters * clusters / number + by_runs / runs + by_runs / 2 / 3

    needed = clusters_needed(
        difference, clusters, by_clusters, by_runs, by_runs / 2, runs, 3, 0.05, power
    )
    if needed is None:
        assert not suffices(difference, variance(INF), -1e-9, 0.05, power)
    else:
        assert suffices(difference, variance(needed), 1e-9, 0.05, power)
        assert needed == 1 or not suffices(difference, variance(needed - 1), -1e-9, 0.05, power)


@given(st.floats(0.001, 0.2), variances, variances, powers)
def test_runs_needed_are_the_fewest_that_suffice(
    difference: float, by_clusters: float, by_runs: float, power: float
) -> None:
    needed = runs_needed(difference, by_clusters, by_runs, by_runs / 2, 0.01, power)
    if needed is None:
        assert not suffices(difference, by_clusters, -1e-9, 0.01, power)
    else:
        variance = by_clusters + 1.5 * by_runs / needed
        assert suffices(difference, variance, 1e-9, 0.01, power)
        fewer = by_clusters + 1.5 * by_runs / max(1, needed - 1)
        assert needed == 1 or not suffices(difference, fewer, -1e-9, 0.01, power)


@given(st.lists(st.floats(0.001, 0.2), min_size=2, max_size=2).map(sorted), variances, variances)
def test_a_smaller_difference_never_needs_less(
    differences: list[float], by_clusters: float, by_runs: float
) -> None:
    small, large = (
        (
            clusters_needed(one, 500, by_clusters, by_runs, by_runs, 5, 5) or INF,
            runs_needed(one, by_clusters, by_runs, by_runs) or INF,
        )
        for one in differences
    )
    assert small[0] >= large[0]
    assert small[1] >= large[1]


@pytest.mark.parametrize(
    ("difference", "by_clusters", "by_runs", "wanted"),
    [
        # no difference, noise beyond all help, nothing known, no noise, a huge difference
        (0.0, 0.001, 0.0, None),
        (0.01, 0.001, 0.1, None),
        (NAN, 0.001, 0.0, None),
        (0.01, NAN, 0.0, None),
        (1e-160, 1e100, 0.0, None),
        (0.01, 0.0, 0.0, 1),
        (1e200, 0.001, 0.0, 1),
        (-0.01, 0.0001, 0.0, 785),
    ],
)
def test_clusters_needed_at_the_edges(
    difference: float, by_clusters: float, by_runs: float, wanted: int | None
) -> None:
    assert clusters_needed(difference, 100, by_clusters, by_runs, by_runs, 5, 5) == wanted
    assert runs_needed(difference, by_runs, 50 * by_clusters, 50 * by_clusters) == wanted


def test_what_chance_reaches_needs_nothing() -> None:
    assert runs_needed(0.01, 1.0, 1.0, 1.0, alpha=0.05, power=0.02) == 1
