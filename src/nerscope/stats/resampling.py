"""Resampling sentences (or documents): the same random weights serve every cell, every run and
every pair of systems.

A resample is a weight for each cluster: how often it was drawn. The counts of a resample are
weights times counts, so all resamples of a cell are one matrix product over the clusters in which
the cell occurs at all. Above `MOST_CLUSTERS`, clusters are pooled at random into that many groups:
resampling groups has the same variance, and the cost stops growing.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from nerscope.corpus.arrays import Floats, Ints
from nerscope.errors import InputError
from nerscope.scoring.evidence import Division, Evidence
from nerscope.scoring.ledger import Units

MOST_CLUSTERS = 10_000
CLUSTERS = ("sentence", "document")
Weights = npt.NDArray[np.uint8]


def clusters_of(evidence: Evidence, unit: str, seed: int = 0) -> Ints:
    """The cluster of each sentence, numbered from 0."""
    if unit == "document":
        names, clusters = np.unique(evidence.documents, return_inverse=True)
        if len(names) < 2:
            raise InputError(
                evidence.dataset,
                "the data has no document boundaries",
                "resample sentences, or mark documents with -DOCSTART-",
            )
    else:
        clusters = np.arange(len(evidence.documents))
    size = int(clusters.max()) + 1
    if size <= MOST_CLUSTERS:
        return clusters
    groups = np.random.default_rng(seed).permutation(size) % MOST_CLUSTERS
    return groups[clusters]


def bootstrap_weights(n_clusters: int, samples: int, seed: int) -> Weights:
    """How often each cluster (row) is drawn in each resample (column), drawing as many as there
    are, with replacement.
    """
    rng = np.random.default_rng(seed)
    weights = np.zeros((n_clusters, samples), np.uint8)
    step = max(1, 2_000_000 // n_clusters)
    for first in range(0, samples, step):
        width = min(step, samples - first)
        drawn = rng.integers(0, n_clusters, (n_clusters, width))
        drawn *= width
        drawn += np.arange(width)
        weights[:, first : first + width] = np.bincount(
            drawn.ravel(), minlength=n_clusters * width
        ).reshape(n_clusters, width)
    return weights


def swap_weights(n_clusters: int, samples: int, seed: int) -> Weights:
    """For each cluster and round, whether the outputs of the two systems change places."""
    rng = np.random.default_rng(seed)
    return rng.integers(0, 2, (n_clusters, samples), dtype=np.uint8)


RunShares = npt.NDArray[np.float32]


def run_shares(system: str, n_runs: int, samples: int, seed: int) -> RunShares | None:
    """The share of each run (row) in the mean of each resample (column), from drawing runs with
    replacement.

    One run fewer is drawn than there are. Drawing all of them would make the variance of the mean
    too small by the factor (k - 1) / k, which matters for few runs. The name takes part in the
    seed, so that systems are drawn independently, whoever else is in the results.
    """
    if n_runs < 2:
        return None
    rng = np.random.default_rng([seed, *system.encode()])
    drawn = rng.multinomial(n_runs - 1, [1 / n_runs] * n_runs, samples)
    return (drawn.T / (n_runs - 1)).astype(np.float32)


@dataclass(frozen=True, slots=True, eq=False)
class CellCounts:
    """The counts of one cell in the clusters where it occurs: the distinct columns, and whose.

    Columns are gold, then all others of each run. Many are equal: under exact match, hits are the
    same on both sides; where nothing is predicted, they are all zero.
    """

    cell: int
    support: Ints
    distinct: npt.NDArray[np.float32]  # distinct columns, clusters
    place: Ints  # of each column among the distinct ones


@dataclass(frozen=True, slots=True, eq=False)
class ClusterCounts:
    """The counts of one facet and match in every cluster, cell by cell, for all runs."""

    n_codes: int
    n_types: int
    n_runs: int
    width: int  # columns of a run, gold among them
    cells: list[CellCounts]

    @property
    def n_columns(self) -> int:
        """Gold once, then the others of each run."""
        return 1 + (self.width - 1) * self.n_runs

    @property
    def n_rows(self) -> int:
        """How many distinct columns there are in all cells together."""
        return sum(len(cell.distinct) for cell in self.cells)

    def columns_of(self, run: int) -> list[int]:
        """Where the columns of a run stand."""
        first = 1 + (self.width - 1) * run
        return [0, *range(first, first + self.width - 1)]


def cluster_counts(
    evidence: Evidence, division: Division, match: str, clusters: Ints, runs: Sequence[int]
) -> ClusterCounts:
    """Gather the counts of a facet by cluster, cell by cell."""
    stacked = dense_counts(evidence, division, match, clusters, runs)
    cells = []
    for cell in np.flatnonzero(stacked.any(axis=(1, 2))).tolist():
        support = np.flatnonzero(stacked[cell].any(axis=0))
        distinct, place = np.unique(stacked[cell][:, support], axis=0, return_inverse=True)
        cells.append(CellCounts(cell, support, distinct, place))
    width = 8 if division.needs_pairs(match) else 4
    return ClusterCounts(division.n_codes, len(evidence.types), len(runs), width, cells)


def dense_counts(
    evidence: Evidence, division: Division, match: str, clusters: Ints, runs: Sequence[int]
) -> npt.NDArray[np.float32]:
    """The counts of a facet as an array (cells, columns, clusters); a cell is a code and a type."""
    ledger, with_pairs = evidence.ledgers[division.unit], division.needs_pairs(match)
    n_types, n_clusters = len(evidence.types), int(clusters.max()) + 1
    n_cells = division.n_codes * n_types

    def keys_of(units: Units) -> Ints:
        return units.cells(division.facet, n_types) * n_clusters + clusters[units.sentence]

    def counted(keys: Ints, values: Floats | Ints | None) -> npt.NDArray[np.float32]:
        # Units outside of every level of a subset have a code behind the last one: cut off.
        every = np.bincount(keys, values, n_cells * n_clusters)[: n_cells * n_clusters]
        return every.astype(np.float32).reshape(n_cells, n_clusters)

    gold_keys = keys_of(ledger.gold)
    columns = [counted(gold_keys, ledger.gold.weight)]
    for run in runs:
        pred_keys = keys_of(ledger.runs[run].pred)
        for units, values in ledger.columns(run, match, with_pairs)[1:]:
            columns.append(counted(gold_keys if units is ledger.gold else pred_keys, values))
    return np.stack(columns, axis=1)


FEW_ROWS = 24  # of a cell: with fewer, one large product for all cells beats a small one for each


def resampled_totals(
    many: Sequence[ClusterCounts], weights: Weights
) -> Iterator[list[npt.NDArray[np.float32]]]:
    """For each of several counts, and each of its cells, the weighted sums (distinct columns,
    resamples).
    """
    rows = sum(counts.n_rows for counts in many)
    if rows < FEW_ROWS * sum(len(counts.cells) for counts in many):
        together = _one_product([cell for counts in many for cell in counts.cells], rows, weights)
        for counts in many:
            yield [next(together) for _ in counts.cells]
    else:
        for counts in many:
            yield [
                cell.distinct @ weights[cell.support].astype(np.float32) for cell in counts.cells
            ]


def _one_product(
    cells: Sequence[CellCounts], rows: int, weights: Weights
) -> Iterator[npt.NDArray[np.float32]]:
    everything = np.zeros((rows, len(weights)), np.float32)
    ends = np.cumsum([len(cell.distinct) for cell in cells])
    for cell, end in zip(cells, ends, strict=True):
        everything[end - len(cell.distinct) : end, cell.support] = cell.distinct
    sums = np.empty((rows, weights.shape[1]), np.float32)
    step = max(1, 8_000_000 // len(weights))
    for first in range(0, weights.shape[1], step):
        sums[:, first : first + step] = everything @ weights[:, first : first + step].astype(
            np.float32
        )
    return iter(np.split(sums, ends[:-1]))


def resampled_counts(
    division: Division,
    counts: ClusterCounts,
    totals: Sequence[npt.NDArray[np.float32]],
    samples: int,
) -> Iterator[Floats]:
    """For each run, counts (resamples, levels, types, 4), from the weighted sums of each cell."""
    every = np.zeros((counts.n_codes, counts.n_types, counts.n_columns, samples), np.float32)
    for cell, total in zip(counts.cells, totals, strict=True):
        every[divmod(cell.cell, counts.n_types)] = total[cell.place]
    levels = np.stack([every[list(codes)].sum(axis=0) for codes in division.levels.values()])
    for run in range(counts.n_runs):
        yield levels[:, :, counts.columns_of(run)].transpose(3, 0, 1, 2)


Item = TypeVar("Item")


def batches(
    everyone: Sequence[tuple[Item, ClusterCounts]], samples: int
) -> Iterator[list[tuple[Item, ClusterCounts]]]:
    """Counts in groups whose weighted sums fit into memory together."""
    most = max(1, 60_000_000 // samples)
    batch: list[tuple[Item, ClusterCounts]] = []
    for item in everyone:
        if batch and sum(counts.n_rows for _, counts in batch) + item[1].n_rows > most:
            yield batch
            batch = []
        batch.append(item)
    if batch:
        yield batch
