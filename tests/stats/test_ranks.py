"""Ranks and the tests on them, against scipy."""

import math
import sys
from collections.abc import Sequence
from itertools import permutations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from nerscope.errors import UsageError
from nerscope.stats.ranks import chi_square_p, friedman, ranks, spearman, wilcoxon

NAN = math.nan
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


def test_friedman_of_many_blocks_is_that_of_scipy() -> None:
    table = np.random.default_rng(0).random((16, 4))
    found = friedman(table)
    assert found.p == pytest.approx(stats.friedmanchisquare(*table.T).pvalue)
    assert (found.method, found.blocks) == ("chi-square", 16)
    with_gap = np.vstack([table, [0.1, NAN, 0.2, 0.3]])
    assert friedman(with_gap) == found


@given(st.lists(st.lists(st.integers(0, 3), min_size=3, max_size=3), min_size=2, max_size=4))
def test_friedman_of_few_blocks_is_exact(rows: list[list[int]]) -> None:
    table = np.array(rows, float)
    found = friedman(table)
    if (table == table[:, :1]).all():
        assert math.isnan(found.p)
        return
    ranked = [tuple(stats.rankdata(row)) for row in rows]

    def spread(blocks: Sequence[Sequence[float]]) -> float:
        return float((np.sum(blocks, axis=0) ** 2).sum())

    shuffles = [spread(one) for one in product(*(list(permutations(row)) for row in ranked))]
    as_far = sum(one >= spread(ranked) for one in shuffles)
    assert found.p == pytest.approx(as_far / len(shuffles))
    assert (found.method, found.blocks) == ("exact", len(rows))


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
    assert math.isnan(friedman(np.array(table)).p)


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


def test_without_scipy_its_tests_say_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "scipy.stats", None)
    monkeypatch.setitem(sys.modules, "scipy", None)
    with pytest.raises(UsageError, match=r"pip install 'nerscope\[stats\]'"):
        wilcoxon(np.array([0.1, 0.2, 0.3]), np.array([0.2, 0.1, 0.3]))


@pytest.mark.parametrize("degrees", [1, 2, 3, 4, 5, 9])
@pytest.mark.parametrize("value", [0.0, 1e-6, 0.3, 3.0, 8.0, 40.0, 200.0])
def test_chi_square_is_that_of_scipy(value: float, degrees: int) -> None:
    assert chi_square_p(value, degrees) == pytest.approx(stats.chi2.sf(value, degrees), rel=1e-9)


@given(st.lists(st.lists(st.integers(0, 3), min_size=4, max_size=4), min_size=2, max_size=6))
def test_the_chi_square_of_friedman_is_that_of_scipy(rows: list[list[int]]) -> None:
    table = np.array(rows, float)
    found = friedman(table)
    if not np.isnan(found.p):
        assert found.chi_square_p == pytest.approx(
            float(stats.friedmanchisquare(*table.T).pvalue), abs=1e-9
        )
