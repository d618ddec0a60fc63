"""Where a system is weakest: the levels that fall furthest below the overall score."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from nerscope.corpus.units import ALL, MENTION, TYPE
from nerscope.results.errors import check_system
from nerscope.results.results import Results
from nerscope.results.rows import ResultRow, Row, row_value
from nerscope.scoring.evidence import Evidence, FacetTable
from nerscope.scoring.matching import leading_match
from nerscope.scoring.metrics import (
    MICRO,
    RECALL,
    SCORE_NAMES,
    TER,
    Metric,
    leading_metric,
    metric_named,
)
from nerscope.stats.clusters import CellKey, ClusterCounts, clusters_of
from nerscope.stats.clusters import cluster_unit_of as cluster_unit_of
from nerscope.stats.intervals import FEW_CLUSTERS as FEW_CLUSTERS
from nerscope.stats.intervals import Interval, intervals
from nerscope.stats.two_way import jackknives

_OVERALL = "\0overall"  # an extra level: all units of the facet
FEWEST_UNITS = 30  # smaller groups are not listed


class Estimate(NamedTuple):
    """A number with its denominator and a 95 % interval."""

    value: float
    n: float
    interval: Interval


@dataclass(frozen=True, slots=True, eq=False)
class WeakSpot(ResultRow):
    """A facet level, or a type, on which a system scores below its overall score."""

    dataset: str
    system: str
    facet: str
    level: str
    match: str
    metric: str
    n: int
    value: float
    low: float
    high: float
    overall: float  # the score of all units
    shortfall: float  # how much worse than the overall score: always positive
    shortfall_low: float  # the lower 95 % bound, by which spots are ranked


@dataclass(frozen=True, slots=True, eq=False)
class OverallScore(ResultRow):
    """The overall precision, recall or F1 of a system, with its interval."""

    value: float | None
    n: int
    low: float | None
    high: float | None
    std: float | None  # over runs


@dataclass(frozen=True, slots=True, eq=False)
class OverallScores(ResultRow):
    """Precision, recall and F1 of a system on a dataset."""

    dataset: str
    system: str
    support: int
    over: str  # the clusters of the intervals: documents or sentences
    clusters: int
    match: str  # exact, if it was evaluated
    precision: OverallScore
    recall: OverallScore
    f1: OverallScore


def weak_spots(results: Results, system: str | None = None, most: int = 4) -> list[WeakSpot]:
    """For each dataset and system, the levels that fall furthest below its overall score.

    The list has at most one level per facet and `most` levels in all. Levels are ranked by the
    lower 95 % bound of the shortfall, because the score itself is often low by chance in small
    levels. Levels of fewer than 30 units are left out, and levels whose interval includes the
    overall score.
    """
    check_system(results, system)
    spots = list[WeakSpot]()
    for evidence in results.evidence:
        candidates = list(_candidates(evidence))
        for name in evidence.systems:
            if system in (None, name):
                ranked = [spot for spot in candidates if spot.system == name]
                spots += _one_per_facet(sorted(ranked, key=lambda spot: -spot.shortfall_low))[:most]
    return spots


def _one_per_facet(ranked: Sequence[WeakSpot]) -> list[WeakSpot]:
    by_facet: dict[str, WeakSpot] = {}
    for spot in ranked:
        # Facets of tokens overlap a lot, so one spot for all of them is enough.
        by_facet.setdefault("tokens" if spot.metric == TER else spot.facet, spot)
    return list(by_facet.values())


def _candidates(evidence: Evidence) -> Iterator[WeakSpot]:
    """Every level of every facet, and every type, that scores below the overall score."""
    for table in evidence.tables:
        match, metric = _shown(table)
        if metric is None:
            continue
        is_overall = table.facet == ALL
        by_type = is_overall and table.unit == MENTION
        # The overall score must be over the units of the facet, so it is computed as one more
        # level.
        codes = tuple(sorted({code for codes in table.levels.values() for code in codes}))
        widened = replace(table, levels={**table.levels, _OVERALL: codes}, by_type=by_type)
        cells: list[tuple[str, str, CellKey]]  # facet and level as displayed
        if is_overall:
            cells = [
                (TYPE, name, CellKey(ALL, code, metric.name))
                for code, name in enumerate(evidence.types if by_type else ())
            ]
        else:
            cells = [
                (table.facet, level, CellKey(level, None, metric.name))
                for level in table.levels
                if level not in (ALL, "out")
            ]
        by_system = estimate(evidence, widened, match, (metric.name,))
        for system, estimates in by_system.items():
            overall = estimates[CellKey(_OVERALL, None, metric.name)]
            for facet, level, key in cells:
                cell = estimates[key]
                shortfall, least = _shortfall(metric, overall, cell)
                if least > 0 and cell.n >= FEWEST_UNITS and cell.interval is not None:
                    yield WeakSpot(
                        dataset=evidence.dataset,
                        system=system,
                        facet=facet,
                        level=level,
                        match=match,
                        metric=metric.name,
                        n=round(cell.n),
                        value=cell.value,
                        low=cell.interval[0],
                        high=cell.interval[1],
                        overall=overall.value,
                        shortfall=shortfall,
                        shortfall_low=least,
                    )


def _shown(table: FacetTable) -> tuple[str, Metric | None]:
    """The match and the metric by which a facet is judged."""
    match = table.matches[0]
    names = table.metrics[match]
    metric = metric_named(leading_metric(names))
    usable = metric.better and not metric.is_over_levels and metric.average == MICRO
    return match, metric if usable else None


def _shortfall(metric: Metric, overall: Estimate, cell: Estimate) -> tuple[float, float]:
    """The shortfall of a cell against the overall score, and its lower 95 % bound.

    The bound is computed from the end of the cell's interval that is nearer to the overall score.
    """
    if cell.interval is None or cell.value != cell.value:
        return 0.0, 0.0
    shortfalls = [metric.gain(overall.value - value) for value in (cell.value, *cell.interval)]
    return shortfalls[0], min(shortfalls)


def estimate(
    evidence: Evidence, table: FacetTable, match: str, metrics: tuple[str, ...]
) -> dict[str, dict[CellKey, Estimate]]:
    """Metrics of every level and type of a facet by system, with intervals."""
    narrow = replace(table, metrics={match: metrics})
    unit = cluster_unit_of(evidence)
    # All systems together: systems with few runs borrow the spread of the others.
    clustered = ClusterCounts(
        evidence, narrow, match, evidence.systems, clusters_of(evidence, unit)
    )
    (spread,) = jackknives(clustered, evidence, unit)
    return {
        system: {
            key: Estimate(value, n, interval)
            for key, value, n, interval in zip(
                spread.keys,
                spread.values(system).tolist(),
                spread.sizes[at].tolist(),
                intervals(spread, system),
                strict=True,
            )
        }
        for at, system in enumerate(evidence.systems)
    }


def overall_scores(results: Results) -> list[OverallScores]:
    """Precision, recall and F1 of each system on each dataset, with intervals."""
    scores = []
    for evidence in results.evidence:
        tables = [table for table in evidence.tables if table.facet == ALL]
        table = next((table for table in tables if table.unit == MENTION), None)
        if table is None:
            continue
        match = leading_match(table.matches)
        unit = cluster_unit_of(evidence)
        n_clusters = len(np.unique(clusters_of(evidence, unit)))
        for system, estimates in estimate(evidence, table, match, SCORE_NAMES).items():
            cells = {
                name: _overall_score(
                    _summary_row(results, evidence.dataset, system, match, name),
                    estimates[CellKey(ALL, None, name)],
                )
                for name in SCORE_NAMES
            }
            support = cells[RECALL].n
            scores.append(
                OverallScores(evidence.dataset, system, support, unit, n_clusters, match, **cells)
            )
    return scores


def _summary_row(
    results: Results, dataset: str, system: str, match: str, metric: str
) -> Row | None:
    names = {"dataset": dataset, "system": system, "match": match, "metric": metric}
    rows = results.select(**names, run=None, facet=ALL, type=None)
    return rows[0] if rows else None


def _overall_score(row: Row | None, computed: Estimate) -> OverallScore:
    """The score, with the interval of the results if they have one."""
    low, high = computed.interval or (None, None)
    if row is not None and row.low is not None:
        low, high = row.low, row.high
    std = None if row is None else row.std
    return OverallScore(row_value(computed.value), round(computed.n), low, high, std)
