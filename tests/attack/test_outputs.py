"""Outputs that would destroy something, or cannot be written; an output is whole or not there."""

from pathlib import Path

import pytest
from tests.attack.conftest import Attack
from tests.attack.harness import Case, params

E = "evaluate gold.txt --system good=good.txt --train train.txt"
FACT = "this file is also an input, or another output"
EXPERIMENT = '[datasets.toy]\ntest = "gold.txt"\n[systems]\ngood = "good.txt"\n[settings]\n'
FILES = {"mine.py": "", "e.toml": EXPERIMENT + "samples = 20\n"}


def links(folder: Path) -> None:
    """Other names of the inputs."""
    (folder / "link.txt").symlink_to("gold.txt")
    (folder / "hard.txt").hardlink_to(folder / "gold.txt")
    (folder / "d").mkdir()
    (folder / "d.csv").mkdir()
    (folder / "nowhere.txt").symlink_to("no/where")


def same(name: str, command: str) -> Case:
    """An output that is an input."""
    return Case(name, command, "", FACT, files=FILES, before=links)


def refused(name: str, command: str, place: str, fact: str, code: int = 2) -> Case:
    """An output that cannot be."""
    return Case(name, command, place, fact, code, files=FILES, before=links)


OUTPUTS = [
    same("gold", f"{E} -o gold.txt"),
    same("system", f"{E} -o good.txt"),
    same("train", f"{E} -o train.txt"),
    same("dotted", f"{E} -o ./d/../gold.txt"),
    same("symlink", f"{E} -o link.txt"),
    same("hard-link", f"{E} -o hard.txt"),
    same("plugin", f"{E} --plugin mine.py -o mine.py"),
    same("errors-gold", f"{E} --errors gold.txt"),
    same("both", f"{E} -o a.csv --errors a.csv"),
    same("both-dotted", f"{E} -o a.csv --errors ./a.csv"),
    same("options", "evaluate gold.txt::label=1 --system s=good.txt::label=1 -o good.txt"),
    same("experiment", "evaluate e.toml -o e.toml"),
    same("experiment-gold", "evaluate e.toml -o gold.txt"),
    same("experiment-plugin", "evaluate e.toml --plugin mine.py -o mine.py"),
    same("convert", "convert gold.txt gold.txt --to bioes"),
    same("convert-link", "convert gold.txt link.txt --to bioes"),
    same("convert-hard", "convert link.txt hard.txt --to bioes"),
    same("convert-options", "convert gold.txt::label=1 ./gold.txt --to bioes"),
    same("convert-plugin", "convert gold.txt mine.py --to bio --plugin mine.py"),
    refused("folder", f"{E} -o d", "d", "this is a folder"),
    refused("folder-slash", f"{E} -o d/", "d/", "this is a folder"),
    refused("missing", f"{E} -o no/x.json", "no/x.json", "its folder does not exist"),
    refused("below-a-file", f"{E} -o gold.txt/x.json", "gold.txt/x.json", "folder does not exist"),
    refused("errors-folder", f"{E} --errors d.csv", "d.csv", "this is a folder"),
    refused("errors-missing", f"{E} --errors no/x.csv", "no/x.csv", "its folder does not exist"),
    refused("empty", f"{E} -o ''", "", ""),
    refused("errors-empty", f"{E} --errors ''", "", ""),
    refused("dangling", f"{E} -o nowhere.txt", "nowhere.txt", ""),
    refused("long", f"{E} -o {'x' * 300}", "x", "it cannot be written (File name too long)"),
    refused("full", f"{E} -o /dev/full", "/dev/full", "No space left on device", 3),
    refused("errors-full", f"{E} --errors /dev/full", "/dev/full", "the ending"),
    refused("convert-full", "convert gold.txt /dev/full --to bio", "/dev/full", "No space", 3),
    refused("convert-folder", "convert gold.txt d --to bio", "d", "this is a folder"),
    refused("convert-missing", "convert gold.txt no/x --to bio", "no/x", "its folder does not"),
    refused("convert-empty", "convert gold.txt '' --to bio", "", ""),
    refused("experiment-folder", "evaluate e.toml -o d", "d", "this is a folder"),
    refused("experiment-missing", "evaluate e.toml -o no/x", "no/x", "its folder does not exist"),
    refused("experiment-full", "evaluate e.toml -o /dev/full", "/dev/full", "No space", 3),
    refused("second-fails", f"{E} -o o.json --errors {'x' * 300}.csv", "x", "File name too long"),
    refused("proc", f"{E} -o /proc/nerscope.json", "/proc/nerscope.json", ""),
    Case("null", f"{E} -o /dev/null", code=0),
    Case("convert-null", "convert gold.txt /dev/null --to bioes", code=0),
    Case("written", f"{E} -o o.json", code=0, makes=("o.json",)),
]


@params(OUTPUTS)
def test_outputs(case: Case, attack: Attack) -> None:
    attack(case)


@params(
    [
        refused("closed", f"{E} -o o.json", "o.json", "its folder is not writable"),
        refused("closed-errors", f"{E} --errors o.csv", "o.csv", "its folder is not writable"),
        refused(
            "closed-convert",
            "convert gold.txt o.txt --to bio",
            "o.txt",
            "its folder is not writable",
        ),
        refused(
            "closed-experiment", "evaluate e.toml -o o.json", "o.json", "its folder is not writable"
        ),
    ]
)
def test_folders_that_may_not_be_written(
    case: Case, attack: Attack, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("os.access", lambda path, mode: False)  # a superuser may write anywhere
    attack(case)
