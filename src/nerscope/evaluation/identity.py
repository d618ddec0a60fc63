"""The key of a checkpoint: a digest of everything that parts of an evaluation depend on."""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property, partial
from pathlib import Path
from types import CellType, FunctionType, MethodType
from typing import Any

from nerscope.errors import InputError, UsageError
from nerscope.evaluation.task import Task
from nerscope.formats.base import input_files, wrapper_for
from nerscope.formats.files import FileBytes, is_remote
from nerscope.formats.shards import Shards
from nerscope.formats.source import Source
from nerscope.version import VERSION

_PLAIN = (str, int, float, type(None))


def checkpoint_key(task: Task, plugins: Sequence[str] = ()) -> str:
    """A key for the parts of an evaluation: parts are reused only under the same key.

    It covers the version of nerscope, all settings, every file of gold, runs and training data with
    its options, and the text of plug-ins. Files are identified by name, size and modification time,
    because reading them would take as long as scoring them. The engine and the number of workers
    are not covered: a run may continue with others. Data in a single shard raise a `UsageError`,
    since nothing could be stored before the end.
    """
    if not task.gold.info.is_small and Shards(task.sources).is_one:
        raise UsageError(
            "checkpoint",
            "these files have no shards, so nothing can be stored before the end",
            "leave the checkpoint out, or give columns, JSON Lines, CSV or Parquet with the same "
            "sentences and the same number of files on each side",
        )
    facts = [VERSION, repr(task.settings)]
    for source in task.sources:
        facts += ["side", *_identity(source)]
    if task.train is not None:
        facts += ["training", *_identity(task.train)]
    facts += [Path(path).read_text(encoding="utf-8") for path in plugins]
    return hashlib.sha256("\n".join(facts).encode()).hexdigest()


def _identity(source: Source) -> Iterator[str]:
    """The options of a source, and its files by size and time."""
    if source.members:
        for member in source.members:
            yield from _identity(member)
        return
    files = _files(source.name) if source.is_file else []
    if not files and not _is_in_memory(source):
        raise _not_a_file(source.name)
    yield from _facts_of(source, source.name, set())
    for path in files:
        yield from _file_states(path)


def _not_a_file(name: str) -> UsageError:
    return UsageError(
        "checkpoint",
        f"{name} is not a local file, and nerscope cannot detect whether it changes",
        "give local files, or leave the checkpoint out",
    )


def _files(name: str) -> list[Path]:
    """The file or folder of a source, and the other files that are read with it."""
    if is_remote(name):
        return []
    try:
        paths = [Path(name), *map(Path, input_files(name))]
    except InputError:  # data in memory with a name that looks like a pattern
        return []
    return [path for path in paths if path.is_file() or path.is_dir()]


def _is_in_memory(source: Source) -> bool:
    """Whether the source holds all its bytes, as for a pipe, which can be read only once."""
    content = getattr(source, "path", None)
    return isinstance(content, FileBytes) and content.data is not None


def _file_states(path: Path) -> Iterator[str]:
    """The size and time of a file, or of each file in a folder."""
    for file in sorted(path.iterdir()) if path.is_dir() else [path]:
        if file.is_file():
            state = file.stat()
            yield f"{file} {state.st_size} {state.st_mtime_ns}"


def _facts_of(value: Any, name: str, seen: set[int]) -> Iterator[str]:
    """All plain values in an object, at any depth; functions by name and captured values.

    `partial(read, limit=3)` gives "partial (", then the facts of `read`, of `()` and of
    `{"limit": 3}`, then ")".
    """
    if isinstance(value, _PLAIN):
        yield repr(value)
    elif isinstance(value, bytes):
        yield hashlib.sha256(value).hexdigest()
    elif isinstance(value, type):
        yield value.__qualname__
    elif isinstance(value, Path):
        yield from _file_states(value)
    elif id(value) not in seen:  # avoids infinite recursion
        seen.add(id(value))
        if wrapper_for(value) is not None:
            raise _not_a_file(name)  # changes of a table in memory would go unnoticed
        yield f"{getattr(value, '__qualname__', type(value).__qualname__)} ("
        for part in _parts(value):
            yield from _facts_of(part, name, seen)
        yield ")"


def _parts(value: Any) -> Iterator[Any]:
    """The components of an object, always in the same order."""
    if isinstance(value, Mapping):
        for pair in value.items():
            yield from pair
    elif isinstance(value, list | tuple):
        yield from value
    elif isinstance(value, set | frozenset):
        yield from sorted(value, key=repr)
    elif isinstance(value, partial):
        yield from (value.func, value.args, value.keywords)
    elif isinstance(value, MethodType):
        yield value.__self__
    elif isinstance(value, FunctionType):
        yield from (value.__defaults__, value.__kwdefaults__)
        # The cell of an unassigned variable is empty; reading it would fail.
        full = (cell for cell in value.__closure__ or () if cell != CellType())
        yield from (cell.cell_contents for cell in full)
    else:
        yield from _attributes(value)


def _attributes(value: Any) -> Iterator[Any]:
    """The attributes of an object, sorted by name, without cached properties."""
    kind = type(value)
    slots = {name for base in kind.__mro__ for name in _listed(getattr(base, "__slots__", ()))}
    for key in sorted(slots | {*getattr(value, "__dict__", ())}):
        is_cached = isinstance(getattr(kind, key, None), cached_property)
        if hasattr(value, key) and not is_cached and not key.startswith("__"):
            yield from (key, getattr(value, key))


def _listed(slots: str | Sequence[str]) -> Sequence[str]:
    return [slots] if isinstance(slots, str) else slots
