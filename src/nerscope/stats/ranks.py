"""Student's distribution, and tests by ranks."""

from functools import cache, lru_cache
from itertools import permutations
from math import erfc, exp, inf, lgamma, log, nan, pi, sqrt
from typing import Any, NamedTuple

import numpy as np

from nerscope.corpus.arrays import Floats
from nerscope.errors import UsageError

_NODES = 24
_NORMAL = 1e20  # with more degrees, it equals the normal distribution to the last digit
_NEGLIGIBLE = 40.0  # the integral ends where its integrand has fallen by exp(-40)
_SHIFT = 10  # from this value on, the series for the gamma function is exact
_SERIES = (-1 / 8, 1 / 192, -1 / 640, 17 / 14336, -31 / 18432, 691 / 180224)
_STEPS = 50  # Newton's method needs about five, and more below one degree
_ENOUGH = 1e-8  # digits double in each step: after such a small step, all are exact


def two_sided_p(t: Floats | float, degrees: Floats | float) -> Floats:
    """The probability that |T| is at least |t|; infinite degrees mean the normal distribution.

    NaN if t is undefined or the degrees are not above 0.

    >>> two_sided_p(np.array([0.0, 2.228, 12.0]), 10).round(6).tolist()
    [1.0, 0.050012, 0.0]
    """
    t, n = np.broadcast_arrays(np.abs(np.asarray(t, np.float64)), _defined(degrees))
    ratio = np.minimum(t, np.sqrt(n)) / np.sqrt(n)
    far = 2 * np.log(np.hypot(t, np.sqrt(n))) - np.log(n)  # t² itself may overflow
    growth = np.where(ratio < 1, np.log1p(ratio**2), far)
    return np.exp(_log_p(growth.ravel(), n.ravel())).reshape(t.shape)


def quantile(p_two_sided: Floats | float, degrees: Floats | float) -> Floats:
    """The t that |T| exceeds with this probability: 0.05 gives the bound of a 95 % interval.

    NaN if p is not from 0 to 1, or the degrees are not above 0.

    >>> quantile(0.05, np.array([1.0, 10.0, np.inf])).round(3).tolist()
    [12.706, 2.228, 1.96]
    """
    p, n = np.broadcast_arrays(np.asarray(p_two_sided, np.float64), _defined(degrees))
    possible = (p > 0) & (p <= 1) & ~np.isnan(n)
    quantiles = np.where(p == 0, n + np.inf, np.nan)  # NaN if the degrees are NaN
    n = n[possible]
    growth = _solved(np.log(p[possible]), n) ** 2 / n
    with np.errstate(over="ignore"):  # an overflow gives infinity
        quantiles[possible] = np.sqrt(-np.expm1(-growth) * n) * np.exp(growth / 2)
    return quantiles


def normal_quantile(p: float) -> float:
    """The quantile of the standard normal distribution; NaN if p is not a probability.

    >>> round(normal_quantile(0.975), 4)
    1.96
    """
    from statistics import NormalDist  # slow to import, and rarely needed

    if 0 < p < 1:
        return NormalDist().inv_cdf(p)
    return {0.0: -inf, 1.0: inf}.get(p, nan)


def _defined(degrees: Floats | float) -> Floats:
    """Degrees of freedom as an array; NaN for invalid values."""
    n = np.minimum(np.asarray(degrees, np.float64), _NORMAL)
    return np.where(n > 0, n, np.nan)


def _solved(log_p: Floats, n: Floats) -> Floats:
    """The z at which p has this logarithm.

    The logarithm is almost -z²/2 minus z times the density at 0, the start for Newton's method.
    """
    at_zero = _at_zero(n)
    z: Floats = -2 * log_p / (at_zero + np.sqrt(at_zero**2 - 2 * log_p))
    for _ in range(_STEPS):
        reached = _log_p(z * z / n, n)
        step = (reached - log_p) * np.exp(reached + z * z / 2) / (at_zero * _slow(z * z / n))
        # Far from the solution, a step may be too long, because few degrees bend the curve.
        z = np.maximum(z + step, z / 4)
        if (np.abs(step) <= _ENOUGH * z).all():
            break
    return z


def _log_p(growth: Floats, n: Floats) -> Floats:
    """The logarithm of the two-sided p, given log(1 + t² / n).

    It is computed from the tail for large t and from the centre for small t, to keep all digits.
    """
    more = n + 2
    z = np.minimum(np.sqrt(more * growth), 1e100)
    split = _gamma_ratio(n / 2) * np.sqrt(-np.expm1(-growth) * 2 / (pi * n))
    # The tail is relative to exp(-z²/2), which may underflow.
    width = 2 * _NEGLIGIBLE / (z + np.sqrt(z * z + 2 * _NEGLIGIBLE))
    tail = split + np.exp(-growth) * _integral(z, width, more)
    log_p = np.asarray(np.log(tail) - n * growth / 2)
    near = z < 1
    middle = _integral(np.zeros_like(z[near]), z[near], more[near])
    log_p[near] = np.log1p(split[near] * np.exp(-n * growth / 2)[near] - middle)
    return log_p


def _integral(start: Floats, width: Floats, n: Floats) -> Floats:
    """The density of |z| over an interval, relative to exp(-start²/2)."""
    nodes, weights = _gauss()
    inside = width[..., None] * nodes
    falling = np.exp(-inside * (start[..., None] + inside / 2))
    height = _slow((start[..., None] + inside) ** 2 / n[..., None])
    area: Floats = _at_zero(n) * width * ((falling * height) @ weights)
    return area


@cache
def _gauss() -> tuple[Floats, Floats]:
    """Gauss's quadrature rule from 0 to 1; computed on first use, because the import is slow."""
    nodes, weights = np.polynomial.legendre.leggauss(_NODES)
    return (nodes + 1) / 2, weights / 2


def _slow(w: Floats) -> Floats:
    """The density divided by exp(-z²/2), for w = z² / n: 1 at 0, and like z in the tail."""
    w = np.maximum(w, 1e-300)
    return np.sqrt(w / -np.expm1(-w))


def _at_zero(n: Floats) -> Floats:
    """The density of |T| at 0, which equals that of |z|."""
    return sqrt(2 / pi) * _gamma_ratio(n / 2)


def _gamma_ratio(a: Floats) -> Floats:
    """Gamma(a + 1/2) / Gamma(a) / sqrt(a), which tends to 1.

    The series is for large numbers; small ones follow from Gamma(a + 1) = a · Gamma(a).
    """
    large = a + _SHIFT
    back: Floats = np.prod([(a + k) / (a + k + 0.5) for k in range(_SHIFT)], axis=0)
    series = sum(c / large ** (2 * k + 1) for k, c in enumerate(_SERIES))
    return back * np.sqrt(large / a) * np.exp(series)


_ENUMERABLE = 250_000  # (blocks · treatments) ^ (treatments - 1): four buckets, up to 15 blocks


def ranks(values: Floats) -> Floats:
    """Ranks from 1; equal values share their mean rank.

    >>> ranks(np.array([5.0, 1.0, 5.0])).tolist()
    [2.5, 1.0, 2.5]
    """
    ordered = np.sort(values)
    low = np.searchsorted(ordered, values, side="left")
    high = np.searchsorted(ordered, values, side="right")
    return (low + high + 1) / 2


def spearman(x: Floats, y: Floats) -> float:
    """Spearman's rank correlation; NaN if one side does not vary or a value is undefined.

    >>> spearman(np.array([1.0, 2.0, 3.0]), np.array([2.0, 4.0, 9.0]))
    1.0
    """
    if np.isnan(x).any() or np.isnan(y).any() or len(x) < 2:
        return float("nan")
    a, b = ranks(x) - (len(x) + 1) / 2, ranks(y) - (len(y) + 1) / 2
    scale = np.sqrt((a @ a) * (b @ b))
    return float(a @ b / scale) if scale else float("nan")


def _scipy_stats() -> Any:
    """The module scipy.stats, which only these tests need."""
    try:
        import scipy.stats
    except ImportError:
        raise UsageError(
            "scipy",
            "Friedman's and Wilcoxon's tests need the package scipy",
            "pip install 'nerscope[stats]'",
        ) from None
    return scipy.stats


class Friedman(NamedTuple):
    """The result of Friedman's test: p (NaN if the test is not possible), method and size."""

    p: float
    method: str | None  # exact, or chi-square for many blocks
    blocks: int  # complete blocks
    chi_square_p: float = nan  # by the chi-square approximation, as in InterpretEval


def friedman(table: Floats) -> Friedman:
    """Friedman's test for a table of blocks (rows) by treatments (columns).

    The test needs at least three treatments, two complete blocks, and some difference. With few
    blocks, p is exact, over all permutations of each block.

    >>> test = friedman(np.array([[0.1, 0.2, 0.3], [0.4, 0.5, 0.6]]))
    >>> round(test.p, 4), test.method, test.blocks, round(test.chi_square_p, 4)
    (0.1667, 'exact', 2, 0.1353)
    """
    complete = table[~np.isnan(table).any(axis=1)]
    blocks, treatments = complete.shape
    if blocks < 2 or treatments < 3 or (complete == complete[:, :1]).all():
        return Friedman(float("nan"), None, blocks)
    approximate = _friedman_chi_square_p(complete)
    if (blocks * treatments) ** (treatments - 1) <= _ENUMERABLE:
        doubled = [(2 * ranks(block)).astype(np.int64) for block in complete]
        sums = np.sort(np.sum(doubled, axis=0))
        patterns = sorted(tuple(np.sort(block).tolist()) for block in doubled)
        exact = _exact_p(tuple(patterns), int(sums @ sums))
        return Friedman(exact, "exact", blocks, approximate)
    return Friedman(approximate, "chi-square", blocks, approximate)


def _friedman_chi_square_p(table: Floats) -> float:
    """The p-value of Friedman's statistic, corrected for ties, by the chi-square distribution."""
    blocks, treatments = table.shape
    ranked = np.array([ranks(block) for block in table])
    repeats = [np.unique(block, return_counts=True)[1] for block in ranked]
    tied = sum(float((size**3 - size).sum()) for size in repeats)
    correction = 1 - tied / (blocks * treatments * (treatments**2 - 1))
    squares = float((ranked.sum(axis=0) ** 2).sum())
    spread = 12 / (blocks * treatments * (treatments + 1)) * squares - 3 * blocks * (treatments + 1)
    return chi_square_p(spread / correction, treatments - 1)


def chi_square_p(value: float, degrees: int) -> float:
    """The probability that chi-square with these degrees of freedom is at least this value.

    >>> round(chi_square_p(7.815, 3), 4), round(chi_square_p(5.991, 2), 4)
    (0.05, 0.05)
    """
    if value <= 0:
        return 1.0
    half = value / 2
    # Two more degrees add one term: a series from 0 degrees (p = 0) or 1 degree (normal tail).
    start, p = (0.0, 0.0) if degrees % 2 == 0 else (0.5, erfc(sqrt(half)))
    terms = (start + k for k in range(round(degrees / 2 - start)))
    return min(1.0, p + sum(exp(k * log(half) - half - lgamma(k + 1)) for k in terms))


@lru_cache(maxsize=1024)
def _exact_p(patterns: tuple[tuple[int, ...], ...], observed: int) -> float:
    """The share of permutations whose sums of ranks vary at least as much as the observed ones.

    Friedman's statistic grows with the squares of the sums. The order of the columns does not
    matter, so sums are stored sorted, each with its probability.
    """
    sums, chance = np.array([patterns[0]], np.int64), np.ones(1)
    for pattern in patterns[1:]:
        shuffled = np.array(list(permutations(pattern)), np.int64)
        reached = np.sort((sums[:, None] + shuffled).reshape(-1, len(pattern)), axis=1)
        weights = np.repeat(chance / len(shuffled), len(shuffled))
        sums, where = np.unique(reached, axis=0, return_inverse=True)
        chance = np.bincount(where.ravel(), weights).astype(np.float64)
    return min(1.0, float(chance[(sums * sums).sum(axis=1) >= observed].sum()))


def wilcoxon(x: Floats, y: Floats) -> float:
    """The p-value of Wilcoxon's signed-rank test; 1 if all pairs are equal, NaN for fewer than two
    pairs.
    """
    paired = ~(np.isnan(x) | np.isnan(y))
    x, y = x[paired], y[paired]
    if len(x) < 2:
        return float("nan")
    if np.array_equal(x, y):
        return 1.0
    return float(_scipy_stats().wilcoxon(x, y).pvalue)
