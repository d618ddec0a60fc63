"""Mentions with holes, or askew of tokens: every match against a naive one over sets of tokens."""

from collections.abc import Callable, Sequence
from itertools import permutations
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import nerscope as ns
from nerscope.codec import pack, unpack
from nerscope.corpus.corpus import Corpus
from nerscope.corpus.mentions import Mentions, Shape, shape_column
from nerscope.results.results import Results
from nerscope.scoring.matching import match_named
from nerscope.scoring.packing import pack_evidence, unpack_evidence


class Naive(NamedTuple):
    """A mention as a set of tokens, with characters cut off at either side, and a type."""

    tokens: frozenset[int]
    left: int
    right: int
    type: int

    @property
    def span(self) -> tuple[object, ...]:
        return self.tokens, self.left, self.right

    @property
    def start(self) -> tuple[int, int]:
        return min(self.tokens), self.left

    @property
    def end(self) -> tuple[int, int]:
        return max(self.tokens), self.right


def written(mentions: Sequence[Naive]) -> Mentions:
    """The same as columns."""
    starts, ends, shapes = [], [], []
    for one in mentions:
        low, high = min(one.tokens), max(one.tokens) + 1
        missing = [at for at in range(low, high) if at not in one.tokens]
        holes = tuple((at - low, at - low + 1) for at in missing)
        melted: list[tuple[int, int]] = []
        for begin, end in holes:
            if melted and melted[-1][1] == begin:
                melted[-1] = (melted[-1][0], end)
            else:
                melted.append((begin, end))
        starts.append(low)
        ends.append(high)
        said = "x" if one.left or one.right else ""
        shapes.append(Shape(tuple(melted), one.left, one.right, predicted_text=said))
    kinds = [one.type for one in mentions]
    first, last, kind = (np.array(column, np.int64) for column in (starts, ends, kinds))
    return Mentions(first, last, kind, shape_column(shapes)).in_order()


def _share(gold: Naive, pred: Naive, whole: int) -> float:
    return len(gold.tokens & pred.tokens) / whole


Credit = Callable[[Naive, Naive], float]
PARTIAL: dict[str, Credit] = {
    "exact": lambda gold, pred: 0.0,
    "left": lambda gold, pred: 0.5 * (gold.start == pred.start),
    "right": lambda gold, pred: 0.5 * (gold.end == pred.end),
    "overlap": lambda gold, pred: 0.5,
    "iou": lambda gold, pred: _share(gold, pred, len(gold.tokens | pred.tokens)),
    "dice": lambda gold, pred: 2 * _share(gold, pred, len(gold.tokens) + len(pred.tokens)),
    "coverage": lambda gold, pred: _share(gold, pred, len(gold.tokens)),
}


def credit(match: str, gold: Naive, pred: Naive) -> float:
    if gold == pred:
        return 1.0
    if gold.type != pred.type or not gold.tokens & pred.tokens:
        return 0.0
    return PARTIAL[match](gold, pred)


def best(match: str, gold: list[Naive], pred: list[Naive]) -> float:
    """Equal ones are settled first; of the rest, the pairing that is worth most."""
    settled = 0
    rest = list(pred)
    free = []
    for one in gold:
        if one in rest:
            rest.remove(one)
            settled += 1
        else:
            free.append(one)
    few, many = (free, rest) if len(free) <= len(rest) else (rest, free)
    forwards = few is free
    totals = [
        sum(
            credit(match, one, other) if forwards else credit(match, other, one)
            for one, other in zip(few, chosen, strict=True)
        )
        for chosen in permutations(many, len(few))
    ]
    return settled + max(totals)


@st.composite
def naive(draw: st.DrawFn) -> Naive:
    tokens = draw(st.frozensets(st.integers(0, 5), min_size=1, max_size=4))
    cuts = st.sampled_from([0, 0, 0, 1])
    return Naive(tokens, draw(cuts), draw(cuts), draw(st.integers(0, 1)))


@pytest.mark.parametrize("match", PARTIAL)
# A corpus has each mention once.
@given(st.lists(naive(), max_size=4, unique=True), st.lists(naive(), max_size=4, unique=True))
@settings(max_examples=150, deadline=None)
def test_every_match_is_worth_what_a_naive_one_is(
    match: str, gold: list[Naive], pred: list[Naive]
) -> None:
    pairs = match_named(match)(written(gold), written(pred))
    assert len(set(pairs.gold.tolist())) == len(pairs.gold)
    assert len(set(pairs.pred.tolist())) == len(pairs.pred)
    assert pairs.credit.sum() == pytest.approx(best(match, gold, pred))


TEXT = ["aches", "in", "arms", "and", "legs"]


def with_holes(*spans: tuple[int, int, tuple[tuple[int, int], ...]]) -> Corpus:
    corpus = Corpus.of([(TEXT, [(low, high, "X") for low, high, _ in spans])])
    found = corpus.spans
    assert found is not None
    shape = shape_column([Shape(holes) for _, _, holes in spans])
    return Corpus(
        corpus.name,
        corpus.coding,
        corpus.tokens,
        corpus.starts,
        corpus.lines,
        corpus.documents,
        spans=Mentions(found.start, found.end, found.type, shape),
    )


ARMS_AND_LEGS = with_holes((0, 3, ()), (0, 5, ((2, 4),)))


@pytest.mark.parametrize(
    ("system", "right"),
    [
        (with_holes((0, 3, ()), (0, 5, ((2, 4),))), 2),
        (with_holes((0, 3, ()), (0, 5, ())), 1),
        (with_holes((0, 5, ((2, 3),))), 0),
    ],
)
def test_a_discontinuous_mention_is_right_only_with_its_own_tokens(
    system: Corpus, right: int
) -> None:
    results = ns.evaluate(ARMS_AND_LEGS, {"s": system})
    assert results.value(metric="recall", match="exact") == right / 2
    [note] = {loss["message"] for loss in results.losses if loss["kind"] == "overlapping mentions"}
    assert "token facets and accuracy are left out" in note


def test_surfaces_and_lengths_leave_holes_out() -> None:
    train = with_holes((0, 5, ((2, 4),)))
    results = ns.evaluate(
        Corpus.of([(["aches", "in", "legs"], [(0, 3, "X")])]),
        {"s": [(["aches", "in", "legs"], [(0, 3, "X")])]},
        train=train,
    )
    assert results.value(facet="tmr", level="seen", metric="recall") == 1.0
    assert results.value(facet="eLen", level="L", metric="recall") == 1.0


def test_results_with_holes_outside_of_a_mention_are_refused() -> None:
    results = ns.evaluate(ARMS_AND_LEGS, {"s": with_holes((0, 5, ((2, 4),)))})
    columns = unpack(pack_evidence(results.evidence[0]))
    (shape,) = columns["ledgers"]["mention"]["runs"][0]["pred"]["shapes"]
    assert unpack_evidence(pack(columns)).texts == results.evidence[0].texts
    shape[1] = [[2, 50]]
    with pytest.raises(ValueError, match="gap of a mention is outside"):
        unpack_evidence(pack(columns))


def test_results_with_holes_are_kept_and_read_back() -> None:
    results = ns.evaluate(ARMS_AND_LEGS, {"s": with_holes((0, 5, ()))})
    again = Results.from_json(results.to_json())
    assert again.errors() == results.errors()
    assert {one["text"] for one in again.errors()} >= {"aches in … legs"}
