"""`nerscope describe`: what a dataset is like."""

import typer

from nerscope.cli.common import (
    FILE_HELP,
    FORMAT_HELP,
    PLUGIN_HELP,
    REPAIR_HELP,
    checked_format,
    emit,
)


def command(
    train: str = typer.Option(metavar="FILE", help=f"The training data. {FILE_HELP}"),
    dev: str | None = typer.Option(None, metavar="FILE", help="The development data."),
    test: str | None = typer.Option(None, metavar="FILE", help="The test data."),
    format: str = typer.Option("text", metavar="FORMAT", help=FORMAT_HELP),
    repair: str = typer.Option("conlleval", metavar="NAME", help=REPAIR_HELP),
    plugin: list[str] = typer.Option([], metavar="FILE.py", help=PLUGIN_HELP),
) -> None:
    """Show what a dataset is like: mentions, tough ones, hard tokens, mean attribute values."""
    from nerscope.dataset.describe import describe
    from nerscope.formats.base import source_named
    from nerscope.plugins import load_plugins
    from nerscope.render.composition import description_document

    load_plugins(plugin)
    checked_format(format)
    given = {"dev": dev, "test": test}
    others = {name: source_named(text) for name, text in given.items() if text}
    found = describe(source_named(train), **others, repair=repair)
    emit(description_document(found.as_dict()), format)
