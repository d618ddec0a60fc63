"""Search for the groups whose test set is closest to given shares.

A unit is a mention or a token. Units with the same surface (or the same token) are a *family*.
Their codes depend only on how often the family has each label in train and in test. So every share
is a sum over families, and moving a group changes only the families in it.

Example: "Oslo" is LOC twice in train and ORG once in test, so the test mention has an unseen type.
If the group with one of the LOCs moves to test, only the family "Oslo" is counted again. It has two
types in test now, so both of its test mentions are ambiguous.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from nerscope.corpus.arrays import Bools, Floats, Ints, count_table, expand_ranges
from nerscope.facets.hard import DIFF_E, DIFF_I, DIFF_O, OTHER, UNSEEN_I, UNSEEN_O
from nerscope.facets.tmr import CONFUSABLE, SEEN, UNSEEN_TOKENS, UNSEEN_TYPE

SIZE_TOLERANCE = 0.02  # relative to the target size
TYPE_TOLERANCE = 0.03  # total variation
_PENALTY = 10.0  # factor for the part of a deviation beyond its tolerance
_GOOD_ENOUGH = 2e-4  # a cost too small to show in a table
_MIN_STEPS = 250  # per round; more if there are many groups
_GROUPS_PER_STEP = 50
_STALLED = 0.97  # the search ends after a round that keeps more than this share of the cost
_TEMPERATURES = (0.01, 0.005, 0.003, 0.001)  # mean cost of an uphill step, by round
_ENTRIES_PER_STEP = 1000  # approximate number of entries that a step evaluates per side
_MIN_CANDIDATES, _MAX_CANDIDATES = 8, 32  # groups that a step evaluates per side


def tough_mention_codes(train: Ints, test: Ints) -> Ints:
    """The `tmr` codes of mentions, from the counts of each type (row) of each surface (column)."""
    known = train.any(axis=0)
    codes: Ints = np.where(train > 0, SEEN, np.where(known, UNSEEN_TYPE, UNSEEN_TOKENS))
    codes += CONFUSABLE * ((test > 0).sum(axis=0) >= 2)
    return codes


def hard_token_codes(train: Ints, test: Ints) -> Ints:
    """The `hard` codes of tokens, from their counts by label (row) and token (column).

    The first row counts tokens outside mentions, the other rows those inside mentions of each type.
    """
    outside, by_type = train[0], train[1:]
    inside, most = by_type.sum(axis=0), by_type.max(axis=0, initial=0)
    if_outside = np.where(outside < inside, DIFF_O, OTHER)
    if_inside = np.where(inside < outside, DIFF_I, np.where(by_type < most, DIFF_E, OTHER))
    codes = np.vstack([if_outside, if_inside])
    unseen = inside + outside == 0
    codes[0, unseen], codes[1:, unseen] = UNSEEN_O, UNSEEN_I
    return codes


@dataclass(frozen=True, slots=True, eq=False)
class UnitFamilies:
    """All units of one kind. An *entry* is a family in a group, with its count of every label."""

    group: Ints  # by unit
    cell: Ints  # by unit: its label and family, as a flat index into `total`
    first: Ints  # by group: its first entry; then the number of entries
    family: Ints  # by entry
    counts: Ints  # by label and entry
    total: Ints  # by label and family
    codes: Callable[[Ints, Ints], Ints]  # function of such tables for train and test
    counts_for: Ints  # by share and code: 1 if units with the code count for the share

    def hits(self, test: Ints, family: Ints) -> Ints:
        """By share and family: how many units count if `test` of them are in the test set."""
        codes = self.codes(self.total[:, family] - test, test)
        return np.array([(test * counts[codes]).sum(axis=0) for counts in self.counts_for])

    def all_hits(self, test: Ints) -> Ints:
        """Like `hits`, for all families; most of them have no unit in the test set."""
        hits = np.zeros((len(self.counts_for), test.shape[1]), np.int64)
        used = np.flatnonzero(test.any(axis=0))
        hits[:, used] = self.hits(test[:, used], used)
        return hits

    def in_test(self, chosen: Bools) -> Ints:
        """By label and family: the number of units in the chosen groups."""
        cells = self.cell[chosen[self.group]]
        return np.bincount(cells, minlength=self.total.size).reshape(self.total.shape)


def gather_units(
    group: Ints,
    family: Ints,
    label: Ints,
    codes: Callable[[Ints, Ints], Ints],
    *,
    groups: int,
    counts_for: Ints,
) -> UnitFamilies:
    """Gather units by group and family; units whose group is -1 are left out."""
    inside = group >= 0
    group, label = group[inside], label[inside].astype(np.int64)
    known, family = np.unique(family[inside], return_inverse=True)
    families, labels = max(1, len(known)), int(label.max(initial=0)) + 1
    # group * families + family is unique for each entry, and sorts entries by group.
    keys, entry = np.unique(group * families + family, return_inverse=True)
    return UnitFamilies(
        group,
        cell=label * len(known) + family,
        first=np.searchsorted(keys, np.arange(groups + 1) * families),
        family=keys % families,
        counts=count_table(label, entry, (labels, len(keys))),
        total=count_table(label, family, (labels, len(known))),
        codes=codes,
        counts_for=counts_for,
    )


@dataclass(frozen=True, slots=True, eq=False)
class MovableGroups:
    """The groups that can be moved between train and test: their sizes and their units."""

    sizes: Floats  # by group: sentences, tokens, mentions of each type
    units: list[UnitFamilies]

    def __len__(self) -> int:
        return len(self.sizes)


class SearchState:
    """A test set that groups are added to and removed from.

    `vector` holds the number of units that count for each share, then the sizes of the test set
    (sentences, tokens, mentions of each type). Each move updates it without a recount.
    """

    def __init__(self, groups: MovableGroups, chosen: Bools) -> None:
        self.groups, self.chosen = groups, chosen.copy()
        self._test = [units.in_test(chosen) for units in groups.units]
        self._hits = [
            units.all_hits(test) for units, test in zip(groups.units, self._test, strict=True)
        ]
        totals = sum(hits.sum(axis=1) for hits in self._hits)
        self.vector = np.concatenate([totals, chosen @ groups.sizes])

    def changes(self, moved: Ints) -> Floats:
        """By group: the change of the vector if only this group changed sides."""
        sign = np.where(self.chosen[moved], -1, 1)
        hits = sum(_hit_changes(*tables, moved, sign) for tables in self._tables())
        return np.vstack([hits, (sign * self.groups.sizes[moved].T)]).T

    def flip(self, group: int) -> None:
        """Move a group to the other side."""
        self.vector = self.vector + self.changes(np.array([group]))[0]
        sign = -1 if self.chosen[group] else 1
        for units, test, hits in self._tables():
            entries = slice(units.first[group], units.first[group + 1])
            family = units.family[entries]
            test[:, family] += sign * units.counts[:, entries]
            hits[:, family] = units.hits(test[:, family], family)
        self.chosen[group] = not self.chosen[group]

    def _tables(self) -> Iterator[tuple[UnitFamilies, Ints, Ints]]:
        return zip(self.groups.units, self._test, self._hits, strict=True)


def _hit_changes(units: UnitFamilies, test: Ints, hits: Ints, moved: Ints, sign: Ints) -> Ints:
    """By share and group: the change in units that count if the group changed sides."""
    first, end = units.first[moved], units.first[moved + 1]
    entries = expand_ranges(first, end)
    family = units.family[entries]
    test_then = test[:, family] + np.repeat(sign, end - first) * units.counts[:, entries]
    # Sums over the entries of each group, as differences of one cumulative sum, because
    # np.add.reduceat gives a wrong value for a group without entries.
    sums = np.zeros((len(hits), len(entries) + 1), np.int64)
    np.cumsum(units.hits(test_then, family) - hits[:, family], axis=1, out=sums[:, 1:])
    ends = np.cumsum(end - first)
    changes: Ints = sums[:, ends] - sums[:, ends - (end - first)]
    return changes


@dataclass(frozen=True, slots=True, eq=False)
class Target:
    """The target of a design. Its methods take vectors of `SearchState`."""

    shares: Floats  # by share
    of_mentions: Bools  # by share: whether its units are mentions; otherwise tokens
    sentences: int  # in all data
    size: float  # target share of all sentences
    types: Floats  # by type: its share of all mentions of the data

    def denominators(self, vectors: Floats) -> Floats:
        """The denominators of shares, size and types: mentions, tokens, or all sentences."""
        tokens, types = vectors[..., -len(self.types) - 1, None], vectors[..., -len(self.types) :]
        mentions = types.sum(axis=-1, keepdims=True)
        sentences = np.full_like(mentions, self.sentences)
        shares = np.where(self.of_mentions, mentions, tokens)
        return np.concatenate([shares, sentences, mentions], axis=-1)

    def measures(self, vectors: Floats) -> Floats:
        """The shares, the size, and the total variation of the types; NaN if undefined."""
        n = self.denominators(vectors)
        measures = np.zeros_like(n)
        with np.errstate(invalid="ignore"):
            measures[..., :-1] = vectors[..., : len(self.shares) + 1] / n[..., :-1]
            types = vectors[..., -len(self.types) :] / n[..., -1:]
        measures[..., -1] = np.abs(types - self.types).sum(axis=-1) / 2
        return measures

    def cost(self, vectors: Floats) -> Floats:
        """The distance of test sets from the target; largest if a measure is undefined."""
        measures = self.measures(vectors)
        missed = np.nan_to_num(np.abs(measures[..., :-2] - self.shares), nan=1.0).sum(axis=-1)
        size_error = np.abs(measures[..., -2] / self.size - 1)
        type_error = np.nan_to_num(measures[..., -1], nan=1.0)
        excess = np.maximum(size_error - SIZE_TOLERANCE, 0)
        excess += np.maximum(type_error - TYPE_TOLERANCE, 0)
        cost: Floats = missed + _PENALTY * excess
        return cost


def random_groups(groups: MovableGroups, target: Target, rng: np.random.Generator) -> Bools:
    """Random groups with a total close to the target size, without groups larger than that."""
    size = target.size * target.sentences
    fitting = np.flatnonzero(groups.sizes[:, 0] <= size)
    order = rng.permutation(fitting if len(fitting) else len(groups))
    sizes = np.cumsum(groups.sizes[order, 0])
    chosen = np.zeros(len(groups), bool)
    chosen[order[: np.abs(sizes - size).argmin() + 1]] = True
    return chosen


def search_groups(
    groups: MovableGroups, target: Target, start: Bools, rng: np.random.Generator
) -> Bools:
    """The groups of a test set that is at least as close to the target as the start.

    This is simulated annealing: if the descent ends too early, uphill steps are allowed with a
    falling temperature. The search ends after a number of steps, not after a time, so that the same
    seed gives the same groups on every machine.
    """
    state = SearchState(groups, start)
    cost = _descend(state, target, rng)
    best = state.chosen.copy()
    if cost > _GOOD_ENOUGH:
        for temperature in _TEMPERATURES:
            _run_round(state, target, temperature, rng)
        if _descend(state, target, rng) < cost:
            best = state.chosen
    return best


def _descend(state: SearchState, target: Target, rng: np.random.Generator) -> float:
    """Descend until the target is reached, or until a round gains almost nothing."""
    cost, before = float(target.cost(state.vector)), np.inf
    while _GOOD_ENOUGH < cost < _STALLED * before:
        before = cost
        _run_round(state, target, 0.0, rng)
        cost = float(target.cost(state.vector))
    return cost


def _run_round(
    state: SearchState, target: Target, temperature: float, rng: np.random.Generator
) -> None:
    candidates = _candidates_per_step(state.groups)
    for _ in range(max(_MIN_STEPS, len(state.groups) // _GROUPS_PER_STEP)):
        _take_step(state, target, candidates, temperature, rng)


def _candidates_per_step(groups: MovableGroups) -> int:
    """The number of groups that a step evaluates per side: fewer if groups are large."""
    entries = sum(len(units.family) for units in groups.units)
    candidates = _ENTRIES_PER_STEP * len(groups) / max(1, entries)
    return int(np.clip(candidates, _MIN_CANDIDATES, _MAX_CANDIDATES))


def _take_step(
    state: SearchState,
    target: Target,
    candidates: int,
    temperature: float,
    rng: np.random.Generator,
) -> None:
    """Swap the best pair of some groups inside and outside the test set, or move the best group.

    Nothing moves if that costs less. The temperature adds to the cost of not moving.
    """
    outside, inside = (
        rng.choice(pool, min(candidates, len(pool)), replace=False)
        for pool in (np.flatnonzero(~state.chosen), np.flatnonzero(state.chosen))
    )
    changes = state.changes(np.concatenate([outside, inside]))
    stay = np.zeros((1, len(state.vector)))
    # Row 0 of both tables is "no group": costs[0, 0] moves nothing, costs[i, 0] adds a group.
    added = np.vstack([stay, changes[: len(outside)]])
    removed = np.vstack([stay, changes[len(outside) :]])
    costs = target.cost(state.vector + added[:, None] + removed)
    costs[0, 0] += temperature * rng.exponential()
    first, second = np.unravel_index(costs.argmin(), costs.shape)
    moved = [*outside[first - 1 : first], *inside[second - 1 : second]]  # [-1:0] is empty
    _flip_all(state, moved)
    # The change of a pair is the sum of both changes only if they have no family in common.
    # Otherwise the true cost may be higher than expected; then the step is undone.
    if target.cost(state.vector) > costs[0, 0]:
        _flip_all(state, moved)


def _flip_all(state: SearchState, groups: Iterable[int]) -> None:
    for group in groups:
        state.flip(group)
