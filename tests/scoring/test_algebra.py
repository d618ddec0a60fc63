"""What must hold for any data: parts add up, names do not matter, and gold and predictions are two
sides of one thing.
"""

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.oracles.naive import decode_conlleval
from tests.oracles.strategies import Case, cases

import nerscope
from nerscope.corpus.arrays import Floats
from nerscope.engines.base import engine_for
from nerscope.evaluation.plan import make_plan
from nerscope.evaluation.score import score_chunk
from nerscope.evaluation.task import Settings, open_task
from nerscope.results.results import Results
from nerscope.results.rows import Row
from nerscope.scoring.evidence import FacetTable, merged, moved
from nerscope.scoring.metrics import LOWER, NEITHER, metric_named

some = settings(max_examples=20, deadline=None)


def evaluate(case: Case) -> Results:
    return nerscope.evaluate(case.gold, {"s": case.pred}, train=case.train)


def division_of(results: Results, facet: str) -> FacetTable:
    return next(one for one in results.evidence[0].tables if one.facet == facet)


def level_counts(results: Results, facet: str, match: str = "exact") -> dict[str, Floats]:
    table = division_of(results, facet)
    counts = results.evidence[0].level_counts(0, table, match)
    return dict(zip(table.levels, counts, strict=True))


def of_all(results: Results, table: FacetTable) -> Floats:
    """The counts of the whole corpus in the unit of a facet."""
    evidence, match = results.evidence[0], table.matches[0]
    size = (table.n_codes, len(evidence.types))
    ledger = evidence.ledgers[table.unit]
    whole: Floats = ledger.counts(0, table.facet, match, *size, with_pairs=False).sum(axis=0)
    return whole


@some
@given(cases())
def test_buckets_of_every_attribute_sum_to_all(case: Case) -> None:
    results = evaluate(case)
    whole = level_counts(results, "all")["all"][:, :4]
    attributes = list(results.settings["facets"])
    assert "eLen" in attributes and "tFre" in attributes
    for table in (division_of(results, name) for name in attributes):
        buckets = level_counts(results, table.facet, table.matches[0])
        assert np.array_equal(sum(buckets.values()), of_all(results, table))
        assert table.unit != "mention" or np.array_equal(of_all(results, table), whole)


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
    task = open_task(case.gold, {"s": case.pred}, case.train, None, Settings())
    plan = make_plan(task, engine_for()).plan
    (row,) = task.aligned_chunks(tokens=True)
    size = len(row[0])
    cuts = sorted({0, size, *data.draw(st.lists(st.integers(0, size), max_size=3))})
    chunks = [
        (first, score_chunk(plan, [one.sentences(first, last) for one in row]))
        for first, last in pairwise(cuts)
    ]
    assert sum(part.sentences for _, part in chunks) == size
    for unit, ledger in score_chunk(plan, row).ledgers.items():
        again = merged([moved(part.ledgers[unit], first) for first, part in chunks])
        pairs = [(again.gold, ledger.gold), (again.runs[0].pred, ledger.runs[0].pred)]
        for one, other in pairs:
            for column in ("sentence", "type", "weight", "start", "length"):
                assert np.array_equal(getattr(one, column), getattr(other, column)), (unit, column)
            assert_same_columns(one.codes, other.codes)
        for column in ("gold_credit", "pred_credit", "gold_kind", "pred_kind"):
            assert_same_columns(getattr(again.runs[0], column), getattr(ledger.runs[0], column))


def assert_same_columns(ours: Mapping[str, Any], theirs: Mapping[str, Any]) -> None:
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


ALIKE = (
    *("exact", "left", "right", "overlap", "iou", "dice", "overlap(typed=no)"),
    *("muc-strict", "muc-exact", "muc-partial", "muc-type"),
)
SWAPPED = {"precision": "recall", "recall": "precision", "f1": "f1"}
KINDS = ("correct", "partial", "incorrect", "missed", "spurious")


@some
@given(cases())
def test_swapping_gold_and_predictions_swaps_precision_and_recall(case: Case) -> None:
    gold, pred = case.gold, case.pred
    if not any(label != "O" for _, own in pred for label in own):
        return
    there = nerscope.evaluate(gold, {"s": pred}, matches=ALIKE)
    back = nerscope.evaluate(pred, {"s": gold}, matches=ALIKE)
    for match in ALIKE:
        for metric, other in SWAPPED.items():
            one, two = (
                results.value(match=match, metric=name)
                for results, name in ((there, metric), (back, other))
            )
            assert one == (two if two is None else pytest.approx(two, abs=1e-12)), (match, metric)


@some
@given(cases())
def test_turning_sentences_round_changes_no_number(case: Case) -> None:
    def turned(sentences: list[tuple[list[str], list[str]]]) -> list[dict[str, Any]]:
        mentions = [decode_conlleval(labels) for _, labels in sentences]
        return [
            {
                "tokens": tokens[::-1],
                "spans": [
                    (len(tokens) - end, len(tokens) - start, kind) for start, end, kind in own
                ],
            }
            for (tokens, _), own in zip(sentences, mentions, strict=True)
        ]

    there = nerscope.evaluate(case.gold, {"s": case.pred}, matches=ALIKE)
    back = nerscope.evaluate(turned(case.gold), {"s": turned(case.pred)}, matches=ALIKE)
    mirror = {"left": "right", "right": "left"}
    for match in ALIKE:
        for metric in (*SWAPPED, *(KINDS if match != "exact" else ())):
            one = there.value(match=match, metric=metric)
            other = back.value(match=mirror.get(match, match), metric=metric)
            assert one == (other if other is None else pytest.approx(other, abs=1e-12))


@some
@given(cases())
def test_perfect_predictions_are_perfect(case: Case) -> None:
    results = nerscope.evaluate(
        case.gold, {"s": case.gold}, train=case.train, token_repair="conlleval"
    )
    for row in results.rows:
        if row["value"] is None or metric_named(row["metric"]).better == NEITHER:
            continue
        assert row["value"] == (0.0 if metric_named(row["metric"]).better == LOWER else 1.0), row


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


@some
@given(cases())
def test_credit_given_is_credit_taken_under_every_match(case: Case) -> None:
    evidence = evaluate(case).evidence[0]
    output = evidence.ledgers["mention"].runs[0]
    for match in ("exact", "left", "right", "overlap"):
        given_credit, taken = output.gold_credit[match], output.pred_credit[match]
        assert given_credit.sum() == pytest.approx(taken.sum())
        assert given_credit.max(initial=0.0) <= 1.0
        kinds = [
            np.bincount(kind, minlength=4)[1:].tolist()
            for kind in (output.gold_kind[match], output.pred_kind[match])
        ]
        assert kinds[0] == kinds[1]
