"""`nerscope judged`: what people said of partial matches."""

import json

import typer

from nerscope.cli.common import FORMATS, checked_format, table_of


def command(
    pairs: str = typer.Argument(
        metavar="PAIRS",
        help="A list from `evaluate --list partial --format csv`, judged good or bad.",
    ),
    format: str = typer.Option(
        "text", metavar="FORMAT", help="text, markdown, latex, csv or json."
    ),
) -> None:
    """Report the share of partial matches that a person judged good, for each criterion."""
    from nerscope.render.writers import TABLE_WRITERS
    from nerscope.results.judged import read_judgements, shares

    checked_format(format, FORMATS)
    rows = shares(read_judgements(pairs))
    if format == "json":
        typer.echo(json.dumps(rows, ensure_ascii=False, indent=1))
    else:
        typer.echo(TABLE_WRITERS[format]([table_of("Partial matches as judged", rows)]), nl=False)
