"""InterpretEval's views on tables computed by hand."""

import math
from typing import Any

import numpy as np
import pytest
from scipy import stats
from tests.scoring.toys import corpus, drawn, noisy

import nerscope
from nerscope.errors import InputError, UsageError
from nerscope.results.diagnose import performance
from nerscope.results.results import Results
from nerscope.results.row import Row
from nerscope.scoring.evidence import Evidence
from nerscope.scoring.signature import BucketEdges, Signature
from nerscope.stats.ranks import friedman

NAN = None
# system: runs, each with the F1 in the buckets XS, S, L, XL of eLen
TABLE: dict[str, list[list[float | None]]] = {
    "x": [[0.9, 0.8, 0.6, 0.2], [0.7, 0.8, 0.4, 0.4]],
    "y": [[0.5, 0.6, 0.7, 0.8], [0.5, 0.6, 0.7, 0.8]],
}
MEAN = {"x": [0.8, 0.8, 0.5, 0.3], "y": [0.5, 0.6, 0.7, 0.8]}


def results_of(
    tables: dict[str, dict[str, list[list[float | None]]]],
    attribute: str = "eLen",
    names: str = "XS S L XL",
) -> Results:
    rows: list[Row] = [
        {
            "dataset": dataset,
            "system": system,
            "run": str(number),
            "unit": "mention",
            "facet": attribute,
            "level": level,
            "type": None,
            "match": "exact",
            "metric": "f1",
            "value": value,
            "n": 5,
        }
        for dataset, systems in tables.items()
        for system, runs in systems.items()
        for number, run in enumerate(runs, 1)
        for level, value in zip(names.split(), run, strict=True)
    ]
    edges = {attribute: BucketEdges((), dict.fromkeys(names.split(), ""))}
    evidence = [
        Evidence(
            dataset,
            (),
            tuple(
                (system, str(number))
                for system, runs in systems.items()
                for number in range(1, 1 + len(runs))
            ),
            {},
            (),
            np.zeros(0, np.int64),
            Signature(edges=edges),
        )
        for dataset, systems in tables.items()
    ]
    return Results(evidence, rows=rows)


def only(rows: list[dict[str, Any]], **wanted: Any) -> dict[str, Any]:
    (found,) = [row for row in rows if all(row[key] == value for key, value in wanted.items())]
    return found


def test_model_wise_view() -> None:
    views = nerscope.diagnose(results_of({"d": TABLE}))
    ours = only(views["model-wise"], system="x")
    assert ours["spearman"] == pytest.approx(
        float(stats.spearmanr(MEAN["x"], [1, 2, 3, 4]).statistic)
    )
    assert ours["std"] == pytest.approx(float(np.std(MEAN["x"])))
    assert (ours["p"], ours["test"], ours["blocks"]) == (None, None, 1)  # runs are no blocks
    assert (ours["datasets"], ours["significant"]) == (["d"], False)
    assert only(views["model-wise"], system="y")["spearman"] == pytest.approx(1.0)


def test_attribute_wise_view() -> None:
    row = only(nerscope.diagnose(results_of({"d": TABLE}))["attribute-wise"], dataset="d")
    both = abs(float(stats.spearmanr(MEAN["x"], [1, 2, 3, 4]).statistic)), 1.0
    assert row["rho"] == pytest.approx(sum(both) / 2)
    assert row["zeta"] is None
    blocks = np.array([MEAN["x"], MEAN["y"]])
    assert (row["p"], row["blocks"]) == (pytest.approx(friedman(blocks).p), 2)
    assert (row["test"], row["systems"]) == ("Friedman, exact", ["x", "y"])


def test_friedman_has_one_block_for_each_dataset_of_a_system() -> None:
    tables: dict[str, Any] = dict.fromkeys("abc", TABLE)
    row = only(nerscope.diagnose(results_of(tables))["model-wise"], system="y")
    assert (row["blocks"], row["test"]) == (3, "Friedman, exact")
    assert row["p"] == pytest.approx(friedman(np.array([MEAN["y"]] * 3)).p)
    assert row["p"] == pytest.approx(24 / 24**3)  # all three in one order, of 24 each


def test_friedman_of_many_datasets_says_that_it_is_approximate() -> None:
    tables: dict[str, Any] = {f"d{number}": TABLE for number in range(16)}
    row = only(nerscope.diagnose(results_of(tables))["model-wise"], system="y")
    assert (row["blocks"], row["test"]) == (16, "Friedman, chi-square")
    assert row["p"] == pytest.approx(stats.friedmanchisquare(*np.array([MEAN["y"]] * 16).T).pvalue)


def test_each_runs_own_best_bucket_is_paired_with_its_own_worst() -> None:
    runs = [[0.9, 0.8, 0.1, 0.2], [0.3, 0.8, 0.5, 0.2]]
    tables: dict[str, Any] = {name: {"x": runs} for name in "abcdef"}
    rows = nerscope.diagnose(results_of(tables))["self-diagnosis"]
    wanted = stats.wilcoxon([0.9, 0.8] * 6, [0.1, 0.2] * 6).pvalue
    assert [(row["pairs"], row["test"]) for row in rows] == [(12, "Wilcoxon")] * 6  # footnote 10
    assert [row["p"] for row in rows] == pytest.approx([wanted] * 6)
    assert rows[0]["datasets"] == list("abcdef")


def test_means_over_datasets_rest_on_the_same_datasets_and_name_them() -> None:
    gap: list[list[float | None]] = [[0.1, NAN, 0.3, 0.9]]
    tables: dict[str, Any] = {"d": {"y": TABLE["y"]}, "e": {"y": gap}}
    row = only(nerscope.diagnose(results_of(tables))["model-wise"], system="y")
    assert row["datasets"] == ["d"]
    assert (row["spearman"], row["std"]) == pytest.approx((1.0, float(np.std(MEAN["y"]))))


def test_of_several_matches_the_first_is_diagnosed() -> None:
    gold = drawn(30, seed=1)
    given = {"s": noisy(gold, 0.2, 2), "t": noisy(gold, 0.3, 3)}
    both = nerscope.evaluate(gold, given, facets=["eLen"], matches=["exact", "overlap"])
    one = nerscope.evaluate(gold, given, facets=["eLen"], matches=["exact"])
    assert nerscope.diagnose(both) == nerscope.diagnose(one)


def test_self_diagnosis_names_the_best_and_the_worst_bucket() -> None:
    row = only(nerscope.diagnose(results_of({"d": TABLE}))["self-diagnosis"], system="y")
    assert (row["best"], row["worst"]) == ("XL", "XS")
    assert (row["best_value"], row["worst_value"], row["gap"]) == pytest.approx((0.8, 0.5, 0.3))
    assert row["p"] == pytest.approx(float(stats.wilcoxon([0.8, 0.8], [0.5, 0.5]).pvalue))


def test_comparative_diagnosis_and_relative_change() -> None:
    views = nerscope.diagnose(results_of({"d": TABLE}), "x", "y")
    largest = only(views["comparative diagnosis"], gap="largest")
    smallest = only(views["comparative diagnosis"], gap="smallest")
    assert (largest["bucket"], largest["difference"]) == ("XS", pytest.approx(0.3))
    assert (smallest["bucket"], smallest["difference"]) == ("XL", pytest.approx(-0.5))
    assert [row["change"] for row in views["relative change"]] == pytest.approx(
        [0.6, 1 / 3, -2 / 7, -0.625]
    )


def test_all_pairs_are_compared_unless_two_are_named() -> None:
    three = {**TABLE, "z": TABLE["x"]}
    views = nerscope.diagnose(results_of({"d": three}))
    assert [(row["a"], row["b"]) for row in views["comparative diagnosis"]][::2] == [
        ("x", "y"),
        ("x", "z"),
        ("y", "z"),
    ]
    assert "relative change" not in views
    assert "comparative diagnosis" not in nerscope.diagnose(results_of({"d": {"x": TABLE["x"]}}))


def test_undefined_buckets_are_left_out_of_the_extremes_and_are_none_elsewhere() -> None:
    table: dict[str, list[list[float | None]]] = {
        "x": [[0.9, NAN, 0.5, NAN]],
        "y": [[0.0, NAN, 0.6, 0.1]],
    }
    views = nerscope.diagnose(results_of({"d": table}), "x", "y")
    ours = only(views["model-wise"], system="x")
    assert (ours["spearman"], ours["p"], ours["significant"]) == (None, None, False)
    assert (ours["std"], ours["datasets"]) == (None, [])
    extremes = only(views["self-diagnosis"], system="x")
    assert (extremes["best"], extremes["worst"], extremes["p"]) == ("XS", "L", None)
    assert [row["bucket"] for row in views["comparative diagnosis"]] == ["XS", "L"]
    # nothing to divide by: undefined
    assert [row["change"] for row in views["relative change"]] == [
        None,
        None,
        pytest.approx(-1 / 6),
        None,
    ]


def test_an_attribute_without_any_defined_bucket_is_left_out() -> None:
    table: dict[str, list[list[float | None]]] = {"x": [[NAN] * 4], "y": [[0.1, 0.2, 0.3, 0.4]]}
    views = nerscope.diagnose(results_of({"d": table}), "x", "y")
    assert only(views["model-wise"], system="x")["std"] is None
    assert [row["system"] for row in views["self-diagnosis"]] == ["y"]
    assert views["comparative diagnosis"] == []


def test_datasets_are_averaged_and_those_without_output_left_out() -> None:
    tables: dict[str, Any] = {"d": TABLE, "e": {"x": [[0.1, 0.2, 0.3, 0.4]]}}
    views = nerscope.diagnose(results_of(tables), "x", "y")
    first = float(stats.spearmanr(MEAN["x"], [1, 2, 3, 4]).statistic)
    assert only(views["model-wise"], system="x")["spearman"] == pytest.approx((first + 1) / 2)
    assert only(views["model-wise"], system="x")["datasets"] == ["d", "e"]
    assert only(views["attribute-wise"], dataset="e")["rho"] == pytest.approx(1.0)
    assert {(row["dataset"], row["system"]) for row in views["self-diagnosis"]} == {
        ("d", "x"),
        ("d", "y"),
        ("e", "x"),
    }
    assert {row["dataset"] for row in views["relative change"]} == {"d"}
    assert {row["dataset"] for row in views["comparative diagnosis"]} == {"d"}
    assert "e: y has no output here and is left out" in [row["note"] for row in views["notes"]]


def test_wilcoxons_test_pairs_the_runs_that_both_have() -> None:
    table: dict[str, list[list[float | None]]] = {
        "x": [[0.9, 0.1], [0.8, 0.2], [0.7, 0.3], [0.6, 0.4]],
        "y": [[0.5, 0.1], [0.6, 0.3], [0.4, 0.2]],
    }
    row = only(
        nerscope.diagnose(results_of({"d": table}, names="S L"), "x", "y")["comparative diagnosis"],
        gap="largest",
    )
    assert row["p"] == pytest.approx(float(stats.wilcoxon([0.9, 0.8, 0.7], [0.5, 0.6, 0.4]).pvalue))


@pytest.mark.parametrize(
    ("tables", "names", "notes"),
    [
        # enough of everything
        ({"d": TABLE, "e": TABLE}, "XS S L XL", []),
        # one run of one system
        (
            {"d": {"x": [[0.1, 0.2, 0.3, 0.4]]}},
            "XS S L XL",
            [
                "d: Friedman's test over buckets needs at least two systems",
                "x: Friedman's test over buckets needs at least two datasets",
                "x: Wilcoxon's test needs at least two runs or datasets",
            ],
        ),
        # two buckets
        (
            {name: {"x": [[0.1, 0.2]], "y": [[0.2, 0.3]]} for name in "de"},
            "S L",
            ["Friedman's test needs at least three buckets: eLen have fewer"],
        ),
    ],
)
def test_tests_that_cannot_be_made_are_noted(tables: Any, names: str, notes: list[str]) -> None:
    assert [
        row["note"] for row in nerscope.diagnose(results_of(tables, names=names))["notes"]
    ] == notes


def test_the_table_holds_single_runs_of_bucketed_facets_only() -> None:
    gold = drawn(30, seed=1)
    results = nerscope.evaluate(
        gold,
        {"s": [noisy(gold, 0.2, 2), noisy(gold, 0.2, 3)]},
        train=drawn(30, seed=2),
        dataset="d",
    )
    table = performance(results)
    assert (table.datasets, table.systems) == (["d"], ["s"])
    assert "tmr" not in table.attributes
    assert table.buckets["eLen"] == ["XS", "S", "L", "XL"]
    assert table.blocks("eLen").shape == (2, 4)
    (first,) = results.select(facet="eLen", level="XS", run="2", metric="f1", type=None)
    assert table.blocks("eLen")[1, 0] == first["value"]
    assert table.zeta["d"]["eLen"] == results.evidence[0].zeta["eLen"]
    rows = nerscope.diagnose(results)["attribute-wise"]
    assert all(row["zeta"] is not None and not math.isnan(row["zeta"]) for row in rows)


def test_results_without_attributes_cannot_be_diagnosed() -> None:
    gold = corpus("a/B-PER")
    with pytest.raises(InputError, match="they hold no attribute"):
        nerscope.diagnose(nerscope.evaluate(gold, {"s": gold}))


@pytest.mark.parametrize("names", [("x", "z"), ("z", "x")])
def test_systems_that_are_not_there_are_refused(names: tuple[str, str]) -> None:
    with pytest.raises(UsageError, match="system 'z': it is not in the results"):
        nerscope.diagnose(results_of({"d": TABLE}), *names)


@pytest.mark.parametrize("names", [("x", None), (None, "x")])
def test_one_name_alone_is_refused(names: tuple[str | None, str | None]) -> None:
    with pytest.raises(UsageError, match="only one system is named"):
        nerscope.diagnose(results_of({"d": TABLE}), *names)
