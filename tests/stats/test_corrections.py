"""Corrections for many p-values, against scipy and against tables written by hand."""

import math
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from nerscope.errors import UsageError
from nerscope.stats.corrections import (
    CORRECTIONS,
    SIGNIFICANT,
    correct_p_values,
    is_significant,
    shaffer,
    step_down_min_p,
)

NAN = math.nan


@pytest.mark.parametrize(
    ("correction", "p", "wanted"),
    [
        # Holm: smallest times n, next times n - 1 …, never falling
        ("holm", [0.01, 0.04, 0.03], [0.03, 0.06, 0.06]),
        ("holm", [0.01, 0.02, 0.03, 0.04], [0.04, 0.06, 0.06, 0.06]),
        ("holm", [0.5, 0.9], [1.0, 1.0]),
        ("holm", [0.02], [0.02]),
        # Bonferroni: all times n
        ("bonferroni", [0.01, 0.04, 0.03], [0.03, 0.12, 0.09]),
        ("bonferroni", [0.5, 0.9], [1.0, 1.0]),
        # Benjamini and Hochberg: times n / rank, never rising from above
        ("bh", [0.01, 0.04, 0.03], [0.03, 0.04, 0.04]),
        ("bh", [0.005, 0.009, 0.05, 0.5], [0.018, 0.018, 0.0666666667, 0.5]),
        # Benjamini and Yekutieli: the same times 1 + 1/2 + … + 1/n
        ("by", [0.01, 0.04, 0.03], [0.055, 0.0733333333, 0.0733333333]),
        ("by", [0.005, 0.009, 0.05, 0.5], [0.0375, 0.0375, 0.1388888889, 1.0]),
        ("by", [0.02], [0.02]),
        ("by", [NAN, 0.02, 0.02], [NAN, 0.03, 0.03]),
        ("none", [0.01, 0.04], [0.01, 0.04]),
        # undefined ones do not count
        ("bonferroni", [0.01, NAN, 0.04], [0.02, NAN, 0.08]),
        ("holm", [NAN, 0.01, 0.04], [NAN, 0.02, 0.04]),
        ("bh", [NAN], [NAN]),
        ("holm", [], []),
        ("none", [NAN, 0.3], [NAN, 0.3]),
        # ties
        ("holm", [0.02, 0.02], [0.04, 0.04]),
        ("bh", [0.02, 0.02], [0.02, 0.02]),
    ],
)
def test_correction_by_hand(correction: str, p: list[float], wanted: list[float]) -> None:
    assert correct_p_values(p, correction) == pytest.approx(wanted, nan_ok=True)


probabilities = st.lists(st.floats(0, 1), min_size=1, max_size=12)


@given(probabilities)
def test_benjamini_and_hochberg_is_that_of_scipy(p: list[float]) -> None:
    assert correct_p_values(p, "bh") == pytest.approx(stats.false_discovery_control(p).tolist())


@given(probabilities)
def test_benjamini_and_yekutieli_is_that_of_scipy(p: list[float]) -> None:
    wanted = stats.false_discovery_control(p, method="by").tolist()
    assert correct_p_values(p, "by") == pytest.approx(wanted)


@given(probabilities)
def test_corrections_only_raise_and_are_ordered_by_strictness(p: list[float]) -> None:
    by_name = {name: np.array(correct_p_values(p, name)) for name in CORRECTIONS}
    tiny = 1e-12
    assert (by_name["none"] <= by_name["bh"] + tiny).all()
    assert (by_name["bh"] <= by_name["holm"] + tiny).all()
    assert (by_name["bh"] <= by_name["by"] + tiny).all()
    assert (by_name["holm"] <= by_name["bonferroni"] + tiny).all()
    assert (by_name["bonferroni"] <= 1.0).all()
    for values in by_name.values():
        assert (np.diff(values[np.argsort(p, kind="stable")]) >= -tiny).all()


def test_an_unknown_correction_is_refused() -> None:
    with pytest.raises(UsageError, match="did you mean 'holm'"):
        correct_p_values([0.1], "holms")


@pytest.mark.parametrize(
    ("p", "wanted"),
    [(0.049, True), (SIGNIFICANT, False), (0.5, False), (NAN, False), (None, False), (0.0, True)],
)
def test_significant_is_what_is_below_the_usual_bound(p: float | None, wanted: bool) -> None:
    assert is_significant(p) is wanted


def extreme_counts(null: Any, observed: float) -> Any:
    """In each sample, how many samples and what was observed are as extreme as this one."""
    every = np.append(np.abs(null), abs(observed))
    return np.array([(every >= abs(value)).sum() for value in null])


def naive_min_p(observed: Any, null: Any) -> list[float]:
    """Westfall and Young's step-down minP, by definition: tests (rows) and samples (columns)."""
    samples = null.shape[1]
    every = np.column_stack([observed, null])
    p = np.array([[(np.abs(row) >= abs(x)).sum() for x in row] for row in every]) / (samples + 1)
    order = np.argsort(p[:, 0], kind="stable")
    corrected, largest = np.zeros(len(order)), 0.0
    for step, at in enumerate(order):
        left = order[step:]
        as_small = (p[left].min(axis=0) <= p[at, 0] + 1e-12).sum()
        largest = max(largest, as_small / (samples + 1))
        corrected[at] = largest
    return corrected.tolist()


@given(st.integers(1, 6), st.integers(5, 60), st.integers(0, 10_000))
def test_step_down_min_p_is_that_of_the_definition(tests: int, samples: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    null = rng.integers(-4, 5, (tests, samples)).astype(float)
    observed = rng.integers(-6, 7, tests).astype(float)
    counts = [extreme_counts(row, x) for row, x in zip(null, observed, strict=True)]
    p = np.array(
        [(1 + (np.abs(row) >= abs(x)).sum()) for row, x in zip(null, observed, strict=True)]
    )
    found = step_down_min_p(p / (samples + 1), counts, samples)
    assert found.tolist() == pytest.approx(naive_min_p(observed, null))


def test_tests_that_always_agree_cost_nothing() -> None:
    rng = np.random.default_rng(0)
    null = rng.normal(size=999)
    counts = [extreme_counts(null, 2.0)] * 8
    p = np.full(8, (1 + (np.abs(null) >= 2).sum()) / 1000)
    assert step_down_min_p(p, counts, 999) == pytest.approx(p)


def most_true(systems: int, false: int) -> int:
    """Of all ways to divide systems into groups of equals, the most pairs that are equal while so
    many others are not.
    """
    every = list(combinations(range(systems), 2))

    def partitions(items: list[int]) -> Any:
        if not items:
            yield []
            return
        first, *rest = items
        for groups in partitions(rest):
            for at in range(len(groups)):
                yield [*groups[:at], [first, *groups[at]], *groups[at + 1 :]]
            yield [[first], *groups]

    equal = [
        sum(any(a in group and b in group for group in groups) for a, b in every)
        for groups in partitions(list(range(systems)))
    ]
    return max(count for count in equal if count <= len(every) - false)


@pytest.mark.parametrize("systems", [2, 3, 4, 5, 6])
def test_shaffers_steps_are_what_groups_of_equals_allow(systems: int) -> None:
    pairs = systems * (systems - 1) // 2
    p = np.linspace(0.001, 0.002, pairs)
    steps = [most_true(systems, false) for false in range(pairs)]
    wanted = np.minimum(1, np.maximum.accumulate(p * np.array(steps)))
    assert shaffer(p, [systems]) == pytest.approx(wanted)


@given(st.lists(st.floats(1e-4, 1), min_size=6, max_size=6))
def test_shaffer_is_never_stricter_than_holm(p: list[float]) -> None:
    found = shaffer(np.array(p), [4])
    assert (found <= np.array(correct_p_values(p, "holm")) + 1e-12).all()
    assert (found >= np.array(p) - 1e-12).all()
