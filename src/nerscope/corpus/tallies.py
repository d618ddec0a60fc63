"""What a chunk of training data adds to a lexicon, and the sum of such parts so far.

A part is small and additive: distinct keys with their counts, surfaces as runs of token codes. The
sum holds what is distinct in all the data, never the data: its memory depends on the vocabulary and
on the surfaces alone.
"""

from typing import NamedTuple

import numpy as np

from nerscope.corpus.arrays import Bools, Ints
from nerscope.corpus.corpus import Corpus
from nerscope.corpus.interning import Paths
from nerscope.corpus.mentions import Mentions, token_runs

_FIRST_ROWS = 1024


class Tally(NamedTuple):
    """How often each key occurs, perhaps in several columns: distinct (key, column) pairs."""

    keys: Ints
    columns: Ints
    times: Ints

    @classmethod
    def of(cls, keys: Ints, columns: Ints | None = None) -> "Tally":
        """Count pairs, or keys alone.

        >>> Tally.of(np.array([3, 1, 3]), np.array([0, 2, 0])).times.tolist()
        [1, 2]
        """
        if columns is None:
            distinct, times = np.unique(keys, return_counts=True)
            return cls(distinct, np.zeros(len(distinct), np.int64), times)
        width = np.int64(columns.max(initial=0) + 1)
        pairs, times = np.unique(keys * width + columns, return_counts=True)
        return cls(pairs // width, pairs % width, times)


class LexiconPart(NamedTuple):
    """What one chunk says of tokens and surfaces; surfaces are numbered as they first turn up.

    Surface k has the tokens `surfaces[ends[k - 1]:ends[k]]`, in the codes that all chunks share.
    """

    n_mentions: int
    n_tokens: int
    tokens: Tally
    inside: Tally  # by token and type
    inside_any: Tally  # by token
    surfaces: Ints
    ends: Ints
    by_surface: Tally  # by surface and type
    with_holes: Tally  # by surface: of mentions that do not stand side by side in the text


def part_of(chunk: Corpus, mentions: Mentions) -> LexiconPart:
    """What the mentions of a chunk add to a lexicon.

    >>> chunk = Corpus.of([(["New", "York"], ["B-LOC", "I-LOC"]), (["York"], ["O"])])
    >>> part = part_of(chunk, chunk.mentions())
    >>> part.tokens.times.tolist(), part.inside_any.times.tolist(), part.ends.tolist()
    ([1, 2], [1, 1], [2])
    """
    tokens = chunk.tokens
    inside, types = mentions.positions, np.repeat(mentions.type, mentions.lengths)
    if not mentions.are_flat:  # a token counts once for each type around it
        once = Tally.of(inside, types)
        inside, types = once.keys, once.columns
    codes = Paths().codes(*token_runs(tokens, mentions))
    first, number = _as_they_turn_up(codes)
    items, starts, ends = token_runs(tokens, mentions[first])
    sizes = ends - starts
    whole = mentions.lengths == mentions.end - mentions.start
    return LexiconPart(
        len(mentions),
        len(tokens),
        Tally.of(tokens),
        Tally.of(tokens[inside], types),
        Tally.of(tokens[np.unique(inside)]),
        items[_every(starts, sizes)],
        np.cumsum(sizes),
        Tally.of(number, mentions.type),
        Tally.of(number[~whole]),
    )


def _as_they_turn_up(codes: Ints) -> tuple[Ints, Ints]:
    """Where each distinct code is first, in order, and the number of each code in that order."""
    _, first, inverse = np.unique(codes, return_index=True, return_inverse=True)
    order = np.argsort(first)
    rank = np.empty(len(order), np.int64)
    rank[order] = np.arange(len(order))
    return first[order], rank[inverse]


def _every(starts: Ints, sizes: Ints) -> Ints:
    """All positions of some runs."""
    before = np.cumsum(sizes) - sizes
    return np.repeat(starts - before, sizes) + np.arange(sizes.sum())


class Tallies:
    """The sum of parts, in whatever order they come; only the numbers of surfaces depend on it.

    >>> chunk = Corpus.of([(["New", "York"], ["B-LOC", "I-LOC"])])
    >>> tallies = Tallies()
    >>> for _ in range(2):
    ...     tallies.add(part_of(chunk, chunk.mentions()))
    >>> tallies.n_tokens, tallies.tokens.table(4, 1).ravel().tolist()
    (4, [2, 0, 2, 0])
    """

    def __init__(self) -> None:
        self.n_mentions = self.n_tokens = 0
        self.tokens, self.inside, self.inside_any = _Sum(), _Sum(), _Sum()
        self.by_surface, self.with_holes = _Sum(), _Sum()  # by codes of _seen
        self._seen, self._arrived = Paths(), [np.zeros(0, np.int64)]
        self._is_surface: Bools = np.zeros(_FIRST_ROWS, bool)

    def add(self, part: LexiconPart) -> None:
        """Add what a chunk says."""
        self.n_mentions += part.n_mentions
        self.n_tokens += part.n_tokens
        self.tokens.add(part.tokens)
        self.inside.add(part.inside)
        self.inside_any.add(part.inside_any)
        starts = np.concatenate([[0], part.ends[:-1]]) if len(part.ends) else part.ends
        codes = self._seen.codes(part.surfaces, starts, part.ends)
        self.by_surface.add(part.by_surface._replace(keys=codes[part.by_surface.keys]))
        self.with_holes.add(part.with_holes._replace(keys=codes[part.with_holes.keys]))
        self._note(codes)

    def _note(self, codes: Ints) -> None:
        """Note which surfaces turn up for the first time; prefixes of surfaces are none."""
        if len(self._seen) > len(self._is_surface):
            more = 2 * len(self._seen) - len(self._is_surface)
            self._is_surface = np.pad(self._is_surface, (0, more))
        new = codes[~self._is_surface[codes]]
        self._is_surface[new] = True
        self._arrived.append(new)

    def surfaces(self) -> tuple[Paths, Ints, Ints]:
        """All surfaces as paths that do not depend on how the data was cut into chunks; the code of
        each surface there, and the key it has in `by_surface` and `with_holes`.
        """
        arrived = np.concatenate(self._arrived)
        surfaces = Paths()
        return surfaces, surfaces.codes(*self._seen.spelt(arrived)), arrived


class _Sum:
    """A table of counts that grows as new keys and columns come."""

    def __init__(self) -> None:
        self._counts: Ints = np.zeros((_FIRST_ROWS, 1), np.int64)

    def add(self, tally: Tally) -> None:
        """Add distinct pairs."""
        if not len(tally.keys):
            return
        self._reach(int(tally.keys.max()) + 1, int(tally.columns.max()) + 1)
        self._counts[tally.keys, tally.columns] += tally.times

    def _reach(self, rows: int, columns: int) -> None:
        have, wide = self._counts.shape
        if rows > have or columns > wide:
            more = 2 * rows - have if rows > have else 0
            self._counts = np.pad(self._counts, ((0, more), (0, max(0, columns - wide))))

    def table(self, rows: int, columns: int) -> Ints:
        """The counts of the first keys and columns."""
        self._reach(rows, columns)
        return np.ascontiguousarray(self._counts[:rows, :columns])
