"""A system with tokens of its own, brought onto the tokens of gold over the characters of both.

Blanks do not count. A worked example: gold has the tokens `U.S.-based` `firm`, the system found
`U.S.`, characters 0 to 4. They begin where the first token begins and end inside it: the mention
lies on that token, with the shape `right=6`, and so is equal to no mention of gold.
"""

from bisect import bisect_left, bisect_right
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate, takewhile
from typing import NamedTuple

import numpy as np

from nerscope.corpus.corpus import Coding, Corpus, Note, ReadingNotes
from nerscope.corpus.mentions import PLAIN, Mentions, Shape, shape_column
from nerscope.errors import AlignmentError
from nerscope.formats.source import Source

INSIDE_TOKEN = "mentions that begin or end inside a token of gold"
BEYOND = "mentions that go beyond a sentence of gold"
NO_SUCH_EDGE = "mentions that begin or end on characters that gold does not have"
NOWHERE = "mentions that stand nowhere in gold"
OTHER_TEXT = "sentences whose characters differ from gold"
ALIKE = 0.6  # share of the characters that another text must have to be taken for the same
_SLACK = 20  # characters by which such a text may be longer
_ANCHOR = 12  # characters at the end of a sentence by which it is found again
_SHOWN = 40  # characters of a text in a message
_SPENT = 1 << 16  # characters that are kept although they are done with
_GAP = " … "  # what stands for the hole of a mention


class CharSpan(NamedTuple):
    """A mention as half-open ranges of characters, with its type and the line where it stands."""

    fragments: tuple[tuple[int, int], ...]
    type: int
    line: int = 0

    @property
    def end(self) -> int:
        """The first character behind it."""
        return self.fragments[-1][1]

    def begins_before(self, at: int) -> bool:
        """Whether it begins before a character; one of blanks alone belongs to what it follows."""
        start = self.fragments[0][0]
        return start < at or (start == at == self.end)

    def moved(self, by: int) -> "CharSpan":
        """The same mention, so many characters further on."""
        return self._replace(fragments=tuple((low + by, high + by) for low, high in self.fragments))

    def said(self, text: str, at: int = 0) -> str:
        """What it says, of a text that begins at a character."""
        return _GAP.join(text[low + at : high + at] for low, high in self.fragments)


class PlacedMention(NamedTuple):
    """A mention on the tokens of a sentence."""

    start: int
    end: int
    type: int
    shape: Shape = PLAIN

    def with_text(self, said: str) -> "PlacedMention":
        """The same mention; where it is not aligned, what it says is kept."""
        if self.shape.is_aligned:
            return self
        return self._replace(shape=self.shape._replace(predicted_text=said))


@dataclass(slots=True, eq=False)
class Ruler:
    """Where the tokens of a sentence begin and end, counted in characters without blanks.

    >>> Ruler.of(["U.S.-based", "firm"]).placed(CharSpan(((0, 4),), 0)).shape.right
    6
    """

    starts: list[int]
    ends: list[int]

    @classmethod
    def of(cls, words: Sequence[str]) -> "Ruler":
        """The ruler of a sentence."""
        ends = list(accumulate(len(without_blanks(word)) for word in words))
        return cls([0, *ends[:-1]], ends)

    def placed(self, span: CharSpan) -> PlacedMention:
        """A mention of these characters, on the tokens that hold them."""
        size = self.ends[-1]
        if span.fragments[0][0] >= size or span.end == span.fragments[0][0]:  # blanks alone
            return PlacedMention(0, 0, span.type, Shape(adrift=True))
        runs = [self._tokens(low, min(high, size)) for low, high in span.fragments if low < size]
        first, last = runs[0][0], runs[-1][1]
        inner = [edge for fragment in span.fragments for edge in fragment][1:-1]
        shape = Shape.of_runs(runs)._replace(
            left=span.fragments[0][0] - self.starts[first],
            right=self.ends[last - 1] - span.end,
            adrift=any(self.ends[bisect_left(self.ends, min(at, size))] != at for at in inner),
        )
        return PlacedMention(first, last, span.type, shape)

    def _tokens(self, start: int, end: int) -> tuple[int, int]:
        return bisect_right(self.starts, start) - 1, bisect_left(self.ends, end) + 1


def without_blanks(text: str) -> str:
    """A text without its blanks.

    >>> without_blanks("New  York")
    'NewYork'
    """
    return "".join(text.split())


class NoteCollector:
    """What was noticed since it was last told: by kind, the line and what it was."""

    def __init__(self) -> None:
        self._seen: dict[str, list[tuple[int, str]]] = {}

    def add(self, kind: str, line: int, what: str = "") -> None:
        """Note something."""
        self._seen.setdefault(kind, []).append((line, what))

    def take(self, of: Mapping[str, int] | None = None) -> ReadingNotes:
        """All of it, as a reading; `of` says how often each might have been."""
        sizes = of or {}
        found = {
            kind: Note(
                len(seen),
                tuple(line for line, _ in seen),
                tuple(what for _, what in seen if what),
                sizes.get(kind, 0),
            )
            for kind in dict.fromkeys([*sizes, *self._seen])
            for seen in [self._seen.get(kind, [])]
        }
        self._seen = {}
        return ReadingNotes(notes=found)


class _Unit(NamedTuple):
    """A sentence of the system: its words if it has any, its size, its mentions and its line."""

    words: list[str] | None
    size: int
    mentions: Mentions
    line: int


@dataclass(slots=True, eq=False)
class _Tape:
    """The characters of a system that wait for gold, with mentions and the edges of sentences.

    Places are counted from the very beginning, so that nothing moves when characters are done with.
    """

    at: int = 0  # the next character
    _text: str = ""
    _begin: int = 0  # the place of the first character of `_text`
    _spans: deque[CharSpan] = field(default_factory=deque)
    _edges: deque[int] = field(default_factory=deque)

    def __len__(self) -> int:
        return self._begin + len(self._text) - self.at

    def put(self, words: Sequence[str], mentions: Mentions, line: int) -> None:
        """Add a sentence."""
        end = self._begin + len(self._text)
        ruler = Ruler.of(words)
        for one in _as_it_is(mentions):
            runs = one.shape.runs(one.start, one.end)
            fragments = ((ruler.starts[low], ruler.ends[high - 1]) for low, high in runs)
            self._spans.append(CharSpan(tuple(fragments), one.type, line).moved(end))
        self._text += without_blanks("".join(words))
        self._edges.append(end + ruler.ends[-1])

    def begins_with(self, text: str) -> bool:
        """Whether this comes next."""
        return self._text.startswith(text, self.at - self._begin)

    def peek(self, size: int) -> str:
        """The next characters."""
        first = self.at - self._begin
        return self._text[first : first + size]

    def ends(self, size: int) -> list[int]:
        """Where sentences end among the next characters."""
        return [edge - self.at for edge in takewhile(lambda at: at <= self.at + size, self._edges)]

    def taken(self, size: int) -> Iterator[tuple[CharSpan, str]]:
        """The mentions that begin in the next characters, and what each says; all is done then."""
        begin, self.at = self.at, self.at + size
        while self._spans and self._spans[0].begins_before(self.at):
            span = self._spans.popleft()
            yield span.moved(-begin), span.said(self._text, -self._begin)
        while self._edges and self._edges[0] <= self.at:
            self._edges.popleft()
        if (spent := self.at - self._begin) > max(_SPENT, len(self._text) // 2):
            self._text, self._begin = self._text[spent:], self.at


@dataclass(slots=True, eq=False)
class CharacterAligner:
    """Gives a system's mentions on the tokens of gold, sentence by sentence."""

    source: Source
    coding: Coding
    repair: str
    needs_whole_documents: bool = False
    _units: Iterator[_Unit] = field(init=False)
    _tape: _Tape = field(default_factory=_Tape)
    _reading: ReadingNotes = field(default_factory=ReadingNotes)
    _notes: NoteCollector = field(default_factory=NoteCollector)

    def __post_init__(self) -> None:
        self._units = self._read()

    def _read(self) -> Iterator[_Unit]:
        """The sentences of the system; their tokens need no codes that others know."""
        scheme = self.source.label_style().scheme if self.repair in ("strict", "discard") else None
        # Types are renamed and dropped when the chunk is scored, and not twice.
        for chunk in self.source.chunks(Coding(labels=self.coding.labels.as_written)):
            self._reading += chunk.reading_notes
            mentions = chunk.mentions(self.repair, scheme)
            order = np.searchsorted(mentions.start, chunk.starts)
            for number in range(len(chunk)):
                begin = int(chunk.starts[number])
                own = mentions[np.arange(order[number], order[number + 1])].shifted(-begin)
                words = chunk.words(number) if len(chunk.tokens) else None
                size = int(chunk.starts[number + 1]) - begin
                yield _Unit(words, size, own, int(chunk.lines[begin]))

    def align(self, gold: Corpus) -> Corpus:
        """The chunk of the system that goes with a chunk of gold."""
        placed: list[PlacedMention] = []
        sentences = [gold.words(number) for number in range(len(gold))]
        for number, words in enumerate(sentences):
            at = int(gold.starts[number])
            behind = sentences[number + 1 : number + 2]
            for one in self._sentence(words, behind, gold.place(at)):
                placed.append(one._replace(start=one.start + at, end=one.end + at))
        reading, self._reading = self._reading + self._notes.take(), ReadingNotes()
        return on_gold_tokens(gold, self.source.name, placed, reading)

    def _sentence(
        self, words: list[str], behind: list[list[str]], place: str
    ) -> Iterator[PlacedMention]:
        """The mentions of the next sentence of gold."""
        if not self._tape and (unit := next(self._units, None)) is not None:
            if unit.words == words or (unit.words is None and unit.size == len(words)):
                yield from _as_it_is(unit.mentions)  # the same tokens
                return
            self._hold(unit)
        ruler, wanted = Ruler.of(words), without_blanks("".join(words))
        self._fill(len(wanted))
        if not self._tape.begins_with(wanted):
            further = "".join(without_blanks("".join(one)) for one in behind)
            yield from self._despite_differences(ruler, wanted, further, place)
            return
        for span, said in self._tape.taken(len(wanted)):
            yield self._noticed(ruler.placed(span).with_text(said), span.line)

    def _hold(self, unit: _Unit) -> None:
        if unit.words is None:
            raise AlignmentError(
                f"{self.source.name}: sentence {unit.line}",
                f"{unit.size} labels without tokens, where gold has another number of tokens",
                "give every sentence as (tokens, labels), or a label for each token of gold",
            )
        self._tape.put(unit.words, unit.mentions, unit.line)

    def _fill(self, size: int) -> None:
        while len(self._tape) < size and (unit := next(self._units, None)) is not None:
            self._hold(unit)

    def _noticed(self, placed: PlacedMention, line: int) -> PlacedMention:
        """The mention; counted if it does not fit the tokens of gold."""
        if not placed.shape.is_aligned:
            kind = BEYOND if placed.shape.right < 0 else INSIDE_TOKEN
            kind = NOWHERE if placed.end == placed.start else kind
            self._notes.add(kind, line, placed.shape.predicted_text)
        return placed

    def _despite_differences(
        self, ruler: Ruler, wanted: str, behind: str, place: str
    ) -> Iterator[PlacedMention]:
        """The mentions of a sentence whose characters differ a little."""
        most = len(wanted) + _SLACK
        self._fill(most + _ANCHOR)
        theirs = self._tape.peek(most + _ANCHOR)
        if not theirs:
            raise AlignmentError(
                self.source.name,
                f"it ends before {place}",
                "it is truncated, or gold has sentences too many: write it again",
            )
        found = match_text(wanted, theirs, self._tape.ends(most), behind)
        if found.share < ALIKE:
            raise AlignmentError(
                place,
                f"the text differs from {self.source.name}: '{_short(wanted)}' "
                f"against '{_short(theirs)}'",
                "give the output for this gold file, in its order; blanks may differ, "
                "other characters only here and there",
            )
        own = list(self._tape.taken(found.used))
        self._notes.add(OTHER_TEXT, own[0][0].line if own else 0, _short(theirs[: found.used]))
        for span, said in own:
            yield self._mapped(span, said, found.where, ruler)

    def _mapped(
        self, span: CharSpan, said: str, where: Sequence[int], ruler: Ruler
    ) -> PlacedMention:
        """A mention of other characters on the tokens of gold, as far as they are gold's."""
        inside = [(low, min(high, len(where))) for low, high in span.fragments if low < len(where)]
        known = [where[at] for low, high in inside for at in range(low, high) if where[at] >= 0]
        if not known:
            self._notes.add(NOWHERE, span.line, said)
            return PlacedMention(0, 0, span.type, Shape(adrift=True, predicted_text=said))
        edges = [(where[low], where[high - 1] + 1) for low, high in inside]
        if span.end <= len(where) and all(low >= 0 and high > 0 for low, high in edges):
            placed = ruler.placed(CharSpan(tuple(edges), span.type)).with_text(said)
            return self._noticed(placed, span.line)
        kind = BEYOND if span.end > len(where) else NO_SUCH_EDGE
        self._notes.add(kind, span.line, said)
        rough = ruler.placed(CharSpan(((min(known), max(known) + 1),), span.type))
        beyond = min(0, len(where) - span.end)
        return rough._replace(shape=Shape(right=beyond, adrift=True, predicted_text=said))

    def finish(self) -> None:
        """Refuse a system that goes on where gold has ended."""
        if self._tape or any(without_blanks("".join(unit.words or ())) for unit in self._units):
            raise AlignmentError(
                self.source.name,
                "it goes on where gold has ended",
                "gold is truncated, or the system has sentences too many: write it again",
            )


def on_gold_tokens(
    gold: Corpus, name: str, placed: Sequence[PlacedMention], reading: ReadingNotes
) -> Corpus:
    """A chunk of a system on the sentences of gold."""
    spans = Mentions(
        np.array([one.start for one in placed], np.int64),
        np.array([one.end for one in placed], np.int64),
        np.array([one.type for one in placed], np.int32),
        shape_column([one.shape for one in placed]),
    ).in_order()
    return replace(
        gold,
        name=name,
        labels=None,
        spans=spans,
        reading_notes=reading,
        declared_scheme=None,
        gaps=None,
    )


def _as_it_is(mentions: Mentions) -> Iterator[PlacedMention]:
    shapes = [PLAIN] * len(mentions) if mentions.shape is None else mentions.shape.tolist()
    columns = (mentions.start, mentions.end, mentions.type)
    return map(PlacedMention, *(column.tolist() for column in columns), shapes)


class TextMatch(NamedTuple):
    """A text beside that of gold: where each character stands in gold (-1: nowhere), which share of
    the longer one they have in common, and how many characters of it there are.
    """

    where: list[int]
    share: float
    used: int


def match_text(gold: str, theirs: str, ends: Sequence[int] = (), behind: str = "") -> TextMatch:
    """How the beginning of a text goes with a text of gold.

    It may end where a sentence of theirs ends, where what is behind it in gold begins, behind its
    last characters, or after as many as gold has: wherever most is in common.

    >>> match_text("say'no'", 'say"no"andgo').used
    7
    """
    likely = [*_places(behind[:_ANCHOR], theirs), *ends]
    likely += [at + _ANCHOR for at in _places(gold[-_ANCHOR:], theirs)] if gold[_ANCHOR:] else []
    near = [at for at in likely if abs(at - len(gold)) <= _SLACK]
    limits = [*near, min(len(gold), len(theirs))]
    # Of about the same share, the end for which there are several reasons is the right one.
    found = {limit: _mapped_to(gold, theirs[:limit]) for limit in dict.fromkeys(limits)}
    return max(found.values(), key=lambda one: one.share + limits.count(one.used) / 10)


def _places(part: str, text: str) -> list[int]:
    """Where a part stands in a text."""
    return [at for at in range(len(text)) if text.startswith(part, at)] if part else []


def _mapped_to(gold: str, theirs: str) -> TextMatch:
    """Where each character of a text stands in gold; what both begin and end with is seen first."""
    from difflib import SequenceMatcher  # for texts that differ only

    head = _common(gold, theirs)
    least = min(len(gold), len(theirs)) - head
    tail = min(_common(gold[::-1], theirs[::-1]), least)
    same = head + tail
    where = [*range(head), *[-1] * (len(theirs) - same), *range(len(gold) - tail, len(gold))]
    rest = (gold[head : len(gold) - tail], theirs[head : len(theirs) - tail])
    for tag, low, high, begin, end in SequenceMatcher(None, *rest, False).get_opcodes():
        same += high - low if tag == "equal" else 0
        if tag == "equal" or (tag == "replace" and high - low == end - begin):
            # One character for another keeps its place.
            where[head + begin : head + end] = range(head + low, head + high)
    return TextMatch(where, same / max(1, len(gold), len(theirs)), len(theirs))


def _common(one: str, other: str) -> int:
    """How many characters two texts begin with together."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((at for at, (a, b) in pairs if a != b), min(len(one), len(other)))


def _short(text: str) -> str:
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
