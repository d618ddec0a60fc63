"""Jobs: a system on a dataset with a seed. The key of a job covers all inputs of its output."""

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

_KEY_LETTERS = 16  # letters of the key in the name of a folder
# Files with these endings are code or settings: a command that names one depends on its content.
_CODE_ENDINGS = {
    *(".py", ".sh", ".pl", ".rb", ".r", ".jl", ".js", ".jar"),
    *(".cfg", ".conf", ".ini", ".json", ".jsonnet", ".toml", ".yaml", ".yml"),
}


@dataclass(frozen=True, slots=True)
class Job:
    """One training run: a system, a dataset, a seed."""

    system: TrainedSystem
    data: Data
    seed: int
    key: str

    def __str__(self) -> str:
        return f"{self.system.name} on {self.data.name}, seed {self.seed}"

    @property
    def folder_name(self) -> str:
        """The name of its folder, from the key: a renamed system is not trained again."""
        return f"{self.system.recipe or 'command'}-{self.key[:_KEY_LETTERS]}"

    @property
    def output_options(self) -> str:
        """The file options of its output; default: those of the test file."""
        if self.system.output_options is not None:
            return self.system.output_options
        return self.data.test[len(path_of(self.data.test)) + len(OPTIONS_MARK) :]


def make_jobs(systems: Sequence[TrainedSystem], data: Sequence[Data], folder: Path) -> list[Job]:
    """Every system on every dataset with each of its seeds; `folder` is the folder of the plan."""
    return [
        Job(system, dataset, seed, _job_key(system, dataset, seed, folder))
        for dataset in data
        for system in systems
        for seed in system.seeds
    ]


def _job_key(system: TrainedSystem, data: Data, seed: int, folder: Path) -> str:
    if not data.train:
        raise UsageError(f"dataset '{data.name}'", "no training data", 'add train = "FILE"')
    if system.command and "{dev}" in system.command and not data.dev:
        raise UsageError(
            f"dataset '{data.name}'",
            f"the command of '{system.name}' uses {{dev}}, but the dataset has no dev file",
            'add dev = "FILE", or remove {dev} from the command',
        )
    files = [list(map(_file_key, texts)) for texts in (data.train, data.dev, [data.test])]
    method = _recipe_key(system) if system.recipe else _command_key(system, folder)
    # If nothing is random, all seeds have the same key: they are one job with one output.
    job_seed = seed if system.recipe is None or recipe_named(system.recipe).random else None
    # Names of systems and datasets are not part of the key: they do not change the output.
    content = json.dumps([files, method, system.context, job_seed], sort_keys=True)
    return hashlib.sha256(content.encode()).hexdigest()


def _file_key(text: str) -> list[str]:
    """Digests of a file and of the files that are read with it, and the file options."""
    return [*map(content_digest, input_files(text)), text[len(path_of(text)) :]]


def _recipe_key(system: TrainedSystem) -> list[Any]:
    """The code of the recipe, its options, and the content of the files named by options."""
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
    """Digests of a user's recipe file; for a built-in recipe, of all recipes and shared modules."""
    if RECIPES.is_built_in(recipe.name):
        packages = (Path(__file__).parent / name for name in ("recipes", "neural"))
        paths = sorted(str(path) for package in packages for path in package.glob("*.py"))
    else:
        code = recipe.train if inspect.isfunction(recipe.train) else type(recipe.train)
        paths = [path for path in [inspect.getsourcefile(code)] if path and _is_file(Path(path))]
    return list(map(content_digest, paths))


def _command_key(system: TrainedSystem, folder: Path) -> list[Any]:
    """The command, and the content of the programs and settings that it names.

    Other files are ignored: the command may write them itself, for example a log.
    """
    assert system.command is not None
    try:
        words = shlex.split(system.command)
    except ValueError:
        words = system.command.split()  # an unclosed quote
    # Commands also name files as in `--config=FILE` and `cd FOLDER && python FILE`.
    names = [name for word in words for name in (word, word.partition("=")[2]) if name]
    folders = [folder, *(folder / word for word in words if _is_folder(folder / word))]
    paths = [place / name for place in folders for name in names]
    named = [[path.name, content_digest(str(path))] for path in paths if _is_code(path)]
    return [system.command, system.output_options, named]


def _is_code(path: Path) -> bool:
    return _is_file(path) and (path.suffix.lower() in _CODE_ENDINGS or os.access(path, os.X_OK))


def _is_file(path: Path) -> bool:
    """Whether the file exists; False if the text is not a valid path (too long, a NUL)."""
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
    """A digest of the file or folder; any other value, such as a model name, is returned as is."""
    if value is None or _is_file(Path(value)):
        return value and content_digest(value)
    if not _is_folder(Path(value)):
        return value
    paths = sorted(path for path in Path(value).rglob("*") if path.is_file())
    return [[str(path.relative_to(value)), content_digest(str(path))] for path in paths]


def content_digest(path: str) -> str:
    """The digest of a file; the file is read again only if its time or size has changed."""
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
