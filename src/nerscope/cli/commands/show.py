"""Print any table of saved results, in any format."""

from dataclasses import dataclass

import typer

from nerscope.cli.common import (
    FORMAT,
    PLUGIN,
    QUIET,
    RESULTS,
    emit_and_exit,
    load_results,
    shows_only_exact,
)
from nerscope.errors import UsageError

RANK = 20


@dataclass(frozen=True)
class ShowOptions:
    results: str = RESULTS
    table: list[str] = typer.Option(
        [],
        metavar="NAME",
        help="exact, types, partial, pairs, errors, datasets, or a facet; the summary otherwise.",
    )
    system: list[str] = typer.Option([], metavar="NAME", help="Only these systems, in this order.")
    column: list[str] = typer.Option([], metavar="NAME", help="Only these columns, in this order.")
    metric: str | None = typer.Option(None, metavar="METRIC", help="The metric of the table.")
    match: str | None = typer.Option(None, metavar="MATCH", help="The match of the table.")
    against: str | None = typer.Option(
        None, metavar="NAME", help="Mark what differs significantly from this system (†)."
    )
    no_n: bool = typer.Option(False, "--no-n", help="Leave the row of denominators out.")
    caption: str | None = typer.Option(None, metavar="TEXT", help="The caption, for LaTeX.")
    label: str | None = typer.Option(None, metavar="NAME", help="The label, for LaTeX.")
    all: bool = typer.Option(False, "--all", help="Show every table.")
    plugin: list[str] = PLUGIN
    format: str = FORMAT
    quiet: bool = QUIET


def run(options: ShowOptions) -> None:
    from nerscope.render.summary import chosen_tables, summary_document, tables_document
    from nerscope.render.tables import results_document

    loaded = load_results(options.results, options.plugin, options.format)
    _check_options(options)
    if options.table:
        tables = chosen_tables(
            loaded,
            options.table,
            systems=options.system,
            columns=options.column,
            metric=options.metric,
            match=options.match,
            against=options.against,
            with_n=not options.no_n,
            caption=options.caption,
            label=options.label,
        )
        document = tables_document(loaded, tables)
    elif options.all:
        document = results_document(loaded)
    else:
        document = summary_document(loaded, saved=True)
    emit_and_exit(document, options.format, quiet=options.quiet)


_OF_A_TABLE = ("system", "column", "metric", "match", "against", "no_n", "caption", "label")


def _check_options(options: ShowOptions) -> None:
    if options.table and shows_only_exact(options.format):
        raise UsageError(
            f"--format {options.format}",
            "it shows exact scores and nothing else",
            "leave --table out",
        )
    if not options.table and any(getattr(options, name) for name in _OF_A_TABLE):
        raise UsageError(
            "--table", "no table is named to choose from", "write for example --table exact"
        )
