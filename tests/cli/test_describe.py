"""`nerscope describe`: one file, several files, a dataset, lists, and what does not go together."""

import json
from pathlib import Path

import pytest
from tests.cli.conftest import Run

DATASET = "describe --train train.txt --test gold.txt"


@pytest.mark.parametrize(
    ("command", "splits"),
    [
        ("describe gold.txt", ["gold.txt"]),
        ("describe gold.txt train.txt poor.txt", ["gold.txt", "train.txt", "poor.txt"]),
        ("describe gold.txt::label=1 train.txt", ["gold.txt::label=1", "train.txt"]),
        ("describe --train train.txt", ["train"]),
        (DATASET, ["train", "test"]),
        ("describe --test gold.txt --train train.txt --dev good.txt", ["train", "dev", "test"]),
    ],
)
def test_what_is_described(command: str, splits: list[str], data: Path, run: Run) -> None:
    outcome = run(*command.split(), "--format", "json")
    assert outcome.code == 0, outcome.err
    found = json.loads(outcome.out)
    assert list(found["splits"]) == list(found["mentions"]) == splits
    assert bool(found["rows"]) == (len(splits) > 1 and "train" in splits)
    for form in ("text", "markdown", "latex", "csv"):
        assert run(*command.split(), "--format", form).code == 0


@pytest.mark.parametrize(
    ("name", "first"),
    [
        ("hard", "test,hard,unseen-I,France,1,–,gold.txt:13"),
        ("ambiguous", 'train,Paris,2,"LOC 1, PER 1","LOC train.txt:9, PER train.txt:8"'),
        ("inconsistent", ""),
        ("unannotated", ""),
        ("duplicates", ""),
    ],
)
def test_a_list_comes_instead_of_the_page(name: str, first: str, data: Path, run: Run) -> None:
    lines = run(*DATASET.split(), "--list", name, "--format", "csv").out.splitlines()
    assert (lines[1] if len(lines) > 1 else "") == first
    [found] = json.loads(run(*DATASET.split(), "--list", name, "--format", "json").out)
    assert found.keys() == {"title", "rows"}


def test_several_lists_come_one_after_the_other(data: Path, run: Run) -> None:
    out = run(*DATASET.split(), "--list", "hard", "--list", "ambiguous").out
    assert out.index("Hard tokens") < out.index("Mentions with two or more types")


def test_all_shows_what_the_page_leaves_out(data: Path, run: Run) -> None:
    assert "strictly" not in run(*DATASET.split()).out
    assert "strictly" in run(*DATASET.split(), "--all").out


@pytest.mark.parametrize(
    ("command", "place", "fact"),
    [
        ("describe", "describe", "no data is given"),
        ("describe gold.txt --train train.txt", "--train", "this option cannot be used with files"),
        ("describe gold.txt --test good.txt", "--test", "this option cannot be used with files"),
        (f"{DATASET} --list hart", "--list", "unknown name 'hart'. Fix: did you mean 'hard'?"),
        (
            "describe gold.txt --list hard",
            "--list hard",
            "this list compares test data with training",
        ),
        (
            "describe --train gold.txt --list inconsistent",
            "--list inconsistent",
            "this list compares test",
        ),
        ("describe none.txt", "none.txt", "no such file"),
    ],
)
def test_what_does_not_go_together(
    command: str, place: str, fact: str, data: Path, run: Run
) -> None:
    outcome = run(*command.split())
    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.err.startswith(f"nerscope: {place}: {fact}")


def test_several_training_files_are_one_training_set(data: Path, run: Run) -> None:
    """Every --train counts; only the last one used to, without a word."""
    sentences = (data / "train.txt").read_text().strip().split("\n\n")
    for number, sentence in enumerate(sentences):
        (data / f"part{number}.txt").write_text(sentence + "\n")
    parts = [word for number in range(3) for word in ("--train", f"part{number}.txt")]
    joined = json.loads(run("describe", *parts, "--test", "gold.txt", "--format", "json").out)
    whole = json.loads(run(*DATASET.split(), "--format", "json").out)
    assert joined["splits"]["train"].pop("name") == "part0.txt + part1.txt + part2.txt"
    del whole["splits"]["train"]["name"]
    # Places name the files as they were given.
    for row in (*joined["ambiguous"], *whole["ambiguous"]):
        del row["places"]
    assert joined == whole


def test_a_split_without_training_data_is_described_by_itself(data: Path, run: Run) -> None:
    outcome = run("describe", "--test", "gold.txt")
    assert outcome.code == 0 and outcome.out.startswith("Size: number (%)")
    assert "new" not in outcome.out.partition("type")[0]
    both = run("describe", "--dev", "gold.txt", "--test", "good.txt", "--format", "json")
    assert list(json.loads(both.out)["splits"]) == ["dev", "test"]
