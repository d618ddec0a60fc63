"""Pairing of nested and crossing spans, against trying every way to pair them."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from random import Random
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.oracles import naive
from tests.oracles.naive import RULES, Span, Totals
from tests.oracles.strategies import TYPES, SpanCase, span_cases

from nerscope.corpus.mentions import Mentions
from nerscope.scoring.matching import match_named
from nerscope.scoring.pairing import CORRECT, INCORRECT, PARTIAL, NamesOf

APART = 100  # tokens from one case to the next: all cases of a seed are matched in one go
CASES = 300
SYMMETRIC = [name for name in RULES if name != "coverage"]
MUC = [name for name in RULES if name.startswith("muc")]
some = settings(max_examples=4, deadline=None)
each_rule = pytest.mark.parametrize("name", RULES)
seeds = st.integers(0, 10**6)


class Pair(NamedTuple):
    """A gold span, the prediction it takes, its credit and what kind of match it is."""

    gold: Span
    pred: Span
    credit: float
    kind: int


def columns(sides: Sequence[Sequence[Span]], types: Sequence[str]) -> Mentions:
    """The spans of many cases, one case behind the other."""
    rows = [
        (at * APART + span.start, at * APART + span.end, types.index(span.type))
        for at, spans in enumerate(sides)
        for span in spans
    ]
    table = np.array(rows, np.int64).reshape(len(rows), 3)
    return Mentions(table[:, 0], table[:, 1], table[:, 2])


def names_of(sides: Sequence[Sequence[Span]], text: str) -> NamesOf:
    every = [span for spans in sides for span in spans]
    return lambda indices: [(every[at].type, naive.words_of(every[at], text)) for at in indices]


def matched(
    name: str, cases: Sequence[SpanCase], types: Sequence[str] = TYPES, text: str = "xxyxyz"
) -> list[list[Pair]]:
    """The pairs of each case; none of its spans is used twice."""
    golds, preds = [case.gold for case in cases], [case.pred for case in cases]
    names = names_of(golds, text), names_of(preds, text)
    found = match_named(name)(columns(golds, types), columns(preds, types), names)
    columns_of_pairs = (found.gold, found.pred, found.credit, found.kind)
    owners = [at for at, spans in enumerate(golds) for _ in spans]
    every_gold = [span for spans in golds for span in spans]
    every_pred = [span for spans in preds for span in spans]
    pairs: defaultdict[int, list[Pair]] = defaultdict(list)
    for g, p, credit, kind in zip(*(column.tolist() for column in columns_of_pairs), strict=True):
        pairs[owners[g]].append(Pair(every_gold[g], every_pred[p], credit, kind))
    assert len(set(found.gold.tolist())) == len(found.gold)
    assert len(set(found.pred.tolist())) == len(found.pred)
    return [pairs[at] for at in range(len(cases))]


def totals_of(name: str, pairs: Sequence[Pair]) -> Totals:
    total = Totals()
    for pair in pairs:
        own = naive.worth(pair.gold, pair.pred, RULES[name])
        assert own is not None, f"{pair} may not be"
        total = total.plus(own)
    return total


def by_size(wrong: Mapping[SpanCase, object]) -> list[tuple[SpanCase, object]]:
    """What went wrong, the smallest cases first."""
    ordered = sorted(wrong.items(), key=lambda item: len(item[0].gold) + len(item[0].pred))
    return ordered[:3]


@each_rule
@some
@given(seed=seeds)
def test_pairs_are_the_best_of_all_ways_to_pair(name: str, seed: int) -> None:
    cases = span_cases(seed, CASES)
    wrong: dict[SpanCase, object] = {}
    for case, pairs in zip(cases, matched(name, cases), strict=True):
        best = naive.best_pairing(case.gold, case.pred, RULES[name])
        names = sorted(naive.pair_names(pair.gold, pair.pred) for pair in pairs)
        found = naive.Pairing(totals_of(name, pairs), names)
        if found != best:
            wrong[case] = (found, best)
    assert not wrong, by_size(wrong)


def kind_of(name: str, a: Span, b: Span) -> int:
    """What a pair is by the definition of each match."""
    credit = RULES[name].credit(a, b)
    if name in MUC:
        return CORRECT if credit == 1 else PARTIAL if credit else INCORRECT
    return CORRECT if a == b or (naive.same_span(a, b) and not RULES[name].typed) else PARTIAL


@each_rule
@some
@given(seed=seeds)
def test_every_pair_has_its_kind_and_credit(name: str, seed: int) -> None:
    cases = span_cases(seed, CASES)
    for pair in (pair for pairs in matched(name, cases) for pair in pairs):
        credit = RULES[name].credit(pair.gold, pair.pred)
        assert credit is not None
        assert pair.credit == pytest.approx(float(credit), abs=1e-12)
        assert pair.kind == kind_of(name, pair.gold, pair.pred)


def mirrored(case: SpanCase) -> SpanCase:
    def turned(spans: Sequence[Span]) -> tuple[Span, ...]:
        return tuple(Span(50 - span.end, 50 - span.start, span.type) for span in spans)

    return SpanCase(turned(case.gold), turned(case.pred))


def shuffled(case: SpanCase) -> SpanCase:
    random = Random(str(case))
    gold, pred = random.sample(case.gold, len(case.gold)), random.sample(case.pred, len(case.pred))
    return SpanCase(tuple(gold), tuple(pred))


def swapped(case: SpanCase) -> SpanCase:
    return SpanCase(case.pred, case.gold)


LEFT_AND_RIGHT = {"left": "right", "right": "left", "left(credit=0.25)": "right(credit=0.25)"}


def summed(pairs: Sequence[Pair]) -> tuple[object, ...]:
    """What must not depend on the way in which a case is written: numbers by type, and totals."""
    kinds = Counter(pair.kind for pair in pairs)
    credit_by_type: Counter[str] = Counter()
    for pair in pairs:
        for kind in (pair.gold.type, pair.pred.type):
            credit_by_type[kind] += round(pair.credit * naive.PARTS)
    return (
        sorted(credit_by_type.items()),
        round(sum(pair.credit for pair in pairs), 9),
        len(pairs),
        sum(pair.gold.type == pair.pred.type for pair in pairs),
        sum(naive.overlap(pair.gold, pair.pred) for pair in pairs),
        *(kinds[kind] for kind in (CORRECT, PARTIAL, INCORRECT)),
    )


def assert_unchanged(
    name: str, seed: int, change: Callable[[SpanCase], SpanCase], other: str | None = None
) -> None:
    cases = span_cases(seed, CASES)
    # A surface read backwards is another surface, unless all words are the same.
    before = matched(name, cases, text="x")
    after = matched(other or name, [change(case) for case in cases], text="x")
    # The rule for ties looks at gold before the prediction. So where pairs may have different
    # types, which of them are paired can depend on the side; sums over all types cannot.
    first = 1 if change is swapped and not RULES[name].typed else 0
    wrong: dict[SpanCase, object] = {}
    for case, one, two in zip(cases, before, after, strict=True):
        if summed(one)[first:] != summed(two)[first:]:
            wrong[case] = (one, two)
    assert not wrong, by_size(wrong)


@each_rule
@some
@given(seed=seeds)
def test_reading_direction_changes_no_total(name: str, seed: int) -> None:
    assert_unchanged(name, seed, mirrored, LEFT_AND_RIGHT.get(name))


@each_rule
@some
@given(seed=seeds)
def test_order_of_the_mentions_changes_no_total(name: str, seed: int) -> None:
    assert_unchanged(name, seed, shuffled)


@pytest.mark.parametrize("name", SYMMETRIC)
@some
@given(seed=seeds)
def test_which_side_is_called_gold_changes_no_total(name: str, seed: int) -> None:
    assert_unchanged(name, seed, swapped)


@each_rule
@some
@given(seed=seeds, types=st.permutations(TYPES))
def test_order_in_which_types_were_read_changes_no_total(
    name: str, seed: int, types: Sequence[str]
) -> None:
    cases = span_cases(seed, CASES)
    before, after = matched(name, cases), matched(name, cases, types)
    wrong: dict[SpanCase, object] = {}
    for case, one, two in zip(cases, before, after, strict=True):
        if summed(one) != summed(two):
            wrong[case] = (one, two)
    assert not wrong, by_size(wrong)


def left_over(case: SpanCase, pairs: Sequence[Pair]) -> Iterator[tuple[Span, Span]]:
    missed = Counter(case.gold) - Counter(pair.gold for pair in pairs)
    spurious = Counter(case.pred) - Counter(pair.pred for pair in pairs)
    return ((a, b) for a in missed for b in spurious)


@pytest.mark.parametrize("name", MUC)
@some
@given(seed=seeds)
def test_muc_leaves_no_two_mentions_unpaired_that_share_a_token(name: str, seed: int) -> None:
    cases = span_cases(seed, CASES)
    for case, pairs in zip(cases, matched(name, cases), strict=True):
        assert not any(naive.overlap(a, b) for a, b in left_over(case, pairs))
        assert name == "muc-partial" or not any(pair.kind == PARTIAL for pair in pairs)


@some
@given(seed=seeds)
def test_all_muc_schemas_judge_the_same_pairs(seed: int) -> None:
    cases = span_cases(seed, CASES)
    pairs_by_schema = [
        [[(pair.gold, pair.pred) for pair in pairs] for pairs in matched(name, cases)]
        for name in MUC
    ]
    assert all(pairs == pairs_by_schema[0] for pairs in pairs_by_schema)
