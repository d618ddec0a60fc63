"""Parts that are kept in a folder, so that work that was stopped goes on where it was."""

import errno
import hashlib
import json
import os
import tempfile
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from itertools import count, groupby
from pathlib import Path
from typing import Any

from nerscope.codec import pack, unpack
from nerscope.engines.base import Engine, Item, Part, State
from nerscope.errors import FaultError, NerscopeError, OutputError, UsageError

_MARK = b"nerscope part 1\n"
_SURROUNDINGS = (errno.ENOSPC, errno.EDQUOT, errno.EIO)

_Looked = tuple[list[Any], Path, Item]  # an item: its part if that is kept, and where


class Checkpoint:
    """A folder in which parts are kept until `finish`, and so beyond an evaluation whose results
    have yet to be written.
    """

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        if not os.fspath(folder):
            raise UsageError("checkpoint", "'' cannot be", "give the name of a folder")
        self._folder = folder
        self._engine: Checkpointed | None = None

    def around(self, engine: Engine, key: str) -> "Checkpointed":
        """An engine that keeps its parts here."""
        self._engine = Checkpointed(engine, self._folder, key)
        return self._engine

    def finish(self) -> None:
        """Delete what was kept."""
        if self._engine is not None:
            self._engine.finish()


def checkpoint_of(given: "str | os.PathLike[str] | Checkpoint | None") -> Checkpoint | None:
    """What somebody gave as a checkpoint."""
    return given if given is None or isinstance(given, Checkpoint) else Checkpoint(given)


class Checkpointed:
    """An engine that keeps each part in a folder, and leaves to another engine what is not there.

    `key` says everything that parts depend on beside their place among the items: what has another
    key is never used, and never touched. Several processes may share a folder, and even a key.

    >>> from nerscope.engines.local import Local
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     engine = Checkpointed(Local(), folder, "version, settings, files")
    ...     parts = list(engine.map(divmod, 7, [2, 3]))
    ...     kept = len(list(engine.folder.iterdir()))
    ...     engine.finish()
    >>> parts, kept
    ([(3, 1), (2, 1)], 2)
    """

    def __init__(self, engine: Engine, folder: str | os.PathLike[str], key: str) -> None:
        self.engine, self.folder, self.key = engine, Path(folder), key
        self._maps: Counter[str] = Counter()  # a work may be done several times, on other items
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            tempfile.TemporaryFile(dir=self.folder).close()
        except (OSError, ValueError) as error:
            raise _unwritable(self.folder, error) from None

    @property
    def remote(self) -> bool:
        """Whether items leave this process."""
        return self.engine.remote

    def map(
        self, work: Callable[[State, Item], Part], state: State, items: Iterable[Item]
    ) -> Iterator[Part]:
        """The parts of all items: read where they are kept, made and kept where not."""
        paths = self._paths(f"{work.__module__}.{work.__qualname__}")
        looked = ((_kept(path), path, item) for path, item in zip(paths, items, strict=False))
        # Those that are kept are the first ones, unless some were damaged.
        for are_kept, row in groupby(looked, lambda one: bool(one[0])):
            if are_kept:
                yield from (part for (part,), _, _ in row)
            else:
                yield from self._made(work, state, row)

    def _made(
        self, work: Callable[[State, Item], Part], state: State, row: Iterator[_Looked[Item]]
    ) -> Iterator[Part]:
        under_way: deque[Path] = deque()

        def items() -> Iterator[Item]:
            for _, path, item in row:
                under_way.append(path)
                yield item

        for part in self.engine.map(work, state, items()):
            if not under_way:
                raise ValueError("the engine gives too many parts")
            self._write(under_way.popleft(), pack(part))
            yield part
        if under_way or next(row, None) is not None:
            raise ValueError("the engine gives too few parts")

    def finish(self) -> None:
        """Delete all parts of this key, when what they were made for is done."""
        for path in self.folder.glob(f"{_digest(self.key)}-*"):
            with _shared():
                path.unlink()

    def _paths(self, work: str) -> Iterator[Path]:
        self._maps[work] += 1
        about, own = (work, self._maps[work]), _digest(self.key)
        return (self.folder / f"{own}-{_digest(*about, place)}.part" for place in count())

    def _write(self, path: Path, data: bytes) -> None:
        """Write a part whole or not at all, whatever happens to the machine."""
        try:
            handle, draft = tempfile.mkstemp(
                prefix=f"{path.stem}-", suffix=".draft", dir=path.parent
            )
            try:
                with open(handle, "wb") as file:
                    file.write(_MARK + hashlib.sha256(data).digest())
                    file.write(data)
                    file.flush()
                    os.fsync(file.fileno())
                with _shared():
                    Path(draft).replace(path)
            finally:
                Path(draft).unlink(missing_ok=True)
        except OSError as error:
            raise _unwritable(self.folder, error) from None


def innermost(engine: Engine) -> Engine:
    """The engine that does the work."""
    return engine.engine if isinstance(engine, Checkpointed) else engine


def _shared() -> suppress:
    """Another process with the same key may be reading a part, which Windows minds, or be done with
    all of them; that costs time at most.
    """
    return suppress(FileNotFoundError, PermissionError)


def _digest(*parts: object) -> str:
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:32]


def _kept(path: Path) -> list[Any]:
    """The part, alone; nothing, if it is not whole, or of another version."""
    data = _read(path)
    try:
        return [] if data is None else [unpack(data)]
    except ValueError:
        return []


def _read(path: Path) -> bytes | None:
    """The packed bytes of a part, None if they are not all there and as they were."""
    try:
        content = path.read_bytes()
    except OSError:
        return None
    start = len(_MARK) + hashlib.sha256().digest_size
    head, data = content[:start], content[start:]
    return data if head == _MARK + hashlib.sha256(data).digest() else None


def _unwritable(folder: Path, error: OSError | ValueError) -> NerscopeError:
    reason = error.strerror if isinstance(error, OSError) else error
    fact = f"no parts can be kept in this folder ({reason})"
    if isinstance(error, OSError) and error.errno in _SURROUNDINGS:
        return FaultError(str(folder), fact, "make room on the disk, and try again")
    return OutputError(str(folder), fact, "choose another folder, or change its permissions")
