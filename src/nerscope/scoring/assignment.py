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
_ROOM = 1 << 32  # more than any number of pairs or tokens in a group
Edges = dict[int, dict[int, tuple[int, int]]]  # left end -> right end -> worth, number of the edge


def best_assignment(
    left: Ints, right: Ints, exact: Bools, credit: Floats, same_type: Bools, shared: Ints
) -> Ints:
    """Which candidates to take so that no end is used twice.

    >>> one, other, no = np.array([0, 0, 1]), np.array([0, 1, 0]), np.zeros(3, bool)
    >>> best_assignment(one, other, no, np.ones(3), ~no, np.ones(3, int)).tolist()
    [1, 2]
    """
    if not len(left):
        return np.zeros(0, np.int64)
    alone = (np.bincount(left)[left] == 1) & (np.bincount(right)[right] == 1)
    taken = [np.flatnonzero(alone)]
    rest = np.flatnonzero(~alone)
    if len(rest):
        edges: Edges = {}
        for edge, a, b, worth in zip(
            rest.tolist(),
            left[rest].tolist(),
            right[rest].tolist(),
            _worth(exact[rest], credit[rest], same_type[rest], shared[rest]),
            strict=True,
        ):
            known = edges.setdefault(a, {})
            if b not in known or known[b][0] < worth:
                known[b] = (worth, edge)
        taken.append(np.array(_assigned(edges), np.int64))
    return np.sort(np.concatenate(taken))


def _worth(exact: Bools, credit: Floats, same_type: Bools, shared: Ints) -> list[int]:
    """One whole number a candidate, in which each criterion outweighs all that follow it.

    They are: exact, credit, a pair more, of one type, common length.
    """
    from fractions import Fraction  # needed only where candidates compete

    distinct = {one: Fraction(one).limit_denominator(_FINEST) for one in set(credit.tolist())}
    scale = lcm(*(one.denominator for one in distinct.values()))
    steps = {one: int(value * scale) for one, value in distinct.items()}
    columns = (exact.tolist(), credit.tolist(), same_type.tolist(), shared.tolist())
    return [
        (((is_exact * scale * _ROOM + steps[one]) * _ROOM + 1) * _ROOM + same) * _ROOM + length
        for is_exact, one, same, length in zip(*columns, strict=True)
    ]


def _assigned(edges: Edges) -> list[int]:
    """The edges of the assignment of largest total worth, found one augmenting path at a time.

    After each left end has had its turn, the assignment is the best one for the left ends so far:
    the new one is served along the path of largest gain, or takes the place of another.
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
    best, last, taken = 0, start, -1  # leaving the new one without a partner gains nothing
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
    for left_out, total in gain.items():  # or somebody on the way gives up the place
        if total > best:
            best, last, taken = total, left_out, -1
    while True:
        if taken >= 0:
            partner[taken] = last
        if last == start:
            return
        last, taken = came[last]
