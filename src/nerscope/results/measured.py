"""One number of a system, or of two beside each other, found by what a condition calls it."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from nerscope.errors import InputError, UsageError, suggest
from nerscope.results.compare import division_named
from nerscope.results.conditions import Condition
from nerscope.results.pairing import NEW, OLD, Side
from nerscope.results.rows import rows_of
from nerscope.scoring.evidence import Evidence, FacetTable, only_runs
from nerscope.scoring.groups import groups_of
from nerscope.scoring.metrics import NEITHER, metric_named
from nerscope.stats.clusters import Clustered
from nerscope.stats.compared import Asked, Difference
from nerscope.stats.compared import differences as all_differences
from nerscope.stats.intervals import Sampling

NAN = float("nan")
_DEFAULTS = ("all", "in")  # the level that stands for a facet; "in" is that of a subset


class Measured(NamedTuple):
    """A value, its denominator, and, if there is another one to hold it against, what follows."""

    new: float
    n: int
    old: float = NAN
    difference: Difference | None = None  # new - old
    alike: bool = False  # the outputs differ in no sentence


class Where(NamedTuple):
    """The facet, level and match that a condition means in some evidence."""

    division: FacetTable
    level: str | None
    match: str


Numbers = Mapping[tuple[str, str | None], Measured]  # by level and type


def where(evidence: Evidence, condition: Condition) -> Where:
    """The facet, level and match of a condition; what the evidence does not have is refused."""
    facet, level = _facet_and_level(evidence, condition)
    division = division_named(evidence, facet, condition.match, condition.metric)
    match = condition.match or division.matches[0]
    if match not in division.matches:
        raise UsageError(
            condition.at("match", f"match '{match}'"),
            f"{facet} is not measured by it",
            suggest(match, division.matches),
        )
    if condition.metric not in division.metrics[match]:
        raise UsageError(
            condition.at("metric", f"cell '{condition.cell}'"),
            f"there is no metric '{condition.metric}' of {facet}",
            suggest(condition.metric, division.metrics[match]),
        )
    if metric_named(condition.metric).better == NEITHER:
        raise UsageError(
            condition.at("metric", f"metric '{condition.metric}'"),
            "neither a high nor a low value of it is the better one",
            "choose another metric",
        )
    return Where(division, level, match)


def _facet_and_level(evidence: Evidence, condition: Condition) -> tuple[str, str | None]:
    """The facet may have a sign = itself, as subsets do, so it is looked for first."""
    facet, level = condition.facet, condition.level
    if facet not in evidence.facets and level is None:
        before, _, after = facet.rpartition("=")
        facet, level = (before, after) if before in evidence.facets else (facet, None)
    if facet not in evidence.facets:
        named = facet.partition("=")[0]
        raise UsageError(
            condition.at("facet", f"facet '{named if level is None else facet}'"),
            "it is not in the results",
            suggest(named, evidence.facets),
        )
    return facet, level or None


def numbers_of(side: Side, there: Where, metric: str) -> Numbers:
    """Every number of one system alone."""
    part = only_runs(side.evidence, side.evidence.runs_of(side.system))
    rows = rows_of(_narrow(part, there, metric))
    return {
        (row.level, row.type): Measured(_defined(row.value), row.n)
        for row in rows
        if row.run is None and row.match == there.match
    }


def differences(joint: Evidence, there: Where, metric: str, sampling: Sampling) -> Numbers:
    """Every number of both systems, and the difference."""
    if any(there.match not in run.gold_credit for run in joint.ledger(there.division).runs):
        raise InputError(
            f"match '{there.match}'",
            "results and baseline do not both have it",
            "evaluate both with the same matches",
        )
    narrow = _narrow(joint, there, metric)
    found = list(all_differences(narrow, [(NEW, OLD)], sampling, Asked(test=False)))
    alike = _alike(narrow, there, found)
    return {
        (one.key.level, None if one.key.type is None else joint.types[one.key.type]): Measured(
            one.a, round(one.n), one.b, one, same
        )
        for one, same in zip(found, alike, strict=True)
    }


def _alike(narrow: Evidence, there: Where, found: Sequence[Difference]) -> list[bool]:
    """Of every number, whether the outputs are the same: errors of a document may change places,
    so its counts alone do not tell.
    """
    if all(one.differing for one in found):
        return [False] * len(found)
    sentences = groups_of(np.arange(len(narrow.documents)))
    clustered = Clustered(narrow, narrow.divisions[0], there.match, (NEW, OLD), sentences)
    differing = clustered.differing(NEW, OLD).number()
    return [not differing[one.at] for one in found]


def picked(found: Numbers, there: Where, condition: Condition) -> Measured:
    """The number that a condition means."""
    levels = list(dict.fromkeys(level for level, _ in found))
    level = there.level or next((one for one in _DEFAULTS if one in levels), "all")
    facet, cell = there.division.facet, f"cell '{condition.cell}'"
    if level not in levels:
        key = "facet" if condition.level is None else "level"
        raise UsageError(
            condition.at(key, cell),
            f"there is no level '{level}' of {facet}",
            suggest(level, levels),
        )
    kind = condition.type
    if (level, kind) not in found:
        types = [name for one, name in found if one == level and name is not None]
        raise UsageError(
            condition.at("type", cell),
            f"there is no type '{kind}' of {facet}",
            suggest(str(kind), types) if types else "leave the type out",
        )
    return found[level, kind]


def _narrow(evidence: Evidence, there: Where, metric: str) -> Evidence:
    division = replace(there.division, metrics={there.match: (metric,)})
    return replace(evidence, divisions=(division,))


def _defined(value: float | None) -> float:
    return NAN if value is None else value
