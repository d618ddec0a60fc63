"""Several datasets: the number of each system on each of them, and means over them."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from nerscope.corpus.units import ALL
from nerscope.errors import plural
from nerscope.facets.facet import fixed_facets
from nerscope.render.document import UNDEFINED, Cell, Table, metric_title, percent, score
from nerscope.render.number_index import SummaryIndex, overall_key, overall_match
from nerscope.results.protocol import DOMAINS, DRAWN, FIXED, SPLITS
from nerscope.results.results import Results
from nerscope.results.rows import Row
from nerscope.results.shared_texts import shared_texts, why_refused
from nerscope.results.terms import number_words
from nerscope.scoring.matching import EXACT
from nerscope.scoring.metrics import F1, SCORE_NAMES, metric_named

if TYPE_CHECKING:
    from nerscope.results.over_datasets import AverageRow

_FEW_SYSTEMS = 3  # of more, only F1 fits the first screen
_FOR_THESE, _FOR_OTHERS = ("these datasets", ""), ("others like them", "_drawn")
_NOTES = {
    SPLITS: "95 % interval: Student's t interval, corrected for the sentences that splits share",
    FIXED: "95 % intervals: for these datasets alone",
    DRAWN: "95 % intervals: for others like these datasets (Student's)",
    DOMAINS: "95 % intervals: for these datasets alone, and for others like them (Student's)",
}
# By what datasets are to each other: the headings of intervals, and the suffixes of their fields.
_INTERVALS = {
    SPLITS: [("95 % interval", "")],
    FIXED: [_FOR_THESE],
    DRAWN: [_FOR_OTHERS],
    DOMAINS: [_FOR_THESE, _FOR_OTHERS],
}


def dataset_table(
    index: SummaryIndex,
    metric: str = F1,
    match: str | None = None,
    *,
    systems: Sequence[str] = (),
    with_intervals: bool = True,
) -> Table:
    """A metric of each system on each dataset, and the mean over datasets."""
    match = match or overall_match(index)
    every = dict.fromkeys(name for names in index.systems.values() for name in names)
    body = []
    for system in systems or every:
        rows = [index.row(dataset, system, overall_key(match, metric)) for dataset in index.systems]
        values = [row.value for row in rows if row is not None and row.value is not None]
        mean = sum(values) / len(values) if values else None
        cells = [_dataset_cell(row, with_intervals) for row in rows]
        average = percent(mean) + ("" if len(values) == len(rows) else f" ({len(values)})")
        body.append((Cell(system), *cells, Cell(average, value=mean)))
    notes = ["(k): mean over k datasets only"] if any("(" in row[-1].text for row in body) else []
    title = f"{metric_title(metric, at_start=True)}, {match} match"
    return Table(title, ("system", *index.systems, "mean"), tuple(body), tuple(notes))


def _dataset_cell(row: Row | None, with_interval: bool) -> Cell:
    if row is None:
        return Cell(UNDEFINED)
    bounds = ""
    if with_interval and row.low is not None and row.high is not None:
        bounds = f" [{percent(row.low, 1)}, {percent(row.high, 1)}]"
    return Cell(percent(row.value) + bounds, value=row.value)


def means_table(results: Results, *, exact: bool = False) -> Table | None:
    """The means over datasets of all measures, or only of exact scores; None if there are none."""
    metrics = {} if exact else _mean_metrics()
    scores = (F1,) if exact and len(results.systems) > _FEW_SYSTEMS else SCORE_NAMES
    rows = [row for row in results.over_datasets() if _has_mean(row, metrics, scores)]
    if not rows:
        return None
    over = rows[0].over
    intervals = _INTERVALS[over]
    most = max(len(row.datasets) for row in rows)
    body = [_mean_line(row, [suffix for _, suffix in intervals], most) for row in rows]
    noun = "split" if over == SPLITS else "dataset"
    title = f"Mean over {plural(most, noun)}"
    header = ("system", "number", "mean", f"± over {noun}s", *(name for name, _ in intervals))
    shared = [] if over == SPLITS else shared_texts(results.evidence)
    refused = why_refused(shared, max((row.datasets for row in rows), key=len))
    notes = [f"no intervals: {refused}" if refused else _NOTES[over]]
    notes += _missing_notes(results, rows, most)
    return Table(title, header, tuple(body), tuple(notes), labels=2)


def _mean_metrics() -> dict[str, list[str]]:
    """Of which metrics of a facet means are shown, beside those of exact scores."""
    metrics = {ALL: [F1]}
    for facet in fixed_facets():
        if facet.is_headline:
            # What is neither better nor worse, as a share of errors, has no mean worth a line.
            metrics[facet.name] = [name for name in facet.metrics if metric_named(name).better]
    return metrics


def _has_mean(
    row: "AverageRow", metrics: Mapping[str, Sequence[str]], scores: Sequence[str]
) -> bool:
    if row.facet == ALL and row.match == EXACT:
        return row.metric in scores
    return row.metric in metrics.get(row.facet, ())


def _mean_line(row: "AverageRow", suffixes: list[str], most: int) -> tuple[Cell, ...]:
    """A mean; (k) if it rests on k datasets only."""
    bounds = [(getattr(row, f"low{suffix}"), getattr(row, f"high{suffix}")) for suffix in suffixes]
    fewer = "" if len(row.datasets) == most else f" ({len(row.datasets)})"
    words = number_words(row.facet, row.level, None, row.match, row.metric)
    return (
        Cell(row.system),
        Cell(words.phrase, code=words.code),
        Cell(score(row.value, row.metric) + fewer),
        Cell(score(row.std, row.metric)),
        *(
            Cell(
                UNDEFINED
                if None in pair
                else f"[{', '.join(score(bound, row.metric) for bound in pair)}]"
            )
            for pair in bounds
        ),
    )


def _missing_notes(results: Results, rows: Sequence["AverageRow"], most: int) -> list[str]:
    """Which datasets the means rest on, if some are missing."""
    names = next(row.datasets for row in rows if len(row.datasets) == most)
    notes = []
    if len(names) < len(results.evidence):
        notes.append(f"mean over {', '.join(names)}; the other datasets lack a system or a number")
    if any(len(row.datasets) < most for row in rows):
        notes.append("(k): mean over k datasets only")
    return notes
