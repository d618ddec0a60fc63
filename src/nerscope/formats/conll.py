"""CoNLL-like files: one token a line, columns, blank lines between sentences; read in chunks."""

import codecs
import io
import os
import re
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from nerscope.corpus.arrays import Bools, Ints
from nerscope.corpus.arrays import Bytes as Buffer
from nerscope.corpus.corpus import Coding, Corpus, ReadingNotes, label_error
from nerscope.corpus.mentions import encode
from nerscope.corpus.schemes import (
    LABEL_FIXES,
    OUTSIDE_LABEL,
    LabelCodes,
    Scheme,
    Transitions,
    parse_label,
    scheme_named,
)
from nerscope.corpus.vocabulary import Fields, Vocabulary
from nerscope.errors import FormatError, InputError, UsageError, expect, plural, suggest
from nerscope.formats.base import FALLBACK, FORMATS, FileOption, Format, Nature, Source
from nerscope.formats.columns import Page, page_of
from nerscope.formats.files import (
    BLOCK,
    HEAD,
    STANDARD_INPUT,
    Bytes,
    Window,
    blocks,
    check_encoding,
)
from nerscope.formats.packing import without_packing

_SMALL = 16 << 20  # bytes
_MOST_COLUMNS = 10_000
_SOME = 1000  # labels, among which all of a file usually are
_LOOK = 4 << 20  # bytes of a file that are looked at to tell its scheme
SEPARATORS = {"tab": b"\t", "space": b" "}
# The first line of a file that nothing but CoNLL-U and its kin begin with.
_CONLLU = re.compile(rb"\s*# ?(sent_id|text|newdoc|newpar|global\.columns|id)\b")
_DOCUMENT = "-DOCSTART-"
ENDINGS = (
    *(".conll", ".txt", ".tsv", ".bio", ".bio2", ".iob", ".iob1", ".iob2", ".bioes", ".iobes"),
    *(".bilou", ".col", ".out", ".pred"),
)
_LABEL = re.compile(rb"O|[A-Z]-.+")
_BREAKS = re.compile(r"[\t\r\n]")
_BOM = "\ufeff"
_TOKENS = ("same", "any", "align")
_YES_NO = {"yes": True, "true": True, "no": False, "false": False}


FILE_OPTIONS: Mapping[str, FileOption] = {
    "token": FileOption(int, "the column of the token: 0 is the first, -1 the last"),
    "label": FileOption(int, "the column of the label: 0 is the first, -1 the last"),
    "document": FileOption(int, "the column that names the document, if there is one"),
    "separator": FileOption(str, "tab or space; told by looking otherwise"),
    "scheme": FileOption(str, "the tagging scheme; told by looking otherwise"),
    "encoding": FileOption(str, "the encoding, utf-8 unless told"),
    "tokens": FileOption(
        {name: name for name in _TOKENS}.__getitem__,
        "same, any if a system spells tokens its own way, align if it divides the text otherwise",
    ),
    "sentences": FileOption(
        {"same": "same", "any": "any"}.__getitem__,
        "same, or any if a system breaks sentences elsewhere than gold",
    ),
    "mend": FileOption(
        {name: name for name in LABEL_FIXES}.__getitem__,
        "handles, to join @ and the name behind it into one mention",
    ),
    "comments": FileOption(
        lambda text: _YES_NO[text.lower()],
        "yes or no: whether lines that begin with # are comments",
    ),
}


class Part(NamedTuple):
    """A range of the bytes of a file that holds whole sentences, and the line it begins with; the
    text itself, where the file must be read from start to end to have it.
    """

    begin: int
    end: int | None
    line: int
    text: bytes | None = None


@dataclass(frozen=True, slots=True)
class ConllFile(Source):
    """A file with one token a line, and how to read it.

    >>> file = ConllFile("da.conllu", token=1, label=2)
    >>> file.name, file.token, file.label
    ('da.conllu', 1, 2)
    """

    path: str | os.PathLike[str] | Bytes
    token: int = 0
    label: int = -1
    separator: str | None = None
    scheme: str | None = None
    encoding: str = "utf-8"
    comments: bool | None = None
    tokens: str = "same"
    sentences: str = "same"
    mend: str | None = None
    document: int | None = None
    part: Part | None = None  # all of the file, unless told
    name: str = field(init=False, compare=False)  # what messages call it
    respells: bool = field(init=False, compare=False)
    rebreaks: bool = field(init=False, compare=False)
    retokenised: bool = field(init=False, compare=False)
    always_flat = True

    def __post_init__(self) -> None:
        if not isinstance(self.path, Bytes) and _is_there(self.path):
            object.__setattr__(self, "path", Bytes.of(self.path))
        name = self.path.name if isinstance(self.path, Bytes) else os.fsdecode(self.path)
        object.__setattr__(self, "name", name)
        object.__setattr__(self, "respells", self.tokens == "any")
        object.__setattr__(self, "rebreaks", self.sentences == "any")
        object.__setattr__(self, "retokenised", self.tokens == "align")
        for option in ("token", "label", *(["document"] if self.document is not None else [])):
            value = getattr(self, option)
            expect(option, value, int, f"give {FILE_OPTIONS[option].give}")
            if abs(value) > _MOST_COLUMNS:
                raise UsageError(self.name, f"{option}={value} cannot be", "count columns from 0")
        either = ("same", "any")
        for option, known in (
            ("tokens", _TOKENS),
            ("sentences", either),
            ("mend", (None, *LABEL_FIXES)),
        ):
            if getattr(self, option) not in known:
                raise UsageError(
                    self.name,
                    f"{option}={getattr(self, option)!r} cannot be",
                    f"give {FILE_OPTIONS[option].give}",
                )
        expect("comments", self.comments, (bool, type(None)), "say True or False")
        if self.separator is not None and self.separator not in SEPARATORS:
            raise UsageError(
                self.name,
                f"no separator is called '{self.separator}'",
                suggest(self.separator, SEPARATORS),
            )
        if self.scheme is not None:
            scheme_named(self.scheme)
        check_encoding(self.name, self.encoding)

    @property
    def is_small(self) -> bool:  # type: ignore[override]
        """Whether it is so small that its words are always kept."""
        return self.content.size <= _SMALL

    @property
    def content(self) -> Bytes:
        """What is in the file."""
        return self.path if isinstance(self.path, Bytes) else Bytes.of(self.path)

    def chunks(self, coding: Coding, *, tokens: bool = True) -> Iterator[Corpus]:
        """Chunks of whole sentences."""
        for corpora in read_chunks(self, coding, [self.label], tokens):
            yield corpora[0]

    def nature(self, coding: Coding | None = None) -> Nature:
        """The scheme, told by looking at the beginning; labels are always flat."""
        if self.scheme is not None:
            return Nature(scheme_named(self.scheme))
        seen = Transitions()
        for chunk in read_chunks(self, Coding(), [self.label], tokens=False, most=_LOOK):
            seen += chunk[0].reading_notes.transitions
        return Nature(seen.scheme())

    def two_sides(self) -> tuple["ConllFile", "ConllFile"]:
        """The last column is predicted, the one before it gold, as for conlleval."""
        if self.n_columns < 3:
            raise UsageError(
                self.name,
                "no system is given",
                "name one, as --system bert=bert.txt, or give a file with gold and predicted",
            )
        return replace(self, label=self.label - 1), self

    @property
    def n_columns(self) -> int:  # type: ignore[override]
        """How many columns the first line with a token has."""
        head = self.content.head().decode(self.encoding, "replace").removeprefix(_BOM)
        separator = look(head.encode(), self).separator.decode()
        lines = (line.strip("\r") for line in head.split("\n"))
        first = next((line for line in lines if line.strip() and not line.startswith("#")), "")
        return len(list(filter(None, first.split(separator))))

    def saying(self, options: Mapping[str, Any]) -> "ConllFile":
        """The same file with other options."""
        for key in options:
            if key not in FILE_OPTIONS:
                raise UsageError(
                    self.name, f"no file option is called '{key}'", suggest(key, FILE_OPTIONS)
                )
        return replace(self, **options)

    @property
    def file(self) -> Hashable:
        """Everything but the label column."""
        return replace(self, label=0)

    def together(
        self, members: Sequence[Source], coding: Coding, *, tokens: bool
    ) -> Iterator[list[Corpus]]:
        """Several label columns of one file."""
        return self._columns(members, coding, tokens)

    def unread(self, members: Sequence[Source], coding: Coding) -> Iterator[list[Corpus]] | None:
        """The same with tokens left where they stand."""
        return None if self.rebreaks else self._columns(members, coding, None)

    def _columns(
        self, members: Sequence[Source], coding: Coding, tokens: bool | None
    ) -> Iterator[list[Corpus]]:
        wanted = [member.label for member in members if isinstance(member, ConllFile)]
        distinct = list(dict.fromkeys(wanted))
        for corpora in read_chunks(self, coding, distinct, tokens):
            yield [corpora[distinct.index(column)] for column in wanted]

    def relabelled(self, labels: Mapping[int, str]) -> bytes:
        """The bytes of the file with other labels; line ends, encoding and all else stay."""
        with self.content.open() as stream:
            text = stream.read().decode(self.encoding)
        bom = _BOM if text.startswith(_BOM) else ""
        text = text.removeprefix(_BOM)
        tabs = look(text.encode(), self).separator == b"\t"
        newline = "\n" if "\n" in text or "\r" not in text else "\r"
        lines = text.split(newline)
        for number, label in labels.items():
            line = lines[number - 1]
            end = "\r" if line.endswith("\r") else ""
            plain = line.removesuffix("\r")
            lines[number - 1] = _with_label(plain, self.label, label, tabs) + end
        return (bom + newline.join(lines)).encode(self.encoding)

    def blocks(self) -> Iterator[bytes]:
        """The text of the file."""
        part = self.part or Part(0, None, 1)
        if part.text is not None:
            yield from blocks(io.BytesIO(part.text), self.name, self.encoding, part.begin == 0)
            return
        with self.content.open() as stream:
            source = stream if self.part is None else Window(stream, part.begin, part.end)
            yield from blocks(source, self.name, self.encoding, part.begin == 0)


def _with_label(line: str, column: int, label: str, tabs: bool) -> str:
    if tabs:
        fields = line.split("\t")
        fields[column] = label
        return "\t".join(fields)
    start, end = list(re.finditer("[^ ]+", line))[column].span()  # runs of blanks stay as they are
    return line[:start] + label + line[end:]


def _is_there(path: str | os.PathLike[str]) -> bool:
    try:
        return os.fspath(path) == STANDARD_INPUT or Path(path).exists()
    except OSError:  # reading it will say what is wrong
        return False


def _cannot_stand(word: str) -> bool:
    """Whether a token would be read as something else, or as two."""
    return not word or bool(_BREAKS.search(word)) or word.startswith(_DOCUMENT)


def written_as_conll(corpus: Corpus, scheme: Scheme) -> bytes:
    """A corpus as two columns: tokens and labels in a scheme; a line before each document.

    >>> from nerscope.corpus.schemes import BIO
    >>> written_as_conll(Corpus.of([(["Ada", "spoke"], ["B-PER", "O"])]), BIO)
    b'Ada\\tB-PER\\nspoke\\tO\\n\\n'
    """
    codes = encode(corpus.mentions(), corpus.starts, corpus.coding.labels, scheme)
    names = corpus.coding.labels.texts_in(scheme)
    if any(re.search(r"\s", name) for name in names):
        raise InputError(
            corpus.name, "a type has a blank in it, which columns cannot hold", "rename the type"
        )
    begins_document = _document_begins(corpus)
    lines: list[str] = []
    for sentence, (begin, end) in enumerate(pairwise(corpus.starts.tolist())):
        words = corpus.words(sentence)
        if any(_cannot_stand(word) for word in words) or (not lines and words[0][:1] == _BOM):
            raise InputError(
                corpus.name,
                f"sentence {sentence + 1} has a token that lines and columns cannot hold",
                "take out tabs, line ends, empty tokens, -DOCSTART- and a byte order mark",
            )
        lines += [f"{_DOCUMENT}\t{OUTSIDE_LABEL}", ""] if begins_document[sentence] else []
        lines += [
            f"{word}\t{names[code]}" for word, code in zip(words, codes[begin:end], strict=True)
        ]
        lines.append("")
    return ("\n".join(lines) + "\n").encode()


def _document_begins(corpus: Corpus) -> Bools:
    """Whether a document begins with each sentence: nowhere, if there is but one document.

    Where each sentence is a document of its own, as texts without documents are read, lines would
    tell no more than the sentences do.
    """
    begins = np.diff(corpus.documents, prepend=-1) != 0
    return begins if 1 < begins.sum() < len(begins) else np.zeros(len(begins), bool)


def fits(name: str, head: bytes) -> bool:
    """Whether a file is surely columns: by its ending, and because every line ends in a label.

    Column files that do not look like it (labels without a prefix or in another column, another
    ending) are read as columns too, if no other format fits them.

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
        lines.pop()  # it may be cut off
    tokens = [line for line in lines if line.strip() and not line.startswith(_DOCUMENT.encode())]
    return bool(tokens) and all(map(_ends_in_label, tokens))


def _ends_in_label(line: bytes) -> bool:
    """Whether a line has a token and a label; one with # may be a comment of another format."""
    fields = line.rsplit(None, 1)
    return len(fields) > 1 and not line.startswith(b"#") and bool(_LABEL.fullmatch(fields[1]))


FORMATS.add(
    FALLBACK,
    Format(
        FALLBACK,
        ConllFile,
        fits,
        FILE_OPTIONS,
        written_as_conll,
        endings=ENDINGS,
        title="CoNLL columns",
        phrase="one token per line, in columns",
        definition="One token per line with its label in a column, blank lines between sentences.",
    ),
    built_in=True,
)


class Layout(NamedTuple):
    """What was found by looking at the beginning of a file."""

    separator: bytes
    comments: bool


def look(data: bytes, file: ConllFile) -> Layout:
    """Tell tabs from spaces, and a file with comment lines from one whose tokens may be `#`."""
    comments = bool(_CONLLU.match(data)) if file.comments is None else file.comments
    if file.separator:
        return Layout(SEPARATORS[file.separator], comments)
    lines = [
        line
        for line in data[: 1 << 16].split(b"\n")
        if line.strip() and not (comments and line.startswith(b"#"))
    ]
    tabbed = sum(b"\t" in line for line in lines)
    return Layout(b"\t" if 2 * tabbed > len(lines) else b" ", comments)


def read_chunks(
    file: ConllFile,
    coding: Coding,
    columns: Sequence[int],
    tokens: bool | None = True,
    most: int | None = None,
) -> Iterator[list[Corpus]]:
    """Chunks of whole sentences, as one corpus for each label column that is asked for.

    Tokens are read, or not (False), or only found (None), so that they can be compared.
    With `most`, reading stops after the chunk in which that many bytes have been read.
    """
    reader = _Reader(file, coding, columns, tokens)
    _keep_freed_memory()
    parts: list[bytes] = []
    size, wanted, done = 0, BLOCK // 2, 0
    for block in file.blocks():
        parts.append(block)
        size, done = size + len(block), done + len(block)
        if size < wanted:
            continue
        rest, corpora = reader.read(b"".join(parts), final=False)
        # A sentence longer than a block is read again only when twice as much of it is there: so
        # the time stays linear.
        parts, size, wanted = [rest], len(rest), max(BLOCK // 2, 2 * len(rest))
        if corpora:
            yield corpora
        if most is not None and corpora and done >= most:
            return
    # The last sentence is always held back for this.
    _, corpora = reader.read(b"".join(parts), final=True)
    if not corpora:
        raise InputError(file.name, "the file holds no sentence", "check that it is the right file")
    yield corpora


_ROOM = 30 << 20  # bytes; the allocator learns from no array of more than 32 MiB


def _keep_freed_memory() -> None:
    """Have the arrays of one block serve for the next.

    The allocator of Linux would give them back to the system after each block, and to get fresh
    ones takes longer than to fill them. Once it has seen a large array go, which is never touched
    and so costs nothing, it keeps up to twice as much.
    """
    np.empty(_ROOM, np.uint8)


class _RawLabels:
    """Dense codes for the few labels of a file, in the order in which they turn up."""

    def __init__(self) -> None:
        self.size = 0
        self.outside = -1  # the code of O, once it has turned up
        self._vocabulary = Vocabulary()
        self._dense = np.full(0, -1, np.int32)  # by code of the vocabulary

    def codes(self, buffer: Buffer, starts: Ints, ends: Ints) -> tuple[Ints, list[str]]:
        """The codes of labels that stand in a buffer, and the labels that are new."""
        sparse = self._vocabulary.encode_fields(buffer, starts, ends)
        if self._vocabulary.bound > len(self._dense):
            self._dense = np.pad(
                self._dense, (0, self._vocabulary.bound - len(self._dense)), constant_values=-1
            )
        codes = self._dense.take(sparse)
        if codes.min(initial=0) >= 0:
            return codes, []
        fresh, where = np.unique(sparse[codes < 0], return_index=True)
        fresh = fresh[np.argsort(where)]
        self._dense[fresh] = np.arange(self.size, self.size + len(fresh))
        new = self._vocabulary.strings(fresh)
        if OUTSIDE_LABEL in new:
            self.outside = self.size + new.index(OUTSIDE_LABEL)
        self.size += len(fresh)
        return self._dense.take(sparse), new


class LabelColumn:
    """The labels of one column: raw codes of what is written, and the codes all files share."""

    def __init__(self, labels: LabelCodes, scheme: Scheme | None) -> None:
        self.labels, self.scheme = labels, scheme
        self.texts: list[str] = []  # of raw codes
        self._raw = _RawLabels()
        self._shared = np.zeros(0, np.int32)  # by raw code

    def read(
        self, buffer: Buffer, starts: Ints, ends: Ints, lines: Ints, name: str
    ) -> tuple[Ints, Ints]:
        """The raw and the shared codes of the labels that stand in a buffer, each on its line."""
        # Most labels of most files are a lone O. Once it is known, only the others are looked up.
        if self._raw.outside < 0 and len(starts) > _SOME:
            self.read(buffer, starts[:_SOME], ends[:_SOME], lines, name)
        known = self._raw.outside >= 0
        others = _all_but_outside(buffer, starts, ends) if known else np.arange(len(starts))
        found, new = self._raw.codes(buffer, starts[others], ends[others])
        if new:
            self._learn(new, found, lines.take(others), name)
        raw = np.full(len(starts), self._raw.outside, _narrowest(len(self.texts)))
        raw[others] = found.astype(raw.dtype)
        labels = np.zeros(len(starts), _narrowest(len(self.labels.labels)))  # O is always 0
        labels[others] = self._shared.astype(labels.dtype).take(found)
        return raw, labels

    def _learn(self, new: Sequence[str], raw: Ints, lines: Ints, name: str) -> None:
        """Note what new labels mean; one that cannot be read is refused at its line."""
        codes = []
        for text in new:
            label = parse_label(text, self.scheme.bare if self.scheme else None)
            if label is None:
                first = int(np.argmax(raw == len(self.texts) + new.index(text)))
                raise label_error(f"{name}:{lines[first]}", text)
            codes.append(self.labels.code(label))
        self.texts += new
        self._shared = np.concatenate([self._shared, np.array(codes, np.int32)])


def _all_but_outside(buffer: Buffer, starts: Ints, ends: Ints) -> Ints:
    """The places of the labels other than O."""
    differs = buffer.take(starts, mode="clip") != ord(OUTSIDE_LABEL)  # clip: without a check
    differs |= ends - starts != len(OUTSIDE_LABEL)
    return np.flatnonzero(differs)


def _narrowest(size: int) -> type[np.signedinteger[Any]]:
    """What holds codes below a size: small codes are quicker to compare."""
    return np.int8 if size < 1 << 7 else np.int16 if size < 1 << 15 else np.int32


class _Reader:
    """The state of reading one file: what is known of its layout, and how far it has come."""

    def __init__(
        self, file: ConllFile, coding: Coding, columns: Sequence[int], tokens: bool | None
    ) -> None:
        self.file, self.coding = file, coding
        self.with_tokens, self.finds_tokens = tokens or file.mend is not None, tokens is None
        self.told = scheme_named(file.scheme) if file.scheme else None
        self.columns = {column: LabelColumn(coding.labels, self.told) for column in columns}
        document = () if file.document is None else (file.document,)
        wanted = (file.token, *columns, *document)
        places = (column + 1 if column >= 0 else -column for column in wanted)
        self.needed = max(2, *places)
        self.layout: Layout | None = None
        self.line, self.documents = file.part.line if file.part else 1, 0
        self.document_name: bytes | None = None  # of the sentence before

    def read(self, data: bytes, final: bool) -> tuple[bytes, list[Corpus]]:
        """The sentences of a block, and the bytes of the last one if it may go on."""
        if not data:
            return b"", []
        self.layout = self.layout or look(data, self.file)
        separator, comments = self.layout
        whole = page_of(data, separator, comments, self.needed, list(self.columns))
        page = whole if final else whole.without_last_sentence()
        self._check_columns(page)
        corpora = self._corpora(page) if len(page.begins) else []
        self.line += page.n_lines
        if self.file.document is None:
            self.documents += len(page.documents)
        return whole.data[page.size :], corpora

    def _check_columns(self, page: Page) -> None:
        counts = page.column_counts()[: 1 if page.is_even else None]  # the others are the same
        short = np.flatnonzero(counts < self.needed)
        if len(short):
            kind = "tab" if self.layout and self.layout.separator == b"\t" else "space"
            found = plural(int(counts[short[0]]), f"{kind}-separated column")
            raise FormatError(
                f"{self.file.name}:{self.line + page.rows[short[0]]}",
                f"{found} where {self.needed} are needed",
                "mend the line; say separator=tab or separator=space if the guess is wrong, "
                "comments=yes if it is a comment",
            )
        for column in self.columns:
            at, token = (
                place if place >= 0 else counts + place for place in (column, self.file.token)
            )
            if len(counts) and np.equal(at, token).any():
                raise FormatError(
                    f"{self.file.name}:{self.line + page.rows[0]}",
                    "the label column is the column of the token",
                    "give a file with more columns, or say token=… and label=…",
                )

    def _documents(self, page: Page) -> Ints:
        """The document of each sentence: by the lines between them, or by a column of its first
        token.
        """
        if self.file.document is None:
            return self.documents + np.searchsorted(page.documents, page.rows[page.begins])
        begins, ends = (side[page.begins] for side in page.field(self.file.document))
        names = [page.data[a:b] for a, b in zip(begins.tolist(), ends.tolist(), strict=True)]
        before = [self.document_name, *names[:-1]]
        changed = [one != other for one, other in zip(names, before, strict=True)]
        found: Ints = self.documents + np.cumsum(changed)
        self.documents, self.document_name = int(found[-1]), names[-1]
        return found

    def _corpora(self, page: Page) -> list[Corpus]:
        starts = np.append(page.begins, len(page.rows))
        lines = page.rows + self.line
        documents = self._documents(page)
        tokens, unread = np.zeros(0, np.int32), None
        if self.finds_tokens and not self.with_tokens:
            unread = Fields(page.buffer, *page.field(self.file.token))
        if self.with_tokens:
            tokens = self.coding.tokens.encode_fields(page.buffer, *page.field(self.file.token))
        corpora = []
        for number, column in self.columns.items():
            raw, labels = column.read(page.buffer, *page.field(number), lines, self.file.name)
            transitions = Transitions.of(column.texts, raw, starts, lines)
            reading = ReadingNotes(transitions, comment_lines=len(page.remarks))
            if self.file.mend:
                mend = LABEL_FIXES[self.file.mend]
                mended = mend(tokens, labels, starts, self.coding.tokens, self.coding.labels)
                reading = replace(reading, mended_labels=int((mended != labels).sum()))
                labels = mended
            corpora.append(
                Corpus(
                    self.file.name,
                    self.coding,
                    tokens,
                    starts,
                    lines,
                    documents,
                    labels,
                    reading_notes=reading,
                    declared_scheme=self.told,
                    unread_tokens=unread,
                )
            )
        return corpora
