"""Where a system is weakest: ranked by the sure shortfall, one place of a facet."""

from collections import Counter
from typing import Any

import pytest
from tests.scoring.toys import Corpus, drawn, noisy

import nerscope
from nerscope.results.results import Results
from nerscope.results.weakest import WeakSpot

GOLD, TRAIN = drawn(200, seed=1), drawn(200, seed=2)


def sentences(*parts: tuple[int, str, str]) -> tuple[Corpus, Corpus]:
    """Sentences of one mention each: how often, its gold label, its predicted label."""
    gold: Corpus = []
    pred: Corpus = []
    for times, label, answer in parts:
        gold += [(["x", "y"], [label, "O"])] * times
        pred += [(["x", "y"], [answer, "O"])] * times
    return gold, pred


def test_a_tiny_level_with_no_hit_does_not_come_before_a_large_one_far_below() -> None:
    gold, pred = sentences(
        *((400, "B-PER", "B-PER"), (100, "B-PER", "O")),  # the whole is good
        *((100, "B-ORG", "B-ORG"), (200, "B-ORG", "O")),  # large and far below
        (2, "B-LOC", "O"),  # tiny, and 0
    )
    results = nerscope.evaluate(gold, {"s": pred})
    assert results.value(metric="f1", type="LOC") == 0.0
    (first,) = results.weakest()
    assert (first["facet"], first["level"], first["n"]) == ("type", "ORG", 300)
    whole = results.value(metric="f1")
    assert whole is not None
    assert first["distance"] == pytest.approx(first["value"] - whole)


@pytest.mark.parametrize("times", [1, 5, 50])
def test_a_level_is_named_only_if_it_is_surely_below(times: int) -> None:
    """The same proportions say nothing on 10 mentions and much on 500."""
    gold, pred = sentences(
        *((4 * times, "B-PER", "B-PER"), (times, "B-PER", "O")),
        *((3 * times, "B-ORG", "B-ORG"), (2 * times, "B-ORG", "O")),
    )
    found = [one["level"] for one in nerscope.evaluate(gold, {"s": pred}).weakest()]
    assert found == ([] if times < 50 else ["ORG"])


def test_a_perfect_system_has_no_weakness() -> None:
    assert nerscope.evaluate(GOLD, {"s": GOLD}, train=TRAIN).weakest() == []


def weakest(results: Results, **options: Any) -> list[WeakSpot]:
    return results.weakest(**options)


@pytest.fixture(scope="module")
def results() -> Results:
    return nerscope.evaluate(
        GOLD, {"a": noisy(GOLD, 0.1, 3), "b": noisy(GOLD, 0.3, 4)}, train=TRAIN
    )


@pytest.mark.parametrize("most", [1, 2, 4, 20])
def test_places_are_few_ordered_and_of_different_facets(results: Results, most: int) -> None:
    found = weakest(results, most=most)
    for system in ("a", "b"):
        own = [one for one in found if one["system"] == system]
        assert 1 <= len(own) <= most
        assert max(Counter(one["facet"] for one in own).values()) == 1
        assert sum(one["metric"] == "ter" for one in own) <= 1
        sure = [one["least"] for one in own]
        assert sure == sorted(sure, reverse=True) and min(sure) > 0


def test_the_numbers_are_those_of_the_rows(results: Results) -> None:
    for one in weakest(results, most=20):
        where = {"facet": one["facet"], "level": one["level"]}
        if one["facet"] == "type":
            where = {"facet": "all", "level": "all", "type": one["level"]}
        row = results.select(
            **{"type": None, **where},
            **{key: one[key] for key in ("system", "match", "metric")},
            run=None,
        )[0]
        assert row["value"] == pytest.approx(one["value"])
        assert row["n"] == one["n"]
        assert one["low"] is None or one["low"] <= one["value"] <= one["high"]
        worse = 1 if one["metric"] == "ter" else -1
        assert worse * one["distance"] > 0


def test_one_system_may_be_asked_about(results: Results) -> None:
    assert {one["system"] for one in weakest(results, system="b")} == {"b"}
    both = weakest(results)
    assert weakest(results, system="b") == [one for one in both if one["system"] == "b"]


@pytest.mark.parametrize("runs", [1, 3])
def test_several_runs_are_judged_by_their_mean(runs: int) -> None:
    outputs: Any = [noisy(GOLD, 0.2, 10 + seed) for seed in range(runs)]
    results = nerscope.evaluate(GOLD, {"s": outputs}, train=TRAIN)
    found = weakest(results)
    assert found
    for one in found:
        if one["facet"] != "type":
            row = results.select(
                **{key: one[key] for key in ("facet", "level", "match", "metric")},
                run=None,
                type=None,
            )[0]
            assert row["value"] == pytest.approx(one["value"])
