"""Divide the texts of many records into tokens and sentences at once, with arrays.

The texts of a chunk stand one after the other in one array of characters, and every offset counts
from its beginning. `read_text` does the same for one record, one token at a time; it is the
reference, and it raises the error if a record is not valid.
"""

from collections.abc import Mapping
from functools import cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from nerscope.corpus.arrays import Bools, Ints, Objects
from nerscope.corpus.corpus import Coding, Corpus, Note, ReadingNotes
from nerscope.corpus.mentions import PLAIN, Mentions, Shape, shape_column
from nerscope.corpus.records import Records
from nerscope.corpus.vocabulary import Fields, padded
from nerscope.errors import FormatError
from nerscope.formats.json.marks import FORBIDDEN
from nerscope.formats.standoff.text import (
    CUT,
    TOKEN,
    TRIMMED,
    Texts,
    edges_of,
    read_text,
    trim_span,
)

_BLANK, _STARTS, _CONTINUES, _UNKNOWN = 1, 2, 4, 255  # what a character does to a word
_LARGEST = 1 << 60  # offset, so that adding another does not overflow
_Codes = npt.NDArray[np.uint32]


class _Spans(NamedTuple):
    """The edges of the spans of a chunk, and of their fragments where there are several."""

    low: Ints
    high: Ints
    fragments: dict[int, tuple[tuple[int, int], ...]]  # by span; only if there are several
    noted: dict[int, int]  # the number of trimmed spans by record


class _Text(NamedTuple):
    """The characters of a chunk, and where its records begin and end."""

    text: str
    codes: _Codes
    bases: Ints
    ends: Ints

    @property
    def blank(self) -> Bools:
        return (_kinds(self.codes) & _BLANK) > 0


class TextBlock(NamedTuple):
    """The sentences of some records, before tokens and types get the codes of an evaluation."""

    name: str
    tokens: Fields
    starts: Ints
    lines: Ints
    documents: Ints
    gaps: Objects
    first: Ints  # the first token of each mention, and the token after it
    last: Ints
    type: Ints  # of each mention, an index of `types`
    types: tuple[str, ...]
    shapes: Objects | None
    records: Records
    notes: Mapping[str, Note]

    def corpus(self, coding: Coding, *, encoded: bool = True) -> Corpus:
        """The sentences as a corpus in the codes of an evaluation.

        Unless tokens are `encoded`, they stay bytes.
        """
        codes = np.array([coding.labels.type_code(kind) for kind in self.types], np.int32)
        kinds = codes[self.type] if len(codes) else self.type.astype(np.int32)
        return Corpus(
            self.name,
            coding,
            coding.tokens.encode_fields(*self.tokens) if encoded else np.zeros(0, np.int32),
            self.starts,
            np.repeat(self.lines, np.diff(self.starts)),
            self.documents,
            spans=Mentions(self.first, self.last, kinds, self.shapes).in_order(),
            gaps=self.gaps,
            unread_tokens=None if encoded else self.tokens,
            records=self.records,
            reading_notes=ReadingNotes(notes=self.notes),
        )


def text_block(texts: Texts, name: str, documents: int, sentences: int) -> TextBlock | None:
    """The sentences of records; None if there are none.

    `documents` and `sentences` are the numbers of those in earlier blocks of the file.

    >>> from nerscope.formats.standoff.text import Record
    >>> texts = Texts.of([Record("Ada spoke.", [])] * 2)
    >>> text_block(texts, "x", 0, 0).corpus(Coding()).words(1)
    ['Ada', 'spoke', '.']
    """
    text = _joined(texts)
    spans = None if text is None else _spans(texts, text, name)
    given = None if text is None else _given_tokens(texts, text)
    if text is None or spans is None or given is None:
        raise _first_error(texts, name, sentences)
    starts, ends, cut = _divide(text, spans, given)
    if not len(starts):
        return None
    in_record = np.searchsorted(text.bases, starts, "right") - 1
    first = np.searchsorted(starts, spans.low)
    last = np.searchsorted(ends, spans.high) + 1
    gap_begins = np.maximum(np.append(0, ends[:-1]), text.bases[in_record])
    begins = _sentence_begins(text, starts, gap_begins, in_record, (first, last))
    of_sentence = in_record[begins]
    record_lines = np.array(texts.lines, np.int64)
    numbers = np.arange(sentences + 1, sentences + len(begins) + 1)
    lines = record_lines[of_sentence]
    order = np.lexsort((last, first)).tolist()  # types are numbered in reading order
    types = tuple(dict.fromkeys(map(texts.types.__getitem__, order)))
    number_of = {kind: number for number, kind in enumerate(types)}
    data, byte_at = _bytes(text)
    # A record without a line is named by the number of its first sentence.
    firsts = sentences + np.searchsorted(of_sentence, np.arange(len(texts))) + 1
    places = np.where(record_lines > 0, record_lines, firsts)
    noted = {TRIMMED: spans.noted, CUT: cut}
    return TextBlock(
        name,
        Fields(padded(data), byte_at[starts], byte_at[ends]),
        np.append(begins, len(starts)),
        np.where(lines > 0, lines, numbers),
        documents + of_sentence,
        _gaps(text, gap_begins, starts),
        first,
        last,
        np.array(list(map(number_of.__getitem__, texts.types)), np.int64),
        types,
        _shapes(spans, starts, ends),
        Records.of(texts.facts, of_sentence),
        {kind: _note(counts, places, texts) for kind, counts in noted.items() if counts},
    )


def _note(counts: dict[int, int], places: Ints, texts: Texts) -> Note:
    where = [texts.facts[at].name or int(places[at]) for at in sorted(counts)]
    times = [counts[at] for at in sorted(counts)]
    lines = tuple(place for place, n in zip(where, times, strict=True) for _ in range(n))
    return Note(len(lines), lines)


def _first_error(texts: Texts, name: str, sentences: int) -> FormatError:
    """The error of the first record that is not valid."""
    for record in texts.records():
        place = f"{name} {record.facts.name}" if record.facts.name else ""
        place = record.place or place or f"{name}:{record.line or sentences + 1}"
        try:
            sentences += len(read_text(record, place).sentences)
        except FormatError as error:
            return error
    raise AssertionError("arrays refuse what read_text accepts")


def _joined(texts: Texts) -> _Text | None:
    """The texts one after the other; None if a character is not allowed."""
    text = "\n".join(texts.texts)
    if FORBIDDEN.search(text):
        return None
    sizes = list(map(len, texts.texts))
    ends = np.cumsum(np.array(sizes, np.int64) + 1) - 1  # a line end stands between two texts
    codes = np.frombuffer(text.encode("utf-32-le"), np.uint32)
    return _Text(text, codes, ends - sizes, ends)


def _spans(texts: Texts, text: _Text, name: str) -> _Spans | None:
    """The spans without blanks at their edges; None if a span is not valid."""
    if not texts.types:
        none = np.zeros(0, np.int64)
        return _Spans(none, none, {}, {})
    owner = np.repeat(np.arange(len(texts)), texts.counts)
    edges = _edges_in_text(texts, owner, text)
    if edges is None:
        return None
    low, high = edges
    inside = (low >= text.bases[owner]) & (low < high) & (high <= text.ends[owner])
    if not inside.all() or not all(texts.types):
        return None
    blank = text.blank
    is_odd = blank[low] | blank[high - 1]
    is_odd[list(texts.fragments)] = True
    fragments, noted = {}, dict[int, int]()
    for at in np.flatnonzero(is_odd).tolist():
        record, base, written = int(owner[at]), int(text.bases[owner[at]]), texts.span(at)
        try:
            trimmed = trim_span(written, texts.texts[record], name)
        except FormatError:  # the caller raises the error of the first record
            return None
        noted[record] = noted.get(record, 0) + (not edges_of(trimmed) <= edges_of(written))
        low[at], high[at] = base + trimmed.fragments[0][0], base + trimmed.fragments[-1][1]
        if len(trimmed.fragments) > 1:
            fragments[at] = tuple((base + a, base + b) for a, b in trimmed.fragments)
    noted = {record: times for record, times in noted.items() if times}
    return _Spans(low, high, fragments, noted)


def _edges_in_text(texts: Texts, owner: Ints, text: _Text) -> tuple[Ints, Ints] | None:
    """The first and last edge of each span; None if an offset is too large for an array."""
    try:
        low, high = np.array(texts.starts, np.int64), np.array(texts.ends, np.int64)
    except OverflowError:
        return None
    if max(abs(int(low.min())), abs(int(high.max()))) > _LARGEST:
        return None
    return low + text.bases[owner], high + text.bases[owner]


class _Given(NamedTuple):
    """Tokens that records give: their characters with and without blanks at the edges."""

    whole: tuple[Ints, Ints]
    trimmed: tuple[Ints, Ints]
    has_tokens: Bools  # whether a record gives tokens


def _given_tokens(texts: Texts, text: _Text) -> _Given | None:
    """The tokens of records that give them; None if a token is not valid."""
    counts = np.array(texts.token_counts, np.int64)
    has_tokens = counts >= 0
    if not has_tokens.any():
        none = np.zeros(0, np.int64)
        return _Given((none, none), (none, none), has_tokens)
    try:
        start, end = np.array(texts.token_starts, np.int64), np.array(texts.token_ends, np.int64)
    except OverflowError:
        return None
    if max(abs(int(side.min(initial=0))) for side in (start, end)) > _LARGEST:
        return None
    owner = np.repeat(np.arange(len(texts)), np.maximum(counts, 0))
    start, end = start + text.bases[owner], end + text.bases[owner]
    before = np.append(text.bases[owner[:1]], end[:-1])
    is_first = np.append(True, owner[1:] != owner[:-1])[: len(owner)]
    before[is_first] = text.bases[owner[is_first]]
    if not ((before <= start) & (start <= end) & (end <= text.ends[owner])).all():
        return None
    blank = text.blank
    # The number of characters before each offset that are not blanks tells empty tokens.
    solid = np.append(0, np.cumsum(~blank))
    kept = solid[end] > solid[start]
    low, high = start[kept].copy(), end[kept].copy()
    for side in np.flatnonzero(blank[low] | blank[high - 1]).tolist():
        token = text.text[low[side] : high[side]]
        low[side] += len(token) - len(token.lstrip())
        high[side] -= len(token) - len(token.rstrip())
    return _Given((start, end), (low, high), has_tokens)


def _divide(text: _Text, spans: _Spans, given: _Given) -> tuple[Ints, Ints, dict[int, int]]:
    """The starts and ends of tokens, and the number of given tokens that were cut by record."""
    kinds = _kinds(text.codes)
    if len(given.whole[0]):  # characters of given tokens are taken
        change = np.zeros(len(kinds) + 1, np.int64)
        np.add.at(change, given.whole[0], 1)
        np.add.at(change, given.whole[1], -1)
        kinds = np.where(np.cumsum(change[:-1]) > 0, _BLANK, kinds)
    starts, ends = _tokenise(kinds, given.whole[0])
    if len(given.trimmed[0]):
        starts, ends = (
            np.sort(np.concatenate(sides))
            for sides in zip((starts, ends), given.trimmed, strict=True)
        )
    inner = [edge for pieces in spans.fragments.values() for piece in pieces for edge in piece]
    edges = np.unique(np.concatenate([spans.low, spans.high, np.array(inner, np.int64)]))
    if not len(starts) or not len(edges):
        return starts, ends, {}
    at = np.maximum(np.searchsorted(starts, edges, "right") - 1, 0)
    edges = edges[(edges > starts[at]) & (edges < ends[at])]
    record = np.searchsorted(text.bases, edges, "right") - 1
    if not len(edges):
        return starts, ends, {}
    counted = np.bincount(record[given.has_tokens[record]])
    cut = {int(at): int(counted[at]) for at in np.flatnonzero(counted)}
    return np.sort(np.append(starts, edges)), np.sort(np.append(ends, edges)), cut


def _tokenise(kinds: npt.NDArray[np.uint8], breaks: Ints) -> tuple[Ints, Ints]:
    """The starts and ends of tokens, as the expression `TOKEN` finds them between `breaks`.

    A word begins with a letter or digit and goes on with any characters but blanks and punctuation.
    Whether a mark such as a combining accent continues a word depends on the last character before
    it that is no such mark.
    """
    if not len(kinds):
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    blank, starts, continues = ((kinds & kind) > 0 for kind in (_BLANK, _STARTS, _CONTINUES))
    goes_on = continues.copy()
    goes_on[breaks[breaks < len(kinds)]] = False
    is_open = starts.copy()  # whether a character is in a word that may go on
    marks = np.flatnonzero(goes_on & ~starts)  # few or none: the character before a run decides
    is_first = np.diff(marks, prepend=-2) > 1
    before = np.maximum(marks[is_first] - 1, 0)
    is_open[marks] = starts[before].repeat(np.diff(np.flatnonzero(is_first), append=len(marks)))
    begins = ~blank
    begins[1:] &= ~(goes_on[1:] & is_open[:-1])
    ends = ~blank
    ends[:-1] &= begins[1:] | blank[1:]
    return np.flatnonzero(begins), np.flatnonzero(ends) + 1


@cache
def _table() -> npt.NDArray[np.uint8]:
    return np.full(0x110000, _UNKNOWN, np.uint8)


def _kinds(codes: _Codes) -> npt.NDArray[np.uint8]:
    """What each character does to a word; each distinct character is looked at once."""
    table = _table()
    kinds = table[codes]
    unknown = kinds == _UNKNOWN
    if unknown.any():
        for code in np.unique(codes[unknown]).tolist():
            table[code] = _kind(chr(code))
        kinds = table[codes]
    return kinds


def _kind(character: str) -> int:
    if character.isspace():
        return _BLANK
    # "a" and the character are one token if it continues words; with "b" behind, if it starts them.
    continues = TOKEN.match(f"a{character}").end() == 2  # type: ignore[union-attr]
    starts = TOKEN.match(f"{character}b").end() == 2  # type: ignore[union-attr]
    return _CONTINUES * continues + _STARTS * starts


def _sentence_begins(
    text: _Text, starts: Ints, gap_begins: Ints, in_record: Ints, hulls: tuple[Ints, Ints]
) -> Ints:
    """The first tokens of sentences: of records, and after line ends outside mentions."""
    ends_line = np.append(0, np.cumsum(text.codes == ord("\n")))
    is_new = ends_line[starts] > ends_line[gap_begins]
    change = np.zeros(len(starts) + 1, np.int64)
    np.add.at(change, hulls[0] + 1, 1)
    np.add.at(change, hulls[1], -1)
    is_new &= np.cumsum(change[:-1]) == 0
    is_new[np.flatnonzero(np.diff(in_record, prepend=-1))] = True
    return np.flatnonzero(is_new)


def _shapes(spans: _Spans, starts: Ints, ends: Ints) -> Objects | None:
    """The shapes of mentions with holes between their fragments; None if there are none."""
    if not spans.fragments:
        return None
    shapes = [PLAIN] * len(spans.low)
    for at, fragments in spans.fragments.items():
        edges = np.array(fragments).T
        low, high = np.searchsorted(starts, edges[0]), np.searchsorted(ends, edges[1]) + 1
        shapes[at] = Shape.of_runs(list(zip(low.tolist(), high.tolist(), strict=True)))
    return shape_column(shapes)


def _bytes(text: _Text) -> tuple[bytes, Ints]:
    """The text in UTF-8, and the offset of each character in it."""
    data = text.text.encode()
    if len(data) == len(text.text):
        return data, np.arange(len(data) + 1)
    size = np.ones(len(text.codes), np.int64)
    for limit in (0x80, 0x800, 0x10000):
        size += text.codes >= limit
    return data, np.append(0, np.cumsum(size))


def _gaps(text: _Text, begins: Ints, ends: Ints) -> Objects:
    """The blanks before each token; most are empty or one blank."""
    sizes = ends - begins
    gaps = np.full(len(sizes), "", object)
    is_usual = (sizes == 1) & (text.codes[np.minimum(begins, len(text.codes) - 1)] == ord(" "))
    gaps[is_usual] = " "
    for at in np.flatnonzero((sizes > 0) & ~is_usual).tolist():
        gaps[at] = text.text[begins[at] : ends[at]]
    return gaps
