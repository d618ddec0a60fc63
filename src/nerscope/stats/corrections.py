"""Corrections for many p-values at once."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from nerscope.corpus.arrays import Floats
from nerscope.errors import UsageError, suggest

SIGNIFICANT = 0.05


def _bonferroni(p: Floats) -> Floats:
    return np.minimum(1.0, p * len(p))


def _holm(p: Floats) -> Floats:
    # Holm (1979): the smallest of m is multiplied by m, the next by m - 1, and so on; no corrected
    # p is below that of a smaller p. (0.01, 0.04, 0.03) -> 3 * 0.01, max(2 * 0.03, 1 * 0.04).
    order = np.argsort(p, kind="stable")
    stepped = np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1))
    corrected = np.empty_like(p)
    corrected[order] = np.minimum(1.0, stepped)
    return corrected


def _benjamini_hochberg(p: Floats) -> Floats:
    # Benjamini and Hochberg (1995): the k-th smallest of m is multiplied by m / k, from the top.
    order = np.argsort(p, kind="stable")[::-1]
    stepped = np.minimum.accumulate(p[order] * len(p) / np.arange(len(p), 0, -1))
    corrected = np.empty_like(p)
    corrected[order] = np.minimum(1.0, stepped)
    return corrected


def _benjamini_yekutieli(p: Floats) -> Floats:
    # Benjamini and Yekutieli (2001): valid for dependent p-values, at the cost of the harmonic sum.
    harmonic = float((1 / np.arange(1, len(p) + 1)).sum())
    return np.minimum(1.0, _benjamini_hochberg(p) * harmonic)


class Correction(NamedTuple):
    """A correction for many p-values.

    `scales_smallest` is True if it multiplies the smallest p by the number of p-values. Then so
    many tests need as many times the resamples before any corrected p can be significant.
    """

    function: Callable[[Floats], Floats]
    scales_smallest: bool = False


DEFAULT_CORRECTION = "holm"
CORRECTIONS: dict[str, Correction] = {
    DEFAULT_CORRECTION: Correction(_holm, scales_smallest=True),
    "bonferroni": Correction(_bonferroni, scales_smallest=True),
    "bh": Correction(_benjamini_hochberg),
    "by": Correction(_benjamini_yekutieli),
    "none": Correction(np.copy),
}


def correct_p_values(p: Sequence[float], correction: str = DEFAULT_CORRECTION) -> list[float]:
    """P-values corrected for their number; undefined ones stay out of it.

    >>> correct_p_values([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    if correction not in CORRECTIONS:
        raise UsageError(
            "correction", f"there is no '{correction}'", suggest(correction, CORRECTIONS)
        )
    values = np.asarray(p, np.float64)
    defined = ~np.isnan(values)
    result = np.full(len(values), np.nan)
    if defined.any():
        result[defined] = CORRECTIONS[correction].function(values[defined])
    return [float(value) for value in result]


def is_significant(p: float | None) -> bool:
    """Whether a p-value is below the usual bound; an undefined one is not."""
    return p is not None and p < SIGNIFICANT
