"""What a test set holds, counted family by family, so that moving a group costs little.

A unit is a mention or a token. Units with the same surface (or the same token) are a family, and
how hard they are is a function of two columns: how often the family has each label in train, and in
test. So every share is a sum over families, and a group that moves changes only the families it
has.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from nerscope.corpus.arrays import Bools, Floats, Ints, count_table, expand_ranges
from nerscope.facets.hard import DIFF_E, DIFF_I, DIFF_O, OTHER, UNSEEN_I, UNSEEN_O
from nerscope.facets.tmr import CONFUSABLE, SEEN, UNSEEN_TOKENS, UNSEEN_TYPE


def tough_codes(train: Ints, test: Ints) -> Ints:
    """The codes of mentions, from how often each type (row) stands on each surface (column)."""
    known = train.any(axis=0)
    codes: Ints = np.where(train > 0, SEEN, np.where(known, UNSEEN_TYPE, UNSEEN_TOKENS))
    codes += CONFUSABLE * ((test > 0).sum(axis=0) >= 2)
    return codes


def hard_codes(train: Ints, test: Ints) -> Ints:
    """The codes of tokens, from how often each token (column) is outside, and inside each type."""
    outside, by_type = train[0], train[1:]
    inside, most = by_type.sum(axis=0), by_type.max(axis=0, initial=0)
    if_outside = np.where(outside < inside, DIFF_O, OTHER)
    if_inside = np.where(inside < outside, DIFF_I, np.where(by_type < most, DIFF_E, OTHER))
    codes = np.vstack([if_outside, if_inside])
    unseen = inside + outside == 0
    codes[0, unseen], codes[1:, unseen] = UNSEEN_O, UNSEEN_I
    return codes


@dataclass(frozen=True, slots=True, eq=False)
class Units:
    """All units of one kind; an entry is a family in a group, with its count of every label."""

    group: Ints  # by unit
    cell: Ints  # by unit: its label and family, as a place in `total`
    first: Ints  # by group: its first entry, and at last the end
    family: Ints  # by entry
    counts: Ints  # by label and entry
    total: Ints  # by label and family
    codes: Callable[[Ints, Ints], Ints]  # of such tables in train and test
    worth: Ints  # by wanted share and code: 1 if units with the code count

    def counting(self, test: Ints, family: Ints) -> Ints:
        """By wanted share: how many units of each family count if test has so many of them."""
        codes = self.codes(self.total[:, family] - test, test)
        return np.array([(test * worth[codes]).sum(axis=0) for worth in self.worth])

    def in_test(self, chosen: Bools) -> Ints:
        """By label and family: how many units the chosen groups have."""
        cells = self.cell[chosen[self.group]]
        return np.bincount(cells, minlength=self.total.size).reshape(self.total.shape)


def units_of(
    group: Ints,
    family: Ints,
    label: Ints,
    codes: Callable[[Ints, Ints], Ints],
    *,
    groups: int,
    worth: Ints,
) -> Units:
    """Gather units by group and family; a unit whose group is -1 is left out."""
    inside = group >= 0
    group, label = group[inside], label[inside].astype(np.int64)
    known, family = np.unique(family[inside], return_inverse=True)
    families, labels = max(1, len(known)), int(label.max(initial=0)) + 1
    keys, entry = np.unique(group * families + family, return_inverse=True)
    return Units(
        group,
        cell=label * len(known) + family,
        first=np.searchsorted(keys, np.arange(groups + 1) * families),
        family=keys % families,
        counts=count_table(label, entry, (labels, len(keys))),
        total=count_table(label, family, (labels, len(known))),
        codes=codes,
        worth=worth,
    )


@dataclass(frozen=True, slots=True, eq=False)
class Groups:
    """What can be moved: the sizes of every group, and its units."""

    sizes: Floats  # by group: sentences, tokens, mentions of each type
    units: list[Units]

    def __len__(self) -> int:
        return len(self.sizes)


class State:
    """A test set to which groups come and go.

    Its `vector` holds the units that count for each wanted share, then the sizes of the test set.
    """

    def __init__(self, groups: Groups, chosen: Bools) -> None:
        self.groups, self.chosen = groups, chosen.copy()
        self._test = [units.in_test(chosen) for units in groups.units]
        self._counting = [_counting(*one) for one in zip(groups.units, self._test, strict=True)]
        hits = sum(counting.sum(axis=1) for counting in self._counting)
        self.vector = np.concatenate([hits, chosen @ groups.sizes])

    def changes(self, moved: Ints) -> Floats:
        """By group: how the vector would change if this group alone changed sides."""
        sign = np.where(self.chosen[moved], -1, 1)
        hits = sum(_changes(*kind, moved, sign) for kind in self._kinds())
        return np.vstack([hits, (sign * self.groups.sizes[moved].T)]).T

    def flip(self, group: int) -> None:
        """Let a group change sides."""
        self.vector = self.vector + self.changes(np.array([group]))[0]
        sign = -1 if self.chosen[group] else 1
        for units, test, counting in self._kinds():
            entries = slice(units.first[group], units.first[group + 1])
            family = units.family[entries]
            test[:, family] += sign * units.counts[:, entries]
            counting[:, family] = units.counting(test[:, family], family)
        self.chosen[group] = not self.chosen[group]

    def _kinds(self) -> Iterator[tuple[Units, Ints, Ints]]:
        return zip(self.groups.units, self._test, self._counting, strict=True)


def _counting(units: Units, test: Ints) -> Ints:
    """By wanted share and family: how many units in test count."""
    counting = np.zeros((len(units.worth), test.shape[1]), np.int64)
    used = np.flatnonzero(test.any(axis=0))
    counting[:, used] = units.counting(test[:, used], used)
    return counting


def _changes(units: Units, test: Ints, counting: Ints, moved: Ints, sign: Ints) -> Ints:
    """By wanted share and group: how many more units would count."""
    first, end = units.first[moved], units.first[moved + 1]
    entries = expand_ranges(first, end)
    family = units.family[entries]
    then = test[:, family] + np.repeat(sign, end - first) * units.counts[:, entries]
    sums = np.zeros((len(counting), len(entries) + 1), np.int64)
    np.cumsum(units.counting(then, family) - counting[:, family], axis=1, out=sums[:, 1:])
    ends = np.cumsum(end - first)
    changes: Ints = sums[:, ends] - sums[:, ends - (end - first)]
    return changes
