"""Beside significant answers: how far they may mislead at a plausible true difference."""

import math

import numpy as np
import pytest
from scipy import stats
from tests.scoring.toys import drawn, noisy

import nerscope
from nerscope.errors import UsageError
from nerscope.results.results import Results

GOLD = drawn(120, seed=1)


@pytest.fixture(scope="module")
def results() -> Results:
    systems = {
        "good": noisy(GOLD, 0.02, 1),
        "fair": noisy(GOLD, 0.1, 2),
        "poor": noisy(GOLD, 0.3, 3),
    }
    return nerscope.evaluate(GOLD, systems, dataset="d")


def test_rows_of_the_first_question_have_errors_of_sign_and_size(results: Results) -> None:
    """Naive: estimates and their standard errors are drawn, and the significant ones counted."""
    comparison = nerscope.compare(results, "good", "fair", samples=200, plausible=3)
    (row,) = comparison.primary
    low, high = row["low"], row["high"]
    degrees = row["degrees"]
    error = (high - low) / 2 / stats.t.isf(0.025, degrees)
    random, rounds = np.random.default_rng(1), 400_000
    estimates = random.normal(0.03, error, rounds)
    drawn_errors = error * np.sqrt(random.chisquare(degrees, rounds) / degrees)
    significant = estimates[np.abs(estimates) > stats.t.isf(0.025, degrees) * drawn_errors]
    assert row["plausible"] == 3
    assert row["plausible_power"] == pytest.approx(len(significant) / rounds, abs=0.01)
    assert row["wrong_sign"] == pytest.approx((significant < 0).mean(), abs=0.01)
    assert row["exaggeration"] == pytest.approx(np.abs(significant).mean() / 0.03, rel=0.03)


def test_the_level_is_the_one_after_the_correction(results: Results) -> None:
    together = nerscope.compare(results, samples=200).primary[0]
    alone = nerscope.compare(results, *together.pair, samples=200).primary[0]
    uncorrected = nerscope.compare(results, samples=200, correction="none").primary[0]
    assert together["plausible_power"] < alone["plausible_power"] == uncorrected["plausible_power"]
    assert together["exaggeration"] > alone["exaggeration"] > 1


def test_the_detectable_difference_is_that_of_power_after_the_correction(results: Results) -> None:
    for correction in ("bonferroni", "none"):
        rows = nerscope.compare(results, samples=200, correction=correction).primary
        predicted = nerscope.power(results, correction=correction)
        assert [100 * (row["detectable"] or 0) for row in rows] == pytest.approx(
            [row["detectable"] for row in predicted]
        )
    together, alone = (
        nerscope.compare(results, *names, samples=200).primary[0]["detectable"]
        for names in ((), ("good", "fair"))
    )
    assert together > alone


def test_other_rows_have_none_and_it_can_be_left_out(results: Results) -> None:
    comparison = nerscope.compare(results, "good", "poor", samples=200)
    assert [("plausible" in row) for row in comparison.rows] == [
        row["family"] == "primary" for row in comparison.rows
    ]
    without = nerscope.compare(results, "good", "poor", samples=200, plausible=None)
    assert not any("plausible" in row for row in without.rows)


def test_a_significant_answer_of_low_power_says_so_in_one_line() -> None:
    results = nerscope.evaluate(GOLD, {"good": noisy(GOLD, 0.02, 1), "near": noisy(GOLD, 0.05, 4)})
    comparison = nerscope.compare(results, samples=2000)
    (row,) = comparison.primary
    assert row["p_corrected"] < 0.05 and row["plausible_power"] < 0.5 and row["low"] < 0.01
    (line,) = [line for line in str(comparison).splitlines() if "Careful" in line]
    assert f"overstate it {row['exaggeration']:.1f} times on average" in line
    assert "with a true difference of 1 point, only " in line


@pytest.mark.parametrize(
    ("systems", "plausible"),
    [
        (("good", "poor"), 30),  # such a difference is found
        (("good", "poor"), 1),  # so small a one is ruled out by the interval
        (("good", "good too"), 1),  # nothing is significant
    ],
)
def test_else_nothing_is_said_of_it(systems: tuple[str, str], plausible: float) -> None:
    outputs = {
        "good": noisy(GOLD, 0.02, 1),
        "good too": noisy(GOLD, 0.02, 2),
        "poor": noisy(GOLD, 0.3, 3),
    }
    results = nerscope.evaluate(GOLD, outputs)
    comparison = nerscope.compare(results, *systems, samples=2000, plausible=plausible)
    assert "careful" not in str(comparison)


@pytest.mark.parametrize("points", [0, -1, math.nan, 101, True])
def test_what_is_not_a_difference_is_refused(results: Results, points: float) -> None:
    with pytest.raises(UsageError, match="plausible"):
        nerscope.compare(results, plausible=points)
