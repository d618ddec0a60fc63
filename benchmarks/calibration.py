"""Are p-values and intervals what they claim? Simulated systems, whose truth is known, tell.

    python benchmarks/calibration.py [--rounds 1000]

Sentences have a difficulty of their own, systems have strengths of their own on each sentence, and
training runs differ. For p-values, two systems have no true difference: the share of p < 0.05
should be 0.05. For intervals, the truth is the F1 (or the recall) of endlessly many sentences and
runs: 95 % of the intervals should hold it.
"""

import argparse
import os
import time
from collections.abc import Iterator, Sequence

import numpy as np

from nerscope.corpus.arrays import Floats, Ints
from nerscope.scoring.evidence import Division, Evidence
from nerscope.scoring.ledger import Ledger, Output, Units
from nerscope.stats.draws import draw
from nerscope.stats.intervals import Sampling
from nerscope.stats.paired import METHODS

MENTIONS_PER_SENTENCE = 1.6
STRENGTH = 1.6  # of a system, on the logit scale: recall of about 0.8
SENTENCE_SPREAD, SYSTEM_SPREAD, RUN_SPREAD = 0.8, 0.5, 0.1
SPURIOUS, WRONG = 0.15, 0.6


def sigmoid(x: Floats) -> Floats:
    """The logistic function."""
    return np.asarray(1 / (1 + np.exp(-x)))


def outputs(
    rng: np.random.Generator, gold: Ints, difficulty: Floats, n_runs: int
) -> Iterator[tuple[Ints, Ints]]:
    """Right and predicted mentions in each sentence, for each run of a new system."""
    own = rng.normal(0, SYSTEM_SPREAD, len(gold))
    for _ in range(n_runs):
        run = (
            rng.normal(0, RUN_SPREAD) if n_runs > 1 else 0.0
        )  # of one run, nothing can be told about others
        hits = rng.binomial(gold, sigmoid(STRENGTH + difficulty + own + run))
        yield hits, hits + rng.binomial(gold - hits, WRONG) + rng.poisson(SPURIOUS, len(gold))


def sentences(rng: np.random.Generator, size: int) -> tuple[Ints, Floats]:
    """Gold mentions and difficulty of each sentence."""
    return rng.poisson(MENTIONS_PER_SENTENCE, size), rng.normal(0, SENTENCE_SPREAD, size)


def truth(rng: np.random.Generator, n_runs: int) -> dict[str, float]:
    """Recall and F1 of endlessly many sentences and runs."""
    gold, difficulty = sentences(rng, 200_000)
    found = outputs(rng, gold, difficulty, n_runs)
    scores = [
        (hits.sum() / gold.sum(), 2 * hits.sum() / (gold.sum() + pred.sum()))
        for hits, pred in found
    ]
    recall, f1 = np.mean(scores, axis=0)
    return {"recall": float(recall), "f1": float(f1)}


def units_of(counts: Ints) -> Units:
    """As many units in each sentence as are counted."""
    sentence = np.repeat(np.arange(len(counts)), counts)
    return Units(sentence, np.zeros(len(sentence), np.int64))


def credit_of(counts: Ints, hits: Ints) -> Floats:
    """Credit for the first of the units of each sentence."""
    order = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
    return (order < np.repeat(hits, counts)).astype(np.float64)


def evidence_of(gold: Ints, systems: dict[str, Sequence[tuple[Ints, Ints]]]) -> Evidence:
    """What an evaluation of such outputs would have gathered."""
    runs = [
        Output(units_of(pred), {"exact": credit_of(gold, hits)}, {"exact": credit_of(pred, hits)})
        for outputs_of_system in systems.values()
        for hits, pred in outputs_of_system
    ]
    names = tuple((name, str(k)) for name, own in systems.items() for k in range(1, len(own) + 1))
    metrics = {"exact": ("recall", "f1")}
    division = Division("all", "mention", {"all": (0,)}, metrics, by_type=False)
    return Evidence(
        "simulated",
        ("X",),
        names,
        {"mention": Ledger(units_of(gold), tuple(runs))},
        (division,),
        np.zeros(len(gold), np.int64),
    )


def rejections(rounds: int, method: str, n_runs: int, n_sentences: int = 500) -> float:
    """The share of p < 0.05 where there is no difference."""
    below = 0
    for number in range(rounds):
        rng = np.random.default_rng([number, n_runs])
        gold, difficulty = sentences(rng, n_sentences)
        evidence = evidence_of(
            gold, {name: list(outputs(rng, gold, difficulty, n_runs)) for name in "AB"}
        )
        sampling, swaps = Sampling(samples=1000, seed=number), METHODS[method].needs_swaps
        draws = next(draw(evidence, sampling, ["A", "B"], swaps=swaps))
        found = draws.differences([("A", "B")], method)
        below += next(one.p < 0.05 for one in found if one.key.metric == "f1")
    return below / rounds


def coverage(rounds: int, metric: str, n_mentions: int, n_runs: int, expected: float) -> float:
    """The share of 95 % intervals that hold the truth."""
    inside = 0
    for number in range(rounds):
        rng = np.random.default_rng([number, n_mentions, n_runs])
        gold, difficulty = sentences(rng, round(n_mentions / MENTIONS_PER_SENTENCE))
        evidence = evidence_of(gold, {"A": list(outputs(rng, gold, difficulty, n_runs))})
        draws = next(draw(evidence, Sampling(samples=1000, seed=number), ["A"]))
        bounds = next(one.interval for one in draws.intervals("A") if one.key.metric == metric)
        inside += bounds is not None and bounds[0] <= expected <= bounds[1]
    return inside / rounds


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=1000)
    rounds = parser.parse_args().rounds
    print(f"{rounds} rounds, load {os.getloadavg()[0]:.2f}")
    start = time.perf_counter()
    print("\nShare of p < 0.05 without a difference (500 sentences; 0.05 is right)")
    print("| test | one run | five runs |\n|---|---:|---:|")
    for method in ("bootstrap", "randomisation"):
        one, five = (rejections(rounds, method, n_runs) for n_runs in (1, 5))
        print(f"| {method} | {one:.3f} | {five:.3f} |", flush=True)
    expected = {1: truth(np.random.default_rng(0), 1), 5: truth(np.random.default_rng(0), 200)}
    recall, f1 = expected[1]["recall"], expected[1]["f1"]
    print(f"\nCoverage of 95 % intervals (truth: recall {recall:.4f}, F1 {f1:.4f})")
    print("| number | runs | n = 30 | n = 100 | n = 1000 |\n|---|---:|---:|---:|---:|")
    for metric in ("f1", "recall"):
        for n_runs in (1, 5):
            shares = [
                coverage(rounds, metric, n, n_runs, expected[n_runs][metric])
                for n in (30, 100, 1000)
            ]
            print(
                f"| {metric} | {n_runs} | " + " | ".join(f"{share:.3f}" for share in shares) + " |",
                flush=True,
            )
    print(f"\n{time.perf_counter() - start:.0f} s")


if __name__ == "__main__":
    main()
