"""Lines and columns of a block of text, found by arithmetic on bytes instead of by splitting
strings.
"""

import re
from dataclasses import dataclass, replace

import numpy as np

from nerscope.corpus.arrays import Bools, Bytes, Ints
from nerscope.corpus.vocabulary import padded

_DOCSTART = re.compile(rb"(?m)^-DOCSTART-")
_COMMENT = re.compile(rb"(?m)^#.*$")
_NEW_DOCUMENT = re.compile(rb"(?m)^#[ \t]*newdoc\b")
_BLANK_LINE = re.compile(rb"(?m)^[ \t]+$")
_BLANKS = re.compile(rb" {2,}")
_EDGE_BLANKS = re.compile(rb"(?m)^ +| +$")
_SLICE = 1 << 22  # bytes that are looked at in one go


@dataclass(frozen=True, slots=True, eq=False)
class Page:
    """A block of lines and what they are.

    `ends` are the ends of all fields; the fields of line k are `first[k]` to `last[k]`. `rows` are
    the lines with a token,
    `begins` the positions in `rows` where a sentence begins, `documents` the lines before which a
    document begins.
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
    has_empty_fields: bool
    remarks: Ints  # lines that are comments

    @property
    def n_lines(self) -> int:
        """How many lines there are."""
        return len(self.line_starts)

    def column_counts(self) -> Ints:
        """The number of columns of each token line."""
        counts: Ints = self.last[self.rows] - self.first[self.rows] + 1
        return counts

    def field(self, column: int) -> tuple[Ints, Ints]:
        """Where a column of the token lines starts and ends; -1 is the last column."""
        at = self.first[self.rows] + column if column >= 0 else self.last[self.rows] + (column + 1)
        # A field starts behind the end of the one before it, be that on the same line or on the
        # line before.
        starts = self.ends[at - 1] + 1
        if len(at) and at[0] == 0:
            starts[0] = 0
        return starts, self.ends[at]

    def without_last_sentence(self) -> "Page":
        """The page up to the last sentence, which may go on beyond it."""
        cut = int(self.rows[self.begins[-1]]) if len(self.begins) else 0
        return replace(
            self,
            data=self.data[: self.line_starts[cut]],
            line_starts=self.line_starts[:cut],
            rows=self.rows[: self.begins[-1]] if len(self.begins) else self.rows[:0],
            begins=self.begins[:-1],
            documents=self.documents[: np.searchsorted(self.documents, cut)],
            remarks=self.remarks[: np.searchsorted(self.remarks, cut)],
        )


def page_of(
    data: bytes, separator: bytes, comments: bool, needed: int, label_columns: list[int]
) -> Page:
    """Lay out a block that ends in a newline.

    The common case costs a few passes over the bytes. Runs of blanks, separator lines that hold
    blanks, and other oddities are looked into only when there are empty fields or too few of them.
    """
    page = _plain_page(data, separator, comments)
    if page.has_empty_fields and separator == b" ":
        page = _plain_page(_EDGE_BLANKS.sub(b"", _BLANKS.sub(b" ", data)), separator, comments)
    if _odd(page, needed, label_columns):
        page = _plain_page(_BLANK_LINE.sub(b"", page.data), separator, comments)
    return page


def _plain_page(data: bytes, separator: bytes, comments: bool) -> Page:
    buffer = padded(data)
    body = buffer[: len(data)]
    ends = _delimiters(body, separator)
    newline = body[ends] == 10
    last = np.flatnonzero(newline)
    first, starts = np.zeros_like(last), np.zeros_like(last)
    first[1:] = last[:-1] + 1
    line_ends = ends[last]
    starts[1:] = line_ends[:-1] + 1
    token = line_ends > starts

    def lines_of(pattern: re.Pattern[bytes]) -> Ints:
        return np.searchsorted(starts, [match.start() for match in pattern.finditer(data)])

    documents = lines_of(_DOCSTART) if b"-DOCSTART-" in data else np.zeros(0, np.int64)
    token[documents] = False
    content, remarks = token, np.zeros(0, np.int64)
    if comments:
        remarks = _remarks(lines_of(_COMMENT).tolist(), token)
        token[remarks] = False
        new_documents = np.intersect1d(lines_of(_NEW_DOCUMENT), remarks)
        documents = np.union1d(documents, new_documents)
        content = np.delete(token, remarks)
    begins = content.copy()
    begins[1:] &= ~content[:-1]
    rows = np.flatnonzero(token)
    return Page(
        data,
        buffer,
        starts,
        first,
        last,
        ends,
        rows,
        np.flatnonzero(begins[content]),
        documents,
        _has_empty_fields(ends, newline),
        remarks,
    )


def _delimiters(body: Bytes, separator: bytes) -> Ints:
    """Where fields end: slice by slice, so that a long block needs no large arrays in between."""
    found = []
    for begin in range(0, len(body), _SLICE):
        part = body[begin : begin + _SLICE]
        found.append(np.flatnonzero((part == 10) | (part == separator[0])) + begin)
    return found[0] if len(found) == 1 else np.concatenate(found)


def _has_empty_fields(ends: Ints, newline: Bools) -> bool:
    """Whether two delimiters stand side by side, other than the newlines of an empty line."""
    if len(ends) and ends[0] == 0 and not newline[0]:
        return True
    beside = ends[1:] - ends[:-1] == 1
    return bool((beside & ~(newline[1:] & newline[:-1])).any())


def _remarks(lines: list[int], token: Bools) -> Ints:
    """Those of the lines with # that are comments: they stand before a sentence's first token."""
    remarks: set[int] = set()
    for line in lines:
        if line == 0 or not token[line - 1] or line - 1 in remarks:
            remarks.add(line)
    return np.array(sorted(remarks), np.int64)


def _odd(page: Page, needed: int, label_columns: list[int]) -> bool:
    """Whether a token line has too few columns or an empty label: it may be a separator line that
    holds blanks.
    """
    if page.column_counts().min(initial=needed) < needed:
        return True
    return page.has_empty_fields and any(
        bool((starts == ends).any()) for starts, ends in map(page.field, label_columns)
    )
