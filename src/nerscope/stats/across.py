"""Tests over several datasets: independent ones, and splits of one corpus."""

from collections.abc import Callable, Sequence
from functools import lru_cache
from math import comb, erfc, exp, isnan, lgamma, log, nan, sqrt
from typing import NamedTuple, TypeAlias

import numpy as np

from nerscope.corpus.arrays import Floats, Ints
from nerscope.errors import UsageError, suggest
from nerscope.stats.corrections import SIGNIFICANT
from nerscope.stats.ranks import quantile, ranks, two_sided_p

Numbers: TypeAlias = Sequence[float] | Floats

_NAN = float("nan")
_ENUMERABLE = 50  # differences: 2 ^ 50 combinations of signs are counted exactly


def beaten_on(p_one_sided: Numbers, alpha: float = 0.05, method: str = "fisher") -> int:
    """A lower bound (1 - alpha) on the number of datasets on which A is better (Dror et al. 2017).

    Each p-value is one-sided, for the hypothesis that A is not better on this dataset. `fisher`
    needs independent datasets; `bonferroni` does not. Undefined p-values are left out.

    >>> beaten_on([0.01, 0.03, 0.2]), beaten_on([0.01, 0.03, 0.2], method="bonferroni")
    (2, 1)
    """
    return sum(p <= alpha for p in partial_conjunction(p_one_sided, method))


def partial_conjunction(p_one_sided: Numbers, method: str = "fisher") -> list[float]:
    """For u = 1, 2, …, the p-value of the hypothesis that A is better on fewer than u datasets.

    Being better on u datasets includes fewer, so p-values never decrease.

    >>> [round(p, 3) for p in partial_conjunction([0.01, 0.03, 0.2], "bonferroni")]
    [0.03, 0.06, 0.2]
    """
    if method not in _COMBINED:
        raise UsageError("method", f"unknown method '{method}'", suggest(method, _COMBINED))
    p = np.sort(_defined(p_one_sided))
    combined = [_COMBINED[method](p[u:].tolist()) for u in range(len(p))]
    return [max(combined[: u + 1]) for u in range(len(p))]


def _bonferroni(p: list[float]) -> float:
    return min(1.0, len(p) * p[0])


def _fisher(p: list[float]) -> float:
    """The tail of chi-square with 2 · len(p) degrees, a Poisson sum because they are even."""
    if not p[0]:
        return 0.0
    half = -sum(map(log, p))
    if half <= 0:
        return 1.0
    return min(1.0, sum(exp(k * log(half) - half - lgamma(k + 1)) for k in range(len(p))))


_COMBINED: dict[str, Callable[[list[float]], float]] = {
    "fisher": _fisher,
    "bonferroni": _bonferroni,
}


def sign_test(differences: Numbers) -> float:
    """The p-value of the sign test over datasets.

    Exact and two-sided. Zeros do not count; 1 if there are only zeros, NaN without values.

    >>> sign_test([0.1, 0.2, 0.1, 0.3, 0.2, 0.0])
    0.0625
    """
    signs = np.sign(_defined(differences))
    if not len(signs):
        return _NAN
    n = int(np.count_nonzero(signs))
    fewer = (n - abs(int(signs.sum()))) // 2
    ways = sum(comb(n, k) for k in range(fewer + 1))
    return min(1.0, 2 * ways / (1 << n))


def signed_rank(differences: Numbers) -> float:
    """The two-sided p-value of Wilcoxon's signed-rank test.

    Exact for up to 50 differences, also with ties. Zeros do not count; 1 if there are only zeros,
    NaN without values.

    >>> signed_rank([0.1, 0.2, -0.1, 0.3, 0.4])
    0.1875
    """
    values = _defined(differences)
    if not len(values):
        return _NAN
    values = values[values != 0]
    # Mid-ranks, doubled, are whole numbers.
    weights = (2 * ranks(np.abs(values))).astype(np.int64)
    positive = int(weights[values > 0].sum())
    if len(values) <= _ENUMERABLE:
        return _exact_p(weights, positive)
    # The variance of a sum of random signs, including ties.
    z = (2 * positive - weights.sum()) / sqrt(float(weights @ weights))
    return erfc(abs(z) / sqrt(2))


def _exact_p(weights: Ints, positive: int) -> float:
    """Twice the smaller tail of the sum of the weights with a plus sign, if all signs are equally
    likely.
    """
    ways = np.zeros(int(weights.sum()) + 1, np.int64)
    ways[0] = 1
    for weight in weights.tolist():
        ways[weight:] += ways[:-weight].copy()
    tail = min(ways[: positive + 1].sum(), ways[positive:].sum())
    return min(1.0, 2 * int(tail) / (1 << len(weights)))


class MeanRanks(NamedTuple):
    """The mean rank of each system (1 is the best), and the number of datasets."""

    ranks: Floats
    datasets: int


def mean_ranks(table: Floats, better_is_higher: bool = True) -> MeanRanks:
    """The mean ranks of systems (columns) over datasets (rows), as in Demšar (2006).

    Equal values share their rank. Datasets on which a system has no value are left out; NaN if none
    remains.

    >>> mean_ranks(np.array([[0.9, 0.8, 0.7], [0.6, 0.6, 0.5]]))
    MeanRanks(ranks=array([1.25, 1.75, 3.  ]), datasets=2)
    """
    complete = table[~np.isnan(table).any(axis=1)]
    if not len(complete):
        return MeanRanks(np.full(table.shape[1], np.nan), 0)
    ranked = [ranks(-row if better_is_higher else row) for row in complete]
    return MeanRanks(np.mean(ranked, axis=0), len(complete))


def average_with_interval(
    values: Numbers, lows: Numbers, highs: Numbers
) -> tuple[float, float, float]:
    """The mean over independent datasets, with an interval from their intervals.

    The distances to the lower and to the upper bounds are squared and added separately (Zou and
    Donner 2008), which keeps the asymmetry of intervals. Undefined bounds stay undefined.

    >>> mean = average_with_interval([0.80, 0.90], [0.77, 0.86], [0.83, 0.93])
    >>> [round(number, 4) for number in mean]
    [0.85, 0.825, 0.8712]
    """
    centre, low, high = (np.asarray(numbers, np.float64) for numbers in (values, lows, highs))
    n = len(centre)
    if not n:
        return _NAN, _NAN, _NAN
    mean = float(centre.mean())
    below, above = centre - low, high - centre
    return mean, mean - sqrt(below @ below) / n, mean + sqrt(above @ above) / n


def _defined(numbers: Numbers) -> Floats:
    values = np.asarray(numbers, np.float64)
    return values[~np.isnan(values)]


_EQUAL = 1e-12  # smaller relative differences are rounding errors


class MeanTest(NamedTuple):
    """A mean, its 95 % interval, and its p-value."""

    mean: float
    low: float
    high: float
    t: float
    p: float


def resampled_t(differences: Numbers, ratio: float, alpha: float = SIGNIFICANT) -> MeanTest:
    """The corrected resampled t-test (Nadeau and Bengio 2003) for the mean over splits.

    Splits of one corpus share sentences, so their differences agree more than independent ones.
    `ratio` (test sentences divided by training sentences) corrects for it: the variance of the mean
    of J splits is (1/J + ratio) · s², with J - 1 degrees of freedom. Undefined differences are left
    out. The interval is undefined for fewer than two differences, or if all are equal; p is then
    defined only if all are 0. The interval has the level 1 - alpha.

    >>> found = resampled_t([0.02, 0.01, 0.03, 0.02, 0.01], 0.25)
    >>> [round(number, 4) for number in (found.mean, found.low, found.high, found.p)]
    [0.018, 0.0024, 0.0336, 0.0327]
    """
    values = _defined(differences)
    if not len(values):
        return MeanTest(nan, nan, nan, nan, nan)
    mean = float(values.mean())
    if not do_vary(values):
        # The variance is unknown; if all are 0, p is 1.
        return MeanTest(mean, nan, nan, nan, nan if values.any() or len(values) < 2 else 1.0)
    degrees = len(values) - 1
    error = sqrt((1 / len(values) + ratio) * float(values.var(ddof=1)))
    reach = _reach(degrees, alpha) * error
    t = mean / error
    return MeanTest(mean, mean - reach, mean + reach, t, float(two_sided_p(t, degrees)))


def do_vary(values: Numbers) -> bool:
    """Whether numbers differ by more than rounding."""
    return len(values) > 1 and bool(np.ptp(values) > _EQUAL * np.abs(values).max())


@lru_cache
def _reach(degrees: int, alpha: float) -> float:
    return float(quantile(alpha, degrees))


def drawn_mean(values: Numbers, alpha: float = SIGNIFICANT) -> MeanTest:
    """Student's t-test for the mean of a population of datasets, from a sample of them.

    >>> found = drawn_mean([0.02, 0.01, 0.03, 0.02, 0.01])
    >>> [round(number, 4) for number in (found.mean, found.low, found.high, found.p)]
    [0.018, 0.0076, 0.0284, 0.0086]
    """
    return resampled_t(values, 0.0, alpha)


class SplitWins(NamedTuple):
    """The numbers of splits on which A is better and on which B is better."""

    better: int
    worse: int


def beaten_at_bonferroni(
    p_values: Numbers, gains: Numbers, alpha: float = SIGNIFICANT
) -> SplitWins:
    """The numbers of splits (of J) on which A, and on which B, is better with p <= alpha / J.

    p is two-sided; a gain is above 0 if A is better. Untested splits (NaN) count for neither, but
    are among the J (Gorman and Bedrick 2019).

    >>> beaten_at_bonferroni([0.001, 0.004, 0.02, 0.001], [0.03, 0.02, 0.02, -0.02])
    SplitWins(better=2, worse=1)
    """
    pairs = zip(p_values, gains, strict=True)
    sure = [gain for p, gain in pairs if not isnan(p) and p * len(p_values) <= alpha]
    return SplitWins(sum(gain > 0 for gain in sure), sum(gain < 0 for gain in sure))
