"""Ctrl-C at any moment of any command: exit code 130, no traceback, nothing half-written."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType

import pytest
from tests.attack.conftest import data as data
from tests.attack.conftest import forget_plugins as forget_plugins
from tests.attack.conftest import run as run
from tests.attack.harness import results_bytes, snapshot
from tests.cli.conftest import Run

PLAN = '[datasets.d]\ntrain = "train.txt"\ntest = "gold.txt"\n[systems.m]\nrecipe = "dictionary"\n'
SLOW_PLAN = PLAN + '[systems.s]\ncommand = "touch started; sleep 61.75; cp {test} {output}"\n'
COMMANDS = [
    "evaluate gold.txt --system good=good.txt --train train.txt -o o.json --report o.html",
    "evaluate gold.txt --system good=good.txt --errors e.csv --intervals",
    "compare results.json --samples 50",
    "diagnose results.json --samples 50",
    "report results.json -o page.html",
    "run plan.toml --folder runs -o o.json",
    "split gold.txt --folds 2 -o parts --allow-leaks",
    "power results.json",
    "plot results.json exact -o figure.svg",
    "convert gold.txt out.jsonl",
    "convert gold.txt out.parquet",
    "convert gold.txt::format=conll folder::format=brat",
    "demo demo",
    "baseline --train train.txt --test gold.txt -o b.txt",
    "gate results.json --baseline results.json",
    "errors results.json",
    "describe --test gold.txt --train train.txt",
]
CALLS = (300, 3_000, 12_000, 25_000, 50_000, 100_000)  # of functions, before Ctrl-C


@pytest.fixture
def interrupted_after() -> Iterator[Callable[[int], None]]:
    """Send this process SIGINT after so many calls of functions, as Ctrl-C does."""

    def start(calls: int) -> None:
        left = [calls]

        def count(frame: FrameType, event: str, argument: object) -> None:
            left[0] -= 1
            if left[0] == 0:
                sys.setprofile(None)
                signal.raise_signal(signal.SIGINT)

        sys.setprofile(count)

    yield start
    sys.setprofile(None)


# Python drops an interrupt that arrives while a generator is closed; the command then goes on.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.slow(quick=6)
@pytest.mark.parametrize("calls", CALLS)
@pytest.mark.parametrize("command", COMMANDS)
def test_an_interrupt_leaves_nothing(
    data: Path, run: Run, interrupted_after: Callable[[int], None], command: str, calls: int
) -> None:
    (data / "results.json").write_bytes(results_bytes())
    (data / "plan.toml").write_text(PLAN)
    before = snapshot(data)
    interrupted_after(calls)
    outcome = run(*command.split())
    sys.setprofile(None)
    assert "Traceback" not in outcome.err and "internal error" not in outcome.err
    assert outcome.code in (0, 130), outcome
    left = {name: content for name, content in snapshot(data).items() if "runs" not in name}
    assert run(*command.split()).code in (0, 2)  # 2: a folder that must be new is there
    whole = snapshot(data)
    assert all(whole[name] == content for name, content in left.items() if name not in before)


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
@pytest.mark.parametrize("delay", [0.03, 0.06, 0.12])
def test_an_interrupt_while_modules_are_imported(data: Path, delay: float) -> None:
    command = [sys.executable, "-c", "import signal, threading, os\n"
               "from nerscope.__main__ import run\n"  # a busy machine takes 0.03 s for it alone
               f"threading.Timer({delay}, os.kill, (os.getpid(), signal.SIGINT)).start()\n"
               "run()", "evaluate", "gold.txt",
               "--system", "good=good.txt"]  # fmt: skip
    ended = subprocess.run(command, capture_output=True, text=True)
    assert "Traceback" not in ended.stderr and ended.returncode in (0, 130, -signal.SIGINT), ended


def test_the_script_is_the_module() -> None:
    project = (Path(__file__).parents[2] / "pyproject.toml").read_text(encoding="utf-8")
    assert 'nerscope = "nerscope.__main__:run"' in project


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
@pytest.mark.parametrize("sign", [signal.SIGINT, signal.SIGKILL, signal.SIGTERM])
def test_a_run_that_is_ended_leaves_no_process_and_can_go_on(data: Path, sign: int) -> None:
    (data / "plan.toml").write_text(SLOW_PLAN)
    command = [sys.executable, "-m", "nerscope", "run", "plan.toml", "--folder", "runs"]
    first = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, cwd=data)
    deadline = time.monotonic() + 20
    while not (data / "started").exists():
        assert time.monotonic() < deadline
        time.sleep(0.05)
    second = subprocess.run(command, capture_output=True, text=True, cwd=data)
    assert second.returncode == 2 and "another run is using this folder" in second.stderr
    os.kill(first.pid, sign)
    _, printed = first.communicate(timeout=10)
    assert "Traceback" not in printed
    assert first.returncode == (130 if sign == signal.SIGINT else -sign)
    time.sleep(1.5)  # an orphan notices that its parent is gone
    assert "sleep 61.75" not in subprocess.run(["ps", "ax"], capture_output=True, text=True).stdout
    (data / "plan.toml").write_text(PLAN)
    again = subprocess.run(command, capture_output=True, text=True, cwd=data)
    assert again.returncode == 0, again.stderr
    assert not list((data / "runs").glob(".draft*"))
