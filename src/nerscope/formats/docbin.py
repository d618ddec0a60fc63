"""spaCy documents, in a DocBin file or in memory: mentions are the entities or a span group.

A DocBin is a zlib-compressed msgpack mapping. Its `tokens` are a table of 64-bit numbers, one row
per word and one column per attribute in `attrs`; texts are given as hashes of `strings`. It is
decoded here instead of by `DocBin.get_docs`, so that a damaged or hostile file is refused with a
message, and user data in it is never decoded.
"""

import struct
import zlib
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, islice, pairwise
from typing import Any, BinaryIO, NamedTuple, Protocol

import numpy as np

from nerscope.corpus.arrays import Ints, Objects
from nerscope.corpus.corpus import Coding, Corpus, Note, ParsedSentence, read_sentence
from nerscope.corpus.mentions import PLAIN
from nerscope.corpus.records import RecordFacts
from nerscope.corpus.schemes import BIO, Scheme
from nerscope.corpus.vocabulary import Interner
from nerscope.errors import FormatError, InputError, require_extra
from nerscope.formats.base import FORMATS, FileOption, Format
from nerscope.formats.docbin_columns import (
    BEGIN,
    INSIDE,
    OUTSIDE,
    TRIMMED,
    WordColumns,
    entity_chunks,
)
from nerscope.formats.files import FileBytes, read_some
from nerscope.formats.source import UNSET, SentenceBatch, Source, gather_chunks, require_tokens
from nerscope.formats.standoff.text import record_bounds

NAME = "docbin"
GROUP = "sc"  # the default span group of spaCy's span categoriser
_PIECE = 1 << 20  # bytes that are decompressed at a time
_SMALL_FILE = 4 << 20  # bytes
_FEW_WORDS = 500_000
# Real text unpacks to about 13 times its packed size. A file that unpacks to more than a hundred
# times its size is refused, unless the result is small.
_TRUSTED = 64 << 20  # bytes
_MOST_GROWTH = 100
# The fields of a span: id, link, label, start and end in tokens, start and end in characters.
_SPAN = struct.Struct(">QQQllll")
_ENDING = ".spacy"
_SAVE_AGAIN = "save the file again with DocBin.to_disk"


class SpacyDocument(NamedTuple):
    """A document: words, whether a blank follows each, mentions, and where sentences start.

    >>> SpacyDocument(["Ada", "spoke"], [True, False], [(0, 1, "PER")], [0]).mentions
    [(0, 1, 'PER')]
    """

    words: Sequence[str]
    blanks: Sequence[bool] | None  # None if they are not known
    mentions: Sequence[tuple[int, int, str]]
    starts: Collection[int]
    unset: int = 0  # words without entity annotation


class SpacyDocuments(Protocol):
    """Documents that can be read several times, with their entities or with a span group."""

    @property
    def has_entities(self) -> bool:
        """Whether any document has an entity."""

    @property
    def groups(self) -> Collection[str]:
        """The names of the span groups of all documents."""

    def each(self, group: str | None) -> Iterator[SpacyDocument]:
        """The documents; mentions are the spans of a group, or the entities if it is None."""

    @property
    def columns(self) -> WordColumns | None:
        """The words of all documents as columns, if they are stored in this way."""


@dataclass(frozen=True, slots=True, eq=False)
class SpacySource(Source):
    """Documents as sentences, divided at sentence starts if these are set."""

    name: str
    load: Callable[[], SpacyDocuments]
    is_small: bool = True
    spans: str | None = None
    retokenised = True
    has_token_bytes = True

    def scheme_of_labels(self, coding: Coding | None = None) -> Scheme:
        return BIO

    def chunks(self, coding: Coding, *, tokens: bool = True) -> Iterator[Corpus]:
        """Whole documents, about 65,000 tokens at a time."""
        documents = self.load()
        group, columns, done = self._group(documents), documents.columns, 0
        if group is None and columns is not None:
            for chunk in entity_chunks(columns, self.name, coding, encoded=tokens):
                if chunk is None:
                    break  # the documents from here on are read one by one
                done = int(chunk.documents[-1]) + 1 if len(chunk) else done
                if len(chunk):
                    yield chunk
            else:
                if done:
                    return
        numbered = islice(enumerate(documents.each(group), 1), done, None)
        sentences = (_read_document(document, self.name, number) for number, document in numbered)
        yield from gather_chunks(sentences, self.name, coding)

    def _group(self, documents: SpacyDocuments) -> str | None:
        """The span group to read: the chosen one, or the default if no document has entities."""
        if self.spans is None:
            return GROUP if not documents.has_entities and GROUP in documents.groups else None
        if self.spans not in documents.groups:
            known = ", ".join(sorted(documents.groups)) or "none"
            raise InputError(
                self.name,
                f"no document has a span group '{self.spans}'",
                f"choose one of these groups: {known}; or omit spans= to read the entities",
            )
        return self.spans


def _read_document(document: SpacyDocument, name: str, number: int) -> SentenceBatch:
    """The sentences of a document; blank words become part of the space between words."""
    place = f"{name} document {number}"
    words, gaps, moved = _without_blank_words(document)
    mentions = sorted((moved[low], moved[high], kind) for low, high, kind in document.mentions)
    for low, high, _ in document.mentions:
        if moved[low] == moved[high]:
            raise FormatError(
                place,
                f"the span ({low}, {high}) contains only blanks",
                "remove the span or correct its offsets",
            )
    breaks = _breaks({moved[at] for at in document.starts}, mentions, len(words))
    # Mentions are sorted, so the mentions of a sentence are found by bisection.
    firsts = [low for low, _, _ in mentions]
    sentences = list[ParsedSentence]()
    for begin, end in pairwise([0, *breaks, len(words)] if words else []):
        inside = mentions[bisect_left(firsts, begin) : bisect_left(firsts, end)]
        spans = [(low - begin, high - begin, kind) for low, high, kind in inside]
        sentence = read_sentence({"tokens": words[begin:end], "spans": spans}, place, number)
        space = None if document.blanks is None else gaps[begin:end]
        facts = RecordFacts(None, f"document {number}")
        sentences.append(
            sentence._replace(
                gaps=space, document=number - 1, facts=facts, begins_record=not sentences
            )
        )
    return SentenceBatch(sentences, _notes(document, number))


def _breaks(starts: set[int], mentions: Sequence[tuple[int, int, str]], size: int) -> list[int]:
    """The words at which sentences begin, except the first word and words inside a mention.

    >>> _breaks({0, 1, 3}, [(0, 2, "PER")], 5)
    [3]
    """
    # The running sum of opened minus closed mentions is above 0 inside a mention.
    opened = Counter(low + 1 for low, _, _ in mentions)
    closed = Counter(high for _, high, _ in mentions)
    inside = list(accumulate(opened[at] - closed[at] for at in range(size)))
    return sorted(at for at in starts if 0 < at < size and not inside[at])


def _without_blank_words(document: SpacyDocument) -> tuple[list[str], list[str], list[int]]:
    """The words that are not blank, the space before each, and the new index of each old one."""
    words: list[str] = []
    gaps: list[str] = []
    moved = [0]
    space = ""
    for at, word in enumerate(document.words):
        # If blanks are unknown, a blank follows each word.
        after = " " if document.blanks is None or document.blanks[at] else ""
        if word.strip():
            words.append(word)
            gaps.append(space)
            space = after
        else:
            space += word + after
        moved.append(len(words))
    return words, gaps, moved


def _notes(document: SpacyDocument, number: int) -> dict[str, Note]:
    trimmed = sum(
        not (document.words[low].strip() and document.words[high - 1].strip())
        for low, high, _ in document.mentions
    )
    counts = {UNSET: document.unset, TRIMMED: trimmed}
    return {kind: Note(times, (number,)) for kind, times in counts.items() if times}


def open_docbin(data: FileBytes, spans: str | None = None) -> Source:
    """A DocBin file as a source."""
    return SpacySource(data.name, lambda: _read_docbin(data), data.size <= _SMALL_FILE, spans)


def wrap_documents(given: Any, name: str) -> Source:
    """A list of `Doc`s, or a `DocBin`, as a source."""
    if not isinstance(given, list | tuple):
        return open_docbin(FileBytes(name, data=given.to_bytes()))
    documents = _DocumentsInMemory(given)
    return SpacySource(name, lambda: documents, sum(map(len, given)) <= _FEW_WORDS)


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


class _DocumentsInMemory:
    columns = None

    def __init__(self, documents: Sequence[Any]) -> None:
        self._documents = documents

    @property
    def has_entities(self) -> bool:
        return any(document.ents for document in self._documents)

    @property
    def groups(self) -> set[str]:
        return {key for document in self._documents for key in document.spans}

    def each(self, group: str | None) -> Iterator[SpacyDocument]:
        for document in self._documents:
            spans = document.ents if group is None else document.spans.get(group, ())
            unknown = document.has_unknown_spaces
            yield SpacyDocument(
                [token.text for token in document],
                None if unknown else [bool(token.whitespace_) for token in document],
                [(span.start, span.end, span.label_) for span in spans],
                [token.i for token in document if token.is_sent_start],
                0 if group else sum(token.ent_iob == 0 for token in document),
            )


@dataclass(frozen=True, slots=True, eq=False)
class _DocBinFile:
    """The decoded columns of a file, and the span groups of its documents."""

    name: str
    columns: WordColumns
    group_data: Sequence[bytes]  # of each document, packed
    text_of: Callable[[int], str]

    @property
    def has_entities(self) -> bool:
        return any(self.columns.types)

    @property
    def groups(self) -> set[str]:
        return {key for data in set(self.group_data) for key in _unpack_groups(data, self.name)}

    def each(self, group: str | None) -> Iterator[SpacyDocument]:
        columns = self.columns
        for number, (begin, end) in enumerate(pairwise(columns.bounds.tolist())):
            if group is None:
                mentions = self._entities(number, begin, end)
            else:
                mentions = list(self._group(group, number, end - begin))
            unknown = columns.spacing_unknown[number]
            yield SpacyDocument(
                [columns.texts[word] for word in columns.word[begin:end].tolist()],
                None if unknown else columns.blanks[begin:end].tolist(),
                mentions,
                np.flatnonzero(columns.starts[begin:end] == 1).tolist(),
                0 if group else int((columns.iob[begin:end] == 0).sum()),
            )

    def _entities(self, number: int, begin: int, end: int) -> list[tuple[int, int, str]]:
        place = f"{self.name} document {number + 1}"
        columns = self.columns
        types = [columns.types[kind] for kind in columns.type[begin:end].tolist()]
        return _entities(columns.iob[begin:end].tolist(), types, place)

    def _group(self, key: str, number: int, size: int) -> Iterator[tuple[int, int, str]]:
        spans = _unpack_groups(self.group_data[number], self.name).get(key, [])
        for _, _, label, start, end, _, _ in (_SPAN.unpack(span) for span in spans):
            if not 0 <= start < end <= size:
                raise FormatError(
                    f"{self.name} document {number + 1}",
                    f"the span ({start}, {end}) is empty or outside the {size} tokens",
                    _SAVE_AGAIN,
                )
            yield start, end, self.text_of(label)


def _entities(iob: Sequence[int], types: Sequence[str], place: str) -> list[tuple[int, int, str]]:
    """The entities of IOB values and types. A begin without a type is a blocked word, no entity.

    >>> _entities([3, 1, 2, 3], ["PER", "PER", "", "LOC"], "x")
    [(0, 2, 'PER'), (3, 4, 'LOC')]
    """
    entities: list[tuple[int, int, str]] = []
    begin: int | None = None
    for at, value in enumerate([*iob, OUTSIDE]):
        if value == INSIDE and begin is None:
            raise FormatError(
                place, f"token {at + 1} continues an entity that has no beginning", _SAVE_AGAIN
            )
        if value == INSIDE:
            continue
        if begin is not None and types[begin]:
            entities.append((begin, at, types[begin]))
        begin = at if value == BEGIN else None
    return entities


@dataclass(frozen=True, slots=True, eq=False)
class _PackedMapping:
    """A mapping of a file; values of an unexpected type are refused."""

    name: str
    values: Mapping[Any, Any]

    def numbers(self, key: str, kind: str) -> Ints:
        data = self.values.get(key)
        if not isinstance(data, bytes) or len(data) % np.dtype(kind).itemsize:
            raise _broken(self.name, f"'{key}' does not contain numbers")
        return np.frombuffer(data, kind)

    def items(self, key: str, kind: type, size: int | None = None, default: Any = None) -> Any:
        """A list of `kind`, with `size` items if given; a missing list is filled with `default`."""
        items = self.values.get(key, None if default is None else [default] * (size or 0))
        if not isinstance(items, list) or not all(isinstance(item, kind) for item in items):
            raise _broken(self.name, f"'{key}' has values of the wrong type")
        if size is not None and len(items) != size:
            raise _broken(self.name, f"{size} documents but {len(items)} '{key}'")
        return items


def _read_docbin(data: FileBytes) -> _DocBinFile:
    """Read the numbers and texts of a file, without decoding user data."""
    attrs = require_extra("spacy.attrs", data.name, "spacy")
    strings = require_extra("spacy.strings", data.name, "spacy")
    with data.open() as stream:
        content = _as_mapping(_unpack(_decompress(stream, data.name), data.name), data.name)
    bounds = _bounds(content)
    columns = _columns(content, int(bounds[-1]))
    if attrs.ORTH not in columns:
        raise _broken(data.name, "it contains no words")
    text_of = _text_lookup(strings.StringStore(content.items("strings", str)), data.name)
    unset = np.zeros(bounds[-1], np.uint64)
    n_documents = len(bounds) - 1
    flags = content.items("flags", dict, n_documents, {})
    words = WordColumns(
        *_texts(columns[attrs.ORTH], text_of),
        *_texts(columns.get(attrs.ENT_TYPE, unset), text_of),
        columns.get(attrs.ENT_IOB, unset),
        columns.get(attrs.SENT_START, unset),
        _blanks(content, int(bounds[-1])),
        bounds,
        [bool(flag.get("has_unknown_spaces")) for flag in flags],
    )
    groups = content.items("span_groups", bytes, n_documents, b"")
    return _DocBinFile(data.name, words, groups, text_of)


def _as_mapping(value: object, name: str) -> _PackedMapping:
    if not isinstance(value, dict):
        raise _broken(name, "it is not a msgpack mapping")
    return _PackedMapping(name, value)


def _bounds(content: _PackedMapping) -> Ints:
    """The indices of the first words of documents, and the end."""
    lengths = content.numbers("lengths", "<i4").astype(np.int64)
    if (lengths < 0).any():
        raise _broken(content.name, "a document has a negative number of words")
    return np.concatenate([[0], np.cumsum(lengths)])


def _columns(content: _PackedMapping, size: int) -> dict[int, Ints]:
    """The numbers of all words, by attribute."""
    attributes = content.items("attrs", int)
    table = content.numbers("tokens", "<u8")
    if len(table) != size * len(attributes):
        raise _broken(content.name, "the number of words differs from the declared number")
    return dict(zip(attributes, table.reshape(size, len(attributes)).T, strict=True))


def _blanks(content: _PackedMapping, size: int) -> Ints:
    blanks = content.numbers("spaces", "u1")
    if len(blanks) != size:
        raise _broken(content.name, "the number of words differs from the declared number")
    return blanks


def _decompress(stream: BinaryIO, name: str) -> bytes:
    """The unpacked bytes; a file that unpacks to too much is refused before it fills the memory."""
    decompressor = zlib.decompressobj()
    blocks: list[bytes] = []
    packed_size, size = 0, 0
    while packed := read_some(stream, name):
        packed_size += len(packed)
        while packed:
            blocks.append(_decompress_some(decompressor, packed, name))
            packed = decompressor.unconsumed_tail
            size += len(blocks[-1])
            if size > max(_TRUSTED, _MOST_GROWTH * packed_size):
                raise InputError(
                    name,
                    f"it unpacks to more than {_MOST_GROWTH} times its size, too much for text",
                    "get the file again from a source that you trust",
                )
    if not decompressor.eof:
        raise _broken(name, "it is cut off")
    return b"".join(blocks)


def _decompress_some(decompressor: "zlib._Decompress", packed: bytes, name: str) -> bytes:
    try:
        return decompressor.decompress(packed, _PIECE)
    except zlib.error:
        raise _broken(name, "its content cannot be read") from None


def _unpack(data: bytes, name: str) -> Any:
    """Decode msgpack into lists, mappings, strings and bytes only."""
    msgpack = require_extra("srsly.msgpack", name, "spacy")
    try:
        # Without a hook, srsly would call decoders that installed packages register.
        return msgpack.unpackb(data, raw=False, object_pairs_hook=dict, strict_map_key=False)
    except (ValueError, TypeError):
        raise _broken(name, "its content cannot be read") from None


def _unpack_groups(data: bytes, name: str) -> dict[str, list[bytes]]:
    """The packed spans of a document, by the key of their group."""
    packed_groups = _unpack(data, name) if data else []
    # Older files hold a list of packed groups, newer ones a mapping from them to their keys.
    if isinstance(packed_groups, list):
        packed_groups = dict.fromkeys(group for group in packed_groups if isinstance(group, bytes))
    groups: dict[str, list[bytes]] = {}
    for packed, keys in _as_mapping(packed_groups, name).values.items():
        group = _as_mapping(_unpack(packed, name), name)
        spans = group.items("spans", bytes)
        if keys is None:
            keys = [group.values.get("name")]
        are_spans = all(len(span) == _SPAN.size for span in spans)
        are_keys = isinstance(keys, list) and all(isinstance(key, str) for key in keys)
        if not are_spans or not are_keys:
            raise _broken(name, "a span group contains other values than spans")
        groups.update(dict.fromkeys(keys, spans))
    return groups


def _text_lookup(store: Any, name: str) -> Callable[[int], str]:
    """A function from the hash of a text to the text; 0 is the empty text."""

    def text_of(number: int) -> str:
        try:
            return str(store[number]) if number else ""
        except KeyError:
            raise _broken(name, f"the text with the hash {number} is missing") from None

    return text_of


def _texts(numbers: Ints, text_of: Callable[[int], str]) -> tuple[list[str], Ints]:
    """The distinct texts of hashes, and for each hash the index of its text."""
    interner = Interner()
    codes = interner.codes(np.ascontiguousarray(numbers, np.uint64))
    return [text_of(number) for number in interner.keys[: interner.size].tolist()], codes


def _broken(name: str, why: str) -> InputError:
    return InputError(name, f"it is not a DocBin: {why}", _SAVE_AGAIN)


def write_docbin(corpus: Corpus, scheme: Scheme) -> bytes:
    """A corpus as a DocBin: mentions are entities, or spans of the group `sc` if some overlap."""
    tokens = require_extra("spacy.tokens", corpus.name, "spacy")
    vocabulary = require_extra("spacy.vocab", corpus.name, "spacy").Vocab()
    bin_ = tokens.DocBin()
    for words, blanks, starts, mentions in _writable_documents(require_tokens(corpus)):
        document = tokens.Doc(vocabulary, words=words, spaces=blanks, sent_starts=starts)
        spans = [tokens.Span(document, low, high, label=kind) for low, high, kind in mentions]
        if corpus.is_flat:
            document.set_ents(spans)
        else:
            document.spans[GROUP] = spans
        bin_.add(document)
    return bytes(bin_.to_bytes())


class _WritableDocument(NamedTuple):
    words: list[str]
    blanks: list[bool] | None
    starts: list[bool]
    mentions: list[tuple[int, int, str]]


def _writable_documents(corpus: Corpus) -> Iterator[_WritableDocument]:
    """One per document if there are several or blanks are known, otherwise one per sentence."""
    words = corpus.coding.tokens.strings(corpus.tokens)
    _check_writable(corpus, words)
    mentions = corpus.mentions()
    types = corpus.coding.labels.types
    # The first words of sentences, counted from the start of the corpus.
    sentences = set(corpus.starts.tolist())
    for begin, end in pairwise(record_bounds(corpus).tolist()):
        low, high = np.searchsorted(mentions.start, [begin, end])
        inside = mentions[np.arange(low, high)].shifted(-begin)
        spaced, blanks, places = _with_space_words(words[begin:end], corpus.gaps, begin)
        places.append(len(spaced))
        starts = {places[at - begin] for at in range(begin, end) if at in sentences}
        yield _WritableDocument(
            spaced,
            blanks,
            # spaCy needs a flag for each word, including space words.
            [at == 0 or at in starts for at in range(len(spaced))],
            [
                (places[low], places[high - 1] + 1, types[kind])
                for low, high, kind in zip(
                    inside.start.tolist(), inside.end.tolist(), inside.type.tolist(), strict=True
                )
            ],
        )


def _with_space_words(
    words: Sequence[str], gaps: Objects | None, begin: int
) -> tuple[list[str], list[bool] | None, list[int]]:
    """Words, whether a blank follows each, and the index of each given word among them.

    Space of more than one blank becomes a word, as in spaCy: "a", two blanks, "b" become the three
    words "a", " ", "b", and a blank follows the first.
    """
    if gaps is None:
        return list(words), None, list(range(len(words)))
    spaced: list[str] = []
    blanks: list[bool] = []
    places: list[int] = []
    for word, gap in zip(words, gaps[begin : begin + len(words)].tolist(), strict=True):
        # The first blank is the `whitespace_` of the word before.
        if blanks and gap.startswith(" "):
            blanks[-1] = True
            gap = gap[1:]
        spaced += [gap, word] if gap else [word]
        blanks += [False, False] if gap else [False]
        places.append(len(spaced) - 1)
    return spaced, blanks, places


def _check_writable(corpus: Corpus, words: Sequence[str]) -> None:
    blank = next((at for at, word in enumerate(words) if not word.strip()), None)
    if blank is not None:
        raise InputError(
            corpus.place(blank),
            "the token contains only blanks, which spaCy reads as space between tokens",
            "remove the token",
        )
    shape = corpus.mentions().shape
    if shape is not None and any(mention != PLAIN for mention in shape):
        raise InputError(
            corpus.name,
            "a mention is not a run of whole tokens, which a DocBin cannot hold",
            "write another format, for example OUT.jsonl",
        )


FORMATS.add(
    NAME,
    Format(
        NAME,
        open_docbin,
        lambda name, head: name.endswith(_ENDING) and bool(head),
        {"spans": FileOption(str, "the span group that holds the mentions, instead of entities")},
        write_docbin,
        endings=(_ENDING,),
        takes=takes,
        wrap=wrap_documents,
        title="spaCy DocBin",
        phrase="spaCy documents",
        definition="Documents that spaCy saved in a .spacy file, or Doc objects in memory.",
    ),
    built_in=True,
    rank=70,
)
