"""Means over datasets on which the same training runs may have been tested.

Texts of different datasets are independent, so their variances add up. Runs are not: a trained
model that is good by chance is good by chance on every dataset. So the noise of training is
estimated from each run's mean over the datasets, which is valid whether or not datasets share runs.
Both variances keep the quantile of their own degrees of freedom (Banerjee 1960).

The noise of runs is not borrowed from other systems, as it is on one dataset. Here it is the larger
part of the variance, and a system with unusually variable runs would too often seem to differ.
"""

from collections.abc import Iterable, Sequence
from math import isnan, nan
from typing import NamedTuple

import numpy as np

from nerscope.codec import serialisable
from nerscope.corpus.arrays import Floats
from nerscope.stats.across import Numbers, average_with_interval, do_vary, drawn_mean
from nerscope.stats.corrections import SIGNIFICANT
from nerscope.stats.intervals import quantiles
from nerscope.stats.runs import pooled_run_variance, run_spread
from nerscope.stats.system_pair import ABOUT_RECIPES, ALONE, SystemPair

RunScores = tuple[list[float], ...]  # the scores of runs, by side
# Levels of alpha of bounds; p-values are interpolated between them. The level of the interval is
# among them, so that p is below 0.05 exactly if the interval excludes 0.
_ALPHAS = np.concatenate(
    [np.geomspace(1e-12, SIGNIFICANT, 60)[:-1], np.linspace(SIGNIFICANT, 1.0, 40)]
)


@serialisable
class DatasetDifference(NamedTuple):
    """A difference on one dataset, and the parts of its variance.

    `runs` are the scores of A's runs and of B's runs, or the differences of paired runs; empty if
    the comparison is about outputs.
    """

    value: float
    by_clusters: float
    beyond_runs: float  # the variance without the part of single runs
    degrees: float  # of freedom, of clusters
    runs: RunScores = ()


def dataset_differences(pair: SystemPair) -> list[DatasetDifference]:
    """Every number of two systems on one dataset."""
    columns = (pair.difference, pair.cluster_variance, pair.variance_beyond_runs, pair.degrees)
    numbers = [
        DatasetDifference(value, by_clusters, beyond_runs, degrees)
        for value, by_clusters, beyond_runs, degrees in zip(
            *(column.tolist() for column in columns), strict=True
        )
    ]
    if pair.about != ABOUT_RECIPES:
        return numbers
    ours, theirs = pair.spread.runs[pair.a], pair.spread.runs[pair.b]
    sides = [ours - theirs] if pair.same_seeds else [ours, theirs]
    # Lists by number, because there are thousands of rows.
    scores: Iterable[RunScores] = zip(*(side.T.tolist() for side in sides), strict=True)
    return [
        number._replace(runs=of_sides) for number, of_sides in zip(numbers, scores, strict=True)
    ]


class MeanDifference(NamedTuple):
    """A mean difference, its interval (95 %, unless another alpha is given), and its p-value."""

    mean: float
    low: float
    high: float
    p: float


def share_runs(parts: Sequence[DatasetDifference]) -> bool:
    """Whether several datasets may share trained models."""
    return sum(bool(part.runs) for part in parts) > 1


def fixed_mean(parts: Sequence[DatasetDifference], alpha: float = SIGNIFICANT) -> MeanDifference:
    """The mean over these datasets, with independent texts and possibly shared runs.

    >>> twice = [DatasetDifference(0.1, 0.0025, 0.0025, 1e9)] * 2
    >>> [round(number, 3) for number in fixed_mean(twice)]
    [0.1, 0.031, 0.169, 0.005]
    """
    degrees = np.array([part.degrees for part in parts])
    by_clusters, beyond_runs = (
        np.array([getattr(part, name) for part in parts]) / len(parts) ** 2
        for name in ("by_clusters", "beyond_runs")
    )
    t_squares, noise = quantiles(_ALPHAS, degrees) ** 2, _noise_of(parts)
    squares = t_squares @ beyond_runs + noise.squares(_ALPHAS)
    # Runs may agree by chance, so their part of the variance over clusters is a lower bound.
    reach = np.sqrt(np.maximum(t_squares @ by_clusters, squares))
    return _bounded(float(np.mean([part.value for part in parts])), reach, alpha)


def mean_of_drawn(parts: Sequence[DatasetDifference], alpha: float = SIGNIFICANT) -> MeanDifference:
    """The mean over datasets like these, from the variance over datasets and over shared runs.

    >>> parts = [DatasetDifference(value, 0, 0, 9) for value in (0.02, 0.01, 0.03, 0.02, 0.01)]
    >>> [round(number, 4) for number in mean_of_drawn(parts)]
    [0.018, 0.0076, 0.0284, 0.0086]
    """
    values = [part.value for part in parts]
    if not any(part.runs for part in parts) or not do_vary(values):
        mean, low, high, _, p = drawn_mean(values, alpha)
        return MeanDifference(mean, low, high, p)
    squares = _drawn_squares(_ALPHAS, values) + _noise_of(parts).squares(_ALPHAS)
    return _bounded(float(np.mean(values)), np.sqrt(squares), alpha)


def _drawn_squares(alphas: Floats, values: Numbers) -> Floats:
    t = quantiles(alphas, np.array([len(values) - 1.0]))[:, 0]
    return np.asarray(t**2 * (np.var(values, ddof=1) / len(values)))


def _bounded(mean: float, reach: Floats, alpha: float) -> MeanDifference:
    within = float(np.interp(np.log(alpha), np.log(_ALPHAS), reach))
    if isnan(mean) or isnan(within):
        return MeanDifference(mean, nan, nan, nan)
    p = float(np.exp(np.interp(-abs(mean), -reach, np.log(_ALPHAS)))) if within else nan
    return MeanDifference(mean, mean - within, mean + within, p if mean else 1.0)


class RunNoise(NamedTuple):
    """The variance that training adds to a mean over datasets, and its degrees of freedom."""

    variance: float = 0.0
    degrees: float = 1.0

    def squares(self, alphas: Floats) -> Floats:
        """The squared reach of the noise of training at each level of alpha."""
        return np.asarray(quantiles(alphas, np.array([self.degrees]))[:, 0] ** 2 * self.variance)


def _noise_of(parts: Sequence[DatasetDifference]) -> RunNoise:
    return run_noise([part.runs for part in parts])


def run_noise(runs: Sequence[RunScores]) -> RunNoise:
    """The noise of training in a mean over datasets, from the runs of each dataset.

    If all datasets have the same runs, it is the variance of each run's mean over datasets. If the
    numbers of runs differ, shared runs are unknown, and runs are assumed to be fully correlated
    over datasets, which is the worst case.

    >>> noise = run_noise([([0.8, 0.9],), ([0.6, 0.7],)])
    >>> round(noise.variance, 4), noise.degrees
    (0.0025, 1.0)
    """
    if not any(runs):
        return RunNoise()
    if _are_same(runs):
        return _noise([np.mean(side, axis=0) for side in zip(*runs, strict=True)])
    each = [_noise([_defined(side) for side in sides]) for sides in runs]
    noisy = [noise for noise in each if noise.variance]
    deviation = sum(float(np.sqrt(noise.variance)) for noise in each) / len(each)
    return RunNoise(deviation**2, min((noise.degrees for noise in noisy), default=1.0))


def _are_same(runs: Sequence[RunScores]) -> bool:
    """Whether all datasets seem to have the same runs."""
    shapes = {tuple(map(len, sides)) for sides in runs}
    return len(shapes) == 1 and not any(
        isnan(score) for sides in runs for side in sides for score in side
    )


def _defined(scores: Numbers) -> Floats:
    values = np.asarray(scores, np.float64)
    return values[~np.isnan(values)]


def _noise(sides: Sequence[Floats]) -> RunNoise:
    """The noise of training in a mean over runs, or in a difference of two; 0 for single runs."""
    several = [run_spread(side[:, None]) for side in sides if len(side) > 1]
    if not several:
        return RunNoise()
    variance, degrees, _ = pooled_run_variance(several)
    # A single run borrows the variance of the others, and may vary more than they do.
    shares = sum(1 / len(side) if len(side) > 1 else ALONE for side in sides)
    return RunNoise(float(variance[0]) * shares, float(degrees[0]))


class ScoreMean(NamedTuple):
    """The intervals of a mean of scores: for these datasets, and for others like them."""

    low: float
    high: float
    low_drawn: float
    high_drawn: float


def score_mean(
    values: Numbers,
    lows: Numbers,
    highs: Numbers,
    runs: Sequence[RunScores],
) -> ScoreMean:
    """The intervals of a mean of scores over datasets; `runs` are the scores of runs by dataset.

    The intervals of datasets include the noise of their runs. Because runs may be shared, their
    covariance over datasets is added.

    >>> runs = [([0.79, 0.81],), ([0.89, 0.91],)]
    >>> [round(bound, 3) for bound in score_mean([0.8, 0.9], [0.7, 0.8], [0.9, 1.0], runs)]
    [0.736, 0.964, 0.202, 1.498]
    """
    alphas = np.array([SIGNIFICANT])
    mean, low, high = average_with_interval(values, lows, highs)
    shared = float(run_noise(runs).squares(alphas)[0])
    alone = [run_noise([sides]).squares(alphas)[0] for sides in runs]
    apart = float(sum(alone)) / max(1, len(runs)) ** 2
    more = max(0.0, shared - apart)
    others = drawn_mean(values)
    reach = np.nan
    if not isnan(others.low):
        reach = float(np.sqrt(_drawn_squares(alphas, values)[0] + shared))
    return ScoreMean(
        mean - float(np.hypot(mean - low, np.sqrt(more))),
        mean + float(np.hypot(high - mean, np.sqrt(more))),
        mean - reach,
        mean + reach,
    )
