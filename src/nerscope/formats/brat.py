"""brat: a text, and beside it a file of annotations with character offsets; or a folder of both."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np

from nerscope.corpus.corpus import Coding, Corpus, Found, Reading
from nerscope.corpus.schemes import Scheme
from nerscope.errors import FormatError, InputError, shortened
from nerscope.formats.base import FORMATS, Format, require_tokens
from nerscope.formats.files import FileBytes, read_some
from nerscope.formats.text import (
    Record,
    TextSource,
    TextSpan,
    check_words,
    document_bounds,
    gaps_of,
    read_text,
    records_of,
    text_source,
)

NAME = "brat"
TEXT, ANNOTATIONS = ".txt", ".ann"
_MENTION = re.compile(r"T[^\t]*\t([^ \t]+) (\d{1,18} \d{1,18}(?:;\d{1,18} \d{1,18})*)(?:\t(.*))?")
_LINE = re.compile(rb"\s*\Z|[TREAMN#*][^\t\n]*\t")
_LINE_OF_TEXT = re.compile(r"[^\r\n]+")
_BOM = "\ufeff"
# What other lines begin with, and what they are.
_OTHERS = {
    "R": "relations",
    "E": "events",
    "A": "attributes",
    "M": "attributes",
    "N": "links",
    "#": "notes",
    "*": "equivalences",
}
UNANNOTATED = f"texts without {ANNOTATIONS}, read as texts without mentions"


class Pair(NamedTuple):
    """A text and its annotations, if it has any."""

    text: Path
    annotations: Path | None


class BratSource(TextSource):
    """The texts of a folder, or one of them, with what is annotated in them.

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

    def records(self) -> Iterator[Record]:
        """The texts in the order of their names."""
        return self._records(Counter(), [])

    def chunks(self, coding: Coding, *, tokens: bool = True) -> Iterator[Corpus]:
        """Sentences of tokens; what was left out is counted."""
        left, bare = Counter[str](), list[str]()
        inner = text_source(self.name, lambda: self._records(left, bare))
        for chunk in inner.chunks(coding, tokens=tokens):
            found = {f"{kind}, left out": Found(times) for kind, times in left.items()}
            if bare:
                found[UNANNOTATED] = Found(len(bare), items=tuple(bare))
            yield replace(chunk, reading=chunk.reading + Reading(found=found))
            left.clear()
            bare.clear()

    def _records(self, left: Counter[str], bare: list[str]) -> Iterator[Record]:
        for pair in self.pairs:
            text = _text(pair.text)
            if pair.annotations is None:
                bare.append(pair.text.name)
                spans = []
            else:
                spans = list(_spans(_text(pair.annotations), text, pair.annotations, left))
            # A byte order mark is a character for offsets, but no token.
            plain = " " + text[1:] if text.startswith(_BOM) else text
            yield Record(plain, spans, place=str(pair.text))


def _pairs(data: FileBytes) -> list[Pair]:
    if data.local is None:
        raise InputError(
            data.name, "annotations stand in a file of their own", "give a folder, or a path"
        )
    path = Path(data.local)
    if not path.is_dir():
        return [_pair(path.with_suffix(TEXT))]
    names = {file.stem for file in path.iterdir() if file.suffix in (TEXT, ANNOTATIONS)}
    if not names:
        raise InputError(data.name, f"the folder holds no {TEXT} file", "name another folder")
    return [_pair(path / f"{name}{TEXT}") for name in sorted(names)]


def _pair(text: Path) -> Pair:
    annotations = text.with_suffix(ANNOTATIONS)
    if not text.is_file():
        raise InputError(
            str(annotations), f"there is no text beside it ({text.name})", "put it there"
        )
    return Pair(text, annotations if annotations.is_file() else None)


def _text(path: Path) -> str:
    """The text of a file, with line ends as they are: offsets count them."""
    with FileBytes.of(path).open() as stream:
        data = read_some(stream, str(path), -1)
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        raise InputError(
            f"{path}: byte {error.start}", "this is not utf-8", "write the file in UTF-8"
        ) from None
    if "\0" in text:
        raise InputError(
            str(path), "there is a NUL byte: this is no text file", "give texts in UTF-8"
        )
    return text


def _spans(lines: str, text: str, path: Path, left: Counter[str]) -> Iterator[TextSpan]:
    """The mentions of a text; what else is annotated is counted."""
    for number, line in enumerate(lines.removeprefix(_BOM).split("\n"), 1):
        line = line.removesuffix("\r")
        if line[:1] in _OTHERS and "\t" in line:
            left[_OTHERS[line[0]]] += 1
        elif line.strip():
            yield _span(line, text, f"{path}:{number}")


def _span(line: str, text: str, place: str) -> TextSpan:
    found = _MENTION.fullmatch(line)
    if found is None:
        raise FormatError(
            place, "this is no annotation of brat", "write T1, a tab, PER 0 3, a tab, and the text"
        )
    pairs = (pair.split(" ") for pair in found[2].split(";"))
    span = TextSpan(tuple((int(start), int(end)) for start, end in pairs), found[1])
    if not _is_sound(span, text):
        read_text(Record(text, [span]), place)  # says what is wrong with it
    there = " ".join(text[start:end] for start, end in span.fragments)
    said = found[3] or there
    if said.split() != there.split():
        raise FormatError(
            place,
            f"the text at {shortened(found[2])} is '{shortened(there)}', not '{shortened(said)}'",
            "give the text that was annotated; offsets count characters, and line ends as they are",
        )
    return span


def _is_sound(span: TextSpan, text: str) -> bool:
    """Whether its fragments lie in the text, one behind the other, and are not all blank."""
    edges = [edge for fragment in span.fragments for edge in fragment]
    in_order = edges == sorted(edges) and all(start < end for start, end in span.fragments)
    inside = in_order and edges[-1] <= len(text)
    return inside and any(text[start:end].strip() for start, end in span.fragments)


def fits(name: str, head: bytes) -> bool:
    """Whether a folder holds annotations of brat, or a file is one of such a pair.

    >>> fits("a.ann", b"T1\\tPER 0 3\\tAda\\n"), fits("a.ann", b"Ada B-PER\\n")
    (True, False)
    """
    path = Path(name)
    if path.suffix == ANNOTATIONS:
        return bool(_LINE.match(head))
    if path.suffix == TEXT:
        other = path.with_suffix(ANNOTATIONS)
        return other.is_file() and bool(_LINE.match(FileBytes.of(other).head()))
    return not head and path.is_dir() and any(path.glob(f"*{ANNOTATIONS}"))


def beside(name: str) -> list[str]:
    """The text and the annotations that are called as a file is, where they are others than it.

    >>> beside("gold.jsonl")
    []
    """
    path = Path(name)
    both = [path.with_suffix(ending) for ending in (TEXT, ANNOTATIONS)] if path.name else []
    return [str(other) for other in both if other != path and other.is_file()]


def written_as_brat(corpus: Corpus, scheme: Scheme) -> dict[str, bytes]:
    """A corpus as the files of a folder: a text and its annotations for each document.

    >>> from nerscope.corpus.schemes import BIO
    >>> files = written_as_brat(Corpus.of([(["Ada", "spoke"], ["B-PER", "O"])]), BIO)
    >>> files["1.txt"], files["1.ann"]
    (b'Ada spoke\\n', b'T1\\tPER 0 3\\tAda\\n')
    """
    corpus = require_tokens(corpus)
    check_words(corpus)
    kinds = {corpus.coding.labels.types[kind] for kind in np.unique(corpus.mentions().type)}
    if any(re.search(r"[ \t\r\n]", kind) for kind in kinds):
        raise InputError(
            corpus.name, "a type has a blank in it, which brat cannot hold", "rename the type"
        )
    # A lone document is one text too, whatever is known of it: its sentences stand on lines.
    gaps = gaps_of(corpus, document_bounds(corpus))
    records = list(records_of(replace(corpus, gaps=gaps)))
    files: dict[str, bytes] = {}
    for number, record in enumerate(records, 1):
        name = f"{number:0{len(str(len(records)))}}"
        files[name + TEXT] = f"{record.text}\n".encode()
        files[name + ANNOTATIONS] = "".join(_lines_of(record.text, record.spans)).encode()
    return files


def _lines_of(text: str, spans: Iterable[TextSpan]) -> Iterator[str]:
    for number, span in enumerate(spans, 1):
        # brat shows no mention that goes across lines, but fragments on several lines.
        parts = [part for fragment in span.fragments for part in _on_lines_of(text, *fragment)]
        places = ";".join(f"{start} {end}" for start, end in parts)
        said = " ".join(text[start:end] for start, end in parts).replace("\t", " ")
        yield f"T{number}\t{span.type} {places}\t{said}\n"


def _on_lines_of(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """What is on each line of some characters, without what is blank."""
    lines = (found.span() for found in _LINE_OF_TEXT.finditer(text, start, end))
    return [(low, high) for low, high in lines if text[low:high].strip()]


FORMATS.add(
    NAME,
    Format(NAME, BratSource, fits, write_folder=written_as_brat, beside=beside),
    built_in=True,
)
