"""Experiment files: which data, which systems, which settings; every key is checked."""

import glob
import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from nerscope.errors import InputError, UsageError, expect, suggest
from nerscope.evaluation.settings import Settings
from nerscope.evaluation.systems import check_names
from nerscope.formats.base import OPTIONS_FOLLOW, path_of
from nerscope.results.protocol import Protocol
from nerscope.stats.intervals import Sampling

_SAMPLING_KEYS = ("samples", "seed", "resample")
_COMPARE_KEYS = ("baseline", "method", "about", "correction")
_PROTOCOL_TYPES: dict[str, Any] = {"datasets": str, "ratio": int | float}
_SETTING_TYPES: dict[str, Any] = {
    **dict.fromkeys(("facets", "matches", "metrics"), list),
    **dict.fromkeys(("repair", "token_repair", "token_match", "bucketing", "resample"), str),
    **dict.fromkeys(("buckets", "samples", "seed"), int),
    "zero_division": int | float,
    "edges": dict,
    "map": dict,
    "texts": bool,
    "intervals": bool,
}
_KINDS = {
    list: "list of strings",
    str: "string",
    int: "whole number",
    bool: "true or false",
    dict: "table of lists",
}


@dataclass(frozen=True, slots=True)
class Dataset:
    """A test file, its training data, and the outputs on it, by system: as `FILE::options`."""

    name: str
    test: str
    train: str | None
    systems: Mapping[str, Sequence[str]]


@dataclass(frozen=True, slots=True)
class Experiment:
    """What an experiment file says."""

    datasets: Sequence[Dataset]
    settings: Settings
    sampling: Sampling
    intervals: bool
    comparison: Mapping[str, Any] | None  # None: no comparison
    notes: Sequence[str] = field(default_factory=tuple)
    protocol: Protocol | None = None  # what the datasets are to each other

    @property
    def inputs(self) -> list[str]:
        """All files that are read."""
        texts = [text for one in self.datasets for text in (one.test, one.train) if text]
        for dataset in self.datasets:
            texts += [text for outputs in dataset.systems.values() for text in outputs]
        return list(map(path_of, texts))


def load_experiment(path: str | Path) -> Experiment:
    """Read an experiment file; every key is checked.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "nerscope.toml"
    ...     _ = path.write_text("[dataset]")
    ...     load_experiment(path)
    Traceback (most recent call last):
    nerscope.errors.UsageError: ...nerscope.toml:1: unknown key 'dataset'. Remedy: did you mean ...
    """
    expect("experiment", path, (str, Path), "give the path of an experiment file")
    place = Path(path)
    try:
        text = place.read_text(encoding="utf-8")
        content = tomllib.loads(text)
    except OSError as error:
        raise InputError(
            str(path), f"it cannot be read ({error.strerror})", "check the path"
        ) from None
    except (UnicodeDecodeError, RecursionError, tomllib.TOMLDecodeError) as error:
        raise InputError(
            str(path), f"it is not TOML ({error})", "mend it; docs/experiments.md shows an example"
        ) from None
    checker = _Checker(place, text)
    checker.keys(content, ("datasets", "systems", "settings", "compare", "protocol"), "")
    settings = checker.table(content, "settings")
    checker.values(settings, _SETTING_TYPES, "settings")
    known = [item.name for item in fields(Settings)]
    chosen = Settings.of({key: value for key, value in settings.items() if key in known})
    sampling = Sampling(**{key: settings[key] for key in _SAMPLING_KEYS if key in settings})
    comparison = checker.table(content, "compare") if "compare" in content else None
    if comparison is not None:
        checker.values(comparison, dict.fromkeys(_COMPARE_KEYS, str), "compare")
    datasets, notes = _datasets(content, checker)
    return Experiment(
        datasets,
        chosen,
        sampling,
        bool(settings.get("intervals", True)),
        comparison,
        notes,
        _protocol(content, checker),
    )


@dataclass(frozen=True, slots=True)
class _Checker:
    """Finds the line of a key, since a TOML reader forgets it."""

    path: Path
    text: str

    def keys(self, table: Mapping[str, Any], known: Sequence[str], where: str) -> None:
        for key in table:
            if key not in known:
                raise UsageError(
                    f"{self.path}:{self.line(key)}",
                    f"unknown key '{key}'{f' in [{where}]' if where else ''}",
                    suggest(key, known),
                )

    def values(self, table: Mapping[str, Any], types: Mapping[str, Any], where: str) -> None:
        """Check the keys of a table, and the kinds of their values."""
        self.keys(table, list(types), where)
        for key, value in table.items():
            if not isinstance(value, types[key]) or (
                isinstance(value, bool) and types[key] is not bool
            ):
                raise UsageError(
                    f"{self.path}:{self.line(key)}",
                    f"'{key}' in [{where}] cannot be {value!r}",
                    f"give a {_KINDS.get(types[key], 'value that docs/experiments.md shows')}",
                )

    def table(self, content: Mapping[str, Any], name: str) -> dict[str, Any]:
        found = content.get(name, {})
        if not isinstance(found, dict):
            raise UsageError(
                f"{self.path}:{self.line(name)}", f"'{name}' is not a table", f"write [{name}]"
            )
        return found

    def line(self, key: str) -> int:
        found = re.search(rf"(?m)^[^#\n]*?(?<![\w-]){re.escape(key)}(?![\w-])", self.text)
        return self.text.count("\n", 0, found.end()) + 1 if found else 1


def _protocol(content: Mapping[str, Any], checker: _Checker) -> Protocol | None:
    """What [protocol] says the datasets are to each other, if it does."""
    table = checker.table(content, "protocol")
    checker.values(table, _PROTOCOL_TYPES, "protocol")
    said = {key: table[key] for key in _PROTOCOL_TYPES if key in table}
    try:
        return Protocol(**said) if said else None
    except UsageError as error:
        place = f"{checker.path}:{checker.line('protocol')}"
        raise UsageError(place, f"[protocol]: {error.fact}", error.remedy) from None


def _datasets(content: Mapping[str, Any], checker: _Checker) -> tuple[list[Dataset], list[str]]:
    folder = checker.path.parent
    systems = checker.table(content, "systems")
    check_names(systems)
    tables = checker.table(content, "datasets")
    if not tables or not systems:
        raise InputError(
            str(checker.path),
            "it names no dataset or no system",
            "write [datasets.NAME] and [systems]",
        )
    datasets, notes = [], []
    for name, table in tables.items():
        if not isinstance(table, dict) or not name:
            raise UsageError(
                f"{checker.path}:{checker.line(name)}",
                f"dataset '{name}' is not a table",
                f"write [datasets.{name or 'NAME'}]",
            )
        checker.values(table, dict.fromkeys(("train", "test", "options"), str), f"datasets.{name}")
        if "test" not in table:
            raise InputError(
                f"{checker.path}:{checker.line(name)}",
                f"dataset '{name}' has no test file",
                'add test = "FILE"',
            )
        options = table.get("options", "")
        train = _file(folder, table["train"], options) if "train" in table else None
        outputs: dict[str, list[str]] = {}
        for system, patterns in systems.items():
            pattern = patterns.get(name) if isinstance(patterns, dict) else patterns
            if pattern is not None and not isinstance(pattern, str):
                raise UsageError(
                    f"{checker.path}:{checker.line(system)}",
                    f"the files of '{system}' cannot be {pattern!r}",
                    "give a pattern, or a table with a pattern for each dataset",
                )
            found = [] if pattern is None else _found(folder, pattern, name, options)
            if found:
                outputs[system] = found
            elif pattern is not None:  # a table that does not name the dataset means it so
                notes.append(
                    f"{name}: no file of {system} is found ({pattern}); it is left out here"
                )
        if not outputs:
            raise InputError(
                f"{checker.path}:{checker.line(name)}",
                f"no output of any system for '{name}'",
                "check the patterns",
            )
        datasets.append(Dataset(name, _file(folder, table["test"], options), train, outputs))
    return datasets, notes


def _file(folder: Path, text: str, options: str) -> str:
    path, _, own = text.partition(OPTIONS_FOLLOW)
    return f"{folder / path}{OPTIONS_FOLLOW}{own or options}"


def _found(folder: Path, pattern: str, dataset: str, options: str) -> list[str]:
    """The files that fit a pattern; what the folder or the dataset is called is no pattern."""
    path, _, own = pattern.partition(OPTIONS_FOLLOW)
    path = path.replace("{dataset}", glob.escape(dataset))
    whole = path if Path(path).is_absolute() else f"{glob.escape(str(folder))}/{path}"
    found = sorted(glob.glob(whole), key=_by_number)  # noqa: PTH207  the pattern may be absolute
    return [f"{one}{OPTIONS_FOLLOW}{own or options}" for one in found]


def _by_number(path: str) -> list[tuple[int, str]]:
    """Sort key in which run 10 comes after run 9."""
    parts = re.split(r"(\d+)", path)
    return [(int(part), "") if part.isdecimal() else (-1, part) for part in parts]
