"""WebAnno TSV 2, the export of WebAnno 2: layers in one header line, values with B- and I-.

     # de.tudarmstadt.ukp.dkpro.core.api.ner.type.NamedEntity | value
    #id=1
    #text=Ada Lee spoke
    1-1     Ada     B-PER
    1-2     Lee     I-PER
    1-3     spoke   _

Columns are the number of the token, the token, one column per feature of each layer, and one more
for the targets of a relation. `B-PER|B-ORG` are two mentions, told apart by their position; `O-_`
fills a position. A value without B- or I- is a mention of one token.
"""

import re
from collections.abc import Iterator
from itertools import pairwise

from nerscope.corpus.corpus import Note
from nerscope.errors import FormatError, plural, shortened
from nerscope.formats.base import FORMATS, Format
from nerscope.formats.files import FileBytes, line_blocks
from nerscope.formats.standoff.annotated import AnnotatedSource, AnnotatedText, check_span
from nerscope.formats.standoff.text import Record, TextSpan
from nerscope.formats.standoff.webanno import (
    FILE_OPTIONS,
    LAYERS,
    UNNAMED,
    AnnotationLayer,
    choose_layer,
)

NAME = "webanno2"
_BEGINNING = re.compile(rb"(?:\xef\xbb\xbf)?[ \t]*#[ \t]*[\w.]+\.\w+[ \t]*\|[^\n]*\n\s*#id=")
_NUMBER = re.compile(r"\d+-\d+")
_FIXED_COLUMNS = 2  # before the columns of layers: number, token
_ATTACHED = "AttachTo="  # a relation, which has one more column
_NOTHING = ("_", "O", "O-_", "B-_", "I-_")


class Webanno2Source(AnnotatedSource):
    """A file of WebAnno 2, which is one document, read with one layer.

    >>> data = b" # webanno.custom.Name | kind\\n#id=1\\n#text=Ada Lee\\n"
    >>> data += b"1-1\\tAda\\tB-PER\\t\\n1-2\\tLee\\tI-PER\\t\\n"
    >>> [record] = Webanno2Source(FileBytes("x.tsv", data=data)).records()
    >>> record.text, record.spans
    ('Ada Lee', [TextSpan(fragments=((0, 7),), type='PER')])
    """

    def __init__(
        self, data: FileBytes, *, layer: str | None = None, feature: str | None = None
    ) -> None:
        self.name, self._data = data.name, data
        _, header = next(self._lines(), (1, ""))
        self._layers = _read_layers(header, f"{self.name}:1")
        spans = [item for item in self._layers if item.kind == "SP"]
        self._chosen = choose_layer(spans, layer, feature, self.name)
        self._column: int | None = None
        for item in spans:
            if item.name == self._chosen.layer and self._chosen.feature in item.features:
                self._column = item.first_column + item.features.index(self._chosen.feature)

    def annotated_texts(self) -> Iterator[AnnotatedText]:
        """The document of the file."""
        document = _Document(self.name, self._chosen.layer, self._column)
        width = _FIXED_COLUMNS + sum(_width(layer) for layer in self._layers)
        for number, line in self._lines():
            if number == 1 or line.startswith("#id="):
                continue
            fields = line.removesuffix("\t").split("\t")
            if line.startswith("#text="):
                document.begin(line.removeprefix("#text="))
            elif not _NUMBER.fullmatch(fields[0]):
                # The text of a sentence may contain a line end. Blank lines end sentences.
                document.continue_text(line)
            elif len(fields) < width:
                raise FormatError(
                    f"{self.name}:{number}",
                    f"{plural(len(fields), 'tab-separated column')} where {width} are needed",
                    "correct the line, or the layers in the first line of the file",
                )
            else:
                document.add(number, fields)
        others = tuple(
            layer.short_name for layer in self._layers if layer.name != self._chosen.layer
        )
        yield document.finish(others)

    def _lines(self) -> Iterator[tuple[int, str]]:
        number = 0
        with self._data.open() as stream:
            for block in line_blocks(stream, self.name):
                for line in block.decode().split("\n")[:-1]:
                    number += 1
                    yield number, line


class _Document:
    """Collects sentences; each becomes a line of the text of the document."""

    def __init__(self, name: str, layer: str, column: int | None) -> None:
        self._name, self._layer, self._column = name, layer, column
        self._lines: list[str] = []
        self._size = 0
        self._text = ""
        self._rows: list[tuple[int, list[str]]] = []
        self._tokens: list[tuple[int, int]] = []
        self._spans: list[TextSpan] = []
        self._unnamed: list[int] = []

    def begin(self, text: str) -> None:
        self._end_sentence()
        self._text = text

    def continue_text(self, line: str) -> None:
        if self._rows:
            self._end_sentence()
        elif line.strip():
            self._text += f" {line}"

    def add(self, number: int, fields: list[str]) -> None:
        self._rows.append((number, fields))

    def finish(self, others: tuple[str, ...]) -> AnnotatedText:
        self._end_sentence()
        text = "\n".join(self._lines)
        spans = [check_span(span, text, None, self._name, "") for span in self._spans]
        notes = {
            UNNAMED: Note(len(self._unnamed), tuple(self._unnamed)),
            LAYERS: Note(len(others), items=others),
        }
        return AnnotatedText(Record(text, spans, tokens=self._tokens, place=self._name), notes)

    def _end_sentence(self) -> None:
        if self._rows:
            words = [fields[1] for _, fields in self._rows]
            text, tokens = _place_words(self._text, words)
            tokens = [(start + self._size, end + self._size) for start, end in tokens]
            self._tokens += tokens
            self._add_mentions(tokens)
            self._lines.append(text)
            self._size += len(text) + 1
        self._text, self._rows = "", []

    def _add_mentions(self, tokens: list[tuple[int, int]]) -> None:
        """The mentions of a sentence; `going` has those that the next token may continue."""
        going: dict[int, int] = {}  # the index of a mention by its position in the column
        for (number, fields), (start, end) in zip(self._rows, tokens, strict=True):
            values = [] if self._column is None else fields[self._column].split("|")
            before, going = going, {}
            for position, value in enumerate(values):
                if value in _NOTHING:
                    continue
                if value.startswith("I-"):
                    if position not in before:
                        raise FormatError(
                            f"{self._name}:{number}",
                            f"'{shortened(value)}' does not continue a mention",
                            "begin the mention with B- on the token before it",
                        )
                    at = going[position] = before[position]
                    span = self._spans[at]
                    self._spans[at] = span._replace(fragments=((span.fragments[0][0], end),))
                    continue
                if value.startswith("B-"):
                    going[position] = len(self._spans)
                kind = value.removeprefix("B-")
                # The name of the layer stands for an annotation without a value.
                if not kind or kind.startswith(self._layer):
                    self._unnamed.append(number)
                    kind = self._layer.rpartition(".")[2]
                self._spans.append(TextSpan(((start, end),), kind))


def _place_words(text: str, words: list[str]) -> tuple[str, list[tuple[int, int]]]:
    """The tokens in the text of the sentence, or joined by blanks if the text differs."""
    text = text.replace("\n", " ").replace("\r", " ")
    tokens, done = list[tuple[int, int]](), 0
    for word in words:
        at = text.find(word, done)
        if at < 0 or text[done:at].strip():
            break
        tokens.append((at, at + len(word)))
        done = at + len(word)
    if len(tokens) == len(words) and not text[done:].strip():
        return text, tokens
    ends = [0]
    for word in words:
        ends.append(ends[-1] + len(word) + 1)
    return " ".join(words), [(start, end - 1) for start, end in pairwise(ends)]


def _width(layer: AnnotationLayer) -> int:
    return len(layer.features) + (layer.kind == "RL")


def _read_layers(header: str, place: str) -> list[AnnotationLayer]:
    layers, column = list[AnnotationLayer](), _FIXED_COLUMNS
    for part in filter(None, map(str.strip, header.split("#"))):
        name, *features = (field.strip() for field in part.split("|"))
        kind = "RL" if any(field.startswith(_ATTACHED) for field in features) else "SP"
        values = tuple(field for field in features if not field.startswith(_ATTACHED))
        layers.append(AnnotationLayer(kind, name, values, column))
        column += _width(layers[-1])
    if not layers:
        raise FormatError(
            place,
            "the first line names no layer of WebAnno TSV 2",
            "write # and the name of a layer, a bar, and its features",
        )
    return layers


def fits(name: str, head: bytes) -> bool:
    """Whether a file begins with the layers of WebAnno TSV 2.

    >>> fits("x.tsv", b" # webanno.custom.Name | kind\\n#id=1\\n"), fits("x.tsv", b"Ada\\tO\\n")
    (True, False)
    """
    return bool(_BEGINNING.match(head))


FORMATS.add(
    NAME,
    Format(
        NAME,
        Webanno2Source,
        fits,
        FILE_OPTIONS,
        title="WebAnno TSV 2",
        phrase="files of WebAnno 2",
        definition="A tab-separated file per document, as WebAnno 2 exported it.",
    ),
    built_in=True,
    rank=16,
)
