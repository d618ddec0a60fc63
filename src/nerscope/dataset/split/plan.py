"""The plan: which part of each split every sentence goes to."""

import re
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from nerscope.corpus.arrays import Bools, Ints
from nerscope.dataset.split.asked import Asked
from nerscope.dataset.split.context import context_runs
from nerscope.dataset.split.draw import Groups, drawn, folds, generator, groups_of
from nerscope.dataset.split.groups import dense, linked
from nerscope.dataset.split.hard import design
from nerscope.dataset.split.material import Material
from nerscope.errors import InputError, plural
from nerscope.formats.base import stem_of

TRAIN, DEV, TEST = range(3)
PARTS = ("train", "dev", "test")
_FOLDS, _TEST, _DEV = range(3)  # what chance is for


class Plan(NamedTuple):
    """The parts of each split by sentence, and how they came about."""

    parts: dict[str, Ints]
    noun: str  # what moves as a whole
    units: Ints  # of each sentence
    group: Ints  # of each sentence: units that share one move together
    codes: Ints  # of each sentence: equal if the tokens are
    design: list[dict[str, Any]]


class _Case(NamedTuple):
    """All that drawing needs to know."""

    material: Material
    asked: Asked
    noun: str
    group: Ints
    codes: Ints
    groups: Groups
    design: list[dict[str, Any]]


def plan_of(material: Material, asked: Asked) -> Plan:
    """Find groups, and deal them out."""
    noun, units = _units(material, asked)
    codes = material.sentence_codes()
    group = dense(units) if asked.allow_leaks else linked(units, codes)
    groups = groups_of(group, *material.mentions(), asked.stratify)
    case = _Case(material, asked, noun, group, codes, groups, [])
    parts = dict(_KINDS[asked.kind](case))
    for split, part in parts.items():
        if not (part == TRAIN).any():
            raise InputError(
                material.corpus.name,
                f"nothing is left to train on in {split}",
                "give smaller shares, more data, or --by sentence",
            )
    return Plan(parts, noun, units, group, codes, case.design)


def _units(material: Material, asked: Asked) -> tuple[str, Ints]:
    """What stays whole: documents, or sentences with the context that they are joined with."""
    documents = material.corpus.documents
    if asked.by == "document" and not material.has_documents:
        raise InputError(
            material.corpus.name,
            "no documents are marked in it",
            "mark them with -DOCSTART- or # newdoc, name their column, or say --by sentence",
        )
    if asked.by == "document" or (asked.by is None and material.has_documents):
        return "document", dense(documents)
    return "sentence", context_runs(documents, asked.context)


def _folds(case: _Case) -> Iterator[tuple[str, Ints]]:
    k, found = case.asked.folds or 0, len(case.groups.sizes)
    if found < k:
        raise InputError(
            case.material.corpus.name,
            f"{plural(found, case.noun)} that share nothing are too few for {k} folds",
            "ask for fewer folds, or say --by sentence or --allow-leaks",
        )
    fold = folds(case.groups, k, generator(case.asked.seed, _FOLDS))
    for number in range(k):
        yield f"fold-{number + 1}", _with_dev(case, fold == number, number)


def _random(case: _Case) -> Iterator[tuple[str, Ints]]:
    everything = np.ones(len(case.groups.sizes), bool)
    for number in range(case.asked.random or 0):
        test = _drawn(case, TEST, everything, number)
        yield f"random-{number + 1}", _with_dev(case, test, number)


def _leave_out(case: _Case) -> Iterator[tuple[str, Ints]]:
    source, origins = case.material.source, case.material.origins
    if len(origins) < 2:
        raise InputError(
            case.material.corpus.name, "there is only one file to leave out", "give one per domain"
        )
    if not case.asked.allow_leaks:
        _check_apart(case)
    source_of_group = np.zeros(len(case.groups.sizes), np.int64)
    source_of_group[case.group] = source
    for number, name in enumerate(_distinct([stem_of(one.name) for one in origins])):
        yield name, _with_dev(case, source_of_group == number, number)


def _check_apart(case: _Case) -> None:
    pairs = np.unique(np.stack([case.codes, case.material.source]), axis=1)
    shared = np.isin(case.codes, np.flatnonzero(np.bincount(pairs[0]) > 1))
    if shared.any():
        raise InputError(
            case.material.corpus.name,
            f"{plural(int(shared.sum()), 'sentence')} of these files are in another of them too",
            "take them out, or say --allow-leaks",
        )


def _distinct(names: list[str]) -> list[str]:
    """Names that folders and keys can have, each once."""
    plain = [re.sub(r"[^\w-]+", "-", name, flags=re.ASCII).strip("-") or "data" for name in names]
    again = Counter(plain)
    return [name if again[name] == 1 else f"{name}-{place}" for place, name in enumerate(plain, 1)]


def _hard(case: _Case) -> Iterator[tuple[str, Ints]]:
    """A test set by design; dev is drawn before it, so that it is like the rest."""
    asked, nothing = case.asked, np.zeros(len(case.groups.sizes), bool)
    dev = _drawn(case, DEV, ~nothing, 0)[case.group] if asked.dev else None
    assert asked.hard is not None
    assert asked.test is not None
    corpus = case.material.corpus
    designed = design(corpus, case.group, asked.hard, size=asked.test, held=dev, seed=asked.seed)
    case.design.extend(designed.rows)
    if not designed.test.any():
        raise _no_room(case, TEST, asked.test)
    held = nothing[case.group] if dev is None else dev
    yield "hard", _parts(designed.test, held)


def _with_dev(case: _Case, test: Bools, number: int) -> Ints:
    """The part of each sentence, once the groups for testing are known."""
    dev = _drawn(case, DEV, ~test, number) if case.asked.dev else np.zeros_like(test)
    return _parts(test[case.group], dev[case.group])


def _parts(test: Bools, dev: Bools) -> Ints:
    return np.where(test, TEST, np.where(dev, DEV, TRAIN))


def _drawn(case: _Case, part: int, free: Bools, number: int) -> Bools:
    share = (case.asked.test if part == TEST else case.asked.dev) or 0.0
    chosen = drawn(case.groups, share, free, generator(case.asked.seed, part, number))
    if not chosen.any():
        raise _no_room(case, part, share)
    return chosen


def _no_room(case: _Case, part: int, share: float) -> InputError:
    return InputError(
        case.material.corpus.name,
        f"no {case.noun} fits into a {PARTS[part]} set of {100 * share:g} %",
        "ask for a larger share, or say --by sentence or --allow-leaks",
    )


_KINDS: dict[str, Callable[[_Case], Iterator[tuple[str, Ints]]]] = {
    "folds": _folds,
    "random": _random,
    "leave_out": _leave_out,
    "hard": _hard,
}
