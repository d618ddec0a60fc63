"""Make lessons from files, and write predicted labels to files."""

import os
import tempfile
from collections.abc import Callable, Sequence
from itertools import chain, pairwise
from pathlib import Path
from typing import Any, NamedTuple

from nerscope.arguments import check_arguments
from nerscope.corpus.arrays import Ints
from nerscope.corpus.corpus import Coding, Corpus, join_chunks
from nerscope.corpus.mentions import encode
from nerscope.corpus.schemes import BIO, LabelCodes
from nerscope.dataset.split.texts import context_ranges
from nerscope.errors import InputError
from nerscope.formats.base import CorpusLike, TrainingLike, open_source, open_training
from nerscope.formats.columns.conll import write_conll
from nerscope.formats.source import Source, require_tokens
from nerscope.lab.recipe import Lesson, Recipe, Tagged, recipe_named
from nerscope.results.files import write_bytes

Say = Callable[[str], None]


def baseline(
    train: TrainingLike,
    test: CorpusLike,
    output: str | os.PathLike[str] | None = None,
    *,
    recipe: str = "perceptron",
    dev: CorpusLike | None = None,
    seed: int = 1,
    say: Say = lambda line: None,
    **options: Any,
) -> list[list[str]]:
    """Train a system with a recipe, and return its labels for the test sentences.

    - `train`, `test`, `dev`: files or sentences; the recipe never sees the labels of `test`.
      Several training files, as a list, are one training set.
    - `output`: write the test file here, with the predicted labels in its scheme.
    - `recipe`, `seed`: the name of the recipe, and its random seed.
    - `options`: the options of the recipe, as keywords.
    - `say`: called with each line of the log.

    The returned labels are in the scheme bio.

    >>> train = [(["Ada", "met", "Bob", "Lee"], ["B-PER", "O", "B-PER", "I-PER"])]
    >>> test = [(["Ada", "saw", "Lee"], ["O", "O", "O"])]
    >>> baseline(train, test, recipe="dictionary")
    [['B-PER', 'O', 'B-PER']]
    """
    check_arguments(baseline, locals())
    method = recipe_named(recipe)
    values = method.checked(options, f"recipe '{recipe}'")
    sources = LessonSources(
        open_training(train), open_source(dev) if dev is not None else None, open_source(test)
    )
    with tempfile.TemporaryDirectory(prefix="nerscope-") as folder:
        labels = train_and_predict(method, values, sources, seed=seed, folder=Path(folder), say=say)
    if output is not None:
        write_bytes(output, with_labels(sources.test, labels))
    return labels


class LessonSources(NamedTuple):
    train: Source
    dev: Source | None
    test: Source


def train_and_predict(
    recipe: Recipe,
    options: dict[str, Any],
    sources: LessonSources,
    *,
    seed: int,
    folder: Path,
    say: Say,
    context: int = 1,
    types: LabelCodes | None = None,
) -> list[list[str]]:
    """Train with a recipe, and return its labels for the test sentences.

    `context` consecutive sentences of a document are joined into one for the recipe, and the labels
    are split into the sentences of the file again. `types` renames and drops types before training.
    """
    test = _flat_corpus(sources.test)
    dev = _flat_corpus(sources.dev, types) if sources.dev is not None else None
    lesson = Lesson(
        _tagged(_flat_corpus(sources.train, types), context),
        _tagged(dev, context) if dev is not None else [],
        _join_sentences(_words(test), test.documents, context),
        seed,
        folder,
        say,
    )
    # Counted after joining: the recipe sees the joined sentences.
    say(f"{len(lesson.train)} training sentences, {len(lesson.test)} test sentences")
    return _cut_back(test.starts, recipe.predict(lesson, options))


def _flat_corpus(source: Source, types: LabelCodes | None = None) -> Corpus:
    coding = Coding() if types is None else Coding(labels=types)
    corpus = require_tokens(join_chunks(list(source.chunks(coding))))
    if not corpus.is_flat:
        raise InputError(
            source.name,
            "its mentions overlap, and labels cannot represent overlapping mentions",
            "give data without overlapping mentions",
        )
    return corpus


def _words(corpus: Corpus) -> list[list[str]]:
    return [corpus.words(sentence) for sentence in range(len(corpus))]


def _tagged(corpus: Corpus, context: int) -> list[Tagged]:
    """The sentences with their labels in the scheme bio."""
    codes = encode(corpus.mentions(), corpus.starts, corpus.coding.labels, BIO)
    names = corpus.coding.labels.texts_in(BIO, always_typed=True)  # recipes split at the dash
    spelt = [names[code] for code in codes.tolist()]
    labels = [spelt[begin:end] for begin, end in pairwise(corpus.starts.tolist())]
    columns = (
        _join_sentences(column, corpus.documents, context) for column in (_words(corpus), labels)
    )
    return [Tagged(*sentence) for sentence in zip(*columns, strict=True)]


def _join_sentences(sentences: list[list[str]], documents: Ints, context: int) -> list[list[str]]:
    if context == 1:
        return sentences
    return [
        list(chain.from_iterable(sentences[first:last]))
        for first, last in context_ranges(documents, context)
    ]


def _cut_back(starts: Ints, labels: Sequence[Sequence[str]]) -> list[list[str]]:
    """Split the labels of joined sentences into the sentences of the file."""
    # Joining keeps all tokens, so all labels can be split as one sequence.
    flat = list(chain.from_iterable(labels))
    return [flat[begin:end] for begin, end in pairwise(starts.tolist())]


def with_labels(source: Source, labels: Sequence[Sequence[str]]) -> bytes:
    """The file with new labels in its own scheme; everything else is unchanged."""
    corpus, scheme = _flat_corpus(source), source.label_style().scheme
    sentences = list(zip(_words(corpus), labels, strict=True))
    predicted = Corpus.of(sentences, name=f"the labels for {source.name}", scheme=BIO.name)
    codes = encode(predicted.mentions(), predicted.starts, predicted.coding.labels, scheme)
    names = predicted.coding.labels.texts_in(scheme)
    spelt = (names[code] for code in codes.tolist())
    data = source.relabelled(dict(zip(corpus.lines.tolist(), spelt, strict=True)))
    # Formats without support for new labels are written as columns.
    return write_conll(predicted, scheme) if data is None else data
