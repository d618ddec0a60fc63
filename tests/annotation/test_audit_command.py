"""`nerscope audit`: what it prints and writes."""

import json
from pathlib import Path

import pytest
from tests.annotation.audit_data import as_conll, make_data
from tests.cli.conftest import Run, run  # noqa: F401  # the fixture

SYSTEMS = ("--system", "system0=system0.conll", "--system", "system1=system1.conll")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    made = make_data(100, 0.08)
    for name, spans in {"gold": made.gold, **made.systems}.items():
        (tmp_path / f"{name}.conll").write_text(as_conll(made, spans), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_first_screen_fits_a_terminal(folder: Path, run: Run) -> None:  # noqa: F811
    outcome = run("audit", "gold.conll", *SYSTEMS)
    assert outcome.code == 0 and outcome.err == ""
    lines = outcome.out.split("\n")
    assert lines[0].startswith("gold.conll: 100 sentences, ")
    assert len(lines) <= 40
    assert all(len(line) <= 80 for line in lines if "nerscope audit" not in line)
    assert "nerscope audit gold.conll --apply decisions.json -o corrected.conll" in outcome.out


def test_json_has_the_promised_keys(folder: Path, run: Run) -> None:  # noqa: F811
    outcome = run("audit", "gold.conll", *SYSTEMS, "--format", "json")
    data = json.loads(outcome.out)
    keys = {"file", "line", "sentence", "gold", "proposed", "kind", "score", "reasons"}
    assert all(keys <= set(row) for row in data["suspects"])
    assert data["suspects"][0]["file"] == "gold.conll"
    spans = [span for row in data["suspects"] for span in [*row["gold"], *row["proposed"]]]
    assert spans and all(set(span) == {"start", "end", "type"} for span in spans)
    lines = (folder / "gold.conll").read_text(encoding="utf-8").split("\n")
    for row in data["suspects"]:
        sentence = next(s for s in data["sentences"] if s["sentence"] == row["sentence"])
        first = min(span["start"] for span in [*row["gold"], *row["proposed"]])
        assert lines[row["line"] - 1].split()[0] == sentence["tokens"][first]


@pytest.mark.parametrize(
    ("form", "start"),
    [("csv", "file,line,sentence,"), ("markdown", "gold.conll"), ("latex", "% needs")],
)
def test_other_formats(folder: Path, run: Run, form: str, start: str) -> None:  # noqa: F811
    outcome = run("audit", "gold.conll", *SYSTEMS, "--format", form)
    assert outcome.code == 0 and outcome.out.startswith(start), outcome.out[:200]


def test_sample_judge_and_apply(folder: Path, run: Run) -> None:  # noqa: F811
    assert run("audit", "gold.conll", *SYSTEMS, "--sample", "20", "-o", "judge.json").code == 0
    judged = json.loads((folder / "judge.json").read_text(encoding="utf-8"))
    assert len(judged["items"]) == 20
    outcome = run("audit", "gold.conll", *SYSTEMS, "--judged", "judge.json", "-o", "audit.json")
    assert outcome.code == 0 and "from 20 judged sentences" in outcome.out
    saved = json.loads((folder / "audit.json").read_text(encoding="utf-8"))
    assert saved["doubt"]["judged"] == 20
    judged["items"][0]["chosen"] = [{"start": 0, "end": 1, "type": "PER"}]
    (folder / "judge.json").write_text(json.dumps(judged), encoding="utf-8")
    outcome = run("audit", "gold.conll", "--apply", "judge.json", "--dry-run")
    assert "1 sentence changed" in outcome.out and "nothing written" in outcome.out
    outcome = run("audit", "gold.conll", "--apply", "judge.json", "-o", "new.conll")
    assert outcome.code == 0 and (folder / "new.conll").exists()
    assert run("audit", "gold.conll", "--apply", "judge.json", "-o", "gold.conll").code == 2


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--dry-run"], "--dry-run: there is nothing to apply"),
        (["--sample", "3"], "--sample: no output is given"),
        (["--sample", "3", "-o", "a", "--no-text"], "--sample: a sample has the words to judge"),
        (["--sample", "3", "--apply", "x"], "--sample: --apply does not audit"),
        ([*SYSTEMS, "--held-out", "x"], "--held-out x: not of the form NAME=F1"),
        ([*SYSTEMS, "--trained-on", "bert"], "system 'bert': no output of this system is given"),
        ([*SYSTEMS, "--recipe", "nothing"], "recipe"),
        ([*SYSTEMS, "-o", "gold.conll"], "gold.conll: this file is also an input"),
        ([*SYSTEMS, "-o", "system0.conll"], "system0.conll: this file is also an input"),
    ],
)
def test_bad_usage(folder: Path, run: Run, arguments: list[str], message: str) -> None:  # noqa: F811
    outcome = run("audit", "gold.conll", *arguments)
    assert outcome.code == 2 and message in outcome.err and "Fix: " in outcome.err


def test_recipes_are_cached_beside_gold(folder: Path, run: Run) -> None:  # noqa: F811
    first = run("audit", "gold.conll", "--recipe", "perceptron", "--format", "json")
    assert first.code == 0 and len(list((folder / ".nerscope-cache").iterdir())) == 5
    again = run("audit", "gold.conll", "--recipe", "perceptron", "--format", "json")
    assert again.out == first.out
    fresh = run("audit", "gold.conll", "--recipe", "perceptron", "--format", "json", "--no-cache")
    assert fresh.out == first.out
