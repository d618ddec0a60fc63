"""Intervals: closed forms, percentiles, and what several runs add."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from tests.scoring.toys import corpus, drawn, noisy

import nerscope
from nerscope.errors import UsageError
from nerscope.evaluation.intervals import add_intervals, bounds_of, named_bounds
from nerscope.scoring.evidence import Division, Evidence
from nerscope.stats import intervals
from nerscope.stats.draws import Bounds, CellKey, Draws, draw
from nerscope.stats.intervals import (
    Interval,
    RunNoise,
    Sampling,
    bounded,
    mean_over_runs,
    percentile_interval,
    score_interval,
    student_quantile,
    widened,
)

F1, RECALL = CellKey("all", None, "f1"), CellKey("all", None, "recall")


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


@pytest.mark.parametrize(
    ("found", "wanted"),
    [
        ((0.2, 0.4), (0.2, 0.4)),
        ((-0.1, 0.4), (0.0, 0.4)),
        ((0.9, 1.2), (0.9, 1.0)),
        (None, None),
    ],
)
def test_an_interval_is_cut_to_its_scale(found: Interval, wanted: Interval) -> None:
    assert bounded(found, 0.0, 1.0) == wanted


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
    *runs: list[tuple[list[str], list[str]]],
    gold: list[tuple[list[str], list[str]]],
    **options: Any,
) -> Evidence:
    return nerscope.evaluate(gold, {"s": list(runs)}, **options).evidence[0]


def draws_of(evidence: Evidence, samples: int = 600, match: str = "exact") -> Draws:
    return next(
        one
        for one in draw(evidence, Sampling(samples=samples), ["s"])
        if (one.division.facet, one.match) == ("all", match)
    )


def any_interval_of(evidence: Evidence, key: CellKey = F1, samples: int = 600) -> Interval:
    for found in draws_of(evidence, samples).intervals("s"):
        if found.key == key:
            return found.interval
    raise AssertionError("there is no such number")


def interval_of(evidence: Evidence, key: CellKey = F1, samples: int = 600) -> tuple[float, float]:
    found = any_interval_of(evidence, key, samples)
    assert found is not None
    return found


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
    resampled = draws_of(evidence).resampled[0][F1]
    assert interval_of(evidence) == percentile_interval(resampled)


# Recall 3/6; without each sentence that has mentions: 2/4, 3/5, 1/3.
FEW = corpus("a/B-PER b/B-PER", "a/B-PER", "a/B-PER b/B-PER c/B-PER", "nobody")
FOUND = corpus("a/B-PER b", "a", "a/B-PER b/B-PER c", "nobody")
LEFT_OUT = np.array([2 / 4, 3 / 5, 1 / 3])


def test_an_interval_of_few_units_is_the_score_interval_of_the_jackknife() -> None:
    variance = 2 / 3 * ((LEFT_OUT - LEFT_OUT.mean()) ** 2).sum()
    found = interval_of(evidence_of(FOUND, gold=FEW), RECALL, samples=5)
    assert found == pytest.approx(score_interval(0.5, 6, variance, most=12))


def test_runs_share_the_jackknife_and_may_count_for_more_units() -> None:
    evidence = evidence_of(FOUND, FOUND, gold=FEW)
    variance = 2 / 3 * ((LEFT_OUT - LEFT_OUT.mean()) ** 2).sum()
    found = interval_of(evidence, RECALL, samples=5)
    assert found == pytest.approx(score_interval(0.5, 6, variance, most=24))


def test_a_single_cluster_has_no_jackknife_variance() -> None:
    evidence = evidence_of(corpus("a/B-PER b"), gold=corpus("a/B-PER b/B-PER"))
    assert interval_of(evidence, RECALL, samples=5) == score_interval(0.5, 2, 0.0, most=4)


def test_an_average_of_few_units_has_no_interval() -> None:
    evidence = evidence_of(FOUND, gold=FEW)
    assert any_interval_of(evidence, CellKey("all", None, "macro_f1"), samples=5) is None
    gold = drawn(60, seed=1)
    larger = evidence_of(noisy(gold, 0.2, 2), gold=gold)
    assert interval_of(larger, CellKey("all", None, "macro_f1"), samples=50)[0] > 0


def test_an_undefined_number_has_an_interval_only_if_it_is_said_what_it_is() -> None:
    gold = drawn(300, seed=1)
    nothing = [(tokens, ["O"] * len(tokens)) for tokens, _ in gold]
    precision = CellKey("all", None, "macro_precision")
    assert any_interval_of(evidence_of(nothing, gold=gold), precision, 20) is None
    said = evidence_of(nothing, noisy(gold, 0.3, 2), gold=gold, zero_division=0.0)
    assert draws_of(said, 20).observed[0][precision][0] == 0.0
    assert draws_of(said, 20).resampled[0][precision].tolist() == [0.0] * 20


def test_zero_division_reaches_the_resamples() -> None:
    # One sentence in three has a prediction: in some resamples there is none at all.
    gold = corpus(*["a/B-PER"] * 3)
    pred = corpus("a/B-PER", "a", "a")
    precision = CellKey("all", None, "precision")
    plain, said = (
        draws_of(evidence_of(pred, gold=gold, zero_division=fill), 200).resampled[0][precision]
        for fill in (None, 0.0)
    )
    assert 0 < np.count_nonzero(np.isnan(plain)) < 200
    assert said.tolist() == np.where(np.isnan(plain), 0.0, plain).tolist()


def test_intervals_of_fractions_stay_between_0_and_1_and_those_of_counts_do_not() -> None:
    gold = drawn(300, seed=1)
    evidence = evidence_of(gold, gold, noisy(gold, 0.6, 2), gold=gold)
    assert interval_of(evidence)[1] == 1.0  # runs differ so much that it would go beyond
    for match in ("exact", "overlap"):
        for found in draws_of(evidence, 200, match).intervals("s"):
            if found.interval is not None and found.key.metric not in COUNTS:
                assert 0.0 <= found.interval[0] <= found.interval[1] <= 1.0, found
    counted = {
        found.key: found.interval for found in draws_of(evidence, 200, "overlap").intervals("s")
    }[CellKey("all", None, "correct")]
    assert counted is not None and counted[1] > 100


COUNTS = ("correct", "partial", "incorrect", "missed", "spurious")


def test_intervals_cover_the_truth_about_as_often_as_they_say() -> None:
    covered = 0
    for seed in range(60):
        random = np.random.default_rng(seed)
        gold = [(["a"], ["B-PER"])] * 60
        pred = [[label] for label in np.where(random.random(60) < 0.8, "B-PER", "O").tolist()]
        results = nerscope.evaluate(gold, {"s": pred}, metrics=["recall"], matches=["exact"])
        low, high = interval_of(results.evidence[0], RECALL, samples=10)
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
    labels = Division("all", "token", {"all": (0,)}, {"label": ("accuracy",)})
    mentions = Division("all", "mention", {"all": (0,)}, {"exact": ("f1",)})
    found = [
        Bounds(labels, "label", CellKey("all", None, "accuracy"), None),
        Bounds(mentions, "exact", CellKey("all", 0, "f1"), (0.12345678, 1.0)),
    ]
    assert dict(named_bounds(evidence, found)) == {
        "all\tlabel\tall\t\taccuracy": None,
        "all\texact\tall\tPER\tf1": [0.123457, 1.0],
    }


def test_with_several_runs_the_summary_alone_has_an_interval() -> None:
    gold = drawn(30, seed=1)
    results = nerscope.evaluate(
        gold, {"s": [noisy(gold, 0.2, 2), gold], "t": gold}, intervals=Sampling(samples=20)
    )
    rows = results.select(system="s", match="exact", metric="f1", type=None)
    assert [("low" in row) for row in rows] == [False, False, True]
    single = results.select(system="t", match="exact", metric="f1", type=None)
    assert [(row["low"], row["high"]) for row in single] == [(single[0]["low"], 1.0)] * 2
    assert "samples:20" in results.signature


def test_sampling_says_how_it_was_done() -> None:
    assert Sampling("document", 5, 2).signature() == {
        "resample": "document",
        "samples": "5",
        "seed": "2",
    }


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"resample": "sentences"}, "did you mean 'sentence'"),
        ({"samples": 0}, "samples: 0 cannot be"),
        ({"samples": True}, "samples: True cannot be"),
        ({"samples": 10**7}, "samples: 10000000 cannot be"),
        ({"samples": 1.5}, "samples: 1.5 cannot be"),
        ({"seed": -1}, "seed: -1 cannot be"),
        ({"seed": "x"}, "seed: 'x' cannot be"),
    ],
)
def test_what_cannot_be_resampled_is_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        Sampling(**options)
