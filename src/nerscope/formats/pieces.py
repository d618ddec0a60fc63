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
from nerscope.formats.base import Several, Source
from nerscope.formats.conll import SEPARATORS, ConllFile, Part, look
from nerscope.formats.files import Bytes, load

Piece = tuple[Source, ...]  # the same sentences of gold and of each run
_PIECE = 4 << 20  # bytes of gold, at least
_MOST_PIECES = 4096
_SHARD = 32 << 20  # packed bytes of a shard that one process unpacks and reads
_STRETCH = 1 << 18  # bytes that are looked at together
_LONGEST = 2 << 20  # bytes without a blank line: no such file is cut
_LOOK = 1 << 20  # bytes that tell tabs from spaces
_TIMES = 8  # as long as asked for; a longer part is none
_BYTEWISE = ("utf-8", "ascii", "iso8859-1", "cp1252")  # encodings in which a newline is one byte
# Lines that are no sentence though a blank line follows.
_DOCUMENT = re.compile(rb"(?m)^-DOCSTART-[^\n]*\n\r?\n")


@dataclass(frozen=True, slots=True)
class Pieces:
    """Sources (gold first), cut at the same sentences: in order, and anew for each who asks."""

    sources: Piece

    def __iter__(self) -> Iterator[Piece]:
        rows = _rows(self.sources)
        for row in rows:
            files = [file for file in row if isinstance(file, ConllFile) and _can_be_cut(file)]
            if len(files) < len(row) or (len(rows) > 1 and all(map(_is_shard, files))):
                yield row
            else:
                yield from _cut(files)

    @property
    def is_one(self) -> bool:
        """Whether nothing can be cut."""
        rows = _rows(self.sources)
        return len(rows) == 1 and not all(
            isinstance(file, ConllFile) and _can_be_cut(file) for file in rows[0]
        )

    @property
    def number(self) -> int | None:
        """About how many there are; None if nobody can tell before they are read."""
        numbers = [_number(row) for row in _rows(self.sources)]
        return None if None in numbers else sum(filter(None, numbers))

    @property
    def of_gold(self) -> "Pieces":
        """The pieces of gold alone."""
        return Pieces(self.sources[:1])


def pieces_of(sources: Sequence[Source]) -> Pieces | None:
    """Sources (gold first) in pieces; None if they must be read in one.

    >>> from nerscope.formats.base import open_source
    >>> gold = open_source([(["Ada"], ["B-PER"])], "gold")
    >>> pieces_of([gold, gold])
    """
    pieces = Pieces(tuple(sources))
    try:
        first = list(islice(pieces, 2))
    except InputError:  # of which the whole tells more
        return None
    return pieces if len(first) > 1 else None


def begins_file(piece: Piece) -> bool:
    """Whether gold begins a new file with a piece."""
    part = piece[0].part if isinstance(piece[0], ConllFile) else None
    return part is None or part.begin == 0


def _rows(sources: Piece) -> list[Piece]:
    """The files of each side that belong together: one row, or one for each shard."""
    shards = [source.sources for source in sources if isinstance(source, Several)]
    if len(shards) == len(sources) and len({len(own) for own in shards}) == 1:
        return list(zip(*shards, strict=True))
    return [sources]


def _is_shard(file: ConllFile) -> bool:
    """Whether whoever works on a file had better unpack it himself."""
    return not file.content.is_plain and file.content.size <= _SHARD


def _can_be_cut(file: ConllFile) -> bool:
    content = file.content
    return (
        not (file.rebreaks or file.retokenised)
        and file.document is None
        and file.part is None
        and codecs.lookup(file.encoding).name in _BYTEWISE
        and not content.is_folder
        and (content.size > _PIECE or not content.is_plain)
    )


def _number(row: Piece) -> int | None:
    gold = row[0]
    if not isinstance(gold, ConllFile) or not gold.content.is_plain:
        return None
    return max(1, gold.content.size // _size_of_pieces(gold))


def _size_of_pieces(file: ConllFile) -> int:
    content = file.content
    return max(_PIECE, content.size // _MOST_PIECES) if content.is_plain else _PIECE


def _cut(files: Sequence[ConllFile]) -> Iterator[Piece]:
    """The same sentences of all files, again and again. Columns of one file are cut once."""
    contents = {_key(file): file for file in files}
    several = len(contents) > 1
    shears = {key: _Shears(file, counts=several) for key, file in contents.items()}
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
    separator, comments = look(next(iter(file.blocks()))[:_LOOK], file)
    name = next(name for name, own in SEPARATORS.items() if own == separator)
    return replace(file, separator=name, comments=comments)


def _part_of(file: ConllFile, part: Part) -> ConllFile:
    if part.text is None:
        return replace(file, part=part)
    return replace(file, part=part, path=Bytes(file.name, data=b""))


class _Stretch(NamedTuple):
    """Some bytes of a file, which end where a sentence ends."""

    begin: int
    end: int
    line: int
    before: int  # sentences
    upto: int  # as many stand before its end
    data: bytes
    newline: Bools
    breaks: Bools  # whether a sentence ends with each byte, if sentences are counted
    is_last: bool  # of the file

    def split(self, sentences: int) -> tuple["_Stretch", "_Stretch"]:
        """What stands before the end of so many of its sentences, and the rest."""
        at = int(np.flatnonzero(self.breaks)[sentences - 1]) + 1 if sentences else 0
        lines = int(np.count_nonzero(self.newline[:at]))
        return (
            self._replace(end=self.begin + at, data=self.data[:at], is_last=False),
            self._replace(
                begin=self.begin + at,
                line=self.line + lines,
                before=self.before + sentences,
                data=self.data[at:],
                newline=self.newline[at:],
                breaks=self.breaks[at:],
            ),
        )


class _Shears:
    """Cut a file into parts, one after the other, while it is read once."""

    def __init__(self, file: ConllFile, *, counts: bool) -> None:
        self._holds = not file.content.is_plain
        self._stretches = _stretches(file, counts)
        self._rest: _Stretch | None = None  # of the stretch in which the last cut is

    def next_of(self, size: int) -> tuple[Part, int | None]:
        """The part of about so many bytes, and how many sentences stand before its end; None: it
        ends with the file.
        """
        part = _Open(self._holds, size)
        for stretch in self._stretches:
            part.add(stretch)
            if part.size >= size and not stretch.is_last and _ends_with_words(stretch.data):
                return part.closed(), stretch.upto
        return part.closed(), None

    def next_upto(self, sentences: int | None, size: int) -> Part:
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

    def closed(self) -> Part:
        """The part as it is now."""
        if self._first is None:
            raise _UncutError
        text = None if self._texts is None else b"".join(self._texts)
        return Part(self._first.begin, self._end, self._first.line, text)


class _UncutError(InputError):
    """What nobody sees: all is then read in one piece."""

    def __init__(self) -> None:
        super().__init__("pieces", "no cuts can be found", "read all in one piece")


def _stretches(file: ConllFile, counts: bool) -> Iterator[_Stretch]:
    """The file in stretches, so short that what is made of them stays close to the processor."""
    begin, line, before, rest = 0, 1, 0, b""
    with file.content.open() as stream:
        more = load(stream, file.name, _STRETCH)
        while more:
            data, more = rest + more, load(stream, file.name, _STRETCH)
            end = _last_break(data) if more else len(data)
            if not end:
                if len(data) > _LONGEST:
                    raise _UncutError
                rest = data
                continue
            data, rest = data[:end], data[end:]
            newline = np.frombuffer(data, np.uint8) == 10
            breaks = _breaks(data, newline) if counts else newline
            after = before + (int(np.count_nonzero(breaks)) if counts else 0)
            place = (begin, begin + end, line, before, after)
            yield _Stretch(*place, data, newline, breaks, not more)
            begin, before, line = begin + end, after, line + int(np.count_nonzero(newline))


def _last_break(data: bytes) -> int:
    """The place behind the last blank line, 0 if there is none."""
    plain = data.rfind(b"\n\n")
    other = data.rfind(b"\n\r\n") if b"\r" in data else -1
    return max(plain + 2 if plain >= 0 else 0, other + 3 if other >= 0 else 0)


def _ends_with_words(data: bytes) -> bool:
    """Whether the last line before blank ones is surely one of words."""
    end = len(data.rstrip(b"\r\n"))
    start = data.rfind(b"\n", 0, end) + 1
    return start > 0 and not data.startswith((b"-DOCSTART-", b"#"), start)


def _breaks(data: bytes, newline: Bools) -> Bools:
    """Whether a blank line behind a sentence ends with each byte."""
    breaks = np.zeros(len(data), bool)
    np.logical_and(newline[1:], newline[:-1], out=breaks[1:])
    if b"\r" in data:
        body = np.frombuffer(data, np.uint8)
        breaks[2:] |= newline[2:] & (body[1:-1] == 13) & newline[:-2]
    if b"-DOCSTART-" in data:
        for found in _DOCUMENT.finditer(data):
            breaks[found.end() - 1] = False
    return breaks
