"""`nerscope judged`: what people said of partial matches."""

import typer

from nerscope.cli.common import FORMAT_HELP, checked_format, emit


def command(
    pairs: str = typer.Argument(
        metavar="PAIRS", help="A list from `evaluate --list partial --format csv`, judged."
    ),
    format: str = typer.Option("text", metavar="FORMAT", help=FORMAT_HELP),
) -> None:
    """Report the share of partial matches that a person judged good, for each criterion."""
    from nerscope.render.document import Document, table_of
    from nerscope.results.judged import read_judgements, shares

    checked_format(format)
    found = shares(read_judgements(pairs))
    emit(Document([table_of("Partial matches as judged", found)], found, found), format)
