"""The recipe `flair`: flair's sequence tagger over words and characters, without downloads."""

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

_BLANK = "␣"  # replaces white-space tokens, which flair would drop
_LAYER = "ner"
_OFFLINE = "HF_HUB_OFFLINE"
_LOGGED = ("EPOCH ", "DEV ")  # beginnings of the lines that go into the log


@built_in_recipe(
    "flair", title="Flair sequence tagger", rank=70, needs={"flair": "flair"}, extra="flair"
)
def flair(
    lesson: Lesson,
    *,
    embeddings: Annotated[
        File | None, "pretrained word vectors, a GloVe text file; default: vectors are learnt"
    ] = None,
    hidden: Annotated[int, "size of the hidden states", 1] = 128,
    rounds: Annotated[int, "passes over the training data; the best on dev is kept", 1] = 10,
    batch: Annotated[int, "sentences per step", 1] = 16,
    rate: Annotated[float, "initial learning rate", 0] = 0.1,
) -> list[list[str]]:
    """Flair's sequence tagger, an LSTM with a CRF, over characters and words.

    Flair's pretrained embeddings are not used. Word vectors are read from a file or learnt.
    """
    if lesson.labels == [OUTSIDE_LABEL]:  # flair cannot train without any type
        return [[OUTSIDE_LABEL] * len(words) for words in lesson.test]
    with _isolated(lesson):
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
            train_with_dev=not corpus.dev,  # then the learning rate depends on the loss alone
            save_final_model=False,
            create_file_logs=False,
            create_loss_file=False,
        )
        sentences = [_sentence(words) for words in lesson.test]
        tagger.predict([sentence for sentence in sentences if len(sentence)])
    return [_labels(sentence) for sentence in sentences]


@contextmanager
def _isolated(lesson: Lesson) -> Iterator[None]:
    """Prevent downloads; redirect the files of flair to the folder and its messages to the log."""
    offline = os.environ.get(_OFFLINE)
    os.environ[_OFFLINE] = offline or "1"
    with warnings.catch_warnings(), redirect_stderr(StringIO()):  # progress bars
        warnings.simplefilter("ignore")  # flair uses deprecated calls of its libraries
        import flair as library

        log, cache_root = library.logger, library.cache_root
        handlers = list(log.handlers)
        log.handlers[:] = [_LessonLog(lesson)]
        library.cache_root = lesson.folder
        try:
            yield
        finally:
            log.handlers[:], library.cache_root = handlers, cache_root
            if offline is None:
                del os.environ[_OFFLINE]


class _LessonLog(logging.Handler):
    """Copies the lines of flair about the progress of training to the log."""

    def __init__(self, lesson: Lesson) -> None:
        super().__init__()
        self._say = lesson.say

    def emit(self, record: logging.LogRecord) -> None:
        line = record.getMessage()
        if line.startswith(_LOGGED):
            self._say(line)


def _types(lesson: Lesson) -> Any:
    types = _dictionary({label[2:] for label in lesson.labels if label != OUTSIDE_LABEL}, False)
    types.span_labels = True
    return types


def _dictionary(items: Iterable[str], with_unknown: bool) -> Any:
    from flair.data import Dictionary

    dictionary = Dictionary(add_unk=with_unknown)
    for item in sorted(items):
        dictionary.add_item(item)
    return dictionary


def _vectors(lesson: Lesson, embeddings: File | None) -> Any:
    """Word vectors, pretrained or learnt, concatenated with character-based vectors."""
    from flair.embeddings import CharacterEmbeddings, OneHotEmbeddings, StackedEmbeddings

    words = {word for sentence, _ in lesson.train for word in _visible(sentence)}
    spelt = CharacterEmbeddings(_dictionary({sign for word in words for sign in word}, True))
    if embeddings is None:
        return StackedEmbeddings([OneHotEmbeddings(_dictionary(words, True)), spelt])
    sentences = [*(words for words, _ in (*lesson.train, *lesson.dev)), *lesson.test]
    vocabulary = {word for sentence in sentences for word in sentence}
    return StackedEmbeddings([_pretrained(embeddings, vocabulary), spelt])


def _pretrained(embeddings: File, words: set[str]) -> Any:
    import torch
    from flair.embeddings import WordEmbeddings

    from nerscope.lab.neural.words import read_vectors

    known = read_vectors(embeddings, words)
    table = np.array(list(known.values()))
    codes = {word: code for code, word in enumerate(known)}
    vectors = WordEmbeddings(None, vocab=codes, embedding_length=table.shape[1], name="given")
    with torch.no_grad():
        vectors.embedding.weight[:-1] = torch.from_numpy(table)  # the last row is for unknown words
    return vectors


def _visible(words: Sequence[str]) -> list[str]:
    return [word if word.strip() else _BLANK for word in words]


def _corpus(lesson: Lesson) -> Any:
    """The sentences as a flair corpus.

    Dev is left out if it has no mention of a known type, because flair cannot score it then.
    """
    from flair.data import Corpus
    from flair.datasets import FlairDatapointDataset

    known = set(lesson.labels)
    train, dev = (
        [_sentence(words, labels, known) for words, labels in sentences if words]
        for sentences in (lesson.train, lesson.dev)
    )
    has_mentions = any(sentence.get_spans(_LAYER) for sentence in dev)
    return Corpus(
        FlairDatapointDataset(train),
        FlairDatapointDataset(dev) if has_mentions else None,
        sample_missing_splits=False,
    )


def _sentence(words: Sequence[str], labels: Sequence[str] = (), known: Collection[str] = ()) -> Any:
    from flair.data import Sentence

    sentence = Sentence(_visible(words))
    begins = [at for at, label in enumerate(labels) if label[0] == "B" and label in known]
    for begin in begins:
        end = begin + 1
        while end < len(labels) and labels[end][0] == "I":
            end += 1
        sentence[begin:end].add_label(_LAYER, labels[begin][2:])
    return sentence


def _labels(sentence: Any) -> list[str]:
    labels = [OUTSIDE_LABEL] * len(sentence)
    for span in sentence.get_spans(_LAYER):
        type_ = span.get_label(_LAYER).value
        for place, token in enumerate(span):  # flair counts tokens from 1
            labels[token.idx - 1] = f"{'I' if place else 'B'}-{type_}"
    return labels
