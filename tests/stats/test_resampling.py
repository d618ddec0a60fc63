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
from nerscope.scoring.counts import PARTIAL
from nerscope.scoring.evidence import Division, Evidence
from nerscope.stats import resampling
from nerscope.stats.draws import Bounds, CellKey, draw
from nerscope.stats.intervals import Sampling
from nerscope.stats.resampling import (
    batches,
    bootstrap_weights,
    cluster_counts,
    clusters_of,
    resampled_totals,
    run_shares,
    swap_weights,
)

GOLD = drawn(60, seed=1)
PRED = noisy(GOLD, 0.25, seed=2)
F1 = CellKey("all", None, "f1")


def evidence_of(systems: dict[str, Any] | None = None, **options: Any) -> Evidence:
    return nerscope.evaluate(GOLD, systems or {"s": PRED}, **options).evidence[0]


def resampled_f1(evidence: Evidence, sampling: Sampling, match: str = "exact") -> Floats:
    """F1 in every resample."""
    found = next(
        one
        for one in draw(evidence, sampling, evidence.systems)
        if (one.division.facet, one.match) == ("all", match)
    )
    return found.resampled[0][F1].astype(float)


def division_of(evidence: Evidence, facet: str) -> Division:
    return next(one for one in evidence.divisions if one.facet == facet)


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
    monkeypatch.setattr(resampling, "MOST_CLUSTERS", 25)
    pooled = clusters_of(evidence, "sentence", seed=1)
    assert sorted(np.bincount(pooled).tolist()) == [2] * 15 + [3] * 10
    assert np.array_equal(pooled, clusters_of(evidence, "sentence", seed=1))
    assert not np.array_equal(pooled, clusters_of(evidence, "sentence", seed=2))


def test_pooling_keeps_the_spread(monkeypatch: pytest.MonkeyPatch) -> None:
    gold = drawn(900, seed=8)
    evidence = nerscope.evaluate(gold, {"s": noisy(gold, 0.3, 9)}).evidence[0]
    full = resampled_f1(evidence, Sampling(samples=1000))
    monkeypatch.setattr(resampling, "MOST_CLUSTERS", 300)
    pooled = resampled_f1(evidence, Sampling(samples=1000))
    assert pooled.mean() == pytest.approx(full.mean(), abs=0.003)
    assert pooled.std() == pytest.approx(full.std(), rel=0.2)


def test_documents_must_be_marked() -> None:
    with pytest.raises(InputError, match="no document boundaries"):
        clusters_of(evidence_of(), "document")


@pytest.mark.parametrize("runs", [2, 3, 5])
def test_runs_are_drawn_one_fewer_than_there_are(runs: int) -> None:
    shares = run_shares("s", runs, 3000, seed=0)
    assert shares is not None
    assert shares.shape == (runs, 3000)
    assert shares.sum(axis=0) == pytest.approx(np.ones(3000))
    drawn_times = shares * (runs - 1)
    assert np.allclose(drawn_times, drawn_times.round())
    assert shares.mean(axis=1) == pytest.approx(np.full(runs, 1 / runs), abs=0.03)
    # the variance of the mean is that of independent runs: s² / k
    values = np.linspace(0, 1, runs)
    assert (values @ shares).var() == pytest.approx(values.var(ddof=1) / runs, rel=0.1)


def test_a_single_run_is_not_drawn() -> None:
    assert run_shares("s", 1, 10, 0) is None


def test_systems_draw_their_runs_independently() -> None:
    one, same, other = (
        run_shares("one", 3, 50, 0),
        run_shares("one", 3, 50, 0),
        run_shares("other", 3, 50, 0),
    )
    assert np.array_equal(np.asarray(one), np.asarray(same))
    assert not np.array_equal(np.asarray(one), np.asarray(other))


def test_one_product_and_many_give_the_same_sums(monkeypatch: pytest.MonkeyPatch) -> None:
    evidence = evidence_of(facets=["eLen", "sLen"])
    clusters = clusters_of(evidence, "sentence")
    counts = [
        cluster_counts(evidence, division_of(evidence, facet), "exact", clusters, [0])
        for facet in ("all", "eLen", "sLen")
    ]
    weights = bootstrap_weights(len(GOLD), 40, 0)

    def sums() -> list[list[float]]:
        return [
            total.ravel().tolist()
            for totals in resampled_totals(counts, weights)
            for total in totals
        ]

    monkeypatch.setattr(resampling, "FEW_ROWS", 10**6)
    together = sums()
    monkeypatch.setattr(resampling, "FEW_ROWS", 0)
    assert sums() == [pytest.approx(part) for part in together]


def test_batches_keep_the_order_and_leave_nothing_out() -> None:
    evidence = evidence_of(facets=["eLen", "sLen"])
    clusters = clusters_of(evidence, "sentence")
    items = [
        (facet, cluster_counts(evidence, division_of(evidence, facet), "exact", clusters, [0]))
        for facet in ("all", "eLen", "sLen")
    ]
    assert [[item[0] for item in batch] for batch in batches(items, 10)] == [
        ["all", "eLen", "sLen"]
    ]
    assert [[item[0] for item in batch] for batch in batches(items, 60_000_000)] == [
        ["all"],
        ["eLen"],
        ["sLen"],
    ]
    assert list(batches([], 10)) == []


@pytest.mark.parametrize(("match", "width"), [("exact", 4), ("overlap", 8)])
def test_columns_of_clusters_add_up_to_the_counts_of_each_run(match: str, width: int) -> None:
    evidence = evidence_of({"s": [PRED, noisy(GOLD, 0.5, 5)]}, facets=["eLen"])
    division, clusters = division_of(evidence, "all"), clusters_of(evidence, "sentence")
    found = cluster_counts(evidence, division, match, clusters, [1, 0])
    assert (found.width, found.n_columns) == (width, 1 + 2 * (width - 1))
    every = np.zeros((found.n_codes * found.n_types, found.n_columns))
    for cell in found.cells:
        every[cell.cell] = cell.distinct.sum(axis=1)[cell.place]
    for place, run in enumerate([1, 0]):
        wanted = evidence.level_counts(run, division, match).reshape(every.shape[0], -1)
        assert every[:, found.columns_of(place)] == pytest.approx(wanted)


def test_counts_of_pairs_are_resampled_like_all_others() -> None:
    evidence = evidence_of()
    weights = bootstrap_weights(len(GOLD), 10, seed=0)
    found = next(one for one in draw(evidence, Sampling(samples=10), ["s"]) if one.match == "left")
    ledger = evidence.ledgers["mention"]
    partial = ledger.runs[0].gold_kind["left"] == PARTIAL
    for sample in range(10):
        times = weights[:, sample].astype(float)[ledger.gold.sentence]
        key = CellKey("all", None, "partial")
        assert found.resampled[0][key][sample] == (times * partial).sum()


def intervals_of(evidence: Evidence, systems: list[str]) -> list[Bounds]:
    found = draw(evidence, Sampling(samples=60), systems)
    return [bounds for draws in found for bounds in draws.intervals("s")]


def test_numbers_of_a_system_do_not_depend_on_who_else_is_there() -> None:
    others: dict[str, Corpus | list[Corpus]] = {
        "x": noisy(GOLD, 0.5, 5),
        "s": [PRED, noisy(GOLD, 0.3, 6)],
    }
    alone = evidence_of({"s": others["s"]})
    together = evidence_of(others)
    assert intervals_of(alone, ["s"]) == intervals_of(together, ["s"])


def test_an_interval_does_not_depend_on_who_is_resampled_together() -> None:
    # other systems; these add leave-one-out values that do not move, and change the variance.
    together = evidence_of({"s": PRED, "x": noisy(GOLD, 0.6, 5)})
    alone = intervals_of(together, ["s"])
    assert alone
    assert intervals_of(together, ["s", "x"]) == alone
