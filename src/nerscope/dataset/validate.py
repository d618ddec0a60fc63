"""Checking labels against a scheme."""

import os
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from nerscope.corpus.corpus import Coding, Corpus, ReadingNotes
from nerscope.corpus.schemes import ROLE_OF_LETTER, SINGLE, Scheme, forbidden_labels, scheme_named
from nerscope.errors import plural
from nerscope.formats.base import CorpusLike, Source, open_source

SPANS = "spans"  # what a corpus is written in that has no labels


class Violation(NamedTuple):
    """A forbidden transition at a place, or a label that the scheme does not have."""

    place: str
    fault: str


class Validation(NamedTuple):
    """What was found in a file: the scheme it was held against, and all that breaks it."""

    name: str
    scheme: str
    told: bool  # whether somebody said the scheme, or it was found by looking
    violations: list[Violation]

    @property
    def ok(self) -> bool:
        """Whether nothing breaks the scheme."""
        return not self.violations


def validate(given: CorpusLike, *, scheme: str | None = None) -> Validation:
    """Check the labels of a corpus against a scheme, by default the one that fits best.

    >>> validate([["O", "I-PER"], ["B-PER", "O"]], scheme="bio").violations[0].fault
    'I-PER after O'
    """
    source = _in_scheme(given, scheme)
    chunks = list(source.chunks(Coding(), tokens=False))
    if chunks[0].labels is None:
        return Validation(source.name, SPANS, False, [])
    reading = sum((chunk.reading_notes for chunk in chunks), ReadingNotes())
    told = scheme_named(scheme) if scheme else chunks[0].declared_scheme
    rules = told or reading.transitions.scheme()
    found = [one for file in _by_file(chunks) for one in _foreign(*file, rules)]
    own = chunks[0].declared_scheme or reading.transitions.scheme()
    if scheme is not None:
        own = reading.transitions.scheme()  # labels are named as they are written
    for chunk in chunks:
        found += _in_chunk(chunk, rules, own)
    return Validation(source.name, rules.name, told is not None, found)


def _in_scheme(given: CorpusLike, scheme: str | None) -> Source:
    """The source, read in a scheme if one is told: some allow labels without a prefix."""
    if scheme is None or isinstance(given, Corpus):
        return open_source(given)
    if isinstance(given, str | os.PathLike | Source) or hasattr(given, "read"):
        return open_source(given, scheme=scheme)
    return open_source(Corpus.of(given, scheme=scheme))


def _by_file(chunks: Sequence[Corpus]) -> Iterable[tuple[str, ReadingNotes]]:
    """What was noticed, by the name of each file: several may be one corpus."""
    readings: dict[str, ReadingNotes] = {}
    for chunk in chunks:
        readings[chunk.name] = readings.get(chunk.name, ReadingNotes()) + chunk.reading_notes
    return readings.items()


def _foreign(name: str, reading: ReadingNotes, scheme: Scheme) -> Iterator[Violation]:
    """Labels with letters that the scheme does not have, each at its first place."""
    for text, (times, line) in reading.transitions.label_places().items():
        prefixed = text[1:2] == "-" and text[0] in ROLE_OF_LETTER
        if scheme.bare != SINGLE and prefixed and text[0] not in scheme.letters:
            fault = f"{text} is no label of {scheme.name} ({plural(times, 'time')})"
            yield Violation(f"{name}:{line}", fault)


def _in_chunk(chunk: Corpus, scheme: Scheme, own: Scheme) -> Iterator[Violation]:
    assert chunk.labels is not None
    labels = chunk.coding.labels
    names = labels.texts_in(own)
    role, kind = labels.roles[chunk.labels], labels.type_codes[chunk.labels]
    into, out = forbidden_labels(role, kind, chunk.starts, scheme)
    first, last = set(chunk.starts[:-1].tolist()), chunk.starts[1:] - 1
    places = [(at, False) for at in np.flatnonzero(into).tolist()]
    places += [(at, True) for at in last[out].tolist()]
    for at, leaving in sorted(places):
        name = names[chunk.labels[at]]
        if leaving:
            fault = f"the sentence end after {name}"
        else:
            before = "the sentence start" if at in first else names[chunk.labels[at - 1]]
            fault = f"{name} after {before}"
        yield Violation(chunk.place(at), fault)
