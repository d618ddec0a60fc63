"""Measure how often a gate that looks again and again is ever wrong.

    python studies/gates.py [--rounds N] [--looks N] [--part NAME …] FOLDER …

A folder has test.txt, train.txt and systems/NAME.txt or systems/NAME.SEED.txt. The drop on
everything is taken as the true one, and a gate allows exactly as much: whatever it decides is
wrong, and either decision should be ever taken in at most 5 % of cases. Parts:

growing  one new version on a test set that grows from night to night
nightly  another version every night, always on the same test set
useful   nights until a version is passed that is as good as the old one, on a test set that grows

Shares are in percent, with their Monte-Carlo error.
"""

import argparse
from collections.abc import Iterator, Sequence
from itertools import combinations
from pathlib import Path
from zlib import crc32

import numpy as np

from nerscope.corpus.arrays import Ints
from nerscope.results.conditions import Condition
from nerscope.results.verdict import FAIL, OK, Measurement, decide
from nerscope.stats.clusters import ClusterCounts
from nerscope.stats.jackknife import jackknife
from nerscope.stats.system_differences import Difference
from nerscope.stats.system_pair import SystemPair
from populations import DOCUMENT, SENTENCE, Board, Population, drawn, population_of
from shares import Report, Share

F1 = Board("all", "exact", ("f1",))
START = {SENTENCE: 100, DOCUMENT: 20}  # clusters on the first night
ADDED = {SENTENCE: 50, DOCUMENT: 10}  # every night
PAIRS = 3  # of each corpus


def stream(*names: object) -> np.random.Generator:
    """Random numbers of their own for each round of each cell."""
    return np.random.default_rng(crc32(repr(names).encode()))


def measured(two: ClusterCounts) -> Measurement:
    """The difference of two outputs, as the gate measures it."""
    pair = SystemPair(jackknife(two), "A", "B", two.differing("A", "B").number())
    new, old = (float(pair.spread.values(name)[0]) for name in ("A", "B"))
    difference = Difference(
        pair=pair,
        at=0,
        key=two.keys[0],
        a=new,
        b=old,
        n=0.0,
        clusters=len(two.counts),
        differing=int(pair.differing[0]),
        degrees=float(pair.degrees[0]),
        interval=None,
        p=float("nan"),
        test=None,
        untested_reason=None,
        detectable=None,
    )
    return Measurement(new, 0, old, difference, all_clusters=len(two.counts))


def verdicts(
    population: Population, unit: str, clusters: Ints, runs: tuple[int, int], drop: float
) -> tuple[str, str]:
    """What the ordinary and the always-valid gate say of a new and an old output."""
    whole = population.clustered(F1, unit)
    number = measured(drawn(whole, clusters, {"A": [runs[0]], "B": [runs[1]]}))
    ordinary, valid = (
        decide(Condition(max_drop=100 * drop, always_valid=always), number, compared=True)[0]
        for always in (False, True)
    )
    return ordinary, valid


def true_drop(population: Population, unit: str, runs: tuple[int, int]) -> float:
    """How far the first run is below the second on everything."""
    values = population.clustered(F1, unit).values
    return float(values[runs[1]][0] - values[runs[0]][0])


def firsts(population: Population) -> list[int]:
    """The first run of each system."""
    return [population.evidence.runs_of(system)[0] for system in population.evidence.systems]


def worse_and_better(population: Population) -> Iterator[tuple[int, int]]:
    """Some pairs of outputs, the worse one first."""
    unit = population.units[-1]
    for first, second in list(combinations(firsts(population), 2))[:PAIRS]:
        drop = true_drop(population, unit, (first, second))
        if drop:
            yield (first, second) if drop > 0 else (second, first)


class Ever:
    """How often a gate ever passed, and ever failed."""

    def __init__(self) -> None:
        self.passed, self.failed = Share(), Share()

    def add(self, seen: Sequence[str]) -> None:
        """Count one more series of verdicts."""
        self.passed.add(OK in seen)
        self.failed.add(FAIL in seen)


def growing(report: Report, populations: Sequence[Population], rounds: int, looks: int) -> None:
    """One version, more data every night."""
    report.title(f"Ever wrong in {looks} looks at a test set that grows (asked: at most 5 % each)")
    rows = []
    for population in populations:
        for unit in population.units[-1:]:
            whole = population.clustered(F1, unit)
            for runs in worse_and_better(population):
                drop, ordinary, valid = true_drop(population, unit, runs), Ever(), Ever()
                for number in range(rounds):
                    rng = stream("growing", population.name, unit, runs, number)
                    size = START[unit] + ADDED[unit] * (looks - 1)
                    taken = rng.integers(0, len(whole.counts), size)
                    sizes = range(START[unit], size + 1, ADDED[unit])
                    seen = [verdicts(population, unit, taken[:n], runs, drop) for n in sizes]
                    ordinary.add([first for first, _ in seen])
                    valid.add([second for _, second in seen])
                names = [population.evidence.runs[run][0] for run in runs]
                shares = (ordinary.passed, ordinary.failed, valid.passed, valid.failed)
                rows.append([population.name, unit, *names, f"{100 * drop:.2f}", *shares])
    header = ["corpus", "drawn", "new", "old", "drop", "passed", "failed"]
    report.table([*header, "passed, always valid", "failed, always valid"], rows, 4)


def nightly(report: Report, populations: Sequence[Population], rounds: int, looks: int) -> None:
    """Another version every night, the same data; each may drop by exactly what it drops."""
    report.title(f"Ever wrong in {looks} versions on the same test set")
    rows = []
    for population in populations:
        outputs = len(population.evidence.runs)
        if outputs <= looks:
            continue
        unit = population.units[-1]
        whole, old = population.clustered(F1, unit), 0
        drops = {run: true_drop(population, unit, (run, old)) for run in range(1, looks + 1)}
        for size in (START[unit] * 3, START[unit] * 10):
            ordinary, valid = Ever(), Ever()
            for number in range(rounds):
                rng = stream("nightly", population.name, unit, size, number)
                taken = rng.integers(0, len(whole.counts), size)
                seen = [
                    verdicts(population, unit, taken, (run, old), drop)
                    for run, drop in drops.items()
                ]
                ordinary.add([first for first, _ in seen])
                valid.add([second for _, second in seen])
            shares = (ordinary.passed, ordinary.failed, valid.passed, valid.failed)
            rows.append([population.name, unit, size, *shares])
    header = ["corpus", "drawn", "clusters", "passed", "failed"]
    report.table([*header, "passed, always valid", "failed, always valid"], rows, 2)


def useful(report: Report, populations: Sequence[Population], rounds: int, looks: int) -> None:
    """Versions that drop by nothing: two outputs that change places at random."""
    report.title(f"An equally good version, 2 points allowed: passed within {looks} looks")
    rows = []
    for population in populations:
        unit = population.units[-1]
        whole = population.clustered(F1, unit)
        for runs in worse_and_better(population):
            ordinary, valid, nights = Share(), Share(), list[int]()
            size = START[unit] + ADDED[unit] * (looks - 1)
            for number in range(rounds):
                rng = stream("useful", population.name, unit, runs, number)
                taken = rng.integers(0, len(whole.counts), size)
                swapped = rng.random(size) < 0.5
                decided = {False: 0, True: 0}
                for night, n in enumerate(range(START[unit], size + 1, ADDED[unit]), 1):
                    sides = {"A": [runs[0]], "B": [runs[1]]}
                    number_there = measured(drawn(whole, taken[:n], sides, swapped[:n]))
                    for always in (False, True):
                        condition = Condition(max_drop=2.0, always_valid=always)
                        if not decided[always] and decide(condition, number_there, True)[0] == OK:
                            decided[always] = night
                    if all(decided.values()):
                        break
                ordinary.add(bool(decided[False]))
                valid.add(bool(decided[True]))
                nights += [decided[True]] if decided[True] else []
            names = [population.evidence.runs[run][0] for run in runs]
            median = f"{np.median(nights):.0f}" if nights else "–"
            rows.append([population.name, unit, *names, ordinary, valid, median])
    header = ["corpus", "drawn", "A", "B", "ordinary", "always valid", "median night"]
    report.table(header, rows, 4)


PARTS = {"growing": growing, "nightly": nightly, "useful": useful}


def main() -> None:
    """Run the parts that were chosen."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--rounds", type=int, default=300)
    parser.add_argument("--looks", type=int, default=30)
    parser.add_argument("--part", action="append", choices=PARTS)
    options = parser.parse_args()
    populations = [population_of(folder, ["all"]) for folder in options.folders]
    for name in options.part or PARTS:
        PARTS[name](Report(), populations, options.rounds, options.looks)


if __name__ == "__main__":
    main()
