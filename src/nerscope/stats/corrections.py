"""Corrections for many p-values at once."""

from collections.abc import Callable, Sequence

import numpy as np

from nerscope.corpus.arrays import Floats
from nerscope.errors import UsageError, suggest

SIGNIFICANT = 0.05


def _bonferroni(p: Floats) -> Floats:
    return np.minimum(1.0, p * len(p))


def _holm(p: Floats) -> Floats:
    order = np.argsort(p, kind="stable")
    stepped = np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1))
    corrected = np.empty_like(p)
    corrected[order] = np.minimum(1.0, stepped)
    return corrected


def _benjamini_hochberg(p: Floats) -> Floats:
    order = np.argsort(p, kind="stable")[::-1]
    stepped = np.minimum.accumulate(p[order] * len(p) / np.arange(len(p), 0, -1))
    corrected = np.empty_like(p)
    corrected[order] = np.minimum(1.0, stepped)
    return corrected


def _benjamini_yekutieli(p: Floats) -> Floats:
    # What holds however the p-values depend on each other costs the harmonic sum.
    harmonic = float((1 / np.arange(1, len(p) + 1)).sum())
    return np.minimum(1.0, _benjamini_hochberg(p) * harmonic)


CORRECTIONS: dict[str, Callable[[Floats], Floats]] = {
    "holm": _holm,
    "bonferroni": _bonferroni,
    "bh": _benjamini_hochberg,
    "by": _benjamini_yekutieli,
    "none": lambda p: p.copy(),
}


def corrected(p: Sequence[float], correction: str = "holm") -> list[float]:
    """P-values corrected for their number; undefined ones stay out of it.

    >>> corrected([0.01, 0.04, 0.03])
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
        result[defined] = CORRECTIONS[correction](values[defined])
    return [float(value) for value in result]


def is_significant(p: float | None) -> bool:
    """Whether a p-value is below the usual bound; an undefined one is not."""
    return p is not None and p < SIGNIFICANT
