"""Means over datasets whose runs may be the same trained models."""

from math import nan, sqrt
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from nerscope.stats.dataset_means import (
    DatasetDifference,
    MeanDifference,
    fixed_mean,
    mean_of_drawn,
    run_noise,
    score_mean,
)

ALPHA = np.array([0.05])
scores = st.floats(0.1, 0.9)


def parts_of(values: Any, by_clusters: float, runs: Any = ()) -> list[DatasetDifference]:
    sides = runs or [()] * len(values)
    return [
        DatasetDifference(float(value), by_clusters, by_clusters, 200.0, tuple(map(list, here)))
        for value, here in zip(values, sides, strict=True)
    ]


def t_of(degrees: float) -> float:
    return float(stats.t.ppf(0.975, degrees))


@given(st.lists(st.lists(scores, min_size=5, max_size=5), min_size=2, max_size=5))
def test_the_variance_of_runs_is_that_of_their_means_over_datasets(
    table: list[list[float]],
) -> None:
    of_runs = np.array(table)  # datasets, runs: three of A, two of B
    a, b = of_runs[:, :3], of_runs[:, 3:]
    parts = parts_of(a.mean(axis=1) - b.mean(axis=1), 1e-4, list(zip(a, b, strict=True)))
    found = fixed_mean(parts)
    a_means, b_means = a.mean(axis=0), b.mean(axis=0)
    squares = ((a_means - a_means.mean()) ** 2).sum() + ((b_means - b_means.mean()) ** 2).sum()
    by_runs = squares / 3 * (1 / 3 + 1 / 2)
    reach = sqrt(t_of(200) ** 2 * 1e-4 / len(parts) + t_of(3) ** 2 * by_runs)
    assert found.high - found.mean == pytest.approx(reach, rel=1e-6)
    assert found.mean == pytest.approx(a.mean() - b.mean())


@given(
    st.lists(st.integers(-200, 200), min_size=2, max_size=6),
    st.floats(1e-6, 1e-2),
    st.booleans(),
)
def test_p_and_interval_agree_and_swapping_mirrors_both(
    thousandths: list[int], variance: float, has_runs: bool
) -> None:
    values = [value / 1000 for value in thousandths]
    rng = np.random.default_rng(0)
    runs = rng.uniform(0.4, 0.6, (len(values), 2, 3)).tolist() if has_runs else ()
    swapped = [here[::-1] for here in runs] if has_runs else ()
    for test in (fixed_mean, mean_of_drawn):
        found = test(parts_of(values, variance, runs))
        mirrored = test(parts_of(np.negative(values), variance, swapped))
        if not np.isnan(found.low):
            assert (found.p < 0.05) == (not found.low <= 0 <= found.high)
            assert (-mirrored.high, -mirrored.low, mirrored.p) == pytest.approx(
                (found.low, found.high, found.p)
            )


def reach(runs: Any) -> float:
    return float(np.sqrt(run_noise(runs).squares(ALPHA)[0]))


def test_what_all_runs_share_does_not_shrink_with_more_datasets() -> None:
    runs = ([0.80, 0.82, 0.84], [0.80, 0.83, 0.86])
    assert reach([runs] * 4) == pytest.approx(reach([runs]))


def test_runs_of_other_numbers_are_taken_to_rise_and_fall_together() -> None:
    first, second = ([0.80, 0.82], [0.7, 0.8]), ([0.80, 0.82, 0.9], [0.7, 0.8])
    alone = [sqrt(run_noise([sides]).variance) for sides in (first, second)]
    together = run_noise([first, second])
    assert together.variance == pytest.approx(np.mean(alone) ** 2)
    assert together.degrees == 2
    undefined = ([0.80, nan, 0.82], [0.7, 0.8])
    assert reach([undefined]) == pytest.approx(reach([first]))


def test_a_single_run_borrows_the_noise_of_the_other_side() -> None:
    # Twice the variance for the run alone, and a third of it for the mean of three.
    found = reach([([0.8], [0.7, 0.8, 0.9])])
    assert found**2 == pytest.approx(t_of(2) ** 2 * 0.01 * (2 + 1 / 3), rel=1e-3)
    assert reach([([0.8], [0.7])]) == 0


def test_without_noise_nothing_is_tested() -> None:
    assert np.isnan(fixed_mean(parts_of([0.1, 0.1], 0.0)).p)
    assert fixed_mean(parts_of([0.0, 0.0], 0.0)).p == 1
    undefined = fixed_mean(parts_of([0.1, 0.1], nan))
    assert undefined.mean == 0.1 and all(map(np.isnan, undefined[1:]))


def false_positives(test: Any, shared: bool, rounds: int = 1500) -> float:
    """How often p is below 0.05 where no system is better: 3 runs each, on 4 datasets."""
    rng, found = np.random.default_rng(1), list[MeanDifference]()
    for _ in range(rounds):
        runs = rng.normal(0, 1, (4, 2, 3)) * 0.3
        runs += rng.normal(0, 1, (1 if shared else 4, 2, 3))
        values = runs.mean(axis=2)
        differences = values[:, 0] - values[:, 1] + rng.normal(0, 0.3, 4)
        found.append(test(parts_of(differences, 0.09, runs.tolist())))
    return float(np.mean([summary.p < 0.05 for summary in found]))


@pytest.mark.parametrize("test", [fixed_mean, mean_of_drawn])
@pytest.mark.parametrize("shared", [True, False])
def test_the_level_holds_whether_runs_are_shared_or_not(test: Any, shared: bool) -> None:
    assert false_positives(test, shared) <= 0.065


def test_the_mean_of_scores_of_single_runs_is_as_without_runs() -> None:
    wide = score_mean([0.8, 0.9], [0.7, 0.8], [0.9, 1.0], [([0.8],), ([0.9],)])
    none = score_mean([0.8, 0.9], [0.7, 0.8], [0.9, 1.0], [([],), ([],)])
    assert wide == none
