"""Where a system is weakest: the levels that most surely fall below the whole."""

from collections.abc import Iterator
from math import sqrt
from typing import Any

from nerscope.corpus.units import MENTION
from nerscope.results.errors import check_system
from nerscope.results.results import Results
from nerscope.results.row import row_value
from nerscope.scoring.evidence import Division, Evidence
from nerscope.scoring.metrics import LevelMetric, Metric, metric_named
from nerscope.stats.intervals import Z95
from nerscope.stats.jackknife import Jackknife, Sure
from nerscope.stats.resampling import clusters_of

_PREFERRED = ("f1", "recall", "ter")


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
    """Precision, recall and F1 of each system, with intervals: resampled, else the jackknife's."""
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
            record: dict[str, Any] = {"dataset": evidence.dataset, "system": system, "support": 0}
            for name in ("precision", "recall", "f1"):
                record[name] = _overall_cell(results, evidence, division, system, name)
            record["support"] = record["recall"]["n"]
            found.append(record)
    return found


def _overall_cell(
    results: Results, evidence: Evidence, division: Division, system: str, name: str
) -> dict[str, Any]:
    runs = evidence.runs_of(system)
    knife = Jackknife.of(evidence, division, "exact", runs, clusters_of(evidence, "sentence"))
    sure = knife.sure((0,), metric_named(name))
    rows = results.select(
        dataset=evidence.dataset, system=system, facet="all", match="exact", metric=name, type=None
    )
    row = next((row for row in rows if row["run"] is None), None)
    low, high = sure.interval if sure.interval and len(runs) == 1 else (None, None)
    if row is not None and row.get("low") is not None:
        low, high = row["low"], row["high"]
    std = row.get("std") if row is not None else None
    value = row_value(sure.value)
    return {"value": value, "n": round(sure.n), "low": low, "high": high, "std": std}


def _of_system(evidence: Evidence, system: str, most: int) -> list[dict[str, Any]]:
    ranked = sorted(_places(evidence, system), key=lambda one: -one["least"])
    chosen: dict[str, dict[str, Any]] = {}
    for place in ranked:
        if place["least"] > 0:  # token facets tell much the same: one of them is enough
            chosen.setdefault("tokens" if place["metric"] == "ter" else place["facet"], place)
    return list(chosen.values())[:most]


def _places(evidence: Evidence, system: str) -> Iterator[dict[str, Any]]:
    clusters = clusters_of(evidence, "sentence")
    for division in evidence.divisions:
        match, metric = _shown(division)
        if metric is None:
            continue
        runs = evidence.runs_of(system)
        knife = Jackknife.of(evidence, division, match, runs, clusters)
        everything = {code for codes in division.levels.values() for code in codes}
        whole = knife.sure(sorted(everything), metric)
        if division.facet == "all":
            kinds = range(len(evidence.types)) if division.unit == MENTION else ()
            cells: list[tuple[str, str, str, int | None]] = [
                ("type", evidence.types[kind], "all", kind) for kind in kinds
            ]
        else:
            levels = [level for level in division.levels if level not in ("all", "out")]
            cells = [(division.facet, level, level, None) for level in levels]
        for facet, name, level, kind in cells:
            sure = knife.sure(division.levels[level], metric, kind)
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


def _shown(division: Division) -> tuple[str, Metric | None]:
    """The match and the metric by which a facet is judged."""
    match = division.matches[0]
    names = division.metrics[match]
    name = next((name for name in _PREFERRED if name in names), None)
    metric = metric_named(name or names[0])
    usable = metric.better and not isinstance(metric, LevelMetric) and metric.average == "micro"
    return match, metric if usable else None


def _least(metric: Metric, whole: Sure, part: Sure) -> float:
    """By how much the part falls below the whole at the least; below 0 if it may not."""
    shortfall = -metric.gain(part.value - whole.value)
    if shortfall != shortfall or part.n < 2:
        return -1.0
    spread = part.variance or part.value * (1 - part.value) / part.n or 1 / part.n
    return shortfall - Z95 * sqrt(spread)
