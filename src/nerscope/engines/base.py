"""The extension point for engines: what runs the same work on many items, in order.

An *item* is a shard of the data (the same sentences of gold and of each run), the *state* is what
all items share (the plan), and a *part* is what the work gives for one item. Parts come in the
order of the items because adding them up numbers documents, types and surfaces on from those
before: in another order the same data would get other numbers.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from inspect import signature
from pathlib import Path
from typing import Protocol, TypeVar

from nerscope.errors import InputError, UsageError
from nerscope.registry import Registry, user_code

State = TypeVar("State")
Item = TypeVar("Item")
Part = TypeVar("Part")


class Engine(Protocol):
    """Runs `work(state, item)` for every item; parts come in the order of the items.

    `work` is a function of a module and has no side effects; `nerscope.codec` can encode parts.

    An engine may also say, by an attribute that is true:

    - `nearby`: it works on this machine, so that small data are read by the calling process;
    - `in_shards`: it gets the data in shards although nothing leaves the process;
    - `elastic`: it decides itself how many workers there are, whatever number was given.
    """

    @property
    def remote(self) -> bool:
        """Whether items leave this process. If they do, the data are cut into shards."""
        ...

    def map(
        self, work: Callable[[State, Item], Part], state: State, items: Iterable[Item]
    ) -> Iterator[Part]:
        """The parts of all items."""
        ...


# Called with the number of workers and the plug-in files; a maker with a parameter `address` also
# gets the whole text if something follows the name: `ray://head:10001`.
EngineMaker = Callable[..., Engine]
ENGINES: Registry[EngineMaker] = Registry("engine", package=__package__)


def register_engine(name: str, maker: EngineMaker) -> None:
    """Register an engine under a name, for `evaluate(…, engine=name)` and `--engine NAME`.

    `maker(workers, plugins)` makes the engine; docs/extending.md shows one.
    """
    ENGINES.add(name, maker)


def is_nearby(engine: Engine) -> bool:
    """Whether it works on this machine, in this process or beside it."""
    return bool(getattr(engine, "nearby", False))


def wants_shards(engine: Engine) -> bool:
    """Whether the data are to be cut into shards for it."""
    return engine.remote or bool(getattr(engine, "in_shards", False))


def is_elastic(engine: Engine) -> bool:
    """Whether it decides itself how many workers there are, as a cluster does."""
    return bool(getattr(engine, "elastic", False))


def engine_for(
    given: "str | Engine | None" = None, workers: int = 1, plugins: Sequence[str] = ()
) -> Engine:
    """The engine that was named or given; by default the one that fits the number of workers.

    `plugins` are Python files that workers run before they begin.

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
    return made if ENGINES.is_built_in(name) else _CheckedEngine(name, made)


class _CheckedEngine:
    """An engine of a user's own: what goes wrong in it is reported under its name."""

    def __init__(self, name: str, engine: Engine) -> None:
        self._place, self._engine = f"engine '{name}'", engine
        if not hasattr(engine, "map") or not hasattr(engine, "remote"):
            raise UsageError(self._place, f"it makes {engine!r}", "give it map and remote")
        self.nearby, self.elastic = is_nearby(engine), is_elastic(engine)
        self.in_shards = wants_shards(engine)

    @property
    def remote(self) -> bool:
        return self._engine.remote

    def map(
        self, work: Callable[[State, Item], Part], state: State, items: Iterable[Item]
    ) -> Iterator[Part]:
        """The parts of all items; refused if there are not as many as items."""
        n_items = n_parts = 0

        def counted() -> Iterator[Item]:
            nonlocal n_items
            for item in items:
                n_items += 1
                yield item

        expected = _declared_part(work)
        with user_code(self._place):
            for part in self._engine.map(work, state, counted()):
                n_parts += 1
                if expected is not None and not isinstance(part, expected):
                    raise TypeError(f"a part is a {type(part).__name__}")
                yield part
            if n_parts != n_items or not n_items:
                raise ValueError(f"it gives {n_parts} parts for {n_items} items")


def _declared_part(work: Callable[..., object]) -> type | None:
    """The class of parts by the annotation of the work, if it has one."""
    kind = work.__annotations__.get("return")
    return kind if isinstance(kind, type) else None
