"""CoNLL-U: treebanks with named entities in a key of MISC, or in a named column.

A label is the value of a key (`NER=B-PER`), or a column that `# global.columns` names (CoNLL-U
Plus). Brackets such as `Entity=(…`, in corpora with coreference, are spans that may be nested.
"""

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, pairwise
from typing import ClassVar, NamedTuple

import numpy as np

from nerscope.corpus.arrays import Bools, Ints, Objects
from nerscope.corpus.arrays import Bytes as Buffer
from nerscope.corpus.corpus import Coding, Corpus, Note, ReadingNotes, file_option
from nerscope.corpus.mentions import encode
from nerscope.corpus.schemes import OUTSIDE_LABEL, Scheme, Transitions, parse_label, scheme_named
from nerscope.corpus.vocabulary import padded
from nerscope.errors import FormatError, InputError, expect, plural
from nerscope.formats.base import FORMATS, FileOption, Format
from nerscope.formats.brackets import BRACKET, Brackets
from nerscope.formats.columns.column_file import SAME, SHARED_OPTIONS, ColumnFile, LabelColumn
from nerscope.formats.columns.layout import LineBlock, lay_out
from nerscope.formats.files import HEAD, FileBytes
from nerscope.formats.source import LabelStyle, Source, require_tokens

NAME = "conllu"
KEYS = ("NER", "NE", "name")  # of labels in MISC, or columns; case does not matter
BRACKETS = "Entity"
COLUMNS = ("ID", "FORM", "LEMMA", "UPOS", "XPOS", "FEATS", "HEAD", "DEPREL", "DEPS", "MISC")
_BREAKS = re.compile(r"[\t\r\n]")
_GLOBAL_COLUMNS = re.compile(r"#\s*global\.columns\s*=\s*(.*)")
_GLOBAL_ENTITY = re.compile(rb"(?m)^#\s*global\.Entity\s*=\s*(.*)$")
_RANGE = re.compile(rb"(\d{1,9})-(\d{1,9})")
_NO_VALUE = b"_*"  # each means that the value is missing
# The labels of the first, the middle and the last words of a multiword token with a label.
# `S-LOC` on three words becomes B-LOC I-LOC E-LOC.
_SHARES = {
    "B": "BII",
    "I": "III",
    "E": "IIE",
    "L": "IIL",
    "S": "BIE",
    "U": "BIL",
    "M": "MMM",
    "W": "BME",
}
RANGES, EMPTY = "multiword tokens, read as their words", "empty nodes, left out"
SHARED_OUT = "labels of multiword tokens, applied to their words"

CONLLU_OPTIONS: Mapping[str, FileOption] = {
    "key": FileOption(str, "the key in MISC, or the column, with the labels, such as NER"),
    **SHARED_OPTIONS,
}


class ConlluLayout(NamedTuple):
    """The columns of the file, and how a label is written in its column."""

    id: int
    form: int
    misc: int | None
    label: int  # the column of the label, or of the keys
    key: str | None  # of the label, if the column has keys
    width: int  # the number of columns

    @property
    def is_bracketed(self) -> bool:
        """Whether mentions are given by brackets instead of labels."""
        return self.key == BRACKETS


@dataclass(frozen=True, slots=True)
class ConlluFile(ColumnFile):
    """A CoNLL-U file, and where its labels are.

    `key` is the key in MISC, or the column, with the labels (default: auto-detected).

    >>> line = b"1\\tAda\\tAda\\tPROPN\\t_\\t_\\t0\\troot\\t_\\tNER=B-PER|SpaceAfter=No\\n"
    >>> file = ConlluFile(FileBytes("da.conllu", data=line))
    >>> file.layout.key, next(file.chunks(Coding())).words(0)
    ('NER', ['Ada'])
    """

    max_small: ClassVar[int] = 4 << 20
    file_options: ClassVar[Mapping[str, FileOption]] = CONLLU_OPTIONS
    format: ClassVar[str | None] = NAME
    path: str | os.PathLike[str] | FileBytes
    key: str | None = None
    scheme: str | None = None
    encoding: str = "utf-8"
    tokens: str = SAME
    sentences: str = SAME
    name: str = field(init=False, compare=False)
    layout: ConlluLayout = field(init=False, compare=False, repr=False)
    always_flat: bool = field(init=False, compare=False)

    def __post_init__(self) -> None:
        # Opened once, because standard input can be read only once.
        object.__setattr__(self, "path", self.content)
        object.__setattr__(self, "name", self.content.name)
        expect("key", self.key, (str, type(None)), f"give {CONLLU_OPTIONS['key'].give}")
        self.check_options()
        layout = _detect_layout(self.blocks(), self.key, self.name)
        object.__setattr__(self, "layout", layout)
        object.__setattr__(self, "always_flat", not layout.is_bracketed)

    def reader(self, coding: Coding, tokens: bool | None) -> "_ConlluReader":
        return _ConlluReader(self, coding, bool(tokens))

    def label_style(self, coding: Coding | None = None) -> LabelStyle:
        """The scheme, detected at the beginning of the file; brackets may be nested."""
        if self.layout.is_bracketed:
            return Source.label_style(self, coding)
        return ColumnFile.label_style(self, coding)

    def relabelled(self, labels: Mapping[int, str]) -> bytes | None:
        """The file with other labels; None if brackets mark the mentions."""
        return None if self.layout.is_bracketed else ColumnFile.relabelled(self, labels)

    def relabeller(self, text: str) -> Callable[[str, str], str]:
        """Replace the label in MISC, or in its column."""
        outside = self._outside(text)

        def with_label(line: str, label: str) -> str:
            fields = line.split("\t")
            column = self.layout.label
            fields[column] = _with_label(fields[column], self.layout.key, label, outside)
            return "\t".join(fields)

        return with_label

    def _outside(self, text: str) -> str | None:
        """How the file marks a token outside mentions; None if such tokens have no key."""
        if self.layout.key is not None:
            return OUTSIDE_LABEL if f"{self.layout.key}={OUTSIDE_LABEL}" in text else None
        rows = (line.split("\t") for line in text.split("\n") if line[:1].isdigit())
        values = {row[self.layout.label].rstrip("\r") for row in rows}
        return next((sign for sign in (OUTSIDE_LABEL, "*", "_") if sign in values), OUTSIDE_LABEL)


def _with_label(text: str, key: str | None, label: str, outside: str | None) -> str:
    """A column with another label; a token without a label gets no `O`.

    `outside` is how the file marks tokens outside mentions, None if it leaves the key out.

    >>> _with_label("SpaceAfter=No", "NER", "B-PER", "O"), _with_label("_", "NER", "O", "O")
    ('SpaceAfter=No|NER=B-PER', '_')
    >>> _with_label("NER=B-PER|X=1", "NER", "O", None), _with_label("B-PER", None, "O", "_")
    ('X=1', '_')
    """
    is_outside = label == OUTSIDE_LABEL
    if key is None:
        is_left = is_outside and text in ("_", "*")
        return text if is_left else (outside or label) if is_outside else label
    pairs = [] if text == "_" else text.split("|")
    prefix = f"{key}="
    others = [pair for pair in pairs if not pair.startswith(prefix)]
    if is_outside and outside is None:
        return "|".join(others) or "_"
    if len(others) < len(pairs):
        return "|".join(prefix + label if pair.startswith(prefix) else pair for pair in pairs)
    return text if is_outside else "|".join([*pairs, prefix + label])


def fits(name: str, head: bytes) -> bool:
    """Whether a file has an entity key in MISC, or names a column with labels.

    >>> fits("x", b"1\\tAda" + 7 * b"\\t_" + b"\\tname=B-PER\\n"), fits("x", b"1\\tAda\\tB-PER\\n")
    (True, False)
    """
    lines = head.decode("utf-8", "replace").removeprefix("\ufeff").split("\n")
    columns = _columns_of(lines)
    if columns is not None:
        return _label_column(columns, None) is not None
    complete = lines if len(head) < HEAD else lines[:-1]
    return any(
        len(fields) == len(COLUMNS) and fields[0][:1].isdigit() and _keys_in(fields[-1])
        for fields in (line.rstrip("\r").split("\t") for line in complete)
    )


def _columns_of(lines: Iterable[str]) -> list[str] | None:
    """The names of the columns, if the comments at the beginning give them."""
    for line in lines:
        if line.strip() and not line.startswith("#"):
            return None
        if header := _GLOBAL_COLUMNS.match(line):
            return header[1].split()
    return None


def _label_column(columns: list[str], key: str | None) -> int | None:
    """The column of the label by its name; a prefix with a colon, as in `SRC:NER`, is optional."""
    candidates = [key.lower()] if key else [name.lower() for name in KEYS]
    plain = [column.lower() for column in columns]
    short = [column.rpartition(":")[2] for column in plain]
    for names in (plain, short):
        for name in candidates:
            if name in names:
                return names.index(name)
    return None


def _keys_in(misc: str) -> list[str]:
    """The keys of a MISC column with a label or brackets as value."""
    pairs = (pair.partition("=")[::2] for pair in misc.split("|"))
    known = {name.lower() for name in KEYS}
    return [
        key
        for key, value in pairs
        if (key.lower() in known and parse_label(value))
        or (key == BRACKETS and BRACKET.match(value))
    ]


def _detect_layout(blocks: Iterator[bytes], key: str | None, name: str) -> ConlluLayout:
    """Find the labels: in the given column or key, by names of columns, or by keys."""
    first = next(blocks, b"")
    columns = _columns_of(first.decode().split("\n")) or list(COLUMNS)
    missing = [column for column in ("ID", "FORM") if column not in columns]
    if missing:
        raise FormatError(
            f"{name}:1",
            f"global.columns does not contain {' and '.join(missing)}",
            "name the column of the token number ID and the column of the token FORM",
        )
    misc = columns.index("MISC") if "MISC" in columns else None
    known = (columns.index("ID"), columns.index("FORM"), misc)
    label = _label_column(columns, key)
    if label is not None:
        return ConlluLayout(*known, label, None, len(columns))
    if misc is not None and key:
        return ConlluLayout(*known, misc, key, len(columns))
    if misc is not None:
        # The first label may be far from the beginning, so blocks are read until there is one.
        for data in chain([first], blocks):
            if label_key := _best_key(data, misc):
                return ConlluLayout(*known, misc, label_key, len(columns))
    raise _no_labels(name, key, columns)


def _best_key(data: bytes, misc: int) -> str | None:
    """The key of the labels in a block, or else the key of brackets."""
    if b"=" not in data:
        return None
    keys: dict[str, None] = {}
    for line in data.decode().split("\n"):
        fields = line.split("\t")
        if len(fields) > misc and not line.startswith("#"):
            keys.update(dict.fromkeys(_keys_in(fields[misc])))
    order = [*(name.lower() for name in KEYS), BRACKETS.lower()]
    return min(keys, key=lambda key: order.index(key.lower()), default=None)


def _no_labels(name: str, key: str | None, columns: list[str]) -> FormatError:
    if key:
        return FormatError(
            name,
            f"unknown column '{key}'",
            f"{file_option(name, 'key=COLUMN')} with one of: {', '.join(columns)}",
        )
    return FormatError(
        name,
        f"no token has a label: MISC has no {', '.join(f'{name}=' for name in KEYS)}",
        f"{file_option(name, 'key=KEY')} if the labels have another key; "
        f"{file_option(name, 'format=conll')} if they are in a column",
    )


class _TokenLines(NamedTuple):
    """The token lines of a block by kind, as indices of token lines.

    `1-2 don't`, `1 do`, `2 n't`, `2.1 _` are a range (index 0), two words (1 and 2) and an empty
    node (3).
    """

    words: Ints
    begins: Ints  # the indices of words that begin a sentence
    ranges: Ints  # multiword tokens
    empty: Ints  # empty nodes


def _sort_lines(block: LineBlock, column: int) -> _TokenLines:
    """Separate words from ranges (`1-2`) and empty nodes (`1.1`) by their numbers."""
    body = block.buffer[: len(block.data)]
    # The first - or . after the start of a number belongs to it if it is before its end.
    marks = np.append(np.flatnonzero((body == ord("-")) | (body == ord("."))), len(body) - 1)
    starts, ends = block.field(column)
    first = marks[np.searchsorted(marks, starts)]
    marked = first < ends
    words = np.flatnonzero(~marked)
    sentence = np.searchsorted(block.begins, words, side="right")
    begins = np.unique(sentence, return_index=True)[1]
    is_range = body[first] == ord("-")
    return _TokenLines(
        words, begins, np.flatnonzero(marked & is_range), np.flatnonzero(marked & ~is_range)
    )


class _KeyValues(NamedTuple):
    """For each token line, the offsets of the value of a key, and whether there is one."""

    starts: Ints
    ends: Ints
    given: Bools


def _values(block: LineBlock, column: int, key: str | None) -> _KeyValues:
    """The values of a key in a column, or of the column; `_` and `*` are missing values."""
    starts, ends = block.field(column)
    given = np.ones(len(starts), bool)
    if key is not None:
        body = block.buffer[: len(block.data)]
        at = _behind(body, f"{key}=".encode())
        # A key belongs to the line that starts before it, if it is in the right column.
        row = np.searchsorted(block.field(0)[0], at, side="right") - 1
        inside = (at > starts[row]) & (at <= ends[row])
        # Reversed, so that the first of several values in a line wins.
        at, row = at[inside][::-1], row[inside][::-1]
        given[:] = False
        given[row], starts[row] = True, at
        ends = _before_bar(body, starts, ends)
    nothing = (ends - starts == 1) & np.isin(block.buffer[starts], list(_NO_VALUE))
    return _KeyValues(starts, ends, given & ~nothing)


def _behind(body: Buffer, sign: bytes) -> Ints:
    """The offsets after a key and its `=`, if a tab or a bar precedes the key.

    All `=` of the block are candidates. Each turn of the loop goes back one letter and keeps the
    candidates with the right letter: for `NER=` those after R, then after ER, then after NER.
    """
    at = np.flatnonzero(body == sign[-1])
    at = at[at >= len(sign)]
    for distance, letter in enumerate(reversed(sign[:-1]), 1):
        at = at[body[at - distance] == letter]
    before = body[at - len(sign)]
    behind: Ints = at[(before == ord("\t")) | (before == ord("|"))] + 1
    return behind


def _before_bar(body: Buffer, starts: Ints, ends: Ints) -> Ints:
    """The ends of values: at the next bar, or at the end of the column."""
    bars = np.append(np.flatnonzero(body == ord("|")), len(body))
    cut: Ints = np.minimum(ends, bars[np.searchsorted(bars, starts)])
    return cut


class _ConlluReader:
    """The state of reading one file: its labels, and the next line and document."""

    def __init__(self, file: ConlluFile, coding: Coding, tokens: bool) -> None:
        self.file, self.coding, self.with_tokens = file, coding, tokens
        self.scheme = scheme_named(file.scheme) if file.scheme else None
        self.column = LabelColumn(coding.labels, self.scheme)
        self.brackets = Brackets()
        self.line, self.documents, self.last_document = 1, 0, -1

    def read(self, data: bytes, final: bool) -> tuple[bytes, list[Corpus]]:
        """The bytes of the last sentence if it may continue, and one corpus of the others."""
        if not data:
            return b"", []
        if self.file.layout.is_bracketed and (header := _GLOBAL_ENTITY.search(data)):
            self.brackets.declare(header[1].decode())
        layout = self.file.layout
        full_block = lay_out(data, b"\t", True, layout.width, [])
        block = full_block if final else full_block.without_last_sentence()
        self._check(block)
        lines = _sort_lines(block, layout.id)
        corpora = [self._corpus(block, lines)] if len(lines.words) else []
        self.line += block.n_lines
        self.documents += len(block.documents)
        return full_block.data[block.size :], corpora

    def _check(self, block: LineBlock) -> None:
        counts, width = block.column_counts(), self.file.layout.width
        for row in np.flatnonzero(counts < width).tolist():
            columns = plural(int(counts[row]), "tab-separated column")
            raise self._refused(block, row, f"{columns} where {width} are needed")
        first = block.buffer[block.field(self.file.layout.id)[0]]
        for row in np.flatnonzero((first < ord("0")) | (first > ord("9"))).tolist():
            raise self._refused(block, row, "the line does not begin with a token number")

    def _refused(self, block: LineBlock, row: int, fact: str) -> FormatError:
        other_columns = file_option(self.file.name, "format=conll")
        fix = f"correct the line; for columns other than those of CoNLL-U: {other_columns}"
        return FormatError(self._place(block, row), fact, fix)

    def _place(self, block: LineBlock, row: int) -> str:
        return f"{self.file.name}:{self.line + block.rows[row]}"

    def _corpus(self, block: LineBlock, lines: _TokenLines) -> Corpus:
        rows = block.rows[lines.words]
        starts = np.append(lines.begins, len(rows))
        documents = self.documents + np.searchsorted(block.documents, rows[lines.begins])
        left_out = ((RANGES, lines.ranges), (EMPTY, lines.empty))
        notes = {
            kind: Note(len(places), tuple((block.rows[places[:1]] + self.line).tolist()))
            for kind, places in left_out
            if len(places)
        }
        reading = ReadingNotes(comment_lines=len(block.comments), notes=notes)
        corpus = Corpus(
            *(self.file.name, self.coding, np.zeros(0, np.int32), starts, rows + self.line),
            *(documents, None, None, reading),
        )
        multiwords = list(self._multiwords(block, lines))
        if self.with_tokens:
            forms = (side[lines.words] for side in block.field(self.file.layout.form))
            tokens = self.coding.tokens.encode_fields(block.buffer, *forms)
            corpus = replace(
                corpus, tokens=tokens, gaps=self._gaps(block, lines, multiwords, documents)
            )
        self.last_document = int(documents[-1])
        if self.file.layout.is_bracketed:
            return self._with_spans(corpus, block, lines)
        return self._with_labels(corpus, block, lines, multiwords)

    def _multiwords(self, block: LineBlock, lines: _TokenLines) -> Iterator[tuple[int, Ints]]:
        """Each multiword token and its words, as indices of token lines.

        If a range has more words than the sentence, it ends with the sentence.
        """
        starts, ends = block.field(self.file.layout.id)
        bounds = np.append(lines.begins, len(lines.words))
        for row in lines.ranges.tolist():
            number = _RANGE.fullmatch(block.data[starts[row] : ends[row]])
            if number is None:
                raise self._refused(block, row, "the line does not begin with a token number")
            first = int(np.searchsorted(lines.words, row))
            last = bounds[np.searchsorted(bounds, first, side="right")] if first < bounds[-1] else 0
            size = int(number[2]) - int(number[1]) + 1
            yield row, lines.words[first : min(first + size, int(last))]

    def _gaps(
        self,
        block: LineBlock,
        lines: _TokenLines,
        multiwords: Sequence[tuple[int, Ints]],
        documents: Ints,
    ) -> Objects | None:
        """The blanks before words: by SpaceAfter=No, and a line end between sentences."""
        if self.file.layout.misc is None:
            return None
        values = _values(block, self.file.layout.misc, "SpaceAfter")
        closed = values.given & (block.buffer[values.starts] == ord("N"))
        for row, inside in multiwords:
            # For the words of a multiword token, only the value of the token counts; it applies to
            # the last word.
            closed[inside] = False
            closed[inside[-1:]] = closed[row]
        blanks = np.ones(len(lines.words), np.int64)
        blanks[1:] -= closed[lines.words[:-1]]
        before = np.concatenate([[self.last_document], documents[:-1]])
        blanks[lines.begins] = np.where(documents == before, 2, 0)
        return np.array(["", " ", "\n"], object)[blanks]

    def _with_labels(
        self,
        corpus: Corpus,
        block: LineBlock,
        lines: _TokenLines,
        multiwords: Sequence[tuple[int, Ints]],
    ) -> Corpus:
        layout = self.file.layout
        starts, ends, given = _values(block, layout.label, layout.key)
        # A label is two offsets. Labels that are not in the file (O, and the labels of the words of
        # a multiword token) are appended after the block, and the offsets point there.
        behind = bytearray(OUTSIDE_LABEL.encode())
        starts[~given], ends[~given] = len(block.data), len(block.data) + 1
        shared: list[int] = []
        for row, inside in multiwords:
            # Labels of the words themselves take precedence.
            if not given[row] or given[inside].any():
                continue
            label = block.data[starts[row] : ends[row]].decode()
            for at, text in zip(inside.tolist(), _shared_out(label, len(inside)), strict=True):
                starts[at] = len(block.data) + len(behind)
                behind += text.encode()
                ends[at] = len(block.data) + len(behind)
            given[inside] = True
            shared += [self.line + int(block.rows[row])] if label != OUTSIDE_LABEL else []
        raw, labels = self.column.read(
            padded(block.data + behind),
            *(starts[lines.words], ends[lines.words], corpus.lines, self.file.name),
        )
        transitions = Transitions.of(self.column.texts, raw, corpus.starts, corpus.lines)
        notes = {SHARED_OUT: Note(len(shared), tuple(shared[:1]))} if shared else {}
        reading = corpus.reading_notes + ReadingNotes(transitions, notes=notes)
        return replace(corpus, labels=labels, reading_notes=reading, declared_scheme=self.scheme)

    def _with_spans(self, corpus: Corpus, block: LineBlock, lines: _TokenLines) -> Corpus:
        starts, ends, given = _values(block, self.file.layout.label, BRACKETS)
        given[lines.ranges] = False  # brackets belong to words and empty nodes
        rows = np.flatnonzero(given)
        before = np.searchsorted(lines.words, rows)
        behind = np.searchsorted(lines.words, rows, side="right")
        sentence = np.searchsorted(block.begins, rows, side="right")
        for at, row in enumerate(rows.tolist()):
            if at and sentence[at] != sentence[at - 1]:
                self.brackets.end_sentence()
            text = block.data[starts[row] : ends[row]].decode()
            self.brackets.read(text, int(before[at]), int(behind[at]), f"{self._place(block, row)}")
        spans, notes = self.brackets.take(self.coding)
        return replace(
            corpus, spans=spans, reading_notes=corpus.reading_notes + ReadingNotes(notes=notes)
        )


def _shared_out(label: str, size: int) -> list[str]:
    """The label of a multiword token as labels of its words.

    >>> _shared_out("S-LOC", 3)
    ['B-LOC', 'I-LOC', 'E-LOC']
    """
    prefix, dash, kind = label.partition("-")
    if prefix not in _SHARES or size < 2:
        return [label] * size
    shares = _SHARES[prefix]
    letters = shares[0] + shares[1] * (size - 2) + shares[2]
    return [f"{letter}{dash}{kind}" for letter in letters]


def write_conllu(corpus: Corpus, scheme: Scheme) -> bytes:
    """A corpus as CoNLL-U, with its labels in MISC.

    >>> from nerscope.corpus.schemes import BIO
    >>> text = write_conllu(Corpus.of([(["Ada"], ["B-PER"])]), BIO).decode()
    >>> text.split("\\n")[2].split("\\t")[-1]
    'NER=B-PER'
    """
    labels = _label_texts(require_tokens(corpus), scheme)
    new = np.diff(corpus.documents, prepend=-1) != 0
    several = bool(new[1:].any())
    attached = _is_attached(corpus, corpus.starts[:-1][new])
    lines: list[str] = []
    for sentence, (begin, end) in enumerate(pairwise(corpus.starts.tolist())):
        words = corpus.words(sentence)
        if any(_BREAKS.search(word) or not word for word in words):
            raise InputError(
                corpus.name,
                f"sentence {sentence + 1} has a token that lines and columns cannot hold",
                "remove tabs, line ends and empty tokens",
            )
        lines += ["# newdoc"] if several and new[sentence] else []
        lines.append(f"# sent_id = {sentence + 1}")
        lines += _sentence_lines(words, labels[begin:end], attached[begin:end])
    return ("\n".join(lines) + "\n").encode()


def _label_texts(corpus: Corpus, scheme: Scheme) -> list[str]:
    """The labels of all tokens."""
    mentions = corpus.mentions()
    if not mentions.are_flat:
        raise InputError(
            corpus.name,
            "its mentions overlap, and labels cannot represent overlapping mentions",
            "write a format with spans, for example OUT.jsonl",
        )
    codes = encode(mentions, corpus.starts, corpus.coding.labels, scheme)
    names = corpus.coding.labels.texts_in(scheme)
    if any(re.search(r"[|\t\r\n]", names[code]) for code in np.unique(codes)):
        raise InputError(
            corpus.name,
            "a type contains a tab, a line end or a bar, which MISC cannot hold",
            "rename the type",
        )
    return [names[code] for code in codes.tolist()]


def _is_attached(corpus: Corpus, documents: Ints) -> list[bool]:
    """Whether no blank follows each token; `documents` are the first tokens of documents."""
    if corpus.gaps is None:
        return [False] * corpus.n_tokens
    attached = corpus.gaps == ""
    attached[documents] = False
    return [*attached[1:].tolist(), False]


def _sentence_lines(words: list[str], labels: list[str], attached: list[bool]) -> Iterator[str]:
    """The lines of a sentence: its text as a comment, and one line per word."""
    ends = ["" if closed else " " for closed in attached]
    text = "".join(word + end for word, end in zip(words, ends, strict=True))
    yield f"# text = {text.strip(' ')}"
    unknown = "\t_" * (COLUMNS.index("MISC") - 2)
    for number, (word, label, closed) in enumerate(zip(words, labels, attached, strict=True), 1):
        misc = f"NER={label}|SpaceAfter=No" if closed else f"NER={label}"
        yield f"{number}\t{word}{unknown}\t{misc}"
    yield ""


FORMATS.add(
    NAME,
    Format(
        NAME,
        ConlluFile,
        fits,
        CONLLU_OPTIONS,
        write_conllu,
        endings=(".conllu",),
        title="CoNLL-U",
        phrase="treebanks with labels in MISC",
        definition="CoNLL-U or CoNLL-U Plus with labels among the keys of MISC or in a column.",
    ),
    built_in=True,
    rank=50,
)
