"""How far numbers move, against leaving out one sentence after the other."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.scoring.toys import drawn, noisy

import nerscope
from nerscope.corpus.units import MENTION
from nerscope.scoring.evidence import Evidence
from nerscope.scoring.metrics import metric_named
from nerscope.stats import clusters as clusters_module
from nerscope.stats.clusters import CellKey, ClusterCounts, clusters_of, columns_of
from nerscope.stats.intervals import cluster_variance
from nerscope.stats.jackknife import Jackknife, jackknife, jackknife_between
from nerscope.stats.runs import mean_of_defined

LABELS = st.sampled_from(["O", "O", "B-PER", "B-LOC"])
SENTENCE = st.integers(1, 5).flatmap(
    lambda size: st.tuples(*(st.lists(LABELS, min_size=size, max_size=size) for _ in range(3)))
)
Labels = list[list[str]]


def score(metric: str, gold: Labels, pred: Labels, kind: str | None) -> float:
    """From counts over single-token mentions."""
    if metric.startswith("macro_"):
        parts = [score(metric[6:], gold, pred, one) for one in ("LOC", "PER")]
        known = [part for part in parts if part == part]
        return sum(known) / len(known) if known else float("nan")
    wanted = {f"B-{kind}"} if kind else {"B-PER", "B-LOC"}
    pairs = [pair for a, b in zip(gold, pred, strict=True) for pair in zip(a, b, strict=True)]
    n_gold = sum(a in wanted for a, _ in pairs)
    n_pred = sum(b in wanted for _, b in pairs)
    hits = sum(a == b and a in wanted for a, b in pairs)
    over = {"recall": n_gold, "precision": n_pred, "f1": (n_gold + n_pred) / 2}[metric]
    return hits / over if over else float("nan")


def naive_moves(metric: str, gold: Labels, runs: list[Labels], kind: str | None) -> np.ndarray:
    """By run and sentence: the number, less what it is without the sentence."""
    moves = []
    for run in runs:
        whole = score(metric, gold, run, kind)
        own = []
        for left_out in range(len(gold)):
            kept = [place for place in range(len(gold)) if place != left_out]
            without = score(metric, [gold[at] for at in kept], [run[at] for at in kept], kind)
            own.append(0.0 if without != without or whole != whole else whole - without)
        moves.append(own)
    return np.array(moves)


def mentions(evidence: Evidence, *systems: str, **options: Any) -> ClusterCounts:
    table = next(one for one in evidence.tables if one.facet == "all" and one.unit == MENTION)
    return ClusterCounts(evidence, table, "exact", systems, clusters_of(evidence, **options))


def at(spread: Jackknife, metric: str, kind: int | None = None) -> int:
    return spread.keys.index(CellKey("all", kind, metric))


@pytest.mark.parametrize("metric", ["precision", "recall", "f1", "macro_f1"])
@pytest.mark.parametrize("n_runs", [1, 2])
@pytest.mark.parametrize("kind", [None, "PER"])
@settings(max_examples=25, deadline=None)
@given(sentences=st.lists(SENTENCE, min_size=1, max_size=7))
def test_moves_are_those_of_leaving_out_each_sentence(
    sentences: list[tuple[list[str], ...]], metric: str, n_runs: int, kind: str | None
) -> None:
    if kind and metric == "macro_f1":
        kind = None
    sentences = [*sentences, (["B-PER", "B-LOC"], ["B-PER", "O"], ["B-PER", "B-LOC"])]
    gold = [list(one[0]) for one in sentences]
    runs = [[list(one[1 + run]) for one in sentences] for run in range(n_runs)]
    outputs: Any = [nerscope.Corpus.of(run) for run in runs]
    evidence = nerscope.evaluate(gold, {"s": outputs, "t": gold}).evidence[0]
    spread = jackknife(mentions(evidence, "s", "t"))
    place = at(spread, metric, None if kind is None else evidence.types.index(kind))
    moves = naive_moves(metric, gold, runs, kind)
    values = [score(metric, gold, run, kind) for run in runs]
    assert spread.values("s")[place] == pytest.approx(np.nanmean(values))
    mean = moves.mean(axis=0)
    assert spread.products[0, 0, place] == pytest.approx(mean @ mean, abs=1e-9)
    assert spread.products[0, 1, place] == pytest.approx(0.0, abs=1e-9)  # t is always right
    own = ((moves - mean) ** 2).sum() / max(1, n_runs - 1)
    assert spread.single_run_squares[0, place] == pytest.approx(own, abs=1e-9)


@pytest.mark.parametrize("metric", ["precision", "recall", "f1"])
@pytest.mark.parametrize("n_runs", [1, 2])
@settings(max_examples=25, deadline=None)
@given(sentences=st.lists(SENTENCE, min_size=1, max_size=7))
def test_two_numbers_of_a_system_move_as_if_each_sentence_were_left_out(
    sentences: list[tuple[list[str], ...]], metric: str, n_runs: int
) -> None:
    sentences = [*sentences, *[(["B-PER", "B-LOC"],) * 3] * 2]  # so that all is defined
    gold = [list(one[0]) for one in sentences]
    runs = [[list(one[1 + run]) for one in sentences] for run in range(n_runs)]
    outputs: Any = [nerscope.Corpus.of(run) for run in runs]
    evidence = nerscope.evaluate(gold, {"s": outputs}).evidence[0]
    clustered, types = mentions(evidence, "s"), ("PER", "LOC")
    keys = [CellKey("all", evidence.types.index(kind), metric) for kind in types]
    spread, differing = jackknife_between(clustered, clustered, types, (keys[0], keys[1]))
    moves = [naive_moves(metric, gold, runs, kind).mean(axis=0) for kind in types]
    values = [np.nanmean([score(metric, gold, run, kind) for run in runs]) for kind in types]
    assert [spread.values(kind)[0] for kind in types] == pytest.approx(values, nan_ok=True)
    for first in (0, 1):
        for second in (0, 1):
            expected = moves[first] @ moves[second]
            assert spread.products[first, second, 0] == pytest.approx(expected, abs=1e-9)
    assert differing[0] <= len(sentences)


def test_two_systems_have_what_they_share_in_their_products() -> None:
    gold = drawn(40, seed=1)
    one = noisy(gold, 0.3, 2)
    evidence = nerscope.evaluate(gold, {"a": one, "b": one, "c": noisy(gold, 0.3, 3)}).evidence[0]
    spread = jackknife(mentions(evidence, "a", "b", "c"))
    place = at(spread, "f1")
    assert spread.products[0, 0, place] == spread.products[0, 1, place]
    assert 0 < spread.products[0, 2, place] < spread.products[0, 0, place]
    alone = jackknife(mentions(evidence, "a", "b", "c"), paired=False)
    assert np.einsum("ssk->sk", alone.products) == pytest.approx(
        np.einsum("ssk->sk", spread.products)
    )
    assert alone.products[0, 1, place] == 0


def test_blocks_of_clusters_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    gold = drawn(30, seed=1)
    systems: Any = {"a": [noisy(gold, 0.3, 2), noisy(gold, 0.2, 3)], "b": noisy(gold, 0.3, 4)}
    evidence = nerscope.evaluate(gold, systems).evidence[0]
    whole = jackknife(mentions(evidence, "a", "b"))
    monkeypatch.setattr(clusters_module, "_MOST_VALUES", 50)
    blocks = jackknife(mentions(evidence, "a", "b"))
    assert blocks.products == pytest.approx(whole.products)
    assert blocks.single_run_squares == pytest.approx(whole.single_run_squares)
    assert blocks.parts[0, at(whole, "macro_f1")].products == pytest.approx(
        whole.parts[0, at(whole, "macro_f1")].products
    )


def test_clusters_of_unequal_size_count_for_fewer() -> None:
    gold = [["B-PER"] * size for size in (10, 1, 1)] + [["O"]]
    evidence = nerscope.evaluate(gold, {"s": gold}).evidence[0]
    spread = jackknife(mentions(evidence, "s"))
    assert spread.clusters[0, at(spread, "recall")] == 3
    assert spread.degrees[0, at(spread, "recall")] == pytest.approx(12**2 / 102 - 1)


def test_parts_of_a_macro_average_are_its_types() -> None:
    gold = drawn(40, seed=1)
    evidence = nerscope.evaluate(gold, {"s": noisy(gold, 0.3, 2)}).evidence[0]
    spread = jackknife(mentions(evidence, "s"))
    parts = spread.parts[0, at(spread, "macro_f1")]
    types = [at(spread, "f1", kind) for kind in range(len(evidence.types))]
    assert parts.values == pytest.approx(spread.values("s")[types])
    assert np.diag(parts.products) == pytest.approx(spread.products[0, 0, types])
    assert parts.degrees == pytest.approx(spread.degrees[0, types])
    assert (0, at(spread, "f1")) not in spread.parts


def test_a_type_that_does_not_occur_is_no_part() -> None:
    gold = [["B-PER"], ["B-PER"], ["B-LOC"]]
    evidence = nerscope.evaluate(gold, {"s": [["B-PER"], ["O"], ["O"]]}).evidence[0]
    spread = jackknife(mentions(evidence, "s"))
    parts = spread.parts[0, at(spread, "macro_precision")]
    assert parts.values.tolist() == [1.0]


def test_variance_is_that_of_the_jackknife() -> None:
    # Recall of single mentions, one a sentence: the jackknife's variance is p (1 - p) / (n - 1).
    gold = [["B-PER"]] * 10
    pred = [["B-PER"]] * 7 + [["O"]] * 3
    evidence = nerscope.evaluate(gold, {"s": pred}).evidence[0]
    spread = jackknife(mentions(evidence, "s"))
    variance = cluster_variance(spread, 0)[at(spread, "recall")]
    assert variance == pytest.approx(0.7 * 0.3 / 9)


@pytest.mark.parametrize(
    ("metric", "wanted"),
    [
        ("recall", (0, 1)),
        ("precision", (2, 3)),
        ("f1", (0, 1, 2, 3)),
        ("ter", (0, 1)),
        ("macro_recall", (0, 1)),
        ("hardeval", (0, 1)),
    ],
)
def test_a_metric_looks_at_some_columns(metric: str, wanted: tuple[int, ...]) -> None:
    assert columns_of(metric_named(metric), 4) == wanted


def test_systems_differ_where_a_number_sees_it() -> None:
    gold = [["B-PER"], ["B-PER"], ["B-LOC"], ["O"]]
    a = [["B-PER"], ["B-PER"], ["B-LOC"], ["O"]]
    b = [["B-PER"], ["O"], ["B-LOC"], ["B-PER"]]  # misses one, and invents one
    evidence = nerscope.evaluate(gold, {"a": a, "b": b}).evidence[0]
    clustered = mentions(evidence, "a", "b")
    found = dict(zip(clustered.keys, clustered.differing("a", "b").number(), strict=True))
    kinds = {name: code for code, name in enumerate(evidence.types)}
    assert found[CellKey("all", None, "recall")] == 1
    assert found[CellKey("all", None, "precision")] == 2
    assert found[CellKey("all", None, "macro_f1")] == 2
    assert found[CellKey("all", kinds["LOC"], "f1")] == 0


def test_the_mean_of_what_is_defined() -> None:
    values = np.array([[1.0, np.nan, np.nan], [3.0, 2.0, np.nan]])
    assert mean_of_defined(values)[:2].tolist() == [2.0, 2.0]
    assert np.isnan(mean_of_defined(values)[2])
