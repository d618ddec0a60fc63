"""`nerscope split`: what it prints, and what its folder is good for."""

import json
from pathlib import Path

import pytest
from tests.cli.conftest import Run

TEXT = "".join(
    f"-DOCSTART- O\n\nAda{n} B-PER\nspoke{n} O\n\nOslo{n} B-LOC\n\n" for n in range(20)
) + ("-DOCSTART- O\n\nagain O\n\n" * 2)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "data.txt").write_text(TEXT, encoding="utf-8")
    (tmp_path / "more.txt").write_text(
        TEXT.replace("a", "e").replace("Oslo", "Rome"), encoding="utf-8"
    )
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_split_says_sizes_and_where_to_go_on(folder: Path, run: Run) -> None:
    outcome = run("split", "data.txt", "-o", "made", "--random", "2", "--test", "0.2")
    assert outcome.code == 0 and outcome.err == ""
    words = [line.split() for line in outcome.out.split("\n")]
    assert ["split", "part", "sentences", "tokens", "mentions", "share", "%"] in words
    assert ["random-2", "test", "8", "12", "8", "19.05"] in words
    assert outcome.out.endswith(
        "then: nerscope run made/nerscope.toml (nerscope evaluate, if nothing is trained)\n"
    )
    assert "leaks" not in outcome.out


def test_leaks_are_shown_where_they_are_allowed(folder: Path, run: Run) -> None:
    outcome = run("split", "data.txt", "-o", "made", "--folds", "22", "--allow-leaks")
    assert outcome.code == 0
    assert "leaks" in outcome.out
    assert "note: 2 sentences of test and dev sets shared with another part" in outcome.out


@pytest.mark.parametrize("form", ["json", "csv", "markdown"])
def test_programs_get_the_numbers_too(form: str, folder: Path, run: Run) -> None:
    outcome = run("split", "data.txt", "-o", "made", "--folds", "2", "--format", form)
    assert outcome.code == 0
    if form == "json":
        found = json.loads(outcome.out)
        assert found["rows"][0]["types"]["PER"] + found["rows"][1]["types"]["PER"] == 20
        assert found["splits"][0]["test"] == "made/fold-1/test.conll"
    else:
        assert "fold-2" in outcome.out


def test_the_experiment_file_is_ready_for_systems(folder: Path, run: Run) -> None:
    asked = ("--leave-out", "--stratify", "--seed", "3")
    assert run("split", "data.txt", "more.txt", "-o", "made", *asked).code == 0
    experiment = folder / "made" / "nerscope.toml"
    system = '[systems]\ncopy = "{dataset}/test.conll"\n'
    text = experiment.read_text(encoding="utf-8").split("[systems]")[0] + system
    experiment.write_text(text, encoding="utf-8")
    outcome = run("evaluate", "made/nerscope.toml", "--format", "json")
    assert outcome.code == 0, outcome.err
    rows = json.loads(outcome.out)["rows"]
    assert {row["dataset"] for row in rows} >= {"data", "more"}


def test_what_is_wrong_is_one_message(folder: Path, run: Run) -> None:
    outcome = run("split", "data.txt", "-o", "made", "--folds", "2", "--random", "2")
    assert outcome.code == 2 and outcome.out == ""
    assert outcome.err == (
        "nerscope: split: 2 kinds of split are given instead of one. Fix: "
        "give one of --folds K, --random N, --leave-out, --hard unseen=0.8\n"
    )
    assert not (folder / "made").exists()
