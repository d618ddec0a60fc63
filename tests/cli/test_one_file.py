"""One file with both gold and predictions: how it is read, named and refused."""

import gzip
import io
import json
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.cli.conftest import GOLD, POOR, Run

import nerscope
from nerscope.errors import UsageError


def with_columns(*columns: str) -> str:
    """Files of two columns as one: the tokens of the first, then the labels of each."""
    lines = []
    for parts in zip(*(text.split("\n") for text in columns), strict=True):
        token = parts[0].partition(" ")[0]
        lines.append(" ".join([token, *(part.rpartition(" ")[2] for part in parts if part)]))
    return "\n".join(line.strip() for line in lines)


BOTH = with_columns(GOLD, POOR)


def stored_plain(folder: Path) -> str:
    (folder / "bert.txt").write_text(BOTH)
    return "bert.txt"


def stored_packed(folder: Path) -> str:
    (folder / "bert.gz").write_bytes(gzip.compress(BOTH.encode(), mtime=0))
    return "bert.gz"


def stored_with_more_columns(folder: Path) -> str:
    (folder / "bert.conll").write_text(
        "\n".join(line.replace(" ", " NN ", 1) for line in BOTH.split("\n"))
    )
    return "bert.conll"


def stored_with_tabs(folder: Path) -> str:
    (folder / "bert.tsv").write_text(BOTH.replace(" ", "\t"))
    return "bert.tsv"


def numbers(rows: list[dict[str, Any]]) -> list[tuple[Any, ...]]:
    keys = ("run", "facet", "level", "type", "match", "metric", "value", "n")
    return [tuple(row[key] for key in keys) for row in rows]


def rows_of(run: Run, command: str) -> list[dict[str, Any]]:
    outcome = run(*shlex.split(command), "--format", "json")
    assert outcome.code == 0, outcome.err
    rows: list[dict[str, Any]] = json.loads(outcome.out)["rows"]
    return rows


@pytest.mark.parametrize(
    "stored", [stored_plain, stored_packed, stored_with_more_columns, stored_with_tabs]
)
@pytest.mark.parametrize("options", ["", "--train train.txt"])
def test_a_file_with_gold_and_predictions_is_enough(
    stored: Callable[[Path], str], options: str, data: Path, run: Run
) -> None:
    alone = rows_of(run, f"evaluate {stored(data)} {options}")
    apart = rows_of(run, f"evaluate gold.txt --system poor=poor.txt {options}")
    assert {(row["dataset"], row["system"]) for row in alone} == {("bert", "bert")}
    assert numbers(alone) == numbers(apart)


def test_standard_input_is_enough(data: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(BOTH.encode())))
    alone = rows_of(run, "evaluate - --dataset toy")
    apart = rows_of(run, "evaluate gold.txt --system poor=poor.txt")
    assert {(row["dataset"], row["system"]) for row in alone} == {("toy", "stdin")}
    assert numbers(alone) == numbers(apart)


def test_a_packed_text_file_gives_its_own_name(data: Path, run: Run) -> None:
    (data / "bert.txt.gz").write_bytes(gzip.compress(BOTH.encode(), mtime=0))
    rows = rows_of(run, "evaluate bert.txt.gz")
    assert {(row["dataset"], row["system"]) for row in rows} == {("bert", "bert")}


@pytest.mark.parametrize(
    ("command", "fact"),
    [
        ("evaluate gold.txt", "gold.txt: no system is given"),
        ("evaluate gold.txt --train train.txt", "gold.txt: no system is given"),
        ("evaluate short.txt", "short.txt:3: 2 space-separated columns where 3 are needed"),
        ("evaluate both.txt --system s=both.txt", "gold and system are the same column"),
        (
            "evaluate both.txt --system s=poor.txt --system t=both.txt",
            "gold and system are the same column",
        ),
        (
            "evaluate both.txt::label=2 --system s=both.txt::label=2",
            "gold and system are the same column",
        ),
    ],
)
def test_what_is_gold_and_what_is_predicted_must_be_clear(
    command: str, fact: str, data: Path, run: Run
) -> None:
    (data / "both.txt").write_text(BOTH)
    (data / "short.txt").write_text("Ada B-PER O\nmet O O\nBob O\n")
    outcome = run(*shlex.split(command))
    assert (outcome.code, outcome.out) == (2, "")
    assert fact in outcome.err and "Fix: " in outcome.err


def test_columns_may_be_told_apart_by_hand(data: Path, run: Run) -> None:
    (data / "both.txt").write_text(BOTH)
    told = rows_of(run, "evaluate both.txt::label=1 --system poor=both.txt::label=2")
    assert numbers(told) == numbers(rows_of(run, "evaluate both.txt"))


def test_a_two_column_file_may_be_its_own_system(data: Path, run: Run) -> None:
    rows = rows_of(run, "evaluate gold.txt --system self=gold.txt --metric f1 --match exact")
    assert {row["value"] for row in rows} == {1.0}


def test_the_list_of_hard_tokens_rests_on_the_gold_column(data: Path, run: Run) -> None:
    (data / "both.txt").write_text(BOTH)
    alone = run(*shlex.split("evaluate both.txt --train train.txt --list hard"))
    apart = run(*shlex.split("evaluate gold.txt --system s=poor.txt --train train.txt --list hard"))
    assert (alone.code, apart.code) == (0, 0)
    assert alone.out.replace("both.txt", "gold.txt") == apart.out


def test_the_list_of_hard_tokens_can_be_had_of_standard_input(
    data: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(BOTH.encode())))
    outcome = run(*shlex.split("evaluate - --train train.txt --list hard"))
    assert outcome.code == 0, outcome.err


def test_the_list_of_hard_tokens_knows_renamed_types(data: Path, run: Run) -> None:
    (data / "train.txt").write_text("Paris B-PER\nOslo B-PER\n")  # other types than in gold
    for name in ("gold", "train"):
        text = (data / f"{name}.txt").read_text()
        (data / f"{name}-new.txt").write_text(text.replace("-LOC", "-PER"))
    told = run(
        *shlex.split("evaluate gold.txt --system s=poor.txt --train train.txt --list hard"),
        *shlex.split("--map LOC=PER"),
    )
    rewritten = run(
        *shlex.split("evaluate gold-new.txt --system s=gold-new.txt --train train-new.txt"),
        *shlex.split("--list hard"),
    )
    assert (told.code, rewritten.code) == (0, 0)
    words = [text.replace("gold-new.txt", "gold.txt").split() for text in (told.out, rewritten.out)]
    first, second = ([word for word in side if "─" not in word] for side in words)
    assert first == second


def test_python_takes_such_a_file_and_refuses_sentences_alone(data: Path) -> None:
    (data / "bert.txt").write_text(BOTH)
    results = nerscope.evaluate("bert.txt")
    assert results.systems == ["bert"]
    assert results.value(metric="recall") == pytest.approx(3 / 6)
    assert nerscope.evaluate(io.StringIO(BOTH)).value(metric="recall") == pytest.approx(3 / 6)
    with pytest.raises(UsageError, match="no system is given"):
        nerscope.evaluate([(["Ada"], ["B-PER"])])
