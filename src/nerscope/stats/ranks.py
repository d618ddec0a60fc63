"""Ranks, and the tests on ranks that InterpretEval uses."""

from typing import Any

import numpy as np

from nerscope.corpus.arrays import Floats
from nerscope.errors import UsageError


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


def friedman(table: Floats) -> float:
    """The p-value of Friedman's test for a table of blocks (rows) by treatments (columns).

    NaN if there are fewer than three treatments or fewer than two blocks that are complete, or
    nothing differs.
    """
    complete = table[~np.isnan(table).any(axis=1)]
    if complete.shape[0] < 2 or complete.shape[1] < 3 or (complete == complete[:, :1]).all():
        return float("nan")
    return float(_scipy_stats().friedmanchisquare(*complete.T).pvalue)


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
