"""What the parts of an evaluation depend on, in a line: kept parts of another one are of no use."""

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import is_dataclass
from pathlib import Path

from nerscope.evaluation.plan import Task
from nerscope.formats.base import Several, Source
from nerscope.version import VERSION

_PLAIN = (str, int, float, tuple, type(None))


def key_of(task: Task, plugins: Sequence[str] = ()) -> str:
    """A key for settings, files as they are now, plug-ins, and the version of all this."""
    sources = [*task.sources, *([task.train] if task.train is not None else [])]
    about = [VERSION, repr(task.settings)]
    about += [part for source in sources for part in _identity(source)]
    about += [Path(path).read_text(encoding="utf-8") for path in plugins]
    return hashlib.sha256("\n".join(about).encode()).hexdigest()


def _identity(source: Source) -> Iterator[str]:
    """The options of a source, and its files by size and time."""
    if isinstance(source, Several):
        for one in source.sources:
            yield from _identity(one)
        return
    known = getattr(source, "__dict__", {})
    options = {key: value for key, value in known.items() if isinstance(value, _PLAIN)}
    yield repr(source) if is_dataclass(source) else f"{type(source).__qualname__} {options}"
    path = Path(source.name)
    if path.is_file():
        state = path.stat()
        yield f"{path} {state.st_size} {state.st_mtime_ns}"
