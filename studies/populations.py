"""Data of which the truth is known: samples of real outputs, and a simulated model.

Real outputs are a population when documents or sentences are drawn from them again; and there is
no difference between two systems when they change places at random in some of them. The simulated
model has sentences of unequal difficulty, systems with strengths of their own on each sentence,
and training runs that differ.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from nerscope import evaluate
from nerscope.corpus.arrays import Bools, Floats, Ints
from nerscope.errors import InputError
from nerscope.scoring.evidence import Evidence, FacetTable, Ledger, Output, Units
from nerscope.stats.clusters import ClusterCounts, clusters_of

Counts = npt.NDArray[np.float32]
SENTENCE, DOCUMENT = "sentence", "document"


class Board(NamedTuple):
    """Some metrics of a facet under a match."""

    facet: str
    match: str
    metrics: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Population:
    """A test set with the outputs of several systems."""

    name: str
    evidence: Evidence
    notes: tuple[str, ...] = ()
    _boards: dict[tuple[Board, str], ClusterCounts] = field(default_factory=dict)
    _members: dict[str, list[Ints]] = field(default_factory=dict)

    @property
    def units(self) -> list[str]:
        """What can be drawn."""
        several = len(np.unique(self.evidence.documents)) > 1
        return [SENTENCE, DOCUMENT] if several else [SENTENCE]

    def table(self, board: Board) -> FacetTable | None:
        """The facet of a board with its metrics alone; None if the population lacks it."""
        for table in self.evidence.tables:
            if table.facet == board.facet and board.match in table.matches:
                return replace(table, metrics={board.match: board.metrics})
        return None

    def clustered(self, board: Board, unit: str) -> ClusterCounts:
        """The counts of all runs, each as one of a system of its own name."""
        if (board, unit) not in self._boards:
            table, clusters = self.table(board), clusters_of(self.evidence, unit)
            assert table is not None
            systems = self.evidence.systems
            made = ClusterCounts(self.evidence, table, board.match, systems, clusters)
            self._boards[board, unit] = made
        return self._boards[board, unit]

    def members(self, unit: str) -> list[Ints]:
        """The sentences of each cluster."""
        if unit not in self._members:
            clusters = clusters_of(self.evidence, unit)
            ends = np.cumsum(np.bincount(clusters))[:-1]
            self._members[unit] = np.split(np.argsort(clusters, kind="stable"), ends)
        return self._members[unit]


def population_of(folder: Path, facets: Sequence[str] | None = None) -> Population:
    """A test set and its systems; outputs that do not fit it are left out, with a note.

    With some facets alone, no training data are read.
    """
    files: dict[str, list[Path]] = {}
    for path in sorted((folder / "systems").glob("*.txt")):
        name, _, seed = path.stem.rpartition(".")
        files.setdefault(name if name and seed.isdigit() else path.stem, []).append(path)
    notes = list[str]()
    for name, paths in list(files.items()):
        try:
            evaluate(folder / "test.txt", {name: paths}, facets=["all"])
        except InputError:
            notes.append(f"{folder.name}: {name} cannot be aligned and is left out")
            del files[name]
    train = folder / "train.txt" if facets is None else None
    results = evaluate(folder / "test.txt", files, train=train, facets=facets)
    return Population(folder.name, results.evidence[0], tuple(notes))


def rebuilt(clustered: ClusterCounts, counts: Counts, sides: Mapping[str, int]) -> ClusterCounts:
    """The same facet with other counts, for systems with so many runs each."""
    owners = np.repeat(np.arange(len(sides)), list(sides.values()))
    return clustered.with_counts(counts, list(sides), owners)


def drawn(
    clustered: ClusterCounts,
    clusters: Ints,
    sides: Mapping[str, Sequence[int]],
    swapped: Bools | None = None,
) -> ClusterCounts:
    """Some clusters and some runs; the two runs may have changed places in some clusters."""
    counts = clustered.counts[clusters]
    runs = [
        counts[..., columns_of_run(clustered, run)]
        for side_runs in sides.values()
        for run in side_runs
    ]
    if swapped is not None:
        left, right = runs
        here = swapped[:, None, None, None]
        runs = [np.where(here, right, left), np.where(here, left, right)]
    every = np.concatenate([counts[..., :1], *runs], axis=-1)
    return rebuilt(clustered, every, {name: len(side_runs) for name, side_runs in sides.items()})


def columns_of_run(clustered: ClusterCounts, run: int) -> slice:
    """Where a run has its counts; the first column is gold's."""
    first = 1 + (clustered.width - 1) * run
    return slice(first, first + clustered.width - 1)


def evidence_drawn(
    population: Population,
    unit: str,
    clusters: Ints,
    sides: Mapping[str, Sequence[int]],
    swapped: Bools | None = None,
) -> Evidence:
    """What an evaluation on some clusters would have gathered, for some runs as systems."""
    evidence, members = population.evidence, population.members(unit)
    chosen = np.concatenate([members[cluster] for cluster in clusters])
    owner = np.repeat(np.arange(len(clusters)), [len(members[cluster]) for cluster in clusters])
    here = np.zeros(len(chosen), bool) if swapped is None else swapped[owner]
    runs = [run for side_runs in sides.values() for run in side_runs]
    others = runs if swapped is None else runs[::-1]
    ledgers = {
        name: _ledger_drawn(ledger, chosen, here, list(zip(runs, others, strict=True)))
        for name, ledger in evidence.ledgers.items()
    }
    names = tuple(
        (name, str(k)) for name, side_runs in sides.items() for k in range(1, len(side_runs) + 1)
    )
    documents = owner if unit == DOCUMENT else np.zeros(len(chosen), np.int64)
    return replace(
        evidence, runs=names, ledgers=ledgers, documents=documents, lines=None, texts=None
    )


def _ledger_drawn(
    ledger: Ledger, chosen: Ints, swapped: Bools, runs: Sequence[tuple[int, int]]
) -> Ledger:
    """Some sentences of a ledger; of each pair of runs the second, where swapped."""
    gold_rows, gold_sentence = _rows(ledger.gold.sentence, chosen, np.arange(len(chosen)))
    gold = _picked(ledger.gold, gold_rows, gold_sentence)
    here = swapped[gold_sentence]
    outputs = []
    for run, other in runs:
        ours, theirs = ledger.runs[run], ledger.runs[other]
        credit = {
            match: np.where(here, theirs.gold_credit[match][gold_rows], credit[gold_rows])
            for match, credit in ours.gold_credit.items()
        }
        parts = [
            (output, *_rows(output.pred.sentence, chosen[where], np.flatnonzero(where)))
            for output, where in ((ours, ~swapped), (theirs, swapped))
        ]
        pred = _joined([_picked(output.pred, rows, sentence) for output, rows, sentence in parts])
        pred_credit = {
            match: np.concatenate([output.pred_credit[match][rows] for output, rows, _ in parts])
            for match in ours.pred_credit
        }
        outputs.append(Output(pred, credit, pred_credit))
    return Ledger(gold, tuple(outputs))


def _rows(sentence: Ints, chosen: Ints, names: Ints) -> tuple[Ints, Ints]:
    """The rows of chosen sentences, which may recur, and the new name of the sentence of each."""
    first, last = (np.searchsorted(sentence, chosen, side) for side in ("left", "right"))
    sizes = last - first
    shift = np.repeat(first - (np.cumsum(sizes) - sizes), sizes)
    return np.arange(sizes.sum()) + shift, np.repeat(names, sizes)


def _picked(units: Units, rows: Ints, sentence: Ints) -> Units:
    codes = {facet: codes_of_facet[rows] for facet, codes_of_facet in units.codes.items()}
    weight = None if units.weight is None else units.weight[rows]
    return Units(sentence, units.type[rows], codes, weight)


def _joined(parts: Sequence[Units]) -> Units:
    codes = {
        facet: np.concatenate([part.codes[facet] for part in parts]) for facet in parts[0].codes
    }
    weights = [part.weight for part in parts if part.weight is not None]
    return Units(
        np.concatenate([part.sentence for part in parts]),
        np.concatenate([part.type for part in parts]),
        codes,
        np.concatenate(weights) if weights else None,
    )


@dataclass(frozen=True, slots=True)
class Model:
    """Sentences, systems and training runs as they are simulated; spreads are on the logit scale.

    A system of this strength has a recall of about 0.8.
    """

    run_spread: float = 0.1
    strength: float = 1.6
    sentence_spread: float = 0.8
    system_spread: float = 0.5
    mentions: float = 1.6  # in a sentence
    spurious: float = 0.15  # predictions in a sentence
    wrong: float = 0.6  # of what is not found, the share for which something else is predicted
    advantage: float = 0.0  # of the first system over the others

    def counts(self, rng: np.random.Generator, size: int, sides: Sequence[int]) -> Counts:
        """The counts of so many sentences, for systems with so many runs each."""
        gold = rng.poisson(self.mentions, size)
        difficulty = rng.normal(0, self.sentence_spread, size)
        columns = [gold]
        for place, n_runs in enumerate(sides):
            strength = difficulty + rng.normal(0, self.system_spread, size)
            strength += 0.0 if place else self.advantage
            for _ in range(n_runs):
                columns += self._run(rng, gold, strength + rng.normal(0, self.run_spread))
        counts = np.stack(columns, axis=-1).astype(np.float32)
        return counts[:, None, None, :]

    def _run(self, rng: np.random.Generator, gold: Ints, strength: Floats) -> list[Ints]:
        hits = rng.binomial(gold, _sigmoid(self.strength + strength))
        pred = hits + rng.binomial(gold - hits, self.wrong) + rng.poisson(self.spurious, len(gold))
        return [hits, pred, hits]

    def truth(self) -> dict[str, float]:
        """The numbers of endlessly many sentences, on the mean over endlessly many runs."""
        spread = np.hypot(self.sentence_spread, self.system_spread)
        nodes, weights = np.polynomial.hermite_e.hermegauss(60)
        weights = weights / weights.sum()
        by_run = self.strength + self.run_spread * nodes
        recall = _sigmoid(by_run[:, None] + spread * nodes) @ weights
        hits = self.mentions * recall
        pred = hits + self.wrong * (self.mentions - hits) + self.spurious
        scores = {
            "recall": recall,
            "precision": hits / pred,
            "f1": 2 * hits / (self.mentions + pred),
        }
        return {name: float(values @ weights) for name, values in scores.items()}

    def clustered(
        self, rng: np.random.Generator, size: int, sides: Mapping[str, int]
    ) -> ClusterCounts:
        """So many sentences, for systems with so many runs each."""
        return rebuilt(_template(), self.counts(rng, size, list(sides.values())), sides)


def _sigmoid(x: Floats) -> Floats:
    return np.asarray(1 / (1 + np.exp(-x)))


def _template() -> ClusterCounts:
    """What counts of the model are put into."""
    units = Units(np.zeros(1, np.int64), np.zeros(1, np.int64))
    output = Output(units, {"exact": np.ones(1)}, {"exact": np.ones(1)})
    metrics = {"exact": ("recall", "precision", "f1")}
    table = FacetTable("all", "mention", {"all": (0,)}, metrics, by_type=False)
    ledgers = {"mention": Ledger(units, (output,))}
    clusters = np.zeros(1, np.int64)
    evidence = Evidence("simulated", ("X",), (("A", "1"),), ledgers, (table,), clusters)
    return ClusterCounts(evidence, table, "exact", ["A"], clusters)


def pairs_of_outputs(population: Population) -> list[tuple[int, int]]:
    """Pairs of runs of different systems, each system by its first run."""
    firsts = [population.evidence.runs_of(system)[0] for system in population.evidence.systems]
    return [(first, second) for k, first in enumerate(firsts) for second in firsts[k + 1 :]]


def systems_with_runs(population: Population, fewest: int) -> Iterator[list[int]]:
    """The runs of each system that has several."""
    for system in population.evidence.systems:
        runs = population.evidence.runs_of(system)
        if len(runs) >= fewest:
            yield runs
