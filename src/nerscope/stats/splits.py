"""Means over datasets that overlap, as splits of one corpus do, or that were drawn from many."""

from math import isnan, nan, sqrt
from typing import NamedTuple

import numpy as np

from nerscope.stats.across import Numbers
from nerscope.stats.corrections import SIGNIFICANT
from nerscope.stats.student import quantile, two_sided_p

_EQUAL = 1e-12  # numbers that differ by less, relative to their size, differ by rounding only


class MeanTest(NamedTuple):
    """A mean, its 95 % interval, and how surprising it is if the true mean is 0."""

    mean: float
    low: float
    high: float
    t: float
    p: float


def resampled_t(differences: Numbers, ratio: float) -> MeanTest:
    """The corrected resampled t-test (Nadeau and Bengio 2003) for the mean over splits.

    Splits of one corpus share sentences, so their differences agree more than independent ones
    would. `ratio`, test sentences by training sentences, makes up for it: the variance of the mean
    of J splits is (1/J + ratio) · s², with J - 1 degrees of freedom. Undefined differences are left
    out. Of fewer than two, or if all are equal, there is no interval, and p only if all are 0.

    >>> found = resampled_t([0.02, 0.01, 0.03, 0.02, 0.01], 0.25)
    >>> [round(number, 4) for number in (found.mean, found.low, found.high, found.p)]
    [0.018, 0.0024, 0.0336, 0.0327]
    """
    values = np.asarray(differences, np.float64)
    values = values[~np.isnan(values)]
    if not len(values):
        return MeanTest(nan, nan, nan, nan, nan)
    mean = float(values.mean())
    size = float(np.abs(values).max())
    if len(values) < 2 or np.ptp(values) <= _EQUAL * size:
        # Nobody can tell how much they vary; that all are 0 is no evidence of a difference.
        return MeanTest(mean, nan, nan, nan, nan if size or len(values) < 2 else 1.0)
    degrees = len(values) - 1
    error = sqrt((1 / len(values) + ratio) * float(values.var(ddof=1)))
    reach = float(quantile(SIGNIFICANT, degrees)) * error
    t = mean / error
    return MeanTest(mean, mean - reach, mean + reach, t, float(two_sided_p(t, degrees)))


def drawn(values: Numbers) -> MeanTest:
    """Student's t-test for the mean over datasets that are a sample of many: of such datasets.

    >>> found = drawn([0.02, 0.01, 0.03, 0.02, 0.01])
    >>> [round(number, 4) for number in (found.mean, found.low, found.high, found.p)]
    [0.018, 0.0076, 0.0284, 0.0086]
    """
    return resampled_t(values, 0.0)


class Beaten(NamedTuple):
    """On how many splits A is better, and on how many B is."""

    better: int
    worse: int


def beaten_at_bonferroni(p_values: Numbers, gains: Numbers, alpha: float = SIGNIFICANT) -> Beaten:
    """On how many of J splits A is better with p of at most alpha / J, and on how many B is.

    p is two-sided; a gain is above 0 where A is better. Splits that could not be tested (NaN) count
    for neither, but are among the J (Gorman and Bedrick 2019).

    >>> beaten_at_bonferroni([0.001, 0.004, 0.02, 0.001], [0.03, 0.02, 0.02, -0.02])
    Beaten(better=2, worse=1)
    """
    pairs = zip(p_values, gains, strict=True)
    sure = [gain for p, gain in pairs if not isnan(p) and p * len(p_values) <= alpha]
    return Beaten(sum(gain > 0 for gain in sure), sum(gain < 0 for gain in sure))
