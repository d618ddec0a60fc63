"""Lines and columns of a block of text, found by arithmetic on bytes instead of by splitting strings."""

import re
from dataclasses import dataclass, replace

import numpy as np

from nerscope.corpus.arrays import Bytes, Ints
from nerscope.corpus.vocabulary import padded

_DOCSTART = re.compile(rb"(?m)^-DOCSTART-")
_COMMENT = re.compile(rb"(?m)^#.*$")
_NEW_DOCUMENT = re.compile(rb"(?m)^#\s*newdoc\b")
_BLANK = re.compile(rb"(?m)^[ \t]+$")


@dataclass(frozen=True, slots=True)
class Page:
    """A block of lines and what they are.

    `ends` are the ends of all fields; line k holds the fields `first[k]` to `last[k]`. `rows` are the lines with a token,
    `begins` the positions in `rows` where a sentence begins, `documents` the lines before which a document begins.
    """

    data: bytes
    buffer: Bytes
    line_starts: Ints
    first: Ints
    last: Ints
    ends: Ints
    rows: Ints
    begins: Ints
    documents: Ints

    @property
    def n_lines(self) -> int:
        """How many lines there are."""
        return len(self.line_starts)

    def column_counts(self) -> Ints:
        """The number of columns of each token line."""
        return (self.last - self.first + 1)[self.rows]

    def field(self, column: int) -> tuple[Ints, Ints]:
        """Where a column of the token lines starts and ends; negative columns count from the end."""
        first = self.first[self.rows]
        at = first + column if column >= 0 else self.last[self.rows] + column + 1
        starts = np.where(at == first, self.line_starts[self.rows], self.ends[at - 1] + 1)
        return starts, self.ends[at]

    def without_last_sentence(self) -> "Page":
        """The page up to the last sentence, which may go on beyond it."""
        if not len(self.begins):
            return self
        cut = int(self.rows[self.begins[-1]])
        return replace(
            self,
            data=self.data[: self.line_starts[cut]],
            line_starts=self.line_starts[:cut],
            rows=self.rows[: self.begins[-1]],
            begins=self.begins[:-1],
            documents=self.documents[: np.searchsorted(self.documents, cut, side="right")],
        )


def page_of(data: bytes, separator: bytes, comments: bool, needed: int, label_columns: list[int]) -> Page:
    """Lay out a block that ends in a newline.

    The common case costs a few passes over the bytes. Runs of blanks, separator lines that hold blanks, and other oddities
    are looked for only when the plain reading finds something that cannot be.
    """
    page = _plain_page(data, separator, comments)
    if separator == b" " and _has_runs(page):
        page = _plain_page(re.sub(rb"(?m)^ +| +$", b"", re.sub(rb" {2,}", b" ", data)), separator, comments)
    if _odd(page, needed, label_columns):
        page = _plain_page(_BLANK.sub(b"", page.data), separator, comments)
    return page


def _plain_page(data: bytes, separator: bytes, comments: bool) -> Page:
    buffer = padded(data)
    body = buffer[: len(data)]
    newline = body == 10
    ends = np.flatnonzero(newline | (body == separator[0]))
    last = np.flatnonzero(newline[ends])
    first, starts = np.zeros_like(last), np.zeros_like(last)
    first[1:] = last[:-1] + 1
    starts[1:] = ends[last[:-1]] + 1

    def lines_of(pattern: re.Pattern[bytes]) -> Ints:
        return np.searchsorted(starts, [match.start() for match in pattern.finditer(data)])

    token = ends[last] > starts
    documents = lines_of(_DOCSTART) if b"-DOCSTART-" in data else np.zeros(0, np.int64)
    token[documents] = False
    content = token
    kept: Ints | None = None
    if comments:
        remarks = lines_of(_COMMENT)
        token[remarks] = False
        documents = np.union1d(documents, lines_of(_NEW_DOCUMENT))
        kept = np.setdiff1d(np.arange(len(token)), remarks)
        content = token[kept]
    begins = content.copy()
    begins[1:] &= ~content[:-1]
    return Page(data, buffer, starts, first, last, ends, np.flatnonzero(token), np.flatnonzero(begins[content]), documents)


def _has_runs(page: Page) -> bool:
    """Whether a separator stands at the start or the end of a line, or beside another."""
    close = np.flatnonzero(np.diff(page.ends, prepend=-1) == 1)
    return bool((page.buffer[page.ends[close]] == 32).any() or (page.buffer[page.ends[close] - 1] == 32).any())


def _odd(page: Page, needed: int, label_columns: list[int]) -> bool:
    """Whether a token line has too few columns or an empty label: it may be a separator line that holds blanks."""
    if (page.column_counts() < needed).any():
        return True
    return any(bool((starts == ends).any()) for starts, ends in map(page.field, label_columns))
