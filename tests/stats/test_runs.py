"""The variance of training runs, alone and with that of other systems."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import nerscope
from nerscope.stats.runs import (
    FEWEST_SYSTEMS,
    RunVariance,
    pooled_run_variance,
    run_spread,
    run_variance,
)

scores = st.lists(st.floats(0.5, 0.9), min_size=2, max_size=4)


def column(runs: list[float]) -> RunVariance:
    return run_spread(np.array(runs)[:, None])


def naive(sides: list[list[float]], others: list[list[float]]) -> tuple[float, float]:
    """Variance and degrees of freedom, by the definition, with plain loops."""

    def variance(runs: list[float]) -> float:
        mean = sum(runs) / len(runs)
        return sum((x - mean) ** 2 for x in runs) / (len(runs) - 1)

    degrees = sum(len(side) - 1 for side in sides)
    pooled = sum((len(side) - 1) * variance(side) for side in sides) / degrees
    lenders = [runs for runs in others if variance(runs) > 0]
    if len(others) + len(sides) < FEWEST_SYSTEMS or len(lenders) < 2:
        return pooled, degrees
    lent = sum(len(runs) - 1 for runs in lenders)
    prior = sum((len(runs) - 1) * variance(runs) for runs in lenders) / lent
    by_chance = 2 * len(lenders) / lent
    spread = sum((variance(runs) - prior) ** 2 for runs in lenders) / (len(lenders) - 1)
    beyond = max(0.0, spread / prior**2 - by_chance) / (1 + by_chance)
    known = lent * (len(lenders) - 1) / len(lenders)
    weight = min(8, 2 * known, 2 / beyond if beyond else math.inf)
    return (degrees * pooled + weight * prior) / (degrees + weight), degrees + weight


@given(st.lists(scores, min_size=1, max_size=2), st.lists(scores, min_size=0, max_size=6))
def test_the_variance_is_that_of_the_definition(
    sides: list[list[float]], others: list[list[float]]
) -> None:
    found = pooled_run_variance(
        list(map(column, sides)), [column(runs) for runs in others if len(runs) > 1]
    )
    variance, degrees = naive(sides, others)
    assert found.variance[0] == pytest.approx(variance, rel=1e-6, abs=1e-15)
    assert found.degrees[0] == pytest.approx(degrees, rel=1e-6)


@pytest.mark.parametrize(
    ("others", "borrowed"),
    [
        ([], 0),
        ([[0.7, 0.71]], 0),  # three systems in all
        ([[0.7, 0.71], [0.6]], 0),  # a single run says nothing
        ([[0.7, 0.7], [0.6, 0.61], [0.5, 0.5]], 0),  # copies of a run lend nothing
        ([[0.7, 0.71], [0.6, 0.62]], 2),
        ([[0.7, 0.71], [0.6, 0.62], [0.5, 0.51], [0.4, 0.42], [0.5, 0.52], [0.3, 0.31]], 8),
    ],
)
def test_little_is_borrowed_and_only_from_several_systems(
    others: list[list[float]], borrowed: float
) -> None:
    sides = [column([0.8, 0.82]), column([0.79, 0.8])]
    assert (
        pooled_run_variance(sides, [column(runs) for runs in others if len(runs) > 1]).borrowed[0]
        == borrowed
    )


def test_systems_that_vary_unequally_lend_less() -> None:
    rng, sides = np.random.default_rng(0), [column([0.8, 0.82]), column([0.79, 0.8])]
    alike = [run_spread(rng.normal(0.8, 0.01, (6, 1))) for _ in range(6)]
    scales = (1e-4, 1e-4, 1e-4, 1e-4, 1e-4, 0.05)
    unlike = [run_spread(rng.normal(0.8, scale, (6, 1))) for scale in scales]
    lent = [pooled_run_variance(sides, others).borrowed[0] for others in (alike, unlike)]
    assert lent[0] == 8 and lent[1] < 2


def outputs(n_systems: int) -> tuple[Any, dict[str, Any]]:
    """A corpus, and systems with two runs each that miss other mentions at random."""
    rng = np.random.default_rng(1)
    gold = [(["Ada", "met", "Bob"], ["B-PER", "O", "B-PER"])] * 60

    def run(chance: float) -> list[list[str]]:
        hits = rng.random((60, 2)) < chance
        return [["B-PER" if a else "O", "O", "B-PER" if b else "O"] for a, b in hits]

    systems = {f"s{k}": [run(0.5 + 0.05 * k), run(0.5 + 0.05 * k)] for k in range(n_systems)}
    return gold, systems


def test_a_pair_has_the_same_numbers_alone_and_among_all_pairs() -> None:
    gold, systems = outputs(5)
    results = nerscope.evaluate(gold, systems)
    alone = nerscope.compare(results, "s0", "s3").rows
    among = [row for row in nerscope.compare(results).rows if row.pair == ("s0", "s3")]
    assert [row.p for row in alone] == [row.p for row in among]


def test_two_runs_say_more_if_four_systems_have_them() -> None:
    gold, systems = outputs(5)
    few = nerscope.evaluate(gold, {name: systems[name] for name in ("s0", "s3", "s4")})
    many = nerscope.evaluate(gold, systems)
    low, high = (
        nerscope.compare(results, "s0", "s3", metrics=["f1"]).primary[0].degrees or 0.0
        for results in (few, many)
    )
    assert low < high


def test_the_variance_of_one_run_is_none() -> None:
    assert run_variance(np.array([[0.5, 0.6]])).tolist() == [0.0, 0.0]
