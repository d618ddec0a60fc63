"""Experiment files: many datasets and systems in one go, with a cache that recomputes only what
changed.
"""

import glob
import hashlib
import re
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Any

import numpy as np

from nerscope.errors import InputError, UsageError, suggest
from nerscope.evaluation.passes import gather, prepare
from nerscope.evaluation.rows import tabulate
from nerscope.evaluation.settings import Settings
from nerscope.evaluation.subsets import with_subsets
from nerscope.evaluation.systems import check_names
from nerscope.evaluation.uncertainty import RowBounds, add_intervals, row_bounds
from nerscope.experiment.cache import Cache, digest, file_digest
from nerscope.formats.conll import ConllFile
from nerscope.formats.losses import Loss
from nerscope.plugins import load_plugins
from nerscope.results.compare import (
    Comparison,
    Pair,
    comparison_of,
    difference_row,
    is_shown,
    pairs_of,
)
from nerscope.results.results import Results
from nerscope.scoring.evidence import Evidence, joined_runs, only_run
from nerscope.scoring.packing import pack_evidence, unpack_evidence
from nerscope.stats.intervals import Bounds, Sampling
from nerscope.stats.paired import resample

Say = Callable[[str], None]
_SAMPLING_KEYS = {"samples": "samples", "seed": "seed", "resample": "by"}
_COMPARE_KEYS = ("baseline", "method", "correction")
_SETTING_TYPES: dict[str, Any] = {
    **dict.fromkeys(("facets", "matches", "metrics"), list),
    **dict.fromkeys(("repair", "token_repair", "token_match", "bucketing", "resample"), str),
    **dict.fromkeys(("buckets", "samples", "seed"), int),
    "zero_division": int | float,
    "edges": dict,
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
    """A test file, its training data, and the outputs on it, by system."""

    name: str
    test: ConllFile
    train: ConllFile | None
    systems: Mapping[str, Sequence[ConllFile]]


@dataclass(frozen=True, slots=True)
class Experiment:
    """What an experiment file says."""

    datasets: Sequence[Dataset]
    settings: Settings
    sampling: Sampling
    intervals: bool
    comparison: Mapping[str, Any] | None  # None: no comparison
    notes: Sequence[str] = field(default_factory=tuple)


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
    place = Path(path)
    try:
        text = place.read_text(encoding="utf-8")
        content = tomllib.loads(text)
    except OSError as error:
        raise InputError(
            str(path), f"it cannot be read ({error.strerror})", "check the path"
        ) from None
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise InputError(
            str(path), f"it is not TOML ({error})", "mend it; docs/experiments.md shows an example"
        ) from None
    checker = _Checker(place, text)
    checker.keys(content, ("datasets", "systems", "settings", "compare"), "")
    settings = checker.table(content, "settings")
    checker.values(settings, _SETTING_TYPES, "settings")
    known = [item.name for item in fields(Settings)]
    chosen = Settings.of({key: value for key, value in settings.items() if key in known})
    sampling = Sampling(
        **{_SAMPLING_KEYS[key]: settings[key] for key in _SAMPLING_KEYS if key in settings}
    )
    comparison = checker.table(content, "compare") if "compare" in content else None
    if comparison is not None:
        checker.values(comparison, dict.fromkeys(_COMPARE_KEYS, str), "compare")
    datasets, notes = _datasets(content, checker)
    return Experiment(
        datasets, chosen, sampling, bool(settings.get("intervals", True)), comparison, notes
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
                    f"give a value of the kind {_KINDS.get(types[key], 'that docs/experiments.md shows')}",
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
        if not isinstance(table, dict):
            raise UsageError(
                f"{checker.path}:{checker.line(name)}",
                f"dataset '{name}' is not a table",
                f"write [datasets.{name}]",
            )
        checker.values(
            table, dict.fromkeys(("train", "dev", "test", "options"), str), f"datasets.{name}"
        )
        if "test" not in table:
            raise InputError(
                f"{checker.path}:{checker.line(name)}",
                f"dataset '{name}' has no test file",
                'add test = "FILE"',
            )
        options = table.get("options", "")
        train = _file(folder, table["train"], options) if "train" in table else None
        outputs: dict[str, list[ConllFile]] = {}
        for system, patterns in systems.items():
            pattern = patterns.get(name) if isinstance(patterns, dict) else patterns
            found = (
                []
                if pattern is None
                else _glob(folder, str(pattern).replace("{dataset}", name), options)
            )
            if found:
                outputs[system] = found
            else:
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


def _file(folder: Path, text: str, options: str) -> ConllFile:
    path, _, own = text.partition("::")
    return ConllFile.parse(f"{folder / path}::{own or options}")


def _glob(folder: Path, pattern: str, options: str) -> list[ConllFile]:
    path, _, own = pattern.partition("::")
    found = sorted(glob.glob(str(folder / path)), key=_by_number)  # noqa: PTH207  the pattern may be absolute
    return [ConllFile.parse(f"{one}::{own or options}") for one in found]


def _by_number(path: str) -> list[Any]:
    """Sort key in which run 10 comes after run 9."""
    return [int(part) if part.isdigit() else part for part in re.split(r"(\d+)", path)]


def run_experiment(
    experiment: Experiment,
    *,
    cache: Cache | None = None,
    workers: int = 1,
    plugins: Sequence[str] = (),
    say: Say = lambda note: None,
) -> tuple[Results, Comparison | None]:
    """Evaluate everything; the results are the same with and without a cache, and for any number of
    workers.

    `plugins` are Python files that register facets, matches or metrics; they must be loaded here,
    and are loaded by workers.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "nerscope.toml"
    ...     _ = (Path(folder) / "test.txt").write_text("Ada B-PER\\nspoke O\\n")
    ...     _ = path.write_text('[datasets.tiny]\\ntest = "test.txt"\\n[systems]\\nperfect = "test.txt"\\n')
    ...     results, comparison = run_experiment(load_experiment(path))
    >>> results.value(metric="f1")
    1.0
    """
    cache = cache or Cache(None)
    results = Results([], {"datasets": {}, "facets": {}})
    run_keys = {}
    for dataset in experiment.datasets:
        say(
            f"{dataset.name}: {sum(map(len, dataset.systems.values()))} runs of {len(dataset.systems)} systems"
        )
        found, about, lost, run_keys[dataset.name] = _scored(
            dataset, experiment.settings, cache, workers, plugins
        )
        results.rows += tabulate(found, experiment.settings.zero_division)
        results.losses += lost
        results.evidence.append(found)
        results.settings["datasets"][dataset.name] = {"facets": about["facets"]}
        results.settings["facets"] = {**about["facets"], **results.settings["facets"]}
        results.settings["signature"] = about["signature"]
    differences, notes = list[dict[str, Any]](), list[str]()
    chosen = {
        "method": "bootstrap",
        "correction": "holm",
        "baseline": None,
        **(experiment.comparison or {}),
    }
    for evidence in results.evidence:
        systems = evidence.systems if experiment.intervals else []
        pairs, missing = (
            pairs_of(evidence, results, None, None, chosen["baseline"])
            if experiment.comparison is not None
            else ([], [])
        )
        notes += missing
        if systems or pairs:
            say(f"{evidence.dataset}: resampling {len(systems)} systems and {len(pairs)} pairs")
        work = _Resampling(
            evidence, run_keys[evidence.dataset], experiment.sampling, chosen["method"], cache
        )
        bounds, found_rows = work.done(systems, pairs)
        add_intervals(results.rows, evidence.dataset, bounds)
        differences += found_rows
    if experiment.intervals:
        results.settings["signature"] = {
            **results.settings["signature"],
            **experiment.sampling.signature(),
        }
    if experiment.comparison is None:
        return results, None
    about = {key: chosen[key] for key in ("method", "correction")} | experiment.sampling.signature()
    return results, comparison_of(differences, about, notes)


@dataclass(frozen=True, slots=True)
class _Resampling:
    """The resampling of one dataset: what the cache does not know is done in one pass."""

    evidence: Evidence
    run_keys: Mapping[tuple[str, str], str]
    sampling: Sampling
    method: str
    cache: Cache

    def done(
        self, systems: Sequence[str], pairs: Sequence[Pair]
    ) -> tuple[dict[str, RowBounds], list[dict[str, Any]]]:
        bound_keys = {system: self._bounds_key(system) for system in systems}
        known_pairs = (
            pair_keys(self.evidence, pairs, self.sampling, self.method, by_type=False)
            if pairs
            else {}
        )
        bounds = {system: self.cache.get(key) for system, key in bound_keys.items()}
        rows = {pair: self.cache.get(key) for pair, key in known_pairs.items()}
        new_bounds: dict[str, RowBounds] = {
            system: {} for system, known in bounds.items() if known is None
        }
        new_rows: dict[Pair, list[dict[str, Any]]] = {
            pair: [] for pair, known in rows.items() if known is None
        }
        if new_bounds or new_rows:
            for found in resample(
                self.evidence,
                self.sampling,
                systems=list(new_bounds),
                pairs=list(new_rows),
                method=self.method,
            ):
                if isinstance(found, Bounds):
                    name, interval = row_bounds(self.evidence, found)
                    new_bounds[found.system][name] = interval
                elif is_shown(found, by_type=False):
                    new_rows[found.a_system, found.b_system].append(
                        difference_row(self.evidence, found)
                    )
        for system, own in new_bounds.items():
            self.cache.put(bound_keys[system], own)
        for pair, made in new_rows.items():
            self.cache.put(known_pairs[pair], made)
        every = {**bounds, **new_bounds}
        return {system: every[system] or {} for system in systems}, [
            row for pair in pairs for row in {**rows, **new_rows}[pair] or []
        ]

    def _bounds_key(self, system: str) -> str:
        runs = [self.run_keys[self.evidence.runs[run]] for run in self.evidence.runs_of(system)]
        return digest("intervals", runs, asdict(self.sampling), self.evidence.types)


def _run_keys(
    dataset: Dataset, settings: Settings, plugins: Sequence[str]
) -> dict[tuple[str, str], str]:
    """A key for each run: everything that can move its numbers."""
    base = [
        _file_key(dataset.test),
        _file_key(dataset.train) if dataset.train else None,
        asdict(settings),
        dataset.name,
    ]
    base.append([file_digest(path) for path in plugins])
    return {
        (system, str(number)): digest(*base, system, str(number), _file_key(file))
        for system, files in dataset.systems.items()
        for number, file in enumerate(files, 1)
    }


def _file_key(file: ConllFile) -> list[Any]:
    try:
        return [file_digest(file.path), str(file)]
    except OSError:
        return [file.name]  # reading it will say what is wrong


def _scored(
    dataset: Dataset, settings: Settings, cache: Cache, workers: int, plugins: Sequence[str]
) -> tuple[Evidence, dict[str, Any], list[Loss], dict[tuple[str, str], str]]:
    keys = _run_keys(dataset, settings, plugins)
    entries = {run: cache.get(key) for run, key in keys.items()}
    missing = [run for run, entry in entries.items() if entry is None]
    for run, entry in zip(
        missing, _score_runs(dataset, settings, missing, workers, plugins), strict=True
    ):
        entries[run] = entry
        cache.put(keys[run], entry)
    parts = [entry for entry in entries.values() if entry is not None]
    schemes = list(dict.fromkeys(scheme for part in parts for scheme in part["scheme"].split("+")))
    about = {
        "facets": parts[0]["facets"],
        "signature": {"scheme": "+".join(schemes), **settings.signature()},
    }
    losses = list(
        {(loss["source"], loss["kind"]): loss for part in parts for loss in part["losses"]}.values()
    )
    joined = joined_runs([unpack_evidence(part["evidence"]) for part in parts])
    return (
        with_subsets(joined, settings.subsets(with_train=dataset.train is not None)),
        about,
        losses,
        keys,
    )


def _score_runs(
    dataset: Dataset,
    settings: Settings,
    runs: Sequence[tuple[str, str]],
    workers: int,
    plugins: Sequence[str],
) -> list[dict[str, Any]]:
    """Score some runs, in as many processes as are allowed; the order of the answers is that of the
    runs.
    """
    if not runs:
        return []
    size = -(-len(runs) // max(1, workers))
    shares = [list(runs[first : first + size]) for first in range(0, len(runs), size)]
    if len(shares) == 1:
        return _score_share(dataset, settings, shares[0])
    from concurrent.futures import (
        ProcessPoolExecutor,
    )  # only those who ask for workers wait for these imports
    from multiprocessing import get_context

    with ProcessPoolExecutor(len(shares), get_context("spawn"), load_plugins, (plugins,)) as pool:
        answers = [pool.submit(_score_share, dataset, settings, share) for share in shares]
        return [entry for answer in answers for entry in answer.result()]


def _score_share(
    dataset: Dataset, settings: Settings, runs: Sequence[tuple[str, str]]
) -> list[dict[str, Any]]:
    # Each run under a name of its own, so that its number among the system's runs is kept.
    named = {
        f"{system}\n{number}": dataset.systems[system][int(number) - 1] for system, number in runs
    }
    prepared = prepare(dataset.test, named, dataset.train, dataset.name, settings)
    found = gather(prepared)
    entries = []
    for index, (system, number) in enumerate(runs):
        own = replace(only_run(found.evidence, index), runs=((system, number),))
        files = {
            dataset.systems[system][int(number) - 1].name,
            dataset.test.name,
            dataset.train.name if dataset.train else "",
        }
        entries.append(
            {
                "evidence": pack_evidence(own, whole=True),
                "facets": found.about["facets"],
                "scheme": found.about["signature"]["scheme"],
                "losses": [loss for loss in found.losses if loss["source"] in files],
            }
        )
    return entries


def pair_keys(
    evidence: Evidence, pairs: Sequence[Pair], sampling: Sampling, method: str, by_type: bool
) -> dict[Pair, str]:
    """A key for all that the comparison of each pair rests on."""
    about = [
        evidence.dataset,
        asdict(sampling),
        method,
        by_type,
        evidence.types,
        evidence.documents.tolist(),
    ]
    about.append({name: asdict(division) for name, division in evidence.divisions.items()})
    runs = {
        system: [_run_digest(evidence, run) for run in evidence.runs_of(system)]
        for system in evidence.systems
    }
    return {(a, b): digest("pair", a, b, runs[a], runs[b], about) for a, b in pairs}


def _run_digest(evidence: Evidence, run: int) -> str:
    """A key for all that a run's comparisons rest on."""
    content = hashlib.sha256()
    for ledger in evidence.ledgers.values():
        outcome = ledger.runs[run]
        for units in (ledger.gold, outcome.pred):
            for column in (units.sentence, units.type, units.weight, *units.codes.values()):
                content.update(np.ascontiguousarray(0 if column is None else column, np.int64).data)
        for credit in (*outcome.gold_credit.values(), *outcome.pred_credit.values()):
            content.update(np.ascontiguousarray(credit, np.float64).data)
    return content.hexdigest()
