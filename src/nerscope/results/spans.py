"""Every span that gold or some run has, once, with what became of it in each run."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from nerscope.corpus.arrays import Bools, Ints
from nerscope.corpus.mentions import shape_codes
from nerscope.results.errors import OUTCOMES, Side, gold_side, outcomes, run_side
from nerscope.scoring.evidence import Evidence
from nerscope.scoring.matching import match_named

ABSENT = -1  # neither gold nor predicted by this run
CORRECT = OUTCOMES.index("correct")
_CODE = {name: code for code, name in enumerate(OUTCOMES)}


@dataclass(frozen=True, slots=True, eq=False)
class Spans:
    """Spans in order of their sentences, in parallel columns.

    `outcome` has a row for each run: the place in OUTCOMES of what became of the span, as a gold
    mention if it is one, else as a prediction; ABSENT if the run does not predict it. `mates` has,
    for each run, the pairs (gold span, predicted span) that belong together without being equal.
    """

    sentence: Ints
    start: Ints
    length: Ints
    type: Ints
    is_gold: Bools
    codes: Mapping[str, Ints]  # by facet
    outcome: Ints
    mates: tuple[Ints, ...]


def spans_of(evidence: Evidence) -> Spans:
    """All spans of a dataset."""
    gold = gold_side(evidence)
    preds = [run_side(evidence, run) for run in range(len(evidence.runs))]
    sides = [gold, *preds]
    keys = _keys(sides)
    distinct, first = np.unique(np.concatenate(keys), return_index=True)
    at_gold, *at_pred = (np.searchsorted(distinct, own) for own in keys)
    is_gold = np.zeros(len(distinct), bool)
    is_gold[at_gold] = True
    outcome: Ints = np.full((len(preds), len(distinct)), ABSENT, np.int8)
    mates = []
    for row, pred, at in zip(outcome, preds, at_pred, strict=True):
        pairs = match_named("muc-strict")(gold.mentions, pred.mentions)
        by_gold, by_pred = outcomes(gold.mentions, pred.mentions, pairs)
        row[at] = [_CODE[name] for name in by_pred]
        row[at_gold] = [_CODE[name] for name in by_gold]  # where both are, they agree
        both = np.stack([at_gold[pairs.gold], at[pairs.pred]], axis=-1)
        mates.append(both[both[:, 0] != both[:, 1]])
    start = _joined([side.mentions.start for side in sides])[first]
    return Spans(
        start // gold.width,
        start % gold.width,
        _joined([side.mentions.end - side.mentions.start for side in sides])[first],
        _joined([side.mentions.type for side in sides])[first],
        is_gold,
        {
            facet: _joined([side.units.codes[facet] for side in sides])[first]
            for facet in gold.units.codes
        },
        outcome,
        tuple(mates),
    )


def _keys(sides: Sequence[Side]) -> list[Ints]:
    """One number for each mention, equal only for equal ones, that sorts them by place."""
    shapes = shape_codes([side.mentions for side in sides])
    n_shapes = 1 + max(int(own.max(initial=0)) for own in shapes)
    return [_key(side) * n_shapes + shape for side, shape in zip(sides, shapes, strict=True)]


def _key(side: Side) -> Ints:
    mentions = side.mentions
    length = mentions.end - mentions.start
    kinds = np.int64(len(side.evidence.types) + 1)
    return (mentions.start * np.int64(side.width) + length) * kinds + mentions.type


def _joined(columns: list[Ints]) -> Ints:
    return np.concatenate([column.astype(np.int64) for column in columns])
