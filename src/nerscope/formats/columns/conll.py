"""CoNLL columns: one token per line, its label in a column, blank lines between sentences."""

import codecs
import os
import re
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import numpy as np

from nerscope.corpus.arrays import Bools, Ints
from nerscope.corpus.corpus import Coding, Corpus, ReadingNotes, file_option
from nerscope.corpus.mentions import encode
from nerscope.corpus.schemes import LABEL_FIXES, OUTSIDE_LABEL, Scheme, Transitions, scheme_named
from nerscope.corpus.vocabulary import Fields
from nerscope.errors import FormatError, InputError, UsageError, expect, plural, suggest
from nerscope.formats.base import FALLBACK, FORMATS, FileOption, Format
from nerscope.formats.columns.column_file import (
    BOM,
    SAME,
    SHARED_OPTIONS,
    ColumnFile,
    LabelColumn,
)
from nerscope.formats.columns.layout import LineBlock, lay_out
from nerscope.formats.columns.sentence_breaks import SentenceBreaks
from nerscope.formats.columns.suspicions import (
    are_labels,
    bare_labels,
    refuse_header,
    refuse_other_line,
    suspicious_tokens,
    without_prefix,
)
from nerscope.formats.cutting import ByteCutter
from nerscope.formats.files import HEAD, STANDARD_INPUT, ByteRange, FileBytes
from nerscope.formats.packing import without_packing
from nerscope.formats.source import Source

_MOST_COLUMNS = 10_000
_BYTEWISE = ("utf-8", "ascii", "iso8859-1", "cp1252")  # encodings in which a newline is one byte
SEPARATORS = {"tab": b"\t", "space": b" "}
# Comments with which only CoNLL-U files and similar ones begin.
# GermEval's begin with the address of a text, those of KLUE with two signs.
_CONLLU = re.compile(
    rb"\s*#(?: ?(sent_id|text|newdoc|newpar|global\.columns|id)\b|\thttps?://"
    rb"|# (?!(?:[^\n]*\s)?(?:O|[A-Z]-\S+)\s*(?:\n|\Z)))"
)
_DOCUMENT = "-DOCSTART-"
ENDINGS = (
    *(".conll", ".txt", ".tsv", ".bio", ".bio2", ".iob", ".iob1", ".iob2", ".bioes", ".iobes"),
    *(".bilou", ".col", ".out", ".pred"),
)
_LABEL = re.compile(rb"O|[A-Z]-[^|]+")
_BREAKS = re.compile(r"[\t\r\n]")
_YES_NO = {"yes": True, "true": True, "no": False, "false": False}
ALL_LINES = "all"  # the value of comments= for which every line that begins with # is a comment
_COMMENTS: Mapping[str, bool | str] = {**_YES_NO, ALL_LINES: ALL_LINES}


def _label_columns(text: str) -> int | tuple[int, ...]:
    """The label column, or the columns of several layers.

    >>> _label_columns("-1"), _label_columns("2+3")
    (-1, (2, 3))
    """
    columns = tuple(map(int, text.split("+")))
    return columns if len(columns) > 1 else columns[0]


FILE_OPTIONS: Mapping[str, FileOption] = {
    "token": FileOption(int, "the column of the token: 0 is the first, -1 the last"),
    "label": FileOption(
        _label_columns,
        "the column of the label: 0 is the first, -1 the last; 2+3 reads two columns as layers",
    ),
    "document": FileOption(int, "the column that names the document, if there is one"),
    "separator": FileOption(str, "tab or space (default: auto-detected)"),
    **SHARED_OPTIONS,
    "mend": FileOption(
        {name: name for name in LABEL_FIXES}.__getitem__,
        "handles, which joins @ and the name after it to one mention",
    ),
    "comments": FileOption(
        lambda text: _COMMENTS[text.lower()],
        "yes or no: whether lines that begin with # are comments; all: inside sentences, too",
    ),
    "header": FileOption(
        lambda text: _YES_NO[text.lower()], "yes or no: whether the first line names the columns"
    ),
    "prefix": FileOption(str, "the prefix of every token that is removed, such as en:"),
}


@dataclass(frozen=True, slots=True)
class ConllFile(ColumnFile):
    """A file with one token per line, and how to read it.

    `token`, `label` and `document` are columns: 0 is the first, -1 the last. `separator`, `scheme`
    and `comments` are detected at the beginning of the file if they are None. With `header`, the
    first line is skipped; `prefix` is removed from tokens that begin with it. `tokens` and
    `sentences` define how the tokens and sentences of a system may differ from gold, `mend` how
    labels are corrected; docs/files.md explains all options. `byte_range` is the part of the file
    that is read (default: the whole file).

    >>> file = ConllFile("da.conllu", token=1, label=2)
    >>> file.name, file.token, file.label
    ('da.conllu', 1, 2)
    """

    max_small: ClassVar[int] = 16 << 20
    file_options: ClassVar[Mapping[str, FileOption]] = FILE_OPTIONS
    path: str | os.PathLike[str] | FileBytes
    token: int = 0
    label: int = -1
    separator: str | None = None
    scheme: str | None = None
    encoding: str = "utf-8"
    comments: bool | str | None = None
    tokens: str = SAME
    sentences: str = SAME
    mend: str | None = None
    document: int | None = None
    byte_range: ByteRange | None = None
    header: bool = False
    prefix: str = ""
    name: str = field(init=False, compare=False)
    always_flat = True
    work_per_byte: ClassVar[int] = 1

    def __post_init__(self) -> None:
        # A file that does not exist yet is opened when it is read.
        if not isinstance(self.path, FileBytes) and _exists(self.path):
            object.__setattr__(self, "path", FileBytes.of(self.path))
        name = self.path.name if isinstance(self.path, FileBytes) else os.fsdecode(self.path)
        object.__setattr__(self, "name", name)
        for option in ("token", "label", *(["document"] if self.document is not None else [])):
            value = getattr(self, option)
            expect(option, value, int, f"give {FILE_OPTIONS[option].give}")
            if abs(value) > _MOST_COLUMNS:
                raise UsageError(
                    self.name,
                    f"invalid value {option}={value}",
                    f"count columns from 0: {file_option(self.name, f'{option}=1')}",
                )
        if self.comments != ALL_LINES:
            expect("comments", self.comments, (bool, type(None)), "give True, False or 'all'")
        expect("header", self.header, bool, "give True or False")
        expect("prefix", self.prefix, str, f"give {FILE_OPTIONS['prefix'].give}")
        if self.header and self.byte_range is None:
            # The whole file as one range: it is not divided into shards, which have no header.
            object.__setattr__(self, "byte_range", ByteRange(0, None, 1))
        if self.separator is not None and self.separator not in SEPARATORS:
            raise UsageError(
                self.name,
                f"unknown separator '{self.separator}'",
                suggest(self.separator, SEPARATORS),
            )
        choices = ["tokens", "sentences", *(["mend"] if self.mend is not None else [])]
        self.check_options(choices)

    @property
    def column_file(self) -> "ConllFile | None":
        """The file itself, if its lines can be copied: they are read as they are written."""
        return None if self.header or self.prefix or self.comments == ALL_LINES else self

    def reader(self, coding: Coding, tokens: bool | None) -> "_ConllReader":
        """A reader of the label column."""
        return _ConllReader(self, coding, [self.label], tokens)

    def columns_reader(
        self, coding: Coding, labels: Sequence[int], tokens: bool | None
    ) -> "_ConllReader":
        """A reader of several label columns, which gives one corpus per column."""
        return _ConllReader(self, coding, labels, tokens)

    def with_options(self, options: Mapping[str, Any]) -> ColumnFile:  # type: ignore[override]
        """The file with other options; several label columns are read as layers."""
        columns = options.get("label")
        if not isinstance(columns, tuple):
            return ColumnFile.with_options(self, options)
        others = {key: value for key, value in options.items() if key != "label"}
        return open_columns(self.path, label=columns, **{**self._options(), **others})

    def _options(self) -> dict[str, Any]:
        return {key: getattr(self, key) for key in FILE_OPTIONS if key != "label"}

    def two_sides(self) -> tuple["ConllFile", "ConllFile"]:
        """The last column is the prediction and the column before it is gold, as in conlleval."""
        if self.n_columns < 3:
            raise UsageError(
                self.name,
                f"no system is given, and the file has {plural(self.n_columns, 'column')}",
                f"nerscope evaluate {self.name} OUTPUT, or a file with the columns token, gold, "
                "predicted",
            )
        # With label=-1, gold is column -2.
        return replace(self, label=self.label - 1), self

    @property
    def n_columns(self) -> int:  # type: ignore[override]
        """The number of columns of the first line with a token."""
        return len(next(self._first_rows(), []))

    def _first_rows(self) -> Iterator[list[str]]:
        """The columns of the first lines with a token; the last line may be incomplete."""
        head = self.content.head().decode(self.encoding, "replace").removeprefix(BOM)
        head = without_first_line(head) if self.header else head
        separator = detect_layout(head.encode(), self).separator.decode()
        for line in (line.strip("\r") for line in head.split("\n")):
            if line.strip() and not line.startswith("#"):
                yield list(filter(None, line.split(separator)))

    def gold_before_last(self) -> int | None:
        """The column before the last one, if both have labels of the same types.

        Such a file probably has gold and predicted labels, and its last column is not gold.
        """
        rows = [row for row in self._first_rows() if not row[0].startswith("-DOCSTART-")][:-1]
        if self.label != -1 or not rows or min(map(len, rows)) < 3:
            return None
        types = []
        for column in (-2, -1):
            parts = [row[column].partition("-") for row in rows]
            if any(not dash and letter != OUTSIDE_LABEL for letter, dash, _ in parts):
                return None
            types.append({kind for _, dash, kind in parts if dash})
        return len(rows[0]) - 2 if types[0] & types[1] else None

    def other_columns(self) -> str:
        """The file options that read the last column with labels, for the fix of an error."""
        rows = list(self._first_rows())[:-1]
        width = min(map(len, rows), default=0)
        columns = [{row[column] for row in rows} for column in range(width)]
        label = max((at for at, texts in enumerate(columns) if are_labels(texts)), default=1)
        numbered = self.token == 0 and label > 1 and all(map(str.isdecimal, columns[0]))
        return f"token=1,label={label}" if numbered else f"label={label}"

    @property
    def file(self) -> Hashable:
        """All but the label column, so that gold and predictions of a file are read together."""
        return replace(self, label=0)

    def together(
        self, members: Sequence[Source], coding: Coding, *, tokens: bool
    ) -> Iterator[list[Corpus]]:
        return self._label_columns(members, coding, tokens)

    def unread(self, members: Sequence[Source], coding: Coding) -> Iterator[list[Corpus]] | None:
        """Like `together`, with tokens as offsets into the bytes of the file."""
        return None if self.info.rebreaks else self._label_columns(members, coding, None)

    def _label_columns(
        self, members: Sequence[Source], coding: Coding, tokens: bool | None
    ) -> Iterator[list[Corpus]]:
        columns = [member.label for member in members if isinstance(member, ConllFile)]
        distinct = list(dict.fromkeys(columns))  # two systems may be the same column
        for corpora in self.read_chunks(_ConllReader(self, coding, distinct, tokens)):
            yield [corpora[distinct.index(column)] for column in columns]

    @property
    def cuttable(self) -> "ConllFile | None":
        """The file, if its sentences can be divided among several processes."""
        can_be_cut = (
            not (self.info.rebreaks or self.info.retokenised)  # sentence k is not that of gold
            and self.document is None  # documents in a column are numbered from the file's start
            and self.byte_range is None
            and codecs.lookup(self.encoding).name in _BYTEWISE
            and not self.content.is_folder
        )
        return self if can_be_cut else None

    @property
    def stored_size(self) -> int:
        """The number of bytes of the file, packed or not."""
        return self.content.size

    @property
    def plain_size(self) -> int | None:
        """The number of bytes; None if the file is packed or remote."""
        return self.content.size if self.content.is_plain else None

    def cutter(self, *, counts: bool) -> ByteCutter:
        """Cuts the file at blank lines."""
        return ByteCutter(self.content, SentenceBreaks(), counts=counts)

    def for_parts(self) -> "ConllFile":
        """The file with explicit options, which can be detected only at its beginning."""
        separator, comments = detect_layout(next(self.blocks(), b""), self)
        name = next(name for name, byte in SEPARATORS.items() if byte == separator)
        return replace(self, separator=name, comments=comments)

    def part(self, cut: ByteRange) -> "ConllFile":
        """A range of the file."""
        if cut.text is None:
            return replace(self, byte_range=cut)
        # The text is sent to the worker, which needs neither the path nor an open stream.
        return replace(self, byte_range=cut, path=FileBytes(self.name, data=b""))

    @property
    def continues_document(self) -> bool:  # type: ignore[override]
        """Whether it is a part of a file that may begin inside a document."""
        return self.byte_range is not None and self.byte_range.begin > 0

    def relabeller(self, text: str) -> Callable[[str, str], str]:
        """Replace the label in its column; runs of blanks between columns stay."""
        has_tabs = detect_layout(text.encode(), self).separator == SEPARATORS["tab"]

        def with_label(line: str, label: str) -> str:
            if has_tabs:
                fields = line.split("\t")
                fields[self.label] = label
                return "\t".join(fields)
            start, end = list(re.finditer("[^ ]+", line))[self.label].span()
            return line[:start] + label + line[end:]

        return with_label


def open_columns(path: str | os.PathLike[str] | FileBytes, **options: Any) -> ColumnFile:
    """A column file with one label column, or with several that are read as layers."""
    labels = options.pop("label", -1)
    if not isinstance(labels, tuple):
        return ConllFile(path, label=labels, **options)
    from nerscope.formats.columns.layers import LayeredFile  # it uses this module

    # Each column is checked as if it were the only one.
    files = [ConllFile(path, label=label, **options) for label in labels]
    return LayeredFile(files[0], labels)


def without_first_line(text: str) -> str:
    """The text after its first line, which may end in `\\n`, `\\r\\n` or `\\r`.

    >>> without_first_line("token label\\nAda B-PER\\n")
    'Ada B-PER\\n'
    """
    end = re.search(r"\r\n?|\n", text)
    return text[end.end() :] if end else ""


def _exists(path: str | os.PathLike[str]) -> bool:
    try:
        return os.fspath(path) == STANDARD_INPUT or Path(path).exists()
    except OSError:  # reading the file raises the error
        return False


class ColumnLayout(NamedTuple):
    """The separator of columns, and whether lines that begin with # are comments."""

    separator: bytes
    comments: bool | str


def detect_layout(data: bytes, file: ConllFile) -> ColumnLayout:
    """Detect tabs or spaces, and comment lines, from the beginning of a file.

    `#` can be a token. Lines that begin with it are comments only if the first line is a typical
    comment of CoNLL-U, or with the option `comments=yes`.

    >>> detect_layout(b"# sent_id = 1\\n1\\tAda\\tB-PER\\n", ConllFile("da.conllu"))
    ColumnLayout(separator=b'\\t', comments=True)
    """
    comments = bool(_CONLLU.match(data)) if file.comments is None else file.comments
    if file.separator:
        return ColumnLayout(SEPARATORS[file.separator], comments)
    lines = [
        line
        for line in data[: 1 << 16].split(b"\n")
        if line.strip() and not (comments and line.startswith(b"#"))
    ]
    tabbed = sum(b"\t" in line for line in lines)
    return ColumnLayout(b"\t" if 2 * tabbed > len(lines) else b" ", comments)


class _ConllReader:
    """The state of reading one file: its layout, and the next line and document.

    With `tokens=True`, tokens get codes; with False, they are left out; with None, they stay
    offsets into the bytes of the file, which can still be compared.
    """

    def __init__(
        self, file: ConllFile, coding: Coding, columns: Sequence[int], tokens: bool | None
    ) -> None:
        self.file, self.coding = file, coding
        self.encodes_tokens = tokens or file.mend is not None
        self.locates_tokens = tokens is None and not self.encodes_tokens
        self.scheme = scheme_named(file.scheme) if file.scheme else None
        self.columns = {
            column: LabelColumn(coding.labels, self.scheme, file.other_columns)
            for column in columns
        }
        used = [file.token, *columns, *([] if file.document is None else [file.document])]
        # Column 2 needs a line of three columns; column -2 needs one of two.
        self.needed = max(2, *(column + 1 if column >= 0 else -column for column in used))
        self.layout: ColumnLayout | None = None
        self.skips_header = file.header
        self.line, self.documents = file.byte_range.line if file.byte_range else 1, 0
        self.document_name: bytes | None = None  # of the sentence before

    def read(self, data: bytes, final: bool) -> tuple[bytes, list[Corpus]]:
        """The bytes of the last sentence if it may continue, and the other sentences."""
        if self.skips_header and data:
            data, self.line, self.skips_header = data.partition(b"\n")[2], self.line + 1, False
        if not data:
            return b"", []
        self.layout = self.layout or detect_layout(data, self.file)
        separator, comments = self.layout
        full_block = lay_out(data, separator, comments, self.needed, list(self.columns))
        block = full_block if final else full_block.without_last_sentence()
        try:
            self._check_columns(block)
            corpora = self._corpora(block) if len(block.begins) else []
        except FormatError as error:
            refuse_header(error, data.partition(b"\n")[0], self.file.name)
            refuse_other_line(error, data, self.line, self.file.name)
            raise
        self.line += block.n_lines
        if self.file.document is None:
            self.documents += len(block.documents)
        # Not `data`, because laying out may have removed blanks, which changes offsets.
        return full_block.data[block.size :], corpora

    def _check_columns(self, block: LineBlock) -> None:
        counts = block.column_counts()[: 1 if block.is_even else None]  # the others are equal
        short = np.flatnonzero(counts < self.needed)
        if len(short):
            raise self._too_short(block, counts, int(short[0]), self.needed)
        for column in self.columns:
            at, token = (
                place if place >= 0 else counts + place for place in (column, self.file.token)
            )
            same = np.flatnonzero(np.broadcast_to(np.equal(at, token), counts.shape))
            if 0 < len(same) < len(counts):  # columns are counted from the end of shorter lines
                raise self._too_short(block, counts, int(same[0]), int(counts.max()))
            if len(same):
                raise FormatError(
                    f"{self.file.name}:{self.line + block.rows[0]}",
                    "the label column is also the token column",
                    f"name two columns: {file_option(self.file.name, 'token=0,label=1')}",
                )

    def _too_short(self, block: LineBlock, counts: Ints, row: int, needed: int) -> FormatError:
        kind = "tab" if self.layout and self.layout.separator == b"\t" else "space"
        other = "space" if kind == "tab" else "tab"
        # Only `all` helps inside a sentence, or if comments are left out already.
        is_inside = row > 0 and block.rows[row] == block.rows[row - 1] + 1
        has_comments = bool(self.layout and self.layout.comments)
        comments = "all" if is_inside or has_comments else "yes"
        return FormatError(
            f"{self.file.name}:{self.line + block.rows[row]}",
            f"{plural(int(counts[row]), f'{kind}-separated column')} where {needed} are needed",
            "correct the line; if the separator is wrong: "
            f"{file_option(self.file.name, f'separator={other}')}; if the line is a comment: "
            f"{file_option(self.file.name, f'comments={comments}')}",
        )

    def _documents(self, block: LineBlock) -> Ints:
        """The document of each sentence: by document lines, or by a column of its first token."""
        if self.file.document is None:
            return self.documents + np.searchsorted(block.documents, block.rows[block.begins])
        begins, ends = (side[block.begins] for side in block.field(self.file.document))
        names = [block.data[a:b] for a, b in zip(begins.tolist(), ends.tolist(), strict=True)]
        previous = [self.document_name, *names[:-1]]
        is_new = [name != before for name, before in zip(names, previous, strict=True)]
        documents: Ints = self.documents + np.cumsum(is_new)
        self.documents, self.document_name = int(documents[-1]), names[-1]
        return documents

    def _corpora(self, block: LineBlock) -> list[Corpus]:
        starts = np.append(block.begins, len(block.rows))
        lines = block.rows + self.line
        documents = self._documents(block)
        tokens, unread = np.zeros(0, np.int32), None
        fields = block.field(self.file.token)
        if self.file.prefix:
            fields = without_prefix(block, *fields, self.file.prefix)
        suspicions = suspicious_tokens(block, *fields, lines)
        if self.locates_tokens:
            unread = Fields(block.buffer, *fields)
        if self.encodes_tokens:
            # Most tokens are known from earlier blocks. The vocabulary compares the bytes of all
            # tokens of a block at once, as machine words, and creates no strings.
            tokens = self.coding.tokens.encode_fields(block.buffer, *fields)
        corpora = []
        for number, column in self.columns.items():
            raw, labels = column.read(block.buffer, *block.field(number), lines, self.file.name)
            transitions = Transitions.of(column.texts, raw, starts, lines)
            notes = {**suspicions, **bare_labels(column.texts, raw, lines, self.scheme)}
            reading = ReadingNotes(transitions, comment_lines=len(block.comments), notes=notes)
            if self.file.mend:
                mend = LABEL_FIXES[self.file.mend]
                mended = mend(tokens, labels, starts, self.coding.tokens, self.coding.labels)
                reading = replace(reading, mended_labels=int((mended != labels).sum()))
                labels = mended
            corpora.append(
                Corpus(
                    *(self.file.name, self.coding, tokens, starts, lines, documents, labels),
                    reading_notes=reading,
                    declared_scheme=self.scheme,
                    unread_tokens=unread,
                )
            )
        return corpora


def _is_unwritable(word: str) -> bool:
    """Whether a token would be read as another token, or as two."""
    return not word or bool(_BREAKS.search(word)) or word.startswith(_DOCUMENT)


def write_conll(corpus: Corpus, scheme: Scheme) -> bytes:
    """A corpus as two columns, tokens and labels in a scheme, with a line before each document.

    >>> from nerscope.corpus.schemes import BIO
    >>> write_conll(Corpus.of([(["Ada", "spoke"], ["B-PER", "O"])]), BIO)
    b'Ada\\tB-PER\\nspoke\\tO\\n\\n'
    """
    codes = encode(corpus.mentions(), corpus.starts, corpus.coding.labels, scheme)
    names = corpus.coding.labels.texts_in(scheme)
    if any(re.search(r"\s", name) for name in names):
        raise InputError(
            corpus.name, "a type contains a blank, which columns cannot hold", "rename the type"
        )
    begins_document = _document_begins(corpus)
    lines: list[str] = []
    for sentence, (begin, end) in enumerate(pairwise(corpus.starts.tolist())):
        words = corpus.words(sentence)
        if any(_is_unwritable(word) for word in words) or (not lines and words[0][:1] == BOM):
            raise InputError(
                corpus.name,
                f"sentence {sentence + 1} has a token that lines and columns cannot hold",
                "remove tabs, line ends, empty tokens, -DOCSTART- and a byte order mark",
            )
        lines += [f"{_DOCUMENT}\t{OUTSIDE_LABEL}", ""] if begins_document[sentence] else []
        lines += [
            f"{word}\t{names[code]}" for word, code in zip(words, codes[begin:end], strict=True)
        ]
        lines.append("")
    return ("\n".join(lines) + "\n").encode()


def _document_begins(corpus: Corpus) -> Bools:
    """Whether a -DOCSTART- line is written before each sentence.

    A single document needs no line. If each sentence is a document, as in texts that are read
    without documents, the lines would add nothing to the blank lines.
    """
    begins = np.diff(corpus.documents, prepend=-1) != 0
    return begins if 1 < begins.sum() < len(begins) else np.zeros(len(begins), bool)


def fits(name: str, head: bytes) -> bool:
    """Whether a file certainly has columns: it has a usual ending, and all lines end in a label.

    Other column files (labels without a prefix or in another column, another ending) are also read
    as columns if no other format fits them.

    >>> fits("gold.conll", b"Ada B-PER\\nspoke O\\n"), fits("gold.mine", b"Ada B-PER\\nspoke O\\n")
    (True, False)
    >>> fits("gold.txt", b"Ada spoke.\\n")
    False
    """
    suffix = Path(without_packing(name)).suffix.lower()
    if suffix and suffix not in ENDINGS:
        return False
    lines = head.removeprefix(codecs.BOM_UTF8).split(b"\n")
    if len(head) >= HEAD:
        lines.pop()  # the last line may be cut off
    tokens = [line for line in lines if line.strip() and not line.startswith(_DOCUMENT.encode())]
    return bool(tokens) and all(map(_ends_in_label, tokens))


def _ends_in_label(line: bytes) -> bool:
    """Whether a line has a token and a label. `# …` may be a comment; `#rant O` is a token."""
    fields = line.rsplit(None, 1)
    return len(fields) > 1 and not line.startswith(b"# ") and bool(_LABEL.fullmatch(fields[1]))


FORMATS.add(
    FALLBACK,
    Format(
        FALLBACK,
        open_columns,
        fits,
        FILE_OPTIONS,
        write_conll,
        endings=ENDINGS,
        title="CoNLL columns",
        phrase="one token per line, in columns",
        definition="One token per line with its label in a column, blank lines between sentences.",
    ),
    built_in=True,
    rank=10,
)
