"""The base class of files with one token per line: encoding, byte ranges, chunks, label codes."""

import os
from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar, Protocol, Self

import numpy as np

from nerscope.corpus.arrays import Bytes as Buffer
from nerscope.corpus.arrays import Ints
from nerscope.corpus.corpus import Coding, Corpus, label_error
from nerscope.corpus.schemes import (
    OUTSIDE_LABEL,
    LabelCodes,
    Scheme,
    Transitions,
    label_without_type,
    parse_label,
    scheme_named,
)
from nerscope.corpus.vocabulary import Vocabulary
from nerscope.errors import InputError, UsageError, suggest
from nerscope.formats.base import FileOption
from nerscope.formats.files import (
    BLOCK,
    ByteRange,
    FileBytes,
    check_encoding,
    line_blocks,
    open_range,
)
from nerscope.formats.source import EditedFile, LabelStyle, MentionEdit, Source, SourceInfo

BOM = "\ufeff"
SAME, ANY, ALIGN = "same", "any", "align"  # values of the options tokens= and sentences=
_SCHEME_BYTES = 4 << 20  # bytes of a file that are read to detect its scheme
_FIRST_LABELS = 1000  # labels that almost always include O
_FREED = 30 << 20  # bytes; the allocator learns nothing from arrays of more than 32 MiB

SHARED_OPTIONS: Mapping[str, FileOption] = {
    "scheme": FileOption(str, "the tagging scheme (default: auto-detected)"),
    "encoding": FileOption(str, "the encoding (default: utf-8)"),
    "tokens": FileOption(
        {name: name for name in (SAME, ANY, ALIGN)}.__getitem__,
        "same, any (tokens may be spelt differently from gold) or align (other tokens than gold)",
    ),
    "sentences": FileOption(
        {name: name for name in (SAME, ANY)}.__getitem__,
        "same or any (other sentence breaks than gold)",
    ),
}


class BlockReader(Protocol):
    """Reads blocks of lines and keeps track of the position in the file."""

    def read(self, data: bytes, final: bool) -> tuple[bytes, list[Corpus]]:
        """The bytes after the last sentence that is certainly complete, and the sentences.

        There is one corpus per label column, or none if the block has no sentences.
        """


class ColumnFile(Source):
    """A file with one token per line. A subclass defines how to read a token and a label."""

    __slots__ = ()
    max_small: ClassVar[int]  # bytes of a file whose words are always kept
    file_options: ClassVar[Mapping[str, FileOption]]
    format: ClassVar[str | None] = None
    path: str | os.PathLike[str] | FileBytes
    scheme: str | None
    encoding: str
    tokens: str
    sentences: str

    @abstractmethod
    def reader(self, coding: Coding, tokens: bool | None) -> BlockReader:
        """A reader for the whole file, which starts at its beginning."""

    @abstractmethod
    def relabeller(self, text: str) -> Callable[[str, str], str]:
        """A function of a line and a label that returns the line with that label."""

    @property
    def info(self) -> SourceInfo:
        return SourceInfo(
            self.name,
            respells=self.tokens == ANY,
            rebreaks=self.sentences == ANY,
            retokenised=self.tokens == ALIGN,
            is_small=self.content.size <= self.max_small,
            format=self.format,
        )

    @property
    def content(self) -> FileBytes:
        return self.path if isinstance(self.path, FileBytes) else FileBytes.of(self.path)

    @property
    def byte_range(self) -> ByteRange | None:
        """The part of the file that is read; None if it is the whole file."""
        return None

    def check_options(self, choices: Sequence[str] = ("tokens", "sentences")) -> None:
        """Refuse invalid values of options; `choices` are options with a fixed set of values."""
        for option in choices:
            value, known = getattr(self, option), self.file_options[option]
            try:
                known.read(value)
            except (KeyError, TypeError):
                raise UsageError(
                    self.name, f"invalid value {option}={value!r}", f"give {known.give}"
                ) from None
        if self.scheme is not None:
            scheme_named(self.scheme)
        check_encoding(self.name, self.encoding)

    def with_options(self, options: Mapping[str, Any]) -> Self:
        for key in options:
            if key not in self.file_options:
                raise UsageError(
                    self.name, f"unknown file option '{key}'", suggest(key, self.file_options)
                )
        return replace(self, **options)  # type: ignore[type-var]  # subclasses are dataclasses

    def with_records(self, metadata: Sequence[str] = ()) -> Source:
        from nerscope.formats.columns.described import DescribedFile  # rarely needed

        return DescribedFile(self, tuple(metadata))

    def blocks(self) -> Iterator[bytes]:
        """The text of the file, or of its byte range, in blocks of whole lines."""
        shard = self.byte_range
        from_start = shard is None or shard.begin == 0  # a byte order mark is removed only there
        with open_range(self.content, shard) as stream:
            yield from line_blocks(stream, self.name, self.encoding, from_start)

    def chunks(self, coding: Coding, *, tokens: bool = True) -> Iterator[Corpus]:
        """Chunks of whole sentences."""
        for corpora in self.read_chunks(self.reader(coding, tokens)):
            yield corpora[0]

    def label_style(self, coding: Coding | None = None) -> LabelStyle:
        """The scheme, detected at the beginning of the file; labels are always flat."""
        if self.scheme is not None:
            return LabelStyle(scheme_named(self.scheme))
        transitions = Transitions()
        for corpora in self.read_chunks(self.reader(Coding(), tokens=False), most=_SCHEME_BYTES):
            transitions += corpora[0].reading_notes.transitions
        return LabelStyle(transitions.scheme())

    def read_chunks(self, reader: BlockReader, most: int | None = None) -> Iterator[list[Corpus]]:
        """Read the file chunk by chunk: a row of corpora, one per label column.

        With `most`, reading stops after the chunk in which that many bytes have been read.
        """
        _keep_freed_memory()
        pending: list[bytes] = []
        size, enough, done, is_empty = 0, BLOCK // 2, 0, True
        for block in self.blocks():
            pending.append(block)
            size, done = size + len(block), done + len(block)
            if size < enough:
                continue
            rest, corpora = reader.read(b"".join(pending), final=False)
            # A sentence longer than a block is read again only when the text has doubled, so that
            # the time stays linear.
            pending, size, enough = [rest], len(rest), max(BLOCK // 2, 2 * len(rest))
            if corpora:
                is_empty = False
                yield corpora
            if most is not None and corpora and done >= most:
                return
        _, corpora = reader.read(b"".join(pending), final=True)
        if corpora:
            yield corpora
        elif is_empty:
            raise InputError(
                self.name, "the file contains no sentences", "check that it is the right file"
            )

    def edited(self, edit: MentionEdit) -> EditedFile:
        lines = edit.corpus.lines
        data = self.relabelled({int(lines[at]): label for at, label in edit.labels.items()})
        if data is None:  # writing the file anew would lose its other columns
            raise UsageError(
                self.name,
                "nerscope does not change mentions in brackets, in several columns, or without a "
                "line for each token",
                f"nerscope convert {self.name} OUT.jsonl, and decide on that file",
            )
        file = replace(self, path=FileBytes(self.name, data=data))  # type: ignore[type-var]
        return EditedFile(data, file)

    def relabelled(self, labels: Mapping[int, str]) -> bytes | None:
        """The bytes of the file with other labels; everything else stays unchanged."""
        with self.content.open() as stream:
            text = stream.read().decode(self.encoding)
        bom = BOM if text.startswith(BOM) else ""
        text = text.removeprefix(BOM)
        newline = "\n" if "\n" in text or "\r" not in text else "\r"
        lines = text.split(newline)
        with_label = self.relabeller(text)
        for number, label in labels.items():
            line = lines[number - 1]
            end = "\r" if line.endswith("\r") else ""
            lines[number - 1] = with_label(line.removesuffix("\r"), label) + end
        return (bom + newline.join(lines)).encode(self.encoding)


def _keep_freed_memory() -> None:
    """Make the allocator reuse the arrays of one block for the next.

    glibc returns large freed arrays to the system after each block, and getting new pages takes
    longer than filling them. After it has freed one array of this size (which is never touched, so
    it costs nothing), its threshold rises and it keeps up to twice as much.
    """
    np.empty(_FREED, np.uint8)


class _RawLabels:
    """Dense codes for the few labels of a file, in the order in which they occur.

    The vocabulary gives sparse codes (even ones for short strings, odd ones for others). They are
    renumbered 0, 1, 2 …: `_dense[sparse code]` is the dense code, or -1 for a label that has not
    been seen yet. In a file that begins with `B-PER O O`, the sparse codes are 0 2 2, and the dense
    codes 0 1 1.
    """

    def __init__(self) -> None:
        self.size = 0
        self.outside = -1  # the code of O, once it has occurred
        self._vocabulary = Vocabulary()
        self._dense = np.full(0, -1, np.int32)

    def codes(self, buffer: Buffer, starts: Ints, ends: Ints) -> tuple[Ints, list[str]]:
        """The codes of the labels at some places of a buffer, and the new labels."""
        sparse = self._vocabulary.encode_fields(buffer, starts, ends)
        if self._vocabulary.bound > len(self._dense):
            self._dense = np.pad(
                self._dense, (0, self._vocabulary.bound - len(self._dense)), constant_values=-1
            )
        # Almost every block has only labels that are known from the blocks before it.
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
    """The labels of one column: raw codes of the texts, and the codes that all files share.

    `I-PER` in IOB1 and `B-PER` in BIO are two raw labels. The scheme of a file is detected from raw
    codes; mentions are decoded from the shared codes of `LabelCodes`.
    """

    def __init__(self, labels: LabelCodes, scheme: Scheme | None) -> None:
        self.labels, self.scheme = labels, scheme
        self.texts: list[str] = []  # by raw code
        self._raw = _RawLabels()
        self._shared = np.zeros(0, np.int32)  # by raw code

    def read(
        self, buffer: Buffer, starts: Ints, ends: Ints, lines: Ints, name: str
    ) -> tuple[Ints, Ints]:
        """The raw and the shared codes of the labels at some places of a buffer."""
        # Most labels of most files are O. Once its code is known, only the others are looked up.
        if self._raw.outside < 0 and len(starts) > _FIRST_LABELS:
            self.read(buffer, starts[:_FIRST_LABELS], ends[:_FIRST_LABELS], lines, name)
        is_known = self._raw.outside >= 0
        others = _all_but_outside(buffer, starts, ends) if is_known else np.arange(len(starts))
        codes, new = self._raw.codes(buffer, starts[others], ends[others])
        if new:
            self._learn(new, codes, lines.take(others), name)
        raw = np.full(len(starts), self._raw.outside, _narrowest(len(self.texts)))
        raw[others] = codes.astype(raw.dtype)
        labels = np.zeros(len(starts), _narrowest(len(self.labels.labels)))  # O is always 0
        labels[others] = self._shared.astype(labels.dtype).take(codes)
        return raw, labels

    def _learn(self, new: Sequence[str], raw: Ints, lines: Ints, name: str) -> None:
        """Parse new labels; an invalid label is refused with its line."""
        codes = []
        bare = self.scheme.bare if self.scheme else None
        without_type = label_without_type([*self.texts, *new]) if bare is None else None
        for text in new:
            label = parse_label(text, bare)
            # In a file that begins with labels without types, the first label with one is refused.
            if label is None or without_type in (text, *self.texts):
                first = int(np.argmax(raw == len(self.texts) + new.index(text)))
                raise label_error(f"{name}:{lines[first]}", without_type or text)
            codes.append(self.labels.code(label))
        self.texts += new
        self._shared = np.concatenate([self._shared, np.array(codes, np.int32)])


def _all_but_outside(buffer: Buffer, starts: Ints, ends: Ints) -> Ints:
    """The places of the labels other than O."""
    differs = buffer.take(starts, mode="clip") != ord(OUTSIDE_LABEL)  # clip avoids a bounds check
    differs |= ends - starts != len(OUTSIDE_LABEL)
    return np.flatnonzero(differs)


def _narrowest(size: int) -> type[np.signedinteger[Any]]:
    """The smallest integer type for codes below a size; small codes are faster to compare."""
    return np.int8 if size < 1 << 7 else np.int16 if size < 1 << 15 else np.int32
