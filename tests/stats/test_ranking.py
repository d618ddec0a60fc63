"""Rank probabilities, rank intervals, and letters of groups that do not differ."""

from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.scoring.toys import drawn, noisy

import nerscope
from nerscope.corpus.arrays import Bools, Floats
from nerscope.stats.clusters import ClusterCounts, bootstrap_weights, clusters_of
from nerscope.stats.jackknife import jackknife
from nerscope.stats.ranking import (
    DatasetScores,
    JointScores,
    Noise,
    dataset_scores,
    joint_of_spread,
    joint_scores,
    letter_groups,
    rank_bounds,
    rank_probabilities,
)


def from_pairs(n: int, significant: list[bool]) -> Bools:
    different = np.zeros((n, n), bool)
    for (a, b), differ in zip(combinations(range(n), 2), significant, strict=True):
        different[a, b] = different[b, a] = differ
    return different


def shares_a_letter_if_and_only_if_alike(different: Bools) -> bool:
    groups = [set(letters) for letters in letter_groups(different)]
    return all(groups) and all(
        bool(groups[a] & groups[b]) != bool(different[a, b])
        for a, b in combinations(range(len(different)), 2)
    )


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5])
def test_systems_share_a_letter_exactly_where_they_do_not_differ(n: int) -> None:
    patterns = product([False, True], repeat=n * (n - 1) // 2)
    assert all(shares_a_letter_if_and_only_if_alike(from_pairs(n, [*p])) for p in patterns)


@given(st.lists(st.booleans(), min_size=28, max_size=28))
def test_letters_of_eight_systems(significant: list[bool]) -> None:
    assert shares_a_letter_if_and_only_if_alike(from_pairs(8, significant))


def test_letters_go_on_behind_z() -> None:
    letters = letter_groups(~np.eye(28, dtype=bool))
    assert [group for (group,) in letters][24:] == ["y", "z", "a2", "b2"]


@given(st.integers(2, 6), st.integers(1, 40), st.integers(0, 99))
def test_probabilities_add_up_by_rank_and_by_system(n: int, samples: int, seed: int) -> None:
    # Few distinct scores: many are equal.
    scores = np.random.default_rng(seed).integers(0, 4, (samples, n)).astype(float)
    found = rank_probabilities(scores)
    assert found.sum(axis=0) == pytest.approx(np.ones(n))
    assert found.sum(axis=1) == pytest.approx(np.ones(n))


@given(st.integers(2, 6), st.integers(0, 99))
def test_rank_intervals_hold_95_percent_and_no_more_than_needed(n: int, seed: int) -> None:
    probabilities = np.random.default_rng(seed).dirichlet(np.full(n, 0.3), n)
    for chances, (low, high) in zip(probabilities, rank_bounds(probabilities), strict=True):
        assert 1 <= low <= high <= n
        assert chances[low - 1 : high].sum() >= 0.95 - 1e-9
        assert chances[:low].sum() > 0.025 and chances[high - 1 :].sum() > 0.025


def scores(values: list[float], covariance: Floats, **options: object) -> DatasetScores:
    k = len(values)
    return DatasetScores(np.array(values), covariance, 1e9, np.zeros(k), **options)  # type: ignore[arg-type]


def chances(joint: JointScores, samples: int = 20_000) -> Floats:
    return rank_probabilities(joint.draw(samples, seed=0))


def test_equal_outputs_are_fifty_fifty() -> None:
    alike = joint_scores([scores([0.8, 0.8], np.full((2, 2), 0.01))])
    assert chances(alike, 100).tolist() == [[0.5, 0.5], [0.5, 0.5]]


def test_equal_scores_of_independent_systems_are_fifty_fifty() -> None:
    apart = joint_scores([scores([0.8, 0.8], 0.01 * np.eye(2))])
    assert chances(apart) == pytest.approx(np.full((2, 2), 0.5), abs=0.02)


def test_what_systems_share_does_not_blur_their_ranks() -> None:
    values, variance = [0.80, 0.79], 0.01**2
    apart = joint_scores([scores(values, variance * np.eye(2))])
    together = joint_scores([scores(values, variance * np.array([[1, 0.98], [0.98, 1]]))])
    # P(z < 0.01 / (0.01 · √2)) and P(z < 0.01 / (0.01 · √0.04)).
    assert chances(apart)[0, 0] == pytest.approx(0.760, abs=0.01)
    assert chances(together)[0, 0] > 0.999


def test_training_noise_blurs_ranks_and_few_runs_have_long_tails() -> None:
    covariance = 1e-8 * np.eye(2)
    runs = [np.array([0.79, 0.81]), np.array([0.77, 0.79])]
    few = joint_scores([scores([0.80, 0.78], covariance, runs=runs)])
    many = joint_scores([scores([0.80, 0.78], covariance, runs=[np.tile(r, 50) for r in runs])])
    assert chances(joint_scores([scores([0.80, 0.78], covariance)]))[0, 0] == 1.0
    assert 0.5 < chances(few)[0, 0] < 0.97
    assert chances(many)[0, 0] > 0.999


def test_one_run_beside_several_borrows_their_noise() -> None:
    runs = [np.array([0.80]), np.array([0.76, 0.80, 0.78, 0.79, 0.77])]
    joint = joint_scores([scores([0.80, 0.78], 1e-8 * np.eye(2), runs=runs)])
    assert 0.5 < chances(joint)[0, 0] < 0.95


def test_same_seeds_take_away_the_noise_that_runs_share() -> None:
    runs = [np.array([0.75, 0.80, 0.85]), np.array([0.74, 0.79, 0.84])]
    parts = [scores([0.80, 0.79], 1e-10 * np.eye(2), runs=runs)]
    assert chances(joint_scores(parts))[0, 0] < 0.8
    assert chances(joint_scores(parts, same_seeds=True))[0, 0] == 1.0


def test_runs_that_datasets_share_do_not_average_out() -> None:
    ours, theirs = np.array([0.76, 0.80, 0.84]), np.array([0.74, 0.78, 0.82])
    one = scores([0.80, 0.78], 1e-10 * np.eye(2), runs=[ours, theirs])
    mirrored = scores([0.80, 0.78], 1e-10 * np.eye(2), runs=[ours[::-1], theirs[::-1]])
    fewer = scores([0.80, 0.78], 1e-10 * np.eye(2), runs=[ours[[0, 2]], theirs[[0, 2]]])
    alone, shared = chances(joint_scores([one]))[0, 0], chances(joint_scores([one] * 4))[0, 0]
    assert shared == pytest.approx(alone, abs=0.02)
    assert chances(joint_scores([one, mirrored]))[0, 0] > 0.999
    assert chances(joint_scores([one, fewer]))[0, 0] < 0.95


def test_splits_say_less_than_independent_datasets() -> None:
    values = [[0.80, 0.79], [0.82, 0.80], [0.79, 0.785], [0.81, 0.805]]
    parts = [scores(row, 1e-10 * np.eye(2)) for row in values]
    drawn_chance = chances(joint_of_spread(parts))[0, 0]
    split_chance = chances(joint_of_spread(parts, ratio=0.25))[0, 0]
    assert 0.5 < split_chance < drawn_chance < 1.0


def test_the_same_seed_draws_the_same_scores() -> None:
    joint = JointScores(np.array([0.5, 0.6]), [Noise(0.1 * np.eye(2), 5.0)])
    assert (joint.draw(10, 1) == joint.draw(10, 1)).all()
    assert (joint.draw(10, 1) != joint.draw(10, 2)).any()


def test_probabilities_are_those_of_a_bootstrap_of_clusters() -> None:
    gold = drawn(150, seed=1)
    outputs = {name: noisy(gold, rate, 20 + k) for k, (name, rate) in enumerate(RATES.items())}
    (evidence,) = nerscope.evaluate(gold, outputs, facets=["all"]).evidence
    table = next(table for table in evidence.tables if table.facet == "all")
    clustered = ClusterCounts(evidence, table, "exact", list(outputs), clusters_of(evidence))
    at = next(k for k, key in enumerate(clustered.keys) if key.type is None and key.metric == "f1")
    joint = joint_scores([dataset_scores(jackknife(clustered), at, list(outputs), False)])
    weights = bootstrap_weights(len(clustered.counts), 4000, seed=3).T.astype(float)
    again = []
    for run in range(len(outputs)):
        counts = clustered.columns_of_run(run, clustered.counts).astype(float)
        flat = weights @ counts.reshape(len(counts), -1)
        again.append(clustered.values_in(flat.reshape(-1, *counts.shape[1:]))[:, at])
    naive = rank_probabilities(np.stack(again, axis=1))
    assert np.abs(chances(joint) - naive).max() < 0.04
    assert ((naive > 0.1) & (naive < 0.9)).sum() > 3  # else, this would tell nothing


RATES = {"a": 0.2, "b": 0.21, "c": 0.25}
