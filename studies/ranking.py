"""How often rank intervals hold the true rank, and whether the chance of being best is right.

Real outputs are the population: each round draws sentences (and training runs) from them with
replacement, ranks the systems, and compares with the ranking of the whole population.

    python studies/ranking.py --rounds 1000 --sentences 300 FOLDER …

A folder has `test.txt` and `systems/NAME.RUN.txt`.
"""

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from nerscope.corpus.arrays import Floats
from nerscope.stats.jackknife import jackknife
from nerscope.stats.ranking import (
    dataset_scores,
    joint_scores,
    rank_bounds,
    rank_probabilities,
)
from populations import Board, Population, drawn, population_of
from shares import NONE, Share

_F1 = Board("all", "exact", ("f1",))
_DRAWS = 2000
_BINS = (0.0, 0.05, 0.2, 0.4, 0.6, 0.8, 0.95, 1.0)


class Setting(NamedTuple):
    """How many sentences are drawn, and how many runs of each system; 0: the first run as it is."""

    sentences: int
    runs: int


class Round(NamedTuple):
    """The true ranks, the bounds, and the probabilities of each system."""

    true: Floats
    bounds: list[tuple[int, int]]
    probabilities: Floats


def rounds_of(population: Population, setting: Setting, rounds: int, seed: int) -> Iterator[Round]:
    """Rank the systems on so many samples of the population."""
    clustered = population.clustered(_F1, "sentence")
    systems = [
        (name, runs)
        for name in clustered.systems
        if len(runs := clustered.runs_of(name)) >= max(1, min(2, setting.runs))
    ]
    names = [name for name, _ in systems]
    values = np.array(
        [
            clustered.values[list(runs) if setting.runs else runs[:1], 0].mean()
            for _, runs in systems
        ]
    )
    true = 1 + (values[:, None] < values).sum(axis=1)
    random = np.random.default_rng(seed)
    for number in range(rounds):
        sentences = random.integers(0, len(clustered.counts), setting.sentences)
        sides = {
            name: random.choice(runs, setting.runs).tolist() if setting.runs else runs[:1]
            for name, runs in systems
        }
        spread = jackknife(drawn(clustered, sentences, sides))
        scores = joint_scores([dataset_scores(spread, 0, names, setting.runs > 1)])
        probabilities = rank_probabilities(scores.draw(_DRAWS, number))
        yield Round(true, rank_bounds(probabilities), probabilities)


def measure(population: Population, setting: Setting, rounds: int, seed: int) -> None:
    """Print coverage by true rank, and how often systems are best by their probability."""
    by_rank: dict[int, Share] = {}
    whole, claimed = Share(), [0.0] * (len(_BINS) - 1)
    bins = [Share() for _ in claimed]
    width = 0.0
    for true, bounds, probabilities in rounds_of(population, setting, rounds, seed):
        for rank, (low, high), chance in zip(true, bounds, probabilities[:, 0], strict=True):
            by_rank.setdefault(int(rank), Share()).add(low <= rank <= high)
            whole.add(low <= rank <= high)
            width += high - low + 1
            at = min(np.searchsorted(_BINS, chance, "right") - 1, len(bins) - 1)
            bins[at].add(rank == 1)
            claimed[at] += chance
    drawn_runs = f"{setting.runs} runs" if setting.runs else "outputs"
    print(f"\n{population.name}, {setting.sentences} sentences, {drawn_runs}, {rounds} rounds")
    ranks = "; ".join(f"rank {rank}: {by_rank[rank]}" for rank in sorted(by_rank))
    print(f"  coverage of rank intervals (asked: 95): {whole}; mean width {width / whole.of:.2f}")
    print(f"  {ranks}")
    told = [
        f"{100 * total / share.of:.0f} → {share}" if share.of else NONE
        for total, share in zip(claimed, bins, strict=True)
    ]
    print(f"  chance of being best, claimed → true: {'; '.join(told)}", flush=True)


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure each folder with outputs, and with runs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--rounds", type=int, default=1000)
    parser.add_argument("--sentences", type=int, action="append")
    parser.add_argument("--runs", type=int, action="append")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args(arguments)
    for folder in options.folders:
        population = population_of(folder, facets=["all"])
        for note in population.notes:
            print(note)
        for sentences in options.sentences or [300, 1000]:
            for runs in options.runs or [0, 3]:
                measure(population, Setting(sentences, runs), options.rounds, options.seed)


if __name__ == "__main__":
    main()
