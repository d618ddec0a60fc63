"""Store parts in a folder, so that an evaluation that was stopped can resume.

Each part is a sealed file. Its identity is its key (settings, files, version), its work and its
place among the items. A damaged part, or one that was copied over another, is computed again.
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
    """The file of the part of one item, and the identity that the part must have."""

    path: Path
    identity: str


_Lookup = tuple[list[Any], _Slot, Item]  # the stored part in a list, empty if there is none


class Checkpoint:
    """A folder that stores parts until `finish` is called.

    The parts remain after the evaluation, in case the run is killed while it writes its results.
    """

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        if not os.fspath(folder):
            raise UsageError("checkpoint", "invalid value ''", "give the name of a folder")
        self._folder = folder
        self._engine: Checkpointed | None = None

    def wrap(self, engine: Engine, key: str) -> "Checkpointed":
        """An engine that stores its parts in this folder."""
        self._engine = Checkpointed(engine, self._folder, key)
        return self._engine

    def finish(self) -> None:
        """Delete the parts."""
        if self._engine is not None:
            self._engine.finish()


def checkpoint_of(given: "str | os.PathLike[str] | Checkpoint") -> Checkpoint:
    """The given checkpoint, or a checkpoint in the given folder."""
    expect("checkpoint", given, (str, os.PathLike, Checkpoint), "give the name of a folder")
    return given if isinstance(given, Checkpoint) else Checkpoint(given)


class Checkpointed:
    """An engine that stores each part in a folder; another engine computes the missing parts.

    `key` covers everything that parts depend on besides work and place: settings, the current
    files, plug-ins, the version. Parts with another key are neither used nor changed. Several
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

    in_shards = True  # with only one part, a stopped run would lose everything

    def __init__(self, engine: Engine, folder: str | os.PathLike[str], key: str) -> None:
        self.engine, self.folder, self.key = engine, Path(folder), key
        self.nearby, self.elastic = is_nearby(engine), is_elastic(engine)
        self._n_maps: Counter[str] = (
            Counter()
        )  # the same work may be mapped twice, with other items
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
        """The parts of all items: read from the folder, or computed and stored."""
        slots = self._slots(f"{work.__module__}.{work.__qualname__}")
        lookups = ((_load(slot), slot, item) for slot, item in zip(slots, items, strict=False))
        # Usually there are two groups: stored parts, then missing parts. Damaged parts make more.
        # All items of a missing group go to the engine together, so its workers start once.
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
                raise ValueError("the engine returns too many parts")
            self._store(under_way.popleft(), pack(part))
            yield part
        if under_way or next(lookups, None) is not None:
            raise ValueError("the engine returns too few parts")

    def finish(self) -> None:
        """Delete all parts with this key. Call it after the results are written."""
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

    It is a list because a part may be None.
    """
    try:
        return [unpack(read_sealed(slot.path, slot.identity))]
    except (OSError, ValueError):
        return []


def _unwritable(folder: Path, error: OSError | ValueError) -> NerscopeError:
    reason = error.strerror if isinstance(error, OSError) else error
    fact = f"parts cannot be written to this folder ({reason})"
    if isinstance(error, OSError) and error.errno in _DISK_TROUBLE:
        return FaultError(str(folder), fact, "free disk space, and run the command again to resume")
    return OutputError(str(folder), fact, "choose another folder, or change its permissions")
