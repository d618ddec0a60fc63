"""Errors on the page: sums over all data, what each kind costs, and F1 without boundaries."""

from collections.abc import Sequence

from nerscope.render.page.columns import columns_of
from nerscope.render.page.schema import Columns, PageForgiven, PageGain, PageKind
from nerscope.results.error_sums import PairedMentions, error_sums
from nerscope.scoring.evidence import Evidence
from nerscope.scoring.outcomes import OUTCOMES, SUMMARY_KINDS

_ERROR = ("dataset", "system", "run", "gold", "predicted", "outcome", "n")
_FORGIVING = "overlap(credit=1)"


def page_kinds() -> list[PageKind]:
    """The kinds of a summary."""
    return [
        {"name": kind, "title": kind, "about": "", "outcomes": list(parts)}
        for kind, parts in SUMMARY_KINDS.items()
    ]


def error_columns(parts: Sequence[Evidence], paired: Sequence[PairedMentions | None]) -> Columns:
    """The sums of all data by dataset, run, types and outcome."""
    records = []
    for evidence, mentions in zip(parts, paired, strict=True):
        types = [*evidence.types, None]
        for run, gold, predicted, outcome, n in error_sums(evidence, mentions).rows():
            names = (types[gold], types[predicted], OUTCOMES[outcome])
            row = (evidence.dataset, *evidence.runs[run], *names, n)
            records.append(dict(zip(_ERROR, row, strict=True)))
    return columns_of(records, _ERROR)


def gains(parts: Sequence[Evidence], paired: Sequence[PairedMentions | None]) -> list[PageGain]:
    return []


def forgiven_scores(
    parts: Sequence[Evidence], paired: Sequence[PairedMentions | None]
) -> list[PageForgiven]:
    return []
