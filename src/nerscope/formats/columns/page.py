"""Lines and columns of a block of text, found by arithmetic on bytes instead of by splitting
strings.
"""

import re
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from nerscope.corpus.arrays import Bools, Bytes, Ints
from nerscope.corpus.vocabulary import padded

_DOCSTART = b"-DOCSTART-"
_NEWLINE, _DASH = b"\n-"
_COMMENT = re.compile(rb"(?m)^#.*$")
_NEW_DOCUMENT = re.compile(rb"(?m)^#[ \t]*newdoc\b")
_BLANK_LINE = re.compile(rb"(?m)^[ \t]+$")
_BLANKS = re.compile(rb" {2,}")
_EDGE_BLANKS = re.compile(rb"(?m)^ +| +$")
_SLICE = 1 << 22  # bytes that are looked at in one go


class EvenFields(NamedTuple):
    """The fields of lines that all have as many columns: the field of a row and a column ends at
    `ends[row, column]`. The rows `begins` are those that do not follow the row before directly;
    they start at `begin_at`.
    """

    ends: Ints
    begins: Ints
    begin_at: Ints

    def counts(self) -> Ints:
        """The number of columns of each row."""
        return np.broadcast_to(np.int64(self.ends.shape[1]), len(self.ends))

    def field(self, column: int) -> tuple[Ints, Ints]:
        """Where a column starts and ends."""
        at = column % self.ends.shape[1]
        starts = self.ends[:, at - 1] + 1
        if at == 0:  # behind the last column of the row before
            starts[1:] = starts[:-1].copy()
            starts[self.begins] = self.begin_at
        return starts, self.ends[:, at]

    def upto(self, rows: int) -> "EvenFields":
        """The same without later rows."""
        kept = np.searchsorted(self.begins, rows)
        return EvenFields(self.ends[:rows], self.begins[:kept], self.begin_at[:kept])


class RaggedFields(NamedTuple):
    """The fields of any lines: those of a row are `ends[first]` to `ends[last]`."""

    ends: Ints
    first: Ints
    last: Ints

    def counts(self) -> Ints:
        """The number of columns of each row."""
        return self.last - self.first + 1

    def field(self, column: int) -> tuple[Ints, Ints]:
        """Where a column starts and ends; -1 is the last column."""
        at = self.first + column if column >= 0 else self.last + (column + 1)
        # A field starts behind the end of the one before it, be that on the same line or on the
        # line before.
        starts = self.ends[at - 1] + 1
        if len(at) and at[0] == 0:
            starts[0] = 0
        return starts, self.ends[at]

    def upto(self, rows: int) -> "RaggedFields":
        """The same without later rows."""
        return RaggedFields(self.ends, self.first[:rows], self.last[:rows])


@dataclass(frozen=True, slots=True, eq=False)
class LineBlock:
    """A block of lines and what they are.

    `rows` are the lines with a token, and `fields` says where their columns are; `begins` are the
    positions in `rows` where a sentence begins, `begin_at` where that is in the data; `documents`
    are the lines before which a document begins, `remarks` those that are comments.
    """

    data: bytes
    size: int  # of the data, as far as the page goes
    buffer: Bytes
    n_lines: int
    fields: EvenFields | RaggedFields
    rows: Ints
    begins: Ints
    begin_at: Ints
    documents: Ints
    remarks: Ints

    @property
    def is_even(self) -> bool:
        """Whether all rows are known to have as many columns, none of them empty."""
        return isinstance(self.fields, EvenFields)

    def column_counts(self) -> Ints:
        """The number of columns of each token line."""
        return self.fields.counts()

    def field(self, column: int) -> tuple[Ints, Ints]:
        """Where a column of the token lines starts and ends; -1 is the last column."""
        return self.fields.field(column)

    def without_last_sentence(self) -> "LineBlock":
        """The page up to the last sentence, which may go on beyond it."""
        kept = int(self.begins[-1]) if len(self.begins) else 0
        line = int(self.rows[kept]) if len(self.begins) else 0
        return replace(
            self,
            size=int(self.begin_at[-1]) if len(self.begins) else 0,
            n_lines=line,
            fields=self.fields.upto(kept),
            rows=self.rows[:kept],
            begins=self.begins[:-1],
            begin_at=self.begin_at[:-1],
            documents=self.documents[: np.searchsorted(self.documents, line)],
            remarks=self.remarks[: np.searchsorted(self.remarks, line)],
        )


def lay_out(
    data: bytes, separator: bytes, comments: bool, needed: int, label_columns: list[int]
) -> LineBlock:
    """Lay out a block that ends in a newline.

    The common case costs a few passes over the bytes. Comments, rows of different width, runs of
    blanks, separator lines that hold blanks, very long sentences and other oddities take the
    careful way.
    """
    odd = comments or len(data) > _SLICE
    even = None if odd else _even_page(data, separator, needed)
    return even or _careful_page(data, separator, comments, needed, label_columns)


def _even_page(data: bytes, separator: bytes, needed: int) -> LineBlock | None:
    """The page if all its lines are empty or have the same number of columns, none of them empty.

    Worked example, with `/` for a newline: `a O/b B-X//c O/`. Fields end at 1 3 5 9 10 12 14. Of
    two delimiters side by side, the second can only be that of an empty line: 10 is left out, and
    the rest is a table of two columns, (1, 3), (5, 9), (12, 14), of which the last one must hold
    the newlines, all of them. Two rows stand before 10: so row 2 begins a sentence, at byte 11.
    """
    buffer = padded(data)
    body = buffer[: len(data)]
    newline = body == _NEWLINE
    delimiter = body == separator[0]
    delimiter |= newline
    if delimiter[0]:
        return None
    beside = delimiter[1:] & delimiter[:-1]
    delimiter[1:] ^= beside
    ends = np.flatnonzero(delimiter)
    width = data.count(separator, 0, data.index(b"\n")) + 1
    n_rows = int(np.count_nonzero(newline)) - int(np.count_nonzero(beside))
    if width < needed or len(ends) != width * n_rows:
        return None
    return _page_of_table(data, buffer, ends.reshape(-1, width), newline, beside)


def _page_of_table(
    data: bytes, buffer: Bytes, table: Ints, newline: Bools, beside: Bools
) -> LineBlock | None:
    """The page, if each row of the table ends in a newline and nothing but empty lines lies
    between them.
    """
    line_ends = table[:, -1].copy()
    if not newline.take(line_ends).all():
        return None
    follow = buffer[1:].take(line_ends)  # the first byte of the line behind each row
    gaps = np.flatnonzero(follow == _NEWLINE)
    empty = line_ends[gaps] + 1
    if len(empty) != np.count_nonzero(beside):  # several in a row, or no empty lines at all
        empty = np.flatnonzero(beside) + 1
        if not (newline[empty].all() and newline[empty - 1].all()):
            return None
    dashes = np.flatnonzero(follow == _DASH)
    opening = np.concatenate([[0], line_ends[dashes] + 1, empty + 1])
    starts = _document_starts(data, buffer, opening)
    if len(starts):
        return _with_documents(data, buffer, table, empty, starts)
    # An empty line follows the row before each gap, and perhaps more of them follow it.
    runs = np.flatnonzero(np.diff(empty, prepend=-1) != 1)
    behind = np.repeat(gaps + 1, np.diff(runs, append=len(empty)))
    return _even(data, buffer, table, empty, behind, starts)


def _with_documents(
    data: bytes, buffer: Bytes, table: Ints, empty: Ints, starts: Ints
) -> LineBlock:
    """The same, if some rows are lines that tell of a new document."""
    lines = np.searchsorted(table[:, 0], starts)
    skipped = np.sort(np.concatenate([empty, table[lines, -1]]))
    kept = np.delete(table, lines, axis=0)
    behind = np.searchsorted(kept.ravel(), skipped) // table.shape[1]
    return _even(data, buffer, kept, skipped, behind, lines + np.searchsorted(empty, starts))


def _even(
    data: bytes, buffer: Bytes, table: Ints, skipped: Ints, behind: Ints, documents: Ints
) -> LineBlock:
    """The page of a table of token lines; all other lines end at `skipped`, and each stands behind
    so many rows.
    """
    n_lines = len(table) + len(skipped)
    # Of several behind the same row, the last one tells where the next row starts, and its number
    # how many were skipped before.
    behind = np.concatenate([[0], behind])
    last = np.flatnonzero(np.append(behind[1:] != behind[:-1], True) & (behind < len(table)))
    begins, begin_at = behind[last], np.concatenate([[0], skipped + 1])[last]
    rows = np.arange(len(table))
    rows += np.repeat(last, np.diff(begins, append=len(table)))
    fields = EvenFields(table, begins, begin_at)
    lines = (rows, begins, begin_at, documents, np.zeros(0, np.int64))
    return LineBlock(data, len(data), buffer, n_lines, fields, *lines)


def _document_starts(data: bytes, buffer: Bytes, opening: Ints) -> Ints:
    """Where lines begin that tell of a new document, among those that begin at some places."""
    likely = opening[buffer.take(opening + 1) == _DOCSTART[1]].tolist()
    found = sorted(at for at in likely if data.startswith(_DOCSTART, at))
    return np.array(found, np.int64)


def _careful_page(
    data: bytes, separator: bytes, comments: bool, needed: int, label_columns: list[int]
) -> LineBlock:
    """Runs of blanks, and separator lines that hold blanks, are looked into only when there are
    empty fields or too few of them.
    """
    page, has_empty = _ragged_page(data, separator, comments)
    if has_empty and separator == b" ":
        plain = _EDGE_BLANKS.sub(b"", _BLANKS.sub(b" ", data))
        page, has_empty = _ragged_page(plain, separator, comments)
    if _odd(page, has_empty, needed, label_columns):
        page, _ = _ragged_page(_BLANK_LINE.sub(b"", page.data), separator, comments)
    return page


def _ragged_page(data: bytes, separator: bytes, comments: bool) -> tuple[LineBlock, bool]:
    """The page, and whether there are empty fields."""
    buffer = padded(data)
    body = buffer[: len(data)]
    ends = _delimiters(body, separator)
    newline = body[ends] == _NEWLINE
    last = np.flatnonzero(newline)
    first, starts = np.zeros_like(last), np.zeros_like(last)
    first[1:] = last[:-1] + 1
    line_ends = ends[last]
    starts[1:] = line_ends[:-1] + 1
    token = line_ends > starts

    def lines_of(pattern: re.Pattern[bytes]) -> Ints:
        return np.searchsorted(starts, [match.start() for match in pattern.finditer(data)])

    documents = np.searchsorted(starts, _document_starts(data, buffer, starts))
    token[documents] = False
    content, remarks = token, np.zeros(0, np.int64)
    if comments:
        remarks = _remarks(lines_of(_COMMENT).tolist(), token)
        token[remarks] = False
        new_documents = np.intersect1d(lines_of(_NEW_DOCUMENT), remarks)
        documents = np.union1d(documents, new_documents)
        content = np.delete(token, remarks)
    opens = content.copy()
    opens[1:] &= ~content[:-1]
    rows = np.flatnonzero(token)
    begins = np.flatnonzero(opens[content])
    fields = RaggedFields(ends, first[rows], last[rows])
    begin_at = starts[rows[begins]]
    lines = (rows, begins, begin_at, documents, remarks)
    page = LineBlock(data, len(data), buffer, len(starts), fields, *lines)
    return page, _has_empty_fields(ends, newline)


def _delimiters(body: Bytes, separator: bytes) -> Ints:
    """Where fields end: slice by slice, so that a long block needs no large arrays in between."""
    found = []
    for begin in range(0, len(body), _SLICE):
        part = body[begin : begin + _SLICE]
        found.append(np.flatnonzero((part == _NEWLINE) | (part == separator[0])) + begin)
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


def _odd(page: LineBlock, has_empty: bool, needed: int, label_columns: list[int]) -> bool:
    """Whether a token line has too few columns or an empty label: it may be a separator line that
    holds blanks.
    """
    if page.column_counts().min(initial=needed) < needed:
        return True
    return has_empty and any(
        bool((starts == ends).any()) for starts, ends in map(page.field, label_columns)
    )
