"""Tell how small a difference the test set can show, and what it takes to show one."""

from dataclasses import dataclass

import typer

from nerscope.cli.common import FORMAT, PLUGIN, RESAMPLE, RESULTS, emit_and_exit, load_results

RANK = 170


@dataclass(frozen=True)
class PowerOptions:
    results: str = RESULTS
    a: str | None = typer.Argument(None, metavar="[A]", help="A system.")
    b: str | None = typer.Argument(
        None, metavar="[B]", help="Another one; without names, all pairs are shown."
    )
    difference: float = typer.Option(
        1.0, metavar="POINTS", help="The true difference that is to be found."
    )
    power: float = typer.Option(0.8, metavar="SHARE", help="How surely it is to be found.")
    alpha: float = typer.Option(0.05, metavar="SHARE", help="How likely a false alarm may be.")
    metric: str = typer.Option("f1", metavar="METRIC", help="The metric, over everything.")
    match: str | None = typer.Option(None, metavar="MATCH", help="The match, exact unless told.")
    resample: str | None = RESAMPLE
    correction: str | None = typer.Option(
        None,
        metavar="NAME",
        help="The correction that compare uses for all of these pairs and datasets together; "
        "none for a single planned comparison.",
    )
    plugin: list[str] = PLUGIN
    format: str = FORMAT


def run(options: PowerOptions) -> None:
    from nerscope.render.verdicts import power_document
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
    emit_and_exit(power_document(rows, options.difference, options.power), options.format)
