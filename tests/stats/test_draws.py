"""Randomisation: all ways to swap where few clusters differ, and what is not tested at all."""

import itertools
import math
from typing import Any

import numpy as np
import pytest
from tests.scoring.toys import drawn, noisy

import nerscope
from nerscope.errors import UsageError
from nerscope.scoring.evidence import Evidence
from nerscope.stats.intervals import Sampling
from nerscope.stats.system_differences import (
    ComparisonPlan,
    Difference,
    differences,
    fewest_differing,
)

Labels = list[list[str]]


def found_in(evidence: Evidence, **options: Any) -> list[Difference]:
    return list(
        differences(evidence, [("a", "b")], Sampling(samples=2000), ComparisonPlan(**options))
    )


def of(found: list[Difference], metric: str, match: str = "exact") -> Difference:
    return next(
        one
        for one in found
        if (one.table.facet, one.table.unit, one.pair.spread.match) == ("all", "mention", match)
        and (one.key.type, one.key.metric) == (None, metric)
    )


def brute_force(gold: Labels, a: Labels, b: Labels, metric: str) -> float:
    """Of all ways to let sentences change places, those with a difference as large."""

    def difference(swapped: tuple[bool, ...]) -> float:
        ours = [y if swap else x for x, y, swap in zip(a, b, swapped, strict=True)]
        theirs = [x if swap else y for x, y, swap in zip(a, b, swapped, strict=True)]
        both = nerscope.evaluate(gold, {"a": ours, "b": theirs}, matches=["exact"])
        values = [both.value(system=name, metric=metric) for name in "ab"]
        assert values[0] is not None and values[1] is not None
        return abs(values[0] - values[1])

    ways = list(itertools.product([False, True], repeat=len(gold)))
    observed = difference(ways[0])
    return sum(difference(way) >= observed - 1e-9 for way in ways) / len(ways)


@pytest.mark.slow(quick=1)
@pytest.mark.parametrize("metric", ["recall", "precision", "f1"])
def test_few_clusters_that_differ_are_swapped_in_all_ways(metric: str) -> None:
    gold = [["B-PER", "B-LOC"], *[["B-PER", "O"]] * 6, ["B-LOC", "B-LOC"]]
    a = [["B-PER", "O"], *[["B-PER", "O"]] * 6, ["B-LOC", "B-LOC"]]
    b = [["B-PER", "B-LOC"], *[["O", "B-PER"]] * 5, ["B-PER", "B-PER"], ["O", "O"]]
    evidence = nerscope.evaluate(gold, {"a": a, "b": b}, matches=["exact"]).evidence[0]
    one = of(found_in(evidence), metric)
    assert one.test == "exact"
    assert one.p == pytest.approx(brute_force(gold, a, b, metric))


def test_swaps_at_random_come_close_to_all_ways() -> None:
    gold = drawn(40, seed=1)
    systems = {"a": gold, "b": [*noisy(gold[:14], 0.3, 3), *gold[14:]]}
    evidence = nerscope.evaluate(gold, systems, matches=["exact"]).evidence[0]
    exact = of(found_in(evidence), "f1")
    assert exact.test == "exact"
    twice = nerscope.evaluate(
        gold, {name: [one, one] for name, one in systems.items()}, matches=["exact"]
    ).evidence[0]
    drawn_p = of(found_in(twice, about="outputs"), "f1")
    assert drawn_p.test == "randomisation"
    assert drawn_p.p == pytest.approx(exact.p, abs=0.05)


@pytest.mark.parametrize(("differing", "tested"), [(1, False), (5, False), (6, True)])
def test_what_no_p_can_reach_is_not_tested(differing: int, tested: bool) -> None:
    gold = [["B-PER"]] * 12
    worse = [["O"]] * differing + [["B-PER"]] * (12 - differing)
    evidence = nerscope.evaluate(gold, {"a": gold, "b": worse}).evidence[0]
    one = of(found_in(evidence), "recall")
    assert one.differing == differing
    assert math.isnan(one.p) != tested
    assert one.interval is not None and one.interval[0] < one.interval[1]
    if tested:
        assert (one.p, one.untested_reason) == (2 / 2**6, None)
        assert one.interval[0] > 0
    else:
        assert one.untested_reason is not None and one.untested_reason.endswith("6 are needed")
        assert one.interval[0] <= 0 < one.interval[1]


@pytest.mark.parametrize(("alpha", "wanted"), [(0.05, 6), (0.01, 8), (0.001, 11), (0.5, 2)])
def test_how_many_clusters_must_differ(alpha: float, wanted: int) -> None:
    assert fewest_differing(alpha) == wanted
    assert 2 / 2**wanted <= alpha < 2 / 2 ** (wanted - 1)


@pytest.mark.slow(quick=1)
@pytest.mark.parametrize("method", ["randomisation", "bootstrap"])
@pytest.mark.parametrize("seed", range(3))
def test_p_and_interval_never_disagree(method: str, seed: int) -> None:
    gold = drawn(60, seed=seed)
    systems = {"a": noisy(gold, 0.1, seed + 10), "b": noisy(gold, 0.2, seed + 20)}
    evidence = nerscope.evaluate(gold, systems, train=gold[:30]).evidence[0]
    for one in found_in(evidence, method=method):
        if one.interval is not None:
            excludes = one.interval[0] > 0 or one.interval[1] < 0
            assert excludes == (one.p < 0.05), (one.key, one.p, one.interval)


def test_outputs_swapped_at_random_rarely_differ() -> None:
    gold = drawn(60, seed=1)
    a, b = noisy(gold, 0.1, 2), noisy(gold, 0.2, 3)
    p_values = []
    for seed in range(80):
        swap = np.random.default_rng(seed).integers(0, 2, len(gold))
        ours = [(y if s else x)[1] for x, y, s in zip(a, b, swap, strict=True)]
        theirs = [(x if s else y)[1] for x, y, s in zip(a, b, swap, strict=True)]
        evidence = nerscope.evaluate(
            gold, {"a": ours, "b": theirs}, matches=["exact"], metrics=["f1"]
        ).evidence[0]
        sampling = Sampling(samples=300, seed=seed)
        (one,) = [
            one
            for one in differences(evidence, [("a", "b")], sampling, ComparisonPlan())
            if one.key.type is None
        ]
        p_values.append(one.p)
    assert np.mean(np.array(p_values) < 0.05) <= 0.1
    assert 0.35 < np.mean(p_values) < 0.65


def test_so_many_resamples_that_they_do_not_fit_are_refused() -> None:
    gold = drawn(3000, seed=1)
    evidence = nerscope.evaluate(gold, {"a": gold, "b": noisy(gold, 0.1, 2)}).evidence[0]
    with pytest.raises(UsageError, match="do not fit into memory"):
        list(differences(evidence, [("a", "b")], Sampling(samples=1_000_000), ComparisonPlan()))


def rarely(seed: int) -> tuple[Any, dict[str, Any]]:
    """Two outputs that differ often in PER and LOC, and in one sentence in ORG."""
    rng = np.random.default_rng(seed)
    gold = [(["a", "b", "c"], ["B-LOC", "B-ORG", "B-PER"])] * 80
    sides = {}
    for name, share in (("x", 0.8), ("y", 0.6)):
        sides[name] = [
            [label if rng.random() < share or label == "B-ORG" else "O" for label in labels]
            for _, labels in gold
        ]
    sides["y"][0][1] = "O"
    return gold, sides


@pytest.mark.parametrize("method", ["bootstrap", "randomisation"])
def test_a_p_value_does_not_depend_on_other_numbers_that_cannot_be_tested(method: str) -> None:
    gold, sides = rarely(7)
    results = nerscope.evaluate(gold, sides, matches=["exact"])
    alone = nerscope.evaluate(gold, sides, matches=["exact"], drop=["ORG"])
    rows, rows_alone = (
        {
            row.type: row
            for row in nerscope.compare(
                given, "x", "y", by_type=True, method=method, samples=500, metrics=["recall"]
            ).rows
        }
        for given in (results, alone)
    )
    assert rows["ORG"].untested and rows["PER"].p is not None
    assert (rows["PER"].p, rows["LOC"].p) == (rows_alone["PER"].p, rows_alone["LOC"].p)
