"""Where a system is weakest: the levels that most surely fall below the whole."""

from collections.abc import Iterator
from dataclasses import replace
from math import sqrt
from typing import Any, NamedTuple

import numpy as np

from nerscope.corpus.units import MENTION
from nerscope.results.errors import check_system
from nerscope.results.results import Results
from nerscope.results.row import row_value
from nerscope.scoring.evidence import Evidence, FacetTable
from nerscope.scoring.metrics import Metric, metric_named
from nerscope.stats.clusters import CellKey, Clustered
from nerscope.stats.intervals import FEW_CLUSTERS as FEW_CLUSTERS
from nerscope.stats.intervals import Interval, cluster_variance, intervals
from nerscope.stats.resampling import clusters_of, unit_of
from nerscope.stats.spread import spread_of

_PREFERRED = ("f1", "recall", "ter")
_SCORES = ("precision", "recall", "f1")
_WHOLE = "\0whole"  # a level beside those of the facet: all of them together
_Z95 = 1.96


def weakest_records(
    results: Results, system: str | None = None, most: int = 4
) -> list[dict[str, Any]]:
    """For each dataset and system, the places where it is weakest, at most one of each facet.

    They are ranked by how far they fall below the whole at the least, with 95 % confidence: not by
    how low they are, which small levels are by chance.
    """
    check_system(results, system)
    found = []
    for evidence in results.evidence:
        for name in evidence.systems:
            if system in (None, name):
                found += _of_system(evidence, name, most)
    return found


def overall_records(results: Results) -> list[dict[str, Any]]:
    """Precision, recall and F1 of each system, with intervals."""
    found = []
    for evidence in results.evidence:
        division = next(
            (
                one
                for one in evidence.divisions
                if one.facet == "all" and one.unit == MENTION and "exact" in one.matches
            ),
            None,
        )
        for system in evidence.systems if division else ():
            assert division is not None
            sure = _Sure(evidence, division, "exact", system, _SCORES)
            cells = {name: _overall_cell(results, evidence, system, name, sure) for name in _SCORES}
            found.append(
                {
                    "dataset": evidence.dataset,
                    "system": system,
                    "support": cells["recall"]["n"],
                    "over": resampled(evidence),
                    "clusters": len(np.unique(clusters_of(evidence, resampled(evidence)))),
                    **cells,
                }
            )
    return found


def resampled(evidence: Evidence) -> str:
    """What intervals rest on: what was chosen, or what would be."""
    return evidence.signature.resampling.get("resample") or unit_of(evidence)


def _overall_cell(
    results: Results, evidence: Evidence, system: str, name: str, found: "_Sure"
) -> dict[str, Any]:
    sure = found[CellKey("all", None, name)]
    rows = results.select(
        dataset=evidence.dataset, system=system, facet="all", match="exact", metric=name, type=None
    )
    row = next((row for row in rows if row["run"] is None), None)
    low, high = sure.interval or (None, None)
    if row is not None and row.get("low") is not None:
        low, high = row["low"], row["high"]
    std = row.get("std") if row is not None else None
    value = row_value(sure.value)
    return {"value": value, "n": round(sure.n), "low": low, "high": high, "std": std}


class Sure(NamedTuple):
    """A number with its denominator, its variance over clusters, and a 95 % interval."""

    value: float
    n: float
    variance: float
    interval: Interval


class _Sure(dict[CellKey, Sure]):
    """Some metrics of a facet for one system: every level and type, and how sure it is."""

    def __init__(
        self,
        evidence: Evidence,
        division: FacetTable,
        match: str,
        system: str,
        metrics: tuple[str, ...],
    ) -> None:
        narrow = replace(division, metrics={match: metrics})
        clusters = clusters_of(evidence, resampled(evidence))
        spread = spread_of(Clustered(evidence, narrow, match, [system], clusters), False)
        found = zip(
            spread.keys,
            spread.values(system),
            spread.sizes[0],
            cluster_variance(spread, 0),
            intervals(spread, system),
            strict=True,
        )
        super().__init__(
            (key, Sure(float(value), float(n), float(variance), interval))
            for key, value, n, variance, interval in found
        )


def _of_system(evidence: Evidence, system: str, most: int) -> list[dict[str, Any]]:
    ranked = sorted(_places(evidence, system), key=lambda one: -one["least"])
    chosen: dict[str, dict[str, Any]] = {}
    for place in ranked:
        if place["least"] > 0:  # token facets tell much the same: one of them is enough
            chosen.setdefault("tokens" if place["metric"] == "ter" else place["facet"], place)
    return list(chosen.values())[:most]


def _places(evidence: Evidence, system: str) -> Iterator[dict[str, Any]]:
    for division in evidence.divisions:
        match, metric = _shown(division)
        if metric is None:
            continue
        everything = tuple(sorted({code for codes in division.levels.values() for code in codes}))
        overall = division.facet == "all"
        by_type = overall and division.unit == MENTION
        levels = {**division.levels, _WHOLE: everything}
        widened = replace(division, levels=levels, by_type=by_type)
        found = _Sure(evidence, widened, match, system, (metric.name,))
        whole = found[CellKey(_WHOLE, None, metric.name)]
        cells: list[tuple[str, str, str, int | None]]
        if overall:
            kinds = range(len(evidence.types)) if by_type else ()
            cells = [("type", evidence.types[kind], "all", kind) for kind in kinds]
        else:
            named = [level for level in division.levels if level not in ("all", "out")]
            cells = [(division.facet, level, level, None) for level in named]
        for facet, name, level, kind in cells:
            sure = found[CellKey(level, kind, metric.name)]
            least = _least(metric, whole, sure)
            low, high = sure.interval or (None, None)
            yield {
                "dataset": evidence.dataset,
                "system": system,
                "facet": facet,
                "level": name,
                "match": match,
                "metric": metric.name,
                "n": round(sure.n),
                "value": row_value(sure.value),
                "distance": row_value(sure.value - whole.value),
                "low": low,
                "high": high,
                "least": least,
            }


def _shown(division: FacetTable) -> tuple[str, Metric | None]:
    """The match and the metric by which a facet is judged."""
    match = division.matches[0]
    names = division.metrics[match]
    name = next((name for name in _PREFERRED if name in names), None)
    metric = metric_named(name or names[0])
    usable = metric.better and not metric.is_over_levels and metric.average == "micro"
    return match, metric if usable else None


def _least(metric: Metric, whole: Sure, part: Sure) -> float:
    """By how much the part falls below the whole at the least; below 0 if it may not."""
    shortfall = -metric.gain(part.value - whole.value)
    if shortfall != shortfall or part.interval is None:
        return -1.0
    spread = part.variance or part.value * (1 - part.value) / part.n or 1 / part.n
    return shortfall - _Z95 * sqrt(spread)
