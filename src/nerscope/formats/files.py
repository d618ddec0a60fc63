"""Read the bytes of a text file as unpacked UTF-8, in blocks of whole lines.

A file is local, comes through a pipe, or has an address such as s3://bucket/gold.conll, which is
opened with fsspec.
"""

import codecs
import gc
import glob
import io
import os
import re
import stat
import sys
import weakref
import zlib
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO, NamedTuple, Protocol, cast
from urllib.parse import urlsplit

import numpy as np

from nerscope.corpus.corpus import file_option
from nerscope.errors import InputError, NerscopeError, UsageError, expect, require_extra
from nerscope.formats.packing import is_packed, unpacked_stream

BLOCK = 1 << 21
HEAD = 4096  # bytes from which the format of a file is detected
STANDARD_INPUT = "-"
_BOM = b"\xef\xbb\xbf"
_PICKLED = (".pkl", ".pickle", ".joblib")
_PROTOCOLS = (b"\x02", b"\x03", b"\x04", b"\x05")
_MAX_IN_MEMORY = 64 << 20  # bytes of a pipe; a longer one goes to a temporary file
_UNKNOWN_SIZE = 1 << 62
_PATTERN = re.compile(r"[*?[]")
_REMOTE_PATTERN = re.compile(r"[*[]")  # without ?, which begins the query of an address
# The scheme of an address has at least two letters, because one letter is a Windows drive. Other
# schemes may precede it, as in zip://gold.conll::s3://bucket/all.zip.
_ADDRESS = re.compile(r"(?:[a-z][a-z0-9+.-]*::)*([A-Za-z][A-Za-z0-9+.-]+)://")
_WEB = ("http", "https")
_BUFFER = 1 << 20


@dataclass(frozen=True, slots=True)
class FileBytes:
    """Bytes with a name that can be read repeatedly, packed or not.

    Standard input and pipes can be read only once. Their bytes are stored in memory, or in a
    temporary file that lives as long as this object.

    >>> FileBytes("gold.conll", data=b"Ada B-PER").open().read()
    b'Ada B-PER'
    """

    name: str
    path: str | None = None
    data: bytes | None = field(default=None, repr=False)
    holder: Any = field(default=None, repr=False, compare=False)  # deletes a temporary file

    @classmethod
    def of(cls, path: str | os.PathLike[str]) -> "FileBytes":
        """The bytes of a path or an address; `-` is standard input."""
        name = os.fsdecode(path)
        if not name:
            raise InputError("''", "not a valid file name", "check the path")
        if name == STANDARD_INPUT:
            return spool_to_disk("<stdin>", sys.stdin.buffer)
        if is_remote(name):
            return cls(display_address(name), name)
        try:
            mode = Path(name).stat().st_mode
        except OSError as error:
            raise unreadable_file(name, error) from None
        except ValueError:
            raise InputError(repr(name), "not a valid file name", "check the path") from None
        if stat.S_ISREG(mode) or stat.S_ISDIR(mode):
            return cls(name, name)
        with _open_local(name) as stream:
            return spool_to_disk(name, stream)

    @property
    def size(self) -> int:
        """The number of stored bytes; a very large number if a server does not give it."""
        if self.data is not None:
            return len(self.data)
        assert self.path is not None
        if is_remote(self.path):
            size = address_size(self.path)
            return _UNKNOWN_SIZE if size is None else size
        try:
            return Path(self.path).stat().st_size
        except OSError as error:  # a worker on another machine may not have the file
            raise unreadable_file(self.path, error) from None

    @property
    def is_folder(self) -> bool:
        """Whether it is a folder, which only some formats can read."""
        return self.local is not None and Path(self.local).is_dir()

    @property
    def local(self) -> str | None:
        """The path on this machine, if there is one."""
        return None if self.path is None or is_remote(self.path) else self.path

    @property
    def is_plain(self) -> bool:
        """Whether it is a local file that is not packed, so that any part of it can be read."""
        if self.local is None or self.is_folder:
            return False
        with self.as_stored() as stream:
            return not is_packed(stream)

    def open(self) -> BinaryIO:
        """The unpacked bytes, from the start."""
        return unpacked_stream(self.as_stored(), self.name)

    def as_stored(self) -> io.BufferedReader:
        """The bytes as they are stored, packed or not, from the start."""
        if self.data is not None:
            return io.BufferedReader(cast(io.RawIOBase, io.BytesIO(self.data)))
        assert self.path is not None
        return open_address(self.path) if is_remote(self.path) else _open_local(self.path)

    def head(self, size: int = HEAD) -> bytes:
        """The first bytes, from which the format is detected."""
        with self.open() as stream:
            return read_some(stream, self.name, size)


def matching_files(path: str) -> list[str] | None:
    """The files that match a pattern, sorted by name; None if the path is not a pattern.

    If a file has exactly the name of the pattern, such as `a[1].conll`, the path is that file.

    >>> matching_files("gold.conll")
    """
    if is_remote(path):
        if not _REMOTE_PATTERN.search(path):
            return None
        files = matching_addresses(path)
        if files == [path]:
            return None
    elif not _PATTERN.search(path) or os.path.lexists(path):  # a Path would fail at odd names
        return None
    else:
        paths = glob.glob(path, recursive=True)  # noqa: PTH207  it may be absolute
        files = [file for file in paths if not Path(file).is_dir()]
    if not files:
        raise InputError(
            display_address(path),
            "no file matches this pattern",
            "check the path, and quote the pattern in a shell",
        )
    return sorted(files)


def check_encoding(name: str, encoding: str) -> None:
    """Refuse an encoding that does not exist."""
    expect("encoding", encoding, str, "give the name of an encoding")
    try:
        b"a".decode(encoding, "replace")
    except (LookupError, ValueError):  # also UnicodeError; a name with NUL
        raise UsageError(
            name,
            f"unknown encoding '{encoding}'",
            f"{file_option(name, 'encoding=latin-1')} "
            "(common encodings: utf-8, latin-1, cp1252, utf-16)",
        ) from None


def refuse_pickles(name: str, head: bytes) -> None:
    """Refuse a pickle, because loading it can run any code.

    >>> refuse_pickles("test.pkl", b"")
    Traceback (most recent call last):
    nerscope.errors.InputError: test.pkl: pickle files are not read, because loading one can run \
any code. Fix: save the data as Parquet, JSON Lines or columns
    """
    if name.endswith(_PICKLED) or (head[:1] == b"\x80" and head[1:2] in _PROTOCOLS):
        raise InputError(
            name,
            "pickle files are not read, because loading one can run any code",
            "save the data as Parquet, JSON Lines or columns",
        )


def _open_local(name: str) -> io.BufferedReader:
    try:
        return open(name, "rb")
    except OSError as error:
        raise unreadable_file(name, error) from None


def unreadable_file(name: str, error: OSError) -> InputError:
    """The error for a file that cannot be opened."""
    if isinstance(error, FileNotFoundError):
        return InputError(name, "no such file", "check the path")
    # Windows raises PermissionError for a folder; a Path would fail again if the name is invalid.
    if isinstance(error, IsADirectoryError) or os.path.isdir(name):  # noqa: PTH112
        return InputError(name, "this is a folder", _folder_fix(name))
    return InputError(name, f"it cannot be read ({error.strerror})", "check its permissions")


def _folder_fix(name: str) -> str:
    """What to type instead of a folder: a pattern, if most of its files have the same ending."""
    try:
        files = [path for path in Path(name).iterdir() if path.suffix and path.is_file()]
    except OSError:
        files = []
    endings = Counter(path.suffix for path in files if not path.name.startswith("."))
    if not endings:
        return "give a file in this folder"
    pattern = Path(name) / f"*{endings.most_common(1)[0][0]}"
    return f"give a file in this folder, or several files as a pattern: '{pattern}'"


def spool_to_disk(name: str, stream: BinaryIO, first: bytes = b"") -> FileBytes:
    """Store a stream that can be read only once; `first` are the bytes already read from it."""
    held = bytearray(first)
    while len(held) < _MAX_IN_MEMORY:
        # A pipe may give fewer bytes than requested before it ends.
        data = read_some(stream, name, _MAX_IN_MEMORY - len(held))
        if not data:
            return FileBytes(name, data=bytes(held))
        held += data
    import tempfile  # for large pipes only

    handle, path = tempfile.mkstemp(prefix="nerscope-")
    holder = _TemporaryFile(path)
    # The file is closed before it is read, because Windows does not open a file twice.
    with open(handle, "wb") as file:
        file.write(held)
        while data := read_some(stream, name, BLOCK):
            file.write(data)
    return FileBytes(name, path, holder=holder)


class _TemporaryFile:
    """Deletes a temporary file when this object is collected, or when the program ends."""

    def __init__(self, path: str) -> None:
        weakref.finalize(self, Path(path).unlink, missing_ok=True)


class ByteRange(NamedTuple):
    """A range of the bytes of a file with whole sentences or records, and its first line number.

    `text` has the bytes themselves if the file can only be read from start to end.
    """

    begin: int
    end: int | None
    line: int
    text: bytes | None = None


class Window:
    """A range of the bytes of a stream that can be read like a stream."""

    def __init__(self, stream: BinaryIO, begin: int, end: int | None) -> None:
        stream.seek(begin)
        self._stream, self._left = stream, None if end is None else end - begin

    def read(self, size: int) -> bytes:
        data = self._stream.read(size if self._left is None else min(size, self._left))
        if self._left is not None:
            self._left -= len(data)
        return data


@contextmanager
def open_range(content: FileBytes, span: ByteRange | None) -> "Iterator[Readable]":
    """The unpacked bytes of a range of a file; without a range, of the whole file.

    >>> with open_range(FileBytes("x", data=b"Ada O"), ByteRange(0, 3, 1)) as stream:
    ...     stream.read(9)
    b'Ada'
    """
    if span is not None and span.text is not None:
        yield io.BytesIO(span.text)
        return
    with content.open() as stream:
        # The whole file may come from a stream that cannot be positioned.
        is_part = span is not None and (span.begin > 0 or span.end is not None)
        yield Window(stream, span.begin, span.end) if span and is_part else stream


@contextmanager
def paused_collection() -> Iterator[None]:
    """Pause the search for cycles of objects, which decoded values do not have.

    Python searches after every few hundred new lists; that takes half as long as decoding them.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


class Readable(Protocol):
    """Any object with a `read` method that returns the next bytes."""

    def read(self, size: int, /) -> bytes:
        """The next bytes; empty at the end."""


def line_blocks(
    stream: Readable, name: str, encoding: str = "utf-8", from_start: bool = True
) -> Iterator[bytes]:
    """UTF-8 blocks of whole lines; `\\r\\n`, or a lone `\\r` throughout, becomes a newline.

    >>> list(line_blocks(io.BytesIO(b"one O\\r\\ntwo O"), "x"))
    [b'one O\\n', b'two O\\n']
    """
    rest: list[bytes] = []  # the beginning of a line that continues in the next block
    for data in _with_line_ends(utf8_blocks(stream, name, encoding, from_start)):
        cut = data.rfind(b"\n") + 1
        if cut:
            yield _plain_line_ends(b"".join([*rest, memoryview(data)[:cut]]))
            rest = []
        rest.append(data[cut:])
    if last := b"".join(rest):
        yield _plain_line_ends(last + b"\n")


def _with_line_ends(blocks: Iterator[bytes]) -> Iterator[bytes]:
    """The blocks, with `\\n` for `\\r` if the first line of the file ends in a lone `\\r`."""
    held: list[bytes] = []
    for block in blocks:
        # A `\r` at the end of a block is not enough: the next block may begin with `\n`.
        after_return = bool(held) and held[-1].endswith(b"\r")
        held.append(block)
        if after_return or b"\n" in block or b"\r" in block[:-1]:
            break
    first = b"".join(held)
    has_lone_returns = b"\r" in first and b"\n" not in first
    yield first.replace(b"\r", b"\n") if has_lone_returns else first
    for block in blocks:
        yield block.replace(b"\r", b"\n") if has_lone_returns else block


def utf8_blocks(
    stream: Readable, name: str, encoding: str = "utf-8", from_start: bool = True
) -> Iterator[bytes]:
    """The stream as UTF-8 from any encoding; errors name the offset in the stream."""
    decoder = codecs.getincrementaldecoder(encoding)()
    is_utf8 = codecs.lookup(encoding).name == "utf-8"
    offset, tail = 0, b""
    while data := read_some(stream, name):
        pending = len(tail) if is_utf8 else len(decoder.getstate()[0])
        try:
            if is_utf8:
                # The bytes stay as they are; decoding only checks those that are not ASCII.
                tail = _check_utf8(tail + data) if tail or not data.isascii() else b""
                text = data
            else:
                text = decoder.decode(data).encode()
        except UnicodeDecodeError as error:
            raise _not_encoded(name, offset + error.start - pending, encoding) from None
        except UnicodeError:
            raise _not_encoded(name, offset, encoding) from None
        nul = text.find(b"\0")
        if nul >= 0:
            raise InputError(
                f"{name}: byte {offset + nul}",
                "the file contains a NUL byte and is not a text file",
                f"give a text file; for UTF-16: {file_option(name, 'encoding=utf-16')}",
            )
        yield text.removeprefix(_BOM) if from_start and offset == 0 else text
        offset += len(data)
    left = tail if is_utf8 else decoder.getstate()[0]
    if left:
        raise InputError(
            f"{name}: byte {offset - len(left)}",
            f"not valid {encoding}: the last character is incomplete",
            "get the complete file; this one is truncated",
        )


def _not_encoded(name: str, offset: int, encoding: str) -> InputError:
    return InputError(
        f"{name}: byte {offset}",
        f"not valid {encoding}",
        f"{file_option(name, 'encoding=latin-1')} (or the encoding of the file)",
    )


def _check_utf8(data: bytes) -> bytes:
    """Refuse invalid bytes; return the incomplete character at the end of the block, if any.

    Most bytes are ASCII, so only the others are decoded, each run of them with the ASCII byte
    after it: that byte makes an incomplete character fail. In `Zürich` (Z C3 BC r i c h), the
    bytes C3 BC r are decoded.
    """
    buffer = np.frombuffer(data, np.int8)  # signed: bytes from 0x80 on are negative
    decoded = buffer < 0
    decoded[1:] |= decoded[:-1].copy()
    rare = buffer[decoded].tobytes()
    try:
        _, used = codecs.utf_8_decode(rare, "strict", False)
    except UnicodeDecodeError:
        codecs.utf_8_decode(data, "strict", False)  # also fails, with the offset in the block
        raise
    return rare[used:]


def read_some(stream: Readable, name: str, size: int = BLOCK) -> bytes:
    """Read up to `size` bytes of a stream; a damaged packed file is refused."""
    try:
        return stream.read(size)
    except (OSError, EOFError, zlib.error) as error:
        raise InputError(
            name, f"the packed file is damaged ({error})", "compress the file again"
        ) from None


def _plain_line_ends(data: bytes) -> bytes:
    return data.replace(b"\r\n", b"\n") if b"\r" in data else data


def is_remote(path: str) -> bool:
    r"""Whether a path has a scheme.

    >>> is_remote("s3://bucket/gold.conll"), is_remote("C:\\gold.conll"), is_remote("C://a")
    (True, False, False)
    """
    return _ADDRESS.match(path) is not None


def display_address(address: str) -> str:
    """An address for messages and results: without passwords, and without the query after `?`.

    >>> display_address("https://me:secret@there.org/gold.conll?signature=x")
    'https://there.org/gold.conll'
    """
    if (scheme := _ADDRESS.match(address)) is None or scheme[1].lower() not in _WEB:
        return address
    parts = urlsplit(address)
    return parts._replace(netloc=parts.netloc.rpartition("@")[2], query="", fragment="").geturl()


def open_address(address: str) -> io.BufferedReader:
    """Open the bytes of an address."""
    with _DriverErrors(address):
        system, path = _file_system(address)
        return io.BufferedReader(_RemoteFile(system.open(path, "rb"), address), _BUFFER)


def address_size(address: str) -> int | None:
    """The number of bytes of an address; None if the server does not give it."""
    with _DriverErrors(address):
        system, path = _file_system(address)
        size = system.info(path).get("size")
        return None if size is None else int(size)


def matching_addresses(pattern: str) -> list[str]:
    """The addresses that match a pattern, unsorted; the pattern itself if it is an address."""
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
            f"the driver for this kind of address is not installed ({error})",
            "install the package named in the parentheses",
        ) from None
    except ValueError as error:
        raise UsageError(
            display_address(address),
            f"unknown kind of address ({error})",
            "check the part before ://",
        ) from None
    return system, str(path)


class _DriverErrors:
    """Converts all exceptions of a driver to InputErrors; each driver has its own exceptions."""

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
        # A NerscopeError is not converted, nor is KeyboardInterrupt, which is not an Exception.
        if isinstance(error, FileNotFoundError) and error.__cause__ is not None:
            error = error.__cause__  # some drivers raise it if the server was not found
        if isinstance(error, FileNotFoundError):
            raise InputError(self._name, "no such file", "check the path") from None
        if isinstance(error, Exception) and not isinstance(error, NerscopeError):
            # The address may contain a password, so messages show the name for display.
            reason = str(error).replace(self._address, self._name).partition("\n")[0]
            raise InputError(
                self._name,
                f"it cannot be reached ({reason or type(error).__name__})",
                "check the address, the network and your access rights",
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
