"""Pairs with partial credit, each once."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.oracles.strategies import labels, span_cases
from tests.scoring.toys import corpus

import nerscope
from nerscope.results.judged import pair_records
from nerscope.results.results import Results

MATCHES = ["exact", "left", "right", "overlap", "iou(threshold=0.4)", "muc-partial", "muc-type"]
Key = tuple[str, int, object, object, str, str]
Made = dict[Key, dict[str, dict[str, float]]]


def evaluated(gold: str, systems: dict[str, list[str]], **options: Any) -> Results:
    given_systems = {
        name: [corpus(*run.split("|")) for run in runs] for name, runs in systems.items()
    }
    return nerscope.evaluate(corpus(*gold.split("|")), given_systems, dataset="d", **options)


def naive(results: Results) -> Made:
    """What all runs made, gathered from the list that has a row for each of them."""
    found: Made = {}
    for row in results.partial_pairs():
        sentence = int(row["place"].rpartition(":")[2])
        texts = (row["gold"], row["predicted"], row["gold type"], row["predicted type"])
        credits = {
            key.removeprefix("credit "): value
            for key, value in row.items()
            if key.startswith("credit ") and value is not None
        }
        made = found.setdefault((row["dataset"], sentence, *texts), {})
        made.setdefault(row["system"], {}).update(credits)
    return found


def gathered(results: Results) -> Made:
    records = pair_records(results)
    found = {
        (
            *(one["dataset"], one["sentence"], one["gold"]["text"], one["predicted"]["text"]),
            *(one["gold"]["type"], one["predicted"]["type"]),
        ): one["systems"]
        for one in records
    }
    assert len(found) == len(records), "a pair is there twice"
    return found


@st.composite
def evaluations(draw: st.DrawFn) -> Results:
    """Words that occur once in their sentence, so that a text tells its place."""
    sizes = draw(st.lists(st.integers(1, 8), min_size=1, max_size=4))
    tokens = [[f"t{place}" for place in range(size)] for size in sizes]

    def run() -> list[list[str]]:
        return [draw(labels(size)) for size in sizes]

    gold = list(zip(tokens, run(), strict=True))
    if all(set(own) == {"O"} for _, own in gold):
        gold.append((["t0"], ["B-PER"]))
        sizes.append(1)
    systems = {"a": [run(), run()], "b": [run()]}
    return nerscope.evaluate(gold, systems, dataset="d", matches=MATCHES)


@given(evaluations())
def test_pairs_are_those_of_all_runs_once_each(results: Results) -> None:
    assert gathered(results) == naive(results)
    places = [
        (one["sentence"], one["gold"]["start"], one["predicted"]["start"])
        for one in pair_records(results)
    ]
    assert places == sorted(places)


@pytest.mark.parametrize("seed", range(3))
def test_nested_mentions_make_the_same_pairs(seed: int) -> None:
    tokens = [f"t{place}" for place in range(16)]
    cases = [case for case in span_cases(seed, 40) if case.gold]
    gold = [(tokens, [tuple(span) for span in case.gold]) for case in cases]
    pred = [(tokens, [tuple(span) for span in case.pred]) for case in cases]
    results = nerscope.evaluate(gold, {"s": pred}, matches=MATCHES)
    assert gathered(results) == naive(results)


def test_a_record_says_where_a_pair_stands_and_who_made_it() -> None:
    gold = "x|see Eve/B-PER Lee/I-PER"
    partly, wholly = "x|see Eve/B-PER Lee", gold
    longer = "x|see/B-PER Eve/I-PER Lee/I-PER"
    assert pair_records(evaluated(gold, {"p": [wholly, partly], "q": [longer], "r": [wholly]})) == [
        {
            "dataset": "d",
            "sentence": 2,
            "gold": {"start": 1, "end": 3, "type": "PER", "text": "Eve Lee"},
            "predicted": {"start": 0, "end": 3, "type": "PER", "text": "see Eve Lee"},
            "systems": {"q": {"right": 0.5, "overlap": 0.5}},
            "judgement": "",
        },
        {
            "dataset": "d",
            "sentence": 2,
            "gold": {"start": 1, "end": 3, "type": "PER", "text": "Eve Lee"},
            "predicted": {"start": 1, "end": 2, "type": "PER", "text": "Eve"},
            "systems": {"p": {"left": 0.5, "overlap": 0.5}},
            "judgement": "",
        },
    ]


def test_a_system_has_what_any_of_its_runs_got() -> None:
    # In one run the middle mention alone is there; in the other a better one takes its place.
    gold = "a/B-X b/I-X c/I-X d/I-X"
    alone, crowded = "a b/B-X c d", "a/B-X b/B-X c d"
    found = pair_records(evaluated(gold, {"s": [crowded, alone]}))
    assert [(one["predicted"]["text"], one["systems"]["s"]) for one in found] == [
        ("a", {"left": 0.5, "overlap": 0.5}),
        ("b", {"overlap": 0.5}),
    ]


@pytest.mark.parametrize("matches", [["exact"], ["exact", "overlap"]])
def test_without_texts_or_partial_matches_the_rest_holds(matches: list[str]) -> None:
    results = evaluated("a/B-X b/I-X", {"s": ["a/B-X b"]}, matches=matches, texts=False)
    texts = [(one["gold"]["text"], one["predicted"]["text"]) for one in pair_records(results)]
    assert texts == [(None, None)] * (len(matches) - 1)


def test_results_that_were_saved_have_the_same_pairs() -> None:
    results = evaluated("a/B-X b/I-X|c/B-X d/I-X", {"s": ["a/B-X b|c d/B-X"]})
    assert pair_records(Results.from_json(results.to_json())) == pair_records(results)
    assert pair_records(Results()) == []
