"""What was read differently from how it was written: counted and shown, never silent."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NotRequired, TypedDict

from nerscope.corpus.corpus import Note, ReadingNotes
from nerscope.corpus.schemes import Fault, Scheme
from nerscope.errors import FormatError, plural

_PLACES = 5
_NAMED = 3
COMMENTS = "comment lines"  # counted, but not worth a note


class SourceNote(TypedDict):
    """Something that was read differently from how it was written: what, how often, where first."""

    source: str
    kind: str
    count: int
    places: list[str]
    message: str
    items: NotRequired[list[str]]  # what it was, if it can be named
    of: NotRequired[int]  # how often it might have been, where there is a rate


def reading_notes(
    name: str, reading: ReadingNotes, scheme: Scheme, repair: str
) -> Iterator[SourceNote]:
    """What one file lost; with the repair `none`, the first forbidden transition is refused."""
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
    for kind, found in reading.notes.items():
        if found.times:
            yield _noticed(name, kind, found)
    faults = reading.transitions.faults(scheme)
    if faults:
        yield _repaired(name, scheme.name, faults, repair)


def notes_of_files(
    name: str, readings: Mapping[str, ReadingNotes], scheme: Scheme, repair: str
) -> Iterator[SourceNote]:
    """What several files lost that are one corpus, by the name of each: told once, in all of them
    together, with the places where it was.

    >>> from nerscope.corpus.schemes import BIO
    >>> readings = {f"{name}.conll": ReadingNotes(comment_lines=2) for name in ("a", "b")}
    >>> [note] = notes_of_files("*.conll", readings, BIO, "conlleval")
    >>> note["source"], note["count"], note["places"]
    ('*.conll', 4, ['a.conll', 'b.conll'])
    """
    places: dict[str, list[str]] = {}
    for file, reading in readings.items():
        for one in reading_notes(file, reading, scheme, repair):
            places.setdefault(one["kind"], []).extend(one["places"])
    for one in reading_notes(name, sum(readings.values(), ReadingNotes()), scheme, repair):
        yield {**one, "places": places[one["kind"]][:_PLACES]}


def _noticed(name: str, kind: str, found: Note) -> SourceNote:
    """What a format noticed; the first few are named."""
    named = ", ".join(f"'{item}'" for item in dict.fromkeys(found.items[:_NAMED]))
    more = " …" if named and found.times > _NAMED else ""
    rate = f" of {found.out_of} ({100 * found.times / found.out_of:.1f} %)" if found.out_of else ""
    message = f"{kind}: {found.times}{rate}" + (f", such as {named}{more}" if named else "")
    lost = make_note(name, kind, found.times, found.lines, message, found.items)
    if found.out_of:
        lost["of"] = found.out_of
    return lost


def _repaired(name: str, scheme: str, faults: Sequence[Fault], repair: str) -> SourceNote:
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
    """A fault in words."""
    return f"{fault.after} after {fault.before}"


def make_note(
    name: str,
    kind: str,
    count: int,
    lines: Sequence[int],
    message: str,
    items: Sequence[str] = (),
) -> SourceNote:
    """One loss, with the places of the first few lines, and what was lost if it can be named."""
    places = [f"{name}:{line}" if line else name for line in lines[:_PLACES]] or [name]
    found: SourceNote = {
        "source": name,
        "kind": kind,
        "count": count,
        "places": places,
        "message": message,
    }
    if items:
        found["items"] = list(items)
    return found


def note_line(found: SourceNote) -> str:
    """A loss in one line."""
    return f"{found['places'][0]}: {found['message']}"


def note_lines(losses: Iterable[SourceNote]) -> list[str]:
    """The losses that are worth a note, in a line each."""
    return [note_line(one) for one in losses if one["kind"] != COMMENTS]
