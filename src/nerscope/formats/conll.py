"""CoNLL-like files: one token a line, columns, blank lines between sentences; read in chunks of
whole sentences.
"""

import io
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import numpy as np

from nerscope.corpus.arrays import Ints
from nerscope.corpus.corpus import Coding, Corpus, LabelColumn, label_error
from nerscope.corpus.mending import MENDS
from nerscope.corpus.schemes import scheme_named
from nerscope.corpus.vocabulary import Vocabulary
from nerscope.errors import FormatError, InputError, UsageError, plural, suggest
from nerscope.formats.blocks import BLOCK, blocks, open_bytes
from nerscope.formats.columns import Page, page_of

SEPARATORS = {"tab": b"\t", "space": b" "}
# The first line of a file that nothing but CoNLL-U and its kin begin with.
_CONLLU = re.compile(rb"\s*# ?(sent_id|text|newdoc|newpar|global\.columns|id)\b")
_YES_NO = {"yes": True, "true": True, "no": False, "false": False}


class FileOption(NamedTuple):
    """Something that can be said about one file: how to read its value, and what to give."""

    read: Callable[[str], object]
    give: str


FILE_OPTIONS = {
    "token": FileOption(int, "the column of the token: 0 is the first, -1 the last"),
    "label": FileOption(int, "the column of the label: 0 is the first, -1 the last"),
    "separator": FileOption(str, "tab or space; told by looking otherwise"),
    "scheme": FileOption(str, "the tagging scheme; told by looking otherwise"),
    "encoding": FileOption(str, "the encoding, utf-8 unless told"),
    "tokens": FileOption(
        {"same": "same", "any": "any"}.__getitem__,
        "same, or any if a system spells tokens its own way",
    ),
    "mend": FileOption(
        {name: name for name in MENDS}.__getitem__,
        "handles, to join @ and the name behind it into one mention",
    ),
    "comments": FileOption(
        lambda text: _YES_NO[text.lower()],
        "yes or no: whether lines that begin with # are comments",
    ),
}


@dataclass(frozen=True, slots=True)
class ConllFile:
    """A file and how to read it.

    >>> file = ConllFile.parse("da.conllu::token=1,label=2")
    >>> file.path, file.token, file.label
    ('da.conllu', 1, 2)
    """

    path: str | Path
    token: int = 0
    label: int = -1
    separator: str | None = None
    scheme: str | None = None
    encoding: str = "utf-8"
    comments: bool | None = None
    tokens: str = "same"
    mend: str | None = None
    data: bytes | None = field(default=None, repr=False)  # what was read from a file object

    def __post_init__(self) -> None:
        if self.separator is not None and self.separator not in SEPARATORS:
            raise UsageError(
                self.name,
                f"no separator is called '{self.separator}'",
                suggest(self.separator, SEPARATORS),
            )
        if self.scheme is not None:
            scheme_named(self.scheme)
        try:
            "".encode(self.encoding)
        except LookupError:
            raise UsageError(
                self.name,
                f"no encoding is called '{self.encoding}'",
                "utf-8, latin-1, cp1252 and utf-16 are common ones",
            ) from None

    @property
    def name(self) -> str:
        """What messages call it."""
        return str(self.path)

    @classmethod
    def parse(cls, text: str) -> "ConllFile":
        """Read `FILE` or `FILE::option=value,option=value`."""
        path, _, options = text.partition("::")
        values: dict[str, object] = {}
        for part in filter(None, options.split(",")):
            key, _, value = part.partition("=")
            if key not in FILE_OPTIONS:
                raise UsageError(
                    text, f"no file option is called '{key}'", suggest(key, FILE_OPTIONS)
                )
            try:
                values[key] = FILE_OPTIONS[key].read(value)
            except (ValueError, KeyError):
                raise UsageError(
                    text, f"'{part}' cannot be read", f"give {FILE_OPTIONS[key].give}"
                ) from None
        return cls(path, **values)  # type: ignore[arg-type]

    def blocks(self) -> Iterator[bytes]:
        """The text of the file."""
        with open_bytes(self.path) if self.data is None else io.BytesIO(self.data) as stream:
            yield from blocks(stream, self.name, self.encoding)


class Layout(NamedTuple):
    """What was found by looking at the beginning of a file."""

    separator: bytes
    comments: bool


def look(data: bytes, file: ConllFile) -> Layout:
    """Tell tabs from spaces, and a file with comment lines from one whose tokens may be `#`."""
    comments = bool(_CONLLU.match(data)) if file.comments is None else file.comments
    if file.separator:
        return Layout(SEPARATORS[file.separator], comments)
    lines = [
        line
        for line in data[: 1 << 16].split(b"\n")
        if line.strip() and not (comments and line.startswith(b"#"))
    ]
    tabbed = sum(b"\t" in line for line in lines)
    return Layout(b"\t" if 2 * tabbed > len(lines) else b" ", comments)


def read_chunks(
    file: ConllFile, coding: Coding, columns: Sequence[int], tokens: bool = True
) -> Iterator[list[Corpus]]:
    """Chunks of whole sentences, as one corpus for each label column that is asked for."""
    reader = _Reader(file, coding, columns, tokens)
    parts: list[bytes] = []
    wanted = BLOCK // 2
    for block in file.blocks():
        parts.append(block)
        if sum(map(len, parts)) < wanted:
            continue
        rest, corpora = reader.read(b"".join(parts), final=False)
        # A sentence longer than a block is read again only when twice as much of it is there:
        # linear time.
        parts, wanted = [rest], max(BLOCK // 2, 2 * len(rest))
        if corpora:
            yield corpora
    _, corpora = reader.read(
        b"".join(parts), final=True
    )  # the last sentence is always held back for this
    if not corpora:
        raise InputError(file.name, "the file holds no sentence", "check that it is the right file")
    yield corpora


class _RawLabels:
    """Dense codes for the few labels of a file, in the order in which they turn up."""

    def __init__(self) -> None:
        self.size = 0
        self._vocabulary = Vocabulary()
        self._dense = np.full(0, -1, np.int32)  # by code of the vocabulary
        self._single = np.full(256, -1, np.int32)  # by byte: most labels of most files are a lone O

    def codes(self, page: Page, column: int) -> tuple[Ints, list[str]]:
        """The codes of a label column, and the labels that are new."""
        starts, ends = page.field(column)
        codes = self._single[page.buffer[starts]]
        rest = np.flatnonzero((codes < 0) | (ends - starts != 1))
        new: list[str] = []
        if len(rest):
            codes[rest], new = self._looked_up(page, starts[rest], ends[rest])
        return codes, new

    def _looked_up(self, page: Page, starts: Ints, ends: Ints) -> tuple[Ints, list[str]]:
        sparse = self._vocabulary.encode_fields(page.buffer, starts, ends)
        if self._vocabulary.bound > len(self._dense):
            self._dense = np.pad(
                self._dense, (0, self._vocabulary.bound - len(self._dense)), constant_values=-1
            )
        codes = self._dense[sparse]
        if codes.min() >= 0:
            return codes, []
        fresh, where = np.unique(sparse[codes < 0], return_index=True)
        fresh = fresh[np.argsort(where)]
        self._dense[fresh] = np.arange(self.size, self.size + len(fresh))
        self.size += len(fresh)
        new = self._vocabulary.strings(fresh)
        for text, code in zip(new, self._dense[fresh], strict=True):
            if len(text.encode()) == 1:
                self._single[ord(text)] = code
        return self._dense[sparse], new


class _Reader:
    """The state of reading one file: what is known of its layout, and how far it has come."""

    def __init__(
        self, file: ConllFile, coding: Coding, columns: Sequence[int], tokens: bool
    ) -> None:
        scheme = scheme_named(file.scheme) if file.scheme else None
        self.file, self.coding, self.with_tokens = file, coding, tokens
        self.columns = {
            column: (LabelColumn(coding.labels, scheme), _RawLabels()) for column in columns
        }
        self.needed = max(
            2, *(column + 1 if column >= 0 else -column for column in (file.token, *columns))
        )
        self.layout: Layout | None = None
        self.line, self.documents = 1, 0

    def read(self, data: bytes, final: bool) -> tuple[bytes, list[Corpus]]:
        """The sentences of a block, and the bytes of the last one if it may go on in the next
        block.
        """
        if not data:
            return b"", []
        self.layout = self.layout or look(data, self.file)
        whole = page_of(
            data, self.layout.separator, self.layout.comments, self.needed, list(self.columns)
        )
        page = whole if final else whole.without_last_sentence()
        self._check_columns(page)
        corpora = self._corpora(page) if len(page.begins) else []
        self.line += page.n_lines
        self.documents += len(page.documents)
        return whole.data[len(page.data) :], corpora

    def _check_columns(self, page: Page) -> None:
        counts = page.column_counts()
        short = np.flatnonzero(counts < self.needed)
        if len(short):
            kind = "tab" if self.layout and self.layout.separator == b"\t" else "space"
            raise FormatError(
                f"{self.file.name}:{self.line + page.rows[short[0]]}",
                f"{plural(int(counts[short[0]]), f'{kind}-separated column')} where {self.needed} are needed",
                "mend the line; say separator=tab or separator=space if the guess is wrong, comments=yes if it is a comment",
            )

    def _corpora(self, page: Page) -> list[Corpus]:
        starts = np.append(page.begins, len(page.rows))
        lines = page.rows + self.line
        documents = self.documents + np.searchsorted(page.documents, page.rows[page.begins])
        tokens = (
            self.coding.tokens.encode_fields(page.buffer, *page.field(self.file.token))
            if self.with_tokens or self.file.mend
            else np.zeros(0, np.int32)
        )
        corpora = []
        for number, (column, raw_labels) in self.columns.items():
            raw, new = raw_labels.codes(page, number)
            if (bad := column.know(new)) is not None:
                first = int(np.argmax(raw == raw_labels.size - len(new) + new.index(bad)))
                raise label_error(f"{self.file.name}:{lines[first]}", bad)
            labels = column.read(raw, starts, lines)
            if self.file.mend:
                mended = MENDS[self.file.mend](
                    tokens, labels, starts, self.coding.tokens, self.coding.labels
                )
                column.mended += int((mended != labels).sum())
                labels = mended
            corpora.append(
                Corpus(
                    self.file.name, self.coding, column, tokens, labels, starts, lines, documents
                )
            )
        return corpora
