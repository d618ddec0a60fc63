"""HIPE TSV: historical documents with several layers of labels, as HIPE-2020 and HIPE-2022 have.

The first line names the columns. Lines that begin with `# ` have metadata; `_` and `-` mean that a
column has no value. Flags in the column MISC mark ends of sentences and missing blanks.
"""

import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from nerscope.corpus.corpus import Note, ReadingNotes, file_option
from nerscope.corpus.schemes import OUTSIDE_LABEL
from nerscope.errors import FormatError, UsageError, expect, plural
from nerscope.formats.base import FORMATS, FileOption, Format
from nerscope.formats.columns.column_file import ALIGN, SHARED_OPTIONS, ColumnFile
from nerscope.formats.columns.rows import RowFile, RowSentence
from nerscope.formats.files import FileBytes

NAME = "hipe"
TOKEN, DEFAULT, MISC = "TOKEN", "NE-COARSE-LIT", "MISC"
NO_TOKEN = "lines without a token, left out"
_LABEL_COLUMN = re.compile(r"NE[-_]", re.IGNORECASE)
_NO_VALUE = ("_", "-", "")
_SENTENCE_FLAGS = frozenset({"EndOfSentence", "PySBDSegment"})
_NO_BLANK = "NoSpaceAfter"
_DOCUMENT = re.compile(r"#\s*(?:[\w-]+:)?document_id\s*=\s*(.*)")
_SEGMENT = re.compile(r"#\s*segment")
_OPENS = ("B-", "S-", "U-", "W-")  # prefixes of labels that never continue a mention

HIPE_OPTIONS: Mapping[str, FileOption] = {
    "label": FileOption(
        str, f"the label column by name or number ({DEFAULT}), or several: {DEFAULT}+NE-NESTED"
    ),
    **SHARED_OPTIONS,
}


@dataclass(frozen=True, slots=True)
class HipeFile(RowFile):
    """A HIPE file, and the label column that is read.

    `label` is the name or number of a column; several names with `+` between them are read together
    as nested layers. `tokens` is `align`, so that a mention of a system that crosses a sentence end
    of gold is one mention, as in the official scorer.

    >>> from nerscope.corpus.corpus import Coding
    >>> lines = b"TOKEN\\tNE-COARSE-LIT\\tMISC\\n# document_id = a\\nAda\\tB-pers\\t_\\n"
    >>> file = HipeFile(FileBytes("x.tsv", data=lines))
    >>> file.columns, len(next(file.chunks(Coding())))
    (['TOKEN', 'NE-COARSE-LIT', 'MISC'], 1)
    """

    max_small: ClassVar[int] = 4 << 20
    file_options: ClassVar[Mapping[str, FileOption]] = HIPE_OPTIONS
    format: ClassVar[str | None] = NAME
    path: str | os.PathLike[str] | FileBytes
    label: str | int = DEFAULT
    scheme: str | None = None
    encoding: str = "utf-8"
    tokens: str = ALIGN
    sentences: str = "same"
    name: str = field(init=False, compare=False)
    columns: list[str] = field(init=False, compare=False, repr=False)
    label_columns: list[int] = field(init=False, compare=False, repr=False)
    has_flags: bool = field(init=False, compare=False, repr=False)
    n_layers: int = field(init=False, compare=False, repr=False)
    always_flat: bool = field(init=False, compare=False)

    def __post_init__(self) -> None:
        # Opened once, because standard input can be read only once.
        object.__setattr__(self, "path", self.content)
        object.__setattr__(self, "name", self.content.name)
        expect("label", self.label, (str, int), f"give {HIPE_OPTIONS['label'].give}")
        self.check_options()
        first = next(self.blocks(), b"").decode()
        columns = first.partition("\n")[0].split("\t")
        if columns[0].upper() != TOKEN:
            raise FormatError(
                f"{self.name}:1",
                "the first line does not name the columns of HIPE: TOKEN, NE-COARSE-LIT, …",
                f"for columns without such a line: {file_option(self.name, 'format=conll')}",
            )
        object.__setattr__(self, "columns", columns)
        numbers = [self._number(label) for label in str(self.label).split("+")]
        object.__setattr__(self, "label_columns", list(dict.fromkeys(numbers)))
        object.__setattr__(self, "n_layers", len(self.label_columns))
        object.__setattr__(self, "always_flat", self.n_layers == 1)
        object.__setattr__(self, "has_flags", any(flag in first for flag in _SENTENCE_FLAGS))

    def _number(self, label: str) -> int:
        """The number of a column that is given by its name or number."""
        names = [column.upper() for column in self.columns]
        if label.upper() in names[1:]:
            return names.index(label.upper())
        if re.fullmatch(r"-?\d{1,4}", label):
            number = int(label) + (len(names) if label.startswith("-") else 0)
            if 0 < number < len(names):
                return number
        known = [column for column in self.columns if _LABEL_COLUMN.match(column)]
        raise UsageError(
            self.name,
            f"the header has no label column '{label}'",
            f"{file_option(self.name, 'label=COLUMN')} with one of: {', '.join(known)}",
        )

    def parser(self) -> "_HipeParser":
        return _HipeParser(self)

    def relabelled(self, labels: Mapping[int, str]) -> bytes | None:
        """The file with other labels; None if several columns are read together."""
        return ColumnFile.relabelled(self, labels) if self.n_layers == 1 else None

    def relabeller(self, text: str) -> Callable[[str, str], str]:
        def with_label(line: str, label: str) -> str:
            fields = line.split("\t")
            fields[self.label_columns[0]] = label
            return "\t".join(fields)

        return with_label


class _HipeParser:
    """Reads tokens; a sentence ends at a flag, but never inside a mention of the label column."""

    def __init__(self, file: HipeFile) -> None:
        self.file = file
        names = [column.upper() for column in file.columns]
        self.misc = names.index(MISC) if MISC in names else None
        self.needed = max(file.label_columns) + 1
        self.document, self.document_name = -1, ""
        self.sentence: RowSentence | None = None
        self.may_end = False  # a sentence end was marked before the next token
        self.attached = False  # no blank follows the last token
        self.begins_document = True
        self.comments, self.without_token = 0, list[int]()

    def feed(self, line: str, number: int) -> Iterator[RowSentence]:
        if number == 1:
            return
        fields = line.split("\t")
        if line.startswith("# ") or (line.startswith("#") and len(fields) < self.needed):
            self.comments += 1
            if found := _DOCUMENT.match(line):
                yield from self._begin_document(found[1].strip())
            elif _SEGMENT.match(line) and not self.file.has_flags:
                self.may_end = True
        elif not line.strip():
            self.may_end = True
        elif not fields[0].strip():
            self.without_token.append(number)
        else:
            yield from self._token(fields, number)

    def _begin_document(self, name: str) -> Iterator[RowSentence]:
        if self.document < 0 or name != self.document_name:
            yield from self.finish()
            self.document, self.document_name = self.document + 1, name
            self.begins_document = True

    def _token(self, fields: list[str], number: int) -> Iterator[RowSentence]:
        labels = self._labels(fields, number)
        last = [layer[-1] for layer in self.sentence.labels] if self.sentence else []
        if self.may_end and not any(map(_continues, last, labels)):
            yield from self.finish()
        gap = "" if self.attached else " "
        if self.sentence is None:
            gap = "" if self.begins_document else "\n"
            self.document, self.begins_document = max(self.document, 0), False
            self.sentence = RowSentence(self.document, labels=[[] for _ in labels])
        flags = self._flags(fields)
        self.sentence.words.append(fields[0])
        self.sentence.lines.append(number)
        self.sentence.gaps.append(gap)
        for layer, label in zip(self.sentence.labels, labels, strict=True):
            layer.append(label)
        self.attached = _NO_BLANK in flags
        self.may_end = not _SENTENCE_FLAGS.isdisjoint(flags)

    def _labels(self, fields: Sequence[str], number: int) -> list[str]:
        if len(fields) < self.needed:
            raise FormatError(
                f"{self.file.name}:{number}",
                f"{plural(len(fields), 'tab-separated column')} where {self.needed} are needed",
                "correct the line: it needs the columns that the first line names",
            )
        labels = (fields[column] for column in self.file.label_columns)
        return [OUTSIDE_LABEL if label in _NO_VALUE else label for label in labels]

    def _flags(self, fields: Sequence[str]) -> set[str]:
        has_flags = self.misc is not None and len(fields) > self.misc
        return set(fields[self.misc or 0].split("|")) if has_flags else set()

    def finish(self) -> Iterator[RowSentence]:
        if self.sentence is not None:
            yield self.sentence
        self.sentence, self.may_end = None, False

    def take_notes(self) -> ReadingNotes:
        lines, comments = self.without_token, self.comments
        self.without_token, self.comments = [], 0
        notes = {NO_TOKEN: Note(len(lines), tuple(lines[:1]))} if lines else {}
        return ReadingNotes(comment_lines=comments, notes=notes)


def _continues(before: str, label: str) -> bool:
    """Whether a label continues the mention of the label before it.

    >>> _continues("B-pers", "I-pers"), _continues("B-pers", "B-pers"), _continues("O", "I-pers")
    (True, False, False)
    """
    if OUTSIDE_LABEL in (before, label) or label.startswith(_OPENS):
        return False
    return before.partition("-")[2] == label.partition("-")[2]


def fits(name: str, head: bytes) -> bool:
    """Whether the first line names the columns of HIPE.

    >>> fits("x", b"TOKEN\\tNE-COARSE-LIT\\tMISC\\n"), fits("x", b"TOKEN\\tO\\n")
    (True, False)
    """
    first = head.decode("utf-8", "replace").removeprefix("\ufeff").partition("\n")[0]
    columns = first.rstrip("\r").split("\t")
    return columns[0].upper() == TOKEN and any(map(_LABEL_COLUMN.match, columns[1:]))


FORMATS.add(
    NAME,
    Format(
        NAME,
        HipeFile,
        fits,
        HIPE_OPTIONS,
        title="HIPE TSV",
        phrase="historical documents with several label columns",
        definition="The TSV files of HIPE-2020 and HIPE-2022: named columns, metadata in comments, "
        "several layers of labels.",
    ),
    built_in=True,
    rank=44,
)
