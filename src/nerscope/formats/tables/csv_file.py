"""CSV and TSV with a header line: one token, one sentence, one text or one mention per row."""

import codecs
import csv
import io
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from itertools import groupby, islice, pairwise
from operator import itemgetter
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import numpy as np

from nerscope.corpus.corpus import (
    Coding,
    Corpus,
    Note,
    ParsedSentence,
    file_option,
    label_error,
    read_sentence,
)
from nerscope.corpus.mentions import encode
from nerscope.corpus.records import NO_FACTS, RecordFacts
from nerscope.corpus.schemes import Scheme, parse_label, scheme_named
from nerscope.errors import FormatError, InputError, UsageError, plural, shortened, suggest
from nerscope.formats.base import FORMATS, FileOption, Format
from nerscope.formats.columns.column_file import ALIGN, ANY, SAME, SHARED_OPTIONS
from nerscope.formats.cutting import ByteCutter
from nerscope.formats.files import HEAD, ByteRange, FileBytes, check_encoding
from nerscope.formats.json.jsonl import FILE_OPTIONS as RECORD_OPTIONS
from nerscope.formats.json.marks import SpanMark, check_surface, name_of
from nerscope.formats.json.records import read_record
from nerscope.formats.packing import without_packing
from nerscope.formats.sentence_columns import SentenceColumns
from nerscope.formats.source import (
    EditedFile,
    MentionEdit,
    SentenceBatch,
    Source,
    SourceInfo,
    gather_chunks,
    require_tokens,
)
from nerscope.formats.standoff.text import Record, TextSpan, text_source, trim_span
from nerscope.formats.tables.cells import labels_in, list_in, words_in
from nerscope.formats.tables.delimited import (
    ID,
    SEPARATORS,
    Columns,
    Dialect,
    Row,
    RowBatch,
    columns_of,
    detect_dialect,
    header_names,
    is_excel_line,
    quotes_fix,
    row_batches,
    spelling,
    table_rows,
)
from nerscope.formats.tables.row_breaks import RowBreaks
from nerscope.formats.tables.token_rows import TokenColumns, sentence_columns

NAME = "csv"
ENDING = ".csv"
# The layouts: what a row is.
TOKENS, SENTENCES, TEXTS, MENTIONS = "token", "sentence", "text", "mention"
UNMARKED = "no column of sentences and no blank lines, read as one sentence"
_SMALL = 16 << 20  # bytes of a file whose words are always kept
_FIRST_ROWS = 100  # rows from which the layout is detected
_MOST_SHOWN = 12  # columns in a message
_OFFSET = re.compile(r"\d{1,15}(?:\.0+)?")  # pandas writes 3.0 in a column with missing values
_NUMERIC = re.compile(r"-?\d{1,9}")
_LABEL = re.compile(r"O|[BIESLUMW]-.+")
_COLUMN_OPTIONS = ("token", "label", "sentence", "document", "text", "start", "end")
_YES_NO = {"yes": True, "true": True, "no": False, "false": False}

FILE_OPTIONS: Mapping[str, FileOption] = {
    "token": FileOption(str, "the column of the tokens"),
    "label": FileOption(str, "the column of the labels, or of the types of mentions"),
    "sentence": FileOption(str, "the column whose value changes where a sentence begins"),
    "document": FileOption(str, "the column whose value changes where a document begins"),
    "text": FileOption(str, "the column of the text"),
    "start": FileOption(str, "the column of the offset of the first character"),
    "end": FileOption(str, "the column of the offset after the last character"),
    "separator": FileOption(
        {name: name for name in SEPARATORS}.__getitem__,
        f"{', '.join(SEPARATORS)} (default: auto-detected)",
    ),
    "quotes": FileOption(
        lambda text: _YES_NO[text.lower()],
        "yes or no: whether quotation marks enclose cells",
    ),
    "names": RECORD_OPTIONS["names"],
    **SHARED_OPTIONS,
}


class Layout(NamedTuple):
    """What a row of a file is, and where its columns are."""

    dialect: Dialect
    names: list[str]
    columns: Columns
    row_is: str


@dataclass(frozen=True, eq=False)
class CsvFile(Source):
    """A table with a header line, and how to read it.

    `token`, `label`, `sentence`, `document`, `text`, `start` and `end` name columns (default:
    auto-detected by their usual names); docs/formats/tables.md explains all options.

    >>> data = b"sentence_id,token,label\\n1,Ada,B-PER\\n1,spoke,O\\n"
    >>> [chunk] = CsvFile(FileBytes("a.csv", data=data)).chunks(Coding())
    >>> chunk.words(0), chunk.mentions().end.tolist()
    (['Ada', 'spoke'], [1])
    """

    data: FileBytes
    token: str | None = None
    label: str | None = None
    sentence: str | None = None
    document: str | None = None
    text: str | None = None
    start: str | None = None
    end: str | None = None
    separator: str | None = None
    quotes: bool = True
    names: Sequence[str] | None = None
    scheme: str | None = None
    encoding: str = "utf-8"
    tokens: str = SAME
    sentences: str = SAME
    metadata: tuple[str, ...] = ()  # columns that facets use
    byte_range: ByteRange | None = None  # of a part of the file
    has_token_bytes = True
    work_per_byte: ClassVar[int] = 4

    def __post_init__(self) -> None:
        for option, known in (
            ("tokens", (SAME, ANY, ALIGN)),
            ("sentences", (SAME, ANY)),
            ("separator", (None, *SEPARATORS)),
            ("quotes", (True, False)),
        ):
            value = getattr(self, option)
            if value not in known:
                raise UsageError(
                    self.name,
                    f"invalid value {option}={value!r}",
                    f"give {FILE_OPTIONS[option].give}",
                )
        if self.scheme is not None:
            scheme_named(self.scheme)
        check_encoding(self.name, self.encoding)

    @property
    def name(self) -> str:  # type: ignore[override]
        return self.data.name

    @property
    def info(self) -> SourceInfo:
        return SourceInfo(
            self.name,
            respells=self.tokens == ANY,
            rebreaks=self.sentences == ANY,
            retokenised=self.tokens == ALIGN or self.layout.row_is in (TEXTS, MENTIONS),
            is_small=self.data.size <= _SMALL,
        )

    @property
    def always_flat(self) -> bool:  # type: ignore[override]
        """Whether it contains labels."""
        return self.layout.row_is in (TOKENS, SENTENCES)

    @cached_property
    def layout(self) -> Layout:
        """The layout of the rows, detected from the header and the first rows."""
        head = self.data.head().decode(self.encoding, "replace").removeprefix("\ufeff")
        separator = SEPARATORS[self.separator] if self.separator else None
        dialect = detect_dialect(head, separator, self.quotes, _are_known)
        rows = _with_content(table_rows(self.data, self.encoding, dialect), dialect)
        header = next(rows, None)
        if header is None:
            raise InputError(
                self.name, "the file contains no sentences", "check that it is the right file"
            )
        names = [name.strip() for name in header.cells]
        first_rows = [row.cells for row in islice(rows, _FIRST_ROWS)]
        # R writes no name above the column of row names.
        if first_rows and len(first_rows[0]) == len(names) + 1:
            names = ["", *names]
        columns = columns_of(names, self._chosen(names), first_rows)
        if columns is None:
            raise self._unknown_layout(names, f"{self.name}:{header.line}")
        return Layout(dialect, names, columns, self._row_is(columns, first_rows))

    def _chosen(self, names: Sequence[str]) -> dict[str, int]:
        """The columns that the options name, by name or by number."""
        options = {option: getattr(self, option) for option in _COLUMN_OPTIONS}
        return {
            option: self._column(str(value), names)
            for option, value in options.items()
            if value is not None
        }

    def _column(self, given: str, names: Sequence[str]) -> int:
        for same in (str, spelling):
            matching = [at for at, name in enumerate(names) if same(name) == same(given)]
            if matching and given:
                return matching[0]
        if _NUMERIC.fullmatch(given) and -len(names) <= int(given) < len(names):
            return int(given) % len(names)
        raise UsageError(
            self.name, f"unknown column '{shortened(given)}'", suggest(given, filter(None, names))
        )

    def _unknown_layout(self, names: Sequence[str], place: str) -> FormatError:
        if any(_LABEL.fullmatch(name) for name in names):
            return FormatError(
                place,
                f"the first line, {_shown(names)}, does not name the columns",
                "add a header line, as in sentence_id,token,label; for columns that are separated "
                f"by tabs or spaces: {file_option(place, 'format=conll')}",
            )
        return FormatError(
            place,
            f"unknown layout of a table, with the columns {_shown(names)}",
            f"{file_option(place, 'token=COLUMN,label=COLUMN')} for one token or sentence per row; "
            f"{file_option(place, 'text=COLUMN,start=COLUMN,end=COLUMN,label=COLUMN')} for one "
            "mention per row",
        )

    def _row_is(self, columns: Columns, rows: Sequence[Sequence[str]]) -> str:
        if columns.token is None or columns.label is None:
            return MENTIONS
        for row in rows:
            if max(columns.token, columns.label) >= len(row):
                continue
            kind = self._kind_of(row[columns.token], row[columns.label])
            if kind is not None:
                return kind
        return TOKENS

    def _kind_of(self, token: str, label: str) -> str | None:
        """What the row of a token and a label is; None if it may be a token."""
        listed = list_in(label)
        if listed is not None:
            are_labels = all(isinstance(item, str | int) for item in listed)
            has_words = list_in(token) is not None
            # An empty list may be the labels of an empty sentence, or the mentions of a text.
            return SENTENCES if are_labels and (listed or has_words) else TEXTS if token else None
        labels, words = labels_in(label), list_in(token) or words_in(token)
        bare = scheme_named(self.scheme).bare if self.scheme else None
        are_several = 1 < len(labels) == len(words) and all(
            parse_label(text, bare) or (self.names and _NUMERIC.fullmatch(text)) for text in labels
        )
        return SENTENCES if are_several else None

    def chunks(self, coding: Coding, *, tokens: bool = True) -> Iterator[Corpus]:
        """Chunks of whole sentences or texts."""
        row_is = self.layout.row_is
        if row_is in (TEXTS, MENTIONS):
            records = self._texts if row_is == TEXTS else self._mentions
            return text_source(self.name, records).chunks(coding, tokens=tokens)
        scheme = scheme_named(self.scheme) if self.scheme else None
        if row_is == TOKENS:
            return self._token_chunks(coding, scheme, tokens)
        return gather_chunks(self._sentence_rows(), self.name, coding, scheme)

    def _token_chunks(
        self, coding: Coding, scheme: Scheme | None, tokens: bool
    ) -> Iterator[Corpus]:
        """Sentences of rows of tokens: as columns, or one by one from the first odd row on."""
        done = 0
        for columns in self._token_columns() if self.names is None else ():
            corpus = columns and columns.corpus(self.name, coding, scheme, encoded=tokens)
            if corpus is None:
                break
            done += len(corpus)
            yield corpus
        else:
            if done:
                return
        others = islice(self._sentences_of_tokens(), done, None)
        yield from gather_chunks(others, self.name, coding, scheme)

    def _token_columns(self) -> Iterator[SentenceColumns | None]:
        layout = self.layout
        at = {name: self._column(name, layout.names) for name in self.metadata}
        places = layout.columns
        columns = TokenColumns(
            *(places.token or 0, places.label or 0, places.sentence, places.document),
            *(at, len(layout.names)),
        )
        return sentence_columns(self._batches(), columns)

    def _batches(self) -> Iterator[RowBatch]:
        """The rows after the header; a blank line is a row without cells."""
        layout = self.layout
        has_header = self.byte_range is None or self.byte_range.begin == 0
        for batch in row_batches(self.data, self.encoding, layout.dialect, self.byte_range):
            lines, rows, is_last = batch
            if has_header:
                header = next(_with_content(map(Row, lines, rows), layout.dialect), None)
                if header is not None:
                    behind = lines.index(header.line) + 1
                    lines, rows, has_header = lines[behind:], rows[behind:], False
            yield RowBatch(lines, [row if any(row) else [] for row in rows], is_last)

    def edited(self, edit: MentionEdit) -> EditedFile | None:
        """The file with other labels; None if a row is not a token, or not a line."""
        column = self.layout.columns.label
        if self.layout.row_is != TOKENS or column is None:
            return None
        from nerscope.formats.tables.editing import edited_rows  # rarely needed

        labels = {at: self._written(label) for at, label in edit.labels.items()}
        given = {at: label for at, label in labels.items() if label is not None}
        with self.data.open() as stream:
            text = stream.read().decode(self.encoding)
        new = edited_rows(text, self._batches(), given, column, self.layout.dialect)
        if new is None or len(given) < len(labels):
            return None
        data = new.encode(self.encoding)
        return EditedFile(data, self._with(data=FileBytes(self.name, data=data)))

    def _written(self, label: str) -> str | None:
        """A label as the file writes it, perhaps as a number; None if it has no number."""
        if self.names is None:
            return label
        return str(list(self.names).index(label)) if label in self.names else None

    @property
    def cuttable(self) -> "CsvFile | None":
        """The file, if every row is a sentence or a text, or names the sentence of its token."""
        row_is, columns = self.layout.row_is, self.layout.columns
        can_be_cut = (
            (row_is in (SENTENCES, TEXTS) or (row_is == TOKENS and columns.sentence is not None))
            and columns.document is None  # documents are numbered from the start of the file
            and not (self.info.rebreaks or self.tokens == ALIGN)
            and codecs.lookup(self.encoding).name in ("utf-8", "ascii")
            and self.byte_range is None
            and self.data.is_plain  # workers read the header themselves
        )
        return self if can_be_cut else None

    @property
    def stored_size(self) -> int:
        return self.data.size

    @property
    def plain_size(self) -> int | None:
        return self.data.size

    def cutter(self, *, counts: bool) -> ByteCutter:
        is_token = self.layout.row_is == TOKENS
        sentence = self.layout.columns.sentence if is_token else None
        return ByteCutter(self.data, RowBreaks(self.layout.dialect, sentence), counts=counts)

    def for_parts(self) -> "CsvFile":
        return self

    def part(self, cut: ByteRange) -> "CsvFile":
        return self._with(byte_range=cut)

    def with_records(self, metadata: Sequence[str] = ()) -> "CsvFile":
        for column in metadata:
            self._column(column, self.layout.names)  # an unknown column is refused
        return self._with(metadata=tuple(metadata))

    def _facts(self, cells: Sequence[str], key: int | None) -> RecordFacts:
        """What a row says about its sentence or text; `key` is the column of its id."""
        own = cells[key] if key is not None else ""
        if not own and not self.metadata:
            return NO_FACTS
        columns = {name: self._column(name, self.layout.names) for name in self.metadata}
        meta = {name: cells[at] for name, at in columns.items() if cells[at]}
        return RecordFacts(own or None, None, meta)

    def _id_column(self) -> int | None:
        """The column of ids of texts: the one of documents, or one with the name id."""
        names = [spelling(name) for name in self.layout.names]
        named = names.index(ID) if ID in names else None
        return self.layout.columns.document if named is None else named

    def _rows(self) -> Iterator[Row]:
        """The rows after the header; a blank line is a row without cells."""
        width = len(self.layout.names)
        for lines, rows, _ in self._batches():
            for row in map(Row, lines, rows):
                if row.cells and len(row.cells) != width:
                    place = f"{self.name}:{row.line}"
                    raise FormatError(
                        place,
                        f"{plural(len(row.cells), 'column')} where the header has {width}",
                        "put cells that contain the separator between quotation marks; "
                        + quotes_fix(place),
                    )
                yield row

    def _sentences_of_tokens(self) -> Iterator[SentenceBatch]:
        """Sentences of rows of tokens.

        A sentence begins after a blank line, and where the value of the sentence or document
        changes. An empty value continues the sentence: spreadsheets often give the value in the
        first row only.
        """
        columns = self.layout.columns
        word_at, label_at = columns.token or 0, columns.label or 0
        marks = [at for at in (columns.sentence, columns.document) if at is not None]
        labels_by_text = _LabelTexts(self)
        known = labels_by_text.known
        words: list[str] = []
        labels: list[str] = []
        last = [""] * len(marks)
        begin, document, n_breaks = 0, 0, 0
        facts = NO_FACTS

        def sentence() -> ParsedSentence:
            item = read_sentence({"tokens": words, "labels": labels}, f"{self.name}:{begin}", begin)
            return item._replace(document=document, facts=facts)

        for line, cells in self._rows():
            if not cells:
                if words:
                    n_breaks += 1
                    yield SentenceBatch([sentence()])
                    words, labels = [], []
                continue
            given = [cells[at] or before for at, before in zip(marks, last, strict=True)]
            if given != last:
                if words:
                    yield SentenceBatch([sentence()])
                    words, labels = [], []
                is_new = columns.document is not None and given[-1] != last[-1]
                # The first document has number 0, even if it begins after rows without a name.
                document += is_new and (last[-1] != "" or document > 0)
                last = given
            word, text = cells[word_at], cells[label_at]
            label = known.get(text)
            if label is None or not word or "\n" in word or "\r" in word:
                place = f"{self.name}:{line}"
                self._check_word(word, cells, place)
                label = labels_by_text.label(text, place)
            if not words:
                begin, facts = line, self._facts(cells, columns.sentence)
            words.append(word)
            labels.append(label)
        if words:
            is_unmarked = not marks and not n_breaks and len(words) > 1
            yield SentenceBatch([sentence()], {UNMARKED: Note(1)} if is_unmarked else {})

    def _check_word(self, word: str, cells: Sequence[str], place: str) -> None:
        columns, names = self.layout.columns, self.layout.names
        if empty := [names[at] for at in (columns.token or 0, columns.label or 0) if not cells[at]]:
            raise _missing_values(empty, place)
        if "\n" in word or "\r" in word:
            raise FormatError(
                place, f"the token '{shortened(word)}' contains a line end", quotes_fix(place)
            )

    def _sentence_rows(self) -> Iterator[SentenceBatch]:
        """The sentences of rows with lists of tokens and labels."""
        columns, names = self.layout.columns, self.layout.names
        word_at, label_at = columns.token or 0, columns.label or 0
        labels_by_text = _LabelTexts(self)
        document, last = 0, ""
        for line, cells in self._rows():
            if not cells:
                continue
            place = f"{self.name}:{line}"
            if empty := [names[at] for at in (word_at, label_at) if not cells[at].strip()]:
                raise _missing_values(empty, place)
            words, labels = list_in(cells[word_at]), list_in(cells[label_at])
            if words is None:
                words = words_in(cells[word_at])
            if labels is None:
                labels = labels_in(cells[label_at])
            if not words and not labels:
                continue
            texts = [labels_by_text.label(label, place) for label in labels]
            # Python writes a list of tokens such as 1914 without quotation marks.
            tokens = [str(word) if type(word) is int else word for word in words]
            given = "" if columns.document is None else cells[columns.document]
            document += bool(last and given and given != last)
            last = given or last
            item = read_sentence({"tokens": tokens, "labels": texts}, place, line)
            facts = self._facts(cells, self._id_column())
            yield SentenceBatch([item._replace(document=document, facts=facts)])

    def _texts(self) -> Iterator[Record]:
        """The texts of rows with a list of mentions."""
        columns, names = self.layout.columns, self.layout.names
        text_at, label_at = columns.token or 0, columns.label or 0
        for line, cells in self._rows():
            if not cells:
                continue
            place = f"{self.name}:{line}"
            spans = list_in(cells[label_at] or "[]")
            if not cells[text_at]:
                raise _missing_values([names[text_at]], place)
            if spans is None:
                raise FormatError(
                    place,
                    f"'{shortened(cells[label_at])}' is not a list of mentions",
                    'write mentions as [{"start": 0, "end": 3, "label": "PER"}]',
                )
            record = read_record({"text": cells[text_at], "spans": spans}, place, line, self.names)
            assert isinstance(record, Record)
            yield record._replace(facts=self._facts(cells, self._id_column()))

    def _mentions(self) -> Iterator[Record]:
        """The texts of rows with one mention each."""
        survey = self._survey
        keyed = self._keyed_records(survey)
        if survey.is_grouped:
            return _joined(keyed)
        # Rows of a text are apart, so all texts are held until the end of the file.
        records: dict[_Key, Record] = {}
        for key, record in keyed:
            known = records.setdefault(key, record._replace(spans=[]))
            assert isinstance(known.spans, list)
            known.spans.extend(record.spans)
        return iter(records.values())

    @cached_property
    def _survey(self) -> "_Survey":
        """Whether rows name their document, and whether the rows of each text are together."""
        column = self.layout.columns.document
        by_document, by_text = _Groups(), _Groups()
        n_rows, ids = 0, set[str]()
        for key, _ in self._keys(_Survey(uses_document=True, is_grouped=True)):
            by_document.add(key)
            by_text.add(_Key("", *key[1:]))
            n_rows += 1
            ids.add(key.document)
        may_count_rows = column is not None and spelling(self.layout.names[column]) == ID
        # An id that is unique in each row is the number of a mention, if texts are repeated.
        if may_count_rows and self.document is None and len(ids) == n_rows > by_text.n_groups:
            return _Survey(False, by_text.is_grouped)
        return _Survey(True, by_document.is_grouped)

    def _keys(self, survey: "_Survey") -> Iterator[tuple["_Key", Row]]:
        """The document, sentence and text of each row; only the first row may have the text.

        The text is None if it is in no row before. Texts of documents whose rows are apart are
        held.
        """
        columns = self.layout.columns
        marks = [columns.document if survey.uses_document else None, columns.sentence]
        assert columns.text is not None
        texts: dict[tuple[str, str], str] = {}
        last = ("", "")
        for row in self._rows():
            if not row.cells:
                continue
            document, sentence = (
                before if at is None else row.cells[at] or before
                for at, before in zip(marks, last, strict=True)
            )
            last = document, sentence
            text = row.cells[columns.text]
            if text and survey.is_grouped:
                texts = {last: text}
            elif text:
                texts[last] = text
            yield _Key(document, sentence, texts.get(last)), row

    def _keyed_records(self, survey: "_Survey") -> Iterator[tuple["_Key", Record]]:
        """A record with the mention of each row, or without one."""
        columns, names = self.layout.columns, self.layout.names
        at = (columns.start or 0, columns.end or 0, columns.label or 0)
        for key, (line, cells) in self._keys(survey):
            place = f"{self.name}:{line}"
            if key.text is None:
                raise _missing_values([names[columns.text or 0]], place)
            start, end, kind = (cells[column].strip() for column in at)
            facts = self._facts(cells, columns.sentence or columns.document)
            if not (start or end or kind):
                yield key, Record(key.text, [], line, facts=facts)
                continue
            if not (start and end and kind):
                raise _missing_values([names[k] for k in at if not cells[k].strip()], place)
            if not (_OFFSET.fullmatch(start) and _OFFSET.fullmatch(end)):
                raise FormatError(
                    place,
                    f"'{shortened(start)}' and '{shortened(end)}' are not offsets",
                    "give offsets as whole numbers, counted from 0",
                )
            fragment = int(start.partition(".")[0]), int(end.partition(".")[0])
            if self.names is not None and _NUMERIC.fullmatch(kind):
                kind = name_of(int(kind), self.names, place)
            if columns.surface is not None and cells[columns.surface]:
                check_surface(
                    SpanMark((fragment,), [kind], cells[columns.surface]), key.text, place
                )
            span = TextSpan((fragment,), kind)
            trim_span(span, key.text, place)  # raises the error at the row of the mention
            yield key, Record(key.text, [span], line, facts=facts)

    def with_options(self, options: Mapping[str, Any]) -> "CsvFile":
        for key in options:
            if key not in FILE_OPTIONS:
                raise UsageError(
                    self.name, f"unknown file option '{key}'", suggest(key, FILE_OPTIONS)
                )
        return self._with(**options)

    def _with(self, **changes: Any) -> "CsvFile":
        given = {field.name: getattr(self, field.name) for field in fields(self)}
        return CsvFile(**{**given, **changes})


class _Key(NamedTuple):
    """Rows with an equal key have mentions of the same text."""

    document: str
    sentence: str
    text: str | None


class _Survey(NamedTuple):
    uses_document: bool
    is_grouped: bool


class _Groups:
    """Counts groups of equal keys, and notices if a group continues after another one."""

    def __init__(self) -> None:
        self.n_groups, self.is_grouped = 0, True
        self._seen, self._last = set[int](), 0  # hashes, because texts may be long

    def add(self, key: _Key) -> None:
        code = hash(key)
        if self.n_groups and code == self._last:
            return
        self.is_grouped = self.is_grouped and code not in self._seen and key.text is not None
        self._seen.add(code)
        self._last = code
        self.n_groups += 1


def _joined(keyed: Iterable[tuple[_Key, Record]]) -> Iterator[Record]:
    """The records with the mentions of all rows that follow each other with an equal key."""
    for _, group in groupby(keyed, key=itemgetter(0)):
        records = [record for _, record in group]
        yield records[0]._replace(spans=[span for record in records for span in record.spans])


class _LabelTexts:
    """Checks each distinct label once, at the first row that has it."""

    def __init__(self, file: CsvFile) -> None:
        self._bare = scheme_named(file.scheme).bare if file.scheme else None
        self._names = file.names
        self.known: dict[str | int, str] = {}

    def label(self, given: object, place: str) -> str:
        if not isinstance(given, str | int):
            raise FormatError(
                place, f"'{shortened(str(given))}' is not a label", "give labels as strings"
            )
        if given not in self.known:
            self.known[given] = self._checked(given, place)
        return self.known[given]

    def _checked(self, given: str | int, place: str) -> str:
        text = str(given)
        are_numbers = self._bare is None or self._names is not None
        if are_numbers and _NUMERIC.fullmatch(text):
            text = name_of(int(text), self._names, place)
        if parse_label(text, self._bare) is None:
            raise label_error(place, text)
        return text


def _with_content(rows: Iterable[Row], dialect: Dialect) -> Iterator[Row]:
    """The rows with a value, without Excel's first line."""
    is_first = True
    for row in rows:
        if any(cell.strip() for cell in row.cells):
            if not (is_first and is_excel_line(row.cells, dialect.separator)):
                yield row
            is_first = False


def _missing_values(columns: Sequence[str], place: str) -> FormatError:
    return FormatError(
        place,
        f"missing values in {', '.join(map(repr, columns))}",
        "give every token a label (O outside mentions), and every mention a start, an end and a "
        "type",
    )


def _shown(names: Sequence[str]) -> str:
    shown = ", ".join(repr(shortened(name)) for name in names[:_MOST_SHOWN])
    return shown + (" …" if len(names) > _MOST_SHOWN else "")


def _are_known(names: Sequence[str]) -> bool:
    return len(names) > 1 and columns_of(names, {}) is not None


def fits(name: str, head: bytes) -> bool:
    """Whether a file has a header with known names, or ends in .csv and has separators.

    >>> fits("a.txt", b"Sentence #,Word,Tag\\n"), fits("a.tsv", b"TOKEN\\tNE-COARSE-LIT\\n")
    (True, False)
    >>> fits("a.csv", b"w1,w2\\n"), fits("a.csv", b"Ada B-PER\\n, O\\n")
    (True, False)
    """
    text = head.decode("utf-8", "replace").removeprefix("\ufeff").lstrip()
    if not text or text.startswith(("{", "[", "<")):
        return False
    dialect = detect_dialect(text, None, True, _are_known)
    lines = text.splitlines()
    if _are_known(header_names(lines[0], dialect)):
        return True
    if Path(without_packing(name)).suffix.lower() != ENDING:
        return False
    complete = lines[:-1] if len(head) >= HEAD else lines
    are_columns = all(_LABEL.fullmatch(line.split()[-1]) for line in complete if line.strip())
    return not are_columns and any(sign in lines[0] for sign in (",", ";", "sep="))


def write_csv(corpus: Corpus, scheme: Scheme) -> bytes:
    """A corpus as CSV with one token per row: sentence_id, token and label, and the document.

    >>> from nerscope.corpus.schemes import BIO
    >>> write_csv(Corpus.of([(["Ada", "spoke"], ["B-PER", "O"])]), BIO)
    b'sentence_id,token,label\\n1,Ada,B-PER\\n1,spoke,O\\n'
    """
    corpus = require_tokens(corpus)
    if not corpus.is_flat:
        raise InputError(
            corpus.name,
            "its mentions overlap, and labels cannot represent overlapping mentions",
            "write a format with spans, for example OUT.jsonl",
        )
    codes = encode(corpus.mentions(), corpus.starts, corpus.coding.labels, scheme)
    labels = corpus.coding.labels.texts_in(scheme)
    if any(kind != kind.strip() for kind in corpus.coding.labels.types):
        raise InputError(
            corpus.name, "a type begins or ends with a blank, which CSV cannot hold", "rename it"
        )
    has_documents = bool((np.diff(corpus.documents) != 0).any())
    sink = io.StringIO(newline="")
    writer = csv.writer(sink, lineterminator="\n")
    writer.writerow([*(["document"] if has_documents else []), "sentence_id", "token", "label"])
    documents = corpus.documents.tolist()
    for number, (begin, end) in enumerate(pairwise(corpus.starts.tolist()), 1):
        prefix = [documents[number - 1] + 1, number] if has_documents else [number]
        words = corpus.words(number - 1)
        if any(not word or "\n" in word or "\r" in word for word in words):
            raise InputError(
                corpus.name,
                f"sentence {number} has a token that is empty or contains a line end, which CSV "
                "with one token per row cannot hold",
                "remove the token or the line end",
            )
        writer.writerows(
            [*prefix, word, labels[code]]
            for word, code in zip(words, codes[begin:end].tolist(), strict=True)
        )
    return sink.getvalue().encode()


_open: Callable[..., Source] = CsvFile
FORMATS.add(
    NAME,
    Format(
        NAME,
        _open,
        fits,
        FILE_OPTIONS,
        write_csv,
        endings=(ENDING,),
        title="CSV and TSV with a header",
        phrase="tables as text",
        definition="A header line with the names of columns, and one token, sentence, text or "
        "mention per row.",
    ),
    built_in=True,
    rank=120,
)
