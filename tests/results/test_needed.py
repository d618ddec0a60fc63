"""What a difference takes to be found: power now, data and runs needed."""

from typing import Any

import pytest
from tests.scoring.toys import drawn, noisy

import nerscope
from nerscope.errors import UsageError
from nerscope.results.needed import PowerRow
from nerscope.results.results import Results

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


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"difference": 0}, "difference: 0 cannot be"),
        ({"difference": float("nan")}, "difference: nan cannot be"),
        ({"difference": "1"}, "difference: '1' cannot be"),
        ({"power": 0.3}, r"power: 0\.3 cannot be"),
        ({"power": 1}, "power: 1 cannot be"),
        ({"alpha": 0}, "alpha: 0 cannot be"),
        ({"alpha": True}, "alpha: True cannot be"),
        ({"resample": "word"}, "there is no 'word' to resample"),
        ({"metric": "correct", "match": "overlap"}, "metric 'correct': it is no share"),
        ({"metric": "f3"}, "metric 'f3': there is none over everything by 'exact'"),
    ],
)
def test_what_cannot_be_asked_is_refused(
    results: Results, options: dict[str, Any], message: str
) -> None:
    with pytest.raises(UsageError, match=message):
        nerscope.power(results, "a", "b", **options)
