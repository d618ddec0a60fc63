"""How often almost stochastic order is sure of a difference between systems that are alike.

The runs of both systems come from one distribution: a normal one, or the spread of real training
runs around the mean of their system. No system is ahead then, and the interval of the violation
should hold 0.5; a share of the intervals, 5 % if they were exact, does not.

    python studies/stochastic_order.py --rounds 2000 FOLDER …

A folder has `test.txt`, `train.txt` and `systems/NAME.RUN.txt`.
"""

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from nerscope.corpus.arrays import Floats
from nerscope.stats.run_order import almost_stochastic_order, next_run_better
from populations import Board, Population, population_of
from shares import Share

_F1 = Board("all", "exact", ("f1",))
_RUNS = (5, 10, 20, 30)
_EVEN = 0.5


def spread_of(population: Population, fewest: int = 3) -> Floats:
    """The deviations of single runs from the mean of their system, each system's scaled to 1."""
    clustered = population.clustered(_F1, "sentence")
    deviations = []
    for at, _ in enumerate(clustered.systems):
        runs = clustered.values[clustered.owners == at, 0]
        if len(runs) >= fewest and runs.std():
            deviations.append((runs - runs.mean()) / runs.std())
    return np.concatenate(deviations)


def measure(sources: Mapping[str, Floats | None], rounds: int, seed: int) -> None:
    """Print the shares of false intervals, by source and number of runs."""
    random = np.random.default_rng(seed)
    header = ("runs from", "runs", "order excludes 0.5, %", "next run excludes 0.5, %")
    print("{:24}{:>5}  {:>22}  {:>24}".format(*header))
    for name, values in sources.items():
        for n in _RUNS:
            order, following = Share(), Share()
            for _ in range(rounds):
                a, b = (_drawn(random, values, n) for _ in range(2))
                found = almost_stochastic_order(a, b, samples=300)
                # No interval, where no run of one side reaches the other, is a claim as well.
                order.add(not found.low <= _EVEN <= found.high)
                chance = next_run_better(a, b)
                following.add(not chance.low <= _EVEN <= chance.high)
            print(f"{name:24}{n:>5}  {order!s:>22}  {following!s:>24}", flush=True)
    print(f"{rounds} rounds; ± Monte-Carlo standard error; asked: 5")


def _drawn(random: np.random.Generator, values: Floats | None, n: int) -> Floats:
    return random.normal(size=n) if values is None else random.choice(values, n)


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure with normal runs, and with those of each folder."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", nargs="*", type=Path)
    parser.add_argument("--rounds", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args(arguments)
    sources: dict[str, Floats | None] = {"normal": None}
    for folder in options.folders:
        sources[folder.name] = spread_of(population_of(folder))
    measure(sources, options.rounds, options.seed)


if __name__ == "__main__":
    main()
