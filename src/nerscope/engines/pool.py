"""Several processes on this machine."""

import gc
import os
import pickle
import signal
import sys
import threading
import traceback
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
from nerscope.errors import FaultError
from nerscope.plugins import load_plugins

if TYPE_CHECKING:
    from multiprocessing.connection import Connection
    from multiprocessing.process import BaseProcess

_AHEAD = 2  # items that wait for each worker, so that memory does not grow with the data
_SMALL = 8000  # bytes that fit into a pipe, on every system, while nobody reads from it


@dataclass(frozen=True, slots=True)
class Pool:
    """The engine for all cores: each worker has the state, and gets items as it is free."""

    workers: int
    plugins: tuple[str, ...] = ()
    remote: bool = True

    def map(
        self, work: Callable[[State, Item], Part], state: State, items: Iterable[Item]
    ) -> Iterator[Part]:
        """The parts of all items, in order."""
        team = _Team(self.workers, _recruiter(self.plugins, work, state))
        try:
            yield from team.parts(items)
        finally:
            team.dismiss()


@dataclass(slots=True, eq=False)
class _Worker:
    """A process at the other end of a pipe."""

    process: "BaseProcess"
    pipe: "Connection"
    places: deque[int] = field(default_factory=deque)  # of items that it has not answered yet

    def give(self, place: int, message: bytes) -> None:
        with _dead_is_a_fault():
            self.pipe.send_bytes(message)
        self.places.append(place)

    def answer(self) -> tuple[int, "_Answer"]:
        with _dead_is_a_fault():
            answer = _Answer(self.pipe.recv_bytes() == _DONE, self.pipe.recv_bytes())
        return self.places.popleft(), answer


@dataclass(frozen=True, slots=True)
class _Answer:
    """What a worker made of an item: a part, packed; or an error."""

    done: bool
    data: bytes

    def part(self) -> Any:
        """The part; what failed in the worker fails here."""
        if self.done:
            return unpack(self.data)
        raise pickle.loads(self.data)


_Recruiter = Callable[[Sequence["_Worker"]], _Worker]


class _Team:
    """The workers of one map, who answer in any order; never more of them than items."""

    def __init__(self, size: int, recruiter: _Recruiter) -> None:
        self._size, self._recruiter = size, recruiter
        self._workers: list[_Worker] = []
        self._answers: dict[int, _Answer] = {}

    def parts(self, items: Iterable[Item]) -> Iterator[Any]:
        """The parts in the order of the items, of which few are on their way at any time."""
        messages = map(pickle.dumps, items)
        message = next(messages, None)
        given = told = 0
        while message is not None or told < given:
            self._listen(0)  # who became free while the last part was used
            while message is not None and given - told <= _AHEAD * self._size:
                worker = self._free_for(message)
                if worker is None:
                    break
                worker.give(given, message)
                given, message = given + 1, next(messages, None)
            if told in self._answers:
                yield self._answers.pop(told).part()
                told += 1
            else:
                self._listen()

    def dismiss(self) -> None:
        """End all workers: at once, if they are still at something."""
        for worker in self._workers:
            worker.pipe.close()  # who waits for an item sees that there is none
            if worker.places:
                worker.process.kill()
        for worker in self._workers:
            worker.process.join()

    def _free_for(self, message: bytes) -> _Worker | None:
        """Who can take an item: an idle worker, a new one, or, if it is small, one that is busy.

        A large one is not given to the busy: two who write to each other and do not read wait
        forever.
        """
        idle = [worker for worker in self._workers if not worker.places]
        if not idle and len(self._workers) < self._size:
            with _uninterrupted():
                self._workers.append(self._recruiter(self._workers))
            idle = self._workers[-1:]
        if not idle and len(message) <= _SMALL:
            idle = [worker for worker in self._workers if len(worker.places) == 1]
        return idle[0] if idle else None

    def _listen(self, seconds: float | None = None) -> None:
        """Take the answers that are there; wait for one, for so long."""
        from multiprocessing.connection import wait

        busy = {worker.pipe: worker for worker in self._workers if worker.places}
        for pipe in wait(list(busy), seconds) if busy else ():
            place, answer = busy[pipe].answer()  # type: ignore[index]
            self._answers[place] = answer


@contextmanager
def _dead_is_a_fault() -> Iterator[None]:
    try:
        yield
    except (EOFError, OSError):
        raise FaultError(
            "workers",
            "a worker process died, perhaps for want of memory",
            "try again with fewer workers",
        ) from None


@contextmanager
def _uninterrupted() -> Iterator[None]:
    """Let Ctrl-C wait while a worker starts, who does not know yet that it is not meant."""
    if not hasattr(signal, "pthread_sigmask"):  # as on Windows
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _recruiter(plugins: Sequence[str], work: Callable[..., Any], state: object) -> _Recruiter:
    """How a worker is started.

    A copy of this process knows the state and all that is registered, and is there at once; but
    what other threads do cannot be copied. So where there are any, workers start from nothing.
    """
    from multiprocessing import resource_tracker

    if sys.platform == "linux" and threading.active_count() == 1:
        return partial(_copied, work, state)
    if sys.platform != "win32":
        resource_tracker.ensure_running()  # who would else let Ctrl-C through at the first start
    return partial(_fresh, plugins, work, pickle.dumps(state))


def _copied(work: Callable[..., Any], state: object, others: Sequence[_Worker]) -> _Worker:
    from multiprocessing import Pipe, get_context

    here, there = Pipe()
    ours = [here, *(other.pipe for other in others)]
    process = get_context("fork").Process(target=_serve_copied, args=(there, ours, work, state))
    process.daemon = True
    with warnings.catch_warnings():  # of threads of numpy's, which does not mind copies
        warnings.simplefilter("ignore", DeprecationWarning)
        process.start()
    there.close()
    return _Worker(process, here)


def _fresh(
    plugins: Sequence[str], work: Callable[..., Any], state: bytes, others: Sequence[_Worker]
) -> _Worker:
    from multiprocessing import Pipe, get_context

    here, there = Pipe()
    process = get_context("spawn").Process(target=_serve_fresh, args=(there, plugins, work))
    process.daemon = True
    with _nameless_program():
        process.start()
    there.close()
    with _dead_is_a_fault():
        here.send_bytes(state)  # not as an argument: who dies before taking it is waited for
    return _Worker(process, here)


@contextmanager
def _nameless_program() -> Iterator[None]:
    """Let nobody tell which program this is: a worker would run it again, from its first line."""
    program = sys.modules["__main__"]
    sys.modules["__main__"] = ModuleType("__main__")
    try:
        yield
    finally:
        sys.modules["__main__"] = program


# What follows happens in a worker.

_DONE, _FAILED = b"done", b"failed"


def _serve_copied(
    pipe: "Connection", ours: Sequence["Connection"], work: Callable[..., Any], state: object
) -> None:
    for one in ours:  # or this copy would keep the pipes open when the others have gone
        one.close()
    gc.freeze()  # a collector that looks at all that was copied would copy it in earnest
    _serve(pipe, lambda: (work, state))


def _serve_fresh(pipe: "Connection", plugins: Sequence[str], work: Callable[..., Any]) -> None:
    state = pipe.recv_bytes()

    def begun() -> tuple[Callable[..., Any], Any]:
        load_plugins(plugins)  # before the state is unpacked, which may name what they register
        return work, pickle.loads(state)

    _serve(pipe, begun)


def _serve(pipe: "Connection", begin: Callable[[], tuple[Callable[..., Any], Any]]) -> None:
    """Answer items until there are no more, or nobody is left who would give them."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # whoever started the workers ends them
    threading.Thread(target=_end_with_parent, daemon=True).start()
    begun = cache(begin)
    try:
        while True:
            kind, data = _answered(begun, pipe.recv_bytes())
            pipe.send_bytes(kind)
            pipe.send_bytes(data)
    except (EOFError, OSError):
        return


def _end_with_parent() -> None:
    """Work for nobody is not finished: whoever was to have it was killed."""
    from multiprocessing import parent_process

    parent = parent_process()
    assert parent is not None  # as every worker has one
    parent.join()
    os._exit(1)


def _answered(
    begun: Callable[[], tuple[Callable[..., Any], Any]], message: bytes
) -> tuple[bytes, bytes]:
    try:
        work, state = begun()
        return _DONE, pack(work(state, pickle.loads(message)))
    except Exception as error:  # noqa: BLE001  it is raised again where the part was asked for
        return _FAILED, _as_bytes(error)


def _as_bytes(error: Exception) -> bytes:
    """An error that can be raised elsewhere, with a note where it was raised first."""
    error.add_note("".join(traceback.format_exception(error)))
    try:
        data = pickle.dumps(error)
        pickle.loads(data)  # some can be sent, and then not be received
    except (pickle.PicklingError, AttributeError, TypeError):
        return pickle.dumps(RuntimeError(f"{type(error).__name__}: {error}"))
    return data


def _pool(workers: int, plugins: Sequence[str]) -> Pool:
    return Pool(workers, tuple(plugins))


ENGINES.add("pool", _pool, built_in=True)
