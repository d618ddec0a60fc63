"""Jobs: a system on a dataset with a seed, keyed by everything that its output depends on."""

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
from nerscope.formats.files import is_remote
from nerscope.lab.plan import TrainedSystem
from nerscope.lab.recipe import RECIPES, File, Recipe, recipe_named
from nerscope.version import VERSION

_KEY_LETTERS = 16  # of a key that the name of a folder has
# Files with these endings are code or settings: a command that names one depends on its content.
_CODE_ENDINGS = {
    *(".py", ".sh", ".pl", ".rb", ".r", ".jl", ".js", ".jar"),
    *(".cfg", ".conf", ".ini", ".json", ".jsonnet", ".toml", ".yaml", ".yml"),
}


@dataclass(frozen=True, slots=True)
class Job:
    """One training: a system, a dataset, a seed."""

    system: TrainedSystem
    data: Data
    seed: int
    key: str

    def __str__(self) -> str:
        return f"{self.system.name} on {self.data.name}, seed {self.seed}"

    @property
    def folder_name(self) -> str:
        """The name of its folder: by its key, so that renaming a system trains nothing anew."""
        return f"{self.system.recipe or 'command'}-{self.key[:_KEY_LETTERS]}"

    @property
    def output_options(self) -> str:
        """The file options of its output: those of the test file unless the plan gives others."""
        if self.system.output_options is not None:
            return self.system.output_options
        return self.data.test[len(path_of(self.data.test)) + len(OPTIONS_MARK) :]


def make_jobs(systems: Sequence[TrainedSystem], data: Sequence[Data], folder: Path) -> list[Job]:
    """Every system on every dataset with each of its seeds; `folder` is where the plan lies."""
    return [
        Job(system, dataset, seed, _job_key(system, dataset, seed, folder))
        for dataset in data
        for system in systems
        for seed in system.seeds
    ]


def _job_key(system: TrainedSystem, data: Data, seed: int, folder: Path) -> str:
    if not data.train:
        raise UsageError(f"dataset '{data.name}'", "it has no training data", 'add train = "FILE"')
    if system.command and "{dev}" in system.command and not data.dev:
        raise UsageError(
            f"dataset '{data.name}'",
            f"the command of '{system.name}' asks for {{dev}}, and there is no such file",
            'add dev = "FILE", or leave {dev} out',
        )
    files = [list(map(_file_key, texts)) for texts in (data.train, data.dev, [data.test])]
    method = _recipe_key(system) if system.recipe else _command_key(system, folder)
    # Where nothing is random, all seeds have the same key: they are one job with one output.
    job_seed = seed if system.recipe is None or recipe_named(system.recipe).random else None
    # Names of systems and datasets are not part of the key: they change no output.
    content = json.dumps([files, method, system.context, job_seed], sort_keys=True)
    return hashlib.sha256(content.encode()).hexdigest()


def _file_key(text: str) -> list[str]:
    """The content of a file and of those that are read with it, and its options."""
    return [*map(content_digest, input_files(text)), text[len(path_of(text)) :]]


def _recipe_key(system: TrainedSystem) -> list[Any]:
    """The code of the recipe, its options, and the content of files that options name."""
    assert system.recipe is not None
    recipe = recipe_named(system.recipe)
    files = [name for name, option in recipe.options.items() if option.kind is File]
    options = {
        name: _option_content(value) if name in files else value
        for name, value in (system.options or {}).items()
    }
    types = [dict(system.map), list(system.drop)]
    return [recipe.name, _code_digests(recipe), VERSION, options, types]


def _code_digests(recipe: Recipe) -> list[str]:
    """The file of a user's recipe; for a built-in one, all recipes with the modules they share."""
    if RECIPES.is_built_in(recipe.name):
        packages = (Path(__file__).parent / name for name in ("recipes", "neural"))
        paths = sorted(str(path) for package in packages for path in package.glob("*.py"))
    else:
        code = recipe.train if inspect.isfunction(recipe.train) else type(recipe.train)
        paths = [path for path in [inspect.getsourcefile(code)] if path and _is_file(Path(path))]
    return list(map(content_digest, paths))


def _command_key(system: TrainedSystem, folder: Path) -> list[Any]:
    """The command, and the content of the programs and settings that it names.

    Other files do not count: the command may write them itself, as a log.
    """
    assert system.command is not None
    try:
        words = shlex.split(system.command)
    except ValueError:
        words = system.command.split()  # an unclosed quote
    # A file may be named as in --config=FILE, and as in cd FOLDER && python FILE.
    names = [name for word in words for name in (word, word.partition("=")[2]) if name]
    folders = [folder, *(folder / word for word in words if _is_folder(folder / word))]
    paths = [place / name for place in folders for name in names]
    named = [[path.name, content_digest(str(path))] for path in paths if _is_code(path)]
    return [system.command, system.output_options, named]


def _is_code(path: Path) -> bool:
    return _is_file(path) and (path.suffix.lower() in _CODE_ENDINGS or os.access(path, os.X_OK))


def _is_file(path: Path) -> bool:
    """Whether there is such a file; False for a text that cannot be a path (too long, a NUL)."""
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False


def _is_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except (OSError, ValueError):
        return False


def _option_content(value: str | None) -> Any:
    """The content of a file or folder; another value, as the name of a model, as it is."""
    if value is None or _is_file(Path(value)):
        return value and content_digest(value)
    if not _is_folder(Path(value)):
        return value
    paths = sorted(path for path in Path(value).rglob("*") if path.is_file())
    return [[str(path.relative_to(value)), content_digest(str(path))] for path in paths]


def content_digest(path: str) -> str:
    """The digest of a file; it is read again only if its time or size has changed."""
    if is_remote(path):
        return file_digest(path)
    try:
        stat = Path(path).stat()
        return _cached_digest(path, stat.st_mtime_ns, stat.st_size)
    except OSError as error:
        raise InputError(path, f"it cannot be read ({error.strerror})", "check the path") from None


@cache
def _cached_digest(path: str, modified: int, size: int) -> str:
    return file_digest(path)
