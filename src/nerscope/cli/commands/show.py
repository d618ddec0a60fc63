"""Print any table of saved results, in any format."""

from dataclasses import dataclass

import typer

from nerscope.cli.common import (
    FORMAT_HELP,
    PLUGIN_HELP,
    QUIET_HELP,
    check_format,
    emit_and_exit,
    shows_only_exact,
)

RANK = 20


@dataclass(frozen=True)
class ShowOptions:
    results: str = typer.Argument(metavar="RESULTS", help="What `evaluate -o` wrote.")
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
    plugin: list[str] = typer.Option([], metavar="FILE.py", help=PLUGIN_HELP)
    format: str = typer.Option("text", metavar="FORMAT", help=FORMAT_HELP)
    quiet: bool = typer.Option(False, "--quiet", "-q", help=QUIET_HELP)


def run(options: ShowOptions) -> None:
    from nerscope.errors import UsageError
    from nerscope.plugins import load_plugins
    from nerscope.render.summary import chosen_tables, summary_document
    from nerscope.render.tables import results_document
    from nerscope.results.results import Results

    load_plugins(options.plugin)
    check_format(options.format)
    loaded = Results.load(options.results)
    if options.table and shows_only_exact(options.format):
        raise UsageError(
            f"--format {options.format}",
            "it shows exact scores and nothing else",
            "leave --table out",
        )
    if not options.table and (
        options.system
        or options.column
        or options.metric
        or options.match
        or options.against
        or options.no_n
        or options.caption
        or options.label
    ):
        raise UsageError(
            "--table", "no table is named to choose from", "write for example --table exact"
        )
    if not options.table:
        whole = results_document(loaded) if options.all else summary_document(loaded, saved=True)
        emit_and_exit(whole, options.format, quiet=options.quiet)
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
    emit_and_exit(results_document(loaded, tables), options.format, quiet=options.quiet)
