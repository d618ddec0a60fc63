"""What must hold for any data: parts add up, names do not matter, and gold and predictions are two
sides of one thing.
"""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.oracles.strategies import Case, cases

import nerscope
from nerscope.corpus.arrays import Floats
from nerscope.evaluation.passes import prepare
from nerscope.evaluation.score import score_chunk
from nerscope.evaluation.settings import Settings
from nerscope.facets.attributes import NAMES
from nerscope.results.results import Results, Row
from nerscope.scoring.evidence import Evidence
from nerscope.scoring.ledger import merged

some = settings(max_examples=20, deadline=None)


def evaluate(case: Case) -> Results:
    return nerscope.evaluate(case.gold, {"s": case.pred}, train=case.train)


def level_counts(results: Results, facet: str, match: str = "exact") -> dict[str, Floats]:
    evidence = results.evidence[0]
    return dict(
        zip(evidence.divisions[facet].levels, evidence.level_counts(0, facet, match), strict=True)
    )


def of_all(results: Results, facet: str) -> Floats:
    """The counts of the whole corpus in the unit of a facet."""
    evidence = results.evidence[0]
    ledger = evidence.ledgers[evidence.divisions[facet].unit]
    n_codes = evidence.divisions[facet].n_codes
    whole: Floats = ledger.counts(
        0, facet, evidence.divisions[facet].matches[0], n_codes, len(evidence.types)
    ).sum(axis=0)
    return whole


@some
@given(cases())
def test_buckets_of_every_attribute_sum_to_all(case: Case) -> None:
    results = evaluate(case)
    for facet in NAMES:
        match = results.evidence[0].divisions[facet].matches[0]
        assert np.array_equal(
            sum(level_counts(results, facet, match).values()), of_all(results, facet)
        )
    whole = level_counts(results, "all")["all"]
    assert np.array_equal(sum(level_counts(results, "eLen").values()), whole)


@some
@given(cases())
def test_levels_of_tough_mentions_are_sums_of_each_other(case: Case) -> None:
    results = evaluate(case)
    found = level_counts(results, "tmr")
    assert np.array_equal(found["seen"] + found["unseen-any"], level_counts(results, "all")["all"])
    assert np.array_equal(found["unseen-tokens"] + found["unseen-type"], found["unseen-any"])
    assert np.array_equal(found["tcm-seen"] + found["tcm-unseen"], found["tcm-all"])
    assert (found["tcm-unseen"] <= found["unseen-tokens"]).all()


@pytest.mark.parametrize("facet", ["hard", "hard-strict"])
@some
@given(case=cases())
def test_levels_of_hard_tokens_are_sums_of_each_other(facet: str, case: Case) -> None:
    found = level_counts(evaluate(case), facet, "bilou")
    assert np.array_equal(found["unseen-I"] + found["unseen-O"], found["unseen"])
    assert np.array_equal(found["diff-I"] + found["diff-O"] + found["diff-E"], found["diff"])
    assert np.array_equal(found["unseen"] + found["diff"] + found["other"], found["all"])
    assert found["all"][:, 0].sum() == sum(len(tokens) for tokens, _ in case.gold)


@some
@given(cases())
def test_strictly_hard_tokens_are_hard(case: Case) -> None:
    results = evaluate(case)
    plain, strict = (
        level_counts(results, "hard", "bilou"),
        level_counts(results, "hard-strict", "bilou"),
    )
    assert np.array_equal(strict["unseen"], plain["unseen"])
    assert strict["diff-O"][0, 0] <= plain["diff-O"][0, 0]
    assert strict["diff-I"][0, 0] <= plain["diff-I"][0, 0]


@some
@given(cases(), st.data())
def test_ledgers_of_chunks_merge_to_the_ledger_of_the_whole(
    case: Case, data: st.DataObject
) -> None:
    prepared = prepare(case.gold, {"s": case.pred}, case.train, None, Settings())
    (row,) = prepared.rows()
    size = len(row[0])
    cuts = sorted({0, size, *data.draw(st.lists(st.integers(0, size), max_size=3))})
    parts = [
        score_chunk([one.sentences(first, last) for one in row], prepared.plan, first)
        for first, last in pairwise(cuts)
    ]
    whole = score_chunk(row, prepared.plan, 0)
    for unit, ledger in whole.items():
        again = merged([part[unit] for part in parts])
        pairs = [(again.gold, ledger.gold), (again.runs[0].pred, ledger.runs[0].pred)]
        for one, other in pairs:
            for column in ("sentence", "type", "weight", "surface", "start", "length"):
                assert np.array_equal(getattr(one, column), getattr(other, column)), (unit, column)
            assert one.codes.keys() == other.codes.keys()
            assert all(np.array_equal(one.codes[name], other.codes[name]) for name in one.codes)
        for column in ("gold_credit", "pred_credit", "gold_kind", "pred_kind"):
            ours, theirs = getattr(again.runs[0], column), getattr(ledger.runs[0], column)
            assert ours.keys() == theirs.keys()
            assert all(np.array_equal(ours[name], theirs[name]) for name in ours)


def place_of(row: Row) -> tuple[str, ...]:
    return row["unit"], row["facet"], row["level"], row["match"], row["metric"]


def renamed(
    sentences: list[tuple[list[str], list[str]]], names: dict[str, str]
) -> list[tuple[list[str], list[str]]]:
    def label(text: str) -> str:
        prefix, _, kind = text.partition("-")
        return f"{prefix}-{names[kind]}" if kind else text

    return [(tokens, [label(text) for text in own]) for tokens, own in sentences]


@some
@given(cases(), st.permutations(["PER", "LOC", "creative-work"]))
def test_renaming_types_renames_rows_and_changes_no_number(case: Case, order: list[str]) -> None:
    names = dict(zip(["PER", "LOC", "creative-work"], order, strict=True))
    other = evaluate(Case(*(renamed(part, names) for part in case)))
    before = {
        (names[row["type"]] if row["type"] else None, *place_of(row)): (row["value"], row["n"])
        for row in evaluate(case).select(run="1")
    }
    after = {
        (row["type"], *place_of(row)): (row["value"], row["n"]) for row in other.select(run="1")
    }
    assert after.keys() == before.keys()
    for key, (value, n) in before.items():
        assert after[key] == (pytest.approx(value, abs=1e-12) if value is not None else None, n), (
            key
        )


@some
@given(cases())
def test_swapping_gold_and_predictions_swaps_precision_and_recall(case: Case) -> None:
    gold, pred = case.gold, case.pred
    if not any(label != "O" for _, own in pred for label in own):
        return
    there, back = nerscope.evaluate(gold, {"s": pred}), nerscope.evaluate(pred, {"s": gold})
    for match in ("exact", "left", "right", "overlap"):
        assert there.value(match=match, metric="precision") == back.value(
            match=match, metric="recall"
        )
        assert there.value(match=match, metric="recall") == back.value(
            match=match, metric="precision"
        )
        assert there.value(match=match, metric="f1") == pytest.approx(
            back.value(match=match, metric="f1")
        )


@some
@given(cases())
def test_perfect_predictions_are_perfect(case: Case) -> None:
    results = nerscope.evaluate(
        case.gold, {"s": case.gold}, train=case.train, token_repair="conlleval"
    )
    for row in results.rows:
        if row["value"] is None or row["metric"] in (
            "correct",
            "partial",
            "incorrect",
            "missed",
            "spurious",
            "partial_share",
        ):
            continue
        assert row["value"] == (0.0 if row["metric"] in ("ter", "hardeval") else 1.0), row


@some
@given(cases())
def test_counts_of_all_types_together_are_those_of_each_type_added_up(case: Case) -> None:
    results = evaluate(case)
    for match in ("exact", "overlap"):
        for metric in ("correct", "missed", "spurious") if match != "exact" else ():
            rows = results.select(match=match, metric=metric, run="1")
            total = next(row["value"] for row in rows if row["type"] is None)
            assert total == sum(row["value"] or 0.0 for row in rows if row["type"] is not None)
        sizes = results.select(facet="all", match=match, metric="recall", run="1")
        assert sum(row["n"] for row in sizes if row["type"]) == sum(
            row["n"] for row in sizes if not row["type"]
        )


def evidence_of(case: Case) -> Evidence:
    return evaluate(case).evidence[0]


@some
@given(cases())
def test_credit_given_is_credit_taken_under_every_match(case: Case) -> None:
    evidence = evidence_of(case)
    outcome = evidence.ledgers["mention"].runs[0]
    for match in evidence.divisions["all"].matches:
        assert outcome.gold_credit[match].sum() == pytest.approx(outcome.pred_credit[match].sum())
        assert outcome.gold_credit[match].max(initial=0.0) <= 1.0
