"""`nerscope plot`: figures as files, and what is said about them."""

import json
import sys
from pathlib import Path

import pytest
from tests.cli.conftest import Run

pytest.importorskip("matplotlib")
STARTS = {"svg": b"<?xml", "pdf": b"%PDF", "png": b"\x89PNG"}


@pytest.mark.slow(quick=1)
@pytest.mark.parametrize("form", STARTS)
def test_a_figure_is_written_and_its_signature_printed_if_wanted(
    form: str, results: Path, run: Run
) -> None:
    outcome = run("plot", "results.json", "exact", "-o", f"figure.{form}", "--signature")
    assert (outcome.code, outcome.err) == (0, "")
    lines = outcome.out.split("\n")
    assert lines[0] == f"The figure is in figure.{form}."
    assert lines[-2].startswith("signature: scheme:bio")
    assert Path(f"figure.{form}").read_bytes().startswith(STARTS[form])


@pytest.mark.slow(quick=1)
@pytest.mark.parametrize("what", ["tmr", "hard", "eLen", "types", "partial", "breakdown"])
def test_facets_and_tables_are_drawn(what: str, results: Path, run: Run) -> None:
    assert run("plot", "results.json", what, "--output", "f.svg").code == 0
    assert Path("f.svg").stat().st_size > 1000


def test_what_was_chosen_is_drawn(results: Path, run: Run) -> None:
    options = ["--system", "poor", "--metric", "recall", "--match", "left", "--dataset", "toy"]
    options += ["--width", "12", "--height", "6"]
    assert run("plot", "results.json", "exact", "-o", "f.svg", *options).code == 0
    drawn = Path("f.svg").read_text(encoding="utf-8")
    assert ">poor<" in drawn
    assert ">good<" not in drawn
    assert ">Recall, left match (%)<" in drawn
    assert 'width="340.15' in drawn


@pytest.mark.parametrize("asked", [[], ["--intervals"]])
def test_intervals_are_drawn_whether_results_hold_them_or_not(
    data: Path, run: Run, asked: list[str]
) -> None:
    given = ["evaluate", "gold.txt", "--system", "poor=poor.txt", "-o", "r.json"]
    assert run(*given, *asked).code == 0
    assert "lines: 95 % intervals" in run("plot", "r.json", "exact", "-o", "f.svg").out


def test_a_figure_comes_again_byte_for_byte(results: Path, run: Run) -> None:
    for name in ("a.pdf", "b.pdf"):
        assert run("plot", "results.json", "types", "-o", name).code == 0
    assert Path("a.pdf").read_bytes() == Path("b.pdf").read_bytes()


def test_a_facet_of_a_plugin_is_drawn(data: Path, run: Run) -> None:
    (data / "mine.py").write_text(
        "import nerscope\n"
        "nerscope.register_facet(nerscope.Facet('mine', 'mention', {'one': (0,)}, "
        "lambda view: view.mentions.type * 0))\n"
    )
    plugin = ["--plugin", "mine.py"]
    given = ["evaluate", "gold.txt", "--system", "poor=poor.txt", "--facet", "mine", "-o", "r.json"]
    assert run(*given, *plugin).code == 0
    assert run("plot", "r.json", "mine", "-o", "f.svg", *plugin).code == 0
    assert ">one<" in Path("f.svg").read_text(encoding="utf-8")


@pytest.mark.slow(quick=4)
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["exakt", "-o", "f.svg"], "figure 'exakt': neither a figure nor a facet"),
        (["exakt", "-o", "f.svg"], "did you mean 'exact'"),
        (["exact", "-o", "f.gif"], "f.gif: the ending '.gif' is unknown"),
        (["exact", "-o", "figure"], "figure: the ending '' is unknown"),
        (["exact", "-o", "no/f.svg"], "no/f.svg: its folder does not exist"),
        (["exact", "-o", "folder.svg"], "folder.svg: this is a folder"),
        (["exact", "-o", "f.svg", "--width", "1"], "--width: invalid value 1"),
        (["exact", "-o", "f.svg", "--system", "god"], "did you mean 'good'"),
        (["heatmap", "-o", "f.svg", "--system", "good"], "two systems are needed"),
        (["radar", "-o", "f.svg", "--metric", "f1"], "does not take it"),
        (["exact", "-o", "f.svg", "--plugin", "none.py"], "none.py: no such file"),
    ],
)
def test_bad_input_is_one_message_and_no_file(
    arguments: list[str], message: str, results: Path, run: Run
) -> None:
    Path("folder.svg").mkdir()
    outcome = run("plot", "results.json", *arguments)
    assert (outcome.code, outcome.out) == (2, "")
    assert message in outcome.err
    assert outcome.err.count("\n") == 1
    assert not Path("f.svg").exists()


def test_a_file_must_be_named(results: Path, run: Run) -> None:
    outcome = run("plot", "results.json", "exact")
    assert outcome.code == 2
    assert "--output" in outcome.err


def test_an_input_is_never_overwritten(results: Path, run: Run) -> None:
    results.rename("results.svg")
    before = Path("results.svg").read_bytes()
    outcome = run("plot", "results.svg", "exact", "-o", "results.svg")
    assert outcome.code == 2
    assert "this file is also an input" in outcome.err
    assert Path("results.svg").read_bytes() == before
    json.loads(before)


def test_a_figure_that_fails_leaves_the_old_one(results: Path, run: Run) -> None:
    Path("f.svg").write_text("old")
    assert run("plot", "results.json", "exakt", "-o", "f.svg").code == 2
    assert Path("f.svg").read_text() == "old"


def test_without_matplotlib_one_is_told_what_to_install(
    results: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.delitem(sys.modules, "matplotlib.style", raising=False)
    outcome = run("plot", "results.json", "exact", "-o", "f.svg")
    assert outcome.code == 2
    assert "figures need the package matplotlib" in outcome.err
    assert "pip install 'nerscope[plots]'" in outcome.err
    assert not Path("f.svg").exists()
