"""The engine that works in this process."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from nerscope.engines.base import ENGINES, Item, Part, State


@dataclass(frozen=True, slots=True)
class Local:
    """Work on one core, in this process.

    >>> list(Local().map(divmod, 7, [2, 3]))
    [(3, 1), (2, 1)]
    """

    remote: bool = False
    nearby: bool = True

    def map(
        self, work: Callable[[State, Item], Part], state: State, items: Iterable[Item]
    ) -> Iterator[Part]:
        """The parts of all items, one after the other."""
        for item in items:
            yield work(state, item)


def _make_local(workers: int, plugins: Sequence[str]) -> Local:
    return Local()


ENGINES.add("local", _make_local, built_in=True, rank=10)
