"""How far an evaluation is: told to whoever asked, in sentences and as a share of the work."""

from collections.abc import Callable
from typing import Any

Progress = Callable[[int], None]
_FIRST = 0.3  # of the work is the first pass, where there is one


class Told:
    """Tells how many sentences are scored; and whom it interests, which share of all is done.

    >>> said = []
    >>> told = Told(said.append, pieces=2)
    >>> told.scored(10)
    >>> said
    [10]
    """

    def __init__(self, progress: Progress | None, pieces: int | None) -> None:
        self._progress, self._pieces = progress, pieces or 1
        # Of data in one piece, or in nobody knows how many, nobody knows how much is to come.
        self._share: Any = getattr(progress, "share", None) if self._pieces > 1 else None
        self._first = 0.0  # until there is a first pass
        self._surveyed = self._scored = 0

    def surveyed(self) -> None:
        """One more piece has been looked at for the first time."""
        self._first = _FIRST
        self._surveyed += 1
        if self._share:
            self._share(self._first * self._part(self._surveyed))

    def scored(self, sentences: int) -> None:
        """One more piece is scored; so many sentences are so by now."""
        self._scored += 1
        if self._progress:
            self._progress(sentences)
        if self._share:
            self._share(self._first + (1 - self._first) * self._part(self._scored))

    def _part(self, done: int) -> float:
        """Which part of a pass is done; how many pieces there are is known roughly."""
        return min(1.0, done / self._pieces)
