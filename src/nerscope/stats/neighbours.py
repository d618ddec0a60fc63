"""Measure whether neighbouring sentences are alike: variance over blocks against sentences.

Without marked documents, sentences are assumed to be independent. They are not if neighbouring
sentences are about the same things: then blocks of neighbours vary more than random sets of
sentences, and intervals over sentences are too narrow.
"""

from collections.abc import Sequence

import numpy as np

from nerscope.corpus.arrays import Floats
from nerscope.corpus.units import ALL, MENTION
from nerscope.scoring.cluster_units import SENTENCE, USUAL_BLOCK, place_unit
from nerscope.scoring.evidence import Evidence, FacetTable
from nerscope.scoring.matching import EXACT
from nerscope.scoring.metrics import F1
from nerscope.stats.clusters import ClusterCounts, clusters_of, has_documents
from nerscope.stats.jackknife import mean_moves

MUCH = 1.3  # above it, there is a note
_FEWEST_BLOCKS = 20  # with fewer blocks, the ratio is mostly noise
_OVERALL = FacetTable(ALL, MENTION, {ALL: (0,)}, {EXACT: (F1,)}, by_type=False)


def neighbour_ratio(
    evidence: Evidence, contrasts: Sequence[tuple[str, ...]], cluster_unit: str
) -> float | None:
    """The variance over blocks of 20 sentences divided by the variance over sentences, as a mean
    over systems or over pairs (whose difference is used), for overall exact F1.

    None if sentences are not the clusters, documents are marked, or there are too few blocks.
    """
    by_sentences = place_unit(cluster_unit) == SENTENCE and not has_documents(evidence)
    systems = list(dict.fromkeys(system for names in contrasts for system in names))
    if not by_sentences or evidence.folded is not None or not systems:
        return None
    blocks = clusters_of(evidence, USUAL_BLOCK)
    runs = evidence.overall.runs
    if blocks.max() + 1 < _FEWEST_BLOCKS or any(EXACT not in run.gold_credit for run in runs):
        return None
    places = [tuple(map(systems.index, names)) for names in contrasts]
    sentence_variances, block_variances = (
        _variances(_moves(evidence, systems, unit), places) for unit in (SENTENCE, USUAL_BLOCK)
    )
    known = sentence_variances > 0
    ratios = block_variances[known] / sentence_variances[known]
    return float(ratios.mean()) if len(ratios) else None


def _moves(evidence: Evidence, systems: Sequence[str], cluster_unit: str) -> Floats:
    """The change of F1 when each cluster is left out, by system, as a mean over runs."""
    clusters = clusters_of(evidence, cluster_unit)
    return np.stack(
        [
            mean_moves(ClusterCounts(evidence, _OVERALL, EXACT, [system], clusters))[:, 0]
            for system in systems
        ]
    )


def _variances(moves: Floats, places: Sequence[tuple[int, ...]]) -> Floats:
    """The jackknife variance of each system (one index) or difference (two indices)."""
    moved = [moves[at] - moves[others].sum(axis=0) for at, *others in places]
    occurs = int(np.count_nonzero(moves.any(axis=0)))
    return np.asarray(np.square(moved).sum(axis=1) * (1 - 1 / max(1, occurs)))
