"""Bayesian tests with a region of practical equivalence."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from nerscope.stats.bayes import correlated_t_probabilities, signed_rank_probabilities

gains = st.lists(st.integers(-50, 50).map(lambda n: n / 1000), min_size=2, max_size=8)


@given(gains, st.floats(0.001, 0.02), st.floats(0.05, 1.0))
def test_the_correlated_t_test_is_a_student_variable(
    values: list[float], rope: float, ratio: float
) -> None:
    found = correlated_t_probabilities(values, rope, ratio)
    assert sum(found) == pytest.approx(1.0)
    if np.ptp(values) > 0:
        error = np.sqrt((1 / len(values) + ratio) * np.var(values, ddof=1))
        posterior = stats.t(len(values) - 1, np.mean(values), error)
        assert found.better == pytest.approx(posterior.sf(rope), abs=1e-9)
        assert found.worse == pytest.approx(posterior.cdf(-rope), abs=1e-9)


@given(gains, st.floats(0.001, 0.02))
def test_exchanging_the_systems_exchanges_the_answers(values: list[float], rope: float) -> None:
    mirrored = np.negative(values)
    for ours, theirs in (
        (correlated_t_probabilities(values, rope, 0.25),
         correlated_t_probabilities(mirrored, rope, 0.25)),
        (signed_rank_probabilities(values, rope, 500, seed=3),
         signed_rank_probabilities(mirrored, rope, 500, seed=3)),
    ):  # fmt: skip
        assert ours == pytest.approx(theirs[::-1])
        assert sum(ours) == pytest.approx(1.0)


def naive_signed_rank(values: list[float], rope: float, draws: int) -> list[float]:
    """Weights from gamma variables, and a loop over all pairs of datasets."""
    rng = np.random.default_rng(99)
    wins = [0, 0, 0]
    places = [0.0, *values]
    for _ in range(draws):
        weights = rng.gamma([0.5, *[1.0] * len(values)])
        weights /= weights.sum()
        regions = [0.0, 0.0, 0.0]
        for z, w in zip(places, weights, strict=True):
            for other, v in zip(places, weights, strict=True):
                middle = (z + other) / 2
                regions[0 if middle > rope else 2 if middle < -rope else 1] += w * v
        wins[int(np.argmax(regions))] += 1
    return [count / draws for count in wins]


@pytest.mark.parametrize(
    "values",
    [[0.02, 0.03, -0.01, 0.004], [0.001, -0.002, 0.003, 0.0, 0.02, 0.02], [-0.03, 0.03, -0.02]],
)
def test_the_signed_rank_test_agrees_with_a_naive_one(values: list[float]) -> None:
    found = signed_rank_probabilities(values, 0.01, 20_000, seed=1)
    assert found == pytest.approx(naive_signed_rank(values, 0.01, 4_000), abs=0.03)


def test_the_seed_decides() -> None:
    values = [0.02, 0.03, -0.01, 0.004]
    first, again, other = (
        signed_rank_probabilities(values, 0.01, 1000, seed) for seed in (1, 1, 2)
    )
    assert first == again != other


def test_without_datasets_nothing_is_said() -> None:
    assert all(map(np.isnan, signed_rank_probabilities([np.nan], 0.01)))
    assert all(map(np.isnan, correlated_t_probabilities([0.1], 0.01, 0.2)))
    assert correlated_t_probabilities([0.1, 0.1], 0.01, 0.2) == (1.0, 0.0, 0.0)
