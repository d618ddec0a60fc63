"""The base class of files that are read line by line: tokens in columns, with marks of their own.

Plain columns are read as arrays (`layout`). Formats with flags, brackets or several sentences per
block need to see each line; they are small, so a loop over lines is fast enough.
"""

from abc import abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from nerscope.corpus.arrays import Ints
from nerscope.corpus.corpus import Coding, Corpus, ReadingNotes
from nerscope.corpus.mentions import Mentions, decode, join_mentions
from nerscope.corpus.schemes import LabelCodes, Transitions, scheme_named
from nerscope.corpus.vocabulary import padded
from nerscope.errors import UsageError
from nerscope.formats.columns.column_file import ColumnFile, LabelColumn
from nerscope.formats.source import LabelStyle, Source


@dataclass(slots=True)
class RowSentence:
    """A sentence: its tokens with their lines, and labels (by layer) or spans of tokens."""

    document: int
    words: list[str] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)
    labels: list[list[str]] = field(default_factory=list)  # one list per layer
    spans: list[tuple[int, int, str]] = field(default_factory=list)
    gaps: list[str] = field(default_factory=list)  # the blanks before each token, if known


class RowParser(Protocol):
    """Turns lines into sentences."""

    def feed(self, line: str, number: int) -> Iterator[RowSentence]:
        """The sentences that are complete when a line has been read."""

    def finish(self) -> Iterator[RowSentence]:
        """The last sentence, if there is one."""

    def take_notes(self) -> ReadingNotes:
        """The notes since the last call."""


class RowFile(ColumnFile):
    """A file that a `RowParser` reads. Sentences have one layer of labels, several, or spans."""

    __slots__ = ()
    n_layers: int  # of labels; 0 if the parser gives spans

    @abstractmethod
    def parser(self) -> RowParser:
        """A parser that starts at the beginning of the file."""

    def reader(self, coding: Coding, tokens: bool | None) -> "RowReader":
        return RowReader(self, coding, with_tokens=tokens is not False)

    def label_style(self, coding: Coding | None = None) -> LabelStyle:
        """The scheme, detected at the beginning of the file; spans and layers may be nested."""
        if self.n_layers == 1:
            return ColumnFile.label_style(self, coding)
        return Source.label_style(self, coding)

    def relabeller(self, text: str) -> Callable[[str, str], str]:
        raise UsageError(self.name, "labels of this format cannot be replaced", "convert the file")


class RowReader:
    """The state of reading one file: its parser, its labels and the number of the line."""

    def __init__(self, file: RowFile, coding: Coding, *, with_tokens: bool) -> None:
        self.file, self.coding, self.with_tokens = file, coding, with_tokens
        self.scheme = scheme_named(file.scheme) if file.scheme else None
        self.layers = [LabelColumn(coding.labels, self.scheme) for _ in range(file.n_layers)]
        self.parser, self.line = file.parser(), 0

    def read(self, data: bytes, final: bool) -> tuple[bytes, list[Corpus]]:
        """No bytes, because the parser keeps an incomplete sentence, and the other sentences."""
        sentences: list[RowSentence] = []
        for line in data[:-1].decode().split("\n") if data else ():
            self.line += 1
            sentences += self.parser.feed(line, self.line)
        if final:
            sentences += self.parser.finish()
        return b"", [self._corpus(sentences)] if sentences else []

    def _corpus(self, sentences: list[RowSentence]) -> Corpus:
        starts = np.cumsum([0, *(len(sentence.words) for sentence in sentences)])
        lines = np.array([line for sentence in sentences for line in sentence.lines], np.int64)
        documents = np.array([sentence.document for sentence in sentences], np.int64)
        tokens = np.zeros(0, np.int32)
        if self.with_tokens:
            words = [word for sentence in sentences for word in sentence.words]
            tokens = self.coding.tokens.encode(words)
        gaps = [gap for sentence in sentences for gap in sentence.gaps]
        reading = self.parser.take_notes()
        labels, spans = None, None
        if self.layers:
            coded = [self._layer(sentences, starts, lines, at) for at in range(len(self.layers))]
            reading = sum((notes for _, notes in coded), reading)
            labels = coded[0][0] if len(coded) == 1 else None
            spans = None if labels is not None else union(coded, starts, self.coding.labels)
        else:
            spans = self._spans(sentences, starts)
        return Corpus(
            *(self.file.name, self.coding, tokens, starts, lines, documents, labels, spans),
            reading_notes=reading,
            declared_scheme=self.scheme if labels is not None else None,
            gaps=np.array(gaps, object) if self.with_tokens and len(gaps) == len(lines) else None,
        )

    def _layer(
        self, sentences: list[RowSentence], starts: Ints, lines: Ints, at: int
    ) -> tuple[Ints, ReadingNotes]:
        """The codes of a layer of labels, and the notes about it."""
        texts = [label.encode() for sentence in sentences for label in sentence.labels[at]]
        ends = np.cumsum([len(text) for text in texts])
        begins = np.concatenate([[0], ends[:-1]])
        column = self.layers[at]
        raw, labels = column.read(padded(b"".join(texts)), begins, ends, lines, self.file.name)
        return labels, ReadingNotes(Transitions.of(column.texts, raw, starts, lines))

    def _spans(self, sentences: list[RowSentence], starts: Ints) -> Mentions:
        rows = [
            (begin + start, begin + end, self.coding.labels.type_code(kind))
            for sentence, begin in zip(sentences, starts.tolist(), strict=False)
            for start, end, kind in sentence.spans
        ]
        table = np.array(rows, np.int64).reshape(len(rows), 3)
        return Mentions(table[:, 0], table[:, 1], table[:, 2].astype(np.int32)).in_order()


def union(layers: list[tuple[Ints, ReadingNotes]], starts: Ints, labels: LabelCodes) -> Mentions:
    """The mentions of several layers of labels, which may be nested.

    >>> from nerscope.corpus.schemes import Label, BEGIN
    >>> codes = LabelCodes()
    >>> outer, inner = (np.array([codes.code(Label(BEGIN, kind)), 0]) for kind in ("ORG", "LOC"))
    >>> found = union([(outer, ReadingNotes()), (inner, ReadingNotes())], np.array([0, 2]), codes)
    >>> [codes.types[kind] for kind in found.type]
    ['ORG', 'LOC']
    """
    return join_mentions([decode(codes, starts, labels) for codes, _ in layers]).in_order()
