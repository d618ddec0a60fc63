"""What a difference takes to be found: power now, data and runs needed."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from tests.scoring.toys import drawn, noisy

import nerscope
from nerscope.errors import UsageError
from nerscope.results.needed import PowerRow, _overall, design_of, moves_of, variance_degrees
from nerscope.results.results import Results
from nerscope.stats.intervals import Sampling

GOLD = drawn(100, seed=1)


@pytest.fixture(scope="module")
def results() -> Results:
    runs = {
        "a": [noisy(GOLD, rate, k) for k, rate in enumerate((0.08, 0.1, 0.12))],
        "b": [noisy(GOLD, rate, 10 + k) for k, rate in enumerate((0.1, 0.13, 0.16))],
        "c": noisy(GOLD, 0.2, 30),
    }
    return nerscope.evaluate(GOLD, runs, dataset="d")


def needed(results: Results, *names: str, **options: Any) -> PowerRow:
    (one,) = nerscope.power(results, *names, **options)
    return one


def test_all_pairs_are_shown_unless_two_are_named(results: Results) -> None:
    pairs = [(one["system_a"], one["system_b"]) for one in nerscope.power(results)]
    assert pairs == [("a", "b"), ("a", "c"), ("b", "c")]
    assert needed(results, "b", "a")["system_a"] == "b"


def test_a_larger_difference_takes_less(results: Results) -> None:
    small, large = (needed(results, "a", "b", difference=points) for points in (8, 40))
    assert small["power"] < large["power"]
    assert large["clusters_needed"] < (small["clusters_needed"] or 10**9)
    assert small["detectable"] == large["detectable"]


def test_the_detectable_difference_is_found_as_surely_as_was_asked(results: Results) -> None:
    for share in (0.7, 0.8, 0.95):
        least = needed(results, "a", "b", power=share)["detectable"]
        found = needed(results, "a", "b", difference=least, power=share)
        assert found["power"] == pytest.approx(share, abs=0.02)


def test_runs_and_documents_are_traded(results: Results) -> None:
    one = needed(results, "a", "b", difference=20)
    assert (one["about"], one["runs_a"], one["runs_b"]) == ("recipes", 3, 3)
    by_runs = [one["clusters_by_runs"][str(k)] or 10**9 for k in (2, 3, 5, 10)]
    assert by_runs == sorted(by_runs, reverse=True)
    assert one["clusters_by_runs"]["3"] == one["clusters_needed"]


def test_one_run_each_is_about_outputs() -> None:
    systems = {"a": noisy(GOLD, 0.1, 1), "b": noisy(GOLD, 0.12, 2)}
    one = needed(nerscope.evaluate(GOLD, systems), difference=3)
    assert (one["about"], one["runs_needed"], one["clusters_by_runs"]) == ("outputs", None, {})
    assert (one["over"], one["metric"], one["match"]) == ("sentence", "f1", "exact")
    assert one["clusters_needed"] > one["clusters"]


def test_other_numbers_may_be_asked_about(results: Results) -> None:
    assert needed(results, "a", "b", metric="recall")["metric"] == "recall"
    assert needed(results, "a", "b", match="overlap")["match"] == "overlap"
    assert needed(results, "a", "b", metric="accuracy")["match"] == "label"


def test_where_nothing_can_be_known_nothing_is_claimed() -> None:
    gold = [["B-PER", "O"]]
    one = needed(nerscope.evaluate(gold, {"a": gold, "b": [["O", "O"]]}))
    assert (one["power"], one["detectable"], one["clusters_needed"]) == (None, None, None)


def test_documents_that_were_pooled_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    systems = {"a": noisy(GOLD, 0.1, 1), "b": noisy(GOLD, 0.12, 2)}
    results = nerscope.evaluate(GOLD, systems)
    plain = needed(results, difference=3)
    monkeypatch.setattr("nerscope.scoring.folding.MOST_GROUPS", 50)
    pooled = needed(results, difference=3)
    assert 90 <= pooled["clusters"] <= 100
    assert pooled["clusters_needed"] == pytest.approx(plain["clusters_needed"], rel=0.5)


def test_all_sentences_count_with_and_without_mentions() -> None:
    """As many sentences without any mention again: the test set and what is needed double, and
    power stays what it is.
    """
    empty = [["O", "O", "O"]] * len(GOLD)
    texts = [(["so", "it", "is"], labels) for labels in empty]
    systems = {"a": noisy(GOLD, 0.1, 1), "b": noisy(GOLD, 0.12, 2)}
    plain = needed(nerscope.evaluate(GOLD, systems), difference=3)
    doubled = needed(
        nerscope.evaluate([*GOLD, *texts], {name: [*out, *empty] for name, out in systems.items()}),
        difference=3,
    )
    assert (plain["clusters"], doubled["clusters"]) == (len(GOLD), 2 * len(GOLD))
    assert doubled["power"] == pytest.approx(plain["power"])
    for key in ("clusters_needed", "clusters_needed_low", "clusters_needed_high"):
        assert doubled[key] == pytest.approx(2 * plain[key], abs=2)


def test_what_is_needed_has_an_interval(results: Results) -> None:
    systems = {"a": noisy(GOLD, 0.1, 1), "b": noisy(GOLD, 0.12, 2)}
    row = needed(nerscope.evaluate(GOLD, systems), difference=3)
    assert row["clusters_needed_low"] < row["clusters_needed"] < row["clusters_needed_high"]
    few_runs = needed(results, "a", "b", difference=20)
    assert few_runs["clusters_needed_low"] < few_runs["clusters_needed"]
    assert (few_runs["clusters_needed_high"] or 10**9) > few_runs["clusters_needed"]


def test_pairs_and_datasets_are_corrected_for_together(results: Results) -> None:
    together = nerscope.power(results)
    assert [row["tests"] for row in together] == [3, 3, 3]
    assert together[0]["corrected_alpha"] == pytest.approx(0.05 / 3)
    alone, uncorrected = needed(results, "a", "b"), nerscope.power(results, correction="none")[0]
    assert (alone["tests"], alone["corrected_alpha"]) == (1, 0.05)
    assert uncorrected["detectable"] == alone["detectable"] < (together[0]["detectable"] or 100)
    assert needed(results, "a", "b", alpha=0.05 / 3)["power"] == together[0]["power"]


def test_the_variance_of_few_clusters_that_move_a_lot_is_known_badly() -> None:
    """Naive: the degrees are 2 / CV² of the sum of squared moves, found by drawing clusters."""
    gold = [["B-PER"] * 6] * 10 + [["B-PER"]] * 190
    outs = {
        "a": [["O"] * 6] * 3 + [["B-PER"] * 6] * 7 + [["B-PER"]] * 190,
        "b": [["B-PER"] * 6] * 10 + [["O"]] * 20 + [["B-PER"]] * 170,
    }
    results = nerscope.evaluate(gold, outs)
    (evidence,) = results.evidence
    (measured,) = _overall(evidence, [("a", "b")], Sampling(), "f1", None)
    moves = moves_of(evidence, [measured], "sentence")
    squares = (moves["a"] - moves["b"]) ** 2
    random = np.random.default_rng(0)
    sums = [random.choice(squares, len(squares)).sum() for _ in range(4000)]
    naive = 2 / (np.std(sums) / np.mean(sums)) ** 2
    assert variance_degrees(measured, moves) == pytest.approx(naive, rel=0.1)
    assert naive < 10 < float(measured.pair.degrees[0])


def test_a_borrowed_variance_of_runs_is_part_of_the_prediction() -> None:
    """With four systems, `compare` borrows the variance of runs: power is that of its test."""
    runs = {
        name: [noisy(GOLD, rate + 0.02 * k, 5 * at + k) for k in range(2)]
        for at, (name, rate) in enumerate({"a": 0.08, "b": 0.1, "c": 0.15, "d": 0.2}.items())
    }
    several = nerscope.evaluate(GOLD, runs, dataset="d")
    (evidence,) = several.evidence
    (measured,) = _overall(evidence, [("a", "b")], Sampling(), "f1", None)
    design = design_of(measured.pair, measured.at, (2, 2))
    assert design.prior_degrees == float(measured.pair.borrowed_degrees[0]) > 0
    lent = [measured.pair.spread.lent[name][:, 0] for name in "cd"]
    assert design.prior_variance == pytest.approx(np.mean([side.var(ddof=1) for side in lent]))
    alone = nerscope.evaluate(GOLD, {name: runs[name] for name in "ab"}, dataset="d")
    (unhelped,) = _overall(alone.evidence[0], [("a", "b")], Sampling(), "f1", None)
    assert design_of(unhelped.pair, 0, (2, 2)).prior_degrees == 0
    # What the design expects of the bound is what the test has.
    reach = (measured.pair.bounds(0.05)[1] - measured.pair.difference)[0]
    known = replace(design, variance_degrees=1e6, run_degrees=1e6)
    expected = known._test(known.clusters, (2, 2), 0.05)[0]
    assert expected.min() < reach < expected.max()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"difference": 0}, "difference: invalid value 0"),
        ({"difference": float("nan")}, "difference: invalid value nan"),
        ({"difference": "1"}, "difference: invalid value '1'"),
        ({"power": 0.3}, r"power: invalid value 0\.3"),
        ({"power": 1}, "power: invalid value 1"),
        ({"alpha": 0}, "alpha: invalid value 0"),
        ({"alpha": True}, "alpha: invalid value True"),
        ({"resample": "word"}, "unknown cluster unit 'word'"),
        ({"metric": "correct", "match": "overlap"}, "metric 'correct': it is a count"),
        (
            {"metric": "f3"},
            "metric 'f3': the results have no overall score of it by the match 'exact'",
        ),
    ],
)
def test_what_cannot_be_asked_is_refused(
    results: Results, options: dict[str, Any], message: str
) -> None:
    with pytest.raises(UsageError, match=message):
        nerscope.power(results, "a", "b", **options)
