"""WebAnno TSV 3, as WebAnno and INCEpTION export it: one document per file, layers as columns.

    #FORMAT=WebAnno TSV 3.3
    #T_SP=de.tudarmstadt.ukp.dkpro.core.api.ner.type.NamedEntity|identifier|value

    #Text=Ada Lee spoke
    1-1     0-3     Ada     *[1]    PER[1]
    1-2     4-7     Lee     *[1]    PER[1]
    1-3     8-13    spoke   _       _

Columns are the number of the token, its offsets, the token, and one column per feature of each
layer. Offsets count UTF-16 units, as Java does. A value `PER[1]` on several tokens is one mention;
`PER[1]|LOC[2]` are two mentions on one token; a line `1-3.1` is a part of token `1-3`.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import accumulate, islice
from pathlib import Path
from typing import NamedTuple

import numpy as np

from nerscope.corpus.arrays import Objects
from nerscope.corpus.corpus import Coding, Corpus, Note, ReadingNotes, file_option
from nerscope.errors import FormatError, InputError, UsageError, expect, plural, shortened
from nerscope.formats.base import FORMATS, FileOption, Format
from nerscope.formats.files import FileBytes, line_blocks
from nerscope.formats.standoff.text import Record, TextSource, TextSpan, record_chunks
from nerscope.formats.standoff.webanno_writing import (
    ENDING,
    LETTERS,
    NAMED_ENTITY,
    NOTHING,
    TEXT,
    VALUE,
    write_webanno,
    write_webanno_folder,
)

NAME = "webanno"
_FIXED_COLUMNS = 3  # before the columns of layers: number, offsets, token
_FORMAT = re.compile(r"#FORMAT=WebAnno TSV 3(?:\.(\d{1,3}))?\s*")
_BOM = b"\xef\xbb\xbf"
_LAST_OF_ONE_UNIT = "\uffff"  # characters above take two UTF-16 units
_SPANS = "SP"  # the kind of layers that hold mentions
_LAYER = re.compile(r"#T_(SP|CH|RL)=([^|]+)(.*)")
_NUMBER = re.compile(r"\d+-\d+(\.\d+)?")
_OFFSETS = re.compile(r"(\d{1,18})-(\d{1,18})")
# Layers for parts of speech, lemmas and so on, which hold no mentions.
_BUILT_IN = re.compile(r"(de\.tudarmstadt\.ukp\.dkpro|org\.dkpro)\.core\.|uima\.")
# An annotation whose feature has no value.
_NO_VALUE = "*"
# A value with its number, up to a bar or the end; a backslash escapes the next character.
_ITEM = re.compile(r"((?:\\.|[^\\|])+?)(?:\[(\d{1,18})\])?(\||\Z)")
_ESCAPED_VALUE = re.compile(r"\\(->|[\\\[\]|_;tn*])")
_ESCAPED_TEXT = re.compile(r"\\([tnfrb\\\x01-\x07\x0e-\x1f])")
_OLD_TEXT = re.compile(r"\\(u[0-9A-Fa-f]{4}|[tnfrb\\\"'])")  # up to version 3.1
LAYERS = "other layers, left out"
WITHOUT = "documents without the layer of the mentions, read as documents without mentions"
EMPTY = "annotations of length 0, left out"
UNNAMED = "annotations without a value, with the name of their layer as type"

FILE_OPTIONS: Mapping[str, FileOption] = {
    "layer": FileOption(str, "the name of the layer with the mentions, such as NamedEntity"),
    "feature": FileOption(str, "the name of the feature with the type, such as value"),
}


class AnnotationLayer(NamedTuple):
    """A layer: its kind (SP spans, CH chains, RL relations), name, features and first column."""

    kind: str
    name: str
    features: tuple[str, ...]
    first_column: int

    @property
    def short_name(self) -> str:
        """The name without the package before the last dot."""
        return self.name.rpartition(".")[2]

    @property
    def value_features(self) -> list[str]:
        """The features that hold a value, not a link to another annotation."""
        return [
            feature
            for feature in self.features
            if "." not in feature and not feature.startswith("ROLE_")
        ]


class FileHeader(NamedTuple):
    """The first lines of a file: format version, layers, and the number of these lines."""

    version: tuple[int, int]
    layers: list[AnnotationLayer]
    n_lines: int

    @property
    def n_columns(self) -> int:
        return _FIXED_COLUMNS + sum(max(1, len(layer.features)) for layer in self.layers)


class MentionLayer(NamedTuple):
    """The layer with the mentions, and its feature with their type, if it has one."""

    layer: str
    feature: str | None

    @property
    def default_type(self) -> str:
        """The type of mentions without a value: the short name of the layer."""
        return self.layer.rpartition(".")[2]


class WebannoSource(TextSource):
    """A file of WebAnno or INCEpTION, or a folder of such files, read with one layer.

    `layer` and `feature` are the names of the layer with the mentions and of its feature with the
    type. The default is the layer of named entities, or the only layer that is not built in.

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
        files = [_WebannoFile(file) for file in _files(data)]
        layers = _merge_layers(file.header for file in files)
        mention_layer = choose_layer(layers, layer, feature, self.name)
        self._documents = [_WebannoDocument(file, mention_layer) for file in files]

    def records(self) -> Iterator[Record]:
        """One record per sentence; sentences with a mention across them are one record."""
        for document in self._documents:
            yield from document.records()

    def chunks(self, coding: Coding, *, tokens: bool = True) -> Iterator[Corpus]:
        """Sentences of tokens; each file is a document."""
        is_empty = True
        for number, document in enumerate(self._documents):
            is_first = True
            for chunk in record_chunks(document.records(), document.name, coding):
                reading = chunk.reading_notes + ReadingNotes(notes=document.take_notes(is_first))
                documents = np.full(len(chunk), number)
                gaps = _gaps_with_line_ends(chunk, is_first)
                yield replace(chunk, documents=documents, gaps=gaps, reading_notes=reading)
                is_first = is_empty = False
        if is_empty:
            raise InputError(
                self.name, "the file contains no sentences", "check that it is the right file"
            )


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


def _gaps_with_line_ends(chunk: Corpus, is_first: bool) -> Objects | None:
    """The blanks before tokens, with a line end before all sentences of a document but the first.

    Sentences are read as separate records, so none has a gap before its first token.
    """
    if chunk.gaps is None:
        return None
    first, gaps = chunk.starts[:-1], chunk.gaps.copy()
    gaps[first[gaps[first] == ""]] = "\n"
    if is_first:
        gaps[0] = ""
    return gaps


class _WebannoFile:
    """The header and the numbered lines of a file."""

    def __init__(self, data: FileBytes) -> None:
        self.name, self._data = data.name, data
        # Read here, because the layers of all files are needed to choose one.
        self.header = _read_header(self._lines(), self.name)

    def _lines(self) -> Iterator[tuple[int, str]]:
        number = 0
        with self._data.open() as stream:
            for block in line_blocks(stream, self.name):
                for line in block.decode().split("\n")[:-1]:
                    number += 1
                    yield number, line

    def body(self) -> Iterator[tuple[int, str]]:
        """The numbered lines after the header, and a blank line that ends the last sentence."""
        yield from islice(self._lines(), self.header.n_lines, None)
        yield 0, ""


class _WebannoDocument:
    """One file: the column that holds its mentions, and the lines that need a note."""

    def __init__(self, file: _WebannoFile, mention_layer: MentionLayer) -> None:
        self.name, self._file, self._mention_layer = file.name, file, mention_layer
        layers = [
            layer
            for layer in file.header.layers
            if (layer.kind, layer.name) == (_SPANS, mention_layer.layer)
        ]
        self._other_layers = tuple(
            layer.short_name for layer in file.header.layers if layer not in layers
        )
        self._column: int | None = None
        self._has_values = False
        if layers:
            # A document has no column for a feature that has no value in it.
            features = layers[0].features
            self._column = layers[0].first_column
            if mention_layer.feature in features:
                self._has_values = True
                self._column += features.index(mention_layer.feature)
        self._lines_without_value: list[int] = []
        self._lines_without_text: list[int] = []

    def take_notes(self, is_first: bool) -> dict[str, Note]:
        """The notes since the last call; with `is_first`, also notes about layers."""
        lines_of = {UNNAMED: self._lines_without_value, EMPTY: self._lines_without_text}
        notes = {kind: Note(len(lines), tuple(lines)) for kind, lines in lines_of.items()}
        if is_first:
            notes[LAYERS] = Note(len(self._other_layers), items=self._other_layers)
            notes[WITHOUT] = Note(int(self._column is None), items=(Path(self.name).name,))
        self._forget_lines()
        return {kind: note for kind, note in notes.items() if note.times}

    def _forget_lines(self) -> None:
        self._lines_without_value.clear()
        self._lines_without_text.clear()

    def records(self) -> Iterator[Record]:
        """One record per sentence; sentences with a mention across them are one record."""
        self._forget_lines()
        previous: _WebannoSentence | None = None
        for sentence in self._sentences():
            if previous is not None and previous.continues_in(sentence):
                previous.absorb(sentence)
                continue
            if previous is not None:
                yield self._record(previous)
            previous = sentence
        if previous is not None:
            yield self._record(previous)

    def _record(self, sentence: "_WebannoSentence") -> Record:
        spans = []
        for mention in sentence.mentions:
            kind = self._mention_layer.default_type
            if self._has_values and mention.value != _NO_VALUE:
                kind = _ESCAPED_VALUE.sub(_unescape, mention.value)
            elif self._mention_layer.feature is not None:
                self._lines_without_value.append(sentence.line)
            spans.append(TextSpan(((mention.start, mention.end),), kind))
        return Record("\n".join(sentence.texts), spans, sentence.line, sentence.tokens)

    def _sentences(self) -> Iterator["_WebannoSentence"]:
        """Lines with text, then lines with tokens, up to a blank line or the next text."""
        text: list[str] = []
        rows: list[tuple[int, list[str]]] = []
        # A sentence ends at a blank line or at the #Text of the next sentence.
        for number, line in self._file.body():
            if rows and (not line or line.startswith("#")):
                yield self._sentence(text, rows)
                text, rows = [], []
            if line.startswith(TEXT):
                text.append(self._text_of(line.removeprefix(TEXT)))
            elif line and not line.startswith("#"):
                rows.append((number, self._fields(line, number)))

    def _text_of(self, line: str) -> str:
        escapes = _OLD_TEXT if self._file.header.version <= (3, 1) else _ESCAPED_TEXT
        return escapes.sub(_unescape, line)

    def _fields(self, line: str, number: int) -> list[str]:
        fields, width = line.split("\t"), self._file.header.n_columns
        if len(fields) < width:
            raise FormatError(
                f"{self.name}:{number}",
                f"{plural(len(fields), 'tab-separated column')} where {width} are needed",
                "correct the line, or the layers (#T_ lines) at the beginning of the file",
            )
        if not _NUMBER.fullmatch(fields[0]):
            raise FormatError(
                f"{self.name}:{number}",
                "the line does not begin with a token number",
                "number the tokens as 1-1, 1-2, 2-1 …",
            )
        return fields

    def _sentence(self, text: list[str], rows: list[tuple[int, list[str]]]) -> "_WebannoSentence":
        place = f"{self.name}:{rows[0][0]}"
        if not text:
            raise FormatError(
                place,
                f"no {TEXT} line before the token",
                f"write {TEXT} and the text above the token",
            )
        joined = "\n".join(text)
        characters = _characters_of_units(joined)
        # Offsets count from the start of the document; `begin` is where the sentence starts.
        begin = _offsets(rows[0][1][1], place)[0]
        # A line end inside a sentence becomes a blank, so that the sentence is not divided.
        sentence = _WebannoSentence(rows[0][0], [joined.replace("\n", " ")])
        for number, fields in rows:
            place = f"{self.name}:{number}"
            column = NOTHING if self._column is None else fields[self._column]
            items = [] if column == NOTHING else list(_items(column, place))
            is_part = "." in fields[0]
            if is_part and not fields[2]:  # INCEpTION can annotate a position between characters
                self._lines_without_text += [number] * len(items)
                continue
            span = _locate_token(fields, begin, characters, joined, place)
            if not is_part:
                sentence.tokens.append(span)
            token = len(sentence.tokens)
            for value, number_of_mention in items:
                sentence.add(_OpenMention(*span, value, number_of_mention, token, token))
        return sentence


class _OpenMention(NamedTuple):
    """A mention that later tokens may extend: characters of its sentence, value, and tokens.

    Tokens count from 1; `number` is the number in brackets after the value.
    """

    start: int
    end: int
    value: str
    number: int | None
    first: int
    last: int

    def shift(self, characters: int, tokens: int) -> "_OpenMention":
        return self._replace(
            start=self.start + characters,
            end=self.end + characters,
            first=self.first + tokens,
            last=self.last + tokens,
        )


@dataclass(slots=True)
class _WebannoSentence:
    """A sentence, or several sentences with a mention across them."""

    line: int
    texts: list[str]
    tokens: list[tuple[int, int]] = field(default_factory=list)
    mentions: list[_OpenMention] = field(default_factory=list)
    # The index of the latest mention with a number and a value.
    _latest: dict[tuple[int, str], int] = field(default_factory=dict)

    def add(self, new: _OpenMention) -> None:
        """Add a mention, or extend the one with the same number that ends just before it.

        A number that is used again later means another mention.
        """
        if new.number is not None:
            at = self._latest.setdefault((new.number, new.value), len(self.mentions))
            if at < len(self.mentions) and new.first <= self.mentions[at].last + 1:
                old = self.mentions[at]
                self.mentions[at] = old._replace(
                    start=min(old.start, new.start), end=max(old.end, new.end), last=new.last
                )
                return
            self._latest[new.number, new.value] = len(self.mentions)
        self.mentions.append(new)

    def continues_in(self, other: "_WebannoSentence") -> bool:
        """Whether a mention at its end continues at the beginning of the next sentence."""
        for key in self._latest.keys() & other._latest.keys():
            here = self.mentions[self._latest[key]]
            there = next(
                mention for mention in other.mentions if (mention.number, mention.value) == key
            )
            if here.last == len(self.tokens) and there.first == 1:
                return True
        return False

    def absorb(self, other: "_WebannoSentence") -> None:
        """Add the next sentence, on its own line."""
        # The texts are joined with line ends, one character each.
        characters, tokens = sum(map(len, self.texts)) + len(self.texts), len(self.tokens)
        self.texts += other.texts
        self.tokens += [(start + characters, end + characters) for start, end in other.tokens]
        for mention in other.mentions:
            self.add(mention.shift(characters, tokens))


def _characters_of_units(text: str) -> dict[int, int]:
    """The character at each offset in UTF-16 units: {0: 0, 2: 1, 3: 2} for "😀a"."""
    units = accumulate((1 + (letter > _LAST_OF_ONE_UNIT) for letter in text), initial=0)
    return {unit: at for at, unit in enumerate(units)}


def _offsets(text: str, place: str) -> tuple[int, int]:
    match = _OFFSETS.fullmatch(text)
    if match is None:
        raise FormatError(
            place, f"'{shortened(text)}' is not a pair of offsets", "write the offsets as 0-3"
        )
    return int(match[1]), int(match[2])


def _locate_token(
    fields: list[str], begin: int, characters: Mapping[int, int], text: str, place: str
) -> tuple[int, int]:
    """The characters of a token; its offsets must point at the token that its line repeats."""
    start, end = (characters.get(unit - begin, -1) for unit in _offsets(fields[1], place))
    if not 0 <= start < end:
        raise FormatError(
            place,
            f"the offsets {fields[1]} are outside the text of the sentence",
            "count UTF-16 units from the start of the document; a sentence begins with its first "
            "token",
        )
    there = text[start:end]
    if there not in (fields[2], _ESCAPED_VALUE.sub(_unescape, fields[2])):
        raise FormatError(
            place,
            f"the text at {fields[1]} is '{shortened(there)}', not '{shortened(fields[2])}'",
            "count UTF-16 units from the start of the document",
        )
    return start, end


def _items(column: str, place: str) -> Iterator[tuple[str, int | None]]:
    """The values of a column, and their numbers."""
    done, goes_on = 0, True
    # Another value must follow a bar, so a bar at the end is an error.
    while goes_on and (match := _ITEM.match(column, done)):
        done, goes_on = match.end(), bool(match[3])
        yield match[1], int(match[2]) if match[2] else None
    if goes_on:
        raise FormatError(
            place,
            f"'{shortened(column)}' is not the value of a layer",
            r"write PER, PER[1] or PER[1]|LOC[2]",
        )


def _unescape(match: re.Match[str]) -> str:
    """The character of an escape sequence."""
    name = match[1]
    return chr(int(name[1:], 16)) if len(name) == 5 else LETTERS.get(name, name)


def _read_header(lines: Iterable[tuple[int, str]], name: str) -> FileHeader:
    """Read the first lines, up to the first line without a layer."""
    version, layers, column = (0, 0), list[AnnotationLayer](), _FIXED_COLUMNS
    for number, line in lines:
        if number == 1:
            version = _version_of(line, name)
        elif match := _LAYER.fullmatch(line):
            features = tuple(filter(None, match[3].split("|")))
            layers.append(AnnotationLayer(match[1], match[2], features, column))
            column += max(1, len(features))  # a layer without features has one column
        else:
            return FileHeader(version, layers, number - 1)
    return FileHeader(version, layers, len(layers) + 1)


def _version_of(line: str, name: str) -> tuple[int, int]:
    match = _FORMAT.fullmatch(line)
    if match is None:
        raise FormatError(
            f"{name}:1", "not a WebAnno TSV 3 file", "export the document as WebAnno TSV v3.3"
        )
    return 3, int(match[1] or 0)


def _merge_layers(headers: Iterable[FileHeader]) -> list[AnnotationLayer]:
    """The span layers of several files; the header of a file has only the layers in use."""
    by_name: dict[str, AnnotationLayer] = {}
    for layer in (layer for header in headers for layer in header.layers if layer.kind == _SPANS):
        known = by_name.setdefault(layer.name, layer)
        features = tuple(dict.fromkeys((*known.features, *layer.features)))
        by_name[layer.name] = known._replace(features=features)
    return list(by_name.values())


def choose_layer(
    layers: list[AnnotationLayer], layer_name: str | None, feature: str | None, name: str
) -> MentionLayer:
    """The layer and the feature that the options name, or the only possible ones."""
    layer = _find_layer(layers, layer_name, name)
    if layer is None or (not layer.features and feature is None):
        return MentionLayer(layer.name if layer else NAMED_ENTITY, None)
    features = layer.value_features
    chosen = feature or (VALUE if VALUE in features else None)
    if chosen is None and len(features) == 1:
        chosen = features[0]
    if chosen not in features:
        raise UsageError(
            name,
            f"the layer {layer.short_name} has no feature '{feature}'"
            if feature
            else f"it is not clear which feature of the layer {layer.short_name} is the type",
            f"{file_option(name, 'feature=NAME')} with one of: {', '.join(features) or 'none'}",
        )
    return MentionLayer(layer.name, chosen)


def _find_layer(
    layers: list[AnnotationLayer], layer_name: str | None, name: str
) -> AnnotationLayer | None:
    """The layer of the mentions; None if it is the layer of named entities and not in use."""
    searched = NAMED_ENTITY if layer_name is None else layer_name
    matches = [layer for layer in layers if searched in (layer.name, layer.short_name)]
    if layer_name is None and not matches:
        matches = [layer for layer in layers if not _BUILT_IN.match(layer.name)]
    if len(matches) == 1:
        return matches[0]
    if not matches and layer_name in (None, NAMED_ENTITY, NAMED_ENTITY.rpartition(".")[2]):
        return None
    raise UsageError(
        name,
        "several layers may have the mentions" if matches else f"unknown layer '{layer_name}'",
        f"{file_option(name, 'layer=NAME')} with one of: "
        f"{', '.join(layer.name for layer in layers) or 'none'}",
    )


def fits(name: str, head: bytes) -> bool:
    """Whether a file begins like WebAnno TSV, or a folder contains such a file.

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
    Format(
        NAME,
        WebannoSource,
        fits,
        FILE_OPTIONS,
        write_webanno,
        write_webanno_folder,
        title="WebAnno TSV 3",
        phrase="files of WebAnno or INCEpTION",
        definition="A tab-separated file per document, as WebAnno and INCEpTION export it, or a "
        "folder of such files.",
    ),
    built_in=True,
    rank=110,
)
