"""Resampling by weights is resampling sentence by sentence."""

import io
from typing import Any

import numpy as np
import pytest
from scipy import stats
from tests.scoring.toys import Corpus, drawn, noisy, text_of

import nerscope
from nerscope.corpus.arrays import Floats
from nerscope.errors import InputError
from nerscope.results.intervals import bounds_of
from nerscope.scoring import folding
from nerscope.scoring.evidence import Evidence, FacetTable
from nerscope.scoring.pairing import PARTIAL
from nerscope.stats.clusters import (
    CellKey,
    ClusterCounts,
    bootstrap_weights,
    clusters_of,
    swap_weights,
)
from nerscope.stats.draws import _resampled_values
from nerscope.stats.intervals import Sampling

GOLD = drawn(60, seed=1)
PRED = noisy(GOLD, 0.25, seed=2)
F1 = CellKey("all", None, "f1")


def evidence_of(systems: dict[str, Any] | None = None, **options: Any) -> Evidence:
    return nerscope.evaluate(GOLD, systems or {"s": PRED}, **options).evidence[0]


def resampled_f1(evidence: Evidence, sampling: Sampling, match: str = "exact") -> Floats:
    """F1 in every resample."""
    clusters = clusters_of(evidence, sampling.resample)
    found = ClusterCounts(evidence, division_of(evidence, "all"), match, ["s"], clusters)
    weights = bootstrap_weights(len(found.counts), sampling.samples, sampling.seed)
    values = _resampled_values(found, 0, weights)
    return values[:, found.keys.index(F1)]


def clustered(evidence: Evidence, match: str) -> ClusterCounts:
    table = division_of(evidence, "all")
    return ClusterCounts(evidence, table, match, ["s"], clusters_of(evidence))


def division_of(evidence: Evidence, facet: str) -> FacetTable:
    return next(one for one in evidence.tables if one.facet == facet)


def naive_f1(
    evidence: Evidence, groups: list[list[int]], samples: int, seed: int, match: str = "exact"
) -> Floats:
    """Draw whole groups of sentences, add their counts up, and divide."""
    ledger = evidence.ledgers["mention"]
    output = ledger.runs[0]
    size = len(evidence.documents)
    columns = [
        np.bincount(ledger.gold.sentence, minlength=size),
        np.bincount(output.pred.sentence, minlength=size),
        np.bincount(ledger.gold.sentence, output.gold_credit[match], size),
    ]
    random = np.random.default_rng(seed)
    found = []
    for _ in range(samples):
        chosen = [
            sentence
            for group in random.integers(0, len(groups), len(groups))
            for sentence in groups[group]
        ]
        gold, pred, hits = (float(column[chosen].sum()) for column in columns)
        found.append(2 * hits / (gold + pred))
    return np.array(found)


def assert_same_distribution(one: Floats, other: Floats) -> None:
    error = np.sqrt(one.var() / len(one) + other.var() / len(other))
    assert abs(one.mean() - other.mean()) < 4 * error
    assert one.std() == pytest.approx(other.std(), rel=0.08)
    for share in (0.05, 0.25, 0.5, 0.75, 0.95):
        assert np.quantile(one, share) == pytest.approx(
            np.quantile(other, share), abs=0.2 * one.std() + 1e-6
        )
    assert stats.ks_2samp(one, other).pvalue > 0.01


@pytest.mark.parametrize("match", ["exact", "overlap"])
def test_resamples_are_distributed_like_drawing_sentences_one_by_one(match: str) -> None:
    evidence = evidence_of()
    found = resampled_f1(evidence, Sampling(samples=4000, seed=3), match)
    assert_same_distribution(
        found, naive_f1(evidence, [[k] for k in range(len(GOLD))], 4000, seed=4, match=match)
    )


def test_resamples_of_documents_are_distributed_like_drawing_documents() -> None:
    begins = [0, 4, 9, 10, 18, 25, 33, 34, 40, 51, 55]
    evidence = nerscope.evaluate(
        nerscope.read(io.StringIO(text_of(GOLD, begins))), {"s": [own for _, own in PRED]}
    ).evidence[0]
    groups = [list(range(a, b)) for a, b in zip(begins, [*begins[1:], len(GOLD)], strict=True)]
    assert [
        np.flatnonzero(clusters_of(evidence, "document") == k).tolist() for k in range(len(groups))
    ] == groups
    found = resampled_f1(evidence, Sampling("document", samples=4000, seed=3))
    assert_same_distribution(found, naive_f1(evidence, groups, 4000, seed=4))


def test_each_resample_is_the_sum_of_what_was_drawn() -> None:
    evidence = evidence_of(facets=["eLen"])
    weights = bootstrap_weights(len(GOLD), 20, seed=0)
    found = resampled_f1(evidence, Sampling(samples=20))
    ledger = evidence.ledgers["mention"]
    for sample in range(20):
        times = weights[:, sample].astype(float)
        gold = times[ledger.gold.sentence].sum()
        hits = (times[ledger.gold.sentence] * ledger.runs[0].gold_credit["exact"]).sum()
        pred = times[ledger.runs[0].pred.sentence].sum()
        assert found[sample] == pytest.approx(2 * hits / (gold + pred), rel=1e-5)


@pytest.mark.parametrize("n_clusters", [1, 2, 7, 300])
def test_every_resample_draws_as_many_as_there_are(n_clusters: int) -> None:
    weights = bootstrap_weights(n_clusters, 50, seed=1)
    assert weights.shape == (n_clusters, 50)
    assert (weights.sum(axis=0, dtype=int) == n_clusters).all()


def test_how_often_a_sentence_is_drawn_is_binomial() -> None:
    n, samples = 30, 4000
    weights = bootstrap_weights(n, samples, seed=2)
    observed = np.bincount(weights[0], minlength=6)[:6]
    wanted = stats.binom(n, 1 / n).pmf(np.arange(6)) * samples
    observed[5], wanted[5] = samples - observed[:5].sum(), samples - wanted[:5].sum()
    assert stats.chisquare(observed, wanted).pvalue > 0.01


def test_draws_come_from_the_seed_alone() -> None:
    assert np.array_equal(bootstrap_weights(9, 30, 1), bootstrap_weights(9, 30, 1))
    assert not np.array_equal(bootstrap_weights(9, 30, 1), bootstrap_weights(9, 30, 2))
    assert np.array_equal(swap_weights(9, 30, 1), swap_weights(9, 30, 1))


def test_swaps_are_fair_coins() -> None:
    swaps = swap_weights(100, 200, seed=0)
    assert set(np.unique(swaps).tolist()) == {0, 1}
    assert stats.binomtest(int(swaps.sum(dtype=int)), swaps.size).pvalue > 0.001


def test_too_many_clusters_are_pooled_into_groups_of_equal_size(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    evidence = evidence_of()
    assert clusters_of(evidence, "sentence").tolist() == list(range(60))
    monkeypatch.setattr(folding, "MOST_GROUPS", 25)
    pooled = clusters_of(evidence, "sentence")
    assert sorted(np.bincount(pooled).tolist()) == [2] * 15 + [3] * 10
    assert pooled[:25].tolist() == list(range(25))
    assert pooled[25:50].tolist() != list(range(25))
    assert len(set(pooled[25:50].tolist())) == 25


def test_pooling_keeps_the_spread(monkeypatch: pytest.MonkeyPatch) -> None:
    gold = drawn(900, seed=8)
    evidence = nerscope.evaluate(gold, {"s": noisy(gold, 0.3, 9)}).evidence[0]
    full = resampled_f1(evidence, Sampling(samples=1000))
    monkeypatch.setattr(folding, "MOST_GROUPS", 300)
    pooled = resampled_f1(evidence, Sampling(samples=1000))
    assert pooled.mean() == pytest.approx(full.mean(), abs=0.003)
    assert pooled.std() == pytest.approx(full.std(), rel=0.2)


def test_documents_must_be_marked() -> None:
    with pytest.raises(InputError, match="no document boundaries"):
        clusters_of(evidence_of(), "document")


@pytest.mark.parametrize(("match", "width"), [("exact", 4), ("overlap", 8)])
def test_counts_of_clusters_add_up_to_those_of_each_run(match: str, width: int) -> None:
    evidence = evidence_of({"s": [PRED, noisy(GOLD, 0.5, 5)], "t": GOLD}, facets=["eLen"])
    table = division_of(evidence, "all")
    found = ClusterCounts(evidence, table, match, ["t", "s"], clusters_of(evidence))
    assert found.width == width
    assert found.owners.tolist() == [0, 1, 1]
    for place, run in enumerate([2, 0, 1]):
        wanted = evidence.level_counts(run, table, match)
        assert found.columns_of_run(place, found.counts).sum(axis=0) == pytest.approx(wanted)


def test_counts_of_pairs_are_resampled_like_all_others() -> None:
    evidence = evidence_of()
    found = clustered(evidence, "left")
    weights = bootstrap_weights(len(GOLD), 10, seed=0)
    ledger = evidence.ledgers["mention"]
    partial = ledger.runs[0].gold_kind["left"] == PARTIAL
    key = found.keys.index(CellKey("all", None, "partial"))
    values = _resampled_values(found, 0, weights)[:, key]
    for sample in range(10):
        times = weights[:, sample].astype(float)[ledger.gold.sentence]
        assert values[sample] == (times * partial).sum()


def test_numbers_of_a_system_do_not_depend_on_who_else_is_there() -> None:
    others: dict[str, Corpus | list[Corpus]] = {
        "x": noisy(GOLD, 0.5, 5),
        "s": [PRED, noisy(GOLD, 0.3, 6)],
    }
    alone, together = evidence_of({"s": others["s"]}), evidence_of(others)
    wanted = bounds_of(alone, ["s"], Sampling())["s"]
    assert bounds_of(together, ["s"], Sampling())["s"] == wanted
    assert bounds_of(together, ["x", "s"], Sampling())["s"] == wanted
