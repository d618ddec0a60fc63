"""What a case of the table says, and the rules that hold for every one of them."""

import gzip
import json
import shlex
import stat
import tempfile
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from tests.cli.conftest import GOLD, GOOD, POOR, TRAIN, Outcome, Run

import nerscope as ns

Damage = Callable[[dict[str, Any]], object]


class Case(NamedTuple):
    """A command that must be refused (place and fact), or must give certain numbers."""

    id: str
    command: str
    place: str = ""
    fact: str = ""
    code: int = 2
    files: Mapping[str, str | bytes] = {}
    before: Callable[[Path], object] | None = None
    damage: Damage | None = None  # makes bad.json of good results
    numbers: Mapping[str, float] | None = None  # exact, all mentions, by metric
    out: str = ""  # what standard output must hold
    note: str = ""  # what standard error must hold
    makes: tuple[str, ...] = ()  # files that may be new or changed
    parser: bool = False  # the parser of the command line answers


def params(cases: Iterable[Case]) -> pytest.MarkDecorator:
    """All cases of a table, each once."""
    listed = list(cases)
    names = [case.id for case in listed]
    assert len(set(names)) == len(names), [name for name in names if names.count(name) > 1]
    return pytest.mark.parametrize("case", [pytest.param(case, id=case.id) for case in listed])


@cache
def results_bytes() -> bytes:
    """The results of two systems on the small data."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for file, text in [("train", TRAIN), ("gold", GOLD), ("good", GOOD), ("poor", POOR)]:
            (folder / f"{file}.txt").write_text(text, encoding="utf-8")
        results = ns.evaluate(
            folder / "gold.txt",
            {"good": [folder / "good.txt", folder / "gold.txt"], "poor": folder / "poor.txt"},
            train=folder / "train.txt",
            dataset="toy",
        )
        return results.to_json().replace(f"{folder}/", "").encode()


@cache
def format_1_bytes() -> bytes:
    """The same results in a file that nerscope 0.2.0 wrote."""
    return gzip.decompress((Path(__file__).parent / "results-format-1.json.gz").read_bytes())


def snapshot(folder: Path) -> dict[str, object]:
    """Every file with its content; what is computed for later is no output."""
    contents: dict[str, object] = {}
    for path in folder.rglob("*"):
        name = str(path.relative_to(folder))
        mode = path.lstat().st_mode
        if ".nerscope-cache" not in name:
            contents[name] = path.read_bytes() if stat.S_ISREG(mode) else stat.S_IFMT(mode)
    return contents


def check(case: Case, folder: Path, run: Run) -> None:
    """Run the command of a case, and hold what happens against all rules."""
    before = snapshot(folder)
    outcome = run(*shlex.split(case.command))
    assert "Traceback" not in outcome.err + outcome.out
    assert outcome.code == case.code, outcome
    after = snapshot(folder)
    for name in case.makes:
        assert name in after, f"{name} is not written"
        before.pop(name, None), after.pop(name, None)
    assert after == before, "something is written, or left behind"
    if case.code in (0, 1):
        check_numbers(case, outcome)
        assert case.out in outcome.out, outcome.out
        assert case.note in outcome.err, outcome.err
        assert "Fix" not in outcome.err
        return
    assert outcome.out == "", outcome.out
    if case.parser:
        assert "Error: " in outcome.err and case.fact in outcome.err, outcome.err
        return
    message = the_message(outcome.err)
    assert message.startswith(f"nerscope: {case.place}"), message
    assert case.fact in message, message
    assert len(message) < 3000, "a message is for people to read"


def the_message(printed: str) -> str:
    """The one line with place, fact and fix; notes may stand before it."""
    assert printed.endswith("\n")
    lines = [
        line for line in printed.split("\n") if line and not line.startswith("nerscope: note: ")
    ]
    lines = [line for line in lines if not line.startswith("nerscope: cache entry ")]
    assert len(lines) == 1, lines
    [message] = lines
    assert message.count(". Fix: ") == 1, message
    place, _, rest = message.removeprefix("nerscope: ").partition(": ")
    fact, _, fix = rest.partition(". Fix: ")
    assert place and fact and fix, message
    return message


def check_numbers(case: Case, outcome: Outcome) -> None:
    """The numbers that a case states are those that were printed."""
    if case.numbers is None:
        return
    shown = {
        row["metric"]: row["value"]
        for row in json.loads(outcome.out)["rows"]
        if (row["facet"], row["match"], row["unit"]) == ("all", "exact", "mention")
        and row["type"] is None
        and row["run"] is None
    }
    for metric, value in case.numbers.items():
        assert shown[metric] == pytest.approx(value, abs=1e-12), (metric, shown[metric], value)
