"""Large files cut into pieces, so that several processes can work on them at once.

Pieces are made while they are asked for. Of a plain file, a piece says where it stands, and whoever
works on it reads it himself; a file that must be read from start to end, because it is packed or
elsewhere, is read here, and its pieces hold their text.

Cuts are guesses: a sentence is taken to end at every blank line, and sentence k of gold to be
sentence k of a system. Reading checks it, for a piece whose sides are not the same sentences is
refused as any file is; whoever reads must then read all in one piece, which tells what is wrong.
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
_MOST_PIECES = 4096
_SHARD = 8 << 20  # packed bytes of a shard that one process unpacks and reads
_STRETCH = 1 << 18  # bytes that are looked at together
_LONGEST = 2 << 20  # bytes without a blank line: no such file is cut
_TIMES = 8  # as long as asked for; a longer part is none
_BYTEWISE = ("utf-8", "ascii", "iso8859-1", "cp1252")  # encodings in which a newline is one byte
# Lines that are no sentence though a blank line follows.
_DOCUMENT = re.compile(rb"-DOCSTART-[^\n]*\n\r?\n")


@dataclass(frozen=True, slots=True)
class Shards:
    """Sources (gold first), cut at the same sentences: in order, and anew for each who asks."""

    sources: Shard

    def __iter__(self) -> Iterator[Shard]:
        rows = _rows(self.sources)
        for row in rows:
            files = _to_cut(row, alone=len(rows) == 1)
            yield from _cut(files) if files else [row]

    @property
    def is_one(self) -> bool:
        """Whether nothing can be cut."""
        rows = _rows(self.sources)
        return len(rows) == 1 and not _to_cut(rows[0], alone=True)

    @property
    def number(self) -> int | None:
        """About how many there are; None if nobody can tell before they are read."""
        rows = _rows(self.sources)
        numbers = [_number(_to_cut(row, alone=len(rows) == 1)) for row in rows]
        return None if None in numbers else sum(filter(None, numbers))

    @property
    def gold_only(self) -> "Shards":
        """The pieces of gold alone."""
        return Shards(self.sources[:1])


def cut_into_shards(sources: Sequence[Source]) -> Shards | None:
    """Sources (gold first) in pieces; None if they must be read in one.

    >>> from nerscope.formats.base import open_source
    >>> gold = open_source([(["Ada"], ["B-PER"])], "gold")
    >>> cut_into_shards([gold, gold])
    """
    pieces = Shards(tuple(sources))
    try:  # now, before there are workers: to open an address may start threads
        first = list(islice(pieces, 2))
    except InputError:  # of which the whole tells more
        return None
    return pieces if len(first) > 1 else None


def begins_file(piece: Shard) -> bool:
    """Whether gold begins a new file with a piece."""
    part = piece[0].byte_range if isinstance(piece[0], ConllFile) else None
    return part is None or part.begin == 0


def _rows(sources: Shard) -> list[Shard]:
    """The files of each side that belong together: one row, or one for each shard."""
    shards = [source.sources for source in sources if isinstance(source, JoinedSources)]
    if len(shards) == len(sources) and len({len(own) for own in shards}) == 1:
        return list(zip(*shards, strict=True))
    return [sources]


def _to_cut(row: Shard, *, alone: bool) -> list[ConllFile]:
    """The files of a row, if all can be cut, and had better be; else none.

    Of packed shards there are enough as they are: whoever works on one unpacks it himself.
    """
    files = [file for file in row if isinstance(file, ConllFile) and _can_be_cut(file)]
    shards = not alone and not any(_is_plain(file) or _is_long(file) for file in files)
    return files if len(files) == len(row) and not shards else []


def _can_be_cut(file: ConllFile) -> bool:
    return (
        not (file.info.rebreaks or file.info.retokenised)
        and file.document is None
        and file.byte_range is None
        and codecs.lookup(file.encoding).name in _BYTEWISE
        and not file.content.is_folder
        and (not _is_plain(file) or file.content.size > _SHARD_SIZE)
    )


def _is_plain(file: ConllFile) -> bool:
    return file.content.is_plain


def _is_long(file: ConllFile) -> bool:
    return file.content.size > _SHARD


def _number(files: Sequence[ConllFile]) -> int | None:
    """About how many pieces are made of files: one, if they are not cut."""
    if not files:
        return 1
    gold = files[0]
    return max(1, gold.content.size // _size_of_pieces(gold)) if _is_plain(gold) else None


def _size_of_pieces(file: ConllFile) -> int:
    return max(_SHARD_SIZE, file.content.size // _MOST_PIECES) if _is_plain(file) else _SHARD_SIZE


def _cut(files: Sequence[ConllFile]) -> Iterator[Shard]:
    """The same sentences of all files, again and again. Columns of one file are cut once."""
    contents = {_key(file): file for file in files}
    shears = {key: _Shears(file, counts=len(contents) > 1) for key, file in contents.items()}
    told = [_told(file) for file in files]
    gold, size = _key(files[0]), _size_of_pieces(files[0])
    upto: int | None = 0
    while upto is not None:
        part, upto = shears[gold].next_of(size)
        parts = {gold: part}
        for key, own in shears.items():
            if key != gold:
                parts[key] = own.next_upto(upto, size)
        yield tuple(_part_of(file, parts[_key(file)]) for file in told)


def _key(file: ConllFile) -> tuple[str | None, int]:
    """What tells whether two are columns of the same file."""
    return file.content.path, id(file.content.data)


def _told(file: ConllFile) -> ConllFile:
    """The file with what is told by looking at its beginning, which parts do not have."""
    separator, comments = detect_layout(next(file.blocks(), b""), file)
    name = next(name for name, own in SEPARATORS.items() if own == separator)
    return replace(file, separator=name, comments=comments)


def _part_of(file: ConllFile, part: ByteRange) -> ConllFile:
    if part.text is None:
        return replace(file, byte_range=part)
    return replace(file, byte_range=part, path=FileBytes(file.name, data=b""))


class _Stretch(NamedTuple):
    """Some bytes of a file, which end where a sentence ends."""

    begin: int
    line: int
    before: int  # sentences
    data: bytes
    newline: Bools
    breaks: Bools  # whether a sentence ends with each byte; of none, if nobody asks
    is_last: bool  # of the file

    @property
    def end(self) -> int:
        """The byte behind it."""
        return self.begin + len(self.data)

    @property
    def upto(self) -> int:
        """How many sentences stand before its end."""
        return self.before + int(np.count_nonzero(self.breaks))

    def split(self, sentences: int) -> tuple["_Stretch", "_Stretch"]:
        """What stands before the end of so many of its sentences, and the rest."""
        at = int(np.flatnonzero(self.breaks)[sentences - 1]) + 1 if sentences else 0
        head, tail = (
            self._replace(data=self.data[own], newline=self.newline[own], breaks=self.breaks[own])
            for own in (slice(at), slice(at, None))
        )
        line = self.line + int(np.count_nonzero(head.newline))
        before = self.before + sentences
        return head._replace(is_last=False), tail._replace(begin=head.end, line=line, before=before)


class _Shears:
    """Cut a file into parts, one after the other, while it is read once."""

    def __init__(self, file: ConllFile, *, counts: bool) -> None:
        self._holds = not file.content.is_plain
        self._stretches = _stretches(file, counts)
        self._rest: _Stretch | None = None  # of the stretch in which the last cut is

    def next_of(self, size: int) -> tuple[ByteRange, int | None]:
        """The part of about so many bytes, and how many sentences stand before its end; None: it
        ends with the file.
        """
        part = _Open(self._holds, size)
        for stretch in self._stretches:
            part.add(stretch)
            if part.size >= size and not stretch.is_last and _ends_with_words(stretch.data):
                return part.closed(), stretch.upto
        return part.closed(), None

    def next_upto(self, sentences: int | None, size: int) -> ByteRange:
        """The part that ends behind as many sentences, counted from the begin of the file; None:
        with the file.
        """
        part = _Open(self._holds, size)
        while (stretch := self._rest or next(self._stretches, None)) is not None:
            self._rest = None
            if sentences is not None and stretch.upto >= sentences:
                head, self._rest = stretch.split(sentences - stretch.before)
                part.add(head)
                return part.closed()
            part.add(stretch)
        if sentences is not None:
            raise _UncutError
        return part.closed()


class _Open:
    """A part to which stretches are added; it keeps their text if nobody else can read it."""

    def __init__(self, holds: bool, size: int) -> None:
        self._longest = _TIMES * size
        self._first: _Stretch | None = None
        self._texts: list[bytes] | None = [] if holds else None
        self._end: int | None = 0
        self.size = 0

    def add(self, stretch: _Stretch) -> None:
        """Add what follows."""
        self._first = self._first or stretch
        self.size += len(stretch.data)
        self._end = None if stretch.is_last else stretch.end
        if self._texts is not None:
            self._texts.append(stretch.data)
        if self.size > self._longest:
            raise _UncutError

    def closed(self) -> ByteRange:
        """The part as it is now."""
        if self._first is None:
            raise _UncutError
        text = None if self._texts is None else b"".join(self._texts)
        return ByteRange(self._first.begin, self._end, self._first.line, text)


class _UncutError(InputError):
    """What nobody sees: all is then read in one piece."""

    def __init__(self) -> None:
        super().__init__("pieces", "no cuts can be found", "read all in one piece")


def _stretches(file: ConllFile, counts: bool) -> Iterator[_Stretch]:
    """The file in stretches, so short that what is made of them stays close to the processor."""
    begin, line, before, rest = 0, 1, 0, b""
    with file.content.open() as stream:
        more = read_some(stream, file.name, _STRETCH)
        while more:
            data, more = rest + more, read_some(stream, file.name, _STRETCH)
            # Not before blank lines of those that it ends with: a stretch begins with words.
            end = _last_break(data.rstrip(b"\r\n")) if more else len(data)
            if not end:
                if len(data) > _LONGEST:
                    raise _UncutError
                rest = data
                continue
            data, rest = data[:end], data[end:]
            newline = np.frombuffer(data, np.uint8) == 10
            breaks = _breaks(data, newline) if counts else newline[:0]
            stretch = _Stretch(begin, line, before, data, newline, breaks, not more)
            yield stretch
            begin, before = stretch.end, stretch.upto
            line += int(np.count_nonzero(newline))


def _last_break(data: bytes) -> int:
    """The place behind the last blank line, 0 if there is none."""
    plain = data.rfind(b"\n\n")
    other = data.rfind(b"\n\r\n") if b"\r" in data else -1
    return max(plain + 2 if plain >= 0 else 0, other + 3 if other >= 0 else 0)


def _ends_with_words(data: bytes) -> bool:
    """Whether the last line before blank ones is surely one of words."""
    end = len(data.rstrip(b" \t\r\n"))
    start = data.rfind(b"\n", 0, end) + 1
    return start > 0 and not data.startswith((b"-DOCSTART-", b"#"), start)


def _breaks(data: bytes, newline: Bools) -> Bools:
    """Whether the first blank line behind a sentence ends with each byte."""
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
        if found := _DOCUMENT.match(data, line):
            breaks[found.end() - 1] = False
    return breaks
