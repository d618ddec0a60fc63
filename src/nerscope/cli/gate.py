"""`nerscope gate`: stop a release that got worse."""

import typer

from nerscope.cli.common import FORMAT_HELP, PLUGIN_HELP, checked_format, emit


def command(
    results: str = typer.Argument(metavar="RESULTS", help="The new results."),
    baseline: str = typer.Option(metavar="FILE", help="The results to hold against."),
    max_drop: float = typer.Option(
        0.0, metavar="POINTS", help="How far a number may drop, in points (0.5 is half a percent)."
    ),
    metric: str = typer.Option("f1", metavar="METRIC", help="The metric, such as f1 or recall."),
    facet: list[str] = typer.Option(
        [],
        metavar="FACET=LEVEL",
        help="A cell, such as tmr=unseen-tokens; all mentions otherwise; repeatable.",
    ),
    match: str | None = typer.Option(None, metavar="MATCH", help="The match, exact unless told."),
    system: str | None = typer.Option(None, metavar="NAME", help="Only this system."),
    samples: int = typer.Option(10_000, metavar="N", help="How many resamples."),
    seed: int = typer.Option(0, metavar="N", help="The same seed gives the same verdict."),
    resample: str = typer.Option(
        "sentence", metavar="UNIT", help="What is resampled: sentence or document."
    ),
    plugin: list[str] = typer.Option([], metavar="FILE.py", help=PLUGIN_HELP),
    format: str = typer.Option("text", metavar="FORMAT", help=FORMAT_HELP),
) -> None:
    """Exit with 1 only if a number dropped by more than is allowed, and not by chance."""
    from nerscope.plugins import load_plugins
    from nerscope.render.verdicts import verdict_document
    from nerscope.results.gate import gate
    from nerscope.results.results import Results

    load_plugins(plugin)
    checked_format(format)
    verdicts = gate(
        Results.load(results),
        Results.load(baseline),
        max_drop=max_drop,
        metric=metric,
        facets=facet or ["all"],
        match=match,
        system=system,
        samples=samples,
        seed=seed,
        resample=resample,
    )
    failed = any(verdict.failed for verdict in verdicts)
    emit(verdict_document(verdicts, text=format == "text"), format, code=1 if failed else 0)
