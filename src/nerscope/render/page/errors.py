"""Errors on the page: sums over all data, what each kind costs, and F1 without boundaries."""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from nerscope.render.page.columns import columns_of, short
from nerscope.render.page.schema import Columns, PageForgiven, PageGain, PageKind
from nerscope.results.error_costs import forgiven_rows, gain_rows
from nerscope.results.error_sums import PairedMentions, error_sums, has_error_sums
from nerscope.scoring.evidence import Evidence
from nerscope.scoring.outcomes import KIND_WORDS, OUTCOMES, SUMMARY_KINDS, OutcomeSums, joined_sums

_ERROR = ("dataset", "system", "run", "gold", "predicted", "outcome", "n")


class DatasetErrors(NamedTuple):
    """The errors of a dataset in sums, and its paired mentions if the results keep them."""

    evidence: Evidence
    sums: OutcomeSums
    paired: PairedMentions | None


def dataset_errors(evidence: Evidence, paired: Mapping[str, PairedMentions]) -> DatasetErrors:
    """The errors of a dataset, given the paired mentions by dataset."""
    mentions = paired.get(evidence.dataset) if evidence.folded is None else None
    sums = error_sums(evidence, mentions) if has_error_sums(evidence) else joined_sums([])
    return DatasetErrors(evidence, sums, mentions)


def page_kinds() -> list[PageKind]:
    """The kinds of a summary, with the detailed kinds that each of them counts."""
    return [
        {
            "name": kind,
            "title": KIND_WORDS[kind].title,
            "about": KIND_WORDS[kind].definition,
            "outcomes": list(outcomes),
        }
        for kind, outcomes in SUMMARY_KINDS.items()
    ]


def error_columns(every: list[DatasetErrors]) -> Columns:
    """The sums of all data by dataset, run, types and outcome."""
    return columns_of(
        [dict(zip(_ERROR, row, strict=True)) for errors in every for row in _rows(errors)], _ERROR
    )


def _rows(errors: DatasetErrors) -> Iterator[tuple[object, ...]]:
    evidence = errors.evidence
    types = [*evidence.types, None]  # NO_TYPE indexes the last one
    for run, gold, predicted, outcome, n in errors.sums.rows():
        names = (types[gold], types[predicted], OUTCOMES[outcome])
        yield (evidence.dataset, *evidence.runs[run], *names, n)


def page_gains(every: list[DatasetErrors]) -> list[PageGain]:
    """What each kind of error costs each system."""
    return [
        {
            "dataset": row.dataset,
            "system": row.system,
            "kind": row.kind,
            "errors": short(row.errors),
            "gain": short(row.gain),
        }
        for errors in every
        for row in gain_rows(errors.evidence, errors.sums)
        if len(errors.sums.n)
    ]


def page_forgiven(every: list[DatasetErrors]) -> list[PageForgiven]:
    """F1 of each system if boundaries are forgiven."""
    return [
        {"dataset": row.dataset, "system": row.system, "f1": short(row.f1)}
        for errors in every
        for row in forgiven_rows(errors.evidence, errors.paired)
    ]
