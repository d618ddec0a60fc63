"""Pairing of gold and predicted spans, nested, crossing and repeated, against trying every pairing."""

from collections import Counter
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.oracles import naive
from tests.oracles.naive import Span
from tests.oracles.strategies import TYPES, span_lists

from nerscope.corpus.mentions import Mentions
from nerscope.scoring.matching import match_named

CORRECT, PARTIAL, INCORRECT = 3, 2, 1
some = settings(max_examples=100, deadline=None)


class Pair(NamedTuple):
    """A gold span, the prediction it takes, its credit and what kind of match it is."""

    gold: Span
    pred: Span
    credit: float
    kind: int


FITS: dict[str, Callable[[Span, Span], bool]] = {
    "left": naive.same_left,
    "right": naive.same_right,
    "overlap": naive.same_type_overlap,
    "iou(threshold=0.5)": naive.half_shared,
    "overlap(typed=no)": naive.any_overlap,
    "muc-strict": naive.any_overlap,
    "muc-exact": naive.any_overlap,
    "muc-partial": naive.any_overlap,
    "muc-type": naive.any_overlap,
}
MUC = [name for name in FITS if name.startswith("muc")]
TYPED = [name for name in FITS if name != "overlap(typed=no)"]
BLIND = [*MUC, "overlap(typed=no)"]
each_rule = pytest.mark.parametrize("name", FITS)
each_muc = pytest.mark.parametrize("name", MUC)


def columns(spans: list[Span]) -> Mentions:
    start = np.array([span.start for span in spans], dtype=np.int64)
    end = np.array([span.end for span in spans], dtype=np.int64)
    return Mentions(
        start, end, np.array([TYPES.index(span.type) for span in spans], dtype=np.int64)
    )


def match(name: str, gold: list[Span], pred: list[Span]) -> list[Pair]:
    found = match_named(name)(columns(gold), columns(pred))
    assert (
        len(set(found.gold.tolist()))
        == len(found.gold)
        == len(found.pred)
        == len(set(found.pred.tolist()))
    )
    parts = zip(
        found.gold.tolist(),
        found.pred.tolist(),
        found.credit.tolist(),
        found.kind.tolist(),
        strict=True,
    )
    return sorted(Pair(gold[g], pred[p], credit, kind) for g, p, credit, kind in parts)


def kind_of(name: str, a: Span, b: Span) -> int:
    """What a pair is worth by the definition of each matcher."""
    if name == "muc-strict":
        return CORRECT if a == b else INCORRECT
    if name == "muc-exact":
        return CORRECT if naive.same_span(a, b) else INCORRECT
    if name == "muc-type":
        return CORRECT if a.type == b.type else INCORRECT
    whole = naive.same_span(a, b) if name in ("muc-partial", "overlap(typed=no)") else a == b
    return CORRECT if whole else PARTIAL


def credit_of(name: str, a: Span, b: Span) -> float:
    if name.startswith("iou"):
        return float(naive.iou(a, b))
    return {CORRECT: 1.0, PARTIAL: 0.5, INCORRECT: 0.0}[kind_of(name, a, b)]


def blind(spans: list[Span]) -> list[Span]:
    return [span._replace(type="") for span in spans]


@each_rule
@some
@given(gold=span_lists, pred=span_lists)
def test_every_pair_fits_and_has_its_kind_and_credit(
    name: str, gold: list[Span], pred: list[Span]
) -> None:
    for pair in match(name, gold, pred):
        assert pair.gold == pair.pred or FITS[name](pair.gold, pair.pred)
        assert pair.kind == kind_of(name, pair.gold, pair.pred)
        assert pair.credit == pytest.approx(credit_of(name, pair.gold, pair.pred), abs=1e-12)


@pytest.mark.parametrize("name", TYPED)
@some
@given(gold=span_lists, pred=span_lists)
def test_exact_pairs_are_settled_first(name: str, gold: list[Span], pred: list[Span]) -> None:
    pairs = match(name, gold, pred)
    assert Counter(pair.gold for pair in pairs if pair.gold == pair.pred) == Counter(
        gold
    ) & Counter(pred)
    if name not in BLIND:
        assert len(pairs) == sum(naive.settle(gold, pred, FITS[name]))


@pytest.mark.parametrize("name", BLIND)
@some
@given(gold=span_lists, pred=span_lists)
def test_equal_spans_are_settled_first_where_types_may_differ(
    name: str, gold: list[Span], pred: list[Span]
) -> None:
    pairs = match(name, gold, pred)
    equal, further = naive.settle(blind(gold), blind(pred), naive.any_overlap)
    assert sum(naive.same_span(pair.gold, pair.pred) for pair in pairs) == equal
    assert len(pairs) == equal + further


@each_rule
@some
@given(gold=span_lists, pred=span_lists, data=st.data())
def test_order_of_the_spans_does_not_matter(
    name: str, gold: list[Span], pred: list[Span], data: st.DataObject
) -> None:
    other_gold, other_pred = data.draw(st.permutations(gold)), data.draw(st.permutations(pred))
    assert match(name, other_gold, other_pred) == match(name, gold, pred)


@each_muc
@some
@given(gold=span_lists, pred=span_lists)
def test_muc_counts_add_up_to_possible_and_actual(
    name: str, gold: list[Span], pred: list[Span]
) -> None:
    pairs = match(name, gold, pred)
    kinds = Counter(pair.kind for pair in pairs)
    missed = Counter(gold) - Counter(pair.gold for pair in pairs)
    spurious = Counter(pred) - Counter(pair.pred for pair in pairs)
    assert kinds[CORRECT] + kinds[INCORRECT] + kinds[PARTIAL] + missed.total() == len(gold)
    assert kinds[CORRECT] + kinds[INCORRECT] + kinds[PARTIAL] + spurious.total() == len(pred)
    assert kinds[PARTIAL] == 0 or name == "muc-partial"
    assert not any(naive.any_overlap(a, b) for a in missed for b in spurious)
