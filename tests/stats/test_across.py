"""Several datasets at once, against scipy, enumeration and the definitions."""

import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from nerscope.errors import UsageError
from nerscope.stats.across import (
    average_with_interval,
    beaten_on,
    mean_ranks,
    partial_conjunction,
    sign_test,
    signed_rank,
)

NAN = math.nan
probabilities = st.lists(st.floats(0, 1), max_size=8)
few_differences = st.lists(st.integers(-4, 4).map(float), min_size=1, max_size=9)


@given(st.lists(st.floats(1e-30, 1), min_size=1, max_size=8))
def test_fisher_is_the_tail_of_chi_square(p: list[float]) -> None:
    ordered, worst = sorted(p), 0.0
    for u, found in enumerate(partial_conjunction(p, "fisher")):
        rest = np.array(ordered[u:])
        worst = max(worst, float(stats.chi2.sf(-2 * np.log(rest).sum(), 2 * len(rest))))
        assert found == pytest.approx(worst, rel=1e-9, abs=0)


@given(probabilities)
def test_bonferroni_takes_the_smallest_of_the_rest_times_their_number(p: list[float]) -> None:
    ordered, worst = sorted(p), 0.0
    for u, found in enumerate(partial_conjunction(p, "bonferroni")):
        worst = max(worst, min(1.0, (len(p) - u) * ordered[u]))
        assert found == worst


@given(probabilities, st.sampled_from(["fisher", "bonferroni"]))
def test_better_on_more_datasets_is_never_surer(p: list[float], method: str) -> None:
    found = partial_conjunction(p, method)
    assert found == sorted(found)
    assert all(0 <= one <= 1 for one in found)
    assert len(found) == len(p)
    if p:
        assert found[-1] >= max(p) - 1e-12  # on all of them: the largest p-value decides


@given(probabilities, st.floats(0.001, 0.5))
def test_a_larger_alpha_never_counts_fewer(p: list[float], alpha: float) -> None:
    for method in ("fisher", "bonferroni"):
        assert beaten_on(p, alpha / 2, method) <= beaten_on(p, alpha, method)
        assert beaten_on([*p, NAN], alpha, method) == beaten_on(p, alpha, method)


@pytest.mark.parametrize(
    ("p", "method", "wanted"),
    [
        ([], "fisher", 0),
        ([NAN], "fisher", 0),
        ([0.04], "fisher", 1),
        ([0.05], "bonferroni", 1),  # alpha itself counts
        ([0.06], "bonferroni", 0),
        # three times 0.02 is too much, so that the rest does not count
        ([0.02, 0.02, 0.02], "bonferroni", 0),
        ([0.02, 0.02, 0.02], "fisher", 3),
        ([0.01, 0.02, 0.03], "bonferroni", 3),
        ([0.0, 0.0, 0.9], "fisher", 2),
        ([0.0, 0.0, 0.9], "bonferroni", 2),
        ([1.0, 1.0], "fisher", 0),
    ],
)
def test_on_how_many_by_hand(p: list[float], method: str, wanted: int) -> None:
    assert beaten_on(p, method=method) == wanted


def test_many_datasets_with_tiny_p_do_not_overflow() -> None:
    assert beaten_on([1e-300] * 1000) == 1000
    assert partial_conjunction([1.0] * 1000)[-1] == 1.0


def test_an_unknown_method_is_refused() -> None:
    with pytest.raises(UsageError, match="did you mean 'fisher'"):
        beaten_on([0.1], method="fishers")


@given(few_differences)
def test_sign_test_is_the_binomial_test_of_scipy(differences: list[float]) -> None:
    plus, minus = sum(d > 0 for d in differences), sum(d < 0 for d in differences)
    wanted = stats.binomtest(plus, plus + minus).pvalue if plus + minus else 1.0
    assert sign_test(differences) == pytest.approx(wanted)
    assert sign_test([*differences, NAN, 0.0]) == sign_test(differences)


@pytest.mark.parametrize("test", [sign_test, signed_rank])
@pytest.mark.parametrize(
    ("differences", "wanted"),
    [
        ([], NAN),
        ([NAN, NAN], NAN),
        ([0.0, NAN], 1.0),
        ([0.2], 1.0),
        ([0.2, -0.2], 1.0),
        ([0.1, 0.2, 0.0], 0.5),
        ([-0.1, -0.2, -0.3, -0.4, -0.5, -0.6], 1 / 32),
    ],
)
def test_few_differences_by_hand(test: object, differences: list[float], wanted: float) -> None:
    assert callable(test)
    assert test(differences) == pytest.approx(wanted, nan_ok=True)


@pytest.mark.parametrize("size", [1, 2, 5, 12, 31, 50])
def test_signed_rank_is_that_of_scipy_without_ties(size: int) -> None:
    differences = np.random.default_rng(size).normal(0.3, 1.0, size)
    wanted = stats.wilcoxon(differences, method="exact").pvalue
    assert signed_rank(differences) == pytest.approx(wanted, rel=1e-12)


@given(few_differences)
def test_signed_rank_with_ties_is_that_of_all_signs(differences: list[float]) -> None:
    sizes = np.array([d for d in differences if d])
    ranked = stats.rankdata(np.abs(sizes))
    sums = np.array([ranked @ np.array(s) for s in product([0.0, 1.0], repeat=len(sizes))])
    positive = float(ranked[sizes > 0].sum())
    tail = min((sums <= positive).mean(), (sums >= positive).mean())
    assert signed_rank(differences) == pytest.approx(min(1.0, 2 * tail))
    assert signed_rank([-d for d in differences]) == signed_rank(differences)


@pytest.mark.parametrize("scale", [1, 5, 1000])  # with many ties and zeros, or with few
def test_signed_rank_of_many_is_that_of_scipy(scale: int) -> None:
    differences = np.round(np.random.default_rng(scale).normal(0.2, 1.0, 120) * scale)
    wanted = stats.wilcoxon(differences, method="asymptotic").pvalue
    assert signed_rank(differences) == pytest.approx(wanted)


def test_exact_and_approximate_signed_rank_meet() -> None:
    differences = np.random.default_rng(0).normal(0.2, 1.0, 51)
    assert signed_rank(differences) == pytest.approx(
        stats.wilcoxon(differences, method="exact").pvalue, abs=0.005
    )


def test_mean_ranks_by_hand() -> None:
    table = np.array([[0.9, 0.8, 0.7], [0.5, 0.7, 0.5], [NAN, 0.9, 0.1]])
    assert mean_ranks(table).ranks.tolist() == [1.75, 1.5, 2.75]
    assert mean_ranks(table).datasets == 2
    assert mean_ranks(table, better_is_higher=False).ranks.tolist() == [2.25, 2.5, 1.25]
    nothing = mean_ranks(table[2:])
    assert np.isnan(nothing.ranks).all()
    assert (nothing.ranks.shape, nothing.datasets) == ((3,), 0)


@given(st.lists(st.lists(st.integers(0, 3), min_size=4, max_size=4), min_size=1, max_size=5))
def test_mean_ranks_have_the_middle_as_their_mean(rows: list[list[int]]) -> None:
    found = mean_ranks(np.array(rows, float))
    assert found.ranks.mean() == pytest.approx(2.5)
    wanted = np.mean([stats.rankdata([-value for value in row]) for row in rows], axis=0)
    assert found.ranks == pytest.approx(wanted)


@pytest.mark.parametrize(
    ("values", "lows", "highs", "wanted"),
    [
        ([0.8], [0.7], [0.85], (0.8, 0.7, 0.85)),
        ([0.8, 0.9], [0.77, 0.86], [0.83, 0.93], (0.85, 0.825, 0.85 + math.sqrt(0.0018) / 2)),
        # n equal datasets: an interval narrower by the root of n
        ([0.5] * 4, [0.3] * 4, [0.6] * 4, (0.5, 0.4, 0.55)),
        # what is undefined
        ([], [], [], (NAN, NAN, NAN)),
        ([0.8, 0.9], [NAN, 0.86], [0.83, 0.93], (0.85, NAN, 0.85 + math.sqrt(0.0018) / 2)),
        ([NAN, 0.9], [0.7, 0.86], [0.83, 0.93], (NAN, NAN, NAN)),
    ],
)
def test_averaged_by_hand(
    values: list[float], lows: list[float], highs: list[float], wanted: tuple[float, float, float]
) -> None:
    assert average_with_interval(values, lows, highs) == pytest.approx(wanted, nan_ok=True)
