"""CoNLL-U: treebanks whose named entities stand among the keys of MISC, or in a column with a name.

A label is the value of a key (`NER=B-PER`), or a column that `# global.columns` names (CoNLL-U
Plus). `Entity=(…` brackets, as corpora with coreference have them, are spans that may be nested.
"""

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from nerscope.corpus.arrays import Bools, Ints, Objects
from nerscope.corpus.arrays import Bytes as Buffer
from nerscope.corpus.corpus import Coding, Corpus, Note, ReadingNotes
from nerscope.corpus.schemes import (
    OUTSIDE_LABEL,
    Transitions,
    parse_label,
    scheme_named,
)
from nerscope.corpus.vocabulary import padded
from nerscope.errors import FormatError, InputError, UsageError, expect, plural, suggest
from nerscope.formats.base import FORMATS, FileOption, Format, Nature, Source
from nerscope.formats.brackets import BRACKET, Brackets
from nerscope.formats.columns import Page, page_of
from nerscope.formats.conll import FILE_OPTIONS as OF_COLUMNS
from nerscope.formats.conll import LabelColumn
from nerscope.formats.conllu_writing import COLUMNS, written_as_conllu
from nerscope.formats.files import Bytes, blocks, check_encoding

NAME = "conllu"
KEYS = ("NER", "NE", "name")  # of labels in MISC, or columns, whatever their case
BRACKETS = "Entity"
_GLOBAL_COLUMNS = re.compile(r"#\s*global\.columns\s*=\s*(.*)")
_GLOBAL_ENTITY = re.compile(rb"(?m)^#\s*global\.Entity\s*=\s*(.*)$")
_RANGE = re.compile(rb"(\d{1,9})-(\d{1,9})")
_LOOK = 4 << 20  # bytes of a file that are looked at to tell its scheme
_SMALL = 4 << 20  # bytes
_NO_VALUE = b"_*"  # what stands where there is no value
# The label of a multiword token, given to the first, the middle and the last of its words.
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
SHARED_OUT = "labels of multiword tokens, given to their words"

FILE_OPTIONS: Mapping[str, FileOption] = {
    "key": FileOption(str, "the key of MISC, or the column, that holds the label: NER"),
    **{name: OF_COLUMNS[name] for name in ("scheme", "encoding", "tokens", "sentences")},
}


class Layout(NamedTuple):
    """Where the parts of a token stand in its line, and how its label is written there."""

    id: int
    form: int
    misc: int | None
    label: int  # the column that holds the label, or the keys
    key: str | None  # of the label, where the column holds keys
    width: int  # how many columns there are

    @property
    def is_bracketed(self) -> bool:
        """Whether brackets open and close mentions, instead of labels."""
        return self.key == BRACKETS


@dataclass(frozen=True, slots=True)
class ConlluFile(Source):
    """A CoNLL-U file, and where its labels are.

    >>> line = b"1\\tAda\\tAda\\tPROPN\\t_\\t_\\t0\\troot\\t_\\tNER=B-PER|SpaceAfter=No\\n"
    >>> file = ConlluFile(Bytes("da.conllu", data=line))
    >>> file.layout.key, next(file.chunks(Coding())).words(0)
    ('NER', ['Ada'])
    """

    format = NAME
    path: str | os.PathLike[str] | Bytes
    key: str | None = None
    scheme: str | None = None
    encoding: str = "utf-8"
    tokens: str = "same"
    sentences: str = "same"
    name: str = field(init=False, compare=False)
    content: Bytes = field(init=False, compare=False, repr=False)
    layout: Layout = field(init=False, compare=False, repr=False)
    always_flat: bool = field(init=False, compare=False)
    respells: bool = field(init=False, compare=False)
    rebreaks: bool = field(init=False, compare=False)
    retokenised: bool = field(init=False, compare=False)

    def __post_init__(self) -> None:
        content = self.path if isinstance(self.path, Bytes) else Bytes.of(self.path)
        self._learn(name=content.name, content=content)
        expect("key", self.key, (str, type(None)), f"give {FILE_OPTIONS['key'].give}")
        check_encoding(self.name, self.encoding)
        if self.scheme is not None:
            scheme_named(self.scheme)
        for option in ("tokens", "sentences"):
            _check_choice(self.name, option, getattr(self, option))
        layout = _look(self.blocks(), self.key, self.name)
        self._learn(layout=layout, always_flat=not layout.is_bracketed)
        self._learn(respells=self.tokens == "any", retokenised=self.tokens == "align")
        self._learn(rebreaks=self.sentences == "any")

    def _learn(self, **known: object) -> None:
        for name, value in known.items():
            object.__setattr__(self, name, value)

    @property
    def is_small(self) -> bool:  # type: ignore[override]
        """Whether it is so small that its words are always kept."""
        return self.content.size <= _SMALL

    def blocks(self) -> Iterator[bytes]:
        """The text of the file."""
        with self.content.open() as stream:
            yield from blocks(stream, self.name, self.encoding)

    def chunks(self, coding: Coding, *, tokens: bool = True) -> Iterator[Corpus]:
        """Chunks of whole sentences."""
        reader, nothing = _Reader(self, coding, tokens), True
        for data in _whole_sentences(self.blocks()):
            for chunk in reader.read(data):
                nothing = False
                yield chunk
        if nothing:
            raise InputError(
                self.name, "the file holds no sentence", "check that it is the right file"
            )

    def nature(self, coding: Coding | None = None) -> Nature:
        """The scheme, told by looking at the beginning; brackets may be nested."""
        if self.layout.is_bracketed:
            return Source.nature(self, coding)
        if self.scheme is not None:
            return Nature(scheme_named(self.scheme))
        seen, read = Transitions(), 0
        reader = _Reader(self, Coding(), tokens=False)
        for data in _whole_sentences(self.blocks()):
            for chunk in reader.read(data):
                seen += chunk.reading_notes.transitions
            read += len(data)
            if read >= _LOOK:
                break
        return Nature(seen.scheme())

    def saying(self, options: Mapping[str, Any]) -> "ConlluFile":
        """The same file with other options."""
        for key in options:
            if key not in FILE_OPTIONS:
                raise UsageError(
                    self.name, f"no file option is called '{key}'", suggest(key, FILE_OPTIONS)
                )
        return replace(self, **options)

    def relabelled(self, labels: Mapping[int, str]) -> bytes | None:
        """The bytes of the file with other labels; all else stays. Brackets cannot be replaced."""
        if self.layout.is_bracketed:
            return None
        with self.content.open() as stream:
            text = stream.read().decode(self.encoding)
        newline = "\n" if "\n" in text or "\r" not in text else "\r"
        lines = text.split(newline)
        for number, label in labels.items():
            line = lines[number - 1]
            end = "\r" if line.endswith("\r") else ""
            fields = line.removesuffix("\r").split("\t")
            at = self.layout.label
            fields[at] = _with_label(fields[at], self.layout.key, label)
            lines[number - 1] = "\t".join(fields) + end
        return newline.join(lines).encode(self.encoding)


def _check_choice(name: str, option: str, value: str) -> None:
    try:
        FILE_OPTIONS[option].read(value)
    except (KeyError, TypeError):
        give = f"give {FILE_OPTIONS[option].give}"
        raise UsageError(name, f"{option}={value!r} cannot be", give) from None


def _with_label(text: str, key: str | None, label: str) -> str:
    """A column with another label in it; where there was none, none is `O`."""
    if key is None:
        return text if label == OUTSIDE_LABEL and text in ("_", "*") else label
    pairs = [] if text == "_" else text.split("|")
    own = f"{key}="
    if any(pair.startswith(own) for pair in pairs):
        return "|".join(own + label if pair.startswith(own) else pair for pair in pairs)
    return text if label == OUTSIDE_LABEL else "|".join([*pairs, own + label])


def fits(name: str, head: bytes) -> bool:
    """Whether a file has an entity key in MISC, or says which of its columns holds labels.

    >>> fits("x", b"1\\tAda" + 7 * b"\\t_" + b"\\tname=B-PER\\n"), fits("x", b"1\\tAda\\tB-PER\\n")
    (True, False)
    """
    lines = head.decode("utf-8", "replace").removeprefix("\ufeff").split("\n")
    columns = _columns_of(lines)
    if columns is not None:
        return _label_column(columns, None) is not None
    whole = lines if len(head) < 4096 else lines[:-1]
    return any(
        len(fields) == len(COLUMNS) and fields[0][:1].isdigit() and _keys_in(fields[-1])
        for fields in (line.rstrip("\r").split("\t") for line in whole)
    )


def _columns_of(lines: Iterable[str]) -> list[str] | None:
    """The names of the columns, where the comments at the beginning give them."""
    for line in lines:
        if line.strip() and not line.startswith("#"):
            return None
        if found := _GLOBAL_COLUMNS.match(line):
            return found[1].split()
    return None


def _label_column(columns: list[str], key: str | None) -> int | None:
    """The column of the label by its name; what stands before a colon is whose column it is."""
    wanted = [key.lower()] if key else [name.lower() for name in KEYS]
    plain = [column.lower() for column in columns]
    short = [column.rpartition(":")[2] for column in plain]
    for names in (plain, short):
        for name in wanted:
            if name in names:
                return names.index(name)
    return None


def _keys_in(misc: str) -> list[str]:
    """The keys of a MISC column that hold a label or brackets."""
    pairs = (pair.partition("=")[::2] for pair in misc.split("|"))
    known = {name.lower() for name in KEYS}
    return [
        key
        for key, value in pairs
        if (key.lower() in known and parse_label(value))
        or (key == BRACKETS and BRACKET.match(value))
    ]


def _look(parts: Iterator[bytes], key: str | None, name: str) -> Layout:
    """Find where the labels are: by what is told, by names of columns, or by the first key."""
    first = next(parts, b"")
    columns = _columns_of(first.decode().split("\n")) or list(COLUMNS)
    missing = [column for column in ("ID", "FORM") if column not in columns]
    if missing:
        raise FormatError(
            f"{name}:1",
            f"global.columns names no {' and no '.join(missing)}",
            "name the columns of the number and of the token ID and FORM",
        )
    misc = columns.index("MISC") if "MISC" in columns else None
    known = (columns.index("ID"), columns.index("FORM"), misc)
    label = _label_column(columns, key)
    if label is not None:
        return Layout(*known, label, None, len(columns))
    if misc is not None and key:
        return Layout(*known, misc, key, len(columns))
    if misc is not None:
        for data in chain([first], parts):
            if found := _best_key(data, misc):
                return Layout(*known, misc, found, len(columns))
    raise _no_labels(name, key, columns)


def _best_key(data: bytes, misc: int) -> str | None:
    """The key of a block that holds labels, or else that of brackets."""
    if b"=" not in data:
        return None
    found: dict[str, None] = {}
    for line in data.decode().split("\n"):
        fields = line.split("\t")
        if len(fields) > misc and not line.startswith("#"):
            found.update(dict.fromkeys(_keys_in(fields[misc])))
    order = [*(name.lower() for name in KEYS), BRACKETS.lower()]
    return min(found, key=lambda key: order.index(key.lower()), default=None)


def _no_labels(name: str, key: str | None, columns: list[str]) -> FormatError:
    if key:
        return FormatError(
            name, f"no column is called '{key}'", f"say key=…; the columns are {', '.join(columns)}"
        )
    return FormatError(
        name,
        f"no token has a label: there is no {', '.join(f'{one}=' for one in KEYS)} in MISC",
        "say key=… if the label has another name; for labels in a column, say format=conll",
    )


def _whole_sentences(parts: Iterable[bytes]) -> Iterator[bytes]:
    """Blocks that end behind a sentence: at a blank line, or at the end of the file."""
    held: list[bytes] = []
    for block in parts:
        at = block.rfind(b"\n\n")
        cut = at + 2 if at >= 0 else int(bool(held) and block.startswith(b"\n"))
        if cut:
            yield b"".join([*held, block[:cut]])
            held = []
        held.append(block[cut:])
    if last := b"".join(held):
        yield last


class _Words(NamedTuple):
    """Which of the token lines of a page are words: those that are no range and no empty node."""

    chosen: Ints  # places among the token lines
    begins: Ints  # where sentences begin among the words
    ranges: Ints  # places of the others
    empty: Ints


def _words(page: Page, column: int) -> _Words:
    """Tell words from ranges (`1-2`) and empty nodes (`1.1`) by their numbers."""
    body = page.buffer[: len(page.data)]
    marks = np.append(np.flatnonzero((body == ord("-")) | (body == ord("."))), len(body) - 1)
    starts, ends = page.field(column)
    first = marks[np.searchsorted(marks, starts)]
    marked = first < ends
    chosen = np.flatnonzero(~marked)
    sentence = np.searchsorted(page.begins, chosen, side="right")
    begins = np.unique(sentence, return_index=True)[1]
    is_range = body[first] == ord("-")
    return _Words(
        chosen, begins, np.flatnonzero(marked & is_range), np.flatnonzero(marked & ~is_range)
    )


class _Values(NamedTuple):
    """Where the value of a key stands in each token line, if it is there."""

    starts: Ints
    ends: Ints
    given: Bools


def _values(page: Page, column: int, key: str | None) -> _Values:
    """The values of a key, or a whole column; `_` and `*` are none."""
    starts, ends = page.field(column)
    given = np.ones(len(starts), bool)
    if key is not None:
        body = page.buffer[: len(page.data)]
        at = _behind(body, f"{key}=".encode())
        row = np.searchsorted(page.field(0)[0], at, side="right") - 1
        inside = (at > starts[row]) & (at <= ends[row])
        at, row = at[inside][::-1], row[inside][::-1]  # of several, the first one stays
        given[:] = False
        given[row], starts[row] = True, at
        ends = _before_bar(body, starts, ends)
    nothing = (ends - starts == 1) & np.isin(page.buffer[starts], list(_NO_VALUE))
    return _Values(starts, ends, given & ~nothing)


def _behind(body: Buffer, sign: bytes) -> Ints:
    """The places behind a key and its `=`, where it stands behind a tab or a bar."""
    at = np.flatnonzero(body == sign[-1])
    at = at[at >= len(sign)]
    for distance, letter in enumerate(reversed(sign[:-1]), 1):
        at = at[body[at - distance] == letter]
    before = body[at - len(sign)]
    found: Ints = at[(before == ord("\t")) | (before == ord("|"))] + 1
    return found


def _before_bar(body: Buffer, starts: Ints, ends: Ints) -> Ints:
    """The ends of values: at the next bar, or where the column ends."""
    bars = np.append(np.flatnonzero(body == ord("|")), len(body))
    cut: Ints = np.minimum(ends, bars[np.searchsorted(bars, starts)])
    return cut


class _Reader:
    """The state of reading one file: how far it has come, and what its labels are."""

    def __init__(self, file: ConlluFile, coding: Coding, tokens: bool) -> None:
        self.file, self.coding, self.with_tokens = file, coding, tokens
        self.told = scheme_named(file.scheme) if file.scheme else None
        self.column = LabelColumn(coding.labels, self.told)
        self.brackets = Brackets()
        self.line, self.documents, self.last_document = 1, 0, -1

    def read(self, data: bytes) -> list[Corpus]:
        """The sentences of a block as one corpus; none if there is no word."""
        layout = self.file.layout
        page = page_of(data, b"\t", True, layout.width, [])
        self._check(page)
        words = _words(page, layout.id)
        corpora = [self._corpus(page, words)] if len(words.chosen) else []
        self.line += page.n_lines
        self.documents += len(page.documents)
        return corpora

    def _check(self, page: Page) -> None:
        counts, width = page.column_counts(), self.file.layout.width
        for row in np.flatnonzero(counts < width).tolist():
            found = plural(int(counts[row]), "tab-separated column")
            raise self._refused(page, row, f"{found} where {width} are needed")
        first = page.buffer[page.field(self.file.layout.id)[0]]
        for row in np.flatnonzero((first < ord("0")) | (first > ord("9"))).tolist():
            raise self._refused(page, row, "the line has no number")

    def _refused(self, page: Page, row: int, fact: str) -> FormatError:
        remedy = "mend the line; for other columns than those of CoNLL-U, say format=conll"
        return FormatError(self._place(page, row), fact, remedy)

    def _place(self, page: Page, row: int) -> str:
        return f"{self.file.name}:{self.line + page.rows[row]}"

    def _corpus(self, page: Page, words: _Words) -> Corpus:
        rows = page.rows[words.chosen]
        starts = np.append(words.begins, len(rows))
        documents = self.documents + np.searchsorted(page.documents, rows[words.begins])
        places = ((RANGES, words.ranges), (EMPTY, words.empty))
        found = {
            kind: Note(len(left), tuple((page.rows[left[:1]] + self.line).tolist()))
            for kind, left in places
            if len(left)
        }
        reading = ReadingNotes(comment_lines=len(page.remarks), notes=found)
        corpus = Corpus(
            *(self.file.name, self.coding, np.zeros(0, np.int32), starts, rows + self.line),
            *(documents, None, None, reading),
        )
        whole = list(self._whole(page, words))
        if self.with_tokens:
            forms = (side[words.chosen] for side in page.field(self.file.layout.form))
            tokens = self.coding.tokens.encode_fields(page.buffer, *forms)
            corpus = replace(corpus, tokens=tokens, gaps=self._gaps(page, words, whole, documents))
        self.last_document = int(documents[-1])
        if self.file.layout.is_bracketed:
            return self._with_spans(corpus, page, words)
        return self._with_labels(corpus, page, words, whole)

    def _whole(self, page: Page, words: _Words) -> Iterator[tuple[int, Ints]]:
        """Each multiword token, and its words: places among the token lines."""
        starts, ends = page.field(self.file.layout.id)
        bounds = np.append(words.begins, len(words.chosen))
        for row in words.ranges.tolist():
            number = _RANGE.fullmatch(page.data[starts[row] : ends[row]])
            if number is None:
                raise self._refused(page, row, "the line has no number")
            first = int(np.searchsorted(words.chosen, row))
            last = bounds[np.searchsorted(bounds, first, side="right")] if first < bounds[-1] else 0
            size = int(number[2]) - int(number[1]) + 1
            yield row, words.chosen[first : min(first + size, int(last))]

    def _gaps(
        self, page: Page, words: _Words, whole: Sequence[tuple[int, Ints]], documents: Ints
    ) -> Objects | None:
        """The blanks before words: what SpaceAfter=No says, and a line end between sentences."""
        if self.file.layout.misc is None:
            return None
        said = _values(page, self.file.layout.misc, "SpaceAfter")
        closed = said.given & (page.buffer[said.starts] == ord("N"))
        for row, inside in whole:
            closed[inside] = False  # what is said of the whole is said of what is behind it
            closed[inside[-1:]] = closed[row]
        blanks = np.ones(len(words.chosen), np.int64)
        blanks[1:] -= closed[words.chosen[:-1]]
        before = np.concatenate([[self.last_document], documents[:-1]])
        blanks[words.begins] = np.where(documents == before, 2, 0)
        return np.array(["", " ", "\n"], object)[blanks]

    def _with_labels(
        self, corpus: Corpus, page: Page, words: _Words, whole: Sequence[tuple[int, Ints]]
    ) -> Corpus:
        layout = self.file.layout
        starts, ends, given = _values(page, layout.label, layout.key)
        # Labels that the file does not spell out stand behind it: O, and those that are shared out.
        behind = bytearray(OUTSIDE_LABEL.encode())
        starts[~given], ends[~given] = len(page.data), len(page.data) + 1
        shared: list[int] = []
        for row, inside in whole:
            if not given[row] or given[inside].any():
                continue
            label = page.data[starts[row] : ends[row]].decode()
            for at, text in zip(inside.tolist(), _shared_out(label, len(inside)), strict=True):
                starts[at] = len(page.data) + len(behind)
                behind += text.encode()
                ends[at] = len(page.data) + len(behind)
            given[inside] = True
            shared += [self.line + int(page.rows[row])] if label != OUTSIDE_LABEL else []
        raw, labels = self.column.read(
            padded(page.data + behind),
            *(starts[words.chosen], ends[words.chosen], corpus.lines, self.file.name),
        )
        transitions = Transitions.of(self.column.texts, raw, corpus.starts, corpus.lines)
        found = {SHARED_OUT: Note(len(shared), tuple(shared[:1]))} if shared else {}
        reading = corpus.reading_notes + ReadingNotes(transitions, notes=found)
        return replace(corpus, labels=labels, reading_notes=reading, declared_scheme=self.told)

    def _with_spans(self, corpus: Corpus, page: Page, words: _Words) -> Corpus:
        starts, ends, given = _values(page, self.file.layout.label, BRACKETS)
        given[words.ranges] = False
        rows = np.flatnonzero(given)
        if header := _GLOBAL_ENTITY.search(page.data):
            self.brackets.declare(header[1].decode())
        before = np.searchsorted(words.chosen, rows)
        behind = np.searchsorted(words.chosen, rows, side="right")
        sentence = np.searchsorted(page.begins, rows, side="right")
        for at, row in enumerate(rows.tolist()):
            if at and sentence[at] != sentence[at - 1]:
                self.brackets.end_sentence()
            text = page.data[starts[row] : ends[row]].decode()
            self.brackets.read(text, int(before[at]), int(behind[at]), f"{self._place(page, row)}")
        spans, found = self.brackets.take(self.coding)
        return replace(
            corpus, spans=spans, reading_notes=corpus.reading_notes + ReadingNotes(notes=found)
        )


def _shared_out(label: str, size: int) -> list[str]:
    """The label of a multiword token as labels of its words.

    >>> _shared_out("S-LOC", 3)
    ['B-LOC', 'I-LOC', 'E-LOC']
    """
    prefix, dash, kind = label.partition("-")
    if not dash or prefix not in _SHARES or size < 2:
        return [label] * size
    shares = _SHARES[prefix]
    letters = shares[0] + shares[1] * (size - 2) + shares[2]
    return [f"{letter}-{kind}" for letter in letters]


FORMATS.add(
    NAME,
    Format(NAME, ConlluFile, fits, FILE_OPTIONS, written_as_conllu, endings=(".conllu",)),
    built_in=True,
)
