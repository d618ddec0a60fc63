"""`run`, `baseline` and `recipes` on the command line."""

import json
from pathlib import Path

import pytest

from .conftest import GOLD, Run

DATA = '[datasets.toy]\ntrain = "train.txt"\ntest = "gold.txt"\n'
MEMORY = '[systems.memory]\nrecipe = "dictionary"\nseeds = [1, 2]\n'


def test_a_dry_run_lists_runs_counts_jobs_and_writes_nothing(data: Path, run: Run) -> None:
    (data / "plan.toml").write_text(DATA + MEMORY)
    outcome = run("run", "plan.toml", "--dry-run")
    assert outcome.out.startswith("2 runs; 1 job to do")  # there is no chance in it
    assert not (data / "nerscope-runs").exists()


def test_a_plan_is_shown_in_the_format_of_a_plugin(data: Path, run: Run) -> None:
    (data / "plan.toml").write_text(DATA + MEMORY)
    plugin = 'import nerscope\nnerscope.register_output("tables", lambda document: "Runs!\\n")\n'
    (data / "tables.py").write_text(plugin)
    outcome = run("run", "plan.toml", "--dry-run", "--plugin", "tables.py", "--format", "tables")
    assert (outcome.code, outcome.out) == (0, "Runs!\n"), outcome.err


def test_jobs_are_in_the_results_with_their_cost(data: Path, run: Run) -> None:
    (data / "plan.toml").write_text(DATA + MEMORY)
    outcome = run("run", "plan.toml", "-o", "results.json", "--report", "page.html")
    assert outcome.code == 0, outcome.err
    assert "Training" in outcome.out
    jobs = json.loads((data / "results.json").read_text())["jobs"]
    assert [(one["system"], one["seed"], one["run"]) for one in jobs] == [
        ("memory", 1, "1"),
        ("memory", 2, "2"),
    ]
    assert (data / "page.html").exists()


def test_a_plan_with_nothing_to_train_is_an_experiment(data: Path, run: Run) -> None:
    (data / "plan.toml").write_text(DATA + '[systems]\ngood = "good.txt"\n')
    outcome = run("run", "plan.toml")
    assert outcome.code == 0, outcome.err
    assert "Training" not in outcome.out
    assert run("run", "plan.toml", "--dry-run").out == "0 runs; 0 jobs to do\n"


@pytest.mark.slow
def test_a_failed_job_makes_the_exit_code_1(data: Path, run: Run) -> None:
    bad = '[systems.bad]\ncommand = "exit 4; {output}"\n'
    (data / "plan.toml").write_text(DATA + MEMORY + bad)
    outcome = run("run", "plan.toml")
    assert outcome.code == 1
    assert "1 of 3 jobs failed (bad on toy, seed 1)" in outcome.out


def test_results_never_overwrite_an_output_that_is_read(data: Path, run: Run) -> None:
    (data / "plan.toml").write_text(DATA + '[systems]\ngood = "good.txt"\n')
    before = (data / "good.txt").read_text()
    assert run("run", "plan.toml", "-o", "good.txt").code == 2
    assert (data / "good.txt").read_text() == before


def test_a_baseline_changes_labels_and_nothing_else(data: Path, run: Run) -> None:
    arguments = ("--train", "train.txt", "--test", "gold.txt", "-o", "out.txt")
    outcome = run("baseline", *arguments, "--recipe", "dictionary")
    assert outcome.code == 0, outcome.err
    assert "nerscope evaluate gold.txt --train train.txt --system dictionary=out.txt" in outcome.out
    lines = [(data / "out.txt").read_text().split("\n"), GOLD.split("\n")]
    words = [[line.rpartition(" ")[0] for line in side] for side in lines]
    assert words[0] == words[1]
    assert lines[0] != lines[1]


@pytest.mark.parametrize(
    ("options", "fact"),
    [
        (("--recipe", "none"), "unknown recipe"),
        (("--option", "rounds=0"), "whole number from 1"),
        (("--option", "turns=3"), "has no option 'turns'"),
        (("--seed", "-5"), "seed"),
    ],
)
def test_a_baseline_that_cannot_be_is_refused(
    data: Path, run: Run, options: tuple[str, ...], fact: str
) -> None:
    outcome = run("baseline", "--train", "train.txt", "--test", "gold.txt", "-o", "o.txt", *options)
    assert outcome.code == 2
    assert fact in outcome.err
    assert not (data / "o.txt").exists()


def test_recipes_are_listed_with_their_options(run: Run) -> None:
    found = json.loads(run("recipes", "--format", "json").out)["recipes"]
    names = [one["name"] for one in found]
    assert names[:8] == [
        *("dictionary", "lookup", "perceptron", "crf", "spacy", "bilstm", "transformer", "flair"),
    ]
    bilstm = {one["name"]: one for one in found[5]["options"]}
    assert bilstm["characters"]["choices"] == ["cnn", "lstm", "none"]
    assert bilstm["encoder"]["choices"] == ["lstm", "cnn"]


def test_a_baseline_learns_from_all_training_files(data: Path, run: Run) -> None:
    """Every --train counts; only the last one used to, without a word."""
    (data / "first.txt").write_text("Lovelace B-PER\n")
    (data / "second.txt").write_text("France B-LOC\n")
    training = "--train first.txt --train second.txt"
    command = f"baseline {training} --test gold.txt -o out.txt --recipe dictionary"
    outcome = run(*command.split())
    assert outcome.code == 0, outcome.err
    written = (data / "out.txt").read_text()
    assert "Lovelace B-PER" in written
    assert "France B-LOC" in written
    assert f"nerscope evaluate gold.txt {training} --system" in outcome.out


def test_an_output_is_never_one_of_several_training_files(data: Path, run: Run) -> None:
    command = "baseline --train train.txt --train good.txt --test gold.txt -o train.txt"
    assert run(*command.split()).code == 2
