"""Where a CSV file may be cut: after a row, and between the tokens of two sentences."""

import numpy as np

from nerscope.corpus.arrays import Bools, Ints
from nerscope.formats.tables.delimited import Dialect, header_names

_MOST_ROWS = 2000  # of a sentence; the search for its beginning goes no further back


class RowBreaks:
    """A row ends at a newline outside quotation marks; `sentence` is the column of sentences.

    Without it, every row is a sentence or a text.
    """

    def __init__(self, dialect: Dialect, sentence: int | None) -> None:
        self._dialect, self._sentence = dialect, sentence

    def last(self, data: bytes) -> int:
        ends = self._ends(data)
        if self._sentence is None or not len(ends):
            return int(ends[-1]) if len(ends) else 0
        # A sentence begins with the first row that has another value than the last value before it;
        # rows between them may have no value.
        value, begin = "", 0  # of the row that was looked at last and has a value
        for at in range(len(ends) - 1, max(0, len(ends) - _MOST_ROWS), -1):
            start = int(ends[at - 1])
            row = data[start : int(ends[at])].decode("utf-8", "replace").rstrip("\r\n")
            cells = header_names(row, self._dialect)
            own = cells[self._sentence] if len(cells) > self._sentence else ""
            if own and value and own != value:
                return begin
            if own:
                value, begin = own, start
        return 0

    def marks(self, data: bytes, newline: Bools) -> Bools:
        marks = np.zeros(len(data), bool)
        marks[self._ends(data) - 1] = True
        return marks

    def may_end(self, data: bytes) -> bool:
        return True

    def _ends(self, data: bytes) -> Ints:
        """The offsets after the newlines that end a row."""
        body = np.frombuffer(data, np.uint8)
        is_end = body == ord("\n")
        if self._dialect.quotes and b'"' in data:
            # A quotation mark inside a cell is doubled, so an odd number of marks opens a cell.
            is_end &= np.cumsum(body == ord('"')) % 2 == 0
        ends: Ints = np.flatnonzero(is_end) + 1
        return ends
