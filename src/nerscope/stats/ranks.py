"""Ranks, and the tests on ranks that InterpretEval uses."""

from functools import lru_cache
from itertools import permutations
from typing import Any, NamedTuple

import numpy as np

from nerscope.corpus.arrays import Floats
from nerscope.errors import UsageError

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
    """Spearman's rank correlation; NaN where one side does not vary or a value is undefined.

    >>> spearman(np.array([1.0, 2.0, 3.0]), np.array([2.0, 4.0, 9.0]))
    1.0
    """
    if np.isnan(x).any() or np.isnan(y).any() or len(x) < 2:
        return float("nan")
    a, b = ranks(x) - (len(x) + 1) / 2, ranks(y) - (len(y) + 1) / 2
    scale = np.sqrt((a @ a) * (b @ b))
    return float(a @ b / scale) if scale else float("nan")


def _scipy_stats() -> Any:
    """The statistics of scipy, which only these tests need."""
    try:
        import scipy.stats
    except ImportError:
        raise UsageError(
            "scipy",
            "Friedman's and Wilcoxon's tests need the package scipy",
            "install nerscope[stats]",
        ) from None
    return scipy.stats


class Friedman(NamedTuple):
    """What Friedman's test says: p (NaN if it cannot be made), how it was found, on what."""

    p: float
    method: str | None  # exact, or chi-square for many blocks
    blocks: int  # those that are complete


def friedman(table: Floats) -> Friedman:
    """Friedman's test for a table of blocks (rows) by treatments (columns).

    It cannot be made with fewer than three treatments or two complete blocks, or where nothing
    differs. With few blocks p is exact: of all ways to shuffle each block.

    >>> friedman(np.array([[0.1, 0.2, 0.3], [0.4, 0.5, 0.6]]))
    Friedman(p=0.16666666666666666, method='exact', blocks=2)
    """
    complete = table[~np.isnan(table).any(axis=1)]
    blocks, treatments = complete.shape
    if blocks < 2 or treatments < 3 or (complete == complete[:, :1]).all():
        return Friedman(float("nan"), None, blocks)
    if (blocks * treatments) ** (treatments - 1) <= _ENUMERABLE:
        doubled = [(2 * ranks(block)).astype(np.int64) for block in complete]
        sums = np.sort(np.sum(doubled, axis=0))
        patterns = sorted(tuple(np.sort(block).tolist()) for block in doubled)
        return Friedman(_exact_p(tuple(patterns), int(sums @ sums)), "exact", blocks)
    p = float(_scipy_stats().friedmanchisquare(*complete.T).pvalue)
    return Friedman(p, "chi-square", blocks)


@lru_cache(maxsize=1024)
def _exact_p(patterns: tuple[tuple[int, ...], ...], observed: int) -> float:
    """The share of shuffles whose sums of ranks spread at least as much as the observed ones.

    Friedman's statistic grows with the squares of the sums; the order of the columns does not
    matter, so sums are kept in order, each with its probability.
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
    """The p-value of Wilcoxon's signed-rank test; 1 if all pairs are equal, NaN if there are fewer
    than two.
    """
    paired = ~(np.isnan(x) | np.isnan(y))
    x, y = x[paired], y[paired]
    if len(x) < 2:
        return float("nan")
    if np.array_equal(x, y):
        return 1.0
    return float(_scipy_stats().wilcoxon(x, y).pvalue)
