"""Write files and folders atomically."""

import errno
import os
import re
import shutil
import stat
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path

from nerscope.errors import FaultError, NerscopeError, OutputError
from nerscope.formats.base import input_files


def write_text(path: str | os.PathLike[str], text: str) -> None:
    """Write a text file atomically."""
    write_bytes(path, text.encode("utf-8", "surrogateescape"))


def write_bytes(path: str | os.PathLike[str], data: bytes) -> None:
    """Write a file atomically: completely or not at all.

    The data is written to a temporary file in the same folder, which then replaces the file and
    keeps its mode. Devices and pipes are written to directly; links are followed.
    """
    name = os.fspath(path)
    if "\0" in name or not Path(name).name:
        raise OutputError(repr(name), "not a file name", "give the name of a file")
    try:
        if Path(name).is_dir():
            raise OutputError(name, "this is a folder", f"{Path(name) / 'FILE'}")
        if (stream := _STREAMS.fullmatch(name)) is not None:
            with os.fdopen(os.dup(int(stream[1] or _NUMBERS[stream[2]])), "wb") as file:
                file.write(data)
        elif is_special(name):
            with open(name, "wb") as file:
                file.write(data)
        else:
            _replace(Path(os.path.realpath(name)), data)
    except OSError as error:
        raise unwritable(name, error) from None
    except UnicodeEncodeError:
        raise OutputError(repr(name), "not a file name", "give the name of a file") from None


def check_new_folder(path: str | os.PathLike[str]) -> Path:
    """The path of a new folder; raise an OutputError if it exists and is not empty."""
    name = os.fspath(path)
    target = Path(name)
    if "\0" in name or not target.name:
        raise OutputError(repr(name), "not a folder name", "give the name of a new folder")
    try:
        if target.is_dir() and not any(target.iterdir()):
            return target
        if target.exists() or target.is_symlink():
            raise OutputError(name, "the folder exists and is not empty", "choose another folder")
        if not target.absolute().parent.is_dir():
            raise OutputError(name, "its folder does not exist", f"mkdir -p {target.parent}")
    except OSError as error:
        raise unwritable(name, error) from None
    return target


def write_folder(path: str | os.PathLike[str], files: Iterable[tuple[str, bytes]]) -> None:
    """Create a folder with files, given by their paths in it, atomically."""
    target = check_new_folder(path)
    try:
        draft = Path(tempfile.mkdtemp(prefix=".nerscope-", dir=target.absolute().parent))
        try:
            for name, data in files:
                file = draft / name
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_bytes(data)
            draft.chmod(0o777 & ~_umask())  # mkdtemp creates folders that only their owner can read
            if target.is_dir():
                target.rmdir()
            draft.replace(target)
        finally:
            shutil.rmtree(draft, ignore_errors=True)
    except OSError as error:
        raise unwritable(os.fspath(path), error) from None


def files_read(given: str) -> Iterator[Path]:
    """The files behind `FILE::option=value`: also those in a folder, the other one of a text and
    its annotations, and those that options name.
    """
    for path in map(Path, input_files(given)):
        yield path
        if path.is_dir():
            yield from (file for file in path.rglob("*") if file.is_file())


def is_same_file(first: Path, second: Path) -> bool:
    """Whether two paths are the same file, which may not exist yet."""
    if first.exists() and second.exists():
        return first.samefile(second)
    # A file that does not exist yet has no identity: compare the names, links resolved.
    return os.path.realpath(first) == os.path.realpath(second)


# The open streams of this process. They are duplicated, because opening a stream by its name would
# write from its start.
_STREAMS = re.compile(r"/dev/(?:fd/(\d+)|(stdout|stderr))")
_NUMBERS = {"stdout": 1, "stderr": 2}


def is_special(name: str) -> bool:
    """Whether the name is a device, a pipe or a stream, which is written to directly."""
    return Path(name).exists() and not Path(name).is_file() and not Path(name).is_dir()


SURROUNDINGS = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)


def unwritable(name: str, error: OSError) -> NerscopeError:
    """The error for a file that cannot be written."""
    fact = f"it cannot be written ({error.strerror or error})"
    if error.errno in SURROUNDINGS:
        return FaultError(name, fact, "free space on the disk, and try again")
    return OutputError(name, fact, "check the folder and its permissions, or use a shorter name")


def _replace(target: Path, data: bytes) -> None:
    mode = stat.S_IMODE(target.stat().st_mode) if target.exists() else 0o666 & ~_umask()
    handle, draft = tempfile.mkstemp(prefix=".nerscope-", dir=target.parent)
    try:
        with open(handle, "wb") as stream:
            stream.write(data)
        Path(draft).chmod(mode)
        Path(draft).replace(target)
    finally:
        Path(draft).unlink(missing_ok=True)


def _umask() -> int:
    """The umask, which can only be read by setting it."""
    mask = os.umask(0o022)
    os.umask(mask)
    return mask
