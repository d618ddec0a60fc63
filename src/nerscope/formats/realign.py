"""A system with tokens of its own, brought onto the tokens of gold over the characters of both.

Blanks do not count. A worked example: gold has the tokens `U.S.-based` `firm`, the system found
`U.S.`, characters 0 to 4. They begin where the first token begins and end inside it: the mention
lies on that token, with the shape `right=6`, and so is equal to no mention of gold.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate, pairwise
from typing import NamedTuple

import numpy as np

from nerscope.corpus.corpus import Coding, Corpus, Found, Reading
from nerscope.corpus.mentions import PLAIN, Mentions, Shape, shapes_of
from nerscope.errors import AlignmentError
from nerscope.formats.base import Source

INSIDE_TOKEN = "mentions that begin or end inside a token of gold"
BEYOND = "mentions that go beyond a sentence of gold"
NOWHERE = "mentions that stand nowhere in gold"
OTHER_TEXT = "sentences whose characters differ from gold"
_ALIKE = 0.6  # share of gold's characters that another text must have to be taken for the same
_SLACK = 20  # characters by which such a text may be longer
_SHOWN = 40  # characters of a text in a message


class CharSpan(NamedTuple):
    """A mention as half-open ranges of characters, with its type and the line where it stands."""

    fragments: tuple[tuple[int, int], ...]
    type: int
    line: int = 0


class Placed(NamedTuple):
    """A mention on the tokens of a sentence."""

    start: int
    end: int
    type: int
    shape: Shape = PLAIN


@dataclass(slots=True, eq=False)
class Ruler:
    """Where the tokens of a sentence begin and end, counted in characters without blanks.

    >>> ruler = Ruler.of(["U.S.-based", "firm"])
    >>> ruler.placed(CharSpan(((0, 4),), 0), "U.S.-basedfirm")
    Placed(start=0, end=1, type=0, shape=Shape(holes=(), left=0, right=6, said='U.S.'))
    """

    starts: list[int]
    ends: list[int]

    @classmethod
    def of(cls, words: Sequence[str]) -> "Ruler":
        """The ruler of a sentence."""
        ends = list(accumulate(len(solid(word)) for word in words))
        return cls([0, *ends[:-1]], ends)

    def placed(self, span: CharSpan, text: str) -> Placed:
        """A mention of these characters, on the tokens that hold them."""
        size = self.ends[-1]
        runs = [
            self._tokens(start, min(end, size)) for start, end in span.fragments if start < size
        ]
        first, last = runs[0][0], runs[-1][1]
        holes = tuple(
            (end - first, start - first) for (_, end), (start, _) in pairwise(runs) if end < start
        )
        left = span.fragments[0][0] - self.starts[first]
        right = self.ends[last - 1] - span.fragments[-1][1]
        ragged = any(not self._is_edge(at, size) for fragment in span.fragments for at in fragment)
        if not ragged:
            return Placed(first, last, span.type, Shape(holes) if holes else PLAIN)
        said = " … ".join(text[start:end] for start, end in span.fragments)
        if not (left or right):  # an edge between two fragments is inside a token
            left = -1
        return Placed(first, last, span.type, Shape(holes, left, right, said))

    def _tokens(self, start: int, end: int) -> tuple[int, int]:
        return bisect_right(self.starts, start) - 1, bisect_left(self.ends, end) + 1

    def _is_edge(self, at: int, size: int) -> bool:
        if at == 0 or at == size:
            return True
        place = bisect_left(self.ends, at)
        return place < len(self.ends) and self.ends[place] == at


def solid(text: str) -> str:
    """A text without its blanks.

    >>> solid("New  York")
    'NewYork'
    """
    return "".join(text.split())


@dataclass(slots=True, eq=False)
class _Unit:
    """A sentence of the system: its words, its characters, and its mentions in both."""

    words: list[str] | None
    size: int
    text: str
    mentions: Mentions  # on its tokens
    line: int


@dataclass(slots=True, eq=False)
class Realigned:
    """Gives a system's mentions on the tokens of gold, sentence by sentence."""

    source: Source
    coding: Coding
    repair: str
    whole_documents: bool = False
    _units: Iterator[_Unit] = field(init=False)
    _text: str = ""  # characters that wait; units begin at `_edges` of them
    _spans: list[CharSpan] = field(default_factory=list)
    _edges: list[int] = field(default_factory=list)
    _reading: Reading = field(default_factory=Reading)
    _found: dict[str, list[tuple[int, str]]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._units = self._read()

    def _read(self) -> Iterator[_Unit]:
        """The sentences of the system; their tokens need no codes that others know."""
        scheme = self.source.nature().scheme if self.repair in ("strict", "discard") else None
        # Types are renamed and dropped when the chunk is scored, and not twice.
        for chunk in self.source.chunks(Coding(labels=self.coding.labels.as_written)):
            self._reading += chunk.reading
            mentions = chunk.mentions(self.repair, scheme)
            order = np.searchsorted(mentions.start, chunk.starts)
            for number in range(len(chunk)):
                begin = int(chunk.starts[number])
                words = chunk.words(number) if len(chunk.tokens) else None
                own = mentions[np.arange(order[number], order[number + 1])].moved(-begin)
                size = int(chunk.starts[number + 1]) - begin
                line = int(chunk.lines[begin])
                yield _Unit(words, size, solid("".join(words or ())), own, line)

    def beside(self, gold: Corpus) -> Corpus:
        """The chunk of the system that goes with a chunk of gold."""
        placed: list[Placed] = []
        for number in range(len(gold)):
            words = gold.words(number)
            at = int(gold.starts[number])
            for one in self._sentence(words, gold.place(at)):
                placed.append(one._replace(start=one.start + at, end=one.end + at))
        spans = Mentions(
            np.array([one.start for one in placed], np.int64),
            np.array([one.end for one in placed], np.int64),
            np.array([one.type for one in placed], np.int16),
            shapes_of([one.shape for one in placed]),
        ).in_order()
        return beside_gold(gold, self.source.name, spans, self._noted())

    def _noted(self) -> Reading:
        """What was noticed since the last chunk."""
        found = {
            kind: Found(len(seen), tuple(line for line, _ in seen), tuple(what for _, what in seen))
            for kind, seen in self._found.items()
        }
        reading = self._reading + Reading(found=found)
        self._reading, self._found = Reading(), {}
        return reading

    def _sentence(self, words: list[str], place: str) -> Iterator[Placed]:
        """The mentions of the next sentence of gold."""
        if not self._text and (unit := next(self._units, None)) is not None:
            if unit.words == words or (unit.words is None and unit.size == len(words)):
                yield from _as_it_is(unit.mentions)  # the same tokens
                return
            self._hold(unit)
        ruler = Ruler.of(words)
        wanted = solid("".join(words))
        self._fill(len(wanted))
        if self._text.startswith(wanted):
            text = self._text
            for span in self._taken(len(wanted)):
                yield self._noticed(ruler.placed(span, text), span)
            return
        yield from self._despite_differences(ruler, wanted, place)

    def _hold(self, unit: _Unit) -> None:
        """Put a unit behind the characters that wait."""
        if unit.words is None:
            raise AlignmentError(
                f"{self.source.name}: sentence {unit.line}",
                f"{unit.size} labels without tokens, where gold has another number of tokens",
                "give every sentence as (tokens, labels), or a label for each token of gold",
            )
        at = len(self._text)
        self._edges.append(at)
        edges = Ruler.of(unit.words)
        self._spans += [
            CharSpan(_fragments(one, edges, at), one.type, unit.line)
            for one in _as_it_is(unit.mentions)
        ]
        self._text += unit.text

    def _fill(self, size: int) -> None:
        while len(self._text) < size and (unit := next(self._units, None)) is not None:
            self._hold(unit)

    def _taken(self, size: int) -> list[CharSpan]:
        """The mentions that begin in the next characters; these wait no longer."""
        own = [span for span in self._spans if span.fragments[0][0] < size]
        rest = (span for span in self._spans if span.fragments[0][0] >= size)
        self._spans = [_moved(span, -size) for span in rest]
        self._text = self._text[size:]
        self._edges = [at - size for at in self._edges if at >= size]
        return own

    def _noticed(self, placed: Placed, span: CharSpan) -> Placed:
        """The mention; counted if it does not fit the tokens of gold."""
        if not placed.shape.is_aligned:
            kind = BEYOND if placed.shape.right < 0 else INSIDE_TOKEN
            self._found.setdefault(kind, []).append((span.line, placed.shape.said))
        return placed

    def _despite_differences(self, ruler: Ruler, wanted: str, place: str) -> Iterator[Placed]:
        """The mentions of a sentence whose characters differ a little."""
        if not self._text:
            raise AlignmentError(
                self.source.name,
                f"it ends before {place}",
                "it is truncated, or gold has sentences too many: write it again",
            )
        window = self._window(len(wanted))
        theirs = self._text[:window]
        where, share, used = _mapping(wanted, theirs)
        if share < _ALIKE:
            raise AlignmentError(
                place,
                f"the text differs from {self.source.name}: '{_short(wanted)}' "
                f"against '{_short(theirs)}'",
                "give the output for this gold file, in its order; blanks may differ, "
                "other characters only here and there",
            )
        size = window if window in self._edges or window == len(self._text) else used
        line = self._spans[0].line if self._spans else 0
        self._found.setdefault(OTHER_TEXT, []).append((line, _short(theirs)))
        for span in self._taken(size):
            yield self._mapped(span, where, ruler, theirs)

    def _window(self, size: int) -> int:
        """How many of the characters that wait may belong to the sentence: up to the edge of a
        unit, if one is near.
        """
        self._fill(size + _SLACK)
        most = min(len(self._text), size + _SLACK)
        near = [at for at in self._edges if 0 < at <= most]
        return near[0] if near and abs(near[0] - size) <= max(_SLACK, size // 4) else most

    def _mapped(self, span: CharSpan, where: Sequence[int], ruler: Ruler, theirs: str) -> Placed:
        """A mention of other characters on the tokens of gold."""
        edges = [(where[start], where[min(end, len(where)) - 1]) for start, end in span.fragments]
        said = " … ".join(theirs[start:end] for start, end in span.fragments)
        if any(low < 0 or high < 0 for low, high in edges):
            kept = [
                where[at]
                for start, end in span.fragments
                for at in range(start, end)
                if at < len(where) and where[at] >= 0
            ]
            self._found.setdefault(NOWHERE, []).append((span.line, said))
            if not kept:
                return Placed(0, 0, span.type, Shape(said=said))
            rough = ruler.placed(CharSpan(((min(kept), max(kept) + 1),), span.type), theirs)
            return rough._replace(shape=Shape(rough.shape.holes, left=-1, said=said))
        fragments = tuple((low, high + 1) for low, high in edges)
        placed = ruler.placed(CharSpan(fragments, span.type, span.line), theirs)
        if not placed.shape.is_aligned:
            placed = placed._replace(shape=placed.shape._replace(said=said))
        return self._noticed(placed, span)

    def finish(self) -> None:
        """Refuse a system that goes on where gold has ended."""
        if self._text or any(unit.text for unit in self._units):
            raise AlignmentError(
                self.source.name,
                "it goes on where gold has ended",
                "gold is truncated, or the system has sentences too many: write it again",
            )


def beside_gold(gold: Corpus, name: str, spans: Mentions, reading: Reading) -> Corpus:
    """A chunk of a system on the sentences of gold."""
    return replace(gold, name=name, labels=None, spans=spans, reading=reading, told=None, gaps=None)


def _as_it_is(mentions: Mentions) -> Iterator[Placed]:
    shapes = [PLAIN] * len(mentions) if mentions.shape is None else mentions.shape.tolist()
    columns = (mentions.start, mentions.end, mentions.type)
    return map(Placed, *(column.tolist() for column in columns), shapes)


def _fragments(one: Placed, ruler: Ruler, at: int) -> tuple[tuple[int, int], ...]:
    """The characters of a mention that lies on tokens."""
    edges = [one.start, *(one.start + edge for hole in one.shape.holes for edge in hole), one.end]
    return tuple(
        (at + ruler.starts[low], at + ruler.ends[high - 1])
        for low, high in zip(edges[::2], edges[1::2], strict=True)
    )


def _moved(span: CharSpan, by: int) -> CharSpan:
    return span._replace(fragments=tuple((start + by, end + by) for start, end in span.fragments))


def _mapping(gold: str, theirs: str) -> tuple[list[int], float, int]:
    """Where each of their characters stands in gold (-1: nowhere), which share of gold they have,
    and how many of them are used up.
    """
    from difflib import SequenceMatcher  # for texts that differ only

    where, same, used = [-1] * len(theirs), 0, 0
    for tag, low, high, begin, end in SequenceMatcher(None, gold, theirs, False).get_opcodes():
        if tag == "equal":
            same, used = same + high - low, end
        if tag == "equal" or (tag == "replace" and high - low == end - begin):
            where[begin:end] = range(low, high)  # one character for another keeps its place
            used = end
    return where, same / max(1, len(gold)), used


def _short(text: str) -> str:
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
