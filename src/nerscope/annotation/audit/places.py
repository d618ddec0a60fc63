"""Places where gold and other annotations of the same sentences can be compared."""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from nerscope.corpus.mentions import Mentions, join_mentions

Span = tuple[int, int, int]  # start and end in the corpus, half-open, and the code of a type
Annotation = tuple[Span, ...]  # the mentions of a place, in order


class Place(NamedTuple):
    """Tokens that overlapping mentions cover, and what gold and each output annotate there.

    If gold has "New York" and a system "York City", the place is "New York City".
    """

    start: int
    end: int
    gold: Annotation
    answers: tuple[Annotation, ...]  # by output

    @property
    def is_disputed(self) -> bool:
        """Whether an output differs from gold."""
        return any(answer != self.gold for answer in self.answers)


def find_places(gold: Mentions, outputs: Sequence[Mentions]) -> Iterator[Place]:
    """All places, in order: every mention of gold and of the outputs is in one of them."""
    sides = [gold, *outputs]
    every = join_mentions(sides)
    side = np.repeat(np.arange(len(sides)), [len(mentions) for mentions in sides])
    order = np.lexsort((every.type, every.end, every.start))
    start, end = every.start[order], every.end[order]
    # A place ends where all mentions that began before have ended.
    reach = np.maximum.accumulate(end)
    first = np.flatnonzero(np.append(True, start[1:] >= reach[:-1])[: len(start)])
    spans = list(zip(start.tolist(), end.tolist(), every.type[order].tolist(), strict=True))
    by_side = side[order].tolist()
    bounds = [*first.tolist(), len(spans)]
    for low, high in pairwise(bounds):
        found: list[list[Span]] = [[] for _ in sides]
        for at in range(low, high):
            found[by_side[at]].append(spans[at])
        answers = tuple(map(tuple, found))
        yield Place(spans[low][0], int(reach[high - 1]), answers[0], answers[1:])
