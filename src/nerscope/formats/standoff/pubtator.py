"""PubTator: a title and an abstract per document, then one line per annotation.

    1234|t|Ada has measles
    1234|a|Measles is a disease.
    1234    8       15      measles Disease D008457
    1234    CID     D1      D2

Offsets count the characters of the title, one character between, and the abstract.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from nerscope.corpus.corpus import Note, file_option
from nerscope.corpus.records import RecordFacts
from nerscope.errors import FormatError, shortened
from nerscope.formats.base import FORMATS, FileOption, Format
from nerscope.formats.columns.iob_lines import fits as are_tokens_with_bars
from nerscope.formats.files import FileBytes, check_encoding, line_blocks
from nerscope.formats.standoff.annotated import (
    EMPTY,
    OFFSETS,
    AnnotatedSource,
    AnnotatedText,
    OffsetMap,
    check_span,
)
from nerscope.formats.standoff.text import Record, TextSpan

NAME = "pubtator"
RELATIONS = "relations, left out"
_SECTION = re.compile(r"([^|\t]+)\|([A-Za-z]\w{0,15})\|(.*)", re.DOTALL)
_BEGINNING = re.compile(rb"(?:\xef\xbb\xbf)?\s*[\w.:-]+\|[ta]\|")
_OFFSET = re.compile(r"-?\d{1,18}")
_TITLE = "t"
FILE_OPTIONS = {
    "encoding": FileOption(str, "the encoding of the file (default: utf-8)"),
    "offsets": OFFSETS,
}


class _Line(NamedTuple):
    number: int
    fields: list[str]


class PubtatorSource(AnnotatedSource):
    """A PubTator file; `offsets` says what its offsets count.

    >>> data = b"1|t|Ada spoke\\n1|a|\\n1\\t0\\t3\\tAda\\tPER\\tQ7259\\n"
    >>> [record] = PubtatorSource(FileBytes("a.txt", data=data)).records()
    >>> record.spans
    [TextSpan(fragments=((0, 3),), type='PER')]
    """

    def __init__(
        self, data: FileBytes, *, encoding: str = "utf-8", offsets: str = "characters"
    ) -> None:
        self.name, self._data, self._encoding, self._unit = data.name, data, encoding, offsets
        check_encoding(self.name, encoding)

    def annotated_texts(self) -> Iterator[AnnotatedText]:
        """The documents; a blank line or the title of another document ends one."""
        document, line_of, sections = "", 0, list[str]()
        annotations = list[_Line]()
        for number, line in self._lines():
            section = _SECTION.fullmatch(line)
            # A title or a text after annotations begins a document, even without a blank line.
            begins = section is not None and (
                section[1] != document or section[2] == _TITLE or bool(annotations)
            )
            if sections and (begins or not line.strip()):
                yield self._document(line_of, sections, annotations, document)
                document, sections, annotations = "", [], []
            if section is not None:
                if not sections:
                    document, line_of = section[1], number
                sections.append(section[3])
            elif line.strip():
                annotations.append(self._annotation(line, number, document))
        if sections:
            yield self._document(line_of, sections, annotations, document)

    def _lines(self) -> Iterator[tuple[int, str]]:
        number = 0
        with self._data.open() as stream:
            for block in line_blocks(stream, self.name, self._encoding):
                for line in block.decode().split("\n")[:-1]:
                    number += 1
                    yield number, line

    def _annotation(self, line: str, number: int, document: str) -> _Line:
        fields = line.split("\t")
        if not document or fields[0].strip() != document.strip() or len(fields) < 2:
            fact = f"not a PubTator line of the document '{shortened(document)}'"
            if not document:
                fact = "not a PubTator line: no title or abstract before it"
            raise FormatError(
                f"{self.name}:{number}",
                fact,
                "write ID|t|TITLE, ID|a|ABSTRACT, then ID, START, END, TEXT, TYPE between tabs",
            )
        return _Line(number, fields)

    def _document(
        self, line: int, sections: list[str], annotations: list[_Line], name: str
    ) -> AnnotatedText:
        # The character between title and abstract is a line end, which ends a sentence.
        text = "\n".join(sections)
        offsets = OffsetMap(text, self._unit)
        spans, relations, empty = list[TextSpan](), list[int](), list[int]()
        for number, fields in annotations:
            if not _OFFSET.fullmatch(fields[1]):
                relations.append(number)
            elif len(fields) > 2 and fields[1] == fields[2]:
                empty.append(number)
            else:
                spans.append(self._span(fields, text, offsets, f"{self.name}:{number}"))
        notes = {
            kind: Note(len(lines), tuple(lines))
            for kind, lines in ((RELATIONS, relations), (EMPTY, empty))
        }
        return AnnotatedText(Record(text, spans, line, facts=RecordFacts(name.strip())), notes)

    def _span(self, fields: list[str], text: str, offsets: OffsetMap, place: str) -> TextSpan:
        if len(fields) < 5 or not _OFFSET.fullmatch(fields[2]) or not fields[4].strip():
            raise FormatError(
                place,
                "the annotation is incomplete",
                "write ID, START, END, TEXT, TYPE between tabs",
            )
        start, end = (offsets.character(int(field)) for field in fields[1:3])
        if start is None or end is None:
            raise FormatError(
                place,
                f"the offsets {fields[1]} {fields[2]} are outside the text, or inside a character",
                _fix(place),
            )
        span = TextSpan(((start, end),), fields[4].strip())
        return check_span(span, text, fields[3], place, _fix(place))


def _fix(place: str) -> str:
    return (
        "count the title, one character, and the abstract; if offsets count bytes: "
        + file_option(place, "offsets=bytes")
    )


def fits(name: str, head: bytes) -> bool:
    """Whether a file begins with a title or an abstract.

    >>> fits("a.txt", b"12|t|Ada spoke\\n"), fits("a.txt", b"Ada|NNP|B-PER\\n")
    (True, False)
    """
    # In Das|a|O Haus|n|O, the letter is a tag.
    return bool(_BEGINNING.match(head)) and not are_tokens_with_bars(name, head)


FORMATS.add(
    NAME,
    Format(
        NAME,
        PubtatorSource,
        fits,
        FILE_OPTIONS,
        title="PubTator",
        phrase="PubTator titles and abstracts",
        definition="A title and an abstract per document, then one tab-separated line per "
        "annotation with character offsets.",
    ),
    built_in=True,
    rank=12,
)
