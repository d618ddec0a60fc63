"""The data to split: sources with the same layout, read as one corpus, with their raw text."""

import codecs
import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from nerscope.corpus.arrays import Ints
from nerscope.corpus.corpus import Coding, Corpus, join_chunks
from nerscope.corpus.text_keys import sentence_codes
from nerscope.dataset.split.texts import (
    DOCSTART,
    SentenceTexts,
    concatenated,
    context_ranges,
    join_sentences,
    selected_text,
    sentence_texts,
)
from nerscope.errors import InputError, UsageError
from nerscope.formats.base import CorpusLike, open_source, source_named
from nerscope.formats.columns.conll import (
    FILE_OPTIONS,
    SEPARATORS,
    ConllFile,
    detect_layout,
    write_conll,
)
from nerscope.formats.files import FileBytes
from nerscope.formats.source import Source, require_tokens

_BOM = "\ufeff"
_LAYOUT_BYTES = 1 << 18  # bytes of a file that are used to detect its layout
_SEPARATOR_NAMES = {separator: name for name, separator in SEPARATORS.items()}
Data = CorpusLike | Sequence[CorpusLike]


class FileLayout(NamedTuple):
    """The layout of a column file. Files that are split together must have the same layout.

    Error messages show the field names.
    """

    encoding: str
    line_end: str
    separator: str
    columns: int
    token: int
    label: int
    document: int | None
    comments: bool
    mend: str | None
    scheme: str


class Origin(NamedTuple):
    """A source in the manifest; `sha256` is the digest of the stored (perhaps packed) file."""

    name: str
    sha256: str
    sentences: int


class _SourceText(NamedTuple):
    """The content of one source."""

    origin: Origin
    corpus: Corpus
    texts: SentenceTexts
    layout: FileLayout
    options: Mapping[str, Any]
    bom: str


@dataclass(frozen=True, slots=True, eq=False)
class Material:
    """All sentences of all sources. Document numbers are unique over all sources."""

    origins: Sequence[Origin]
    corpus: Corpus
    texts: SentenceTexts
    layout: FileLayout
    options: Mapping[str, Any]  # file options of the sources
    bom: str

    @property
    def source_of_sentence(self) -> Ints:
        sizes = [origin.sentences for origin in self.origins]
        return np.repeat(np.arange(len(sizes)), sizes)

    @property
    def has_documents(self) -> bool:
        """Whether at least two documents are marked by lines or by a column."""
        several = self.corpus.documents[0] != self.corpus.documents[-1]
        has_marks = bool(self.texts.default_mark)
        return bool(several) and (has_marks or self.layout.document is not None)

    def sentence_codes(self) -> Ints:
        """A code for each sentence; sentences with the same text have the same code."""
        return sentence_codes([self.corpus])[0]

    def mentions(self) -> tuple[Ints, Ints]:
        """The sentence and the type of each mention."""
        mentions = self.corpus.mentions()
        sentence = np.searchsorted(self.corpus.starts, mentions.start, side="right") - 1
        return sentence, mentions.type

    def encoded(self, text: str) -> bytes:
        return (self.bom + text).encode(self.layout.encoding)


def read_material(data: Data) -> Material:
    """Read sources with one vocabulary; raises `InputError` if their layouts differ."""
    coding, sources, n_documents = Coding(), list[_SourceText](), 0
    for source in _sources(data):
        sources.append(_read_source(source, coding, n_documents))
        n_documents = int(sources[-1].corpus.documents.max()) + 1
        _check_same_layout(sources[0], sources[-1])
    first = sources[0]
    texts = concatenated([source.texts for source in sources])
    name = " + ".join(source.origin.name for source in sources)
    corpus = replace(join_chunks([source.corpus for source in sources]), name=name)
    origins = [source.origin for source in sources]
    return Material(origins, corpus, texts, first.layout, first.options, first.bom)


def with_context(texts: Sequence[str], size: int) -> bytes:
    """The content of files (`FILE::options`), with every `size` sentences of a document joined.

    Several files are concatenated.
    """
    material = read_material(list(texts))
    ranges = context_ranges(material.texts.documents, size)
    longer = join_sentences(material.texts, ranges)
    return material.encoded(selected_text(longer, np.arange(len(ranges))))


def _sources(data: Data) -> Iterator[Source]:
    items: Sequence[Any] = data if isinstance(data, list | tuple) else [data]
    if not items:
        raise UsageError("split", "no data is given", "give a file")
    for item in items:
        yield source_named(item) if isinstance(item, str) else open_source(item)


def _read_source(source: Source, coding: Coding, first_document: int) -> _SourceText:
    if (file := source.column_file) is not None:
        corpus = join_chunks(list(file.chunks(coding)))
        options = _explicit_options(file)
    else:
        file, corpus = _as_columns(source, coding)
        options = {}
    # Document numbers of this source follow those of the sources before it.
    shift = first_document - corpus.documents.min()
    corpus = replace(corpus, documents=corpus.documents + shift)
    data, sha256 = _content_and_hash(file.content)
    text = data.decode(file.encoding)
    bom = _BOM if text.startswith(_BOM) else ""
    texts = sentence_texts(text.removeprefix(_BOM), corpus)
    layout = _layout(file, corpus, texts)
    if layout.document is not None:  # a column names the documents, so lines need not
        texts = replace(texts, marks={}, default_mark="")
    elif not texts.default_mark and corpus.documents[0] != corpus.documents[-1]:
        # Formats such as JSON have no document lines: mark documents as in CoNLL-2003.
        filler = SEPARATORS[layout.separator].decode() + "O"
        mark = f"{DOCSTART}{filler * (layout.columns - 1)}{layout.line_end}"
        texts = replace(texts, default_mark=mark)
    return _SourceText(Origin(file.name, sha256, len(corpus)), corpus, texts, layout, options, bom)


def _as_columns(source: Source, coding: Coding) -> tuple[ConllFile, Corpus]:
    """A source of another format, converted to two columns."""
    corpus = join_chunks([require_tokens(chunk) for chunk in source.chunks(Coding())])
    if not corpus.is_flat:
        raise InputError(
            source.name,
            "its mentions overlap, and labels cannot represent overlapping mentions",
            "split data without overlapping mentions",
        )
    data = FileBytes(source.name, data=write_conll(corpus, corpus.scheme))
    file = ConllFile(data, separator="tab", comments=False, scheme=corpus.scheme.name)
    columns = join_chunks(list(file.chunks(coding)))
    return file, replace(columns, documents=corpus.documents)


def _content_and_hash(content: FileBytes) -> tuple[bytes, str]:
    """The unpacked content of a file, and the SHA-256 of the stored file."""
    with content.open() as stream:
        data = stream.read()
    with content.as_stored() as stream:
        return data, hashlib.file_digest(stream, "sha256").hexdigest()


def _layout(file: ConllFile, corpus: Corpus, texts: SentenceTexts) -> FileLayout:
    detected = detect_layout(texts.text[:_LAYOUT_BYTES].encode(), file)
    line = texts.body(0, 0).split(texts.line_end)[0]
    fields = line.split(detected.separator.decode())
    # Every tab is a separator, also between empty fields; several spaces are one separator.
    columns = len(fields) if detected.separator == b"\t" else len(list(filter(None, fields)))
    return FileLayout(
        codecs.lookup(file.encoding).name,
        texts.line_end,
        _SEPARATOR_NAMES[detected.separator],
        columns,
        file.token % columns,
        file.label % columns,
        None if file.document is None else file.document % columns,
        bool(detected.comments),  # a file with comments=all is not copied
        file.mend,
        corpus.scheme.name,
    )


def _check_same_layout(first: _SourceText, other: _SourceText) -> None:
    for name, expected, actual in zip(FileLayout._fields, first.layout, other.layout, strict=True):
        if expected != actual:
            raise InputError(
                other.origin.name,
                f"different {name.replace('_', ' ')}: {actual!r} here, "
                f"{expected!r} in {first.origin.name}",
                f"{other.origin.name}::{name}=…, or convert the file first (nerscope convert)"
                if name in FILE_OPTIONS
                else f"convert the file to the layout of {first.origin.name}",
            )


def _explicit_options(file: ConllFile) -> dict[str, Any]:
    """The file options that differ from the defaults."""
    default = ConllFile(FileBytes("", data=b""))
    options = {name: getattr(file, name) for name in FILE_OPTIONS}
    return {name: value for name, value in options.items() if value != getattr(default, name)}


def options_to_read(material: Material, files: Iterable[bytes]) -> dict[str, Any]:
    """The file options that make parts of the material read like the material.

    These are the options of the sources, and those that auto-detection gets wrong for a part. For
    example, the scheme of a part without any mention of two tokens is ambiguous.
    """
    options, layout = dict(material.options), material.layout
    for data in files:
        file = ConllFile(FileBytes("part", data=data), **options)
        # Ignore the bytes of a character that is cut off at the end.
        head = data[:_LAYOUT_BYTES].decode(layout.encoding, "ignore").removeprefix(_BOM)
        detected = detect_layout(head.encode(), file)
        if _SEPARATOR_NAMES[detected.separator] != layout.separator:
            options["separator"] = layout.separator
        if detected.comments != layout.comments:
            options["comments"] = layout.comments
        if file.with_options(options).label_style().scheme.name != layout.scheme:
            options["scheme"] = layout.scheme
    return options


def options_text(options: Mapping[str, Any]) -> str:
    """Options in the form used after `FILE::`.

    >>> options_text({"token": 1, "comments": True})
    'token=1,comments=yes'
    """
    words = {True: "yes", False: "no"}
    return ",".join(
        f"{key}={words[value] if isinstance(value, bool) else value}"
        for key, value in options.items()
    )
