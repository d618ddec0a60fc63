"""Plant errors into gold, one at a time, to learn what an error looks like.

A place with a planted error has a wrong gold annotation by construction, so it shows what systems,
training data and other sentences say about a wrong annotation.
"""

from collections.abc import Iterator, Sequence

import numpy as np

from nerscope.annotation.audit.places import Annotation, Place, Span
from nerscope.corpus.arrays import Bools, Ints

_LONGEST_INVENTED = 3


class Planter:
    """Draws places and gives them a wrong annotation: each kind of error equally often."""

    def __init__(
        self,
        places: Sequence[Place],
        starts: Ints,
        likely: Bools,
        n_outputs: int,
        seed: int,
    ) -> None:
        self._places = [place for place in places if place.gold]
        self._last = np.repeat(starts[1:], np.diff(starts))  # the end of each token's sentence
        self._first = np.repeat(starts[:-1], np.diff(starts))
        self._free = np.ones(int(starts[-1]) + 1, bool)
        for place in places:
            self._free[place.start : place.end] = False
        self._likely = np.flatnonzero(likely & self._free[:-1])  # tokens that look like names
        kinds = {kind for place in places for _, _, kind in place.gold}
        self._types = sorted(kinds)
        self._n_outputs = n_outputs
        self._random = np.random.default_rng(seed)

    def plant(self, count: int) -> Iterator[Place]:
        """About `count` places with a planted error each; fewer if an error is impossible there."""
        makers = [self._swap_type, self._move_boundary, self._drop, self._invent]
        if not self._places:
            return
        for number in range(count):
            planted = makers[number % len(makers)]()
            if planted is not None:
                yield planted

    def _draw(self) -> tuple[Place, int]:
        place = self._places[self._random.integers(len(self._places))]
        return place, int(self._random.integers(len(place.gold)))

    def _swap_type(self) -> Place | None:
        place, at = self._draw()
        start, end, kind = place.gold[at]
        others = [other for other in self._types if other != kind]
        if not others:
            return None
        wrong = others[self._random.integers(len(others))]
        return self._replaced(place, at, ((start, end, wrong),))

    def _move_boundary(self) -> Place | None:
        place, at = self._draw()
        start, end, kind = place.gold[at]
        moves = [
            (start + 1, end),
            (start, end - 1),
            (start - 1, end) if self._is_free(start - 1, start) else (start, start),
            (start, end + 1) if self._is_free(end, start) else (start, start),
        ]
        possible = [move for move in moves if move[1] > move[0]]
        if not possible:
            return None
        low, high = possible[self._random.integers(len(possible))]
        return self._replaced(place, at, ((low, high, kind),))

    def _drop(self) -> Place:
        place, at = self._draw()
        return self._replaced(place, at, ())

    def _invent(self) -> Place | None:
        # Half of the invented mentions begin at a word that looks like a name.
        by_look = len(self._likely) and self._random.integers(2)
        start = (
            int(self._likely[self._random.integers(len(self._likely))])
            if by_look
            else int(self._random.integers(len(self._last)))
        )
        end = start + int(self._random.integers(1, _LONGEST_INVENTED + 1))
        if not self._free[start:end].all() or end > self._last[start]:
            return None
        kind = self._types[self._random.integers(len(self._types))]
        return Place(start, end, ((start, end, kind),), ((),) * self._n_outputs)

    def _is_free(self, token: int, inside: int) -> bool:
        """Whether a token belongs to no place and is in the sentence of another one."""
        return bool(self._first[inside] <= token < self._last[inside] and self._free[token])

    def _replaced(self, place: Place, at: int, spans: tuple[Span, ...]) -> Place:
        gold: Annotation = (*place.gold[:at], *spans, *place.gold[at + 1 :])
        start = min([place.start, *(span[0] for span in spans)])
        end = max([place.end, *(span[1] for span in spans)])
        return Place(start, end, gold, place.answers)
