"""Things with names: what is built in, what a user registers, and what an installed package offers."""

from collections.abc import Iterator
from typing import Generic, TypeVar

from nerscope.errors import UsageError, suggest

T = TypeVar("T")


class Registry(Generic[T]):
    """Named things of one kind; an unknown name is answered with the closest known one.

    >>> colours = Registry[str]("colour")
    >>> colours.add("red", "#f00")
    >>> colours["red"], list(colours)
    ('#f00', ['red'])
    """

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self._things: dict[str, T] = {}
        self._searched = False

    def add(self, name: str, thing: T) -> None:
        """Register a thing; a name is taken only once."""
        if name in self._things:
            raise UsageError(
                name, f"a {self.kind} of this name exists already", "choose another name"
            )
        self._things[name] = thing

    def __getitem__(self, name: str) -> T:
        if name not in self._things:
            self._search()
        if name not in self._things:
            raise UsageError(
                f"{self.kind} '{name}'",
                f"there is no {self.kind} of this name",
                suggest(name, self._things),
            )
        return self._things[name]

    def __contains__(self, name: object) -> bool:
        return name in self._things

    def __iter__(self) -> Iterator[str]:
        return iter(self._things)

    def _search(self) -> None:
        """Import what installed packages offer under `nerscope.<kind>`; importing it registers it."""
        if not self._searched:
            from importlib.metadata import (
                entry_points,
            )  # takes longer to import than all of this package

            self._searched = True
            for point in entry_points(group=f"nerscope.{self.kind}"):
                point.load()
