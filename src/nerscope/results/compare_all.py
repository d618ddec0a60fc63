"""The comparison of all systems by their leading numbers, as a page shows it."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from typing import NamedTuple

from nerscope.corpus.units import ALL, MENTION
from nerscope.results.compare import (
    TYPES,
    WHERE,
    Comparison,
    PairNames,
    compare,
    compared_cells,
    comparison_of,
    judged_metrics,
)
from nerscope.results.results import Results
from nerscope.results.rows import ComparisonRow
from nerscope.scoring.evidence import Evidence, FacetTable
from nerscope.scoring.matching import EXACT, leading_match
from nerscope.scoring.metrics import F1, leading_metric
from nerscope.stats.intervals import Sampling
from nerscope.stats.system_differences import ComparisonPlan

MOST_COMPARED = 12  # systems that are compared each with each; of more, each with the best
MOST_IN_DETAIL = 5  # systems of which every pair is compared on all levels of facets


class ComparedSystems(NamedTuple):
    """The comparison by the primary number, and the differences by type and level."""

    comparison: Comparison
    details: list[ComparisonRow]


def compare_all(results: Results) -> ComparedSystems:
    """Compare each system with each; of very many, each with the best one.

    `details` are the families types and where of `compare`, with equal numbers: overall exact F1 by
    type, and the levels of each facet by its leading metric, each corrected within its pair. With
    many systems, only some pairs have levels.
    """
    question = _leading_numbers(results)
    best, notes = None, list[str]()
    if len(results.systems) > MOST_COMPARED:
        best = best_system(results)
        limit = f"of more than {MOST_COMPARED} systems"
        notes = [f"{limit}, each is compared with the best one, {best}"]
    facets = [ALL] if _have_overall(question) else None
    comparison = compare(question, baseline=best, facets=facets, plausible=None)
    types = [row for row in comparison.rows if row.family == TYPES]
    return ComparedSystems(
        replace(comparison, notes=[*comparison.notes, *notes]),
        [*types, *_level_rows(question, comparison)],
    )


def _leading_numbers(results: Results) -> Results:
    """The results with the numbers of the families primary, types and where.

    These are overall exact F1 by type, and the levels of each facet by its leading metric. In
    `compare`, p-values are corrected within these families of a pair, so that they are equal here.
    """
    parts = [
        replace(evidence, tables=tuple(_leading_tables(judged_metrics(evidence))))
        for evidence in results.evidence
    ]
    return Results(parts, protocol=results.protocol)


def _have_overall(results: Results) -> bool:
    """Whether every dataset has a table of all mentions, and thereby the primary number."""
    return all(any(map(_is_overall, part.tables)) for part in results.evidence)


def _is_overall(table: FacetTable) -> bool:
    return table.facet == ALL and table.unit == MENTION


def _level_rows(question: Results, comparison: Comparison) -> list[ComparisonRow]:
    """The differences on the levels of all facets, for some pairs."""
    pairs = _detailed_pairs(comparison)
    cells = [
        cell
        for evidence in question.evidence
        for cell in compared_cells(
            evidence,
            [(a, b) for a, b in pairs if {a, b} <= set(evidence.systems)],
            Sampling(),
            ComparisonPlan(),
        )
    ]
    corrected = comparison_of([cell.row for cell in cells], comparison.settings, ())
    return [row for row in corrected.rows if row.family == WHERE]


def _detailed_pairs(comparison: Comparison) -> list[PairNames]:
    """The pairs to compare on levels: all, or the best with each and neighbours in rank.

    With 7 systems, these are 11 of 21 pairs, in half the time.
    """
    pairs = list(dict.fromkeys(row.pair for row in comparison.primary))
    boards: dict[str | None, list[str]] = {}
    for place in comparison.ranking:
        boards.setdefault(place.dataset, []).append(place.system)
    if all(len(systems) <= MOST_IN_DETAIL for systems in boards.values()):
        return pairs
    chosen = {
        frozenset(pair)
        for systems in ([boards[None]] if None in boards else boards.values())
        for pair in [
            *zip(systems[:1] * len(systems), systems[1:], strict=False),
            *pairwise(systems),
        ]
    }
    return [pair for pair in pairs if frozenset(pair) in chosen]


def _leading_tables(evidence: Evidence) -> Iterator[FacetTable]:
    overall = any(map(_is_overall, evidence.tables))
    for table in evidence.tables:
        if table.facet == ALL and overall and not _is_overall(table):
            continue  # accuracy is in no family that the page shows
        match = table.matches[0]
        metrics: dict[str, tuple[str, ...]] = {match: (leading_metric(table.metrics[match]),)}
        if _is_overall(table):
            if F1 not in table.metrics.get(EXACT, ()):
                metrics = dict(table.metrics)  # another overall number is the primary one
            elif match != EXACT or F1 not in metrics[match]:
                metrics[EXACT] = tuple(dict.fromkeys([*metrics.get(EXACT, ()), F1]))
        yield replace(table, metrics=metrics)


def best_system(results: Results) -> str:
    """The system with the highest mean F1 over datasets, by exact match if it was evaluated."""
    overall = [
        row
        for row in results.rows
        if row.run is None and row.metric == F1 and row.facet == ALL and row.type is None
    ]
    match = leading_match([row.match for row in overall])
    scores: dict[str, list[float]] = {system: [] for system in results.systems}
    for row in overall:
        if row.match == match:
            scores[row.system].append(row.value or 0.0)
    return max(scores, key=lambda name: sum(scores[name]) / max(1, len(scores[name])))
