"""What standoff formats share: notes on annotations that are left out, and checks of spans."""

from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from itertools import accumulate
from typing import NamedTuple

from nerscope.corpus.corpus import Coding, Corpus, Note, ReadingNotes
from nerscope.errors import FormatError, shortened
from nerscope.formats.base import FileOption
from nerscope.formats.json.marks import FORBIDDEN, shown
from nerscope.formats.standoff.text import Record, TextSource, TextSpan, read_text, text_source

EMPTY = "annotations of length 0, left out"
_GAP = "[...]"  # brat and bconv write it between the fragments of a mention
# The number of units that each character takes, by the name of the unit.
_SIZES: Mapping[str, Callable[[str], int]] = {
    "characters": lambda character: 1,
    "bytes": lambda character: len(character.encode(errors="surrogatepass")),
    "utf-16": lambda character: 1 + (character > "\uffff"),
}
OFFSETS = FileOption(
    {name: name for name in _SIZES}.__getitem__, f"what offsets count: {', '.join(_SIZES)}"
)


class AnnotatedText(NamedTuple):
    """A text with its mentions, and notes on everything that was left out, by kind."""

    record: Record
    notes: Mapping[str, Note] = {}


class AnnotatedSource(TextSource):
    """A source of annotated texts: a format defines `name` and `annotated_texts`."""

    @abstractmethod
    def annotated_texts(self) -> Iterator[AnnotatedText]:
        """The texts, one at a time."""

    def records(self) -> Iterator[Record]:
        return (annotated.record for annotated in self.annotated_texts())

    def chunks(self, coding: Coding, *, tokens: bool = True) -> Iterator[Corpus]:
        """Sentences of tokens, with notes on annotations that were left out."""
        notes: dict[str, Note] = {}

        def records() -> Iterator[Record]:
            for annotated in self.annotated_texts():
                for kind, note in annotated.notes.items():
                    if note.times:
                        notes[kind] = notes.get(kind, Note(0)) + note
                yield annotated.record

        for chunk in text_source(self.name, records).chunks(coding, tokens=tokens):
            # The records since the last chunk are in this chunk, so it gets their notes.
            reading = chunk.reading_notes + ReadingNotes(notes=dict(notes))
            notes.clear()
            yield replace(chunk, reading_notes=reading)


def check_span(span: TextSpan, text: str, surface: str | None, place: str, fix: str) -> TextSpan:
    """The span; it is refused if it is not in the text, or if its text is not `surface`.

    Blanks may differ, and `[...]` may stand between fragments.

    >>> check_span(TextSpan(((0, 3),), "PER"), "Ada spoke", "Ada", "x", "").type
    'PER'
    """
    if not _lies_in(span, text):
        read_text(Record(text, [span]), place)  # raises the error with the reason
    if FORBIDDEN.search(span.type):
        raise FormatError(
            place,
            f"the type {span.type!r} contains NUL, U+001F or a lone surrogate (half a character)",
            "rename the type",
        )
    if surface:
        there = " ".join(text[start:end] for start, end in span.fragments)
        hull = text[span.fragments[0][0] : span.fragments[-1][1]]
        if len(span.fragments) > 1:
            surface = surface.replace(_GAP, " ")
        # Comparing words is not enough: a fragment may be a part of a word.
        if _without_blanks(surface) not in (_without_blanks(there), _without_blanks(hull)):
            offsets = ";".join(f"{start} {end}" for start, end in span.fragments)
            raise FormatError(
                place,
                f"the text at {shortened(offsets)} is {shown(there)}, not {shown(surface)}",
                fix,
            )
    return span


def _without_blanks(text: str) -> str:
    return "".join(text.split())


def _lies_in(span: TextSpan, text: str) -> bool:
    """Whether the fragments lie in the text, in order, and are not all blank."""
    edges = [edge for fragment in span.fragments for edge in fragment]
    in_order = edges == sorted(edges) and all(start < end for start, end in span.fragments)
    is_inside = bool(edges) and in_order and edges[0] >= 0 and edges[-1] <= len(text)
    return is_inside and any(text[start:end].strip() for start, end in span.fragments)


class OffsetMap:
    """Converts offsets in a unit to offsets in characters.

    >>> offsets = OffsetMap("\\U0001f600 Ada", "utf-16")
    >>> offsets.size, offsets.character(3), offsets.character(1)
    (6, 2, None)
    """

    def __init__(self, text: str, unit: str = "characters") -> None:
        self._characters: dict[int, int] | None = None
        self.size = len(text)
        if unit != "characters" and not text.isascii():
            ends = accumulate(map(_SIZES[unit], text), initial=0)
            self._characters = {units: at for at, units in enumerate(ends)}
            self.size = next(reversed(self._characters))

    def character(self, offset: int) -> int | None:
        """The character at an offset; None if it is outside the text or inside a character."""
        if self._characters is not None:
            return self._characters.get(offset)
        return offset if 0 <= offset <= self.size else None
