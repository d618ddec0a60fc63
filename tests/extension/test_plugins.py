"""A file as a user writes it adds one thing at an extension point; it then works everywhere."""

import json
import runpy
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import nerscope as ns
from nerscope.render.document import OUTPUTS

FACET = """
import numpy as np
from nerscope import Facet, register_facet

def codes(view):
    return np.array([text.endswith("o") for text in view.texts()], np.int8)

levels = {"other": (0,), "in-o": (1,)}
register_facet(Facet("ending", "mention", levels, codes, title="Last letter"))
"""
MATCH = """
from nerscope import register_match

register_match("starts-together", lambda touch: touch.gold.start == touch.pred.start, credit=0.8)
"""
METRIC = """
from nerscope import Metric, ratio, register_metric

def missed(counts):
    return ratio(counts.gold - counts.hit_gold, counts.gold)

register_metric(Metric("miss-rate", missed, better=-1))
"""
FORMAT = '''
from nerscope import Corpus, Format, Source, register_format

class Brackets(Source):
    """A sentence a line, mentions in brackets: [ORG Bank of [LOC Oslo]] fell"""

    def __init__(self, data):
        self.name, self.data = data.name, data

    def chunks(self, coding, *, tokens=True):
        with self.data.open() as stream:
            sentences = [sentence(line.decode()) for line in stream]
        yield Corpus.of(sentences, name=self.name, coding=coding)

def sentence(line):
    tokens, spans, opened = [], [], []
    for part in line.replace("]", " ]").split():
        if part.startswith("["):
            opened.append((len(tokens), part[1:]))
        elif part == "]":
            start, kind = opened.pop()
            spans.append((start, len(tokens), kind))
        else:
            tokens.append(part)
    return tokens, spans

register_format(Format("brackets", Brackets, lambda name, head: name.endswith(".brackets")))
'''
OUTPUT = """
from nerscope import register_output

def as_list(document):
    return "".join(f"- {table.title}\\n" for table in document.tables)

register_output("titles", as_list)
"""
METHOD = """
from nerscope import Method, register_method

def sign(pair):
    return float((pair.resampled * pair.observed <= 0).mean())

register_method(Method("sign", sign))
"""
ENGINE = '''
from nerscope import register_engine

class Backwards:
    """Does the last item first, and gives the parts in order all the same."""

    remote = True

    def map(self, work, state, items):
        parts = [work(state, item) for item in reversed(list(items))]
        return iter(parts[::-1])

register_engine("backwards", lambda workers, plugins: Backwards())
'''
BOTH = ["--system", "good=good.txt", "--system", "poor=poor.txt"]


@pytest.fixture(autouse=True)
def forgotten(registries: None) -> None:
    """What a test registers is gone afterwards."""


def add_plugin(folder: Path, code: str) -> None:
    (folder / "mine.py").write_text(code)
    runpy.run_path(str(folder / "mine.py"))


def evaluate_both(folder: Path, **options: Any) -> ns.Results:
    outputs = {"good": str(folder / "good.txt"), "poor": str(folder / "poor.txt")}
    return ns.evaluate(str(folder / "gold.txt"), outputs, dataset="gold", **options)


def nerscope(*arguments: str, code: int = 0) -> str:
    """Run the command line in a process of its own, as a user does."""
    done = subprocess.run(
        [sys.executable, "-m", "nerscope", *arguments], capture_output=True, text=True, check=False
    )
    assert done.returncode == code, done.stderr
    return done.stdout


def evaluate_and_load(*options: str) -> dict[str, Any]:
    nerscope("evaluate", "gold.txt", *BOTH, "--plugin", "mine.py", *options, "-o", "results.json")
    shown = nerscope("show", "results.json", "--plugin", "mine.py", "--format", "json")
    content: dict[str, Any] = json.loads(shown)
    return content


def compare_rows(*options: str) -> list[dict[str, Any]]:
    text = nerscope(
        *("compare", "results.json", "good", "poor", "--plugin", "mine.py"),
        *("--samples", "200", "--format", "json", *options),
    )
    rows: list[dict[str, Any]] = json.loads(text)["rows"]
    return rows


@pytest.mark.slow
def test_a_facet_is_one_file(folder: Path) -> None:
    add_plugin(folder, FACET)
    results = evaluate_both(folder, facets=["ending"])
    cell = {"facet": "ending", "level": "in-o", "metric": "recall"}
    assert results.value(system="good", **cell) == 1.0  # Oslo
    assert results.value(system="poor", **cell) == 0.0
    assert results.table("ending").title == "Last letter: F1"
    assert "ending" in {row["facet"] for row in ns.compare(results, samples=100).rows}
    assert results.errors("good")[0]["ending"] == "other"
    rows = evaluate_and_load("--facet", "ending")["rows"]
    assert {row["level"] for row in rows if row["facet"] == "ending"} == {"other", "in-o"}
    assert [row["facet"] for row in compare_rows("--facet", "ending", "--metric", "f1")] == [
        "ending",
        "ending",
    ]
    assert "Last letter" in nerscope(
        "evaluate", "gold.txt", *BOTH, "--plugin", "mine.py", "--facet", "ending"
    )


def test_a_match_is_one_file(folder: Path) -> None:
    add_plugin(folder, MATCH)
    results = evaluate_both(folder, matches=["starts-together", "starts-together(credit=0.5)"])
    recall = {"system": "poor", "metric": "recall"}
    assert results.value(match="starts-together", **recall) == pytest.approx((2 + 0.8) / 4)
    assert results.value(match="starts-together(credit=0.5)", **recall) == pytest.approx(2.5 / 4)
    assert "starts-together" in {row[0].text for row in results.table("partial").rows}
    assert any("credit starts-together" in row for row in results.partial_pairs())
    assert {row["match"] for row in evaluate_and_load("--match", "starts-together")["rows"]} >= {
        "starts-together"
    }
    assert {row["match"] for row in compare_rows("--metric", "f1")} == {"starts-together"}


@pytest.mark.slow
def test_a_metric_that_is_an_error_rate_is_one_file(folder: Path) -> None:
    add_plugin(folder, METRIC)
    results = evaluate_both(folder, metrics=["miss-rate"], intervals=ns.Sampling(samples=200))
    assert results.value(system="good", metric="miss-rate") == 0.25
    assert results.value(system="poor", metric="miss-rate") == 0.5
    assert (
        results.select(system="good", run=None, metric="miss-rate", type=None)[0]["low"] is not None
    )
    table = results.table("exact")
    assert [row[0].text for row in table.rows if row[1].best] == ["good"]  # lower is better
    comparison = ns.compare(results, "good", "poor", samples=200)
    assert (
        comparison.tally("good", "poor")["win"]
        == len(comparison.rows) - comparison.tally("good", "poor")["undecided"]
    )
    evaluate_and_load("--metric", "miss-rate", "--metric", "f1")
    rows = compare_rows("--metric", "miss-rate")
    assert rows[0]["difference"] == pytest.approx(-0.25)
    gate = ("gate", "results.json", "--baseline", "results.json", "--plugin", "mine.py")
    assert "ok: gold, good" in nerscope(*gate, "--metric", "miss-rate")


@pytest.mark.slow
def test_a_format_is_one_file_and_may_hold_nested_mentions(folder: Path) -> None:
    add_plugin(folder, FORMAT)
    for name, sentence in [
        ("gold", "[ORG Bank of [LOC Oslo]]"),
        ("good", "[ORG Bank of Oslo]"),
        ("poor", "Bank of Oslo"),
    ]:
        (folder / f"{name}.brackets").write_text("\n".join([sentence] * 30))
    results = ns.evaluate("gold.brackets", {"good": "good.brackets", "poor": "poor.brackets"})
    assert results.value(system="good", metric="recall") == 0.5
    assert [row["outcome"] for row in results.errors("good")][:2] == [
        "correct",
        "wrong type and boundary",  # inside a mention that was found
    ]
    both = ["--system", "good=good.brackets", "--system", "poor=poor.brackets"]
    plugin = ["--plugin", "mine.py"]
    nerscope("evaluate", "gold.brackets", *both, *plugin, "-o", "results.json")
    assert compare_rows("--metric", "recall")[0]["difference"] == 0.5
    printed = nerscope(
        "evaluate", "gold.brackets::format=brackets", *both, *plugin, "--format", "json"
    )
    assert json.loads(printed)["rows"]
    assert "spans" in nerscope("validate", "gold.brackets", *plugin)
    nerscope("convert", "good.brackets", "good.conll", "--to", "bioes", *plugin)
    assert Path("good.conll").read_text().split()[:6] == [
        *("Bank", "B-ORG", "of", "I-ORG", "Oslo", "E-ORG"),
    ]
    assert (
        "overlap"
        in subprocess.run(
            [
                sys.executable,
                "-m",
                "nerscope",
                "convert",
                "gold.brackets",
                "x",
                "--to",
                "bio",
                *plugin,
            ],
            capture_output=True,
            text=True,
            check=False,
        ).stderr
    )


@pytest.mark.slow
def test_an_output_is_one_file(folder: Path) -> None:
    add_plugin(folder, OUTPUT)
    assert (
        OUTPUTS["titles"](ns.Document([evaluate_both(folder).table("exact")])) == "- Exact match\n"
    )
    options = ("--plugin", "mine.py", "--format", "titles")
    assert nerscope("evaluate", "gold.txt", *BOTH, *options).startswith(
        "- 2 systems on gold: exact match, 80 mentions\n"
    )
    evaluate_and_load()
    text = nerscope("compare", "results.json", "--samples", "50", *options)
    assert "- By type: good against poor" in text


@pytest.mark.slow
def test_a_statistical_test_is_one_file(folder: Path) -> None:
    add_plugin(folder, METHOD)
    results = evaluate_both(folder)
    comparison = ns.compare(results, "good", "poor", metrics=["f1"], method="sign", samples=200)
    assert comparison.settings["method"] == "sign"
    assert 0 <= comparison.rows[0]["p"] <= 1
    evaluate_and_load()
    assert compare_rows("--metric", "f1", "--method", "sign")[0]["p"] is not None


@pytest.mark.slow
def test_an_engine_is_one_file(folder: Path) -> None:
    add_plugin(folder, ENGINE)
    expected = evaluate_both(folder, facets=["eLen"])
    assert (
        evaluate_both(folder, facets=["eLen"], engine="backwards").to_json() == expected.to_json()
    )
    content = evaluate_and_load("--engine", "backwards")
    assert (
        content["rows"]
        == json.loads(nerscope("evaluate", "gold.txt", *BOTH, "--format", "json"))["rows"]
    )
