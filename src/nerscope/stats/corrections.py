"""Corrections for many p-values at once."""

from collections.abc import Callable, Sequence
from functools import cache
from math import comb
from typing import NamedTuple

import numpy as np

from nerscope.corpus.arrays import Floats, Ints
from nerscope.errors import UsageError, suggest

SIGNIFICANT = 0.05


def _bonferroni(p: Floats) -> Floats:
    return np.minimum(1.0, p * len(p))


def _holm(p: Floats) -> Floats:
    # Holm (1979): the smallest of m is multiplied by m, the next by m - 1, and so on; corrected
    # values keep the order. (0.01, 0.04, 0.03) -> 3 * 0.01, max(2 * 0.03, 1 * 0.04).
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

    `scales_smallest` is True if it multiplies the smallest p by the number of p-values, which keeps
    the probability of any false positive at 5 %. Then n tests need n times the resamples before a
    corrected p can be significant.
    """

    function: Callable[[Floats], Floats]
    scales_smallest: bool = False


# Step-down minP if the null was drawn, Shaffer's correction for all pairs, and else Holm's: see
# `results/families.py`. For p-values alone, it is Holm's.
STEP_DOWN, MIN_P, SHAFFER, HOLM = "step-down", "min-p", "shaffer", "holm"
DEFAULT_CORRECTION = STEP_DOWN
CORRECTIONS: dict[str, Correction] = {
    STEP_DOWN: Correction(_holm, scales_smallest=True),
    HOLM: Correction(_holm, scales_smallest=True),
    "bonferroni": Correction(_bonferroni, scales_smallest=True),
    "bh": Correction(_benjamini_hochberg),
    "by": Correction(_benjamini_yekutieli),
    "none": Correction(np.copy),
}


def plain_correction(correction: str) -> str:
    """The correction for p-values alone: Holm's for step-down."""
    return HOLM if correction == STEP_DOWN else correction


def check_correction(correction: str) -> None:
    """Raise a UsageError for an unknown correction.

    >>> check_correction("hom")
    Traceback (most recent call last):
    nerscope.errors.UsageError: correction: unknown correction 'hom'. Fix: did you mean ...
    """
    if correction not in CORRECTIONS:
        raise UsageError(
            "correction", f"unknown correction '{correction}'", suggest(correction, CORRECTIONS)
        )


def single_level(tests: int, correction: str) -> float:
    """The level of each of several tests at which all together keep 5 % (Šidák 1967).

    >>> round(single_level(3, "holm"), 4), single_level(3, "bh")
    (0.017, 0.05)
    """
    if tests < 2 or not CORRECTIONS[correction].scales_smallest:
        return SIGNIFICANT
    return float(1 - (1 - SIGNIFICANT) ** (1 / tests))


def correct_p_values(p: Sequence[float], correction: str = DEFAULT_CORRECTION) -> list[float]:
    """P-values corrected for their number; undefined ones do not count and stay undefined.

    >>> correct_p_values([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    check_correction(correction)
    values = np.asarray(p, np.float64)
    defined = ~np.isnan(values)
    result = np.full(len(values), np.nan)
    if defined.any():
        result[defined] = CORRECTIONS[correction].function(values[defined])
    return [float(value) for value in result]


def step_down_min_p(p: Floats, null: Sequence[Ints], samples: int) -> Floats:
    """P-values corrected by the joint distribution of all p-values under the null hypothesis.

    `null` has an array for each p-value: for each sample, the number of samples (and the observed
    value) that are as extreme. So `null[j] / (samples + 1)` is the p-value of the sample. The
    smallest p is compared with the smallest p in each sample, the next one with the smallest of the
    remaining ones (Westfall and Young 1993). Correlated p-values are corrected less than by Holm's
    correction.

    >>> draws = np.array([5, 4, 3, 2, 1])
    >>> step_down_min_p(np.array([1 / 6, 0.5]), [draws, draws], 5).round(3).tolist()
    [0.333, 0.667]
    """
    order = np.argsort(p, kind="stable")
    corrected = np.empty(len(p))
    smallest = np.full(samples, samples + 1)
    for at in order[::-1]:
        np.minimum(smallest, null[at], out=smallest)
        # p itself may come from enumerating all swaps; the tolerance is for ties.
        as_small = np.count_nonzero(smallest <= p[at] * (samples + 1) + 1e-6)
        corrected[at] = (1 + as_small) / (samples + 1)
    corrected[order] = np.maximum.accumulate(corrected[order])
    return np.maximum(corrected, p)


def shaffer(p: Floats, systems: Sequence[int]) -> Floats:
    """P-values of all pairs of systems, on one or several datasets, corrected together.

    Hypotheses about pairs are related: if A differs from B, then C differs from A or from B. So
    fewer of them can be true at once than Holm's correction assumes (Shaffer 1986). `systems` is
    the number of systems on each dataset; pairs that were not tested may be missing.

    >>> shaffer(np.array([0.01, 0.02, 0.03]), [3]).round(3).tolist()
    [0.03, 0.03, 0.03]
    """
    possible = np.array(sorted(_true_at_once(tuple(systems))))
    every, tested = sum(comb(k, 2) for k in systems), len(p)
    order = np.argsort(p, kind="stable")
    # With i hypotheses rejected, at most this many of the others can be true.
    steps = [
        min(tested - i, int(possible[np.searchsorted(possible, every - i, "right") - 1]))
        for i in range(tested)
    ]
    corrected = np.empty_like(p)
    corrected[order] = np.minimum(1.0, np.maximum.accumulate(p[order] * np.array(steps)))
    return corrected


@cache
def _true_at_once(systems: tuple[int, ...]) -> frozenset[int]:
    """The possible numbers of true hypotheses, if systems fall into groups of equals."""
    if len(systems) != 1:
        sums = frozenset({0})
        for k in systems:
            sums = frozenset(a + b for a in sums for b in _true_at_once((k,)))
        return sums
    (k,) = systems
    if k < 2:
        return frozenset({0})
    return frozenset(
        comb(group, 2) + rest for group in range(1, k + 1) for rest in _true_at_once((k - group,))
    )


def is_significant(p: float | None) -> bool:
    """Whether a p-value is below 0.05; an undefined one is not."""
    return p is not None and p < SIGNIFICANT
