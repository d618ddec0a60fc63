"""How often rank intervals hold the true rank, and whether the chance of being best is right.

Real outputs are the population: each round draws sentences (and training runs) from them with
replacement, ranks the systems, and compares with the ranking of the whole population.

    python studies/ranking.py --rounds 1000 --sentences 300 FOLDER …

With `--alike`, the training runs of one system are ranked as if each were a system: the hardest
case, because nearly equal systems leave most to chance.

A folder has `test.txt` and `systems/NAME.RUN.txt`.
"""

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from nerscope.corpus.arrays import Floats
from nerscope.stats.clusters import ClusterCounts
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
    alike: bool = False  # rank the runs of one system, a new one each round


class Round(NamedTuple):
    """The true ranks, the bounds, and the probabilities of each system."""

    true: Floats
    bounds: list[tuple[int, int]]
    probabilities: Floats


def rounds_of(population: Population, setting: Setting, rounds: int, seed: int) -> Iterator[Round]:
    """Rank the systems on so many samples of the population."""
    clustered = population.clustered(_F1, "sentence")
    random = np.random.default_rng(seed)
    for number in range(rounds):
        systems = _systems(clustered, setting, number)
        names, of_runs = list(systems), setting.runs and not setting.alike
        values = [
            clustered.values[runs if of_runs else runs[:1], 0].mean() for runs in systems.values()
        ]
        true = 1 + (np.array(values)[:, None] < np.array(values)).sum(axis=1)
        sentences = random.integers(0, len(clustered.counts), setting.sentences)
        sides = {
            name: random.choice(runs, setting.runs).tolist() if of_runs else runs[:1]
            for name, runs in systems.items()
        }
        spread = jackknife(drawn(clustered, sentences, sides))
        scores = joint_scores([dataset_scores(spread, 0, names, setting.runs > 1)])
        probabilities = rank_probabilities(scores.draw(_DRAWS, number))
        yield Round(true, rank_bounds(probabilities), probabilities)


def _systems(clustered: ClusterCounts, setting: Setting, number: int) -> dict[str, list[int]]:
    """The systems that are ranked, and their runs in the population."""
    every = {name: list(clustered.runs_of(name)) for name in clustered.systems}
    several = {name: runs for name, runs in every.items() if len(runs) > 1}
    if setting.alike:
        runs = list(several.values())[number % len(several)]
        return {str(run): [run] for run in runs}
    return several if setting.runs else every


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
    drawn_runs = "runs of one system as systems" if setting.alike else drawn_runs
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
    parser.add_argument("--alike", action="store_true")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args(arguments)
    for folder in options.folders:
        population = population_of(folder, facets=["all"])
        for note in population.notes:
            print(note)
        for sentences in options.sentences or [300, 1000]:
            for runs in [0] if options.alike else options.runs or [0, 3]:
                setting = Setting(sentences, runs, options.alike)
                measure(population, setting, options.rounds, options.seed)


if __name__ == "__main__":
    main()
