"""Measure whether p-values and intervals are what they claim, on real and simulated outputs.

    python studies/calibration.py --corpus DIR [--corpus DIR …]
        [--rounds N] [--part NAME …] [--quick]

A corpus has test.txt, train.txt and systems/NAME.txt or systems/NAME.SEED.txt. Parts:

outputs      false positives for two outputs that changed places at random in whole sentences or
             documents, so that there is no difference
families     how often anything at all is starred in such outputs, by family
runs         false positives for training runs: disjoint sets of real seeds, and simulated runs
coverage     how often intervals hold the truth, when clusters are drawn from a corpus again
means        the same for means over simulated runs, whose truth is known
differences  the same for differences of two systems; do p and interval ever disagree?
power        what the two tests find in real pairs

Shares are in percent, with their Monte-Carlo error. What breaks a limit is listed at the end: false
positives above 1.3 times alpha, stars in more than 6 % of the families, coverage outside of 93 to
97 % with 30 clusters or more and below 90 % with fewer, each beyond the Monte-Carlo error.
"""

import argparse
import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import product
from pathlib import Path
from typing import NamedTuple
from zlib import crc32

import numpy as np

from nerscope.corpus.arrays import Bools, Floats, Ints
from nerscope.results.compare import compare
from nerscope.results.results import Results
from nerscope.results.selection import narrow_evidence
from nerscope.scoring.evidence import Evidence, only_runs
from nerscope.stats.clusters import CellKey, ClusterCounts, with_all_types
from nerscope.stats.draws import ResampleWeights, p_values_of_outputs
from nerscope.stats.intervals import Sampling, intervals
from nerscope.stats.jackknife import jackknife
from nerscope.stats.paired import METHODS
from nerscope.stats.system_differences import (
    ComparisonPlan,
    Difference,
    differences,
    fewest_differing,
)
from nerscope.stats.system_pair import ABOUT_RECIPES, SystemPair
from populations import (
    DOCUMENT,
    SENTENCE,
    Board,
    Model,
    Population,
    drawn,
    evidence_drawn,
    pairs_of_outputs,
    population_of,
    systems_with_runs,
)
from shares import ALPHAS, NONE, Covered, PValues, Report, Share

ALPHA = ALPHAS[0]
TESTS = ("randomisation", "bootstrap")
MENTIONS = ("recall", "precision", "f1")
BOARDS = (
    Board("all", "exact", (*MENTIONS, "macro_f1")),
    Board("all", "label", ("accuracy",)),
    Board("hard", "bilou", ("ter", "hardeval")),
)
SHOWN: tuple[str, ...] = (
    *("recall", "precision", "F1", "F1 of a type", "macro F1"),
    *("accuracy", "TER unseen", "TER diff", "hardeval"),
)
# Where the numbers of each metric are taken from in turn.
CELLS = {
    **{
        metric: [Board(facet, "exact", (metric,)) for facet in ("all", "eLen", "eFre")]
        for metric in MENTIONS
    },
    "macro_f1": [Board("all", "exact", ("macro_f1",))],
    "accuracy": [Board("all", "label", ("accuracy",))],
    "ter": [Board("hard", "bilou", ("ter",))],
    "hardeval": [Board("hard", "bilou", ("hardeval",))],
}
SIZES = (1, 2, 3, 5, 10, 30, 100, 1000)
MOST_DRAWN = 1500  # clusters for a number that is rare
FAMILIES = ("primary", "where", "types")
FAMILY_SIZES = {SENTENCE: (60, 150, 300), DOCUMENT: (30, 60)}
SPREADS = {"small": 0.03, "medium": 0.1, "large": 0.4}
RUNS = ((2, 2), (3, 3), (5, 5), (10, 10), (5, 1), (5, 2))
SEEDS = ((2, 2), (3, 2), (4, 1))
DRAWN = {SENTENCE: (10, 20, 50, 200, 1000), DOCUMENT: (3, 8, 20, 40, 60, 100)}
BOTH_DRAWN = {SENTENCE: (20, 50, 200, 1000), DOCUMENT: (8, 20, 40, 100)}


@dataclass(frozen=True, slots=True)
class Plan:
    """On what, and how often."""

    populations: Sequence[Population]
    rounds: int
    report: Report

    def part(self, share: float) -> int:
        """Fewer or more rounds, for what takes long or needs many."""
        return max(20, round(share * self.rounds))

    def places(self) -> Iterator[tuple[Population, str]]:
        """Every population, by what can be drawn from it."""
        for population in self.populations:
            for unit in population.units:
                yield population, unit


def stream(*names: object) -> np.random.Generator:
    """Random numbers of their own for each round of each cell."""
    return np.random.default_rng(crc32(repr(names).encode()))


def shown_name(key: CellKey) -> str | None:
    """The name under which a number is shown; None if it is not."""
    if key.metric == "ter":
        return f"TER {key.level}" if key.level in ("unseen", "diff") else None
    if key.type is not None:
        return "F1 of a type" if key.metric == "f1" else None
    return {"f1": "F1", "macro_f1": "macro F1"}.get(key.metric, key.metric)


# Outputs: no difference, since they changed places at random.


class Cell(NamedTuple):
    """One number of a population: its gold units in each cluster, and by pair of outputs, whether
    they differ there.
    """

    clustered: ClusterCounts
    at: int
    gold: Floats
    pairs: dict[tuple[int, int], Bools]


def cells_of(population: Population, metric: str, unit: str) -> Iterator[Cell]:
    """The numbers of a metric."""
    for board in CELLS[metric]:
        if population.table(board) is None:
            continue
        clustered = population.clustered(board, unit)
        by_type = with_all_types(clustered.counts[..., 0].astype(np.float64))
        every = np.arange(len(by_type))
        differing = {
            (first, second): drawn(clustered, every, {"A": [first], "B": [second]}).differing(
                "A", "B"
            )
            for first, second in pairs_of_outputs(population)
        }
        for at, (key, of) in enumerate(zip(clustered.keys, clustered.metrics, strict=True)):
            places = clustered.places(key, of)
            gold = np.sum([by_type[:, level, kind] for level, kind in places], axis=0)
            where = {
                pair: differing_clusters.clusters(at)
                for pair, differing_clusters in differing.items()
            }
            yield Cell(clustered, at, gold, where)


def large_enough(cell: Cell, n: int) -> bool:
    """Whether so many gold units can be drawn, and without too many clusters."""
    total = cell.gold.sum()
    return bool(cell.pairs) and total >= max(n, n * len(cell.gold) / MOST_DRAWN)


def p_of_swapped(rng: np.random.Generator, cell: Cell, n: int, method: str) -> float:
    """A p-value where there is no difference, on clusters with so many gold units."""
    order = rng.permutation(len(cell.gold))
    taken = order[: 1 + int(np.searchsorted(np.cumsum(cell.gold[order]), n))]
    first, second = list(cell.pairs)[rng.integers(len(cell.pairs))]
    if cell.pairs[first, second][taken].sum() < fewest_differing(ALPHA):
        return float("nan")  # too few clusters differ for any exchange to reach ALPHA
    swapped = rng.random(len(taken)) < 0.5
    two = drawn(cell.clustered, taken, {"A": [first], "B": [second]}, swapped)
    sampling = Sampling(None, 1000, int(rng.integers(1 << 30)))
    weights = ResampleWeights.of(len(taken), sampling, METHODS[method])
    testable = np.arange(len(two.keys)) == cell.at
    return float(p_values_of_outputs(two, ("A", "B"), method, weights, testable).p[cell.at])


def swapped_outputs(name: str, cells: Sequence[Cell], n: int, method: str, rounds: int) -> PValues:
    """P-values of so many rounds that were tested, if ten times as many can give them."""
    p_values = PValues()
    for number in range(10 * rounds if cells else 0):
        rng = stream(name, number)
        p_values.add(p_of_swapped(rng, cells[int(rng.integers(len(cells)))], n, method))
        if p_values.tested.hits == rounds:
            break
    return p_values


def outputs(plan: Plan) -> None:
    """False positives when two outputs are compared."""
    units = dict.fromkeys(unit for _, unit in plan.places())
    for method in TESTS:
        plan.report.title(f"False positives, two outputs, {method}")
        rounds, rows = plan.part(1 if method == TESTS[0] else 0.4), list[list[str]]()
        for metric, unit in product(CELLS, units):
            every = [
                cell
                for population, population_unit in plan.places()
                if population_unit == unit
                for cell in cells_of(population, metric, unit)
            ]
            p_values = {}
            for n in SIZES:
                cells = [cell for cell in every if large_enough(cell, n)]
                name = f"{method}, {metric}, {unit}s, n = {n}"
                p_values[n] = swapped_outputs(name, cells, n, method, rounds)
                plan.report.check_p(name, p_values[n])
            rows += p_rows((metric, unit), list(p_values.values()))
        header = ["metric", "unit", "share", *(f"n = {n}" for n in SIZES)]
        plan.report.table(header, rows, 3)


def p_rows(names: tuple[str, ...], p_values: Sequence[PValues]) -> Iterator[list[str]]:
    """A row for what was tested, and one for each alpha."""
    shares = [
        f"{100 * values.tested.value:.0f}" if values.tested.of else NONE for values in p_values
    ]
    yield [*names, "tested", *shares]
    for alpha in ALPHAS:
        yield [*names, f"p < {alpha:g}", *(str(values.small[alpha]) for values in p_values)]


# Families: is anything starred?


def stars(rng: np.random.Generator, population: Population, unit: str, size: int) -> set[str]:
    """The families in which something is starred, though there is no difference."""
    pairs = pairs_of_outputs(population)
    first, second = pairs[rng.integers(len(pairs))]
    taken = rng.permutation(len(population.members(unit)))[:size]
    swapped = rng.random(len(taken)) < 0.5
    sides = {"A": [first], "B": [second]}
    evidence = evidence_drawn(population, unit, taken, sides, swapped)
    comparison = compare(
        Results([evidence], rows=[]),
        "A",
        "B",
        metrics=["f1", "recall", "ter"],  # each of the families asks about one of these
        matches=["exact", "bilou", "io"],
        samples=2000,
        seed=int(rng.integers(1 << 30)),
        resample=unit,
    )
    starred = [row for row in comparison.rows if (row["p_corrected"] or 1.0) < ALPHA]
    return {row["family"] for row in starred}


def families(plan: Plan) -> None:
    """How often a family has a star."""
    plan.report.title("Family-wise error, two outputs, all cells, Holm")
    rows = []
    for unit, size in ((unit, size) for unit, sizes in FAMILY_SIZES.items() for size in sizes):
        usable = [
            population
            for population, population_unit in plan.places()
            if population_unit == unit and pairs_of_outputs(population)
        ]
        shares = {name: Share() for name in (*FAMILIES, "any")}
        for number in range(plan.part(0.5) if usable else 0):
            rng = stream("families", unit, size, number)
            starred_families = stars(rng, usable[number % len(usable)], unit, size)
            for name, share in shares.items():
                share.add(
                    name in starred_families
                    if name != "any"
                    else bool(starred_families & set(FAMILIES))
                )
        for name in FAMILIES:
            plan.report.check_stars(f"family {name}, {size} {unit}s", shares[name])
        rows.append([f"{size} {unit}s", *shares.values()])
    plan.report.table(["drawn", *FAMILIES, "any of them"], rows, 1)


# Runs: no difference, since both sides are of one recipe.


def p_of_recipes(clustered: ClusterCounts) -> Iterator[tuple[CellKey, float]]:
    """The p-value of every number, NaN where it is not tested."""
    differing = clustered.differing("A", "B").number()
    two = SystemPair(jackknife(clustered), "A", "B", differing, ABOUT_RECIPES)
    testable = (differing >= fewest_differing(ALPHA)) & (two.clusters >= 2)
    p = np.where(testable, two.p_at(0.0), np.nan)
    return zip(clustered.keys, p.tolist(), strict=True)


def seeds(plan: Plan) -> None:
    """False positives between disjoint sets of real seeds of one system."""
    plan.report.title("False positives, disjoint sets of real seeds of one system")
    fewest = max(map(sum, SEEDS))
    usable = [
        (population, runs)
        for population in plan.populations
        for runs in systems_with_runs(population, fewest)
    ]
    plan.report.say(f"{len(usable)} systems with {fewest} seeds or more; sentences are drawn.")
    if not usable:
        return
    rows = []
    for (ours, theirs), size in product(SEEDS, (60, 200, 800)):
        p_values = {name: PValues() for name in SHOWN}
        for number in range(plan.part(0.5)):
            rng = stream("seeds", ours, theirs, size, number)
            population, runs = usable[number % len(usable)]
            picked = rng.permutation(runs)[: ours + theirs].tolist()
            sides = {"A": picked[:ours], "B": picked[ours:]}
            taken = rng.permutation(len(population.members(SENTENCE)))[:size]
            for board in BOARDS:
                two = drawn(population.clustered(board, SENTENCE), taken, sides)
                add_named(p_values, p_of_recipes(two))
        for name, values in p_values.items():
            plan.report.check_p(f"seeds {ours} v {theirs}, {size} sentences, {name}", values)
        for row in zip(*(p_rows((), [values]) for values in p_values.values()), strict=True):
            rows.append([f"{ours} v {theirs}", size, row[0][0], *(cells[1] for cells in row)])
    plan.report.table(["runs", "sentences", "share", *SHOWN], rows, 3)


def add_named(p_values: dict[str, PValues], values: Iterator[tuple[CellKey, float]]) -> None:
    """Count the p-values of numbers that are shown."""
    for key, p in values:
        name = shown_name(key)
        if name is not None:
            p_values[name].add(p)


def simulated_runs(plan: Plan) -> None:
    """False positives between simulated systems that are equally good."""
    plan.report.title("False positives, simulated runs of equally good systems")
    rows = []
    for (spread, size), (ours, theirs) in product(product(SPREADS, (60, 500)), RUNS):
        model, p_values = Model(SPREADS[spread]), {name: PValues() for name in MENTIONS}
        for number in range(plan.part(1)):
            rng = stream(spread, ours, theirs, size, number)
            two = model.clustered(rng, size, {"A": ours, "B": theirs})
            for key, p in p_of_recipes(two):
                p_values[key.metric].add(p)
        shares = []
        for name, values in p_values.items():
            plan.report.check_p(
                f"simulated {ours} v {theirs}, spread {spread}, {size} sentences, {name}", values
            )
            shares += [values.small[alpha] for alpha in ALPHAS]
        rows.append([spread, size, f"{ours} v {theirs}", *shares])
    header = [f"{name} < {alpha:g}" for name in MENTIONS for alpha in ALPHAS]
    plan.report.table(["spread of runs", "sentences", "runs", *header], rows, 3)


def runs(plan: Plan) -> None:
    """False positives between recipes."""
    seeds(plan)
    simulated_runs(plan)


# Intervals: do they hold the truth?


def cover(
    coverages: dict[str, Covered], clustered: ClusterCounts, system: str, truth: Floats
) -> None:
    """Count the intervals of a system."""
    spread = jackknife(clustered, paired=False)
    clusters = spread.clusters[spread.systems.index(system)]
    shown = zip(spread.keys, intervals(spread, system, ALPHA), truth, clusters, strict=True)
    for key, interval, true, size in shown:
        name = shown_name(key)
        if name is not None and true == true:
            coverages[name].add(interval, float(true), float(size))


def covered(population: Population, unit: str, size: int, rounds: int) -> dict[str, Covered]:
    """Intervals of outputs on clusters that are drawn from a population with replacement."""
    coverages = {name: Covered() for name in SHOWN}
    for number in range(rounds):
        rng = stream(population.name, unit, size, number)
        run = int(rng.integers(len(population.evidence.runs)))
        taken = rng.integers(0, len(population.members(unit)), size)
        for board in BOARDS:
            whole = population.clustered(board, unit)
            cover(coverages, drawn(whole, taken, {"A": [run]}), "A", whole.values[run])
    return coverages


def coverage(plan: Plan) -> None:
    """Coverage of the intervals of single outputs."""
    for population, unit in plan.places():
        plan.report.title(f"Coverage of 95 % intervals, {population.name}, {unit}s drawn")
        coverages = {
            size: covered(population, unit, size, plan.part(0.5 if size > 500 else 1))
            for size in DRAWN[unit]
        }
        covered_table(plan, f"{population.name}, ", unit, coverages)


def covered_table(
    plan: Plan, where: str, unit: str, coverages: dict[int, dict[str, Covered]]
) -> None:
    """Metrics as rows, numbers of clusters as columns."""
    for size, by_name in coverages.items():
        for name, covered_share in by_name.items():
            plan.report.check_covered(f"{where}{size} {unit}s, {name}", covered_share)
    rows = [[name, *(by_name[name] for by_name in coverages.values())] for name in SHOWN]
    plan.report.table(["metric", *(f"{size} {unit}s" for size in coverages)], rows, 1)


def means(plan: Plan) -> None:
    """Coverage of the intervals of means over simulated runs."""
    plan.report.title("Coverage of 95 % intervals, means over simulated runs")
    rows = []
    for spread, size, k in product(SPREADS, (30, 100, 500), (2, 3, 5, 10)):
        model = Model(SPREADS[spread])
        truth = model.truth()
        coverages = {("F1" if name == "f1" else name): Covered() for name in MENTIONS}
        for number in range(plan.part(1)):
            clustered = model.clustered(stream("means", spread, size, k, number), size, {"A": k})
            true = np.array([truth[key.metric] for key in clustered.keys])
            cover(coverages, clustered, "A", true)
        for name, covered_share in coverages.items():
            plan.report.check_covered(
                f"mean of {k}, spread {spread}, {size} sent., {name}", covered_share
            )
        rows.append([spread, size, k, *coverages.values()])
    plan.report.table(["spread of runs", "sentences", "runs", *MENTIONS], rows, 3)


# Differences: intervals as they are shown, beside their p-values.


def differences_between(
    evidence: Evidence, unit: str, question: ComparisonPlan, seed: int
) -> list[Difference]:
    """The numbers of the boards for two systems."""
    metrics = [metric for board in BOARDS for metric in board.metrics]
    chosen = narrow_evidence(evidence, ["all", "hard"], metrics, [board.match for board in BOARDS])
    return differences(chosen, [("A", "B")], Sampling(unit, 1000, seed), question)


def disagree(difference: Difference) -> bool:
    """Whether p says one thing and the interval another."""
    if difference.interval is None:
        return difference.p < ALPHA
    return (difference.p < ALPHA) != (difference.interval[0] > 0 or difference.interval[1] < 0)


def true_differences(population: Population, first: int, second: int) -> dict[CellKey, float]:
    """The differences of two runs on everything."""
    differences_by_cell = dict[CellKey, float]()
    for board in BOARDS:
        whole = population.clustered(board, SENTENCE)
        both = whole.values[first] - whole.values[second]
        differences_by_cell.update(zip(whole.keys, both.tolist(), strict=True))
    return differences_by_cell


def differences_drawn(
    population: Population, unit: str, size: int, rounds: int, disagreed: dict[str, Share]
) -> dict[str, Covered]:
    """Intervals of differences on clusters that are drawn with replacement."""
    coverages, pairs = {name: Covered() for name in SHOWN}, pairs_of_outputs(population)
    for number in range(rounds):
        rng = stream("pairs", population.name, unit, size, number)
        first, second = pairs[rng.integers(len(pairs))]
        truth = true_differences(population, first, second)
        taken = rng.integers(0, len(population.members(unit)), size)
        evidence = evidence_drawn(population, unit, taken, {"A": [first], "B": [second]})
        method = TESTS[number % len(TESTS)]
        for cell in differences_between(evidence, unit, ComparisonPlan(method), number):
            disagreed[method].add(disagree(cell))
            name, true = shown_name(cell.key), truth[cell.key]
            if name is not None and true == true:
                coverages[name].add(cell.interval, true, float(cell.pair.clusters[cell.at]))
    return coverages


def recipes_disagree(plan: Plan, share: Share) -> None:
    """Count disagreement between recipes of different systems."""
    for population in plan.populations:
        sets = list(systems_with_runs(population, 2))
        for number in range(plan.part(0.1) if len(sets) > 1 else 0):
            rng = stream("recipes", population.name, number)
            ours, theirs = rng.permutation(len(sets))[:2]
            sides = {
                "A": sets[ours][: rng.integers(2, len(sets[ours]) + 1)],
                "B": sets[theirs][: rng.integers(1, len(sets[theirs]) + 1)],
            }
            taken = rng.integers(0, len(population.members(SENTENCE)), rng.choice([30, 100, 500]))
            evidence = evidence_drawn(population, SENTENCE, taken, sides)
            for cell in differences_between(evidence, SENTENCE, ComparisonPlan(), number):
                share.add(disagree(cell))


def both(plan: Plan) -> None:
    """Coverage of the intervals of differences, and whether they agree with the tests."""
    disagreed = {name: Share() for name in (*TESTS, ABOUT_RECIPES)}
    for population, unit in plan.places():
        if not pairs_of_outputs(population):
            continue
        plan.report.title(f"Coverage of 95 % intervals of differences, {population.name}, {unit}s")
        coverages = {
            size: differences_drawn(
                population, unit, size, plan.part(0.2 if size > 500 else 0.4), disagreed
            )
            for size in BOTH_DRAWN[unit]
        }
        covered_table(plan, f"difference, {population.name}, ", unit, coverages)
    recipes_disagree(plan, disagreed[ABOUT_RECIPES])
    plan.report.title("Numbers whose p and interval disagree")
    rows = [[name, share.hits, share.of] for name, share in disagreed.items()]
    plan.report.table(["test", "disagree", "of"], rows, 1)
    for name, share in disagreed.items():
        if share.hits:
            plan.report.broken.append(f"p and interval disagree in {share.hits} numbers, {name}")


# Power: what is found in real pairs.


def power(plan: Plan) -> None:
    """How many cells each test finds."""
    plan.report.title("Cells with n >= 100 of real pairs, found at 0.05 (not corrected)")
    rows, whole = [], np.zeros(len(TESTS) + 2, np.int64)
    for population in plan.populations:
        if pairs_of_outputs(population):
            counts = significant_counts(population)
            rows.append([population.name, *counts.tolist(), ratio_of(counts)])
            whole += counts
    rows.append(["all", *whole.tolist(), ratio_of(whole)])
    plan.report.table(["corpus", "cells", *TESTS, "by both", "ratio"], rows, 1)


def significant_counts(population: Population) -> Ints:
    """Cells, what each test finds, and what both find."""
    firsts = sorted({run for pair in pairs_of_outputs(population) for run in pair})
    results = Results([only_runs(population.evidence, firsts)], rows=[])
    metrics = [*MENTIONS, "macro_f1", "accuracy", "ter", "hardeval"]
    matches = ["exact", "label", "bilou", "io"]
    is_significant = [
        [
            (row["p"] or 1.0) < ALPHA
            for row in compare(
                results, metrics=metrics, matches=matches, method=method, samples=1000
            ).rows
            if row["n"] >= 100
        ]
        for method in TESTS
    ]
    decisions = np.array(is_significant)
    return np.array([decisions.shape[1], *decisions.sum(axis=1), decisions.all(axis=0).sum()])


def ratio_of(counts: Ints) -> str:
    """What the first test finds, against the second."""
    return f"{counts[1] / counts[2]:.2f}" if counts[2] else NONE


PARTS: dict[str, Callable[[Plan], None]] = {
    "outputs": outputs,
    "families": families,
    "runs": runs,
    "coverage": coverage,
    "means": means,
    "differences": both,
    "power": power,
}


def conclude(report: Report) -> None:
    """List what breaks a limit."""
    report.title("Limits that are broken")
    report.say(f"{len(report.broken)} of {report.checked} shares that were held against a limit.")
    for line in report.broken:
        print(f"- {line}")


def main() -> None:
    """Print all tables."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--corpus", type=Path, action="append", default=[], metavar="DIR")
    parser.add_argument("--rounds", type=int, help="default: 800; 40 with --quick")
    parser.add_argument("--part", action="append", choices=list(PARTS), metavar="NAME")
    parser.add_argument("--quick", action="store_true", help="few rounds: does it all work?")
    options = parser.parse_args()
    rounds = options.rounds or (40 if options.quick else 800)
    arguments = [f"--corpus {folder.name}" for folder in options.corpus] + [f"--rounds {rounds}"]
    arguments += [f"--part {name}" for name in options.part or ()]
    print(f"`python studies/calibration.py {' '.join(arguments)}`, {date.today()}")
    print(f"load {os.getloadavg()[0]:.2f} on {os.cpu_count()} cores\n", flush=True)
    begin = time.perf_counter()
    plan = Plan([population_of(folder) for folder in options.corpus], rounds, Report())
    for population in plan.populations:
        for note in population.notes:
            plan.report.say(note)
    for name in options.part or PARTS:
        start = time.perf_counter()
        PARTS[name](plan)
        took, load = time.perf_counter() - start, os.getloadavg()[0]
        print(f"{name}: {took:.0f} s, load {load:.2f}", file=sys.stderr, flush=True)
    conclude(plan.report)
    print(f"\n{time.perf_counter() - begin:.0f} s, load {os.getloadavg()[0]:.2f} at the end")


if __name__ == "__main__":
    main()
