"""The cache of experiments: a folder of results by a key for everything they rest on."""

import hashlib
import json
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

from nerscope.codec import pack, unpack
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
    """A folder with values by key.

    An entry that cannot be read is reported to `say`, and made again. Without a folder, nothing is
    stored.

    >>> Cache(None).get("key") is None
    True
    """

    def __init__(
        self, folder: str | Path | None, say: Callable[[str], None] = lambda note: None
    ) -> None:
        self.folder = Path(folder) if folder is not None else None
        self.say = say

    def get(self, key: str) -> Any | None:
        """The value of a key; None if there is none that can be used."""
        path = self._path(key)
        if path is None or not path.exists():
            return None
        try:
            return _decode(key, path.read_bytes())
        except (OSError, TypeError, ValueError, zlib.error) as error:
            self.say(f"cache entry {path.name} cannot be used ({error}); computed again")
            return None

    def put(self, key: str, value: Any) -> None:
        """Store a value that the codec can encode.

        A folder that cannot be written to is reported once; it costs only time.
        """
        path = self._path(key)
        if path is None:
            return
        draft = path.with_suffix(".part")
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            draft.write_bytes(_encode(key, value))
            draft.replace(path)
        except OSError as error:
            self.say(f"the cache cannot be written ({error.strerror}): {path.parent}")
            self.folder = None

    def _path(self, key: str) -> Path | None:
        return None if self.folder is None else self.folder / f"{key}.bin"


def _encode(key: str, value: Any) -> bytes:
    body = zlib.compress(pack((key, value)), 1)
    return _MARK + hashlib.sha256(body).digest() + body


def _decode(key: str, data: bytes) -> Any:
    if not data.startswith(_MARK):
        raise ValueError("it was not written by this version")
    start = len(_MARK) + hashlib.sha256().digest_size
    head, body = data[:start], data[start:]
    if head != _MARK + hashlib.sha256(body).digest():
        raise ValueError("it was changed")
    # The key is inside, so that an entry that was renamed is not taken for another one.
    stored_key, value = unpack(zlib.decompress(body))
    if stored_key != key:
        raise ValueError("it holds something else")
    return value
