"""Means over splits and over drawn datasets, against scipy, the definitions and a simulation."""

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats

from nerscope.stats.across import SplitWins, beaten_at_bonferroni, drawn_mean, resampled_t

NAN = math.nan
numbers = st.lists(st.floats(-1, 1).map(lambda x: round(x, 4)), min_size=2, max_size=12)
ratios = st.floats(0.01, 2)


def varied(values: list[float]) -> list[float]:
    assume(len(set(values)) > 1)
    return values


@given(numbers)
def test_drawn_is_students_t_test(values: list[float]) -> None:
    found, wanted = drawn_mean(varied(values)), stats.ttest_1samp(values, 0.0)
    assert found.p == pytest.approx(wanted.pvalue, rel=1e-8)
    assert found.t == pytest.approx(wanted.statistic, rel=1e-8, abs=1e-12)
    interval = wanted.confidence_interval(0.95)
    assert [found.low, found.high] == pytest.approx([interval.low, interval.high], rel=1e-8)


@given(numbers, ratios)
def test_the_resampled_t_test_by_its_formula(values: list[float], ratio: float) -> None:
    n = len(varied(values))
    found = resampled_t(values, ratio)
    error = math.sqrt((1 / n + ratio) * np.var(values, ddof=1))
    t, bound = np.mean(values) / error, stats.t.ppf(0.975, n - 1) * error
    assert found.mean == pytest.approx(np.mean(values), abs=1e-15)
    assert found.p == pytest.approx(2 * stats.t.sf(abs(t), n - 1), rel=1e-8)
    assert found.high - found.mean == pytest.approx(bound, rel=1e-8)
    assert found.mean - found.low == pytest.approx(bound, rel=1e-8)


@given(numbers, ratios)
def test_p_and_interval_agree(values: list[float], ratio: float) -> None:
    found = resampled_t(varied(values), ratio)
    assume(abs(found.p - 0.05) > 1e-9)
    assert (found.p < 0.05) == (not found.low <= 0 <= found.high)


@given(numbers, ratios, ratios)
def test_more_overlap_is_never_surer(values: list[float], one: float, other: float) -> None:
    less, more = sorted((one, other))
    assert resampled_t(varied(values), less).p <= resampled_t(values, more).p + 1e-12
    assert drawn_mean(values).p <= resampled_t(values, less).p + 1e-12


@given(numbers, ratios)
def test_the_other_side_has_the_same_p_and_the_mirrored_interval(
    values: list[float], ratio: float
) -> None:
    found = resampled_t(varied(values), ratio)
    mirrored = resampled_t([-one for one in values], ratio)
    assert mirrored.p == pytest.approx(found.p)
    assert (mirrored.low, mirrored.high) == pytest.approx((-found.high, -found.low))


@pytest.mark.parametrize(
    ("values", "mean", "p"),
    [
        ([], NAN, NAN),
        ([NAN], NAN, NAN),
        ([0.1], 0.1, NAN),  # of one, nobody knows how much it varies
        ([0.0], 0.0, NAN),
        ([0.0, 0.0, 0.0], 0.0, 1.0),
        ([0.1, 0.1, 0.1], 0.1, NAN),
        ([0.3 - 0.2, 0.2 - 0.1, 0.1], 0.1, NAN),  # they differ by rounding only
    ],
)
def test_what_does_not_vary_has_no_interval(values: list[float], mean: float, p: float) -> None:
    found = resampled_t(values, 0.25)
    assert (found.mean, found.p) == pytest.approx((mean, p), nan_ok=True)
    assert math.isnan(found.low) and math.isnan(found.high) and math.isnan(found.t)


def test_undefined_differences_are_left_out() -> None:
    assert resampled_t([0.1, NAN, 0.3, 0.2], 0.5) == resampled_t([0.1, 0.3, 0.2], 0.5)


@pytest.mark.slow
def test_on_overlapping_splits_the_corrected_test_keeps_its_level_and_the_naive_one_does_not() -> (
    None
):
    rng = np.random.default_rng(7)
    sentences, tested, splits, rounds = 120, 24, 10, 600
    corrected = naive = 0
    for _ in range(rounds):
        # Two systems that are equally good: what one is ahead in each sentence is pure chance.
        ahead = rng.normal(size=sentences)
        chosen = [rng.choice(sentences, tested, replace=False) for _ in range(splits)]
        differences = [float(ahead[one].mean()) for one in chosen]
        corrected += resampled_t(differences, tested / (sentences - tested)).p < 0.05
        naive += drawn_mean(differences).p < 0.05
    assert corrected / rounds < 0.08
    assert corrected / rounds > 0.02  # nor is it far too careful
    assert naive / rounds > 0.2


@pytest.mark.parametrize(
    ("p", "gains", "wanted"),
    [
        ([], [], (0, 0)),
        ([0.05], [0.1], (1, 0)),  # alpha itself counts
        ([0.025, 0.026], [0.1, 0.1], (1, 0)),
        ([0.001, 0.001], [0.1, -0.1], (1, 1)),
        ([0.001, 0.001], [0.1, 0.0], (1, 0)),  # neither is better
        ([0.03, NAN], [0.1, 0.1], (0, 0)),  # an untested split is still one of two
        ([0.02, NAN], [0.1, 0.1], (1, 0)),
    ],
)
def test_on_how_many_splits_by_hand(
    p: list[float], gains: list[float], wanted: tuple[int, int]
) -> None:
    assert beaten_at_bonferroni(p, gains) == SplitWins(*wanted)


@given(
    st.lists(st.tuples(st.floats(0, 0.2), st.floats(-1, 1)), min_size=1, max_size=8),
    st.floats(0.001, 0.5),
)
def test_each_split_is_held_against_alpha_by_their_number(
    tested: list[tuple[float, float]], alpha: float
) -> None:
    p, gains = [one[0] for one in tested], [one[1] for one in tested]
    level = alpha / len(p)
    assume(all(abs(one - level) > 1e-12 for one in p))
    found = beaten_at_bonferroni(p, gains, alpha)
    assert found.better == sum(one < level and gain > 0 for one, gain in tested)
    assert found.worse == sum(one < level and gain < 0 for one, gain in tested)
    swapped = beaten_at_bonferroni(p, [-gain for gain in gains], alpha)
    assert (swapped.worse, swapped.better) == (found.better, found.worse)
