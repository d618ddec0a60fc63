"""Sentences with labels as columns, for formats that read many sentences at once."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from nerscope.corpus.arrays import Ints
from nerscope.corpus.corpus import Coding, Corpus, ReadingNotes
from nerscope.corpus.records import Records
from nerscope.corpus.schemes import Scheme, Transitions, label_without_type, parse_label
from nerscope.corpus.vocabulary import Fields


class SentenceColumns(NamedTuple):
    """Tokens as places in a buffer; the label of token k is `texts[labels[k]]`."""

    tokens: Fields
    sizes: Ints  # tokens of each sentence
    lines: Ints  # of each sentence
    labels: Ints
    texts: Sequence[str]
    documents: Ints | None = None  # of each sentence
    records: Records | None = None

    def corpus(
        self, name: str, coding: Coding, scheme: Scheme | None, *, encoded: bool = True
    ) -> Corpus | None:
        """A chunk; None if a label is invalid, for which reading one by one gives the error.

        Unless tokens are `encoded`, they stay bytes.
        """
        labels = [parse_label(text, scheme.bare if scheme else None) for text in self.texts]
        known = [label for label in labels if label is not None]
        is_mixed = scheme is None and label_without_type(list(self.texts)) is not None
        if len(known) < len(labels) or is_mixed:
            return None
        starts = np.concatenate([[0], np.cumsum(self.sizes)])
        lines = np.repeat(self.lines, self.sizes)
        codes = np.array([coding.labels.code(label) for label in known], np.int32)[self.labels]
        transitions = Transitions.of(list(self.texts), self.labels, starts, lines)
        return Corpus(
            name,
            coding,
            coding.tokens.encode_fields(*self.tokens) if encoded else np.zeros(0, np.int32),
            starts,
            lines,
            np.zeros(len(self.sizes), np.int64) if self.documents is None else self.documents,
            codes,
            reading_notes=ReadingNotes(transitions),
            declared_scheme=scheme,
            unread_tokens=None if encoded else self.tokens,
            records=self.records,
        )


def coded(labels: Sequence[str]) -> tuple[Ints, list[str]]:
    """The codes of labels, and the distinct labels in order of arrival.

    >>> codes, texts = coded(["O", "B-PER", "O"])
    >>> codes.tolist(), texts
    ([0, 1, 0], ['O', 'B-PER'])
    """
    numbers = {text: number for number, text in enumerate(dict.fromkeys(labels))}
    codes = np.fromiter(map(numbers.__getitem__, labels), np.int32, len(labels))
    return codes, list(numbers)
