"""Packed files: detected by their first bytes, unpacked while they are read.

Reading does not depend on the name of a file. Writing packs a file by the ending of its name.
"""

import io
from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Any, BinaryIO, NamedTuple, cast

from nerscope.errors import require_extra

# Packed bytes that are read at a time. Few, because hostile bytes unpack to many megabytes.
_PACKED = 4096


class Packing(NamedTuple):
    """A compression format. Both functions take the name of the file, for messages."""

    ending: str  # of the names of such files
    magic: bytes  # with which such files begin
    unpack: Callable[[BinaryIO, str], BinaryIO]
    pack: Callable[[bytes, str], bytes]


def without_packing(name: str) -> str:
    """The name of a file without the ending of its packing.

    >>> without_packing("gold.conll.gz"), without_packing("gold.conll.ZST")
    ('gold.conll', 'gold.conll')
    """
    for packing in PACKINGS:
        if name.lower().endswith(packing.ending):
            return name[: -len(packing.ending)]
    return name


def pack_for(name: str, data: bytes) -> bytes:
    """Pack bytes by the ending of the file name; without such an ending, they stay unchanged.

    >>> pack_for("gold.conll", b"Ada O"), pack_for("gold.conll.gz", b"Ada O")[:2]
    (b'Ada O', b'\\x1f\\x8b')
    """
    for packing in PACKINGS:
        if name.lower().endswith(packing.ending):
            return packing.pack(data, name)
    return data


def unpacked_stream(stream: io.BufferedReader, name: str) -> BinaryIO:
    """The unpacked bytes of a stream, packed or not, which must be at its start.

    >>> import gzip
    >>> unpacked_stream(io.BufferedReader(io.BytesIO(gzip.compress(b"Ada"))), "x").read()
    b'Ada'
    """
    beginning = stream.peek(_LONGEST_MAGIC)
    for packing in PACKINGS:
        if beginning.startswith(packing.magic):
            return packing.unpack(stream, name)
    return stream


def is_packed(stream: io.BufferedReader) -> bool:
    """Whether a stream is packed; it must be at its start.

    >>> is_packed(io.BufferedReader(io.BytesIO(b"Ada O")))
    False
    """
    beginning = stream.peek(_LONGEST_MAGIC)
    return any(beginning.startswith(packing.magic) for packing in PACKINGS)


def _gunzip(stream: BinaryIO, name: str) -> BinaryIO:
    import gzip  # rarely needed

    unpacked = gzip.GzipFile(fileobj=stream, mode="rb")
    unpacked.myfileobj = stream  # type: ignore[assignment]  # GzipFile.close closes it too
    return cast(BinaryIO, unpacked)


def _gzip(data: bytes, name: str) -> bytes:
    import gzip

    return gzip.compress(data)


def _unzstd(stream: BinaryIO, name: str) -> BinaryIO:
    return io.BufferedReader(_Zstd(stream, name), 1 << 16)


def _zstd(data: bytes, name: str) -> bytes:
    packed: bytes = _library(name).compress(data)
    return packed


def _library(name: str) -> Any:
    """The zstd library of Python 3.14 or later, or the package zstandard, which is similar."""
    try:
        return import_module("compression.zstd")
    except ImportError:
        return require_extra("zstandard", name, "zstd")


class _Zstd(io.RawIOBase):
    """The unpacked bytes of one or more zstd frames; a frame that is cut off is an error.

    The readers of the libraries are not used, because they read a truncated file without an error.
    """

    def __init__(self, stream: BinaryIO, name: str) -> None:
        self._stream = stream
        self._library = _library(name)
        self._ready, self._blocks = memoryview(b""), self._unpack()

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while not len(self._ready):
            block = next(self._blocks, None)
            if block is None:
                return 0
            self._ready = memoryview(block)
        size = min(len(buffer), len(self._ready))
        buffer[:size], self._ready = self._ready[:size], self._ready[size:]
        return size

    def close(self) -> None:
        super().close()
        self._stream.close()

    def _frame(self) -> Any:
        # zstandard separates the settings from the state of one frame, Python's module does not.
        decompressor = self._library.ZstdDecompressor()
        has_objects = hasattr(decompressor, "decompressobj")
        return decompressor.decompressobj() if has_objects else decompressor

    def _unpack(self) -> Iterator[bytes]:
        frame, unused = self._frame(), b""  # bytes after a frame begin the next frame
        while data := unused or self._stream.read(_PACKED):
            if frame.eof:
                frame = self._frame()
            try:
                block = frame.decompress(data)
            except self._library.ZstdError as error:
                raise OSError(str(error)) from None
            unused = frame.unused_data if frame.eof else b""
            yield block
        if not frame.eof:
            raise EOFError("the file ends before its content does")


PACKINGS = (
    Packing(".gz", b"\x1f\x8b", _gunzip, _gzip),
    Packing(".zst", b"\x28\xb5\x2f\xfd", _unzstd, _zstd),
)
_LONGEST_MAGIC = max(len(packing.magic) for packing in PACKINGS)
