"""Families of p-values: how they are corrected, and intervals that hold together."""

from typing import Any

import numpy as np
import pytest

import nerscope
from nerscope.results.families import PRIMARY, TYPES, WHERE

KINDS = ("PER", "LOC", "ORG")


def results_of(rates: dict[str, float], sentences: int = 150, n_runs: int = 1) -> nerscope.Results:
    """Systems that miss mentions at random, on a corpus with three types."""
    rng = np.random.default_rng(5)
    kinds = rng.integers(3, size=(sentences, 2))
    gold = [(["Ada", "met", "Bob"], [f"B-{KINDS[a]}", "O", f"B-{KINDS[b]}"]) for a, b in kinds]

    def run(rate: float) -> list[list[str]]:
        missed = rng.random((sentences, 2)) < rate
        return [
            ["O" if a else labels[0], "O", "O" if b else labels[2]]
            for (a, b), (_, labels) in zip(missed, gold, strict=True)
        ]

    return nerscope.evaluate(
        gold, {name: [run(r) for _ in range(n_runs)] for name, r in rates.items()}
    )


FOUR = {"a": 0.1, "b": 0.12, "c": 0.2, "d": 0.35}


@pytest.mark.parametrize(
    ("systems", "n_runs", "rules"),
    [
        ("ab", 1, {PRIMARY: "holm", TYPES: "min-p"}),
        ("abcd", 1, {PRIMARY: "shaffer", TYPES: "min-p"}),
        ("abcd", 2, {PRIMARY: "shaffer", TYPES: "holm"}),
    ],
)
def test_rows_say_by_what_they_were_corrected(
    systems: str, n_runs: int, rules: dict[str, str]
) -> None:
    found = nerscope.compare(results_of({name: FOUR[name] for name in systems}, n_runs=n_runs))
    tested = [row for row in found.rows if row.p is not None]
    for family, rule in rules.items():
        assert {row.corrected_by for row in tested if row.family == family} == {rule}


def test_a_correction_by_name_is_used_everywhere() -> None:
    found = nerscope.compare(results_of(FOUR), correction="bonferroni")
    assert {row.corrected_by for row in found.rows if row.p is not None} == {"bonferroni"}


@pytest.mark.parametrize("n_runs", [1, 2])
@pytest.mark.parametrize("correction", ["step-down", "holm", "bh", "none"])
def test_intervals_of_main_comparisons_agree_with_the_corrected_p(
    n_runs: int, correction: str
) -> None:
    found = nerscope.compare(results_of(FOUR, n_runs=n_runs), correction=correction)
    assert len(found.primary) == 6
    for row in found.primary:
        assert row.low is not None and row.high is not None and row.p_corrected is not None
        assert (row.low > 0 or row.high < 0) == (row.p_corrected < 0.05)


def test_intervals_of_main_comparisons_are_wider_the_more_pairs_there_are() -> None:
    results = results_of(FOUR)
    (alone,) = nerscope.compare(results, "a", "d").primary
    (among,) = (row for row in nerscope.compare(results).primary if row.pair == ("a", "d"))
    assert alone.low is not None and among.low is not None
    assert among.low < alone.low
    assert (among.detectable or 0) > (alone.detectable or 0)


def test_where_nothing_differs_some_star_is_as_rare_as_is_told() -> None:
    found = nerscope.compare(results_of({"a": 0.2, "b": 0.2}))
    assert found.any_star is not None
    starred = [row for row in found.rows if row.family in (PRIMARY, WHERE, TYPES)]
    families = len({row.family for row in starred if row.p is not None})
    assert 0.04 < found.any_star <= 0.05 * families + 0.005
    assert nerscope.compare(results_of(FOUR), correction="none").any_star is None


def test_without_draws_the_chance_of_a_star_is_that_of_independent_families() -> None:
    found = nerscope.compare(results_of({"a": 0.1, "b": 0.3}, n_runs=2))
    tested: set[Any] = {row.family for row in found.rows if row.p is not None}
    families = len(tested & {PRIMARY, WHERE, TYPES})
    assert found.any_star == pytest.approx(1 - 0.95**families)
