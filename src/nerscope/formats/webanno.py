"""WebAnno TSV 3: what WebAnno and INCEpTION export, a document a file, with layers as columns.

Offsets count UTF-16 units, as Java does. A value `PER[1]` on several tokens is one mention; values
with a bar between them are stacked on one token; a line `1-3.1` stands for a part of token `1-3`.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import accumulate, islice
from pathlib import Path
from typing import NamedTuple

import numpy as np

from nerscope.corpus.arrays import Objects
from nerscope.corpus.corpus import Coding, Corpus, Found, Reading
from nerscope.errors import FormatError, InputError, UsageError, expect, plural, shortened
from nerscope.formats.base import FORMATS, FileOption, Format
from nerscope.formats.files import FileBytes, line_blocks
from nerscope.formats.text import Record, TextSource, TextSpan, record_chunks
from nerscope.formats.webanno_writing import (
    ENDING,
    LETTERS,
    NAMED_ENTITY,
    NOTHING,
    TEXT,
    VALUE,
    written_as_folder,
    written_as_webanno,
)

NAME = "webanno"
_FIXED = 3  # columns before those of layers: number, offsets, token
_FORMAT = re.compile(r"#FORMAT=WebAnno TSV 3(?:\.(\d{1,3}))?\s*")
_BOM = b"\xef\xbb\xbf"
_LAST_OF_ONE_UNIT = "\uffff"
_LAYER = re.compile(r"#T_(SP|CH|RL)=([^|]+)(.*)")
_NUMBER = re.compile(r"\d+-\d+(\.\d+)?")
_OFFSETS = re.compile(r"(\d{1,18})-(\d{1,18})")
_BUILT_IN = re.compile(r"(de\.tudarmstadt\.ukp\.dkpro|org\.dkpro)\.core\.|uima\.")
_NO_VALUE = "*"
# A value with its number, up to a bar or the end; what is escaped is taken in one go.
_ITEM = re.compile(r"((?:\\.|[^\\|])+?)(?:\[(\d{1,18})\])?(\||\Z)")
_ESCAPED_VALUE = re.compile(r"\\(->|[\\\[\]|_;tn*])")
_ESCAPED_TEXT = re.compile(r"\\([tnfrb\\\x01-\x07\x0e-\x1f])")
_OLD_TEXT = re.compile(r"\\(u[0-9A-Fa-f]{4}|[tnfrb\\\"'])")  # up to version 3.1
LAYERS = "layers, left out"
WITHOUT = "documents without the layer, read as documents without mentions"
EMPTY = "annotations between characters, left out"
UNNAMED = "annotations without a value, named after their layer"

FILE_OPTIONS: Mapping[str, FileOption] = {
    "layer": FileOption(str, "the layer of the mentions: NamedEntity"),
    "feature": FileOption(str, "the feature of the layer that is the type: value"),
}


class Layer(NamedTuple):
    """A layer of annotations: its kind (SP, CH or RL), its name, its features and its columns."""

    kind: str
    name: str
    features: tuple[str, ...]
    first: int  # column

    @property
    def short(self) -> str:
        """The name without what stands before the last dot."""
        return self.name.rpartition(".")[2]

    @property
    def simple(self) -> list[str]:
        """The features that hold a value, and not a link to another annotation."""
        return [one for one in self.features if "." not in one and not one.startswith("ROLE_")]


class Head(NamedTuple):
    """What the first lines of a file say: version, layers, and how many lines these are."""

    version: tuple[int, int]
    layers: list[Layer]
    size: int

    @property
    def width(self) -> int:
        """How many columns there are."""
        return _FIXED + sum(max(1, len(layer.features)) for layer in self.layers)


class Choice(NamedTuple):
    """Which layer holds the mentions, and which of its features is their type, if it has any."""

    layer: str
    feature: str | None

    @property
    def name(self) -> str:
        """What mentions are called that have no value."""
        return self.layer.rpartition(".")[2]


class WebannoSource(TextSource):
    """A file of WebAnno or INCEpTION, or a folder of such files, and the layer that is meant.

    >>> head = "#FORMAT=WebAnno TSV 3.3\\n#T_SP=webanno.custom.Name|kind\\n\\n\\n"
    >>> text = "#Text=Ada Lee\\n1-1\\t0-3\\tAda\\tPER[1]\\t\\n1-2\\t4-7\\tLee\\tPER[1]\\t\\n"
    >>> [record] = WebannoSource(FileBytes("x.tsv", data=(head + text).encode())).records()
    >>> record.spans
    [TextSpan(fragments=((0, 7),), type='PER')]
    """

    def __init__(
        self, data: FileBytes, layer: str | None = None, feature: str | None = None
    ) -> None:
        expect("layer", layer, (str, type(None)), f"give {FILE_OPTIONS['layer'].give}")
        expect("feature", feature, (str, type(None)), f"give {FILE_OPTIONS['feature'].give}")
        self.name = data.name
        files = [_File(file) for file in _files(data)]
        choice = _choice(_merged(file.head for file in files), layer, feature, self.name)
        self._documents = [_Document(file, choice) for file in files]

    def records(self) -> Iterator[Record]:
        """The sentences, and together those that a mention goes across."""
        for document in self._documents:
            yield from document.records()

    def chunks(self, coding: Coding, *, tokens: bool = True) -> Iterator[Corpus]:
        """Sentences of tokens; each file is a document."""
        nothing = True
        for number, document in enumerate(self._documents):
            begins = True
            for chunk in record_chunks(document.records(), document.name, coding):
                reading = chunk.reading + Reading(found=document.noticed(begins))
                documents = np.full(len(chunk), number)
                gaps = _on_lines(chunk, begins)
                yield replace(chunk, documents=documents, gaps=gaps, reading=reading)
                begins = nothing = False
        if nothing:
            raise InputError(
                self.name, "the file holds no sentence", "check that it is the right file"
            )


def _files(data: FileBytes) -> list[FileBytes]:
    if not data.is_folder:
        return [data]
    found = sorted(Path(data.name).glob(f"*{ENDING}"))
    if not found:
        raise InputError(data.name, f"the folder holds no {ENDING} file", "name another folder")
    return [FileBytes.of(path) for path in found]


def _on_lines(chunk: Corpus, begins: bool) -> Objects | None:
    """The blanks before tokens: sentences, which were read one by one, stand on lines."""
    if chunk.gaps is None:
        return None
    first, gaps = chunk.starts[:-1], chunk.gaps.copy()
    gaps[first[gaps[first] == ""]] = "\n"
    if begins:
        gaps[0] = ""
    return gaps


class _File:
    """The lines of a file, and what the first of them say."""

    def __init__(self, data: FileBytes) -> None:
        self.name, self._data = data.name, data
        self.head = _head_of(self._lines(), self.name)

    def _lines(self) -> Iterator[tuple[int, str]]:
        number = 0
        with self._data.open() as stream:
            for block in line_blocks(stream, self.name):
                for line in block.decode().split("\n")[:-1]:
                    number += 1
                    yield number, line

    def body(self) -> Iterator[tuple[int, str]]:
        """The lines behind the head, with their numbers; the last one is blank."""
        yield from islice(self._lines(), self.head.size, None)
        yield 0, ""


class _Document:
    """One file: the column that holds its mentions, and what had to be left out."""

    def __init__(self, file: _File, choice: Choice) -> None:
        self.name, self._file, self._choice = file.name, file, choice
        layers = [one for one in file.head.layers if (one.kind, one.name) == ("SP", choice.layer)]
        self._others = tuple(one.short for one in file.head.layers if one not in layers)
        self._width = file.head.width
        self._column: int | None = None
        self._valued = False
        if layers:
            # There is no column for a feature of which no annotation in the document has a value.
            features = layers[0].features
            self._valued = choice.feature in features
            self._column = layers[0].first
            self._column += features.index(choice.feature) if choice.feature in features else 0
        self._unnamed: list[int] = []
        self._empty: list[int] = []

    def noticed(self, begins: bool) -> dict[str, Found]:
        """What was left out or renamed since this was last asked."""
        lines = {UNNAMED: self._unnamed, EMPTY: self._empty}
        found = {kind: Found(len(on), tuple(on)) for kind, on in lines.items()}
        if begins:
            found[LAYERS] = Found(len(self._others), items=self._others)
            found[WITHOUT] = Found(int(self._column is None), items=(Path(self.name).name,))
        self._forget()
        return {kind: one for kind, one in found.items() if one.times}

    def _forget(self) -> None:
        self._unnamed.clear()
        self._empty.clear()

    def records(self) -> Iterator[Record]:
        """The sentences; those that a mention goes across are one record."""
        self._forget()
        held: _Sentence | None = None
        for sentence in self._sentences():
            if held is not None and held.goes_on_in(sentence):
                held.absorb(sentence)
                continue
            if held is not None:
                yield self._record(held)
            held = sentence
        if held is not None:
            yield self._record(held)

    def _record(self, sentence: "_Sentence") -> Record:
        spans = []
        for one in sentence.mentions:
            kind = self._choice.name
            if self._valued and one.value != _NO_VALUE:
                kind = _value_of(one.value)
            elif self._choice.feature is not None:
                self._unnamed.append(sentence.line)
            spans.append(TextSpan(((one.start, one.end),), kind))
        return Record("\n".join(sentence.texts), spans, sentence.line, sentence.tokens)

    def _sentences(self) -> Iterator["_Sentence"]:
        """Lines with text, then lines with tokens, up to a blank line or the next text."""
        text: list[str] = []
        rows: list[tuple[int, list[str]]] = []
        for number, line in self._file.body():
            if rows and (not line or line.startswith("#")):
                yield self._sentence(text, rows)
                text, rows = [], []
            if line.startswith(TEXT):
                text.append(self._text_of(line.removeprefix(TEXT)))
            elif line and not line.startswith("#"):
                rows.append((number, self._fields(line, number)))

    def _text_of(self, line: str) -> str:
        escaped = _OLD_TEXT if self._file.head.version <= (3, 1) else _ESCAPED_TEXT
        return escaped.sub(_letter, line)

    def _fields(self, line: str, number: int) -> list[str]:
        fields, width = line.split("\t"), self._width
        if len(fields) < width:
            raise FormatError(
                f"{self.name}:{number}",
                f"{plural(len(fields), 'tab-separated column')} where {width} are needed",
                "mend the line, or the layers at the beginning of the file",
            )
        if not _NUMBER.fullmatch(fields[0]):
            raise FormatError(
                f"{self.name}:{number}", "the line has no number", "number tokens: 1-1, 1-2, 2-1 …"
            )
        return fields

    def _sentence(self, text: list[str], rows: list[tuple[int, list[str]]]) -> "_Sentence":
        place = f"{self.name}:{rows[0][0]}"
        if not text:
            raise FormatError(place, f"no {TEXT} before the token", "write the text above it")
        whole = "\n".join(text)
        places = _places_of(whole)
        begin = _offsets(rows[0][1][1], place)[0]
        # A sentence is one, whatever lines it was written on.
        sentence = _Sentence(rows[0][0], [whole.replace("\n", " ")])
        for number, fields in rows:
            place = f"{self.name}:{number}"
            column = NOTHING if self._column is None else fields[self._column]
            items = [] if column == NOTHING else list(_items(column, place))
            is_part = "." in fields[0]
            if is_part and not fields[2]:  # INCEpTION can annotate a place between characters
                self._empty += [number] * len(items)
                continue
            span = _located(fields, begin, places, whole, place)
            if not is_part:
                sentence.tokens.append(span)
            at = len(sentence.tokens)
            for value, mark in items:
                sentence.put(_Mention(*span, value, mark, at, at))
        return sentence


class _Mention(NamedTuple):
    """A mention: characters of its sentence, what is written there, and its tokens from 1."""

    start: int
    end: int
    value: str
    mark: int | None  # the number behind the value
    first: int
    last: int

    def moved(self, characters: int, tokens: int) -> "_Mention":
        return self._replace(
            start=self.start + characters,
            end=self.end + characters,
            first=self.first + tokens,
            last=self.last + tokens,
        )


@dataclass(slots=True)
class _Sentence:
    """A sentence, or several that a mention goes across."""

    line: int
    texts: list[str]
    tokens: list[tuple[int, int]] = field(default_factory=list)
    mentions: list[_Mention] = field(default_factory=list)
    _latest: dict[tuple[int, str], int] = field(default_factory=dict)  # mention of a number

    def put(self, new: _Mention) -> None:
        """Add a mention, or make the one longer that has its number and goes up to it.

        Numbers may be used again further on: then it is another mention.
        """
        if new.mark is not None:
            at = self._latest.setdefault((new.mark, new.value), len(self.mentions))
            if at < len(self.mentions) and new.first <= self.mentions[at].last + 1:
                old = self.mentions[at]
                edges = (min(old.start, new.start), max(old.end, new.end))
                self.mentions[at] = old._replace(start=edges[0], end=edges[1], last=new.last)
                return
            self._latest[new.mark, new.value] = len(self.mentions)
        self.mentions.append(new)

    def goes_on_in(self, other: "_Sentence") -> bool:
        """Whether a mention at the end of it goes on at the beginning of another one."""
        for key in self._latest.keys() & other._latest.keys():
            first = next(one for one in other.mentions if (one.mark, one.value) == key)
            if self.mentions[self._latest[key]].last == len(self.tokens) and first.first == 1:
                return True
        return False

    def absorb(self, other: "_Sentence") -> None:
        """Take in the next sentence, on a line of its own."""
        characters, tokens = sum(map(len, self.texts)) + len(self.texts), len(self.tokens)
        self.texts += other.texts
        self.tokens += [(start + characters, end + characters) for start, end in other.tokens]
        for one in other.mentions:
            self.put(one.moved(characters, tokens))


def _places_of(text: str) -> dict[int, int]:
    """The character at each offset in UTF-16 units; there is none inside of a character."""
    units = accumulate((1 + (letter > _LAST_OF_ONE_UNIT) for letter in text), initial=0)
    return {unit: at for at, unit in enumerate(units)}


def _offsets(text: str, place: str) -> tuple[int, int]:
    found = _OFFSETS.fullmatch(text)
    if found is None:
        raise FormatError(place, f"'{shortened(text)}' is no pair of offsets", "write them as 0-3")
    return int(found[1]), int(found[2])


def _located(
    fields: list[str], begin: int, places: Mapping[int, int], text: str, place: str
) -> tuple[int, int]:
    """The characters of a token, which must be those that its line says."""
    start, end = (places.get(at - begin, -1) for at in _offsets(fields[1], place))
    if not 0 <= start < end:
        raise FormatError(
            place,
            f"the offsets {fields[1]} do not lie in the text of the sentence",
            "count UTF-16 units from the start of the document; sentences begin with a token",
        )
    there = text[start:end]
    if there not in (fields[2], _ESCAPED_VALUE.sub(_letter, fields[2])):
        raise FormatError(
            place,
            f"the text at {fields[1]} is '{shortened(there)}', not '{shortened(fields[2])}'",
            "count UTF-16 units from the start of the document",
        )
    return start, end


def _items(column: str, place: str) -> Iterator[tuple[str, int | None]]:
    """The values of a column, and their numbers."""
    done, goes_on = 0, True
    while goes_on and (found := _ITEM.match(column, done)):
        done, goes_on = found.end(), bool(found[3])
        yield found[1], int(found[2]) if found[2] else None
    if goes_on:
        raise FormatError(
            place,
            f"'{shortened(column)}' is no value of a layer",
            r"write PER, PER[1] or PER[1]|LOC[2]",
        )


def _value_of(text: str) -> str:
    return _ESCAPED_VALUE.sub(_letter, text)


def _letter(found: re.Match[str]) -> str:
    """What an escape stands for."""
    name = found[1]
    return chr(int(name[1:], 16)) if len(name) == 5 else LETTERS.get(name, name)


def _head_of(lines: Iterable[tuple[int, str]], name: str) -> Head:
    """Read the first lines, up to the first that is no layer."""
    version, layers, column = (0, 0), list[Layer](), _FIXED
    for number, line in lines:
        if number == 1:
            version = _version_of(line, name)
        elif found := _LAYER.fullmatch(line):
            features = tuple(filter(None, found[3].split("|")))
            layers.append(Layer(found[1], found[2], features, column))
            column += max(1, len(features))
        else:
            return Head(version, layers, number - 1)
    return Head(version, layers, len(layers) + 1)


def _version_of(line: str, name: str) -> tuple[int, int]:
    found = _FORMAT.fullmatch(line)
    if found is None:
        raise FormatError(
            f"{name}:1", "this is no WebAnno TSV 3", "export the document as WebAnno TSV v3.3"
        )
    return 3, int(found[1] or 0)


def _merged(heads: Iterable[Head]) -> list[Layer]:
    """The span layers of several files: each has only those that occur in it."""
    found: dict[str, Layer] = {}
    for layer in (layer for head in heads for layer in head.layers if layer.kind == "SP"):
        known = found.setdefault(layer.name, layer)
        features = tuple(dict.fromkeys((*known.features, *layer.features)))
        found[layer.name] = known._replace(features=features)
    return list(found.values())


def _choice(layers: list[Layer], layer: str | None, feature: str | None, name: str) -> Choice:
    """The layer and the feature: as told, or the only ones that can be meant."""
    own = _layer_of(layers, layer, name)
    if own is None or (not own.features and feature is None):
        return Choice(own.name if own else NAMED_ENTITY, None)
    wanted = feature or (VALUE if VALUE in own.simple else None)
    if wanted is None and len(own.simple) == 1:
        wanted = own.simple[0]
    if wanted not in own.simple:
        raise UsageError(
            name,
            f"no feature of the layer {own.short} is called '{feature}'"
            if feature
            else f"it is not clear which feature of the layer {own.short} is the type",
            f"say feature=…; there are: {', '.join(own.simple) or 'none'}",
        )
    return Choice(own.name, wanted)


def _layer_of(layers: list[Layer], told: str | None, name: str) -> Layer | None:
    """The layer that is meant; none if it is that of named entities, and there are none."""
    wanted = (told,) if told is not None else (NAMED_ENTITY,)
    found = [one for one in layers if one.name in wanted or one.short in wanted]
    if told is None and not found:
        found = [one for one in layers if not _BUILT_IN.match(one.name)]
    if len(found) == 1:
        return found[0]
    if not found and told in (None, NAMED_ENTITY, NAMED_ENTITY.rpartition(".")[2]):
        return None
    raise UsageError(
        name,
        f"no layer is called '{told}'" if not found else "it is not clear which layer is meant",
        f"say layer=…; there are: {', '.join(one.name for one in layers) or 'none'}",
    )


def fits(name: str, head: bytes) -> bool:
    """Whether a file begins as WebAnno TSV does, or a folder holds one that does.

    >>> fits("x.tsv", b"#FORMAT=WebAnno TSV 3.3\\n"), fits("x.tsv", b"Ada\\tB-PER\\n")
    (True, False)
    """
    if not head and Path(name).is_dir():
        first = min(Path(name).glob(f"*{ENDING}"), default=None)
        return (
            first is not None and first.is_file() and fits(str(first), FileBytes.of(first).head())
        )
    return head.removeprefix(_BOM).startswith(b"#FORMAT=WebAnno TSV")


FORMATS.add(
    NAME,
    Format(NAME, WebannoSource, fits, FILE_OPTIONS, written_as_webanno, written_as_folder),
    built_in=True,
)
