"""Drawing parts out of groups: near the wanted size and, if asked for, the mix of types."""

from dataclasses import dataclass

import numpy as np

from nerscope.corpus.arrays import Bools, Floats, Ints

_NOTHING = 1e-9  # in place of a wanted count of zero


@dataclass(frozen=True, slots=True, eq=False)
class Groups:
    """How much each group weighs: its sentences, then its mentions of each type."""

    weights: Floats  # by group and measure; the first measure is the number of sentences
    stratify: bool

    @property
    def sizes(self) -> Floats:
        """The sentences of each group."""
        return self.weights[:, 0]

    @property
    def measured(self) -> Floats:
        """What is kept near its share."""
        return self.weights if self.stratify else self.weights[:, :1]


def groups_of(group: Ints, sentence: Ints, kind: Ints, stratify: bool) -> Groups:
    """Weigh groups; mentions are given by their sentence and type."""
    n, kinds = int(group.max()) + 1, int(kind.max(initial=-1)) + 1
    weights = np.zeros((n, 1 + kinds))
    weights[:, 0] = np.bincount(group, minlength=n)
    np.add.at(weights, (group[sentence], 1 + kind), 1)
    return Groups(weights, stratify)


def generator(seed: int, *path: int) -> np.random.Generator:
    """A source of chance of its own for each place in a family of splits."""
    return np.random.Generator(np.random.PCG64([seed, *path]))


def folds(groups: Groups, k: int, rng: np.random.Generator) -> Ints:
    """The fold of each group: the largest are dealt first, each to where it is missed most."""
    order = rng.permutation(len(groups.sizes))
    order = order[np.argsort(-groups.sizes[order], kind="stable")]
    wants = np.tile(groups.measured.sum(axis=0) / k, (k, 1))
    return _dealt(groups.measured, wants, order)


def drawn(groups: Groups, share: float, free: Bools, rng: np.random.Generator) -> Bools:
    """Groups that make up a share of all sentences, out of those that are free; none if every
    group is too large.
    """
    order = rng.permutation(np.flatnonzero(free))
    if not groups.stratify:
        return _filled(groups.sizes, order, share * groups.sizes.sum())
    measured = groups.measured
    want = share * measured.sum(axis=0)
    rest = np.maximum(measured[free].sum(axis=0) - want, 0)
    too_large = groups.sizes[order] > want[0]
    order = np.concatenate([order[too_large], order[~too_large]])  # these belong to the rest
    chosen: Bools = _dealt(measured, np.stack([rest, want]), order) == 1
    return chosen


def _filled(sizes: Floats, order: Ints, want: float) -> Bools:
    """Groups in a random order, each taken if it still fits; one more if that comes nearer."""
    taken, left = np.zeros(len(sizes), bool), want + 1e-9
    for group, size in zip(order.tolist(), sizes[order].tolist(), strict=True):
        if size <= left:
            taken[group] = True
            left -= size
    rest = order[~taken[order]]
    if len(rest):
        smallest = rest[np.argmin(sizes[rest])]
        taken[smallest] = sizes[smallest] < 2 * left
    return taken


def _dealt(measured: Floats, wants: Floats, order: Ints) -> Ints:
    """Deal groups to parts, each to the part whose distance (chi-square) from what it wants grows
    least by it; -1 for those that are not dealt.

    A part that wants w and still misses m has the distance m²/w. With a group of size g it is
    (m - g)²/w, which is more by g²/w - 2gm/w.
    """
    part = np.full(len(measured), -1)
    weight = np.ones(wants.shape[1])
    weight[0] = max(1, len(weight) - 1)  # the size counts as much as all types together
    scale = weight / np.maximum(wants, _NOTHING)
    own, misses = measured**2 @ scale.T, 2 * wants * scale
    for group in order.tolist():
        best = (own[group] - misses @ measured[group]).argmin()
        part[group] = best
        misses[best] -= 2 * scale[best] * measured[group]
    return part
