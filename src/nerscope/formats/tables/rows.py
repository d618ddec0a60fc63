"""Rows of a table as sentences: one row per sentence or text, or one row per token."""

from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from numbers import Integral
from typing import Any, ClassVar, NamedTuple, TypeAlias

import numpy as np

from nerscope.corpus.arrays import Objects
from nerscope.corpus.corpus import Coding, Corpus, ParsedSentence, file_option
from nerscope.corpus.records import NO_FACTS, RecordFacts, Records
from nerscope.corpus.schemes import BIO, Scheme, scheme_named
from nerscope.errors import FormatError, InputError, UsageError, suggest
from nerscope.formats.base import FileOption
from nerscope.formats.cutting import RowRange, UncutError
from nerscope.formats.json.facts import ID_KEYS, ROW, facts_of, id_of
from nerscope.formats.json.jsonl import FILE_OPTIONS as RECORD_OPTIONS
from nerscope.formats.json.layers import other_keys
from nerscope.formats.json.marks import spelling
from nerscope.formats.json.plain import PlainBatch, plain_keys, plain_texts
from nerscope.formats.json.records import KNOWN, LABELS, LETTERS, Schema, read_record, schema_of
from nerscope.formats.sentence_columns import SentenceColumns
from nerscope.formats.source import SentenceBatch, Source, gather_chunks
from nerscope.formats.standoff.text import Record, Texts, text_blocks

TableRow: TypeAlias = Mapping[str, Any]
SMALL = 1 << 20  # bytes of a small file; tables are stored packed
FEW = 20_000  # rows of a table that is small
BATCH = 1000  # rows that are in memory as Python objects at a time
_MOST_SHOWN = 12  # columns in a message
_LONGEST_SHOWN = 60  # characters of the type of a column
# The usual names of columns in a table with one token per row, in lower case and without _, #, - or
# blanks ("Sentence #" is "sentence"); the first one that the table has is used.
_SENTENCES = ("sentenceid", "sentid", "sentenceno", "sentencenumber", "sentence", "sent")
_WORDS = ("token", "word", "tokens", "words", "text")
_LABELS = ("nertag", "ner", "label", "tag", "nertags", "labels", "tags")
_PLAIN = str.maketrans("", "", "_#- ")
DOCUMENT = "document"  # the column whose number changes where a document begins
MOST_DOCUMENTS = 1 << 62
_NULL_CLASSES = ("NAType", "NaTType")  # classes of pandas, which may not be installed
# Columns that would be read instead of a column that the options name; they are removed.
_RIVALS = {
    "tokens": {*_WORDS, "tokenizedtext", "sentence"},
    "labels": {*_LABELS, "spans", "entities", "ents", "extractions", "predictions"},
}


class TableData(NamedTuple):
    """A table to read: its columns with their types, and its rows in batches.

    `names` has the label names of columns with numeric labels.

    >>> table = TableData({"tokens": "list"}, {}, lambda: iter([[{"tokens": ["Ada"]}]]))
    >>> [row for batch in table.batches() for row in batch]
    [{'tokens': ['Ada']}]
    """

    columns: Mapping[str, str]
    names: Mapping[str, Sequence[str]]
    batches: Callable[[], Iterator[Sequence[TableRow]]]


class RowGroup(NamedTuple):
    """A part of a file that is read at once: its rows, and its bytes when it is unpacked."""

    n_rows: int
    n_bytes: int


class RowCutter:
    """Cuts a table between row groups, or after given numbers of rows."""

    def __init__(self, groups: Sequence[RowGroup]) -> None:
        self._groups, self._next, self._begin = groups, 0, 0
        self._n_rows = sum(group.n_rows for group in groups)

    def cut_by_size(self, size: int) -> tuple[RowRange, int | None]:
        n_bytes, end = 0, self._begin
        while n_bytes < size and self._next < len(self._groups):
            group = self._groups[self._next]
            n_bytes, end, self._next = n_bytes + group.n_bytes, end + group.n_rows, self._next + 1
        begin, self._begin = self._begin, end
        is_last = end == self._n_rows
        return RowRange(begin, None if is_last else end), None if is_last else end

    def cut_by_count(self, n_records: int | None, size: int) -> RowRange:
        if n_records is not None and n_records > self._n_rows:
            raise UncutError
        begin, self._begin = self._begin, n_records or self._begin
        return RowRange(begin, n_records)


class ColumnBatch(Sequence[TableRow]):
    """Rows of a batch that can also be read as columns, which is ten times faster."""

    names: Sequence[str]  # of the columns

    @abstractmethod
    def texts(self, column: str) -> Objects:
        """The values of a column as texts; None for missing ones, lists and mappings."""

    @abstractmethod
    def sentence_columns(
        self, tokens: str, labels: str, names: Sequence[str] | None, first: int
    ) -> SentenceColumns | None:
        """The sentences as columns; `first` is the number of the first row.

        None if any row is not as expected; reading row by row then raises the error.
        """


TABLE_OPTIONS: Mapping[str, FileOption] = {
    "token": FileOption(str, "the column of the tokens"),
    "label": FileOption(str, "the column of the labels"),
    "tokens": FileOption(
        {"same": "same", "align": "align"}.__getitem__,
        "same or align (other tokens than gold)",
    ),
    "scheme": RECORD_OPTIONS["scheme"],
    "names": RECORD_OPTIONS["names"],
}


@dataclass(frozen=True, eq=False)
class TableSource(Source):
    """A table, which is opened again for each reading, and the options for reading it."""

    name: str
    open: Callable[..., TableData]  # with `rows`, some of them
    is_small: bool = True
    token: str | None = None
    label: str | None = None
    scheme: str | None = None
    names: Sequence[str] | None = None
    tokens: str = "same"
    metadata: tuple[str, ...] = ()  # columns that facets use
    row_groups: Callable[[], Sequence[RowGroup]] | None = None  # if it can be cut between them
    rows: RowRange | None = None  # of a part of a table
    has_token_bytes = True
    work_per_byte: ClassVar[int] = 1

    def __post_init__(self) -> None:
        if self.scheme is not None:
            scheme_named(self.scheme)
        if self.tokens not in ("same", "align"):
            give = TABLE_OPTIONS["tokens"].give
            raise UsageError(self.name, f"invalid value tokens={self.tokens!r}", f"give {give}")

    @cached_property
    def _first_row(self) -> TableRow | None:
        """The first row, from which the layout of all rows is detected."""
        return next(chain.from_iterable(self._open_with_options().batches()), None)

    @property
    def _has_row_per_token(self) -> bool:
        return self._first_row is not None and _columns_by_token(self._first_row) is not None

    @property
    def _schema(self) -> Schema | None:
        """The keys of a row that is a sentence or a text; None if a row is a token."""
        if self._first_row is None or self._has_row_per_token:
            return None
        return schema_of(self._first_row)

    @property
    def retokenised(self) -> bool:
        """Whether it contains text, which is divided into tokens, or tokens=align was given."""
        if self.tokens == "align":
            return True
        return self._schema is not None and self._schema.counts == LETTERS

    @property
    def always_flat(self) -> bool:  # type: ignore[override]
        """Whether it contains labels."""
        if self._has_row_per_token:
            return True
        return self._schema is not None and self._schema.counts == LABELS

    def scheme_of_labels(self, coding: Coding | None = None) -> Scheme:
        return super().scheme_of_labels(coding) if self.always_flat else BIO

    @property
    def cuttable(self) -> "TableSource | None":
        """The table, unless a row is a token, or rows are numbered by document."""
        if self.row_groups is None or self.rows is not None or self._schema is None:
            return None
        return None if DOCUMENT in self.open().columns else self

    @cached_property
    def _groups(self) -> Sequence[RowGroup]:
        return [] if self.row_groups is None else self.row_groups()

    @property
    def stored_size(self) -> int:
        return sum(group.n_bytes for group in self._groups)

    @property
    def plain_size(self) -> int | None:
        return self.stored_size

    def cutter(self, *, counts: bool) -> RowCutter:
        return RowCutter(self._groups)

    def for_parts(self) -> "TableSource":
        return self

    def part(self, cut: RowRange) -> "TableSource":
        return replace(self, rows=cut, row_groups=None)

    def with_records(self, metadata: Sequence[str] = ()) -> "TableSource":
        table = self.open()
        for column in metadata:
            if column not in table.columns:
                raise UsageError(
                    self.name, f"unknown column '{column}'", suggest(column, table.columns)
                )
        return replace(self, metadata=tuple(metadata))

    def chunks(self, coding: Coding, *, tokens: bool = True) -> Iterator[Corpus]:
        """Whole sentences, about 65,000 tokens at a time, or texts of 500,000 characters."""
        scheme = scheme_named(self.scheme) if self.scheme else None
        schema = self._schema
        if schema is not None and schema.counts == LETTERS:
            return self._text_chunks(coding, tokens)
        if schema is not None and schema.counts == LABELS:
            return _number_documents(self._sentence_chunks(schema, coding, scheme, tokens))
        return _number_documents(gather_chunks(self._read_rows(), self.name, coding, scheme))

    def _text_chunks(self, coding: Coding, tokens: bool) -> Iterator[Corpus]:
        is_empty = True
        for block in text_blocks(self._texts(), self.name):
            is_empty = False
            yield block.corpus(coding, encoded=tokens)
        if is_empty:
            raise InputError(
                self.name, "the file contains no sentences", "check that it is the right file"
            )

    def _texts(self) -> Iterator[Texts]:
        table, done = self._open_with_options(), self._n_before
        for batch in table.batches():
            rows = list(batch)
            run = PlainBatch(list(range(done + 1, done + len(rows) + 1)), rows, done)
            run = run._replace(metadata=self.metadata, noun=ROW)
            keys = plain_keys(tuple(table.columns)) if not table.names else None
            texts = None if keys is None or not rows else plain_texts(run, keys)
            yield texts or Texts.of(self._text_records(table, rows, done))
            done += len(rows)

    def _text_records(
        self, table: TableData, rows: Sequence[TableRow], done: int
    ) -> Iterator[Record]:
        for number, row in enumerate(rows, done + 1):
            record = _read_row(row, table, self.name, number)
            assert isinstance(record, Record)
            facts = facts_of(row, self.metadata, ROW, number)
            yield record._replace(facts=facts, place=f"{self.name} {facts.name}")

    def _sentence_chunks(
        self, schema: Schema, coding: Coding, scheme: Scheme | None, tokens: bool
    ) -> Iterator[Corpus]:
        """A chunk for each batch: from its columns if possible, otherwise row by row.

        Without `tokens`, the tokens of columns stay bytes.
        """
        table, done = self._open_with_options(), self._n_before
        names = table.names.get(schema.marks or "")
        # Another column that may have mentions is compared with the labels row by row.
        has_no_rivals = not other_keys(tuple(table.columns), schema.held, schema.marks)
        for batch in table.batches():
            columns = None
            if isinstance(batch, ColumnBatch) and has_no_rivals:
                columns = batch.sentence_columns(schema.held, schema.marks or "", names, done + 1)
            corpus = None
            if columns is not None:
                corpus = columns.corpus(self.name, coding, scheme, encoded=tokens)
            if corpus is not None and isinstance(batch, ColumnBatch):
                yield replace(corpus, records=self._records(batch, done))
            elif batch:
                sentences = self._sentences(table, batch, done)
                yield from gather_chunks(sentences, self.name, coding, scheme)
            done += len(batch)

    def _records(self, batch: "ColumnBatch", done: int) -> Records:
        """The names, ids and metadata of rows that are sentences."""
        ids = next((key for key in batch.names if spelling(key) in ID_KEYS), None)
        texts = {key: batch.texts(key) for key in (ids, *self.metadata) if key is not None}
        names = np.array([f"{ROW} {done + at + 1}" for at in range(len(batch))], object)
        return Records(
            np.ones(len(batch), bool),
            None if ids is None else texts[ids],
            names,
            {key: texts[key] for key in self.metadata},
        )

    def _sentences(
        self, table: TableData, batch: Sequence[TableRow], done: int
    ) -> Iterator[SentenceBatch]:
        for number, row in enumerate(batch, done + 1):
            sentence = _read_row(row, table, self.name, number)
            assert isinstance(sentence, ParsedSentence)
            facts = facts_of(row, self.metadata, ROW, number)
            yield SentenceBatch([sentence._replace(document=_document(row), facts=facts)])

    def _read_rows(self) -> Iterator[SentenceBatch]:
        """The sentences of the rows: one per row, or one per group of token rows."""
        table = self._open_with_options()
        rows = enumerate(chain.from_iterable(table.batches()), self._n_before + 1)
        first = next(rows, None)
        if first is None:
            return
        columns = _columns_by_token(first[1])
        if columns is not None:
            yield from _group_tokens(chain([first], rows), columns, table, self.name, self.metadata)
        elif schema_of(first[1]) is not None or _empty_columns(first[1]):
            for number, row in chain([first], rows):
                yield from self._sentences(table, [row], number - 1)
        else:
            raise _unknown_layout(table, self.name)

    @property
    def _n_before(self) -> int:
        """The number of rows before this part of the table."""
        return 0 if self.rows is None else self.rows.begin

    def _open_with_options(self) -> TableData:
        """The table, with the columns that the options name renamed to tokens and labels."""
        table = self.open() if self.rows is None else self.open(rows=self.rows)
        options = {"tokens": self.token, "labels": self.label}
        chosen = {standard: column for standard, column in options.items() if column is not None}
        for column in chosen.values():
            if column not in table.columns:
                raise UsageError(
                    self.name, f"unknown column '{column}'", suggest(column, table.columns)
                )
        names = dict(table.names)
        for standard, column in chosen.items():
            if column in table.names:
                names[standard] = table.names[column]
        if self.names is not None:
            names = dict.fromkeys([*table.columns, *chosen], self.names)
        if not chosen:
            return table._replace(names=names)
        return TableData(table.columns, names, lambda: _rename_columns(table.batches(), chosen))


def _number_documents(chunks: Iterable[Corpus]) -> Iterator[Corpus]:
    """The chunks with documents counted from 0; the count goes up when the table's number changes.

    The numbers 7, 7, 3, 7 become 0, 0, 1, 2.
    """
    count, last = 0, None
    for chunk in filter(len, chunks):
        given = chunk.documents
        changes = np.diff(given, prepend=given[0] if last is None else last) != 0
        documents = count + np.cumsum(changes)
        yield replace(chunk, documents=documents)
        count, last = int(documents[-1]), int(given[-1])


def _rename_columns(
    batches: Iterable[Sequence[TableRow]], chosen: Mapping[str, str]
) -> Iterator[Sequence[TableRow]]:
    """Rows with the chosen columns under standard names, without competing columns."""
    rivals = {rival for standard in chosen for rival in _RIVALS[standard]}
    for batch in batches:
        yield [
            {
                **{key: value for key, value in row.items() if _spelling(key) not in rivals},
                **{standard: row[column] for standard, column in chosen.items()},
            }
            for row in batch
        ]


def _read_row(row: TableRow, table: TableData, name: str, number: int) -> Record | ParsedSentence:
    """The text or sentence of a row."""
    place = f"{name} {ROW} {number}"
    try:
        return read_record(row, place, number, _label_names(row, table.names))
    except FormatError:
        if empty := _empty_columns(row):
            raise _missing_values(empty, place) from None
        raise


def _document(row: TableRow) -> int:
    given = row.get(DOCUMENT)
    return int(given) if isinstance(given, Integral) and 0 <= int(given) < MOST_DOCUMENTS else 0


def _label_names(row: TableRow, names: Mapping[str, Sequence[str]]) -> Sequence[str] | None:
    """The names of the labels of a row, if the labels are numeric."""
    schema = schema_of(row) if names else None
    return names.get(schema.marks or "") if schema else None


class _TokenColumns(NamedTuple):
    """The columns of a table with one token per row.

    A new sentence begins where the value in the column `sentence` changes.
    """

    sentence: str
    word: str
    label: str


def _columns_by_token(row: TableRow) -> _TokenColumns | None:
    """The columns of a table with one token per row, or None if it has another layout.

    >>> _columns_by_token({"Sentence #": "1", "Word": "Ada", "POS": "NNP", "Tag": "B-PER"})
    _TokenColumns(sentence='Sentence #', word='Word', label='Tag')
    >>> _columns_by_token({"text": "Ada spoke", "label": []})
    """
    # Reversed, so that the first of two columns with the same spelling wins.
    keys = {_spelling(key): key for key in reversed(tuple(row))}
    words = (keys[usual] for usual in _WORDS if usual in keys)
    word = next((key for key in words if isinstance(row[key], str)), "")
    labels = (keys[usual] for usual in _LABELS if usual in keys)
    label = next((key for key in labels if isinstance(row[key], str | Integral)), "")
    sentences = (keys[usual] for usual in _SENTENCES if usual in keys)
    sentence = next((key for key in sentences if key != word), "")
    return _TokenColumns(sentence, word, label) if sentence and word and label else None


def _group_tokens(
    rows: Iterable[tuple[int, TableRow]],
    columns: _TokenColumns,
    table: TableData,
    name: str,
    metadata: Sequence[str],
) -> Iterator[SentenceBatch]:
    """Sentences of rows: a new one where the sentence value changes; a missing value continues.

    Tables made from spreadsheets give the value in the first row of a sentence only.
    """
    names = table.names.get(columns.label)
    tokens: list[str] = []
    labels: list[Any] = []
    begin, before = 1, None
    facts = NO_FACTS
    # A sentence is yielded when the next one begins; `begin` is its first row.
    for number, row in rows:
        sentence, word, label = (row[key] for key in columns)
        if not _is_null(sentence) and sentence != before:
            if tokens:
                yield _sentence(tokens, labels, names, name, begin, facts)
            tokens, labels, begin, before = [], [], number, sentence
            facts = facts_of(row, metadata, ROW, number)._replace(id=id_of(sentence))
        if not isinstance(word, str) or not isinstance(label, str | Integral):
            raise _bad_token(row, columns, f"{name} {ROW} {number}")
        tokens.append(word)
        labels.append(label)
    yield _sentence(tokens, labels, names, name, begin, facts)


def _sentence(
    tokens: list[str],
    labels: list[Any],
    names: Sequence[str] | None,
    name: str,
    row: int,
    facts: RecordFacts,
) -> SentenceBatch:
    item = {"tokens": tokens, "labels": labels}
    record = read_record(item, f"{name} {ROW} {row}", row, names)
    assert isinstance(record, ParsedSentence)
    return SentenceBatch([record._replace(facts=facts)])


def _bad_token(row: TableRow, columns: _TokenColumns, place: str) -> FormatError:
    if empty := [key for key in columns[1:] if _is_null(row[key])]:
        return _missing_values(empty, place)
    return FormatError(
        place,
        f"{row[columns.word]!r} and {row[columns.label]!r} are not a token and a label",
        "give tokens and labels as strings",
    )


def _spelling(key: object) -> str:
    return str(key).translate(_PLAIN).lower()


def _is_null(value: object) -> bool:
    """Whether a value is missing: None, or a missing value of pandas."""
    if value is None or type(value).__name__ in _NULL_CLASSES:
        return True
    return isinstance(value, float) and value != value  # only NaN differs from itself


def _empty_columns(row: TableRow) -> list[str]:
    """The columns without a value, or with a list in which a value is missing."""
    return [key for key, value in row.items() if _lacks_something(value)]


def _lacks_something(value: Any) -> bool:
    if isinstance(value, list | tuple):
        return any(item is None for item in value)
    if hasattr(value, "tolist") and getattr(value, "ndim", None):
        return any(item is None for item in value.tolist())
    return not isinstance(value, Mapping) and _is_null(value)


def _missing_values(columns: Sequence[str], place: str) -> FormatError:
    return FormatError(
        place,
        f"missing values in {', '.join(map(repr, columns))}",
        "give every token a string and a label (O outside mentions); if pandas removed tokens such "
        "as NA or null, read the file with keep_default_na=False",
    )


def _unknown_layout(table: TableData, name: str) -> FormatError:
    columns = [f"{key} ({_short(kind)})" for key, kind in table.columns.items()]
    shown = ", ".join(columns[:_MOST_SHOWN]) + (" …" if len(columns) > _MOST_SHOWN else "")
    token_by_token = "sentence_id, token and label, with one token per row"
    return FormatError(
        name,
        f"unknown layout of a table, with the columns {shown}",
        f"{file_option(name, 'token=COLUMN,label=COLUMN')}; or rename the columns to one of: "
        f"{'; '.join([*KNOWN[:3], token_by_token])}",
    )


def _short(kind: str) -> str:
    return kind if len(kind) <= _LONGEST_SHOWN else f"{kind[:_LONGEST_SHOWN]}…"
