"""Are neighbouring sentences alike? The variance over blocks of them against that over sentences.

Where no document is marked, sentences are taken to be independent. If a text goes on about the same
things, they are not, and intervals are too short: blocks of neighbours vary more than as many
sentences from anywhere would.
"""

from collections.abc import Sequence

import numpy as np

from nerscope.corpus.arrays import Floats
from nerscope.corpus.units import ALL, MENTION
from nerscope.scoring.cluster_units import SENTENCE, USUAL_BLOCK, place_unit
from nerscope.scoring.evidence import Evidence, FacetTable
from nerscope.scoring.matching import EXACT
from nerscope.scoring.metrics import F1
from nerscope.stats.clusters import ClusterCounts, cluster_unit_of, clusters_of
from nerscope.stats.jackknife import mean_moves

MUCH = 1.3  # from here on, the likeness of neighbours is worth a note
_FEWEST_BLOCKS = 20  # with fewer, the ratio of variances is mostly chance
_OVERALL = FacetTable(ALL, MENTION, {ALL: (0,)}, {EXACT: (F1,)}, by_type=False)


def neighbour_ratio(
    evidence: Evidence, contrasts: Sequence[tuple[str, ...]], cluster_unit: str
) -> float | None:
    """How many times the variance over sentences that over blocks of 20 is, on the mean over some
    systems, or pairs of them, whose difference is meant; by exact F1 over everything.

    None where sentences are not the clusters, documents are marked, or there are too few blocks.
    """
    by_sentences = SENTENCE == place_unit(cluster_unit) == cluster_unit_of(evidence)
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
    """By system and cluster: how far leaving it out moves the F1, on the mean over runs."""
    clusters = clusters_of(evidence, cluster_unit)
    return np.stack(
        [
            mean_moves(ClusterCounts(evidence, _OVERALL, EXACT, [system], clusters))[:, 0]
            for system in systems
        ]
    )


def _variances(moves: Floats, places: Sequence[tuple[int, ...]]) -> Floats:
    """The jackknife's variance of each system (one place) or difference (two places)."""
    moved = [moves[at] - moves[others].sum(axis=0) for at, *others in places]
    occurs = int(np.count_nonzero(moves.any(axis=0)))
    return np.asarray(np.square(moved).sum(axis=1) * (1 - 1 / max(1, occurs)))
