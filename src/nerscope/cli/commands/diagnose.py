"""Show InterpretEval's views: model-wise, attribute-wise and bucket-wise, with their tests."""

from dataclasses import dataclass

import typer

from nerscope.cli.common import FORMAT, PLUGIN, RESULTS, SEED, emit_and_exit, load_results

RANK = 70


@dataclass(frozen=True)
class DiagnoseOptions:
    results: str = RESULTS
    a: str | None = typer.Argument(None, metavar="[A]", help="A system, for the comparison of two.")
    b: str | None = typer.Argument(None, metavar="[B]", help="The other one.")
    everything: bool = typer.Option(
        False, "--all", help="Everything, not just the strongest effects."
    )
    samples: int = typer.Option(10_000, metavar="N", help="How often signs are changed.")
    seed: int = SEED
    resample: str | None = typer.Option(
        None,
        metavar="UNIT",
        help="Whose signs are changed: document, sentence or block:20; else as marked.",
    )
    paper: bool = typer.Option(
        False, "--paper", help="InterpretEval's own tests, too, which see effects in noise."
    )
    types: bool = typer.Option(False, "--types", help="Take the entity type as one more attribute.")
    dataset: list[str] = typer.Option([], metavar="NAME", help="Only these datasets; repeatable.")
    bucket: list[str] = typer.Option(
        [],
        metavar="ATTR=BUCKET",
        help="InterpretEval's test of two systems in this bucket, such as eLen=XL, over runs and "
        "datasets; repeatable.",
    )
    plugin: list[str] = PLUGIN
    format: str = FORMAT


def run(options: DiagnoseOptions) -> None:
    from nerscope.render.diagnosis import diagnosis_document
    from nerscope.results.diagnose import diagnose

    views = diagnose(
        load_results(options.results, options.plugin, options.format),
        options.a,
        options.b,
        samples=options.samples,
        seed=options.seed,
        resample=options.resample,
        paper=options.paper,
        types=options.types,
        datasets=options.dataset,
        buckets=options.bucket,
    )
    # What a program reads is never cut.
    emit_and_exit(
        diagnosis_document(
            views, everything=options.everything or options.format == "csv", paper=options.paper
        ),
        options.format,
    )
