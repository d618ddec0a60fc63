"""Tests and corrections, against scipy and against tables written by hand."""

import math
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from nerscope.errors import UsageError
from nerscope.stats.paired import p_value
from nerscope.stats.tests import CORRECTIONS, corrected, friedman, ranks, spearman, wilcoxon

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
    assert corrected(p, correction) == pytest.approx(wanted, nan_ok=True)


probabilities = st.lists(st.floats(0, 1), min_size=1, max_size=12)


@given(probabilities)
def test_benjamini_and_hochberg_is_that_of_scipy(p: list[float]) -> None:
    assert corrected(p, "bh") == pytest.approx(stats.false_discovery_control(p).tolist())


@given(probabilities)
def test_corrections_only_raise_and_are_ordered_by_strictness(p: list[float]) -> None:
    by_name = {name: np.array(corrected(p, name)) for name in CORRECTIONS}
    tiny = 1e-12
    assert (by_name["none"] <= by_name["bh"] + tiny).all()
    assert (by_name["bh"] <= by_name["holm"] + tiny).all()
    assert (by_name["holm"] <= by_name["bonferroni"] + tiny).all()
    assert (by_name["bonferroni"] <= 1.0).all()
    for values in by_name.values():
        assert (np.diff(values[np.argsort(p, kind="stable")]) >= -tiny).all()


def test_an_unknown_correction_is_refused() -> None:
    with pytest.raises(UsageError, match="did you mean 'holm'"):
        corrected([0.1], "holms")


few_values = st.lists(st.integers(0, 4).map(float), min_size=2, max_size=10)


@given(few_values)
def test_ranks_are_those_of_scipy(values: list[float]) -> None:
    assert ranks(np.array(values)).tolist() == stats.rankdata(values).tolist()


@given(few_values, st.data())
def test_spearman_is_that_of_scipy_with_ties(x: list[float], data: st.DataObject) -> None:
    y = data.draw(st.lists(st.integers(0, 4).map(float), min_size=len(x), max_size=len(x)))
    found = spearman(np.array(x), np.array(y))
    if len(set(x)) < 2 or len(set(y)) < 2:
        assert math.isnan(found)
    else:
        assert found == pytest.approx(float(stats.spearmanr(x, y).statistic), abs=1e-12)


@pytest.mark.parametrize(
    ("x", "y"),
    [
        ([1.0], [1.0]),
        ([1.0, NAN], [1.0, 2.0]),
        ([1.0, 2.0], [NAN, 2.0]),
        ([1.0, 1.0], [1.0, 2.0]),
        ([], []),
    ],
)
def test_spearman_is_undefined_where_nothing_can_be_ranked(x: list[float], y: list[float]) -> None:
    assert math.isnan(spearman(np.array(x), np.array(y)))


def test_friedman_is_that_of_scipy() -> None:
    table = np.random.default_rng(0).random((6, 4))
    assert friedman(table) == pytest.approx(stats.friedmanchisquare(*table.T).pvalue)
    with_gap = np.vstack([table, [0.1, NAN, 0.2, 0.3]])
    assert friedman(with_gap) == friedman(table)


@pytest.mark.parametrize(
    "table",
    [
        # one block, two treatments, nothing complete, nothing differs
        [[0.1, 0.2, 0.3]],
        [[0.1, 0.2], [0.2, 0.3]],
        [[0.1, NAN, 0.3], [NAN, 0.2, 0.3]],
        [[0.5, 0.5, 0.5], [0.2, 0.2, 0.2]],
    ],
)
def test_friedman_is_undefined_where_it_cannot_be_made(table: list[list[float]]) -> None:
    assert math.isnan(friedman(np.array(table)))


@pytest.mark.parametrize("size", [3, 8, 40])
def test_wilcoxon_is_that_of_scipy(size: int) -> None:
    random = np.random.default_rng(size)
    x, y = random.random(size), random.random(size) + 0.1
    assert wilcoxon(x, y) == pytest.approx(stats.wilcoxon(x, y).pvalue)
    gap = np.array([NAN])
    assert wilcoxon(np.append(x, gap), np.append(y, 1.0)) == wilcoxon(x, y)


@pytest.mark.parametrize(
    ("x", "y", "wanted"),
    [
        # all equal; too few
        ([0.1, 0.2, 0.3], [0.1, 0.2, 0.3], 1.0),
        ([0.1], [0.2], NAN),
        ([], [], NAN),
        ([0.1, NAN], [0.2, 0.3], NAN),
        # two pairs, and some of them equal
        ([0.1, 0.2], [0.2, 0.4], 0.5),
        ([0.1, 0.2, 0.3], [0.1, 0.3, 0.5], 0.5),
    ],
)
def test_wilcoxon_of_few_pairs(x: list[float], y: list[float], wanted: float) -> None:
    assert wilcoxon(np.array(x), np.array(y)) == pytest.approx(
        wanted, nan_ok=True, abs=0.35 if wanted == 0.5 else 1e-12
    )


@pytest.mark.parametrize(
    ("difference", "null", "wanted"),
    [
        # nothing is as extreme: one in n + 1, never 0
        (0.5, [0.0] * 99, 1 / 100),
        (-0.5, [0.0] * 99, 1 / 100),
        # both sides count, and so do ties
        (0.5, [0.5, -0.5, 0.1, 0.6], 4 / 5),
        (0.5, [0.5 - 1e-9, 0.0, 0.0], 2 / 4),
        # no difference at all
        (0.0, [0.1, -0.1, 0.0], 1.0),
        # what is undefined does not count
        (0.5, [NAN, 0.6, 0.0, NAN], 2 / 3),
        (0.5, [NAN, NAN], 1.0),
    ],
)
def test_p_value_by_hand(difference: float, null: list[float], wanted: float) -> None:
    assert p_value(difference, np.array(null)) == pytest.approx(wanted)


def test_without_scipy_its_tests_say_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "scipy.stats", None)
    monkeypatch.setitem(sys.modules, "scipy", None)
    with pytest.raises(UsageError, match=r"install nerscope\[stats\]"):
        friedman(np.array([[0.1, 0.2, 0.3], [0.2, 0.1, 0.3]]))
