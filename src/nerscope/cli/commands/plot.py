"""Draw a figure of saved results for a paper."""

from dataclasses import dataclass

import typer

from nerscope.cli.common import (
    CODES,
    PLUGIN,
    RESULTS,
    SIGNATURE,
    emit_and_exit,
    load_results,
)
from nerscope.cli.options import check_outputs

GROUP, RANK = "share", 180


@dataclass(frozen=True)
class PlotOptions:
    results: str = RESULTS
    what: str = typer.Argument(
        metavar="WHAT",
        help="exact, types, partial, breakdown, attributes, radar, heatmap, diagnosis, gains, or "
        "any facet.",
    )
    output: str = typer.Option(
        ..., "-o", "--output", metavar="FILE", help="The figure (.svg, .pdf or .png)."
    )
    system: list[str] = typer.Option([], metavar="NAME", help="Only these systems, in this order.")
    dataset: list[str] = typer.Option(
        [], metavar="NAME", help="Only these datasets, in this order."
    )
    metric: str | None = typer.Option(None, metavar="METRIC", help="The metric to draw.")
    match: str | None = typer.Option(None, metavar="MATCH", help="The match to draw.")
    width: float | None = typer.Option(
        None,
        metavar="CM",
        help="Width; default: 8.5 (one column of a paper), or 17 if the figure would be higher "
        "than a page.",
    )
    height: float | None = typer.Option(None, metavar="CM", help="Height; default: as needed.")
    codes: bool = CODES
    signature: bool = SIGNATURE
    plugin: list[str] = PLUGIN


def run(options: PlotOptions) -> None:
    from nerscope.render.document import Document
    from nerscope.render.draw import draw_figure, file_format
    from nerscope.render.figures import figure_of
    from nerscope.results.intervals import with_bounds

    form = file_format(options.output)
    check_outputs([options.output], [options.results, *options.plugin])
    loaded = with_bounds(load_results(options.results, options.plugin))
    figure = figure_of(
        loaded,
        options.what,
        systems=options.system,
        datasets=options.dataset,
        metric=options.metric,
        match=options.match,
        codes=options.codes,
    )
    data = draw_figure(figure, form, options.width, options.height)
    lines = [f"The figure is in {options.output}.", *figure.notes]
    document = Document(lines=lines, signature=loaded.signature)
    emit_and_exit(document, "text", files={options.output: lambda: data}, options=options)
