"""A disk that is full: a message and exit code 3, and nothing left that is not whole."""

import errno
import subprocess
import sys
from pathlib import Path

import pytest
from tests.attack.conftest import data as data
from tests.attack.conftest import forget_plugins as forget_plugins
from tests.attack.conftest import run as run
from tests.attack.harness import results_bytes, snapshot
from tests.cli.conftest import Run

PLAN = '[datasets.d]\ntrain = "train.txt"\ntest = "gold.txt"\n[systems.m]\nrecipe = "dictionary"\n'


@pytest.mark.parametrize("there_before", [False, True])
@pytest.mark.parametrize("writes", [0, 3, 9])
def test_the_demonstration(
    data: Path, run: Run, monkeypatch: pytest.MonkeyPatch, writes: int, there_before: bool
) -> None:
    if there_before:
        (data / "demo").mkdir()
        (data / "demo" / "mine.txt").write_text("mine")
    before, left = snapshot(data), [writes]
    replace = Path.replace

    def full(self: Path, target: Path) -> Path:
        left[0] -= 1
        if left[0] < 0:
            raise OSError(errno.ENOSPC, "No space left on device")
        return replace(self, target)

    monkeypatch.setattr(Path, "replace", full)
    outcome = run("demo", "demo")
    assert outcome.code == 3 and "(No space left on device). Fix: free space" in outcome.err
    assert snapshot(data) == before


@pytest.mark.skipif(sys.platform == "win32", reason="limits of processes are of POSIX")
@pytest.mark.parametrize(
    "command",
    [
        "demo dd",
        pytest.param("evaluate gold.txt --system s=good.txt -o o.json", marks=pytest.mark.slow),
        pytest.param("report results.json -o x.html", marks=pytest.mark.slow),
        pytest.param("convert gold.txt o.txt --to bioes", marks=pytest.mark.slow),
        pytest.param("split gold.txt --folds 2 -o parts", marks=pytest.mark.slow),
        pytest.param("plot results.json exact -o f.svg", marks=pytest.mark.slow),
        pytest.param("baseline --train train.txt --test gold.txt -o b.txt", marks=pytest.mark.slow),
        "run plan.toml",
    ],
)
def test_no_file_may_grow(data: Path, command: str) -> None:
    (data / "results.json").write_bytes(results_bytes())
    (data / "plan.toml").write_text(PLAN)
    before = snapshot(data)
    limit = "import resource as r; r.setrlimit(r.RLIMIT_FSIZE, (50, 50))"
    code = f"{limit}; from nerscope.cli.main import main; main()"
    ended = subprocess.run(
        [sys.executable, "-c", code, *command.split()], capture_output=True, text=True, cwd=data
    )
    assert ended.returncode == 3, ended
    assert "File too large" in ended.stderr and "internal error" not in ended.stderr
    after = {name: content for name, content in snapshot(data).items() if "runs" not in name}
    assert after == before
