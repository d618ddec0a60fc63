"""The command `agree`: what it prints, writes and refuses."""

import csv
import io
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.annotation.test_agree_numbers import TYPES, draw_project, write

import nerscope as ns
from nerscope.render.agreement import agreement_document
from nerscope.results.explanations import explain

Command = Any


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    """The files of four annotators."""
    seed = next(seed for seed in range(99) if len(draw_project(seed)[0]) == 4)
    return [str(path) for path in write(tmp_path, *draw_project(seed)).values()]


def agree(*arguments: str, code: int = 0) -> subprocess.CompletedProcess[str]:
    """Run the command in a terminal of 80 columns."""
    finished = subprocess.run(
        [sys.executable, "-m", "nerscope", "agree", *arguments],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert finished.returncode == code, finished.stderr
    assert "Traceback" not in finished.stderr
    return finished


def test_the_first_screen_fits(files: list[str]) -> None:
    lines = agree(*files).stdout.splitlines()
    assert len(lines) <= 40
    assert max(map(len, lines)) <= 80
    assert "4 annotators" in lines[0]


@pytest.mark.parametrize("form", ["markdown", "latex"])
def test_tables_are_written_in_other_formats(files: list[str], form: str) -> None:
    assert "Krippendorff" in agree(*files, "--format", form, "--all").stdout


def test_json_and_csv_hold_every_number(files: list[str]) -> None:
    data = json.loads(agree(*files, "--format", "json").stdout)
    rows = list(csv.DictReader(io.StringIO(agree(*files, "--format", "csv").stdout)))
    assert len(rows) == len(data["rows"])
    keys = ["a", "b", "measure", "unit", "facet", "level", "type", "match", "value", "low", "high"]
    assert list(data["rows"][0]) == [*keys, "n"]
    assert set(data["texts"]) == {Path(name).stem for name in files}
    assert list(data["shared"][0]) == ["a", "b", "n"]


def test_saved_agreement_is_shown_again(files: list[str], tmp_path: Path) -> None:
    path = tmp_path / "agreement.json"
    printed = agree(*files, "-o", str(path)).stdout
    shown = subprocess.run(
        [sys.executable, "-m", "nerscope", "show", str(path)],
        capture_output=True,
        text=True,
        check=True,
    )
    assert shown.stdout == printed
    given = {Path(name).stem: name for name in files}
    assert ns.Agreement.load(path).to_json() == ns.agree(given).to_json()
    refused = subprocess.run(
        [sys.executable, "-m", "nerscope", "show", str(path), "--table", "exact"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert refused.returncode == 2
    assert "has no tables to choose from" in refused.stderr


def test_written_files_are_named(files: list[str], tmp_path: Path) -> None:
    page, saved = str(tmp_path / "page.html"), str(tmp_path / "agreement.json")
    for more in ([], ["--disagreements"]):
        said = agree(*files, *more, "--report", page, "-o", saved).stderr
        assert f"wrote {saved}, {page}" in said
    assert "wrote" not in agree(*files, "-o", saved, "--quiet").stderr
    assert "wrote" not in agree(*files).stderr


def test_disagreements_are_listed(files: list[str]) -> None:
    given = {Path(name).stem: name for name in files}
    found = ns.agree(given).disagreements
    listed = json.loads(agree(*files, "--disagreements", "--format", "json").stdout)
    assert [(row["sentence"], row["kind"]) for row in listed] == [
        (row.sentence, row.kind) for row in found
    ]
    kind = found[0].kind
    chosen = json.loads(agree(*files, "--disagreements", "--kind", kind, "--format", "json").stdout)
    assert {row["kind"] for row in chosen} == {kind}
    text = agree(*files, "--disagreements", "--sample", "1", "--width", "60").stdout
    assert "Disagreements by kind" in text
    assert max(map(len, text.splitlines())) <= 80


def test_without_text_disagreements_have_places(files: list[str]) -> None:
    text = agree(*files, "--disagreements", "--no-text").stdout
    assert "t0w0" not in text
    assert ".jsonl:" in "".join(text.split())  # long paths are wrapped


def words_behind_colon(text: str) -> list[str]:
    """The words after the first colon; a long path before it may end its line."""
    return " ".join(text.split()).partition(": ")[2].split()


def test_gold_is_written_or_only_described(files: list[str], tmp_path: Path) -> None:
    out = tmp_path / "gold.conll"
    described = agree(*files, "--majority", "--dry-run").stdout
    assert "nothing written" in described
    assert not out.exists()
    written = agree(*files, "--majority", "-o", str(out)).stdout
    assert words_behind_colon(written) == words_behind_colon(described)
    assert ns.read(out)
    decisions = tmp_path / "decisions.json"
    decisions.write_text('{"nerscope_decisions": 1, "items": []}')
    assert "wrote" in agree(*files, "--apply", str(decisions), "-o", str(out)).stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--majority"], "no file for the gold is given"),
        (["--dry-run"], "there is nothing to write"),
        (["--majority", "--apply", "x.json", "-o", "y.conll"], "the rest is by majority"),
        (["--kind", "wrong"], "unknown name 'wrong'"),
        (["--most", "-1"], "invalid value -1"),
        (["--sample", "0", "--disagreements"], "invalid value 0"),
        (["--seed", "-1", "--disagreements"], "invalid value -1"),
        (["--workers", "0"], "invalid value 0"),
    ],
)
def test_bad_usage_is_one_message(files: list[str], arguments: list[str], message: str) -> None:
    assert message in agree(*files, *arguments, code=2).stderr


def test_inputs_are_never_outputs(files: list[str]) -> None:
    before = Path(files[0]).read_bytes()
    assert "also an input" in agree(*files, "--majority", "-o", files[0], code=2).stderr
    assert Path(files[0]).read_bytes() == before


def test_names_are_those_given_or_of_the_files(files: list[str]) -> None:
    first, second, *_ = files
    data = json.loads(agree(f"me={first}", second, "--format", "json").stdout)
    assert list(data["texts"]) == ["me", Path(second).stem]
    assert "another file has the same name" in agree(f"x={first}", f"x={second}", code=2).stderr
    twice = agree(first, second, "--system", f"s={first}", "--system", f"s={second}", code=2)
    assert "a system has several outputs here" in twice.stderr


def test_everything_on_the_screen_is_explained(files: list[str]) -> None:
    """Titles and headings of all tables, and the measures."""
    given = {Path(name).stem: name for name in files[:3]}
    agreement = ns.agree(given, systems={"copy": files[3]})
    document = agreement_document(agreement, everything=True)
    names = {*agreement.annotators, *agreement.systems, *TYPES, "(none)", "", "first", "second"}
    for table in document.tables:
        texts = {table.title, *table.header, *(row[0].text for row in table.rows)}
        for text in sorted(texts - names):
            assert explain(text), text
    for line in (*document.opening, "intervals over only 8 texts are rough"):
        assert explain(line), line
