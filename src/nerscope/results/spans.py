"""All spans of a dataset, gold or predicted by some run, each once."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from nerscope.corpus.arrays import Bools, Ints
from nerscope.corpus.mentions import PLAIN
from nerscope.results.error_sums import PairedMentions
from nerscope.results.errors import MentionSide
from nerscope.scoring.outcomes import CORRECT

ABSENT = -1  # neither gold nor predicted by this run


@dataclass(frozen=True, slots=True, eq=False)
class Spans:
    """Spans in order of their sentences, in parallel columns.

    `outcome` has a row for each run: the index in OUTCOMES of the outcome of each span, as a gold
    mention if it is one, else as a prediction; ABSENT if the run does not predict it. `mates` has,
    for each run, the pairs (gold span, predicted span) of unequal counterparts. `text` has, by
    index, the texts that are not those of the tokens: of hallucinated mentions, for example.
    """

    sentence: Ints
    start: Ints
    length: Ints
    type: Ints
    is_gold: Bools
    codes: Mapping[str, Ints]  # by facet
    outcome: Ints
    mates: tuple[Ints, ...]
    text: Mapping[int, str]

    @property
    def is_wrong(self) -> Bools:
        """For each run, which spans are errors."""
        wrong: Bools = (self.outcome != ABSENT) & (self.outcome != CORRECT)
        return wrong

    def within(self, place: Ints) -> "Spans":
        """The spans of the sentences that have a place; -1: none. Places replace sentences."""
        inside = place[self.sentence] >= 0
        numbers = np.cumsum(inside) - 1
        return Spans(
            place[self.sentence[inside]],
            self.start[inside],
            self.length[inside],
            self.type[inside],
            self.is_gold[inside],
            {facet: codes[inside] for facet, codes in self.codes.items()},
            self.outcome[:, inside],
            tuple(numbers[pairs[inside[pairs[:, 0]]]] for pairs in self.mates),
            {int(numbers[at]): text for at, text in self.text.items() if inside[at]},
        )


def outcome_characters(codes: Ints | Bools) -> list[str]:
    """For each run, one character per span or token: its code, or a dot if it is ABSENT.

    >>> outcome_characters(np.array([[0, -1, 4]]))
    ['0.4']
    """
    digits = np.where(codes == ABSENT, ord("."), codes.astype(np.int8) + ord("0"))
    return [row.tobytes().decode() for row in digits.astype(np.uint8)]


def spans_of(paired: PairedMentions) -> Spans:
    """All spans of a dataset."""
    gold = paired.gold
    sides = [gold, *(run.pred for run in paired.runs)]
    keys = _keys(sides)
    distinct, first = np.unique(np.concatenate(keys), return_index=True)
    at_gold, *at_pred = places = [np.searchsorted(distinct, side_keys) for side_keys in keys]
    is_gold = np.zeros(len(distinct), bool)
    is_gold[at_gold] = True
    outcome: Ints = np.full((len(paired.runs), len(distinct)), ABSENT, np.int8)
    mates = []
    for row, run, at in zip(outcome, paired.runs, at_pred, strict=True):
        row[at] = run.by_pred
        row[at_gold] = run.by_gold  # equal on both sides
        both = np.stack([at_gold[run.pairs.gold], at[run.pairs.pred]], axis=-1)
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
        _texts(sides, places),
    )


def _keys(sides: Sequence[MentionSide]) -> list[Ints]:
    """A sort key for each mention: equal for equal mentions, and in order of their places."""
    keys, shapes = [_key(side) for side in sides], _shape_codes(sides)
    n_shapes = 1 + max(int(codes.max(initial=0)) for codes in shapes)
    if n_shapes == 1:
        return keys
    distinct = np.unique(np.concatenate(keys))  # small numbers, which leave room for the shapes
    return [
        np.searchsorted(distinct, side_keys) * n_shapes + codes
        for side_keys, codes in zip(keys, shapes, strict=True)
    ]


def _key(side: MentionSide) -> Ints:
    mentions = side.mentions
    length = mentions.end - mentions.start
    kinds = np.int64(len(side.evidence.types) + 1)
    return (mentions.start * np.int64(side.width) + length) * kinds + mentions.type


def _shape_codes(sides: Sequence[MentionSide]) -> list[Ints]:
    """A code for the shape of each mention; equal codes mean equal outlines."""
    codes: dict[object, int] = {PLAIN.outline(): 0}
    return [
        np.array([codes.setdefault(outline, len(codes)) for outline in _outlines(side)], np.int64)
        if side.units.shape is not None
        else np.zeros(len(side.units), np.int64)
        for side in sides
    ]


def _outlines(side: MentionSide) -> Iterator[object]:
    """The outline of each mention.

    For scores, a mention without a place in gold equals no other. Here, several runs may have the
    same one: the same text for the same sentence, as often as a run has it.
    """
    assert side.units.shape is not None
    times = Counter[object]()
    columns = (side.mentions.start, side.mentions.type, side.units.shape)
    for start, kind, shape in zip(*(column.tolist() for column in columns), strict=True):
        if shape.adrift and shape.predicted_text:
            key = (start, kind, shape)
            times[key] += 1
            yield (*key, times[key])
        else:
            yield shape.outline()


def _texts(sides: Sequence[MentionSide], places: Sequence[Ints]) -> dict[int, str]:
    """The texts of spans that are not runs of whole tokens, if they are known."""
    texts = {}
    for side, at in zip(sides, places, strict=True):
        shapes = [] if side.units.shape is None else side.units.shape.tolist()
        for index, shape in enumerate(shapes):
            text = side.text(index) if shape != PLAIN else None
            if text is not None:
                texts[int(at[index])] = text
    return texts


def _joined(columns: list[Ints]) -> Ints:
    return np.concatenate([column.astype(np.int64) for column in columns])
