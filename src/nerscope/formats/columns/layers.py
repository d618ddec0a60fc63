"""Two or more label columns of one file, read together as nested layers: `FILE::label=2+3`.

GermEval has the outer mentions in one column and the mentions inside them in the next.
"""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

from nerscope.corpus.corpus import Coding, Corpus, ReadingNotes
from nerscope.corpus.mentions import decode, join_mentions
from nerscope.errors import UsageError
from nerscope.formats.base import FileOption
from nerscope.formats.columns.column_file import BlockReader, ColumnFile
from nerscope.formats.columns.conll import FILE_OPTIONS, ConllFile
from nerscope.formats.files import FileBytes
from nerscope.formats.source import LabelStyle, Source


@dataclass(frozen=True, slots=True)
class LayeredFile(ColumnFile):
    """A column file whose mentions are those of several label columns.

    `base` has all options except the label columns.

    >>> base = ConllFile(FileBytes("x", data=b"Uni B-ORG O\\nBonn I-ORG B-LOC\\n"))
    >>> corpus = next(LayeredFile(base, (1, 2)).chunks(Coding()))
    >>> [corpus.coding.labels.types[kind] for kind in corpus.mentions().type]
    ['ORG', 'LOC']
    """

    max_small: ClassVar[int] = ConllFile.max_small
    file_options: ClassVar[Mapping[str, FileOption]] = FILE_OPTIONS
    base: ConllFile
    labels: tuple[int, ...]
    name: str = field(init=False, compare=False)
    path: str | os.PathLike[str] | FileBytes = field(init=False, compare=False, repr=False)
    scheme: str | None = field(init=False, compare=False)
    encoding: str = field(init=False, compare=False)
    tokens: str = field(init=False, compare=False)
    sentences: str = field(init=False, compare=False)
    always_flat: ClassVar[bool] = False  # type: ignore[misc]

    def __post_init__(self) -> None:
        for name in ("name", "path", "scheme", "encoding", "tokens", "sentences"):
            object.__setattr__(self, name, getattr(self.base, name))
        if len(set(self.labels)) < len(self.labels):
            raise UsageError(
                self.name, "a label column is named twice", "name each label column once: label=2+3"
            )

    @property
    def n_columns(self) -> int:  # type: ignore[override]
        return self.base.n_columns

    def reader(self, coding: Coding, tokens: bool | None) -> BlockReader:
        return _LayeredReader(self.base.columns_reader(coding, self.labels, tokens))

    def label_style(self, coding: Coding | None = None) -> LabelStyle:
        """The scheme of all columns together; mentions of two columns may overlap."""
        return Source.label_style(self, coding)

    def relabelled(self, labels: Mapping[int, str]) -> bytes | None:
        """None, because a token has several labels."""
        return None

    def relabeller(self, text: str) -> Callable[[str, str], str]:
        return self.base.relabeller(text)

    def with_options(self, options: Mapping[str, Any]) -> ColumnFile:  # type: ignore[override]
        return self.base.with_options({"label": self.labels, **options})


class _LayeredReader:
    """Joins the corpora of the label columns to one corpus of spans."""

    def __init__(self, reader: BlockReader) -> None:
        self._reader = reader

    def read(self, data: bytes, final: bool) -> tuple[bytes, list[Corpus]]:
        rest, corpora = self._reader.read(data, final)
        if not corpora:
            return rest, []
        # Every column has the notes of the block, and its own transitions.
        others = (corpus.reading_notes.transitions for corpus in corpora[1:])
        reading = corpora[0].reading_notes + sum(map(ReadingNotes, others), ReadingNotes())
        layers = [
            decode(corpus.labels, corpus.starts, corpus.coding.labels)
            for corpus in corpora
            if corpus.labels is not None
        ]
        joined = replace(
            corpora[0],
            labels=None,
            spans=join_mentions(layers).in_order(),
            reading_notes=reading,
            declared_scheme=None,
        )
        return rest, [joined]
