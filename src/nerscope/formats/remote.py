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
    if (found := _ADDRESS.match(address)) is None or found[1].lower() not in _WEB:
        return address
    parts = urlsplit(address)
    return parts._replace(netloc=parts.netloc.rpartition("@")[2], query="", fragment="").geturl()


def open_address(address: str) -> io.BufferedReader:
    """The bytes behind an address, from the start, some at a time."""
    with _Reaching(address):
        system, path = _found(address)
        return io.BufferedReader(_Stream(system.open(path, "rb"), address), _BUFFER)


def address_size(address: str) -> int | None:
    """How many bytes are behind an address, if that can be told without reading them."""
    with _Reaching(address):
        system, path = _found(address)
        size = system.info(path).get("size")
        return None if size is None else int(size)


def matching_addresses(pattern: str) -> list[str]:
    """The addresses that fit a pattern, in no order; the pattern alone if it is one itself."""
    with _Reaching(pattern):
        system, path = _found(pattern)
        if system.exists(path):
            return [pattern]
        found = system.glob(path, detail=True)
        return [system.unstrip_protocol(one) for one in found if found[one]["type"] == "file"]


def _found(address: str) -> tuple[Any, str]:
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


class _Reaching:
    """Turn whatever a driver raises into a message: each has errors of its own."""

    def __init__(self, address: str) -> None:
        self._address, self._name = address, display_address(address)

    def __enter__(self) -> None:
        """Nothing has failed yet."""

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Say what is wrong; a message of our own, and a user who stops the program, pass."""
        if isinstance(error, FileNotFoundError) and error.__cause__ is not None:
            error = error.__cause__  # some drivers call a file not found if its server is not
        if isinstance(error, FileNotFoundError):
            raise InputError(self._name, "no such file", "check the path") from None
        if isinstance(error, Exception) and not isinstance(error, NerscopeError):
            said = str(error).replace(self._address, self._name).partition("\n")[0]
            raise InputError(
                self._name,
                f"it cannot be reached ({said or type(error).__name__})",
                "check the address, the network, and whether you may read it",
            ) from None


class _Stream(io.RawIOBase):
    """A file of a file system; what goes wrong while it is read is said of its address."""

    def __init__(self, file: Any, address: str) -> None:
        self._file, self._address = file, address

    def readable(self) -> bool:
        """It is."""
        return True

    def seekable(self) -> bool:
        """Whether parts of it can be had; some servers give nothing but the whole."""
        return bool(self._file.seekable())

    def readinto(self, buffer: Any) -> int:
        """Some bytes."""
        with _Reaching(self._address):
            data = self._file.read(len(buffer))
        buffer[: len(data)] = data
        return len(data)

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        """Go on reading elsewhere."""
        with _Reaching(self._address):
            return int(self._file.seek(offset, whence))

    def tell(self) -> int:
        """Where the next byte is read."""
        return int(self._file.tell())

    def close(self) -> None:
        """Close the file as well."""
        super().close()
        self._file.close()
