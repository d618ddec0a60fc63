"""No name in any file reaches a terminal with control characters in it, in any format."""

import json
from pathlib import Path

import pytest
from tests.cli.conftest import Run, forget_plugins, run

import nerscope as ns
from nerscope.errors import CONTROL, InputError, visible
from nerscope.testing import assert_gate

__all__ = ["forget_plugins", "run"]

ESCAPES = "\x1b[31m\x9b2J\u202e\x07\b\x1b]0;t\x1b\\\x7f"  # colours, clears, turns round, titles
TYPE, TOKEN, NAME = f"P{ESCAPES}", f"Ada{ESCAPES}", f"name{ESCAPES}"
FORMATS = ["text", "markdown", "latex", "csv", "json", "html", "conlleval", "junit", "github"]
GOLD = f"{TOKEN} B-{TYPE}\nmet O\nBob B-LOC\n\nBob B-{TYPE}\nfell O\n\n{TOKEN} I-LOC\nB B-LOC\n"
POOR = GOLD.replace("Bob B-LOC", f"Bob B-{TYPE}").replace(f"{TOKEN} I-LOC", f"{TOKEN} O")
R = f"results{ESCAPES}.json"
PLAN = (
    f'[datasets.{json.dumps(NAME)}]\ntrain = "train.txt"\ntest = "gold.txt"\n'
    f'[systems.{json.dumps(NAME)}]\nrecipe = "dictionary"\n'
    f"[systems.{json.dumps('x' + NAME)}]\ncommand = \"printf '\\\\033[2J'; exit 3; {{output}}\"\n"
)
COMMANDS: list[tuple[str, ...]] = [
    ("evaluate", "gold.txt", "--system", f"{NAME}=poor.txt", "--train", "train.txt", "--all"),
    ("evaluate", "gold.txt", "--system", f"{NAME}=poor.txt", "--dataset", NAME, "--intervals"),
    ("evaluate", "gold.txt", "--system", f"{NAME}=poor.txt", "--list", "confusion"),
    ("evaluate", "gold.txt", "--system", f"{NAME}=poor.txt", "--list", "types"),
    ("evaluate", "gold.txt", "--system", "s=poor.txt", "--train", "train.txt", "--list", "hard"),
    ("evaluate", "gold.txt", "--system", "s=poor.txt", "--map", f"{TYPE}={NAME}"),
    ("evaluate", "gold.txt", "--system", "s=poor.txt", "--drop", NAME),
    ("evaluate", "gold.txt", "--system", "s=poor.txt", "--facet", NAME),
    ("evaluate", "gold.txt", "--system", f"s={NAME}.txt"),
    ("evaluate", f"{NAME}.txt", "--system", "s=poor.txt"),
    ("evaluate", f"gold.txt::{NAME}=1", "--system", "s=poor.txt"),
    ("evaluate", "plan.toml"),
    ("evaluate", f"bad{ESCAPES}.txt", "--system", "s=poor.txt"),
    ("compare", R, "--all"),
    ("compare", R, "--changes"),
    ("compare", R, NAME, NAME),
    ("compare", R, "--type", NAME),
    ("diagnose", R, "--all", "--samples", "99"),
    ("show", R, "--all"),
    ("show", R, "--table", "types"),
    ("show", R, "--table", NAME),
    ("errors", R),
    ("errors", R, "--type", TYPE),
    ("errors", R, "--system", NAME),
    ("errors", R, "--kind", NAME),
    ("power", R),
    ("gate", R, "--floor", "99.9", "--type", TYPE),
    ("gate", R, "--floor", "1", "--baseline", R, "--max-drop", "1"),
    ("judged", "pairs.json"),
    ("judged", "pairs.json", "--by-type"),
    ("describe", "--test", "gold.txt", "--train", "train.txt", "--all"),
    ("describe", "--test", "gold.txt", "--train", "train.txt", "--list", "ambiguous"),
    ("validate", "gold.txt", f"bad{ESCAPES}.txt"),
    ("validate", "gold.txt", "--scheme", NAME),
    ("explain", "gold.txt", "--system", f"{NAME}=poor.txt"),
    ("explain", NAME),
    ("run", "plan.toml", "--dry-run"),
    ("run", "plan.toml", "--folder", f"runs{ESCAPES}"),
    ("split", "gold.txt", "--folds", "2", "-o", f"parts{ESCAPES}", "--allow-leaks"),
]
WITHOUT_FORMAT: list[tuple[str, ...]] = [
    ("convert", "gold.txt", f"out{ESCAPES}.txt", "--to", NAME),
    ("convert", f"{NAME}.txt", "out.txt", "--to", "bio"),
    ("convert", "gold.txt", f"out{ESCAPES}.nothing"),
    ("convert", "gold.txt", f"no{ESCAPES}/out.txt", "--to", "bio"),
    ("baseline", "--train", "train.txt", "--test", "gold.txt", "-o", f"out{ESCAPES}.txt"),
    ("baseline", "--train", "train.txt", "--test", "gold.txt", "-o", "o", "--recipe", NAME),
    ("init", f"folder{ESCAPES}"),
    ("init", "data"),
    ("plot", R, NAME, "-o", f"figure{ESCAPES}.svg"),
    ("plot", R, "forest", "-o", f"figure{ESCAPES}.xyz"),
    ("report", R, "-o", f"no{ESCAPES}/page.html"),
    ("report", NAME),
    ("--show-completion", NAME),
]


@pytest.fixture
def hostile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder in which everything that has a name has escapes in it."""
    monkeypatch.chdir(tmp_path)
    texts = {"train.txt": GOLD, "gold.txt": GOLD, "poor.txt": POOR, "plan.toml": PLAN}
    texts |= {f"bad{ESCAPES}.txt": f"{TOKEN} X-{TYPE}\n{TOKEN}\n"}
    pair = {"dataset": NAME, "system": NAME, "run": NAME, "gold": TOKEN, "predicted": TOKEN}
    texts["pairs.json"] = json.dumps([{**pair, "type": TYPE, "judgement": "right"}])
    (tmp_path / "data").mkdir()
    texts |= {f"data/test{ESCAPES}.txt": GOLD, f"data/a{ESCAPES}.txt": POOR}
    for name, text in texts.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    systems = {NAME: ["poor.txt", "gold.txt"], f"other {NAME}": "poor.txt"}
    ns.evaluate("gold.txt", systems, train="train.txt", dataset=NAME).save(R)
    return tmp_path


@pytest.mark.slow(quick=2)
@pytest.mark.parametrize("form", FORMATS)
def test_no_format_prints_control_characters(hostile: Path, run: Run, form: str) -> None:
    codes = []
    for command in COMMANDS:
        outcome = run(*command, "--format", form)
        assert not CONTROL.search(outcome.out), (command, outcome.out)
        assert not CONTROL.search(outcome.err), (command, outcome.err)
        assert outcome.code in (0, 1, 2, 3), outcome
        assert "internal error" not in outcome.err, (command, outcome.err)
        codes.append(outcome.code)
    assert codes.count(0) > (15 if form in FORMATS[:6] else 0), codes


@pytest.mark.parametrize("command", WITHOUT_FORMAT, ids=range(len(WITHOUT_FORMAT)))
def test_no_command_prints_control_characters(
    hostile: Path, run: Run, command: tuple[str, ...]
) -> None:
    outcome = run(*command)
    assert not CONTROL.search(outcome.out + outcome.err), outcome
    assert "internal error" not in outcome.err


@pytest.mark.parametrize(
    "command",
    [(NAME,), ("evaluate", f"--{NAME}"), ("evaluate", "gold.txt", NAME, NAME)],
    ids=["command", "option", "arguments"],
)
def test_the_parser_prints_no_escapes(run: Run, command: tuple[str, ...]) -> None:
    outcome = run(*command)  # it escapes control characters itself, but for marks of direction
    assert outcome.code == 2 and not CONTROL.search(outcome.err.replace("\u202e", ""))


def test_printed_json_keeps_the_data(hostile: Path, run: Run) -> None:
    printed = json.loads(run("show", R, "--format", "json").out)
    assert TYPE in {row["type"] for row in printed["rows"]}


def test_files_keep_the_data(hostile: Path, run: Run) -> None:
    command = ("evaluate", "gold.txt", "--system", f"{NAME}=poor.txt", "--errors", "e.csv")
    assert run(*command).code == 0
    assert TYPE in Path("e.csv").read_text(encoding="utf-8")


def test_messages_of_python_hold_no_control_characters(hostile: Path) -> None:
    with pytest.raises(InputError) as error:
        ns.evaluate(f"{NAME}.txt", {"s": "poor.txt"})
    assert not CONTROL.search(str(error.value)) and CONTROL.search(error.value.place)
    with pytest.raises(AssertionError) as failed:
        assert_gate(R, conditions=[{"metric": "f1", "floor": 99.9}])
    assert visible(NAME) in str(failed.value) and not CONTROL.search(str(failed.value))
