"""Notes about a source: everything that is read differently from how it is written."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NotRequired, TypedDict

from nerscope.corpus.corpus import Note, ReadingNotes
from nerscope.corpus.schemes import Fault, Scheme
from nerscope.errors import FormatError, plural

_MAX_PLACES = 5  # places that a note lists
_MAX_ITEMS = 3  # items that a message names
COMMENTS = "comment lines"  # counted, but not worth a note


class SourceNote(TypedDict):
    """One kind of note about one source: how often it applies, and where first."""

    source: str
    kind: str
    count: int
    places: list[str]
    message: str
    items: NotRequired[list[str]]  # what it is about, where that can be named
    of: NotRequired[int]  # the total, where there is a rate


def reading_notes(
    name: str, reading: ReadingNotes, scheme: Scheme, repair: str
) -> Iterator[SourceNote]:
    """The notes about one file; the repair `none` refuses the first forbidden transition."""
    if reading.differing_tokens:
        message = (
            f"{plural(reading.differing_tokens, 'token')} spelt otherwise than in gold; "
            "matched by position"
        )
        lines = [reading.first_differing_line]
        yield make_note(name, "different tokens", reading.differing_tokens, lines, message)
    if reading.mended_labels:
        message = f"{plural(reading.mended_labels, 'label')} mended as asked"
        yield make_note(name, "mended labels", reading.mended_labels, [], message)
    if reading.comment_lines:
        message = f"{plural(reading.comment_lines, 'comment line')} left out"
        yield make_note(name, COMMENTS, reading.comment_lines, [], message)
    for kind, note in reading.notes.items():
        if note.times:
            yield _format_note(name, kind, note)
    faults = reading.transitions.faults(scheme)
    if faults:
        yield _repair_note(name, scheme.name, faults, repair)


def notes_of_files(
    name: str, readings: Mapping[str, ReadingNotes], scheme: Scheme, repair: str
) -> Iterator[SourceNote]:
    """The notes about several files that are one corpus, given by file name.

    There is one note of each kind for all files together, with places in each of them.

    >>> from nerscope.corpus.schemes import BIO
    >>> readings = {f"{name}.conll": ReadingNotes(comment_lines=2) for name in ("a", "b")}
    >>> [note] = notes_of_files("*.conll", readings, BIO, "conlleval")
    >>> note["source"], note["count"], note["places"]
    ('*.conll', 4, ['a.conll', 'b.conll'])
    """
    places: dict[str, list[str]] = {}
    for file, reading in readings.items():
        for note in reading_notes(file, reading, scheme, repair):
            places.setdefault(note["kind"], []).extend(note["places"])
    for note in reading_notes(name, sum(readings.values(), ReadingNotes()), scheme, repair):
        yield {**note, "places": places[note["kind"]][:_MAX_PLACES]}


def _format_note(name: str, kind: str, note: Note) -> SourceNote:
    """A note of a format; its message names the first few items."""
    named = ", ".join(f"'{item}'" for item in dict.fromkeys(note.items[:_MAX_ITEMS]))
    more = " …" if named and note.times > _MAX_ITEMS else ""
    rate = f" of {note.out_of} ({100 * note.times / note.out_of:.1f} %)" if note.out_of else ""
    message = f"{kind}: {note.times}{rate}" + (f", such as {named}{more}" if named else "")
    source_note = make_note(name, kind, note.times, note.lines, message, note.items)
    if note.out_of:
        source_note["of"] = note.out_of
    return source_note


def _repair_note(name: str, scheme: str, faults: Sequence[Fault], repair: str) -> SourceNote:
    total = sum(fault.times for fault in faults)
    if repair == "none":
        first = min(faults, key=lambda fault: fault.first_line)
        raise FormatError(
            f"{name}:{first.first_line}",
            f"{describe_fault(first)} is not allowed in {scheme} ({plural(total, 'such place')})",
            "mend the labels, name the right scheme with scheme=…, or choose a repair",
        )
    kinds = ", ".join(f"{describe_fault(fault)} ({fault.times})" for fault in faults[:3])
    message = (
        f"{plural(total, 'transition')} not allowed in {scheme}, repaired as {repair}: {kinds}"
    )
    lines = sorted(fault.first_line for fault in faults)
    return make_note(name, "repaired labels", total, lines, message)


def describe_fault(fault: Fault) -> str:
    return f"{fault.after} after {fault.before}"


def make_note(
    name: str,
    kind: str,
    count: int,
    lines: Sequence[int],
    message: str,
    items: Sequence[str] = (),
) -> SourceNote:
    """A note with the places of its first few lines; line 0 stands for the file as a whole."""
    places = [f"{name}:{line}" if line else name for line in lines[:_MAX_PLACES]] or [name]
    note: SourceNote = {
        "source": name,
        "kind": kind,
        "count": count,
        "places": places,
        "message": message,
    }
    if items:
        note["items"] = list(items)
    return note


def note_line(note: SourceNote) -> str:
    return f"{note['places'][0]}: {note['message']}"


def note_lines(notes: Iterable[SourceNote]) -> list[str]:
    """One line per note; comment lines are counted, but not worth a line."""
    return [note_line(note) for note in notes if note["kind"] != COMMENTS]
