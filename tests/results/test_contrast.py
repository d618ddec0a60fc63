"""Contrasts of cells within a system."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.scoring.toys import Corpus, drawn, noisy
from typer.testing import CliRunner

import nerscope
from nerscope.cli.main import application
from nerscope.errors import UsageError
from nerscope.results.results import Results


def evaluated(name: str, seed: int, runs: int = 1, trained: bool = True) -> Results:
    gold = drawn(80, seed)
    outputs: dict[str, Any] = {
        system: [noisy(gold, rate, 10 * seed + run) for run in range(runs)]
        for system, rate in (("a", 0.1), ("b", 0.3))
    }
    train = drawn(20, seed + 50) if trained else None
    return nerscope.evaluate(gold, outputs, dataset=name, train=train)


@pytest.fixture(scope="module")
def two() -> Results:
    return Results([evaluated("d", 1).evidence[0], evaluated("e", 2).evidence[0]])


@pytest.mark.parametrize(
    ("first", "second", "metric"),
    [
        ("hard=diff", "hard=unseen", "ter"),
        ("tmr=seen", "tmr=unseen-any", "recall"),
        ("tmr=seen", "eLen=XS", "recall"),
        ("all", "eLen=XS", "f1"),
        ("type=LOC", "type=ORG", "f1"),
    ],
)
def test_both_values_are_those_of_the_results(
    first: str, second: str, metric: str, two: Results
) -> None:
    rows = nerscope.contrast(two, first, second)
    assert [(row.dataset, row.system) for row in rows] == [
        ("d", "a"), ("d", "b"), ("e", "a"), ("e", "b")
    ]  # fmt: skip
    for row in rows:
        values = [value_of(two, row.dataset, row.system, cell, metric) for cell in (first, second)]
        assert row.metric == metric
        assert (row.value_first, row.value_second) == pytest.approx(values)
        assert row.difference == pytest.approx(values[0] - values[1])
        assert row.low is not None and row.high is not None and row.p is not None
        assert (row.p < 0.05) == (not row.low <= 0 <= row.high)


def value_of(results: Results, dataset: str, system: str, cell: str, metric: str) -> float:
    facet, _, level = cell.partition("=")
    place: Any = {"facet": facet, "level": level or "all", "type": None}
    if facet == "type":
        place = {"facet": "all", "level": "all", "type": level}
    unit = {"unit": "token"} if metric == "ter" else {"unit": "mention", "match": "exact"}
    (row,) = results.select(
        dataset=dataset, system=system, run=None, metric=metric, **{**place, **unit}
    )
    assert row.value is not None
    return row.value


def test_exchanging_the_cells_mirrors_the_contrast(two: Results) -> None:
    for ours, theirs in zip(
        nerscope.contrast(two, "tmr=seen", "tmr=unseen-any"),
        nerscope.contrast(two, "tmr=unseen-any", "tmr=seen"),
        strict=True,
    ):
        assert (ours.low, ours.high) == pytest.approx((-theirs["high"], -theirs["low"]))
        assert ours.p == pytest.approx(theirs.p) and ours.n_first == theirs.n_second


def test_p_is_corrected_over_all_rows(two: Results) -> None:
    rows = nerscope.contrast(two, "tmr=seen", "tmr=unseen-any", correction="bonferroni")
    for row in rows:
        assert row.p_corrected == pytest.approx(min(1.0, 4 * (row.p or 0)))
    (row,) = nerscope.contrast(two, "tmr=seen", "tmr=unseen-any", systems=["b"], datasets=["e"])
    assert (row.system, row.dataset) == ("b", "e") and row.p_corrected == row.p


def test_runs_belong_together() -> None:
    results = evaluated("d", 3, runs=3)
    for row in nerscope.contrast(results, "tmr=seen", "tmr=unseen-any"):
        assert row.about == "recipes"
    outputs = nerscope.contrast(results, "tmr=seen", "tmr=unseen-any", about="outputs")
    for recipes, alone in zip(
        nerscope.contrast(results, "tmr=seen", "tmr=unseen-any"), outputs, strict=True
    ):
        assert recipes.difference == alone.difference
        assert np.subtract(recipes["high"], recipes["low"]) >= np.subtract(
            alone["high"], alone["low"]
        )


def test_a_few_units_that_agree_are_not_taken_for_many() -> None:
    """Of 12 names none is found, of 300 persons one of ten: that happens by chance."""
    person, name = (["Ada", "spoke"], ["B-PER", "O"]), (["in", "Rome"], ["O", "B-LOC"])
    gold: Corpus = [person] * 300 + [name] * 12
    output = [
        labels if at % 10 == 0 and at < 300 else ["O", "O"] for at, (_, labels) in enumerate(gold)
    ]
    (row,) = nerscope.contrast(
        nerscope.evaluate(gold, {"s": output}), "type=PER", "type=LOC", metric="recall"
    )
    assert (row.value_first, row.value_second) == (0.1, 0.0)
    assert row.p is not None and row.p > 0.05


def test_datasets_without_a_cell_are_left_out() -> None:
    parts = [evaluated("d", 1, trained=False).evidence[0], evaluated("e", 2).evidence[0]]
    rows = nerscope.contrast(Results(parts), "tmr=seen", "all")
    assert {row.dataset for row in rows} == {"e"}


def test_cells_with_too_little_in_them_are_not_tested() -> None:
    gold: Corpus = [(["Ada", "spoke"], ["B-PER", "O"])] * 30 + [(["in", "Rome"], ["O", "B-LOC"])]
    results = nerscope.evaluate(gold, {"s": [labels for _, labels in gold]})
    (row,) = nerscope.contrast(results, "type=PER", "type=LOC")
    assert row.p is None and row.low is None
    assert row.untested == "a cell occurs in one sentence only"
    twice = nerscope.evaluate(gold + gold[-1:], {"s": [labels for _, labels in gold + gold[-1:]]})
    (row,) = nerscope.contrast(twice, "type=PER", "type=LOC")
    assert row.p is None and row.untested == "differs in 0 sentences, 6 are needed"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"second": "tmr=unsen"}, "cell 'tmr=unsen': it is not in the results for d.*did you mean"),
        ({"second": "what"}, "cell 'what': it is not in the results for d"),
        ({"second": "hard=unseen"}, "tmr=seen and hard=unseen have no metric in common"),
        ({"metric": "ter"}, "metric 'ter': tmr=seen and tmr=unseen-any do not both have it"),
        ({"about": "recipes"}, "a has one run, so recipes cannot be compared"),
        ({"about": "seeds"}, "unknown value 'seeds'"),
        ({"systems": ["c"]}, "'c'"),
        ({"resample": "sentence,surface"}, "contrasts do not support the two-way clusters"),
    ],
)
def test_what_cannot_be_contrasted_is_refused(
    options: dict[str, Any], message: str, two: Results
) -> None:
    cells = {"first": "tmr=seen", "second": "tmr=unseen-any", **options}
    with pytest.raises(UsageError, match=message):
        nerscope.contrast(two, **cells)


@pytest.fixture(scope="module")
def path(two: Results, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("results") / "r.json"
    two.save(path)
    return path


def shown(path: Path, *options: str) -> Any:
    return CliRunner().invoke(application(), ["compare", str(path), *options])


CELLS = ("--contrast", "tmr=seen", "tmr=unseen-any")


def test_the_command_line_shows_contrasts_in_every_format(path: Path, two: Results) -> None:
    text = shown(path, *CELLS).stdout
    assert "Recall: tmr=seen against tmr=unseen-any\n" in text
    assert "first: mentions seen in training (tmr=seen)" in text
    assert "* corrected p < 0.05 over 4 lines" in text
    rows = json.loads(shown(path, *CELLS, "--format", "json").stdout)["rows"]
    assert rows == [row.as_dict() for row in nerscope.contrast(two, *CELLS[1:])]
    assert shown(path, *CELLS, "--format", "csv").stdout.startswith("dataset,system,first,second,")
    assert "\\begin{table" in shown(path, *CELLS, "--format", "latex").stdout
    assert "| d | a |" in " ".join(shown(path, *CELLS, "--format", "markdown").stdout.split())
    alone = json.loads(shown(path, "b", *CELLS, "--datasets", "d", "--format", "json").stdout)
    assert [(row["dataset"], row["system"]) for row in alone["rows"]] == [("d", "b")]


@pytest.mark.parametrize("option", [("--facet", "tmr"), ("--metric", "f1", "--metric", "recall")])
def test_options_that_do_not_fit_a_contrast_are_refused(
    option: tuple[str, ...], path: Path
) -> None:
    assert shown(path, *CELLS, *option).exit_code != 0
