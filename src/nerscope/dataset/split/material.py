"""What is split: sources that are written alike, read as one, with the text of every sentence."""

import codecs
import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from nerscope.corpus.arrays import Ints
from nerscope.corpus.corpus import Coding, Corpus, joined
from nerscope.corpus.interning import Paths
from nerscope.dataset.split.options import HEAD, SEPARATOR_NAMES, Way, said_options
from nerscope.dataset.split.pieces import Pieces, one_after_another, pieces_of
from nerscope.errors import InputError, UsageError
from nerscope.formats.base import CorpusLike, Source, open_source, source_named, with_tokens
from nerscope.formats.conll import FILE_OPTIONS, SEPARATORS, ConllFile, look, written_as_conll
from nerscope.formats.files import Bytes

_BOM = "\ufeff"
Data = CorpusLike | Sequence[CorpusLike]


class Origin(NamedTuple):
    """A source: its name, the hash of its bytes, how many sentences it has."""

    name: str
    sha256: str
    sentences: int


@dataclass(frozen=True, slots=True, eq=False)
class Material:
    """All sentences of some sources; documents of different sources are different ones."""

    origins: Sequence[Origin]
    corpus: Corpus
    pieces: Pieces
    way: Way
    said: Mapping[str, Any]  # options that the sources were opened with
    bom: str

    @property
    def source(self) -> Ints:
        """The source of each sentence."""
        sizes = [one.sentences for one in self.origins]
        return np.repeat(np.arange(len(sizes)), sizes)

    @property
    def has_documents(self) -> bool:
        """Whether lines or a column tell several documents apart."""
        several = self.corpus.documents[0] != self.corpus.documents[-1]
        return bool(several) and (bool(self.pieces.mark) or self.way.document is not None)

    def sentence_codes(self) -> Ints:
        """A code for each sentence, equal if and only if the tokens are."""
        starts = self.corpus.starts
        return Paths().codes(self.corpus.tokens, starts[:-1], starts[1:])

    def mentions(self) -> tuple[Ints, Ints]:
        """The sentence and the type of each mention."""
        found = self.corpus.mentions()
        sentence = np.searchsorted(self.corpus.starts, found.start, side="right") - 1
        return sentence, found.type

    def encoded(self, text: str) -> bytes:
        """Text as the sources are encoded."""
        return (self.bom + text).encode(self.way.encoding)


class _Read(NamedTuple):
    origin: Origin
    corpus: Corpus
    pieces: Pieces
    way: Way
    said: Mapping[str, Any]
    bom: str


def read_material(data: Data) -> Material:
    """Read sources in the same codes; they must be written alike."""
    coding, parts, documents = Coding(), list[_Read](), 0
    for source in _sources(data):
        parts.append(_read(source, coding, documents))
        documents = int(parts[-1].corpus.documents.max()) + 1
        _check_alike(parts[0], parts[-1])
    first = parts[0]
    pieces = one_after_another([part.pieces for part in parts])
    name = " + ".join(part.origin.name for part in parts)
    corpus = replace(joined([part.corpus for part in parts]), name=name)
    return Material(
        [part.origin for part in parts], corpus, pieces, first.way, first.said, first.bom
    )


def _sources(data: Data) -> Iterator[Source]:
    many: Sequence[Any] = data if isinstance(data, list | tuple) else [data]
    if not many:
        raise UsageError("split", "no data is given", "name a file")
    for one in many:
        yield source_named(one) if isinstance(one, str) else open_source(one)


def _read(source: Source, coding: Coding, documents: int) -> _Read:
    """A source with its text; documents are counted from a number on."""
    if isinstance(source, ConllFile):
        file, corpus = source, joined(list(source.chunks(coding)))
        said = said_options(file)
    else:
        file, corpus = _as_columns(source, coding)
        said = {}
    corpus = replace(corpus, documents=corpus.documents + (documents - corpus.documents.min()))
    data, sha256 = _bytes_of(file.content)
    text = data.decode(file.encoding)
    bom = _BOM if text.startswith(_BOM) else ""
    pieces = pieces_of(text.removeprefix(_BOM), corpus)
    way = _way(file, corpus, pieces)
    if way.document is not None:
        pieces = replace(pieces, marks={}, mark="")
    elif not pieces.mark and corpus.documents[0] != corpus.documents[-1]:
        filler = SEPARATORS[way.separator].decode() + "O"
        pieces = replace(pieces, mark=f"-DOCSTART-{filler * (way.columns - 1)}{way.line_end}")
    return _Read(Origin(file.name, sha256, len(corpus)), corpus, pieces, way, said, bom)


def _as_columns(source: Source, coding: Coding) -> tuple[ConllFile, Corpus]:
    """A source without lines of its own, written as two columns and read from them."""
    corpus = joined([with_tokens(chunk) for chunk in source.chunks(Coding())])
    if not corpus.is_flat:
        raise InputError(
            source.name, "its mentions overlap, which labels cannot write", "split flat ones"
        )
    data = Bytes(source.name, data=written_as_conll(corpus, corpus.scheme))
    file = ConllFile(data, separator="tab", comments=False, scheme=corpus.scheme.name)
    written = joined(list(file.chunks(coding)))
    return file, replace(written, documents=corpus.documents)


def _bytes_of(content: Bytes) -> tuple[bytes, str]:
    """What is in a file, unpacked, and the hash of the file as it lies there."""
    with content.open() as stream:
        data = stream.read()
    with content.as_stored() as stream:
        return data, hashlib.file_digest(stream, "sha256").hexdigest()


def _way(file: ConllFile, corpus: Corpus, pieces: Pieces) -> Way:
    layout = look(pieces.text[:HEAD].encode(), file)
    line = pieces.body(0, 0).split(pieces.line_end)[0]
    fields = line.split(layout.separator.decode())
    columns = len(fields) if layout.separator == b"\t" else len(list(filter(None, fields)))
    return Way(
        codecs.lookup(file.encoding).name,
        pieces.line_end,
        SEPARATOR_NAMES[layout.separator],
        columns,
        file.token % columns,
        file.label % columns,
        None if file.document is None else file.document % columns,
        layout.comments,
        file.mend,
        corpus.scheme.name,
    )


def _check_alike(first: _Read, other: _Read) -> None:
    for what, wanted, found in zip(Way._fields, first.way, other.way, strict=True):
        if wanted != found:
            raise InputError(
                other.origin.name,
                f"its {what.replace('_', ' ')} is {found!r}, "
                f"that of {first.origin.name} is {wanted!r}",
                f"write it alike first, for example with nerscope convert, or say {what}=…"
                if what in FILE_OPTIONS
                else "write it alike first",
            )
