"""Find the lines and columns of a block of text with numpy, without splitting strings.

A field is two offsets into the block, and numpy finds the fields of all lines at once. Worked
example, with `/` for a newline:

    bytes       a   O / b   B - X / / c   O /
    offset      0 1 2 3 4 5 6 7 8 9 10  12  14
    fields end    1   3   5       9 10    12  14      at each separator and each newline

A field starts after the end of the field before it. The end at 10 directly follows the end at 9:
that field is empty, which means an empty line between sentences. The other ends are a table, with a
row for each token line and a column for each column of the file:

    row 0   1  3        token a, label O
    row 1   5  9        token b, label B-X
    row 2  12 14        token c, label O: begins a sentence, because an empty line is before it

The label of row 1 starts after offset 5 and ends before 9: bytes 6 to 8, `B-X`. This method takes a
few passes over the bytes. It works if all lines are empty or have the same number of columns
(`EvenFields`). All other blocks use a slower method, for rows of different widths (`RaggedFields`).
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
_SLICE = 1 << 22  # bytes that are searched at once


class EvenFields(NamedTuple):
    """The fields of lines that all have the same number of columns.

    A row usually starts after the end of the row before. Rows after an empty line or a document
    line do not, so their starts are given.
    """

    ends: Ints  # ends[row, column]
    begins: Ints  # the rows that do not directly follow the row before
    begin_at: Ints  # the offsets at which these rows start

    def counts(self) -> Ints:
        return np.broadcast_to(np.int64(self.ends.shape[1]), len(self.ends))

    def field(self, column: int) -> tuple[Ints, Ints]:
        """The offsets where a column starts and ends in each row; -1 is the last column."""
        at = column % self.ends.shape[1]
        starts = self.ends[:, at - 1] + 1
        if at == 0:
            # at - 1 is the last column; shifted by a row, it is the end of the row before.
            starts[1:] = starts[:-1].copy()
            starts[self.begins] = self.begin_at
        return starts, self.ends[:, at]

    def first_rows(self, n_rows: int) -> "EvenFields":
        n_begins = np.searchsorted(self.begins, n_rows)
        return EvenFields(self.ends[:n_rows], self.begins[:n_begins], self.begin_at[:n_begins])


class RaggedFields(NamedTuple):
    """The fields of lines of any width, in one flat array."""

    ends: Ints  # of all fields of all lines, in order
    first: Ints  # for each row, the place of its first field in `ends`
    last: Ints  # and of its last field

    def counts(self) -> Ints:
        return self.last - self.first + 1

    def field(self, column: int) -> tuple[Ints, Ints]:
        """The offsets where a column starts and ends in each row; -1 is the last column."""
        at = self.first + column if column >= 0 else self.last + (column + 1)
        # A field starts after the end of the field before it, on the same line or the line before.
        starts = self.ends[at - 1] + 1
        if len(at) and at[0] == 0:
            starts[0] = 0
        return starts, self.ends[at]

    def first_rows(self, n_rows: int) -> "RaggedFields":
        return RaggedFields(self.ends, self.first[:n_rows], self.last[:n_rows])


@dataclass(frozen=True, slots=True, eq=False)
class LineBlock:
    """A block of lines, with the lines that have tokens and the places of their columns.

    In the example at the top of this module, `rows` is [0, 1, 3], because line 2 is empty; `begins`
    is [0, 2] and `begin_at` [0, 11]: the second sentence begins with row 2, at offset 11.
    """

    data: bytes
    size: int  # bytes of the data that belong to these lines
    buffer: Bytes  # the data as numbers, padded for the vocabulary
    n_lines: int
    fields: EvenFields | RaggedFields
    rows: Ints  # the numbers of the lines with a token
    begins: Ints  # the places in `rows` at which a sentence begins
    begin_at: Ints  # the offsets at which these sentences begin
    documents: Ints  # the lines before which a document begins
    comments: Ints  # the comment lines

    @property
    def is_even(self) -> bool:
        """Whether all rows are known to have the same number of columns, none of them empty."""
        return isinstance(self.fields, EvenFields)

    def column_counts(self) -> Ints:
        return self.fields.counts()

    def field(self, column: int) -> tuple[Ints, Ints]:
        """The offsets where a column of the token lines starts and ends; -1 is the last column."""
        return self.fields.field(column)

    def without_last_sentence(self) -> "LineBlock":
        """The block without its last sentence, which may continue in the next block."""
        n_rows = int(self.begins[-1]) if len(self.begins) else 0
        line = int(self.rows[n_rows]) if len(self.begins) else 0
        return replace(
            self,
            size=int(self.begin_at[-1]) if len(self.begins) else 0,
            n_lines=line,
            fields=self.fields.first_rows(n_rows),
            rows=self.rows[:n_rows],
            begins=self.begins[:-1],
            begin_at=self.begin_at[:-1],
            documents=self.documents[: np.searchsorted(self.documents, line)],
            comments=self.comments[: np.searchsorted(self.comments, line)],
        )


def lay_out(
    data: bytes, separator: bytes, has_comments: bool | str, needed: int, label_columns: list[int]
) -> LineBlock:
    """Find the lines and columns of a block that ends in a newline.

    With `has_comments`, lines before a sentence that begin with # are comments; if it is "all",
    lines inside a sentence are, too. `needed` is the least number of columns of a token line.
    Blocks with comments, rows of different width, runs of blanks, separator lines with blanks, or
    very long sentences use the slower method.

    >>> block = lay_out(b"a O\\nb B-X\\n\\nc O\\n", b" ", False, 2, [-1])
    >>> starts, ends = block.field(-1)
    >>> [block.data[start:end] for start, end in zip(starts, ends)], block.begins.tolist()
    ([b'O', b'B-X', b'O'], [0, 2])
    """
    is_odd = has_comments or len(data) > _SLICE
    block = None if is_odd else _even_block(data, separator, needed)
    return block or _careful_block(data, separator, has_comments, needed, label_columns)


def _even_block(data: bytes, separator: bytes, needed: int) -> LineBlock | None:
    """The block if all its lines are empty or have the same number of columns, none of them empty.

    In the example at the top, the delimiter at 10 directly follows another one and is left out. The
    other ends form a table if there are rows times columns of them.
    """
    buffer = padded(data)
    body = buffer[: len(data)]
    newline = body == _NEWLINE
    delimiter = body == separator[0]
    delimiter |= newline
    if delimiter[0]:
        return None
    doubled = delimiter[1:] & delimiter[:-1]  # doubled[k]: k and k + 1 are delimiters
    delimiter[1:] ^= doubled
    ends = np.flatnonzero(delimiter)
    width = data.count(separator, 0, data.index(b"\n")) + 1
    n_rows = int(np.count_nonzero(newline)) - int(np.count_nonzero(doubled))
    if width < needed or len(ends) != width * n_rows:
        return None
    return _block_of_table(data, buffer, ends.reshape(-1, width), newline, doubled)


def _block_of_table(
    data: bytes, buffer: Bytes, table: Ints, newline: Bools, doubled: Bools
) -> LineBlock | None:
    """The block, if each row ends in a newline and only empty lines are between rows.

    The number of fields is not enough: `a b/c/d e f/` has 6, like three rows of two.
    """
    line_ends = table[:, -1].copy()
    if not newline.take(line_ends).all():
        return None
    next_byte = buffer[1:].take(line_ends)  # the first byte of the line after each row
    gaps = np.flatnonzero(next_byte == _NEWLINE)
    empty = line_ends[gaps] + 1
    if len(empty) != np.count_nonzero(doubled):  # runs of empty lines, or empty fields
        empty = np.flatnonzero(doubled) + 1
        if not (newline[empty].all() and newline[empty - 1].all()):
            return None
    dashes = np.flatnonzero(next_byte == _DASH)
    opening = np.concatenate([[0], line_ends[dashes] + 1, empty + 1])
    starts = _document_starts(data, buffer, opening)
    if len(starts):
        return _with_documents(data, buffer, table, empty, starts)
    # The number of rows before each empty line, which is the same for all lines of a run.
    runs = np.flatnonzero(np.diff(empty, prepend=-1) != 1)
    behind = np.repeat(gaps + 1, np.diff(runs, append=len(empty)))
    return _block_of_rows(data, buffer, table, empty, behind, starts)


def _with_documents(
    data: bytes, buffer: Bytes, table: Ints, empty: Ints, starts: Ints
) -> LineBlock:
    """The block of a table in which some rows are document lines, which have no token."""
    lines = np.searchsorted(table[:, 0], starts)
    skipped = np.sort(np.concatenate([empty, table[lines, -1]]))
    tokens = np.delete(table, lines, axis=0)
    behind = np.searchsorted(tokens.ravel(), skipped) // table.shape[1]
    return _block_of_rows(
        data, buffer, tokens, skipped, behind, lines + np.searchsorted(empty, starts)
    )


def _block_of_rows(
    data: bytes, buffer: Bytes, table: Ints, skipped: Ints, behind: Ints, documents: Ints
) -> LineBlock:
    """The block of a table of token lines.

    All other lines end at the offsets `skipped`; `behind` is the number of rows before each.
    """
    n_lines = len(table) + len(skipped)
    # If several lines are skipped after a row, the next row starts after the last of them. The
    # index of that line is the number of lines skipped so far, which is added to line numbers.
    behind = np.concatenate([[0], behind])
    last = np.flatnonzero(np.append(behind[1:] != behind[:-1], True) & (behind < len(table)))
    begins, begin_at = behind[last], np.concatenate([[0], skipped + 1])[last]
    rows = np.arange(len(table))
    rows += np.repeat(last, np.diff(begins, append=len(table)))
    fields = EvenFields(table, begins, begin_at)
    lines = (rows, begins, begin_at, documents, np.zeros(0, np.int64))
    return LineBlock(data, len(data), buffer, n_lines, fields, *lines)


def _document_starts(data: bytes, buffer: Bytes, opening: Ints) -> Ints:
    """The offsets among `opening` at which a document line begins, sorted."""
    # Comparing the second byte of all candidates first leaves few to check in Python.
    likely = opening[buffer.take(opening + 1) == _DOCSTART[1]].tolist()
    starts = sorted(at for at in likely if data.startswith(_DOCSTART, at))
    return np.array(starts, np.int64)


def _careful_block(
    data: bytes, separator: bytes, has_comments: bool | str, needed: int, label_columns: list[int]
) -> LineBlock:
    """The block of lines of any width.

    Runs of blanks, and separator lines with blanks, are rare. They are replaced, and the block is
    laid out again, only if there are empty fields or too few columns.
    """
    block, has_empty = _ragged_block(data, separator, has_comments)
    if has_empty and separator == b" ":
        plain = _EDGE_BLANKS.sub(b"", _BLANKS.sub(b" ", data))
        block, has_empty = _ragged_block(plain, separator, has_comments)
    if _may_hold_blank_lines(block, has_empty, needed, label_columns):
        plain = _BLANK_LINE.sub(b"", block.data)
        block, _ = _ragged_block(plain, separator, has_comments)
    return block


def _ragged_block(
    data: bytes, separator: bytes, has_comments: bool | str
) -> tuple[LineBlock, bool]:
    """The block, and whether there are empty fields."""
    buffer = padded(data)
    body = buffer[: len(data)]
    ends = _delimiters(body, separator)
    newline = body[ends] == _NEWLINE
    last = np.flatnonzero(newline)
    first, starts = np.zeros_like(last), np.zeros_like(last)
    first[1:] = last[:-1] + 1
    line_ends = ends[last]
    starts[1:] = line_ends[:-1] + 1
    token = line_ends > starts  # whether each line has a token; so far, all except empty lines

    def lines_of(pattern: re.Pattern[bytes]) -> Ints:
        return np.searchsorted(starts, [match.start() for match in pattern.finditer(data)])

    documents = np.searchsorted(starts, _document_starts(data, buffer, starts))
    token[documents] = False
    content, comments = token, np.zeros(0, np.int64)
    if has_comments:
        marked = lines_of(_COMMENT)
        comments = marked if has_comments == "all" else _comment_lines(marked.tolist(), token)
        token[comments] = False
        new_documents = np.intersect1d(lines_of(_NEW_DOCUMENT), comments)
        documents = np.union1d(documents, new_documents)
        # A comment does not end a sentence, so comments are removed before sentences are found.
        content = np.delete(token, comments)
    opens = content.copy()
    opens[1:] &= ~content[:-1]
    rows = np.flatnonzero(token)
    begins = np.flatnonzero(opens[content])
    fields = RaggedFields(ends, first[rows], last[rows])
    begin_at = starts[rows[begins]]
    lines = (rows, begins, begin_at, documents, comments)
    block = LineBlock(data, len(data), buffer, len(starts), fields, *lines)
    return block, _has_empty_fields(ends, newline)


def _delimiters(body: Bytes, separator: bytes) -> Ints:
    """The offsets where fields end; a long block is searched in slices to save memory."""
    ends = []
    for begin in range(0, len(body), _SLICE):
        piece = body[begin : begin + _SLICE]
        ends.append(np.flatnonzero((piece == _NEWLINE) | (piece == separator[0])) + begin)
    return ends[0] if len(ends) == 1 else np.concatenate(ends)


def _has_empty_fields(ends: Ints, newline: Bools) -> bool:
    """Whether two delimiters are adjacent, except the newlines of an empty line."""
    if len(ends) and ends[0] == 0 and not newline[0]:
        return True
    touching = ends[1:] - ends[:-1] == 1
    return bool((touching & ~(newline[1:] & newline[:-1])).any())


def _comment_lines(lines: list[int], token: Bools) -> Ints:
    """The lines with # that are comments, which are before the first token of a sentence.

    Inside a sentence, # is a token.
    """
    comments: set[int] = set()
    for line in lines:
        if line == 0 or not token[line - 1] or line - 1 in comments:
            comments.add(line)
    return np.array(sorted(comments), np.int64)


def _may_hold_blank_lines(
    block: LineBlock, has_empty: bool, needed: int, label_columns: list[int]
) -> bool:
    """Whether a token line has too few columns or an empty label.

    It may then be a separator line with blanks.
    """
    if block.column_counts().min(initial=needed) < needed:
        return True
    return has_empty and any(
        bool((starts == ends).any()) for starts, ends in map(block.field, label_columns)
    )
