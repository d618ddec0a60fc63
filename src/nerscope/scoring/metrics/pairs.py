"""Counts of pairs by outcome: correct, partial, incorrect, missed, spurious."""

from nerscope.corpus.arrays import Floats
from nerscope.scoring.metrics import (
    COUNT,
    NEITHER,
    Counts,
    Formula,
    Metric,
    add_built_in,
    gold_units,
    predicted_units,
    ratio,
)


def _with_credit(counts: Counts) -> Floats:
    return counts.correct + counts.partial


def _add_count(name: str, formula: Formula, n: Formula, definition: str, rank: int) -> None:
    add_built_in(
        Metric(
            name,
            formula,
            n,
            better=NEITHER,
            kind=COUNT,
            needs_pairs=True,
            phrase=f"{name} mentions",
            definition=definition,
        ),
        rank,
    )


_add_count(
    "correct",
    lambda counts: counts.correct,
    gold_units,
    "Gold mentions whose pair is completely correct under a match.",
    rank=50,
)
_add_count(
    "partial",
    lambda counts: counts.partial,
    gold_units,
    "Gold mentions whose pair is partially correct.",
    rank=51,
)
_add_count(
    "incorrect",
    lambda counts: counts.incorrect,
    gold_units,
    "Gold mentions whose pair is incorrect, under the MUC schemas.",
    rank=52,
)
_add_count(
    "missed",
    lambda counts: counts.gold - _with_credit(counts) - counts.incorrect,
    gold_units,
    "Gold mentions without a pair.",
    rank=53,
)
_add_count(
    "spurious",
    lambda counts: counts.pred - counts.paired,
    predicted_units,
    "Predicted mentions without a pair.",
    rank=54,
)
add_built_in(
    Metric(
        "partial_share",
        lambda counts: ratio(counts.partial, _with_credit(counts)),
        _with_credit,
        better=NEITHER,
        needs_pairs=True,
        phrase="share of partial pairs",
        definition="Partial pairs divided by correct and partial pairs (% partial).",
    ),
    rank=55,
)
