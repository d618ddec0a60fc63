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

from nerscope.corpus.arrays import Bools
from nerscope.formats.base import Several, Source
from nerscope.formats.conll import SEPARATORS, ConllFile, Part, look
from nerscope.formats.files import load

Piece = tuple[Source, ...]  # the same sentences of gold and of each run
_PIECE = 4 << 20  # bytes of gold, at least
_MOST_PIECES = 4096
_STRETCH = 1 << 18  # bytes that are looked at together
_NEAR = 1 << 12
_LONGEST = 2 << 20  # bytes without a blank line: no such file is cut
_LOOK = 1 << 20  # bytes that tell tabs from spaces
_BYTEWISE = ("utf-8", "ascii", "iso8859-1", "cp1252")  # encodings in which a newline is one byte
# Pairs of newlines behind a line that is no sentence.
_DOCUMENT = re.compile(rb"-DOCSTART-[^\n]*\n\r?\n")


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
    alone = len({file.content.path for file in files}) == 1
    wanted = _cuts_of_one(gold) if alone else _cuts_of_gold(gold)
    found[str(gold.content.path)] = wanted
    for file in files[1:]:
        path = str(file.content.path)
        if path not in found:
            found[path] = _cuts_behind(file, [cut.sentences for cut in wanted])
        if len(found[path]) < len(wanted):
            return [[] for _ in files]
    return [found[str(file.content.path)] for file in files]


def _size_of_pieces(file: ConllFile) -> int:
    return max(_PIECE, file.content.size // _MOST_PIECES)


def _cuts_of_one(file: ConllFile) -> list[_Cut]:
    """The same of a file that has both sides: then nobody asks how many sentences there are."""
    size, begin, line = _size_of_pieces(file), 0, 1
    cuts: list[_Cut] = []
    with file.content.open() as stream:
        while data := load(stream, file.name, _STRETCH):
            newline = np.frombuffer(data, np.uint8) == 10
            if begin + len(data) >= size * (len(cuts) + 1):
                ends = np.flatnonzero(_breaks(data, newline)) + 1
                if len(ends) and _ends_with_words(data, int(ends[-1])):
                    lines = int(np.count_nonzero(newline[: ends[-1]]))
                    cuts.append(_Cut(begin + int(ends[-1]), line + lines, 0))
            begin, line = begin + len(data), line + int(np.count_nonzero(newline))
    return [cut for cut in cuts if cut.byte < begin]


def _cuts_of_gold(file: ConllFile) -> list[_Cut]:
    """Cuts about every so many bytes."""
    size = _size_of_pieces(file)
    cuts: list[_Cut] = []
    for stretch in _stretches(file):
        if stretch.end >= size * (len(cuts) + 1) and stretch.ends_with_words:
            cuts.append(stretch.cut(stretch.sentences))
    return [cut for cut in cuts if cut.byte < file.content.size]


def _cuts_behind(file: ConllFile, wanted: Sequence[int]) -> list[_Cut]:
    """Cuts behind as many sentences as wanted."""
    cuts: list[_Cut] = []
    for stretch in _stretches(file):
        while len(cuts) < len(wanted) and wanted[len(cuts)] <= stretch.before + stretch.sentences:
            cuts.append(stretch.cut(wanted[len(cuts)] - stretch.before))
    return cuts


class _Stretch(NamedTuple):
    """Some bytes of a file, which end where a sentence ends."""

    begin: int
    line: int
    before: int  # sentences
    newline: Bools
    breaks: Bools  # whether a sentence ends with each byte
    sentences: int
    ends_with_words: (
        bool  # and not with a line that marks a document, which belongs to what follows
    )

    @property
    def end(self) -> int:
        """The byte behind it."""
        return self.begin + len(self.newline)

    def cut(self, sentences: int) -> _Cut:
        """The cut behind so many of its sentences."""
        end = len(self.newline)
        if sentences < self.sentences:
            end = int(np.flatnonzero(self.breaks)[sentences - 1]) + 1 if sentences else 0
        lines = int(np.count_nonzero(self.newline[:end]))
        return _Cut(self.begin + end, self.line + lines, self.before + sentences)


def _stretches(file: ConllFile) -> Iterator[_Stretch]:
    """The file in stretches, so short that what is made of them stays close to the processor."""
    begin, line, before, rest = 0, 1, 0, b""
    with file.content.open() as stream:
        while more := load(stream, file.name, _STRETCH):
            data = rest + more
            if len(data) > _LONGEST:
                return
            newline = np.frombuffer(data, np.uint8) == 10
            breaks = _breaks(data, newline)
            end = _last(breaks)
            if not end:
                rest = data
                continue
            sentences = int(np.count_nonzero(breaks))
            clean = _ends_with_words(data, end)
            stretch = _Stretch(begin, line, before, newline[:end], breaks[:end], sentences, clean)
            yield stretch
            begin, line, before = stretch.cut(sentences)
            rest = data[end:]


def _ends_with_words(data: bytes, end: int) -> bool:
    """Whether the last line before an end is surely one of words."""
    while end and data[end - 1 : end] in (b"\n", b"\r"):
        end -= 1
    start = data.rfind(b"\n", 0, end) + 1
    return start > 0 and not data.startswith((b"-DOCSTART-", b"#"), start)


def _breaks(data: bytes, newline: Bools) -> Bools:
    """Whether a blank line behind a sentence ends with each byte."""
    breaks = np.zeros(len(data), bool)
    np.logical_and(newline[1:], newline[:-1], out=breaks[1:])
    body = np.frombuffer(data, np.uint8)
    if b"\r" in data:
        breaks[2:] |= newline[2:] & (body[1:-1] == 13) & newline[:-2]
    dashes = body[1:] == 45
    np.logical_and(dashes, newline[:-1], out=dashes)
    for line in [0, *(np.flatnonzero(dashes) + 1).tolist()]:
        if found := _DOCUMENT.match(data, line):
            breaks[found.end() - 1] = False
    return breaks


def _last(breaks: Bools) -> int:
    """The place behind the last break, 0 if there is none: it is looked for from the end."""
    for end in range(len(breaks), 0, -_NEAR):
        here = np.flatnonzero(breaks[max(0, end - _NEAR) : end])
        if len(here):
            return max(0, end - _NEAR) + int(here[-1]) + 1
    return 0
