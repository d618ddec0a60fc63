"""`nerscope diagnose`: how attributes act on systems and datasets."""

import typer

from nerscope.cli.common import FORMAT_HELP, PLUGIN_HELP, checked_format, emit


def command(
    results: str = typer.Argument(metavar="RESULTS", help="What `evaluate -o` wrote."),
    a: str | None = typer.Argument(
        None, metavar="[A]", help="A system, for the comparison of two."
    ),
    b: str | None = typer.Argument(None, metavar="[B]", help="The other one."),
    everything: bool = typer.Option(
        False, "--all", help="Everything, not just the strongest effects."
    ),
    plugin: list[str] = typer.Option([], metavar="FILE.py", help=PLUGIN_HELP),
    format: str = typer.Option("text", metavar="FORMAT", help=FORMAT_HELP),
) -> None:
    """Show InterpretEval's views: model-wise, attribute-wise and bucket-wise, with their tests."""
    from nerscope.plugins import load_plugins
    from nerscope.render.diagnosis import diagnosis_document
    from nerscope.results.diagnose import diagnose
    from nerscope.results.results import Results

    load_plugins(plugin)
    checked_format(format)
    views = diagnose(Results.load(results), a, b)
    # What a program reads is never cut.
    emit(diagnosis_document(views, everything=everything or format == "csv"), format)
