"""Jobs: a system on a dataset with a seed, keyed by all the content that its output rests on."""

import hashlib
import inspect
import json
import os
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from nerscope.errors import InputError, UsageError
from nerscope.experiment.cache import file_digest
from nerscope.experiment.config import Data
from nerscope.formats.base import OPTIONS_MARK, input_files, path_of
from nerscope.formats.remote import is_remote
from nerscope.lab.plan import System
from nerscope.lab.recipe import RECIPES, File, Recipe, recipe_named
from nerscope.version import VERSION

_KEY_SHOWN = 16  # letters of a key in names of folders
_CODE = {
    *(".py", ".sh", ".pl", ".rb", ".r", ".jl", ".js", ".jar"),
    *(".cfg", ".conf", ".ini", ".json", ".jsonnet", ".toml", ".yaml", ".yml"),
}


@dataclass(frozen=True, slots=True)
class Job:
    """One training: a system, a dataset, a seed."""

    system: System
    data: Data
    seed: int
    key: str

    def __str__(self) -> str:
        return f"{self.system.name} on {self.data.name}, seed {self.seed}"

    @property
    def folder_name(self) -> str:
        """What its folder is called: by its key, since a name may change and the content not."""
        return f"{self.system.recipe or 'command'}-{self.key[:_KEY_SHOWN]}"

    @property
    def reading(self) -> str:
        """How its output is read: as the test file, unless a command says otherwise."""
        own = path_of(self.data.test)
        options = self.data.test[len(own) + len(OPTIONS_MARK) :]
        return options if self.system.reading is None else self.system.reading


def jobs_of(systems: Sequence[System], data: Sequence[Data], folder: Path) -> list[Job]:
    """Every system on every dataset with each of its seeds; `folder` is where the plan lies."""
    return [
        Job(system, one, seed, _key(system, one, seed, folder))
        for one in data
        for system in systems
        for seed in system.seeds
    ]


def _key(system: System, data: Data, seed: int, folder: Path) -> str:
    if data.train is None:
        raise UsageError(f"dataset '{data.name}'", "it has no training data", 'add train = "FILE"')
    if system.command and "{dev}" in system.command and data.dev is None:
        raise UsageError(
            f"dataset '{data.name}'",
            f"the command of '{system.name}' asks for {{dev}}, and there is no such file",
            'add dev = "FILE", or leave {dev} out',
        )
    files = [_file_key(text) for text in (data.train, data.dev, data.test)]
    method = _recipe_key(system) if system.recipe else _command_key(system, folder)
    # Where there is no chance, all seeds are one job, and its output is that of each of them.
    chance = seed if system.recipe is None or recipe_named(system.recipe).random else None
    content = json.dumps([files, method, system.context, chance], sort_keys=True)
    return hashlib.sha256(content.encode()).hexdigest()


def _file_key(text: str | None) -> list[str] | None:
    """The content of a file and of those that are read with it, and what is said of it."""
    if text is None:
        return None
    return [*map(content_digest, input_files(text)), text[len(path_of(text)) :]]


def _recipe_key(system: System) -> list[Any]:
    """The recipe's own code, its options, and the files that options name."""
    assert system.recipe is not None
    recipe = recipe_named(system.recipe)
    files = [name for name, one in recipe.options.items() if one.kind is File]
    options = {
        name: _file_content(value) if name in files else value
        for name, value in (system.options or {}).items()
    }
    return [recipe.name, _code(recipe), VERSION, options]


def _code(recipe: Recipe) -> list[str]:
    """The program that a recipe is: its own file, or all recipes with what they share."""
    if RECIPES.is_built_in(recipe.name):
        inside = (Path(__file__).parent / room for room in ("recipes", "neural"))
        paths = sorted(str(path) for room in inside for path in room.glob("*.py"))
    else:
        kind = recipe.train if inspect.isfunction(recipe.train) else type(recipe.train)
        paths = [path for path in [inspect.getsourcefile(kind)] if path and _is_file(Path(path))]
    return list(map(content_digest, paths))


def _command_key(system: System, folder: Path) -> list[Any]:
    """The command, and the content of the programs and settings that it names.

    Other files may be what the command itself writes, as a log, and say nothing about it.
    """
    assert system.command is not None
    try:
        words = shlex.split(system.command)
    except ValueError:
        words = system.command.split()
    # As in --config=FILE, and in cd FOLDER && python FILE.
    names = [name for word in words for name in (word, word.partition("=")[2]) if name]
    folders = [folder, *(folder / word for word in words if _is_folder(folder / word))]
    paths = [place / name for place in folders for name in names]
    named = [[path.name, content_digest(str(path))] for path in paths if _is_code(path)]
    return [system.command, system.reading, named]


def _is_code(path: Path) -> bool:
    return _is_file(path) and (path.suffix.lower() in _CODE or os.access(path, os.X_OK))


def _is_file(path: Path) -> bool:
    """Whether there is such a file; some texts are no names of files at all."""
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False


def _is_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except (OSError, ValueError):
        return False


def _file_content(value: str | None) -> Any:
    """What is in a file or folder; a name that is neither stands for itself."""
    if value is None or _is_file(Path(value)):
        return value and content_digest(value)
    if not _is_folder(Path(value)):
        return value
    inside = sorted(one for one in Path(value).rglob("*") if one.is_file())
    return [[str(one.relative_to(value)), content_digest(str(one))] for one in inside]


def content_digest(path: str) -> str:
    """The content of a file; a large one is read again only when it has changed."""
    if is_remote(path):
        return file_digest(path)
    try:
        stat = Path(path).stat()
        return _digest_of(path, stat.st_mtime_ns, stat.st_size)
    except OSError as error:
        raise InputError(path, f"it cannot be read ({error.strerror})", "check the path") from None


@cache
def _digest_of(path: str, changed: int, size: int) -> str:
    return file_digest(path)
