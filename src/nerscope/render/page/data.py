"""The data of a page: names, rows with intervals, comparisons, diagnosis, sentences."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypedDict

from nerscope.corpus.units import ALL
from nerscope.errors import InputError
from nerscope.render.document import metric_title
from nerscope.render.page.columns import Columns, columns_of, page_unit, short
from nerscope.results.changes import change_counts
from nerscope.results.compare import OTHER, Comparison, compare
from nerscope.results.diagnose import Diagnosis, diagnose
from nerscope.results.errors import OUTCOMES
from nerscope.results.explanations import all_terms
from nerscope.results.intervals import with_bounds
from nerscope.results.judged import PairRow, judged_pair_rows
from nerscope.results.judgements import JudgedFile
from nerscope.results.results import Results
from nerscope.results.rows import SURFACE, Row
from nerscope.results.sentences import Budget, PageSentence, sentence_data, token_count
from nerscope.results.terms import (
    bucket_ranges,
    cell_words,
    facet_words,
    match_words,
    metric_words,
)
from nerscope.results.weakest import WeakSpot, cluster_unit_of
from nerscope.scoring.matching import EXACT
from nerscope.scoring.metrics import F1, MICRO

if TYPE_CHECKING:
    from nerscope.scoring.evidence import Evidence, FacetTable

MOST_ROWS = 200_000
MOST_COMPARED = 12  # systems that are compared each with each
_ROW = ("dataset", "system", "unit", "facet", "level", "type", "match", "metric")
_NUMBERS = ("value", "n", "std", "runs", "low", "high", "clusters", "caution")
_CELL = ("dataset", "system_a", "system_b", "facet", "level", "type", "match", "metric")
_DIFFERENCE = ("a", "b", "difference", "low", "high", "p", "p_corrected", "family", "n")
_TESTED = ("differing", "about", "test", "untested")
_CHANGE = ("dataset", "a", "b", "facet", "level", "fixed", "broken", "both wrong", "both right")
_CONFUSION = ("dataset", "system", "run", "gold", "predicted", "n")


PageRow = dict[str, object]  # a row as JSON has it, with short numbers


class PageMetric(TypedDict):
    title: str
    better: int
    fraction: bool
    about: str


class PageFacet(TypedDict):
    name: str
    title: str
    about: str
    unit: str
    bucketed: bool
    levels: dict[str, list[int]]
    metrics: dict[str, list[str]]
    byType: bool


class PageDataset(TypedDict):
    name: str
    file: str
    types: list[str]
    runs: list[list[str]]
    documents: int | None
    tokens: int | None
    resample: str
    ranges: dict[str, dict[str, str]]
    sentences: PageSentence


class PageComparison(TypedDict):
    settings: Mapping[str, object]
    rows: Columns
    overDatasets: list[PageRow]
    ranks: list[PageRow]
    changes: Columns


class PageData(TypedDict):
    signature: str
    notes: list[str]
    systems: list[str]
    datasets: list[PageDataset]
    facets: list[PageFacet]
    metrics: dict[str, PageMetric]
    matches: dict[str, str]
    outcomes: list[str]
    glossary: dict[str, str]
    rows: Columns
    weakest: list[PageRow]
    comparison: PageComparison | None
    diagnosis: dict[str, list[PageRow]] | None
    confusion: Columns
    pairs: list[PairRow]


def page_data(results: Results, judges: Sequence[JudgedFile] = ()) -> PageData:
    """All that the page shows, as plain data."""
    results = with_bounds(results)
    rows, row_notes = _rows(results)
    comparison, diagnosis = _comparison(results), _diagnosis(results)
    datasets = _datasets(results)
    untested = diagnosis.notes if diagnosis else []
    compared_notes = comparison.notes if comparison else []
    single = Results([part for part in results.evidence if part.folded is None], rows=results.rows)
    return {
        "signature": results.signature,
        "notes": [
            *results.folded_notes(),
            *results.notes(),
            *results.interval_notes(),
            *row_notes,
            *compared_notes,
            *untested,
        ],
        "systems": results.systems,
        "datasets": datasets,
        "facets": _facets(results),
        "metrics": {name: _metric(results, name) for name in _names(rows, "metric")},
        "matches": {name: match_words(name).definition for name in _names(rows, "match")},
        "outcomes": list(OUTCOMES),
        "glossary": all_terms(),
        "rows": columns_of(rows, (*_ROW, *_NUMBERS)),
        "weakest": [_weak_spot(results, spot) for spot in results.weakest()],
        "comparison": _compared(results, comparison),
        "diagnosis": _views(diagnosis) if diagnosis else None,
        "confusion": columns_of(single.confusion(), _CONFUSION),
        "pairs": _pairs(single, judges, datasets),
    }


def _rows(results: Results) -> tuple[list[Row], list[str]]:
    """Means over runs, with their intervals."""
    # Scores of surfaces have their own unit; they are in tables, not among these charts.
    shown = [row for row in results.rows if row.run is None and row.match != SURFACE]
    if len(shown) <= MOST_ROWS:
        return shown, []
    fewer = [row for row in shown if row.type is None or row.facet == ALL]
    return fewer, [f"{len(shown) - len(fewer):,} rows by type and facet are left out of this page"]


def _names(rows: Sequence[Row], field: str) -> list[str]:
    return list(dict.fromkeys(row[field] for row in rows))


def _metric(results: Results, name: str) -> PageMetric:
    metric = results.metric(name)
    return {
        "title": metric_title(name),
        "better": metric.better,
        "fraction": metric.is_fraction,
        "about": metric_words(name).definition,
    }


def _datasets(results: Results) -> list[PageDataset]:
    """Names, sizes and sentences of each dataset."""
    budget = Budget.of(len(results.evidence))
    return [
        {
            "name": evidence.dataset,
            "file": evidence.gold_name,
            "types": list(evidence.types),
            "runs": [list(run) for run in evidence.runs],
            "documents": evidence.n_documents,
            "tokens": token_count(evidence),
            "resample": page_unit(cluster_unit_of(evidence)),
            "ranges": {
                name: dict(edges.ranges) for name, edges in evidence.signature.edges.items()
            },
            "sentences": sentence_data(evidence, budget),
        }
        for evidence in results.evidence
    ]


def _facets(results: Results) -> list[PageFacet]:
    """The facets of all datasets, in order."""
    facets: dict[str, PageFacet] = {}
    for evidence in results.evidence:
        for table in evidence.tables:
            if table.facet != ALL:
                facets.setdefault(table.facet, _facet(evidence, table))
    return list(facets.values())


def _facet(evidence: "Evidence", table: "FacetTable") -> PageFacet:
    """What a facet is called, and how its codes make up levels."""
    return {
        "name": table.facet,
        "title": " ".join(table.title.split()),
        "about": facet_words(table.facet).definition,
        "unit": table.unit,
        "bucketed": table.facet in evidence.signature.edges,
        "levels": {level: list(codes) for level, codes in table.levels.items()},
        "metrics": {match: list(names) for match, names in table.metrics.items()},
        "byType": table.by_type,
    }


def _comparison(results: Results) -> Comparison | None:
    """Each system with each, if there are several; of very many, each with the best one."""
    if all(len(evidence.systems) < 2 for evidence in results.evidence):
        return None
    metrics = map(results.metric, _names(results.rows, "metric"))
    # Averages over types are never asked for first: without them, all other p-values are the same.
    plain = [
        metric.name
        for metric in metrics
        if metric.better and metric.is_fraction and metric.average == MICRO
    ]
    if len(results.systems) <= MOST_COMPARED:
        return compare(results, metrics=plain or None)
    best = max(results.systems, key=lambda system: _mean_score(results, system))
    comparison = compare(results, metrics=plain or None, baseline=best)
    note = f"of more than {MOST_COMPARED} systems, each is compared with the best one, {best}"
    return replace(comparison, notes=[*comparison.notes, note])


def _mean_score(results: Results, system: str) -> float:
    rows = results.select(system=system, facet=ALL, metric=F1, match=EXACT, type=None)
    values = [row.value or 0.0 for row in rows if row.run is None]
    return sum(values) / len(values) if values else 0.0


def _compared(results: Results, comparison: Comparison | None) -> PageComparison | None:
    if comparison is None:
        return None
    settings = dict(comparison.settings)
    pairs = dict.fromkeys(row.pair for row in comparison.rows)
    changes = [
        counts | {"a": a, "b": b} for a, b in pairs for counts in change_counts(results, a, b)
    ]
    return {
        "settings": settings | {"resample": page_unit(settings["resample"])},
        # What is corrected among many others (`compare` tells it) would be no answer here.
        "rows": columns_of(
            [row for row in comparison.rows if row.family != OTHER],
            (*_CELL, *_DIFFERENCE, *_TESTED),
        ),
        "overDatasets": [_short_row(row) for row in comparison.over_datasets()],
        "ranks": [_short_row(row) for row in comparison.ranks()],
        "changes": columns_of(changes, _CHANGE),
    }


def _weak_spot(results: Results, spot: WeakSpot) -> PageRow:
    """Where a system is weak, with a phrase for it: the registered words of the level."""
    interval = bucket_ranges(results.evidence).get((spot.dataset, spot.facet, spot.level), "")
    words = cell_words(spot.facet, spot.level, None, interval)
    return {**_short_row(spot), "phrase": words.phrase}


def _diagnosis(results: Results) -> Diagnosis | None:
    """InterpretEval's views, if the results have attributes."""
    try:
        return diagnose(results)
    except InputError:  # they hold no attribute
        return None


def _views(diagnosis: Diagnosis) -> dict[str, list[PageRow]]:
    views = diagnosis.as_dict()
    del views["notes"]  # they stand among those of the page
    return {name: list(map(_short_row, rows)) for name, rows in views.items()}


def _pairs(
    results: Results, judges: Sequence[JudgedFile], datasets: Sequence[PageDataset]
) -> list[PairRow]:
    """The pairs of the sentences that are there."""
    shown = {dataset["name"]: set(dataset["sentences"]["number"]) for dataset in datasets}
    pairs = judged_pair_rows(results, judges)
    return [pair for pair in pairs if pair.sentence in shown[pair.dataset]]


def _short_row(row: Mapping[str, Any]) -> PageRow:
    return {key: short(value) for key, value in row.items()}
