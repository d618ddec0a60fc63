"""Intervals: closed forms, percentiles, and what several runs add."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from tests.scoring.toys import corpus, drawn, noisy

import nerscope
from nerscope.evaluation.uncertainty import add_intervals, bounds_of, row_bounds
from nerscope.scoring.evidence import Evidence
from nerscope.stats import intervals
from nerscope.stats.intervals import (
    Bounds,
    CellKey,
    RunNoise,
    Sampling,
    jackknife_variance,
    mean_over_runs,
    percentile_interval,
    score_interval,
    spreads,
    student_quantile,
    widened,
)
from nerscope.stats.paired import resample
from nerscope.stats.resampling import bootstrap_weights, clusters_of

F1 = CellKey("all", None, "f1")


@pytest.mark.parametrize("degrees", [4, 5, 8, 10, 20, 30, 100, 1000, 10**6])
def test_student_quantile_is_that_of_the_distribution(degrees: int) -> None:
    exact = float(stats.t.ppf(0.975, degrees))
    assert student_quantile(degrees) == pytest.approx(exact, rel=0.02 if degrees < 8 else 0.001)


def test_student_quantile_falls_towards_the_normal_one() -> None:
    values = [student_quantile(degrees) for degrees in range(1, 200)]
    assert values == sorted(values, reverse=True)
    assert values[-1] > intervals.Z95


@pytest.mark.parametrize(
    ("value", "size"),
    [(0.5, 100), (0.9, 100), (0.0, 20), (1.0, 20), (0.3, 40), (0.99, 1000)],
)
def test_score_interval_is_wilsons(value: float, size: int) -> None:
    # the variance of as many independent units; Student's quantile in place of the normal one
    low, high = score_interval(value, size, value * (1 - value) / size, 10**6)
    z = float(stats.t.ppf(0.975, size - 1))
    centre = (value + z**2 / (2 * size)) / (1 + z**2 / size)
    half = z * math.sqrt(value * (1 - value) / size + z**2 / (4 * size**2)) / (1 + z**2 / size)
    assert low == pytest.approx(max(0.0, centre - half), abs=1e-3)
    assert high == pytest.approx(min(1.0, centre + half), abs=1e-3)
    assert 0.0 <= low <= value <= high <= 1.0


def test_score_interval_agrees_with_scipy_for_many_units() -> None:
    wanted = stats.binomtest(1200, 2000).proportion_ci(method="wilson")
    assert score_interval(0.6, 2000, 0.24 / 2000, 10**6) == pytest.approx(
        (wanted.low, wanted.high), abs=1e-4
    )


def width(value: float, size: float, variance: float) -> float:
    low, high = score_interval(value, size, variance, most=2 * size)
    return high - low


@given(st.floats(0.01, 0.99), st.integers(2, 500))
def test_score_interval_widens_with_variance_and_with_fewer_units(value: float, size: int) -> None:
    plain = value * (1 - value) / size
    assert width(value, size, 2 * plain) >= width(value, size, plain) - 1e-12
    assert width(value, size, plain) >= width(value, 2 * size, plain / 2) - 1e-12
    low, high = score_interval(value, size, plain, most=2 * size)
    assert 0.0 <= low <= value <= high <= 1.0


def test_variance_below_that_of_independent_units_counts_only_so_far() -> None:
    assert score_interval(0.5, 50, 1e-12, most=80) == score_interval(0.5, 50, 0.25 / 80, most=1000)


@given(st.lists(st.one_of(st.floats(-1, 1), st.just(math.nan)), max_size=60))
def test_percentiles_are_those_of_the_defined_values(values: list[float]) -> None:
    defined = [value for value in values if not math.isnan(value)]
    found = percentile_interval(np.array(values, float))
    if not defined:
        assert found is None
    else:
        assert found == pytest.approx(
            (np.quantile(defined, 0.025), np.quantile(defined, 0.975)), abs=1e-12
        )


def test_mean_over_runs_is_that_of_each_resample() -> None:
    values = [np.array([0.0, 0.0]), np.array([1.0, 0.5])]
    assert mean_over_runs(values[:1]) is values[0]
    assert mean_over_runs(values).tolist() == [0.5, 0.25]


SHARES = np.array([[1.0, 0.0, 1.0, 0.0], [0.0, 1.0, 0.0, 1.0]], np.float32)


@pytest.mark.parametrize(
    ("observed", "by_sentences", "variance"),
    [
        # runs that differ, though no sentence explains it: s² / k
        ([0.4, 0.6], 0.0, 0.02 / 2),
        # part of it is explained: each run's resamples move by ±d around their mean, which is d²
        # for each of two runs
        ([0.4, 0.6], 0.05, (0.02 - 2 * 0.05**2) / 2),
        # all of it is explained; runs are equal; a run is undefined
        ([0.4, 0.6], 0.2, 0.0),
        ([0.5, 0.5], 0.0, 0.0),
        ([0.5, math.nan], 0.0, 0.0),
    ],
)
def test_noise_of_runs_is_what_sentences_do_not_explain(
    observed: list[float], by_sentences: float, variance: float
) -> None:
    wave = np.array([1.0, -1.0, 1.0, -1.0]) * by_sentences
    resampled = [observed[0] + wave, observed[1] - wave]
    noise = RunNoise.of(np.array(observed), resampled, SHARES)
    assert noise.n_runs == 2
    assert noise.variance == pytest.approx(variance)
    shrunk = math.sqrt(2 * variance / 0.02) if variance else 0.0
    assert np.asarray(noise.moves) * np.ones(4) == pytest.approx(
        np.array([-0.1, 0.1, -0.1, 0.1]) * shrunk
    )


def test_a_single_run_has_no_noise() -> None:
    assert RunNoise.of(np.array([0.5]), [np.array([0.4, 0.6])], None) == RunNoise(0.0, 0.0, 1)


def test_few_runs_widen_the_tails_to_students_distribution() -> None:
    deviations = np.array([-0.1, 0.1, 0.0, 0.0])
    quiet = RunNoise(0.0, 0.0, 3)
    assert (
        widened(0.5, deviations, [(1, quiet), (-1, quiet)]).tolist() == (0.5 + deviations).tolist()
    )
    loud = RunNoise(np.array([0.1, -0.1, 0.0, 0.2]), 0.01, 3)
    degrees = (deviations.var() + 0.01) ** 2 / (0.01**2 / 2)
    factor = student_quantile(int(degrees)) / intervals.Z95
    assert factor > 1.1
    assert widened(0.5, deviations, [(1, loud)]) == pytest.approx(
        0.5 + factor * (deviations + loud.moves)
    )
    assert widened(0.5, deviations, [(-1, loud), (1, quiet)]) == pytest.approx(
        0.5 + factor * (deviations - loud.moves)
    )


def test_resamples_without_any_defined_value_have_no_variance() -> None:
    nothing = np.array([math.nan, math.nan])
    noise = RunNoise.of(np.array([0.4, 0.6]), [nothing, nothing], SHARES[:, :2])
    assert noise.variance == pytest.approx(0.01)


def evidence_of(
    *runs: list[tuple[list[str], list[str]]], gold: list[tuple[list[str], list[str]]]
) -> Evidence:
    return nerscope.evaluate(gold, {"s": list(runs)}).evidence[0]


def interval_of(evidence: Evidence, key: CellKey = F1, samples: int = 600) -> tuple[float, float]:
    for found in resample(evidence, Sampling(samples=samples), systems=["s"]):
        if isinstance(found, Bounds) and (found.facet, found.match, found.run, found.key) == (
            "all",
            "exact",
            None,
            key,
        ):
            assert found.interval is not None
            return found.interval
    raise AssertionError("there is no such number")


@pytest.mark.parametrize("sentences", [40, 400])
def test_runs_that_differ_more_give_wider_intervals(sentences: int) -> None:
    gold = drawn(sentences, seed=1)
    one = noisy(gold, 0.15, 2)
    alone = interval_of(evidence_of(one, gold=gold))
    equal = interval_of(evidence_of(one, one, one, gold=gold))
    apart = interval_of(evidence_of(one, noisy(gold, 0.01, 3), noisy(gold, 0.5, 4), gold=gold))
    assert equal == pytest.approx(alone, abs=1e-6)
    assert apart[1] - apart[0] > 1.5 * (alone[1] - alone[0])


def test_an_interval_of_many_units_is_that_of_the_percentiles() -> None:
    gold = drawn(400, seed=1)
    evidence = evidence_of(noisy(gold, 0.2, 2), gold=gold)
    weights = bootstrap_weights(400, 600, 0)
    found = next(spreads(evidence, [0], clusters_of(evidence, "sentence"), weights))
    assert interval_of(evidence) == percentile_interval(found.resampled[0][F1])


def test_an_interval_of_few_units_is_the_score_interval_of_the_jackknife() -> None:
    gold = drawn(30, seed=1)
    evidence = evidence_of(noisy(gold, 0.2, 2), gold=gold)
    found = next(
        spreads(evidence, [0], clusters_of(evidence, "sentence"), bootstrap_weights(30, 10, 0))
    )
    division = evidence.divisions["all"]
    value, n = found.observed[0][F1]
    variance = jackknife_variance(found, division, F1, [0])
    assert interval_of(evidence) == score_interval(value, n, variance, most=2 * n)


def test_jackknife_leaves_out_one_sentence_at_a_time() -> None:
    gold = corpus("a/B-PER b/B-PER", "a/B-PER", "a/B-PER b/B-PER c/B-PER", "nobody")
    pred = corpus("a/B-PER b", "a", "a/B-PER b/B-PER c", "nobody")
    evidence = evidence_of(pred, gold=gold)
    found = next(
        spreads(evidence, [0], clusters_of(evidence, "sentence"), bootstrap_weights(4, 5, 0))
    )
    # recall 3/6; without each sentence that has mentions: 2/4, 3/5, 1/3
    values = np.array([2 / 4, 3 / 5, 1 / 3])
    wanted = 2 / 3 * ((values - values.mean()) ** 2).sum()
    recall = CellKey("all", None, "recall")
    assert jackknife_variance(found, evidence.divisions["all"], recall, [0]) == pytest.approx(
        wanted
    )
    assert (
        jackknife_variance(found, evidence.divisions["all"], CellKey("none", None, "recall"), [0])
        == 0.0
    )


def test_a_single_cluster_has_no_jackknife_variance() -> None:
    gold = corpus("a/B-PER b/B-PER")
    evidence = evidence_of(corpus("a/B-PER b"), gold=gold)
    found = next(
        spreads(evidence, [0], clusters_of(evidence, "sentence"), bootstrap_weights(1, 5, 0))
    )
    assert (
        jackknife_variance(found, evidence.divisions["all"], CellKey("all", None, "recall"), [0])
        == 0.0
    )


def test_intervals_cover_the_truth_about_as_often_as_they_say() -> None:
    covered = 0
    for seed in range(60):
        random = np.random.default_rng(seed)
        gold = [(["a"], ["B-PER"])] * 60
        pred = [[label] for label in np.where(random.random(60) < 0.8, "B-PER", "O").tolist()]
        results = nerscope.evaluate(gold, {"s": pred}, metrics=["recall"], matches=["exact"])
        low, high = interval_of(results.evidence[0], CellKey("all", None, "recall"), samples=10)
        covered += low <= 0.8 <= high
    assert stats.binomtest(covered, 60, 0.95).pvalue > 0.01


def test_bounds_are_put_into_the_rows_they_are_of() -> None:
    gold = drawn(30, seed=1)
    results = nerscope.evaluate(gold, {"s": noisy(gold, 0.2, 2), "t": gold}, dataset="d")
    evidence = results.evidence[0]
    found = bounds_of(evidence, ["s"], Sampling(samples=20))
    assert list(found) == ["s"]
    add_intervals(results.rows, "another dataset", found)
    assert all("low" not in row for row in results.rows)
    add_intervals(results.rows, "d", found)
    assert all("low" not in row for row in results.rows if row["system"] == "t")
    (row,) = results.select(system="s", run="1", match="exact", metric="f1", type=None)
    assert (row["low"], row["high"]) == pytest.approx(interval_of(evidence, samples=20), abs=1e-6)


def test_the_name_of_a_row_holds_all_that_tells_rows_apart() -> None:
    gold = corpus("a/B-PER")
    evidence = nerscope.evaluate(gold, {"s": gold}).evidence[0]
    name, bounds = row_bounds(
        evidence, Bounds("s", "1", "accuracy", "label", CellKey("all", None, "accuracy"), None)
    )
    assert (name, bounds) == ("1\tall\tlabel\tall\t\taccuracy", None)
    name, bounds = row_bounds(
        evidence, Bounds("s", None, "all", "exact", CellKey("all", 0, "f1"), (0.12345678, 1.0))
    )
    assert (name, bounds) == ("\tall\texact\tall\tPER\tf1", (0.123457, 1.0))


def test_sampling_says_how_it_was_done() -> None:
    assert Sampling("document", 5, 2).signature() == {
        "resample": "document",
        "samples": "5",
        "seed": "2",
    }
