"""Where large files can be cut, so that several processes can read them at once.

Cuts are guesses: a sentence is taken to end at every blank line, and sentence k of gold to be
sentence k of a system. Reading checks it, for a piece whose sides are not the same sentences is
refused as any file is; whoever reads must then read all in one piece, which tells what is wrong.
"""

import codecs
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from nerscope.corpus.arrays import Bytes, Ints
from nerscope.formats.base import Several, Source
from nerscope.formats.conll import SEPARATORS, ConllFile, Part, look
from nerscope.formats.files import load

Piece = tuple[Source, ...]  # the same sentences of gold and of each run
_PIECE = 4 << 20  # bytes of gold, at least
_MOST_PIECES = 4096
_PATIENCE = 16  # pieces' worth of bytes without a blank line: no such file is cut
_LOOK = 1 << 20  # bytes that tell tabs from spaces
_BYTEWISE = ("utf-8", "ascii", "iso8859-1", "cp1252")  # encodings in which a newline is one byte
# Pairs of newlines behind a line that is no sentence.
_DOCUMENT = re.compile(rb"(?:^|(?<=\n))-DOCSTART-[^\n]*\n\r?\n")


def pieces_of(sources: Sequence[Source]) -> list[Piece]:
    """Sources (gold first) cut at the same sentences; all in one piece if that cannot be told.

    >>> from nerscope.formats.base import open_source
    >>> gold = open_source([(["Ada"], ["B-PER"])], "gold")
    >>> pieces_of([gold, gold]) == [(gold, gold)]
    True
    """
    whole = [tuple(sources)]
    shards = [source.sources for source in sources if isinstance(source, Several)]
    if len(shards) == len(sources) and len({len(own) for own in shards}) == 1:
        return [piece for row in zip(*shards, strict=True) for piece in pieces_of(row)]
    files = [source for source in sources if isinstance(source, ConllFile) and _can_be_cut(source)]
    if len(files) < len(sources):
        return whole
    cuts = _cuts(files)
    parts = (_parts(file, own) for file, own in zip(files, cuts, strict=True))
    return list(zip(*parts, strict=True))


def begin_files(pieces: Sequence[Piece]) -> list[bool]:
    """Of each piece, whether gold begins a new file with it."""
    parts = [piece[0].part if isinstance(piece[0], ConllFile) else None for piece in pieces]
    return [part is None or part.begin == 0 for part in parts]


class _Cut(NamedTuple):
    """The begin of a sentence: byte, line (from 1), and how many sentences stand before it."""

    byte: int
    line: int
    sentences: int


def _can_be_cut(file: ConllFile) -> bool:
    content = file.content
    return (
        content.is_plain
        and content.size > _PIECE
        and not (file.rebreaks or file.retokenised)
        and file.document is None
        and file.part is None
        and codecs.lookup(file.encoding).name in _BYTEWISE
    )


def _parts(file: ConllFile, cuts: Sequence[_Cut]) -> list[ConllFile]:
    """The file, cut; what is told by looking at its beginning is told of each part."""
    separator, comments = look(next(iter(file.blocks()))[:_LOOK], file)
    name = next(name for name, own in SEPARATORS.items() if own == separator)
    told = replace(file, separator=name, comments=comments)
    edges = [_Cut(0, 1, 0), *cuts]
    ends = [cut.byte for cut in cuts] + [None]
    return [
        replace(told, part=Part(cut.byte, end, cut.line))
        for cut, end in zip(edges, ends, strict=True)
    ]


def _cuts(files: Sequence[ConllFile]) -> list[list[_Cut]]:
    """Where to cut each file; nowhere, if one has fewer sentences than another was cut behind."""
    found: dict[str, list[_Cut]] = {}
    gold = files[0]
    wanted = _cuts_of_gold(gold)
    found[str(gold.content.path)] = wanted
    for file in files[1:]:
        path = str(file.content.path)
        if path not in found:
            found[path] = _cuts_behind(file, [cut.sentences for cut in wanted])
        if len(found[path]) < len(wanted):
            return [[] for _ in files]
    return [found[str(file.content.path)] for file in files]


def _cuts_of_gold(file: ConllFile) -> list[_Cut]:
    """Cuts about every so many bytes."""
    size = max(_PIECE, file.content.size // _MOST_PIECES)
    cuts = [stretch.cut(stretch.sentences) for stretch in _stretches(file, size)]
    return cuts[:-1]  # the last one is the end of the file


def _cuts_behind(file: ConllFile, wanted: Sequence[int]) -> list[_Cut]:
    """Cuts behind as many sentences as wanted."""
    cuts: list[_Cut] = []
    for stretch in _stretches(file, _PIECE):
        while len(cuts) < len(wanted) and wanted[len(cuts)] <= stretch.last:
            cuts.append(stretch.cut(wanted[len(cuts)] - stretch.before))
    return cuts


class _Stretch(NamedTuple):
    """Some bytes of a file, which end where a sentence ends."""

    begin: int
    line: int
    before: int  # sentences
    body: Bytes
    breaks: "np.ndarray[tuple[int], np.dtype[np.bool_]]"  # whether a sentence ends with each byte

    @property
    def sentences(self) -> int:
        return int(np.count_nonzero(self.breaks))

    @property
    def last(self) -> int:
        return self.before + self.sentences

    def cut(self, sentences: int) -> _Cut:
        """The cut behind so many of its sentences."""
        if sentences == self.sentences:
            end = len(self.body)
        else:
            ends: Ints = np.flatnonzero(self.breaks)
            end = int(ends[sentences - 1]) + 1 if sentences else 0
        lines = int(np.count_nonzero(self.body[:end] == 10))
        return _Cut(self.begin + end, self.line + lines, self.before + sentences)


def _stretches(file: ConllFile, size: int) -> Iterator[_Stretch]:
    """The file in stretches of about so many bytes."""
    begin, line, before, rest = 0, 1, 0, b""
    with file.content.open() as stream:
        while True:
            more = load(stream, file.name, size)
            data = rest + more
            if not data:
                return
            breaks = _breaks(data)
            if more:
                ends = np.flatnonzero(breaks[-_PIECE:])
                if not len(ends):
                    if len(data) > _PATIENCE * size:
                        return
                    rest = data
                    continue
                end = max(0, len(data) - _PIECE) + int(ends[-1]) + 1
            else:
                end = len(data)
            stretch = _Stretch(
                begin, line, before, np.frombuffer(data, np.uint8)[:end], breaks[:end]
            )
            yield stretch
            begin, line, before = stretch.cut(stretch.sentences)
            rest = data[end:]


def _breaks(data: bytes) -> "np.ndarray[tuple[int], np.dtype[np.bool_]]":
    """Whether a blank line behind a sentence ends with each byte."""
    body = np.frombuffer(data, np.uint8)
    newline = body == 10
    breaks = np.zeros(len(body), bool)
    if b"\r\n" in data[:_LOOK]:
        breaks[2:] = newline[2:] & (body[1:-1] == 13) & newline[:-2]
    else:
        np.logical_and(newline[1:], newline[:-1], out=breaks[1:])
    if b"-DOCSTART-" in data:
        for found in _DOCUMENT.finditer(data):
            breaks[found.end() - 1] = False
    return breaks
