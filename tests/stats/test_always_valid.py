"""Bounds that hold at all sizes at once, against a simulation of the running mean."""

import math

import numpy as np
import pytest
from scipy import integrate, stats

from nerscope.stats.always_valid import TUNED_TO, e_value, information, standard_errors


@pytest.mark.parametrize("z", [-3.0, 0.0, 1.5, 3.0])
@pytest.mark.parametrize("known", [0.1, 1.0, 8.0, 100.0])
def test_the_e_value_is_the_mixture_of_likelihood_ratios(z: float, known: float) -> None:
    """Naive: the likelihood ratio of each mean, weighted by a half-normal density."""

    def weighted(mean: float) -> float:
        ratio = math.exp(mean * z - mean * mean / 2)
        return ratio * 2 * float(stats.norm.pdf(mean, 0, math.sqrt(known)))

    mixed, _ = integrate.quad(
        weighted, 0, max(20.0, 8 * math.sqrt(known)), limit=500, points=[1, 3]
    )
    assert e_value(z, known) == pytest.approx(mixed, rel=1e-6)


def test_a_bound_is_where_the_e_value_is_one_over_alpha() -> None:
    for alpha in (0.01, 0.05, 0.2):
        for clusters in (10, 200, 5000):
            known = information(clusters, TUNED_TO, alpha)
            assert e_value(standard_errors(alpha, known), known) == pytest.approx(1 / alpha)


def test_bounds_are_narrowest_at_the_size_that_they_are_tuned_to() -> None:
    reach = [standard_errors(0.05, information(n, 200, 0.05)) for n in (20, 100, 200, 400, 10_000)]
    widths = [
        distance / math.sqrt(n)
        for distance, n in zip(reach, (20, 100, 200, 400, 10_000), strict=True)
    ]
    assert widths == sorted(widths, reverse=True)  # more clusters, narrower bounds
    best = [standard_errors(0.05, information(200, n, 0.05)) for n in (20, 100, 200, 400, 2000)]
    assert best.index(min(best)) == 2


@pytest.mark.parametrize("alpha", [0.05, 0.2])
def test_a_running_mean_ever_leaves_the_bounds_with_a_chance_of_alpha(alpha: float) -> None:
    """Simulated: 3,000 walks, looked at after each of 2,000 clusters from the 20th on."""
    random, sizes = np.random.default_rng(1), np.arange(1, 2001)
    walks = np.cumsum(random.normal(size=(3000, 2000)), axis=1) / np.sqrt(sizes)
    looks = sizes[19::20]
    bounds = [standard_errors(alpha, information(int(n), TUNED_TO, alpha)) for n in looks]
    ever = (walks[:, looks - 1] > np.array(bounds)).any(axis=1).mean()
    assert 0.3 * alpha < ever <= alpha
    ordinary = (walks[:, looks - 1] > stats.norm.isf(alpha)).any(axis=1).mean()
    assert ordinary > 3 * alpha if alpha < 0.1 else ordinary > 2 * alpha


def test_there_is_no_evidence_against_what_is_far_on_the_other_side() -> None:
    assert e_value(-60.0, 8.0) == 0
    assert e_value(60.0, 8.0) == math.inf
