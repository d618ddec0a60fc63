"""The engine for a cluster: Ray runs the workers, and this program connects to it."""

import contextlib
import os
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nerscope.codec import pack, unpack
from nerscope.engines.base import ENGINES, Item, Part, State
from nerscope.engines.messages import ErrorText, decode, decode_error, encode, encode_error
from nerscope.errors import FaultError, NerscopeError
from nerscope.registry import load_plugins
from nerscope.version import VERSION

if TYPE_CHECKING:
    from nerscope.engines.link import Link

_AHEAD = 3  # pending items per CPU; a limit, so that memory does not grow with the data
_RETRIES = 3  # how often an item is sent again if its worker or node is lost
_CPU_WITHIN = 300.0  # seconds to wait for a first CPU; autoscaling takes minutes
_LOOKS_EVERY = 2.0  # seconds between two checks

_Errand = tuple[str, str, list[str]]  # a key for all items of a map, the folder, plug-ins
# The reply to an item, as strings and bytes, so that a node without nerscope can send it.
_Answer = tuple[str, Any]


@dataclass(frozen=True, slots=True)
class Ray:
    """Work on a Ray cluster: workers get the state once, then items; lost items are sent again.

    `address` is `ray://HOST:10001`, or `HOST:6379` on a machine of the cluster. Default: the
    cluster that this program is connected to, that of `RAY_ADDRESS`, or the one started on this
    machine. The connection lasts as long as the engine.

    >>> Ray("ray://head:10001", plugins=["mine.py"])
    Ray(address='ray://head:10001', plugins=['mine.py'])
    """

    address: str | None = None
    plugins: Sequence[str] = field(default=(), kw_only=True)
    remote: bool = field(default=True, init=False, repr=False)
    elastic: bool = field(default=True, init=False, repr=False)
    _links: "list[Link]" = field(default_factory=list, init=False, repr=False, compare=False)

    def map(
        self, work: Callable[[State, Item], Part], state: State, items: Iterable[Item]
    ) -> Iterator[Part]:
        """The parts of all items, in order."""
        from nerscope.engines.link import library, link_to  # rarely needed

        ray = library()
        self._links[:] = [link_to(ray, self.address)]
        try:
            with _explained(ray):
                yield from _parts(ray, _errand(self.plugins), encode((work, state)), items)
        except BaseException:  # disconnecting cancels pending items
            self._links.clear()
            raise


def _errand(plugins: Sequence[str]) -> _Errand:
    return os.urandom(8).hex(), str(Path.cwd()), list(plugins)


def _parts(ray: Any, errand: _Errand, job: bytes, items: Iterable[Any]) -> Iterator[Any]:
    """Send items, a limited number at once, and yield their parts in order."""
    # The reference is in a list, so that each worker fetches the job when it needs it. As a plain
    # argument, Ray would send the job with every item.
    job_reference = [ray.put(job)]
    # SPREAD, because Ray prefers warm workers and may leave some nodes without work.
    remote_work = ray.remote(_carrier(VERSION)).options(
        name="nerscope", max_retries=_RETRIES, scheduling_strategy="SPREAD"
    )
    under_way: deque[Any] = deque()
    for item in items:
        under_way.append(remote_work.remote(errand, job_reference, encode(item)))
        if len(under_way) > _AHEAD * _cpus(ray):
            yield _fetch(ray, under_way.popleft())
    for reference in under_way:
        yield _fetch(ray, reference)


def _fetch(ray: Any, reference: Any) -> Any:
    """Wait for the reply to an item; raises an error if the cluster has no CPU for too long."""
    deadline = time.monotonic() + _CPU_WITHIN
    while not ray.wait([reference], timeout=_LOOKS_EVERY)[0]:
        if _cpus(ray):
            deadline = time.monotonic() + _CPU_WITHIN
        elif time.monotonic() > deadline:
            raise FaultError(
                "Ray", "the cluster has no CPUs", "add nodes (`ray status` lists them)"
            )
    return _part_of(ray.get(reference))


def _cpus(ray: Any) -> int:
    return int(ray.cluster_resources().get("CPU", 0))


# The functions below run in a worker.


def _carrier(version: str) -> Callable[..., _Answer]:
    """The function that Ray sends to workers.

    Ray sends a module-level function by name, and any other function as code. This one must be sent
    as code, so that a node without nerscope can report that it is missing.
    """

    def carry(errand: Any, job_reference: list[Any], item: bytes) -> Any:
        import platform

        try:
            from nerscope.version import VERSION as installed  # noqa: N811

            if installed != version:
                return "version", (platform.node(), installed)
            from nerscope.engines.ray import _work_on
        except ImportError as error:
            return "missing", (platform.node(), str(error))
        return _work_on(platform.node(), errand, job_reference, item)

    return carry


_jobs: dict[str, tuple[Callable[[Any, Any], Any], Any]] = {}  # work and state of the last map


def _work_on(node: str, errand: _Errand, job_reference: list[Any], item: bytes) -> _Answer:
    """The encoded part of an item, or an error."""
    key, folder, plugins = errand
    try:
        with contextlib.chdir(folder if Path(folder).is_dir() else "."):
            work, state = _load_job(key, plugins, job_reference)
            return "part", pack(work(state, decode(item)))
    except NerscopeError as error:
        return "message", (*ErrorText.of(error), node)
    except Exception as error:  # noqa: BLE001  raised again where the part is used
        return "error", encode_error(error)


def _load_job(key: str, plugins: Sequence[str], job_reference: Sequence[Any]) -> Any:
    """Work and state, fetched and decoded once in each worker."""
    from nerscope.engines.link import library

    if key not in _jobs:
        load_plugins(plugins)  # first, because the state may name objects that they register
        _jobs.clear()
        _jobs[key] = decode(library().get(job_reference[0]))
    return _jobs[key]


# The functions below run in this process again.


def _part_of(answer: _Answer) -> Any:
    kind, content = answer
    return _ANSWERS[kind](content)


def _refuse_missing(content: tuple[str, str]) -> Any:
    node, reason = content
    raise FaultError(
        f"node {node}",
        f"nerscope is not installed on this node ({reason})",
        f"install nerscope {VERSION} on every node",
    )


def _refuse_version(content: tuple[str, str]) -> Any:
    node, version = content
    raise FaultError(
        f"node {node}",
        f"this node has nerscope {version}, but {VERSION} is needed",
        f"install nerscope {VERSION} on every node",
    )


def _raise_message(content: tuple[str, str, str, str, str]) -> Any:
    *texts, node = content
    message = ErrorText(*texts)
    if message.fact == "no such file" and Path(message.place).exists():
        raise FaultError(
            message.place,
            f"node {node} has no such file",
            "put the file on a path that all nodes can read, such as a shared folder or s3://…",
        )
    raise message.error()


def _raise_error(content: bytes) -> Any:
    raise decode_error(content)


_ANSWERS: Mapping[str, Callable[[Any], Any]] = {
    "part": unpack,
    "message": _raise_message,
    "error": _raise_error,
    "missing": _refuse_missing,
    "version": _refuse_version,
}


@contextlib.contextmanager
def _explained(ray: Any) -> Iterator[None]:
    """Turn errors of the cluster into a FaultError."""
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
            f"a worker died, also after {_RETRIES} retries, possibly out of memory",
            "give the nodes more memory, or fewer CPUs",
        ) from None
    except (known.RayError, ConnectionError) as error:
        raise FaultError(
            "Ray", f"the connection was lost ({reason_of(error)})", "check the logs of the cluster"
        ) from None


def _make_ray(workers: int, plugins: Sequence[str], address: str = "ray") -> Ray:
    """Make the engine from `ray`, `ray://HOST:PORT` or `ray:HOST:PORT`; `workers` is ignored."""
    place = address.removeprefix("ray").removeprefix(":")
    full = f"ray:{place}" if place.startswith("//") else place
    return Ray(full or None, plugins=tuple(plugins))


ENGINES.add("ray", _make_ray, built_in=True, rank=30)
