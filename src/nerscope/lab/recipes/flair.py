"""Flair's sequence tagger over vectors of characters and words, with nothing fetched from afar."""

import logging
import os
import warnings
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager, redirect_stderr
from io import StringIO
from typing import Annotated, Any

import numpy as np

from nerscope.corpus.schemes import OUTSIDE_LABEL
from nerscope.lab.recipe import File, Lesson, built_in_recipe

_BLANK = "␣"  # written for words that cannot be seen, of which flair makes no token
_LAYER = "ner"
_OFFLINE = "HF_HUB_OFFLINE"
_WORTH_SAYING = ("EPOCH ", "DEV ")


@built_in_recipe("flair", needs={"flair": "flair"}, extra="flair")
def flair(
    lesson: Lesson,
    *,
    embeddings: Annotated[
        File | None, "word vectors, a file as of GloVe; without one, vectors are learnt"
    ] = None,
    hidden: Annotated[int, "size of the states between words and labels", 1] = 128,
    rounds: Annotated[
        int, "passes over the training data; the best on dev, if any, counts", 1
    ] = 10,
    batch: Annotated[int, "sentences between two steps", 1] = 16,
    rate: Annotated[float, "size of the first steps", 0] = 0.1,
) -> list[list[str]]:
    """Flair's sequence tagger, an LSTM with a CRF, over characters and words."""
    if lesson.labels == [OUTSIDE_LABEL]:  # of which flair makes no tagger
        return [[OUTSIDE_LABEL] * len(words) for words in lesson.test]
    with _alone(lesson):
        import flair as library
        from flair.models import SequenceTagger
        from flair.trainers import ModelTrainer

        library.set_seed(lesson.seed)
        tagger = SequenceTagger(
            _vectors(lesson, embeddings), _types(lesson), _LAYER, hidden_size=hidden
        )
        corpus = _corpus(lesson)
        ModelTrainer(tagger, corpus).train(
            lesson.folder,
            learning_rate=rate,
            mini_batch_size=batch,
            max_epochs=rounds,
            train_with_dev=not corpus.dev,  # then the loss alone tells when to make smaller steps
            save_final_model=False,
            create_file_logs=False,
            create_loss_file=False,
        )
        sentences = [_sentence(words) for words in lesson.test]
        tagger.predict([one for one in sentences if len(one)])
    return [_labels(one) for one in sentences]


@contextmanager
def _alone(lesson: Lesson) -> Iterator[None]:
    """Let flair fetch nothing, write into the folder of the lesson, and talk into its log."""
    said = os.environ.get(_OFFLINE)
    os.environ[_OFFLINE] = said or "1"
    with warnings.catch_warnings(), redirect_stderr(StringIO()):  # where it draws progress
        warnings.simplefilter("ignore")  # of flair about the libraries that it uses itself
        import flair as library

        log, place = library.logger, library.cache_root
        before = list(log.handlers)
        log.handlers[:] = [_Saying(lesson)]
        library.cache_root = lesson.folder
        try:
            yield
        finally:
            log.handlers[:], library.cache_root = before, place
            if said is None:
                del os.environ[_OFFLINE]


class _Saying(logging.Handler):
    """Says how far the training is, of all that flair tells."""

    def __init__(self, lesson: Lesson) -> None:
        super().__init__()
        self._say = lesson.say

    def emit(self, record: logging.LogRecord) -> None:
        """Say a line, if it is worth it."""
        line = record.getMessage()
        if line.startswith(_WORTH_SAYING):
            self._say(line)


def _types(lesson: Lesson) -> Any:
    found = _dictionary({label[2:] for label in lesson.labels if label != OUTSIDE_LABEL}, False)
    found.span_labels = True
    return found


def _dictionary(items: Iterable[str], with_unknown: bool) -> Any:
    from flair.data import Dictionary

    found = Dictionary(add_unk=with_unknown)
    for item in sorted(items):
        found.add_item(item)
    return found


def _vectors(lesson: Lesson, embeddings: File | None) -> Any:
    """Vectors of words, given or learnt, beside those that are read from their characters."""
    from flair.embeddings import CharacterEmbeddings, OneHotEmbeddings, StackedEmbeddings

    words = {word for sentence, _ in lesson.train for word in _visible(sentence)}
    spelt = CharacterEmbeddings(_dictionary({sign for word in words for sign in word}, True))
    if embeddings is None:
        return StackedEmbeddings([OneHotEmbeddings(_dictionary(words, True)), spelt])
    seen = [*(words for words, _ in (*lesson.train, *lesson.dev)), *lesson.test]
    return StackedEmbeddings([_given(embeddings, {word for one in seen for word in one}), spelt])


def _given(embeddings: File, words: set[str]) -> Any:
    import torch
    from flair.embeddings import WordEmbeddings

    from nerscope.lab.neural.vectors import vectors_of

    found = vectors_of(embeddings, words)
    table = np.array(list(found.values()))
    codes = {word: code for code, word in enumerate(found)}
    vectors = WordEmbeddings(None, vocab=codes, embedding_length=table.shape[1], name="given")
    with torch.no_grad():
        vectors.embedding.weight[:-1] = torch.from_numpy(table)  # the last one is of unknown words
    return vectors


def _visible(words: Sequence[str]) -> list[str]:
    return [word if word.strip() else _BLANK for word in words]


def _corpus(lesson: Lesson) -> Any:
    """Dev is left out where it has no mention of a known type, as flair could not score it."""
    from flair.data import Corpus
    from flair.datasets import FlairDatapointDataset

    known = set(lesson.labels)
    train, dev = (
        [_sentence(words, labels, known) for words, labels in part if words]
        for part in (lesson.train, lesson.dev)
    )
    scored = any(sentence.get_spans(_LAYER) for sentence in dev)
    return Corpus(
        FlairDatapointDataset(train),
        FlairDatapointDataset(dev) if scored else None,
        sample_missing_splits=False,
    )


def _sentence(words: Sequence[str], labels: Sequence[str] = (), known: Collection[str] = ()) -> Any:
    from flair.data import Sentence

    sentence = Sentence(_visible(words))
    begins = [place for place, one in enumerate(labels) if one[0] == "B" and one in known]
    for begin in begins:
        end = begin + 1
        while end < len(labels) and labels[end][0] == "I":
            end += 1
        sentence[begin:end].add_label(_LAYER, labels[begin][2:])
    return sentence


def _labels(sentence: Any) -> list[str]:
    labels = [OUTSIDE_LABEL] * len(sentence)
    for span in sentence.get_spans(_LAYER):
        kind = span.get_label(_LAYER).value
        for place, token in enumerate(span):
            labels[token.idx - 1] = f"{'I' if place else 'B'}-{kind}"
    return labels
