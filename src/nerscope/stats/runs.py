"""The variance over training runs, moderated by the other systems of the same results.

Two runs of a system give a poor estimate of the variance of its runs. Systems of the same study
tend to have similar variances, so their variances are borrowed as a prior with a small weight
(moderated variance, Smyth 2004). Two runs per side, with 2 degrees of freedom, may get 8 more.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from nerscope.corpus.arrays import Floats

FEWEST_SYSTEMS = 4  # with several runs each; fewer do not show how similar variances are
# Chosen by measurement (studies/few_runs.py). The false-positive rate at 0.05 is 1 to 6 % for
# neural models with two runs each, and up to 8 % for systems of very unequal variance, such as a
# dictionary and CRFs.
_MOST_PRIOR_DEGREES = 8.0
_PRIOR_BY_KNOWN = 2.0  # per degree of freedom of the similarity of the lenders


class RunVariance(NamedTuple):
    """The variance of a single run, its degrees of freedom, and the number of borrowed degrees."""

    variance: Floats
    degrees: Floats
    borrowed: Floats


def defined_runs(runs: Floats) -> Floats:
    """The number of runs (rows) in which each number is defined, at least 1."""
    return np.asarray(np.maximum(1.0, (~np.isnan(runs)).sum(axis=0)))


def run_variance(runs: Floats) -> Floats:
    """The variance of single runs (rows) around their mean; 0 for one run."""
    deviations = np.nan_to_num(runs - mean_of_defined(runs))
    return np.asarray(
        (deviations * deviations).sum(axis=0) / np.maximum(1.0, defined_runs(runs) - 1)
    )


def mean_of_defined(values: Floats) -> Floats:
    """The means over the defined rows; NaN if no row is defined."""
    known = (~np.isnan(values)).sum(axis=0)
    total = np.nan_to_num(values).sum(axis=0)
    mean: Floats = np.divide(total, known, out=np.full(total.shape, np.nan), where=known > 0)
    return mean


def run_spread(runs: Floats) -> RunVariance:
    """The variance of the runs of one system alone."""
    degrees = defined_runs(runs) - 1
    return RunVariance(run_variance(runs), degrees, np.zeros(len(degrees)))


def pooled_run_variance(
    sides: Sequence[RunVariance], others: Sequence[RunVariance] = ()
) -> RunVariance:
    """The variance of a single run, pooled over systems with several runs each.

    `others` are systems to borrow from. Nothing is borrowed if fewer than four systems have several
    runs, or if the runs of the others do not vary.

    >>> a, b = (run_spread(np.array(runs)) for runs in ([[0.80], [0.82]], [[0.70], [0.71]]))
    >>> [round(float(part[0]), 5) for part in pooled_run_variance([a, b])]
    [0.00012, 2.0, 0.0]
    >>> others = [run_spread(np.array(runs)) for runs in ([[0.6], [0.61]], [[0.5], [0.53]])]
    >>> [round(float(part[0]), 5) for part in pooled_run_variance([a, b], others)]
    [0.00019, 4.0, 2.0]
    """
    degrees = np.asarray(sum(side.degrees for side in sides), np.float64)
    squares = sum(side.degrees * side.variance for side in sides)
    variance = np.asarray(squares / np.maximum(1.0, degrees))
    if len(others) + len(sides) < FEWEST_SYSTEMS or len(others) < 2:
        return RunVariance(variance, degrees, np.zeros(len(degrees)))
    prior, borrowed = _prior(others)
    whole = degrees + borrowed
    mixed = (degrees * variance + borrowed * prior) / np.maximum(1e-9, whole)
    return RunVariance(np.where(borrowed > 0, mixed, variance), whole, borrowed)


def _prior(lenders: Sequence[RunVariance]) -> tuple[Floats, Floats]:
    """The mean variance of the lenders' runs, and its degrees of freedom as a prior."""
    variances = np.stack([runs.variance for runs in lenders])
    degrees = np.stack([runs.degrees for runs in lenders])
    degrees = np.where(variances > 0, degrees, 0.0)  # copies of one run lend nothing
    lent, n_lenders = degrees.sum(axis=0), (degrees > 0).sum(axis=0)
    mean = (degrees * variances).sum(axis=0) / np.maximum(1.0, lent)
    # Estimates of one variance with d degrees have a squared coefficient of variation of 2 / d. The
    # excess, c, comes from differences of the true variances; a prior from such a population is
    # worth 2 / c degrees.
    by_chance = 2 * np.maximum(1, n_lenders) / np.maximum(1.0, lent)
    around = np.where(degrees > 0, variances - mean, 0.0)
    spread = (around * around).sum(axis=0) / np.maximum(1, n_lenders - 1)
    relative = spread / np.maximum(1e-300, mean * mean)
    beyond = np.maximum(0.0, relative - by_chance) / (1 + by_chance)
    worth = np.divide(2.0, beyond, out=np.full(len(mean), np.inf), where=beyond > 0)
    # n lenders have n - 1 degrees for their similarity: two with two runs each count as 2.
    known = lent * (n_lenders - 1) / np.maximum(1, n_lenders)
    worth = np.minimum(worth, np.minimum(_MOST_PRIOR_DEGREES, _PRIOR_BY_KNOWN * known))
    return mean, np.where(n_lenders >= 2, worth, 0.0)
