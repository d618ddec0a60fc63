"""Show how small a difference a test set detects."""

from dataclasses import dataclass

import typer

from nerscope.cli.common import FORMAT, PLUGIN, RESAMPLE, RESULTS, emit_and_exit, load_results

GROUP, RANK = "compare", 80


@dataclass(frozen=True)
class PowerOptions:
    results: str = RESULTS
    a: str | None = typer.Argument(None, metavar="[A]", help="A system.")
    b: str | None = typer.Argument(
        None, metavar="[B]", help="Another system. Without names: all pairs."
    )
    difference: float = typer.Option(
        1.0, metavar="POINTS", help="The true difference to detect, in points."
    )
    power: float = typer.Option(
        0.8, metavar="SHARE", help="The probability with which it should be detected."
    )
    alpha: float = typer.Option(0.05, metavar="SHARE", help="The significance level.")
    metric: str = typer.Option("f1", metavar="METRIC", help="The metric, over all mentions.")
    match: str | None = typer.Option(None, metavar="MATCH", help="The match; default: exact.")
    resample: str | None = RESAMPLE
    correction: str | None = typer.Option(
        None,
        metavar="NAME",
        help="The correction for these pairs and datasets, as in compare; none for a single "
        "planned comparison.",
    )
    all: bool = typer.Option(
        False, "--all", help="Show every pair, and what other numbers of runs need."
    )
    plugin: list[str] = PLUGIN
    format: str = FORMAT


def run(options: PowerOptions) -> None:
    from nerscope.render.power import power_document
    from nerscope.results.needed import power as power_of

    rows = power_of(
        load_results(options.results, options.plugin, options.format),
        options.a,
        options.b,
        difference=options.difference,
        power=options.power,
        alpha=options.alpha,
        metric=options.metric,
        match=options.match,
        resample=options.resample,
        **({} if options.correction is None else {"correction": options.correction}),
    )
    document = power_document(rows, options.difference, options.power, options.all)
    emit_and_exit(document, options.format, options=options)
