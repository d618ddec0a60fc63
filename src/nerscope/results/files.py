"""Writing files and folders whole or not at all."""

import errno
import os
import re
import shutil
import stat
import tempfile
from collections.abc import Iterable
from pathlib import Path

from nerscope.errors import FaultError, NerscopeError, OutputError


def write_text(path: str | os.PathLike[str], text: str) -> None:
    """Write a text file whole or not at all."""
    write_bytes(path, text.encode("utf-8", "surrogateescape"))


def write_bytes(path: str | os.PathLike[str], data: bytes) -> None:
    """Write a file whole or not at all.

    A plain file is replaced by a draft from the same folder, with a random name, which keeps
    the mode. What is no plain file (a device, a pipe) is written to as it is; a link keeps pointing
    where it points.
    """
    name = os.fspath(path)
    if "\0" in name or not Path(name).name:
        raise OutputError(repr(name), "this is no name of a file", "name a file")
    try:
        if Path(name).is_dir():
            raise OutputError(name, "this is a folder", "name a file in it")
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
        raise OutputError(repr(name), "this is no name of a file", "name a file") from None


def check_new_folder(path: str | os.PathLike[str]) -> Path:
    """Where a folder is to be made, refused if there is something already."""
    name = os.fspath(path)
    target = Path(name)
    if "\0" in name or not target.name:
        raise OutputError(repr(name), "this is no name of a folder", "name a folder that is new")
    try:
        if target.is_dir() and not any(target.iterdir()):
            return target
        if target.exists() or target.is_symlink():
            raise OutputError(name, "it is there already, and not empty", "choose another folder")
        if not target.absolute().parent.is_dir():
            raise OutputError(
                name, "its folder does not exist", f"make the folder {target.parent} first"
            )
    except OSError as error:
        raise unwritable(name, error) from None
    return target


def write_folder(path: str | os.PathLike[str], files: Iterable[tuple[str, bytes]]) -> None:
    """Make a folder with files, given by their paths in it: all of them, or none."""
    target = check_new_folder(path)
    try:
        draft = Path(tempfile.mkdtemp(prefix=".nerscope-", dir=target.absolute().parent))
        try:
            for name, data in files:
                file = draft / name
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_bytes(data)
            draft.chmod(0o777 & ~_umask())  # mkdtemp makes folders that only their owner can read
            if target.is_dir():
                target.rmdir()
            draft.replace(target)
        finally:
            shutil.rmtree(draft, ignore_errors=True)
    except OSError as error:
        raise unwritable(os.fspath(path), error) from None


# The open streams of this process. They are duplicated, because a stream that is opened again by
# its name is written from its start.
_STREAMS = re.compile(r"/dev/(?:fd/(\d+)|(stdout|stderr))")
_NUMBERS = {"stdout": 1, "stderr": 2}


def is_special(name: str) -> bool:
    """Whether a name stands for a device, a pipe or a stream: it is written to as it is."""
    return Path(name).exists() and not Path(name).is_file() and not Path(name).is_dir()


SURROUNDINGS = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)


def unwritable(name: str, error: OSError) -> NerscopeError:
    """What to say of a file that cannot be written."""
    fact = f"it cannot be written ({error.strerror or error})"
    if error.errno in SURROUNDINGS:
        return FaultError(name, fact, "make room on the disk, and try again")
    return OutputError(name, fact, "check the folder and its permissions, or take a shorter name")


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
    """The mask of new files; it can only be read by setting it."""
    mask = os.umask(0o022)
    os.umask(mask)
    return mask
