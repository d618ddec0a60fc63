"""Keep parts in a folder, so that an evaluation that was stopped goes on where it was.

Each part is a sealed file. Its identity is its key (settings, files, version), its work and its
place among the items: a part that is copied over another one is made again, like a damaged one.
"""

import errno
import hashlib
import json
import os
import tempfile
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator
from itertools import count, groupby
from pathlib import Path
from typing import Any, NamedTuple

from nerscope.codec import pack, unpack
from nerscope.engines.base import Engine, Item, Part, State, is_elastic, is_nearby
from nerscope.engines.sealed import ignoring_others, read_sealed, write_sealed
from nerscope.errors import FaultError, NerscopeError, OutputError, UsageError, expect

_DISK_TROUBLE = (errno.ENOSPC, errno.EDQUOT, errno.EIO)


class _Slot(NamedTuple):
    """Where the part of one item is kept, and what it must be the part of."""

    path: Path
    identity: str


_Lookup = tuple[list[Any], _Slot, Item]  # the stored part in a list, empty if there is none


class Checkpoint:
    """A folder that keeps parts until `finish` is called.

    Parts outlive the evaluation itself: a run that is killed while its results are written still
    has them.
    """

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        if not os.fspath(folder):
            raise UsageError("checkpoint", "'' cannot be", "give the name of a folder")
        self._folder = folder
        self._engine: Checkpointed | None = None

    def wrap(self, engine: Engine, key: str) -> "Checkpointed":
        """An engine that keeps its parts here."""
        self._engine = Checkpointed(engine, self._folder, key)
        return self._engine

    def finish(self) -> None:
        """Delete the parts."""
        if self._engine is not None:
            self._engine.finish()


def checkpoint_of(given: "str | os.PathLike[str] | Checkpoint") -> Checkpoint:
    """The checkpoint that was given, or the one in the folder that was given."""
    expect("checkpoint", given, (str, os.PathLike, Checkpoint), "name a folder")
    return given if isinstance(given, Checkpoint) else Checkpoint(given)


class Checkpointed:
    """An engine that keeps each part in a folder, and leaves to another engine what is missing.

    `key` covers everything that parts depend on beside work and place: settings, the files as they
    are, plug-ins, the version. Parts of another key are never used, and never touched. Several
    processes may share a folder, and even a key.

    >>> from nerscope.engines.local import Local
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     engine = Checkpointed(Local(), folder, "version, settings, files")
    ...     parts = list(engine.map(divmod, 7, [2, 3]))
    ...     n_files = len(list(engine.folder.iterdir()))
    ...     engine.finish()
    >>> parts, n_files
    ([(3, 1), (2, 1)], 2)
    """

    in_shards = True  # a part is the most that is lost, so there must be several

    def __init__(self, engine: Engine, folder: str | os.PathLike[str], key: str) -> None:
        self.engine, self.folder, self.key = engine, Path(folder), key
        self.nearby, self.elastic = is_nearby(engine), is_elastic(engine)
        self._n_maps: Counter[str] = Counter()  # the same work may be mapped twice, on other items
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            tempfile.TemporaryFile(dir=self.folder).close()
        except (OSError, ValueError) as error:
            raise _unwritable(self.folder, error) from None

    @property
    def remote(self) -> bool:
        return self.engine.remote

    def map(
        self, work: Callable[[State, Item], Part], state: State, items: Iterable[Item]
    ) -> Iterator[Part]:
        """The parts of all items: read if they are stored, else made and stored."""
        slots = self._slots(f"{work.__module__}.{work.__qualname__}")
        lookups = ((_load(slot), slot, item) for slot, item in zip(slots, items, strict=False))
        # Stored parts come first, unless some were damaged: mostly there are two groups. Items of
        # a group that is missing go to the engine together, so that its workers start once.
        for is_stored, group in groupby(lookups, lambda lookup: bool(lookup[0])):
            if is_stored:
                yield from (part for (part,), _, _ in group)
            else:
                yield from self._make(work, state, group)

    def _make(
        self, work: Callable[[State, Item], Part], state: State, lookups: Iterator[_Lookup[Item]]
    ) -> Iterator[Part]:
        under_way: deque[_Slot] = deque()

        def items() -> Iterator[Item]:
            for _, slot, item in lookups:
                under_way.append(slot)
                yield item

        for part in self.engine.map(work, state, items()):
            if not under_way:
                raise ValueError("the engine gives too many parts")
            self._store(under_way.popleft(), pack(part))
            yield part
        if under_way or next(lookups, None) is not None:
            raise ValueError("the engine gives too few parts")

    def finish(self) -> None:
        """Delete all parts of this key, when the results they were made for are written."""
        for path in self.folder.glob(f"{_short_digest(self.key)}-*"):
            with ignoring_others():
                path.unlink()

    def _slots(self, work: str) -> Iterator[_Slot]:
        self._n_maps[work] += 1
        n_map, prefix = self._n_maps[work], _short_digest(self.key)
        for place in count():
            name = _short_digest(work, n_map, place)
            identity = json.dumps([self.key, work, n_map, place])
            yield _Slot(self.folder / f"{prefix}-{name}.part", identity)

    def _store(self, slot: _Slot, data: bytes) -> None:
        try:
            write_sealed(slot.path, slot.identity, data)
        except OSError as error:
            raise _unwritable(self.folder, error) from None


def _short_digest(*fields: object) -> str:
    return hashlib.sha256(json.dumps(fields).encode()).hexdigest()[:32]


def _load(slot: _Slot) -> list[Any]:
    """The stored part in a list; an empty list if it is damaged, misplaced or of another version.

    A list, because a part may be None.
    """
    try:
        return [unpack(read_sealed(slot.path, slot.identity))]
    except (OSError, ValueError):
        return []


def _unwritable(folder: Path, error: OSError | ValueError) -> NerscopeError:
    reason = error.strerror if isinstance(error, OSError) else error
    fact = f"no parts can be kept in this folder ({reason})"
    if isinstance(error, OSError) and error.errno in _DISK_TROUBLE:
        return FaultError(str(folder), fact, "make room on the disk, and try again")
    return OutputError(str(folder), fact, "choose another folder, or change its permissions")
