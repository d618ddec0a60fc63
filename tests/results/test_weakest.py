"""Where a system is weakest: ranked by the lower bound of the shortfall, one group per facet."""

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
    assert first.overall == pytest.approx(whole)
    assert first.shortfall == pytest.approx(whole - first.value)
    assert first.shortfall_low == pytest.approx(whole - first.high) and first.high < whole


def test_a_group_of_few_units_is_never_named() -> None:
    gold, pred = sentences((400, "B-PER", "B-PER"), (29, "B-ORG", "O"))
    assert nerscope.evaluate(gold, {"s": pred}).weakest() == []
    gold, pred = sentences((400, "B-PER", "B-PER"), (30, "B-ORG", "O"))
    assert [spot.level for spot in nerscope.evaluate(gold, {"s": pred}).weakest()] == ["ORG"]


def test_a_group_whose_interval_includes_the_overall_score_is_never_named() -> None:
    for spot in nerscope.evaluate(GOLD, {"s": noisy(GOLD, 0.2, 3)}, train=TRAIN).weakest(most=99):
        assert not spot.low <= spot.overall <= spot.high


@pytest.mark.parametrize("times", [1, 5, 50])
def test_a_level_is_named_only_if_its_interval_is_below(times: int) -> None:
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
        bounds = [spot.shortfall_low for spot in own]
        assert bounds == sorted(bounds, reverse=True) and min(bounds) > 0


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
        assert one.low <= one.value <= one.high
        worse = 1 if one.metric == "ter" else -1
        assert one.shortfall == pytest.approx(worse * (one.value - one.overall))
        assert one.shortfall > 0


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


def test_the_intervals_of_overall_scores_are_those_of_the_rows() -> None:
    """With several runs, the spread of training is estimated with the help of all systems."""
    runs: Any = {
        name: [noisy(GOLD, rate, 10 * at + seed) for seed in range(3)]
        for at, (name, rate) in enumerate({"a": 0.1, "b": 0.2, "c": 0.3, "d": 0.4}.items())
    }
    plain = nerscope.evaluate(GOLD, runs)
    rows = nerscope.evaluate(GOLD, runs, intervals=True)
    ranked = {row.system: row for row in plain.ranking(samples=100)}
    for scores in plain.overall():
        (row,) = rows.select(system=scores.system, run=None, metric="f1", match="exact", type=None)
        assert (scores.f1.low, scores.f1.high) == pytest.approx((row.low, row.high), abs=1e-5)
        place = ranked[scores.system]
        assert (scores.f1.low, scores.f1.high) == pytest.approx((place.low, place.high))
