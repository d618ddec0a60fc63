"""Corrections for many p-values, against scipy and against tables written by hand."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from nerscope.errors import UsageError
from nerscope.stats.corrections import CORRECTIONS, SIGNIFICANT, correct_p_values, is_significant

NAN = math.nan


@pytest.mark.parametrize(
    ("correction", "p", "wanted"),
    [
        # Holm: smallest times n, next times n - 1 …, never falling
        ("holm", [0.01, 0.04, 0.03], [0.03, 0.06, 0.06]),
        ("holm", [0.01, 0.02, 0.03, 0.04], [0.04, 0.06, 0.06, 0.06]),
        ("holm", [0.5, 0.9], [1.0, 1.0]),
        ("holm", [0.02], [0.02]),
        # Bonferroni: all times n
        ("bonferroni", [0.01, 0.04, 0.03], [0.03, 0.12, 0.09]),
        ("bonferroni", [0.5, 0.9], [1.0, 1.0]),
        # Benjamini and Hochberg: times n / rank, never rising from above
        ("bh", [0.01, 0.04, 0.03], [0.03, 0.04, 0.04]),
        ("bh", [0.005, 0.009, 0.05, 0.5], [0.018, 0.018, 0.0666666667, 0.5]),
        # Benjamini and Yekutieli: the same times 1 + 1/2 + … + 1/n
        ("by", [0.01, 0.04, 0.03], [0.055, 0.0733333333, 0.0733333333]),
        ("by", [0.005, 0.009, 0.05, 0.5], [0.0375, 0.0375, 0.1388888889, 1.0]),
        ("by", [0.02], [0.02]),
        ("by", [NAN, 0.02, 0.02], [NAN, 0.03, 0.03]),
        ("none", [0.01, 0.04], [0.01, 0.04]),
        # undefined ones do not count
        ("bonferroni", [0.01, NAN, 0.04], [0.02, NAN, 0.08]),
        ("holm", [NAN, 0.01, 0.04], [NAN, 0.02, 0.04]),
        ("bh", [NAN], [NAN]),
        ("holm", [], []),
        ("none", [NAN, 0.3], [NAN, 0.3]),
        # ties
        ("holm", [0.02, 0.02], [0.04, 0.04]),
        ("bh", [0.02, 0.02], [0.02, 0.02]),
    ],
)
def test_correction_by_hand(correction: str, p: list[float], wanted: list[float]) -> None:
    assert correct_p_values(p, correction) == pytest.approx(wanted, nan_ok=True)


probabilities = st.lists(st.floats(0, 1), min_size=1, max_size=12)


@given(probabilities)
def test_benjamini_and_hochberg_is_that_of_scipy(p: list[float]) -> None:
    assert correct_p_values(p, "bh") == pytest.approx(stats.false_discovery_control(p).tolist())


@given(probabilities)
def test_benjamini_and_yekutieli_is_that_of_scipy(p: list[float]) -> None:
    wanted = stats.false_discovery_control(p, method="by").tolist()
    assert correct_p_values(p, "by") == pytest.approx(wanted)


@given(probabilities)
def test_corrections_only_raise_and_are_ordered_by_strictness(p: list[float]) -> None:
    by_name = {name: np.array(correct_p_values(p, name)) for name in CORRECTIONS}
    tiny = 1e-12
    assert (by_name["none"] <= by_name["bh"] + tiny).all()
    assert (by_name["bh"] <= by_name["holm"] + tiny).all()
    assert (by_name["bh"] <= by_name["by"] + tiny).all()
    assert (by_name["holm"] <= by_name["bonferroni"] + tiny).all()
    assert (by_name["bonferroni"] <= 1.0).all()
    for values in by_name.values():
        assert (np.diff(values[np.argsort(p, kind="stable")]) >= -tiny).all()


def test_an_unknown_correction_is_refused() -> None:
    with pytest.raises(UsageError, match="did you mean 'holm'"):
        correct_p_values([0.1], "holms")


@pytest.mark.parametrize(
    ("p", "wanted"),
    [(0.049, True), (SIGNIFICANT, False), (0.5, False), (NAN, False), (None, False), (0.0, True)],
)
def test_significant_is_what_is_below_the_usual_bound(p: float | None, wanted: bool) -> None:
    assert is_significant(p) is wanted
