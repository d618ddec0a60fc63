"""Tell whether A is better than B, and where, from results alone."""

from dataclasses import dataclass

import typer

from nerscope.cli.common import (
    FORMAT_HELP,
    PLUGIN_HELP,
    QUIET_HELP,
    RESAMPLE_HELP,
    check_format,
    emit_and_exit,
)

RANK = 50


@dataclass(frozen=True)
class CompareOptions:
    results: str = typer.Argument(metavar="RESULTS", help="What `evaluate -o` wrote.")
    a: str | None = typer.Argument(
        None, metavar="[A]", help="A system; or another results file on the same gold data."
    )
    b: str | None = typer.Argument(
        None, metavar="[B]", help="Another one; without names, all pairs are compared."
    )
    baseline: str | None = typer.Option(
        None, metavar="NAME", help="Compare each system with this one."
    )
    facet: list[str] = typer.Option([], metavar="FACET", help="Only these facets.")
    metric: list[str] = typer.Option([], metavar="METRIC", help="Only these metrics.")
    match: list[str] = typer.Option([], metavar="MATCH", help="Only these matches.")
    type: list[str] = typer.Option([], metavar="TYPE", help="Only these types.")
    all: bool = typer.Option(False, "--all", help="Show every cell.")
    sparse: float = typer.Option(
        0.01, metavar="SHARE", help="Head to head, leave out subsets below this share of mentions."
    )
    by_type: bool = typer.Option(False, "--by-type", help="Show the types of every facet, too.")
    method: str = typer.Option(
        "randomisation",
        metavar="NAME",
        help="The test of outputs: randomisation, bootstrap, or a plug-in's.",
    )
    about: str | None = typer.Option(
        None,
        metavar="WHAT",
        help="Compare outputs (these files) or recipes (other training runs, too); recipes where "
        "a system has several runs.",
    )
    same_seeds: bool = typer.Option(
        False, "--same-seeds", help="Runs of both systems belong together, in order."
    )
    margin: float | None = typer.Option(
        None, metavar="POINTS", help="Test whether systems are equivalent: closer than this."
    )
    correction: str = typer.Option(
        "holm", metavar="NAME", help="For many cells: holm, bonferroni, bh, by or none."
    )
    simultaneous: bool = typer.Option(
        False, "--simultaneous", help="Intervals that hold for a whole family of cells at once."
    )
    samples: int = typer.Option(10_000, metavar="N", help="How many swaps or resamples.")
    seed: int = typer.Option(0, metavar="N", help="The same seed gives the same numbers.")
    resample: str | None = typer.Option(None, metavar="UNIT", help=RESAMPLE_HELP)
    over: str | None = typer.Option(
        None,
        metavar="WHAT",
        help="What the datasets are: splits of one corpus, fixed (these alone), drawn (others like "
        "them, too), or domains (either); what the results say otherwise.",
    )
    ratio: float | None = typer.Option(
        None, metavar="R", help="Of splits: test sentences by training sentences."
    )
    changes: bool = typer.Option(
        False,
        "--changes",
        help="Count the mentions that B fixed, broke or got wrong like A, and list the first two.",
    )
    plugin: list[str] = typer.Option([], metavar="FILE.py", help=PLUGIN_HELP)
    format: str = typer.Option("text", metavar="FORMAT", help=FORMAT_HELP)
    quiet: bool = typer.Option(False, "--quiet", "-q", help=QUIET_HELP)


def run(options: CompareOptions) -> None:
    from pathlib import Path
    from shutil import get_terminal_size

    from nerscope.errors import UsageError
    from nerscope.plugins import load_plugins
    from nerscope.render.comparison import changes_document, comparison_document
    from nerscope.results.compare import compare
    from nerscope.results.pairing import join_results
    from nerscope.results.results import Results

    load_plugins(options.plugin)
    check_format(options.format)
    loaded, a, b, pairs = Results.load(options.results), options.a, options.b, None
    if a is not None and a not in loaded.systems and Path(a).is_file():
        loaded, pairs = join_results(loaded, Results.load(a), options.results, a)
        a = None
    if options.changes:
        if a is None or b is None:
            raise UsageError(
                "--changes",
                "two systems are needed",
                "name them: nerscope compare RESULTS A B --changes",
            )
        columns = get_terminal_size().columns
        emit_and_exit(changes_document(loaded, a, b, columns), options.format, quiet=options.quiet)
    comparison = compare(
        loaded,
        a,
        b,
        baseline=options.baseline,
        pairs=pairs,
        facets=options.facet or None,
        metrics=options.metric or None,
        matches=options.match or None,
        types=options.type or None,
        by_type=options.by_type,
        method=options.method,
        about=options.about,
        same_seeds=options.same_seeds,
        margin=options.margin,
        simultaneous=options.simultaneous,
        correction=options.correction,
        samples=options.samples,
        seed=options.seed,
        resample=options.resample,
        over=options.over,
        ratio=options.ratio,
    )
    shows_cells = options.all or bool(
        options.facet or options.metric or options.match or options.type or options.by_type
    )
    if not 0 <= options.sparse <= 1:
        raise UsageError("--sparse", f"{options.sparse} cannot be", "give a share from 0 to 1")
    emit_and_exit(
        comparison_document(comparison, loaded.signature, shows_cells, options.sparse),
        options.format,
        quiet=options.quiet,
    )
