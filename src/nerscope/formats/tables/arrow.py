"""Parquet, Arrow and Feather files, and tables and data frames in memory, read in batches."""

import io
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property, partial
from itertools import chain, pairwise
from typing import Any, NamedTuple

import numpy as np

from nerscope.corpus.arrays import Ints, Objects
from nerscope.corpus.corpus import Corpus
from nerscope.corpus.mentions import Mentions, encode
from nerscope.corpus.schemes import Scheme
from nerscope.corpus.vocabulary import Fields, padded
from nerscope.errors import InputError, require_extra
from nerscope.formats.base import FORMATS, Format
from nerscope.formats.cutting import RowRange
from nerscope.formats.files import FileBytes, spool_to_disk
from nerscope.formats.packing import without_packing
from nerscope.formats.sentence_columns import SentenceColumns
from nerscope.formats.source import Source, require_tokens
from nerscope.formats.tables.footer import Claim, claims_of
from nerscope.formats.tables.rows import (
    BATCH,
    DOCUMENT,
    FEW,
    MOST_DOCUMENTS,
    SMALL,
    TABLE_OPTIONS,
    ColumnBatch,
    RowGroup,
    TableData,
    TableRow,
    TableSource,
)

EXTRA = "tables"
_PARQUET, _ARROW, _FEATHER_1 = b"PAR1", b"ARROW1", b"FEA1"
_PARQUET_ENDINGS, _ARROW_ENDINGS = (".parquet", ".pq"), (".arrow", ".feather", ".ipc")
# Real text takes several bits per token. A file that claims more than a thousand values per byte
# would only fill the memory. Fewer than ten million values are harmless.
_TRUSTED_VALUES = 10_000_000
_MOST_VALUES_PER_BYTE = 1000
_LONGEST_SHOWN = 160  # characters of a message of pyarrow
_FOOTER_END = 8  # bytes at the end of a Parquet file: the length of the footer, and PAR1
_ROW_GROUP = 10_000  # sentences
_WRITE_AGAIN = "create the file again"


def open_parquet(data: FileBytes, **options: Any) -> Source:
    """A Parquet file as a source; its row groups can be read by several processes."""
    groups = partial(_row_groups, data) if data.is_plain else None
    table = partial(_parquet_table, data)
    return TableSource(data.name, table, data.size <= SMALL, row_groups=groups, **options)


def open_arrow(data: FileBytes, **options: Any) -> Source:
    """An Arrow or Feather file, or an Arrow stream, as a source."""
    return TableSource(data.name, partial(arrow_table, data), data.size <= SMALL, **options)


def _parquet_table(data: FileBytes, rows: RowRange | None = None) -> TableData:
    """A Parquet file, or some of its rows."""
    pyarrow = require_extra("pyarrow", data.name, EXTRA)
    with _input_errors(data.name):
        file = _parquet_file(data, pyarrow)
        schema = file.schema_arrow
        columns = _unique([(field.name, field.type) for field in schema], data.name)
        readable = _readable_columns(schema, pyarrow.types)

    def batches() -> Iterator[Sequence[TableRow]]:
        with _input_errors(data.name):
            if rows is None:
                for batch in file.iter_batches(BATCH, columns=readable):
                    yield _ArrowBatch(batch, data.name)
                return
            for number, begin, end in _groups_with(file, rows):
                group = file.read_row_group(number, columns=readable).slice(begin, end - begin)
                for batch in group.to_batches(BATCH):
                    yield _ArrowBatch(batch, data.name)

    return TableData(columns, names_of_schema(schema), batches)


def _parquet_file(data: FileBytes, pyarrow: Any) -> Any:
    parquet = require_extra("pyarrow.parquet", data.name, EXTRA)
    # Not memory-mapped, because the pages that were read would count as memory in use.
    source = _readable(_seekable(data), pyarrow, pyarrow.OSFile)
    _check_claims(source, data.name)
    return parquet.ParquetFile(source, buffer_size=1 << 20, pre_buffer=False)


def _row_groups(data: FileBytes) -> list[RowGroup]:
    """The rows and bytes of each row group."""
    pyarrow = require_extra("pyarrow", data.name, EXTRA)
    with _input_errors(data.name):
        metadata = _parquet_file(data, pyarrow).metadata
        groups = map(metadata.row_group, range(metadata.num_row_groups))
        return [RowGroup(group.num_rows, group.total_byte_size) for group in groups]


def _groups_with(file: Any, rows: RowRange) -> Iterator[tuple[int, int, int]]:
    """The row groups that contain some rows, each with the range of these rows in the group."""
    first = 0
    for number in range(file.metadata.num_row_groups):
        size = file.metadata.row_group(number).num_rows
        begin = max(rows.begin - first, 0)
        end = size if rows.end is None else min(rows.end - first, size)
        if begin < end:
            yield number, begin, end
        first += size


def _check_claims(source: Any, name: str) -> None:
    """Refuse a file that claims too many values for its size."""
    # Called before ParquetFile is created, which reads the metadata.
    for claim in _claims(source):
        if claim.values > max(_TRUSTED_VALUES, _MOST_VALUES_PER_BYTE * claim.size):
            raise InputError(
                name,
                f"it claims {claim.values} values in {claim.size} bytes, too many for text",
                "get the file again from a source that you trust",
            )


def _claims(source: Any) -> list[Claim]:
    """The claims of the footer; empty without a footer, which pyarrow refuses later."""
    size = source.size()
    # A Parquet file ends in: footer, its length in four bytes, PAR1.
    source.seek(max(0, size - _FOOTER_END))
    end = source.read(_FOOTER_END)
    length = int.from_bytes(end[:4], "little")
    if end[4:] != _PARQUET or length > size - _FOOTER_END:
        return []
    source.seek(size - _FOOTER_END - length)
    try:
        return list(claims_of(source.read(length)))
    except (ValueError, AttributeError, TypeError):
        raise OSError("its footer is damaged") from None


def arrow_table(data: FileBytes) -> TableData:
    """An Arrow file, in the file format or in the stream format."""
    pyarrow, ipc = (
        require_extra("pyarrow", data.name, EXTRA),
        require_extra("pyarrow.ipc", data.name, EXTRA),
    )
    head = data.head()
    if head.startswith(_FEATHER_1):
        raise InputError(
            data.name,
            "Feather version 1 is not supported",
            "save the file as Feather version 2 or Parquet",
        )
    with _input_errors(data.name):
        data = _seekable(data)
        # Memory-mapped, because one batch may be the whole file.
        source = _readable(data, pyarrow, pyarrow.memory_map)
        is_file_format = head.startswith(_ARROW)
        reader = ipc.open_file(source) if is_file_format else ipc.open_stream(source)
        schema = reader.schema
        columns = _unique([(field.name, field.type) for field in schema], data.name)
        readable = _readable_columns(schema, pyarrow.types)

    def batches() -> Iterator[Sequence[TableRow]]:
        with _input_errors(data.name):
            record_batches = reader
            if is_file_format:
                record_batches = map(reader.get_batch, range(reader.num_record_batches))
            for batch in record_batches:
                # Offsets in a damaged file may point anywhere, which would crash the process.
                batch.validate(full=True)
                yield from _slices(batch.select(readable), data.name)

    return TableData(columns, names_of_schema(schema), batches)


def _slices(batch: Any, name: str) -> Iterator[Sequence[TableRow]]:
    for begin in range(0, batch.num_rows, BATCH):
        yield _ArrowBatch(batch.slice(begin, BATCH), name)


class _ArrowBatch(ColumnBatch):
    """The rows of a record batch; they become Python objects when the first one is accessed."""

    def __init__(self, batch: Any, name: str) -> None:
        self._batch, self._name = batch, name
        self.names = batch.schema.names

    def texts(self, column: str) -> Objects:
        values = self._batch.column(column).to_pylist()
        plain = (str(value) if isinstance(value, str | int | float) else None for value in values)
        return np.array([text or None for text in plain], object)

    @cached_property
    def _rows(self) -> list[TableRow]:
        with _input_errors(self._name):
            rows: list[TableRow] = self._batch.to_pylist()
            return rows

    def __len__(self) -> int:
        return int(self._batch.num_rows)

    def __getitem__(self, index: Any) -> Any:
        return self._rows[index]

    def sentence_columns(
        self, tokens: str, labels: str, names: Sequence[str] | None, first: int
    ) -> SentenceColumns | None:
        """The sentences as columns, if no value is missing and all lists have the same lengths."""
        lists = [self._batch.column(column) for column in (tokens, labels)]
        if not all(_is_complete_list(column, self._name) for column in lists):
            return None
        words, label_values = (column.flatten() for column in lists)
        sizes, label_sizes = (column.value_lengths().to_numpy() for column in lists)
        if not np.array_equal(sizes, label_sizes) or not sizes.all():
            return None
        fields, label_codes = _string_fields(words, self._name), _label_codes(label_values, names)
        if fields is None or label_codes is None:
            return None
        lines = np.arange(first, first + len(sizes))
        sizes = sizes.astype(np.int64)
        return SentenceColumns(fields, sizes, lines, *label_codes, self._documents())

    def _documents(self) -> Ints | None:
        """The numbers of documents, if all rows have one."""
        if DOCUMENT not in self._batch.schema.names:
            return None
        column = self._batch.column(DOCUMENT)
        types = require_extra("pyarrow.types", self._name, EXTRA)
        if not types.is_integer(column.type) or column.null_count:
            return None
        # If a number is out of range, all rows of the batch count as one document.
        given = column.to_numpy()
        return given.astype(np.int64) if ((given >= 0) & (given < MOST_DOCUMENTS)).all() else None


def _is_complete_list(column: Any, name: str) -> bool:
    """Whether a column is a list without missing values."""
    types = require_extra("pyarrow.types", name, EXTRA)
    if not types.is_list(column.type) or column.null_count:
        return False
    return not column.flatten().null_count


def _string_fields(words: Any, name: str) -> Fields | None:
    """Strings as places in a buffer, which is copied from Arrow's memory."""
    if not require_extra("pyarrow.types", name, EXTRA).is_string(words.type):
        return None
    # An Arrow string array is a validity bitmap, n + 1 offsets, and the bytes of all strings. A
    # slice shares them: its first offset is not 0.
    _, offsets, data = words.buffers()
    edges = np.frombuffer(offsets, np.int32)[words.offset :][: len(words) + 1].astype(np.int64)
    plain = bytes(memoryview(data)[edges[0] : edges[-1]]) if data is not None else b""
    edges -= edges[0]
    buffer = padded(plain)
    # All strings are decoded at once. That is valid for each of them if none begins with a
    # continuation byte (10xxxxxx) in the middle of a character.
    if b"\0" in plain or b"\x1f" in plain or (buffer[edges[:-1]] & 0xC0 == 0x80).any():
        return None
    return Fields(buffer, edges[:-1], edges[1:]) if _is_utf8(plain) else None


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def _label_codes(labels: Any, names: Sequence[str] | None) -> tuple[Ints, list[str]] | None:
    """Labels as codes, and the distinct texts of the codes."""
    encoded = labels.dictionary_encode()
    codes, texts = encoded.indices.to_numpy(), encoded.dictionary.to_pylist()
    if names is not None and all(isinstance(number, int) for number in texts):
        if not all(0 <= number < len(names) for number in texts):
            return None
        texts = [names[number] for number in texts]
    if not all(isinstance(text, str) for text in texts) or {"\0", "\x1f"} & set("".join(texts)):
        return None
    return codes.astype(np.int32), texts


def _readable(data: FileBytes, pyarrow: Any, plain: Callable[[str], Any]) -> Any:
    """A file object for pyarrow; a local file that is not packed is opened with `plain`."""
    stream = data.open()
    # A packed file opens as another kind of stream.
    is_plain = isinstance(stream, io.BufferedReader) and isinstance(stream.raw, io.FileIO)
    if data.local is None or not is_plain:
        return pyarrow.PythonFile(stream, mode="r")
    stream.close()
    return plain(data.local)


def _seekable(data: FileBytes) -> FileBytes:
    """The same bytes, stored first if they can only be read in order (packed files, pipes)."""
    with data.open() as stream:
        return data if stream.seekable() else spool_to_disk(data.name, stream)


@contextmanager
def _input_errors(name: str) -> Iterator[None]:
    """Convert errors of pyarrow about a damaged file to an InputError of one line."""
    from pyarrow import ArrowException

    try:
        yield
    except (ArrowException, OSError, UnicodeDecodeError, MemoryError) as error:
        message = str(error).partition("\n")[0][:_LONGEST_SHOWN] or type(error).__name__
        raise InputError(name, f"it cannot be read as a table ({message})", _WRITE_AGAIN) from None


def _readable_columns(schema: Any, types: Any) -> list[str]:
    """The columns that may have text, numeric labels or lists of them; others are not read."""
    return [field.name for field in schema if _may_be_text_or_labels(field.type, types)]


def _may_be_text_or_labels(kind: Any, types: Any) -> bool:
    if types.is_dictionary(kind):
        return _may_be_text_or_labels(kind.value_type, types)
    if any(is_list(kind) for is_list in (types.is_list, types.is_large_list, types.is_list_view)):
        return _may_be_text_or_labels(kind.value_type, types)
    # Spans are lists of structs: {start, end, label}.
    if types.is_struct(kind):
        return all(_may_be_text_or_labels(field.type, types) for field in kind)
    known = (types.is_string, types.is_large_string, types.is_string_view, types.is_integer)
    return any(is_known(kind) for is_known in known)


def _has_ending(name: str, head: bytes, endings: tuple[str, ...]) -> bool:
    """Whether a file (not a folder, which has no head) has one of the endings.

    Such a file is read as a table even if its first bytes differ, which raises an error.
    """
    return bool(head) and without_packing(name).endswith(endings)


def names_of_schema(schema: Any) -> dict[str, Sequence[str]]:
    """The names of numeric labels, by column, if `datasets` wrote the file."""
    metadata = (schema.metadata or {}).get(b"huggingface")
    try:
        described = json.loads(metadata) if metadata else {}
        return names_of_features(described["info"]["features"]) if described else {}
    except (ValueError, KeyError, TypeError):
        return {}  # written by another program than `datasets`


def names_of_features(features: Any) -> dict[str, Sequence[str]]:
    """The names of classes, by column, from the features of a Hugging Face dataset.

    >>> names_of_features({"tags": {"feature": {"names": ["O", "B-PER"], "_type": "ClassLabel"}}})
    {'tags': ['O', 'B-PER']}
    """
    by_column = {column: _class_names(feature) for column, feature in features.items()}
    return {column: names for column, names in by_column.items() if names is not None}


def _class_names(feature: Any) -> Sequence[str] | None:
    """The names of the first ClassLabel in a feature, which is an object or decoded JSON."""
    names: object = None
    inner: list[Any] = [getattr(feature, "feature", None)]
    if isinstance(feature, Mapping):
        names, inner = feature.get("names"), list(feature.values())
    elif isinstance(feature, list):
        inner = feature
    else:
        names = getattr(feature, "names", None)
    if isinstance(names, list) and all(isinstance(name, str) for name in names):
        return names
    for child in inner:
        if child is not None and not isinstance(child, str):
            child_names = _class_names(child)
            if child_names is not None:
                return child_names
    return None


class _FrameAccess(NamedTuple):
    """Functions that return the columns of a table in memory, and a batch of its rows."""

    columns: Callable[[Any], Sequence[tuple[str, object]]]
    rows: Callable[[Any, int], Sequence[TableRow]]


# By library and class name, so that the libraries need not be installed or imported.
_FRAMES: Mapping[tuple[str, str], _FrameAccess] = {
    ("pyarrow", "Table"): _FrameAccess(
        lambda table: [(field.name, field.type) for field in table.schema],
        lambda table, begin: rows_of_table(table.slice(begin, BATCH), "<memory>"),
    ),
    ("pandas", "DataFrame"): _FrameAccess(
        lambda frame: list(frame.dtypes.items()),
        lambda frame, begin: frame.iloc[begin : begin + BATCH].to_dict("records"),
    ),
    ("polars", "DataFrame"): _FrameAccess(
        lambda frame: list(frame.schema.items()),
        lambda frame, begin: frame.slice(begin, BATCH).to_dicts(),
    ),
}


def rows_of_table(table: Any, name: str) -> Sequence[TableRow]:
    """A table of a few rows as one batch."""
    return _ArrowBatch(next(iter(table.combine_chunks().to_batches())), name)


def wrap_table(given: Any, name: str) -> Source:
    """A table or data frame in memory as a source."""
    kind = _kind_of(given)
    assert kind is not None
    access = _FRAMES[kind]
    columns = _unique(access.columns(given), name)
    names = names_of_schema(given.schema) if kind[0] == "pyarrow" else {}

    def batches() -> Iterator[Sequence[TableRow]]:
        return (access.rows(given, begin) for begin in range(0, len(given), BATCH))

    return TableSource(name, lambda: TableData(columns, names, batches), len(given) <= FEW)


def takes(given: object) -> bool:
    """Whether an object is a table of pyarrow, or a data frame of pandas or polars.

    >>> takes([["O"]])
    False
    """
    return _kind_of(given) is not None


def _kind_of(given: object) -> tuple[str, str] | None:
    kinds = ((base.__module__.partition(".")[0], base.__name__) for base in type(given).__mro__)
    return next((kind for kind in kinds if kind in _FRAMES), None)


def _unique(columns: Sequence[tuple[str, object]], name: str) -> dict[str, str]:
    """Columns with their types as text; two columns with the same name are refused."""
    types = {str(column): str(kind) for column, kind in columns}
    if len(types) < len(columns):
        raise InputError(name, "two columns have the same name", "rename one of the columns")
    return types


def write_parquet(corpus: Corpus, scheme: Scheme) -> bytes:
    """A corpus as a Parquet file with one row per sentence."""
    parquet = require_extra("pyarrow.parquet", corpus.name, EXTRA)
    sink = io.BytesIO()
    table = _table(corpus, scheme)
    parquet.write_table(table, sink, compression="zstd", row_group_size=_ROW_GROUP)
    return sink.getvalue()


def write_arrow(corpus: Corpus, scheme: Scheme) -> bytes:
    """A corpus as an Arrow file (also Feather version 2) with one row per sentence."""
    ipc = require_extra("pyarrow.ipc", corpus.name, EXTRA)
    sink = io.BytesIO()
    table = _table(corpus, scheme)
    with ipc.new_file(sink, table.schema) as writer:
        writer.write_table(table, max_chunksize=_ROW_GROUP)
    return sink.getvalue()


def _table(corpus: Corpus, scheme: Scheme) -> Any:
    """One row per sentence: tokens, and labels in a scheme, or spans if some overlap.

    If there are several documents, a column has the document number of each row.
    """
    pyarrow = require_extra("pyarrow", corpus.name, EXTRA)
    # A label that begins or ends with a blank would be refused when it is read.
    are_clean = all(kind == kind.strip() for kind in corpus.coding.labels.types)
    columns = (
        _label_columns(corpus, scheme) if corpus.is_flat and are_clean else _span_columns(corpus)
    )
    several = (corpus.documents != corpus.documents[0]).any()
    documents = {DOCUMENT: corpus.documents} if several else {}
    return pyarrow.table({"tokens": _words(require_tokens(corpus)), **columns, **documents})


def _words(corpus: Corpus) -> list[list[str]]:
    return [corpus.words(sentence) for sentence in range(len(corpus))]


def _label_columns(corpus: Corpus, scheme: Scheme) -> dict[str, list[Any]]:
    """The labels of each sentence, and its text if it is known."""
    mentions = corpus.mentions()
    _check_aligned(mentions, corpus.name)
    codes = encode(mentions, corpus.starts, corpus.coding.labels, scheme)
    names = corpus.coding.labels.texts_in(scheme)
    bounds = list(pairwise(corpus.starts.tolist()))
    labels = [[names[code] for code in codes[begin:end]] for begin, end in bounds]
    if corpus.gaps is None:
        return {"labels": labels}
    texts = [
        "".join(chain.from_iterable(zip(corpus.gaps[begin:end], words, strict=True)))
        for (begin, end), words in zip(bounds, _words(corpus), strict=True)
    ]
    return {"labels": labels, "text": texts}


def _span_columns(corpus: Corpus) -> dict[str, list[Any]]:
    """The mentions of each sentence in tokens; discontinuous ones with fragments."""
    mentions = corpus.mentions()
    _check_aligned(mentions, corpus.name)
    rows: list[list[dict[str, Any]]] = [[] for _ in range(len(corpus))]
    types = corpus.coding.labels.types
    for at, sentence in enumerate(mentions.sentences(corpus.starts).tolist()):
        begin = int(corpus.starts[sentence])
        runs = [[low - begin, high - begin] for low, high in mentions.runs(at)]
        span = {"start": runs[0][0], "end": runs[-1][1], "label": types[mentions.type[at]]}
        rows[sentence].append({**span, "fragments": runs} if len(runs) > 1 else span)
    return {"spans": rows}


def _check_aligned(mentions: Mentions, name: str) -> None:
    if not mentions.aligned.all():
        raise InputError(
            name,
            "a mention begins or ends inside a token, which a table of tokens cannot hold",
            "write JSON Lines, as in OUT.jsonl",
        )


FORMATS.add(
    "parquet",
    Format(
        "parquet",
        open_parquet,
        lambda name, head: head.startswith(_PARQUET) or _has_ending(name, head, _PARQUET_ENDINGS),
        TABLE_OPTIONS,
        write_parquet,
        endings=_PARQUET_ENDINGS,
        takes=takes,
        wrap=wrap_table,
        title="Parquet",
        phrase="Parquet tables",
        definition="A table with one row per sentence, text or token; data frames of pandas and "
        "polars and tables of pyarrow in memory are read in the same way.",
    ),
    built_in=True,
    rank=100,
)
FORMATS.add(
    "arrow",
    Format(
        "arrow",
        open_arrow,
        lambda name, head: (
            head.startswith((_ARROW, _FEATHER_1)) or _has_ending(name, head, _ARROW_ENDINGS)
        ),
        TABLE_OPTIONS,
        write_arrow,
        endings=_ARROW_ENDINGS,
        title="Arrow and Feather",
        phrase="Arrow tables",
        definition="A table with one row per sentence, text or token, in Arrow's file or stream "
        "format, which Feather shares.",
    ),
    built_in=True,
    rank=30,
)
