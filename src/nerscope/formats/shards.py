"""Large files cut into shards, so that several processes can work on them at once.

Shards are made lazily. A shard of a plain file holds a byte range, and the worker reads that range
itself. A packed or remote file can only be read from start to end: it is read here, and its shards
hold their text.

All files of an evaluation are cut at the same sentence, because a worker compares sentence k of
gold with sentence k of a system. Worked example, with `/` for a newline and with shards and
stretches of 8 bytes:

    gold    a O/b O//c O/d O//e O//f O/         the first blank line after 8 bytes ends sentence 1
    system  a B-PER/b O//c O/d B-LOC//e O//f O/ also cut after sentence 1, at byte 13 and not at 9

Gold is cut by size: at the end of the first stretch that makes the shard large enough. The other
files are cut by count, after as many sentences as gold has up to its cut: their labels differ in
length, so the same byte offset would be in the middle of another sentence.

Cuts assume that every blank line ends a sentence. Reading a shard checks the assumption, because
sides with different sentences are refused as in any file. The caller then reads everything as one
shard, which gives the message about the real error.
"""

import codecs
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import NamedTuple

import numpy as np

from nerscope.corpus.arrays import Bools
from nerscope.errors import InputError
from nerscope.formats.columns.column_file import ByteRange
from nerscope.formats.columns.conll import SEPARATORS, ConllFile, detect_layout
from nerscope.formats.files import FileBytes, read_some
from nerscope.formats.source import JoinedSources, Source

Shard = tuple[Source, ...]  # the same sentences of gold and of each run
_SHARD_SIZE = 4 << 20  # bytes of gold, at least
_MAX_SHARDS = 4096
_MAX_PACKED = 8 << 20  # packed bytes of a file that one worker unpacks as a whole
_STRETCH = 1 << 18  # bytes that are searched together: their arrays fit the processor's cache
_MAX_UNBROKEN = 2 << 20  # bytes without a blank line; such a file is not cut
_MAX_GROWTH = 8  # times the planned size; in a longer shard, the cuts are probably wrong
_BYTEWISE = ("utf-8", "ascii", "iso8859-1", "cp1252")  # encodings in which a newline is one byte
# A document line is not a sentence, although a blank line follows it.
_DOCUMENT = re.compile(rb"-DOCSTART-[^\n]*\n\r?\n")


@dataclass(frozen=True, slots=True)
class Shards:
    """The shards of sources (gold first); each iteration cuts them again, in order."""

    sources: Shard

    def __iter__(self) -> Iterator[Shard]:
        rows = _rows(self.sources)
        for row in rows:
            files = _files_to_cut(row, is_only_row=len(rows) == 1)
            yield from _cut_files(files) if files else [row]

    @property
    def is_one(self) -> bool:
        """Whether nothing can be cut."""
        rows = _rows(self.sources)
        return len(rows) == 1 and not _files_to_cut(rows[0], is_only_row=True)

    @property
    def number(self) -> int | None:
        """The approximate number of shards; None if it is unknown before the files are read."""
        rows = _rows(self.sources)
        numbers = [_n_shards(_files_to_cut(row, is_only_row=len(rows) == 1)) for row in rows]
        return None if None in numbers else sum(filter(None, numbers))

    @property
    def gold_only(self) -> "Shards":
        """The shards of gold alone."""
        return Shards(self.sources[:1])


def cut_into_shards(sources: Sequence[Source]) -> Shards | None:
    """Cut sources (gold first) into shards; None if they must be read as a whole.

    >>> from nerscope.formats.base import open_source
    >>> gold = open_source([(["Ada"], ["B-PER"])], "gold")
    >>> cut_into_shards([gold, gold])
    """
    shards = Shards(tuple(sources))
    try:  # before workers are started, because opening an address may start threads
        first_two = list(islice(shards, 2))
    except InputError:  # reading the files as a whole gives a better message
        return None
    return shards if len(first_two) > 1 else None


def begins_file(shard: Shard) -> bool:
    """Whether a shard is the first one of its gold file."""
    byte_range = shard[0].byte_range if isinstance(shard[0], ConllFile) else None
    return byte_range is None or byte_range.begin == 0


def _rows(sources: Shard) -> list[Shard]:
    """The files with the same sentences: one row, or one row for each file of a pattern.

    Gold `test-*.conll` and a system `out-*.conll` with three files each give three rows.
    """
    file_lists = [source.sources for source in sources if isinstance(source, JoinedSources)]
    if len(file_lists) == len(sources) and len({len(files) for files in file_lists}) == 1:
        return list(zip(*file_lists, strict=True))
    return [sources]


def _files_to_cut(row: Shard, *, is_only_row: bool) -> list[ConllFile]:
    """The files of a row if all of them can be cut and are large enough, otherwise none.

    Several rows of short packed files are shards already: each worker unpacks one row.
    """
    files = [file for file in row if isinstance(file, ConllFile) and _can_be_cut(file)]
    if len(files) < len(row):
        return []
    are_shards = not is_only_row and not any(_is_plain(file) or _is_long(file) for file in files)
    return [] if are_shards else files


def _can_be_cut(file: ConllFile) -> bool:
    return (
        not (file.info.rebreaks or file.info.retokenised)  # sentence k is not sentence k of gold
        and file.document is None  # documents in a column are numbered from the start of the file
        and file.byte_range is None
        and codecs.lookup(file.encoding).name in _BYTEWISE
        and not file.content.is_folder
        and (not _is_plain(file) or file.content.size > _SHARD_SIZE)
    )


def _is_plain(file: ConllFile) -> bool:
    return file.content.is_plain


def _is_long(file: ConllFile) -> bool:
    return file.content.size > _MAX_PACKED


def _n_shards(files: Sequence[ConllFile]) -> int | None:
    """The approximate number of shards of a row: one if its files are not cut."""
    if not files:
        return 1
    gold = files[0]
    return max(1, gold.content.size // _shard_size(gold)) if _is_plain(gold) else None


def _shard_size(file: ConllFile) -> int:
    return max(_SHARD_SIZE, file.content.size // _MAX_SHARDS) if _is_plain(file) else _SHARD_SIZE


def _cut_files(files: Sequence[ConllFile]) -> Iterator[Shard]:
    """Cut all files (gold first) at the same sentences. Columns of one file are cut once."""
    contents = {_content_key(file): file for file in files}
    cutters = {
        key: _FileCutter(file, counts_sentences=len(contents) > 1) for key, file in contents.items()
    }
    explicit_files = [_with_detected_layout(file) for file in files]
    gold, size = _content_key(files[0]), _shard_size(files[0])
    n_sentences: int | None = 0  # of gold up to the cut; None at the end of the file
    while n_sentences is not None:
        gold_range, n_sentences = cutters[gold].cut_by_size(size)
        ranges = {gold: gold_range}
        for key, cutter in cutters.items():
            if key != gold:
                ranges[key] = cutter.cut_by_sentences(n_sentences, size)
        yield tuple(_shard_of(file, ranges[_content_key(file)]) for file in explicit_files)


def _content_key(file: ConllFile) -> tuple[str | None, int]:
    """Equal for two sources that are columns of the same file."""
    return file.content.path, id(file.content.data)


def _with_detected_layout(file: ConllFile) -> ConllFile:
    """The file with explicit options, which can be detected only at its beginning."""
    separator, comments = detect_layout(next(file.blocks(), b""), file)
    name = next(name for name, byte in SEPARATORS.items() if byte == separator)
    return replace(file, separator=name, comments=comments)


def _shard_of(file: ConllFile, byte_range: ByteRange) -> ConllFile:
    if byte_range.text is None:
        return replace(file, byte_range=byte_range)
    # The text is sent to the worker, which needs neither the path nor an open stream.
    return replace(file, byte_range=byte_range, path=FileBytes(file.name, data=b""))


class _Stretch(NamedTuple):
    """Consecutive bytes of a file that end where a sentence ends."""

    begin: int
    line: int
    n_before: int  # sentences of the file before this stretch
    data: bytes
    newline: Bools
    breaks: Bools  # whether a sentence ends with each byte; empty if sentences are not counted
    is_last: bool  # of the file

    @property
    def end(self) -> int:
        return self.begin + len(self.data)

    @property
    def n_upto(self) -> int:
        """The number of sentences of the file up to the end of this stretch."""
        return self.n_before + int(np.count_nonzero(self.breaks))

    def split(self, n_sentences: int) -> tuple["_Stretch", "_Stretch"]:
        """The first sentences of the stretch, and the others."""
        at = int(np.flatnonzero(self.breaks)[n_sentences - 1]) + 1 if n_sentences else 0
        head, tail = (
            self._replace(
                data=self.data[side], newline=self.newline[side], breaks=self.breaks[side]
            )
            for side in (slice(at), slice(at, None))
        )
        line = self.line + int(np.count_nonzero(head.newline))
        n_before = self.n_before + n_sentences
        return (
            head._replace(is_last=False),
            tail._replace(begin=head.end, line=line, n_before=n_before),
        )


class _FileCutter:
    """Cuts one file into consecutive byte ranges while it is read once.

    Gold is cut by size, all other files by the number of sentences that gold has up to its cut.
    In the example at the top of this module, `cut_by_size(8)` on gold gives bytes 0 to 9 and
    1 sentence; `cut_by_sentences(1, 8)` on the system gives bytes 0 to 13.
    """

    def __init__(self, file: ConllFile, *, counts_sentences: bool) -> None:
        self._holds_text = not file.content.is_plain
        self._stretches = _stretches(file, counts_sentences)
        self._remainder: _Stretch | None = None  # of the stretch that the last cut divides

    def cut_by_size(self, size: int) -> tuple[ByteRange, int | None]:
        """The next range of at least `size` bytes, and the number of sentences up to its end.

        The number is None if the range ends with the file.
        """
        builder = _RangeBuilder(self._holds_text, size)
        for stretch in self._stretches:
            builder.add(stretch)
            is_large = builder.size >= size
            # Other files may lack a document line or comment, so no cut is made after one.
            if is_large and not stretch.is_last and _ends_with_words(stretch.data):
                return builder.build(), stretch.n_upto
        return builder.build(), None

    def cut_by_sentences(self, n_sentences: int | None, size: int) -> ByteRange:
        """The next range, up to the end of sentence `n_sentences` counted from the file's start.

        With None, the range extends to the end of the file.
        """
        builder = _RangeBuilder(self._holds_text, size)
        while (stretch := self._remainder or next(self._stretches, None)) is not None:
            self._remainder = None
            if n_sentences is not None and stretch.n_upto >= n_sentences:
                head, self._remainder = stretch.split(n_sentences - stretch.n_before)
                builder.add(head)
                return builder.build()
            builder.add(stretch)
        if n_sentences is not None:  # the file is shorter than gold
            raise _UncutError
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
            raise _UncutError

    def build(self) -> ByteRange:
        if self._first is None:
            raise _UncutError
        text = None if self._texts is None else b"".join(self._texts)
        return ByteRange(self._first.begin, self._end, self._first.line, text)


class _UncutError(InputError):
    """No cuts were found. Users never see this error: the files are then read as a whole."""

    def __init__(self) -> None:
        super().__init__("shards", "no cuts were found", "read the files as a whole")


def _stretches(file: ConllFile, counts_sentences: bool) -> Iterator[_Stretch]:
    """The file in stretches of about `_STRETCH` bytes."""
    begin, line, n_before, rest = 0, 1, 0, b""
    with file.content.open() as stream:
        more = read_some(stream, file.name, _STRETCH)
        while more:
            data, more = rest + more, read_some(stream, file.name, _STRETCH)
            # Blank lines at the end may continue in the next bytes. So the cut is at a break before
            # them, and each stretch begins with words.
            end = _last_break(data.rstrip(b"\r\n")) if more else len(data)
            if not end:
                if len(data) > _MAX_UNBROKEN:
                    raise _UncutError
                rest = data
                continue
            data, rest = data[:end], data[end:]
            newline = np.frombuffer(data, np.uint8) == 10
            breaks = _breaks(data, newline) if counts_sentences else newline[:0]
            stretch = _Stretch(begin, line, n_before, data, newline, breaks, not more)
            yield stretch
            begin, n_before = stretch.end, stretch.n_upto
            line += int(np.count_nonzero(newline))


def _last_break(data: bytes) -> int:
    """The offset after the last blank line; 0 if there is none."""
    plain = data.rfind(b"\n\n")
    other = data.rfind(b"\n\r\n") if b"\r" in data else -1
    return max(plain + 2 if plain >= 0 else 0, other + 3 if other >= 0 else 0)


def _ends_with_words(data: bytes) -> bool:
    """Whether the last line that is not blank certainly contains a token."""
    end = len(data.rstrip(b" \t\r\n"))
    start = data.rfind(b"\n", 0, end) + 1
    return start > 0 and not data.startswith((b"-DOCSTART-", b"#"), start)


def _breaks(data: bytes, newline: Bools) -> Bools:
    """For each byte, whether it ends the first blank line after a sentence.

    In `a O/b O///c O/` (`/` is a newline) the only break is at byte 8: the newline at 7 ends a
    token line, the newline at 8 the first blank line, and the newline at 9 a second blank line,
    which ends no further sentence.
    """
    body = np.frombuffer(data, np.uint8)
    blank, breaks = np.zeros(len(data), bool), np.zeros(len(data), bool)
    np.logical_and(newline[1:], newline[:-1], out=blank[1:])
    returned = body[1:-1] == 13 if b"\r" in data else None
    if returned is not None:
        blank[2:] |= newline[2:] & returned & newline[:-2]
    np.greater(blank[1:], blank[:-1], out=breaks[1:])
    if returned is not None:
        breaks[2:] &= ~(returned & blank[:-2])
    breaks[: len(data) - len(data.lstrip(b"\r\n"))] = False
    dashes = body[1:] == 45
    dashes &= newline[:-1]
    for line in (0, *(np.flatnonzero(dashes) + 1).tolist()):
        if document_line := _DOCUMENT.match(data, line):
            breaks[document_line.end() - 1] = False
    return breaks
