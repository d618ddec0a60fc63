"""spaCy's documents, in a DocBin file or in memory: mentions are the entities or a span group."""

import struct
import zlib
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import Any, BinaryIO, NamedTuple, Protocol

import numpy as np

from nerscope.corpus.arrays import Ints, Objects
from nerscope.corpus.corpus import Coding, Corpus, Found, read_sentence
from nerscope.corpus.mentions import PLAIN
from nerscope.corpus.schemes import Scheme
from nerscope.errors import FormatError, InputError
from nerscope.formats.base import FORMATS, FileOption, Format, Source, require_tokens
from nerscope.formats.extras import require_extra
from nerscope.formats.files import FileBytes, read_some
from nerscope.formats.source import SentenceBatch, gather_chunks
from nerscope.formats.text import record_bounds

NAME = "docbin"
GROUP = "sc"  # the span group that spaCy's span categoriser reads and writes unless told otherwise
UNSET = "tokens without entity annotation, read as outside of mentions"
TRIMMED = "spans with blanks at an edge"
_PIECE = 1 << 20  # bytes
_SMALL, _FEW = 4 << 20, 500_000  # bytes of a file, words of documents
# Documents of real text unpack to some 13 times their size. Small ones may be as dull as they like.
_TRUSTED = 64 << 20  # bytes
_MOST_GROWTH = 100
_SPAN = struct.Struct(">QQQllll")  # id, link, label, start, end, and the same in characters
_INSIDE, _OUTSIDE, _BEGIN = 1, 2, 3  # as spaCy counts; 0 is unset
_ENDING = ".spacy"
_SAVE_AGAIN = "save it again with DocBin.to_disk"


class Document(NamedTuple):
    """What one document says: words, whether a blank follows each, mentions, where sentences start.

    >>> Document(["Ada", "spoke"], [True, False], [(0, 1, "PER")], [0]).mentions
    [(0, 1, 'PER')]
    """

    words: Sequence[str]
    blanks: Sequence[bool] | None  # None if nobody knows
    mentions: Sequence[tuple[int, int, str]]
    starts: Collection[int]
    unset: int = 0  # words of which nobody said whether they are in an entity


class Documents(Protocol):
    """Documents that can be gone through once more: with the entities, or with a span group."""

    @property
    def has_entities(self) -> bool:
        """Whether any document has one."""

    @property
    def groups(self) -> Collection[str]:
        """The names of the span groups of all documents."""

    def each(self, group: str | None) -> Iterator[Document]:
        """The documents; their mentions are the entities unless a group is named."""


@dataclass(frozen=True, slots=True, eq=False)
class SpacySource(Source):
    """Documents as sentences: where sentence starts are set there, else each is one."""

    name: str
    load: Callable[[], Documents]
    is_small: bool = True
    spans: str | None = None
    retokenised = True

    def chunks(self, coding: Coding, *, tokens: bool = True) -> Iterator[Corpus]:
        """Whole documents, some ten thousand tokens at a time."""
        documents = self.load()
        every = enumerate(documents.each(self._group(documents)), 1)
        said = (_read(document, self.name, number) for number, document in every)
        return gather_chunks(said, self.name, coding)

    def _group(self, documents: Documents) -> str | None:
        """The span group to read: what was said, or the usual one if no document has entities."""
        if self.spans is None:
            return GROUP if not documents.has_entities and GROUP in documents.groups else None
        if self.spans not in documents.groups:
            known = ", ".join(sorted(documents.groups)) or "none"
            raise InputError(
                self.name,
                f"no document has a span group '{self.spans}'",
                f"the groups are: {known}; leave spans= out to read the entities",
            )
        return self.spans


def _read(document: Document, name: str, number: int) -> SentenceBatch:
    """The sentences of a document: words of blanks alone become part of the space between words."""
    place = f"{name}: document {number}"
    words, gaps, moved = _without_blank_words(document)
    mentions = sorted((moved[low], moved[high], kind) for low, high, kind in document.mentions)
    for low, high, _ in document.mentions:
        if moved[low] == moved[high]:
            raise FormatError(
                place, f"the span ({low}, {high}) holds nothing but blanks", "take it out"
            )
    breaks = _breaks({moved[at] for at in document.starts}, mentions, len(words))
    firsts = [low for low, _, _ in mentions]
    sentences = []
    for begin, end in pairwise([0, *breaks, len(words)] if words else []):
        own = mentions[bisect_left(firsts, begin) : bisect_left(firsts, end)]
        spans = [(low - begin, high - begin, kind) for low, high, kind in own]
        part = read_sentence({"tokens": words[begin:end], "spans": spans}, place, number)
        space = None if document.blanks is None else gaps[begin:end]
        sentences.append(part._replace(gaps=space, document=number - 1))
    return SentenceBatch(sentences, _noticed(document, number))


def _breaks(starts: set[int], mentions: Sequence[tuple[int, int, str]], size: int) -> list[int]:
    """Where sentences begin, but for the first: nowhere inside of a mention.

    >>> _breaks({0, 1, 3}, [(0, 2, "PER")], 5)
    [3]
    """
    opened = Counter(low + 1 for low, _, _ in mentions)
    closed = Counter(high for _, high, _ in mentions)
    inside = list(accumulate(opened[at] - closed[at] for at in range(size)))
    return sorted(at for at in starts if 0 < at < size and not inside[at])


def _without_blank_words(document: Document) -> tuple[list[str], list[str], list[int]]:
    """The words that are more than blanks, the space before each, and where places move to."""
    words: list[str] = []
    gaps: list[str] = []
    moved = [0]
    space = ""
    for at, word in enumerate(document.words):
        after = " " if document.blanks is None or document.blanks[at] else ""
        if word.strip():
            words.append(word)
            gaps.append(space)
            space = after
        else:
            space += word + after
        moved.append(len(words))
    return words, gaps, moved


def _noticed(document: Document, number: int) -> dict[str, Found]:
    trimmed = sum(
        not (document.words[low].strip() and document.words[high - 1].strip())
        for low, high, _ in document.mentions
    )
    counts = {UNSET: document.unset, TRIMMED: trimmed}
    return {kind: Found(times, (number,)) for kind, times in counts.items() if times}


def open_docbin(data: FileBytes, spans: str | None = None) -> Source:
    """A DocBin file as a source."""
    return SpacySource(data.name, lambda: _packed(data), data.size <= _SMALL, spans)


def wrap_documents(given: Any, name: str) -> Source:
    """A list of `Doc`s, or a `DocBin`, as a source."""
    if not isinstance(given, list | tuple):
        return open_docbin(FileBytes(name, data=given.to_bytes()))
    live = _Live(given)
    return SpacySource(name, lambda: live, sum(map(len, given)) <= _FEW)


def takes(given: object) -> bool:
    """Whether this is a list of documents of spaCy, or a `DocBin`.

    >>> takes([["O"]]), takes("test.spacy")
    (False, False)
    """
    if isinstance(given, list | tuple):
        return bool(given) and _is_document(given[0])
    return hasattr(given, "get_docs") and hasattr(given, "to_bytes")


def _is_document(given: object) -> bool:
    return all(hasattr(given, name) for name in ("ents", "spans", "has_unknown_spaces"))


class _Live:
    """Documents in memory."""

    def __init__(self, documents: Sequence[Any]) -> None:
        self._documents = documents

    @property
    def has_entities(self) -> bool:
        return any(document.ents for document in self._documents)

    @property
    def groups(self) -> set[str]:
        return {key for document in self._documents for key in document.spans}

    def each(self, group: str | None) -> Iterator[Document]:
        for document in self._documents:
            spans = document.ents if group is None else document.spans.get(group, ())
            unknown = document.has_unknown_spaces
            yield Document(
                [token.text for token in document],
                None if unknown else [bool(token.whitespace_) for token in document],
                [(span.start, span.end, span.label_) for span in spans],
                [token.i for token in document if token.is_sent_start],
                0 if group else sum(token.ent_iob == 0 for token in document),
            )


@dataclass(frozen=True, slots=True, eq=False)
class _Packed:
    """The documents of a file: one row of numbers for each word; numbers above stand for texts."""

    name: str
    words: Sequence[str]
    marks: Ints  # inside, begin …
    types: Sequence[str]
    starts: Ints
    blanks: Ints
    bounds: Ints  # document k is bounds[k]:bounds[k + 1]
    spacing_unknown: Sequence[bool]
    group_data: Sequence[bytes]
    text_of: Callable[[int], str]

    @property
    def has_entities(self) -> bool:
        return any(self.types)

    @property
    def groups(self) -> set[str]:
        return {key for data in set(self.group_data) for key in _groups(data, self.name)}

    def each(self, group: str | None) -> Iterator[Document]:
        for number, (begin, end) in enumerate(pairwise(self.bounds.tolist())):
            if group is None:
                mentions = self._entities(number, begin, end)
            else:
                mentions = list(self._group(group, number, end - begin))
            yield Document(
                self.words[begin:end],
                None if self.spacing_unknown[number] else self.blanks[begin:end].tolist(),
                mentions,
                np.flatnonzero(self.starts[begin:end] == 1).tolist(),
                0 if group else int((self.marks[begin:end] == 0).sum()),
            )

    def _entities(self, number: int, begin: int, end: int) -> list[tuple[int, int, str]]:
        place = f"{self.name}: document {number + 1}"
        return _entities(self.marks[begin:end].tolist(), self.types[begin:end], place)

    def _group(self, key: str, number: int, size: int) -> Iterator[tuple[int, int, str]]:
        spans = _groups(self.group_data[number], self.name).get(key, [])
        for _, _, label, start, end, _, _ in (_SPAN.unpack(span) for span in spans):
            if not 0 <= start < end <= size:
                raise FormatError(
                    f"{self.name}: document {number + 1}",
                    f"the span ({start}, {end}) does not lie in the {size} tokens",
                    _SAVE_AGAIN,
                )
            yield start, end, self.text_of(label)


def _entities(marks: Sequence[int], types: Sequence[str], place: str) -> list[tuple[int, int, str]]:
    """The entities that marks spell; a begin without a type is a word that spaCy holds back.

    >>> _entities([3, 1, 2, 3], ["PER", "PER", "", "LOC"], "x")
    [(0, 2, 'PER'), (3, 4, 'LOC')]
    """
    found: list[tuple[int, int, str]] = []
    begin: int | None = None
    for at, mark in enumerate([*marks, _OUTSIDE]):
        if mark == _INSIDE and begin is None:
            raise FormatError(place, f"token {at + 1} goes on with no entity", _SAVE_AGAIN)
        if mark == _INSIDE:
            continue
        if begin is not None and types[begin]:
            found.append((begin, at, types[begin]))
        begin = at if mark == _BEGIN else None
    return found


@dataclass(frozen=True, slots=True, eq=False)
class _Content:
    """What a file holds by name, each thing of the kind that is expected, or else refused."""

    name: str
    things: Mapping[Any, Any]

    def numbers(self, key: str, kind: str) -> Ints:
        data = self.things.get(key)
        if not isinstance(data, bytes) or len(data) % np.dtype(kind).itemsize:
            raise _broken(self.name, f"its '{key}' are no numbers")
        return np.frombuffer(data, kind)

    def listed(self, key: str, kind: type, size: int | None = None, default: Any = None) -> Any:
        """A list, of a size if that is known; where it is missing, of the default."""
        things = self.things.get(key, None if default is None else [default] * (size or 0))
        if not isinstance(things, list) or not all(isinstance(one, kind) for one in things):
            raise _broken(self.name, f"its '{key}' are not what they should be")
        if size is not None and len(things) != size:
            raise _broken(self.name, f"it has {size} documents but {len(things)} '{key}'")
        return things


def _packed(data: FileBytes) -> _Packed:
    """Read the numbers and texts of a file; what users stored beside them is never looked at."""
    known = require_extra("spacy.attrs", data.name, "spacy")
    strings = require_extra("spacy.strings", data.name, "spacy")
    content = _content(data)
    bounds = _bounds(content)
    columns = _columns(content, int(bounds[-1]))
    if known.ORTH not in columns:
        raise _broken(data.name, "it holds no words")
    text_of = _texts(strings.StringStore(content.listed("strings", str)), data.name)
    nothing = np.zeros(bounds[-1], np.uint64)
    count = len(bounds) - 1
    flags = content.listed("flags", dict, count, {})
    return _Packed(
        data.name,
        _spelt(columns[known.ORTH], text_of),
        columns.get(known.ENT_IOB, nothing),
        _spelt(columns.get(known.ENT_TYPE, nothing), text_of),
        columns.get(known.SENT_START, nothing),
        _blanks(content, int(bounds[-1])),
        bounds,
        [bool(flag.get("has_unknown_spaces")) for flag in flags],
        content.listed("span_groups", bytes, count, b""),
        text_of,
    )


def _content(data: FileBytes) -> _Content:
    with data.open() as stream:
        return _mapping(_unpack(_inflated(stream, data.name), data.name), data.name)


def _mapping(things: object, name: str) -> _Content:
    if not isinstance(things, dict):
        raise _broken(name, "it holds something else")
    return _Content(name, things)


def _bounds(content: _Content) -> Ints:
    """Where documents begin and end, in words."""
    lengths = content.numbers("lengths", "<i4").astype(np.int64)
    if (lengths < 0).any():
        raise _broken(content.name, "a document has less than no words")
    return np.concatenate([[0], np.cumsum(lengths)])


def _columns(content: _Content, size: int) -> dict[int, Ints]:
    """The numbers of all words, by what they mean."""
    attributes = content.listed("attrs", int)
    table = content.numbers("tokens", "<u8")
    if len(table) != size * len(attributes):
        raise _broken(content.name, "it has more or fewer words than it says")
    return dict(zip(attributes, table.reshape(size, len(attributes)).T, strict=True))


def _blanks(content: _Content, size: int) -> Ints:
    blanks = content.numbers("spaces", "u1")
    if len(blanks) != size:
        raise _broken(content.name, "it has more or fewer words than it says")
    return blanks


def _inflated(stream: BinaryIO, name: str) -> bytes:
    """The unpacked bytes, refused while they grow beyond all measure."""
    engine = zlib.decompressobj()
    parts: list[bytes] = []
    packed, size = 0, 0
    while piece := read_some(stream, name):
        packed += len(piece)
        while piece:
            parts.append(_more(engine, piece, name))
            piece = engine.unconsumed_tail
            size += len(parts[-1])
            if size > max(_TRUSTED, _MOST_GROWTH * packed):
                raise InputError(
                    name,
                    f"it unpacks to more than {_MOST_GROWTH} times its size",
                    "no text does that: get the file again from whom you trust",
                )
    if not engine.eof:
        raise _broken(name, "it is cut off")
    return b"".join(parts)


def _more(engine: "zlib._Decompress", piece: bytes, name: str) -> bytes:
    try:
        return engine.decompress(piece, _PIECE)
    except zlib.error:
        raise _broken(name, "it cannot be unpacked") from None


def _unpack(data: bytes, name: str) -> Any:
    """What msgpack says: lists, mappings, texts and bytes; nothing is made into anything else."""
    msgpack = require_extra("srsly.msgpack", name, "spacy")
    try:
        # A hook of our own, for else those that packages register would be asked.
        return msgpack.unpackb(data, raw=False, object_pairs_hook=dict, strict_map_key=False)
    except (ValueError, TypeError):
        raise _broken(name, "it cannot be unpacked") from None


def _groups(data: bytes, name: str) -> dict[str, list[bytes]]:
    """The span groups of a document: by name, a record of bytes for each span."""
    kept = _unpack(data, name) if data else []
    # Older files hold a list of groups, newer ones the names that each group goes by.
    if isinstance(kept, list):
        kept = dict.fromkeys(one for one in kept if isinstance(one, bytes))
    found: dict[str, list[bytes]] = {}
    for packed, names in _mapping(kept, name).things.items():
        group = _mapping(_unpack(packed, name), name)
        spans = group.listed("spans", bytes)
        keys = [group.things.get("name")] if names is None else names
        whole = all(len(span) == _SPAN.size for span in spans)
        if not whole or not isinstance(keys, list) or not all(isinstance(k, str) for k in keys):
            raise _broken(name, "a span group holds something else than spans")
        found.update(dict.fromkeys(keys, spans))
    return found


def _texts(store: Any, name: str) -> Callable[[int], str]:
    """What numbers stand for."""

    def text_of(number: int) -> str:
        try:
            return str(store[number]) if number else ""
        except KeyError:
            raise _broken(name, f"the text behind the number {number} is missing") from None

    return text_of


def _spelt(numbers: Ints, text_of: Callable[[int], str]) -> list[str]:
    distinct, inverse = np.unique(numbers, return_inverse=True)
    texts = np.array([text_of(number) for number in distinct.tolist()], object)
    return list(texts[inverse]) if len(texts) else []


def _broken(name: str, why: str) -> InputError:
    return InputError(name, f"it is no DocBin: {why}", _SAVE_AGAIN)


def written_as_docbin(corpus: Corpus, scheme: Scheme) -> bytes:
    """A corpus as documents: mentions are entities, or all in the group `sc` if some overlap."""
    tokens = require_extra("spacy.tokens", corpus.name, "spacy")
    vocabulary = require_extra("spacy.vocab", corpus.name, "spacy").Vocab()
    bin_ = tokens.DocBin()
    for words, blanks, starts, mentions in _written(require_tokens(corpus)):
        document = tokens.Doc(vocabulary, words=words, spaces=blanks, sent_starts=starts)
        spans = [tokens.Span(document, low, high, label=kind) for low, high, kind in mentions]
        if corpus.is_flat:
            document.set_ents(spans)
        else:
            document.spans[GROUP] = spans
        bin_.add(document)
    return bytes(bin_.to_bytes())


class _Writable(NamedTuple):
    words: list[str]
    blanks: list[bool] | None
    starts: list[bool]
    mentions: list[tuple[int, int, str]]


def _written(corpus: Corpus) -> Iterator[_Writable]:
    """A document for each of the corpus if it has several or knows its text, else for each
    sentence.
    """
    words = corpus.coding.tokens.strings(corpus.tokens)
    _check_writable(corpus, words)
    mentions = corpus.mentions()
    types = corpus.coding.labels.types
    sentences = set(corpus.starts.tolist())
    for begin, end in pairwise(record_bounds(corpus).tolist()):
        low, high = np.searchsorted(mentions.start, [begin, end])
        inside = mentions[np.arange(low, high)].moved(-begin)
        spelt, blanks, places = _spaced(words[begin:end], corpus.gaps, begin)
        places.append(len(spelt))
        starts = {places[at - begin] for at in range(begin, end) if at in sentences}
        yield _Writable(
            spelt,
            blanks,
            [at == 0 or at in starts for at in range(len(spelt))],
            [
                (places[low], places[high - 1] + 1, types[kind])
                for low, high, kind in zip(
                    inside.start.tolist(), inside.end.tolist(), inside.type.tolist(), strict=True
                )
            ],
        )


def _spaced(
    words: Sequence[str], gaps: Objects | None, begin: int
) -> tuple[list[str], list[bool] | None, list[int]]:
    """Words, whether a blank follows each, and where the given ones are among them: space that is
    more than one blank is a word of its own, as in spaCy.
    """
    if gaps is None:
        return list(words), None, list(range(len(words)))
    spelt: list[str] = []
    blanks: list[bool] = []
    places: list[int] = []
    for word, gap in zip(words, gaps[begin : begin + len(words)].tolist(), strict=True):
        if blanks and gap.startswith(" "):
            blanks[-1] = True
            gap = gap[1:]
        spelt += [gap, word] if gap else [word]
        blanks += [False, False] if gap else [False]
        places.append(len(spelt) - 1)
    return spelt, blanks, places


def _check_writable(corpus: Corpus, words: Sequence[str]) -> None:
    blank = next((at for at, word in enumerate(words) if not word.strip()), None)
    if blank is not None:
        raise InputError(
            corpus.place(blank),
            "a token is nothing but blanks, which spaCy takes for space between tokens",
            "take it out",
        )
    shape = corpus.mentions().shape
    if shape is not None and any(one != PLAIN for one in shape):
        raise InputError(
            corpus.name,
            "a mention is no run of whole tokens, which a DocBin cannot hold",
            "write another format",
        )


FORMATS.add(
    NAME,
    Format(
        NAME,
        open_docbin,
        lambda name, head: name.endswith(_ENDING) and bool(head),
        {"spans": FileOption(str, "the span group that holds the mentions, instead of entities")},
        written_as_docbin,
        endings=(_ENDING,),
        takes=takes,
        wrap=wrap_documents,
    ),
    built_in=True,
)
