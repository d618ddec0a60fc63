"""From files to results: the whole flow, in one screen."""

from typing import TYPE_CHECKING, Any

from nerscope.evaluation.passes import Prepared, Progress, gather, prepare
from nerscope.evaluation.rows import tabulate
from nerscope.evaluation.settings import Settings
from nerscope.evaluation.subsets import with_subsets
from nerscope.evaluation.systems import Systems
from nerscope.formats.base import CorpusLike
from nerscope.results.results import Results

if TYPE_CHECKING:
    from nerscope.stats.intervals import Sampling


def evaluate(
    test: CorpusLike,
    systems: Systems,
    *,
    train: CorpusLike | None = None,
    dataset: str | None = None,
    intervals: "Sampling | None" = None,
    progress: Progress | None = None,
    **options: Any,
) -> Results:
    """Score systems against a gold corpus. The options are the fields of `Settings`; `intervals`
    says how to resample.

    >>> gold = [(["Ada", "met", "Bob"], ["B-PER", "O", "B-PER"])]
    >>> results = evaluate(gold, {"half": [["B-PER", "O", "O"]]})
    >>> results.value(metric="f1")
    0.6666666666666666
    """
    prepared = prepare(
        test, systems, train, dataset, Settings.of(options)
    )  # first pass: facets are fixed
    return results_of(prepared, intervals, progress)


def results_of(
    prepared: Prepared, intervals: "Sampling | None" = None, progress: Progress | None = None
) -> Results:
    """What was prepared, scored and turned into rows; with intervals if they are wanted."""
    found = gather(prepared, progress)  # second pass: every unit is scored
    evidence = with_subsets(found.evidence, prepared.subsets)
    rows = tabulate(evidence, prepared.plan.settings.zero_division)
    if intervals:
        from nerscope.evaluation.uncertainty import (
            add_intervals,
            bounds_of,
        )  # resampling is imported by those who want it

        add_intervals(rows, evidence.dataset, bounds_of(evidence, evidence.systems, intervals))
        found.about["signature"].update(intervals.signature())
    return Results(rows, found.about, found.losses, [evidence])
