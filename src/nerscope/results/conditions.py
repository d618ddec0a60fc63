"""Conditions of a gate, given as objects, as tables, or in a TOML file."""

import math
import os
import re
import shlex
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
BY_VALUE, BY_INTERVAL = "value", "interval"  # what a floor is compared with
_MOST = 1e9
_NEEDED = ("metric", "facet", "alpha", "floor_rule", "always_valid", "tuned_to")
_RANGES = {
    "floor": (-math.inf, math.inf, "give a number of points, such as 80"),
    "max_drop": (0.0, math.inf, "give the allowed drop in points, 0 or more"),
    "max_total_drop": (0.0, math.inf, "give the allowed drop in points, 0 or more"),
    "alpha": (1e-4, 0.5, "give a number from 0.0001 to 0.5, such as 0.05"),
    "tuned_to": (1.0, math.inf, "give a number of documents or sentences, such as 200"),
}


_CHOICES: dict[str, tuple[tuple[object, ...], str]] = {
    "floor_rule": ((BY_VALUE, BY_INTERVAL), f'give "{BY_VALUE}" or "{BY_INTERVAL}"'),
    "always_valid": ((False, True), "give true or false"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Condition:
    """A condition on one number; `floor` and `max_drop` are in points.

    `facet` is a facet of the results, or facet=level. Without `system` or `dataset`, the condition
    applies to all of them. `max_total_drop` is the allowed drop against a reference (default:
    `max_drop`). With `floor_rule="interval"`, the bounds of a number must be above the floor. With
    `always_valid`, bounds hold for all sizes of the test set at once, and are narrowest at
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
        """Whether the condition needs a baseline."""
        return self.max_drop is not None

    def against_reference(self) -> "Condition | None":
        """The condition for a fixed reference; None if it allows any drop."""
        allowed = self.max_drop if self.max_total_drop is None else self.max_total_drop
        return None if allowed is None else replace(self, max_drop=allowed, floor=None)

    @property
    def cell(self) -> str:
        """The facet and its level, as given."""
        return self.facet if self.level is None else f"{self.facet}={self.level}"

    def at(self, key: str, what: str = "") -> str:
        """The place of a key for a message: file and line, and `what` it is."""
        written = self.places.get(key) or self.places.get("")
        return ", ".join(part for part in (written, what) if part) or key

    def place_of(self, key: str, value: str) -> str:
        """The place of a value for a message: `gate.toml:9, type 'PRE'`, or `--type PRE`."""
        return self.at(key, f"{key} '{value}'") if self.places else self.setting(key, value)

    def setting(self, key: str, value: str) -> str:
        """A value as it is given: `type = "PER"` in a table, or `--type PER`."""
        return f'{key} = "{value}"' if self.places else f"--{key} {shlex.quote(value)}"


KEYS = tuple(one.name for one in fields(Condition) if one.name != "places")
ConditionSource = Sequence[Condition | Mapping[str, Any]] | str | os.PathLike[str]


def conditions_of(given: ConditionSource) -> list[Condition]:
    """Checked conditions from objects, from plain tables, or from a TOML file."""
    if isinstance(given, str | os.PathLike):
        return load_conditions(given)
    if not given:
        raise UsageError("conditions", "the list is empty", "give at least one condition")
    return [
        _numbered(condition, f"condition {number}") for number, condition in enumerate(given, 1)
    ]


def _numbered(given: Condition | Mapping[str, Any], name: str) -> Condition:
    if isinstance(given, Condition):
        return check_condition(given if given.places else replace(given, places={"": name}))
    return condition_of(given, {"": name})


def condition_of(table: Mapping[str, Any], places: Mapping[str, str]) -> Condition:
    """A checked condition from a plain table."""
    for key in table:
        if key not in KEYS:
            place = places.get(key) or places[""]
            raise UsageError(place, f"unknown key '{key}'", suggest(str(key), KEYS))
    return check_condition(Condition(**table, places=places))


def check_condition(condition: Condition) -> Condition:
    """The condition; raise a UsageError if a value is invalid."""
    for key, fix in _faults(condition):
        value = getattr(condition, key)
        place = condition.at(key, key if condition.places else "")
        raise UsageError(place, f"invalid value {value!r}", fix)
    if all(getattr(condition, rule) is None for rule in RULES):
        raise UsageError(condition.at("", ""), "it has no rule", "give floor or max_drop")
    return condition


def _faults(condition: Condition) -> Iterator[tuple[str, str]]:
    """The keys with invalid values, each with its fix."""
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
    """Whether the value is a number in the range of points."""
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
        raise InputError(
            str(path), "it has no condition", f"add [[{_NAME}]] with a rule, such as floor = 80"
        )
    if not isinstance(tables, list) or not all(isinstance(table, dict) for table in tables):
        place = f"{path}:{_line(text, _key(_NAME))}"
        raise UsageError(place, f"'{_NAME}' is not a list of tables", f"write [[{_NAME}]]")
    places = _places(str(path), text, tables)
    return [
        condition_of(table, key_places) for table, key_places in zip(tables, places, strict=True)
    ]


def _read(path: str | os.PathLike[str]) -> tuple[str, dict[str, Any]]:
    try:
        text = Path(path).read_text(encoding="utf-8")
        return text, tomllib.loads(text)
    except FileNotFoundError:
        raise InputError(str(path), "no such file", "check the path") from None
    except OSError as error:
        raise InputError(
            str(path), f"it cannot be read ({error.strerror})", "check the path"
        ) from None
    except (ValueError, RecursionError) as error:
        line = re.search(r"at line (\d+)", str(error))
        raise InputError(
            f"{path}:{line[1]}" if line else str(path),
            f"it is not TOML ({error})",
            "correct the syntax; docs/commands/gate.md shows an example",
        ) from None


def _places(path: str, text: str, tables: Sequence[Mapping[str, Any]]) -> list[Mapping[str, str]]:
    """The place of each key of each table; the place of the table itself is under ''."""
    starts = [header.start() for header in _HEADER.finditer(text)]
    if len(starts) != len(tables):  # written in another TOML syntax
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
    """The line of a key between two offsets; the line of `start` if it is not found."""
    match = key.search(text, start, len(text) if end is None else end)
    return text.count("\n", 0, match.start() if match else start) + 1
