"""Predict each document with systems that are trained on the other documents (out of fold)."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy as np

from nerscope.annotation.audit.material import LabelledText, Output, TokenProbabilities
from nerscope.corpus.arrays import Floats, Ints
from nerscope.corpus.corpus import Corpus
from nerscope.corpus.mentions import Mentions, encode
from nerscope.corpus.schemes import BIO, OUTSIDE_LABEL, LabelCodes
from nerscope.engines.base import Engine
from nerscope.errors import InputError, UsageError
from nerscope.experiment.cache import Cache, digest
from nerscope.lab.recipe import Lesson, Tagged, recipe_named

FOLDS = 5
_FEWEST_SENTENCES = 20
_OUTSIDE = -1


@dataclass(frozen=True, slots=True)
class FoldPlan:
    """How gold is predicted out of fold: with which recipes, and in how many parts."""

    recipes: Sequence[str]
    folds: int
    seed: int
    cache: Cache
    engine: Engine
    progress: Callable[[int], None]


def default_recipe() -> str:
    """The recipe that is used if none is given: `crf` if its library is installed."""
    return "perceptron" if recipe_named("crf").missing else "crf"


def predict_out_of_fold(
    gold: LabelledText, training: Sequence[LabelledText], plan: FoldPlan
) -> Iterator[Output]:
    """What each recipe predicts for gold. Documents are never divided between folds."""
    _check(gold.corpus, plan.folds)
    lessons = _Sentences.of(gold), [_Sentences.of(text) for text in training]
    extra = [sentence for text in lessons[1] for sentence in text.tagged()]
    fold = fold_of_sentences(gold.corpus, plan.folds, plan.seed)
    for name in plan.recipes:
        recipe = recipe_named(name)
        recipe.check_runs_here()
        state = _FoldState(name, lessons[0].tagged(), extra, fold, plan.seed)
        yield _output(name, gold.corpus, fold, _predicted_folds(state, plan))


def _check(corpus: Corpus, folds: int) -> None:
    if isinstance(folds, bool) or folds < 2:
        raise UsageError("folds", f"invalid value {folds!r}", "give a whole number from 2")
    if len(corpus) < max(_FEWEST_SENTENCES, folds):
        raise InputError(
            corpus.name,
            f"it has {len(corpus)} sentences, and without systems an audit trains on gold, which "
            f"needs at least {max(_FEWEST_SENTENCES, folds)}",
            "--system NAME=FILE with outputs for these sentences",
        )


class _Sentences(NamedTuple):
    words: list[list[str]]
    labels: list[list[str]]

    @classmethod
    def of(cls, text: LabelledText) -> "_Sentences":
        corpus = text.corpus
        if not text.mentions.are_flat:
            raise InputError(
                corpus.name,
                "its mentions overlap, and recipes need labels, which cannot represent them",
                "--system NAME=FILE with outputs for these sentences",
            )
        codes = encode(text.mentions, corpus.starts, corpus.coding.labels, BIO)
        names = corpus.coding.labels.texts_in(BIO, always_typed=True)
        spelt = [names[code] for code in codes.tolist()]
        words = corpus.words_at(slice(0, corpus.n_tokens))
        bounds = list(pairwise(corpus.starts.tolist()))
        return cls([words[a:b] for a, b in bounds], [spelt[a:b] for a, b in bounds])

    def tagged(self) -> list[Tagged]:
        return [Tagged(*pair) for pair in zip(self.words, self.labels, strict=True)]


def fold_of_sentences(corpus: Corpus, folds: int, seed: int) -> Ints:
    """The fold of each sentence: whole documents, dealt at random to the smallest fold.

    If there are fewer documents than folds, sentences are dealt instead.
    """
    sizes = np.diff(corpus.starts)
    _, unit = np.unique(corpus.documents, return_inverse=True)
    if int(unit.max()) + 1 < folds:
        unit = np.arange(len(corpus))
    tokens = np.bincount(unit, sizes)
    random = np.random.default_rng(seed)
    filled, fold = np.zeros(folds), np.zeros(len(tokens), np.int64)
    for number in random.permutation(len(tokens)).tolist():
        smallest = int(filled.argmin())
        fold[number] = smallest
        filled[smallest] += tokens[number]
    dealt: Ints = fold[unit]
    return dealt


class _FoldState(NamedTuple):
    """What all folds share."""

    recipe: str
    sentences: list[Tagged]
    extra: list[Tagged]
    fold: Ints
    seed: int


class _FoldPart(NamedTuple):
    """The labels of the sentences of a fold, as codes, and their probabilities, if known."""

    labels: list[str]
    codes: Ints
    table: Floats | None


def _predicted_folds(state: _FoldState, plan: FoldPlan) -> list[_FoldPart]:
    """The predictions of all folds, from the cache or computed."""
    content = digest(
        state.recipe, state.sentences, state.extra, state.fold.tolist(), state.seed, "audit"
    )
    keys = {number: digest(content, number) for number in range(plan.folds)}
    done = 0

    def compute(numbers: Sequence[int]) -> Iterator[list[Any]]:
        nonlocal done
        for part in plan.engine.map(_predict_fold, state, numbers):
            done += 1
            plan.progress(len(state.sentences) * done // len(numbers))
            yield part

    parts = plan.cache.remember(keys, compute)
    return [_FoldPart(*parts[number]) for number in range(plan.folds)]


def _predict_fold(state: _FoldState, number: int) -> list[Any]:
    """Train on all other folds, and predict this one."""
    held = (state.fold == number).tolist()
    train = [each for each, is_held in zip(state.sentences, held, strict=True) if not is_held]
    test = [each.words for each, is_held in zip(state.sentences, held, strict=True) if is_held]
    with TemporaryDirectory(prefix="nerscope-") as folder:
        lesson = Lesson(
            [*train, *state.extra], [], test, state.seed, Path(folder), _silent, probabilities=[]
        )
        recipe = recipe_named(state.recipe)
        predicted = recipe.predict(lesson, {name: o.default for name, o in recipe.options.items()})
    labels = sorted({*lesson.labels, *(label for some in predicted for label in some)})
    code_of = {label: code for code, label in enumerate(labels)}
    codes = np.array([code_of[label] for some in predicted for label in some], np.int32)
    table = None
    if lesson.probabilities:
        columns = np.concatenate(lesson.probabilities)
        table = np.zeros((len(columns), len(labels)), np.float32)
        table[:, [code_of[label] for label in lesson.labels]] = columns
    return [labels, codes, table]


def _silent(line: str) -> None:
    """Write no log."""


def _output(recipe: str, corpus: Corpus, fold: Ints, parts: Sequence[_FoldPart]) -> Output:
    """The predictions of all folds in the order of gold."""
    labels = sorted({OUTSIDE_LABEL, *(label for part in parts for label in part.labels)})
    column = {label: number for number, label in enumerate(labels)}
    token_fold = np.repeat(fold, np.diff(corpus.starts))
    codes = np.zeros(corpus.n_tokens, np.int32)
    known = all(part.table is not None for part in parts)
    table = np.zeros((corpus.n_tokens if known else 0, len(labels)), np.float64)
    for number, part in enumerate(parts):
        places = np.flatnonzero(token_fold == number)
        columns = np.array([column[label] for label in part.labels], np.int64)
        codes[places] = columns[part.codes]
        if known and part.table is not None:
            table[places[:, None], columns] = part.table
    types = corpus.coding.labels
    mentions = _decoded(codes, labels, corpus, types)
    probabilities = TokenProbabilities(_columns(labels, types), table) if known else None
    return Output(recipe, "1", mentions, probabilities, is_recipe=True)


def _columns(labels: Sequence[str], types: LabelCodes) -> dict[tuple[str, int], int]:
    """The column of each label, by its letter and the code of its type."""
    columns = {}
    for number, label in enumerate(labels):
        letter, _, name = label.partition("-")
        columns[letter, types.type_code(name) if name else _OUTSIDE] = number
    return columns


def _decoded(codes: Ints, labels: Sequence[str], corpus: Corpus, types: LabelCodes) -> Mentions:
    """The mentions of labels in the scheme bio, in the types of gold."""
    spelt = [labels[code] for code in codes.tolist()]
    bounds = pairwise(corpus.starts.tolist())
    predicted = Corpus.of([spelt[a:b] for a, b in bounds], scheme=BIO.name)
    mentions = predicted.mentions()
    names = predicted.coding.labels.types
    kinds = np.array([types.type_code(name) for name in names], np.int32)
    return Mentions(
        mentions.start, mentions.end, kinds[mentions.type] if len(mentions) else mentions.type
    )
