"""Rows of a table as sentences: one row a sentence or a text, or one row a token."""

from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from numbers import Integral
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from nerscope.corpus.arrays import Bytes, Ints
from nerscope.corpus.corpus import Coding, Corpus, Found, Reading, SentenceParts
from nerscope.corpus.schemes import Scheme, Transitions, parse_label, scheme_named
from nerscope.errors import FormatError, UsageError, suggest
from nerscope.formats.base import FileOption, Source
from nerscope.formats.jsonl import FILE_OPTIONS as RECORD_OPTIONS
from nerscope.formats.layers import other_keys
from nerscope.formats.records import KNOWN, LABELS, LETTERS, Schema, read_record, schema_of
from nerscope.formats.source import SentenceBatch, gather_chunks
from nerscope.formats.text import read_text

Row: TypeAlias = Mapping[str, Any]
SMALL = 1 << 20  # bytes of a file that is small, packed as tables are
FEW = 20_000  # rows of a table that is small
BATCH = 1000  # rows that are in memory as Python objects
_MOST_SHOWN = 12  # columns in a message
_LONGEST_SHOWN = 60  # letters of a column's type
# How the columns of a table with one token a row are called, in small letters and without _, #, -
# or blanks; the first one that is there counts.
_SENTENCES = ("sentenceid", "sentid", "sentenceno", "sentencenumber", "sentence", "sent")
_WORDS = ("token", "word", "tokens", "words", "text")
_LABELS = ("nertag", "ner", "label", "tag", "nertags", "labels", "tags")
_PLAIN = str.maketrans("", "", "_#- ")
DOCUMENT = "document"  # the column whose number changes where a document begins
MOST_DOCUMENTS = 1 << 62
_NULLS = ("NAType", "NaTType")
# What might be taken for a column that somebody named.
_RIVALS = {
    "tokens": {*_WORDS, "tokenizedtext", "sentence"},
    "labels": {*_LABELS, "spans", "entities", "ents", "extractions", "predictions"},
}


class Table(NamedTuple):
    """How a table is read: its columns with their types, the names behind labels that are numbers
    (by column), and its rows, some at a time.

    >>> table = Table({"tokens": "list"}, {}, lambda: iter([[{"tokens": ["Ada"]}]]))
    >>> [row for batch in table.batches() for row in batch]
    [{'tokens': ['Ada']}]
    """

    columns: Mapping[str, str]
    names: Mapping[str, Sequence[str]]
    batches: Callable[[], Iterator[Sequence[Row]]]


class Labelled(NamedTuple):
    """Sentences as columns: tokens as fields of a padded buffer, labels as places among texts."""

    buffer: Bytes
    begins: Ints
    ends: Ints
    sizes: Ints  # of each sentence
    labels: Ints
    texts: list[str]
    documents: Ints | None = None  # of each sentence


class ColumnRows(Sequence[Row]):
    """Rows of a batch that may be had as columns, which is ten times as fast."""

    @abstractmethod
    def labelled(self, tokens: str, labels: str, names: Sequence[str] | None) -> Labelled | None:
        """The sentences, or None if anything is not as it should be: rows tell what."""


TABLE_OPTIONS: Mapping[str, FileOption] = {
    "token": FileOption(str, "the column of the tokens"),
    "label": FileOption(str, "the column of the labels"),
    "tokens": FileOption(
        {"same": "same", "align": "align"}.__getitem__,
        "same, or align if a system divides the text otherwise than gold",
    ),
    "scheme": RECORD_OPTIONS["scheme"],
    "names": RECORD_OPTIONS["names"],
}


@dataclass(frozen=True, eq=False)
class TableSource(Source):
    """A table, opened anew whenever somebody reads it, and what was said about it."""

    name: str
    open: Callable[[], Table]
    is_small: bool = True
    token: str | None = None
    label: str | None = None
    scheme: str | None = None
    names: Sequence[str] | None = None
    tokens: str = "same"

    def __post_init__(self) -> None:
        if self.scheme is not None:
            scheme_named(self.scheme)
        if self.tokens not in ("same", "align"):
            give = TABLE_OPTIONS["tokens"].give
            raise UsageError(self.name, f"tokens={self.tokens!r} cannot be", f"give {give}")

    @cached_property
    def _first(self) -> Row | None:
        """The first row, which tells the layout of all."""
        return next(chain.from_iterable(self._chosen().batches()), None)

    @property
    def _schema(self) -> Schema | None:
        """How a row says a sentence or a text; None if it is a token, or says nothing."""
        if self._first is None or _columns_by_token(self._first) is not None:
            return None
        return schema_of(self._first)

    @property
    def retokenised(self) -> bool:
        """Whether it holds text, of which tokens are to be made, or somebody said so."""
        if self.tokens == "align":
            return True
        return self._schema is not None and self._schema.counts == LETTERS

    @property
    def always_flat(self) -> bool:  # type: ignore[override]
        """Whether it holds labels."""
        if self._first is not None and _columns_by_token(self._first) is not None:
            return True
        return self._schema is not None and self._schema.counts == LABELS

    def chunks(self, coding: Coding, *, tokens: bool = True) -> Iterator[Corpus]:
        """Whole sentences, some ten thousand tokens at a time."""
        told = scheme_named(self.scheme) if self.scheme else None
        schema = self._schema
        if schema is not None and schema.counts == LABELS:
            return _numbered(_by_batches(self._chosen(), schema, self.name, coding, told))
        return _numbered(gather_chunks(self._read(), self.name, coding, told))

    def _read(self) -> Iterator[SentenceBatch]:
        """What the rows say: each alone, or those of a sentence together."""
        table = self._chosen()
        rows = enumerate(chain.from_iterable(table.batches()), 1)
        first = next(rows, None)
        if first is None:
            return
        columns = _columns_by_token(first[1])
        if columns is not None:
            yield from _grouped(chain([first], rows), columns, table, self.name)
        elif schema_of(first[1]) is not None or _empty_columns(first[1]):
            for number, row in chain([first], rows):
                yield _read_row(row, table, self.name, number)
        else:
            raise _unknown(table, first[1], self.name)

    def _chosen(self) -> Table:
        """The table with what was said about it: columns go by the names that are known."""
        table = self.open()
        said = {"tokens": self.token, "labels": self.label}
        wanted = {known: column for known, column in said.items() if column is not None}
        for column in wanted.values():
            if column not in table.columns:
                raise UsageError(
                    self.name, f"no column is called '{column}'", suggest(column, table.columns)
                )
        names = {**table.names, **{known: table.names[own] for known, own in wanted.items()
                                   if own in table.names}}  # fmt: skip
        if self.names is not None:
            names = dict.fromkeys([*table.columns, *wanted], self.names)
        if not wanted:
            return table._replace(names=names)
        return Table(table.columns, names, lambda: _renamed(table.batches(), wanted))


def _numbered(chunks: Iterable[Corpus]) -> Iterator[Corpus]:
    """The chunks with documents counted from 0, whatever numbers a table gives them."""
    count, last = 0, None
    for chunk in (one for one in chunks if len(one)):
        given = chunk.documents
        changes = np.diff(given, prepend=given[0] if last is None else last) != 0
        documents = count + np.cumsum(changes)
        yield replace(chunk, documents=documents)
        count, last = int(documents[-1]), int(given[-1])


def _by_batches(
    table: Table, schema: Schema, name: str, coding: Coding, told: Scheme | None
) -> Iterator[Corpus]:
    """A chunk for each batch: of its columns if it can give them, else row by row."""
    names = table.names.get(schema.marks or "")
    # Where another column may say mentions too, each row must be looked at.
    alone = not other_keys(tuple(table.columns), schema.held, schema.marks)
    done = 0
    for batch in table.batches():
        columns = None
        if isinstance(batch, ColumnRows) and alone:
            columns = batch.labelled(schema.held, schema.marks or "", names)
        corpus = _of_columns(columns, name, coding, told, done) if columns else None
        if corpus is not None:
            yield corpus
        elif batch:
            every = enumerate(batch, done + 1)
            said = (_read_row(row, table, name, number) for number, row in every)
            yield from gather_chunks(said, name, coding, told)
        done += len(batch)


def _of_columns(
    columns: Labelled, name: str, coding: Coding, told: Scheme | None, done: int
) -> Corpus | None:
    """A chunk of columns, or None if there is a label that somebody must be told about."""
    labels = [parse_label(text, told.bare if told else None) for text in columns.texts]
    known = [label for label in labels if label is not None]
    if len(known) < len(labels):
        return None
    starts = np.concatenate([[0], np.cumsum(columns.sizes)])
    lines = np.repeat(np.arange(done + 1, done + len(starts)), columns.sizes)
    words = coding.tokens.encode_fields(columns.buffer, columns.begins, columns.ends)
    codes = np.array([coding.labels.code(label) for label in known], np.int32)[columns.labels]
    reading = Reading(Transitions.of(columns.texts, columns.labels, starts, lines))
    documents = columns.documents
    if documents is None:
        documents = np.zeros(len(starts) - 1, np.int64)
    corpus = Corpus(name, coding, words, starts, lines, documents, codes)
    return replace(corpus, reading=reading, told=told)


def _renamed(
    batches: Iterable[Sequence[Row]], wanted: Mapping[str, str]
) -> Iterator[Sequence[Row]]:
    """Rows whose chosen columns go by known names, and that have no rivals of them."""
    rivals = {one for known in wanted for one in _RIVALS[known]}
    for batch in batches:
        yield [
            {
                **{key: value for key, value in row.items() if _plain(key) not in rivals},
                **{known: row[column] for known, column in wanted.items()},
            }
            for row in batch
        ]


def _read_row(row: Row, table: Table, name: str, number: int) -> SentenceBatch:
    """A row that holds a sentence or a text."""
    place = f"{name}: row {number}"
    try:
        one = read_record(row, place, number, _names(row, table.names))
    except FormatError:
        if empty := _empty_columns(row):
            raise _nothing_in(empty, place) from None
        raise
    if isinstance(one, SentenceParts):
        return SentenceBatch([one._replace(document=_document(row))])
    sentences, found = read_text(one, place)
    return SentenceBatch(
        [part._replace(document=number - 1) for part in sentences],
        {kind: Found(times, (number,)) for kind, times in found.items()},
    )


def _document(row: Row) -> int:
    given = row.get(DOCUMENT)
    return int(given) if isinstance(given, Integral) and 0 <= int(given) < MOST_DOCUMENTS else 0


def _names(row: Row, known: Mapping[str, Sequence[str]]) -> Sequence[str] | None:
    """The names of the labels of a row, if they are numbers."""
    schema = schema_of(row) if known else None
    return known.get(schema.marks or "") if schema else None


class _Columns(NamedTuple):
    """Where a table with one token a row has what: the sentence is told by a value that changes."""

    sentence: str
    word: str
    label: str


def _columns_by_token(row: Row) -> _Columns | None:
    """The columns of a table with one token a row, or None if it is another one.

    >>> _columns_by_token({"Sentence #": "1", "Word": "Ada", "POS": "NNP", "Tag": "B-PER"})
    _Columns(sentence='Sentence #', word='Word', label='Tag')
    >>> _columns_by_token({"text": "Ada spoke", "label": []})
    """
    keys = {_plain(key): key for key in reversed(tuple(row))}
    word, label = (
        next((keys[one] for one in known if one in keys and isinstance(row[keys[one]], kinds)), "")
        for known, kinds in ((_WORDS, str), (_LABELS, str | Integral))
    )
    sentence = next((keys[one] for one in _SENTENCES if one in keys and keys[one] != word), "")
    return _Columns(sentence, word, label) if sentence and word and label else None


def _grouped(
    rows: Iterable[tuple[int, Row]], columns: _Columns, table: Table, name: str
) -> Iterator[SentenceBatch]:
    """Sentences of rows: a new one where the value changes; where there is none, it goes on."""
    names = table.names.get(columns.label)
    tokens: list[str] = []
    labels: list[Any] = []
    begin, before = 1, None
    for number, row in rows:
        sentence, word, label = (row[key] for key in columns)
        if not _is_null(sentence) and sentence != before:
            if tokens:
                yield SentenceBatch([_sentence(tokens, labels, names, name, begin)])
            tokens, labels, begin, before = [], [], number, sentence
        if not isinstance(word, str) or not isinstance(label, str | Integral):
            raise _no_token(row, columns, f"{name}: row {number}")
        tokens.append(word)
        labels.append(label)
    yield SentenceBatch([_sentence(tokens, labels, names, name, begin)])


def _sentence(
    tokens: list[str], labels: list[Any], names: Sequence[str] | None, name: str, row: int
) -> SentenceParts:
    said = read_record({"tokens": tokens, "labels": labels}, f"{name}: row {row}", row, names)
    assert isinstance(said, SentenceParts)
    return said


def _no_token(row: Row, columns: _Columns, place: str) -> FormatError:
    if empty := [key for key in columns[1:] if _is_null(row[key])]:
        return _nothing_in(empty, place)
    return FormatError(
        place,
        f"{row[columns.word]!r} and {row[columns.label]!r} are no token and label",
        "give strings",
    )


def _plain(key: object) -> str:
    return str(key).translate(_PLAIN).lower()


def _is_null(value: object) -> bool:
    """Whether there is no value: None, or what pandas puts there instead."""
    if value is None or type(value).__name__ in _NULLS:
        return True
    return isinstance(value, float) and value != value


def _empty_columns(row: Row) -> list[str]:
    """The columns that hold nothing, or nothing for some token."""
    return [key for key, value in row.items() if _lacks_something(value)]


def _lacks_something(value: Any) -> bool:
    if isinstance(value, list | tuple):
        return any(one is None for one in value)
    if hasattr(value, "tolist") and getattr(value, "ndim", None):
        return any(one is None for one in value.tolist())
    return not isinstance(value, Mapping) and _is_null(value)


def _nothing_in(columns: Sequence[str], place: str) -> FormatError:
    return FormatError(
        place,
        f"there is nothing in {', '.join(map(repr, columns))}",
        "give every token a string and a label, O if it is in no mention; "
        "if tokens such as NA or null were lost, read the file again with keep_default_na=False",
    )


def _unknown(table: Table, row: Row, name: str) -> FormatError:
    columns = [f"{key} ({_short(kind)})" for key, kind in table.columns.items()]
    shown = ", ".join(columns[:_MOST_SHOWN]) + (" …" if len(columns) > _MOST_SHOWN else "")
    token_by_token = "sentence_id, token and label, one token a row"
    return FormatError(
        name,
        f"its columns are not those of a known layout: {shown}",
        f"known are: {'; '.join([*KNOWN[:3], token_by_token])}; or say token=… and label=…",
    )


def _short(kind: str) -> str:
    return kind if len(kind) <= _LONGEST_SHOWN else f"{kind[:_LONGEST_SHOWN]}…"
