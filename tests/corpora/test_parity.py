"""Every number computed independently for real corpora and real systems must come out the same."""

import json
import math
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from nerscope import Results, evaluate
from nerscope.formats.columns.conll import ConllFile

pytestmark = pytest.mark.corpora
SHARED = Path(__file__).resolve().parents[3] / "shared"
DATASETS = ["conll2003", "wnut17", "masakhaner2_hau", "masakhaner2_pcm"]


@cache
def expected(dataset: str) -> dict[str, Any]:
    content: dict[str, Any] = json.loads((SHARED / "expected" / f"{dataset}.json").read_text())
    return content


@cache
def results(dataset: str, **options: Any) -> Results:
    folder = SHARED / "corpora" / dataset
    # One participant of WNUT17 rewrote some tokens (`gt` as `get`).
    systems = {
        name: ConllFile(folder / "systems" / f"{name}.txt", tokens="any")
        for name in expected(dataset)
    }
    return evaluate(
        folder / "test.txt", systems, train=folder / "train.txt", dataset=dataset, **options
    )


@cache
def cells(dataset: str, **options: Any) -> dict[tuple[object, ...], tuple[float | None, int]]:
    keys = ("system", "facet", "level", "type", "match", "metric")
    return {
        tuple(row[key] for key in keys): (row["value"], row["n"])
        for row in results(dataset, **options).rows
        if row["run"] is None
    }


def check(
    dataset: str,
    cell: tuple[object, ...],
    value: float | None,
    n: int | None = None,
    **options: Any,
) -> None:
    found, size = cells(dataset, **options)[cell]
    if value is None:
        assert found is None, cell
    else:
        assert found is not None and math.isclose(found, value, abs_tol=1e-9), (cell, found, value)
    if n is not None:
        assert size == n, cell


@pytest.mark.slow(quick=1)
@pytest.mark.parametrize("dataset", DATASETS)
def test_exact_scores_and_token_accuracy(dataset: str) -> None:
    for system, numbers in expected(dataset).items():
        exact = numbers["exact"]
        for kind, part in [(None, exact["overall"]), *exact["types"].items()]:
            for metric, key, size in [
                ("precision", "p", "pred"),
                ("recall", "r", "gold"),
                ("f1", "f1", "gold"),
            ]:
                value = (
                    part[key]
                    if part["gold"] and part["pred"]
                    else cells(dataset)[system, "all", "all", kind, "exact", metric][0]
                )
                check(dataset, (system, "all", "all", kind, "exact", metric), value, part[size])
        check(
            dataset,
            (system, "all", "all", None, "label", "accuracy"),
            exact["token_accuracy"],
            exact["n_tokens"],
        )


@pytest.mark.parametrize("dataset", DATASETS)
def test_tough_mentions_recall(dataset: str) -> None:
    for system, numbers in expected(dataset).items():
        for subset, part in numbers["tmr"].items():
            facet, level = ("all", "all") if subset == "ALL" else ("tmr", subset.lower())
            check(
                dataset, (system, facet, level, None, "exact", "recall"), part["recall"], part["n"]
            )
            for kind, cell in part["types"].items():
                value = cell["hit"] / cell["n"] if cell["n"] else None
                check(dataset, (system, facet, level, kind, "exact", "recall"), value, cell["n"])


@pytest.mark.slow(quick=1)
@pytest.mark.parametrize("dataset", DATASETS)
@pytest.mark.parametrize(
    ("block", "facet", "options"),
    [
        ("hardeval_loose", "hard", {}),
        ("hardeval_strict", "hard-strict", {}),
        ("hardeval_loose_conlleval_repair", "hard", {"token_repair": "conlleval"}),
        ("hardeval_loose_io_labels", "hard", {"token_match": "io"}),
    ],
)
def test_token_error_rates(dataset: str, block: str, facet: str, options: dict[str, Any]) -> None:
    match = options.get("token_match", "bilou")
    for system, numbers in expected(dataset).items():
        part = dict(numbers[block])
        check(
            dataset, (system, facet, "score", None, match, "hardeval"), part.pop("score"), **options
        )
        for level, share in part.pop("breakdown").items():
            check(
                dataset, (system, facet, level, None, match, "error_share"), share / 100, **options
            )
        for level, cell in part.items():
            check(
                dataset,
                (system, facet, level, None, match, "ter"),
                cell["ter"],
                cell["n"],
                **options,
            )


@pytest.mark.parametrize("dataset", DATASETS)
def test_partial_credit(dataset: str) -> None:
    for system, numbers in expected(dataset).items():
        for match, part in numbers["partial"].items():
            for metric, key, size in [
                ("precision", "p", "pred"),
                ("recall", "r", "gold"),
                ("f1", "f1", "gold"),
            ]:
                check(dataset, (system, "all", "all", None, match, metric), part[key], part[size])
            check(dataset, (system, "all", "all", None, match, "correct"), part["exact"])
            check(dataset, (system, "all", "all", None, match, "partial"), part["partial"])


@pytest.mark.parametrize("dataset", DATASETS)
def test_bucket_scores_and_edges(dataset: str) -> None:
    for system, numbers in expected(dataset).items():
        for name, part in numbers["bucket_f1"].items():
            facet = "eDen" if name == "eDen_tokens" else name
            edges = results(dataset).settings["facets"][facet]["edges"]
            assert edges == pytest.approx(part["edges"], abs=1e-9)
            match = "io" if facet in ("tFre", "tCon") else "exact"
            for level, cell in zip(("XS", "S", "L", "XL"), part["buckets"], strict=True):
                for metric, key, size in [
                    ("precision", "p", "pred"),
                    ("recall", "r", "gold"),
                    ("f1", "f1", "gold"),
                ]:
                    empty = not cell[size] if metric != "f1" else not (cell["gold"] or cell["pred"])
                    value = (
                        None if empty else cell[key]
                    )  # the independent program writes 0 for nothing over nothing
                    check(dataset, (system, facet, level, None, match, metric), value, cell[size])


@pytest.mark.parametrize("dataset", DATASETS)
def test_surface_scores(dataset: str) -> None:
    for system, numbers in expected(dataset).items():
        part = numbers["surface_f1_wnut17"]
        for metric, key, size in [
            ("precision", "p", "pred"),
            ("recall", "r", "gold"),
            ("f1", "f1", "gold"),
        ]:
            check(dataset, (system, "all", "all", None, "surface", metric), part[key], part[size])
