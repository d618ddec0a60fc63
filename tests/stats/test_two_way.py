"""Two-way clusters against explicit loops over clusters, and against one way."""

from collections import Counter
from collections.abc import Callable, Hashable
from dataclasses import replace
from functools import partial
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.scoring.toys import Corpus, drawn, noisy

import nerscope
from nerscope.errors import InputError, UsageError
from nerscope.results.explanations import explain
from nerscope.scoring.evidence import Evidence
from nerscope.stats.clusters import CellKey, ClusterCounts, clusters_of
from nerscope.stats.intervals import cluster_variance
from nerscope.stats.jackknife import Jackknife
from nerscope.stats.system_pair import SystemPair
from nerscope.stats.two_way import jackknives

F1 = CellKey("all", None, "f1")


class Unit(NamedTuple):
    """A mention of gold (system None) or of a system."""

    system: str | None
    sentence: int
    surface: str
    credit: dict[str, bool]  # by system: whether it is right; of a prediction, by its own


Clusters = Callable[[Unit], Hashable]
Number = Callable[[list[Unit]], float]


def mentions_of(labels: list[str]) -> set[tuple[int, int, str]]:
    """Spans of BIO labels in which every mention begins with B."""
    spans, start = set(), None
    for at, label in enumerate([*labels, "O"]):
        if start is not None and not label.startswith("I-"):
            spans.add((start, at, labels[start][2:]))
            start = None
        if label.startswith("B-"):
            start = at
    return spans


def units_of(gold: Corpus, outputs: dict[str, Corpus]) -> list[Unit]:
    units = []
    for number, (tokens, labels) in enumerate(gold):
        true = mentions_of(labels)
        given = {name: mentions_of(output[number][1]) for name, output in outputs.items()}
        for span in true:
            right = {name: span in spans for name, spans in given.items()}
            units.append(Unit(None, number, " ".join(tokens[span[0] : span[1]]), right))
        for name, spans in given.items():
            for span in spans:
                text = " ".join(tokens[span[0] : span[1]])
                units.append(Unit(name, number, text, {name: span in true}))
    return units


def f1(units: list[Unit], system: str) -> float:
    gold = [unit for unit in units if unit.system is None]
    predicted = [unit for unit in units if unit.system == system]
    return 2 * sum(unit.credit[system] for unit in gold) / (len(gold) + len(predicted))


def variance_by_hand(units: list[Unit], number: Number, of: Clusters) -> float:
    """The jackknife's: every cluster is left out in turn."""
    clusters = {of(unit) for unit in units}
    moves = [
        number(units) - number([unit for unit in units if of(unit) != cluster])
        for cluster in clusters
    ]
    return sum(move**2 for move in moves) * (1 - 1 / len(clusters))


def two_way_by_hand(units: list[Unit], number: Number, size: int) -> float:
    place, surface, both = (
        variance_by_hand(units, number, of)
        for of in (
            lambda unit: unit.sentence // size,
            lambda unit: unit.surface,
            lambda unit: (unit.sentence // size, unit.surface),
        )
    )
    return max(place, surface, place + surface - both)


def spread_over(evidence: Evidence, unit: str, metrics: tuple[str, ...] = ("f1",)) -> Jackknife:
    table = next(table for table in evidence.tables if table.facet == "all")
    narrow = replace(table, metrics={"exact": metrics}, by_type=False)
    clusters = clusters_of(evidence, unit)
    counts = ClusterCounts(evidence, narrow, "exact", evidence.systems, clusters)
    (spread,) = jackknives(counts, evidence, unit, paired=True)
    return spread


def toys(seed: int, sentences: int = 30) -> tuple[Corpus, dict[str, Corpus]]:
    gold = drawn(sentences, seed=seed)
    clean = [(tokens, fixed(labels)) for tokens, labels in gold]
    outputs = {
        name: [(tokens, fixed(labels)) for tokens, labels in noisy(gold, share, seed + 1)]
        for name, share in (("a", 0.2), ("b", 0.4))
    }
    return clean, outputs


def fixed(labels: list[str]) -> list[str]:
    """Labels in which every mention begins with B: the loops above read no others."""
    before, clean = "O", list[str]()
    for label in labels:
        goes_on = before != "O" and before[2:] == label[2:]
        clean.append(f"B-{label[2:]}" if label.startswith("I-") and not goes_on else label)
        before = label
    return clean


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 10_000), st.sampled_from([("sentence,surface", 1), ("block:5,surface", 5)]))
def test_the_variance_is_that_of_loops_over_clusters(seed: int, unit: tuple[str, int]) -> None:
    gold, outputs = toys(seed)
    evidence = nerscope.evaluate(gold, outputs, facets=["all"]).evidence[0]
    units, (name, size) = units_of(gold, outputs), unit
    spread = spread_over(evidence, name)
    at = spread.keys.index(F1)
    for place, system in enumerate(spread.systems):
        expected = two_way_by_hand(units_for(units, system), partial(f1, system=system), size)
        assert cluster_variance(spread, place)[at] == pytest.approx(expected)


def units_for(units: list[Unit], system: str) -> list[Unit]:
    return [unit for unit in units if unit.system in (None, system)]


@settings(max_examples=10, deadline=None)
@given(st.integers(0, 10_000))
def test_a_difference_has_the_variance_of_loops_over_clusters(seed: int) -> None:
    gold, outputs = toys(seed)
    evidence = nerscope.evaluate(gold, outputs, facets=["all"]).evidence[0]
    spread = spread_over(evidence, "sentence,surface")
    at = spread.keys.index(F1)
    squares = spread.largest(lambda of: of[0, 0] + of[1, 1] - 2 * of[0, 1])[at]
    shrink = 1 - 1 / spread.clusters.max(axis=0)[at]
    expected = two_way_by_hand(
        units_of(gold, outputs), lambda some: f1(some, "a") - f1(some, "b"), 1
    )
    # Clusters of both systems and of each are not quite as many: their factors 1 - 1 / m differ.
    assert squares * shrink == pytest.approx(expected, rel=0.05)
    pair = SystemPair(spread, "a", "b", np.full(len(spread.keys), 1e9))
    assert pair.cluster_variance[at] >= squares * shrink


def test_where_every_mention_has_its_own_text_two_ways_are_one() -> None:
    gold, outputs = toys(5, 60)
    renamed = [
        ([f"w{n}-{at}" for at in range(len(t))], labels) for n, (t, labels) in enumerate(gold)
    ]
    preds = {name: [labels for _, labels in output] for name, output in outputs.items()}
    evidence = nerscope.evaluate(renamed, preds).evidence[0]
    metrics = ("f1", "recall", "macro_f1")
    for unit in ("sentence", "block:10"):
        one, two = (spread_over(evidence, name, metrics) for name in (unit, f"{unit},surface"))
        np.testing.assert_allclose(two.products, one.products, atol=1e-12)
        for key, part in one.parts.items():
            np.testing.assert_allclose(two.parts[key].products, part.products, atol=1e-12)


def test_no_interval_is_shorter_than_that_of_places() -> None:
    gold, outputs = toys(11, 80)
    one, two = (
        nerscope.evaluate(gold, outputs, train=drawn(60, seed=2), intervals=nerscope.Sampling(unit))
        for unit in ("sentence", "sentence,surface")
    )
    wider = Counter[str]()
    for narrow, wide in zip(one.rows, two.rows, strict=True):
        assert (narrow.low is None) == (wide.low is None)
        if narrow.low is not None and narrow.high is not None:
            assert wide.low is not None and wide.high is not None
            assert wide.low <= narrow.low + 1e-6 and wide.high >= narrow.high - 1e-6
            wider[wide.facet] += wide.low < narrow.low
    assert wider.total() > len(one.rows) / 4
    assert wider["tFre"] and wider["eLen"]  # tokens inside of mentions, and mentions
    assert "resample:sentence,surface" in two.signature


def test_outputs_over_two_ways_are_tested_by_students_test() -> None:
    gold, outputs = toys(3, 120)
    results = nerscope.evaluate(gold, outputs)
    comparison = nerscope.compare(results, "a", "b", resample="block:5,surface")
    (row,) = comparison.primary
    assert row.test == "two-way"
    one_way = nerscope.compare(results, "a", "b", resample="block:5").primary[0]
    assert one_way.low is not None and row.low is not None
    assert row.low <= one_way.low + 0.01
    of_tokens = {row.test for row in comparison.rows if row.unit == "token"}
    assert of_tokens <= {"randomisation", "exact", None}  # stored by sentence: one way
    (verdict,) = nerscope.gate(
        nerscope.evaluate(gold, {"s": outputs["a"]}),
        nerscope.evaluate(gold, {"s": outputs["b"]}),
        resample="sentence,surface",
    )
    assert verdict.over == "sentence,surface"
    (power,) = nerscope.power(results, resample="sentence,surface")
    alone = nerscope.power(results, resample="sentence")[0]
    assert power.detectable is not None and alone.detectable is not None
    assert power.detectable >= alone.detectable
    assert "surface" in explain("two-way")[0].meaning


def test_surfaces_need_texts() -> None:
    gold, outputs = toys(3)
    wordless = nerscope.evaluate(gold, outputs, texts=False)
    folded = nerscope.evaluate(gold, outputs, fold=True)
    for results, fix in ((wordless, "--no-text"), (folded, "--keep-mentions")):
        with pytest.raises(InputError, match=f"surfaces of mentions.*{fix}"):
            nerscope.compare(results, "a", "b", resample="sentence,surface")


@pytest.mark.parametrize("unit", ["surface", "surface,document", "document, surface", ",surface"])
def test_other_orders_are_refused_with_the_right_one(unit: str) -> None:
    with pytest.raises(UsageError, match="document,surface"):
        nerscope.Sampling(unit)
    with pytest.raises(UsageError, match="mentions of one name are always clusters"):
        nerscope.diagnose(nerscope.evaluate(*toys(3), facets=["eLen"]), resample="sentence,surface")
