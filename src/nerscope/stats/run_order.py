"""Compare single training runs of two systems: the probability that A's next run is better."""

from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeAlias

import numpy as np

from nerscope.corpus.arrays import Floats, Ints
from nerscope.stats.ranks import normal_quantile

Scores: TypeAlias = Sequence[float] | Floats

_NAN = float("nan")
FEWEST_RUNS_OF_ORDER = 10  # per side; with fewer runs, the order is mostly noise
_HALVINGS = 60  # steps of bisection within [0, 1], to machine precision


class WinProbability(NamedTuple):
    """The probability that a new run of A scores higher than a new run of B, with its bounds."""

    value: float
    low: float
    high: float


class Violation(NamedTuple):
    """How far A is from always beating B, with bounds: 0 if A always does, 1 if B does."""

    value: float
    low: float
    high: float


def next_run_better(a: Scores, b: Scores, alpha: float = 0.05) -> WinProbability:
    """The share of all pairs of runs in which A scores higher; a tie counts half.

    The bounds are Newcombe's (2006, method 5): they stay within [0, 1], and do not have zero width
    if all pairs agree. They need two runs per side. Runs without a score are left out.

    >>> [round(number, 3) for number in next_run_better([0.91, 0.92, 0.93], [0.89, 0.90, 0.92])]
    [0.833, 0.358, 0.976]
    """
    x, y = _scores(a), _scores(b)
    if not len(x) or not len(y):
        return WinProbability(_NAN, _NAN, _NAN)
    value = float((np.sign(x[:, None] - y).mean() + 1) / 2)
    if len(x) < 2 or len(y) < 2:
        return WinProbability(value, _NAN, _NAN)
    z = normal_quantile(1 - alpha / 2)

    def agrees(chance: float) -> bool:
        return (value - chance) ** 2 <= z * z * _pair_variance(chance, len(x), len(y))

    return WinProbability(value, _edge(agrees, value, 0.0), _edge(agrees, value, 1.0))


def _scores(runs: Scores) -> Floats:
    """The defined scores, in order."""
    scores = np.asarray(runs, np.float64)
    return np.sort(scores[~np.isnan(scores)])


def _pair_variance(chance: float, m: int, n: int) -> float:
    """The variance of the share of pairs, if this is its true value.

    A run is in many pairs; their dependence is that of exponential distributions.
    """
    together = (1 - chance) / (2 - chance) + chance / (1 + chance)
    return chance * (1 - chance) / (m * n) * (1 + ((m + n) / 2 - 1) * together)


def _edge(agrees: Callable[[float], bool], inside: float, outside: float) -> float:
    """The furthest point that agrees, by bisection between `inside` (agrees) and `outside`."""
    for _ in range(_HALVINGS):
        between = (inside + outside) / 2
        inside, outside = (between, outside) if agrees(between) else (inside, between)
    return inside


def almost_stochastic_order(
    a: Scores,
    b: Scores,
    alpha: float = 0.05,
    samples: int = 1000,
    seed: int = 0,
) -> Violation:
    """The share of the squared distance between the runs of A and B at which B is better.

    The k-th best run of A is compared with the k-th best run of B (del Barrio et al. 2018; Dror et
    al. 2019, whose one-sided bound is `high` at twice their alpha). The bounds come from resampled
    runs. They need two runs per side, and are NaN if all runs of A are on one side of all runs of
    B. NaN if nothing differs. Runs without a score are left out. For equal systems, the interval
    excludes 0.5 in 25 to 31 % of cases with 10 to 30 runs per side (studies/stochastic_order.py),
    so use it to describe runs, not as a test.

    >>> [round(number, 3) for number in almost_stochastic_order([0.92, 0.94], [0.90, 0.95])]
    [0.2, 0.0, 0.986]
    """
    x, y = _scores(a), _scores(b)
    if not len(x) or not len(y):
        return Violation(_NAN, _NAN, _NAN)
    value = float(_violations(x[None], y[None])[0])
    if len(x) < 2 or len(y) < 2 or np.isnan(value):
        return Violation(value, _NAN, _NAN)
    random = np.random.default_rng(seed)
    drawn = _violations(_redrawn(x, samples, random), _redrawn(y, samples, random))
    # The paper scales by sqrt(mn / (m + n)) before this deviation and back after it.
    half = normal_quantile(1 - alpha / 2) * _deviation(drawn)
    if not half:  # one side is ahead in every sample: the width is unknown
        return Violation(value, _NAN, _NAN)
    low, high = np.clip([value - half, value + half], 0.0, 1.0)
    return Violation(value, float(low), float(high))


def _violations(x: Floats, y: Floats) -> Floats:
    """The violation ratio of each row of sorted runs; NaN if nothing differs."""
    of_x, of_y, width = _steps(x.shape[1], y.shape[1])
    gap = x[:, of_x] - y[:, of_y]
    whole: Floats = (gap * gap) @ width
    against: Floats = np.where(gap < 0, gap * gap, 0.0) @ width
    ratio = np.full(len(gap), np.nan)
    np.divide(against, whole, out=ratio, where=whole > 0)
    return ratio


def _steps(m: int, n: int) -> tuple[Ints, Ints, Floats]:
    """The steps of two quantile functions, in units of 1 / (m · n): the run of each side, and the
    width of the step.
    """
    cuts = np.union1d(np.arange(m + 1) * n, np.arange(n + 1) * m)
    return cuts[:-1] // n, cuts[:-1] // m, np.diff(cuts) / (m * n)


def _redrawn(scores: Floats, samples: int, random: np.random.Generator) -> Floats:
    """Resamples of the runs with replacement, each sorted."""
    return np.sort(random.choice(scores, (samples, len(scores))), axis=1)


def _deviation(values: Floats) -> float:
    """The standard deviation of the defined values."""
    defined = values[~np.isnan(values)]
    return float(defined.std()) if len(defined) else _NAN
