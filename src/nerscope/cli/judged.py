"""`nerscope judged`: what people said of partial matches."""

import typer

from nerscope.cli.common import FORMAT_HELP, checked_format, emit


def command(
    pairs: list[str] = typer.Argument(
        metavar="PAIRS…",
        help="Lists from `evaluate --list partial --format csv`, judged; one a judge.",
    ),
    by_type: bool = typer.Option(False, "--by-type", help="Tell the types apart."),
    format: str = typer.Option("text", metavar="FORMAT", help=FORMAT_HELP),
) -> None:
    """Report the share of partial matches that people judged good, for each criterion."""
    from nerscope.render.document import Document, table_of
    from nerscope.results.judged import agreement, read_judgements, shares

    checked_format(format)
    judges = [read_judgements(path) for path in pairs]
    found = shares([row for rows in judges for row in rows], by_type)
    tables = [table_of("Partial matches as judged", found)]
    agreed = agreement(judges) if len(judges) > 1 else None
    if agreed:
        tables.append(table_of("Agreement of the judges", [agreed]))
    emit(Document(tables, {"shares": found, "agreement": agreed}, found), format)
