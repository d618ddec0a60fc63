"""Notes on similar neighbouring sentences, which make intervals over sentences too narrow."""

from collections.abc import Sequence

from nerscope.results.conditions import Condition
from nerscope.results.joining import NEW, OLD, join_pair, pairings
from nerscope.results.results import Results
from nerscope.scoring.cluster_units import USUAL_BLOCK, block_size, is_crossed
from nerscope.scoring.evidence import Evidence
from nerscope.stats.clusters import cluster_unit_of
from nerscope.stats.intervals import Sampling
from nerscope.stats.neighbours import MUCH, neighbour_ratio


def likeness_note(
    evidence: Evidence, contrasts: Sequence[tuple[str, ...]], cluster_unit: str
) -> list[str]:
    """A note if neighbouring sentences are much alike for these systems or pairs of systems."""
    ratio = neighbour_ratio(evidence, contrasts, cluster_unit)
    if ratio is None or ratio <= MUCH:
        return []
    unit = USUAL_BLOCK + (",surface" if is_crossed(cluster_unit) else "")
    number = "the difference in F1" if max(map(len, contrasts)) > 1 else "F1"
    return [
        f"{evidence.dataset}: neighbouring sentences are alike, so intervals over sentences are "
        f"too narrow (over blocks of {block_size(USUAL_BLOCK)}, the variance of {number} is "
        f"{ratio:.1f} times as large). Fix: --resample {unit}"
    ]


def evaluation_notes(results: Results) -> list[str]:
    """Notes on the datasets of results, from the mean over the systems of each dataset."""
    return [
        note
        for part in results.evidence
        for note in likeness_note(
            part, [(system,) for system in part.systems], cluster_unit_of(part)
        )
    ]


def gate_notes(results: Results, baseline: Results | None, resample: str | None) -> list[str]:
    """Notes on the datasets of a gate, where each system is compared with its baseline."""
    if baseline is None:
        return []
    notes = dict[str, list[str]]()  # by dataset: one note per dataset is enough
    for pairing in pairings(results, baseline, Condition(max_drop=0.0)):
        if pairing.new is not None and pairing.old is not None:
            joint = join_pair(pairing.new, pairing.old)
            unit = Sampling(resample).cluster_unit(joint)
            if not notes.get(pairing.dataset):
                notes[pairing.dataset] = likeness_note(joint, [(NEW, OLD)], unit)
    return [note for of_dataset in notes.values() for note in of_dataset]
