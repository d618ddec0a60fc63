"""Shared by commands: help texts, checks of options, progress, and writing output."""

import errno
import math
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import typer

from nerscope.cli.progress import ProgressLine
from nerscope.errors import OutputError, UsageError, suggest

if TYPE_CHECKING:
    from nerscope.formats.source import Source
    from nerscope.render.document import Document

FORMAT_HELP = "text, markdown, latex, csv, json, or one of a plug-in."
FILE_HELP = "Options of a file follow it: FILE::token=1,label=2 (see docs/files.md)."
PLUGIN_HELP = "Python file that registers your own facets, matches, metrics, formats …"
QUIET_HELP = "Print what was asked for, and no notes."
RESAMPLE_HELP = "What is independent: document or sentence; documents where they are marked."
REPAIR_HELP = "How to read invalid labels: conlleval, strict, discard, none."
# As `head` leaves a pipe: nothing more to print. Windows calls it an invalid argument.
FileContent = Callable[[], bytes | str]  # made when the file is written
_READER_GONE = (errno.EPIPE, errno.EINVAL) if os.name == "nt" else (errno.EPIPE,)
_PATIENCE = 1.0  # seconds before a progress line appears
_OFTEN = 0.2  # seconds between two of them on a terminal
_SELDOM = 30.0  # and elsewhere, where each is a line of its own


def check_format(form: str) -> str:
    """Return the name of an output format; refuse an unknown one."""
    from nerscope.render.document import OUTPUTS

    OUTPUTS[form]  # raises for an unknown name
    return form


def shows_only_exact(form: str) -> bool:
    """Whether an output format shows exact scores and nothing else."""
    from nerscope.render.document import OUTPUTS

    return OUTPUTS[form].exact_only


def check_outputs(outputs: Iterable[str | None], inputs: Iterable[str | None] = ()) -> None:
    """Refuse, before any work is done, outputs that cannot be written or that are inputs."""
    from nerscope.results.files import unwritable

    given = [path for path in outputs if path is not None]
    for path in given:
        try:
            if "\0" in path or not (Path(path).name or (Path(path).is_dir() and path)):
                raise OutputError(repr(path), "this is no name of a file", "name a file")
            Path(path).exists()  # raises for names that the system refuses, as too long ones
        except OSError as error:
            raise unwritable(path, error) from None
    named = [name for name in inputs if name and name != "-"] if given else []
    read = [file for name in named for file in _files_read(name)]
    for place, path in enumerate(given):
        target = Path(path)
        if target.is_dir():
            raise OutputError(path, "this is a folder", "name a file in it")
        others = [*read, *map(Path, given[:place])]
        if any(_same(target, other) for other in others):
            raise OutputError(
                path,
                "this is one of the inputs, or another output",
                "choose another name for the output",
            )
        if not target.parent.is_dir():
            raise OutputError(
                path, "its folder does not exist", f"make the folder {target.parent} first"
            )
        if not target.exists() and not os.access(target.parent, os.W_OK):
            raise OutputError(
                path,
                "its folder cannot be written to",
                "choose another folder, or change its permissions",
            )


def _files_read(given: str) -> Iterator[Path]:
    """The files behind `FILE::option=value`: also those in a folder, the other one of a text and
    its annotations, and those that options name.
    """
    from nerscope.formats.base import input_files

    for path in map(Path, input_files(given)):
        yield path
        if path.is_dir():
            yield from (file for file in path.rglob("*") if file.is_file())


def _same(first: Path, second: Path) -> bool:
    if first.exists() and second.exists():
        return first.samefile(second)
    # A file that does not exist yet has no identity: compare the names, links resolved.
    return os.path.realpath(first) == os.path.realpath(second)


def parse_systems(given: Iterable[str]) -> dict[str, list["Source"]]:
    """The files of each system, from NAME=FILE; a repeated name is a further run."""
    from nerscope.formats.base import source_named

    systems: dict[str, list[Source]] = {}
    for text in given:
        name, equals, file = text.partition("=")
        if not equals or not name or not file or "::" in name:
            raise UsageError(
                f"--system {text}",
                "it is not of the form NAME=FILE",
                "write for example --system bert=bert.txt",
            )
        systems.setdefault(name, []).append(source_named(file))
    if not systems:
        raise UsageError(
            "--system", "no system is given", "write for example --system bert=bert.txt"
        )
    return systems


def emit_and_exit(
    document: "Document",
    form: str,
    *,
    files: Mapping[str, FileContent] | None = None,
    code: int = 0,
    silent: bool = False,
    quiet: bool = False,
) -> NoReturn:
    """Write files, then print a document in a format, and end with an exit code.

    Files are complete before anything is printed: a reader that stops reading standard output, as
    `head` does, changes neither the files nor the exit code.
    """
    from dataclasses import replace

    from nerscope.render.document import OUTPUTS
    from nerscope.results.files import write_bytes, write_text

    if quiet:
        document = replace(document, notes=[], hints=[])
    printed = "" if silent else OUTPUTS[form](document)
    for path, made in (files or {}).items():
        data = made()
        if isinstance(data, str):
            write_text(path, data)
        else:
            write_bytes(path, data)
    print_output(printed)
    if form != "text" or document.signature is None:
        for note in document.notes:
            print_message(f"note: {note}")
    raise typer.Exit(code)


def print_output(text: str) -> None:
    """Print to standard output; a closed pipe is no failure, a full disk is."""
    from nerscope.results.files import unwritable

    if sys.stdout is None:  # closed by the calling process, as `>&-` does
        return
    try:
        sys.stdout.write(_encodable(text, sys.stdout.encoding))
        sys.stdout.flush()
    except OSError as error:
        # Python flushes once more at exit, which would fail again and change the exit code.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if error.errno not in _READER_GONE:
            raise unwritable("standard output", error) from None


def _encodable(text: str, encoding: str | None) -> str:
    """Escape the characters that the encoding of the output lacks, as `\\u2192` for →."""
    known = encoding or "utf-8"
    return text.encode(known, "backslashreplace").decode(known)


def print_message(note: str) -> None:
    """Print a line on standard error, with the name of the program before it."""
    from nerscope.render.document import escape_controls

    typer.echo(_encodable(f"nerscope: {escape_controls(note)}", sys.stderr.encoding), err=True)


def parse_zero_division(option: str, text: str) -> float | None:
    """Read the value that 0/0 counts as; None is undefined."""
    if text == "undefined":
        return None
    try:
        return float(text)
    except ValueError:
        raise UsageError(option, f"'{text}' is no number", "give undefined, 0 or 1") from None


def parse_edges(given: Iterable[str]) -> dict[str, list[float]]:
    """Read the edges of buckets by attribute, each from ATTRIBUTE=E1,E2."""
    edges = {}
    for text in given:
        name, _, numbers = text.partition("=")
        if name in edges:
            raise UsageError(f"--edges {text}", "an option is said twice", "say it once")
        try:
            edges[name] = [float(number) for number in numbers.split(",")]
        except ValueError:
            raise UsageError(
                f"--edges {text}", "it cannot be read", "write for example --edges eLen=1,3,5"
            ) from None
    return edges


def parse_renames(given: Iterable[str]) -> dict[str, str]:
    """Read which types count as others, each from OLD=NEW or OLD|OLDER=NEW."""
    renames: dict[str, str] = {}
    for text in given:
        olds, equals, new = text.partition("=")
        if not equals or not new or not all(olds.split("|")):
            raise UsageError(
                f"--map {text}",
                "it is not of the form OLD=NEW",
                "write for example --map PERSON=PER",
            )
        for old in olds.split("|"):
            if renames.setdefault(old, new) != new:
                raise UsageError(f"--map {text}", "an option is said twice", "map each type once")
    return renames


def check_name(option: str, name: str, known: Iterable[str]) -> None:
    """Refuse an unknown name, with the closest known one as the remedy."""
    if name not in known:
        raise UsageError(option, f"there is no '{name}'", suggest(name, known))


@contextmanager
def status_line() -> Iterator[Callable[[str], None]]:
    """Give a function that shows the current step in place; silent unless on a terminal."""
    on_terminal = sys.stderr.isatty()

    def show(step: str) -> None:
        if on_terminal:
            typer.echo(f"\r\033[K{_encodable(step, sys.stderr.encoding)}", nl=False, err=True)

    try:
        yield show
    finally:
        if on_terminal:
            typer.echo("\r\033[K", nl=False, err=True)


def core_count() -> int:
    """The number of cores that this process may use."""
    allowed = getattr(os, "sched_getaffinity", None)  # Linux only; respects taskset and containers
    return len(allowed(0)) if allowed else os.cpu_count() or 1


@contextmanager
def progress(label: str, *, quiet: bool = False) -> Iterator[ProgressLine]:
    """A counter of sentences, for work that takes its time: in place on a terminal, a line now and
    then elsewhere.
    """
    if not quiet and sys.stderr.isatty():
        with status_line() as show:
            yield ProgressLine(label, show, after=_PATIENCE, every=_OFTEN)
    else:
        yield ProgressLine(
            label, print_message, after=math.inf if quiet else _SELDOM, every=_SELDOM
        )
