"""Cut text files into byte ranges that end where a sentence or a record ends.

All files of an evaluation are cut after the same number of sentences or records, because a worker
compares sentence k of gold with sentence k of a system. Worked example, with `/` for a newline and
with ranges and stretches of 8 bytes:

    gold    a O/b O//c O/d O//e O//f O/         the first blank line after 8 bytes ends sentence 1
    system  a B-PER/b O//c O/d B-LOC//e O//f O/ also cut after sentence 1, at byte 13 and not at 9

Gold is cut by size: at the end of the first stretch that makes the range large enough. The other
files are cut by count, after as many sentences as gold has up to its cut: their labels differ in
length, so the same byte offset would be in the middle of another sentence.
"""

from collections.abc import Hashable, Iterator
from typing import Any, ClassVar, NamedTuple, Protocol

import numpy as np

from nerscope.corpus.arrays import Bools
from nerscope.errors import InputError
from nerscope.formats.files import ByteRange, FileBytes, read_some
from nerscope.formats.source import Source

_STRETCH = 1 << 18  # bytes that are searched together: their arrays fit the processor's cache
_MAX_UNBROKEN = 2 << 20  # bytes without a break; such a file is not cut
_MAX_GROWTH = 8  # times the planned size; in a longer range, the cuts are probably wrong


class RowRange(NamedTuple):
    """Rows of a table, half-open and counted from 0; None is its end."""

    begin: int
    end: int | None


Cut = ByteRange | RowRange


class Cutter(Protocol):
    """Cuts one file into consecutive parts; raises an `UncutError` if it cannot."""

    def cut_by_size(self, size: int) -> tuple[Cut, int | None]:
        """The next part of at least `size` bytes, and the number of records up to its end.

        The number is None if the part ends with the file.
        """

    def cut_by_count(self, n_records: int | None, size: int) -> Cut:
        """The next part, up to the end of record `n_records` counted from the file's start.

        With None, the part extends to the end of the file. `size` is the size of gold's part.
        """


class Cuttable(Protocol):
    """A source that can be cut.

    `work_per_byte` is how long reading takes, as a multiple of columns: the parts of formats that
    take longer are smaller, so that all workers are busy to the end.
    """

    work_per_byte: ClassVar[int]

    @property
    def file(self) -> Hashable:
        """Equal for two sources of the same file, which is cut once."""

    @property
    def stored_size(self) -> int:
        """The number of bytes of the file, packed or not."""

    @property
    def plain_size(self) -> int | None:
        """The number of bytes; None if the file is packed or remote and read in order only."""

    def cutter(self, *, counts: bool) -> Cutter:
        """Cuts the file; it `counts` records if other files are cut after the same number."""

    def for_parts(self) -> "Cuttable":
        """The same source with explicit options, which are detected at the file's beginning."""

    def part(self, cut: Any) -> Source:
        """A part of the file, as its cutter gives it."""


class UncutError(InputError):
    """No cuts were found. Users never see this error: the files are then read as a whole."""

    def __init__(self) -> None:
        super().__init__("shards", "no cuts were found", "read the files as a whole")


class Breaks(Protocol):
    """Where a text file may be cut, and what is counted: sentences, or records."""

    def last(self, data: bytes) -> int:
        """The offset after the last place at which the bytes may be cut; 0 if there is none."""

    def marks(self, data: bytes, newline: Bools) -> Bools:
        """For each byte, whether a sentence or record ends with it."""

    def may_end(self, data: bytes) -> bool:
        """Whether gold may be cut after these bytes."""


class LineBreaks:
    """Every line that is not blank is a record."""

    def last(self, data: bytes) -> int:
        return data.rfind(b"\n") + 1

    def marks(self, data: bytes, newline: Bools) -> Bools:
        body = np.frombuffer(data, np.uint8)
        # A line is blank if its newline follows a newline, perhaps with a return between them.
        is_blank = np.zeros(len(data), bool)
        is_blank[1:] = newline[:-1]
        is_blank[:1] = True
        if b"\r" in data:
            is_blank[2:] |= (body[1:-1] == ord("\r")) & newline[:-2]
        return newline & ~is_blank

    def may_end(self, data: bytes) -> bool:
        return True


class _Stretch(NamedTuple):
    """Consecutive bytes of a file that end where a record ends."""

    begin: int
    line: int
    n_before: int  # records of the file before this stretch
    data: bytes
    newline: Bools
    breaks: Bools  # whether a record ends with each byte; empty if records are not counted
    is_last: bool  # of the file

    @property
    def end(self) -> int:
        return self.begin + len(self.data)

    @property
    def n_upto(self) -> int:
        """The number of records of the file up to the end of this stretch."""
        return self.n_before + int(np.count_nonzero(self.breaks))

    def split(self, n_records: int) -> tuple["_Stretch", "_Stretch"]:
        """The first records of the stretch, and the others."""
        at = int(np.flatnonzero(self.breaks)[n_records - 1]) + 1 if n_records else 0
        head, tail = (
            self._replace(
                data=self.data[side], newline=self.newline[side], breaks=self.breaks[side]
            )
            for side in (slice(at), slice(at, None))
        )
        line = self.line + int(np.count_nonzero(head.newline))
        n_before = self.n_before + n_records
        return (
            head._replace(is_last=False),
            tail._replace(begin=head.end, line=line, n_before=n_before),
        )


class ByteCutter:
    """Cuts a text file into byte ranges while it is read once.

    In the example at the top of this module, `cut_by_size(8)` on gold gives bytes 0 to 9 and
    1 sentence; `cut_by_count(1, 8)` on the system gives bytes 0 to 13.
    """

    def __init__(self, content: FileBytes, breaks: Breaks, *, counts: bool) -> None:
        self._holds_text, self._breaks = not content.is_plain, breaks
        self._stretches = _stretches(content, breaks, counts)
        self._remainder: _Stretch | None = None  # of the stretch that the last cut divides

    def cut_by_size(self, size: int) -> tuple[ByteRange, int | None]:
        builder = _RangeBuilder(self._holds_text, size)
        for stretch in self._stretches:
            builder.add(stretch)
            is_large = builder.size >= size
            if is_large and not stretch.is_last and self._breaks.may_end(stretch.data):
                return builder.build(), stretch.n_upto
        return builder.build(), None

    def cut_by_count(self, n_records: int | None, size: int) -> ByteRange:
        builder = _RangeBuilder(self._holds_text, size)
        while (stretch := self._remainder or next(self._stretches, None)) is not None:
            self._remainder = None
            if n_records is not None and stretch.n_upto >= n_records:
                head, self._remainder = stretch.split(n_records - stretch.n_before)
                builder.add(head)
                return builder.build()
            builder.add(stretch)
        if n_records is not None:  # the file is shorter than gold
            raise UncutError
        return builder.build()


class _RangeBuilder:
    """Collects stretches into one byte range, with their text if a worker cannot read the file."""

    def __init__(self, holds_text: bool, size: int) -> None:
        self._max_size = _MAX_GROWTH * size
        self._first: _Stretch | None = None
        self._texts: list[bytes] | None = [] if holds_text else None
        self._end: int | None = 0
        self.size = 0

    def add(self, stretch: _Stretch) -> None:
        self._first = self._first or stretch
        self.size += len(stretch.data)
        # The last range has no end, so that a file that grows meanwhile is read to its end.
        self._end = None if stretch.is_last else stretch.end
        if self._texts is not None:
            self._texts.append(stretch.data)
        if self.size > self._max_size:
            raise UncutError

    def build(self) -> ByteRange:
        if self._first is None:
            raise UncutError
        text = None if self._texts is None else b"".join(self._texts)
        return ByteRange(self._first.begin, self._end, self._first.line, text)


def _stretches(content: FileBytes, breaks: Breaks, counts: bool) -> Iterator[_Stretch]:
    """The file in stretches of about `_STRETCH` bytes."""
    begin, line, n_before, rest = 0, 1, 0, b""
    with content.open() as stream:
        more = read_some(stream, content.name, _STRETCH)
        while more:
            data, more = rest + more, read_some(stream, content.name, _STRETCH)
            # Blank lines at the end may continue in the next bytes. So the cut is at a break before
            # them, and each stretch begins with words.
            end = breaks.last(data.rstrip(b"\r\n")) if more else len(data)
            if not end:
                if len(data) > _MAX_UNBROKEN:
                    raise UncutError
                rest = data
                continue
            data, rest = data[:end], data[end:]
            newline = np.frombuffer(data, np.uint8) == 10
            marks = breaks.marks(data, newline) if counts else newline[:0]
            stretch = _Stretch(begin, line, n_before, data, newline, marks, not more)
            yield stretch
            begin, n_before = stretch.end, stretch.n_upto
            line += int(np.count_nonzero(newline))
