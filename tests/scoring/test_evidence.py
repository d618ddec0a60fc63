"""Evidence: coding of types, joining of runs, and the way through JSON."""

import json
from importlib import import_module
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.scoring.toys import corpus, drawn, noisy

import nerscope
from nerscope.results.rows import rows_of
from nerscope.scoring.evidence import (
    BucketEdges,
    Evidence,
    FacetTable,
    Ledger,
    Output,
    Signature,
    Units,
    canonical,
    joined_runs,
    joint,
    merged,
    moved,
    only_runs,
    with_types,
)
from nerscope.scoring.packing import pack_evidence, unpack_evidence
from nerscope.scoring.pairing import CORRECT, INCORRECT, PARTIAL, UNPAIRED

GOLD = drawn(30, seed=1)


def evidence_of(*rates: float) -> Evidence:
    systems = {f"s{number}": noisy(GOLD, rate, seed=number) for number, rate in enumerate(rates)}
    return nerscope.evaluate(GOLD, systems, train=drawn(30, seed=2)).evidence[0]


def test_whole_evidence_survives_packing_with_all_its_rows() -> None:
    evidence = evidence_of(0.1, 0.3)
    again = unpack_evidence(pack_evidence(evidence))
    assert rows_of(again) == rows_of(evidence)
    plain = ("dataset", "texts", "runs", "types", "zeta", "tables", "signature", "gold_name")
    for name in plain:
        assert getattr(again, name) == getattr(evidence, name), name
    assert again.documents.tolist() == evidence.documents.tolist()
    assert again.lines is not None and evidence.lines is not None
    assert again.lines.tolist() == evidence.lines.tolist()


def test_saved_evidence_counts_surfaces_and_leaves_them_out_unless_wanted() -> None:
    evidence = evidence_of(0.1)
    again = unpack_evidence(pack_evidence(evidence))
    assert again.ledgers["mention"].gold.surface is None
    assert again.ledgers["mention"].gold.start is not None
    assert again.surface_counts(0) == evidence.surface_counts(0) is not None
    full = unpack_evidence(pack_evidence(evidence, with_surfaces=True))
    assert full.surfaces is not None and full.surface_counts(0) == evidence.surface_counts(0)


def test_saved_evidence_knows_what_became_of_each_mention() -> None:
    evidence = evidence_of(0.3)
    again = unpack_evidence(pack_evidence(evidence))
    before, after = (one.ledgers["mention"].runs[0] for one in (evidence, again))
    for name in ("gold_credit", "pred_credit", "gold_kind", "pred_kind"):
        ours, theirs = getattr(after, name), getattr(before, name)
        assert {match: values.tolist() for match, values in ours.items()} == {
            match: values.tolist() for match, values in theirs.items()
        }
    assert "overlap" in after.gold_kind


def test_runs_taken_apart_and_joined_again_are_the_same_evidence() -> None:
    evidence = evidence_of(0.1, 0.2, 0.5)
    parts = [only_runs(evidence, [run]) for run in range(3)]
    assert [part.runs for part in parts] == [(("s0", "1"),), (("s1", "1"),), (("s2", "1"),)]
    assert rows_of(joined_runs(parts)) == rows_of(evidence)
    turned = only_runs(evidence, [2, 0])
    assert turned.systems == ["s2", "s0"]
    assert rows_of(joined_runs([parts[2], parts[0]])) == rows_of(turned)


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


def table(**metrics: tuple[str, ...]) -> FacetTable:
    return FacetTable("f", "mention", {"a": (0,), "b": (1, 2), "both": (0, 2)}, metrics)


def test_levels_add_the_codes_they_are_made_of() -> None:
    counts = np.arange(3.0).reshape(3, 1, 1) * np.ones(4)
    assert table().n_codes == 3
    assert table().by_level(counts)[:, 0, 0].tolist() == [0.0, 3.0, 2.0]


def test_levels_of_one_code_each_are_the_codes() -> None:
    plain = FacetTable("f", "mention", {"a": (0,), "b": (1,)}, {})
    counts = np.arange(3.0).reshape(3, 1, 1) * np.ones(4)  # the last code is outside of all levels
    assert plain.by_level(counts)[:, 0, 0].tolist() == [0.0, 1.0]


def test_a_division_has_its_metrics_match_by_match() -> None:
    one = table(exact=("recall",), overlap=("f1", "partial"))
    assert one.matches == ("exact", "overlap")
    assert [metric.name for metric in one.metrics_of("overlap")] == ["f1", "partial"]
    assert (one.needs_pairs("exact"), one.needs_pairs("overlap")) == (False, True)


def cells(one: FacetTable, counts: Any, zero_division: float | None = None) -> dict[Any, Any]:
    """Value and denominator by metric, level and type (0 for all of them together)."""
    return {
        (metric.name, level, kind): (values[place][kind], sizes[place][kind])
        for metric, (levels, found, denominators) in one.numbers("exact", counts, zero_division)
        for values, sizes in [(found.tolist(), denominators.tolist())]
        for place, level in enumerate(levels)
        for kind in range(len(values[place]))
    }


COUNTS = np.array([[[4.0, 2.0, 2.0, 2.0], [6.0, 6.0, 8.0, 6.0]]])  # one level, two types


def test_numbers_are_those_of_all_types_and_then_of_each() -> None:
    whole = FacetTable("f", "mention", {"all": (0,)}, {"exact": ("recall", "macro_recall")})
    assert cells(whole, COUNTS) == {
        ("recall", "all", 0): (0.8, 10.0),
        ("recall", "all", 1): (0.5, 4.0),
        ("recall", "all", 2): (1.0, 6.0),
        ("macro_recall", "all", 0): (0.75, 10.0),
    }


def test_a_division_that_is_not_by_type_still_averages_over_types() -> None:
    metrics = {"exact": ("precision", "macro_precision")}
    whole = FacetTable("f", "mention", {"all": (0,)}, metrics, by_type=False)
    found = cells(whole, COUNTS)
    assert found["precision", "all", 0] == (0.8, 10.0)
    assert found["macro_precision", "all", 0] == (0.875, 10.0)


def test_zero_division_reaches_the_numbers_of_a_division() -> None:
    whole = FacetTable("f", "mention", {"all": (0,)}, {"exact": ("precision",)})
    nothing = np.zeros((1, 1, 4))
    assert np.isnan(cells(whole, nothing)["precision", "all", 0][0])
    assert cells(whole, nothing, 1.0)["precision", "all", 0] == (1.0, 0.0)


def ledger() -> Ledger:
    """Three gold units, found wholly, in part and not at all; two predictions that are paired."""
    gold = Units(np.array([0, 0, 1]), np.array([0, 1, 0]), {"f": np.array([0, 1, 2], np.int8)})
    pred = Units(np.array([0, 0, 1]), np.array([0, 0, 1]), {"f": np.array([0, 0, 1], np.int8)})
    kinds = np.array([CORRECT, PARTIAL, INCORRECT]), np.array([CORRECT, PARTIAL, UNPAIRED])
    credit = np.array([1.0, 0.5, 0.0])
    output = Output(pred, {"m": credit}, {"m": credit}, {"m": kinds[0]}, {"m": kinds[1]})
    return Ledger(gold, (output,))


def test_a_ledger_counts_units_credit_and_kinds_of_pairs() -> None:
    # one code and one type: gold, their credit, predictions, their credit; correct, partial,
    # incorrect, paired
    everything = ledger().counts(0, "all", "m", 1, 2, with_pairs=True)
    assert everything[0].tolist() == [
        [2.0, 1.0, 2.0, 1.5, 1.0, 0.0, 1.0, 2.0],
        [1.0, 0.5, 1.0, 0.0, 0.0, 1.0, 0.0, 0.0],
    ]
    assert ledger().counts(0, "all", "m", 1, 2, with_pairs=False)[0].tolist() == [
        row[:4] for row in everything[0].tolist()
    ]


def test_units_with_a_code_behind_the_last_level_are_not_counted() -> None:
    counts = ledger().counts(0, "f", "m", 2, 2, with_pairs=False)
    assert counts[..., 0].tolist() == [[1.0, 0.0], [0.0, 1.0]]


def test_a_moved_ledger_stands_behind_other_sentences() -> None:
    behind = moved(ledger(), 5)
    assert behind.gold.sentence.tolist() == [5, 5, 6]
    assert behind.runs[0].pred.sentence.tolist() == [5, 5, 6]
    both = merged([ledger(), behind])
    assert both.gold.sentence.tolist() == [0, 0, 1, 5, 5, 6]
    once, twice = (one.counts(0, "all", "m", 1, 2, with_pairs=True) for one in (ledger(), both))
    assert np.array_equal(twice, 2 * once)


EDGES = {"eLen": BucketEdges((1.0, 2.5), {"XS": "up to 1", "S": "up to 2.5", "L": "more"})}


@pytest.mark.parametrize(
    "signature",
    [
        Signature(),
        Signature(scheme="bio+iob1", zero_division=0.0, edges=EDGES),
        Signature(resampling={"resample": "sentence", "samples": "10", "seed": "0"}),
    ],
)
def test_a_signature_survives_json(signature: Signature) -> None:
    again = Signature.from_dict(json.loads(json.dumps(signature.as_dict())))
    assert again == signature
    assert str(again) == str(signature)


def test_a_signature_names_every_setting_in_one_line() -> None:
    signature = Signature(zero_division=1.0, resampling={"samples": "10"}, version="9")
    assert str(signature) == (
        "scheme:bio|match:exact|average:micro|repair:conlleval|ter:bilou/strict|buckets:paper/4|"
        "zero_division:1|samples:10|version:9"
    )
    assert "zero_division:undefined" in str(Signature())


def test_a_joint_signature_shows_every_value_that_differs() -> None:
    parts = [Signature(scheme="bio"), Signature(scheme="iob1"), Signature(scheme="bio", match="x")]
    line = joint(parts)
    assert line.startswith("scheme:bio+iob1|match:exact+x|average:micro|")
    assert joint(parts[:1]) == str(parts[0])


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
    monkeypatch.setattr(import_module("nerscope.evaluation.gather"), "FOLD_ABOVE", 1)
    systems = {"s": corpus("a", "b")}
    evidence = nerscope.evaluate(corpus("a/B-PER", "b"), systems, facets=["eLen"]).evidence[0]
    assert evidence.texts is None
    assert unpack_evidence(pack_evidence(evidence)).texts is None
