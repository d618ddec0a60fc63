"""Spans of gold and of all runs, each once, against what single mentions are told to be."""

import pytest
from tests.scoring.toys import corpus, drawn, noisy

import nerscope
from nerscope.results.error_sums import paired_mentions
from nerscope.results.errors import OUTCOMES
from nerscope.results.results import Results
from nerscope.results.spans import ABSENT, Spans
from nerscope.results.spans import spans_of as spans_of_pairs
from nerscope.scoring.evidence import Evidence


def spans_of(evidence: Evidence) -> Spans:
    return spans_of_pairs(paired_mentions(evidence))


Key = tuple[int, int, int, str]


def keys(results: Results, spans: Spans) -> list[Key]:
    types = results.evidence[0].types
    return [
        (int(sentence), int(start), int(start + length), types[kind])
        for sentence, start, length, kind in zip(
            spans.sentence, spans.start, spans.length, spans.type, strict=True
        )
    ]


def told(results: Results, system: str, side: str) -> dict[Key, str]:
    """The outcome of each mention of a side, as `errors` tells it."""
    lines = results.evidence[0].lines
    assert lines is not None
    return {
        (int(row["place"].rpartition(":")[2]) - 1, row["start"], row["end"], row["type"]): row[
            "outcome"
        ]
        for row in results.errors(system)
        if row["side"] == side
    }


@pytest.mark.parametrize("seed", range(12))
def test_outcomes_are_those_of_single_mentions(seed: int) -> None:
    gold = drawn(25, seed)
    outputs = {"x": noisy(gold, 0.15, seed), "y": noisy(gold, 0.4, seed + 1)}
    results = nerscope.evaluate(gold, outputs, train=drawn(20, seed + 99))
    spans = spans_of(results.evidence[0])
    every = keys(results, spans)
    assert every == sorted(
        set(every), key=lambda one: (*one[:3], results.evidence[0].types.index(one[3]))
    )
    for run, system in enumerate(outputs):
        by_gold, by_pred = told(results, system, "gold"), told(results, system, "pred")
        for key, is_gold, code in zip(every, spans.is_gold, spans.outcome[run], strict=True):
            assert bool(is_gold) == (key in by_gold)
            expected = by_gold.get(key) or by_pred.get(key)
            assert (None if code == ABSENT else OUTCOMES[code]) == expected


def test_spans_that_belong_together_without_being_equal_are_mates() -> None:
    results = nerscope.evaluate(
        corpus("Ada/B-PER Lee/I-PER met Bob/B-PER"), {"x": corpus("Ada/B-PER Lee met Bob/B-PER")}
    )
    spans = spans_of(results.evidence[0])
    every = keys(results, spans)
    [(gold, predicted)] = spans.mates[0].tolist()
    assert (every[gold], every[predicted]) == ((0, 0, 2, "PER"), (0, 0, 1, "PER"))


def test_a_run_that_says_nothing_has_missed_everything() -> None:
    results = nerscope.evaluate(corpus("Ada/B-PER met"), {"x": corpus("Ada met")})
    spans = spans_of(results.evidence[0])
    assert spans.outcome.tolist() == [[OUTCOMES.index("missed")]]
    assert [pairs.tolist() for pairs in spans.mates] == [[]]


def test_codes_of_a_span_are_those_of_its_mention() -> None:
    gold, train = drawn(30, 3), drawn(30, 4)
    results = nerscope.evaluate(gold, {"x": noisy(gold, 0.3, 5)}, train=train)
    [evidence] = results.evidence
    spans = spans_of(evidence)
    levels = next(one for one in evidence.tables if one.facet == "tmr").levels
    expected = {
        (int(row["place"].rpartition(":")[2]) - 1, row["start"], row["end"], row["type"]): row[
            "tmr"
        ]
        for row in results.errors()
    }
    for key, code in zip(keys(results, spans), spans.codes["tmr"], strict=True):
        assert " ".join(name for name, own in levels.items() if code in own) == expected[key]
