"""Measure whether `power` predicts what `compare` finds.

    python studies/power.py [--rounds N] [--part NAME …] FOLDER …

A folder has test.txt, train.txt and systems/NAME.txt or systems/NAME.SEED.txt. Parts:

size   two outputs, their difference on everything taken as the true one: the share of test sets of
       the size "needed" in which it is found (asked: 80 %); "needed" from everything, and from a
       sample of a third, whose interval should hold the number from everything in 95 %
model  runs of simulated systems: the power that the design predicts, and the share found
seeds  the same for real seeds, drawn with replacement as if they were all that training can give

Shares are in percent, with their Monte-Carlo error.
"""

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from zlib import crc32

import numpy as np

from nerscope.corpus.arrays import Ints
from nerscope.results.needed import PowerRow, design_of, power
from nerscope.results.results import Results
from nerscope.stats.clusters import CellKey, ClusterCounts
from nerscope.stats.draws import ResampleWeights, p_values_of_outputs
from nerscope.stats.intervals import Sampling
from nerscope.stats.jackknife import jackknife
from nerscope.stats.paired import METHODS
from nerscope.stats.power import Design
from nerscope.stats.system_pair import ABOUT_RECIPES, SystemPair
from populations import SENTENCE, Board, Model, Population, drawn, evidence_drawn, population_of
from shares import Report, Share

ALPHA = 0.05
F1 = Board("all", "exact", ("f1",))
LARGEST = 12_000  # clusters that are drawn for a round
PAIRS = 4  # of each corpus
RUNS = ((2, 0), (2, 4), (3, 0), (5, 0))  # runs on each side, and other systems that lend
MANY = (1500, 200)  # sentences and runs from which the variances of a simulated model are known


def stream(*names: object) -> np.random.Generator:
    """Random numbers of their own for each round of each cell."""
    return np.random.default_rng(crc32(repr(names).encode()))


def p_of_outputs(two: ClusterCounts, seed: int) -> float:
    """The p-value that `compare` gives two outputs."""
    sampling = Sampling(None, 1000, seed)
    weights = ResampleWeights.of(len(two.counts), sampling, METHODS["randomisation"])
    testable = np.ones(len(two.keys), bool)
    return float(p_values_of_outputs(two, ("A", "B"), "randomisation", weights, testable).p[0])


def pair_of_recipes(two: ClusterCounts) -> SystemPair:
    """The two systems of `compare` with several runs each."""
    differing = two.differing("A", "B").number()
    return SystemPair(jackknife(two), "A", "B", differing, ABOUT_RECIPES)


def is_found(pair: SystemPair, sign: float) -> bool:
    """Whether the true difference, of this sign, is significant."""
    return bool(pair.p_at(0.0)[0] < ALPHA and np.sign(pair.difference[0]) == sign)


def needed_of(
    population: Population, unit: str, clusters: Ints, runs: tuple[int, int], points: float
) -> PowerRow:
    """What `power` says of two outputs on some clusters."""
    sides = {"A": [runs[0]], "B": [runs[1]]}
    evidence = evidence_drawn(population, unit, clusters, sides)
    (row,) = power(Results([evidence], rows=[]), "A", "B", difference=points, resample=unit)
    return row


def pairs_with_sizes(
    population: Population, unit: str
) -> Iterator[tuple[tuple[int, int], float, int]]:
    """Pairs of outputs, their difference, and the clusters needed to find it."""
    whole, every = population.clustered(F1, unit), np.arange(len(population.members(unit)))
    systems, shown = population.evidence.systems, 0
    firsts = [population.evidence.runs_of(system)[0] for system in systems]
    for first, second in combinations(firsts, 2):
        truth = float(whole.values[first][0] - whole.values[second][0])
        if shown == PAIRS or not truth:
            continue
        row = needed_of(population, unit, every, (first, second), 100 * abs(truth))
        if row.clusters_needed is not None and 40 <= row.clusters_needed <= LARGEST:
            shown += 1
            yield (first, second), truth, row.clusters_needed


def found_in(
    population: Population, unit: str, runs: tuple[int, int], truth: float, size: int, number: int
) -> bool:
    """Whether `compare` finds a difference in one test set of this size."""
    rng = stream(population.name, unit, runs, size, number)
    taken = rng.integers(0, len(population.members(unit)), size)
    whole = population.clustered(F1, unit)
    two = drawn(whole, taken, {"A": [runs[0]], "B": [runs[1]]})
    sign = float(np.sign(two.values[0][0] - two.values[1][0]))
    return p_of_outputs(two, number) < ALPHA and sign == np.sign(truth)


def size(report: Report, populations: Sequence[Population], rounds: int) -> None:
    """Test sets of the size needed."""
    report.title("Found in test sets of the size that power says (asked: 80 %)")
    rows = []
    for population in populations:
        for unit in population.units[-1:] if rounds < 100 else population.units:
            for runs, truth, needed in pairs_with_sizes(population, unit):
                found, sampled, inside = Share(), Share(), Share()
                third = max(20, len(population.members(unit)) // 3)
                for number in range(rounds):
                    found.add(found_in(population, unit, runs, truth, needed, number))
                    rng = stream("sample", population.name, unit, runs, number)
                    taken = rng.integers(0, len(population.members(unit)), third)
                    row = needed_of(population, unit, taken, runs, 100 * abs(truth))
                    low, high = row.clusters_needed_low or 0, row.clusters_needed_high or 10**9
                    inside.add(low <= needed <= high)
                    if row.clusters_needed and row.clusters_needed <= 3 * LARGEST:
                        there = row.clusters_needed
                        sampled.add(found_in(population, unit, runs, truth, there, number))
                names = [population.evidence.runs[run][0] for run in runs]
                rows.append(
                    [
                        population.name,
                        unit,
                        *names,
                        f"{100 * truth:.2f}",
                        needed,
                        found,
                        sampled,
                        inside,
                    ]
                )
    header = ["corpus", "drawn", "A", "B", "points", "needed", "found", "from a third", "interval"]
    report.table(header, rows, 4)


def model(report: Report, populations: Sequence[Population], rounds: int) -> None:
    """Simulated runs, which are normal on the logit scale; others lend their variance, or none."""
    report.title("Power of recipes: predicted and found, simulated runs, 500 sentences")
    rows = []
    for spread in (0.03, 0.1, 0.2):
        for advantage in (0.15, 0.3, 0.6):
            ours = Model(spread, advantage=advantage)
            better = replace(ours, strength=ours.strength + advantage, advantage=0.0)
            true = better.truth()["f1"] - ours.truth()["f1"]
            design = _known_design(ours)
            for k, lenders in RUNS:
                found, predictions = Share(), list[float]()
                sides = {"A": k, "B": k} | {f"L{at}": k for at in range(lenders)}
                for number in range(rounds):
                    two = ours.clustered(stream(spread, advantage, k, number), 500, sides)
                    pair, at = pair_of_recipes(two), two.keys.index(_f1(two))
                    found.add(bool(pair.p_at(0.0)[at] < ALPHA and pair.difference[at] > 0))
                    there = design_of(pair, at, (k, k))
                    predictions.append(there.power(true, there.clusters, (k, k)))
                clusters = round(500 * design.clusters / MANY[0])
                known = "–" if lenders else f"{100 * design.power(true, clusters, (k, k)):.1f}"
                mean = f"{100 * np.mean(predictions):.1f}"
                runs = f"{k} v {k}" + (f", {lenders} lend" if lenders else "")
                off = _off(float(np.mean(predictions)), found)
                rows.append([spread, f"{100 * true:.2f}", runs, known, mean, found, off])
    header = ["spread of runs", "points", "runs", "variance known", "from the data", "found"]
    report.table([*header, "off by"], rows, 3)


def _known_design(ours: Model) -> Design:
    """The design of a simulated model, from so many runs that its variances are known."""
    sentences, runs = MANY
    rng = stream("large", ours.run_spread, ours.advantage)
    large = ours.clustered(rng, sentences, {"A": runs, "B": runs})
    return design_of(pair_of_recipes(large), large.keys.index(_f1(large)), (runs, runs))


def _off(predicted: float, found: Share) -> str:
    return f"{100 * (predicted - found.value):+.1f}"


def _f1(clustered: ClusterCounts) -> CellKey:
    return next(key for key in clustered.keys if key.metric == "f1")


def seeds(report: Report, populations: Sequence[Population], rounds: int) -> None:
    """Real seeds: two runs of each system, sentences drawn again."""
    report.title("Power of recipes: predicted and found, real seeds drawn with replacement")
    rows = []
    for population in populations:
        runs = {name: population.evidence.runs_of(name) for name in population.evidence.systems}
        several = {name: places for name, places in runs.items() if len(places) >= 5}
        whole = population.clustered(F1, SENTENCE)
        every, m = np.arange(len(whole.counts)), len(whole.counts)
        for a, b in list(combinations(several, 2))[: 2 * PAIRS]:
            both = drawn(whole, every, {"A": several[a], "B": several[b]})
            pair = pair_of_recipes(both)
            truth = float(pair.difference[0])
            design = design_of(pair, 0, (len(several[a]), len(several[b])))
            # The seeds are the whole population here, so their variance has the divisor K.
            smaller = 1 - 2 / (len(several[a]) + len(several[b]))
            design = replace(
                design,
                of_data=design.of_data * smaller,
                of_training=design.of_training * smaller,
            )
            predicted, found = design.power(truth, design.clusters, (2, 2)), Share()
            if not 0.1 <= predicted <= 0.95:
                continue
            for number in range(rounds):
                rng = stream(population.name, a, b, number)
                sides = {
                    side: rng.choice(several[name], 2).tolist()
                    for side, name in (("A", a), ("B", b))
                }
                two = drawn(whole, rng.integers(0, m, m), sides)
                found.add(is_found(pair_of_recipes(two), float(np.sign(truth))))
            rows.append(
                [
                    population.name,
                    a,
                    b,
                    f"{100 * truth:.2f}",
                    f"{100 * predicted:.1f}",
                    found,
                    f"{100 * (predicted - found.value):+.1f}",
                ]
            )
    header = ["corpus", "A", "B", "points", "predicted 2 v 2", "found", "off by"]
    report.table(header, rows, 3)


PARTS = {"size": size, "model": model, "seeds": seeds}


def main() -> None:
    """Run the parts that were chosen."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", nargs="*", type=Path)
    parser.add_argument("--rounds", type=int, default=400)
    parser.add_argument("--part", action="append", choices=PARTS)
    options = parser.parse_args()
    report = Report()
    populations = [population_of(folder, ["all"]) for folder in options.folders]
    for name in options.part or PARTS:
        PARTS[name](report, populations, options.rounds)


if __name__ == "__main__":
    main()
