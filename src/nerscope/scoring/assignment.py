"""The best one-to-one choice among candidate pairs: the largest credit, then a chain of tie-breaks.

Most candidates stand alone and are taken as they are. The rest falls into small groups that share
mentions; each group is solved exactly, by exchanging partners along the best path until none gains.

Worked example: gold mentions g1, g2 and predictions p1, p2, where g1 overlaps both predictions and
g2 only p1. Taking g1-p1 first leaves g2 without a partner. The path g2 → p1 (held by g1) → p2 is
worth one pair more, so g1 moves over to p2 and g2 gets p1.
"""

from collections import deque
from math import lcm

import numpy as np

from nerscope.corpus.arrays import Bools, Floats, Ints

_FINEST = 1_000_000  # credit is a fraction with no larger denominator, so that sums are exact
_BASE = 1 << 32  # more than any number of pairs or tokens in a group
Edges = dict[int, dict[int, tuple[int, int]]]  # left end -> right end -> worth, number of the edge


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
