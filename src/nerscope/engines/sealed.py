"""Sealed files: their bytes are complete, unchanged and in the right place, or are not used.

    line      the name of the program and its version
    digest    of the identity and of the bytes
    bytes

The *identity* describes the bytes: everything that they depend on, and their place. The digest
covers it, so a file that was renamed or copied over another is detected like a damaged one.
Checkpoints and the cache of experiments store their values this way.
"""

import hashlib
import os
import tempfile
from contextlib import suppress
from pathlib import Path

from nerscope.version import VERSION

_MARK = f"nerscope {VERSION}\n".encode()


def write_sealed(path: Path, identity: str, data: bytes) -> None:
    """Write a file atomically, even if the machine stops or another process writes the same file.

    The draft is synced before it is renamed, since a file with its final name must be complete.
    """
    handle, draft = tempfile.mkstemp(prefix=f"{path.stem}-", suffix=".draft", dir=path.parent)
    try:
        with open(handle, "wb") as file:
            file.write(_MARK + _digest(identity, data))
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        with ignoring_others():
            Path(draft).replace(path)
    finally:
        Path(draft).unlink(missing_ok=True)


def read_sealed(path: Path, identity: str) -> bytes:
    """The bytes of a file; raises a ValueError if the file was not written for the identity.

    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_sealed(Path(folder, "a"), "part 1 of 2", b"...")
    ...     read_sealed(Path(folder, "a"), "part 2 of 2")
    Traceback (most recent call last):
    ValueError: its digest does not match
    """
    content = path.read_bytes()
    if not content.startswith(_MARK):
        raise ValueError("it was written by another version")
    start = len(_MARK) + hashlib.sha256().digest_size
    if content[len(_MARK) : start] != _digest(identity, content[start:]):
        raise ValueError("its digest does not match")
    return content[start:]


def ignoring_others() -> suppress:
    """Ignore conflicts with another process that uses the same file.

    Windows does not replace a file that is being read, and a finished process deletes its files.
    Both cost only time.
    """
    return suppress(FileNotFoundError, PermissionError)


def _digest(identity: str, data: bytes) -> bytes:
    digest = hashlib.sha256(hashlib.sha256(identity.encode()).digest())
    digest.update(data)
    return digest.digest()
