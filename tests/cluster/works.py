"""What workers of a real cluster are asked to do."""

import os
import signal
import time
from pathlib import Path
from typing import Any

from nerscope import errors


def squared(state: int, item: int) -> int:
    return state * item**2


def slowly(state: float, item: int) -> tuple[int, str]:
    """The item, and the node that had it."""
    import ray

    time.sleep(state)
    return item, ray.get_runtime_context().get_node_id()


def dies_once(state: str, item: int) -> int:
    """The worker is killed in the middle, the first time."""
    mark = Path(state, "died")
    if item == 3 and not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return item


def dies(state: None, item: int) -> int:
    os.kill(os.getpid(), signal.SIGKILL)
    return item


def fails(state: str, item: tuple[str, ...]) -> Any:
    """Raise an error of ours, or another one; count how often it was tried."""
    with open(state, "a", encoding="utf-8") as file:
        file.write("tried\n")
    kind, *words = item
    if kind == "ZeroDivisionError":
        raise ZeroDivisionError(*words)
    raise getattr(errors, kind)(*words)
