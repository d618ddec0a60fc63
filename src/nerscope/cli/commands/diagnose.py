"""Show which attributes of mentions go with the scores."""

from dataclasses import dataclass

import typer

from nerscope.cli.common import (
    CODES,
    FORMAT,
    NOTES,
    PLUGIN,
    RESULTS,
    SEED,
    emit_and_exit,
    load_results,
)

GROUP, RANK = "evaluate", 40


@dataclass(frozen=True)
class DiagnoseOptions:
    results: str = RESULTS
    a: str | None = typer.Argument(None, metavar="[A]", help="A system to compare with B.")
    b: str | None = typer.Argument(None, metavar="[B]", help="Another system.")
    everything: bool = typer.Option(
        False, "--all", help="Show every attribute and bucket, not only the strongest effects."
    )
    samples: int = typer.Option(10_000, metavar="N", help="Number of random sign changes.")
    seed: int = SEED
    resample: str | None = typer.Option(
        None,
        metavar="UNIT",
        help="The unit whose signs are changed: document, sentence or block:20. Default: "
        "documents if they are marked, else sentences.",
    )
    paper: bool = typer.Option(
        False, "--paper", help="Add InterpretEval's own tests, which find effects in noise."
    )
    types: bool = typer.Option(False, "--types", help="Add the entity type as an attribute.")
    dataset: list[str] = typer.Option([], metavar="NAME", help="Only these datasets; repeatable.")
    bucket: list[str] = typer.Option(
        [],
        metavar="ATTR=BUCKET",
        help="InterpretEval's test of two systems in a bucket, such as eLen=XL, over runs and "
        "datasets; repeatable.",
    )
    codes: bool = CODES
    notes: bool = NOTES
    plugin: list[str] = PLUGIN
    format: str = FORMAT


def run(options: DiagnoseOptions) -> None:
    from nerscope.render.diagnosis import diagnosis_document
    from nerscope.results.diagnose import diagnose
    from nerscope.results.terms import bucket_ranges

    results = load_results(options.results, options.plugin, options.format)
    views = diagnose(
        results,
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
    document = diagnosis_document(
        views,
        bucket_ranges(results.evidence),
        everything=options.everything,
        paper=options.paper,
    )
    emit_and_exit(document, options.format, options=options)
