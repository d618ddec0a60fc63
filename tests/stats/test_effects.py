"""Tests of an attribute's effect: against slow and plain ones, and where there is no effect."""

from itertools import combinations, product

import numpy as np
import pytest

from nerscope.corpus.arrays import Floats
from nerscope.scoring.metrics import metric_named
from nerscope.stats.effects import (
    BucketParts,
    FlippedScores,
    NullTest,
    any_effect,
    chance_spearman,
    flip_signs,
    gap,
    lead,
    over_datasets,
    over_systems,
    run_bucket_parts,
    trend,
)
from nerscope.stats.ranks import spearman

F1 = metric_named("f1")


def counts(rng: np.random.Generator, clusters: int, rates: tuple[float, ...]) -> Floats:
    """Counts (clusters, buckets, columns) of a system that finds a share of each bucket."""
    size = (clusters, len(rates))
    gold = rng.poisson(2, size)
    hits = rng.binomial(gold, np.array(rates))
    pred = hits + rng.poisson(0.3, size)
    return np.stack([gold, hits, pred, hits], axis=-1).astype(np.float64)


def f1(total: Floats) -> Floats:
    scores: Floats = 2 * total[..., 1] / (total[..., 0] + total[..., 2])
    return scores


def parts(seed: int, clusters: int = 12, rates: tuple[float, ...] = (0.5, 0.6, 0.9)) -> BucketParts:
    return run_bucket_parts(counts(np.random.default_rng(seed), clusters, rates), F1)


# What each cluster adds


def test_parts_are_those_of_the_formula_of_f1() -> None:
    own = counts(np.random.default_rng(1), 12, (0.5, 0.6, 0.9))
    found, total = run_bucket_parts(own, F1), own.sum(axis=0)
    sizes = total[:, 0] + total[:, 2]
    assert found.scores == pytest.approx(f1(total))
    assert found.sizes == pytest.approx(sizes)
    residual = 2 * own[..., 1] - f1(total) * (own[..., 0] + own[..., 2])
    assert found.added == pytest.approx(residual / sizes, abs=1e-7)
    assert found.added.sum(axis=0) == pytest.approx(np.zeros(3), abs=1e-7)
    assert found.share.sum(axis=0) == pytest.approx(np.ones(3))


@pytest.mark.parametrize("name", ["f1", "precision", "recall", "f0.5"])
def test_parts_are_derivatives_of_any_metric(name: str) -> None:
    metric, own = metric_named(name), counts(np.random.default_rng(2), 5, (0.5, 0.8))
    found, total = run_bucket_parts(own, metric), own.sum(axis=0)
    for cluster in range(5):
        more = metric.value((total + 1e-5 * own[cluster])[:, None])
        assert found.added[cluster] == pytest.approx((more - found.scores) / 1e-5, abs=1e-4)


def test_buckets_in_which_nothing_or_everything_is_right() -> None:
    own = counts(np.random.default_rng(3), 8, (0.0, 1.0, 0.5))
    own[:, 1, 2] = own[:, 1, 1]  # no false alarms there
    own[:, 2] = 0  # empty
    found = run_bucket_parts(own, F1)
    assert found.scores[:2].tolist() == [0.0, 1.0]
    assert np.isnan(found.scores[2])
    assert found.added == pytest.approx(np.zeros((8, 3)), abs=1e-7)
    (one,) = flip_signs([found], 100, [0])
    assert one.defined.tolist() == [True, True, False]


# Statistics, as slowly as can be


def nulls(one: BucketParts) -> tuple[Floats, list[Floats]]:
    """Scores around the common one, and the same for every way to change signs."""
    weights = one.sizes / one.sizes.sum()
    around = one.scores - one.scores @ weights
    units = one.share @ one.sizes
    every = []
    for signs in product((1, -1), repeat=len(one.added)):
        total = np.zeros(len(weights))
        for sign, added, share, own in zip(signs, one.added, one.share, units, strict=True):
            total += sign * (added + around * share) / np.sqrt(1 - own / units.sum())
        every.append(total)
    return around, every


def spread(scores: Floats, sizes: Floats) -> float:
    mean = sum(scores * sizes) / sum(sizes)
    return float(np.sqrt(sum(sizes * (scores - mean) ** 2) / sum(sizes)))


def slope(scores: Floats, sizes: Floats) -> float:
    places = np.arange(len(scores))
    return float(abs(sum(sizes * (places - sum(places * sizes) / sum(sizes)) * scores)))


def pair(scores: Floats, sizes: Floats, a: int, b: int) -> float:
    return float(abs(scores[a] - scores[b]) / np.sqrt(1 / sizes[a] + 1 / sizes[b]))


def largest(scores: Floats, sizes: Floats) -> float:
    return max(pair(scores, sizes, a, b) for a, b in combinations(range(len(scores)), 2))


def share_above(observed: float, null: list[float]) -> float:
    return sum(one >= observed - 1e-6 for one in null) / len(null)


@pytest.mark.parametrize("seed", range(5))
def test_all_ways_to_change_signs_give_the_p_of_brute_force(seed: int) -> None:
    own = parts(seed, clusters=8)
    (one,) = flip_signs([own], 256, [0])
    around, every = nulls(own)
    sizes = own.sizes
    assert one.every and len(one.added) == 256
    for found, statistic in ((any_effect(one), spread), (trend(one), slope)):
        wanted = share_above(statistic(around, sizes), [statistic(way, sizes) for way in every])
        assert found.p == pytest.approx(wanted)
    best, worst = int(np.argmax(own.scores)), int(np.argmin(own.scores))
    wanted = share_above(pair(around, sizes, best, worst), [largest(way, sizes) for way in every])
    assert gap(one, best, worst).p == pytest.approx(wanted)


@pytest.mark.parametrize("seed", range(3))
def test_the_lead_of_a_system_by_brute_force(seed: int) -> None:
    rng = np.random.default_rng(seed)
    own = counts(rng, 8, (0.5, 0.6, 0.9))
    other = own.copy()
    other[..., 1] = other[..., 3] = rng.binomial(own[..., 1].astype(np.int64), 0.7)
    a, b = run_bucket_parts(own, F1), run_bucket_parts(other, F1)
    sizes = (a.sizes + b.sizes) / 2
    weights = sizes / sizes.sum()
    differences = a.scores - b.scores
    around = differences - differences @ weights
    scale = np.sqrt(1 / sizes - 1 / sizes.sum())

    def scaled(one: BucketParts) -> Floats:
        units = one.share @ one.sizes
        factors: Floats = 1 / np.sqrt(1 - units / units.sum())[:, None]
        return factors

    each = a.added * scaled(a) - b.added * scaled(b)
    each = each + around * (a.share * scaled(a) + b.share * scaled(b)) / 2
    ways = [np.array(signs) @ each for signs in product((1, -1), repeat=8)]
    null = [float((np.abs(way - way @ weights) / scale).max()) for way in ways]
    ours, theirs = flip_signs([a, b], 256, [0])
    for bucket in range(3):
        wanted = share_above(abs(around[bucket]) / scale[bucket], null)
        assert lead(ours, theirs, bucket).p == pytest.approx(wanted)


def test_drawn_signs_come_near_to_all_of_them() -> None:
    own = parts(1, clusters=10)
    (exact,), (drawn,) = flip_signs([own], 2**10, [0]), flip_signs([own], 1000, [0])
    assert (exact.every, drawn.every) == (True, False)
    for statistic in (any_effect, trend):
        assert statistic(drawn).p == pytest.approx(statistic(exact).p, abs=0.05)


def test_signs_are_the_same_for_all_systems() -> None:
    one, other = parts(1, clusters=20), parts(2, clusters=20)
    alone, together = flip_signs([one], 50, [3]), flip_signs([other, one], 50, [3])
    assert together[1].added == pytest.approx(alone[0].added, abs=1e-6)
    assert together[1].share == pytest.approx(alone[0].share, abs=1e-6)


def test_spearman_by_chance_is_spearman() -> None:
    (one,) = flip_signs([parts(4, rates=(0.5, 0.6, 0.7, 0.9))], 40, [0])
    order = np.arange(4.0)
    wanted = [spearman(row.astype(np.float64), order) for row in one.added]
    assert chance_spearman(one) == pytest.approx(wanted, nan_ok=True)


# Chance


@pytest.mark.parametrize(
    ("observed", "null", "every", "p"),
    [
        # as much in either direction
        (2.0, [1.0, -2.0, 3.0, 0.0], False, 3 / 5),
        (-2.0, [1.0, -2.0, 3.0, 0.0], True, 2 / 4),
        # never 0 if drawn
        (9.0, [1.0, 2.0, 3.0], False, 1 / 4),
        (0.0, [1.0, 2.0], True, 1.0),
        # nothing to test
        (0.0, [0.0, 0.0], True, None),
        (float("nan"), [1.0, 2.0], True, None),
    ],
)
def test_p_of_a_chance(observed: float, null: list[float], every: bool, p: float | None) -> None:
    found = NullTest(observed, np.array(null), every).p
    assert np.isnan(found) if p is None else found == pytest.approx(p)


def test_systems_count_alike_whatever_their_noise() -> None:
    one = NullTest(2.0, np.array([1.0, -1.0, 2.0]), True)
    loud = NullTest(20.0, np.array([10.0, -10.0, 20.0]), True)
    both = over_systems([one, loud])
    assert both.observed == pytest.approx(over_systems([one]).observed)
    assert both.p == one.p


def test_datasets_that_agree_are_surer_than_one() -> None:
    rng = np.random.default_rng(0)
    one = NullTest(1.8, rng.normal(size=1000), False)
    assert over_datasets([one], 1000, 0) is one
    agreed = over_datasets([one, one, one], 1000, 0, signed=True)
    assert agreed.p < 0.01 < one.p
    against = NullTest(-1.8, one.null, False)
    assert over_datasets([one, against], 1000, 0, signed=True).p > 0.9
    assert over_datasets([one, against], 1000, 0).p < 0.15


# What cannot be tested


def table(scores: list[float], sizes: list[float], clusters: int = 9) -> FlippedScores:
    noise = np.random.default_rng(0).normal(size=(50, len(scores)))
    return FlippedScores(np.array(scores), np.array(sizes), noise, noise, clusters, False)


@pytest.mark.parametrize(
    ("one", "why"),
    [
        (table([0.5, 0.6], [9, 9]), None),
        (table([0.5, 0.6], [9, 9], 5), "6 clusters with mentions are needed, the data has 5"),
        (table([0.5, float("nan")], [9, 0]), "two buckets with mentions are needed"),
        (table([0.5, 1.0], [9, 0]), "two buckets with mentions are needed"),
        (
            table([1.0, 1.0], [9, 9])._replace(added=np.zeros((50, 2))),
            "the score is the same in all buckets",
        ),
    ],
)
def test_why_nothing_can_be_tested(one: FlippedScores, why: str | None) -> None:
    assert one.why_not() == why


def test_empty_buckets_stay_out() -> None:
    whole, holed = table([0.5, 0.9], [9, 9]), table([0.5, float("nan"), 0.9], [9, 0, 9])
    holed = holed._replace(
        added=np.insert(whole.added, 1, 0, axis=1), share=np.insert(whole.share, 1, 0, axis=1)
    )
    assert any_effect(holed).p == any_effect(whole).p
    assert trend(holed).p == trend(whole).p
    assert gap(holed, 2, 0).p == gap(whole, 1, 0).p
    other, shifted = (one._replace(added=one.added[::-1]) for one in (whole, holed))
    other, shifted = (one._replace(scores=one.scores**2) for one in (other, shifted))
    assert lead(holed, shifted, 2).p == lead(whole, other, 1).p
    assert np.isnan(gap(holed, 1, 0).p)
    assert np.isnan(lead(holed, holed, 1).p)


# Where the attribute does nothing


@pytest.mark.parametrize("clusters", [12, 60])
@pytest.mark.parametrize("sizes", [(2.0, 2.0, 2.0, 2.0), (5.0, 2.0, 0.5, 0.2)])
def test_false_alarms_are_rare(clusters: int, sizes: tuple[float, ...]) -> None:
    """Clusters differ in how hard they are; a small bucket is often all right."""
    alarms = np.zeros(3)
    rounds = 400
    for number in range(rounds):
        rng = np.random.default_rng(number)
        gold = rng.poisson(sizes, (clusters, 4))
        hits = rng.binomial(gold, rng.beta(9, 1, (clusters, 1)))
        pred = hits + rng.poisson(0.03 * np.array(sizes), gold.shape)
        own = np.stack([gold, hits, pred, hits], axis=-1)
        (one,) = flip_signs([run_bucket_parts(own.astype(np.float64), F1)], 199, [number])
        known = np.where(one.defined, one.scores, np.nan)
        extremes = gap(one, int(np.nanargmax(known)), int(np.nanargmin(known)))
        alarms += [found.p < 0.05 for found in (any_effect(one), trend(one), extremes)]
    assert (alarms / rounds <= 0.08).all()  # 0.05, and thrice the error of so few rounds
