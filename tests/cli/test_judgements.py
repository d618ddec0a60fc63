"""Judgements of partial matches on the command line: made of results, read again beside others."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.cli.conftest import GOLD, Run

import nerscope as ns
from nerscope.results.judged import pair_records
from nerscope.results.rows import plain_row

EVALUATE = ["evaluate", "gold.txt", "--system", "poor=poor.txt", "--system", "poor=good.txt"]
EXPERIMENT = """
[datasets.one]
test = "gold.txt"
[datasets.two]
test = "gold.txt"
[systems]
poor = "poor.txt"
good = "good.txt"
"""


@pytest.fixture
def judged(data: Path) -> Path:
    """The pairs of the poor system, Ada (good) and Oslo United won (bad)."""
    results = ns.evaluate(data / "gold.txt", {"poor": data / "poor.txt"})
    judgements = ("good", "bad")
    pairs = [
        replace(row, judgement=text)
        for row, text in zip(pair_records(results), judgements, strict=True)
    ]
    path = data / "ada.json"
    content = {"nerscope_judgements": 1, "pairs": pairs}
    path.write_text(json.dumps(content, default=plain_row), encoding="utf-8")
    return path


def flat(text: str) -> str:
    return " ".join(text.split())


def changed(path: Path, **values: Any) -> None:
    """Another judge, who found the first pair bad, and the rest as told."""
    content = json.loads(path.read_text())
    content["pairs"][0]["judgement"] = "bad"
    content["pairs"][1].update(values)
    path.with_name("bob.json").write_text(json.dumps(content))


def test_mentions_are_kept_for_judgements_of_large_data(
    judged: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("nerscope.evaluation.gather.FOLD_ABOVE", 1)
    outcome = run(*EVALUATE, "--judgements", "ada.json")
    assert outcome.code == 0 and "share good" in flat(outcome.out)


def test_the_screen_shows_the_shares_of_these_results(judged: Path, run: Run) -> None:
    outcome = run(*EVALUATE, "--judgements", "ada.json")
    assert outcome.code == 0, outcome.err
    shown = flat(outcome.out)
    assert "Partial matches as judged system match pairs judged good share good" in shown
    assert "poor left 2 2 1 50.0 % poor overlap 2 2 1 50.0 %" in shown
    assert "Agreement" not in shown and "note:" not in outcome.out + outcome.err


def test_several_judges_count_all_and_agree_so_far(judged: Path, run: Run) -> None:
    changed(judged)
    outcome = run(*EVALUATE, "--judgements", "ada.json", "--judgements", "bob.json")
    assert "poor overlap 2 4 1 25.0 %" in flat(outcome.out)
    assert "Agreement of the judges judges pairs raw kappa" in flat(outcome.out)
    assert " 2 2 50.0 % 0" in flat(outcome.out)


@pytest.mark.parametrize("quiet", [[], ["-q"]])
def test_what_does_not_fit_is_noted_unless_nobody_wants_notes(
    quiet: list[str], judged: Path, run: Run
) -> None:
    changed(judged, sentence=1)
    outcome = run(*EVALUATE, "--judgements", "bob.json", *quiet)
    assert ("bob.json: 1 judgement of pairs that" in outcome.out) == (not quiet)
    assert "poor overlap 2 1 0 0" in flat(outcome.out)


def test_json_and_the_file_hold_it_and_rows_stay_as_they_are(judged: Path, run: Run) -> None:
    plain = json.loads(run(*EVALUATE, "--format", "json").out)
    told = json.loads(run(*EVALUATE, "--format", "json", "--judgements", "ada.json").out)
    assert run(*EVALUATE, "-o", "r.json", "--judgements", "ada.json").code == 0
    rows = told.pop("rows")
    assert json.loads((judged.parent / "r.json").read_text()) == told
    told["rows"] = rows  # the file holds the evidence, from which rows are computed again
    found = told.pop("judged")
    assert told == plain
    assert found["agreement"] is None and found["notes"] == []
    assert found["shares"][0] == {
        "dataset": "gold",
        "system": "poor",
        "match": "left",
        "pairs": 2,
        "judged": 2,
        "good": 1,
        "share good": 0.5,
    }
    assert run("show", "r.json").code == 0


def test_an_experiment_has_the_shares_of_each_dataset(judged: Path, run: Run) -> None:
    (judged.parent / "e.toml").write_text(EXPERIMENT)
    judged.write_text(judged.read_text().replace('"dataset": "gold"', '"dataset": "two"'))
    outcome = run("evaluate", "e.toml", "--no-cache", "--judgements", "ada.json", "-o", "r.json")
    assert outcome.code == 0, outcome.err
    assert "one poor overlap 2 0 0 – two poor left" in flat(outcome.out)
    assert "two poor overlap 2 2 1 50.0 %" in flat(outcome.out)
    found = json.loads((judged.parent / "r.json").read_text())["judged"]["shares"]
    assert {(one["dataset"], one["judged"]) for one in found} == {("one", 0), ("two", 2)}
    refused = run("evaluate", "e.toml", "--judgements", "ada.json", "-o", "ada.json")
    assert refused.code == 2 and "also an input" in refused.err


def test_other_words_in_the_same_place_do_not_count(judged: Path, run: Run) -> None:
    for name in ("gold", "good", "poor"):
        path = judged.parent / f"{name}.txt"
        path.write_text(path.read_text().replace("Ada", "Eve"))
    assert "Ada" in GOLD
    outcome = run(*EVALUATE, "--judgements", "ada.json")
    assert "ada.json: 1 judgement left out: the words at their place differ" in outcome.out
    assert "poor overlap 2 1 0 0" in flat(outcome.out)


@pytest.mark.parametrize("form", ["text", "csv", "json", "markdown"])
def test_judged_reads_json_in_every_format(form: str, judged: Path, run: Run) -> None:
    outcome = run("judged", "ada.json", "--format", form)
    assert outcome.code == 0
    assert "overlap" in outcome.out and ("0.5" in outcome.out or "50.0" in outcome.out)
