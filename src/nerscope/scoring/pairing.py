"""Which predicted mention goes with which gold one.

Mentions of equal span and type are paired first. Of what is left, a gold mention takes at most one
prediction and a prediction serves at most one gold mention, so that the total credit is the largest
possible; among equals the most pairs count, then the most pairs of one type, then the largest
common length. So numbers do not depend on the order of mentions, on reading direction, or on which
side is gold.

Most candidates stand alone and are taken as they are. The rest falls into small groups that share
mentions; each group is solved exactly, by exchanging partners along the best path until none gains.

Worked example: gold mentions g1, g2 and predictions p1, p2, where g1 overlaps both predictions and
g2 only p1. Taking g1-p1 first leaves g2 without a partner. The path g2 → p1 (held by g1) → p2 is
worth one pair more, so g1 moves over to p2 and g2 gets p1.
"""

from collections import deque
from collections.abc import Callable
from math import lcm
from typing import NamedTuple

import numpy as np

from nerscope.corpus.arrays import Bools, Floats, Ints, expand_ranges
from nerscope.corpus.mentions import Mentions, shape_codes

# What a pair can be; a ledger keeps it for each unit under each match.
UNPAIRED, INCORRECT, PARTIAL, CORRECT = range(4)
_FINEST = 1_000_000  # credit is a fraction with no larger denominator, so that sums are exact
_BASE = 1 << 32  # more than any number of pairs or tokens in a group
Edges = dict[int, dict[int, tuple[int, int]]]  # left end -> right end -> worth, number of the edge


class MatchedPairs(NamedTuple):
    """Pairs of gold and predicted mentions, each mention in at most one pair."""

    gold: Ints  # indices of gold mentions
    pred: Ints  # indices of the predictions they go with
    credit: Floats
    kind: Ints  # CORRECT, PARTIAL or INCORRECT


class CandidatePairs(NamedTuple):
    """Gold and predicted mentions that share a token: row k of `gold` meets row k of `pred`.

    A rule of a match gets them, and returns the credit of each pair.
    """

    gold: Mentions
    pred: Mentions

    @property
    def shared(self) -> Ints:
        """How many tokens both have."""
        shared = np.minimum(self.gold.end, self.pred.end) - np.maximum(
            self.gold.start, self.pred.start
        )
        if self._are_plain:
            return shared
        # Only a mention with holes can share fewer tokens than the common range has.
        for at in np.flatnonzero(_has_holes(self.gold) | _has_holes(self.pred)).tolist():
            gold, pred = (
                set(side[np.array([at])].positions.tolist()) for side in (self.gold, self.pred)
            )
            shared[at] = len(gold & pred)
        return shared

    @property
    def sizes(self) -> tuple[Ints, Ints]:
        """How many tokens each has."""
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
        """Whether all are runs of whole tokens."""
        return self.gold.shape is None and self.pred.shape is None

    @property
    def same_start(self) -> Bools:
        """Whether both begin together."""
        same: Bools = np.equal(self.gold.start, self.pred.start)
        return same if self._are_plain else same & np.equal(*self._trimmed("left"))

    @property
    def same_end(self) -> Bools:
        """Whether both end together."""
        same: Bools = np.equal(self.gold.end, self.pred.end)
        return same if self._are_plain else same & np.equal(*self._trimmed("right"))

    def _trimmed(self, side: str) -> tuple[Ints, Ints]:
        """How many characters the mentions leave out on one side."""
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
    """What a match gives each of some candidate pairs, as parallel arrays."""

    exact: Bools  # to be taken before all others
    credit: Floats
    kind: Ints
    may_pair: Bools


def best_pairs(
    gold: Mentions, pred: Mentions, credit_of: Callable[[CandidatePairs], CandidateCredit]
) -> MatchedPairs:
    """Pair mentions of equal span and type; pair the rest so that the total credit is largest."""
    at_gold, at_pred = equal_mentions(gold, pred)
    left, right = _candidates(gold, pred, at_gold, at_pred)
    exact, credit, kind, may_pair = credit_of(CandidatePairs(gold[left], pred[right]))
    left, right, credit = left[may_pair], right[may_pair], credit[may_pair]
    pairs = CandidatePairs(gold[left], pred[right])
    chosen = best_assignment(left, right, exact[may_pair], credit, pairs.same_type, pairs.shared)
    return MatchedPairs(
        np.concatenate([at_gold, left[chosen]]),
        np.concatenate([at_pred, right[chosen]]),
        np.concatenate([np.ones(len(at_gold)), credit[chosen]]),
        np.concatenate([np.full(len(at_gold), CORRECT), kind[may_pair][chosen]]).astype(np.int8),
    )


def equal_mentions(gold: Mentions, pred: Mentions) -> tuple[Ints, Ints]:
    """Pairs of equal span and type; of several equal ones, the k-th goes with the k-th."""
    are_plain = gold.shape is None and pred.shape is None
    if are_plain and _is_increasing(gold.start) and _is_increasing(pred.start):
        return _equal_in_order(gold, pred)
    # One number stands for start, length and type of a mention: equal mentions have equal keys.
    n_types = 1 + int(max(gold.type.max(initial=0), pred.type.max(initial=0)))
    longest = 1 + int(
        max((gold.end - gold.start).max(initial=0), (pred.end - pred.start).max(initial=0))
    )
    gold_keys, pred_keys = (_keys(mentions, longest, n_types) for mentions in (gold, pred))
    if not are_plain:
        codes = shape_codes([gold, pred])
        n_shapes = 1 + max(int(shape_code.max(initial=0)) for shape_code in codes)
        gold_keys, pred_keys = gold_keys * n_shapes + codes[0], pred_keys * n_shapes + codes[1]
    gold_keys, pred_keys = _made_distinct(gold_keys, pred_keys)
    _, at_gold, at_pred = np.intersect1d(
        gold_keys, pred_keys, assume_unique=True, return_indices=True
    )
    return at_gold, at_pred


def _equal_in_order(gold: Mentions, pred: Mentions) -> tuple[Ints, Ints]:
    """Pairs of equal span and type, where no two mentions of a side begin at the same token.

    Gold mentions 2-4 and 7-8 give the table [-1 -1 0 -1 -1 -1 -1 1]: token 2 opens gold mention 0,
    token 7 gold mention 1. A prediction that starts at 7 looks there, and compares end and type.
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


def _made_distinct(gold_keys: Ints, pred_keys: Ints) -> tuple[Ints, Ints]:
    """Number equal keys of a side, so that the k-th of them in gold equals the k-th in pred.

    Gold keys [50, 70, 50] and predicted keys [50, 50] become the codes [0, 1, 0] and [0, 0], with
    the numbers [0, 0, 1] and [0, 1]; each (code, number) is then one distinct key.
    """
    _, codes = np.unique(np.concatenate([gold_keys, pred_keys]), return_inverse=True)
    sides = []
    for keys in (codes[: len(gold_keys)], codes[len(gold_keys) :]):
        order = np.argsort(keys, kind="stable")
        numbers = np.empty_like(keys)
        numbers[order] = np.arange(len(keys)) - np.searchsorted(keys[order], keys[order])
        sides.append(keys * (len(codes) + 1) + numbers)
    return sides[0], sides[1]


def _free(size: int, taken: Ints) -> Ints:
    free: Bools = np.ones(size, bool)
    free[taken] = False
    return np.flatnonzero(free)


def _candidates(
    gold: Mentions, pred: Mentions, used_gold: Ints, used_pred: Ints
) -> tuple[Ints, Ints]:
    """All pairs that share a token among the mentions that are still free."""
    free_gold = _in_order(gold, _free(len(gold), used_gold))
    free_pred = _in_order(pred, _free(len(pred), used_pred))
    left, right = overlapping(gold[free_gold], pred[free_pred])
    return free_gold[left], free_pred[right]


def _in_order(mentions: Mentions, chosen: Ints) -> Ints:
    some = mentions[chosen]
    return chosen[np.lexsort((some.type, some.end, some.start))]


def overlapping(gold: Mentions, pred: Mentions) -> tuple[Ints, Ints]:
    """All pairs that share a token; both sides must be sorted by start. Spans may be nested."""
    # Sorted ends are needed to search, and nested spans have none: the furthest end so far will do.
    # It lets in some gold mentions that end before the prediction starts; they go out below.
    reach = np.maximum.accumulate(gold.end) if len(gold) else gold.end
    low = np.searchsorted(reach, pred.start, side="right")
    high = np.maximum(low, np.searchsorted(gold.start, pred.end, side="left"))
    left, right = expand_ranges(low, high), np.repeat(np.arange(len(pred)), high - low)
    overlap = gold.end[left] > pred.start[right]
    left, right = left[overlap], right[overlap]
    if gold.shape is None and pred.shape is None:
        return left, right
    # A mention may lie in a hole of the other.
    overlap = CandidatePairs(gold[left], pred[right]).shared > 0
    return left[overlap], right[overlap]


def best_assignment(
    left: Ints, right: Ints, exact: Bools, credit: Floats, same_type: Bools, shared: Ints
) -> Ints:
    """Choose candidates so that no mention is used twice: indices into the parallel arrays.

    `left` and `right` number the gold and the predicted mention of each candidate pair.

    >>> gold, pred, no = np.array([0, 0, 1]), np.array([0, 1, 0]), np.zeros(3, bool)
    >>> best_assignment(gold, pred, no, np.ones(3), ~no, np.ones(3, int)).tolist()
    [1, 2]
    """
    if not len(left):
        return np.zeros(0, np.int64)
    is_alone = (np.bincount(left)[left] == 1) & (np.bincount(right)[right] == 1)
    chosen = [np.flatnonzero(is_alone)]
    competing = np.flatnonzero(~is_alone)
    if len(competing):
        edges: Edges = {}
        for edge, a, b, worth in zip(
            competing.tolist(),
            left[competing].tolist(),
            right[competing].tolist(),
            _worth(exact[competing], credit[competing], same_type[competing], shared[competing]),
            strict=True,
        ):
            ends = edges.setdefault(a, {})
            if b not in ends or ends[b][0] < worth:
                ends[b] = (worth, edge)
        chosen.append(np.array(_assign(edges), np.int64))
    return np.sort(np.concatenate(chosen))


def _worth(exact: Bools, credit: Floats, same_type: Bools, shared: Ints) -> list[int]:
    """A whole number for each candidate, in which each criterion outweighs all that follow it.

    The criteria are exact, credit, one more pair, same type, common length: digits of a number in
    base 2**32, the most important first. Credits become multiples of their common denominator
    (1/2 and 1/3 become 3 and 2 of `scale` 6), so that sums are exact.
    """
    from fractions import Fraction  # needed only where candidates compete

    fractions = {
        value: Fraction(value).limit_denominator(_FINEST) for value in set(credit.tolist())
    }
    scale = lcm(*(fraction.denominator for fraction in fractions.values()))
    steps = {value: int(fraction * scale) for value, fraction in fractions.items()}
    columns = (exact.tolist(), credit.tolist(), same_type.tolist(), shared.tolist())
    return [
        (((is_exact * scale * _BASE + steps[value]) * _BASE + 1) * _BASE + same) * _BASE + length
        for is_exact, value, same, length in zip(*columns, strict=True)
    ]


def _assign(edges: Edges) -> list[int]:
    """The edges of the assignment of largest total worth, found one augmenting path at a time.

    After each left end has had its turn, the assignment is the best for the left ends so far: the
    new left end gets a partner along the path of largest gain, or takes the place of another.
    """
    partner: dict[int, int] = {}  # right end -> left end
    heaviest = max(worth for ends in edges.values() for worth, _ in ends.values())
    for start in edges:
        _augment(start, edges, partner, heaviest)
    return [edges[a][b][1] for b, a in partner.items()]


def _augment(start: int, edges: Edges, partner: dict[int, int], heaviest: int) -> None:
    """Find the best path of exchanges from a new left end, and follow it (Bellman and Ford).

    A path that cannot gain more with any edge is not followed further.
    """
    gain = {start: 0}  # of reaching a left end, which then has no partner
    came: dict[int, tuple[int, int]] = {}  # left end -> the left end that took its right end
    best, last, taken = 0, start, -1  # without a partner for the new left end, nothing is gained
    queue = deque([start])
    while queue:
        here = queue.popleft()
        if gain[here] + heaviest <= best:
            continue
        for end, (worth, _) in edges[here].items():
            holder = partner.get(end)
            if holder == here:
                continue
            total = gain[here] + worth
            if holder is None:
                if total > best:
                    best, last, taken = total, here, end
                continue
            total -= edges[holder][end][0]
            if total > gain.get(holder, -1 << 300):
                gain[holder], came[holder] = total, (here, end)
                queue.append(holder)
    for left_out, total in gain.items():  # or a left end on the way gives up its partner
        if total > best:
            best, last, taken = total, left_out, -1
    while True:
        if taken >= 0:
            partner[taken] = last
        if last == start:
            return
        last, taken = came[last]
