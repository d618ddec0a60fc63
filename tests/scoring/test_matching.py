"""Who is paired with whom, and for how much credit: every match and option on spans written out by
hand.
"""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.scoring.toys import corpus

import nerscope
from nerscope.corpus.arrays import Floats
from nerscope.corpus.mentions import Mentions
from nerscope.errors import UsageError
from nerscope.scoring.matching import (
    CORRECT,
    INCORRECT,
    MATCHES,
    PARTIAL,
    Touch,
    largest_matching,
    match_family,
    match_named,
    overlapping,
)

Span = tuple[int, int, str]
TYPES = ("PER", "LOC")


def mentions(spans: list[Span]) -> Mentions:
    start, end, kind = ([span[place] for span in spans] for place in range(3))
    return Mentions(
        np.array(start, np.int64),
        np.array(end, np.int64),
        np.array([TYPES.index(str(one)) for one in kind], np.int64),
    )


def pairs(name: str, gold: list[Span], pred: list[Span]) -> list[Any]:
    found = match_named(name)(mentions(gold), mentions(pred))
    return sorted(
        zip(
            found.gold.tolist(),
            found.pred.tolist(),
            found.credit.tolist(),
            found.kind.tolist(),
            strict=True,
        )
    )


P05, P03, P13, P35 = (0, 5, "PER"), (0, 3, "PER"), (1, 3, "PER"), (3, 5, "PER")
L05, L03 = (0, 5, "LOC"), (0, 3, "LOC")


@pytest.mark.parametrize(
    ("match", "gold", "pred", "credit"),
    [
        # equal span and type is worth 1 to everybody
        *(
            (name, P05, P05, 1.0)
            for name in ("exact", "left", "right", "overlap", "iou", "dice", "coverage")
        ),
        # same start only
        ("exact", P05, P03, None),
        ("left", P05, P03, 0.5),
        ("right", P05, P03, None),
        ("overlap", P05, P03, 0.5),
        ("iou", P05, P03, 3 / 5),
        ("dice", P05, P03, 6 / 8),
        ("coverage", P05, P03, 3 / 5),
        ("coverage", P03, P05, 1.0),
        # same end only
        ("left", P05, P35, None),
        ("right", P05, P35, 0.5),
        # inside
        ("left", P05, P13, None),
        ("right", P05, P13, None),
        ("overlap", P05, P13, 0.5),
        # no common token
        ("overlap", P03, P35, None),
        ("iou", P03, P35, None),
        # another type
        ("exact", P05, L05, None),
        ("overlap", P05, L05, None),
        ("left", P05, L03, None),
        # another type where types do not matter
        ("exact(typed=no)", P05, L05, 1.0),
        ("exact(typed=no)", P05, L03, None),
        ("overlap(typed=no)", P05, L03, 0.5),
        ("left( typed = no )", P05, L03, 0.5),
        ("overlap(typed=yes)", P05, L03, None),
        # chosen credit
        ("overlap(credit=1)", P05, P13, 1.0),
        ("left(credit=0.25)", P05, P03, 0.25),
        ("left(credit=0.25, typed=no)", P05, L03, 0.25),
        ("left(credit=0)", P05, P03, None),
        # thresholds: at or above
        ("iou(threshold=0.6)", P05, P03, 0.6),
        ("iou(threshold=0.61)", P05, P03, None),
        ("dice(threshold=0.75)", P05, P03, 0.75),
        ("coverage(threshold=0.7)", P05, P03, None),
        # the settings of nobody: empty parentheses
        ("overlap()", P05, P13, 0.5),
        (" overlap ", P05, P13, 0.5),
    ],
)
def test_credit_of_one_gold_and_one_prediction(
    match: str, gold: Span, pred: Span, credit: float | None
) -> None:
    kind = CORRECT if gold[:2] == pred[:2] else PARTIAL
    assert pairs(match, [gold], [pred]) == (
        [] if credit is None else [(0, 0, pytest.approx(credit), kind)]
    )


@pytest.mark.parametrize(
    ("match", "gold", "pred", "wanted"),
    [
        # the exact pair is settled first, so the other gold goes without
        ("overlap", [P05, P13], [P13], [(1, 0, 1.0)]),
        # one prediction serves one gold only, one gold takes one prediction only
        ("overlap", [P03, P35], [P05], [(0, 0, 0.5)]),
        ("overlap", [P05], [P03, P35], [(0, 0, 0.5)]),
        # as many pairs as possible: the greedy choice (the larger overlap) would leave one out
        (
            "overlap",
            [(0, 6, "PER"), (6, 8, "PER")],
            [(4, 7, "PER"), (0, 1, "PER")],
            [(0, 1, 0.5), (1, 0, 0.5)],
        ),
        # a chain of exchanges
        (
            "overlap",
            [(0, 3, "PER"), (3, 6, "PER"), (6, 9, "PER")],
            [(2, 4, "PER"), (5, 7, "PER"), (8, 10, "PER")],
            [(0, 0, 0.5), (1, 1, 0.5), (2, 2, 0.5)],
        ),
        # with free choice, the larger overlap is taken
        ("iou", [(0, 6, "PER")], [(0, 1, "PER"), (2, 6, "PER")], [(0, 1, 4 / 6)]),
        # one's own type comes first where types do not matter
        ("overlap(typed=no)", [(0, 6, "PER")], [(0, 1, "PER"), (1, 6, "LOC")], [(0, 0, 0.5)]),
        (
            "exact(typed=no)",
            [(0, 2, "PER"), (0, 2, "LOC")],
            [(0, 2, "LOC"), (0, 2, "PER")],
            [(0, 1, 1.0), (1, 0, 1.0)],
        ),
        # equal mentions are told apart by number
        ("exact", [P05, P05], [P05, P05, P05], [(0, 0, 1.0), (1, 1, 1.0)]),
        # nobody is there
        ("overlap", [], [P05], []),
        ("overlap", [P05], [], []),
        ("overlap", [], [], []),
    ],
)
def test_who_is_paired_with_whom(
    match: str, gold: list[Span], pred: list[Span], wanted: list[tuple[int, int, float]]
) -> None:
    assert [one[:3] for one in pairs(match, gold, pred)] == [
        (g, p, pytest.approx(credit)) for g, p, credit in wanted
    ]


# The table of SemEval-2013, task 9: gold, prediction, and the judgement of strict, exact, partial
# and type.
JUDGED = [
    ((0, 2, "PER"), (0, 2, "PER"), "COR COR COR COR"),
    ((10, 12, "PER"), (10, 12, "LOC"), "INC COR COR INC"),
    ((20, 22, "PER"), (20, 23, "PER"), "INC INC PAR COR"),
    ((30, 32, "PER"), (29, 32, "LOC"), "INC INC PAR INC"),
    ((40, 42, "PER"), None, "MIS MIS MIS MIS"),
    (None, (50, 52, "PER"), "SPU SPU SPU SPU"),
]
SCHEMAS = ("muc-strict", "muc-exact", "muc-partial", "muc-type")
KINDS = {"COR": (1.0, CORRECT), "INC": (0.0, INCORRECT), "PAR": (0.5, PARTIAL)}


@pytest.mark.parametrize("place", range(4))
@pytest.mark.parametrize(("gold", "pred", "judgements"), JUDGED)
def test_muc_schemas_judge_each_pair(
    gold: Span | None, pred: Span | None, judgements: str, place: int
) -> None:
    judged = judgements.split()[place]
    found = pairs(SCHEMAS[place], [gold] if gold else [], [pred] if pred else [])
    assert found == ([(0, 0, *KINDS[judged])] if judged in KINDS else [])


@pytest.mark.parametrize(
    ("schema", "counts", "precision", "recall"),
    [
        # correct, incorrect, partial, missed, spurious; (COR + PAR / 2) over ACTUAL and POSSIBLE,
        # which are 5 each
        ("muc-strict", (1, 3, 0, 1, 1), 1 / 5, 1 / 5),
        ("muc-exact", (2, 2, 0, 1, 1), 2 / 5, 2 / 5),
        ("muc-partial", (2, 0, 2, 1, 1), 3 / 5, 3 / 5),
        ("muc-type", (2, 2, 0, 1, 1), 2 / 5, 2 / 5),
    ],
)
def test_muc_counts_and_scores_reach_the_rows(
    schema: str, counts: tuple[int, ...], precision: float, recall: float
) -> None:
    gold = corpus(
        "a/B-PER b/I-PER . c/B-PER d/I-PER . e/B-PER f/I-PER g . x h/B-PER i/I-PER . j/B-PER k/I-PER . l m"
    )
    pred = corpus(
        "a/B-PER b/I-PER . c/B-LOC d/I-LOC . e/B-PER f/I-PER g/I-PER . x/B-LOC h/I-LOC i/I-LOC . j k . l/B-PER m/I-PER"
    )
    results = nerscope.evaluate(gold, {"s": pred}, matches=[schema])
    names = ("correct", "incorrect", "partial", "missed", "spurious")
    assert tuple(results.value(match=schema, metric=name) for name in names) == counts
    assert results.value(match=schema, metric="precision") == pytest.approx(precision)
    assert results.value(match=schema, metric="recall") == pytest.approx(recall)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        # not a name with options
        ("", "cannot be read"),
        ("left right", "cannot be read"),
        ("left(credit=1", "cannot be read"),
        # no such match
        ("lefft", "did you mean 'left'"),
        # values that cannot be read
        ("left(credit=much)", "'credit=much' cannot be read"),
        ("left(typed=perhaps)", "'typed=perhaps' cannot be read"),
        ("left(credit)", "'credit' cannot be read"),
        # options that this match does not have
        ("left(threshold=0.5)", "no such option"),
        ("iou(credit=0.5)", "no such option"),
        ("exact(credit=0.5)", "no such option"),
        ("muc-strict(typed=no)", "no such option"),
        ("left(colour=1)", "no such option"),
    ],
)
def test_a_match_that_cannot_be_read_is_refused(text: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        match_named(text)


def near(touch: Touch) -> Floats:
    return np.asarray(abs(touch.gold.start - touch.pred.start) <= 1, np.float64)


@pytest.mark.usefixtures("registries")
def test_a_match_of_ones_own_has_its_options_and_reaches_the_rows() -> None:
    match_family("near", near, credit=0.75)
    assert pairs("near", [(0, 4, "PER")], [(1, 4, "PER")]) == [(0, 0, 0.75, PARTIAL)]
    assert pairs("near(credit=0.5)", [(0, 4, "PER")], [(2, 4, "PER")]) == []
    results = nerscope.evaluate(
        corpus("a/B-PER b/I-PER c"),
        {"s": corpus("a b/B-PER c")},
        matches=["near", "near(credit=0.5)"],
    )
    assert results.value(match="near", metric="f1") == 0.75
    assert results.value(match="near(credit=0.5)", metric="f1") == 0.5
    with pytest.raises(UsageError, match="exists already"):
        match_family("near", lambda touch: np.zeros(len(touch.gold)))


@st.composite
def spans(draw: st.DrawFn) -> Span:
    start = draw(st.integers(0, 8))
    return start, start + draw(st.integers(1, 4)), draw(st.sampled_from(TYPES))


span_lists = st.lists(spans(), max_size=7)


@given(span_lists, span_lists)
def test_overlapping_finds_all_pairs_that_share_a_token(gold: list[Span], pred: list[Span]) -> None:
    gold, pred = sorted(gold), sorted(pred)
    left, right = overlapping(mentions(gold), mentions(pred))
    wanted = {
        (g, p)
        for g, a in enumerate(gold)
        for p, b in enumerate(pred)
        if a[0] < b[1] and b[0] < a[1]
    }
    assert sorted(zip(left.tolist(), right.tolist(), strict=True)) == sorted(wanted)


@settings(deadline=None)
@given(st.sets(st.tuples(st.integers(0, 5), st.integers(0, 5)), max_size=14))
def test_largest_matching_uses_no_end_twice_and_leaves_no_pair_out(
    edges: set[tuple[int, int]],
) -> None:
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import maximum_bipartite_matching

    ordered = sorted(edges)
    left, right = (np.array([edge[side] for edge in ordered], np.int64) for side in (0, 1))
    chosen = largest_matching(
        left, right, np.ones(len(ordered), bool), np.ones(len(ordered), np.int64)
    )
    assert len(set(left[chosen].tolist())) == len(set(right[chosen].tolist())) == len(chosen)
    grid = np.zeros((6, 6), np.int8)
    grid[left, right] = 1
    assert len(chosen) == np.count_nonzero(maximum_bipartite_matching(csr_array(grid)) >= 0)


@pytest.mark.parametrize("name", [name for name in MATCHES if not name.startswith("muc")])
@given(gold=span_lists, pred=span_lists, data=st.data())
def test_order_of_the_spans_does_not_matter(
    name: str, gold: list[Span], pred: list[Span], data: st.DataObject
) -> None:
    def credited(one: list[Span], other: list[Span]) -> list[tuple[Span, Span, float, int]]:
        return sorted(
            (one[g], other[p], credit, kind) for g, p, credit, kind in pairs(name, one, other)
        )

    shuffled = data.draw(st.permutations(gold)), data.draw(st.permutations(pred))
    assert credited(*shuffled) == credited(gold, pred)
