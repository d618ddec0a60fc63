"""Align a system that has other tokens than gold, by the characters of both.

Blanks are ignored, because tokenisers differ in them. Worked example:

    gold    U.S.-based firm         characters  U.S.-based|firm     tokens end at 10 and 14
    system  U.S. -based firm        characters  U.S.|-based|firm    a mention on characters 0 to 4

Both texts are the same 14 characters, so character k of the system is character k of gold. The
mention begins where the first token of gold begins and ends inside it: it is placed on that token,
6 characters before its end. Its shape records that (`right=6`), so it equals no mention of gold.

If the characters differ (`say"no"` for `say'no'`), `match_text` finds the offset in gold of each
character of the system. The common beginning and end of both texts match; in between, difflib pairs
equal characters, and a replaced run of equal length keeps its place:

    gold    s a y ' n o '           where = [0, 1, 2, 3, 4, 5, 6]: all placed, 5 of 7 are equal
    system  s a y " n o "           with `sayno`, where = [0, 1, 2, 4, 5]: 3 and 6 have no partner
"""

import re
from bisect import bisect_left, bisect_right
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import accumulate, repeat, takewhile
from typing import NamedTuple

import numpy as np

from nerscope.corpus.arrays import Ints
from nerscope.corpus.corpus import Coding, Corpus, Note, ReadingNotes, distinct_spans
from nerscope.corpus.mentions import (
    PLAIN,
    SCHEME_REPAIRS,
    Mentions,
    Shape,
    join_mentions,
    shape_column,
)
from nerscope.corpus.schemes import LabelCodes
from nerscope.corpus.text_keys import text_key, without_blanks
from nerscope.corpus.vocabulary import Fields
from nerscope.errors import AlignmentError
from nerscope.formats.align import check_id
from nerscope.formats.source import Source

INSIDE_TOKEN = "mentions that begin or end inside a token of gold"
BEYOND = "mentions that go beyond a sentence of gold"
NO_SUCH_EDGE = "mentions that begin or end on characters that gold does not have"
NOWHERE = "mentions that are not in the text of gold (hallucinated)"
OTHER_TEXT = "sentences whose characters differ from gold"
ALIKE = 0.6  # share of equal characters from which two texts count as the same
_SLACK = 20  # characters by which such a text may be longer
_ANCHOR = 12  # characters at the end of a sentence by which its end is recognised
_SHOWN = 40  # characters of a text in a message
_SPENT = 1 << 16  # aligned characters that stay in memory, so that a text is rarely cut
_GAP = " … "  # between the fragments of a mention
_BLANK, _BLANK_BYTE = re.compile(r"\s"), re.compile(rb"[\s\x1c-\x1f]")


class CharSpan(NamedTuple):
    """A mention as half-open ranges of characters, with its type and its line in the file."""

    fragments: tuple[tuple[int, int], ...]
    type: int
    line: int = 0

    @property
    def end(self) -> int:
        """The offset after the last character of the mention."""
        return self.fragments[-1][1]

    def begins_before(self, at: int) -> bool:
        """Whether it begins before an offset; a mention of blanks belongs to the text before it."""
        start = self.fragments[0][0]
        return start < at or (start == at == self.end)

    def moved(self, by: int) -> "CharSpan":
        """The same mention, shifted by a number of characters."""
        return self._replace(fragments=tuple((low + by, high + by) for low, high in self.fragments))


class PlacedMention(NamedTuple):
    """A mention on the tokens of a sentence."""

    start: int
    end: int
    type: int
    shape: Shape = PLAIN
    line: int = 0  # in the file of the system

    def with_text(self, surface: str) -> "PlacedMention":
        """The mention with its own surface, if the tokens of gold do not spell it."""
        if self.shape.is_aligned:
            return self
        return self._replace(shape=self.shape._replace(predicted_text=surface))


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
        ends = list(accumulate(len(without_blanks(word)) for word in words))
        return cls([0, *ends[:-1]], ends)

    def placed(self, span: CharSpan) -> PlacedMention:
        """Place a mention of characters on the tokens that contain them."""
        size = self.ends[-1]
        if span.fragments[0][0] >= size or span.end == span.fragments[0][0]:  # only blanks
            return PlacedMention(0, 0, span.type, Shape(adrift=True), span.line)
        runs = [self._tokens(low, min(high, size)) for low, high in span.fragments if low < size]
        first, last = runs[0][0], runs[-1][1]
        inner = [edge for fragment in span.fragments for edge in fragment][1:-1]
        shape = Shape.of_runs(runs)._replace(
            left=span.fragments[0][0] - self.starts[first],
            right=self.ends[last - 1] - span.end,
            adrift=any(self.ends[bisect_left(self.ends, min(at, size))] != at for at in inner),
        )
        return PlacedMention(first, last, span.type, shape, span.line)

    def _tokens(self, start: int, end: int) -> tuple[int, int]:
        # The last token that begins at or before `start`, and the first that ends at or after
        # `end`: with tokens 0-10 and 10-14, characters 10-12 are on token 1.
        return bisect_right(self.starts, start) - 1, bisect_left(self.ends, end) + 1


class NoteCollector:
    """Collects notes by kind, each with its line and text, until they are taken.

    Notes on mentions whose type is dropped are left out, as the mentions are.
    """

    def __init__(self, labels: LabelCodes) -> None:
        self._labels = labels
        self._entries: dict[str, list[tuple[int, str]]] = {}

    def counts(self, type_code: int) -> bool:
        """Whether mentions of a type count; `type_code` is that of the type as written."""
        if not self._labels.dropped:
            return True
        renamed = self._labels.renamed_types(np.array([type_code]))
        return bool(self._labels.counted_types(renamed)[0])

    def add(self, kind: str, line: int, item: str = "", type_code: int | None = None) -> None:
        if type_code is None or self.counts(type_code):
            self._entries.setdefault(kind, []).append((line, item))

    def take(self, of: Mapping[str, int] | None = None) -> ReadingNotes:
        """All notes since the last call; `of` gives the total of each kind that has a rate."""
        totals = of or {}
        notes = {}
        for kind in dict.fromkeys([*totals, *self._entries]):
            entries = self._entries.get(kind, [])
            lines = tuple(line for line, _ in entries)
            items = tuple(item for _, item in entries if item)
            notes[kind] = Note(len(entries), lines, items, totals.get(kind, 0))
        self._entries = {}
        return ReadingNotes(notes=notes)


class _SystemSentence(NamedTuple):
    """A sentence of the system; a list of labels alone has a size and no words."""

    words: list[str] | None
    gaps: list[str]  # the blanks before each word
    size: int
    mentions: Mentions
    line: int


@dataclass(slots=True, eq=False)
class _Tape:
    """Characters of the system that are read but not yet aligned, with mentions and sentence ends.

    Offsets count from the beginning of the file, so they stay valid when old text is removed.
    """

    at: int = 0  # the offset of the next character
    _text: str = ""
    _begin: int = 0  # the offset of the first character of `_text`
    _spans: deque[tuple[CharSpan, str]] = field(default_factory=deque)  # with their surfaces
    _edges: deque[int] = field(default_factory=deque)

    def __len__(self) -> int:
        return self._begin + len(self._text) - self.at

    def put(self, words: Sequence[str], gaps: Sequence[str], mentions: Mentions, line: int) -> None:
        end = self._begin + len(self._text)
        ruler = Ruler.of(words)
        spelt = [gap + word for gap, word in zip(gaps, words, strict=True)]
        for mention in _as_placed(mentions):
            runs = mention.shape.runs(mention.start, mention.end)
            fragments = ((ruler.starts[low], ruler.ends[high - 1]) for low, high in runs)
            span = CharSpan(tuple(fragments), mention.type, line).moved(end)
            surface = _GAP.join("".join(spelt[low:high]).strip() for low, high in runs)
            self._spans.append((span, surface))
        self._text += text_key(words)
        self._edges.append(end + ruler.ends[-1])

    def begins_with(self, text: str) -> bool:
        return self._text.startswith(text, self.at - self._begin)

    def peek(self, size: int) -> str:
        first = self.at - self._begin
        return self._text[first : first + size]

    def ends(self, size: int) -> list[int]:
        """The offsets of sentence ends of the system among the next `size` characters."""
        return [edge - self.at for edge in takewhile(lambda at: at <= self.at + size, self._edges)]

    def take(self, size: int) -> Iterator[tuple[CharSpan, str]]:
        """Advance by `size` characters; return the mentions that begin there, with surfaces."""
        begin, self.at = self.at, self.at + size
        while self._spans and self._spans[0][0].begins_before(self.at):
            span, surface = self._spans.popleft()
            yield span.moved(-begin), surface
        while self._edges and self._edges[0] <= self.at:
            self._edges.popleft()
        if (spent := self.at - self._begin) > max(_SPENT, len(self._text) // 2):
            self._text, self._begin = self._text[spent:], self.at


class _Letters:
    """The tokens of a chunk as bytes without blanks: one string, and where tokens end in it."""

    def __init__(self, chunk: Corpus) -> None:
        fields = chunk.unread_tokens
        data = None if fields is None else _solid_bytes(fields)
        if fields is not None and data is not None:
            sizes = fields.ends - fields.starts
        else:
            data, sizes = _letters_of_words(chunk.with_words())
        self.data = data
        self.ends = np.cumsum(sizes)
        self.starts = self.ends - sizes
        self.sentence_ends = self.ends[chunk.starts[1:] - 1]
        self.has_empty_tokens = not sizes.all()


def _solid_bytes(fields: Fields) -> bytes | None:
    """The bytes of all tokens, one after the other; None if a token contains a blank."""
    change = np.zeros(len(fields.buffer), np.int8)
    change[fields.starts] += 1
    change[fields.ends] -= 1  # an end may be the start of the next token
    data = fields.buffer[np.cumsum(change, dtype=np.int8).view(bool)].tobytes()
    is_plain = len(data) == int((fields.ends - fields.starts).sum())
    has_blank = _BLANK_BYTE.search(data) if data.isascii() else _BLANK.search(data.decode())
    return data if is_plain and not has_blank else None


def _letters_of_words(chunk: Corpus) -> tuple[bytes, Ints]:
    used, places = np.unique(chunk.tokens, return_inverse=True)
    keys = [without_blanks(word).encode() for word in chunk.coding.tokens.strings(used)]
    sizes = np.array([len(key) for key in keys], np.int64)[places]
    return b"".join(np.array(keys, object)[places].tolist()), sizes


class _SystemChunk:
    """A chunk of the system, and the number of its sentences that are aligned."""

    def __init__(self, chunk: Corpus, mentions: Mentions) -> None:
        self.chunk, self.mentions, self.done = chunk, mentions, 0
        self._order = np.searchsorted(mentions.start, chunk.starts)

    @cached_property
    def letters(self) -> _Letters:
        return _Letters(self.chunk)

    def next_sentence(self) -> _SystemSentence | None:
        if self.done == len(self.chunk):
            return None
        number, chunk = self.done, self.chunk
        self.done += 1
        begin, end = int(chunk.starts[number]), int(chunk.starts[number + 1])
        inside = np.arange(self._order[number], self._order[number + 1])
        return _SystemSentence(
            chunk.words(number) if chunk.has_words else None,
            [" "] * (end - begin) if chunk.gaps is None else chunk.gaps[begin:end].tolist(),
            end - begin,
            self.mentions[inside].shifted(-begin),
            int(chunk.lines[begin]),
        )

    def take(self, sentences: int) -> Ints:
        """Advance by some sentences; return the indices of their mentions."""
        begin, self.done = self.done, self.done + sentences
        return np.arange(self._order[begin], self._order[self.done])


@dataclass(slots=True, eq=False)
class CharacterAligner:
    """Places the mentions of a system on the tokens of gold.

    Where both have the same characters, whole chunks are aligned at once, up to the last place
    where a sentence of both ends. Around a difference, it goes on sentence by sentence.
    """

    source: Source
    coding: Coding
    repair: str
    needs_whole_documents: bool = False
    _chunks: Iterator[_SystemChunk] = field(init=False)
    _current: _SystemChunk | None = None
    _tape: _Tape = field(default_factory=_Tape)
    # The ids of records that are read but not yet compared: of gold, and of the system.
    _ids: tuple[deque[str | None], deque[str | None]] = field(
        default_factory=lambda: (deque(), deque())
    )
    _reading: ReadingNotes = field(default_factory=ReadingNotes)
    _notes: NoteCollector = field(init=False)

    def __post_init__(self) -> None:
        self._chunks = self._read()
        self._notes = NoteCollector(self.coding.labels)

    def _read(self) -> Iterator[_SystemChunk]:
        """The chunks of the system; token codes are not shared with gold."""
        needs_scheme = self.repair in SCHEME_REPAIRS
        scheme = self.source.scheme_of_labels() if needs_scheme else None
        # Types are renamed and dropped when the chunk is scored, so they stay as written here.
        coding = Coding(labels=self.coding.labels.as_written)
        rows = self.source.unread([self.source], coding)
        for chunk in self.source.chunks(coding) if rows is None else (row[0] for row in rows):
            self._reading += chunk.reading_notes
            self._ids[1].extend(_record_ids(chunk))
            yield _SystemChunk(chunk, chunk.mentions(self.repair, scheme))

    def _waiting(self) -> _SystemChunk | None:
        """The chunk with the next sentence of the system; None at its end."""
        if self._current is None or self._current.done == len(self._current.chunk):
            self._current = next(self._chunks, None)
        return self._current

    def _next_sentence(self) -> _SystemSentence | None:
        waiting = self._waiting()
        return None if waiting is None else waiting.next_sentence()

    def align(self, gold: Corpus) -> Corpus:
        """The mentions of the system on the tokens of a chunk of gold."""
        self._ids[0].extend(_record_ids(gold))
        placed: list[PlacedMention] = []
        parts: list[tuple[Mentions, Ints]] = []  # mentions on whole tokens, with their lines
        letters, number = _Letters(gold), 0
        while number < len(gold):
            together = 0
            if not self._tape and not letters.has_empty_tokens and (own := self._waiting()):
                together = self._align_together(gold, letters, number, own, placed, parts)
            number += together
            if not together:
                placed += self._align_alone(gold, number)
                number += 1
        self._check_ids()
        reading, self._reading = self._reading + self._notes.take(), ReadingNotes()
        return on_gold_tokens(gold, self.source.name, placed, reading, parts)

    def _check_ids(self) -> None:
        """Refuse records in another order than gold, if both have ids."""
        ours, theirs = self._ids
        has_ids = bool(ours)
        while ours and theirs:
            check_id(ours.popleft(), theirs.popleft(), self.source.name)
        # The system was read at least up to the end of this chunk, perhaps beyond it.
        ours.clear()
        if not has_ids:
            theirs.clear()

    def _align_together(
        self,
        gold: Corpus,
        letters: _Letters,
        number: int,
        own: _SystemChunk,
        placed: list[PlacedMention],
        parts: list[tuple[Mentions, Ints]],
    ) -> int:
        """Align all sentences from `number` on that have the characters of the system; return
        how many sentences of gold that are.
        """
        if not own.chunk.has_words or own.letters.has_empty_tokens:
            return 0
        theirs = own.letters
        at = int(letters.starts[gold.starts[number]])
        begin = int(theirs.starts[own.chunk.starts[own.done]])
        same = _same_bytes(letters.data, at, theirs.data, begin)
        ends = letters.sentence_ends[number:] - at
        own_ends = theirs.sentence_ends[own.done :] - begin
        shared = np.intersect1d(ends[ends <= same], own_ends[own_ends <= same])
        if not len(shared):
            return 0
        last = int(shared[-1])
        chosen = own.take(int(np.searchsorted(own_ends, last)) + 1)
        mentions, shift = own.mentions[chosen], at - begin
        low = theirs.starts[mentions.start] + shift
        high = theirs.ends[mentions.end - 1] + shift
        first = np.searchsorted(letters.starts, low, "right") - 1
        final = np.searchsorted(letters.ends, high)
        sentence = np.searchsorted(gold.starts, first, "right") - 1
        fits = (letters.starts[first] == low) & (letters.ends[final] == high)
        fits &= final < gold.starts[sentence + 1]
        if mentions.shape is not None:
            fits &= np.array([shape == PLAIN for shape in mentions.shape], bool)
        lines = own.chunk.lines[mentions.start]
        whole = Mentions(first[fits], final[fits] + 1, mentions.type[fits])
        parts.append((whole, lines[fits]))
        for index in np.flatnonzero(~fits).tolist():
            placed.append(
                self._place_odd(gold, letters, int(sentence[index]), own, int(chosen[index]), shift)
            )
        return int(np.searchsorted(ends, last)) + 1

    def _place_odd(
        self, gold: Corpus, letters: _Letters, sentence: int, own: _SystemChunk, at: int, shift: int
    ) -> PlacedMention:
        """Place a mention that has holes, or does not begin and end with tokens of one sentence."""
        chunk, theirs = own.chunk, own.letters
        begin = int(gold.starts[sentence])
        base = int(letters.starts[begin])

        def characters(offset: int) -> int:
            return len(letters.data[base : offset + shift].decode(errors="ignore"))

        runs = own.mentions.runs(at)
        fragments = tuple(
            (characters(int(theirs.starts[low])), characters(int(theirs.ends[high - 1])))
            for low, high in runs
        )
        surfaces = []
        for low, high in runs:
            words = chunk.words_at(slice(low, high))
            gaps = [" "] * (high - low) if chunk.gaps is None else chunk.gaps[low:high].tolist()
            spelt = (gap + word for gap, word in zip(gaps, words, strict=True))
            surfaces.append("".join(spelt).strip())
        line = int(chunk.lines[own.mentions.start[at]])
        span = CharSpan(fragments, int(own.mentions.type[at]), line)
        ruler = Ruler.of(gold.words(sentence))
        placed = self._note_misfit(ruler.placed(span).with_text(_GAP.join(surfaces)), line)
        return placed._replace(start=placed.start + begin, end=placed.end + begin)

    def _align_alone(self, gold: Corpus, number: int) -> Iterator[PlacedMention]:
        """The mentions on one sentence of gold."""
        at = int(gold.starts[number])
        following = [gold.words(number + 1)] if number + 1 < len(gold) else []
        for mention in self._align_sentence(gold.words(number), following, gold.place(at)):
            yield mention._replace(start=mention.start + at, end=mention.end + at)

    def _align_sentence(
        self, words: list[str], following: list[list[str]], place: str
    ) -> Iterator[PlacedMention]:
        """The mentions on the next sentence of gold; `following` is the sentence after it."""
        if not self._tape and (sentence := self._next_sentence()) is not None:
            has_same_size = sentence.words is None and sentence.size == len(words)
            if sentence.words == words or has_same_size:
                # The common case: the same tokens.
                yield from _as_placed(sentence.mentions, sentence.line)
                return
            self._hold(sentence)
        ruler, gold_text = Ruler.of(words), text_key(words)
        self._fill(len(gold_text))
        if not self._tape.begins_with(gold_text):
            behind = "".join(text_key(words) for words in following)
            yield from self._align_differing(ruler, gold_text, behind, place)
            return
        for span, surface in self._tape.take(len(gold_text)):
            yield self._note_misfit(ruler.placed(span).with_text(surface), span.line)

    def _hold(self, sentence: _SystemSentence) -> None:
        if sentence.words is None:
            raise AlignmentError(
                f"{self.source.name}: sentence {sentence.line}",
                f"{sentence.size} labels without tokens, but gold has another number of tokens",
                "give each sentence as (tokens, labels), or one label per token of gold",
            )
        self._tape.put(sentence.words, sentence.gaps, sentence.mentions, sentence.line)

    def _fill(self, size: int) -> None:
        while len(self._tape) < size and (sentence := self._next_sentence()) is not None:
            self._hold(sentence)

    def _note_misfit(self, placed: PlacedMention, line: int) -> PlacedMention:
        """The mention; a note is added if it does not fit the tokens of gold."""
        if not placed.shape.is_aligned:
            kind = BEYOND if placed.shape.right < 0 else INSIDE_TOKEN
            kind = NOWHERE if placed.end == placed.start else kind
            self._notes.add(kind, line, placed.shape.predicted_text, placed.type)
        return placed

    def _align_differing(
        self, ruler: Ruler, gold_text: str, behind: str, place: str
    ) -> Iterator[PlacedMention]:
        """The mentions on a sentence whose characters differ a little from those of the system."""
        most = len(gold_text) + _SLACK
        self._fill(most + _ANCHOR)
        theirs = self._tape.peek(most + _ANCHOR)
        if not theirs:
            raise AlignmentError(
                self.source.name,
                f"it ends before {place}",
                "export the output again if it is truncated, or remove extra sentences from gold",
            )
        match = match_text(gold_text, theirs, self._tape.ends(most), behind)
        if match.share < ALIKE:
            raise AlignmentError(
                place,
                f"the text differs from {self.source.name}: '{_short(gold_text)}' "
                f"against '{_short(theirs)}'",
                "give the output for this gold file, in the same order; blanks may differ, "
                f"and up to {100 * (1 - ALIKE):.0f} % of the other characters",
            )
        mentions = list(self._tape.take(match.used))
        self._notes.add(
            OTHER_TEXT, mentions[0][0].line if mentions else 0, _short(theirs[: match.used])
        )
        for span, surface in mentions:
            yield self._place_mapped(span, surface, match.where, ruler)

    def _place_mapped(
        self, span: CharSpan, surface: str, where: Sequence[int], ruler: Ruler
    ) -> PlacedMention:
        """Place a mention on gold with `where`, the offsets of characters in gold (-1: none).

        If an edge has no partner in gold, the mention covers the characters that have one, and is
        marked as adrift: it then equals no mention of gold.
        """
        inside = [(low, min(high, len(where))) for low, high in span.fragments if low < len(where)]
        known = [where[at] for low, high in inside for at in range(low, high) if where[at] >= 0]
        if not known:
            self._notes.add(NOWHERE, span.line, surface, span.type)
            return PlacedMention(0, 0, span.type, Shape(adrift=True, predicted_text=surface))
        edges = [(where[low], where[high - 1] + 1) for low, high in inside]
        if span.end <= len(where) and all(low >= 0 and high > 0 for low, high in edges):
            moved = span._replace(fragments=tuple(edges))
            placed = ruler.placed(moved).with_text(surface)
            return self._note_misfit(placed, span.line)
        kind = BEYOND if span.end > len(where) else NO_SUCH_EDGE
        self._notes.add(kind, span.line, surface, span.type)
        rough = ruler.placed(span._replace(fragments=((min(known), max(known) + 1),)))
        beyond = min(0, len(where) - span.end)
        return rough._replace(shape=Shape(right=beyond, adrift=True, predicted_text=surface))

    def finish(self) -> None:
        """Refuse a system that continues after the end of gold."""
        rest = iter(self._next_sentence, None)
        if self._tape or any(text_key(sentence.words or ()) for sentence in rest if sentence):
            raise AlignmentError(
                self.source.name,
                "it continues after the end of gold",
                "check whether gold is truncated, or remove extra sentences from the output",
            )


def _record_ids(corpus: Corpus) -> list[str | None]:
    """The ids of the records that begin in a chunk; empty if none has an id."""
    records = corpus.records
    return [] if records is None or records.ids is None else records.ids[records.begins].tolist()


def on_gold_tokens(
    gold: Corpus,
    name: str,
    placed: Sequence[PlacedMention],
    reading: ReadingNotes,
    parts: Sequence[tuple[Mentions, Ints]] = (),
) -> Corpus:
    """A chunk of gold with the mentions of a system instead of the gold mentions.

    They are `placed`, and the mentions of `parts`, each with their lines.
    """
    single = Mentions(
        np.array([mention.start for mention in placed], np.int64),
        np.array([mention.end for mention in placed], np.int64),
        np.array([mention.type for mention in placed], np.int32),
        shape_column([mention.shape for mention in placed]),
    )
    own_lines = np.array([mention.line for mention in placed], np.int64)
    mentions = join_mentions([single, *(part for part, _ in parts)]) if parts else single
    lines = np.concatenate([own_lines, *(part_lines for _, part_lines in parts)])
    # Two mentions may become one on the tokens of gold. The corpus would note that with lines of
    # `gold`, so it is noted here with lines of the system.
    spans, notes = distinct_spans(mentions, lines, gold)
    return replace(
        gold,
        name=name,
        labels=None,
        spans=spans.in_order(),
        reading_notes=reading + notes,
        declared_scheme=None,
        gaps=None,
    )


def _as_placed(mentions: Mentions, line: int = 0) -> Iterator[PlacedMention]:
    shapes = [PLAIN] * len(mentions) if mentions.shape is None else mentions.shape.tolist()
    columns = (mentions.start, mentions.end, mentions.type)
    return map(PlacedMention, *(column.tolist() for column in columns), shapes, repeat(line))


class TextMatch(NamedTuple):
    """How the beginning of a system's text matches a text of gold."""

    where: list[int]  # for each character of the system, its offset in gold; -1 if it has none
    share: float  # equal characters, as a share of the longer text
    used: int  # characters of the system that were matched


def match_text(gold: str, theirs: str, ends: Sequence[int] = (), behind: str = "") -> TextMatch:
    """Match the beginning of a system's text with a sentence of gold.

    `ends` are the ends of sentences in `theirs`, `behind` is the text that follows in gold. It is
    not known how much of `theirs` belongs to the sentence. Candidates are the ends of sentences,
    the places where `behind` begins or where the last characters of gold end, and the length of
    gold. The candidate that has most in common with gold wins.

    >>> match_text("say'no'", 'say"no"andgo').used
    7
    """
    likely = [*_places(behind[:_ANCHOR], theirs), *ends]
    likely += [at + _ANCHOR for at in _places(gold[-_ANCHOR:], theirs)] if gold[_ANCHOR:] else []
    near = [at for at in likely if abs(at - len(gold)) <= _SLACK]
    limits = [*near, min(len(gold), len(theirs))]
    # Among ends with about the same share, an end that several rules give is preferred.
    matches = [_map_characters(gold, theirs[:limit]) for limit in dict.fromkeys(limits)]
    return max(matches, key=lambda match: match.share + limits.count(match.used) / 10)


def _places(anchor: str, text: str) -> list[int]:
    """All offsets at which an anchor occurs in a text."""
    return [at for at in range(len(text)) if text.startswith(anchor, at)] if anchor else []


def _map_characters(gold: str, theirs: str) -> TextMatch:
    """Find the offset in gold of each character of a text.

    >>> _map_characters("say'no'", "sayno").where
    [0, 1, 2, 4, 5]
    """
    from difflib import SequenceMatcher  # only for texts that differ

    # difflib takes quadratic time, so the equal beginning and end are cut off first.
    head = _common_prefix(gold, theirs)
    unmatched = min(len(gold), len(theirs)) - head
    tail = min(_common_prefix(gold[::-1], theirs[::-1]), unmatched)
    same = head + tail
    where = [*range(head), *[-1] * (len(theirs) - same), *range(len(gold) - tail, len(gold))]
    middles = (gold[head : len(gold) - tail], theirs[head : len(theirs) - tail])
    for tag, low, high, begin, end in SequenceMatcher(None, *middles, False).get_opcodes():
        same += high - low if tag == "equal" else 0
        if tag == "equal" or (tag == "replace" and high - low == end - begin):
            # A run replaced by another of the same length keeps its place.
            where[head + begin : head + end] = range(head + low, head + high)
    return TextMatch(where, same / max(1, len(gold), len(theirs)), len(theirs))


def _common_prefix(left: str, right: str) -> int:
    """The length of the common beginning of two texts."""
    pairs = enumerate(zip(left, right, strict=False))
    return next((at for at, (a, b) in pairs if a != b), min(len(left), len(right)))


def _same_bytes(left: bytes, at: int, right: bytes, begin: int) -> int:
    """The number of equal bytes of two texts from two offsets on."""
    most = min(len(left) - at, len(right) - begin)
    done, step = 0, 1 << 12
    while done < most:
        size = min(step, most - done)
        if left[at + done : at + done + size] != right[begin + done : begin + done + size]:
            one, other = (
                np.frombuffer(data, np.uint8, size, first + done)
                for data, first in ((left, at), (right, begin))
            )
            return done + int(np.argmax(one != other))
        done, step = done + size, 2 * step
    return most


def _short(text: str) -> str:
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
