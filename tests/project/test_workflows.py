"""What others run by name: workflows, hooks and the citation file say only what exists."""

import os
import re
import shlex
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import typer
import yaml

import nerscope as ns
from nerscope.cli.main import application
from nerscope.version import VERSION

ROOT = Path(__file__).resolve().parents[2]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
COMMANDS = typer.main.get_command(application()).commands  # type: ignore[attr-defined]
SETUP = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
PROJECT, COVERAGE = SETUP["project"], SETUP["tool"]["coverage"]


def read(path: Path) -> Any:
    return yaml.safe_load(path.read_text(encoding="utf-8"))


def scripts() -> Iterator[Any]:
    """Every line that a workflow runs, with its file."""
    for path in WORKFLOWS:
        for job in read(path)["jobs"].values():
            for step in job["steps"]:
                for line in step.get("run", "").strip().split("\n"):
                    if line:
                        yield pytest.param(line, id=f"{path.stem}: {line[:40]}")


def unknown_options(words: list[str]) -> list[str]:
    """What a call of nerscope asks for and is not there."""
    command = COMMANDS[words[1]]
    known = {option for parameter in command.params for option in parameter.opts}
    return [word for word in words if word.startswith("--") and word not in known]


@pytest.mark.parametrize("line", list(scripts()))
def test_what_workflows_run_is_there(line: str) -> None:
    words = shlex.split(re.sub(r"\$\{(\w+):\+([^}]*)\}", r"\2", line))
    words = [word for word in words if not re.match(r"[A-Z]+=", word)]
    program, *rest = words
    assert program in ("python", "make", "nerscope")
    if program == "nerscope":
        assert unknown_options(words) == []
    elif program == "make":
        targets = re.findall(r"(?m)^([\w-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"))
        assert rest[0] in targets
    else:
        assert rest[0] == "-m" and (rest[1] == "pip" or find_spec(rest[1]))
    for flag, file in pairwise(words):
        assert flag != "-r" or (ROOT / file).is_file()


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_workflows_may_read_and_no_more(path: Path) -> None:
    assert read(path)["permissions"] == {"contents": "read"}


def test_every_system_and_python_that_is_promised_is_tried() -> None:
    matrix = read(ROOT / ".github/workflows/tests.yml")["jobs"]["tests"]["strategy"]["matrix"]
    assert {name.partition("-")[0] for name in matrix["os"]} == {"ubuntu", "macos", "windows"}
    promised = re.findall(r"Python :: (3\.\d+)", "\n".join(PROJECT["classifiers"]))
    assert matrix["python"] == promised
    assert PROJECT["requires-python"] == f">={promised[0]}"


def test_coverage_is_held_against_its_floor_somewhere() -> None:
    jobs = read(ROOT / ".github/workflows/tests.yml")["jobs"]
    assert {"run": "make coverage"} in jobs["coverage"]["steps"]
    assert COVERAGE["report"]["fail_under"] > 90


def gate_step() -> dict[str, Any]:
    steps: list[dict[str, Any]] = read(ROOT / ".github/workflows/gate.yml")["jobs"]["gate"]["steps"]
    return next(step for step in steps if "nerscope gate" in step.get("run", ""))


def test_inputs_of_the_gate_reach_the_script_as_variables_only() -> None:
    step = gate_step()
    assert "${{" not in step["run"]
    inputs = read(ROOT / ".github/workflows/gate.yml")[True]["workflow_call"]["inputs"]  # `on`
    used = {value.split("inputs.")[1].split()[0] for value in step["env"].values()}
    assert used == {"results", "baseline", "conditions", "options"} <= set(inputs)


@pytest.fixture
def two_results(tmp_path: Path) -> Path:
    gold = [(["Ada", "met", "Bob"], ["B-PER", "O", "B-PER"])] * 30
    right, half = [["B-PER", "O", "B-PER"]] * 30, [["B-PER", "O", "O"]] * 30
    ns.evaluate(gold, {"ner": right}, dataset="d").save(tmp_path / "old.json")
    ns.evaluate(gold, {"ner": half}, dataset="d").save(tmp_path / "new results.json")
    (tmp_path / "gate.toml").write_text('[[condition]]\nmetric = "precision"\nfloor = 90\n')
    return tmp_path


@pytest.mark.slow(quick=1)
@pytest.mark.parametrize(
    ("inputs", "code", "beginning"),
    [
        ({"BASELINE": "old.json"}, 1, "::error title="),
        (
            {"BASELINE": "old.json", "OPTIONS": "--metric precision --max-drop 20"},
            0,
            "::notice title=",
        ),
        ({"CONDITIONS": "gate.toml"}, 0, "::notice title="),
        ({"OPTIONS": "--floor 90 --metric recall"}, 1, "::error title="),
        ({"BASELINE": "$(touch bad)"}, 2, ""),
    ],
)
def test_the_gate_of_the_workflow_judges(
    two_results: Path, inputs: dict[str, str], code: int, beginning: str
) -> None:
    empty = dict.fromkeys(gate_step()["env"], "")
    script = f'nerscope() {{ "{sys.executable}" -m nerscope "$@"; }}\n{gate_step()["run"]}'
    done = subprocess.run(
        ["bash", "-ec", script],
        cwd=two_results,
        env={**os.environ, **empty, "RESULTS": "new results.json", **inputs},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert (done.returncode, done.stdout[: len(beginning)]) == (code, beginning), done.stderr
    assert not (two_results / "bad").exists()


HOOK = read(ROOT / ".pre-commit-hooks.yaml")[0]


@pytest.mark.slow(quick=1)
@pytest.mark.parametrize(
    ("arguments", "files", "code"),
    [
        ([], ["good.conll"], 0),
        ([], ["good.conll", "odd.conll"], 0),  # by looking: in iob1
        (["--scheme", "bio"], ["good.conll", "odd.conll"], 1),
        ([], ["none.conll"], 2),
    ],
)
def test_the_hook_takes_files(
    tmp_path: Path, arguments: list[str], files: list[str], code: int
) -> None:
    (tmp_path / "good.conll").write_text("Ada B-PER\nByron I-PER\n")
    (tmp_path / "odd.conll").write_text("a O\nb I-PER\nc B-PER\nd I-PER\n")
    entry = [sys.executable, "-m", *shlex.split(HOOK["entry"])]
    done = subprocess.run(
        [*entry, *arguments, *files], cwd=tmp_path, capture_output=True, encoding="utf-8"
    )
    assert done.returncode == code, done.stdout + done.stderr
    assert ("odd.conll:2: I-PER after O" in done.stdout) == (code == 1)


@pytest.mark.parametrize(
    ("name", "taken"),
    [
        ("data/train.conll", True),
        ("a.bio", True),
        ("a.iob2", True),
        ("a.txt", False),
        ("treebank.conllu", False),  # most have no entities, and cannot be checked
        ("bio", False),
    ],
)
def test_the_hook_knows_its_files_by_their_endings(name: str, taken: bool) -> None:
    assert bool(re.search(HOOK["files"], name)) == taken


def test_the_page_names_the_hook_as_it_is() -> None:
    page = (ROOT / "docs" / "pre-commit.md").read_text(encoding="utf-8")
    assert f"- id: {HOOK['id']}\n" in page
    assert HOOK["entry"].split()[1] in COMMANDS


CITATION = read(ROOT / "CITATION.cff")


def test_the_citation_is_of_this_version() -> None:
    assert (CITATION["cff-version"], CITATION["title"]) == ("1.2.0", PROJECT["name"])
    assert (CITATION["version"], CITATION["license"]) == (VERSION, PROJECT["license"])
    assert {"message", "authors", "type"} <= set(CITATION)


@pytest.mark.parametrize("paper", CITATION["references"], ids=lambda paper: paper["title"][:20])
def test_every_paper_is_cited_alike(paper: dict[str, Any]) -> None:
    """In the citation file, on its own page, and with the measure."""
    page = re.sub(r"[{}]", "", (ROOT / "docs" / "citing.md").read_text(encoding="utf-8"))
    measures = "".join(
        path.read_text(encoding="utf-8") for path in (ROOT / "docs" / "measures").glob("*.md")
    )
    assert paper["title"] in page and paper["title"] in re.sub(r"\s+", " ", measures)
    authors = [f"{author['family-names']}, {author['given-names']}" for author in paper["authors"]]
    assert " and ".join(authors) in page
    if "start" in paper:
        assert f"{paper['start']}--{paper['end']}" in page
        assert f"{paper['start']}–{paper['end']}" in measures


def test_what_is_said_of_security_holds() -> None:
    """Nothing is unpickled or evaluated."""
    words = re.compile(r"^\s*import pickle|\bpickle\.loads?\(|(?<![\w.])(?:eval|exec)\(", re.M)
    sources = (ROOT / "src").rglob("*.py")
    unpicklers = {path.name for path in sources if words.search(path.read_text(encoding="utf-8"))}
    assert unpicklers == set()
