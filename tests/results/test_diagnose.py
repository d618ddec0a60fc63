"""InterpretEval's views on tables computed by hand, and the tests beside them."""

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy import stats
from tests.scoring.toys import corpus, drawn, noisy

import nerscope
from nerscope.errors import InputError, UsageError
from nerscope.results.diagnose import Diagnosis, performance_table
from nerscope.results.protocol import Protocol
from nerscope.results.results import Results
from nerscope.results.rows import Row
from nerscope.scoring.evidence import BucketEdges, Evidence, Signature
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
        Row(
            dataset=dataset,
            system=system,
            run=str(number),
            unit="mention",
            facet=attribute,
            level=level,
            type=None,
            match="exact",
            metric="f1",
            value=value,
            n=5,
        )
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


def only(rows: list[Mapping[str, Any]], **wanted: Any) -> Mapping[str, Any]:
    (found,) = [row for row in rows if all(row[key] == value for key, value in wanted.items())]
    return found


def test_model_wise_view() -> None:
    views = nerscope.diagnose(results_of({"d": TABLE}))
    ours = only(views["model-wise"], system="x")
    assert ours["spearman"] == pytest.approx(
        float(stats.spearmanr(MEAN["x"], [1, 2, 3, 4]).statistic)
    )
    assert ours["std"] == pytest.approx(float(np.std(MEAN["x"])))
    assert ours["datasets"] == ["d"]
    assert only(views["model-wise"], system="y")["spearman"] == pytest.approx(1.0)


def test_attribute_wise_view() -> None:
    views = nerscope.diagnose(results_of({"d": TABLE}), paper=True)
    row = only(views["attribute-wise"], dataset="d")
    both = abs(float(stats.spearmanr(MEAN["x"], [1, 2, 3, 4]).statistic)), 1.0
    assert row["rho"] == pytest.approx(sum(both) / 2)
    assert row["zeta"] is None
    blocks = np.array([MEAN["x"], MEAN["y"]])
    assert row["interpreteval_p"] == pytest.approx(friedman(blocks).p)
    assert (row["interpreteval_test"], row["interpreteval_blocks"]) == ("Friedman, exact", 2)
    assert row["systems"] == ["x", "y"]
    # what the paper prints, beside the exact test
    assert row["interpreteval_chi_square_p"] == pytest.approx(
        stats.friedmanchisquare(*blocks.T).pvalue
    )
    alone = only(views["model-wise"], system="x")
    assert (alone["interpreteval_p"], alone["interpreteval_blocks"]) == (None, 1)  # runs are none


def test_friedman_has_one_block_for_each_dataset_of_a_system() -> None:
    tables: dict[str, Any] = dict.fromkeys("abc", TABLE)
    row = only(nerscope.diagnose(results_of(tables), paper=True)["model-wise"], system="y")
    assert (row["interpreteval_blocks"], row["interpreteval_test"]) == (3, "Friedman, exact")
    assert row["interpreteval_p"] == pytest.approx(friedman(np.array([MEAN["y"]] * 3)).p)
    assert row["interpreteval_p"] == pytest.approx(24 / 24**3)  # all three in one order, of 24 each


def test_friedman_of_many_datasets_says_that_it_is_approximate() -> None:
    tables: dict[str, Any] = {f"d{number}": TABLE for number in range(16)}
    row = only(nerscope.diagnose(results_of(tables), paper=True)["model-wise"], system="y")
    assert (row["interpreteval_blocks"], row["interpreteval_test"]) == (16, "Friedman, chi-square")
    assert row["interpreteval_p"] == pytest.approx(
        stats.friedmanchisquare(*np.array([MEAN["y"]] * 16).T).pvalue
    )


@pytest.mark.slow
def test_each_runs_own_best_bucket_is_paired_with_its_own_worst() -> None:
    runs = [[0.9, 0.8, 0.1, 0.2], [0.3, 0.8, 0.5, 0.2]]
    tables: dict[str, Any] = {name: {"x": runs} for name in "abcdef"}
    rows = nerscope.diagnose(results_of(tables), paper=True)["self-diagnosis"]
    wanted = stats.wilcoxon([0.9, 0.8] * 6, [0.1, 0.2] * 6).pvalue
    assert [(row["interpreteval_pairs"], row["interpreteval_test"]) for row in rows] == [
        (12, "Wilcoxon")
    ] * 6  # footnote 10
    assert [row["interpreteval_p"] for row in rows] == pytest.approx([wanted] * 6)
    assert rows[0]["interpreteval_datasets"] == list("abcdef")


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


def test_comparative_diagnosis_and_relative_change() -> None:
    views = nerscope.diagnose(results_of({"d": TABLE}), "x", "y")
    largest = only(views["comparative diagnosis"], gap="largest")
    smallest = only(views["comparative diagnosis"], gap="smallest")
    assert (largest["bucket"], largest["difference"]) == ("XS", pytest.approx(0.3))
    assert (smallest["bucket"], smallest["difference"]) == ("XL", pytest.approx(-0.5))
    assert [row["change"] for row in views["relative change"]] == pytest.approx(
        [0.6, 1 / 3, -2 / 7, -0.625]
    )


def test_views_and_rows_are_read_by_attribute_and_by_key() -> None:
    views = nerscope.diagnose(results_of({"d": TABLE}), "x", "y", paper=True)
    assert list(views) == [
        *("model-wise", "attribute-wise", "self-diagnosis", "comparative diagnosis"),
        *("relative change", "notes"),
    ]
    assert views["self-diagnosis"] is views.self_diagnosis
    first = views.self_diagnosis[0]
    assert (first["worst"], first["interpreteval_pairs"]) == (first.worst, 2)
    plain = nerscope.diagnose(results_of({"d": TABLE})).self_diagnosis[0]
    assert list(first)[: len(plain)] == list(plain)
    assert list(first)[len(plain) :] == [
        *("interpreteval_p", "interpreteval_test", "interpreteval_pairs"),
        "interpreteval_datasets",
    ]
    assert "datasets" not in plain  # a row of one dataset rests on this one


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
    assert "e: y has no output and is left out" in [row["note"] for row in views["notes"]]


def test_wilcoxons_test_pairs_the_runs_that_both_have() -> None:
    table: dict[str, list[list[float | None]]] = {
        "x": [[0.9, 0.1], [0.8, 0.2], [0.7, 0.3], [0.6, 0.4]],
        "y": [[0.5, 0.1], [0.6, 0.3], [0.4, 0.2]],
    }
    views = nerscope.diagnose(results_of({"d": table}, names="S L"), "x", "y", paper=True)
    row = only(views["comparative diagnosis"], gap="largest")
    assert row["interpreteval_p"] == pytest.approx(
        float(stats.wilcoxon([0.9, 0.8, 0.7], [0.5, 0.6, 0.4]).pvalue)
    )


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
def test_tests_of_the_paper_that_cannot_be_made_are_noted(
    tables: Any, names: str, notes: list[str]
) -> None:
    assert [
        row["note"]
        for row in nerscope.diagnose(results_of(tables, names=names), paper=True)["notes"]
    ] == notes


def test_the_table_holds_single_runs_of_bucketed_facets_only() -> None:
    gold = drawn(30, seed=1)
    results = nerscope.evaluate(
        gold,
        {"s": [noisy(gold, 0.2, 2), noisy(gold, 0.2, 3)]},
        train=drawn(30, seed=2),
        dataset="d",
    )
    table = performance_table(results)
    assert (table.datasets, table.systems) == (["d"], ["s"])
    assert "tmr" not in table.attributes
    assert table.buckets["eLen"] == ["XS", "S", "L", "XL"]
    assert table.blocks("eLen").shape == (2, 4)
    (first,) = results.select(facet="eLen", level="XS", run="2", metric="f1", type=None)
    assert table.blocks("eLen")[1, 0] == first["value"]
    assert table.zeta["d"]["eLen"] == results.evidence[0].zeta["eLen"]
    rows = nerscope.diagnose(results)["attribute-wise"]
    assert all(row["zeta"] is not None and not math.isnan(row["zeta"]) for row in rows)


# Tests


def diagnosed(attribute_matters: bool, sentences: int = 240, **options: Any) -> Diagnosis:
    """Two systems; mentions of two tokens are hard for both, if the attribute matters."""
    rng = np.random.default_rng(5)
    gold, outputs = [], {"x": [], "y": []}  # type: ignore[var-annotated]
    for _ in range(sentences):
        size = int(rng.integers(1, 3))
        labels = ["B-PER", *["I-PER"] * (size - 1), "O"]
        gold.append((["a"] * (size + 1), labels))
        for name in outputs:
            right = rng.random() < (0.4 if attribute_matters and size == 2 else 0.8)
            outputs[name].append(labels if right else ["O"] * (size + 1))
    results = nerscope.evaluate(gold, outputs, facets=["eLen"], dataset="d")
    return nerscope.diagnose(results, samples=500, **options)


@pytest.mark.parametrize("matters", [True, False])
def test_an_effect_is_seen_where_there_is_one(matters: bool) -> None:
    views = diagnosed(matters)
    for view in ("model-wise", "attribute-wise", "self-diagnosis"):
        for row in views[view]:
            assert row["significant"] is (row["p"] < 0.05) is matters
            assert (row["test"], row["clusters"]) == ("sign flips of sentences", 240)
    for view in ("model-wise", "attribute-wise"):
        assert [row["significant_trend"] for row in views[view]] == [matters] * len(views[view])
    # both systems find them hard: neither leads more in a bucket than over all
    leads = views["comparative diagnosis"]
    assert len(leads) == 2
    assert not any(row["significant"] for row in leads)
    assert leads[0]["difference"] > leads[0]["overall"] > leads[1]["difference"]
    assert not any(
        key.startswith("interpreteval") for rows in views.values() for row in rows for key in row
    )


def test_the_same_seed_gives_the_same_numbers() -> None:
    assert diagnosed(False, seed=1) == diagnosed(False, seed=1)
    assert diagnosed(False, seed=1) != diagnosed(False, seed=2)


def with_documents(documents: int, facet: str = "eLen", sentences: int = 60) -> Results:
    gold = drawn(sentences, seed=1)
    results = nerscope.evaluate(gold, {"s": noisy(gold, 0.2, 2)}, facets=[facet], dataset="d")
    (evidence,) = results.evidence
    marked = np.arange(sentences) * documents // sentences
    return Results([replace(evidence, documents=marked)])


@pytest.mark.parametrize(
    ("documents", "resample", "test"),
    [
        # documents where they are marked, else sentences
        (30, None, "sign flips of documents and of names"),
        (1, None, "sign flips of sentences and of names"),
        (30, "sentence", "sign flips of sentences and of names"),
        (30, "document", "sign flips of documents and of names"),
        # too few
        (5, None, None),
    ],
)
def test_whose_signs_are_changed(documents: int, resample: str | None, test: str | None) -> None:
    views = nerscope.diagnose(with_documents(documents), samples=999, resample=resample)
    row = only(views["self-diagnosis"], system="s")
    assert row["test"] == test
    assert (row["p"] is None) == (test is None)
    few = "d, s: no test of eLen: 6 documents with mentions are needed, the data has 5"
    assert [note["note"] for note in views["notes"]] == ([few] if test is None else [])


@pytest.mark.parametrize(
    ("documents", "test"),
    [(30, "sign flips of documents"), (8, "sign flips of documents, exact")],
)
def test_without_texts_names_cannot_be_told_apart(documents: int, test: str) -> None:
    (evidence,) = with_documents(documents).evidence
    silent = nerscope.diagnose(Results([replace(evidence, texts=None)]), samples=999)
    told = nerscope.diagnose(Results([evidence]), samples=999)
    for view in ("model-wise", "self-diagnosis"):
        (alone,), (both,) = silent[view], told[view]
        assert alone["test"] == test
        assert alone["p"] <= both["p"]  # what is less sure counts


def test_a_name_that_is_always_wrong_is_one_case_however_often_it_comes() -> None:
    others = [(f"n{number}", number % 10 > 0) for number in range(100)]
    longer = [(f"m{number} x", number % 10 > 0) for number in range(30)]
    mentions = [*others, *longer, *[("odd x", False)] * 30]
    gold, output = [], []
    for name, right in mentions:
        labels = ["B-PER", *["I-PER"] * (len(name.split()) - 1)]
        gold.append((name.split(), labels))
        output.append(labels if right else ["O"] * len(labels))
    results = nerscope.evaluate(gold, {"s": output}, facets=["eLen"], dataset="d")
    (evidence,) = results.evidence
    silent = nerscope.diagnose(Results([replace(evidence, texts=None)]), samples=999)
    (told,) = nerscope.diagnose(results, samples=999)["model-wise"]
    assert silent["model-wise"][0]["p"] < 0.01 < 0.2 < told["p"]


def test_a_perfect_system_has_nothing_to_test() -> None:
    gold = drawn(60, seed=1)
    results = nerscope.evaluate(gold, {"s": gold}, facets=["eLen"], dataset="d")
    views = nerscope.diagnose(results)
    assert [row["p"] for row in views["self-diagnosis"]] == [None]
    note = "d, s: no test of eLen: the score is the same in all buckets"
    assert views["notes"] == [{"note": note}]


def test_splits_overlap_and_are_not_tested_together() -> None:
    (first,), (second,) = with_documents(30, "sLen").evidence, with_documents(8, "sLen").evidence
    parts = [first, replace(second, dataset="e")]
    views = nerscope.diagnose(Results(parts, protocol=Protocol("splits", 0.25)), samples=999)
    (row,) = views["model-wise"]
    assert (row["p"], row["p_trend"], row["spearman_noise"], row["test"]) == (None,) * 4
    assert row["spearman"] is not None
    assert {"note": "no test over datasets: splits of one corpus overlap"} in views["notes"]
    # on each split by itself, and on one alone, nothing changes
    assert all(one["p"] is not None for one in views["self-diagnosis"])
    alone = nerscope.diagnose(Results([first], protocol=Protocol("splits", 0.25)), samples=999)
    assert alone["model-wise"][0]["p"] is not None


def test_datasets_are_tested_together() -> None:
    one, other = with_documents(30, "sLen"), with_documents(8, "sLen")
    (first,), (second,) = one.evidence, other.evidence
    views = nerscope.diagnose(Results([first, replace(second, dataset="e")]), samples=999)
    (row,) = views["model-wise"]
    assert (row["test"], row["clusters"]) == ("sign flips of documents and of names", 30 + 8)
    assert 0 < row["p"] <= 1 and 0 < row["spearman_noise"] < row["spearman_noise_95"] <= 1


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"samples": 0}, "samples: invalid value 0"),
        ({"seed": -1}, "seed: invalid value -1"),
        ({"resample": "word"}, "unknown cluster unit 'word'"),
    ],
)
def test_options_that_cannot_be_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        nerscope.diagnose(with_documents(10), **options)


def test_documents_that_are_not_marked_cannot_be_resampled() -> None:
    with pytest.raises(InputError, match="the data has no document boundaries"):
        nerscope.diagnose(with_documents(1), resample="document")


def test_results_without_attributes_cannot_be_diagnosed() -> None:
    gold = corpus("a/B-PER")
    with pytest.raises(InputError, match="no attribute was evaluated"):
        nerscope.diagnose(nerscope.evaluate(gold, {"s": gold}))


@pytest.mark.parametrize("names", [("x", "z"), ("z", "x")])
def test_systems_that_are_not_there_are_refused(names: tuple[str, str]) -> None:
    with pytest.raises(UsageError, match="system 'z': it is not in the results"):
        nerscope.diagnose(results_of({"d": TABLE}), *names)


@pytest.mark.parametrize("names", [("x", None), (None, "x")])
def test_one_name_alone_is_refused(names: tuple[str | None, str | None]) -> None:
    with pytest.raises(UsageError, match="only one system is named"):
        nerscope.diagnose(results_of({"d": TABLE}), *names)


def test_two_systems_in_a_chosen_bucket_over_runs_and_chosen_datasets() -> None:
    gold = {name: drawn(40, seed=number) for number, name in enumerate("abc")}
    outputs = {
        name: {
            system: [noisy(gold[name], rate, 10 * run + place) for run in range(3)]
            for place, (system, rate) in enumerate([("x", 0.1), ("y", 0.3)])
        }
        for name in gold
    }
    parts = [
        nerscope.evaluate(gold[name], outputs[name], facets=["eLen"], dataset=name) for name in gold
    ]
    results = Results([evidence for part in parts for evidence in part.evidence])
    chosen = ["c", "a"]
    options: Any = {"samples": 20, "buckets": ["eLen=S", "eLen=XS"], "datasets": chosen}
    views = nerscope.diagnose(results, "x", "y", **options)
    assert views.chosen_buckets is not None
    for row in views.chosen_buckets:
        values = {
            system: [
                results.value(
                    dataset=dataset,
                    system=system,
                    run=str(run),
                    facet="eLen",
                    level=row.bucket,
                    metric="f1",
                )
                for dataset in chosen
                for run in (1, 2, 3)
            ]
            for system in "xy"
        }
        left, right = (np.array(values[system], float) for system in "xy")
        assert row.interpreteval_p == pytest.approx(
            stats.wilcoxon(left, right).pvalue
        )  # footnote 11
        assert (row.interpreteval_pairs, row.datasets) == (6, chosen)
        assert row.difference == pytest.approx(float((left - right).mean()))
    assert {row.dataset for row in views.self_diagnosis} == set(chosen)
    with pytest.raises(UsageError, match=r"bucket .*: it is not in the results"):
        nerscope.diagnose(results, buckets=["eLen=XXL"])
    with pytest.raises(UsageError, match="not in the results"):
        nerscope.diagnose(results, datasets=["z"])


def test_the_type_is_an_attribute_without_an_order() -> None:
    gold = drawn(40, seed=1)
    systems: Any = {"x": noisy(gold, 0.1, 2), "y": noisy(gold, 0.3, 3)}
    results = nerscope.evaluate(gold, systems, facets=["eLen"])
    views = nerscope.diagnose(results, samples=20, types=True)
    f1 = {kind: results.value(system="x", metric="f1", type=kind) for kind in ("LOC", "ORG", "PER")}
    row = only(views["self-diagnosis"], system="x", attribute="type")
    assert (row["best"], row["worst"]) == (
        max(f1, key=lambda k: f1[k] or 0),
        min(f1, key=lambda k: f1[k] or 0),
    )
    ours = only(views["model-wise"], system="x", attribute="type")
    assert ours["spearman"] is None
    assert ours["std"] == pytest.approx(float(np.std([value or 0.0 for value in f1.values()])))
    assert "type" not in {
        row.attribute for row in nerscope.diagnose(results, samples=20).model_wise
    }
