"""Numbers made of counts. A metric sees nothing but counts, so it works for every facet, match and
resample.

Counts are arrays whose last axis is gold, hit_gold, pred, hit_pred. Four columns, not tp/fp/fn:
under partial matching, and for facets of the surface, the two sides of a match may fall in
different levels.
"""

from collections.abc import Callable, Mapping
from functools import partial
from typing import NamedTuple

import numpy as np

from nerscope.corpus.arrays import Floats
from nerscope.registry import Registry

GOLD, HIT_GOLD, PRED, HIT_PRED = range(4)
Formula = Callable[[Floats], Floats]


class Metric(NamedTuple):
    """A number from counts (…, types, 4).

    `average` is "micro" (add the types up, then compute), "macro" or "weighted" (compute for each
    type, then average);
    `column` is the denominator, which rows show as `n`.
    """

    formula: Formula
    column: int = GOLD
    average: str = "micro"

    def value(self, counts: Floats, zero_division: float | None = None) -> Floats:
        """The number; NaN where it is undefined, unless zero_division says what to put there."""
        if self.average == "micro":
            return filled(self.formula(counts.sum(axis=-2)), zero_division)
        values = filled(self.formula(counts), zero_division)
        weights = counts[..., GOLD] if self.average == "weighted" else np.ones(values.shape)
        weights = np.where(
            np.isnan(values), 0.0, weights
        )  # what is undefined has no share in an average
        return ratio((np.nan_to_num(values) * weights).sum(axis=-1), weights.sum(axis=-1))


def filled(values: Floats, zero_division: float | None) -> Floats:
    """The values, with what is undefined replaced if a user wants that."""
    return values if zero_division is None else np.where(np.isnan(values), zero_division, values)


METRICS: Registry[Metric] = Registry("metric")


def ratio(numerator: Floats, denominator: Floats) -> Floats:
    """Divide; nothing divided by nothing is undefined (NaN).

    >>> ratio(np.array([1.0, 0.0]), np.array([2.0, 0.0])).tolist()
    [0.5, nan]
    """
    quotient: Floats = np.full_like(
        numerator, np.nan
    )  # in the memory order of the counts, so that resamples stay together
    np.divide(numerator, denominator, out=quotient, where=denominator > 0)
    return quotient


def precision(counts: Floats) -> Floats:
    """Credit over predictions."""
    return ratio(counts[..., HIT_PRED], counts[..., PRED])


def recall(counts: Floats) -> Floats:
    """Credit over gold units."""
    return ratio(counts[..., HIT_GOLD], counts[..., GOLD])


def f_score(counts: Floats, beta: float = 1.0) -> Floats:
    """The F score. It is undefined only where there is neither gold nor prediction: finding nothing
    at all scores 0.

    >>> f_score(np.array([[4.0, 2.0, 2.0, 2.0], [3.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0]])).round(3).tolist()
    [0.667, 0.0, nan]
    """
    p, r = np.nan_to_num(precision(counts)), np.nan_to_num(recall(counts))
    weight = beta * beta
    score = np.nan_to_num(ratio((1 + weight) * p * r, weight * p + r))
    return np.where(counts[..., GOLD] + counts[..., PRED] > 0, score, np.nan)


def errors(counts: Floats) -> Floats:
    """Gold units that got no credit."""
    return counts[..., GOLD] - counts[..., HIT_GOLD]


def error_rate(counts: Floats) -> Floats:
    """Errors over gold units."""
    return ratio(errors(counts), counts[..., GOLD])


for _name, _formula, _column in [
    ("precision", precision, PRED),
    ("recall", recall, GOLD),
    ("f1", f_score, GOLD),
]:
    METRICS.add(_name, Metric(_formula, _column))
    METRICS.add(f"macro_{_name}", Metric(_formula, _column, "macro"))
    METRICS.add(f"weighted_{_name}", Metric(_formula, _column, "weighted"))
METRICS.add("f0.5", Metric(partial(f_score, beta=0.5)))
METRICS.add("f2", Metric(partial(f_score, beta=2.0)))
METRICS.add("accuracy", Metric(recall))
METRICS.add("ter", Metric(error_rate))

LOWER_IS_BETTER = {"ter", "hardeval"}
NEITHER_IS_BETTER = {"error_share"}
LevelCounts = Mapping[str, Floats]
LevelNumbers = dict[str, tuple[Floats, Floats]]


def error_share(levels: LevelCounts) -> LevelNumbers:
    """Of all errors, the share that falls on each level."""
    total = errors(levels["all"])
    return {level: (ratio(errors(counts), total), total) for level, counts in levels.items()}


def hardeval(levels: LevelCounts) -> LevelNumbers:
    """The mean of the error rates on unseen and on diff tokens, as the level `score`."""
    unseen, diff = levels["unseen"], levels["diff"]
    return {
        "score": ((error_rate(unseen) + error_rate(diff)) / 2, unseen[..., GOLD] + diff[..., GOLD])
    }


# Metrics that need all levels of a facet at once: value and denominator of each level.
LEVEL_METRICS: dict[str, Callable[[LevelCounts], LevelNumbers]] = {
    "error_share": error_share,
    "hardeval": hardeval,
}
