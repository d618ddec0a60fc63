"""`nerscope power`: what it takes to find a difference."""

import json
import shlex
from pathlib import Path

import pytest
from tests.cli.conftest import Run
from tests.scoring.toys import drawn, noisy, write


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run: Run) -> Path:
    """Two systems with two runs each, and one with a single run, in `r.json`."""
    gold = drawn(60, seed=1)
    write(tmp_path / "gold.txt", gold)
    names = []
    for name, rate in [("a", 0.05), ("b", 0.1)]:
        for number in (1, 2):
            file = f"{name}{number}.txt"
            write(tmp_path / file, noisy(gold, rate, 3 * number + ord(name)))
            names.append(f"--system {name}={file}")
    write(tmp_path / "c.txt", noisy(gold, 0.2, 9))
    monkeypatch.chdir(tmp_path)
    outcome = run(*shlex.split(f"evaluate gold.txt {' '.join(names)} --system c=c.txt -o r.json"))
    assert outcome.code == 0, outcome.err
    return tmp_path


def test_a_table_says_what_is_needed(folder: Path, run: Run) -> None:
    shown = run("power", "r.json", "a", "b", "--difference", "5").out
    assert shown.startswith("Detecting a difference of 5 points in F1 with 80 % power\n")
    assert "Needed for other numbers of runs of each system\n" in shown
    assert "sentences needed" in shown


def test_json_has_everything(folder: Path, run: Run) -> None:
    found = json.loads(run("power", "r.json", "--format", "json", "--correction", "none").out)
    assert [(one["system_a"], one["system_b"]) for one in found] == [
        ("a", "b"),
        ("a", "c"),
        ("b", "c"),
    ]
    assert all(0 < one["power"] < 1 for one in found)
    assert found[0]["clusters_needed_low"] < found[0]["clusters_needed"]


def test_all_pairs_are_corrected_for_as_compare_does(folder: Path, run: Run) -> None:
    together = run("power", "r.json", "--difference", "5").out
    assert "p must be below 0.017: corrected for 3 comparisons" in together
    assert "Needed for other" not in together
    assert "Needed for other" in run("power", "r.json", "--all").out
    assert "corrected for" not in run("power", "r.json", "a", "b").out
    assert "corrected for" not in run("power", "r.json", "--correction", "none").out


@pytest.mark.parametrize(
    ("options", "place"),
    [
        ("--difference 0", "difference"),
        ("--power 2", "power"),
        ("--alpha 0.9", "alpha"),
        ("--metric nothing", "metric 'nothing'"),
        ("--correction nothing", "correction"),
        ("a", "compare"),
        ("a x", "system 'x'"),
    ],
)
def test_what_cannot_be_is_said_in_one_line(
    options: str, place: str, folder: Path, run: Run
) -> None:
    outcome = run("power", "r.json", *shlex.split(options))
    assert outcome.code == 2
    assert outcome.err.startswith(f"nerscope: {place}") and outcome.err.count("\n") == 1
