"""Several processes: parts come in order, workers are no more than needed, errors arrive whole."""

import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from nerscope.engines import pool
from nerscope.engines.pool import _AHEAD, Pool
from nerscope.errors import FormatError

BIG = 3_000_000


def doubled(state: int, item: int) -> int:
    return state * item


def slow_first(state: None, item: int) -> int:
    time.sleep(0 if item else 0.2)
    return item


def process(state: None, item: int) -> int:
    time.sleep(0.01)
    return os.getpid()


def echo(state: bytes, item: bytes) -> bytes:
    return item + state


def called(state: Any, item: int) -> int:
    number: int = state(item)
    return number


class Odd(Exception):  # noqa: N818
    """What can be sent, and not be received."""

    def __init__(self, one: int, two: int) -> None:
        super().__init__("odd")


ERRORS: list[Exception] = [
    FormatError("a.txt:3", "this is no label", "mend it"),
    KeyError("key"),
    Odd(1, 2),
]


def failing(state: None, item: int) -> int:
    if item > 2:
        raise ERRORS[item - 3]
    return item


def astray(state: None, item: int) -> object:
    return {item}


@pytest.fixture(params=["copied", "fresh"])
def start(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Both ways to start workers, whatever threads a test runs beside."""
    number = 1 if request.param == "copied" else 2
    monkeypatch.setattr(threading, "active_count", lambda: number)
    return str(request.param)


@pytest.mark.slow(quick=1)
@pytest.mark.usefixtures("start")
def test_parts_come_in_the_order_of_the_items() -> None:
    assert list(Pool(2).map(doubled, 3, range(20))) == [3 * item for item in range(20)]


def test_the_first_comes_first_though_it_takes_longest() -> None:
    assert list(Pool(2).map(slow_first, None, iter(range(9)))) == list(range(9))


def test_without_items_there_are_no_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pool, "_fork", refuse)
    monkeypatch.setattr(pool, "_spawn", refuse)
    assert list(Pool(2).map(doubled, 3, [])) == []


@pytest.mark.parametrize(("workers", "items"), [(5, 1), (3, 2), (1, 4)])
def test_there_are_never_more_workers_than_items(workers: int, items: int) -> None:
    found = list(Pool(workers).map(process, None, iter(range(items))))
    assert len(found) == items
    assert len({*found, os.getpid()}) <= 1 + min(workers, items)


def test_few_items_are_ahead_of_the_parts() -> None:
    drawn: list[int] = []

    def items() -> Iterator[int]:
        for number in range(50):
            drawn.append(number)
            yield number

    for taken, _ in enumerate(Pool(2).map(doubled, 1, items()), 1):
        assert len(drawn) <= taken + 2 * _AHEAD + 2


@pytest.mark.slow
@pytest.mark.usefixtures("start")
def test_large_items_and_parts_do_not_wait_for_each_other() -> None:
    items = [bytes([number]) * BIG for number in range(4)]
    found = list(Pool(2).map(echo, b"x" * BIG, items))
    assert [(part[:1], len(part)) for part in found] == [(item[:1], 2 * BIG) for item in items]


def test_a_copy_knows_what_cannot_be_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(threading, "active_count", lambda: 1)
    assert list(Pool(1).map(called, lambda item: item + 1, [1])) == [2]


@pytest.mark.parametrize(("platform", "threads"), [("linux", 2), ("darwin", 1)])
def test_workers_start_from_nothing_where_copies_are_unsafe(
    platform: str, threads: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "platform", platform)
    monkeypatch.setattr(threading, "active_count", lambda: threads)
    monkeypatch.setattr(pool, "_spawn", refuse)
    with pytest.raises(NotImplementedError):
        list(Pool(1).map(doubled, 3, [1]))


def refuse(*arguments: object) -> None:
    raise NotImplementedError


@pytest.mark.slow(quick=1)
@pytest.mark.usefixtures("start")
@pytest.mark.parametrize(
    ("item", "kind", "message"),
    [
        (3, FormatError, r"a.txt:3: this is no label. Fix: mend it"),
        (4, KeyError, "key"),
        (5, RuntimeError, "Odd: odd"),
    ],
)
def test_what_fails_in_a_worker_fails_in_its_turn(
    item: int, kind: type[Exception], message: str
) -> None:
    parts = Pool(1).map(failing, None, [0, 1, item, 2])
    assert [next(parts), next(parts)] == [0, 1]
    with pytest.raises(kind, match=message):
        next(parts)


def test_a_note_says_where_it_failed() -> None:
    with pytest.raises(KeyError) as failed:
        list(Pool(1).map(failing, None, [4]))
    assert "in failing" in failed.value.__notes__[0]


def test_a_part_that_does_not_travel_is_an_error() -> None:
    with pytest.raises(TypeError, match="a set is not serialisable"):
        list(Pool(1).map(astray, None, [1]))


def test_workers_end_with_a_map_that_nobody_finishes() -> None:
    parts = Pool(2).map(process, None, range(100))
    known = {next(parts) for _ in range(4)}
    parts.close()  # type: ignore[attr-defined]
    for one in known:
        with pytest.raises(ProcessLookupError):
            os.kill(one, 0)


SCRIPT = """
import sys, threading
sys.path.insert(0, {here!r})
print("begun")
threading.Thread(target=threading.Event().wait, daemon=True).start()
from nerscope.engines.pool import Pool
from works import doubled
print(list(Pool(2).map(doubled, bytes({big}), range(3))))
try:
    list(Pool(2, ({plugin!r},)).map(doubled, bytes({big}), range(3)))
except Exception as error:
    print(type(error).__name__)
"""


@pytest.mark.slow
@pytest.mark.parametrize("by", ["name", "standard input"])
def test_workers_do_not_run_the_program_again_and_are_not_waited_for_when_dead(
    by: str, tmp_path: Path
) -> None:
    (tmp_path / "works.py").write_text("def doubled(state, item): return 2 * item\n")
    (tmp_path / "plugin.py").write_text(
        "import os, threading\nif threading.active_count() == 2: os._exit(7)\n"
    )
    text = SCRIPT.format(here=str(tmp_path), big=BIG, plugin=str(tmp_path / "plugin.py"))
    (tmp_path / "program.py").write_text(text)
    command = [sys.executable, *([str(tmp_path / "program.py")] if by == "name" else ["-"])]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), *sys.path])}
    ran = subprocess.run(
        command,
        input=None if by == "name" else text,
        capture_output=True,
        text=True,
        timeout=30,
        env=environment,
        check=False,
    )
    assert (ran.stdout, ran.stderr) == ("begun\n[0, 2, 4]\nFaultError\n", "")
