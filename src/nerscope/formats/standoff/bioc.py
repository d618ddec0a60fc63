"""BioC XML and BioC JSON: collections of documents, with annotations on passages or sentences.

Offsets count from the start of the document, so that of its passage or sentence is subtracted.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from nerscope.corpus.corpus import Note, file_option
from nerscope.corpus.records import RecordFacts, document_facts
from nerscope.errors import FormatError
from nerscope.formats.base import FORMATS, FileOption, Format
from nerscope.formats.files import FileBytes
from nerscope.formats.json.facts import id_of
from nerscope.formats.json.marks import shown, shown_keys
from nerscope.formats.json.values import json_values
from nerscope.formats.standoff.annotated import (
    EMPTY,
    OFFSETS,
    AnnotatedSource,
    AnnotatedText,
    OffsetMap,
    check_span,
)
from nerscope.formats.standoff.text import Record, TextSpan
from nerscope.formats.standoff.xml_reading import XmlElement, root_children, root_name

NAME = "bioc"
TYPE = "type"
RELATIONS = "relations, left out"
WITHOUT_LOCATION = "annotations without a location, left out"
_NUMBER = re.compile(r"\s*-?\d{1,18}\s*")
_JSON = re.compile(rb"(?:\xef\xbb\xbf)?\s*[\[{]")
_PASSAGES = re.compile(rb'(?<!\\)"(?:passages|documents)"\s*:\s*\[')
_INFONS = re.compile(rb'(?<!\\)"(?:infons|bioctype)"\s*:')
FILE_OPTIONS = {
    "type": FileOption(str, "the key of the infon with the type (default: type)"),
    "offsets": OFFSETS,
}


class _Annotation(NamedTuple):
    """An annotation: where it is written, its infons, its locations and its text."""

    place: str
    infons: Mapping[str, str]
    locations: Sequence[tuple[int, int]]  # offset and length
    text: str | None


class _Block(NamedTuple):
    """A passage or a sentence: its offset, its text, and what it contains."""

    offset: int
    text: str | None
    annotations: Sequence[_Annotation]
    sentences: Sequence["_Block"]
    relations: int


class _Document(NamedTuple):
    place: str
    line: int
    id: str | None
    passages: Sequence[_Block]
    annotations: Sequence[_Annotation]
    relations: int


class BiocSource(AnnotatedSource):
    """A BioC collection in XML or JSON; `type` is the key of the infon with the type.

    >>> data = b'<collection><document><passage><offset>9</offset><text>Ada</text><annotation>'
    >>> data += b'<infon key="type">PER</infon><location offset="9" length="3"/><text>Ada</text>'
    >>> data += b'</annotation></passage></document></collection>'
    >>> [record] = BiocSource(FileBytes("a.xml", data=data)).records()
    >>> record.spans
    [TextSpan(fragments=((0, 3),), type='PER')]
    """

    def __init__(self, data: FileBytes, *, type: str = TYPE, offsets: str = "characters") -> None:
        self.name, self._data, self._type, self._unit = data.name, data, type, offsets

    def annotated_texts(self) -> Iterator[AnnotatedText]:
        """The documents of the collection."""
        is_json = _JSON.match(self._data.head())
        documents = _json_documents if is_json else _xml_documents
        for document in documents(self._data):
            yield self._annotated(document)

    def _annotated(self, document: _Document) -> AnnotatedText:
        text = _DocumentText(document, self._unit)
        spans, without, empty = list[TextSpan](), 0, 0
        relations = document.relations
        for annotations, own in text.annotated:
            for annotation in annotations:
                filled = [location for location in annotation.locations if location[1] != 0]
                without += not annotation.locations
                empty += bool(annotation.locations) and not filled
                if filled:
                    spans.append(self._span(annotation, filled, text, own))
        for passage in document.passages:
            relations += passage.relations + sum(block.relations for block in passage.sentences)
        lines = (document.line,) if document.line else ()
        counts = {RELATIONS: relations, WITHOUT_LOCATION: without, EMPTY: empty}
        notes = {kind: Note(count, lines * count) for kind, count in counts.items()}
        place = "" if document.line else document.place
        facts = RecordFacts(document.id)
        if document.id is not None and not document.line:
            facts = document_facts(document.id)
        record = Record(text.text, spans, document.line, place=place, facts=facts)
        return AnnotatedText(record, notes)

    def _span(
        self,
        annotation: _Annotation,
        locations: Sequence[tuple[int, int]],
        text: "_DocumentText",
        own: Sequence["_Placed"],
    ) -> TextSpan:
        kind = annotation.infons.get(self._type, "").strip()
        if not kind:
            raise FormatError(
                annotation.place,
                f"the annotation has no infon '{self._type}' (its infons are "
                f"{shown_keys(annotation.infons)})",
                f"{file_option(self.name, 'type=KEY')} with the key of the infon that is the type",
            )
        fix = "use the text that was annotated; if offsets count bytes: "
        fix += file_option(self.name, "offsets=bytes")
        fragments = []
        for offset, length in sorted(locations):
            start, end = text.locate(offset, own), text.locate(offset + length, own, is_end=True)
            if start is None or end is None:
                raise FormatError(
                    annotation.place,
                    f"the location with offset {offset} and length {length} is outside its "
                    "passage, or inside a character",
                    f"count from the start of the document; {fix}",
                )
            fragments.append((start, end))
        span = TextSpan(tuple(fragments), kind)
        return check_span(span, text.text, annotation.text, annotation.place, fix)


class _Placed(NamedTuple):
    """A block of text in a document: its offset in the file and in the text that is read."""

    offset: int
    start: int
    offsets: OffsetMap


class _DocumentText:
    """The text of a document, in which each passage or sentence begins a line.

    `annotated` has the annotations of each passage and sentence, and of the document, with the
    blocks of text that they may refer to.
    """

    def __init__(self, document: _Document, unit: str) -> None:
        pieces, size = list[str](), 0
        self._blocks: list[_Placed] = []
        self.annotated: list[tuple[Sequence[_Annotation], Sequence[_Placed]]] = []
        for passage in document.passages:
            first = len(self._blocks)
            # The sentences of a passage with text repeat parts of it.
            blocks = [passage] if passage.text is not None else passage.sentences
            for block in blocks:
                text = block.text or ""
                if pieces and not pieces[-1].endswith("\n"):
                    pieces.append("\n")
                    size += 1
                self._blocks.append(_Placed(block.offset, size, OffsetMap(text, unit)))
                pieces.append(text)
                size += len(text)
            own = self._blocks[first:]
            self.annotated.append((passage.annotations, own))
            self.annotated += [(sentence.annotations, own) for sentence in passage.sentences]
        self.annotated.append((document.annotations, self._blocks))
        self.text = "".join(pieces)
        self._filled = [block for block in self._blocks if block.offsets.size]
        self._starts = [block.offset for block in self._filled]
        ends = [block.offset + block.offsets.size for block in self._filled]
        pairs = zip(ends, self._starts[1:], strict=False)
        self._is_ordered = all(end <= start for end, start in pairs)

    def _near(self, offset: int, own: Sequence[_Placed]) -> Sequence[_Placed]:
        """The blocks that may contain an offset; those of the annotation come first."""
        if not self._is_ordered:
            return (*own, *self._blocks)
        # An offset at an edge is in the block that ends there, or in the one that begins there.
        at = bisect_right(self._starts, offset)
        return self._filled[max(0, at - 2) : at]

    def locate(self, offset: int, own: Sequence[_Placed], *, is_end: bool = False) -> int | None:
        """The character at an offset of the document, first in the passage of an annotation."""
        for block in self._near(offset, own):
            at = offset - block.offset
            # At an edge between two blocks, an end belongs to the first and a start to the second.
            if (0 < at <= block.offsets.size) if is_end else (0 <= at < block.offsets.size):
                inside = block.offsets.character(at)
                return None if inside is None else block.start + inside
        return None


# --- XML


def _xml_documents(data: FileBytes) -> Iterator[_Document]:
    for element in root_children(data):
        if element.name == "document":
            ids = element.named("id")
            yield _Document(
                f"{data.name}:{element.line}",
                element.line,
                ids[0].text.strip() or None if ids else None,
                [_xml_block(passage, data.name) for passage in element.named("passage")],
                [_xml_annotation(item, data.name) for item in element.named("annotation")],
                len(element.named("relation")),
            )


def _xml_block(element: XmlElement, name: str) -> _Block:
    place = f"{name}:{element.line}"
    offsets, texts = element.named("offset"), element.named("text")
    return _Block(
        _number(offsets[0].text if offsets else None, "offset", place),
        texts[0].text if texts else None,
        [_xml_annotation(item, name) for item in element.named("annotation")],
        [_xml_block(sentence, name) for sentence in element.named("sentence")],
        len(element.named("relation")),
    )


def _xml_annotation(element: XmlElement, name: str) -> _Annotation:
    place = f"{name}:{element.line}"
    locations = [
        (
            _number(item.attributes.get("offset"), "offset", place),
            _number(item.attributes.get("length"), "length", place),
        )
        for item in element.named("location")
    ]
    infons = {item.attributes.get("key", ""): item.text for item in element.named("infon")}
    texts = element.named("text")
    return _Annotation(place, infons, locations, texts[0].text if texts else None)


def _number(value: object, what: str, place: str) -> int:
    is_text = isinstance(value, str) and _NUMBER.fullmatch(value)
    if is_text or (isinstance(value, int) and not isinstance(value, bool)):
        return int(value)  # type: ignore[call-overload,no-any-return]
    raise FormatError(
        place,
        f"the {what} is {'missing' if value is None else f'{shown(value)}, not a number'}",
        "give every passage, sentence and location its numbers, as BioC.dtd describes",
    )


# --- JSON


def _json_documents(data: FileBytes) -> Iterator[_Document]:
    for line, value in json_values(data):
        place = f"{data.name}:{line}"
        for document in _documents_in(value, place):
            if (name := document.get("id")) is not None:
                place = f"{data.name} document {shown(name).strip(chr(39))}"
            yield _Document(
                place,
                0,
                id_of(name),
                [_json_block(item, place) for item in _objects(document, "passages", place)],
                [
                    _json_annotation(item, place)
                    for item in _objects(document, "annotations", place)
                ],
                len(_objects(document, "relations", place)),
            )


def _documents_in(value: object, place: str) -> list[Mapping[str, Any]]:
    """The documents of a collection; PubTator 3 puts a list of them under its own name."""
    if isinstance(value, Mapping):
        if "passages" in value:
            return [value]
        if "documents" in value:
            return _objects(value, "documents", place)
        if len(value) == 1:
            return _objects(value, next(iter(value)), place)
    raise FormatError(
        place,
        f"{shown(value)} is not a BioC collection or document",
        'write {"documents": [{"id": …, "passages": [{"offset": 0, "text": …, '
        '"annotations": […]}]}]}',
    )


def _objects(item: Mapping[str, Any], key: str, place: str) -> list[Mapping[str, Any]]:
    values = item.get(key)
    if values is None:
        return []
    if isinstance(values, list) and all(isinstance(value, Mapping) for value in values):
        return values
    raise FormatError(place, f"{shown(values)} is not a list of objects", "export the file again")


def _text_of(item: Mapping[str, Any], place: str) -> str | None:
    text = item.get("text")
    if text is None or isinstance(text, str):
        return text
    raise FormatError(place, f"the text {shown(text)} is not a string", "write the text in quotes")


def _json_block(item: Mapping[str, Any], place: str) -> _Block:
    sentences = _objects(item, "sentences", place)
    text = _text_of(item, place)
    return _Block(
        _number(item.get("offset"), "offset", place),
        # Some tools write an empty text for a passage that is divided into sentences.
        None if not text and sentences else text,
        [_json_annotation(value, place) for value in _objects(item, "annotations", place)],
        [_json_block({**value, "sentences": None}, place) for value in sentences],
        len(_objects(item, "relations", place)),
    )


def _json_annotation(item: Mapping[str, Any], place: str) -> _Annotation:
    if (name := item.get("id")) is not None:
        place = f"{place} annotation {shown(name).strip(chr(39))}"
    infons = item.get("infons") or {}
    if not isinstance(infons, Mapping):
        raise FormatError(place, f"{shown(infons)} is not an object", "export the file again")
    locations = [
        (
            _number(location.get("offset"), "offset", place),
            _number(location.get("length"), "length", place),
        )
        for location in _objects(item, "locations", place)
    ]
    strings = {key: value for key, value in infons.items() if isinstance(value, str)}
    return _Annotation(place, strings, locations, _text_of(item, place))


def fits(name: str, head: bytes) -> bool:
    """Whether a file is a BioC collection in XML, or documents with passages in JSON.

    >>> fits("a.xml", b"<collection><source/>"), fits("a.json", b'{"text": "Ada"}')
    (True, False)
    """
    if _JSON.match(head):
        return bool(_PASSAGES.search(head) and _INFONS.search(head))
    return root_name(head) == "collection"


FORMATS.add(
    NAME,
    Format(
        NAME,
        BiocSource,
        fits,
        FILE_OPTIONS,
        title="BioC",
        phrase="BioC collections in XML or JSON",
        definition="Documents with passages and sentences, and annotations with offsets counted "
        "from the start of the document.",
    ),
    built_in=True,
    rank=13,
)
