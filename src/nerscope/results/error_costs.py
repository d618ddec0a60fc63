"""What each kind of error costs in F1, and F1 if boundaries are forgiven."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from nerscope.corpus.arrays import Bools
from nerscope.results.error_sums import PairedMentions, kinds_per_run
from nerscope.results.errors import pair_sides
from nerscope.results.rows import ResultRow
from nerscope.scoring.evidence import Evidence
from nerscope.scoring.matching import EXACT, OVERLAP
from nerscope.scoring.outcomes import CODE_OF, NO_TYPE, SUMMARY_KINDS, OutcomeSums


@dataclass(frozen=True, slots=True, eq=False)
class GainRow(ResultRow):
    """F1 after every error of a kind is replaced by its gold mention, minus F1; means over runs.

    A wrong pair becomes a correct one, a missed gold mention is predicted, and a prediction without
    a gold mention vanishes.
    """

    dataset: str
    system: str
    kind: str
    errors: float  # per run
    gain: float | None


@dataclass(frozen=True, slots=True, eq=False)
class ForgivenRow(ResultRow):
    """F1 with full credit for any overlap with the same type, as a mean over runs."""

    dataset: str
    system: str
    f1: float | None


def gain_rows(evidence: Evidence, sums: OutcomeSums) -> Iterator[GainRow]:
    """What each kind of error costs each system, from the sums of all runs."""
    for system in evidence.systems:
        runs = evidence.runs_of(system)
        by_run = [sums.of_runs([run]) for run in runs]
        errors = kinds_per_run(sums.of_runs(runs), len(runs))
        for kind, parts in SUMMARY_KINDS.items():
            codes = [CODE_OF[part] for part in parts]
            gains = [_gain(run, np.isin(run.outcome, codes)) for run in by_run]
            yield GainRow(evidence.dataset, system, kind, errors[kind], _mean(gains))


def _gain(sums: OutcomeSums, solved: Bools) -> float | None:
    """F1 of a run after these errors are solved, minus its F1."""
    has_gold, has_pred = sums.gold != NO_TYPE, sums.predicted != NO_TYPE
    hits = int(sums.n[~sums.are_errors].sum())
    size = int(sums.n[has_gold].sum() + sums.n[has_pred].sum())  # of gold and predictions together
    new_hits = int(sums.n[solved & has_gold].sum())
    new_predictions = int(sums.n[solved & ~has_pred].sum())
    vanished = int(sums.n[solved & ~has_gold].sum())
    before = _f1(hits, size)
    after = _f1(hits + new_hits, size + new_predictions - vanished)
    return None if before is None or after is None else after - before


def forgiven_rows(evidence: Evidence, paired: PairedMentions | None) -> Iterator[ForgivenRow]:
    """F1 without boundaries of each system; `paired` is None if the results keep only sums."""
    for system in evidence.systems:
        scores = [_forgiven_f1(evidence, paired, run) for run in evidence.runs_of(system)]
        yield ForgivenRow(evidence.dataset, system, _mean(scores))


def _forgiven_f1(evidence: Evidence, paired: PairedMentions | None, run: int) -> float | None:
    ledger = evidence.overall
    output = ledger.runs[run]
    credit = output.gold_credit
    sizes = [
        len(units) if units.weight is None else int(units.weight.sum())
        for units in (ledger.gold, output.pred)
    ]
    if paired is not None and OVERLAP not in credit:
        hits = len(pair_sides(paired.gold, paired.runs[run].pred, OVERLAP).gold)
    elif OVERLAP in credit and EXACT in credit:
        # Exact pairs have credit 1 and are chosen first, all others have credit 1/2.
        hits = round(
            2 * float(credit[OVERLAP].sum(dtype=np.float64))
            - float(credit[EXACT].sum(dtype=np.float64))
        )
    else:
        return None
    return _f1(hits, sum(sizes))


def _f1(hits: int, size: int) -> float | None:
    """F1, given the number of gold mentions and predictions together."""
    return 2 * hits / size if size else None


def _mean(values: list[float | None]) -> float | None:
    """The mean over the runs in which the value is defined."""
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None
