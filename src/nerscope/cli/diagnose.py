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
    samples: int = typer.Option(10_000, metavar="N", help="How often signs are changed."),
    seed: int = typer.Option(0, metavar="N", help="The same seed gives the same numbers."),
    resample: str | None = typer.Option(
        None,
        metavar="UNIT",
        help="Whose signs are changed: document or sentence; documents where they are marked.",
    ),
    paper: bool = typer.Option(
        False, "--paper", help="InterpretEval's own tests, too, which see effects in noise."
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
    views = diagnose(
        Results.load(results), a, b, samples=samples, seed=seed, resample=resample, paper=paper
    )
    # What a program reads is never cut.
    emit(diagnosis_document(views, everything=everything or format == "csv", paper=paper), format)
