"""What several commands share: options, checks, and showing results."""

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from time import monotonic
from typing import TYPE_CHECKING, Any

import typer

from nerscope.errors import UsageError, suggest

if TYPE_CHECKING:
    from nerscope.formats.conll import ConllFile
    from nerscope.render.tables import Table

FORMATS = ("text", "markdown", "latex", "csv", "json")
FILE_HELP = "Options of a file follow it: FILE::token=1,label=2 (see docs/files.md)."
_PATIENCE = 1.0  # seconds before a progress bar appears


def checked_format(form: str, known: Sequence[str]) -> str:
    """The format, if there is one of this name."""
    if form not in known:
        raise UsageError("--format", f"there is no format '{form}'", suggest(form, known))
    return form


def checked_output(path: str | None, inputs: Iterable[str | None] = ()) -> None:
    """Refuse an output that cannot be written, or that would overwrite an input, before any work is
    done.
    """
    if path is None:
        return
    import os
    from pathlib import Path

    from nerscope.errors import OutputError

    target = Path(path)
    if target.is_dir():
        raise OutputError(path, "this is a folder", "name a file in it")
    if target.exists() and any(
        Path(name).exists() and target.samefile(name) for name in inputs if name
    ):
        raise OutputError(path, "this is one of the inputs", "choose another name for the output")
    if not target.parent.is_dir():
        raise OutputError(
            path, "its folder does not exist", f"make the folder {target.parent} first"
        )
    if not os.access(target.parent, os.W_OK):
        raise OutputError(
            path,
            "its folder cannot be written to",
            "choose another folder, or change its permissions",
        )


def systems_of(given: Iterable[str]) -> dict[str, list["ConllFile"]]:
    """The files of each system, from NAME=FILE; a repeated name is a further run."""
    from nerscope.formats.conll import ConllFile

    systems: dict[str, list[ConllFile]] = {}
    for text in given:
        name, equals, file = text.partition("=")
        if not equals or not name or not file or "::" in name:
            raise UsageError(
                f"--system {text}",
                "it is not of the form NAME=FILE",
                "write for example --system bert=bert.txt",
            )
        systems.setdefault(name, []).append(ConllFile.parse(file))
    if not systems:
        raise UsageError(
            "--system", "no system is given", "write for example --system bert=bert.txt"
        )
    return systems


def table_of(title: str, rows: Sequence[Mapping[str, Any]]) -> "Table":
    """Rows of any kind as a table."""
    from nerscope.render.tables import Cell, Table

    header = tuple(
        dict.fromkeys(key for row in rows for key in row if key != "judgement")
    )  # that is for a file to fill in
    return Table(
        title, header, tuple(tuple(Cell(shown(row.get(key))) for key in header) for row in rows)
    )


def shown(value: Any) -> str:
    """A value in a cell."""
    if value is None:
        return "–"
    return f"{value:.4g}" if isinstance(value, float) else str(value)


@contextmanager
def steps() -> Iterator[Callable[[str], None]]:
    """A line on standard error that says what is going on: on a terminal, each replaces the one
    before; elsewhere, silence.
    """
    on_terminal = sys.stderr.isatty()

    def say(step: str) -> None:
        if on_terminal:
            typer.echo(f"\r\033[K{step}", nl=False, err=True)

    try:
        yield say
    finally:
        if on_terminal:
            typer.echo("\r\033[K", nl=False, err=True)


@contextmanager
def progress(label: str) -> Iterator[Callable[[int], None]]:
    """A counter of sentences, for work that takes its time."""
    start = monotonic()
    with steps() as say:
        yield (
            lambda done: (
                say(f"{label}: {done:,} sentences") if monotonic() - start > _PATIENCE else None
            )
        )
