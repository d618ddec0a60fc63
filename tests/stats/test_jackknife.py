"""How sure a number is without resampling, against leaving out one sentence after the other."""

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import nerscope
from nerscope.corpus.units import MENTION
from nerscope.results.results import Results
from nerscope.scoring.metrics import metric_named
from nerscope.stats.intervals import Z95
from nerscope.stats.jackknife import Jackknife
from nerscope.stats.resampling import clusters_of

LABELS = st.sampled_from(["O", "O", "B-PER", "B-LOC"])
SENTENCE = st.integers(1, 5).flatmap(
    lambda size: st.tuples(*(st.lists(LABELS, min_size=size, max_size=size) for _ in range(3)))
)


def score(metric: str, gold: list[list[str]], pred: list[list[str]], kind: str | None) -> float:
    """From counts over single-token mentions."""
    wanted = {f"B-{kind}"} if kind else {"B-PER", "B-LOC"}
    pairs = [pair for a, b in zip(gold, pred, strict=True) for pair in zip(a, b, strict=True)]
    n_gold = sum(a in wanted for a, _ in pairs)
    n_pred = sum(b in wanted for _, b in pairs)
    hits = sum(a == b and a in wanted for a, b in pairs)
    over = {"recall": n_gold, "precision": n_pred, "f1": (n_gold + n_pred) / 2}[metric]
    return hits / over if over else float("nan")


def naive_variance(
    metric: str, gold: list[list[str]], runs: list[list[list[str]]], kind: str | None
) -> float:
    wanted = {f"B-{kind}"} if kind else {"B-PER", "B-LOC"}
    # a sentence that nobody says anything about is no part of the sample
    chosen = [
        place
        for place in range(len(gold))
        if any(label in wanted for side in (gold, *runs) for label in side[place])
    ]
    values = []
    for left_out in chosen:
        kept = [place for place in range(len(gold)) if place != left_out]
        values.append(
            np.mean(
                [
                    score(metric, [gold[at] for at in kept], [run[at] for at in kept], kind)
                    for run in runs
                ]
            )
        )
    known = [value for value in values if value == value]
    m = len(known)
    mean = sum(known) / m if m else 0.0
    return float((m - 1) / m * sum((value - mean) ** 2 for value in known)) if m > 1 else 0.0


def knife_of(results: Results) -> Jackknife:
    (evidence,) = results.evidence
    division = next(one for one in evidence.divisions if one.facet == "all" and one.unit == MENTION)
    clusters = clusters_of(evidence, "sentence")
    return Jackknife.of(evidence, division, "exact", evidence.runs_of("s"), clusters)


@pytest.mark.parametrize("metric", ["precision", "recall", "f1"])
@pytest.mark.parametrize("n_runs", [1, 2])
@pytest.mark.parametrize("kind", [None, "PER"])
@given(sentences=st.lists(SENTENCE, min_size=1, max_size=7))
def test_the_variance_is_that_of_leaving_out_each_sentence(
    sentences: list[tuple[list[str], ...]], metric: str, n_runs: int, kind: str | None
) -> None:
    sentences = [*sentences, (["B-PER", "B-LOC"], ["B-PER", "O"], ["B-PER", "B-LOC"])]
    gold = [list(one[0]) for one in sentences]
    runs = [[list(one[1 + run]) for one in sentences] for run in range(n_runs)]
    outputs: Any = [nerscope.Corpus.of(run) for run in runs]
    results = nerscope.evaluate(gold, {"s": outputs})
    place = None if kind is None else results.evidence[0].types.index(kind)
    sure = knife_of(results).sure((0,), metric_named(metric), place)
    naive = np.mean([score(metric, gold, run, kind) for run in runs])
    assert sure.value == pytest.approx(naive, nan_ok=True)
    assert sure.variance == pytest.approx(naive_variance(metric, gold, runs, kind), abs=1e-9)


def test_intervals_hold_the_value_and_narrow_as_data_grow() -> None:
    widths = []
    for times in (5, 50, 500):
        gold = [["B-PER", "B-LOC"], ["B-LOC", "O"], ["B-PER", "B-PER"]] * times
        pred = [["B-PER", "O"], ["B-LOC", "B-PER"], ["B-PER", "B-PER"]] * times
        (one,) = nerscope.evaluate(gold, {"s": pred}).overall()
        for metric in ("precision", "recall", "f1"):
            cell = one[metric]
            assert 0 <= cell["low"] < cell["value"] < cell["high"] <= 1
        widths.append(one["f1"]["high"] - one["f1"]["low"])
    assert all(wide > 2 * narrow for wide, narrow in pairwise(widths))
    spread = knife_of(nerscope.evaluate(gold, {"s": pred})).sure((0,), metric_named("f1"))
    assert widths[-1] > 2 * Z95 * spread.variance**0.5


@pytest.mark.parametrize("right", [True, False])
def test_an_interval_of_none_or_all_has_still_some_width(right: bool) -> None:
    gold = [["B-PER"], ["B-PER"], ["B-PER"], ["B-PER"]]
    pred = gold if right else [["B-LOC"]] * 4
    (one,) = nerscope.evaluate(gold, {"s": pred}).overall()
    cell = one["recall"]
    assert cell["value"] == float(right)
    assert 0.05 < cell["high"] - cell["low"] < 1
