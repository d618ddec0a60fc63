"""A verdict of the gate: the number of a condition, and the decision of its rules."""

import math
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple, TypeVar

import numpy as np

from nerscope.corpus.units import ALL
from nerscope.errors import InputError, UsageError, suggest
from nerscope.facets.facet import FACETS
from nerscope.results.conditions import BY_VALUE, Condition
from nerscope.results.joining import NEW, OLD, SystemOnDataset, needs_train
from nerscope.results.rows import rows_of, scale_of
from nerscope.results.selection import facet_table_named
from nerscope.results.terms import CellWords, number_words
from nerscope.scoring.cluster_units import count_units, unit_noun
from nerscope.scoring.evidence import Evidence, FacetTable, only_runs
from nerscope.scoring.folding import groups_of
from nerscope.scoring.matching import EXACT
from nerscope.scoring.metrics import F1, NEITHER, metric_named
from nerscope.stats.always_valid import e_value, information, standard_errors
from nerscope.stats.clusters import ClusterCounts, clusters_of
from nerscope.stats.intervals import Interval, Sampling, intervals
from nerscope.stats.ranks import normal_quantile
from nerscope.stats.system_differences import ComparisonPlan, Difference
from nerscope.stats.system_differences import differences as all_differences
from nerscope.stats.two_way import jackknives

NAN = float("nan")
_DEFAULTS = (ALL, "in")  # the default level of a facet; "in" is the level of a subset


class Measurement(NamedTuple):
    """A value, its denominator and, with a baseline, the old value and the difference."""

    new: float
    n: int
    old: float = NAN
    difference: Difference | None = None  # new - old
    has_same_outputs: bool = False  # the outputs are equal in every sentence
    interval: Interval = None  # of `new` alone, each bound at the level of the condition
    all_clusters: int = 0  # of the dataset, with and without such units


class MeasuredCell(NamedTuple):
    """The facet table, level and match of a condition."""

    table: FacetTable
    level: str | None
    match: str


Measured = TypeVar("Measured")
Measurements = Mapping[tuple[str, str | None], Measurement]  # by level and type


def measured_cell(evidence: Evidence, condition: Condition) -> MeasuredCell:
    """The cell of a condition; raise a UsageError if the evidence does not have it."""
    facet, level = _facet_and_level(evidence, condition)
    table = facet_table_named(evidence, facet, condition.match, condition.metric)
    match = condition.match or table.matches[0]
    if match not in table.matches:
        raise UsageError(
            condition.place_of("match", match),
            f"{facet} was not evaluated with it",
            suggest(match, table.matches),
        )
    if condition.metric not in table.metrics[match]:
        known = table.metrics[match]
        is_default = condition.metric == F1 and facet != ALL
        fixes = (condition.setting("metric", name) for name in known)
        raise UsageError(
            condition.place_of("facet", condition.cell)
            if is_default
            else condition.place_of("metric", condition.metric),
            f"{facet} has no metric '{condition.metric}'",
            " or ".join(fixes) if is_default else suggest(condition.metric, known),
        )
    if metric_named(condition.metric).better == NEITHER:
        raise UsageError(
            condition.place_of("metric", condition.metric),
            "neither high nor low values of it are better",
            "choose another metric",
        )
    return MeasuredCell(table, level, match)


def _facet_and_level(evidence: Evidence, condition: Condition) -> tuple[str, str | None]:
    """Facet and level; a subset contains "=" itself, so the facet is looked up first."""
    facet, level = condition.facet, condition.level
    if facet not in evidence.facets and level is None:
        before, _, after = facet.rpartition("=")
        facet, level = (before, after) if before in evidence.facets else (facet, None)
    if facet not in evidence.facets:
        raise _missing_facet(evidence, condition)
    return facet, level or None


def _missing_facet(evidence: Evidence, condition: Condition) -> UsageError:
    """Why the results do not have the facet of a condition, and how to get it."""
    place = condition.place_of("facet", condition.facet)
    evaluate = "evaluate both with" if condition.compares else "evaluate with"
    tests = [part.strip() for part in condition.facet.split("&")]
    types = [test.removeprefix("type=") for test in tests if test.startswith("type=")]
    name = tests[0].partition("=")[0]
    if types or any(sign in condition.facet for sign in "&|!()"):
        fix = f"{evaluate} --facet {shlex.quote(condition.facet)}"
        others = [test for test in tests if not test.startswith("type=")]
        # A condition on one level and one type needs no subset.
        if len(types) == 1 and all(other.partition("=")[0] in evidence.facets for other in others):
            of_type = condition.setting("type", types[0])
            if not others:
                fix = of_type
            elif len(others) == 1:
                fix = f"{condition.setting('facet', others[0])} {of_type}, or {fix}"
        return UsageError(place, "this subset was not evaluated", fix)
    if name not in FACETS:
        return UsageError(place, "it is not in the results", suggest(name, evidence.facets))
    if needs_train([name]) and not needs_train(evidence.facets):
        return UsageError(place, "it needs training data", f"{evaluate} --train FILE")
    return UsageError(place, "this facet was not evaluated", f"{evaluate} --facet {name}")


def measure_system(side: SystemOnDataset, there: MeasuredCell, metric: str) -> Measurements:
    """Every number of one system alone."""
    part = only_runs(side.evidence, side.evidence.runs_of(side.system))
    rows = rows_of(_narrow(part, there, metric))
    return {
        (row.level, row.type): Measurement(_defined(row.value), row.n)
        for row in rows
        if row.run is None and row.match == there.match
    }


def measure_intervals(
    side: SystemOnDataset, there: MeasuredCell, metric: str, sampling: Sampling, alpha: float
) -> dict[tuple[str, str | None], Interval]:
    """The interval of every number of one system alone, at level 1 - alpha."""
    part = only_runs(side.evidence, side.evidence.runs_of(side.system))
    narrow, unit = _narrow(part, there, metric), sampling.cluster_unit(part)
    clustered = ClusterCounts(
        narrow, narrow.tables[0], there.match, [side.system], clusters_of(narrow, unit)
    )
    (spread,) = jackknives(clustered, narrow, unit)
    return {
        (key.level, None if key.type is None else part.types[key.type]): interval
        for key, interval in zip(spread.keys, intervals(spread, side.system, alpha), strict=True)
    }


def measure_differences(
    joint: Evidence, there: MeasuredCell, metric: str, sampling: Sampling
) -> Measurements:
    """Every number of both systems, and the difference."""
    if any(there.match not in run.gold_credit for run in joint.ledger(there.table).runs):
        raise InputError(
            f"match '{there.match}'",
            "results and baseline do not both have it",
            "evaluate both with the same matches",
        )
    narrow = _narrow(joint, there, metric)
    compared = all_differences(narrow, [(NEW, OLD)], sampling, ComparisonPlan(test=False))
    alike = _alike(narrow, there, compared)
    return {
        (
            difference.key.level,
            None if difference.key.type is None else joint.types[difference.key.type],
        ): Measurement(difference.a, round(difference.n), difference.b, difference, same)
        for difference, same in zip(compared, alike, strict=True)
    }


def _alike(narrow: Evidence, there: MeasuredCell, compared: Sequence[Difference]) -> list[bool]:
    """For every number, whether the outputs are equal; equal counts are not enough."""
    if all(difference.differing for difference in compared):
        return [False] * len(compared)
    # Two errors that swap places within a document leave its counts unchanged, so outputs are
    # compared by sentence, whatever the clusters are.
    sentences = groups_of(np.arange(len(narrow.documents)))
    clustered = ClusterCounts(narrow, narrow.tables[0], there.match, (NEW, OLD), sentences)
    differing = clustered.differing(NEW, OLD).number()
    return [not differing[difference.at] for difference in compared]


def pick_measurement(
    measurements: Mapping[tuple[str, str | None], Measured],
    there: MeasuredCell,
    condition: Condition,
) -> Measured:
    """The measurement of the cell of a condition."""
    levels = list(dict.fromkeys(level for level, _ in measurements))
    level = there.level or next(
        (name_of_level for name_of_level in _DEFAULTS if name_of_level in levels), ALL
    )
    facet = there.table.facet
    if level not in levels:
        if there.level is None:
            fix = f"{condition.setting('facet', f'{facet}={levels[-1]}')}; levels of {facet}: "
            raise UsageError(
                condition.place_of("facet", facet), "a level is missing", fix + ", ".join(levels)
            )
        key, value = ("facet", condition.cell) if condition.level is None else ("level", level)
        raise UsageError(
            condition.place_of(key, value),
            f"{facet} has no level '{level}'",
            suggest(level, levels),
        )
    kind = condition.type
    if (level, kind) not in measurements:
        types = [
            name
            for name_of_level, name in measurements
            if name_of_level == level and name is not None
        ]
        place = condition.place_of("type", str(kind))
        if not types:
            raise UsageError(place, f"{facet} is not evaluated by type", "leave the type out")
        raise UsageError(place, "unknown type", suggest(str(kind), types))
    return measurements[level, kind]


def _narrow(evidence: Evidence, there: MeasuredCell, metric: str) -> Evidence:
    table = replace(there.table, metrics={there.match: (metric,)})
    return replace(evidence, tables=(table,))


def _defined(value: float | None) -> float:
    return NAN if value is None else value


OK, FAIL, UNDECIDED = "ok", "fail", "undecided"
BASELINE, REFERENCE = "baseline", "reference"  # what a drop is measured against
_ORDINARY = 0.05  # the one-sided level whose bound gives the standard error
_EPSILON = 1e-9  # points: tolerance for rounding


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """The verdict of the gate for one number of one system.

    `new` and `old` are values as in results; `drop`, `low`, `high` and `detectable` are in points
    (percent). The difference to the baseline is above `low`, and below `high`, each with confidence
    1 - `alpha`; a negative difference is always worse. `p` is the p-value of the hypothesis that
    the true drop is as large as allowed. With always-valid bounds, `e_value` is the evidence that
    it is smaller, and p is 1 / `e_value`. `new_low` and `new_high` are the bounds of `new` alone,
    if a floor is compared with them. The test set detects a drop of `detectable` points with 80 %
    power. `failed` says whether the verdict stops a release.
    """

    dataset: str
    system: str
    against: str | None = None  # baseline or reference
    cell: str
    type: str | None = None
    match: str | None = None
    metric: str
    n: int | None = None
    new: float = NAN
    old: float = NAN
    drop: float = NAN
    low: float = NAN
    high: float = NAN
    p: float = NAN
    e_value: float = NAN
    new_low: float = NAN
    new_high: float = NAN
    detectable: float = NAN
    clusters: int | None = None  # documents or sentences
    differing: int | None = None  # clusters in which new and old differ
    over: str | None = None  # document or sentence
    alpha: float = 0.05
    compared: bool = False
    rule: str
    verdict: str
    failed: bool

    @property
    def number(self) -> CellWords:
        """The number in words: its metric and its cell."""
        facet, _, level = self.cell.partition("=")
        of_cell = (self.type, self.match or EXACT, self.metric)
        if facet != ALL and (facet not in FACETS or any(sign in self.cell for sign in "&|")):
            # The code of a subset is its expression, which is also its phrase.
            subset = self.cell.removesuffix(f"={_DEFAULTS[1]}")
            return number_words(subset, _DEFAULTS[1], *of_cell)._replace(code="")
        return number_words(facet, level or ALL, *of_cell)

    @property
    def name(self) -> str:
        """The name of the number, with dataset and system."""
        words = self.number
        number = f"{words.phrase} ({words.code})" if words.code else words.phrase
        to_reference = "against the reference" if self.against == REFERENCE else None
        parts = (self.dataset, self.system, number, to_reference)
        return ", ".join(part for part in parts if part)

    @property
    def reason(self) -> str:
        """The numbers, and the rule that decided."""
        numbers = ", ".join(self._numbers())
        if not numbers:
            return self.rule
        return "; ".join([numbers, f"rule: {self.rule}", *self._doubts()])

    @property
    def word(self) -> str:
        """The verdict as a word, in capitals if it stops a release."""
        return self.verdict.upper() if self.failed else self.verdict

    def __str__(self) -> str:
        return f"{self.word}: {self.name}: {self.reason}"

    def _doubts(self) -> Iterator[str]:
        """Why the verdict is undecided."""
        if self.verdict != UNDECIDED:
            return
        if self.rule.startswith("floor"):
            yield "the true value may be below or above the floor"
        elif not math.isnan(self.drop):
            yield "the true drop may be below or above the allowed one"
        if not math.isnan(self.detectable):
            yield f"this test set detects {self.detectable:.2f} points with 80 % power"

    def _numbers(self) -> Iterator[str]:
        if self.n is None:  # nothing was measured
            return
        scale = scale_of(self.metric)
        new, old = (_shown(scale * value) for value in (self.new, self.old))
        if not math.isnan(self.new_low):
            bounds = (scale * self.new_low, scale * self.new_high)
            new = f"{new} [{', '.join(map(_shown, bounds))}]"
        yield f"{new} against {old}" if self.compared else new
        if not math.isnan(self.drop):
            points, word = _shown(abs(self.drop)), "better" if self.drop < 0 else "worse"
            change = f"{word} by {points} points" if self.drop else "unchanged"
            yield f"{change}{self._bounds()}"
        yield f"n = {self.n:,}"
        if self.clusters is not None:
            whole, verb = count_units(self.clusters, str(self.over)), "differ"
            yield f"{self.differing:,} of {whole} {verb}{'s' if self.differing == 1 else ''}"

    @property
    def columns(self) -> tuple[str, ...]:
        """The cells of a table: the number, new, baseline, drop with its bounds, rule, verdict."""
        scale = scale_of(self.metric)
        new = "" if self.n is None else _shown(scale * self.new)
        old = _shown(scale * self.old) if self.compared else ""
        drop = "" if math.isnan(self.drop) else _shown(self.drop)
        if drop and not math.isnan(self.low):
            drop = f"{drop} [{_shown(-self.high)}, {_shown(-self.low)}]"
        return self.name, new, old, drop, self.rule, self.word

    def _bounds(self) -> str:
        """The bounds of the drop; empty if the outputs are equal."""
        if not self.differing and self.verdict == OK:
            return ""
        if math.isnan(self.low):
            return f" (no bounds: in one {unit_noun(str(self.over))} only)"
        sides = (self.low, self.high) if self.drop < 0 else (-self.high, -self.low)
        low, high = map(_shown, sides)
        always = "" if math.isnan(self.e_value) else f", always valid, e = {self.e_value:.3g}"
        return f" (one-sided {100 * (1 - self.alpha):.6g} % bounds {low} to {high}{always})"


class MeasuredPoints(NamedTuple):
    """A measured number in points; a negative gain is worse."""

    value: float
    gain: float = NAN
    low: float = NAN
    high: float = NAN
    p: float = NAN  # of the hypothesis that the drop is as large as allowed
    detectable: float = NAN
    e_value: float = NAN  # the evidence that the drop is smaller
    least: float = NAN  # the bounds of the value itself, the worse one first
    most: float = NAN


def _shown(value: float) -> str:
    return "undefined" if math.isnan(value) else f"{round(value, 2) + 0.0:.2f}"  # never -0.0


def points_of(condition: Condition, measurement: Measurement) -> MeasuredPoints:
    """A measured number in points, with the sign reversed if lower is better."""
    scale, metric = scale_of(condition.metric), metric_named(condition.metric)
    least, most = _value_bounds(condition, measurement)
    points = MeasuredPoints(scale * measurement.new, least=scale * least, most=scale * most)
    difference = measurement.difference
    if difference is None:
        return points
    gain = scale * metric.gain(measurement.new - measurement.old)
    # Each bound is one-sided, at level alpha.
    bounds = difference.bounds(2 * condition.alpha)
    low, high = sorted(scale * metric.gain(bound) for bound in bounds) if bounds else (NAN, NAN)
    allowed = condition.max_drop or 0.0
    as_value = allowed / scale
    p = difference.p_above(-as_value) if metric.better > 0 else difference.p_below(as_value)
    # p is interpolated on a grid; close to alpha, the bound decides.
    if low > -allowed:
        p = min(p, math.nextafter(condition.alpha, 0.0))
    elif not math.isnan(p):
        p = max(p, condition.alpha)
    detectable = scale * (difference.detectable_at(2 * condition.alpha) or NAN)
    points = points._replace(gain=gain, low=low, high=high, p=p, detectable=detectable)
    return _always_valid(condition, measurement, points) if condition.always_valid else points


def _always_valid(
    condition: Condition, measurement: Measurement, points: MeasuredPoints
) -> MeasuredPoints:
    """The points with bounds that hold for all sizes of the test set at once."""
    assert measurement.difference is not None
    scale = scale_of(condition.metric)
    bounds = measurement.difference.bounds(2 * _ORDINARY)
    if bounds is None:
        return points
    known = _information(condition, measurement)
    # The ordinary bound accounts for few clusters (Student's quantile) and for the variance over
    # runs. Scaling it widens the part of runs like the part of clusters, which is conservative.
    error = scale * (bounds[1] - bounds[0]) / 2 / normal_quantile(1 - _ORDINARY)
    reach = standard_errors(condition.alpha, known) * error
    distance = points.gain + (condition.max_drop or 0.0)
    evidence = e_value(distance / error, known) if error else NAN
    wider = reach - (points.high - points.low) / 2
    return points._replace(
        low=points.gain - reach,
        high=points.gain + reach,
        e_value=evidence,
        p=min(1.0, 1 / evidence) if evidence else 1.0,
        detectable=points.detectable + wider,
    )


def _information(condition: Condition, measurement: Measurement) -> float:
    return information(max(1, measurement.all_clusters), condition.tuned_to, condition.alpha)


def _value_bounds(condition: Condition, measurement: Measurement) -> tuple[float, float]:
    """The bounds of the number itself, each one-sided at level alpha."""
    if measurement.interval is None:
        return NAN, NAN
    if not condition.always_valid:
        return measurement.interval
    value, known = measurement.new, _information(condition, measurement)
    wider = standard_errors(condition.alpha, known) / normal_quantile(1 - _ORDINARY)
    low, high = (value + wider * (bound - value) for bound in measurement.interval)
    return (max(0.0, low), min(1.0, high)) if scale_of(condition.metric) > 1 else (low, high)


def floor_level(condition: Condition) -> float:
    """The two-sided level of the interval of a number, for a floor by interval."""
    return 2 * (_ORDINARY if condition.always_valid else condition.alpha)


def decide(
    condition: Condition, measurement: Measurement, compared: bool, against: str = BASELINE
) -> tuple[str, str]:
    """The verdict of all rules of a condition, and the rule that decided (the first that fails)."""
    if compared and math.isnan(measurement.new) and not math.isnan(measurement.old):
        return FAIL, "no longer defined"
    points = points_of(condition, measurement)
    alike = measurement.has_same_outputs
    verdicts = list(_rule_verdicts(condition, points, alike, compared, against))
    for verdict in (FAIL, UNDECIDED):
        for rule_verdict, rule in verdicts:
            if rule_verdict == verdict:
                return verdict, rule
    return OK, ", ".join(rule for _, rule in verdicts) or f"not in the {against}"


def _rule_verdicts(
    condition: Condition, points: MeasuredPoints, alike: bool, compared: bool, against: str
) -> Iterator[tuple[str, str]]:
    if condition.floor is not None:
        yield _above(condition, condition.floor, points)
    if condition.max_drop is not None and compared:
        verdict = OK if alike else _within(condition.max_drop, points)
        is_total = against == REFERENCE and condition.max_total_drop is not None
        yield verdict, f"{'max_total_drop' if is_total else 'max_drop'} {condition.max_drop:g}"


def _above(condition: Condition, floor: float, points: MeasuredPoints) -> tuple[str, str]:
    """The verdict of a floor, by the value or by its bounds, and the rule."""
    gain = metric_named(condition.metric).gain
    if condition.floor_rule == BY_VALUE or math.isnan(points.value):
        is_above = gain(points.value - floor) >= -_EPSILON
        return OK if is_above else FAIL, f"floor {floor:g} (point estimate)"
    side = "lower" if gain(1.0) > 0 else "upper"
    rule = f"floor {floor:g} ({side} {100 * (1 - condition.alpha):.6g} % bound)"
    worst, best = sorted(gain(bound - floor) for bound in (points.least, points.most))
    if worst >= -_EPSILON:
        return OK, rule
    return FAIL if best < -_EPSILON else UNDECIDED, rule


def _within(allowed: float, points: MeasuredPoints) -> str:
    """OK if the interval of the drop is below the allowed drop, FAIL if it is above."""
    if points.low > -allowed:
        return OK
    return FAIL if points.high < -allowed else UNDECIDED
