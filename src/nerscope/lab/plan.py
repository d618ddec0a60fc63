"""Plan files: experiment files whose systems may be trained, on datasets that may be split."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from pathlib import Path
from typing import Any

from nerscope.dataset.split.options import KINDS
from nerscope.errors import InputError, UsageError, expect
from nerscope.evaluation.task import Settings, check_names
from nerscope.experiment.config import (
    PROTOCOL_TYPES,
    TABLES,
    Data,
    ExperimentOptions,
    experiment_options,
    files_that_fit,
    is_trained,
    named_data,
    relative_to,
)
from nerscope.experiment.toml import Toml, read_toml
from nerscope.lab.recipe import File, recipe_named

# The placeholders of commands in a plan, each written {in braces}.
OUT_OF_DOMAIN = "out_of_domain"
PLACEHOLDERS = ("train", "dev", "test", "output", "seed")
_COMMON_KEYS = ("seeds", "context", "timeout")
_COMMAND_KEYS = ("command", "options", *_COMMON_KEYS)
_MAX_VARIANTS = 1000
_PROTOCOL_KEYS: Mapping[str, Any] = {
    **PROTOCOL_TYPES,
    "data": list,
    "options": str,
    "folds": int,
    "random": int,
    "leave_out": bool,
    "hard": str,
    "test": float,
    "dev": float,
    "by": str,
    "stratify": bool,
    "allow_leaks": bool,
    "seed": int,
    "seeds": list,
    OUT_OF_DOMAIN: bool,
}


@dataclass(frozen=True, slots=True)
class TrainedSystem:
    """A system that is trained with a recipe and its options, or with a command."""

    name: str
    seeds: Sequence[int]
    recipe: str | None = None
    options: Mapping[str, Any] | None = None  # of the recipe
    command: str | None = None
    output_options: str | None = None  # file options of the output of a command
    context: int = 1  # number of sentences of a document that are joined into one
    timeout: float | None = None  # seconds
    # Types that a recipe learns as others, or not at all, as the evaluation counts them:
    map: Mapping[str, str] = field(default_factory=dict)
    drop: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class RunPlan:
    """The content of a plan file."""

    toml: Toml
    chosen: ExperimentOptions
    data: Sequence[Data]  # empty if the protocol splits data
    protocol: Mapping[str, Any]
    trained: Sequence[TrainedSystem]
    existing: Mapping[str, Any]  # systems with output files, and the patterns of these files

    @property
    def folder(self) -> Path:
        return self.toml.path.parent

    @property
    def sources(self) -> list[str]:
        """The data that a protocol splits, as `FILE::options`."""
        options = self.protocol.get("options", "")
        return [relative_to(self.folder, text, options) for text in self.protocol.get("data", [])]

    @property
    def inputs(self) -> list[str]:
        """All input files, each as `FILE::options`."""
        texts = [*self.sources, *(text for dataset in self.data for text in dataset.files)]
        for value in self.existing.values():
            patterns = value.values() if isinstance(value, dict) else [value]
            for pattern in filter(_is_text, patterns):
                texts += files_that_fit(self.folder, pattern.replace("{dataset}", "*"))
        options = [value for system in self.trained for value in (system.options or {}).values()]
        return [*texts, *filter(_is_text, options)]

    @property
    def held_out(self) -> list[Data]:
        """For the protocol `out_of_domain`: each test set with the training data of all others.

        The dev data also come from the other domains, since they may decide when training stops.
        """
        if not self.protocol.get(OUT_OF_DOMAIN):
            return []
        return [_without_own_training(dataset, self.data) for dataset in self.data]

    @property
    def split_options(self) -> dict[str, Any]:
        """The keywords of `split`."""
        others = ("data", "options", "seeds", *PROTOCOL_TYPES)
        return {key: value for key, value in self.protocol.items() if key not in others}


def load_plan(path: str | Path) -> RunPlan:
    """Read a plan file; `run_plan` executes it.

    Every key is checked, and every recipe must be known. Relative paths in the file are relative to
    its folder.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "plan.toml"
    ...     data = '[datasets.d]\\ntrain = "a"\\ntest = "b"\\n'
    ...     _ = path.write_text(data + '[systems.base]\\nrecipe = "dictionary"\\n')
    ...     [system.name for system in load_plan(path).trained]
    ['base']
    """
    expect("plan", path, (str, Path), "give the path of a plan file")
    toml = read_toml(path)
    toml.keys(TABLES)
    protocol = _protocol(toml)
    data = named_data(toml)
    if bool(data) == bool(protocol.get("data")):
        raise InputError(
            str(path),
            "datasets are missing, or defined both in [datasets] and in [protocol]",
            "write either [datasets.NAME], or [protocol] with data = [...]",
        )
    if protocol.get(OUT_OF_DOMAIN):
        _check_domains(data, toml)
    chosen = experiment_options(toml)
    tables = toml.table("systems")
    trained = [
        system
        for name, table in tables.items()
        if is_trained(table)
        for system in _variants(name, table, protocol.get("seeds", [1]), toml)
    ]
    existing = {name: table for name, table in tables.items() if not is_trained(table)}
    names = [*(system.name for system in trained), *existing]
    check_names(names)
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        fact = f"two systems have the name '{twice}'"
        raise UsageError(toml.place("systems"), fact, "rename one of them")
    if not tables:
        raise InputError(str(path), "no system is defined", "write [systems.NAME]")
    trained = [_with_types(system, chosen.settings, toml) for system in trained]
    return RunPlan(toml, chosen, data, protocol, trained, existing)


def _without_own_training(dataset: Data, all_data: Sequence[Data]) -> Data:
    others = [other for other in all_data if other is not dataset]
    return Data(
        f"{dataset.name}-out-of-domain",
        dataset.test,
        tuple(text for other in others for text in other.train),
        tuple(text for other in others for text in other.dev),
        dataset.options,
    )


def _check_domains(data: Sequence[Data], toml: Toml) -> None:
    """Raise an error if a plan has fewer than two domains, or a domain without training data."""
    untrained = next((dataset.name for dataset in data if not dataset.train), None)
    if len(data) < 2 or untrained:
        fact = f"dataset '{untrained}' has no training data" if untrained else "there is only one"
        raise UsageError(
            toml.place(OUT_OF_DOMAIN),
            f"{OUT_OF_DOMAIN} trains on the other domains, but {fact}",
            "write [datasets.NAME] with train and test for two domains or more",
        )


def _with_types(system: TrainedSystem, settings: Settings, toml: Toml) -> TrainedSystem:
    """The system with the map and drop of the evaluation; commands read unchanged files."""
    if system.recipe is None:
        return system
    for old, new in settings.map.items():
        if settings.map.get(new, new) != new:  # a type learnt as B would be scored as C
            raise UsageError(
                toml.place(old),
                f"map renames {old} to {new}, and {new} to {settings.map[new]}: a system that "
                f"learns {new} would be scored as {settings.map[new]}",
                "map every type directly to its final name",
            )
    return replace(system, map=settings.map, drop=settings.drop)


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _protocol(toml: Toml) -> dict[str, Any]:
    table = toml.table("protocol")
    # test = 1 is an integer in TOML, but a share here: `split` checks it with the other shares.
    shares = {key: float(table[key]) for key in ("test", "dev") if type(table.get(key)) is int}
    table = {**table, **shares}
    toml.values(table, _PROTOCOL_KEYS, "protocol")
    for key in ("data", "seeds"):
        kind = str if key == "data" else int
        if not all(type(item) is kind for item in table.get(key, [])) or table.get(key) == []:
            raise UsageError(
                toml.place(key),
                f"invalid value {table[key]!r} for '{key}' in [protocol]",
                _LISTS[key],
            )
    kinds = [key for key in KINDS if table.get(key)]
    idle = [key for key in table if key not in (*PROTOCOL_TYPES, "seeds", "data", OUT_OF_DOMAIN)]
    if idle and not table.get("data"):
        raise UsageError(
            toml.place(idle[0]),
            f"'{idle[0]}' in [protocol] is an option of splitting, but no data are split",
            'add data = ["FILE"], or remove the key',
        )
    if table.get("data") and table.get(OUT_OF_DOMAIN):
        raise UsageError(
            toml.place(OUT_OF_DOMAIN),
            f"{OUT_OF_DOMAIN} needs [datasets.NAME] for each domain, but [protocol] splits data",
            "write [datasets.NAME] with train and test, or leave_out = true to test on whole files",
        )
    if table.get("data") and len(kinds) != 1:
        raise UsageError(
            toml.place("protocol"),
            f"{len(kinds)} ways to split are given instead of one",
            f"choose one of {', '.join(KINDS)}",
        )
    return table


_LISTS = {
    "data": 'write data = ["FILE"]',
    "seeds": "write seeds = [1, 2, 3] (whole numbers from 0)",
}


def _variants(
    name: str, table: Mapping[str, Any], seeds: Sequence[int], toml: Toml
) -> Iterator[TrainedSystem]:
    """One system for every combination of options with several values.

    The system s with `context = [1, 2]` and `rate = [0.1, 0.2]` gives four systems; the name of the
    first is "s.context=1.rate=0.1".
    """
    lists = {key: value for key, value in table.items() if type(value) is list and key != "seeds"}
    fixed = {key: value for key, value in table.items() if key not in lists}
    choices = list(product(*lists.values()))
    if not choices or len(choices) > _MAX_VARIANTS:
        raise UsageError(
            toml.place(name),
            f"system '{name}' has {len(choices)} variants",
            f"list at least one value per option, and at most {_MAX_VARIANTS} combinations",
        )
    for values in choices:
        variant = dict(zip(lists, values, strict=True))
        ending = "".join(f".{key}={value}" for key, value in variant.items())
        yield _system(f"{name}{ending}", {**fixed, **variant}, seeds, toml, name)


def _system(
    name: str, table: Mapping[str, Any], seeds: Sequence[int], toml: Toml, key: str
) -> TrainedSystem:
    place = toml.place(key)
    seeds = _checked_seeds(table.get("seeds", seeds), place)
    context = table.get("context", 1)
    if type(context) is not int or context < 1:
        raise UsageError(
            place, f"invalid value context = {context!r}", "give a whole number from 1"
        )
    timeout = table.get("timeout")
    if timeout is not None and (type(timeout) not in (int, float) or not timeout > 0):
        raise UsageError(
            place, f"invalid value timeout = {timeout!r}", "write timeout = 3600 (seconds)"
        )
    system = TrainedSystem(name, seeds, context=context, timeout=timeout)
    if "command" in table and "recipe" in table:
        raise UsageError(place, f"'{key}' has both a recipe and a command", "remove one of them")
    if "command" in table:
        return _with_command(system, table, toml, place)
    return _with_recipe(system, table, toml, place)


def _checked_seeds(seeds: object, place: str) -> tuple[int, ...]:
    if (
        not isinstance(seeds, list)
        or not seeds
        or not all(type(seed) is int and seed >= 0 for seed in seeds)
    ):
        raise UsageError(place, f"invalid value seeds = {seeds!r}", _LISTS["seeds"])
    if len(set(seeds)) < len(seeds):
        raise UsageError(place, "a seed is repeated", "give each seed once")
    return tuple(seeds)


def _with_recipe(
    system: TrainedSystem, table: Mapping[str, Any], toml: Toml, place: str
) -> TrainedSystem:
    values = {key: value for key, value in table.items() if key not in ("recipe", *_COMMON_KEYS)}
    if type(table["recipe"]) is not str:
        fact = f"invalid value recipe = {table['recipe']!r}"
        raise UsageError(place, fact, 'write recipe = "NAME" (nerscope recipes lists the names)')
    recipe = recipe_named(table["recipe"])
    options = recipe.checked(values, place)
    for option in recipe.options.values():
        if option.kind is File and option.name in values:
            options[option.name] = _resolve(toml.path.parent, values[option.name])
    return replace(system, recipe=recipe.name, options=options)


def _resolve(folder: Path, value: str) -> str:
    """The path relative to the plan if it exists; otherwise the value, such as a model name."""
    path = folder / value
    return str(path) if path.exists() else value


def _with_command(
    system: TrainedSystem, table: Mapping[str, Any], toml: Toml, place: str
) -> TrainedSystem:
    toml.keys(_COMMAND_KEYS, table, f"systems.{system.name}")
    command, options = table["command"], table.get("options")
    for key, value in (("command", command), ("options", options or "")):
        if type(value) is not str:
            raise UsageError(place, f"invalid value {key} = {value!r}", "give a string")
    if "{output}" not in command:
        raise UsageError(
            place,
            f"the command of '{system.name}' has no {{output}}",
            "write {output} in place of the name of its output file",
        )
    return replace(system, command=command, output_options=options)
