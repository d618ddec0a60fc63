"""What each tool counts as right, and how it makes numbers of it."""

from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeAlias

import numpy as np

from nerscope.compat.nervaluate_entities import Documents, Entity
from nerscope.compat.nervaluate_matching import STRATEGIES, judged, pairs_of, side_of
from nerscope.compat.peers.seen import Seen

Sentences: TypeAlias = Sequence[Sequence[Seen]]
Credit: TypeAlias = Callable[[Sentences, Sentences], float]
_LEAST = 1.0  # per cent of a gold mention that nervaluate wants to be covered
_WORTH = (1.0, 0.0, 0.5, 0.0, 0.0)  # of its outcomes: correct, incorrect, partial, missed, spurious


class Score(NamedTuple):
    """The numbers of a tool, and the mentions that they rest on; None: it gives no number."""

    precision: float | None
    recall: float | None
    f1: float | None
    gold: int | None
    predicted: int | None
    right: float | None


NO_SCORE = Score(None, None, None, None, None, None)


def score_of(right: float, gold: int, predicted: int, *, none_of_none: bool = False) -> Score:
    """The ratios as the tools have them: 0 where there is nothing to divide by.

    `none_of_none` is for a tool that gives no number where there is no mention at all.

    >>> score_of(1, 2, 1)
    Score(precision=1.0, recall=0.5, f1=0.6666666666666666, gold=2, predicted=1, right=1)
    >>> score_of(0, 0, 0, none_of_none=True).f1 is None
    True
    """
    if none_of_none and not gold and not predicted:
        return Score(None, None, None, gold, predicted, right)
    precision = right / predicted if predicted else 0.0
    recall = right / gold if gold else 0.0
    both = precision + recall
    f1 = 2 * precision * recall / both if both else 0.0
    return Score(precision, recall, f1, gold, predicted, right)


def same(gold: Sentences, predicted: Sentences) -> float:
    """One for each mention that both sides have, with its type.

    >>> same([(Seen("X", 0, 1),), ()], [(Seen("X", 0, 1), Seen("Y", 2, 3)), ()])
    1
    """
    return sum(len(set(one) & set(other)) for one, other in zip(gold, predicted, strict=True))


def by_nervaluate(mode: str) -> Credit:
    """What a mode of nervaluate counts as right; what is right in part counts a half.

    >>> by_nervaluate("partial")([(Seen("X", 0, 2),)], [(Seen("X", 0, 1),)])
    0.5
    """

    def credit(gold: Sentences, predicted: Sentences) -> float:
        types = {one.type: None for side in (gold, predicted) for part in side for one in part}
        right, found = (side_of(_entities(side), [*types]) for side in (gold, predicted))
        if not len(right.start) or not len(found.start):
            return 0.0
        pairs = pairs_of(right, found, _LEAST)
        outcome = judged(pairs, STRATEGIES[mode], len(right.start), len(found.start))
        return float(np.array(_WORTH)[outcome.pred].sum())

    return credit


def _entities(sentences: Sentences) -> Documents:
    return [[Entity(kind, start, end - 1) for kind, start, end in part] for part in sentences]


def overlap(one: Seen, other: Seen) -> bool:
    """Whether two mentions have a token in common."""
    return one.start < other.end and other.start < one.end
