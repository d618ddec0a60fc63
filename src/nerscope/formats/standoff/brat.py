"""brat: a text file and a file of annotations with character offsets, or a folder of such pairs."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np

from nerscope.corpus.corpus import Corpus, Note
from nerscope.corpus.records import document_facts
from nerscope.corpus.schemes import Scheme
from nerscope.errors import FormatError, InputError
from nerscope.formats.base import FORMATS, Format
from nerscope.formats.files import FileBytes, read_some
from nerscope.formats.source import require_tokens
from nerscope.formats.standoff.annotated import AnnotatedSource, AnnotatedText, check_span
from nerscope.formats.standoff.text import (
    Record,
    TextSpan,
    check_words,
    document_bounds,
    gaps_of,
    records_of,
)

NAME = "brat"
TEXT, ANNOTATIONS = ".txt", ".ann"
# BioNLP shared tasks: given entities, and the annotations to predict. Both may have mentions.
_SHARED_TASK = (".a1", ".a2")
_ENDINGS = (ANNOTATIONS, *_SHARED_TASK)
# T1<tab>PER 0 3;8 11<tab>Ada Lee. At most 18 digits: longer numbers are slow to convert.
_MENTION = re.compile(r"T[^\t]*\t([^ \t]+) (\d{1,18} \d{1,18}(?:;\d{1,18} \d{1,18})*)(?:\t(.*))?")
# The first line of a file of annotations, which may be empty. No line of columns matches it.
_ANNOTATION_LINE = re.compile(rb"\s*\Z|[TREAMN#*][^\t\n]*\t")
_LINE_OF_TEXT = re.compile(r"[^\r\n]+")
_BOM = "\ufeff"
# Annotations that are not mentions, by the first letter of their line.
_OTHER_ANNOTATIONS = {
    "R": "relations",
    "E": "events",
    "A": "attributes",
    "M": "attributes",
    "N": "links",
    "#": "notes",
    "*": "equivalences",
}
UNANNOTATED = f"texts without {ANNOTATIONS}, read as texts without mentions"


class TextPair(NamedTuple):
    """The path of a text and those of its annotations, if it has any."""

    text: Path
    annotations: Sequence[Path]


class BratSource(AnnotatedSource):
    """The texts of a folder, or one of them, with their annotated mentions.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = Path(folder, "a.txt").write_text("Ada spoke.")
    ...     _ = Path(folder, "a.ann").write_text("T1\\tPER 0 3\\tAda\\n")
    ...     [record] = BratSource(FileBytes.of(folder)).records()
    >>> record.spans
    [TextSpan(fragments=((0, 3),), type='PER')]
    """

    def __init__(self, data: FileBytes) -> None:
        self.name = data.name
        self.pairs = _pairs(data)

    def annotated_texts(self) -> Iterator[AnnotatedText]:
        """The texts in the order of their names."""
        return (_read_pair(pair, self._id(pair)) for pair in self.pairs)

    def _id(self, pair: TextPair) -> str:
        """The name of a document, with the folders below the folder that was given."""
        folder = Path(self.name)
        name = pair.text.relative_to(folder) if folder.is_dir() else Path(pair.text.name)
        return name.with_suffix("").as_posix()


def _read_pair(pair: TextPair, name: str) -> AnnotatedText:
    text = _read_utf8(pair.text)
    spans: list[TextSpan] = []
    left_out: Counter[str] = Counter()
    for path in pair.annotations:
        lines = _read_utf8(path)
        for number, line in enumerate(lines.removeprefix(_BOM).split("\n"), 1):
            line = line.removesuffix("\r")
            if line[:1] in _OTHER_ANNOTATIONS and "\t" in line:
                left_out[_OTHER_ANNOTATIONS[line[0]]] += 1
            elif line.strip():
                spans.append(_span(line, text, f"{path}:{number}"))
    notes = {f"{kind}, left out": Note(times) for kind, times in left_out.items()}
    if not pair.annotations:
        notes[UNANNOTATED] = Note(1, items=(pair.text.name,))
    # A byte order mark counts as a character in offsets, but is not a token.
    plain = " " + text[1:] if text.startswith(_BOM) else text
    facts = document_facts(name)
    return AnnotatedText(Record(plain, spans, place=str(pair.text), facts=facts), notes)


def _pairs(data: FileBytes) -> list[TextPair]:
    if data.local is None:
        raise InputError(
            data.name,
            "brat annotations need a text file and an annotation file",
            "give the path of a folder or of a local file",
        )
    path = Path(data.local)
    if not path.is_dir():
        return [_pair(path.with_suffix(TEXT))]
    # Annotations without a text are included, so that they are refused and not ignored.
    texts = {
        file.with_suffix(TEXT)
        for ending in (TEXT, *_ENDINGS)
        for file in _files_below(path, ending)
    }
    if not texts:
        raise InputError(
            data.name,
            f"the folder contains no {TEXT} file",
            f"give a folder with {TEXT} and {ANNOTATIONS} files",
        )
    return [_pair(text) for text in sorted(texts)]


def _files_below(folder: Path, ending: str) -> Iterator[Path]:
    """The files with an ending in a folder and in its folders, except hidden ones."""
    for file in folder.rglob(f"*{ending}"):
        if not any(part.startswith(".") for part in file.relative_to(folder).parts):
            yield file


def _pair(text: Path) -> TextPair:
    annotations = [
        path for path in (text.with_suffix(ending) for ending in _ENDINGS) if path.is_file()
    ]
    if not text.is_file():
        raise InputError(
            str(annotations[0] if annotations else text.with_suffix(ANNOTATIONS)),
            f"the text file {text.name} is missing",
            f"put {text.name} into the same folder",
        )
    if len(annotations) > 1 and annotations[0].suffix == ANNOTATIONS:
        raise InputError(
            str(annotations[0]),
            f"the text also has annotations in {annotations[1].name}",
            f"remove {ANNOTATIONS}, or {' and '.join(_SHARED_TASK)}",
        )
    return TextPair(text, annotations)


def _read_utf8(path: Path) -> str:
    """The text of a file, with its line ends unchanged: offsets count them."""
    with FileBytes.of(path).open() as stream:
        data = read_some(stream, str(path), -1)
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        raise InputError(
            f"{path}: byte {error.start}", "not valid utf-8", "save the file as UTF-8"
        ) from None
    if "\0" in text:
        raise InputError(
            str(path),
            "the file contains a NUL byte and is not a text file",
            "save the file as UTF-8 text",
        )
    return text


def _span(line: str, text: str, place: str) -> TextSpan:
    """The mention of a line: `T1<tab>PER 0 3;8 11<tab>Ada Lee` has two fragments."""
    match = _MENTION.fullmatch(line)
    if match is None:
        raise FormatError(
            place,
            "not a brat annotation",
            "write mentions as T1, a tab, PER 0 3, a tab, and the text of the mention",
        )
    kind, offsets, surface = match.groups()
    fragments = (fragment.split(" ") for fragment in offsets.split(";"))
    span = TextSpan(tuple((int(start), int(end)) for start, end in fragments), kind)
    return check_span(
        span,
        text,
        surface,
        place,
        "use the text that was annotated; offsets count characters, and \\r\\n counts as two",
    )


def fits(name: str, head: bytes) -> bool:
    """Whether a folder contains brat annotations, or a file belongs to a pair of files.

    >>> fits("a.ann", b"T1\\tPER 0 3\\tAda\\n"), fits("a.ann", b"Ada B-PER\\n")
    (True, False)
    """
    path = Path(name)
    if path.suffix in _ENDINGS:
        return bool(_ANNOTATION_LINE.match(head))
    if path.suffix == TEXT:
        beside = (path.with_suffix(ending) for ending in _ENDINGS)
        annotations = next((other for other in beside if other.is_file()), None)
        if annotations is None:
            return False
        return bool(_ANNOTATION_LINE.match(FileBytes.of(annotations).head()))
    if head or not path.is_dir():
        return False
    return any(True for ending in _ENDINGS for _ in _files_below(path, ending))


def beside(name: str) -> list[str]:
    """The text and the annotations with the name of a file, other than the file itself.

    >>> beside("gold.jsonl")
    []
    """
    path = Path(name)
    endings = (TEXT, *_ENDINGS) if path.name else ()
    pair = [path.with_suffix(ending) for ending in endings]
    return [str(other) for other in pair if other != path and other.is_file()]


def write_brat(corpus: Corpus, scheme: Scheme) -> dict[str, bytes]:
    """A corpus as the files of a folder: a text and its annotations for each document.

    >>> from nerscope.corpus.schemes import BIO
    >>> files = write_brat(Corpus.of([(["Ada", "spoke"], ["B-PER", "O"])]), BIO)
    >>> files["1.txt"], files["1.ann"]
    (b'Ada spoke\\n', b'T1\\tPER 0 3\\tAda\\n')
    """
    corpus = require_tokens(corpus)
    check_words(corpus)
    kinds = {corpus.coding.labels.types[kind] for kind in np.unique(corpus.mentions().type)}
    if any(re.search(r"[ \t\r\n]", kind) for kind in kinds):
        raise InputError(
            corpus.name, "a type contains a blank, which brat cannot hold", "rename the type"
        )
    # If blanks are known, `records_of` gives one record per document, even for a single one.
    gaps = gaps_of(corpus, document_bounds(corpus))
    records = list(records_of(replace(corpus, gaps=gaps)))
    files: dict[str, bytes] = {}
    for number, record in enumerate(records, 1):
        # Padded with zeros (01 … 12), so that file names sort in the order of the documents.
        name = f"{number:0{len(str(len(records)))}}"
        text, spans = _marked(record)
        files[name + TEXT] = f"{text}\n".encode()
        files[name + ANNOTATIONS] = "".join(_annotation_lines(text, spans)).encode()
    return files


def _marked(record: Record) -> tuple[str, Sequence[TextSpan]]:
    """The text and spans to write.

    Readers interpret U+FEFF at the start of a file as a byte order mark. So a text that begins with
    it as a character gets a mark before it.
    """
    if not record.text.startswith(_BOM):
        return record.text, record.spans
    spans = [
        TextSpan(tuple((start + 1, end + 1) for start, end in span.fragments), span.type)
        for span in record.spans
    ]
    return _BOM + record.text, spans


def _annotation_lines(text: str, spans: Iterable[TextSpan]) -> Iterator[str]:
    for number, span in enumerate(spans, 1):
        # brat cannot show a fragment across lines, but it can show several fragments.
        fragments = [
            piece for fragment in span.fragments for piece in _divide_at_lines(text, *fragment)
        ]
        offsets = ";".join(f"{start} {end}" for start, end in fragments)
        surface = " ".join(text[start:end] for start, end in fragments).replace("\t", " ")
        yield f"T{number}\t{span.type} {offsets}\t{surface}\n"


def _divide_at_lines(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """The parts of a range of characters on each line, without blank parts."""
    lines = (match.span() for match in _LINE_OF_TEXT.finditer(text, start, end))
    return [(low, high) for low, high in lines if text[low:high].strip()]


FORMATS.add(
    NAME,
    Format(
        NAME,
        BratSource,
        fits,
        write_folder=write_brat,
        beside=beside,
        title="brat standoff",
        phrase="text files with brat annotations",
        definition="A .txt file with the text and a .ann file with character offsets, or a folder "
        "of such pairs.",
    ),
    built_in=True,
    rank=40,
)
