"""A folder of work that need not be done twice, keyed by the content it was done on."""

import hashlib
import json
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

from nerscope.formats.files import FileBytes
from nerscope.formats.remote import is_remote
from nerscope.version import VERSION

_MARK = f"nerscope {VERSION}\n".encode()


def digest(*parts: object) -> str:
    """A key for some content.

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
    """Plain data by key. What cannot be read is said and made again; without a folder, nothing is
    kept.
    """

    def __init__(
        self, folder: str | Path | None, say: Callable[[str], None] = lambda note: None
    ) -> None:
        self.folder = Path(folder) if folder is not None else None
        self.say = say

    def get(self, key: str) -> Any | None:
        """What is stored under a key, None if there is nothing of use."""
        path = self._path(key)
        if path is None or not path.exists():
            return None
        try:
            data = path.read_bytes()
            if not data.startswith(_MARK):
                raise ValueError("it was not written by this version")
            entry = json.loads(zlib.decompress(data[len(_MARK) :]))
            if not isinstance(entry, dict) or entry.get("key") != key:
                raise ValueError("it holds something else")
            if entry.get("check") != digest(entry.get("value")):
                raise ValueError("it was changed")
            return entry["value"]
        except (OSError, KeyError, RecursionError, ValueError, zlib.error) as error:
            self.say(f"cache entry {path.name} cannot be used ({error}); computed again")
            return None

    def put(self, key: str, value: Any) -> None:
        """Store plain data under a key; a cache that cannot be written is said, and costs only
        time.
        """
        path = self._path(key)
        if path is None:
            return
        draft = path.with_suffix(".part")
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            entry = {"key": key, "check": digest(value), "value": value}
            text = json.dumps(entry, separators=(",", ":")).encode()
            draft.write_bytes(_MARK + zlib.compress(text, 1))
            draft.replace(path)
        except OSError as error:
            self.say(f"the cache cannot be written ({error.strerror}): {path.parent}")
            self.folder = None

    def _path(self, key: str) -> Path | None:
        return None if self.folder is None else self.folder / f"{key}.bin"
