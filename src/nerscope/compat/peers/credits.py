"""What each tool counts as right in a sentence, and how it makes numbers of it."""

from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeAlias

from nerscope.compat.peers.seen import Seen

Mentions: TypeAlias = Sequence[Seen]
Credit: TypeAlias = Callable[[Mentions, Mentions], float]
_HALF = 0.5


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


def same(gold: Mentions, predicted: Mentions) -> float:
    """One for each mention that both sides have, with its type."""
    return len(set(gold) & set(predicted))


def same_span(gold: Mentions, predicted: Mentions) -> float:
    """One for each span that both sides have, whatever its type."""
    return len({one[1:] for one in gold} & {one[1:] for one in predicted})


def half_for_overlap(gold: Mentions, predicted: Mentions) -> float:
    """One for the same span, a half for a common token, whatever the types."""
    return _in_turn(gold, predicted, _partial)


def same_type_overlap(gold: Mentions, predicted: Mentions) -> float:
    """One for a common token and the same type, whatever the spans."""
    return _in_turn(gold, predicted, _by_type)


def _partial(gold: Seen, predicted: Seen) -> tuple[float, int]:
    exact = gold[1:] == predicted[1:]
    return (1.0, 0) if exact else (_HALF, 1)


def _by_type(gold: Seen, predicted: Seen) -> tuple[float, int]:
    if gold.type != predicted.type:
        return 0.0, 1 << 60
    return 1.0, abs(gold.start - predicted.start) + abs(gold.end - predicted.end)


def _in_turn(
    gold: Mentions, predicted: Mentions, judge: Callable[[Seen, Seen], tuple[float, int]]
) -> float:
    """Each predicted mention in turn takes the free gold one that is nearest to it, the first of
    equals, and what that is worth.
    """
    free, total = list(gold), 0.0
    for own in predicted:
        near = [(judge(one, own)[1], place) for place, one in enumerate(free) if _enough(one, own)]
        if near:
            total += judge(free.pop(min(near)[1]), own)[0]
    return total


def _enough(gold: Seen, predicted: Seen) -> bool:
    """Whether the common tokens are at least one in a hundred of the gold ones."""
    common = min(gold.end, predicted.end) - max(gold.start, predicted.start)
    return common / (gold.end - gold.start) * 100.0 >= 1.0


def overlap(one: Seen, other: Seen) -> bool:
    """Whether two mentions have a token in common."""
    return one.start < other.end and other.start < one.end
