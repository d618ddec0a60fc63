"""Decide which part of each split every sentence goes to."""

import re
from collections import Counter
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from nerscope.corpus.arrays import Bools, Ints
from nerscope.dataset.split.groups import (
    GroupWeights,
    deal_folds,
    draw_share,
    generator,
    link_units,
    renumber,
    weigh_groups,
)
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
_FOLDS_PATH = (
    0  # of the random generator that deals folds; those that draw a part are numbered by it
)


class SplitPlan(NamedTuple):
    """The part of each sentence in every split, and what led to it."""

    parts: dict[str, Ints]  # by split, then by sentence: TRAIN, DEV or TEST
    unit: str  # what stays whole: SENTENCE or DOCUMENT
    units: Ints  # by sentence: the number of its unit
    group: Ints  # by sentence: units that share a sentence are one group
    codes: Ints  # by sentence: equal if the tokens are equal
    design: list[DesignRow]  # rows of a designed test set; empty for other kinds


class _Draw(NamedTuple):
    """Everything that drawing needs to know."""

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
    """Form groups that stay together, and distribute them over the parts of each split."""
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
                f"nothing is left to train on in {split}",
                "give smaller shares, more data, or --by sentence",
            )
    return SplitPlan(parts, unit, units, group, codes, design)


def _units(material: Material, options: SplitSettings) -> tuple[str, Ints]:
    """What stays whole: documents, or sentences together with those they are joined with."""
    documents = material.corpus.documents
    if options.by == DOCUMENT and not material.has_documents:
        raise InputError(
            material.corpus.name,
            "no documents are marked in it",
            "mark them with -DOCSTART- or # newdoc, name their column, or say --by sentence",
        )
    if options.by == DOCUMENT or (options.by is None and material.has_documents):
        return DOCUMENT, renumber(documents)
    return SENTENCE, context_runs(documents, options.context)


def _folds(draw: _Draw) -> Iterator[tuple[str, Ints]]:
    k, n_groups = draw.options.folds or 0, len(draw.weights.sizes)
    if n_groups < k:
        raise InputError(
            draw.name,
            f"{plural(n_groups, draw.unit)} that share nothing are too few for {k} folds",
            "ask for fewer folds, or say --by sentence or --allow-leaks",
        )
    fold = deal_folds(draw.weights, k, generator(draw.options.seed, _FOLDS_PATH))
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
        raise InputError(draw.name, "there is only one file to leave out", "give one per domain")
    if not draw.options.allow_leaks:
        _check_disjoint_sources(draw)
    source_of_group = np.zeros(len(draw.weights.sizes), np.int64)
    source_of_group[draw.group] = draw.material.source_of_sentence
    for number, name in enumerate(_distinct([stem_of(origin.name) for origin in origins])):
        yield name, _with_dev(draw, source_of_group == number, number)


def _check_disjoint_sources(draw: _Draw) -> None:
    pairs = np.unique(np.stack([draw.codes, draw.material.source_of_sentence]), axis=1)
    # A code that is paired with two sources is a sentence that both of them have.
    shared = np.isin(draw.codes, np.flatnonzero(np.bincount(pairs[0]) > 1))
    if shared.any():
        raise InputError(
            draw.name,
            f"{plural(int(shared.sum()), 'sentence')} of these files are in another of them too",
            "take them out, or say --allow-leaks",
        )


def _distinct(names: list[str]) -> list[str]:
    """Names that folders and TOML keys can have, each once."""
    plain = [re.sub(r"[^\w-]+", "-", name, flags=re.ASCII).strip("-") or "data" for name in names]
    times = Counter(plain)
    return [name if times[name] == 1 else f"{name}-{place}" for place, name in enumerate(plain, 1)]


def _designed_split(draw: _Draw) -> tuple[dict[str, Ints], list[DesignRow]]:
    """A designed test set. Dev is drawn before it, so that dev is like the training data."""
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
        "ask for a larger share, or say --by sentence or --allow-leaks",
    )


_SPLITTERS: dict[str, Callable[[_Draw], Iterator[tuple[str, Ints]]]] = {
    FOLDS: _folds,
    RANDOM: _random,
    LEAVE_OUT: _leave_out,
}
