"""Experiment files: datasets, systems and settings in TOML; every key is checked."""

import glob
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from nerscope.errors import InputError, UsageError, expect, suggest
from nerscope.evaluation.task import Settings, check_names
from nerscope.experiment.toml import Toml, read_toml
from nerscope.formats.base import OPTIONS_MARK, path_of, split_options
from nerscope.formats.files import is_remote, matching_files
from nerscope.results.protocol import Protocol
from nerscope.stats.corrections import DEFAULT_CORRECTION, check_correction
from nerscope.stats.intervals import Sampling

_SAMPLING_KEYS = ("samples", "seed", "resample")
_COMPARE_KEYS = ("baseline", "method", "about", "correction")
PROTOCOL_TYPES: dict[str, Any] = {"datasets": str, "ratio": int | float}
_DATA_TYPES: dict[str, Any] = {
    **dict.fromkeys(("dev", "test", "options"), str),
    "train": str | list,  # one training set may be several files
}
TABLES = ("datasets", "systems", "settings", "compare", "protocol")
_TRAINED = {"recipe", "command"}  # a system with one of these keys is trained
_SETTING_TYPES: dict[str, Any] = {
    **dict.fromkeys(("facets", "matches", "metrics"), list),
    **dict.fromkeys(
        ("repair", "token_repair", "token_match", "bucketing", "resample", "case"), str
    ),
    **dict.fromkeys(("buckets", "samples", "seed"), int),
    "zero_division": int | float,
    "edges": dict,
    "map": dict,
    "drop": list,
    "texts": bool,
    "fold": bool,
    "intervals": bool,
}


@dataclass(frozen=True, slots=True)
class Data:
    """The files of a dataset, as `FILE::options`."""

    name: str
    test: str
    train: tuple[str, ...]  # all files of the training set; empty if there is none
    dev: tuple[str, ...]
    options: str = ""  # default file options

    @property
    def files(self) -> list[str]:
        """The test, train and dev files that are given."""
        return [self.test, *self.train, *self.dev]


@dataclass(frozen=True, slots=True)
class Dataset(Data):
    """A dataset with the outputs of each system on it, as `FILE::options`."""

    systems: Mapping[str, Sequence[str]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Experiment:
    """The content of an experiment file, checked."""

    datasets: Sequence[Dataset]
    settings: Settings
    sampling: Sampling
    intervals: bool
    comparison: Mapping[str, Any] | None  # None: no comparison
    notes: Sequence[str] = field(default_factory=tuple)
    protocol: Protocol | None = None  # how the datasets are related

    @property
    def inputs(self) -> list[str]:
        """All files that are read, as `FILE::options`."""
        texts = [text for dataset in self.datasets for text in dataset.files]
        for dataset in self.datasets:
            texts += [text for outputs in dataset.systems.values() for text in outputs]
        return texts


def load_experiment(path: str | Path) -> Experiment:
    """Read an experiment file; every key is checked.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "nerscope.toml"
    ...     _ = path.write_text("[dataset]")
    ...     load_experiment(path)
    Traceback (most recent call last):
    nerscope.errors.UsageError: ...nerscope.toml:1: unknown key 'dataset'. Fix: did you mean ...
    """
    expect("experiment", path, (str, Path), "give the path of an experiment file")
    content = read_toml(path)
    content.keys(TABLES)
    options = experiment_options(content)
    systems = content.table("systems")
    check_names(systems)
    all_data = named_data(content)
    if not all_data:
        raise InputError(str(path), "no dataset is defined", "add a table [datasets.NAME]")
    if not systems:
        raise InputError(
            str(path),
            "no system is defined",
            'add a line under [systems], such as crf = "crf.conll"',
        )
    check_tables(systems, all_data, content)
    datasets, notes = list[Dataset](), list[str]()
    for data in all_data:
        outputs, missing = outputs_of(systems, data, content)
        notes += missing
        if not outputs:
            raise InputError(
                content.place(data.name),
                f"no output of any system for '{data.name}'",
                "check the patterns in [systems]",
            )
        datasets.append(with_outputs(data, outputs))
    content.values(content.table("protocol"), PROTOCOL_TYPES, "protocol")
    return Experiment(datasets, *options, notes, protocol_of(content))


class ExperimentOptions(NamedTuple):
    """The settings, intervals and comparison of an experiment file."""

    settings: Settings
    sampling: Sampling
    intervals: bool
    comparison: Mapping[str, Any] | None


def experiment_options(toml: Toml) -> ExperimentOptions:
    """The tables [settings] and [compare]."""
    given = toml.table("settings")
    toml.values(given, _SETTING_TYPES, "settings")
    known = [item.name for item in fields(Settings)]
    settings = Settings.of({key: value for key, value in given.items() if key in known})
    sampling = Sampling(**{key: given[key] for key in _SAMPLING_KEYS if key in given})
    comparison = toml.table("compare") if "compare" in toml.content else None
    if comparison is not None:
        toml.values(comparison, dict.fromkeys(_COMPARE_KEYS, str), "compare")
        check_correction(comparison.get("correction", DEFAULT_CORRECTION))
    return ExperimentOptions(settings, sampling, bool(given.get("intervals", True)), comparison)


def protocol_of(toml: Toml) -> Protocol | None:
    """The table [protocol]: how the datasets are related."""
    table = toml.table("protocol")
    options = {key: table[key] for key in PROTOCOL_TYPES if key in table}
    try:
        return Protocol(**options) if options else None
    except UsageError as error:
        raise UsageError(toml.place("protocol"), f"[protocol]: {error.fact}", error.fix) from None


def named_data(toml: Toml) -> list[Data]:
    """The tables [datasets.NAME]."""
    all_data = []
    for name, table in toml.table("datasets").items():
        if not isinstance(table, dict) or not name:
            raise UsageError(
                toml.place(name),
                f"dataset '{name}' is not a table",
                f"write [datasets.{name or 'NAME'}]",
            )
        toml.values(table, _DATA_TYPES, f"datasets.{name}")
        if "test" not in table:
            raise InputError(
                toml.place(name), f"dataset '{name}' has no test file", 'add test = "FILE"'
            )
        options = table.get("options", "")
        from_plan = partial(relative_to, toml.path.parent, options=options)
        train = tuple(map(from_plan, _training_files(table, toml)))
        dev = (from_plan(table["dev"]),) if "dev" in table else ()
        all_data.append(Data(name, from_plan(table["test"]), train, dev, options))
    return all_data


def _training_files(table: Mapping[str, Any], toml: Toml) -> list[str]:
    files = table.get("train", [])
    if isinstance(files, str):
        return [files]
    if "train" in table and (not files or not all(isinstance(file, str) for file in files)):
        raise UsageError(
            toml.place("train"),
            f"invalid training data {files!r}",
            'write train = "FILE" or train = ["FILE", "FILE"]',
        )
    return list(files)


def is_trained(table: object) -> bool:
    """Whether a system must be trained; other systems have output files."""
    return isinstance(table, dict) and not _TRAINED.isdisjoint(table)


def with_outputs(data: Data, outputs: Mapping[str, Sequence[str]]) -> Dataset:
    return Dataset(data.name, data.test, data.train, data.dev, data.options, outputs)


def check_tables(systems: Mapping[str, Any], data: Sequence[Data], toml: Toml) -> None:
    """Raise an error if a table of patterns has a key that is not the name of a dataset."""
    known = [dataset.name for dataset in data]
    for system, patterns in systems.items():
        if isinstance(patterns, dict) and not is_trained(patterns):
            for name in patterns:
                if name not in known:
                    fact = f"key '{name}' of system '{system}' is not a dataset, recipe or command"
                    raise UsageError(toml.place(system), fact, suggest(name, [*known, *_TRAINED]))


def outputs_of(
    systems: Mapping[str, Any], data: Data, toml: Toml
) -> tuple[dict[str, list[str]], list[str]]:
    """The files that match the pattern of each system, and notes on systems without files."""
    outputs, notes = dict[str, list[str]](), list[str]()
    for system, patterns in systems.items():
        if is_trained(patterns):
            raise UsageError(
                toml.place(system),
                f"system '{system}' must be trained first",
                f"nerscope run {toml.path}",
            )
        pattern = patterns.get(data.name) if isinstance(patterns, dict) else patterns
        if pattern is not None and not isinstance(pattern, str):
            raise UsageError(
                toml.place(system),
                f"invalid value {pattern!r} for system '{system}'",
                "give a pattern, or a table with a pattern for each dataset",
            )
        files = [] if pattern is None else _output_files(toml.path.parent, pattern, data)
        if files:
            outputs[system] = files
        elif pattern is not None:  # a table without this dataset is intended: no note
            notes.append(
                f"{data.name}: no file of {system} matches {pattern}; the system is left out here"
            )
    return outputs, notes


def relative_to(folder: Path, text: str, options: str) -> str:
    """A path relative to the folder of the experiment file, with its own or the default options."""
    path, file_options = split_options(text)
    return f"{_beneath(folder, path)}{OPTIONS_MARK}{file_options or options}"


def _beneath(folder: Path, path: str) -> str:
    """A path relative to a folder; a URL is returned as is.

    The path may be a pattern, but `*` and `[` in the name of the folder are ordinary letters.
    """
    if is_remote(path):
        return path
    is_pattern = glob.has_magic(path) and not (folder / path).exists()
    return str(Path(glob.escape(str(folder))) / path if is_pattern else folder / path)


def _output_files(folder: Path, pattern: str, data: Data) -> list[str]:
    """The files that match a pattern, with their options; `{dataset}` is replaced by the name."""
    path, file_options = split_options(pattern)
    files = files_that_fit(folder, path.replace("{dataset}", glob.escape(data.name)))
    return [f"{file}{OPTIONS_MARK}{file_options or data.options}" for file in files]


def files_that_fit(folder: Path, pattern: str) -> list[str]:
    """The files that match a pattern, sorted by the numbers in their names."""
    path = path_of(pattern)
    if is_remote(path):
        return matching_files(path) or [path]
    from_root = path if Path(path).is_absolute() else f"{glob.escape(str(folder))}/{path}"
    return sorted(glob.glob(from_root), key=_by_number)  # noqa: PTH207  the pattern may be absolute


def _by_number(path: str) -> list[tuple[int, str]]:
    """Sort key in which run 10 comes after run 9."""
    parts = re.split(r"(\d+)", path)
    return [(int(part), "") if part.isdecimal() else (-1, part) for part in parts]
