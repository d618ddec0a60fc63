"""Where a system is weakest: the levels that fall furthest below the overall score."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import sqrt
from typing import NamedTuple

import numpy as np

from nerscope.corpus.units import ALL, MENTION
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
from nerscope.stats.clusters import CellKey, ClusterCounts, cluster_unit_of, clusters_of
from nerscope.stats.intervals import FEW_CLUSTERS as FEW_CLUSTERS
from nerscope.stats.intervals import Interval, cluster_variance, intervals
from nerscope.stats.two_way import jackknives

_OVERALL = "\0overall"  # a level beside those of the facet: all of them together
_Z95 = 1.96


class Estimate(NamedTuple):
    """A number with its denominator, its variance over clusters, and a 95 % interval."""

    value: float
    n: float
    variance: float
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
    value: float | None
    distance: float | None  # this score minus the overall score
    low: float | None
    high: float | None
    least: float  # lower 95 % bound of the shortfall, positive for worse: what the ranking uses


@dataclass(frozen=True, slots=True, eq=False)
class OverallScore(ResultRow):
    """One of precision, recall and F1 of a system over everything, with its interval."""

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
    over: str  # what intervals rest on: documents or sentences
    clusters: int
    match: str  # exact, if it was evaluated
    precision: OverallScore
    recall: OverallScore
    f1: OverallScore


def weak_spots(results: Results, system: str | None = None, most: int = 4) -> list[WeakSpot]:
    """For each dataset and system, the levels that fall furthest below its overall score.

    At most one level of each facet, `most` in all. They are ranked by the lower 95 % bound of the
    shortfall and not by the score itself, which is low by chance in small levels.
    """
    check_system(results, system)
    return [
        spot
        for evidence in results.evidence
        for name in evidence.systems
        if system in (None, name)
        for spot in _system_spots(evidence, name, most)
    ]


def _system_spots(evidence: Evidence, system: str, most: int) -> list[WeakSpot]:
    ranked = sorted(_candidates(evidence, system), key=lambda spot: -spot.least)
    by_facet: dict[str, WeakSpot] = {}
    for spot in ranked:
        if spot.least > 0:
            # Facets of tokens overlap much: one spot of them all is enough.
            by_facet.setdefault("tokens" if spot.metric == TER else spot.facet, spot)
    return list(by_facet.values())[:most]


def _candidates(evidence: Evidence, system: str) -> Iterator[WeakSpot]:
    """Every level of every facet, and every type."""
    for table in evidence.tables:
        match, metric = _shown(table)
        if metric is None:
            continue
        is_overall = table.facet == ALL
        by_type = is_overall and table.unit == MENTION
        # The overall score must be of the units that the facet divides, so it is one level more.
        codes = tuple(sorted({code for codes in table.levels.values() for code in codes}))
        widened = replace(table, levels={**table.levels, _OVERALL: codes}, by_type=by_type)
        estimates = estimate(evidence, widened, match, system, (metric.name,))
        overall = estimates[CellKey(_OVERALL, None, metric.name)]
        cells: list[tuple[str, str, CellKey]]  # facet and level as they are shown
        if is_overall:
            cells = [
                ("type", name, CellKey(ALL, code, metric.name))
                for code, name in enumerate(evidence.types if by_type else ())
            ]
        else:
            cells = [
                (table.facet, level, CellKey(level, None, metric.name))
                for level in table.levels
                if level not in (ALL, "out")
            ]
        for facet, level, key in cells:
            cell = estimates[key]
            low, high = cell.interval or (None, None)
            yield WeakSpot(
                dataset=evidence.dataset,
                system=system,
                facet=facet,
                level=level,
                match=match,
                metric=metric.name,
                n=round(cell.n),
                value=row_value(cell.value),
                distance=row_value(cell.value - overall.value),
                low=low,
                high=high,
                least=_least_shortfall(metric, overall, cell),
            )


def _shown(table: FacetTable) -> tuple[str, Metric | None]:
    """The match and the metric by which a facet is judged."""
    match = table.matches[0]
    names = table.metrics[match]
    metric = metric_named(leading_metric(names))
    usable = metric.better and not metric.is_over_levels and metric.average == MICRO
    return match, metric if usable else None


def _least_shortfall(metric: Metric, overall: Estimate, cell: Estimate) -> float:
    """The lower 95 % bound of how far a cell falls below the overall score; -1 if undefined."""
    shortfall = -metric.gain(cell.value - overall.value)
    if shortfall != shortfall or cell.interval is None:
        return -1.0
    # Where all clusters agree there is no variance: that of a share of n units, or of one unit.
    variance = cell.variance or cell.value * (1 - cell.value) / cell.n or 1 / cell.n
    return shortfall - _Z95 * sqrt(variance)


def estimate(
    evidence: Evidence, table: FacetTable, match: str, system: str, metrics: tuple[str, ...]
) -> dict[CellKey, Estimate]:
    """Some metrics of a facet for one system: every level and type, with its uncertainty."""
    narrow = replace(table, metrics={match: metrics})
    unit = resampling_unit(evidence)
    clusters = clusters_of(evidence, unit)
    clustered = ClusterCounts(evidence, narrow, match, [system], clusters)
    (spread,) = jackknives(clustered, evidence, unit)
    columns = (
        spread.keys,
        spread.values(system).tolist(),
        spread.sizes[0].tolist(),
        cluster_variance(spread, 0).tolist(),
        intervals(spread, system),
    )
    return {
        key: Estimate(value, n, variance, interval)
        for key, value, n, variance, interval in zip(*columns, strict=True)
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
        unit = resampling_unit(evidence)
        n_clusters = len(np.unique(clusters_of(evidence, unit)))
        for system in evidence.systems:
            estimates = estimate(evidence, table, match, system, SCORE_NAMES)
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
    """An estimate; where the results have an interval already, it is that one."""
    low, high = computed.interval or (None, None)
    if row is not None and row.low is not None:
        low, high = row.low, row.high
    std = None if row is None else row.std
    return OverallScore(row_value(computed.value), round(computed.n), low, high, std)


def resampling_unit(evidence: Evidence) -> str:
    """What intervals rest on, documents or sentences: the choice of the user, or the default."""
    return evidence.signature.resampling.get("resample") or cluster_unit_of(evidence)
