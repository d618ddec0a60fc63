"""`nerscope show`: any table of saved results, in any format."""

import typer

from nerscope.cli.common import FORMAT_HELP, PLUGIN_HELP, QUIET_HELP, checked_format, emit


def command(
    results: str = typer.Argument(metavar="RESULTS", help="What `evaluate -o` wrote."),
    table: list[str] = typer.Option(
        [],
        metavar="NAME",
        help="exact, types, partial, pairs, errors, datasets, or a facet; the summary otherwise.",
    ),
    system: list[str] = typer.Option([], metavar="NAME", help="Only these systems, in this order."),
    column: list[str] = typer.Option([], metavar="NAME", help="Only these columns, in this order."),
    metric: str | None = typer.Option(None, metavar="METRIC", help="The metric of the table."),
    match: str | None = typer.Option(None, metavar="MATCH", help="The match of the table."),
    against: str | None = typer.Option(
        None, metavar="NAME", help="Mark what differs significantly from this system (†)."
    ),
    no_n: bool = typer.Option(False, "--no-n", help="Leave the row of denominators out."),
    caption: str | None = typer.Option(None, metavar="TEXT", help="The caption, for LaTeX."),
    label: str | None = typer.Option(None, metavar="NAME", help="The label, for LaTeX."),
    all: bool = typer.Option(False, "--all", help="Show every table."),
    plugin: list[str] = typer.Option([], metavar="FILE.py", help=PLUGIN_HELP),
    format: str = typer.Option("text", metavar="FORMAT", help=FORMAT_HELP),
    quiet: bool = typer.Option(False, "--quiet", "-q", help=QUIET_HELP),
) -> None:
    """Print any table of saved results, in any format."""
    from nerscope.errors import UsageError
    from nerscope.plugins import load_plugins
    from nerscope.render.choose import chosen_tables
    from nerscope.render.summary import summary_document
    from nerscope.render.tables import results_document
    from nerscope.results.results import Results

    load_plugins(plugin)
    checked_format(format)
    loaded = Results.load(results)
    if table and format == "conlleval":
        raise UsageError(
            "--format conlleval", "it shows exact scores and nothing else", "leave --table out"
        )
    if not table and (system or column or metric or match or against or no_n or caption or label):
        raise UsageError(
            "--table", "no table is named to choose from", "write for example --table exact"
        )
    if not table:
        whole = results_document(loaded) if all else summary_document(loaded, saved=True)
        emit(whole, format, quiet=quiet)
    tables = chosen_tables(
        loaded,
        table,
        systems=system,
        columns=column,
        metric=metric,
        match=match,
        against=against,
        with_n=not no_n,
        caption=caption,
        label=label,
    )
    emit(results_document(loaded, tables), format, quiet=quiet)
