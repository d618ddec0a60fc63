"""CoNLL-2012 (OntoNotes): many columns between blanks, with named entities in brackets.

A token that begins a mention has `(PERSON*`, one that ends it `*)`, a mention of one token `(GPE)`,
and all other tokens `*`. Brackets may be nested.
"""

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from nerscope.corpus.corpus import ReadingNotes, file_option
from nerscope.errors import FormatError, UsageError, expect, plural, shortened
from nerscope.formats.base import FORMATS, FileOption, Format
from nerscope.formats.columns.column_file import SAME, SHARED_OPTIONS
from nerscope.formats.columns.rows import RowFile, RowSentence
from nerscope.formats.files import HEAD, FileBytes

NAME = "conll2012"
TOKEN, LABEL = 3, 10  # the columns of CoNLL-2011 and CoNLL-2012
_MOST_COLUMNS = 10_000
_BLANKS = re.compile(r"[ \t]+")
_BEGIN = re.compile(r"#\s*begin document\b\s*(?:\((.*)\)|(\S*))")
_BEGIN_LINE = re.compile(rb"#\s*begin document\b")
_BRACKET = re.compile(r"\(([^()*\s]+)|(\))|\*")
_CELL = re.compile(r"(?:\([^()*\s]+)*\*?\)*")  # a whole cell in bracket notation
_NO_VALUE = ("-", "_")
_COMMENT = "#"

OPTIONS: Mapping[str, FileOption] = {
    "token": FileOption(int, f"the column of the token, counted from 0 (default: {TOKEN})"),
    "label": FileOption(int, f"the column of the brackets, counted from 0 (default: {LABEL})"),
    **{name: option for name, option in SHARED_OPTIONS.items() if name != "scheme"},
}


@dataclass(frozen=True, slots=True)
class Conll2012File(RowFile):
    """A CoNLL-2012 file, and its columns.

    >>> from nerscope.corpus.corpus import Coding
    >>> row = b"a 0 0 Ada NNP * - - - - (PERSON) -\\n"
    >>> file = Conll2012File(FileBytes("x", data=b"#begin document (a); part 000\\n" + row))
    >>> corpus = next(file.chunks(Coding()))
    >>> corpus.words(0), [corpus.coding.labels.types[kind] for kind in corpus.mentions().type]
    (['Ada'], ['PERSON'])
    """

    max_small: ClassVar[int] = 4 << 20
    file_options: ClassVar[Mapping[str, FileOption]] = OPTIONS
    format: ClassVar[str | None] = NAME
    scheme: ClassVar[str | None] = None  # type: ignore[misc]  # brackets have no scheme
    n_layers: ClassVar[int] = 0  # type: ignore[misc]
    always_flat: ClassVar[bool] = False  # type: ignore[misc]
    path: str | os.PathLike[str] | FileBytes
    token: int = TOKEN
    label: int = LABEL
    encoding: str = "utf-8"
    tokens: str = SAME
    sentences: str = SAME
    name: str = field(init=False, compare=False)

    def __post_init__(self) -> None:
        # Opened once, because standard input can be read only once.
        object.__setattr__(self, "path", self.content)
        object.__setattr__(self, "name", self.content.name)
        for option in ("token", "label"):
            value = getattr(self, option)
            expect(option, value, int, f"give {OPTIONS[option].give}")
            if abs(value) > _MOST_COLUMNS:
                raise UsageError(
                    self.name,
                    f"invalid value {option}={value}",
                    f"count columns from 0: {file_option(self.name, f'{option}={LABEL}')}",
                )
        self.check_options()

    def parser(self) -> "_Parser":
        return _Parser(self)

    def relabelled(self, labels: Mapping[int, str]) -> bytes | None:
        """None, because brackets mark the mentions."""
        return None


class _Parser:
    """Reads tokens and brackets; all parts of a document are one document."""

    def __init__(self, file: Conll2012File) -> None:
        self.file = file
        used = (file.token, file.label)
        self.needed = max(2, *(column + 1 if column >= 0 else -column for column in used))
        self.document, self.document_name = -1, ""
        self.sentence: RowSentence | None = None
        self.open: list[tuple[int, str, int]] = []  # the start, type and line of open mentions
        self.comments = 0

    def feed(self, line: str, number: int) -> Iterator[RowSentence]:
        fields = _BLANKS.split(line.strip(" \t"))
        if fields == [""]:
            yield from self.finish()
        elif line.startswith(_COMMENT) and len(fields) < self.needed:
            self.comments += 1
            yield from self.finish()
            if begin := _BEGIN.match(line):
                self._begin_document(begin[1] or begin[2] or "")
        else:
            self._token(fields, number)

    def _begin_document(self, name: str) -> None:
        if self.document < 0 or name != self.document_name:
            self.document, self.document_name = self.document + 1, name

    def _token(self, fields: Sequence[str], number: int) -> None:
        place = f"{self.file.name}:{number}"
        if len(fields) < self.needed:
            raise FormatError(
                place,
                f"{plural(len(fields), 'column')} where {self.needed} are needed",
                "correct the line; if the file has other columns: "
                f"{file_option(self.file.name, 'token=0,label=1')}",
            )
        if self.sentence is None:
            self.document = max(self.document, 0)
            self.sentence = RowSentence(self.document)
        self.sentence.words.append(fields[self.file.token])
        self.sentence.lines.append(number)
        self._brackets(fields[self.file.label], number, self.sentence)

    def _brackets(self, text: str, number: int, sentence: RowSentence) -> None:
        if text in _NO_VALUE:
            return
        place = f"{self.file.name}:{number}"
        if not text or not _CELL.fullmatch(text):
            raise FormatError(
                place,
                f"'{shortened(text)}' is not in the bracket notation of CoNLL-2012",
                "write (PERSON* and *) around a mention, and * elsewhere; if another column has "
                f"the brackets: {file_option(self.file.name, 'label=10')}",
            )
        at = len(sentence.words) - 1
        for kind, closes in _BRACKET.findall(text):
            if kind:
                self.open.append((at, kind, number))
            elif closes:
                if not self.open:
                    raise FormatError(
                        place,
                        f"'{shortened(text)}' closes a mention that is not open",
                        "open the mention first: (PERSON*",
                    )
                start, opened, _ = self.open.pop()
                sentence.spans.append((start, at + 1, opened))

    def finish(self) -> Iterator[RowSentence]:
        for _, kind, number in self.open:
            raise FormatError(
                f"{self.file.name}:{number}",
                f"the mention '({shortened(kind)}*' is still open at the end of its sentence",
                "close the mention with *) in the same sentence",
            )
        if self.sentence is not None:
            yield self.sentence
        self.sentence = None

    def take_notes(self) -> ReadingNotes:
        comments, self.comments = self.comments, 0
        return ReadingNotes(comment_lines=comments)


def fits(name: str, head: bytes) -> bool:
    """Whether a file begins with `#begin document`, and its first token has brackets.

    >>> row = b"a 0 0 Ada NNP * - - - - (PERSON) -\\n"
    >>> fits("x", b"#begin document (a); part 000\\n" + row), fits("x", b"#begin O\\nAda B-PER\\n")
    (True, False)
    """
    lines = head.removeprefix(b"\xef\xbb\xbf").split(b"\n")
    lines = [line for line in (lines if len(head) < HEAD else lines[:-1]) if line.strip()]
    if not lines or not _BEGIN_LINE.match(lines[0]):
        return False
    rows = [line.split() for line in lines if not line.startswith(b"#")]
    return all(len(row) <= LABEL or _is_cell(row[LABEL]) for row in rows)


def _is_cell(field: bytes) -> bool:
    text = field.decode("utf-8", "replace")
    return text in _NO_VALUE or bool(_CELL.fullmatch(text))


FORMATS.add(
    NAME,
    Format(
        NAME,
        Conll2012File,
        fits,
        OPTIONS,
        title="CoNLL-2012",
        phrase="OntoNotes columns with entities in brackets",
        definition="The columns of CoNLL-2011 and CoNLL-2012, with named entities in brackets in "
        "the eleventh column.",
    ),
    built_in=True,
    rank=45,
)
