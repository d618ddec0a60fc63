"""UIMA XMI, as INCEpTION, WebAnno, DKPro and cTAKES write it: one document per file.

A view has a text (`sofaString`), and annotations refer to it by offsets in UTF-16 units, as in
Java. The file alone is enough: types are elements, and features are their attributes.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from nerscope.corpus.corpus import Note, file_option
from nerscope.corpus.records import document_facts
from nerscope.errors import FormatError, InputError, UsageError
from nerscope.formats.base import FORMATS, FileOption, Format
from nerscope.formats.files import FileBytes
from nerscope.formats.standoff.annotated import (
    EMPTY,
    AnnotatedSource,
    AnnotatedText,
    OffsetMap,
    check_span,
)
from nerscope.formats.standoff.text import Record, TextSpan
from nerscope.formats.standoff.webanno_writing import NAMED_ENTITY, VALUE
from nerscope.formats.standoff.xml_reading import XmlElement, root_children, root_name

NAME = "uima"
ENDING = ".xmi"
UNNAMED = "annotations without a value, with the name of their layer as type"
LAYERS = "other layers, left out"
WITHOUT = "documents without the layer of the mentions, read as documents without mentions"
_TEXTS = "uima.cas.Sofa"
_DKPRO = "de.tudarmstadt.ukp.dkpro.core.api"
_TOKEN, _SENTENCE = f"{_DKPRO}.segmentation.type.Token", f"{_DKPRO}.segmentation.type.Sentence"
# DKPro has types such as Person and Location, which are subtypes of NamedEntity.
_NAMED_ENTITIES = NAMED_ENTITY.rpartition(".")[0] + "."
# cTAKES has a type for each kind of mention, such as DiseaseDisorderMention.
_CTAKES = "org.apache.ctakes.typesystem.type.textsem."
_ALL_CTAKES = f"{_CTAKES}IdentifiedAnnotation"  # what these types have in common
_BUILT_IN = re.compile(r"(de\.tudarmstadt\.ukp\.(dkpro|clarin)|org\.dkpro)\.|uima\.")
_NOT_LAYERS = ("uima.", f"{_DKPRO}.metadata.")  # facts about the document
_INITIAL = "_InitialView"
_FIXED = ("begin", "end", "sofa")  # attributes of every annotation
# Relations have a span, too, but connect two annotations.
_RELATION = ("Governor", "Dependent")
_OFFSET = re.compile(r"\d{1,18}")
FILE_OPTIONS: Mapping[str, FileOption] = {
    "layer": FileOption(str, "the name of the layer with the mentions, such as NamedEntity"),
    "feature": FileOption(str, "the name of the feature with the type, such as value"),
    "view": FileOption(str, "the name of the view with the text, such as _InitialView"),
}


class _Span(NamedTuple):
    """An annotation: its type, its view, its offsets, its features and its line."""

    type: str
    sofa: str
    begin: int
    end: int
    features: Mapping[str, str]
    line: int


@dataclass(slots=True)
class _Cas:
    """The texts of a file by the id of their view, the names of views, and the annotations."""

    texts: dict[str, str] = field(default_factory=dict)
    views: dict[str, str] = field(default_factory=dict)
    spans: list[_Span] = field(default_factory=list)


class _Choice(NamedTuple):
    """The layer with the mentions, and its feature with the type, if it has one."""

    layer: str
    feature: str | None

    def includes(self, type_name: str) -> bool:
        return (
            type_name == self.layer
            or (self.layer == NAMED_ENTITY and type_name.startswith(_NAMED_ENTITIES))
            or (self.layer == _ALL_CTAKES and _is_ctakes_mention(type_name))
        )


def _is_ctakes_mention(type_name: str) -> bool:
    return type_name.startswith(_CTAKES) and type_name.endswith("Mention")


class UimaSource(AnnotatedSource):
    """An XMI file or a folder of such files, read with one layer.

    `layer` and `feature` are the names of the layer with the mentions and of its feature with the
    type. The default is the layer of named entities, all mentions of cTAKES, or the only layer that
    is not built in.

    >>> data = b'<x:XMI xmlns:x="http://www.omg.org/XMI" xmlns:c="http:///uima/cas.ecore" '
    >>> data += b'xmlns:n="http:///my.ecore"><c:Sofa x:id="1" sofaString="Ada spoke"/>'
    >>> data += b'<n:Name sofa="1" begin="0" end="3" kind="PER"/></x:XMI>'
    >>> [record] = UimaSource(FileBytes("a.xmi", data=data)).records()
    >>> record.spans
    [TextSpan(fragments=((0, 3),), type='PER')]
    """

    def __init__(
        self,
        data: FileBytes,
        *,
        layer: str | None = None,
        feature: str | None = None,
        view: str | None = None,
    ) -> None:
        self.name, self._view = data.name, view
        self._files = _files(data)
        # The layer is chosen for all files together, because a file has only layers in use.
        features = dict[str, Counter[str]]()
        for file in self._files:
            for span in _read_cas(file).spans:
                features.setdefault(span.type, Counter()).update(span.features)
        self._choice = _choose(features, layer, feature, self.name)

    def annotated_texts(self) -> Iterator[AnnotatedText]:
        """The documents in the order of their file names."""
        for file in self._files:
            yield self._annotated(_read_cas(file), file.name)

    def _annotated(self, cas: _Cas, name: str) -> AnnotatedText:
        sofa = self._sofa(cas, name)
        text = cas.texts[sofa]
        offsets = OffsetMap(text, "utf-16")
        placed: dict[str, list[tuple[int, int]]] = {_TOKEN: [], _SENTENCE: []}
        spans, unnamed, empty, others = list[TextSpan](), list[int](), list[int](), set[str]()
        for span in cas.spans:
            if span.sofa != sofa:
                continue
            is_mention = self._choice.includes(span.type)
            if is_mention and span.begin == span.end:
                empty.append(span.line)
            elif is_mention or span.type in placed:
                edges = _edges(span, offsets, name)
                if span.type in placed:
                    placed[span.type].append(edges)
                if is_mention:
                    kind = span.features.get(self._choice.feature or "", "").strip()
                    if not kind and self._choice.feature is not None:
                        unnamed.append(span.line)
                    kind = kind or _short(span.type)
                    mention = TextSpan((edges,), kind)
                    spans.append(check_span(mention, text, None, f"{name}:{span.line}", ""))
            elif not span.type.startswith(_NOT_LAYERS):
                others.add(_short(span.type))
        is_without = not any(self._choice.includes(span.type) for span in cas.spans)
        notes = {
            UNNAMED: Note(len(unnamed), tuple(unnamed)),
            EMPTY: Note(len(empty), tuple(empty)),
            LAYERS: Note(len(others), items=tuple(sorted(others))),
            WITHOUT: Note(int(is_without), items=(Path(name).name,)),
        }
        lines = _with_sentences(text, sorted(placed[_SENTENCE]))
        tokens = sorted(placed[_TOKEN]) or None
        facts = document_facts(Path(name).stem)
        return AnnotatedText(Record(lines, spans, tokens=tokens, place=name, facts=facts), notes)

    def _sofa(self, cas: _Cas, name: str) -> str:
        """The view to read: the named one, or the only one with mentions or with text."""
        views = {cas.views.get(sofa, sofa): sofa for sofa in cas.texts}
        used = {span.sofa for span in cas.spans if self._choice.includes(span.type)}
        candidates = [view for view, sofa in views.items() if sofa in used] or list(views)
        if self._view is None and len(candidates) > 1 and not used and _INITIAL in candidates:
            candidates = [_INITIAL]
        chosen = self._view or (candidates[0] if len(candidates) == 1 else None)
        if not views:
            raise FormatError(
                name, "the file has no text (sofaString)", "export the document with its text"
            )
        if chosen not in views:
            raise UsageError(
                name,
                f"unknown view '{self._view}'" if self._view else "several views may have the text",
                f"{file_option(self.name, 'view=NAME')} with one of: {', '.join(views)}",
            )
        return views[chosen]


def _files(data: FileBytes) -> list[FileBytes]:
    if not data.is_folder:
        return [data]
    paths = sorted(Path(data.name).glob(f"*{ENDING}"))
    if not paths:
        raise InputError(
            data.name,
            f"the folder contains no {ENDING} file",
            f"give a folder with {ENDING} files",
        )
    return [FileBytes.of(path) for path in paths]


def _read_cas(data: FileBytes) -> _Cas:
    cas = _Cas()
    for element in root_children(data):
        name = _type_name(element)
        if name == _TEXTS:
            sofa = _id(element)
            cas.views[sofa] = element.attributes.get("sofaID", sofa)
            if "sofaString" in element.attributes:
                cas.texts[sofa] = element.attributes["sofaString"]
        elif {"begin", "end"} <= element.attributes.keys():
            cas.spans.append(_span(element, name, data.name))
    if len(cas.texts) == 1:  # files of some tools do not say to which view annotations belong
        [only] = cas.texts
        cas.spans = [span if span.sofa else span._replace(sofa=only) for span in cas.spans]
    return cas


def _id(element: XmlElement) -> str:
    # The attribute is xmi:id, with the namespace before it.
    ids = (value for key, value in element.attributes.items() if key.rpartition(" ")[2] == "id")
    return next(ids, "")


def _type_name(element: XmlElement) -> str:
    """The Java name of a type: `my.Name` for the element Name of `http:///my.ecore`."""
    package = element.namespace.removeprefix("http:///").removesuffix(".ecore").replace("/", ".")
    return element.name if package in ("", "uima.noNamespace") else f"{package}.{element.name}"


def _span(element: XmlElement, type_name: str, name: str) -> _Span:
    begin, end = element.attributes["begin"], element.attributes["end"]
    if not _OFFSET.fullmatch(begin) or not _OFFSET.fullmatch(end):
        raise FormatError(
            f"{name}:{element.line}",
            f"'{begin[:20]}' and '{end[:20]}' are not offsets",
            "export the document again",
        )
    features = {
        key: value
        for key, value in element.attributes.items()
        if key not in _FIXED and " " not in key
    }
    sofa = element.attributes.get("sofa", "")
    return _Span(type_name, sofa, int(begin), int(end), features, element.line)


def _edges(span: _Span, offsets: OffsetMap, name: str) -> tuple[int, int]:
    begin, end = offsets.character(span.begin), offsets.character(span.end)
    if begin is None or end is None:
        raise FormatError(
            f"{name}:{span.line}",
            f"the offsets {span.begin} and {span.end} are outside the text, or inside a character",
            "count UTF-16 units from the start of the text",
        )
    return begin, end


def _short(type_name: str) -> str:
    return type_name.rpartition(".")[2]


def _with_sentences(text: str, sentences: Sequence[tuple[int, int]]) -> str:
    """The text with line ends exactly between sentences, where there is a blank; same offsets."""
    characters = list(text)
    done = 0
    for begin, end in sentences:
        between = [at for at in range(done, begin) if text[at].isspace()]
        if done and between and not any(text[at] == "\n" for at in between):
            characters[between[0]] = "\n"
        for at in range(max(begin, done), end):
            if text[at] in "\r\n":
                characters[at] = " "
        done = max(done, end)
    return "".join(characters)


def _choose(
    features: Mapping[str, Counter[str]], layer: str | None, feature: str | None, name: str
) -> _Choice:
    """The layer and the feature that the options name, or the only possible ones."""
    chosen = _choose_layer(features, layer, name)
    choice = _Choice(chosen, None)
    known = dict.fromkeys(
        key for type_name in features if choice.includes(type_name) for key in features[type_name]
    )
    if feature is None and chosen.startswith(_CTAKES):
        return choice  # the name of the layer is the type
    if feature is None and VALUE in known:
        feature = VALUE
    elif feature is None and len(known) == 1:
        feature = next(iter(known))
    elif feature is None and not known:
        # Features without a value are not written. The name of a custom layer may be the type.
        return _Choice(chosen, VALUE) if chosen == NAMED_ENTITY else choice
    if feature is None or (known and feature not in known):
        raise UsageError(
            name,
            f"the layer {_short(chosen)} has no feature '{feature}'"
            if feature
            else f"it is not clear which feature of the layer {_short(chosen)} is the type",
            f"{file_option(name, 'feature=NAME')} with one of: {', '.join(known) or 'none'}",
        )
    return _Choice(chosen, feature)


def _choose_layer(features: Mapping[str, Counter[str]], layer: str | None, name: str) -> str:
    custom = [
        type_name
        for type_name, keys in features.items()
        if not _BUILT_IN.match(type_name) and not all(key in keys for key in _RELATION)
    ]
    if layer is None:
        if any(type_name.startswith(_NAMED_ENTITIES) for type_name in features) or not custom:
            return NAMED_ENTITY
        if any(map(_is_ctakes_mention, features)):
            return _ALL_CTAKES
        matches = custom
    else:
        if layer in (NAMED_ENTITY, _short(NAMED_ENTITY)) and NAMED_ENTITY not in features:
            others = [type_name for type_name in custom if _short(type_name) == layer]
            matches = others or [NAMED_ENTITY]
        else:
            matches = [known for known in features if layer in (known, _short(known))]
        exact = [known for known in matches if known == layer]
        matches = exact or matches
    if len(matches) == 1:
        return matches[0]
    raise UsageError(
        name,
        "several layers may have the mentions" if matches else f"unknown layer '{layer}'",
        f"{file_option(name, 'layer=NAME')} with one of: {', '.join(features) or 'none'}",
    )


def fits(name: str, head: bytes) -> bool:
    """Whether a file is XMI, or a folder contains such a file.

    >>> fits("a.xmi", b'<xmi:XMI xmlns:xmi="http://www.omg.org/XMI">'), fits("a.xmi", b"Ada O")
    (True, False)
    """
    if not head and Path(name).is_dir():
        first = min(Path(name).glob(f"*{ENDING}"), default=None)
        return (
            first is not None and first.is_file() and fits(str(first), FileBytes.of(first).head())
        )
    return root_name(head) == "XMI"


FORMATS.add(
    NAME,
    Format(
        NAME,
        UimaSource,
        fits,
        FILE_OPTIONS,
        title="UIMA XMI",
        phrase="UIMA XMI files of INCEpTION and others",
        definition="A text and annotations with offsets in UTF-16 units, one document per file, or "
        "a folder of such files.",
    ),
    built_in=True,
    rank=15,
)
