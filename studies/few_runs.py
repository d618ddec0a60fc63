"""Few training runs: how often equal systems differ significantly, and how often unequal ones do.

    python studies/few_runs.py --corpus DIR --corpus DIR --rounds 1000

DIR has test.txt, train.txt and systems/NAME.SEED.txt, with four runs or more of some systems.
Each round draws sentences, and k runs for each side: of one system where there is no difference,
of two systems otherwise. The other systems have k runs, too, and lend their run variance or not.
"""

import argparse
import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from nerscope.stats.clusters import CellKey, ClusterCounts
from nerscope.stats.jackknife import jackknife
from nerscope.stats.system_pair import ABOUT_RECIPES, SystemPair
from populations import Board, Population, drawn, population_of
from shares import ALPHAS, Share

BOARD = Board("all", "exact", ("f1",))
KEY = CellKey("all", None, "f1")
SIZES = (200, 800, None)  # sentences that are drawn with repetition; None: those of the test set
ALONE, BORROWED = "alone", "borrowed"


def systems_of(population: Population, fewest: int) -> dict[str, list[int]]:
    """The runs of each system with so many or more; copies of another system are left out."""
    clustered = population.clustered(BOARD, "sentence")
    chosen: dict[str, list[int]] = {}
    seen = set[tuple[float, ...]]()
    for system in clustered.systems:
        runs = clustered.runs_of(system)
        scores = tuple(clustered.values[runs, clustered.keys.index(KEY)].tolist())
        if len(set(scores)) >= fewest and scores not in seen:
            chosen[system] = runs
        seen.add(scores)
    return chosen


def p_values(
    clustered: ClusterCounts, taken: np.ndarray, sides: dict[str, list[int]], lend: Sequence[str]
) -> dict[str, float]:
    """The p-value of A against B, alone and with borrowed run variance."""
    two = drawn(clustered, taken, {name: sides[name] for name in ("A", "B")})
    others = drawn(clustered, taken, {name: sides[name] for name in lend})
    lent = {name: others.values[others.runs_of(name)] for name in lend}
    spread, differing = jackknife(two), two.differing("A", "B").number()
    at = two.keys.index(KEY)
    return {
        rule: float(
            SystemPair(replace(spread, lent=runs), "A", "B", differing, ABOUT_RECIPES).p_at()[at]
        )
        for rule, runs in ((ALONE, {}), (BORROWED, lent))
    }


def rejected(
    population: Population, k: int, size: int | None, n_systems: int, rounds: int, *, equal: bool
) -> dict[str, dict[float, Share]]:
    """How often p is below each alpha."""
    systems = systems_of(population, 2 * k if equal else k)
    every = systems_of(population, k)
    clustered = population.clustered(BOARD, "sentence")
    shares = {rule: {alpha: Share() for alpha in ALPHAS} for rule in (ALONE, BORROWED)}
    for number in range(rounds):
        rng = np.random.default_rng([number, k, size or 0, n_systems, equal])
        n = len(clustered.counts)
        taken = np.arange(n) if size is None else rng.integers(n, size=size)
        if equal:
            a = b = str(rng.choice(list(systems)))
            runs = rng.permutation(systems[a]).tolist()
            sides = {"A": runs[:k], "B": runs[k : 2 * k]}
        else:
            a, b = (str(name) for name in rng.permutation(list(systems))[:2])
            sides = {
                side: rng.permutation(systems[name])[:k].tolist()
                for side, name in (("A", a), ("B", b))
            }
        rest = [name for name in rng.permutation(list(every)).tolist() if name not in (a, b)]
        lend = rest[: n_systems - 2]
        sides |= {name: rng.permutation(every[name])[:k].tolist() for name in lend}
        for rule, p in p_values(clustered, taken, sides, lend).items():
            for alpha, share in shares[rule].items():
                share.add(p < alpha)
    return shares


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--corpus", type=Path, action="append", default=[], metavar="DIR")
    parser.add_argument("--rounds", type=int, default=1000)
    parser.add_argument("--runs", type=int, default=2)
    parser.add_argument("--systems", type=int, action="append", default=[])
    options = parser.parse_args()
    print(f"load {os.getloadavg()[0]:.1f}; {options.rounds} rounds a cell; level, then power, %")
    print("| corpus | systems | sentences | rule | p < .05 | p < .01 | p < .001 | power at .05 |")
    print("|---|---|---|---|---|---|---|---|")
    for folder in options.corpus:
        population = population_of(folder)
        for n_systems in options.systems or (4, 7):
            for size in SIZES:
                level, power = (
                    rejected(population, options.runs, size, n_systems, options.rounds, equal=equal)
                    for equal in (True, False)
                )
                for rule, by_alpha in level.items():
                    cells = [population.name, n_systems, size or "all", rule, *by_alpha.values()]
                    print("|", " | ".join(map(str, [*cells, power[rule][0.05]])), "|", flush=True)


if __name__ == "__main__":
    main()
