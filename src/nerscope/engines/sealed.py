"""Bytes in a file that are whole, unchanged and in their place, or of no use.

    line      names the program and its version
    digest    of the identity of the bytes, and of the bytes
    bytes

The *identity* says what the bytes are: all that they depend on, and their place. Because the digest
covers it, a file that is renamed or copied over another one is as useless as a damaged one.
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
    """Write a file whole or not at all, even if the machine stops or another process writes it.

    The draft is synced before it gets its name: a name without its bytes would be a file that
    looks complete.
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
    """The bytes of a file; a ValueError if they are not those that were written for the identity.

    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_sealed(Path(folder, "a"), "part 1 of 2", b"...")
    ...     read_sealed(Path(folder, "a"), "part 2 of 2")
    Traceback (most recent call last):
    ValueError: it was changed or belongs elsewhere
    """
    content = path.read_bytes()
    if not content.startswith(_MARK):
        raise ValueError("it was not written by this version")
    start = len(_MARK) + hashlib.sha256().digest_size
    if content[len(_MARK) : start] != _digest(identity, content[start:]):
        raise ValueError("it was changed or belongs elsewhere")
    return content[start:]


def ignoring_others() -> suppress:
    """Ignore what another process may do to the same file at the same moment.

    Windows does not replace a file that is being read, and a process that is done deletes its
    files. Either costs time at most.
    """
    return suppress(FileNotFoundError, PermissionError)


def _digest(identity: str, data: bytes) -> bytes:
    digest = hashlib.sha256(hashlib.sha256(identity.encode()).digest())
    digest.update(data)
    return digest.digest()
