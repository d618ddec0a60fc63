"""Evidence: coding of types, joining of runs, and the way through JSON."""

import json
from importlib import import_module
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from tests.scoring.toys import corpus, drawn, noisy

import nerscope
from nerscope.corpus.arrays import Ints
from nerscope.evaluation.rows import tabulate
from nerscope.scoring.evidence import (
    Division,
    Evidence,
    canonical,
    joined_runs,
    only_run,
    with_types,
)
from nerscope.scoring.ledger import Units
from nerscope.scoring.packing import pack_array, pack_evidence, unpack_array, unpack_evidence

GOLD = drawn(30, seed=1)


def evidence_of(*rates: float) -> Evidence:
    systems = {f"s{number}": noisy(GOLD, rate, seed=number) for number, rate in enumerate(rates)}
    return nerscope.evaluate(GOLD, systems, train=drawn(30, seed=2)).evidence[0]


@pytest.mark.parametrize(
    "values",
    [
        # nothing, one, equal, steps, falling, negative
        np.zeros(0, np.int64),
        np.array([7]),
        np.array([3, 3, 3], np.int32),
        np.array([0, 1, 1, 5, 300]),
        np.array([9, 1, 4], np.int16),
        np.array([-2, 5, -2], np.int64),
        np.array([-5, -2, 0], np.int64),
        np.array([2**40, 2**40 + 1]),
        # few distinct numbers, many distinct numbers
        np.zeros(0),
        np.array([0.0, 0.5, 1.0, 0.5]),
        np.linspace(0, 1, 1000),
    ],
)
def test_an_array_survives_packing(values: Any) -> None:
    again = unpack_array(json.loads(json.dumps(pack_array(values))))
    assert again.dtype.kind == values.dtype.kind
    assert again.tolist() == values.tolist()


@given(arrays.arrays(np.int64, st.integers(0, 40), elements=st.integers(-(2**40), 2**40)))
def test_any_integers_survive_packing(values: Ints) -> None:
    assert unpack_array(pack_array(values)).tolist() == values.tolist()
    ordered = np.sort(values)
    assert unpack_array(pack_array(ordered)).tolist() == ordered.tolist()


def rows_of(evidence: Evidence) -> list[Any]:
    return list(tabulate(evidence))


def test_whole_evidence_survives_packing_with_all_its_rows() -> None:
    evidence = evidence_of(0.1, 0.3)
    again = unpack_evidence(json.loads(json.dumps(pack_evidence(evidence, whole=True))))
    assert rows_of(again) == rows_of(evidence)
    assert (again.texts, again.runs, again.types, again.zeta) == (
        evidence.texts,
        evidence.runs,
        evidence.types,
        evidence.zeta,
    )


def test_saved_evidence_leaves_out_what_only_rows_need() -> None:
    packed = pack_evidence(evidence_of(0.1))
    again = unpack_evidence(packed)
    assert again.ledgers["mention"].gold.surface is None
    assert not again.ledgers["mention"].runs[0].gold_kind
    assert again.ledgers["mention"].gold.start is not None


def test_runs_taken_apart_and_joined_again_are_the_same_evidence() -> None:
    evidence = evidence_of(0.1, 0.2, 0.5)
    parts = [only_run(evidence, run) for run in range(3)]
    assert [part.runs for part in parts] == [(("s0", "1"),), (("s1", "1"),), (("s2", "1"),)]
    assert rows_of(joined_runs(parts)) == rows_of(evidence)


def test_types_may_be_coded_in_any_order() -> None:
    evidence = evidence_of(0.2)
    other = with_types(evidence, ["PER", "unused", "LOC", "ORG"])
    assert other.types == ("PER", "unused", "LOC", "ORG")
    assert rows_of(canonical(other)) == rows_of(evidence)


def test_types_are_alphabetical_and_only_those_that_occur() -> None:
    train = corpus("Z/B-ZZZ")
    results = nerscope.evaluate(
        corpus("a/B-PER b/B-LOC"), {"s": corpus("a/B-MISC b/B-LOC")}, train=train
    )
    assert results.evidence[0].types == ("LOC", "MISC", "PER")


def test_systems_and_their_runs_keep_the_order_given() -> None:
    gold = corpus("a/B-PER")
    evidence = nerscope.evaluate(gold, {"z": gold, "a": [[["O"]], [["B-PER"]]]}).evidence[0]
    assert evidence.systems == ["z", "a"]
    assert evidence.runs_of("a") == [1, 2]
    assert evidence.runs_of("nobody") == []


def test_levels_add_the_codes_they_are_made_of() -> None:
    division = Division(
        "mention", {"a": (0,), "b": (1, 2), "both": (0, 2)}, ("exact",), ("recall",)
    )
    counts = np.arange(3.0).reshape(3, 1, 1) * np.ones(4)
    assert division.n_codes == 3
    assert division.by_level(counts)[:, 0, 0].tolist() == [0.0, 3.0, 2.0]


def test_units_without_codes_of_a_facet_are_divided_by_type_alone() -> None:
    units = Units(np.array([0, 0]), np.array([1, 0]), {"f": np.array([1, 0], np.int8)})
    assert units.cells("all", 2).tolist() == [1, 0]
    assert units.cells("f", 2).tolist() == [3, 0]


@settings(max_examples=25, deadline=None)
@given(st.lists(st.sampled_from(["Ada", "met", "Øre", "a b", "x\ty", "“"]), min_size=1, max_size=4))
def test_texts_survive_packing(tokens: list[str]) -> None:
    gold = [(tokens, ["B-PER", *["O"] * (len(tokens) - 1)])]
    evidence = nerscope.evaluate(gold, {"s": gold}, facets=["eLen"]).evidence[0]
    assert evidence.texts == ("\x1f".join(tokens),)
    assert unpack_evidence(pack_evidence(evidence)).texts == evidence.texts


def test_a_token_with_a_line_break_keeps_its_sentence() -> None:
    gold = [(["a\nb", "c"], ["B-PER", "O"]), (["d"], ["B-PER"])]
    evidence = nerscope.evaluate(gold, {"s": gold}, facets=["eLen"]).evidence[0]
    assert unpack_evidence(pack_evidence(evidence)).texts == evidence.texts


def test_texts_of_large_corpora_are_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(import_module("nerscope.evaluation.passes"), "MOST_TEXTS", 1)
    evidence = nerscope.evaluate(
        corpus("a/B-PER", "b"), {"s": corpus("a", "b")}, facets=["eLen"]
    ).evidence[0]
    assert evidence.texts is None
    assert unpack_evidence(pack_evidence(evidence)).texts is None
