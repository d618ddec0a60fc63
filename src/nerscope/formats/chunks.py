"""Sentences as they are read, gathered into chunks, so that memory does not grow with the file."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import NamedTuple

from nerscope.corpus.corpus import Coding, Corpus, Note, ParsedSentence, ReadingNotes, build_corpus
from nerscope.corpus.schemes import Scheme
from nerscope.errors import InputError

_CHUNK = 1 << 16  # tokens


class Said(NamedTuple):
    """Some sentences, and what was noticed in them."""

    sentences: list[ParsedSentence]
    found: Mapping[str, Note] = {}


def gathered(
    said: Iterable[Said],
    name: str,
    coding: Coding,
    told: Scheme | None = None,
    *,
    tokens: bool = True,
) -> Iterator[Corpus]:
    """Chunks of some ten thousand tokens; nothing at all is refused.

    >>> parts = ParsedSentence(["Ada"], ["B-PER"], [], 1, 1)
    >>> [len(chunk) for chunk in gathered([Said([parts]), Said([parts])], "x", Coding())]
    [2]
    """

    def chunk() -> Corpus:
        corpus = build_corpus(parts, name, coding, tokens=tokens, declared_scheme=told)
        return replace(corpus, reading_notes=corpus.reading_notes + reading)

    parts: list[ParsedSentence] = []
    reading, size, nothing = ReadingNotes(), 0, True
    for one in said:
        parts += one.sentences
        reading = reading + ReadingNotes(notes=one.found) if one.found else reading
        size += sum(part.size for part in one.sentences)
        if size >= _CHUNK:
            yield chunk()
            parts, reading, size, nothing = [], ReadingNotes(), 0, False
    if parts:
        yield chunk()
    elif nothing:
        raise InputError(name, "the file holds no sentence", "check that it is the right file")
