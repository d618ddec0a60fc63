"""What the training data says of every token and every surface.

Everything is a table that is asked by code. A worked example: training holds "New York" five times,
three times as LOC, once as ORG and once without a mention. Then the surface code of (New, York) has
the row LOC 3, ORG 1 in `surface_counts` and 5 in `occurrences`; the token "York" has 5 in
`token_counts` and the row LOC 3, ORG 1 in `inside_counts`.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from nerscope.corpus.arrays import Ints
from nerscope.corpus.corpus import Coding, Corpus, Reading
from nerscope.corpus.interning import Paths
from nerscope.corpus.schemes import BIO, Scheme
from nerscope.corpus.sequences import places_counted
from nerscope.corpus.tallies import Tallies, part_of

_HELD = 4_000_000  # tokens of a text that is not read twice


@dataclass(frozen=True, slots=True, eq=False)
class Lexicon:
    """Counts over the training data, fixed once they are made.

    Codes are those of the evaluation's vocabulary, of its labels, and of `surfaces`, which knows
    the training mentions; whatever is unknown has the code -1 there.
    """

    surfaces: Paths
    n_mentions: int
    n_tokens: int
    token_counts: Ints  # by token
    inside_counts: Ints  # by token and type: occurrences inside mentions of the type
    inside_totals: Ints  # by token: the same for all types together
    inside_most: Ints  # by token: of its most frequent type
    surface_counts: Ints  # by surface and type
    surface_totals: Ints  # by surface: for all types together
    occurrences: Ints  # by surface: of its tokens anywhere in the text, annotated or not


class Training(NamedTuple):
    """What came of reading training data: the lexicon, and what was noticed in each file."""

    lexicon: Lexicon
    readings: Mapping[str, Reading]  # by the name of the file
    scheme: Scheme

    @property
    def reading(self) -> Reading:
        """What was noticed in all files."""
        return sum(self.readings.values(), Reading())


def lexicon_of(training: Corpus, repair: str = "conlleval") -> Lexicon:
    """Count the training data.

    >>> text = [(["New", "York"], ["B-LOC", "I-LOC"]), (["New", "York", "Times"], ["O", "O", "O"])]
    >>> lexicon = lexicon_of(Corpus.of(text))
    >>> lexicon.occurrences[lexicon.surface_counts.sum(axis=1) > 0].tolist()
    [2]
    """
    return read_training(lambda: [training], repair).lexicon


def read_training(chunks: Callable[[], Iterable[Corpus]], repair: str = "conlleval") -> Training:
    """Count training data that may be larger than memory: its chunks are asked for anew when they
    are to be read again. All have the same coding, and tokens.

    In one coding, the lexicon is the same, code for code, however the data is cut into chunks.

    >>> text = [(["New", "York"], ["B-LOC", "I-LOC"]), (["New", "York", "Times"], ["O", "O", "O"])]
    >>> one, other = (Corpus.of([sentence], coding=Coding()) for sentence in text)
    >>> training = read_training(lambda: [one, other.recoded(one.coding)])
    >>> training.lexicon.n_tokens, training.lexicon.occurrences.tolist(), training.scheme.name
    (5, [0, 2], 'bio')
    """
    scheme = _scheme(chunks()) if repair in ("strict", "discard") else None
    tallies, again = Tallies(), _Again(chunks)
    readings, coding, told = dict[str, Reading](), Coding(), None
    for chunk in chunks():
        tallies.add(part_of(chunk, chunk.mentions(repair, scheme)))
        readings[chunk.name] = readings.get(chunk.name, Reading()) + chunk.reading
        coding, told = chunk.coding, told or chunk.told
        again.hold(chunk)
    lexicon = _lexicon(tallies, coding, again)
    found = Training(lexicon, readings, scheme or BIO)
    return found if scheme else found._replace(scheme=told or found.reading.transitions.scheme())


def _scheme(chunks: Iterable[Corpus]) -> Scheme:
    """The scheme that somebody told, or that fits all chunks together."""
    reading, told = Reading(), None
    for chunk in chunks:
        reading, told = reading + chunk.reading, told or chunk.told
    return told or reading.transitions.scheme()


class _Again:
    """The text once more: as it was held, if it is short, or else read again."""

    def __init__(self, chunks: Callable[[], Iterable[Corpus]]) -> None:
        self._chunks = chunks
        self._held: list[tuple[Ints, Ints]] | None = []
        self._size = 0

    def hold(self, chunk: Corpus) -> None:
        self._size += chunk.n_tokens
        if self._size > _HELD:
            self._held = None
        if self._held is not None:
            self._held.append((chunk.tokens, chunk.starts))

    def texts(self) -> Iterable[tuple[Ints, Ints]]:
        """Tokens, and where sentences begin."""
        if self._held is not None:
            return self._held
        return ((chunk.tokens, chunk.starts) for chunk in self._chunks())


def _lexicon(tallies: Tallies, coding: Coding, again: _Again) -> Lexicon:
    kinds, bound = max(1, len(coding.labels.types)), coding.tokens.bound
    surfaces, codes, keys = tallies.surfaces()
    rows = int(keys.max(initial=-1)) + 1
    by_token = tallies.inside.table(bound, kinds)
    by_surface = np.zeros((len(surfaces), kinds), np.int64)
    by_surface[codes] = tallies.by_surface.table(rows, kinds)[keys]
    occurrences = np.zeros(len(surfaces), np.int64)
    found = places_counted(surfaces, again.texts())
    occurrences[codes] = found[codes] + tallies.with_holes.table(rows, 1)[keys, 0]
    return Lexicon(
        surfaces,
        n_mentions=tallies.n_mentions,
        n_tokens=tallies.n_tokens,
        token_counts=tallies.tokens.table(bound, 1)[:, 0],
        inside_counts=by_token,
        inside_totals=tallies.inside_any.table(bound, 1)[:, 0],
        inside_most=by_token.max(axis=1, initial=0),
        surface_counts=by_surface,
        surface_totals=by_surface.sum(axis=1),
        occurrences=occurrences,
    )
