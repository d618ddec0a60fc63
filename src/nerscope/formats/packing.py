"""Packed bytes: told by how they begin, unpacked as they are read; the endings of their names."""

import io
from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Any, BinaryIO, NamedTuple, cast

from nerscope.formats.extras import require_extra

# So few packed bytes at a time: the worst of them become some hundred megabytes.
_PACKED = 4096


class Packing(NamedTuple):
    """A way to pack files: the ending of their names, how they begin, and how it is done.

    Both functions take the name of the file, for messages.
    """

    ending: str
    magic: bytes
    unpack: Callable[[BinaryIO, str], BinaryIO]
    pack: Callable[[bytes, str], bytes]


def without_packing(name: str) -> str:
    """The name of a file without the ending that says how it is packed.

    >>> without_packing("gold.conll.gz"), without_packing("gold.conll.ZST")
    ('gold.conll', 'gold.conll')
    """
    for packing in PACKINGS:
        if name.lower().endswith(packing.ending):
            return name[: -len(packing.ending)]
    return name


def pack_for(name: str, data: bytes) -> bytes:
    """Bytes packed as the name of their file says; most are not.

    >>> pack_for("gold.conll", b"Ada O"), pack_for("gold.conll.gz", b"Ada O")[:2]
    (b'Ada O', b'\\x1f\\x8b')
    """
    for packing in PACKINGS:
        if name.lower().endswith(packing.ending):
            return packing.pack(data, name)
    return data


def unpacked_stream(stream: io.BufferedReader, name: str) -> BinaryIO:
    """The unpacked bytes behind a stream that stands at its start; it may be none that is packed.

    >>> import gzip
    >>> unpacked_stream(io.BufferedReader(io.BytesIO(gzip.compress(b"Ada"))), "x").read()
    b'Ada'
    """
    beginning = stream.peek(_LONGEST)
    for packing in PACKINGS:
        if beginning.startswith(packing.magic):
            return packing.unpack(stream, name)
    return stream


def is_packed(stream: io.BufferedReader) -> bool:
    """Whether a stream that stands at its start is packed.

    >>> is_packed(io.BufferedReader(io.BytesIO(b"Ada O")))
    False
    """
    beginning = stream.peek(_LONGEST)
    return any(beginning.startswith(packing.magic) for packing in PACKINGS)


def _gunzip(stream: BinaryIO, name: str) -> BinaryIO:
    import gzip  # rarely needed

    unpacked = gzip.GzipFile(fileobj=stream, mode="rb")
    unpacked.myfileobj = stream  # type: ignore[assignment]  # to be closed with it
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
    """What unpacks zstd: a part of newer Pythons, or else a package, which has names like it."""
    try:
        return import_module("compression.zstd")
    except ImportError:
        return require_extra("zstandard", name, "zstd")


class _Zstd(io.RawIOBase):
    """The unpacked bytes of zstd: one frame or several, and an error where the last one is cut off.

    The readers that come with the libraries take a file that is cut off for one that ends.
    """

    def __init__(self, stream: BinaryIO, name: str) -> None:
        self._stream = stream
        self._library = _library(name)
        self._ready, self._parts = memoryview(b""), self._unpacked()

    def readable(self) -> bool:
        """It is."""
        return True

    def readinto(self, buffer: Any) -> int:
        """As many bytes as are ready."""
        while not len(self._ready):
            part = next(self._parts, None)
            if part is None:
                return 0
            self._ready = memoryview(part)
        size = min(len(buffer), len(self._ready))
        buffer[:size], self._ready = self._ready[:size], self._ready[size:]
        return size

    def close(self) -> None:
        """Close what is packed as well."""
        super().close()
        self._stream.close()

    def _frame(self) -> Any:
        made = self._library.ZstdDecompressor()
        return made.decompressobj() if hasattr(made, "decompressobj") else made

    def _unpacked(self) -> Iterator[bytes]:
        frame, rest = self._frame(), b""
        while data := rest or self._stream.read(_PACKED):
            if frame.eof:
                frame = self._frame()
            try:
                part = frame.decompress(data)
            except self._library.ZstdError as error:
                raise OSError(str(error)) from None
            rest = frame.unused_data if frame.eof else b""
            yield part
        if not frame.eof:
            raise EOFError("the file ends before its content does")


PACKINGS = (
    Packing(".gz", b"\x1f\x8b", _gunzip, _gzip),
    Packing(".zst", b"\x28\xb5\x2f\xfd", _unzstd, _zstd),
)
_LONGEST = max(len(packing.magic) for packing in PACKINGS)
