"""The rows of a CSV or TSV file, and the meaning of its columns by their names."""

import csv
import io
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import accumulate, islice
from typing import TYPE_CHECKING, NamedTuple

from nerscope.corpus.corpus import file_option
from nerscope.errors import FormatError
from nerscope.formats.files import (
    ByteRange,
    FileBytes,
    open_range,
    paused_collection,
    utf8_blocks,
)

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

SEPARATORS = {"comma": ",", "tab": "\t", "semicolon": ";", "bar": "|"}
_ROWS = 10_000  # that are read at once
_LINE_END = re.compile(r"\r\n|\r|\n")
_LONGEST_CELL = 1 << 30  # characters; the default of the csv module is 131,072
_EXCEL = re.compile(r'"?sep=(.)"?\s*')  # Excel's own first line, which names the separator
_PLAIN = str.maketrans("", "", "_- .")
# A value of a column of sentence numbers, such as "12", "Sentence: 12" or "s3-12".
_NUMBER = re.compile(r"(?i)[a-z]{0,9}\W*[\d._-]+")

# The usual names of columns in lower case, without blanks, dots, _ and -. The first one that a
# table has is used.
_TOKENS = ("token", "word", "form", "wordform", "tokens", "words", "tokenizedtext")
_LABELS = (
    *("nertag", "nerlabel", "ner", "label", "tag", "bio", "biotag", "iob", "iobtag", "entitytag"),
    *("nertags", "nerlabels", "labels", "tags", "biotags", "iobtags", "entity", "spans"),
    *("entities", "annotations", "ne", "netag", "nelabel", "iob2", "bioes", "bilou"),
)
_TYPES = (
    *("label", "entitytype", "entitylabel", "type", "nerlabel", "nertag", "ner", "tag"),
    *("category", "entitygroup", "class", "labels", "entity"),
)
_SENTENCES = (
    *("sentence#", "sentenceid", "sentid", "sentenceno", "sentencenumber", "sentencenum"),
    *("sentenceidx", "sentidx", "sentenceindex", "sentnum", "sent#", "sent", "sentence"),
)
_DOCUMENTS = (
    *("docid", "documentid", "document", "doc", "docname", "documentname", "textid", "articleid"),
    *("recordid", "filename", "file", "docno", "pmid"),
)
ID = "id"  # the number of a document, or of a row
_TEXTS = ("fulltext", "documenttext", "doctext", "sentencetext", "context", "content", "sentence")
_STARTS = (
    *("start", "startchar", "startoffset", "startposition", "startpos", "startidx", "startindex"),
    *("charstart", "spanstart", "begin", "beginoffset", "beginchar", "offsetstart"),
)
_ENDS = (
    *("end", "endchar", "endoffset", "endposition", "endpos", "endidx", "endindex", "charend"),
    *("spanend", "stop", "offsetend"),
)
_SURFACES = ("mention", "surface", "mentiontext", "spantext", "entitytext", "span", "text")


class Dialect(NamedTuple):
    """How a file separates cells, and whether quotation marks enclose them."""

    separator: str
    quotes: bool = True
    skips_blanks: bool = False  # after a separator, as in "token, label"


class Row(NamedTuple):
    """The cells of a row, and the line where it begins."""

    line: int
    cells: list[str]


class Columns(NamedTuple):
    """The indices of the columns that are read; None for those that a table does not have."""

    token: int | None = None
    label: int | None = None
    sentence: int | None = None
    document: int | None = None
    text: int | None = None
    start: int | None = None
    end: int | None = None
    surface: int | None = None


class _BlockStream(io.RawIOBase):
    """Blocks of bytes as a stream."""

    def __init__(self, blocks: Iterator[bytes]) -> None:
        self._blocks, self._rest = blocks, memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: "WriteableBuffer", /) -> int:
        target = memoryview(buffer)
        while not self._rest:
            block = next(self._blocks, None)
            if block is None:
                return 0
            self._rest = memoryview(block)
        size = min(len(target), len(self._rest))
        target[:size] = self._rest[:size]
        self._rest = self._rest[size:]
        return size


class RowBatch(NamedTuple):
    """Some rows, and the line on which each begins; `is_last` if no row comes after them."""

    lines: list[int]
    rows: list[list[str]]
    is_last: bool


def table_rows(
    data: FileBytes, encoding: str, dialect: Dialect, span: ByteRange | None = None
) -> Iterator[Row]:
    """The rows of a file, with the header; line ends inside cells stay as they are.

    >>> data = FileBytes("a.csv", data=b'token,label\\n"Ada, Lee",B-PER\\n')
    >>> [row.cells for row in table_rows(data, "utf-8", Dialect(","))]
    [['token', 'label'], ['Ada, Lee', 'B-PER']]
    """
    for batch in row_batches(data, encoding, dialect, span):
        yield from map(Row, batch.lines, batch.rows)


def row_batches(
    data: FileBytes, encoding: str, dialect: Dialect, span: ByteRange | None = None
) -> Iterator[RowBatch]:
    """The rows of a file or of a part of it, many at once; the last batch may be empty."""
    if csv.field_size_limit() < _LONGEST_CELL:  # a cell may be a long text
        csv.field_size_limit(_LONGEST_CELL)
    before = 0 if span is None else span.line - 1
    with open_range(data, span) as stream:
        blocks = _BlockStream(utf8_blocks(stream, data.name, encoding, not span or not span.begin))
        # With newline="", line ends are not changed, so offsets into cells stay valid.
        lines = io.TextIOWrapper(io.BufferedReader(blocks), "utf-8", newline="")
        reader = csv.reader(
            lines,
            delimiter=dialect.separator,
            quoting=csv.QUOTE_MINIMAL if dialect.quotes else csv.QUOTE_NONE,
            skipinitialspace=dialect.skips_blanks,
            strict=True,
        )
        is_last = False
        while not is_last:
            first, rows, error = before + reader.line_num, list[list[str]](), None
            try:
                with paused_collection():
                    rows.extend(islice(reader, _ROWS))  # the rows before an error stay
            except csv.Error as found:
                error = found
            is_last = len(rows) < _ROWS
            begins = list(range(first + 1, first + len(rows) + 1))
            if before + reader.line_num != first + len(rows):  # some rows have several lines
                sizes = [1 + sum(len(_LINE_END.findall(cell)) for cell in row) for row in rows]
                begins = list(accumulate(sizes, initial=first + 1))
            yield RowBatch(begins[: len(rows)], rows, is_last and error is None)
            if error is not None:
                place = f"{data.name}:{begins[len(rows)] if len(begins) > len(rows) else first + 1}"
                raise FormatError(place, f"not valid CSV ({error})", quotes_fix(place)) from None


def quotes_fix(place: str) -> str:
    return (
        "correct the quotation marks; if they are ordinary characters: "
        f"{file_option(place, 'quotes=no')}"
    )


def is_excel_line(cells: Sequence[str], separator: str) -> bool:
    """Whether a row is the line `sep=;` that Excel understands."""
    return _EXCEL.fullmatch(separator.join(cells)) is not None


def detect_dialect(
    head: str, separator: str | None, quotes: bool, is_known: Callable[[Sequence[str]], bool]
) -> Dialect:
    """The dialect in which the first line has known names, or else the most names.

    >>> detect_dialect("id;token;label\\n1;Ada, Lee;B-PER\\n", None, True, lambda names: False)
    Dialect(separator=';', quotes=True, skips_blanks=False)
    """
    lines = [line for line in re.split(r"\r\n|\r|\n", head) if line.strip()]
    if lines and (excel := _EXCEL.fullmatch(lines[0])):
        separator, lines = separator or excel[1], lines[1:]
    line = lines[0] if lines else ""
    dialects = [
        Dialect(sign, quotes, _has_blanks_after(sign, line))
        for sign in ([separator] if separator else SEPARATORS.values())
    ]
    named = [(header_names(line, dialect), dialect) for dialect in dialects]
    known = (dialect for names, dialect in named if is_known(names))
    return next(known, max(named, key=lambda pair: len(pair[0]))[1])


def _has_blanks_after(separator: str, line: str) -> bool:
    names = line.split(separator)[1:]
    return bool(names) and all(name.startswith(" ") for name in names)


def header_names(line: str, dialect: Dialect) -> list[str]:
    """The names of the columns in a header line.

    >>> header_names(',"Sentence #",Word', Dialect(","))
    ['', 'Sentence #', 'Word']
    """
    try:
        rows = list(
            csv.reader(
                [line],
                delimiter=dialect.separator,
                quoting=csv.QUOTE_MINIMAL if dialect.quotes else csv.QUOTE_NONE,
            )
        )
    except (csv.Error, TypeError):  # TypeError: a sign that the csv module does not take
        return [line]
    return [name.strip() for name in rows[0]] if rows else []


def spelling(name: str) -> str:
    """A name in lower case, without blanks, dots, _ and -.

    >>> spelling("Sentence #"), spelling("ner_tag")
    ('sentence#', 'nertag')
    """
    return name.translate(_PLAIN).lower()


def columns_of(
    names: Sequence[str], chosen: Mapping[str, int], first_rows: Sequence[Sequence[str]] = ()
) -> Columns | None:
    """The columns of a table by their names; None if they make no known layout.

    `chosen` has the columns that the options name. The values in `first_rows` decide whether a
    column `sentence` has the text or the number of a sentence.

    >>> columns_of(["", "Sentence #", "Word", "POS", "Tag"], {})[:3]
    (2, 4, 1)
    >>> columns_of(["TOKEN", "NE-COARSE-LIT"], {}) is None
    True
    """
    # Reversed, so that the first of two columns with the same spelling is used.
    at = {spelling(name): column for column, name in reversed(list(enumerate(names)))}
    free = {name: column for name, column in at.items() if column not in chosen.values()}
    if "sentence" in free and _are_numbers(first_rows, free["sentence"]):
        texts = tuple(name for name in _TEXTS if name != "sentence")
    else:
        texts = _TEXTS

    def find(role: str, usual: Iterable[str], taken: Sequence[int | None] = ()) -> int | None:
        found = (free[name] for name in usual if name in free and free[name] not in taken)
        return chosen.get(role, next(found, None))

    start, end = find("start", _STARTS), find("end", _ENDS)
    text, kind = find("text", (*texts, "text")), find("label", _TYPES)
    if None not in (start, end, text, kind) and "token" not in chosen:
        sentence = find("sentence", _SENTENCES, [text])
        document = find("document", (*_DOCUMENTS, ID), [text])
        surface = find("", _SURFACES, [text, kind])
        return Columns(None, kind, sentence, document, text, start, end, surface)
    label = find("label", _LABELS)
    token = chosen.get("text", find("token", (*_TOKENS, *texts, "text"), [label]))
    if token is None or label is None or token == label or {"start", "end"} & set(chosen):
        return None
    sentence = find("sentence", _SENTENCES, [token])
    return Columns(token, label, sentence, find("document", _DOCUMENTS, [token]))


def _are_numbers(rows: Sequence[Sequence[str]], column: int) -> bool:
    """Whether the values of a column are numbers of sentences, as far as they are given."""
    cells = [row[column] for row in rows if column < len(row) and row[column].strip()]
    return bool(cells) and all(_NUMBER.fullmatch(cell.strip()) for cell in cells)
