"""Tell how small a difference the test set can show, and what it takes to show one."""

from dataclasses import dataclass

import typer

from nerscope.cli.common import FORMAT_HELP, PLUGIN_HELP, RESAMPLE_HELP, check_format, emit_and_exit

RANK = 170


@dataclass(frozen=True)
class PowerOptions:
    results: str = typer.Argument(metavar="RESULTS", help="What `evaluate -o` wrote.")
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
    resample: str | None = typer.Option(None, metavar="UNIT", help=RESAMPLE_HELP)
    plugin: list[str] = typer.Option([], metavar="FILE.py", help=PLUGIN_HELP)
    format: str = typer.Option("text", metavar="FORMAT", help=FORMAT_HELP)


def run(options: PowerOptions) -> None:
    from nerscope.plugins import load_plugins
    from nerscope.render.verdicts import power_document
    from nerscope.results.needed import power as power_of
    from nerscope.results.results import Results

    load_plugins(options.plugin)
    check_format(options.format)
    rows = power_of(
        Results.load(options.results),
        options.a,
        options.b,
        difference=options.difference,
        power=options.power,
        alpha=options.alpha,
        metric=options.metric,
        match=options.match,
        resample=options.resample,
    )
    emit_and_exit(power_document(rows, options.difference, options.power), options.format)
