"""Documents of spaCy as columns become the sentences that each document gives alone."""

from collections.abc import Iterator
from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from nerscope.corpus.corpus import Coding, Corpus, join_chunks
from nerscope.errors import InputError
from nerscope.formats.docbin import SpacyDocument, SpacySource, _entities
from nerscope.formats.docbin_columns import WordColumns

WORDS = ("Ada", "spoke", " ", "\n", "Zoë", ".", "\t\n")
TYPES = ("", "PER", "LOC")


@st.composite
def documents(draw: st.DrawFn) -> WordColumns:
    sizes = draw(st.lists(st.integers(0, 6), min_size=1, max_size=4))
    bounds = np.cumsum([0, *sizes])
    size = int(bounds[-1])

    def column(most: int) -> np.ndarray:
        values = st.lists(st.integers(0, most), min_size=size, max_size=size)
        return np.array(draw(values), np.int64)

    # spaCy writes no entity that continues without a beginning; few are drawn here.
    iob = column(3)
    before = np.append(2, iob[:-1])
    if draw(st.integers(0, 9)):
        for at in range(size):
            if iob[at] == 1 and (at in bounds or before[at] in (0, 2)):
                iob[at] = 3
            before[at + 1 : at + 2] = iob[at]
    unknown = [draw(st.integers(0, 9)) == 0 for _ in sizes]
    words, types = column(len(WORDS) - 1), column(len(TYPES) - 1)
    return WordColumns(WORDS, words, TYPES, types, iob, column(1), column(1), bounds, unknown)


class Documents:
    """The documents one by one, and as columns if these are given."""

    has_entities = True
    groups: tuple[str, ...] = ()

    def __init__(self, words: WordColumns, as_columns: bool) -> None:
        self._words = words
        self.columns = words if as_columns else None

    def each(self, group: str | None) -> Iterator[SpacyDocument]:
        words = self._words
        bounds = words.bounds.tolist()
        for number, (begin, end) in enumerate(pairwise(bounds)):
            types = [TYPES[kind] for kind in words.type[begin:end]]
            iob = words.iob[begin:end].tolist()
            yield SpacyDocument(
                [WORDS[word] for word in words.word[begin:end]],
                None if words.spacing_unknown[number] else words.blanks[begin:end].tolist(),
                _entities(iob, types, f"x document {number + 1}"),
                np.flatnonzero(words.starts[begin:end] == 1).tolist(),
                iob.count(0),
            )


def content(words: WordColumns, as_columns: bool) -> object:
    source = SpacySource("x", lambda: Documents(words, as_columns))
    try:
        corpus = join_chunks(list(source.chunks(Coding())))
    except InputError as error:
        return str(error)
    return shown(corpus)


def shown(corpus: Corpus) -> object:
    mentions, types = corpus.mentions(), corpus.coding.labels.types
    assert corpus.records is not None and corpus.records.names is not None
    return (
        [corpus.words(number) for number in range(len(corpus))],
        corpus.lines.tolist(),
        corpus.documents.tolist(),
        None if corpus.gaps is None else corpus.gaps.tolist(),
        [mentions.start.tolist(), mentions.end.tolist(), [types[kind] for kind in mentions.type]],
        corpus.reading_notes.notes,
        corpus.records.begins.tolist(),
        corpus.records.names.tolist(),
    )


@given(documents())
def test_columns_give_what_each_document_gives_alone(words: WordColumns) -> None:
    assert content(words, as_columns=True) == content(words, as_columns=False)
