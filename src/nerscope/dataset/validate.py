"""Check labels against a tagging scheme."""

import os
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from nerscope.arguments import check_arguments
from nerscope.corpus.corpus import Coding, Corpus, ReadingNotes
from nerscope.corpus.schemes import ROLE_OF_LETTER, SINGLE, Scheme, forbidden_labels, scheme_named
from nerscope.errors import plural
from nerscope.formats.base import CorpusLike, open_source
from nerscope.formats.source import Source

SPANS = "spans"  # scheme name for a corpus with spans instead of labels


class LabelFault(NamedTuple):
    """An invalid transition, or a label that the scheme does not have."""

    place: str
    fault: str


class Validation(NamedTuple):
    """The labels of a file that are invalid in a scheme."""

    name: str
    scheme: str
    declared: bool  # whether the scheme was given, not detected
    violations: list[LabelFault]

    @property
    def ok(self) -> bool:
        """Whether all labels are valid."""
        return not self.violations


def validate(given: CorpusLike, *, scheme: str | None = None) -> Validation:
    """Check the labels of a corpus against a scheme; default: the scheme that fits best.

    >>> validate([["O", "I-PER"], ["B-PER", "O"]], scheme="bio").violations[0].fault
    'I-PER after O'
    """
    check_arguments(validate, locals())
    source = _open_in_scheme(given, scheme)
    chunks = list(source.chunks(Coding(), tokens=False))
    of_file = [LabelFault(f"{source.name}:{line}", fault) for line, fault in source.faults()]
    if chunks[0].labels is None:
        return Validation(source.name, SPANS, False, of_file)
    reading = sum((chunk.reading_notes for chunk in chunks), ReadingNotes())
    declared = scheme_named(scheme) if scheme else chunks[0].declared_scheme
    rules = declared or reading.transitions.scheme()
    # The given scheme may differ from that of the file; labels then keep their spelling.
    file_scheme = chunks[0].declared_scheme if scheme is None else None
    spelling = file_scheme or reading.transitions.scheme()
    faults = of_file + [
        fault
        for name, file_reading in _readings_by_file(chunks)
        for fault in _foreign_labels(name, file_reading, rules)
    ]
    for chunk in chunks:
        faults += _transition_faults(chunk, rules, spelling)
    return Validation(source.name, rules.name, declared is not None, faults)


def _open_in_scheme(given: CorpusLike, scheme: str | None) -> Source:
    """The source, read in the scheme if given, since some schemes allow labels without prefixes."""
    if scheme is None or isinstance(given, Corpus):
        return open_source(given)
    if isinstance(given, str | os.PathLike | Source) or hasattr(given, "read"):
        return open_source(given, scheme=scheme)
    return open_source(Corpus.of(given, scheme=scheme))


def _readings_by_file(chunks: Sequence[Corpus]) -> Iterable[tuple[str, ReadingNotes]]:
    """The reading notes by file, since a corpus may have several files."""
    readings: dict[str, ReadingNotes] = {}
    for chunk in chunks:
        readings[chunk.name] = readings.get(chunk.name, ReadingNotes()) + chunk.reading_notes
    return readings.items()


def _foreign_labels(name: str, reading: ReadingNotes, scheme: Scheme) -> Iterator[LabelFault]:
    """Labels with prefixes that the scheme does not have, each at its first place."""
    for label, (times, line) in reading.transitions.label_places().items():
        has_prefix = label[1:2] == "-" and label[0] in ROLE_OF_LETTER
        if scheme.bare != SINGLE and has_prefix and label[0] not in scheme.letters:
            fault = f"{label} is not a label of {scheme.name} ({plural(times, 'time')})"
            yield LabelFault(f"{name}:{line}", fault)


def _transition_faults(chunk: Corpus, scheme: Scheme, spelling: Scheme) -> Iterator[LabelFault]:
    """Invalid transitions into a label, and out of the last label of a sentence, in order."""
    assert chunk.labels is not None
    labels = chunk.coding.labels
    names = labels.texts_in(spelling)
    role, type_ = labels.roles[chunk.labels], labels.type_codes[chunk.labels]
    into, out = forbidden_labels(role, type_, chunk.starts, scheme)
    first, last = set(chunk.starts[:-1].tolist()), chunk.starts[1:] - 1
    places = [(at, False) for at in np.flatnonzero(into).tolist()]
    places += [(at, True) for at in last[out].tolist()]
    for at, is_end in sorted(places):
        name = names[chunk.labels[at]]
        if is_end:
            fault = f"the sentence end after {name}"
        else:
            before = "the sentence start" if at in first else names[chunk.labels[at - 1]]
            fault = f"{name} after {before}"
        yield LabelFault(chunk.place(at), fault)
