"""Every number of `agree` equals that of a naive program, on generated annotations."""

import json
import math
import random
from collections.abc import Mapping
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.annotation.naive_agreement import (
    Chosen,
    Lengths,
    Project,
    Span,
    coefficients,
    mean_f1,
    pair_f1,
    shared,
)

import nerscope as ns

TYPES = ("PER", "LOC", "ORG")
BUCKETS = {"XS": (1,), "S": (2,), "L": (3,), "XL": tuple(range(4, 12))}


def draw_spans(rng: random.Random, size: int, nested: bool) -> list[Span]:
    spans: list[Span] = []
    for _ in range(rng.randrange(4)):
        start = rng.randrange(size)
        end = min(size, start + rng.choice((1, 1, 2, 3, 5)))
        is_free = all(end <= low or start >= high for low, high, _ in spans)
        if is_free or nested:
            spans.append((start, end, rng.choice(TYPES)))
    return sorted(set(spans))


def draw_project(seed: int, *, nested: bool = False) -> tuple[Project, Lengths]:
    """Annotations that are alike, with texts that some annotators have not seen."""
    rng = random.Random(seed)
    lengths = {f"t{number}": rng.randint(1, 9) for number in range(rng.randint(2, 8))}
    truth = {text: draw_spans(rng, size, nested) for text, size in lengths.items()}
    project: dict[str, dict[str, list[Span]]] = {}
    for name in ("ann", "ben", "eve", "joe")[: rng.randint(2, 4)]:
        texts = [text for text in lengths if text == "t0" or rng.random() < 0.8]
        project[name] = {
            text: truth[text] if rng.random() < 0.5 else draw_spans(rng, lengths[text], nested)
            for text in texts
        }
    return project, lengths


def write(folder: Path, project: Project, lengths: Lengths) -> dict[str, Path]:
    """One file per annotator, each with its texts in another order."""
    files = {}
    for number, (name, texts) in enumerate(project.items()):
        items = [
            {
                "id": text,
                "tokens": [f"{text}w{at}" for at in range(lengths[text])],
                "spans": [
                    {"start": start, "end": end, "label": kind} for start, end, kind in spans
                ],
            }
            for text, spans in texts.items()
        ]
        random.Random(number).shuffle(items)
        files[name] = folder / f"{name}.jsonl"
        files[name].write_text("".join(json.dumps(item) + "\n" for item in items))
    return files


def same(ours: float | None, theirs: float | None) -> bool:
    if ours is None or theirs is None:
        return ours is theirs
    return math.isclose(ours, theirs, rel_tol=1e-9, abs_tol=1e-9)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("agree")


@given(seed=st.integers(0, 100_000), nested=st.booleans())
def test_f1_equals_the_definition(folder: Path, seed: int, nested: bool) -> None:
    project, lengths = draw_project(seed, nested=nested)
    agreement = ns.agree(write(folder, project, lengths))
    cells: dict[tuple[str, str, str | None], Chosen] = {("all", "all", None): Chosen()}
    cells |= {("all", "all", kind): Chosen(kind) for kind in TYPES}
    cells |= {("eLen", level, None): Chosen(None, sizes) for level, sizes in BUCKETS.items()}
    for (facet, level, kind), chosen in cells.items():
        options: dict[str, Any] = {"facet": facet, "level": level, "type": kind, "match": "exact"}
        for a, b in combinations(project, 2):
            row = agreement.score("f1", a, b, **options)
            expected = pair_f1(project, a, b, chosen)
            assert same(row.value if row else None, expected), (a, b, facet, level, kind)
        row = agreement.score("f1", **options)
        assert same(row.value if row else None, mean_f1(project, chosen)), (facet, level, kind)


@given(seed=st.integers(0, 100_000), nested=st.booleans())
def test_coefficients_equal_the_definition(folder: Path, seed: int, nested: bool) -> None:
    project, lengths = draw_project(seed, nested=nested)
    agreement = ns.agree(write(folder, project, lengths))
    for annotated in (False, True):
        for (measure, a, b), expected in coefficients(project, lengths, annotated).items():
            assert same(agreement.value(measure, a, b), expected), (measure, a, b)


@given(seed=st.integers(0, 100_000))
def test_texts_are_counted(folder: Path, seed: int) -> None:
    project, lengths = draw_project(seed)
    agreement = ns.agree(write(folder, project, lengths))
    assert agreement.texts == {name: len(texts) for name, texts in project.items()}
    assert {(row.a, row.b): row.n for row in agreement.shared} == {
        (a, b): len(shared(project, a, b)) for a, b in combinations(project, 2)
    }


def numbers(agreement: ns.Agreement) -> dict[tuple[Any, ...], tuple[Any, ...]]:
    """Every number by its conditions, whoever of two annotators is named first."""
    return {
        (frozenset((row.a, row.b)), *(row[key] for key in KEYS)): (row.value, row.low, row.high)
        for row in agreement.rows
    }


KEYS = ("measure", "facet", "level", "type", "match")


@given(seed=st.integers(0, 100_000))
def test_the_order_of_files_changes_no_number(folder: Path, seed: int) -> None:
    project, lengths = draw_project(seed)
    files = write(folder, project, lengths)
    first = numbers(ns.agree(files))
    second = numbers(ns.agree(dict(reversed(files.items()))))
    assert first.keys() == second.keys()
    for key, triple in first.items():
        assert all(map(same, triple, second[key])), key


@given(seed=st.integers(0, 100_000))
def test_f1_of_a_pair_is_that_of_evaluate(folder: Path, seed: int) -> None:
    """With its interval, under every match, by type and by mention length."""
    project, lengths = draw_project(seed)
    pair = {name: {text: project[name][text] for text in project[name]} for name in ("ann", "ben")}
    texts = shared(pair, *pair)
    pair = {name: {text: pair[name][text] for text in texts} for name in pair}
    if not any(any(own.values()) for own in pair.values()) or not any(pair["ann"].values()):
        return  # evaluate refuses gold without mentions
    files = write(folder, pair, lengths)
    agreement = ns.agree(files)
    results = ns.evaluate(
        files["ann"],
        {"ben": files["ben"]},
        intervals=True,
        metrics=["f1"],
        facets=["eLen"],
    )
    for row in results.select(metric="f1", run=None):
        ours = agreement.score(
            "f1", "ann", "ben", facet=row.facet, level=row.level, type=row.type, match=row.match
        )
        assert ours is not None, dict(row)
        assert same(ours.value, row.value)
        if ours.n == 2 * row.n:  # evaluate limits the number of units by gold alone
            assert same(ours.low, row.low)
            assert same(ours.high, row.high)


def leave_one_out(values: Mapping[str, float], whole: float) -> float:
    n = len(values)
    return sum((whole - value) ** 2 for value in values.values()) * (1 - 1 / n)


def test_the_interval_of_a_mean_is_a_jackknife_over_texts(folder: Path) -> None:
    project, lengths = draw_project(7)
    mean = mean_f1(project)
    assert mean is not None
    without = {}
    for text in lengths:
        rest = {
            name: {other: spans for other, spans in texts.items() if other != text}
            for name, texts in project.items()
        }
        value = mean_f1(rest)
        without[text] = mean if value is None else value
    variance = leave_one_out(without, mean)
    row = ns.agree(write(folder, project, lengths)).score("f1")
    assert row is not None
    assert row.low is not None
    assert row.high is not None
    assert row.low < mean < row.high
    # Wilson's interval is at least as wide as the standard error to one side.
    assert row.high - row.low > 2 * math.sqrt(variance) * 0.5
