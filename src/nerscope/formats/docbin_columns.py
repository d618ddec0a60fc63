"""Documents of spaCy with entities, as columns: many documents at once.

`docbin.py` reads the same documents one by one. That is the reference: it also reads span groups,
and raises the errors.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from nerscope.corpus.arrays import Bools, Ints, Objects
from nerscope.corpus.corpus import Coding, Corpus, Note, ReadingNotes
from nerscope.corpus.mentions import Mentions
from nerscope.corpus.records import Records
from nerscope.corpus.vocabulary import Fields
from nerscope.formats.json.marks import FORBIDDEN
from nerscope.formats.source import UNSET

INSIDE, OUTSIDE, BEGIN = 1, 2, 3  # values of ENT_IOB in spaCy; 0 is unset
TRIMMED = "spans with blanks at an edge"
_CHUNK = 1 << 16  # words, at least


class WordColumns(NamedTuple):
    """One entry per word of all documents; document k is the words `bounds[k]:bounds[k + 1]`."""

    texts: Sequence[str]  # the distinct words
    word: Ints  # of each word, an index of `texts`
    types: Sequence[str]  # the distinct types
    type: Ints
    iob: Ints
    starts: Ints  # 1 where a sentence begins
    blanks: Ints  # 1 where a blank follows
    bounds: Ints
    spacing_unknown: Sequence[bool]  # of each document


def entity_chunks(
    columns: WordColumns, name: str, coding: Coding, *, encoded: bool
) -> Iterator[Corpus | None]:
    """The entities of whole documents; None, at the end, if a document must be read by itself."""
    if FORBIDDEN.search(" ".join(columns.texts)) or FORBIDDEN.search(" ".join(columns.types)):
        yield None
        return
    is_blank = np.array([not text.strip() for text in columns.texts], bool)
    texts = np.array(columns.texts, object)
    first = 0
    while first < len(columns.bounds) - 1:
        limit = columns.bounds[first] + _CHUNK
        last = min(int(np.searchsorted(columns.bounds, limit)), len(columns.bounds) - 1)
        last = max(last, first + 1)
        chunk = _chunk(columns, first, last, name, coding, is_blank, texts, encoded)
        yield chunk
        if chunk is None:
            return
        first = last


def _chunk(
    columns: WordColumns,
    first: int,
    last: int,
    name: str,
    coding: Coding,
    is_blank: Bools,
    texts: Objects,
    encoded: bool,
) -> Corpus | None:
    """The documents from `first` up to, but not including, `last`."""
    begin, end = int(columns.bounds[first]), int(columns.bounds[last])
    word, iob = columns.word[begin:end], columns.iob[begin:end].astype(np.int64)
    bounds = columns.bounds[first : last + 1] - begin
    kept = ~is_blank[word]
    moved = np.append(0, np.cumsum(kept))  # the number of kept words before each word
    spans = _entities(iob, bounds, columns.type[begin:end], columns.types)
    if spans is None or (moved[spans.start] == moved[spans.end]).any():
        return None
    trimmed = ~(kept[spans.start] & kept[spans.end - 1])
    # A start on a blank word is that of the next word; a document begins with its first word.
    begins = np.zeros(int(moved[-1]) + 1, bool)
    begins[moved[np.flatnonzero(columns.starts[begin:end] == 1)]] = True
    change = np.zeros(len(begins) + 1, np.int64)
    np.add.at(change, moved[spans.start] + 1, 1)
    np.add.at(change, moved[spans.end], -1)
    begins &= np.cumsum(change[:-1]) == 0
    begins[moved[bounds[:-1]]] = True
    starts = np.unique(np.append(np.flatnonzero(begins[:-1]), moved[-1]))
    words = texts[word[kept]].tolist()
    of_word = np.repeat(np.arange(last - first), np.diff(bounds))
    document = of_word[kept][starts[:-1]] if len(words) else starts[:0]
    codes = np.array([coding.labels.type_code(kind) for kind in columns.types], np.int32)
    notes = _notes(iob, of_word, trimmed, of_word[spans.start], first)
    names = np.array([f"document {number + 1}" for number in range(first, last)], object)
    return Corpus(
        name,
        coding,
        coding.tokens.encode(words) if encoded else np.zeros(0, np.int32),
        starts,
        np.repeat(document + first + 1, np.diff(starts)),
        document + first,
        spans=Mentions(moved[spans.start], moved[spans.end], codes[spans.type]),
        gaps=_gaps(columns, begin, end, kept, bounds, texts, first),
        unread_tokens=None if encoded else Fields.of(words),
        reading_notes=ReadingNotes(notes=notes),
        records=Records(np.diff(document, prepend=-1) != 0, names=names[document]),
    )


def _entities(iob: Ints, bounds: Ints, type_: Ints, types: Sequence[str]) -> Mentions | None:
    """The entities as ranges of words; None if one continues that has no beginning.

    A begin without a type is a blocked word, no entity.
    """
    is_first = np.zeros(len(iob) + 1, bool)
    is_first[bounds] = True
    before = np.append(OUTSIDE, iob[:-1])
    is_open = ((before == BEGIN) | (before == INSIDE)) & ~is_first[:-1]
    if ((iob == INSIDE) & ~is_open).any():
        return None
    # An entity ends before the next word that is not inside, or with its document.
    ends = np.flatnonzero(np.append(iob != INSIDE, True) | is_first)
    start = np.flatnonzero(iob == BEGIN)
    named = np.array([bool(name) for name in types], bool)[type_[start]]
    start = start[named]
    return Mentions(start, ends[np.searchsorted(ends, start, "right")], type_[start])


def _notes(iob: Ints, of_word: Ints, trimmed: Bools, of_span: Ints, first: int) -> dict[str, Note]:
    """How often each document has words without annotation, and spans with blanks."""
    notes = {}
    for kind, places in ((UNSET, of_word[iob == 0]), (TRIMMED, of_span[trimmed])):
        documents = np.unique(places) + first + 1
        if len(documents):
            notes[kind] = Note(len(places), tuple(documents.tolist()))
    return notes


def _gaps(
    columns: WordColumns,
    begin: int,
    end: int,
    kept: Bools,
    bounds: Ints,
    texts: Objects,
    first: int,
) -> Objects | None:
    """The space before each kept word; None if the spacing of a document is unknown."""
    filled = np.unique(np.searchsorted(bounds, np.flatnonzero(kept), "right") - 1)
    if any(columns.spacing_unknown[first + number] for number in filled.tolist()):
        return None
    word, follows = columns.word[begin:end], columns.blanks[begin:end] > 0
    gaps = np.full(end - begin, "", object)
    gaps[1:][follows[:-1]] = " "
    gaps[bounds[:-1][bounds[:-1] < end - begin]] = ""
    ends = set(bounds.tolist())
    for at in np.flatnonzero(~kept).tolist():  # a blank word is a part of the space after it
        if at + 1 not in ends:
            gaps[at + 1] = gaps[at] + texts[word[at]] + (" " if follows[at] else "")
    spaces: Objects = gaps[kept]
    return spaces
