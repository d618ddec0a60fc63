"""The door for engines: something that runs the same work on many items, in order."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Protocol, TypeVar

from nerscope.errors import UsageError
from nerscope.registry import Registry

State = TypeVar("State")
Item = TypeVar("Item")
Part = TypeVar("Part")


class Engine(Protocol):
    """Runs `work(state, item)` for every item; parts come in the order of the items.

    `work` is a function of a module and learns nothing on the side; state and parts can be pickled.
    """

    @property
    def remote(self) -> bool:
        """Whether items leave this process, and so must carry what they need."""
        ...

    def map(
        self, work: Callable[[State, Item], Part], state: State, items: Iterable[Item]
    ) -> Iterator[Part]:
        """The parts of all items."""
        ...


EngineMaker = Callable[[int, Sequence[str]], Engine]  # from a number of workers and plug-in files
ENGINES: Registry[EngineMaker] = Registry("engine")


def register_engine(name: str, maker: EngineMaker) -> None:
    """Make an engine known by its name."""
    ENGINES.add(name, maker)


def engine_for(
    given: "str | Engine | None" = None, workers: int = 1, plugins: Sequence[str] = ()
) -> Engine:
    """The engine that was named or given; else the one that fits the number of workers.

    >>> type(engine_for(workers=2)).__name__
    'Pool'
    """
    if not isinstance(workers, int) or isinstance(workers, bool) or workers < 1:
        raise UsageError("workers", f"{workers!r} cannot be", "give a whole number from 1 on")
    if given is None:
        given = "local" if workers == 1 else "pool"
    return ENGINES[given](workers, plugins) if isinstance(given, str) else given
