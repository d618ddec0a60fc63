"""Assign every sentence to a part of each split.

Sentences that must stay together form groups, and parts are drawn from whole groups. The kinds of
split come first in this module, the arithmetic of groups follows.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from nerscope.corpus.arrays import Bools, Floats, Ints
from nerscope.dataset.split.hard import DesignRow, design_test_set
from nerscope.dataset.split.material import Material
from nerscope.dataset.split.options import (
    DOCUMENT,
    FOLDS,
    HARD,
    LEAVE_OUT,
    RANDOM,
    SENTENCE,
    SplitSettings,
)
from nerscope.dataset.split.texts import context_runs
from nerscope.errors import InputError, plural
from nerscope.formats.base import stem_of

TRAIN, DEV, TEST = range(3)
PARTS = ("train", "dev", "test")
# Path of the random generator for folds; generators for parts use the number of the part.
_FOLDS_PATH = 0
_NEARLY_ZERO = 1e-9  # replaces a target of zero to avoid a division by zero


class SplitPlan(NamedTuple):
    """The part of each sentence in every split, with the units and groups behind it."""

    parts: dict[str, Ints]  # by split, then by sentence: TRAIN, DEV or TEST
    unit: str  # the unit that is not split: SENTENCE or DOCUMENT
    units: Ints  # by sentence: the number of its unit
    group: Ints  # by sentence: units with a common sentence form a group
    codes: Ints  # by sentence: equal if the tokens are equal
    design: list[DesignRow]  # rows of a designed test set; empty for other kinds


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
        """The weights to balance: all of them, or only the number of sentences."""
        return self.weights if self.stratify else self.weights[:, :1]


class _Draw(NamedTuple):
    """The input of drawing parts."""

    material: Material
    options: SplitSettings
    unit: str
    group: Ints
    codes: Ints
    weights: GroupWeights

    @property
    def name(self) -> str:
        return self.material.corpus.name


def make_plan(material: Material, options: SplitSettings) -> SplitPlan:
    """Form groups, and distribute them over the parts of each split."""
    unit, units = _units(material, options)
    codes = material.sentence_codes()
    group = renumber(units) if options.allow_leaks else link_units(units, codes)
    weights = weigh_groups(group, *material.mentions(), options.stratify)
    draw = _Draw(material, options, unit, group, codes, weights)
    if options.kind == HARD:
        parts, design = _designed_split(draw)
    else:
        parts, design = dict(_SPLITTERS[options.kind](draw)), []
    for split, part in parts.items():
        if not (part == TRAIN).any():
            raise InputError(
                draw.name,
                f"no training data is left in {split}",
                "give smaller shares, more data or --by sentence",
            )
    return SplitPlan(parts, unit, units, group, codes, design)


def _units(material: Material, options: SplitSettings) -> tuple[str, Ints]:
    """The units that are not split: documents, or sentences (with context: joined sentences)."""
    documents = material.corpus.documents
    if options.by == DOCUMENT and not material.has_documents:
        raise InputError(
            material.corpus.name,
            "no documents are marked",
            "--by sentence, FILE::document=COLUMN, or mark documents with -DOCSTART- or # newdoc",
        )
    if options.by == DOCUMENT or (options.by is None and material.has_documents):
        return DOCUMENT, renumber(documents)
    return SENTENCE, context_runs(documents, options.context)


def _folds(draw: _Draw) -> Iterator[tuple[str, Ints]]:
    k, n_groups = draw.options.folds or 0, len(draw.weights.sizes)
    if n_groups < k:
        raise InputError(
            draw.name,
            f"{plural(n_groups, draw.unit)} without common sentences are too few for {k} folds",
            "give fewer folds, --by sentence or --allow-leaks",
        )
    fold = fold_of_groups(draw.weights, k, draw.options.seed)
    for number in range(k):
        yield f"fold-{number + 1}", _with_dev(draw, fold == number, number)


def _random(draw: _Draw) -> Iterator[tuple[str, Ints]]:
    everything = np.ones(len(draw.weights.sizes), bool)
    for number in range(draw.options.random or 0):
        test = _draw_part(draw, TEST, everything, number)
        yield f"random-{number + 1}", _with_dev(draw, test, number)


def _leave_out(draw: _Draw) -> Iterator[tuple[str, Ints]]:
    origins = draw.material.origins
    if len(origins) < 2:
        raise InputError(draw.name, "only one file is given", "give one file per domain")
    if not draw.options.allow_leaks:
        _check_disjoint_sources(draw)
    source_of_group = np.zeros(len(draw.weights.sizes), np.int64)
    source_of_group[draw.group] = draw.material.source_of_sentence
    for number, name in enumerate(_distinct([stem_of(origin.name) for origin in origins])):
        yield name, _with_dev(draw, source_of_group == number, number)


def _check_disjoint_sources(draw: _Draw) -> None:
    pairs = np.unique(np.stack([draw.codes, draw.material.source_of_sentence]), axis=1)
    # A code that occurs with two sources is a sentence in both of them.
    shared = np.isin(draw.codes, np.flatnonzero(np.bincount(pairs[0]) > 1))
    if shared.any():
        raise InputError(
            draw.name,
            f"these files have {plural(int(shared.sum()), 'sentence')} in common",
            "remove them, or give --allow-leaks",
        )


def _distinct(names: list[str]) -> list[str]:
    """Distinct names that are valid for folders and TOML keys."""
    plain = [re.sub(r"[^\w-]+", "-", name, flags=re.ASCII).strip("-") or "data" for name in names]
    times = Counter(plain)
    return [name if times[name] == 1 else f"{name}-{place}" for place, name in enumerate(plain, 1)]


def _designed_split(draw: _Draw) -> tuple[dict[str, Ints], list[DesignRow]]:
    """A designed test set. Dev is drawn first, so that it resembles the training data."""
    options, no_group = draw.options, np.zeros(len(draw.weights.sizes), bool)
    dev = _draw_part(draw, DEV, ~no_group, 0)[draw.group] if options.dev else None
    assert options.hard is not None
    assert options.test is not None
    design = design_test_set(
        draw.material.corpus,
        draw.group,
        options.hard,
        size=options.test,
        held=dev,
        seed=options.seed,
    )
    if not design.test.any():
        raise _nothing_fits(draw, TEST, options.test)
    held = no_group[draw.group] if dev is None else dev
    return {HARD: _parts(design.test, held)}, design.rows


def _with_dev(draw: _Draw, test: Bools, number: int) -> Ints:
    """The part of each sentence, given the groups of the test set; dev is drawn from the others."""
    dev = _draw_part(draw, DEV, ~test, number) if draw.options.dev else np.zeros_like(test)
    return _parts(test[draw.group], dev[draw.group])


def _parts(test: Bools, dev: Bools) -> Ints:
    return np.where(test, TEST, np.where(dev, DEV, TRAIN))


def _draw_part(draw: _Draw, part: int, free: Bools, number: int) -> Bools:
    share = (draw.options.test if part == TEST else draw.options.dev) or 0.0
    chosen = draw_share(draw.weights, share, free, generator(draw.options.seed, part, number))
    if not chosen.any():
        raise _nothing_fits(draw, part, share)
    return chosen


def _nothing_fits(draw: _Draw, part: int, share: float) -> InputError:
    return InputError(
        draw.name,
        f"no {draw.unit} fits into a {PARTS[part]} set of {100 * share:g} %",
        "give a larger share, --by sentence or --allow-leaks",
    )


_SPLITTERS: dict[str, Callable[[_Draw], Iterator[tuple[str, Ints]]]] = {
    FOLDS: _folds,
    RANDOM: _random,
    LEAVE_OUT: _leave_out,
}


def link_units(units: Ints, codes: Ints) -> Ints:
    """The group of each sentence: units with a common sentence form a group.

    `units` is the number of the unit (a document, or a run of sentences) of each sentence;
    sentences with the same text have the same code. Groups are numbered in the order of their
    first sentences. Here documents 0 and 2 share the sentence with code 7:

    >>> link_units(np.array([0, 0, 1, 2]), np.array([7, 8, 9, 7])).tolist()
    [0, 0, 1, 0]
    """
    first_unit = np.zeros(int(codes.max()) + 1, np.int64)
    first_unit[codes[::-1]] = units[::-1]  # assigned backwards, so that the first unit remains
    return renumber(_components(first_unit[codes], units)[units])


def renumber(labels: Ints) -> Ints:
    """Numbers from 0, without gaps, in the order of the labels."""
    return np.unique(labels, return_inverse=True)[1]


def _components(left: Ints, right: Ints) -> Ints:
    """By node: the smallest node of its connected component; edges connect left with right.

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


def weigh_groups(group: Ints, sentence: Ints, type_: Ints, stratify: bool) -> GroupWeights:
    """Weigh groups; `sentence` and `type_` describe the mentions."""
    n, types = int(group.max()) + 1, int(type_.max(initial=-1)) + 1
    weights = np.zeros((n, 1 + types))
    weights[:, 0] = np.bincount(group, minlength=n)
    np.add.at(weights, (group[sentence], 1 + type_), 1)
    return GroupWeights(weights, stratify)


def generator(seed: int, *path: int) -> np.random.Generator:
    """An independent random generator for each path, such as (part, number of the split)."""
    return np.random.Generator(np.random.PCG64([seed, *path]))


def fold_of_groups(groups: GroupWeights, k: int, seed: int) -> Ints:
    """The fold of each group, from 0; the same seed gives the same folds."""
    return deal_folds(groups, k, generator(seed, _FOLDS_PATH))


def deal_folds(groups: GroupWeights, k: int, rng: np.random.Generator) -> Ints:
    """The fold of each group. The largest groups are dealt first, small ones fill the gaps."""
    order = rng.permutation(len(groups.sizes))
    order = order[np.argsort(-groups.sizes[order], kind="stable")]
    targets = np.tile(groups.measures.sum(axis=0) / k, (k, 1))
    return _deal(groups.measures, targets, order)


def draw_share(groups: GroupWeights, share: float, free: Bools, rng: np.random.Generator) -> Bools:
    """Choose free groups with a total share of all sentences; none if all are too large."""
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
    """The part of each group; -1 for groups that are not in `order`.

    A group goes to the part whose chi-square distance from its target increases least. A part with
    target t that still lacks m has the distance m²/t. With a group of size g it is (m - g)²/t: the
    increase is g²/t - 2gm/t. For t = 10 and g = 4, the distance of a part that lacks 8 changes by
    1.6 - 6.4 = -4.8, and that of a part that lacks 2 by 1.6 - 1.6 = 0: the first part gets it.
    """
    part = np.full(len(measures), -1)
    weight = np.ones(targets.shape[1])
    weight[0] = max(1, len(weight) - 1)  # the size has the same weight as all types together
    scale = weight / np.maximum(targets, _NEARLY_ZERO)
    squares = measures**2 @ scale.T  # g²/t by group and part
    missing = 2 * targets * scale  # 2m/t by part and measure, updated with every group
    for group in order.tolist():
        best = (squares[group] - missing @ measures[group]).argmin()
        part[group] = best
        missing[best] -= 2 * scale[best] * measures[group]
    return part
