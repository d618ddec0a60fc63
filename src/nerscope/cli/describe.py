"""`nerscope describe`: what a dataset is like."""

import json

import typer

from nerscope.cli.common import FILE_HELP, FORMATS, checked_format


def command(
    train: str = typer.Option(metavar="FILE", help=f"The training data. {FILE_HELP}"),
    dev: str | None = typer.Option(None, metavar="FILE", help="The development data."),
    test: str | None = typer.Option(None, metavar="FILE", help="The test data."),
    format: str = typer.Option(
        "text", metavar="FORMAT", help="text, markdown, latex, csv or json."
    ),
    repair: str = typer.Option(
        "conlleval",
        metavar="NAME",
        help="How to read invalid labels: conlleval, strict, discard, none.",
    ),
) -> None:
    """Show what a dataset is like: mentions, tough ones, hard tokens, mean attribute values."""
    from nerscope.dataset.describe import describe
    from nerscope.formats.conll import ConllFile
    from nerscope.render.composition import description_tables
    from nerscope.render.writers import TABLE_WRITERS

    checked_format(format, FORMATS)
    files = {name: ConllFile.parse(text) for name, text in [("dev", dev), ("test", test)] if text}
    found = describe(ConllFile.parse(train), **files, repair=repair)
    if format == "json":
        typer.echo(json.dumps(found.as_dict(), ensure_ascii=False, allow_nan=False, indent=1))
    else:
        typer.echo(TABLE_WRITERS[format](description_tables(found.as_dict())), nl=False)
        for loss in found.losses:
            typer.echo(f"nerscope: note: {loss['places'][0]}: {loss['message']}", err=True)
