"""Who is paired with whom, and for how much credit: every match and option on spans written out by
hand.
"""

from time import process_time
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.scoring.toys import corpus

import nerscope
from nerscope.corpus.arrays import Floats
from nerscope.corpus.mentions import Mentions
from nerscope.errors import UsageError
from nerscope.scoring.assignment import Worth, best_assignment
from nerscope.scoring.matching import match_named, register_match
from nerscope.scoring.pairing import (
    CORRECT,
    INCORRECT,
    PARTIAL,
    CandidatePairs,
    overlapping,
)

Span = tuple[int, int, str]
TYPES = ("PER", "LOC", "ORG")


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
        ("overlap", [P35, P03], [P05], [(1, 0, 0.5)]),
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
        ("overlap", [(0, 6, "PER")], [(0, 1, "PER"), (2, 6, "PER")], [(0, 1, 0.5)]),
        # the largest total credit, though it is fewer pairs
        (
            "iou",
            [(0, 9, "PER"), (9, 20, "PER")],
            [(1, 10, "PER"), (0, 1, "PER")],
            [(0, 0, 8 / 10)],
        ),
        # 0.4 + 0.2 is 0.6 and 0.4 + 0.4 is 0.8: two pairs are more than one
        (
            "iou",
            [(2, 5, "PER"), (1, 2, "PER")],
            [(3, 7, "PER"), (1, 6, "PER")],
            [(0, 0, 2 / 5), (1, 1, 1 / 5)],
        ),
        (
            "dice",
            [(4, 7, "PER"), (5, 8, "PER")],
            [(3, 5, "PER"), (4, 6, "PER")],
            [(0, 0, 2 / 5), (1, 1, 2 / 5)],
        ),
        # of two predictions with the span, the one that is left makes a pair of one type
        (
            "overlap(typed=no)",
            [(0, 4, "PER"), (1, 5, "ORG")],
            [(1, 5, "PER"), (1, 5, "LOC")],
            [(0, 0, 0.5), (1, 1, 1.0)],
        ),
        (
            "overlap(typed=no)",
            [(0, 4, "LOC"), (1, 5, "ORG")],
            [(1, 5, "PER"), (1, 5, "LOC")],
            [(0, 1, 0.5), (1, 0, 1.0)],
        ),
        # one's own type comes first where types do not matter
        ("overlap(typed=no)", [(0, 6, "PER")], [(0, 1, "PER"), (1, 6, "LOC")], [(0, 0, 0.5)]),
        (
            "exact(typed=no)",
            [(0, 2, "PER"), (0, 2, "LOC")],
            [(0, 2, "LOC"), (0, 2, "PER")],
            [(0, 1, 1.0), (1, 0, 1.0)],
        ),
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
    ("schema", "gold", "pred", "wanted"),
    [
        # equal span and type is settled first, where types matter
        *(
            (schema, [P05], [L05, P05], [(0, 1, 1.0, CORRECT)])
            for schema in ("muc-strict", "muc-type", "muc-exact", "muc-partial")
        ),
        # then equal spans: all schemas judge the same pairs
        ("muc-type", [P05], [L05, P03], [(0, 0, 0.0, INCORRECT)]),
        ("muc-exact", [P05], [L05, P03], [(0, 0, 1.0, CORRECT)]),
        ("muc-partial", [P05], [L05, P03], [(0, 0, 1.0, CORRECT)]),
        ("muc-strict", [P05], [L05, P03], [(0, 0, 0.0, INCORRECT)]),
        # then a pair of one type comes before a longer one
        ("muc-strict", [P05], [(0, 4, "LOC"), P03], [(0, 1, 0.0, INCORRECT)]),
        # whatever else shares a token is paired, so that nobody is missed and spurious at once
        ("muc-exact", [P03, P35], [L05], [(0, 0, 0.0, INCORRECT)]),
        ("muc-strict", [P05, P03], [P03, L05], [(0, 1, 0.0, INCORRECT), (1, 0, 1.0, CORRECT)]),
    ],
)
def test_who_is_paired_with_whom_in_muc(
    schema: str, gold: list[Span], pred: list[Span], wanted: list[Any]
) -> None:
    assert pairs(schema, gold, pred) == wanted


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
        "a/B-PER b/I-PER . c/B-PER d/I-PER . e/B-PER f/I-PER g . x h/B-PER i/I-PER",
        "j/B-PER k/I-PER . l m",
    )
    pred = corpus(
        "a/B-PER b/I-PER . c/B-LOC d/I-LOC . e/B-PER f/I-PER g/I-PER . x/B-LOC h/I-LOC i/I-LOC",
        "j k . l/B-PER m/I-PER",
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
        # numbers that are no credit
        ("left(credit=1.5)", "invalid value credit=1.5"),
        ("left(credit=-0.5)", "invalid value credit=-0.5"),
        ("iou(threshold=2)", "invalid value threshold=2"),
    ],
)
def test_a_match_that_cannot_be_read_is_refused(text: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        match_named(text)


def near(touch: CandidatePairs) -> Floats:
    return np.asarray(abs(touch.gold.start - touch.pred.start) <= 1, np.float64)


@pytest.mark.usefixtures("registries")
def test_a_match_of_ones_own_has_its_options_and_reaches_the_rows() -> None:
    register_match("near", near, credit=0.75)
    assert pairs("near", [(0, 4, "PER")], [(1, 4, "PER")]) == [(0, 0, 0.75, PARTIAL)]
    assert pairs("near(credit=0.5)", [(0, 4, "PER")], [(2, 4, "PER")]) == []
    results = nerscope.evaluate(
        corpus("a/B-PER b/I-PER c"),
        {"s": corpus("a b/B-PER c")},
        matches=["near", "near(credit=0.5)"],
    )
    assert results.value(match="near", metric="f1") == 0.75
    assert results.value(match="near(credit=0.5)", metric="f1") == 0.5


@pytest.mark.usefixtures("registries")
def test_a_match_of_ones_own_may_be_registered_again() -> None:
    register_match("near", near)
    assert pairs("near", [P05], [P03]) == [(0, 0, 1.0, PARTIAL)]
    register_match("near", lambda touch: np.zeros(len(touch.gold)))
    assert pairs("near", [P05], [P03]) == []


@pytest.mark.usefixtures("registries")
@pytest.mark.parametrize(
    ("name", "defaults", "message"),
    [
        ("overlap", {}, "a built-in match has this name"),
        ("a b", {}, "invalid name"),
        ("near", {"width": 1.0}, "use credit or threshold"),
    ],
)
def test_a_match_that_cannot_be_registered_is_refused(
    name: str, defaults: dict[str, Any], message: str
) -> None:
    with pytest.raises(UsageError, match=message):
        register_match(name, near, **defaults)


@pytest.mark.usefixtures("registries")
@pytest.mark.parametrize(
    "rule",
    [
        lambda touch: np.ones(len(touch.gold) + 1),
        lambda touch: np.full(len(touch.gold), 2.0),
        lambda touch: np.full(len(touch.gold), -1.0),
        lambda touch: np.full(len(touch.gold), np.nan),
        lambda touch: 0.5,
    ],
)
def test_a_rule_that_gives_no_credits_is_refused(rule: Any) -> None:
    register_match("odd", rule)
    with pytest.raises(UsageError, match="does not return 1 numbers from 0 to 1"):
        pairs("odd", [P05], [P03])


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("exact", "exact"),
        (" overlap( credit = 1 )", "overlap(credit=1)"),
        ("overlap()", "overlap"),
        ("overlap(typed=no)", "overlap(typed=no)"),
        ("overlap(typed=yes)", "overlap"),
        ("iou(typed=no, threshold=0.50)", "iou(typed=no, threshold=0.5)"),
        ("muc-strict", "muc-strict"),
        # with all its digits: two thirds are above this threshold
        ("iou(threshold=0.6666666)", "iou(threshold=0.6666666)"),
    ],
)
def test_a_match_is_written_as_it_can_be_read(text: str, name: str) -> None:
    match = match_named(text)
    assert (match.name, str(match)) == (name, name)
    assert match_named(name).name == name


@pytest.mark.parametrize("text", ["overlap( credit=1 )", "overlap(typed=yes, credit=1)"])
def test_a_match_reaches_the_rows_however_it_is_written(text: str) -> None:
    gold, pred = corpus("a/B-PER b/I-PER"), corpus("a/B-PER b")
    results = nerscope.evaluate(gold, {"s": pred}, matches=[text, "overlap(credit=1)"])
    assert results.value(match="overlap(credit=1)", metric="f1") == 1.0


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


@given(st.data())
def test_best_assignment_is_that_of_scipy(data: st.DataObject) -> None:
    from scipy.optimize import linear_sum_assignment

    ends = st.integers(0, 5)
    edges = sorted(data.draw(st.sets(st.tuples(ends, ends), max_size=16)))
    worth = data.draw(
        st.lists(st.sampled_from([0.25, 0.5, 1.0]), min_size=len(edges), max_size=len(edges))
    )
    left, right = (np.array([edge[side] for edge in edges], np.int64) for side in (0, 1))
    credit, size = np.array(worth, np.float64), len(edges)
    no, ones = np.zeros(size, bool), np.ones(size, np.int64)
    chosen = best_assignment(left, right, Worth(no, credit, ~no, ones), lambda indices: indices)
    assert len(set(left[chosen].tolist())) == len(set(right[chosen].tolist())) == len(chosen)
    grid = np.zeros((6, 6))
    grid[left, right] = credit + 1e-3  # among equals, the most pairs
    best = grid[linear_sum_assignment(grid, maximize=True)].sum()
    assert grid[left[chosen], right[chosen]].sum() == pytest.approx(best)


@pytest.mark.parametrize(
    ("edges", "wanted"),
    [
        # (left, right, credit, same type, common length): credit before all else
        ([(0, 0, 1.0, 0, 1), (0, 1, 0.5, 1, 9), (1, 0, 0.4, 1, 9)], [0]),
        # then the number of pairs
        ([(0, 0, 1.0, 1, 9), (0, 1, 0.5, 0, 1), (1, 0, 0.5, 0, 1)], [1, 2]),
        # then pairs of one type
        ([(0, 0, 0.5, 0, 9), (0, 1, 0.5, 1, 1)], [1]),
        # then the common length
        ([(0, 0, 0.5, 1, 2), (0, 1, 0.5, 1, 3)], [1]),
        # a pair without credit is better than none
        ([(0, 0, 0.0, 0, 1)], [0]),
        ([], []),
    ],
)
def test_assignment_weighs_credit_pairs_types_and_length_in_this_order(
    edges: list[tuple[int, int, float, int, int]], wanted: list[int]
) -> None:
    left, right, credit, same, shared = (
        np.array([edge[place] for edge in edges]) for place in range(5)
    )
    no = np.zeros(len(left), bool)
    worth = Worth(no, credit.astype(np.float64), same.astype(bool), shared.astype(np.int64))
    ends = left.astype(np.int64), right.astype(np.int64)
    found = best_assignment(*ends, worth, lambda indices: indices)
    assert found.tolist() == wanted


@pytest.mark.parametrize("schema", SCHEMAS)
@pytest.mark.parametrize("turned", [False, True])
def test_ties_are_settled_by_the_names_of_types_not_by_order(schema: str, turned: bool) -> None:
    """Gold PER[0,3), predicted LOC[0,1) and ORG[2,3): LOC is paired, read from either end."""
    loc, org = ((2, 3, "LOC"), (0, 1, "ORG")) if turned else ((0, 1, "LOC"), (2, 3, "ORG"))
    tokens = ["a", "b", "c"]
    for predicted in ([loc, org], [org, loc]):
        results = nerscope.evaluate(
            [(tokens, [(0, 3, "PER")])], {"s": [(tokens, predicted)]}, matches=[schema]
        )
        spurious = {
            kind: results.value(type=kind, match=schema, metric="spurious") for kind in TYPES
        }
        assert spurious == {"PER": 0, "LOC": 0, "ORG": 1}


@pytest.mark.parametrize("match", ["overlap", "iou", "muc-partial", "overlap(typed=no)"])
def test_two_hundred_nested_mentions_take_less_than_a_second(match: str) -> None:
    gold: list[Span] = [(k, 400 - k, TYPES[k % 2]) for k in range(200)]
    pred: list[Span] = [(k, 401 - k, TYPES[k % 3]) for k in range(200)]
    seconds = []
    for _ in range(3):  # other programs slow a single try
        begin = process_time()
        assert len(pairs(match, gold, pred)) > 100
        seconds.append(process_time() - begin)
    assert min(seconds) < 1


def test_a_long_chain_of_overlaps_is_solved_exactly() -> None:
    # each mention shares two tokens with the prediction before it and one with the one behind
    size = 300
    gold: list[Span] = [(4 * k, 4 * k + 4, "PER") for k in range(size)]
    pred: list[Span] = [(4 * k + 3, 4 * k + 6, "PER") for k in range(size)]
    in_order = [(k, k, 0.5, PARTIAL) for k in range(size)]
    assert pairs("overlap", gold, pred) == in_order  # all can be served
    assert pairs("overlap", gold[1:], pred) == in_order[:-1]  # the larger share is free for all
