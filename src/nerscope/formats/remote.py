"""Files elsewhere: addresses such as s3://bucket/gold.conll, reached through fsspec."""

import io
import re
from types import TracebackType
from typing import Any
from urllib.parse import urlsplit

from nerscope.errors import InputError, NerscopeError, UsageError
from nerscope.formats.extras import require_extra

# A scheme has two letters at least: one letter is a drive of Windows. Others may stand before it,
# as in zip://gold.conll::s3://bucket/all.zip.
_ADDRESS = re.compile(r"(?:[a-z][a-z0-9+.-]*::)*([A-Za-z][A-Za-z0-9+.-]+)://")
_WEB = ("http", "https")
_BUFFER = 1 << 20


def is_remote(path: str) -> bool:
    r"""Whether a path has a scheme.

    >>> is_remote("s3://bucket/gold.conll"), is_remote("C:\\gold.conll"), is_remote("C://a")
    (True, False, False)
    """
    return _ADDRESS.match(path) is not None


def display_address(address: str) -> str:
    """An address as messages and results have it: without passwords, and without what follows `?`.

    >>> display_address("https://me:secret@there.org/gold.conll?signature=x")
    'https://there.org/gold.conll'
    """
    if (scheme := _ADDRESS.match(address)) is None or scheme[1].lower() not in _WEB:
        return address
    parts = urlsplit(address)
    return parts._replace(netloc=parts.netloc.rpartition("@")[2], query="", fragment="").geturl()


def open_address(address: str) -> io.BufferedReader:
    """Open the bytes behind an address."""
    with _DriverErrors(address):
        system, path = _file_system(address)
        return io.BufferedReader(_RemoteFile(system.open(path, "rb"), address), _BUFFER)


def address_size(address: str) -> int | None:
    """The number of bytes behind an address; None if the server does not give it."""
    with _DriverErrors(address):
        system, path = _file_system(address)
        size = system.info(path).get("size")
        return None if size is None else int(size)


def matching_addresses(pattern: str) -> list[str]:
    """The addresses that fit a pattern, in no order; the pattern alone if it is one itself."""
    with _DriverErrors(pattern):
        system, path = _file_system(pattern)
        if system.exists(path):
            return [pattern]
        entries = system.glob(path, detail=True)
        files = [path for path, entry in entries.items() if entry["type"] == "file"]
        return [system.unstrip_protocol(path) for path in files]


def _file_system(address: str) -> tuple[Any, str]:
    """The file system of an address, and the path in it."""
    core = require_extra("fsspec.core", display_address(address), "remote")
    try:
        system, path = core.url_to_fs(address)
    except ImportError as error:
        raise UsageError(
            display_address(address),
            f"the driver for such addresses is not installed ({error})",
            "install the package that it names",
        ) from None
    except ValueError as error:
        raise UsageError(
            display_address(address),
            f"no such address is known ({error})",
            "check what is before ://",
        ) from None
    return system, str(path)


class _DriverErrors:
    """Turns any exception of a driver into a message; each driver has its own exceptions."""

    def __init__(self, address: str) -> None:
        self._address, self._name = address, display_address(address)

    def __enter__(self) -> None:
        pass

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        # NerscopeError is a message already; KeyboardInterrupt is not an Exception. Both pass.
        if isinstance(error, FileNotFoundError) and error.__cause__ is not None:
            error = error.__cause__  # some drivers raise it if the server is not found
        if isinstance(error, FileNotFoundError):
            raise InputError(self._name, "no such file", "check the path") from None
        if isinstance(error, Exception) and not isinstance(error, NerscopeError):
            # The address may hold a password: messages show the name for display.
            reason = str(error).replace(self._address, self._name).partition("\n")[0]
            raise InputError(
                self._name,
                f"it cannot be reached ({reason or type(error).__name__})",
                "check the address, the network, and whether you may read it",
            ) from None


class _RemoteFile(io.RawIOBase):
    """A file of an fsspec file system; errors while it is read name its address."""

    def __init__(self, file: Any, address: str) -> None:
        self._file, self._address = file, address

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        # Some web servers do not serve ranges of a file.
        return bool(self._file.seekable())

    def readinto(self, buffer: Any) -> int:
        with _DriverErrors(self._address):
            data = self._file.read(len(buffer))
        buffer[: len(data)] = data
        return len(data)

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        with _DriverErrors(self._address):
            return int(self._file.seek(offset, whence))

    def tell(self) -> int:
        return int(self._file.tell())

    def close(self) -> None:
        super().close()
        self._file.close()
