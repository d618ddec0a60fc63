"""`report`, and `evaluate --report`: a page, whole or not at all."""

import json
import webbrowser
from pathlib import Path

import pytest
from tests.cli.conftest import Run


@pytest.fixture
def results(data: Path, run: Run) -> Path:
    saved = run(
        "evaluate", "gold.txt", "--train", "train.txt", "--system", "poor=poor.txt", "-o", "r.json"
    )
    assert saved.code == 0
    return data / "r.json"


def is_page(path: Path) -> bool:
    return path.read_text(encoding="utf-8").startswith("<!doctype html>")


def test_a_page_is_written_where_it_is_wanted(results: Path, run: Run) -> None:
    outcome = run("report", "r.json", "-o", "page.html")
    assert (outcome.code, outcome.out, outcome.err) == (0, "The report is in page.html.\n", "")
    assert is_page(results.parent / "page.html")


def test_unless_told_it_stands_beside_the_results(results: Path, run: Run) -> None:
    assert "r.html" in run("report", "r.json").out
    assert is_page(results.parent / "r.html")


def test_the_browser_opens_it(results: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []

    def browse(address: str) -> bool:
        opened.append(address)
        return True

    monkeypatch.setattr(webbrowser, "open", browse)
    assert run("report", "r.json", "--open").err == ""
    assert opened == [(results.parent / "r.html").as_uri()]


def test_without_a_browser_it_says_so(
    results: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(webbrowser, "open", lambda address: False)
    outcome = run("report", "r.json", "--open")
    assert (outcome.code, "no browser" in outcome.err) == (0, True)


def test_evaluate_writes_the_same_page(results: Path, run: Run) -> None:
    given = ["evaluate", "gold.txt", "--train", "train.txt", "--system", "poor=poor.txt"]
    assert run(*given, "-o", "r.json", "--report", "one.html").code == 0
    assert run("report", "r.json", "-o", "other.html").code == 0
    assert Path("one.html").read_text() == Path("other.html").read_text()


def test_an_experiment_has_a_report(data: Path, run: Run) -> None:
    text = '[datasets.d]\ntest = "gold.txt"\n[systems.poor]\nd = "poor.txt"\n'
    Path("e.toml").write_text(text, encoding="utf-8")
    outcome = run("evaluate", "e.toml", "--report", "page.html")
    assert outcome.code == 0, outcome.err
    assert is_page(Path("page.html"))


def test_judgements_are_summed_up_and_go_into_the_page(results: Path, run: Run) -> None:
    assert run("report", "r.json", "-o", "page.html").code == 0
    text = Path("page.html").read_text(encoding="utf-8")
    start = text.index('id="data">') + len('id="data">')
    pairs = json.loads(text[start : text.index("</script>", start)])["pairs"]
    assert pairs
    judged = [{**pair, "judgement": "good"} for pair in pairs]
    Path("j.json").write_text(json.dumps({"nerscope_judgements": 1, "pairs": judged}))
    outcome = run("report", "r.json", "-o", "judged.html", "--judgements", "j.json")
    assert outcome.code == 0, outcome.err
    assert "Partial matches as judged" in outcome.out
    assert '"judgement":"good"' in Path("judged.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("given", "fact"),
    [
        (["report", "r.json", "-o", "r.json"], "this file is also an input"),
        (["report", "r.json", "-o", "none/page.html"], "its folder does not exist"),
        (["report", "missing.json"], "no such file"),
        (["report", "gold.txt", "-o", "p.html"], "gold.txt"),
        (["report", "r.json", "--judgements", "gold.txt"], "gold.txt"),
        (
            ["evaluate", "gold.txt", "--system", "a=poor.txt", "--report", "gold.txt"],
            "also an input",
        ),
        (
            ["evaluate", "gold.txt", "--system", "a=poor.txt", "-o", "x", "--report", "x"],
            "another output",
        ),
    ],
)
def test_what_cannot_be_is_refused_and_nothing_is_written(
    results: Path, run: Run, given: list[str], fact: str
) -> None:
    before = {path: path.read_bytes() for path in results.parent.iterdir() if path.is_file()}
    outcome = run(*given)
    assert outcome.code == 2
    assert fact in outcome.err
    after = {path: path.read_bytes() for path in results.parent.iterdir() if path.is_file()}
    assert after == before
