"""The best one-to-one choice among candidate pairs: largest worth, ties broken by names.

Most candidates compete with no other and are chosen directly, or compete for one mention only,
which takes the best of them. The rest is divided into groups that share mentions. In a small group,
all choices are tried. In a large group, the Hungarian algorithm finds a best choice, and *prices*
that show which pairs are part of any best choice; among those, names decide.

Worked example: gold mentions g1, g2 and predictions p1, p2, where g1 overlaps both predictions and
g2 only p1. Choosing g1-p1 first leaves g2 without a partner; g1-p2 with g2-p1 gives one more pair.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from itertools import pairwise
from math import lcm
from typing import Any, NamedTuple

import numpy as np

from nerscope.corpus.arrays import Bools, Floats, Ints

_FINEST = 1_000_000  # the largest denominator of credits, which keeps sums exact
_SMALL = 8  # pairs of a group in which all choices are tried: at most 2**8
_Matrix = Any  # an array of int64, or of Python integers if int64 is too small


class Worth(NamedTuple):
    """The worth of candidates, as parallel arrays: each criterion outweighs all later ones.

    The number of pairs is a criterion between `credit` and `same_type`.
    """

    exact: Bools
    credit: Floats
    same_type: Bools
    shared: Ints  # tokens in common


class _Pair(NamedTuple):
    """A candidate that competes with others."""

    left: int
    right: int
    number: int  # its index among the candidates
    exact: bool
    credit: float
    same_type: bool
    shared: int


NamesOf = Callable[[list[int]], Sequence[Any]]  # of candidates; comparable


def best_assignment(left: Ints, right: Ints, worth: Worth, names_of: NamesOf) -> Ints:
    """Choose candidates so that no mention is used twice; return their indices.

    `left` and `right` number the gold and the predicted mention of each candidate. Among choices of
    the same worth, the one with the smallest sorted list of names wins; then the one with
    the smallest sorted list of names, exactness and credit, so that the result does not depend on
    reading direction; then the one with the smallest list of indices.

    >>> gold, pred, no = np.array([0, 0, 1]), np.array([0, 1, 0]), np.zeros(3, bool)
    >>> worth = Worth(no, np.ones(3), ~no, np.ones(3, int))
    >>> best_assignment(gold, pred, worth, lambda indices: indices).tolist()
    [1, 2]
    """
    if not len(left):
        return np.zeros(0, np.int64)
    of_left, of_right = np.bincount(left)[left], np.bincount(right)[right]
    is_settled = (of_left == 1) & (of_right == 1)
    chosen: list[int] = np.flatnonzero(is_settled).tolist()
    ties: list[list[list[int]]] = []  # equally good choices of small groups
    for centre, degree, degree_there in ((left, of_left, of_right), (right, of_right, of_left)):
        stars = _best_of_stars(_star_candidates(centre, degree, degree_there), centre, worth)
        chosen += stars.best
        ties += stars.ties
        is_settled[stars.settled] = True
    competing = np.flatnonzero(~is_settled)
    columns = (left[competing], right[competing], competing, *(side[competing] for side in worth))
    pairs = [_Pair(*row) for row in zip(*(column.tolist() for column in columns), strict=True)]
    for group in _groups(pairs):
        if len(group) > _SMALL:
            chosen += _solve(group, names_of)
            continue
        choices = _try_all(group)
        if len(choices) == 1:
            chosen += choices[0]
        else:
            ties.append(choices)
    # Names are looked up for all groups at once, which costs little more than for one group.
    tied = sorted({number for choices in ties for choice in choices for number in choice})
    names = dict(zip(tied, names_of(tied), strict=True)) if tied else {}

    def order(choice: list[int]) -> tuple[list[Any], list[Any], list[int]]:
        detailed = sorted(
            (names[number], bool(worth.exact[number]), float(worth.credit[number]))
            for number in choice
        )
        return [name for name, *_ in detailed], detailed, choice

    for choices in ties:
        best: list[int] = min(choices, key=order)
        chosen += best
    return np.sort(np.array(chosen, np.int64))


def _star_candidates(centre: Ints, degree: Ints, degree_there: Ints) -> Ints:
    """The candidates of mentions that compete for one mention, the centre, and for no other."""
    alone = np.ones(int(centre.max()) + 1, bool)
    alone[centre[degree_there > 1]] = False
    return np.flatnonzero(alone[centre] & (degree > 1))


class _Stars(NamedTuple):
    """The best candidates of some centres: one, or several that are equally good."""

    best: list[int]
    ties: list[list[list[int]]]
    settled: Ints  # all candidates of these centres


def _best_of_stars(candidates: Ints, centre: Ints, worth: Worth) -> _Stars:
    """The best candidates of each centre.

    Most groups of competing candidates are such stars: a mention that is split or merged. A centre
    is left out if two credits are nearly equal, because they may be equal as fractions.
    """
    by_worth = (worth.shared, worth.same_type, worth.credit, worth.exact)
    keys = [column[candidates] for column in (*by_worth, centre)]
    order = np.lexsort(keys)[::-1]
    ordered, columns = candidates[order], [column[order] for column in keys]
    *of_candidate, centres = columns
    first = np.flatnonzero(np.diff(centres, prepend=-1))  # the best candidate of each centre
    sizes = np.diff(first, append=len(ordered))
    same = [column[first] == column[first + 1] for column in of_candidate]
    credit = of_candidate[2]
    nearly = ~same[2] & (np.abs(credit[first] - credit[first + 1]) < 1 / _FINEST)
    is_tie, is_open = np.all(same, axis=0), same[3] & nearly
    equal_to_best = np.all(
        [column == np.repeat(column[first], sizes) for column in of_candidate], axis=0
    )
    tied = np.flatnonzero(equal_to_best & np.repeat(is_tie, sizes))
    edges = np.flatnonzero(np.diff(centres[tied], prepend=-1)).tolist()
    numbers = ordered[tied].tolist()
    return _Stars(
        ordered[first[~is_tie & ~is_open]].tolist(),
        [[[number] for number in numbers[a:b]] for a, b in pairwise([*edges, len(numbers)])],
        ordered[np.repeat(~is_open, sizes)],
    )


def _groups(pairs: Sequence[_Pair]) -> Iterator[list[_Pair]]:
    """The pairs in groups without common mentions, each in the order of the candidates."""
    by_left: dict[int, list[_Pair]] = {}
    by_right: dict[int, list[_Pair]] = {}
    for pair in pairs:
        by_left.setdefault(pair.left, []).append(pair)
        by_right.setdefault(pair.right, []).append(pair)
    seen_left: set[int] = set()
    for start in by_left:
        if start in seen_left:
            continue
        group, waiting, seen_right = list[_Pair](), [start], set[int]()
        seen_left.add(start)
        while waiting:
            for pair in by_left[waiting.pop()]:
                group.append(pair)
                if pair.right not in seen_right:
                    seen_right.add(pair.right)
                    met = {other.left for other in by_right[pair.right]} - seen_left
                    seen_left |= met
                    waiting += met
        yield sorted(group, key=lambda pair: pair.number)


def _total_order(group: Sequence[_Pair]) -> list[int]:
    """A whole number for each pair of a group, so that the best choice has the largest sum.

    The criteria are the digits of the number, the most important first, each with as many bits as
    the sum over a choice needs. Credits become multiples of their common denominator (1/2 and 1/3
    become 3 and 2 of `scale` 6), so that sums are exact.
    """
    credits = [_fraction(pair.credit) for pair in group]
    scale = lcm(*(denominator for _, denominator in credits))
    steps = [numerator * (scale // denominator) for numerator, denominator in credits]
    # A choice has at most as many pairs as either side has mentions.
    most = min(len({pair.left for pair in group}), len({pair.right for pair in group}))
    for_count = most.bit_length()
    for_credit = (most * max(steps)).bit_length()
    for_length = (most * max(pair.shared for pair in group)).bit_length()
    order = []
    for pair, step in zip(group, steps, strict=True):
        value = (pair.exact << for_credit) + step
        value = (value << for_count) + 1  # one more pair
        value = (value << for_count) + pair.same_type
        order.append((value << for_length) + pair.shared)
    return order


@cache
def _fraction(credit: float) -> tuple[int, int]:
    """The numerator and denominator of a credit: 0.333… is 1 and 3."""
    from fractions import Fraction  # needed only if candidates compete

    fraction = Fraction(credit).limit_denominator(_FINEST)
    return fraction.numerator, fraction.denominator


def _try_all(group: Sequence[_Pair]) -> list[list[int]]:
    """All best choices of a small group."""
    most, best, order = -1, list[list[int]](), _total_order(group)
    for choice in _choices(list(range(len(group))), group):
        total = sum([order[place] for place in choice])
        if total > most:
            most, best = total, []
        if total == most:
            best.append([group[place].number for place in choice])
    return best


def _choices(places: list[int], group: Sequence[_Pair]) -> Iterator[list[int]]:
    """All choices of pairs that use no mention twice."""
    if not places:
        yield []
        return
    first, rest = places[0], places[1:]
    left, right = group[first].left, group[first].right
    free = [place for place in rest if group[place].left != left and group[place].right != right]
    for choice in _choices(free, group):
        yield [first, *choice]
    if len(free) < len(rest):  # otherwise, leaving the pair out only loses its worth
        yield from _choices(rest, group)


def _solve(group: Sequence[_Pair], names_of: NamesOf) -> list[int]:
    """The best choice of a large group.

    The group becomes a square matrix of gold mentions by predictions. A pair that is not a
    candidate is worth 0 and means that both mentions stay unpaired.
    """
    rows = {left: k for k, left in enumerate(sorted({pair.left for pair in group}))}
    columns = {right: k for k, right in enumerate(sorted({pair.right for pair in group}))}
    size = max(len(rows), len(columns))
    cells = [(rows[pair.left], columns[pair.right]) for pair in group]
    at = tuple(np.array(cells).T)
    choice = _TightChoice(
        *_hungarian(_square(size, at, _total_order(group)), np.ones((size, size), bool))
    )
    names = names_of([pair.number for pair in group])
    choice.prefer_first(cells, _ranks(names))
    details = [(name, pair.exact, pair.credit) for name, pair in zip(names, group, strict=True)]
    if len(set(details)) > len(set(names)):
        choice.prefer_first(cells, _ranks(details))
    choice.prefer_first(cells, range(len(cells)))
    return [
        pair.number
        for pair, (row, column) in zip(group, cells, strict=True)
        if choice.partner[row] == column
    ]


class _TightChoice:
    """A complete choice of tight cells, and the alternative cells.

    `options[row]` has a bit for each tight column of the row: sets of columns as whole numbers.
    """

    def __init__(self, partner: Ints, tight: Bools) -> None:
        self.partner: list[int] = partner.tolist()
        self.holder = np.argsort(partner).tolist()  # the inverse: the row of each column
        packed = np.packbits(tight, axis=1, bitorder="little")
        self.options = [int.from_bytes(row.tobytes(), "little") for row in packed]

    def prefer_first(self, cells: Sequence[tuple[int, int]], rank: Sequence[int]) -> None:
        """Change the choice to the one with the smallest sorted list of ranks of its cells.

        Rank by rank, the choice takes as many cells of this rank as possible.
        """
        cells_of_rank: dict[int, list[tuple[int, int]]] = {}
        for cell, value in zip(cells, rank, strict=True):
            cells_of_rank.setdefault(value, []).append(cell)
        for value in sorted(cells_of_rank):
            possible = [cell for cell in cells_of_rank[value] if self._take(*cell)]
            if len(possible) == 1:
                self._fix(*possible[0])
            elif possible:
                self._take_most(possible)

    def _take(self, row: int, column: int) -> bool:
        """Exchange partners so that the row gets the column; if impossible, remove this option."""
        if not self.options[row] >> column & 1:
            return False
        if self.partner[row] == column:
            return True
        # The holder of the column needs another column, whose holder needs another one, and so on,
        # until one takes the column that the row releases.
        free, first, seen = self.partner[row], self.holder[column], 1 << column
        came: dict[int, tuple[int, int]] = {}  # row -> the row that takes its column, the column
        waiting = [first]
        while waiting:
            here = waiting.pop()
            if self.options[here] >> free & 1:
                self._put(here, free)
                while here != first:
                    here, taken = came[here]
                    self._put(here, taken)
                self._put(row, column)
                return True
            new = self.options[here] & ~seen
            seen |= new
            while new:
                taken = new.bit_length() - 1
                new ^= 1 << taken
                came[self.holder[taken]] = here, taken
                waiting.append(self.holder[taken])
        self.options[row] ^= 1 << column
        return False

    def _put(self, row: int, column: int) -> None:
        self.partner[row], self.holder[column] = column, row

    def _fix(self, row: int, column: int) -> None:
        """Remove all other options of the row and of the column."""
        others = ~(1 << column)
        self.options = [columns & others for columns in self.options]
        self.options[row] = 1 << column

    def _take_most(self, cells: Sequence[tuple[int, int]]) -> None:
        """Keep only the choices with as many of the cells as possible."""
        size = len(self.partner)
        at = tuple(np.array(cells).T)
        allowed = [[columns >> k & 1 for k in range(size)] for columns in self.options]
        partner, tight = _hungarian(_square(size, at, [1] * len(cells)), np.array(allowed, bool))
        narrowed = _TightChoice(partner, tight)
        self.partner, self.holder, self.options = (
            narrowed.partner,
            narrowed.holder,
            narrowed.options,
        )


def _ranks(names: Sequence[Any]) -> list[int]:
    rank = {name: k for k, name in enumerate(sorted(set(names)))}
    return [rank[name] for name in names]


def _square(size: int, at: tuple[Ints, ...], values: Sequence[int]) -> _Matrix:
    """The values at their cells, 0 elsewhere; sums of a few values fit the type of the array."""
    fits = max(values).bit_length() + size.bit_length() < 60
    square: _Matrix = np.zeros((size, size), np.int64 if fits else object)
    square[at] = np.array(values, square.dtype)
    return square


def _hungarian(worth: _Matrix, allowed: Bools) -> tuple[Ints, Bools]:
    """The partner of each row in a best complete choice, and the cells of any best choice.

    Rows and columns have prices. The cost of a cell is the largest worth minus its worth. It is
    never less than the sum of the prices of its row and column, and equal to it in a best choice
    (Kuhn 1955, in the form of Jonker and Volgenant 1987). One row is added at a time, along the
    cheapest path of exchanges.
    """
    size = len(worth)
    cost = worth.max() - worth
    beyond = (int(cost.max()) + 1) * (2 * size + 1)  # more than the cost of any path
    if beyond.bit_length() > 62:
        cost = cost.astype(object)
    cost = np.where(allowed, cost, beyond)
    row_price = cost.min(axis=1)
    column_price = (cost - row_price[:, None]).min(axis=0)
    partner = np.full(size, -1)  # of each row
    holder = np.full(size, -1)  # of each column
    is_free = cost - row_price[:, None] - column_price == 0
    for row in range(size):  # initial choice: cells whose cost equals the prices
        column = int(np.argmax(is_free[row] & (holder < 0)))
        if is_free[row, column] and holder[column] < 0:
            partner[row], holder[column] = column, row
    for start in np.flatnonzero(partner < 0).tolist():
        distance = np.full(size, beyond, cost.dtype)
        came, done = np.full(size, start), np.zeros(size, bool)
        row, reached = start, 0 * beyond
        while True:
            through = reached + cost[row] - row_price[row] - column_price
            nearer = ~done & (through < distance)
            distance[nearer], came[nearer] = through[nearer], row
            open_columns = np.flatnonzero(~done)
            column = int(open_columns[np.argmin(distance[open_columns])])
            reached = distance[column]
            if holder[column] < 0:
                break
            done[column] = True
            row = int(holder[column])
        passed = np.flatnonzero(done)
        row_price[start] += reached
        row_price[holder[passed]] += reached - distance[passed]
        column_price[passed] -= reached - distance[passed]
        while column >= 0:
            row = int(came[column])
            holder[column] = row
            partner[row], column = column, int(partner[row])
    tight = allowed & (cost - row_price[:, None] - column_price == 0).astype(bool)
    return partner, tight
