"""The engine for several processes on this machine.

It does not use `concurrent.futures`, for three practical reasons: workers must end when their
parent is killed; on Linux a forked worker inherits the state, which may contain objects that are
not serialisable (a function of a notebook); and a spawned worker must not run the user's `__main__`
again.
"""

import gc
import os
import signal
import sys
import threading
import warnings
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache, partial
from types import ModuleType
from typing import TYPE_CHECKING, Any

from nerscope.codec import pack, unpack
from nerscope.engines.base import ENGINES, Item, Part, State
from nerscope.engines.messages import decode, decode_error, encode, encode_error
from nerscope.errors import FaultError
from nerscope.registry import load_plugins

if TYPE_CHECKING:
    from multiprocessing.connection import Connection
    from multiprocessing.process import BaseProcess

_AHEAD = 2  # pending items per worker; a limit, so that memory does not grow with the data
_SMALL = 8000  # bytes that a pipe accepts on every system while its other end does not read
_DONE, _FAILED = b"done", b"failed"


@dataclass(frozen=True, slots=True)
class Pool:
    """Work on several cores: each worker process has the state, and gets items when it is free.

    `plugins` are Python files that workers load at the start.

    >>> list(Pool(2).map(divmod, 7, [2, 3]))
    [(3, 1), (2, 1)]
    """

    workers: int
    plugins: tuple[str, ...] = ()
    remote: bool = True
    nearby: bool = True

    def map(
        self, work: Callable[[State, Item], Part], state: State, items: Iterable[Item]
    ) -> Iterator[Part]:
        """The parts of all items, in order."""
        team = _Team(self.workers, _starter(self.plugins, work, state))
        try:
            yield from team.parts(items)
        finally:
            team.dismiss()


@dataclass(slots=True, eq=False)
class _Worker:
    """A process at the other end of a pipe."""

    process: "BaseProcess"
    pipe: "Connection"
    places: deque[int] = field(default_factory=deque)  # of items without a reply

    def send(self, place: int, message: bytes) -> None:
        with _death_as_fault():
            self.pipe.send_bytes(message)
        self.places.append(place)

    def receive(self) -> tuple[int, "_Reply"]:
        with _death_as_fault():
            reply = _Reply(self.pipe.recv_bytes() == _DONE, self.pipe.recv_bytes())
        return self.places.popleft(), reply


@dataclass(frozen=True, slots=True)
class _Reply:
    """The reply of a worker to an item: an encoded part, or an encoded error."""

    is_done: bool
    data: bytes

    def part(self) -> Any:
        """The part; raises the error of the worker, if there is one."""
        if self.is_done:
            return unpack(self.data)
        raise decode_error(self.data)


_Starter = Callable[[Sequence["_Worker"]], _Worker]


class _Team:
    """The workers of one map; there are never more workers than items."""

    def __init__(self, size: int, start_worker: _Starter) -> None:
        self._size, self._start_worker = size, start_worker
        self._workers: list[_Worker] = []
        self._replies: dict[int, _Reply] = {}  # by place: workers reply in any order

    def parts(self, items: Iterable[Item]) -> Iterator[Any]:
        """The parts in the order of the items.

        Example with two workers: items 0 to 4 are sent (two for each worker, and one more). The
        reply to item 1 arrives first and waits in `_replies`. After the reply to item 0, parts 0
        and 1 are yielded, and items 5 and 6 are sent.
        """
        messages = map(encode, items)
        message = next(messages, None)
        n_sent = n_given = 0
        while message is not None or n_given < n_sent:
            self._receive(0)  # workers may have become free while the last part was used
            while message is not None and n_sent - n_given <= _AHEAD * self._size:
                worker = self._free_for(message)
                if worker is None:
                    break
                worker.send(n_sent, message)
                n_sent, message = n_sent + 1, next(messages, None)
            if n_given in self._replies:
                yield self._replies.pop(n_given).part()
                n_given += 1
            else:
                self._receive()

    def dismiss(self) -> None:
        """End all workers without waiting for their current items."""
        for worker in self._workers:
            worker.pipe.close()  # an idle worker reads the end of the pipe and exits
            if worker.places:
                worker.process.kill()
        for worker in self._workers:
            worker.process.join()

    def _free_for(self, message: bytes) -> _Worker | None:
        """An idle worker, a new worker, or, for a small item, a worker with a single item.

        A busy worker does not read its pipe. A large item would block this process, and a large
        reply would block the worker: a deadlock.
        """
        idle = [worker for worker in self._workers if not worker.places]
        if not idle and len(self._workers) < self._size:
            with _interrupts_blocked():
                self._workers.append(self._start_worker(self._workers))
            idle = self._workers[-1:]
        if not idle and len(message) <= _SMALL:
            idle = [worker for worker in self._workers if len(worker.places) == 1]
        return idle[0] if idle else None

    def _receive(self, seconds: float | None = None) -> None:
        """Receive all available replies; wait at most `seconds` for the first one."""
        from multiprocessing.connection import wait

        busy = {worker.pipe: worker for worker in self._workers if worker.places}
        for pipe in wait(list(busy), seconds) if busy else ():
            place, reply = busy[pipe].receive()  # type: ignore[index]
            self._replies[place] = reply


@contextmanager
def _death_as_fault() -> Iterator[None]:
    try:
        yield
    except (EOFError, OSError):
        raise FaultError(
            "workers",
            "a worker process died, possibly out of memory",
            "use fewer workers (--workers N)",
        ) from None


@contextmanager
def _interrupts_blocked() -> Iterator[None]:
    """Block Ctrl-C while a worker starts.

    The terminal sends it to all processes, and a new worker does not ignore it yet.
    """
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _starter(plugins: Sequence[str], work: Callable[..., Any], state: object) -> _Starter:
    """A function that starts a worker.

    A forked worker inherits the state and all registered objects, and starts fast. But locks held
    by other threads stay locked in it forever, so with several threads workers are spawned.
    """
    from multiprocessing import resource_tracker

    if sys.platform == "linux" and threading.active_count() == 1:
        return partial(_fork, work, state)
    if sys.platform != "win32":
        # If it started together with the first worker, it would unblock Ctrl-C too early.
        resource_tracker.ensure_running()
    return partial(_spawn, plugins, encode((work, state)))


def _fork(work: Callable[..., Any], state: object, others: Sequence[_Worker]) -> _Worker:
    from multiprocessing import Pipe, get_context

    here, there = Pipe()
    parent_ends = [here, *(other.pipe for other in others)]
    process = get_context("fork").Process(
        target=_serve_forked, args=(there, parent_ends, work, state)
    )
    process.daemon = True
    with warnings.catch_warnings():  # Python warns about numpy's threads, which are safe to fork
        warnings.simplefilter("ignore", DeprecationWarning)
        process.start()
    there.close()
    return _Worker(process, here)


def _spawn(plugins: Sequence[str], job: bytes, others: Sequence[_Worker]) -> _Worker:
    from multiprocessing import Pipe, get_context

    here, there = Pipe()
    process = get_context("spawn").Process(target=_serve_spawned, args=(there, tuple(plugins)))
    process.daemon = True
    with _hidden_main_module():
        process.start()
    there.close()
    with _death_as_fault():
        # Not an argument of the process: if the process died before reading it, start() would hang.
        here.send_bytes(job)
    return _Worker(process, here)


@contextmanager
def _hidden_main_module() -> Iterator[None]:
    """Hide `__main__` from spawned workers.

    multiprocessing imports the parent's `__main__` again in every spawned process. Scripts without
    an `if __name__ == "__main__"` guard would then run again in each worker.
    """
    program = sys.modules["__main__"]
    sys.modules["__main__"] = ModuleType("__main__")
    try:
        yield
    finally:
        sys.modules["__main__"] = program


# The functions below run in a worker.

_Job = tuple[Callable[..., Any], Any]  # work and state


def _serve_forked(
    pipe: "Connection", parent_ends: Sequence["Connection"], work: Callable[..., Any], state: object
) -> None:
    for end in parent_ends:  # an inherited copy would keep the pipe open after the parent has ended
        end.close()
    gc.freeze()  # a collection would write to every inherited object and copy its memory
    _serve(pipe, lambda: (work, state))


def _serve_spawned(pipe: "Connection", plugins: Sequence[str]) -> None:
    job = pipe.recv_bytes()

    def load_job() -> _Job:
        load_plugins(plugins)  # first, because the state may name objects that they register
        work, state = decode(job)
        return work, state

    _serve(pipe, load_job)


def _serve(pipe: "Connection", load_job: Callable[[], _Job]) -> None:
    """Reply to items until the pipe is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent ends its workers
    threading.Thread(target=_exit_with_parent, daemon=True).start()
    job = cache(load_job)
    try:
        while True:
            kind, data = _answer(job, pipe.recv_bytes())
            pipe.send_bytes(kind)
            pipe.send_bytes(data)
    except (EOFError, OSError):
        return


def _exit_with_parent() -> None:
    """Exit when the parent process dies, so that a killed run leaves no workers behind."""
    from multiprocessing import parent_process

    parent = parent_process()
    assert parent is not None  # every worker has one
    parent.join()
    os._exit(1)


def _answer(job: Callable[[], _Job], message: bytes) -> tuple[bytes, bytes]:
    try:
        work, state = job()
        return _DONE, pack(work(state, decode(message)))
    except Exception as error:  # noqa: BLE001  raised again where the part is used
        return _FAILED, encode_error(error)


def _make_pool(workers: int, plugins: Sequence[str]) -> Pool:
    return Pool(workers, tuple(plugins))


ENGINES.add("pool", _make_pool, built_in=True, rank=20)
