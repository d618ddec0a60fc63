"""Plan files: an experiment file whose systems may be trained, on splits that may be drawn."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from typing import Any

from nerscope.dataset.split.options import KINDS
from nerscope.errors import InputError, UsageError, expect
from nerscope.evaluation.systems import check_names
from nerscope.experiment.config import (
    PROTOCOL_TYPES,
    TABLES,
    Chosen,
    Data,
    chosen_settings,
    files_that_fit,
    is_trained,
    named_data,
    relative_to,
)
from nerscope.experiment.toml import Toml, read_toml
from nerscope.lab.recipe import File, recipe_named

# What a command may be told, each written {in braces}.
PLACES = ("train", "dev", "test", "output", "seed")
_OF_ANY = ("seeds", "context", "timeout")
_OF_COMMANDS = ("command", "options", *_OF_ANY)
_MOST_VARIANTS = 1000
_PROTOCOL: Mapping[str, Any] = {
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
}


@dataclass(frozen=True, slots=True)
class System:
    """A system that is trained: by a recipe with its options, or by a command."""

    name: str
    seeds: Sequence[int]
    recipe: str | None = None
    options: Mapping[str, Any] | None = None  # of the recipe
    command: str | None = None
    reading: str | None = None  # file options of what a command writes
    context: int = 1  # so many sentences of a document are one
    timeout: float | None = None  # seconds


@dataclass(frozen=True, slots=True)
class Plan:
    """What a plan file says."""

    toml: Toml
    chosen: Chosen
    data: Sequence[Data]  # empty if a protocol makes the datasets
    protocol: Mapping[str, Any]
    trained: Sequence[System]
    given: Mapping[str, Any]  # systems that are there already, with their patterns

    @property
    def folder(self) -> Path:
        """Where the plan lies."""
        return self.toml.path.parent

    @property
    def sources(self) -> list[str]:
        """The data that a protocol splits, as `FILE::options`."""
        options = self.protocol.get("options", "")
        return [relative_to(self.folder, text, options) for text in self.protocol.get("data", [])]

    @property
    def inputs(self) -> list[str]:
        """All files that are read, as far as the plan names them, with what is said about them."""
        texts = [*self.sources, *(text for one in self.data for text in one.files)]
        for patterns in self.given.values():
            own = patterns.values() if isinstance(patterns, dict) else [patterns]
            for pattern in filter(_is_text, own):
                texts += files_that_fit(self.folder, pattern.replace("{dataset}", "*"))
        options = [value for one in self.trained for value in (one.options or {}).values()]
        return [*texts, *filter(_is_text, options)]

    @property
    def split_options(self) -> dict[str, Any]:
        """What `split` is to be told."""
        own = ("data", "options", "seeds", *PROTOCOL_TYPES)
        return {key: value for key, value in self.protocol.items() if key not in own}


def load_plan(path: str | Path) -> Plan:
    """Read a plan file; every key is checked, and every recipe must be known.

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
            "it must say where datasets come from, and only once",
            "write [datasets.NAME], or [protocol] with data = [...]",
        )
    tables = toml.table("systems")
    trained = [
        system
        for name, table in tables.items()
        if is_trained(table)
        for system in _variants(name, table, protocol.get("seeds", [1]), toml)
    ]
    given = {name: one for name, one in tables.items() if not is_trained(one)}
    names = [*(one.name for one in trained), *given]
    check_names(names)
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise UsageError(toml.place("systems"), f"two systems are called '{twice}'", "rename one")
    if not tables:
        raise InputError(str(path), "it names no system", "write [systems.NAME]")
    return Plan(toml, chosen_settings(toml), data, protocol, trained, given)


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _protocol(toml: Toml) -> dict[str, Any]:
    given = toml.table("protocol")
    numbers = {key: float(given[key]) for key in ("test", "dev") if type(given.get(key)) is int}
    table = {**given, **numbers}
    toml.values(table, _PROTOCOL, "protocol")
    for key in ("data", "seeds"):
        kind = str if key == "data" else int
        if not all(type(one) is kind for one in table.get(key, [])) or table.get(key) == []:
            raise UsageError(
                toml.place(key), f"'{key}' in [protocol] cannot be {table[key]!r}", _LISTS[key]
            )
    chosen = [key for key in KINDS if table.get(key)]
    idle = [key for key in table if key not in (*PROTOCOL_TYPES, "seeds", "data")]
    if idle and not table.get("data"):
        raise UsageError(
            toml.place(idle[0]),
            f"'{idle[0]}' in [protocol] says how data are split, and there are none",
            'add data = ["FILE"], or leave it out',
        )
    if table.get("data") and len(chosen) != 1:
        raise UsageError(
            toml.place("protocol"),
            f"{len(chosen)} ways to split are chosen",
            f"choose one of {', '.join(KINDS)}",
        )
    return table


_LISTS = {"data": "give a list of files", "seeds": "give a list of whole numbers from 0"}


def _variants(
    name: str, table: Mapping[str, Any], seeds: Sequence[int], toml: Toml
) -> Iterator[System]:
    """A system for every choice of those options that list several values."""
    lists = {key: value for key, value in table.items() if type(value) is list and key != "seeds"}
    fixed = {key: value for key, value in table.items() if key not in lists}
    choices = list(product(*lists.values()))
    if not choices or len(choices) > _MOST_VARIANTS:
        raise UsageError(
            toml.place(name),
            f"system '{name}' has {len(choices)} variants",
            f"list at least one value of each option, and at most {_MOST_VARIANTS} in all",
        )
    for values in choices:
        own = dict(zip(lists, values, strict=True))
        said = "".join(f".{key}={value}" for key, value in own.items())
        yield _system(f"{name}{said}", {**fixed, **own}, seeds, toml, name)


def _system(
    name: str, table: Mapping[str, Any], seeds: Sequence[int], toml: Toml, key: str
) -> System:
    place = toml.place(key)
    own = table.get("seeds", seeds)
    if type(own) is not list or not own or not all(type(one) is int and one >= 0 for one in own):
        raise UsageError(place, f"seeds = {own!r} cannot be", _LISTS["seeds"])
    if len(set(own)) < len(own):
        raise UsageError(place, "a seed is there twice", "give each seed once")
    context = table.get("context", 1)
    if type(context) is not int or context < 1:
        raise UsageError(place, f"context = {context!r} cannot be", "give a whole number from 1")
    timeout = table.get("timeout")
    if timeout is not None and (type(timeout) not in (int, float) or not timeout > 0):
        raise UsageError(place, f"timeout = {timeout!r} cannot be", "give seconds, as 3600")
    shared = System(name, tuple(own), context=context, timeout=timeout)
    if "command" in table and "recipe" in table:
        raise UsageError(place, f"'{key}' has both a recipe and a command", "keep one of them")
    if "command" in table:
        return _commanded(shared, table, toml, place)
    rest = {key: value for key, value in table.items() if key not in ("recipe", *_OF_ANY)}
    if type(table["recipe"]) is not str:
        raise UsageError(place, f"recipe = {table['recipe']!r} cannot be", "name a recipe")
    recipe = recipe_named(table["recipe"])
    options = recipe.checked(rest, place)
    for one in recipe.options.values():
        if one.kind is File and one.name in rest:
            options[one.name] = _resolved(toml.path.parent, rest[one.name])
    return replace(shared, recipe=recipe.name, options=options)


def _resolved(folder: Path, value: str) -> str:
    """A path relative to the plan, if there is such a file; anything else is taken as a name."""
    path = folder / value
    return str(path) if path.exists() else value


def _commanded(shared: System, table: Mapping[str, Any], toml: Toml, place: str) -> System:
    toml.keys(_OF_COMMANDS, table, f"systems.{shared.name}")
    command, reading = table["command"], table.get("options")
    for key, value in (("command", command), ("options", reading or "")):
        if type(value) is not str:
            raise UsageError(place, f"{key} = {value!r} cannot be", "give a text")
    if "{output}" not in command:
        raise UsageError(
            place,
            f"the command of '{shared.name}' does not say where it writes",
            "write {output} where the name of its output goes",
        )
    return replace(shared, command=command, reading=reading)
