"""Pair predicted mentions with gold mentions.

Mentions of equal span and type are paired first. Of the rest, each gold mention and each prediction
is in at most one pair. The pairing with the largest total credit is chosen; among equals the one
with the most pairs, then the most pairs of one type, then the largest common length. If pairings
are still equal, each is written as the sorted list of (gold type, predicted type, gold surface,
predicted surface), and the smallest list is chosen. So no number depends on the order of mentions
or on reading direction.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from nerscope.corpus.arrays import Bools, Floats, Ints, expand_ranges
from nerscope.corpus.mentions import Mentions, shape_codes
from nerscope.scoring.assignment import Worth, best_assignment

# The kinds of pairs; a ledger stores the kind of each unit under each match.
UNPAIRED, INCORRECT, PARTIAL, CORRECT = range(4)
# The type and surface of mentions of one side, by index.
NamesOf = Callable[[list[int]], Sequence[tuple[Any, Any]]]
MentionNames = tuple[NamesOf, NamesOf] | None  # of gold mentions and of predictions


class MatchedPairs(NamedTuple):
    """Pairs of gold and predicted mentions, each mention in at most one pair."""

    gold: Ints  # indices of gold mentions
    pred: Ints  # indices of their predictions
    credit: Floats
    kind: Ints  # CORRECT, PARTIAL or INCORRECT


class CandidatePairs(NamedTuple):
    """Gold and predicted mentions that share a token: row k of `gold` with row k of `pred`.

    They are the argument of a match rule, which returns the credit of each pair.
    """

    gold: Mentions
    pred: Mentions

    @property
    def shared(self) -> Ints:
        """The number of shared tokens."""
        shared = np.minimum(self.gold.end, self.pred.end) - np.maximum(
            self.gold.start, self.pred.start
        )
        if self._are_plain:
            return shared
        # Only discontinuous mentions can share fewer tokens than their common range has.
        for at in np.flatnonzero(_has_holes(self.gold) | _has_holes(self.pred)).tolist():
            gold, pred = (
                set(side[np.array([at])].positions.tolist()) for side in (self.gold, self.pred)
            )
            shared[at] = len(gold & pred)
        return shared

    @property
    def sizes(self) -> tuple[Ints, Ints]:
        """The numbers of tokens of both mentions."""
        return self.gold.lengths, self.pred.lengths

    @property
    def same_type(self) -> Bools:
        """Whether both have the same type."""
        return np.equal(self.gold.type, self.pred.type)

    @property
    def same_span(self) -> Bools:
        """Whether both are the same characters of the same tokens."""
        same = np.equal(self.gold.start, self.pred.start) & np.equal(self.gold.end, self.pred.end)
        return same if self._are_plain else same & np.equal(*shape_codes([self.gold, self.pred]))

    @property
    def _are_plain(self) -> bool:
        """Whether all mentions are contiguous and consist of whole tokens."""
        return self.gold.shape is None and self.pred.shape is None

    @property
    def same_start(self) -> Bools:
        """Whether both have the same start."""
        same: Bools = np.equal(self.gold.start, self.pred.start)
        return same if self._are_plain else same & np.equal(*self._trimmed("left"))

    @property
    def same_end(self) -> Bools:
        """Whether both have the same end."""
        same: Bools = np.equal(self.gold.end, self.pred.end)
        return same if self._are_plain else same & np.equal(*self._trimmed("right"))

    def _trimmed(self, side: str) -> tuple[Ints, Ints]:
        """The number of characters that the mentions leave out on one side of their tokens."""
        gold, pred = (
            np.zeros(len(mentions), np.int64)
            if mentions.shape is None
            else np.array([getattr(shape, side) for shape in mentions.shape], np.int64)
            for mentions in (self.gold, self.pred)
        )
        return gold, pred


def _has_holes(mentions: Mentions) -> Bools:
    if mentions.shape is None:
        return np.zeros(len(mentions), bool)
    return np.array([bool(shape.holes) for shape in mentions.shape], bool)


class CandidateCredit(NamedTuple):
    """The credit that a match gives to candidate pairs, as parallel arrays."""

    exact: Bools  # pairs to choose before all others
    credit: Floats
    kind: Ints
    may_pair: Bools


def best_pairs(
    gold: Mentions,
    pred: Mentions,
    credit_of: Callable[[CandidatePairs], CandidateCredit],
    names: MentionNames,
) -> MatchedPairs:
    """Pair mentions of equal span and type; pair the rest with the largest total credit.

    `names` gives type and surface of gold mentions and predictions, and decides between pairings
    that are otherwise equal. Without it, the codes of types and the lengths of mentions decide.
    """
    at_gold, at_pred = equal_mentions(gold, pred)
    left, right = _candidates(gold, pred, at_gold, at_pred)
    exact, credit, kind, may_pair = credit_of(CandidatePairs(gold[left], pred[right]))
    left, right, credit = left[may_pair], right[may_pair], credit[may_pair]
    pairs = CandidatePairs(gold[left], pred[right])
    gold_names, pred_names = names or (_codes_as_names(gold), _codes_as_names(pred))

    def pair_names(candidates: list[int]) -> list[tuple[object, ...]]:
        at_left, at_right = left[candidates].tolist(), right[candidates].tolist()
        return [
            (gold_type, pred_type, gold_surface, pred_surface)
            for (gold_type, gold_surface), (pred_type, pred_surface) in zip(
                gold_names(at_left), pred_names(at_right), strict=True
            )
        ]

    worth = Worth(exact[may_pair], credit, pairs.same_type, pairs.shared)
    chosen = best_assignment(left, right, worth, pair_names)
    return MatchedPairs(
        np.concatenate([at_gold, left[chosen]]),
        np.concatenate([at_pred, right[chosen]]),
        np.concatenate([np.ones(len(at_gold)), credit[chosen]]),
        np.concatenate([np.full(len(at_gold), CORRECT), kind[may_pair][chosen]]).astype(np.int8),
    )


def _codes_as_names(mentions: Mentions) -> Callable[[list[int]], list[tuple[int, int]]]:
    def names(indices: list[int]) -> list[tuple[int, int]]:
        chosen = mentions[np.array(indices, np.int64)]
        return list(zip(chosen.type.tolist(), chosen.lengths.tolist(), strict=True))

    return names


def equal_mentions(gold: Mentions, pred: Mentions) -> tuple[Ints, Ints]:
    """Pairs of equal span and type; each side has a mention only once."""
    are_plain = gold.shape is None and pred.shape is None
    if are_plain and _is_increasing(gold.start) and _is_increasing(pred.start):
        return _equal_in_order(gold, pred)
    # A key combines start, length and type: equal mentions have equal keys.
    n_types = 1 + int(max(gold.type.max(initial=0), pred.type.max(initial=0)))
    longest = 1 + int(
        max((gold.end - gold.start).max(initial=0), (pred.end - pred.start).max(initial=0))
    )
    gold_keys, pred_keys = (_keys(mentions, longest, n_types) for mentions in (gold, pred))
    if not are_plain:
        codes = shape_codes([gold, pred])
        n_shapes = 1 + max(int(shape_code.max(initial=0)) for shape_code in codes)
        gold_keys, pred_keys = gold_keys * n_shapes + codes[0], pred_keys * n_shapes + codes[1]
    _, at_gold, at_pred = np.intersect1d(gold_keys, pred_keys, return_indices=True)
    return at_gold, at_pred


def _equal_in_order(gold: Mentions, pred: Mentions) -> tuple[Ints, Ints]:
    """Pairs of equal span and type, if no two mentions of a side begin at the same token.

    Gold mentions 2-4 and 7-8 give the table [-1 -1 0 -1 -1 -1 -1 1]: token 2 opens gold mention 0,
    token 7 gold mention 1. A prediction that starts at 7 is looked up there, and end and type are
    compared.
    """
    size = 1 + max(int(side.start[-1]) if len(side) else 0 for side in (gold, pred))
    opened = np.full(size, -1, np.int32)
    opened[gold.start] = np.arange(len(gold), dtype=np.int32)
    at_gold = opened.take(pred.start)
    at_pred = np.flatnonzero(at_gold >= 0)
    at_gold = at_gold.take(at_pred)
    same = gold.end.take(at_gold) == pred.end.take(at_pred)
    same &= gold.type.take(at_gold) == pred.type.take(at_pred)
    return at_gold[same], at_pred[same]


def _keys(mentions: Mentions, longest: int, n_types: int) -> Ints:
    keys: Ints = mentions.start.astype(np.int64) * longest + (mentions.end - mentions.start)
    return keys * n_types + mentions.type


def _is_increasing(keys: Ints) -> bool:
    return bool((keys[1:] > keys[:-1]).all())


def _free(size: int, taken: Ints) -> Ints:
    free: Bools = np.ones(size, bool)
    free[taken] = False
    return np.flatnonzero(free)


def _candidates(
    gold: Mentions, pred: Mentions, used_gold: Ints, used_pred: Ints
) -> tuple[Ints, Ints]:
    """All pairs that share a token among the mentions that are not paired yet."""
    free_gold = _in_order(gold, _free(len(gold), used_gold))
    free_pred = _in_order(pred, _free(len(pred), used_pred))
    left, right = overlapping(gold[free_gold], pred[free_pred])
    return free_gold[left], free_pred[right]


def _in_order(mentions: Mentions, chosen: Ints) -> Ints:
    some = mentions[chosen]
    return chosen[np.lexsort((some.type, some.end, some.start))]


def overlapping(gold: Mentions, pred: Mentions) -> tuple[Ints, Ints]:
    """All pairs that share a token; both sides must be sorted by start. Spans may be nested."""
    # The search needs sorted ends, which nested spans do not have, so it uses the furthest end so
    # far. This includes some gold mentions that end before the prediction starts; they are removed
    # below.
    reach = np.maximum.accumulate(gold.end) if len(gold) else gold.end
    low = np.searchsorted(reach, pred.start, side="right")
    high = np.maximum(low, np.searchsorted(gold.start, pred.end, side="left"))
    left, right = expand_ranges(low, high), np.repeat(np.arange(len(pred)), high - low)
    overlap = gold.end[left] > pred.start[right]
    left, right = left[overlap], right[overlap]
    if gold.shape is None and pred.shape is None:
        return left, right
    # A mention may lie in a gap of the other one.
    overlap = CandidatePairs(gold[left], pred[right]).shared > 0
    return left[overlap], right[overlap]
