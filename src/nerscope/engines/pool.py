"""Several processes on this machine."""

import pickle
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from nerscope.engines.base import ENGINES, Item, Part, State
from nerscope.errors import FaultError
from nerscope.plugins import load_plugins

_AHEAD = 2  # items that wait for each worker, so that memory does not grow with the data


@dataclass(frozen=True, slots=True)
class Pool:
    """The engine for all cores: each worker gets the state once, then items as it is free."""

    workers: int
    plugins: tuple[str, ...] = ()
    remote: bool = True

    def map(
        self, work: Callable[[State, Item], Part], state: State, items: Iterable[Item]
    ) -> Iterator[Part]:
        """The parts of all items, in order."""
        from concurrent.futures import ProcessPoolExecutor  # only those who want workers wait
        from concurrent.futures.process import BrokenProcessPool
        from multiprocessing import get_context

        pool = ProcessPoolExecutor(
            self.workers, get_context("spawn"), _begin, (self.plugins, work, pickle.dumps(state))
        )
        try:
            with pool:
                waiting: deque[Any] = deque()
                for item in items:
                    waiting.append(pool.submit(_work, item))
                    if len(waiting) > _AHEAD * self.workers:
                        yield waiting.popleft().result()
                while waiting:
                    yield waiting.popleft().result()
        except BrokenProcessPool:
            raise FaultError(
                "workers",
                "a worker process died, perhaps for want of memory",
                "try again with fewer workers",
            ) from None
        finally:
            pool.shutdown(cancel_futures=True)


_at_hand: list[Any] = []  # in a worker: the work, and its state


def _begin(plugins: Sequence[str], work: Callable[..., Any], state: bytes) -> None:
    load_plugins(plugins)  # before the state is unpacked, which may name what they register
    _at_hand[:] = [work, pickle.loads(state)]


def _work(item: object) -> Any:
    work, state = _at_hand
    return work(state, item)


def _pool(workers: int, plugins: Sequence[str]) -> Pool:
    return Pool(workers, tuple(plugins))


ENGINES.add("pool", _pool, built_in=True)
