"""Running the command line in this process, and the files it is run on."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import nerscope.compat
from nerscope.cli.main import main
from nerscope.engines.base import ENGINES
from nerscope.facets.facet import FACETS
from nerscope.formats.base import FORMATS
from nerscope.registry import Registry
from nerscope.render.document import OUTPUTS
from nerscope.scoring.matching import MATCHES
from nerscope.scoring.metrics import METRICS
from nerscope.stats.paired import METHODS

TRAIN = "Ada B-PER\nmet O\nBob B-PER\n\nOslo B-LOC\nfell O\n\nParis B-PER\nParis B-LOC\n"
GOLD = """-DOCSTART- O

Ada B-PER
Lovelace I-PER
met O
Bob B-PER

-DOCSTART- O

Paris B-LOC
is O
in O
France B-LOC

Oslo B-LOC
United I-LOC
won O
Paris B-PER
"""
GOOD = GOLD.replace("France B-LOC", "France O")
POOR = (
    GOLD.replace("Lovelace I-PER", "Lovelace O")
    .replace("Paris B-LOC", "Paris B-PER")
    .replace("won O", "won I-LOC")
)


class Outcome(NamedTuple):
    code: int
    out: str
    err: str


Run = Callable[..., Outcome]


@pytest.fixture(autouse=True)
def forget_plugins(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a plugin registers is known only to the test that runs it."""
    assert nerscope.compat  # what it registers is there for good
    everyone: tuple[Registry[Any], ...] = (
        *(ENGINES, FACETS, FORMATS, MATCHES, METHODS, METRICS, OUTPUTS),
    )
    for registry in everyone:
        registry.load()  # what comes later would be gone with the test
        monkeypatch.setattr(registry, "_things", dict(registry._things))
    for family in (MATCHES, METRICS):
        monkeypatch.setattr(family, "instances", {})


@pytest.fixture(autouse=True)
def wide_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lines do not wrap, so that tests can look for whole sentences; test_screen.py sets 80."""
    monkeypatch.setenv("COLUMNS", "1000")


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Run a command; what it prints before it ends is part of the outcome."""

    def call(*arguments: str | Path) -> Outcome:
        monkeypatch.setattr("sys.argv", ["nerscope", *map(str, arguments)])
        capsys.readouterr()
        with pytest.raises(SystemExit) as ended:
            main()
        printed = capsys.readouterr()
        code = ended.value.code
        return Outcome(code if isinstance(code, int) else 0, printed.out, printed.err)

    return call


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with training data, gold data and two systems, which is the working folder."""
    for name, text in [("train", TRAIN), ("gold", GOLD), ("good", GOOD), ("poor", POOR)]:
        (tmp_path / f"{name}.txt").write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def results(data: Path, run: Run) -> Path:
    """The results of both systems, the better one with two runs."""
    outcome = run(
        *("evaluate", "gold.txt", "--train", "train.txt", "-o", "results.json", "--dataset", "toy"),
        *("--system", "good=good.txt", "--system", "good=gold.txt", "--system", "poor=poor.txt"),
    )
    assert outcome.code == 0, outcome.err
    return data / "results.json"
