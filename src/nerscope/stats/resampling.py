"""Resampling sentences (or documents): the same random weights serve every cell, every run and every pair of systems.

A resample is a weight for each cluster: how often it was drawn. The counts of a resample are weights times counts, so all
resamples of a cell are one matrix product over the clusters in which the cell occurs at all. Above `MOST_CLUSTERS`, clusters
are pooled at random into that many groups: resampling groups has the same variance, and the cost stops growing.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from nerscope.corpus.arrays import Floats, Ints
from nerscope.errors import InputError, UsageError, suggest
from nerscope.scoring.evidence import Division, Evidence


MOST_CLUSTERS = 10_000
CLUSTERS = ("sentence", "document")
Weights = npt.NDArray[np.uint8]


def clusters_of(evidence: Evidence, by: str, seed: int = 0) -> Ints:
    """The cluster of each sentence, numbered from 0."""
    if by not in CLUSTERS:
        raise UsageError("resample", f"there is no '{by}' to resample", suggest(by, CLUSTERS))
    if by == "document":
        names, clusters = np.unique(evidence.documents, return_inverse=True)
        if len(names) < 2:
            raise InputError(
                evidence.dataset, "the data has no document boundaries", "resample sentences, or mark documents with -DOCSTART-"
            )
    else:
        clusters = np.arange(len(evidence.documents))
    size = int(clusters.max()) + 1
    if size <= MOST_CLUSTERS:
        return clusters
    groups = np.random.default_rng(seed).permutation(size) % MOST_CLUSTERS
    return groups[clusters]


def bootstrap_weights(n_clusters: int, samples: int, seed: int) -> Weights:
    """How often each cluster (row) is drawn in each resample (column), drawing as many as there are, with replacement."""
    rng = np.random.default_rng(seed)
    weights = np.zeros((n_clusters, samples), np.uint8)
    step = max(1, 2_000_000 // n_clusters)
    for first in range(0, samples, step):
        width = min(step, samples - first)
        drawn = rng.integers(0, n_clusters, (n_clusters, width))
        drawn *= width
        drawn += np.arange(width)
        weights[:, first : first + width] = np.bincount(drawn.ravel(), minlength=n_clusters * width).reshape(n_clusters, width)
    return weights


def swap_weights(n_clusters: int, samples: int, seed: int) -> Weights:
    """For each cluster and round, whether the outputs of the two systems change places."""
    rng = np.random.default_rng(seed)
    return rng.integers(0, 2, (n_clusters, samples), dtype=np.uint8)


def run_draws(n_runs: int, samples: int, seed: int) -> Ints | None:
    """Which runs each resample averages: one fewer than there are, drawn with replacement.

    Drawing all of them would make the variance of the mean too small by the factor (k - 1) / k, which matters for few runs.
    """
    if n_runs < 2:
        return None
    return np.random.default_rng(seed).integers(0, n_runs, (n_runs - 1, samples))


@dataclass(frozen=True, slots=True)
class ClusterCounts:
    """The counts of one facet and match in every cluster, cell by cell, for all runs.

    `columns` has gold first, then hit_gold, pred and hit_pred of each run.
    """

    n_codes: int
    n_types: int
    cells: list[tuple[int, Ints, npt.NDArray[np.float32]]]  # cell, clusters in which it occurs, counts (columns, clusters)
    n_runs: int

    def total(self, weights: Weights) -> Iterator[tuple[int, npt.NDArray[np.float32]]]:
        """For each cell, the weighted counts (columns, resamples)."""
        for cell, support, counts in self.cells:
            yield cell, counts @ weights[support].astype(np.float32)


def cluster_counts(evidence: Evidence, facet: str, match: str, clusters: Ints, runs: Sequence[int]) -> ClusterCounts:
    """Gather the counts of a facet by cluster."""
    division = evidence.divisions[facet]
    ledger = evidence.ledgers[division.unit]
    n_types, n_clusters = len(evidence.types), int(clusters.max()) + 1
    n_codes = division.n_codes + 1  # units outside of every level of a subset have the code behind the last
    shape = (n_codes * n_types, n_clusters)

    def counted(cells: Ints, sentences: Ints, values: Floats | Ints | None) -> npt.NDArray[np.float32]:
        keys = cells * n_clusters + clusters[sentences]
        return np.bincount(keys, values, shape[0] * shape[1]).astype(np.float32).reshape(shape)

    gold_cells = ledger.gold.cells(facet, n_types)
    columns = [counted(gold_cells, ledger.gold.sentence, ledger.gold.weight)]
    for run in runs:
        outcome = ledger.runs[run]
        pred_cells = outcome.pred.cells(facet, n_types)
        columns.append(counted(gold_cells, ledger.gold.sentence, outcome.gold_credit[match]))
        columns.append(counted(pred_cells, outcome.pred.sentence, outcome.pred.weight))
        columns.append(counted(pred_cells, outcome.pred.sentence, outcome.pred_credit[match]))
    stacked = np.stack(columns, axis=1)  # cells, columns, clusters
    cells = []
    for cell in range(division.n_codes * n_types):
        support = np.flatnonzero(stacked[cell].any(axis=0))
        if len(support):
            cells.append((cell, support, np.ascontiguousarray(stacked[cell][:, support])))
    return ClusterCounts(division.n_codes, n_types, cells, len(runs))


def resampled_counts(division: Division, counts: ClusterCounts, weights: Weights) -> Iterator[Floats]:
    """For each run, counts (resamples, levels, types, 4) of all resamples."""
    totals = np.zeros((counts.n_codes * counts.n_types, 1 + 3 * counts.n_runs, weights.shape[1]), np.float32)
    for cell, total in counts.total(weights):
        totals[cell] = total
    totals = totals.reshape(counts.n_codes, counts.n_types, *totals.shape[1:])
    levels = np.stack([totals[list(codes)].sum(axis=0) for codes in division.levels.values()])
    for run in range(counts.n_runs):
        own = [0, 1 + 3 * run, 2 + 3 * run, 3 + 3 * run]  # in the order of GOLD, HIT_GOLD, PRED, HIT_PRED
        yield levels[:, :, own, :].transpose(3, 0, 1, 2)


