"""The bytes of a text file, in blocks of whole lines: unpacked, valid UTF-8, plain line ends."""

import codecs
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, cast

from nerscope.errors import InputError

BLOCK = 1 << 20
_BOM = b"\xef\xbb\xbf"
_GZIP = b"\x1f\x8b"


def open_bytes(path: str | Path) -> BinaryIO:
    """The unpacked bytes of a file."""
    try:
        stream = open(path, "rb")  # noqa: SIM115  the caller closes it
    except FileNotFoundError:
        raise InputError(str(path), "no such file", "check the path") from None
    except IsADirectoryError:
        raise InputError(str(path), "this is a folder", "name a file in it") from None
    except OSError as error:
        raise InputError(
            str(path), f"it cannot be read ({error.strerror})", "check its permissions"
        ) from None
    if stream.peek(2)[:2] != _GZIP:
        return stream
    stream.close()
    return cast(BinaryIO, gzip_open(path))


def unpacked(data: bytes) -> bytes:
    """The bytes behind packed bytes; others stay as they are."""
    if data[:2] != _GZIP:
        return data
    import gzip

    return gzip.decompress(data)


def gzip_open(path: str | Path) -> object:
    """A packed file, for reading."""
    import gzip  # rarely needed

    return gzip.open(path, "rb")


def blocks(stream: BinaryIO, name: str, encoding: str = "utf-8") -> Iterator[bytes]:
    """UTF-8 blocks, each ending in a newline.

    >>> import io
    >>> list(blocks(io.BytesIO(b"one O\\r\\ntwo O"), "x"))
    [b'one O\\n', b'two O\\n']
    """
    rest = b""
    for data in _recoded(stream, name, encoding):
        cut = data.rfind(b"\n") + 1
        if not cut:
            rest += data
            continue
        yield _plain_line_ends(rest + data[:cut])
        rest = data[cut:]
    if rest:
        yield _plain_line_ends(rest + b"\n")


def _recoded(stream: BinaryIO, name: str, encoding: str) -> Iterator[bytes]:
    """The stream as UTF-8, whatever it was written in; errors name the offset in the stream."""
    decoder = codecs.getincrementaldecoder(encoding)()
    plain = codecs.lookup(encoding).name == "utf-8"
    offset, tail = 0, b""
    while data := _load(stream, name):
        pending = len(tail) if plain else len(decoder.getstate()[0])
        try:
            if plain:
                # Only the checking is wanted: decode what is not ASCII, and keep the bytes.
                tail = _check_utf8(tail + data) if tail or not data.isascii() else b""
                text = data
            else:
                text = decoder.decode(data).encode()
        except UnicodeDecodeError as error:
            raise _not_encoded(name, offset + error.start - pending, encoding) from None
        nul = text.find(b"\0")
        if nul >= 0:
            raise InputError(
                f"{name}: byte {offset + nul}",
                "there is a NUL byte: this is no text file",
                "give a text file; if it is UTF-16, say encoding=utf-16",
            )
        yield text.removeprefix(_BOM) if offset == 0 else text
        offset += len(data)
    left = tail if plain else decoder.getstate()[0]
    if left:
        raise InputError(
            f"{name}: byte {offset - len(left)}",
            f"this is not {encoding}",
            "the last character is cut off",
        )


def _not_encoded(name: str, offset: int, encoding: str) -> InputError:
    return InputError(
        f"{name}: byte {offset}",
        f"this is not {encoding}",
        "say the encoding, for example encoding=latin-1",
    )


def _check_utf8(data: bytes) -> bytes:
    """Refuse invalid bytes; a character cut off at the end of a block is returned."""
    _, used = codecs.utf_8_decode(data, "strict", False)
    return data[used:]


def _load(stream: BinaryIO, name: str) -> bytes:
    try:
        return stream.read(BLOCK)
    except (OSError, EOFError, zlib.error) as error:
        raise InputError(
            name, f"it cannot be unpacked ({error})", "pack the file again with gzip"
        ) from None


def _plain_line_ends(data: bytes) -> bytes:
    return data.replace(b"\r\n", b"\n") if b"\r" in data else data
