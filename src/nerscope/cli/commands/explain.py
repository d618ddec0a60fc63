"""Tell why tools disagree on an input, or what the words in tables mean."""

from dataclasses import dataclass
from pathlib import Path

import typer

from nerscope.cli.common import FILE_HELP, FORMAT, PLUGIN, emit_and_exit, prepare
from nerscope.cli.options import parse_systems
from nerscope.errors import UsageError

RANK = 190


@dataclass(frozen=True)
class ExplainOptions:
    terms: list[str] = typer.Argument(
        None,
        metavar="[TERM…|TEST]",
        help="Words such as tcm, eCon or ter, all of them without any; or else the gold file, or a "
        f"file of three columns, whose last is predicted. {FILE_HELP}",
    )
    system: list[str] = typer.Option(
        [], metavar="NAME=FILE", help="A system's output; the same NAME again adds a run."
    )
    everything: bool = typer.Option(False, "--all", help="Show everything; cut no list.")
    format: str = FORMAT
    plugin: list[str] = PLUGIN


def run(options: ExplainOptions) -> None:
    from nerscope.render.glossary import glossary_document

    prepare(options.plugin, options.format)
    test = _test(options.terms or [], options.system)
    if test is None:
        emit_and_exit(
            glossary_document(options.terms, text=options.format == "text"), options.format
        )
    _compare(test, options.system, options.everything, options.format)


def _test(terms: list[str], system: list[str]) -> str | None:
    """The file whose scores are to be explained, if it is not words."""
    from nerscope.formats.base import path_of

    paths = [path_of(text) for text in terms]
    if system or any(_is_no_word(path) for path in paths):
        if len(terms) != 1:
            raise UsageError(
                "explain",
                f"{len(terms)} gold files are given",
                "name one, and outputs for it as --system NAME=FILE",
            )
        return terms[0]
    return terms[0] if len(paths) == 1 and paths[0] and Path(paths[0]).is_file() else None


def _is_no_word(path: str) -> bool:
    """Whether this can only be a file, be it there or not."""
    return path == "-" or "." in path or "/" in path


def _compare(test: str, system: list[str], everything: bool, form: str) -> None:
    from nerscope.compat.peers import compare_tools
    from nerscope.compat.peers.document import tools_document
    from nerscope.formats.base import source_named

    comparison = compare_tools(source_named(test), parse_systems(system) if system else None)
    emit_and_exit(tools_document(comparison, everything=everything, text=form == "text"), form)
