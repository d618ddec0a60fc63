"""The cache of experiments: results in a folder, by a key that covers all their inputs."""

import hashlib
import json
import zlib
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from nerscope.codec import pack, unpack
from nerscope.engines.sealed import read_sealed, write_sealed
from nerscope.formats.files import FileBytes, is_remote
from nerscope.version import VERSION

Name = TypeVar("Name", bound=Hashable)
Value = TypeVar("Value")


def digest(*parts: object) -> str:
    """A key for the given values.

    >>> digest("a", 1) == digest("a", 1), digest("a", 1) == digest("a", 2)
    (True, False)
    """
    return hashlib.sha256(
        json.dumps([VERSION, *parts], sort_keys=True, default=str).encode()
    ).hexdigest()


def file_digest(path: str | Path) -> str:
    """A key for the content of a file, or of all files in a folder."""
    if Path(path).is_dir():
        inside = sorted(file for file in Path(path).rglob("*") if file.is_file())
        return digest([[str(file.relative_to(path)), file_digest(file)] for file in inside])
    with FileBytes.of(path).as_stored() if is_remote(str(path)) else open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


class Cache:
    """A folder with values by key.

    An entry that cannot be read is reported with `say` and computed again. Without a folder,
    nothing is stored.

    >>> Cache(None).get("key") is None
    True
    """

    def __init__(
        self, folder: str | Path | None, say: Callable[[str], None] = lambda note: None
    ) -> None:
        self.folder = Path(folder) if folder is not None else None
        self.say = say

    def remember(
        self,
        keys: Mapping[Name, str],
        compute: Callable[[Sequence[Name]], Iterable[Value]],
    ) -> dict[Name, Value]:
        """A value for each name: the cached values, and the missing ones, computed in one call.

        A key must cover everything that the value of its name depends on.

        >>> Cache(None).remember({2: "two", 3: "three"}, lambda names: [n * n for n in names])
        {2: 4, 3: 9}
        """
        values: dict[Name, Any] = {name: self.get(key) for name, key in keys.items()}
        missing = [name for name, value in values.items() if value is None]
        for name, value in zip(missing, compute(missing) if missing else (), strict=True):
            self.put(keys[name], value)
            values[name] = value
        return values

    def get(self, key: str) -> Any | None:
        """The value of a key; None if the cache has no usable entry."""
        path = self._path(key)
        if path is None or not path.exists():
            return None
        try:
            return unpack(zlib.decompress(read_sealed(path, key)))
        except (OSError, TypeError, ValueError, zlib.error) as error:
            self.say(f"cache entry {path.name} cannot be used ({error}); computed again")
            return None

    def put(self, key: str, value: Any) -> None:
        """Store a value that the codec can encode.

        A folder that cannot be written is reported once. The results do not change.
        """
        path = self._path(key)
        if path is None:
            return
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            write_sealed(path, key, zlib.compress(pack(value), 1))
        except OSError as error:
            self.say(f"the cache cannot be written ({error.strerror}): {path.parent}")
            self.folder = None

    def _path(self, key: str) -> Path | None:
        return None if self.folder is None else self.folder / f"{key}.bin"
