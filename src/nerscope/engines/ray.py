"""A cluster: workers on many machines, by the library Ray, to which this program only connects."""

import contextlib
import os
import pickle
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nerscope import errors
from nerscope.codec import pack, unpack
from nerscope.engines.base import ENGINES, Item, Part, State
from nerscope.errors import FaultError, NerscopeError
from nerscope.plugins import load_plugins
from nerscope.version import VERSION

if TYPE_CHECKING:
    from nerscope.engines.link import Link

_AHEAD = 3  # items under way for each CPU, so that memory does not grow with the data
_RETRIES = 3  # of an item whose worker or node is lost
_CPU_WITHIN = 300.0  # seconds without a single CPU; clusters that grow on demand take minutes
_LOOKS_EVERY = 2.0  # seconds

Trip = tuple[str, str, list[str]]  # a key for all items of a map, where paths begin, plug-ins
Answer = tuple[str, Any]  # what became of an item, in words and bytes that need no nerscope


@dataclass(frozen=True, slots=True)
class Ray:
    """The engine for a cluster: workers get the state once, then items; lost items are done again.

    `address` is `ray://HOST:10001`, or `HOST:6379` on a machine of the cluster. Without one, it is
    the cluster that this program is connected to, that `RAY_ADDRESS` names, or that was started on
    this machine. The connection lasts as long as the engine.

    >>> Ray("ray://head:10001", plugins=["mine.py"])
    Ray(address='ray://head:10001', plugins=['mine.py'])
    """

    address: str | None = None
    plugins: Sequence[str] = field(default=(), kw_only=True)
    remote: bool = field(default=True, init=False, repr=False)
    _links: "list[Link]" = field(default_factory=list, init=False, repr=False, compare=False)

    def map(
        self, work: Callable[[State, Item], Part], state: State, items: Iterable[Item]
    ) -> Iterator[Part]:
        """The parts of all items, in order."""
        from nerscope.engines.link import library, link_to  # only those who have a cluster wait

        ray = library()
        self._links[:] = [link_to(ray, self.address)]
        try:
            with _explained(ray):
                yield from _parts(ray, _trip(self.plugins), pickle.dumps((work, state)), items)
        except BaseException:  # to disconnect is to stop what is under way
            self._links.clear()
            raise


def _trip(plugins: Sequence[str]) -> Trip:
    return os.urandom(8).hex(), str(Path.cwd()), list(plugins)


def _parts(ray: Any, trip: Trip, bundle: bytes, items: Iterable[Any]) -> Iterator[Any]:
    """Send items, not too many at once, and give back what comes, in their order."""
    # In a list: a worker fetches it when it needs it, instead of with every item.
    held = [ray.put(bundle)]
    # Spread: else Ray may leave a node without work, since one that is warm always comes first.
    sent = ray.remote(_carrier(VERSION)).options(
        name="nerscope", max_retries=_RETRIES, scheduling_strategy="SPREAD"
    )
    flight: deque[Any] = deque()
    for item in items:
        flight.append(sent.remote(trip, held, pickle.dumps(item)))
        if len(flight) > _AHEAD * _cpus(ray):
            yield _landed(ray, flight.popleft())
    for one in flight:
        yield _landed(ray, one)


def _landed(ray: Any, sent: Any) -> Any:
    """The part of an item that was sent."""
    deadline = time.monotonic() + _CPU_WITHIN
    while not ray.wait([sent], timeout=_LOOKS_EVERY)[0]:
        if _cpus(ray):
            deadline = time.monotonic() + _CPU_WITHIN
        elif time.monotonic() > deadline:
            raise FaultError(
                "Ray", "the cluster has no CPU to work with", "add nodes to it, or see `ray status`"
            )
    return _opened(ray.get(sent))


def _cpus(ray: Any) -> int:
    return int(ray.cluster_resources().get("CPU", 0))


# In a worker.


def _carrier(version: str) -> Callable[..., Answer]:
    """What is sent to workers. Being no function of a module, it travels as code, and so can tell
    that nerscope is not there.
    """

    def carried(trip: Any, held: list[Any], item: bytes) -> Any:
        import platform

        try:
            from nerscope.version import VERSION as found  # noqa: N811

            if found != version:
                return "version", (platform.node(), found)
            from nerscope.engines.ray import _worked
        except ImportError as error:
            return "missing", (platform.node(), str(error))
        return _worked(platform.node(), trip, held, item)

    return carried


_at_hand: dict[str, tuple[Callable[[Any, Any], Any], Any]] = {}  # work and state of the last map


def _worked(node: str, trip: Trip, held: list[Any], item: bytes) -> Answer:
    """The part of an item, packed, or why there is none."""
    key, folder, plugins = trip
    try:
        with contextlib.chdir(folder if Path(folder).is_dir() else "."):
            work, state = _begun(key, plugins, held)
            return "part", pack(work(state, pickle.loads(item)))
    except NerscopeError as error:
        kind = next(base.__name__ for base in type(error).__mro__ if base in _KINDS.values())
        return "error", (kind, error.place, error.fact, error.remedy, node)


def _begun(key: str, plugins: Sequence[str], held: Sequence[Any]) -> Any:
    """Work and state, which are fetched and unpacked once in each worker."""
    from nerscope.engines.link import library

    if key not in _at_hand:
        load_plugins(plugins)  # before the state is unpacked, which may name what they register
        _at_hand.clear()
        _at_hand[key] = pickle.loads(library().get(held[0]))
    return _at_hand[key]


_KINDS: Mapping[str, type[NerscopeError]] = {
    name: kind
    for name, kind in vars(errors).items()
    if isinstance(kind, type) and issubclass(kind, NerscopeError)
}


# Here again.


def _opened(answer: Answer) -> Any:
    kind, content = answer
    return _OPENERS[kind](content)


def _missing(content: tuple[str, str]) -> Any:
    node, reason = content
    raise FaultError(
        f"node {node}",
        f"workers there have no nerscope ({reason})",
        f"install nerscope {VERSION} on every node",
    )


def _other_version(content: tuple[str, str]) -> Any:
    node, version = content
    raise FaultError(
        f"node {node}",
        f"nerscope is {version} there and {VERSION} here",
        f"install nerscope {VERSION} on every node",
    )


def _error(content: tuple[str, str, str, str, str]) -> Any:
    kind, place, fact, remedy, node = content
    if fact == "no such file" and Path(place).exists():
        raise FaultError(
            place,
            f"the node {node} has no such file",
            "put it on a path that all nodes can read, such as a shared folder or s3://…",
        )
    raise _KINDS[kind](place, fact, remedy)


_OPENERS: Mapping[str, Callable[[Any], Any]] = {
    "part": unpack,
    "error": _error,
    "missing": _missing,
    "version": _other_version,
}


@contextlib.contextmanager
def _explained(ray: Any) -> Iterator[None]:
    """What the cluster says of itself, as messages; what work raised, as it was raised."""
    from nerscope.engines.link import reason_of

    known = ray.exceptions
    try:
        yield
    except known.RayTaskError as error:
        if isinstance(error.cause, Exception):
            raise error.cause from None
        raise
    except (known.WorkerCrashedError, known.NodeDiedError, known.OutOfMemoryError):
        raise FaultError(
            "Ray",
            f"a worker died, and so did {_RETRIES} that tried again, perhaps for want of memory",
            "give the nodes more memory, or fewer CPUs to work with",
        ) from None
    except (known.RayError, ConnectionError) as error:
        raise FaultError(
            "Ray", f"the cluster was lost ({reason_of(error)})", "see its logs, and try again"
        ) from None


def _ray(workers: int, plugins: Sequence[str], address: str = "ray") -> Ray:
    """`ray`, `ray://HOST:PORT` or `ray:HOST:PORT`; how many workers there are is the cluster's."""
    own = address.removeprefix("ray").removeprefix(":")
    return Ray((f"ray:{own}" if own.startswith("//") else own) or None, plugins=tuple(plugins))


ENGINES.add("ray", _ray, built_in=True)
