"""Student's and the normal distribution, against scipy and against what is known in closed form."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from nerscope.stats.ranks import normal_quantile, quantile, two_sided_p

NAN, INF = math.nan, math.inf
DEGREES = np.array([0.5, 0.9, 1, 1.5, 2, 3, 4.7, 8, 19, 33.3, 100, 999, 1e4, 1e6])[:, None]
CHANCES = np.concatenate([np.logspace(-12, -0.01, 60), [0.5, 0.9, 0.99, 1.0]])


def test_p_is_that_of_scipy() -> None:
    t = np.concatenate([np.linspace(-8, 8, 81), np.logspace(1, 24, 40)])
    wanted = 2 * stats.t.sf(np.abs(t), DEGREES)
    found = two_sided_p(t, DEGREES)
    assert np.abs(found - wanted).max() < 1e-10
    seen = wanted >= 1e-12
    assert seen.sum() > 1000
    assert np.abs(found[seen] / wanted[seen] - 1).max() < 1e-10


def test_p_of_infinite_degrees_is_that_of_the_normal_distribution() -> None:
    t = np.linspace(0, 37, 100)
    assert two_sided_p(t, INF) == pytest.approx(2 * stats.norm.sf(t), rel=1e-12, abs=0)
    assert two_sided_p(t, 1e15) == pytest.approx(two_sided_p(t, INF), rel=1e-8, abs=0)


def test_quantile_is_that_of_scipy() -> None:
    wanted = stats.t.isf(CHANCES / 2, DEGREES)
    assert quantile(CHANCES, DEGREES) == pytest.approx(wanted, rel=1e-9, abs=1e-15)
    normal = stats.norm.isf(CHANCES / 2)
    assert quantile(CHANCES, INF) == pytest.approx(normal, rel=1e-12, abs=1e-15)


@given(st.floats(1e-12, 1), st.one_of(st.floats(0.1, 1e6), st.just(INF)))
def test_the_quantile_has_its_p(p: float, degrees: float) -> None:
    assert float(two_sided_p(quantile(p, degrees), degrees)) == pytest.approx(p, rel=1e-11, abs=0)


@given(st.floats(-15, 12))
def test_one_and_two_degrees_have_closed_forms(exponent: float) -> None:
    t = 10**exponent
    p = two_sided_p(t, np.array([1.0, 2.0]))
    root = math.sqrt(t * t + 2)
    wanted = [2 / math.pi * math.atan2(1, t), 2 / root / (root + t)]
    assert p == pytest.approx(wanted, rel=1e-12, abs=0)
    inside = np.array([2 / math.pi * math.atan(t), t / root])
    near = inside < 1e-3  # so near to p = 1, p itself has lost digits of t
    lost = 1e-15 / inside + 1e-12
    back = quantile(1 - inside, np.array([1.0, 2.0]))
    assert (np.abs(back / t - 1) <= lost)[near].all()


@given(
    st.lists(st.floats(0, 50), min_size=2, max_size=2, unique=True).map(sorted),
    st.floats(0.1, 1000),
)
def test_p_falls_with_t_and_with_the_degrees(t: list[float], degrees: float) -> None:
    low, high = two_sided_p(np.array(t), degrees)
    assert high <= low * (1 + 1e-12)
    assert float(two_sided_p(t[1], degrees * 2)) <= high * (1 + 1e-12)


@pytest.mark.parametrize(
    ("t", "degrees", "wanted"),
    [
        (0.0, 3.0, 1.0),
        (0.0, INF, 1.0),
        (1e-200, 3.0, 1.0),
        (INF, 3.0, 0.0),
        (-INF, INF, 0.0),
        (1e300, INF, 0.0),
        (1e200, 0.5, 6.414019505e-101),
        # what is undefined
        (NAN, 3.0, NAN),
        (2.0, NAN, NAN),
        (2.0, 0.0, NAN),
        (2.0, -1.0, NAN),
    ],
)
def test_p_at_the_edges(t: float, degrees: float, wanted: float) -> None:
    found = float(two_sided_p(t, degrees))
    assert found == pytest.approx(wanted, rel=1e-9, abs=0, nan_ok=True)


@pytest.mark.parametrize(
    ("p", "degrees", "wanted"),
    [
        (1.0, 3.0, 0.0),
        (0.0, 3.0, INF),
        (0.0, INF, INF),
        (1e-300, 0.5, INF),  # beyond all numbers
        (1e-300, INF, 37.06578785),
        (0.05, 1e7, 1.959964222),
        # what is undefined
        (NAN, 3.0, NAN),
        (-0.1, 3.0, NAN),
        (1.1, 3.0, NAN),
        (0.05, 0.0, NAN),
        (0.0, -1.0, NAN),
        (0.05, NAN, NAN),
    ],
)
def test_quantile_at_the_edges(p: float, degrees: float, wanted: float) -> None:
    assert float(quantile(p, degrees)) == pytest.approx(wanted, rel=1e-9, nan_ok=True)


def test_arrays_are_broadcast_and_may_be_empty() -> None:
    assert two_sided_p(np.ones((2, 1)), np.ones(3)).shape == (2, 3)
    assert quantile(np.ones((2, 1)), np.ones(3)).shape == (2, 3)
    assert two_sided_p(np.array([]), 3.0).shape == (0,)
    assert quantile(np.array([]), 3.0).shape == (0,)


@pytest.mark.parametrize("p", [0.0, 1e-300, 0.025, 0.5, 0.8, 1.0, NAN, -0.1, 1.1])
def test_normal_quantile_is_that_of_scipy(p: float) -> None:
    wanted = float(stats.norm.ppf(p))
    assert normal_quantile(p) == pytest.approx(wanted, rel=1e-12, abs=1e-15, nan_ok=True)
