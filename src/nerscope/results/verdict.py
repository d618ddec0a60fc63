"""A verdict of the gate: what a condition's rules say of a number, and which of them decided."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from nerscope.results.conditions import Condition
from nerscope.results.measured import NAN, Measured
from nerscope.scoring.metrics import metric_named

OK, FAIL, UNDECIDED = "ok", "fail", "undecided"
_EPSILON = 1e-9  # points: rounding must not decide


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What the gate found for one number of one system.

    `new` and `old` are values as in results; `drop`, `low` and `high` are in points (percent).
    `low` and `high` bound the difference to the baseline at the level 1 - `alpha`; a negative
    difference is always for the worse. `failed` tells whether the verdict stops a release.
    """

    dataset: str
    system: str
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
    alpha: float = 0.05
    compared: bool = False
    rule: str
    verdict: str
    failed: bool

    @property
    def name(self) -> str:
        """Which number it is about."""
        kind = None if self.type is None else f"type {self.type}"
        match = None if self.match == "exact" else self.match
        parts = (self.dataset, self.system, self.cell, kind, match, self.metric)
        return ", ".join(part for part in parts if part)

    @property
    def said(self) -> str:
        """What was found, and which rule decided."""
        numbers = ", ".join(self._numbers())
        return f"{numbers}; rule: {self.rule}" if numbers else self.rule

    @property
    def word(self) -> str:
        """The verdict as a word; in capitals if it stops a release."""
        return self.verdict.upper() if self.failed else self.verdict

    def __str__(self) -> str:
        return f"{self.word}: {self.name}: {self.said}"

    def _numbers(self) -> Iterator[str]:
        if self.n is None:  # nothing was measured
            return
        scale = scale_of(self.metric)
        new, old = (_shown(scale * value) for value in (self.new, self.old))
        yield f"{new} against {old}" if self.compared else new
        if not math.isnan(self.drop):
            yield f"drop {self.drop:.2f} points"
            yield f"p = {_shown(self.p, 4)}"
        yield f"n = {self.n}"
        if not math.isnan(self.low):
            level = f"{100 * (1 - self.alpha):.6g} %"
            yield f"difference {self.low:.2f} to {self.high:.2f} ({level})"


class Points(NamedTuple):
    """A measured number on the scale of conditions; a negative gain is for the worse."""

    value: float
    gain: float
    low: float
    high: float
    p: float


def scale_of(metric: str) -> float:
    """How many points a value of 1 is."""
    return 100.0 if metric_named(metric).is_fraction else 1.0


def _shown(value: float, digits: int = 2) -> str:
    return "undefined" if math.isnan(value) else f"{value:.{digits}f}"


def points_of(metric: str, found: Measured) -> Points:
    """A measured number in points, turned round if lower is better."""
    scale, gain = scale_of(metric), metric_named(metric).gain
    low, high = (
        (NAN, NAN)
        if found.interval is None
        else sorted(scale * gain(bound) for bound in found.interval)
    )
    return Points(scale * found.new, scale * gain(found.new - found.old), low, high, found.p)


def decided(condition: Condition, found: Measured, compared: bool) -> tuple[str, str]:
    """The verdict of all rules of a condition, and the rule that decided: the first to fail."""
    if compared and math.isnan(found.new) and not math.isnan(found.old):
        return FAIL, "no longer defined"
    points = points_of(condition.metric, found)
    said = list(_by_rule(condition, points, compared))
    for verdict in (FAIL, UNDECIDED):
        for one, rule in said:
            if one == verdict:
                return verdict, rule
    return OK, ", ".join(rule for _, rule in said) or "not in the baseline"


def _by_rule(condition: Condition, found: Points, compared: bool) -> Iterator[tuple[str, str]]:
    if condition.floor is not None:
        above = metric_named(condition.metric).gain(found.value - condition.floor)
        yield OK if above >= -_EPSILON else FAIL, f"floor {condition.floor:g}"
    if condition.max_drop is not None and compared:
        dropped = -found.gain > condition.max_drop + _EPSILON and found.p < condition.alpha
        yield FAIL if dropped else OK, f"max_drop {condition.max_drop:g}"
    if condition.margin is not None and compared:
        above, below = found.low > -condition.margin, found.high < -condition.margin
        yield OK if above else FAIL if below else UNDECIDED, f"margin {condition.margin:g}"
