"""The extension point for engines, which run the same work on many items, in order.

An *item* is a shard of the data (the same sentences of gold and of each run), the *state* is shared
by all items (the plan), and a *part* is the result of the work for one item. Parts must come in the
order of the items: documents, types and surfaces are numbered in the order of the parts.
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

    `work` is a module-level function without side effects; `nerscope.codec` can encode parts.

    An engine may also have these attributes, which default to False:

    - `nearby`: it works on this machine, so the calling process reads small data itself;
    - `in_shards`: it gets the data in shards, although nothing leaves the process;
    - `elastic`: it decides the number of workers itself, whatever number was given.
    """

    @property
    def remote(self) -> bool:
        """Whether items leave this process; if so, the data are divided into shards."""
        ...

    def map(
        self, work: Callable[[State, Item], Part], state: State, items: Iterable[Item]
    ) -> Iterator[Part]:
        """The parts of all items."""
        ...


# Called with the number of workers and the plug-in files. A maker with a parameter `address` also
# gets the complete text, such as `ray://head:10001`, if there is an address after the name.
EngineMaker = Callable[..., Engine]
ENGINES: Registry[EngineMaker] = Registry("engine", package=__package__)


def register_engine(name: str, maker: EngineMaker) -> None:
    """Register an engine under a name, for `evaluate(…, engine=name)` and `--engine NAME`.

    `maker(workers, plugins)` makes the engine; docs/extending.md shows one.
    """
    ENGINES.add(name, maker)


def is_nearby(engine: Engine) -> bool:
    """Whether the engine works on this machine, in this or in other processes."""
    return bool(getattr(engine, "nearby", False))


def wants_shards(engine: Engine) -> bool:
    """Whether the engine needs the data in shards."""
    return engine.remote or bool(getattr(engine, "in_shards", False))


def is_elastic(engine: Engine) -> bool:
    """Whether the engine decides the number of workers itself, as a cluster does."""
    return bool(getattr(engine, "elastic", False))


def engine_for(
    given: "str | Engine | None" = None, workers: int = 1, plugins: Sequence[str] = ()
) -> Engine:
    """The engine with this name, or the given engine; default: by the number of workers.

    `plugins` are Python files that workers load at the start.

    >>> type(engine_for(workers=2)).__name__
    'Pool'
    """
    if not isinstance(workers, int) or isinstance(workers, bool) or workers < 1:
        raise UsageError("workers", f"invalid value {workers!r}", "give a whole number from 1")
    if given is None:
        given = "local" if workers == 1 else "pool"
    if isinstance(plugins, str) or not isinstance(plugins, Sequence):
        raise UsageError("plugins", f"invalid value {plugins!r}", "give a list of files")
    for path in plugins:
        if not isinstance(path, str) or not Path(path).is_file():
            raise InputError(str(path), "no such file", "check the path")
    if not isinstance(given, str):
        if not hasattr(given, "map") or not hasattr(given, "remote"):
            raise UsageError(
                "engine", f"{given!r} is not an engine", "give the name of an engine, or an Engine"
            )
        return given
    name, has_address, _ = given.partition(":")
    maker, place = ENGINES[name], f"engine '{name}'"
    with user_code(place):
        if has_address and "address" not in signature(maker).parameters:
            raise UsageError(place, f"it takes no address ('{given}')", f"--engine {name}")
        made = maker(workers, plugins, **({"address": given} if has_address else {}))
    return made if ENGINES.is_built_in(name) else _CheckedEngine(name, made)


class _CheckedEngine:
    """An engine of a user: errors in it are reported with its name."""

    def __init__(self, name: str, engine: Engine) -> None:
        self._place, self._engine = f"engine '{name}'", engine
        if not hasattr(engine, "map") or not hasattr(engine, "remote"):
            raise UsageError(
                self._place, f"{engine!r} has no map or remote", "add the missing attributes"
            )
        self.nearby, self.elastic = is_nearby(engine), is_elastic(engine)
        self.in_shards = wants_shards(engine)

    @property
    def remote(self) -> bool:
        return self._engine.remote

    def map(
        self, work: Callable[[State, Item], Part], state: State, items: Iterable[Item]
    ) -> Iterator[Part]:
        """The parts of all items; raises an error if their numbers differ."""
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
                    raise TypeError(f"a part has the type {type(part).__name__}")
                yield part
            if n_parts != n_items or not n_items:
                raise ValueError(f"it returns {n_parts} parts for {n_items} items")


def _declared_part(work: Callable[..., object]) -> type | None:
    """The class of parts, from the return annotation of the work; None if there is none."""
    kind = work.__annotations__.get("return")
    return kind if isinstance(kind, type) else None
