"""What is drawn at random, documents or sentences, and the counts of each.

A resample is a weight for each cluster: how often it was drawn, or whether the outputs of two
systems change places in it. The same weights serve every number and every pair of systems. Above
`MOST_GROUPS`, clusters are pooled as if at random into that many groups: groups have the same
variance, and the cost stops growing.
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from nerscope.corpus.arrays import Floats, Ints
from nerscope.errors import InputError
from nerscope.scoring import groups
from nerscope.scoring.evidence import Evidence, FacetTable
from nerscope.scoring.groups import groups_of
from nerscope.scoring.ledger import Units

CLUSTERS = ("sentence", "document")
Weights = npt.NDArray[np.uint8]


def unit_of(evidence: Evidence) -> str:
    """What is drawn unless told: documents where the data marks any, else sentences."""
    if evidence.folded is not None:
        return evidence.folded.unit
    documents = evidence.documents
    several = len(documents) > 0 and documents.min() != documents.max()
    return "document" if several else "sentence"


def clusters_of(evidence: Evidence, unit: str | None = None) -> Ints:
    """The cluster of each sentence, numbered from 0."""
    unit = unit or unit_of(evidence)
    if evidence.folded is not None and unit != evidence.folded.unit:
        raise InputError(
            evidence.dataset,
            f"its {evidence.folded.unit}s were added up by groups: no {unit} is left to draw",
            f"evaluate with --intervals --resample {unit}, or with --keep-mentions",
        )
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
    return groups_of(clusters)


def pooled_by(evidence: Evidence, unit: str) -> float:
    """How many clusters a group holds on average; 1 where none were pooled."""
    if evidence.folded is not None:
        size = evidence.folded.clusters
    else:
        size = len(np.unique(evidence.documents)) if unit == "document" else len(evidence.documents)
    return max(1.0, size / groups.MOST_GROUPS)


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


def dense_counts(
    evidence: Evidence, division: FacetTable, match: str, clusters: Ints, runs: Sequence[int]
) -> npt.NDArray[np.float32]:
    """The counts of a facet as an array (cells, columns, clusters); a cell is a code and a type."""
    ledger, with_pairs = evidence.ledger(division), division.needs_pairs(match)
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
