"""The mentions of a dataset paired with those of each run, and the errors in sums."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from nerscope.corpus.arrays import Ints
from nerscope.results.errors import MentionSide, check_system, gold_side, pair_sides, run_side
from nerscope.results.results import Results
from nerscope.results.rows import ResultRow
from nerscope.scoring.evidence import ErrorSum, Evidence, only_runs
from nerscope.scoring.outcomes import (
    CODE_OF,
    CORRECT,
    NO_TYPE,
    OUTCOMES,
    SUMMARY_KINDS,
    OutcomeSums,
    joined_sums,
    outcome_codes,
    outcome_sums,
)
from nerscope.scoring.pairing import MatchedPairs


@dataclass(frozen=True, slots=True, eq=False)
class PairedRun:
    """The predictions of a run, their pairs with gold, and the outcome of each mention."""

    pred: MentionSide
    pairs: MatchedPairs
    by_gold: Ints  # indices in OUTCOMES
    by_pred: Ints


@dataclass(frozen=True, slots=True, eq=False)
class PairedMentions:
    """The gold mentions of a dataset and its runs: what lists and sums of errors are made of."""

    evidence: Evidence
    gold: MentionSide
    runs: tuple[PairedRun, ...]


def paired_mentions(evidence: Evidence) -> PairedMentions:
    """Pair the mentions of every run with gold."""
    gold = gold_side(evidence)
    runs = []
    for number in range(len(evidence.runs)):
        pred = run_side(evidence, number)
        pairs = pair_sides(gold, pred)
        runs.append(PairedRun(pred, pairs, *outcome_codes(gold.mentions, pred.mentions, pairs)))
    return PairedMentions(evidence, gold, tuple(runs))


def wrong_for_all(paired: PairedMentions) -> int:
    """The number of gold mentions that no system gets right in most of its runs."""
    right = np.array([run.by_gold == CORRECT for run in paired.runs])
    evidence = paired.evidence
    shares = [right[evidence.runs_of(system)].mean(axis=0) for system in evidence.systems]
    return int((np.array(shares) <= 0.5).all(axis=0).sum())


def error_sums(evidence: Evidence, paired: PairedMentions | None = None) -> OutcomeSums:
    """The sums of all runs over all data, given the paired mentions if they are known."""
    if evidence.errors is not None:
        return _stored_sums(evidence, evidence.errors.sums)
    paired = paired or paired_mentions(evidence)
    gold = paired.gold.mentions
    return joined_sums(
        [
            outcome_sums(number, gold, run.pred.mentions, run.pairs, (run.by_gold, run.by_pred))
            for number, run in enumerate(paired.runs)
        ]
    )


def has_error_sums(evidence: Evidence) -> bool:
    """Whether errors can be counted: from single mentions, or from sums made when folding."""
    return evidence.folded is None or evidence.errors is not None


def _stored_sums(evidence: Evidence, sums: Sequence[ErrorSum]) -> OutcomeSums:
    codes: dict[str | None, int] = {name: code for code, name in enumerate(evidence.types)}
    codes[None] = NO_TYPE
    rows = [
        (row.run, codes[row.gold], codes[row.predicted], CODE_OF[row.outcome], row.n)
        for row in sums
    ]
    return OutcomeSums(*np.array(rows, np.int64).reshape(-1, 5).T)


@dataclass(frozen=True, slots=True, eq=False)
class ErrorKindsRow(ResultRow):
    """The number of errors of each kind of a system on a dataset, as a mean over runs."""

    dataset: str
    system: str
    runs: int
    kinds: Mapping[str, float]  # of `SUMMARY_KINDS`
    errors: float


def error_kinds(results: Results, system: str | None = None) -> list[ErrorKindsRow]:
    """The errors of each system by kind, without datasets whose results do not keep errors.

    A gold mention and its counterpart count as one error.

    >>> from nerscope import evaluate
    >>> gold = [(["Ada", "met", "Bob"], ["B-PER", "O", "B-PER"])]
    >>> [row] = error_kinds(evaluate(gold, {"x": [["O", "O", "B-LOC"]]}))
    >>> row.errors, row.kinds["missed"], row.kinds["wrong type"]
    (2.0, 1.0, 1.0)
    """
    check_system(results, system)
    return [
        _kinds_row(evidence, name)
        for name in ([system] if system else results.systems)
        for evidence in results.evidence
        if has_error_sums(evidence) and name in evidence.systems
    ]


def _kinds_row(evidence: Evidence, system: str) -> ErrorKindsRow:
    runs = evidence.runs_of(system)
    kinds = kinds_per_run(error_sums(only_runs(evidence, runs)), len(runs))
    return ErrorKindsRow(evidence.dataset, system, len(runs), kinds, sum(kinds.values()))


def kinds_per_run(sums: OutcomeSums, n_runs: int) -> dict[str, float]:
    """The number of errors of each kind, as a mean over runs."""
    by_outcome = np.bincount(sums.outcome, sums.n, len(OUTCOMES))
    return {
        kind: float(sum(by_outcome[CODE_OF[part]] for part in parts)) / n_runs
        for kind, parts in SUMMARY_KINDS.items()
    }


@dataclass(frozen=True, slots=True, eq=False)
class ConfusionRow(ResultRow):
    """How often a gold type is paired with a predicted type in a run; None means no mention."""

    dataset: str
    system: str
    run: str
    gold: str | None
    predicted: str | None
    n: int


def confusion_records(results: Results, system: str | None = None) -> Iterator[ConfusionRow]:
    """For each run, the counts of gold type by predicted type; None means no mention."""
    check_system(results, system)
    for evidence in results.evidence:
        runs = [at for at, (name, _) in enumerate(evidence.runs) if system in (None, name)]
        chosen = only_runs(evidence, runs)
        names = [*chosen.types, None]
        counts = Counter[tuple[int, int, int]]()
        for run, gold, predicted, _, n in error_sums(chosen).rows():
            # NO_TYPE indexes the last name, and comes last.
            counts[run, gold % len(names), predicted % len(names)] += n
        for (run, gold, predicted), n in sorted(counts.items()):
            yield ConfusionRow(chosen.dataset, *chosen.runs[run], names[gold], names[predicted], n)
