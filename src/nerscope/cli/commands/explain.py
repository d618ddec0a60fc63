"""Explain any printed word or message, or why tools disagree."""

import os
from dataclasses import dataclass

import typer

from nerscope.cli.common import FILE_HELP, FORMAT, PLUGIN, emit_and_exit, prepare
from nerscope.cli.options import parse_systems
from nerscope.errors import UsageError

GROUP, RANK = "evaluate", 50


@dataclass(frozen=True)
class ExplainOptions:
    terms: list[str] = typer.Argument(
        None,
        metavar="[TEXT…|GOLD]",
        help="Anything that nerscope prints: a heading, code, phrase, note or message, such as "
        "tmr=seen or 'worse by'. Without any: all terms. Or a gold file, or a file with the "
        f"columns token, …, gold, predicted. {FILE_HELP}",
    )
    system: list[str] = typer.Option(
        [], metavar="[NAME=]FILE", help="A system's output; the same NAME again adds a run."
    )
    everything: bool = typer.Option(False, "--all", help="Show every difference.")
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
    """The file whose scores are to be explained; None if the arguments are words."""
    from nerscope.formats.base import path_of

    paths = [path_of(text) for text in terms]
    # Of several words, one may be called like a file that happens to exist, or may end in a dot.
    is_file = len(paths) == 1 and os.path.isfile(paths[0])  # noqa: PTH113
    if system or is_file or (paths and all(_looks_like_a_file(path) for path in paths)):
        if len(terms) != 1:
            raise UsageError(
                "explain",
                f"{len(terms)} gold files are given",
                "nerscope explain GOLD --system NAME=FILE",
            )
        return terms[0]
    return None


def _looks_like_a_file(path: str) -> bool:
    """Whether an argument is written like a path and is not a known word."""
    from nerscope.results.explanations import explain

    if path == "-":
        return True
    if " " in path or not ("." in path or "/" in path):
        return False
    try:
        return not explain(path)
    except UsageError:
        return True


def _compare(test: str, system: list[str], everything: bool, form: str) -> None:
    from nerscope.compat.peers import compare_tools
    from nerscope.compat.peers.document import tools_document
    from nerscope.formats.base import source_named

    gold = source_named(test)
    comparison = compare_tools(gold, parse_systems(system, gold) if system else None)
    emit_and_exit(tools_document(comparison, everything=everything, text=form == "text"), form)
