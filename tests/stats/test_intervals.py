"""Intervals: closed forms, what several runs add, and the rows they stand in."""

import io
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from tests.scoring.toys import corpus, drawn, noisy, text_of

import nerscope
from nerscope.errors import UsageError
from nerscope.results.intervals import add_intervals, bounds_of
from nerscope.scoring.evidence import Evidence
from nerscope.stats.clusters import CellKey, ClusterCounts, cluster_unit_of, clusters_of
from nerscope.stats.intervals import (
    Interval,
    Sampling,
    caution,
    cluster_variance,
    distances,
    intervals,
    quantiles,
    score_distances,
)
from nerscope.stats.jackknife import Jackknife, jackknife

F1, RECALL = CellKey("all", None, "f1"), CellKey("all", None, "recall")
COUNTS = ("correct", "partial", "incorrect", "missed", "spurious")


def wilson(value: float, variance: float, most: float, least: float, z: float) -> Interval:
    below, above = score_distances(*(np.array([x]) for x in (value, variance, most, least, z)))
    return value - float(below[0]), value + float(above[0])


@pytest.mark.parametrize(
    ("hits", "n"), [(50, 100), (90, 100), (0, 20), (20, 20), (12, 40), (990, 1000)]
)
def test_the_interval_of_a_share_is_wilsons(hits: int, n: int) -> None:
    value = hits / n
    wanted = stats.binomtest(hits, n).proportion_ci(method="wilson")
    z = float(stats.norm.isf(0.025))
    found = wilson(value, value * (1 - value) / n, 10**6, n, z)
    assert found == pytest.approx((wanted.low, wanted.high), abs=1e-9)


@given(st.floats(0, 1), st.floats(0, 0.3), st.integers(1, 500), st.floats(0.1, 50))
def test_the_interval_of_a_share_stays_on_its_scale_and_has_some_width(
    value: float, variance: float, n: int, z: float
) -> None:
    found = wilson(value, variance, 2 * n, n, z)
    assert found is not None
    assert -1e-12 <= found[0] <= value <= found[1] <= 1 + 1e-12
    assert found[1] - found[0] > 0


def test_a_variance_below_that_of_independent_units_counts_only_so_far() -> None:
    assert wilson(0.5, 1e-12, 80, 50, 2.0) == wilson(0.5, 0.25 / 80, 1000, 50, 2.0)


def test_quantiles_are_students_for_fractions_of_degrees_too() -> None:
    alphas = np.array([1e-12, 0.001, 0.05, 0.8])
    degrees = np.concatenate([np.linspace(1, 12, 200), np.linspace(12, 3000, 200), [1e9]])
    wanted = stats.t.isf(alphas[:, None] / 2, degrees)
    assert quantiles(alphas, degrees) == pytest.approx(wanted, rel=1e-3)
    whole = np.arange(1.0, 41.0)
    assert quantiles(alphas, whole) == pytest.approx(stats.t.isf(alphas[:, None] / 2, whole))


def test_no_quantile_has_fewer_degrees_than_one() -> None:
    assert quantiles(np.array([0.05]), np.array([0.2]))[0, 0] == pytest.approx(12.7062, rel=1e-4)


def evidence_of(*runs: Any, gold: Any, **options: Any) -> Evidence:
    return nerscope.evaluate(gold, {"s": list(runs)}, **options).evidence[0]


def spread(evidence: Evidence, match: str = "exact") -> Jackknife:
    table = next(one for one in evidence.tables if one.facet == "all" and match in one.matches)
    return jackknife(ClusterCounts(evidence, table, match, ["s"], clusters_of(evidence)))


def any_interval(evidence: Evidence, key: CellKey = F1, match: str = "exact") -> Interval:
    found = spread(evidence, match)
    return dict(zip(found.keys, intervals(found, "s"), strict=True))[key]


def interval(evidence: Evidence, key: CellKey = F1, match: str = "exact") -> tuple[float, float]:
    found = any_interval(evidence, key, match)
    assert found is not None
    return found


# Recall 3/6; without each sentence that has mentions: 2/4, 3/5, 1/3.
FEW = corpus("a/B-PER b/B-PER", "a/B-PER", "a/B-PER b/B-PER c/B-PER", "nobody")
FOUND = corpus("a/B-PER b", "a", "a/B-PER b/B-PER c", "nobody")
MOVES = 0.5 - np.array([2 / 4, 3 / 5, 1 / 3])


def test_an_interval_has_the_variance_of_clusters_and_their_degrees_of_freedom() -> None:
    degrees = 6**2 / (2**2 + 1 + 3**2) - 1  # 1.57, and not 1
    z = float(stats.t.isf(0.025, degrees))
    wanted = wilson(0.5, 2 / 3 * float(MOVES @ MOVES), 12, 3, z)
    assert interval(evidence_of(FOUND, gold=FEW), RECALL) == pytest.approx(wanted, rel=1e-3)


def test_equal_runs_say_no_more_than_one() -> None:
    one, three = evidence_of(FOUND, gold=FEW), evidence_of(FOUND, FOUND, FOUND, gold=FEW)
    assert interval(three, RECALL) == pytest.approx(interval(one, RECALL))


def test_runs_that_differ_more_give_wider_intervals() -> None:
    gold = drawn(200, seed=1)
    one = noisy(gold, 0.15, 2)
    alone = interval(evidence_of(one, gold=gold))
    apart = interval(evidence_of(one, noisy(gold, 0.01, 3), noisy(gold, 0.5, 4), gold=gold))
    assert apart[1] - apart[0] > 3 * (alone[1] - alone[0])


def test_two_runs_have_one_degree_of_freedom() -> None:
    gold = drawn(3000, seed=1)
    evidence = evidence_of(noisy(gold, 0.1, 2), noisy(gold, 0.11, 3), gold=gold)
    found = spread(evidence)
    at = found.keys.index(F1)
    by_runs = found.runs["s"][:, at].var(ddof=1) / 2
    low, high = interval(evidence)
    assert (high - low) / 2 > 0.9 * float(stats.t.isf(0.025, 1)) * math.sqrt(by_runs)


def test_a_mean_of_shares_has_the_intervals_of_its_parts_squared_and_added() -> None:
    gold = drawn(150, seed=1)
    found = spread(evidence_of(noisy(gold, 0.2, 2), gold=gold))
    at = found.keys.index(CellKey("all", None, "macro_f1"))
    parts = found.parts[0, at]
    below, above = (side[0, at] for side in distances(found, 0, np.array([0.05])))
    own = [found.keys.index(CellKey("all", kind, "f1")) for kind in range(3)]
    lows, highs = (side[0, own] for side in distances(found, 0, np.array([0.05])))
    scale = np.sqrt(np.diag(parts.products))
    alike = parts.products / np.outer(scale, scale)
    assert below == pytest.approx(math.sqrt(lows @ alike @ lows) / 3)
    assert above == pytest.approx(math.sqrt(highs @ alike @ highs) / 3)


def test_a_part_that_is_all_right_makes_an_average_no_surer() -> None:
    # Both types have few mentions; those of one are all right, so that they never move.
    gold = corpus(*["a/B-PER", "b/B-LOC"] * 3)
    pred = corpus("a/B-PER", "b/B-LOC", "a", "b/B-LOC", "a/B-PER", "b/B-LOC")
    low, high = interval(evidence_of(pred, gold=gold), CellKey("all", None, "macro_recall"))
    assert high - low > 0.5


def test_an_undefined_number_has_no_interval() -> None:
    gold = drawn(30, seed=1)
    nothing = [(tokens, ["O"] * len(tokens)) for tokens, _ in gold]
    precision = CellKey("all", None, "precision")
    assert any_interval(evidence_of(nothing, gold=gold), precision) is None
    said = evidence_of(nothing, gold=gold, zero_division=0.0)
    assert spread(said).values("s")[spread(said).keys.index(precision)] == 0.0


def test_a_single_cluster_has_no_interval() -> None:
    evidence = evidence_of(corpus("a/B-PER b"), gold=corpus("a/B-PER b/B-PER"))
    assert any_interval(evidence, RECALL) is None


@pytest.mark.parametrize("right", [True, False])
def test_an_interval_of_none_or_all_has_still_some_width(right: bool) -> None:
    gold = [["B-PER"]] * 4
    (one,) = nerscope.evaluate(gold, {"s": gold if right else [["B-LOC"]] * 4}).overall()
    cell = one["recall"]
    assert cell["value"] == float(right)
    assert 0.05 < cell["high"] - cell["low"] < 1


@pytest.mark.parametrize("match", ["exact", "overlap"])
def test_intervals_of_fractions_stay_between_0_and_1_and_those_of_counts_do_not(match: str) -> None:
    gold = drawn(300, seed=1)
    evidence = evidence_of(gold, gold, noisy(gold, 0.6, 2), gold=gold)
    found = spread(evidence, match)
    for key, own in zip(found.keys, intervals(found, "s"), strict=True):
        if own is not None and key.metric not in COUNTS:
            assert -1e-12 <= own[0] <= own[1] <= 1 + 1e-12, key
    if match == "overlap":
        assert interval(evidence, CellKey("all", None, "correct"), match)[1] > 100


def test_intervals_narrow_as_data_grow() -> None:
    widths = []
    for sentences in (20, 200, 2000):
        gold = drawn(sentences, seed=1)
        evidence = evidence_of(noisy(gold, 0.2, 2), gold=gold)
        low, high = interval(evidence)
        widths.append(high - low)
    assert widths[0] > 2 * widths[1] > 4 * widths[2]
    found = spread(evidence)
    variance = cluster_variance(found, 0)[found.keys.index(F1)]
    assert widths[-1] == pytest.approx(2 * 1.96 * math.sqrt(variance), rel=0.02)


def test_intervals_cover_the_truth_about_as_often_as_they_say() -> None:
    covered = 0
    for seed in range(60):
        random = np.random.default_rng(seed)
        gold = [(["a"], ["B-PER"])] * 60
        pred = [[label] for label in np.where(random.random(60) < 0.8, "B-PER", "O").tolist()]
        results = nerscope.evaluate(gold, {"s": pred}, metrics=["recall"], matches=["exact"])
        low, high = interval(results.evidence[0], RECALL)
        covered += low <= 0.8 <= high
    assert stats.binomtest(covered, 60, 0.95).pvalue > 0.01


@pytest.mark.parametrize(
    ("value", "clusters", "wanted"),
    [
        (0.5, 40, None),
        (0.5, 39, "rough: 39 documents"),
        (0.5, 1, "none: in one document only"),
        (0.5, 0, "none: in no document"),
        (math.nan, 100, "none: undefined"),
    ],
)
def test_why_an_interval_is_rough_or_missing(
    value: float, clusters: int, wanted: str | None
) -> None:
    assert caution(value, clusters, "document") == wanted


def test_documents_are_the_unit_where_there_are_any() -> None:
    gold, pred = drawn(60, seed=1), noisy(drawn(60, seed=1), 0.2, 2)
    marked = nerscope.read(io.StringIO(text_of(gold, range(0, 60, 5))))
    plain, documents = (
        nerscope.evaluate(one, {"s": [own for _, own in pred]}, intervals=True)
        for one in (gold, marked)
    )
    assert cluster_unit_of(plain.evidence[0]) == "sentence"
    assert cluster_unit_of(documents.evidence[0]) == "document"
    assert "resample:sentence" in plain.signature
    assert "resample:document" in documents.signature
    (row,) = documents.select(run=None, match="exact", metric="f1", type=None)
    assert (row["clusters"], row["caution"]) == (12, "rough: 12 documents")
    by_sentence = nerscope.evaluate(
        marked, {"s": [own for _, own in pred]}, intervals=Sampling("sentence")
    )
    assert (
        by_sentence.select(run=None, match="exact", metric="f1", type=None)[0]["low"]
        == (plain.select(run=None, match="exact", metric="f1", type=None)[0]["low"])
    )


def test_bounds_are_put_into_the_rows_they_are_of() -> None:
    gold = drawn(30, seed=1)
    results = nerscope.evaluate(gold, {"s": noisy(gold, 0.2, 2), "t": gold}, dataset="d")
    evidence = results.evidence[0]
    found = bounds_of(evidence, ["s"], Sampling())
    assert list(found) == ["s"]
    elsewhere = add_intervals(results.rows, "another dataset", found)
    assert all("low" not in row for row in elsewhere)
    rows = add_intervals(results.rows, "d", found)
    assert all("low" not in row for row in results.rows)
    assert all("low" not in row for row in rows if row["system"] == "t")
    (row,) = nerscope.Results(results.evidence, rows=rows).select(
        system="s", run="1", match="exact", metric="f1", type=None
    )
    assert (row["low"], row["high"]) == pytest.approx(interval(evidence), abs=1e-6)


def test_every_run_has_its_own_interval_and_the_summary_that_of_the_mean() -> None:
    gold = drawn(60, seed=1)
    runs = [noisy(gold, 0.2, 2), noisy(gold, 0.3, 3)]
    results = nerscope.evaluate(gold, {"s": runs, "t": gold}, intervals=True)
    rows = results.select(system="s", match="exact", metric="f1", type=None)
    for row, run in zip(rows[:2], runs, strict=True):
        assert (row["low"], row["high"]) == pytest.approx(
            interval(evidence_of(run, gold=gold)), abs=1e-6
        )
    mean = interval(evidence_of(*runs, gold=gold))
    assert (rows[2]["low"], rows[2]["high"]) == pytest.approx(mean, abs=1e-6)
    single = results.select(system="t", match="exact", metric="f1", type=None)
    assert [(row["low"], row["high"]) for row in single] == [(single[0]["low"], 1.0)] * 2


def test_every_row_has_an_interval_or_a_reason() -> None:
    gold = drawn(60, seed=1)
    results = nerscope.evaluate(gold, {"s": noisy(gold, 0.2, 2)}, train=gold[:20], intervals=True)
    assert {row["match"] for row in results.rows} >= {"exact", "surface", "bilou"}
    for row in results.rows:
        assert (row["low"] is None) == (row["caution"] or "").startswith("none: "), row


def test_scores_over_distinct_surfaces_have_intervals() -> None:
    gold = drawn(80, seed=1)
    results = nerscope.evaluate(gold, {"s": noisy(gold, 0.2, 2)}, train=gold)
    rows = bounds_of(results.evidence[0], ["s"], Sampling())["s"]
    value = results.value(metric="f1", match="surface")
    assert value is not None
    found = rows["\tall\tsurface\tall\t\tf1"]
    assert found.low is not None
    assert found.high is not None
    assert found.low < value < found.high
    # Without a sentence, the surfaces that occur in it alone are gone.
    without = [
        nerscope.evaluate(
            [one for k, one in enumerate(gold) if k != left_out],
            {"s": [own for k, (_, own) in enumerate(noisy(gold, 0.2, 2)) if k != left_out]},
            train=gold,
            facets=["tmr"],
        ).value(metric="recall", match="surface")
        for left_out in range(80)
    ]
    variance = np.var(np.array(without, float))
    recall = rows["\tall\tsurface\tall\t\trecall"]
    assert recall.low is not None
    assert recall.high is not None
    assert recall.high - recall.low == pytest.approx(2 * 1.99 * math.sqrt(79 * variance), rel=0.05)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"resample": "sentences"}, "did you mean 'sentence'"),
        ({"samples": 0}, "samples: invalid value 0"),
        ({"samples": True}, "samples: invalid value True"),
        ({"samples": 10**7}, "samples: invalid value 10000000"),
        ({"samples": 1.5}, "samples: invalid value 1.5"),
        ({"seed": -1}, "seed: invalid value -1"),
        ({"seed": "x"}, "seed: invalid value 'x'"),
    ],
)
def test_what_cannot_be_resampled_is_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        Sampling(**options)
