"""`nerscope gate`: stop a release that got worse."""

import typer


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
        help="A cell, such as tmr=unseen-tokens (may be repeated); all mentions otherwise.",
    ),
    system: str | None = typer.Option(None, metavar="NAME", help="Only this system."),
    samples: int = typer.Option(10_000, metavar="N", help="How many resamples."),
    seed: int = typer.Option(0, metavar="N", help="The same seed gives the same verdict."),
) -> None:
    """Exit with 1 only if a number dropped by more than is allowed, and not by chance."""
    from nerscope.results.gate import gate
    from nerscope.results.results import Results

    verdicts = gate(
        Results.load(results),
        Results.load(baseline),
        max_drop=max_drop,
        metric=metric,
        cells=facet or ["all"],
        system=system,
        samples=samples,
        seed=seed,
    )
    for verdict in verdicts:
        typer.echo(str(verdict))
    if any(verdict.failed for verdict in verdicts):
        raise typer.Exit(1)
