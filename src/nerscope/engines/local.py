"""Everything in this process."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from nerscope.engines.base import ENGINES, Item, Part, State


@dataclass(frozen=True, slots=True)
class Local:
    """The engine for one core."""

    remote: bool = False

    def map(
        self, work: Callable[[State, Item], Part], state: State, items: Iterable[Item]
    ) -> Iterator[Part]:
        """The parts of all items, one after the other."""
        for item in items:
            yield work(state, item)


def _local(workers: int, plugins: Sequence[str]) -> Local:
    return Local()


ENGINES.add("local", _local, built_in=True)
