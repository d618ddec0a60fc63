"""The same program on every system: what others have otherwise is tried here as far as it can be.

Encodings, line ends and the ways of Windows are played by this system; the workflow tests.yml tries
them in earnest.
"""

import ast
import errno
import gc
import io
import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.conftest import FULL_DEVICE, POSIX, PROCESSES

from nerscope.cli import common
from nerscope.formats import files
from nerscope.formats.files import FileBytes, unreadable_file

ROOT = Path(__file__).resolve().parents[2]
SOURCES = sorted([*(ROOT / "src").rglob("*.py"), *(ROOT / "website").rglob("*.py")])
# Modules that only some systems have. Code that needs one imports it in a function, after asking
# which system this is.
SYSTEM_MODULES = {"fcntl", "grp", "msvcrt", "posix", "pty", "pwd", "resource", "termios", "winreg"}
# Calls that Windows lacks, or that do something else there.
POSIX_CALLS = {"os.fork", "os.rename", "os.getuid", "multiprocessing.set_start_method"}
# A name in two alphabets, of which the code page of western Windows has one.
DATA = "Zoë B-PER\nmet O\n東京 B-LOC\n"


def test_no_module_depends_on_one_system() -> None:
    offenders = []
    for path in SOURCES:
        tree = ast.parse(path.read_text(encoding="utf-8"))
        place = path.relative_to(ROOT).as_posix()
        imported = {
            alias.name for node in tree.body if isinstance(node, ast.Import) for alias in node.names
        }
        offenders += [f"{place}: import {name}" for name in imported & SYSTEM_MODULES]
        for call in (node for node in ast.walk(tree) if isinstance(node, ast.Call)):
            if _dotted_name(call.func) in POSIX_CALLS or _lacks_encoding(call):
                offenders.append(f"{place}:{call.lineno}: {ast.unparse(call)}")
    assert not offenders, "\n".join(offenders)


def _dotted_name(function: ast.expr) -> str:
    if isinstance(function, ast.Attribute) and isinstance(function.value, ast.Name):
        return f"{function.value.id}.{function.attr}"
    return ""


def _lacks_encoding(call: ast.Call) -> bool:
    """Whether a call reads or writes text in the encoding of the system."""
    if any(keyword.arg == "encoding" for keyword in call.keywords):
        return False
    if isinstance(call.func, ast.Attribute):
        return call.func.attr in ("read_text", "write_text")
    if not (isinstance(call.func, ast.Name) and call.func.id == "open"):
        return False
    return len(call.args) < 2 or "b" not in ast.unparse(call.args[1])


def nerscope(
    folder: Path, *arguments: str, options: tuple[str, ...] = (), **environment: str
) -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, *options, "-m", "nerscope", *arguments]
    variables = {**os.environ, **environment}
    return subprocess.run(command, cwd=folder, env=variables, capture_output=True, check=False)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Data and results, made by a Python that refuses the encoding of the system."""
    place = tmp_path_factory.mktemp("two alphabets")
    (place / "gold.txt").write_text(DATA, encoding="utf-8")
    (place / "dos.txt").write_bytes(DATA.replace("\n", "\r\n").encode())
    (place / "out.txt").write_text(DATA.replace("B-LOC", "B-PER"), encoding="utf-8")
    strict = ("-X", "warn_default_encoding", "-W", "error::EncodingWarning")
    evaluate = ("evaluate", "gold.txt", "--system", "s=out.txt", "--train", "gold.txt")
    made = ("-o", "r.json", "--report", "page.html", "--errors", "e.csv")
    done = nerscope(place, *evaluate, *made, options=strict)
    assert (done.returncode, done.stderr) == (0, b"")
    return place


@pytest.mark.parametrize("name", ["page.html", "e.csv"])
def test_files_are_utf8_wherever_they_are_written(folder: Path, name: str) -> None:
    assert "東京" in (folder / name).read_text(encoding="utf-8")
    assert b"\r\n" not in (folder / name).read_bytes()


@pytest.mark.slow(quick=1)
@pytest.mark.parametrize(
    ("encoding", "shown"),
    [
        ("utf-8", "Zoë met 東京"),
        ("cp1252", "Zoë met \\u6771\\u4eac"),
        ("ascii", "Zo\\xeb met \\u6771\\u4eac"),
    ],
)
def test_what_the_output_cannot_encode_is_spelt_out(
    folder: Path, encoding: str, shown: str
) -> None:
    done = nerscope(folder, "errors", "r.json", PYTHONIOENCODING=encoding, PYTHONUTF8="0")
    assert (done.returncode, done.stderr) == (0, b"")
    assert shown in done.stdout.decode(encoding)


@pytest.mark.slow
def test_the_same_bytes_are_printed_where_lines_end_otherwise(folder: Path) -> None:
    windows = (
        "import io, sys\n"
        "from nerscope.cli.main import main\n"
        "sys.stdout = io.TextIOWrapper(sys.stdout.buffer, encoding='utf-8', newline='\\r\\n')\n"
        "main()\n"
    )
    arguments = ["evaluate", "gold.txt", "--system", "s=out.txt", "--format", "csv"]
    command = [sys.executable, "-c", windows, *arguments]
    done = subprocess.run(command, cwd=folder, capture_output=True, check=True)
    assert done.stdout == nerscope(folder, *arguments).stdout
    assert b"\r" not in done.stdout


def test_files_with_other_line_ends_are_the_same_files(folder: Path) -> None:
    done = nerscope(folder, "evaluate", "dos.txt", "--system", "s=out.txt", "--format", "conlleval")
    assert b"found: 2 phrases; correct: 1." in done.stdout


def test_a_log_takes_every_word_whatever_the_encoding_of_files_is() -> None:
    code = "from nerscope.lab.worker import _log_in_utf8; _log_in_utf8(); print('東京')"
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONIOENCODING": "ascii"},
        capture_output=True,
        check=True,
    )
    assert done.stdout.decode("utf-8").strip() == "東京"


def test_a_folder_is_called_one_though_the_system_speaks_of_permission(tmp_path: Path) -> None:
    refused = unreadable_file(str(tmp_path), PermissionError(errno.EACCES, "Permission denied"))
    assert "this is a folder" in str(refused)


class Gone(io.StringIO):
    """A pipe whose reader has gone, as Windows tells it."""

    encoding = "utf-8"

    def __init__(self, number: int) -> None:
        super().__init__()
        self.number = number

    def write(self, text: str) -> int:
        raise OSError(self.number, os.strerror(self.number))

    def fileno(self) -> int:
        return os.open(os.devnull, os.O_WRONLY)


def test_a_reader_that_is_gone_is_no_failure_on_windows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdout", Gone(errno.EINVAL))
    monkeypatch.setattr(common, "_READER_GONE", (errno.EPIPE, errno.EINVAL))
    common.print_output("anything")
    monkeypatch.setattr("sys.stdout", Gone(errno.ENOSPC))
    with pytest.raises(Exception, match="it cannot be written"):
        common.print_output("anything")


def test_a_large_pipe_is_kept_in_a_closed_file_until_nobody_reads_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(files, "_MAX_IN_MEMORY", 4)
    kept = files.spool_to_disk("pipe", io.BytesIO(b"Ada B-PER\n"))
    path = Path(kept.path or "")
    with kept.open() as stream:
        assert stream.read() == b"Ada B-PER\n"
    same = FileBytes(kept.name, kept.path, holder=kept.holder)
    del kept
    assert path.exists()
    del same
    gc.collect()
    assert not path.exists()


@pytest.mark.parametrize("place", sorted({*POSIX, *FULL_DEVICE, *PROCESSES}))
def test_what_is_left_out_elsewhere_is_there(place: str) -> None:
    name, _, test = place.partition("::")
    assert f"def {test or 'test_'}" in (ROOT / name).read_text(encoding="utf-8")
