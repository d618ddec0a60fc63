"""The kind of every mention, against a literal reading of the definition."""

from collections import Counter

import pytest
from tests.oracles import naive
from tests.oracles.naive import Span
from tests.oracles.strategies import span_cases

import nerscope

CASES = 1000
TOKENS = [f"t{place}" for place in range(16)]


def inside(part: Span, whole: Span) -> bool:
    return whole.start <= part.start and part.end <= whole.end


def parts_of(whole: Span, whole_side: list[Span], part_side: list[Span]) -> list[Span]:
    """What lies inside a mention, of those that the other side does not have at their place."""
    if any(naive.same_span(whole, part) for part in part_side):
        return []
    return [
        part
        for part in part_side
        if inside(part, whole) and not any(naive.same_span(part, other) for other in whole_side)
    ]


def kind(mention: Span, own_side: list[Span], others: list[Span], names: tuple[str, ...]) -> str:
    """One kind, the first that fits; `names` are what it is called to be whole, part and alone."""
    whole, part, alone = names
    touching = [other for other in others if naive.overlap(mention, other)]
    same_span = [other for other in others if naive.same_span(mention, other)]
    if any(other.type == mention.type for other in same_span):
        return "correct"
    if same_span:
        return "wrong type"
    is_whole = len(parts_of(mention, own_side, others)) > 1
    is_part = any(
        mention in parts and len(parts) > 1
        for parts in (parts_of(other, others, own_side) for other in touching)
    )
    # Nested mentions may be both: the merge is said.
    for name in sorted(["merged", "split"]):
        if (name == whole and is_whole) or (name == part and is_part):
            return name
    return "overlaps" if touching else alone


@pytest.mark.parametrize("seed", range(4))
def test_every_mention_has_the_kind_of_the_definition(seed: int) -> None:
    cases = [case for case in span_cases(seed, CASES) if case.gold]
    gold = [(TOKENS, [tuple(span) for span in case.gold]) for case in cases]
    pred = [(TOKENS, [tuple(span) for span in case.pred]) for case in cases]
    rows = nerscope.evaluate(gold, {"s": pred}, matches=["exact"]).errors()
    of_mention = {
        (row.side, int(row.place.rpartition(":")[2]) - 1, Span(row.start, row.end, row.type)): row
        for row in rows
    }
    assert len(of_mention) == len(rows) == sum(len(c.gold) + len(c.pred) for c in cases)
    for number, case in enumerate(cases):
        golds, preds = list(case.gold), list(case.pred)
        sides = [
            ("gold", golds, preds, ("split", "merged", "missed")),
            ("pred", preds, golds, ("merged", "split", "spurious")),
        ]
        for side, own, others, names in sides:
            for mention in own:
                row = of_mention[side, number, mention]
                expected = kind(mention, own, others, names)
                if expected != "overlaps":
                    assert row.outcome == expected, (case, row)
                    continue
                types = {other.type for other in others if naive.overlap(mention, other)}
                types = types if row.other_type is None else {row.other_type}
                same = mention.type in types
                assert row.outcome == ("wrong boundary" if same else "wrong type and boundary")


def test_hallucinated_predictions_are_a_kind_of_their_own() -> None:
    gold = [(["Ada", "met", "Bob"], ["B-PER", "O", "B-PER"])]
    model = nerscope.answers([[["Ada", "PER"], ["Eve", "PER"], ["met", "LOC"]]])
    rows = nerscope.evaluate(gold, {"m": model}).errors()
    found = Counter((row.side, row.outcome) for row in rows)
    assert found == {
        ("gold", "correct"): 1,
        ("gold", "missed"): 1,
        ("pred", "correct"): 1,
        ("pred", "hallucinated"): 1,
        ("pred", "spurious"): 1,
    }
