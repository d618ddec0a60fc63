"""Counts: additive columns whose ratios are the metrics.

There are four columns instead of tp, fp and fn, because the two sides of a pair may fall in
different levels: under partial matching, a gold mention of two tokens may go with a prediction of
three. Metrics about pairs ask for four more.
"""

from typing import NamedTuple

import numpy as np

from nerscope.corpus.arrays import Floats

# What a pair can be; a ledger keeps it for each unit under each match.
UNPAIRED, INCORRECT, PARTIAL, CORRECT = range(4)


class Counts(NamedTuple):
    """An array whose last axis holds the columns; the other axes are levels, types, resamples …

    >>> counts = Counts(np.array([[4.0, 2.0, 3.0, 2.0]]))
    >>> counts.gold.tolist(), counts.hit_pred.tolist()
    ([4.0], [2.0])
    """

    array: Floats

    @property
    def gold(self) -> Floats:
        """How many gold units there are."""
        return self.array[..., 0]

    @property
    def hit_gold(self) -> Floats:
        """The credit of gold units; 2.5 for two exact pairs and a partial pair of credit 0.5."""
        return self.array[..., 1]

    @property
    def pred(self) -> Floats:
        """How many predicted units there are."""
        return self.array[..., 2]

    @property
    def hit_pred(self) -> Floats:
        """The credit of predicted units."""
        return self.array[..., 3]

    @property
    def correct(self) -> Floats:
        """Gold units whose pair is wholly right."""
        return self.array[..., 4]

    @property
    def partial(self) -> Floats:
        """Gold units whose pair is right in part."""
        return self.array[..., 5]

    @property
    def incorrect(self) -> Floats:
        """Gold units whose pair is wrong."""
        return self.array[..., 6]

    @property
    def paired(self) -> Floats:
        """Predicted units that have a pair."""
        return self.array[..., 7]


def ratio(numerator: Floats, denominator: Floats) -> Floats:
    """Divide; nothing divided by nothing is undefined (NaN).

    >>> ratio(np.array([1.0, 0.0]), np.array([2.0, 0.0])).tolist()
    [0.5, nan]
    """
    # full_like keeps the memory order of the counts, which keeps resamples next to each other.
    quotient: Floats = np.full_like(numerator, np.nan)
    np.divide(numerator, denominator, out=quotient, where=denominator > 0)
    return quotient


def filled(values: Floats, zero_division: float | None) -> Floats:
    """The values, with the undefined ones replaced by the user's `zero_division`."""
    return values if zero_division is None else np.where(np.isnan(values), zero_division, values)
