"""Files become lessons, and labels become files; with larger context, sentences are joined."""

import os
import tempfile
from collections.abc import Callable, Sequence
from itertools import chain, pairwise
from pathlib import Path
from typing import Any

from nerscope.corpus.arrays import Ints
from nerscope.corpus.corpus import Corpus
from nerscope.corpus.mentions import encode
from nerscope.corpus.schemes import BIO
from nerscope.dataset.split.texts import context_ranges
from nerscope.errors import InputError
from nerscope.formats.base import CorpusLike, Source, open_source, read, require_tokens
from nerscope.formats.columns.conll import write_conll
from nerscope.lab.recipe import Lesson, Recipe, Tagged, recipe_named
from nerscope.results.files import write_bytes

Say = Callable[[str], None]


def baseline(
    train: CorpusLike,
    test: CorpusLike,
    output: str | os.PathLike[str] | None = None,
    *,
    recipe: str = "perceptron",
    dev: CorpusLike | None = None,
    seed: int = 1,
    say: Say = lambda line: None,
    **options: Any,
) -> list[list[str]]:
    """Train a system by a recipe and label the test sentences, whose own labels it never sees.

    The labels are in the scheme bio. With `output`, the test file is also written with these
    labels instead of its own, in its own scheme.

    >>> train = [(["Ada", "met", "Bob", "Lee"], ["B-PER", "O", "B-PER", "I-PER"])]
    >>> test = [(["Ada", "saw", "Lee"], ["O", "O", "O"])]
    >>> baseline(train, test, recipe="dictionary")
    [['B-PER', 'O', 'B-PER']]
    """
    chosen = recipe_named(recipe)
    checked = chosen.checked(options, f"recipe '{recipe}'")
    data = open_source(train), open_source(dev) if dev is not None else None, open_source(test)
    with tempfile.TemporaryDirectory(prefix="nerscope-") as folder:
        found = taught(chosen, checked, *data, seed=seed, folder=Path(folder), say=say)
    if output is not None:
        write_bytes(output, labelled(data[2], found))
    return found


def taught(
    recipe: Recipe,
    options: dict[str, Any],
    train: Source,
    dev: Source | None,
    test: Source,
    *,
    seed: int,
    folder: Path,
    say: Say,
    context: int = 1,
) -> list[list[str]]:
    """The labels that a recipe gives to the test sentences."""
    corpus = _corpus(test)
    lesson = Lesson(
        _tagged(_corpus(train), context),
        _tagged(_corpus(dev), context) if dev is not None else [],
        _joined(_words(corpus), corpus.documents, context),
        seed,
        folder,
        say,
    )
    say(f"{len(lesson.train)} sentences to learn from, {len(lesson.test)} to label")
    return _as_long_as(corpus.starts, recipe.predict(lesson, options))


def _corpus(source: Source) -> Corpus:
    corpus = require_tokens(read(source))
    if not corpus.is_flat:
        raise InputError(
            source.name, "its mentions overlap, which labels cannot write", "give flat ones"
        )
    return corpus


def _words(corpus: Corpus) -> list[list[str]]:
    return [corpus.words(sentence) for sentence in range(len(corpus))]


def _tagged(corpus: Corpus, context: int) -> list[Tagged]:
    """The sentences with their labels as the scheme bio has them."""
    known = corpus.coding.labels
    codes = encode(corpus.mentions(), corpus.starts, known, BIO)
    names = known.spell(BIO)
    spelt = [names[code] for code in codes.tolist()]
    labels = [spelt[begin:end] for begin, end in pairwise(corpus.starts.tolist())]
    sides = (_joined(side, corpus.documents, context) for side in (_words(corpus), labels))
    return [Tagged(*pair) for pair in zip(*sides, strict=True)]


def _joined(sentences: list[list[str]], documents: Ints, context: int) -> list[list[str]]:
    """So many consecutive sentences of a document as one."""
    if context == 1:
        return sentences
    return [
        list(chain.from_iterable(sentences[first:last]))
        for first, last in context_ranges(documents, context)
    ]


def _as_long_as(starts: Ints, labels: Sequence[Sequence[str]]) -> list[list[str]]:
    """The labels cut back to the sentences that were joined."""
    flat = list(chain.from_iterable(labels))
    return [flat[begin:end] for begin, end in pairwise(starts.tolist())]


def labelled(source: Source, labels: Sequence[Sequence[str]]) -> bytes:
    """The file with other labels, spelt in its own scheme; everything else stays as it is."""
    corpus, scheme = _corpus(source), source.label_style().scheme
    pairs = zip(_words(corpus), labels, strict=True)
    given = Corpus.of(list(pairs), name=f"the labels for {source.name}", scheme="bio")
    known = given.coding.labels
    codes = encode(given.mentions(), given.starts, known, scheme)
    names = known.spell(scheme)
    spelt = (names[code] for code in codes.tolist())
    changed = source.relabelled(dict(zip(corpus.lines.tolist(), spelt, strict=True)))
    return write_conll(given, scheme) if changed is None else changed
