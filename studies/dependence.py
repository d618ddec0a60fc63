"""Measure what neighbours and names that are alike do to intervals, and what blocks and two-way
clusters make of it.

    python studies/dependence.py [--rounds N] [--part NAME …] RESULTS.json|FOLDER …

Results are those of `evaluate -o`; a folder has test.txt, train.txt and systems/NAME.SEED.txt. Each
system is taken by its first run. The truth is the value on the whole file. Parts:

ratio       the variance over blocks of 20, 40 and 80 neighbours, in terms of that over sentences
note        how often the note on neighbours comes where there is nothing to note: after shuffling
neighbours  coverage of 95 % intervals on runs of 200 neighbouring sentences
blocks      the same where 200 sentences are 10 blocks of 20 from anywhere: near likeness alone
names       the same where sentences and surfaces are both drawn anew, with all mentions in them

Shares are in percent, means over systems, with their standard error over rounds. In the part
`neighbours`, rounds overlap: a file of 1,600 sentences has but 8 distinct runs of 200.
"""

import argparse
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from zlib import crc32

import numpy as np

from nerscope import Results
from nerscope.corpus.arrays import Ints
from nerscope.scoring.cluster_units import BlockCount, block_size
from nerscope.scoring.evidence import Evidence, Ledger, Units, only_runs
from nerscope.stats.clusters import ClusterCounts, clusters_of
from nerscope.stats.intervals import Interval, cluster_variance, intervals
from nerscope.stats.jackknife import Jackknife, jackknife
from nerscope.stats.neighbours import MUCH, neighbour_ratio
from nerscope.stats.system_pair import SystemPair
from nerscope.stats.two_way import Crossing, by_surface, crossed, with_block_degrees
from populations import Board, Population, population_of
from shares import Report

BOARD = Board("all", "exact", ("f1",))
SIZE, BLOCK = 200, 20
UNITS = ("sentence", "block:20", "block:40")
ONE, TWO = "F1", "difference"


@dataclass(slots=True)
class Coverage:
    """By round, the share of systems (or pairs) whose interval holds the truth, and its length."""

    inside: list[float] = field(default_factory=list)
    length: list[float] = field(default_factory=list)

    def add(self, bounds: Sequence[Interval], truths: Sequence[float]) -> None:
        """One more round."""
        known = [(pair, truth) for pair, truth in zip(bounds, truths, strict=True) if pair]
        if known:
            self.inside.append(float(np.mean([low <= t <= high for (low, high), t in known])))
            self.length.append(float(np.mean([high - low for (low, high), _ in known])))

    def __str__(self) -> str:
        rounds = np.array(self.inside)
        error = rounds.std(ddof=1) / np.sqrt(len(rounds))
        length = 100 * float(np.mean(self.length))
        return f"{100 * rounds.mean():.1f} ± {100 * error:.1f} ({length:.1f})"


class Study:
    """One population: the first runs of its systems, and their F1 on all of it."""

    def __init__(self, population: Population) -> None:
        evidence = population.evidence
        firsts = [evidence.runs_of(system)[0] for system in evidence.systems]
        self.name = population.name
        self.evidence = only_runs(evidence, self._distinct(evidence, firsts))
        self.evidence = replace(self.evidence, documents=np.zeros_like(evidence.documents))
        self.population = Population(population.name, self.evidence)
        self.whole = self.population.clustered(BOARD, "sentence")
        self.systems = self.whole.systems
        self.values = [float(value) for value in self.whole.values[:, 0]]
        around = [*range(1, len(self.systems)), 0] if len(self.systems) > 2 else [1]
        self.pairs = list(zip(range(len(around)), around, strict=True))
        self.rng = np.random.default_rng(crc32(population.name.encode()))

    @staticmethod
    def _distinct(evidence: Evidence, runs: Sequence[int]) -> list[int]:
        """The runs that are no copies of earlier ones and find anything."""
        ledger, known = evidence.mentions, dict[bytes, int]()
        for run in runs:
            credit = ledger.runs[run].gold_credit["exact"]
            if credit.any():
                known.setdefault(credit.astype(np.float64).tobytes(), run)
        return list(known.values())

    def score(self, spread: Jackknife, clustered: ClusterCounts) -> "Round":
        """The intervals of all systems and of some pairs."""
        singles = [intervals(spread, system)[0] for system in self.systems]
        pairs: list[Interval] = []
        for a, b in self.pairs:
            names = self.systems[a], self.systems[b]
            differing = clustered.differing(*names).number()
            low, high = SystemPair(spread, *names, differing).bounds(0.05)
            pairs.append(None if np.isnan(low[0]) else (float(low[0]), float(high[0])))
        return {ONE: singles, TWO: pairs}

    @property
    def truths(self) -> dict[str, list[float]]:
        """What the intervals should hold."""
        return {
            ONE: self.values,
            TWO: [self.values[a] - self.values[b] for a, b in self.pairs],
        }


Round = dict[str, list[Interval]]


def ratios(study: Study) -> list[str]:
    """The variance over blocks, in terms of that over sentences; of F1 and of differences."""
    spreads = {
        unit: jackknife(study.population.clustered(BOARD, unit))
        for unit in ("sentence", "block:20", "block:40", "block:80")
    }
    rows = []
    for size in (20, 40, 80):
        block, sentence = spreads[f"block:{size}"], spreads["sentence"]
        single = [
            cluster_variance(block, at)[0] / cluster_variance(sentence, at)[0]
            for at in range(len(study.systems))
        ]
        pairs = [_contrast(block, *pair) / _contrast(sentence, *pair) for pair in study.pairs]
        rows.append(f"{np.mean(single):.2f}, {np.mean(pairs):.2f}")
    return rows


def _contrast(spread: Jackknife, a: int, b: int) -> float:
    moved = spread.largest(lambda of: of[a, a] + of[b, b] - 2 * of[a, b])[0]
    return float(moved * (1 - 1 / spread.clusters[[a, b]].max(axis=0)[0]))


def false_notes(study: Study, rounds: int) -> list[str]:
    """How often the note would come for shuffled sentences: 400 of them, and all."""
    shares = []
    singles = [(system,) for system in study.systems]
    for size in (400, len(study.evidence.documents)):
        noted = []
        for _ in range(rounds):
            order = study.rng.permutation(len(study.evidence.documents))[:size]
            ratio = neighbour_ratio(_reordered(study.evidence, order), singles, "sentence")
            noted.append(ratio is not None and ratio > MUCH)
        error = np.std(noted) / np.sqrt(rounds)
        shares.append(f"{100 * np.mean(noted):.1f} ± {100 * error:.1f}")
    return shares


def _reordered(evidence: Evidence, order: Ints) -> Evidence:
    """Some sentences in another order."""
    places = np.full(len(evidence.documents), -1)
    places[order] = np.arange(len(order))

    def moved(units: Units) -> tuple[Units, Ints]:
        chosen = np.flatnonzero(places[units.sentence] >= 0)
        return Units(places[units.sentence[chosen]], units.type[chosen]), chosen

    ledger = _picked(evidence.mentions, moved)
    return replace(evidence, ledgers={"mention": ledger}, documents=np.zeros(len(order), np.int64))


def _picked(ledger: Ledger, pick: Callable[[Units], tuple[Units, Ints]]) -> Ledger:
    """A ledger of some units, which may recur, with the exact credit that they have."""
    gold, of_gold = pick(ledger.gold)
    runs = []
    for run in ledger.runs:
        pred, of_pred = pick(run.pred)
        runs.append(
            replace(
                run,
                pred=pred,
                gold_credit={"exact": run.gold_credit["exact"][of_gold]},
                pred_credit={"exact": run.pred_credit["exact"][of_pred]},
                gold_kind={},
                pred_kind={},
                surfaces=None,
            )
        )
    return Ledger(gold, tuple(runs))


def coverage(study: Study, rounds: int, draw: Callable[[Study], Ints]) -> Mapping[str, Coverage]:
    """Coverage by number and cluster unit, where 200 sentences are drawn in some way."""
    found = {f"{kind}, {unit}": Coverage() for kind in (ONE, TWO) for unit in UNITS}
    truths, n_runs = study.truths, np.arange(len(study.systems))
    for _ in range(rounds):
        counts = study.whole.counts[draw(study)]
        for unit in UNITS:
            blocks = BlockCount(block_size(unit) or 1).number(np.zeros(len(counts), np.int64))
            starts = np.flatnonzero(np.diff(blocks, prepend=-1))
            added = np.add.reduceat(counts, starts)
            clustered = study.whole.with_counts(added, study.systems, n_runs)
            spread = with_block_degrees(jackknife(clustered), unit)
            scored = study.score(spread, clustered)
            for kind, bounds in scored.items():
                found[f"{kind}, {unit}"].add(bounds, truths[kind])
    return found


def a_run_of_neighbours(study: Study) -> Ints:
    """200 neighbours at a random place."""
    first = study.rng.integers(0, len(study.evidence.documents) - SIZE + 1)
    return np.arange(first, first + SIZE)


def blocks_from_anywhere(study: Study) -> Ints:
    """Ten blocks of 20 neighbours, drawn with replacement."""
    firsts = study.rng.integers(0, len(study.evidence.documents) // BLOCK, SIZE // BLOCK) * BLOCK
    return np.asarray((firsts[:, None] + np.arange(BLOCK)).ravel())


def names_drawn(study: Study, rounds: int) -> Mapping[str, Coverage]:
    """Coverage where both sentences and surfaces are drawn with replacement (Owen 2007).

    A sentence that is drawn twice is two clusters, and so is a surface; a mention comes as often
    as its sentence and its surface do together.
    """
    named = by_surface(study.evidence)
    assert named is not None
    units = ("sentence", "sentence,surface")
    found = {f"{kind}, {unit}": Coverage() for kind in (ONE, TWO) for unit in units}
    for _ in range(rounds):
        place, surface = _draw_both(study, named)
        both = _pairs_of(place, surface)
        clustered = ClusterCounts(
            *(place, study.whole.table, "exact", study.systems),
            clusters_of(place, "sentence"),
        )
        others = Crossing(surface, both).counts(clustered)
        one_way = jackknife(clustered)
        two_way = crossed(one_way, *(jackknife(other) for other in others))
        for unit, spread in zip(units, (one_way, two_way), strict=True):
            scored = study.score(spread, clustered)
            for kind, bounds in scored.items():
                found[f"{kind}, {unit}"].add(bounds, study.truths[kind])
    return found


def _draw_both(study: Study, named: Evidence) -> tuple[Evidence, Evidence]:
    """The drawn mentions, by sentence and by surface."""
    sizes = len(study.evidence.documents), len(named.documents)
    times = [np.bincount(study.rng.integers(0, n, n), minlength=n) for n in sizes]
    firsts = [np.cumsum(often) - often for often in times]
    sides = zip(_sides(study.evidence.mentions), _sides(named.mentions), strict=True)
    by_id = {id(units): names.sentence for units, names in sides}

    def drawn(units: Units, by_place: bool) -> tuple[Units, Ints]:
        sentence, name = units.sentence, by_id[id(units)]
        often = times[0][sentence] * times[1][name]
        rows = np.repeat(np.arange(len(often)), often)
        copy = np.arange(len(rows)) - np.repeat(np.cumsum(often) - often, often)
        in_name = times[1][name[rows]]
        groups = (
            firsts[0][sentence[rows]] + copy // in_name
            if by_place
            else firsts[1][name[rows]] + copy % in_name
        )
        return Units(groups, units.type[rows]), rows

    def evidence(by_place: bool) -> Evidence:
        ledger = _picked(study.evidence.mentions, lambda units: drawn(units, by_place))
        documents = np.zeros(sizes[0 if by_place else 1], np.int64)
        changed = replace(study.evidence, ledgers={"mention": ledger}, documents=documents)
        return replace(changed, texts=None, lines=None)

    return evidence(True), evidence(False)


def _sides(ledger: Ledger) -> list[Units]:
    return [ledger.gold, *(run.pred for run in ledger.runs)]


def _pairs_of(place: Evidence, surface: Evidence) -> Evidence:
    """The drawn mentions by sentence and surface together."""
    sides = list(zip(_sides(place.mentions), _sides(surface.mentions), strict=True))
    keys = [one.sentence * len(surface.documents) + other.sentence for one, other in sides]
    distinct, numbers = np.unique(np.concatenate(keys), return_inverse=True)
    groups = np.split(numbers, np.cumsum([len(side) for side in keys])[:-1])
    gold, *preds = (
        replace(units, sentence=group)
        for units, group in zip(_sides(place.mentions), groups, strict=True)
    )
    runs = zip(place.mentions.runs, preds, strict=True)
    ledger = Ledger(gold, tuple(replace(run, pred=pred) for run, pred in runs))
    return replace(place, ledgers={"mention": ledger}, documents=np.zeros(len(distinct), np.int64))


PARTS = ("ratio", "note", "neighbours", "blocks", "names")


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", nargs="+", type=Path)
    parser.add_argument("--rounds", type=int, default=200)
    parser.add_argument("--part", action="append", choices=PARTS)
    given = parser.parse_args()
    report = Report()
    studies = [
        Study(population_of(path) if path.is_dir() else _loaded(path)) for path in given.data
    ]
    for part in given.part or PARTS:
        report.title(f"{part} ({given.rounds} rounds)")
        rows = list[Sequence[object]]()
        header = list[str]()
        for study in studies:
            cells = _cells(part, study, given.rounds)
            header = list(cells)
            rows.append([study.name, len(study.evidence.documents), len(study.systems)])
            rows[-1] = [*rows[-1], *cells.values()]
        report.table(["data", "sentences", "systems", *header], rows, 1)


def _loaded(path: Path) -> Population:
    return Population(path.stem, Results.load(path).evidence[0])


def _cells(part: str, study: Study, rounds: int) -> Mapping[str, object]:
    """One row of a table, by column."""
    if part == "ratio":
        names = [f"block:{size}, F1 and difference" for size in (20, 40, 80)]
        return dict(zip(names, ratios(study), strict=True))
    if part == "note":
        return dict(zip(["400 sentences", "all"], false_notes(study, rounds), strict=True))
    if part == "names":
        return names_drawn(study, rounds)
    draw = a_run_of_neighbours if part == "neighbours" else blocks_from_anywhere
    return coverage(study, rounds, draw)


if __name__ == "__main__":
    main()
