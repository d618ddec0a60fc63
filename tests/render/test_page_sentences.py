"""The sentences of a page: all with an error if they fit, else every kind of error."""

from collections import Counter
from typing import Any

import pytest
from tests.scoring.toys import corpus, drawn, noisy

import nerscope
from nerscope.render.page.schema import PageSentences
from nerscope.render.page.sentences import page_sentences
from nerscope.results.error_sums import paired_mentions
from nerscope.results.results import Results
from nerscope.results.sentences import Budget, sentence_sample, token_count
from nerscope.results.spans import spans_of
from nerscope.scoring.evidence import Evidence

AMPLE = Budget(10_000, 10_000_000)


def sentence_data(evidence: Evidence, budget: Budget) -> PageSentences:
    spans = spans_of(paired_mentions(evidence))
    return page_sentences(evidence, sentence_sample(evidence, spans, budget))


def evaluated(sentences: int = 120, rate: float = 0.1, **options: Any) -> Results:
    gold = drawn(sentences, 1)
    outputs = {"x": noisy(gold, rate, 2), "y": noisy(gold, rate, 3)}
    return nerscope.evaluate(gold, outputs, train=drawn(80, 4), **options)


def wrong_sentences(results: Results) -> set[int]:
    """Those in which some mention is not as it should be, counted from 1."""
    return {
        int(row["place"].rpartition(":")[2])
        for row in results.errors()
        if row["outcome"] != "correct"
    }


def kinds(results: Results, numbers: set[int]) -> set[tuple[str, str]]:
    """Kinds of error in some sentences: outcome with type, and with the level of each facet."""
    facets = [one.facet for one in results.evidence[0].tables if one.unit == "mention"]
    return {
        (row["outcome"], f"{name}={row[name]}")
        for row in results.errors()
        if row["outcome"] != "correct" and int(row["place"].rpartition(":")[2]) in numbers
        for name in ("type", *facets)
        if name in row
    }


def test_all_sentences_with_an_error_are_there() -> None:
    results = evaluated()
    data = sentence_data(results.evidence[0], AMPLE)
    assert wrong_sentences(results) <= set(data["number"])
    assert data["wrong"] == data["wrongKept"] >= len(wrong_sentences(results))
    assert data["total"] == 120


def test_a_small_page_still_has_every_kind_of_error() -> None:
    results = evaluated(600, 0.25)
    every = sentence_data(results.evidence[0], AMPLE)
    few = sentence_data(results.evidence[0], Budget(150, 10_000_000))
    assert len(few["number"]) == 150 < every["wrong"]
    assert few["wrongKept"] == 150
    wanted = kinds(results, set(every["number"]))
    assert kinds(results, set(few["number"])) == wanted


def test_long_texts_count() -> None:
    results = evaluated()
    texts = results.evidence[0].texts
    assert texts is not None
    data = sentence_data(results.evidence[0], Budget(10_000, 5_000))
    assert 0 < len(data["number"]) < data["wrong"]
    assert sum(len(texts[number - 1]) for number in data["number"]) <= 5_000


def test_one_endless_sentence_does_not_take_the_place_of_all_others() -> None:
    words = ["Ada", *["word"] * 5_000]
    gold = [(words, ["B-PER", *["O"] * 5_000]), *[(["Bob", "won"], ["B-PER", "O"])] * 9]
    missed = [["O"] * len(tokens) for tokens, _ in gold]
    results = nerscope.evaluate(gold, {"x": missed})
    data = sentence_data(results.evidence[0], Budget(10_000, 20_000))
    assert data["number"] == list(range(2, 11))
    assert (data["wrong"], data["wrongKept"]) == (10, 9)


def test_a_page_has_the_same_sentences_each_time() -> None:
    one, other = (sentence_data(evaluated().evidence[0], Budget(40, 10_000)) for _ in range(2))
    assert one == other


def test_spans_stay_with_their_sentences() -> None:
    results = evaluated()
    data = sentence_data(results.evidence[0], Budget(30, 10_000_000))
    spans, types = data["spans"], results.evidence[0].types
    found = Counter(
        (data["number"][sentence], start, types[kind])
        for sentence, start, kind, gold in zip(
            spans["sentence"], spans["start"], spans["type"], spans["gold"], strict=True
        )
        if gold
    )
    expected = Counter(
        (int(row["place"].rpartition(":")[2]), row["start"], row["type"])
        for row in results.errors("x")
        if row["side"] == "gold" and int(row["place"].rpartition(":")[2]) in data["number"]
    )
    assert found == expected
    assert {len(row) for row in data["outcomes"]} == {len(spans["start"])}
    for run, pairs in enumerate(data["mates"]):
        for gold, predicted in pairs:
            assert spans["gold"][gold] and not spans["gold"][predicted]
            assert "." not in (data["outcomes"][run][gold], data["outcomes"][run][predicted])


def test_tokens_that_are_wrong_lead_to_their_sentences() -> None:
    results = nerscope.evaluate(
        corpus("Ada/B-PER met Bob/B-PER", "She met Eve/B-PER"),
        {"x": corpus("Ada/B-PER met Bob", "She met Eve/B-PER")},
        train=corpus("Ada/B-PER met"),
    )
    data = sentence_data(results.evidence[0], AMPLE)
    hard = next(own for own in data["tokens"] if "hard" in own["codes"])
    assert [data["number"][place] for place in hard["sentence"]] == [1]
    assert hard["wrong"] == ["1"]


def test_a_token_with_a_blank_stays_one_token() -> None:
    results = nerscope.evaluate([(["New York", "won"], ["B-LOC", "O"])], {"x": [["O", "O"]]})
    assert sentence_data(results.evidence[0], AMPLE)["text"] == [["New York", "won"]]


def test_without_texts_there_are_spans_alone() -> None:
    results = nerscope.evaluate(
        [(["Ada", "won"], ["B-PER", "O"])], {"x": [["O", "O"]]}, texts=False
    )
    data = sentence_data(results.evidence[0], AMPLE)
    assert data["text"] is None
    assert data["spans"]["start"] == [0]


@pytest.mark.parametrize(
    ("options", "expected"),
    [({}, 5), ({"facets": []}, 5), ({"facets": [], "texts": False}, 5)],
)
def test_tokens_are_counted(options: dict[str, Any], expected: int) -> None:
    gold = corpus("Ada/B-PER met Bob/B-PER", "She left")
    results = nerscope.evaluate(gold, {"x": gold}, train=gold, **options)
    assert token_count(results.evidence[0]) == expected
