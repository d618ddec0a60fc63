"""Column files with comments about sentences, such as `# sent_id = 7` and `# genre = news`."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from nerscope.corpus.corpus import Coding, Corpus
from nerscope.corpus.records import RecordFacts, Records
from nerscope.formats.source import LabelStyle, Source, SourceInfo

if TYPE_CHECKING:
    from nerscope.formats.columns.column_file import ColumnFile

_COMMENT = re.compile(r"#\s*(?:meta::)?([^\s=]+(?:\s+id)?)\s*=\s*(.*?)\s*")
_NEW_DOCUMENT = re.compile(r"#\s*(?:newdoc\b|\S*document_id\s*=)")  # UD; HIPE
_COLUMN = re.compile(r"-?\d+")
_SENTENCE_ID = "sent_id"
# Keys that are about one sentence, even if they stand with the comments of a document.
_OF_SENTENCES = {_SENTENCE_ID, "text", "text_en", "newpar id"}


@dataclass(frozen=True, eq=False)
class DescribedFile(Source):
    """A column file whose sentences have ids and metadata, from comments or from columns.

    `metadata` are keys of comments, or numbers of columns: the value of the first token counts.
    Comments with `# newdoc` or a document_id hold for all sentences of the document.
    """

    source: "ColumnFile"
    metadata: tuple[str, ...]

    @property
    def name(self) -> str:  # type: ignore[override]
        return self.source.name

    @property
    def always_flat(self) -> bool:  # type: ignore[override]
        return self.source.always_flat

    @property
    def info(self) -> SourceInfo:
        return self.source.info

    def label_style(self, coding: Coding | None = None) -> LabelStyle:
        return self.source.label_style(coding)

    def with_records(self, metadata: Sequence[str] = ()) -> Source:
        return self.source.with_records(metadata)

    def chunks(self, coding: Coding, *, tokens: bool = True) -> Iterator[Corpus]:
        lines = self._lines()
        facts = _SentenceFacts(self.metadata)
        for chunk in self.source.chunks(coding, tokens=tokens):
            first_lines = chunk.lines[chunk.starts[:-1]].tolist()
            described = [facts.of_sentence(lines, number) for number in first_lines]
            is_described = self.metadata or any(fact.id is not None for fact in described)
            records = Records.of(described, np.arange(len(described)))
            yield replace(chunk, records=records if is_described else None)

    def _lines(self) -> Iterator[tuple[int, str]]:
        number = 0
        for block in self.source.blocks():
            for line in block[:-1].decode().split("\n"):
                number += 1
                yield number, line


class _SentenceFacts:
    """Collects the comments before each sentence, and those of its document."""

    def __init__(self, metadata: Sequence[str]) -> None:
        self._columns = {key: int(key) for key in metadata if _COLUMN.fullmatch(key)}
        self._keys = {*metadata} - {*self._columns}
        self._of_document: Mapping[str, str] = {}

    def of_sentence(self, lines: Iterator[tuple[int, str]], first_line: int) -> RecordFacts:
        """The facts of the sentence whose first token is on a line; lines up to it are read."""
        comments, is_new = dict[str, str](), False
        for number, line in lines:
            if number == first_line:
                break
            if line.startswith("#"):
                is_new = is_new or bool(_NEW_DOCUMENT.match(line))
                if pair := _COMMENT.fullmatch(line):
                    comments[pair[1]] = pair[2]
        if is_new:
            self._of_document = {
                key: value for key, value in comments.items() if key not in _OF_SENTENCES
            }
        fields = line.split("\t") if "\t" in line else line.split()
        known = {**self._of_document, **comments}
        meta = {key: known[key] for key in self._keys if known.get(key)}
        meta |= {
            key: fields[at] for key, at in self._columns.items() if -len(fields) <= at < len(fields)
        }
        return RecordFacts(comments.get(_SENTENCE_ID), None, meta)
