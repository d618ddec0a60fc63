"""The comparisons of a page: the verdicts, numbers and sentences of `nerscope compare`."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from tests.cli.conftest import Run
from tests.scoring.toys import drawn, noisy

import nerscope
from nerscope.render.page.comparison import page_comparison
from nerscope.render.page.schema import PageComparison
from nerscope.results.errors import OUTCOMES, mention_records
from nerscope.results.pair_verdicts import pair_verdicts
from nerscope.results.protocol import Protocol
from nerscope.results.results import Results

DEMO = Path(nerscope.__file__).parent / "demo"
WORDS = {1: "better", -1: "worse", 0: "no clear difference"}


def results_of(systems: dict[str, list[float]], seeds: list[int], **options: Any) -> Results:
    """Results of systems by the error rates of their runs, with one dataset per seed."""
    parts = []
    for seed in seeds:
        gold = drawn(120, seed=seed)
        outputs = {
            name: [
                noisy(gold, rate, 97 * seed + 7 * at + 31 * run) for run, rate in enumerate(rates)
            ]
            for at, (name, rates) in enumerate(systems.items())
        }
        known = nerscope.evaluate(gold, outputs, train=drawn(60, 99), dataset=f"d{seed}")
        parts += known.evidence
    return Results(parts, **options)


SEVEN = {f"s{at}": [0.04 + 0.04 * at, 0.05 + 0.04 * at] for at in range(7)}
CASES: dict[str, Results] = {
    "single runs": results_of({"good": [0.1], "like": [0.12], "bad": [0.4]}, [1]),
    "equal": results_of({"one": [0.2], "same": [0.2]}, [1]),
    "several runs": results_of({"good": [0.1, 0.12], "bad": [0.3, 0.35]}, [1]),
    "datasets": results_of({"good": [0.1], "like": [0.15], "bad": [0.4]}, [1, 2]),
    "drawn": results_of({"a": [0.1], "b": [0.2]}, [1, 2, 3], protocol=Protocol("drawn")),
    "splits": results_of({"a": [0.1], "b": [0.3]}, [1, 2, 3], protocol=Protocol("splits", 0.5)),
    "seven": results_of(SEVEN, [1, 2]),
}


@pytest.fixture(scope="module")
def demo() -> Results:
    systems: dict[str, list[Path]] = {}
    for path in sorted((DEMO / "systems").glob("*.conll")):
        systems.setdefault(path.name.partition(".")[0], []).append(path)
    return nerscope.evaluate(DEMO / "test.conll", systems, train=DEMO / "train.conll")


def page_of(results: Results) -> PageComparison:
    page = page_comparison(results)
    assert page is not None
    json.dumps(page, allow_nan=False)
    return page


def records(table: Any) -> list[dict[str, Any]]:
    columns = {
        name: [column["of"][at] for at in column["at"]] if isinstance(column, dict) else column
        for name, column in table["columns"].items()
    }
    return [{name: column[k] for name, column in columns.items()} for k in range(table["size"])]


def said(row: dict[str, Any], p: str) -> str:
    """The verdict of a row of JSON, by its corrected p."""
    if row[p] is None:
        return "not tested"
    sign = (row["difference"] > 0) - (row["difference"] < 0)
    return WORDS[sign if row[f"{p}_corrected"] < 0.05 else 0]


@pytest.mark.slow(quick=3)
@pytest.mark.parametrize("name", ["demo", *CASES])
def test_page_and_command_line_give_one_verdict(
    name: str, demo: Results, run: Run, tmp_path: Path
) -> None:
    results = demo if name == "demo" else CASES[name]
    results.save(tmp_path / "r.json")
    printed = run("compare", tmp_path / "r.json", "--format", "json")
    compared = json.loads(printed.out)
    found = {(one["dataset"], one["a"], one["b"]): one for one in page_of(results)["verdicts"]}
    primary = [row for row in compared["rows"] if row["family"] == "primary"]
    over = [row for row in compared["over_datasets"] if row["family"] == "primary"]
    assert len(found) == len(primary) + len(over)
    for row in primary:
        one = found[row["dataset"], row["system_a"], row["system_b"]]
        assert one["verdict"] == said(row, "p")
        assert_equal(one, row, ("difference", "low", "high", "p"), "p_corrected")
        assert (one["aValue"], one["bValue"]) == pytest.approx((row["a"], row["b"]), abs=1e-6)
        assert_interval(one)
    p = {"drawn": "p_drawn", "splits": "p_resampled"}.get(name, "p_fixed")
    end = "_drawn" if name == "drawn" else ""
    for row in over:
        one = found[None, row["system_a"], row["system_b"]]
        assert one["verdict"] == said(row, p)
        bounds = {"low": row[f"low{end}"], "high": row[f"high{end}"], "p": row[p]}
        assert_equal(one, row | bounds, ("difference", "low", "high", "p"), f"{p}_corrected")
        assert_interval(one)


def assert_equal(one: Any, row: dict[str, Any], names: tuple[str, ...], corrected: str) -> None:
    for here, there in [*((name, name) for name in names), ("pCorrected", corrected)]:
        assert one[here] == (None if row[there] is None else pytest.approx(row[there], abs=1e-6))


def assert_interval(one: Any) -> None:
    """The interval excludes 0 exactly if the verdict is decided."""
    if one["low"] is not None and one["p"] is not None:
        excludes = one["low"] > 0 or one["high"] < 0
        assert excludes == (one["verdict"] in ("better", "worse"))


@pytest.mark.slow(quick=3)
@pytest.mark.parametrize("name", ["demo", *CASES])
def test_sentences_are_those_of_the_command_line(
    name: str, demo: Results, run: Run, tmp_path: Path
) -> None:
    results = demo if name == "demo" else CASES[name]
    results.save(tmp_path / "r.json")
    text = " ".join(run("compare", tmp_path / "r.json").out.split())
    verdicts = page_of(results)["verdicts"]
    sentences = [one for one in verdicts if one["sentence"]]
    over = [one for one in sentences if one["dataset"] is None]
    single = [one for one in sentences if one["dataset"] is not None]
    if len(over) <= 6:
        for one in over:
            assert one["sentence"] in text
    for one in over:
        if one["verdict"] in ("better", "worse"):
            assert one["sentence"].partition(". ")[0] in text
    if len(single) <= 4 and name != "splits":
        for one in single:
            assert one["sentence"] in text
    assert len({one["k"] for one in over if one["p"] is not None}) <= 1


@pytest.mark.parametrize("name", ["single runs", "several runs", "datasets", "seven"])
def test_levels_and_types_are_those_of_compare(name: str) -> None:
    results = CASES[name]
    cell = ("dataset", "system_a", "system_b", "facet", "level", "type", "match", "metric")
    wanted = {
        tuple(row[field] for field in cell): row
        for row in nerscope.compare(results).rows
        if row.family in ("types", "where")
    }
    found = records(page_of(results)["rows"])
    for row in found:
        known = wanted[tuple(row[field] for field in cell)]
        assert row["family"] == known.family and row["n"] == known.n
        for field in ("a", "b", "difference", "low", "high", "p", "p_corrected"):
            value = known[field]
            assert row[field] == (None if value is None else pytest.approx(value, abs=1e-6))
    if name != "seven":
        assert len(found) == len(wanted)
    else:  # types of all pairs; levels of the best with each, and of neighbours in rank
        assert len({(row["system_a"], row["system_b"]) for row in found}) == 21
        levels = [row for row in found if row["family"] == "where"]
        assert len({(row["system_a"], row["system_b"]) for row in levels}) == 11


@pytest.mark.parametrize("name", ["single runs", "several runs", "seven"])
def test_changes_count_every_gold_mention_by_its_kind_in_both_systems(name: str) -> None:
    results = CASES[name]
    found = Counter[tuple[str, ...]]()
    for row in records(page_of(results)["changes"]):
        found[tuple(row[key] for key in ("dataset", "a", "b", "kindA", "kindB", "type"))] = row["n"]
    by_mention: dict[tuple[Any, ...], dict[str, list[str]]] = {}
    for one in mention_records(results):
        if one.side == "gold":
            place = (one.dataset, one.place, one.start, one.end, one.type)
            by_mention.setdefault(place, {}).setdefault(one.system, []).append(one.outcome)
    wanted = Counter[tuple[str, ...]]()
    systems = results.systems
    for place, outcomes in by_mention.items():
        kind = {system: most_frequent(outcomes[system]) for system in systems}
        for at, a in enumerate(systems):
            for b in systems[at + 1 :]:
                wanted[place[0], a, b, kind[a], kind[b], place[-1]] += 1
    assert found == wanted


def most_frequent(kinds: list[str]) -> str:
    """Right if more than half are, else the most frequent wrong kind."""
    wrong = [kind for kind in kinds if kind != "correct"]
    if 2 * len(wrong) < len(kinds):
        return "correct"
    return min(wrong, key=lambda kind: (-wrong.count(kind), OUTCOMES.index(kind)))


def test_one_system_is_not_compared() -> None:
    assert page_comparison(results_of({"alone": [0.1]}, [1])) is None


def test_of_many_systems_each_is_compared_with_the_best() -> None:
    systems = {f"s{at:02}": [0.5 - 0.03 * at] for at in range(13)}
    page = page_of(results_of(systems, [1]))
    assert len(page["verdicts"]) == 12
    assert {one["b"] for one in page["verdicts"]} == {page["ranking"][0]["system"]}
    assert [row["place"] for row in page["ranking"]] == sorted(
        row["place"] for row in page["ranking"]
    )
    assert len(page["ranking"]) == 13 and not any(row["groups"] for row in page["ranking"])
    assert page["notes"][-1].startswith("of more than 12 systems, each is compared with the best")


def test_the_ranking_is_that_of_compare() -> None:
    wanted = nerscope.compare(CASES["seven"]).ranking
    found = page_of(CASES["seven"])["ranking"]
    assert [(row["dataset"], row["system"], row["place"], row["groups"]) for row in found] == [
        (row.dataset, row.system, row.rank, "".join(row.groups)) for row in wanted
    ]


def test_a_verdict_names_the_better_system_first() -> None:
    comparison = nerscope.compare(CASES["single runs"], "bad", "good")
    (verdict,) = pair_verdicts(comparison)
    assert verdict.verdict == "worse" and verdict.order == ("good", "bad")
    assert verdict.gain.value == -(verdict.difference or 0.0)
    assert "row" not in verdict.as_dict()
