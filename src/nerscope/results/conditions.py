"""What a gate demands: which number, and how low it may be, how far it may drop."""

import math
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from numbers import Real
from typing import Any, cast

from nerscope.errors import UsageError, suggest
from nerscope.stats.corrections import SIGNIFICANT

RULES = ("floor", "max_drop")
_MOST = 1e9
_NEEDED = ("metric", "facet", "alpha")
_RANGES = {
    "floor": (-math.inf, math.inf, "give a number of points, as 80"),
    "max_drop": (0.0, math.inf, "give the points that a number may drop, 0 or more"),
    "alpha": (1e-4, 0.5, "give a share from 0.0001 to 0.5, as 0.05"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Condition:
    """What one number must fulfil: `floor` and `max_drop` are in points.

    `facet` is a facet of the results, or facet=level. Without `system` or `dataset`, it holds for
    all of them.

    >>> Condition(metric="recall", facet="tmr=unseen-tokens", max_drop=1.0).compares
    True
    """

    metric: str = "f1"
    facet: str = "all"
    level: str | None = None
    type: str | None = None
    match: str | None = None
    system: str | None = None
    dataset: str | None = None
    floor: float | None = None
    max_drop: float | None = None
    alpha: float = SIGNIFICANT
    places: Mapping[str, str] = field(default_factory=dict, compare=False, repr=False)

    @property
    def compares(self) -> bool:
        """Whether it needs a baseline."""
        return self.max_drop is not None

    @property
    def cell(self) -> str:
        """The facet and its level, as they were given."""
        return self.facet if self.level is None else f"{self.facet}={self.level}"

    def at(self, key: str, what: str = "") -> str:
        """The place of a key for a message: where it was written, and what it is."""
        written = self.places.get(key) or self.places.get("")
        return ", ".join(part for part in (written, what) if part) or key


KEYS = tuple(one.name for one in fields(Condition) if one.name != "places")
Given = Sequence[Condition | Mapping[str, Any]] | str | os.PathLike[str]


def conditions_of(given: Given) -> list[Condition]:
    """Conditions from objects, from plain tables, or from the TOML file of this name; checked."""
    if isinstance(given, str | os.PathLike):
        from nerscope.results.condition_files import load_conditions

        return load_conditions(given)
    if not given:
        raise UsageError("conditions", "there is none", "give at least one")
    return [_numbered(one, f"condition {number}") for number, one in enumerate(given, 1)]


def _numbered(given: Condition | Mapping[str, Any], name: str) -> Condition:
    if isinstance(given, Condition):
        return checked(given if given.places else replace(given, places={"": name}))
    return condition_of(given, {"": name})


def condition_of(table: Mapping[str, Any], places: Mapping[str, str]) -> Condition:
    """A condition from a plain table, every key of which is checked."""
    for key in table:
        if key not in KEYS:
            place = places.get(key) or places[""]
            raise UsageError(place, f"unknown key '{key}'", suggest(str(key), KEYS))
    return checked(Condition(**table, places=places))


def checked(condition: Condition) -> Condition:
    """The condition, if every value can be."""
    for key, remedy in _faults(condition):
        value = getattr(condition, key)
        place = condition.at(key, key if condition.places else "")
        raise UsageError(place, f"{value!r} cannot be", remedy)
    if all(getattr(condition, rule) is None for rule in RULES):
        raise UsageError(condition.at("", ""), "it demands nothing", "give floor or max_drop")
    return condition


def _faults(condition: Condition) -> Iterator[tuple[str, str]]:
    """The keys whose values cannot be, and what can."""
    for key in KEYS:
        value = getattr(condition, key)
        if value is None and key not in _NEEDED:
            continue
        if key not in _RANGES:
            if not (isinstance(value, str) and value):
                yield key, f"give the name of a {key}"
            continue
        low, high, remedy = _RANGES[key]
        if not (_is_number(value) and low <= value <= high):
            yield key, remedy


def _is_number(value: object) -> bool:
    """Whether this is a number of a size that points can have."""
    real = isinstance(value, Real) and not isinstance(value, bool)
    return real and abs(cast(float, value)) <= _MOST
