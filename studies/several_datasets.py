"""How often tests over several datasets find a difference where there is none.

    python studies/several_datasets.py --rounds 400 CORPUS…

CORPUS is a folder with `test.txt`, `train.txt` and `systems/NAME.RUN.txt`.

- runs: four datasets are drawn from one test set, and the same trained runs are on all of them.
  A and B are disjoint sets of runs of one model, so that neither is better.
"""

import argparse
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np

from nerscope.stats.across import average_with_interval, beaten_on, sign_test
from nerscope.stats.clusters import ClusterCounts
from nerscope.stats.dataset_means import (
    DatasetDifference,
    dataset_differences,
    fixed_mean,
    mean_of_drawn,
)
from nerscope.stats.jackknife import jackknife
from nerscope.stats.system_pair import ABOUT_RECIPES, SystemPair
from populations import SENTENCE, Board, Population, drawn, population_of, systems_with_runs
from shares import PValues, Report

OVERALL = Board("all", "exact", ("f1",))
DATASETS = 4
SIDES = ((2, 2), (2, 3), (3, 3))


def distinct_models(population: Population, fewest: int) -> list[list[int]]:
    """The runs of each system, without systems and runs that are copies of others."""
    clustered = population.clustered(OVERALL, SENTENCE)
    models, seen = list[list[int]](), set[bytes]()
    for runs in systems_with_runs(population, fewest):
        kept = list[int]()
        for run in runs:
            content = clustered.columns_of_run(run, clustered.counts).tobytes()
            if content not in seen:
                seen.add(content)
                kept.append(run)
        if len(kept) >= fewest:
            models.append(kept)
    return models


def pair_on(clustered: ClusterCounts) -> SystemPair:
    """Systems A and B on one dataset, about recipes."""
    differing = clustered.differing("A", "B").number()
    return SystemPair(jackknife(clustered), "A", "B", differing, ABOUT_RECIPES)


def draws(
    population: Population, sizes: tuple[int, int], rounds: int, rng: np.random.Generator
) -> Iterator[tuple[int, list[SystemPair]]]:
    """A model, and A and B made of its runs, on four datasets that are drawn anew each time."""
    clustered = population.clustered(OVERALL, SENTENCE)
    size = len(clustered.counts)
    for model, runs in enumerate(distinct_models(population, sum(sizes))):
        for _ in range(rounds):
            chosen = rng.permutation(runs)[: sum(sizes)].tolist()
            sides = {"A": chosen[: sizes[0]], "B": chosen[sizes[0] :]}
            yield (
                model,
                [
                    pair_on(drawn(clustered, rng.integers(0, size, size // DATASETS), sides))
                    for _ in range(DATASETS)
                ],
            )


def before(pairs: Sequence[SystemPair]) -> float:
    """0 or 1: whether the mean excludes 0 if every dataset had runs of its own."""
    bounds = [pair.bounds(0.05) for pair in pairs]
    values = [float(pair.difference[0]) for pair in pairs]
    _, low, high = average_with_interval(
        values, [float(low[0]) for low, _ in bounds], [float(high[0]) for _, high in bounds]
    )
    return float(low <= 0 <= high)


def counted(pairs: Sequence[SystemPair], method: str) -> float:
    """0 or 1: whether A or B is said to be better on any dataset, each at 2.5 %."""
    p = [float(pair.p_at()[0]) / 2 for pair in pairs]
    ahead = [float(pair.difference[0]) > 0 for pair in pairs]
    sides = (
        [q if up == side else 1 - q for q, up in zip(p, ahead, strict=True)]
        for side in (True, False)
    )
    return float(not any(beaten_on(list(side), 0.025, method) for side in sides))


def parts_of(pairs: Sequence[SystemPair]) -> list[DatasetDifference]:
    """F1 on each dataset."""
    return [dataset_differences(pair)[0] for pair in pairs]


TESTS: dict[str, Callable[[Sequence[SystemPair]], float]] = {
    "mean, runs of each dataset by themselves": before,
    "mean of these (p_fixed)": lambda pairs: fixed_mean(parts_of(pairs)).p,
    "mean of others like them (p_drawn)": lambda pairs: mean_of_drawn(parts_of(pairs)).p,
    "better on any, Fisher": lambda pairs: counted(pairs, "fisher"),
    "better on any, Bonferroni": lambda pairs: counted(pairs, "bonferroni"),
    "sign test": lambda pairs: sign_test([float(pair.difference[0]) for pair in pairs]),
}


def study_runs(populations: Sequence[Population], rounds: int, report: Report) -> None:
    """Levels with runs that are the same on all datasets."""
    report.title(f"The same runs on {DATASETS} datasets: p < 0.05 where no system is better, %")
    rows = list[list[object]]()
    for population in populations:
        for sizes in SIDES:
            found = {name: PValues() for name in TESTS}
            models = set[int]()
            rng = np.random.default_rng(1)
            for model, pairs in draws(population, sizes, rounds, rng):
                models.add(model)
                for name, test in TESTS.items():
                    found[name].add(test(pairs))
            if models:
                levels = [values.small[0.05] for values in found.values()]
                label = f"{sizes[0]} v {sizes[1]}"
                rows.append([population.name, label, len(models), levels[0].of, *levels])
    report.table(["corpus", "runs", "models", "rounds", *TESTS], rows, 2)


def main() -> None:
    """Print all tables."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=200, help="of each model")
    parser.add_argument("corpora", type=Path, nargs="+", metavar="CORPUS")
    options = parser.parse_args()
    start = time.process_time()
    populations = [population_of(folder) for folder in options.corpora]
    report = Report()
    study_runs(populations, options.rounds, report)
    report.say(f"{time.process_time() - start:.0f} s of one core")


if __name__ == "__main__":
    main()
