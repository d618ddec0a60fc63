"""Groups of sentences that stay together, and how parts are drawn from them."""

from dataclasses import dataclass

import numpy as np

from nerscope.corpus.arrays import Bools, Floats, Ints

_NEARLY_ZERO = 1e-9  # stands for a target of zero, so that nothing is divided by zero


def link_units(units: Ints, codes: Ints) -> Ints:
    """The group of each sentence: units with a sentence in common are one group.

    `units` is the number of what stays whole (a document, or a run of sentences), by sentence;
    sentences with the same tokens have the same code. Groups are numbered in the order in which
    they begin. Here documents 0 and 2 share the sentence with code 7:

    >>> link_units(np.array([0, 0, 1, 2]), np.array([7, 8, 9, 7])).tolist()
    [0, 0, 1, 0]
    """
    first_unit = np.zeros(int(codes.max()) + 1, np.int64)
    first_unit[codes[::-1]] = units[::-1]  # assigned backwards, so the first one wins
    return renumber(_components(first_unit[codes], units)[units])


def renumber(labels: Ints) -> Ints:
    """Numbers from 0 on, without gaps, in the order of the labels."""
    return np.unique(labels, return_inverse=True)[1]


def _components(left: Ints, right: Ints) -> Ints:
    """By node: the smallest node of its connected component; edges lead from left to right.

    In each round, every root is attached to the smallest root that an edge connects it with, and
    all paths are shortened. Only roots smaller than all their neighbours survive a round, so a few
    rounds are enough.
    """
    root = np.arange(int(max(left.max(), right.max())) + 1)
    while True:
        left_root, right_root = root[left], root[right]
        low, high = np.minimum(left_root, right_root), np.maximum(left_root, right_root)
        if (low == high).all():
            return root
        np.minimum.at(root, high, low)
        while (root[root] != root).any():
            root = root[root]


@dataclass(frozen=True, slots=True, eq=False)
class GroupWeights:
    """The size of each group: its sentences, then its mentions of each type."""

    weights: Floats  # by group and measure; the first measure is the number of sentences
    stratify: bool

    @property
    def sizes(self) -> Floats:
        return self.weights[:, 0]

    @property
    def measures(self) -> Floats:
        """The weights that drawing balances: all of them, or the number of sentences only."""
        return self.weights if self.stratify else self.weights[:, :1]


def weigh_groups(group: Ints, sentence: Ints, type_: Ints, stratify: bool) -> GroupWeights:
    """Weigh groups; `sentence` and `type_` describe the mentions."""
    n, types = int(group.max()) + 1, int(type_.max(initial=-1)) + 1
    weights = np.zeros((n, 1 + types))
    weights[:, 0] = np.bincount(group, minlength=n)
    np.add.at(weights, (group[sentence], 1 + type_), 1)
    return GroupWeights(weights, stratify)


def generator(seed: int, *path: int) -> np.random.Generator:
    """An independent random generator for each path, as (part, number of the split)."""
    return np.random.Generator(np.random.PCG64([seed, *path]))


def deal_folds(groups: GroupWeights, k: int, rng: np.random.Generator) -> Ints:
    """The fold of each group. The largest groups are dealt first: small ones fill the gaps."""
    order = rng.permutation(len(groups.sizes))
    order = order[np.argsort(-groups.sizes[order], kind="stable")]
    targets = np.tile(groups.measures.sum(axis=0) / k, (k, 1))
    return _deal(groups.measures, targets, order)


def draw_share(groups: GroupWeights, share: float, free: Bools, rng: np.random.Generator) -> Bools:
    """Choose free groups that make up a share of all sentences; none if all are too large."""
    order = rng.permutation(np.flatnonzero(free))
    if not groups.stratify:
        return _fill(groups.sizes, order, share * groups.sizes.sum())
    measures = groups.measures
    target = share * measures.sum(axis=0)
    remainder = np.maximum(measures[free].sum(axis=0) - target, 0)
    # Groups larger than the target are dealt first: they can only go to the remainder.
    too_large = groups.sizes[order] > target[0]
    order = np.concatenate([order[too_large], order[~too_large]])
    chosen: Bools = _deal(measures, np.stack([remainder, target]), order) == 1
    return chosen


def _fill(sizes: Floats, order: Ints, target: float) -> Bools:
    """Take each group that still fits, in the given order.

    At the end the smallest other group is taken too if that brings the size nearer to the target.
    """
    taken, left = np.zeros(len(sizes), bool), target + 1e-9
    for group, size in zip(order.tolist(), sizes[order].tolist(), strict=True):
        if size <= left:
            taken[group] = True
            left -= size
    others = order[~taken[order]]
    if len(others):
        smallest = others[np.argmin(sizes[others])]
        taken[smallest] = sizes[smallest] < 2 * left
    return taken


def _deal(measures: Floats, targets: Floats, order: Ints) -> Ints:
    """Deal groups to parts, each to the part whose chi-square distance from its target grows least;
    -1 for groups that are not in `order`.

    A part with target t that still misses m has the distance m²/t. With a group of size g it is
    (m - g)²/t: the growth is g²/t - 2gm/t. For t = 10 and g = 4, a part that misses 8 grows by
    1.6 - 6.4 = -4.8, a part that misses 2 by 1.6 - 1.6 = 0: the first one gets the group.
    """
    part = np.full(len(measures), -1)
    weight = np.ones(targets.shape[1])
    weight[0] = max(1, len(weight) - 1)  # the size counts as much as all types together
    scale = weight / np.maximum(targets, _NEARLY_ZERO)
    squares = measures**2 @ scale.T  # g²/t by group and part
    missing = 2 * targets * scale  # 2m/t by part and measure, updated with every group
    for group in order.tolist():
        best = (squares[group] - missing @ measures[group]).argmin()
        part[group] = best
        missing[best] -= 2 * scale[best] * measures[group]
    return part
