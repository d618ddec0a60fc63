"""Precision, recall and F scores: what conlleval and seqeval report, and their means over types."""

from functools import partial

import numpy as np

from nerscope.corpus.arrays import Floats
from nerscope.errors import UsageError
from nerscope.registry import name_with_options
from nerscope.scoring.metrics import (
    ACCURACY,
    F1,
    MACRO,
    MEAN,
    METRICS,
    PRECISION,
    RECALL,
    WEIGHTED,
    Counts,
    Metric,
    add_built_in,
    predicted_units,
    ratio,
)

_WEIGHTS = {MACRO: "each with the same weight", WEIGHTED: "weighted by their gold mentions"}


def precision(counts: Counts) -> Floats:
    return ratio(counts.hit_pred, counts.pred)


def recall(counts: Counts) -> Floats:
    return ratio(counts.hit_gold, counts.gold)


def f_score(counts: Counts, beta: float = 1.0) -> Floats:
    """The F score; 0 if nothing is found, undefined only without gold mentions and predictions.

    >>> f_score(Counts(np.array([[4.0, 2.0, 2.0, 2.0], [3.0, 0, 0, 0], [0, 0, 0, 0]]))).round(3)
    array([0.667, 0.   ,   nan])
    """
    p, r = (
        _ratio_or_zero(counts.hit_pred, counts.pred),
        _ratio_or_zero(counts.hit_gold, counts.gold),
    )
    weight = beta * beta
    score = _ratio_or_zero((1 + weight) * p * r, weight * p + r)
    score[counts.gold + counts.pred == 0] = np.nan
    return score


def _ratio_or_zero(numerator: Floats, denominator: Floats) -> Floats:
    quotient: Floats = np.zeros_like(numerator)
    np.divide(numerator, denominator, out=quotient, where=denominator > 0)
    return quotient


def f_with_beta(beta: float = 1.0) -> Metric:
    if isinstance(beta, bool) or not 0 < beta < np.inf:
        raise UsageError("metric 'f'", f"invalid value beta={beta:g}", "give a number above 0")
    return Metric(
        name_with_options("f", beta=beta),
        partial(f_score, beta=beta),
        phrase=f"F score with beta {beta:g}",
        definition="The F score with a chosen weight: f(beta=2) weights recall higher.",
    )


SCORES = (
    Metric(
        PRECISION,
        precision,
        predicted_units,
        definition="Correct mentions divided by predicted mentions.",
    ),
    Metric(RECALL, recall, definition="Correct mentions divided by gold mentions.", priority=2),
    Metric(
        F1,
        f_score,
        title="F1",
        phrase="F1",
        definition="The harmonic mean of precision and recall; without partial credit, twice the "
        "correct mentions divided by gold and predicted mentions.",
        priority=3,
    ),
)
for _rank, _metric in enumerate(SCORES):
    add_built_in(_metric, rank=10 + _rank)
add_built_in(
    Metric(
        "f0.5",
        partial(f_score, beta=0.5),
        phrase="F0.5",
        definition="The F score in which precision counts twice as much as recall.",
    ),
    rank=30,
)
add_built_in(
    Metric(
        "f2",
        partial(f_score, beta=2.0),
        phrase="F2",
        definition="The F score in which recall counts twice as much as precision.",
    ),
    rank=31,
)
add_built_in(
    Metric(ACCURACY, recall, definition="Share of tokens whose label is exactly the gold label."),
    rank=32,
)
METRICS.add("f", f_with_beta, built_in=True, rank=60)


def _average(score: Metric, average: str) -> Metric:
    noun = "F1" if score.name == F1 else score.name
    return Metric(
        f"{average}_{score.name}",
        score.formula,
        score.n,
        average,
        kind=MEAN,
        title=f"{average} {noun}",
        phrase=f"{average} {noun}",
        definition=f"Mean of the {noun} of all types, {_WEIGHTS[average]}.",
    )


for _rank, (_kind, _score) in enumerate((kind, score) for kind in _WEIGHTS for score in SCORES):
    add_built_in(_average(_score, _kind), rank=20 + _rank)
