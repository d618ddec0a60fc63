"""What a gate demands of a number, given as objects, as tables, or in a TOML file."""

import math
import os
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from numbers import Real
from pathlib import Path
from typing import Any, cast

from nerscope.corpus.units import ALL
from nerscope.errors import InputError, UsageError, suggest
from nerscope.scoring.metrics import F1
from nerscope.stats.always_valid import TUNED_TO
from nerscope.stats.corrections import SIGNIFICANT

RULES = ("floor", "max_drop", "max_total_drop")
BY_VALUE, BY_INTERVAL = "value", "interval"  # what a floor is held against
_MOST = 1e9
_NEEDED = ("metric", "facet", "alpha", "floor_rule", "always_valid", "tuned_to")
_RANGES = {
    "floor": (-math.inf, math.inf, "give a number of points, as 80"),
    "max_drop": (0.0, math.inf, "give the points that a number may drop, 0 or more"),
    "max_total_drop": (0.0, math.inf, "give the points that a number may drop, 0 or more"),
    "alpha": (1e-4, 0.5, "give a share from 0.0001 to 0.5, as 0.05"),
    "tuned_to": (1.0, math.inf, "give a number of documents or sentences, as 200"),
}


_CHOICES: dict[str, tuple[tuple[object, ...], str]] = {
    "floor_rule": ((BY_VALUE, BY_INTERVAL), f'give "{BY_VALUE}" or "{BY_INTERVAL}"'),
    "always_valid": ((False, True), "give true or false"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Condition:
    """What one number must fulfil: `floor` and `max_drop` are in points.

    `facet` is a facet of the results, or facet=level. Without `system` or `dataset`, it holds for
    all of them. `max_total_drop` is the drop allowed against a reference, if it is not `max_drop`.
    With `floor_rule="interval"`, the bounds of a number must be above the floor. With
    `always_valid`, bounds hold at all sizes of the test set at once, and are narrowest at
    `tuned_to` documents or sentences.

    >>> Condition(metric="recall", facet="tmr=unseen-tokens", max_drop=1.0).compares
    True
    """

    metric: str = F1
    facet: str = ALL
    level: str | None = None
    type: str | None = None
    match: str | None = None
    system: str | None = None
    dataset: str | None = None
    floor: float | None = None
    max_drop: float | None = None
    alpha: float = SIGNIFICANT
    max_total_drop: float | None = None
    floor_rule: str = BY_VALUE
    always_valid: bool = False
    tuned_to: float = TUNED_TO
    places: Mapping[str, str] = field(default_factory=dict, compare=False, repr=False)

    @property
    def compares(self) -> bool:
        """Whether it needs a baseline."""
        return self.max_drop is not None

    def against_reference(self) -> "Condition | None":
        """The condition that holds against a fixed reference; None if there is none."""
        allowed = self.max_drop if self.max_total_drop is None else self.max_total_drop
        return None if allowed is None else replace(self, max_drop=allowed, floor=None)

    @property
    def cell(self) -> str:
        """The facet and its level, as they were given."""
        return self.facet if self.level is None else f"{self.facet}={self.level}"

    def at(self, key: str, what: str = "") -> str:
        """The place of a key for a message: where it was written, and what it is."""
        written = self.places.get(key) or self.places.get("")
        return ", ".join(part for part in (written, what) if part) or key


KEYS = tuple(one.name for one in fields(Condition) if one.name != "places")
ConditionSource = Sequence[Condition | Mapping[str, Any]] | str | os.PathLike[str]


def conditions_of(given: ConditionSource) -> list[Condition]:
    """Conditions from objects, from plain tables, or from the TOML file of this name; checked."""
    if isinstance(given, str | os.PathLike):
        from nerscope.results.conditions import load_conditions

        return load_conditions(given)
    if not given:
        raise UsageError("conditions", "there is none", "give at least one")
    return [
        _numbered(condition, f"condition {number}") for number, condition in enumerate(given, 1)
    ]


def _numbered(given: Condition | Mapping[str, Any], name: str) -> Condition:
    if isinstance(given, Condition):
        return check_condition(given if given.places else replace(given, places={"": name}))
    return condition_of(given, {"": name})


def condition_of(table: Mapping[str, Any], places: Mapping[str, str]) -> Condition:
    """A condition from a plain table, every key of which is checked."""
    for key in table:
        if key not in KEYS:
            place = places.get(key) or places[""]
            raise UsageError(place, f"unknown key '{key}'", suggest(str(key), KEYS))
    return check_condition(Condition(**table, places=places))


def check_condition(condition: Condition) -> Condition:
    """The condition, if every value can be."""
    for key, fix in _faults(condition):
        value = getattr(condition, key)
        place = condition.at(key, key if condition.places else "")
        raise UsageError(place, f"{value!r} cannot be", fix)
    if all(getattr(condition, rule) is None for rule in RULES):
        raise UsageError(condition.at("", ""), "it demands nothing", "give floor or max_drop")
    return condition


def _faults(condition: Condition) -> Iterator[tuple[str, str]]:
    """The keys whose values cannot be, and what can."""
    for key in KEYS:
        value = getattr(condition, key)
        if value is None and key not in _NEEDED:
            continue
        if key in _CHOICES:
            choices, fix = _CHOICES[key]
            if value not in choices or isinstance(value, bool) != isinstance(choices[0], bool):
                yield key, fix
            continue
        if key not in _RANGES:
            if not (isinstance(value, str) and value):
                yield key, f"give the name of a {key}"
            continue
        low, high, fix = _RANGES[key]
        if not (_is_number(value) and low <= value <= high):
            yield key, fix


def _is_number(value: object) -> bool:
    """Whether this is a number of a size that points can have."""
    real = isinstance(value, Real) and not isinstance(value, bool)
    return real and abs(cast(float, value)) <= _MOST


_NAME = "condition"
_HEADER = re.compile(rf"(?m)^[ \t]*\[\[[ \t]*[\"']?{_NAME}[\"']?[ \t]*\]\]")


def load_conditions(path: str | os.PathLike[str]) -> list[Condition]:
    """Read a file of conditions.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "gate.toml"
    ...     _ = path.write_text('[[condition]]\\nmetric = "f1"\\nflor = 80')
    ...     load_conditions(path)
    Traceback (most recent call last):
    nerscope.errors.UsageError: ...gate.toml:3: unknown key 'flor'. Fix: did you mean ...
    """
    text, content = _read(path)
    for key in content:
        if key != _NAME:
            place = f"{path}:{_line(text, _key(key))}"
            raise UsageError(place, f"unknown key '{key}'", suggest(key, [_NAME]))
    tables = content.get(_NAME)
    if tables is None or tables == []:
        raise InputError(str(path), "it has no condition", f"write [[{_NAME}]] and its keys")
    if not isinstance(tables, list) or not all(isinstance(table, dict) for table in tables):
        place = f"{path}:{_line(text, _key(_NAME))}"
        raise UsageError(place, f"'{_NAME}' is no list of tables", f"write [[{_NAME}]]")
    places = _places(str(path), text, tables)
    return [
        condition_of(table, key_places) for table, key_places in zip(tables, places, strict=True)
    ]


def _read(path: str | os.PathLike[str]) -> tuple[str, dict[str, Any]]:
    try:
        text = Path(path).read_text(encoding="utf-8")
        return text, tomllib.loads(text)
    except OSError as error:
        raise InputError(
            str(path), f"it cannot be read ({error.strerror})", "check the path"
        ) from None
    except (ValueError, RecursionError) as error:
        line = re.search(r"at line (\d+)", str(error))
        raise InputError(
            f"{path}:{line[1]}" if line else str(path),
            f"it is not TOML ({error})",
            "mend it; docs/commands/gate.md shows an example",
        ) from None


def _places(path: str, text: str, tables: Sequence[Mapping[str, Any]]) -> list[Mapping[str, str]]:
    """The place of each key of each table; that of the table is under ''."""
    starts = [header.start() for header in _HEADER.finditer(text)]
    if len(starts) != len(tables):  # written in another way
        whole = f"{path}:{_line(text, _key(_NAME))}"
        return [{"": whole} for _ in tables]
    places: list[Mapping[str, str]] = []
    for start, end, table in zip(starts, [*starts[1:], len(text)], tables, strict=True):
        key_places = {key: f"{path}:{_line(text, _key(key), start, end)}" for key in table}
        places.append({"": f"{path}:{text.count(chr(10), 0, start) + 1}", **key_places})
    return places


def _key(name: str) -> re.Pattern[str]:
    return re.compile(rf"(?m)^[ \t]*\[*[ \t]*[\"']?{re.escape(name)}(?![\w-])")


def _line(text: str, key: re.Pattern[str], start: int = 0, end: int | None = None) -> int:
    """The line of a key between two places; that of the first place if it is not found."""
    match = key.search(text, start, len(text) if end is None else end)
    return text.count("\n", 0, match.start() if match else start) + 1
