"""Rows of a CSV file with one token each, as columns: many rows at once.

`CsvFile` reads the same rows one by one. That is the reference: it also reads what these columns
cannot hold, and raises the errors.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

import numpy as np

from nerscope.corpus.arrays import Bools, Ints, Objects
from nerscope.corpus.records import Records
from nerscope.corpus.vocabulary import Fields
from nerscope.formats.sentence_columns import SentenceColumns, coded
from nerscope.formats.tables.delimited import RowBatch

_LONGEST = 1 << 17  # rows of a sentence that is read as columns
_ODD = re.compile("[\r\n\0\x1f\ud800-\udfff]")  # in no token, or only with an error


class TokenColumns(NamedTuple):
    """The indices of the columns to read; `width` is the number of columns of a row."""

    token: int
    label: int
    sentence: int | None
    document: int | None
    metadata: Mapping[str, int]
    width: int


class _State(NamedTuple):
    """What the rows before some rows say: the last values of marks, and the document."""

    sentence: str = ""
    last_document: str = ""
    document: int = 0


def sentence_columns(
    batches: Iterable[RowBatch], columns: TokenColumns
) -> Iterator[SentenceColumns | None]:
    """The sentences of rows; None, at the end, if some row needs to be read by itself.

    A sentence begins after a blank row, and where the value of the sentence or document changes. An
    empty value continues the sentence.
    """
    waiting, state = RowBatch([], [], is_last=False), _State()  # rows of an incomplete sentence
    for batch in batches:
        rows = RowBatch(waiting.lines + batch.lines, waiting.rows + batch.rows, batch.is_last)
        if len(waiting.rows) > _LONGEST or {*map(len, rows.rows)} - {0, columns.width}:
            yield None
            return
        is_token = np.array([bool(row) for row in rows.rows], bool)
        sentence, document = _marks(rows, is_token, columns, state)
        begins = _begins(is_token, sentence, document, state)
        if not begins.any():
            continue
        if columns.sentence is None and columns.document is None and begins.sum() == 1:
            yield None  # no sentence is marked
            return
        cut = len(begins) if batch.is_last else int(np.flatnonzero(begins)[-1])
        first = int(np.flatnonzero(is_token)[0])
        if cut > first:
            done, numbers = _documents(document[:cut], is_token[:cut], state)
            found = _columns(rows, columns, is_token[:cut], begins[:cut], numbers)
            yield found
            if found is None:
                return
            state = done._replace(sentence=str(sentence[cut - 1]))
        waiting = RowBatch(rows.lines[cut:], rows.rows[cut:], is_last=False)


def _marks(
    rows: RowBatch, is_token: Bools, columns: TokenColumns, state: _State
) -> tuple[Objects, Objects]:
    """The sentence and the document of each row; an empty value is that of the row before."""
    filled = []
    pairs = ((columns.sentence, state.sentence), (columns.document, state.last_document))
    for at, before in pairs:
        values = [row[at] if row else "" for row in rows.rows] if at is not None else []
        column = np.array(values or [""] * len(is_token), object)
        given = np.where(column != "", np.arange(1, len(column) + 1), 0)
        filled.append(np.append(before, column)[np.maximum.accumulate(given)])
    return filled[0], filled[1]


def _begins(is_token: Bools, sentence: Objects, document: Objects, state: _State) -> Bools:
    """Whether a row begins a sentence."""
    before_token = np.append(False, is_token[:-1])
    changes = np.zeros(len(is_token), bool)
    for column, last in ((sentence, state.sentence), (document, state.last_document)):
        changes |= column != np.append(last, column[:-1])
    begins: Bools = is_token & (~before_token | changes)
    return begins


def _documents(document: Objects, is_token: Bools, state: _State) -> tuple[_State, Ints]:
    """The number of the document of each row, and the state after the rows.

    The first document has number 0, even if it begins after rows without a name.
    """
    named = np.append(state.last_document, document[:-1]) != ""
    changes = (document != np.append(state.last_document, document[:-1])) & is_token
    counts = changes & (named | (state.document > 0))
    numbers: Ints = state.document + np.cumsum(counts)
    return _State("", str(document[-1]), int(numbers[-1])), numbers


def _columns(
    rows: RowBatch,
    columns: TokenColumns,
    is_token: Bools,
    begins: Bools,
    documents: Ints,
) -> SentenceColumns | None:
    """The sentences of whole rows; None if a token or a label is not plain."""
    tokens = [row for row in rows.rows[: len(is_token)] if row]
    words, labels = ([row[at] for row in tokens] for at in (columns.token, columns.label))
    codes, texts = coded(labels)
    if not all(words) or _ODD.search(" ".join(words)) or not all(texts):
        return None
    first = np.flatnonzero(begins)
    sizes = np.diff(np.append(np.cumsum(is_token)[first] - 1, len(tokens)))
    meta = {
        key: np.array([rows.rows[at][column] or None for at in first.tolist()], object)
        for key, column in columns.metadata.items()
    }
    own = columns.sentence
    ids = [None if own is None else rows.rows[at][own] or None for at in first.tolist()]
    return SentenceColumns(
        Fields.of(words),
        sizes,
        np.array(rows.lines)[first],
        codes,
        texts,
        documents[first],
        Records(np.ones(len(first), bool), np.array(ids, object) if any(ids) else None, None, meta),
    )
