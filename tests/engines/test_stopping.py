"""Whoever stops the program stops its workers too, and finds nothing half done."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

TOKENS = 1_500_000
SENTENCE = "Ada B-PER\nmet O\nBob B-PER\nin O\nNew B-LOC\nYork I-LOC\n\n"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("large")
    many = TOKENS // 6
    (place / "gold.txt").write_text(SENTENCE * many)
    (place / "out.txt").write_text(SENTENCE.replace("I-LOC", "O") * many)
    return place


def state_of(process: int) -> tuple[str, int]:
    """Whether a process runs, waits, is dead …, and who started it."""
    try:
        text = Path(f"/proc/{process}/stat").read_text(encoding="utf-8")
    except (FileNotFoundError, ProcessLookupError):
        return "X", 0
    state, parent = text.rpartition(")")[2].split()[:2]
    return state, int(parent)


def children(parent: int) -> list[int]:
    known = [int(path.name) for path in Path("/proc").iterdir() if path.name.isdigit()]
    return [one for one in known if state_of(one)[1] == parent]


def alive(process: int) -> bool:
    return state_of(process)[0] not in "XZ"


def in_time(fact: Callable[[], bool]) -> bool:
    deadline = time.monotonic() + 30
    while not fact() and time.monotonic() < deadline:
        time.sleep(0.01)
    return fact()


@pytest.fixture
def working(folder: Path) -> Iterator[tuple[subprocess.Popen[bytes], list[int]]]:
    """An evaluation whose workers are at work."""
    options = "evaluate gold.txt --system s=out.txt --workers 2 -o results.json --report page.html"
    started = subprocess.Popen(
        [sys.executable, "-m", "nerscope", *options.split()],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    assert in_time(lambda: len(children(started.pid)) == 2)
    workers = children(started.pid)
    yield started, workers
    if any(map(alive, [started.pid, *workers])):
        os.killpg(started.pid, signal.SIGKILL)
    started.communicate()


@pytest.mark.slow(quick=1)
@pytest.mark.parametrize(
    ("stop", "whom", "code"),
    [
        (signal.SIGINT, "all", 130),  # as Ctrl-C does
        (signal.SIGINT, "one", 130),
        (signal.SIGTERM, "one", -signal.SIGTERM),
        (signal.SIGKILL, "one", -signal.SIGKILL),
    ],
)
def test_who_is_stopped_leaves_nothing_behind(
    working: tuple[subprocess.Popen[bytes], list[int]],
    stop: signal.Signals,
    whom: str,
    code: int,
    folder: Path,
) -> None:
    started, workers = working
    (os.killpg if whom == "all" else os.kill)(started.pid, stop)
    printed, errors = started.communicate(timeout=30)
    assert (started.returncode, printed, errors) == (code, b"", b"")
    assert in_time(lambda: not any(map(alive, workers)))
    assert sorted(path.name for path in folder.iterdir()) == ["gold.txt", "out.txt"]


def test_a_worker_that_is_killed_is_a_fault(
    working: tuple[subprocess.Popen[bytes], list[int]], folder: Path
) -> None:
    started, workers = working
    os.kill(workers[0], signal.SIGKILL)
    _, errors = started.communicate(timeout=30)
    assert started.returncode == 3
    assert errors.startswith(b"nerscope: workers: a worker process died")
    assert in_time(lambda: not any(map(alive, workers)))
    assert sorted(path.name for path in folder.iterdir()) == ["gold.txt", "out.txt"]
