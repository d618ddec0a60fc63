"""The door for engines: something that runs the same work on many items, in order."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from inspect import signature
from pathlib import Path
from typing import Protocol, TypeVar

from nerscope.errors import InputError, UsageError
from nerscope.plugins import user_code
from nerscope.registry import Registry

State = TypeVar("State")
Item = TypeVar("Item")
Part = TypeVar("Part")


class Engine(Protocol):
    """Runs `work(state, item)` for every item; parts come in the order of the items.

    `work` is a function of a module and learns nothing on the side; state and items can be pickled,
    and parts can be packed by `nerscope.codec`.
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


# From a number of workers, plug-in files, and, of those that have a parameter `address`, all that
# was written where something follows the name: `ray://head:10001`.
EngineMaker = Callable[..., Engine]
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
    if isinstance(plugins, str) or not isinstance(plugins, Sequence):
        raise UsageError("plugins", f"{plugins!r} cannot be", "give a list of files")
    for path in plugins:
        if not isinstance(path, str) or not Path(path).is_file():
            raise InputError(str(path), "no such file", "check the path")
    if not isinstance(given, str):
        if not hasattr(given, "map") or not hasattr(given, "remote"):
            raise UsageError("engine", f"{given!r} is none", "give a name, or an Engine")
        return given
    name, has_address, _ = given.partition(":")
    maker, place = ENGINES[name], f"engine '{name}'"
    with user_code(place):
        if has_address and "address" not in signature(maker).parameters:
            raise UsageError(place, f"'{given}': it has no address", f"write {name}")
        made = maker(workers, plugins, **({"address": given} if has_address else {}))
    return made if ENGINES.is_built_in(name) else _Watched(name, made)


class _Watched:
    """An engine of a user's own, to be blamed for what goes wrong in it."""

    def __init__(self, name: str, engine: Engine) -> None:
        self._place, self._engine = f"engine '{name}'", engine
        if not hasattr(engine, "map") or not hasattr(engine, "remote"):
            raise UsageError(self._place, f"it makes {engine!r}", "give it map and remote")

    @property
    def remote(self) -> bool:
        """Whether items leave this process."""
        return self._engine.remote

    def map(
        self, work: Callable[[State, Item], Part], state: State, items: Iterable[Item]
    ) -> Iterator[Part]:
        """The parts of all items; refused if they are not as many as the items."""
        given = found = 0

        def counted() -> Iterator[Item]:
            nonlocal given
            for item in items:
                given += 1
                yield item

        expected = _part_of(work)
        with user_code(self._place):
            for part in self._engine.map(work, state, counted()):
                found += 1
                if expected is not None and not isinstance(part, expected):
                    raise TypeError(f"a part is a {type(part).__name__}")
                yield part
            if found != given or not given:
                raise ValueError(f"it gives {found} parts for {given} items")


def _part_of(work: Callable[..., object]) -> type | None:
    """The kind of part that some work says it gives."""
    kind = work.__annotations__.get("return")
    return kind if isinstance(kind, type) else None
