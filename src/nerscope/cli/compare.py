"""`nerscope compare`: tells whether A is better than B, and where."""

import typer

from nerscope.cli.common import (
    FORMAT_HELP,
    PLUGIN_HELP,
    QUIET_HELP,
    RESAMPLE_HELP,
    checked_format,
    emit,
)


def command(
    results: str = typer.Argument(metavar="RESULTS", help="What `evaluate -o` wrote."),
    a: str | None = typer.Argument(
        None, metavar="[A]", help="A system; or another results file on the same gold data."
    ),
    b: str | None = typer.Argument(
        None, metavar="[B]", help="Another one; without names, all pairs are compared."
    ),
    baseline: str | None = typer.Option(
        None, metavar="NAME", help="Compare each system with this one."
    ),
    facet: list[str] = typer.Option([], metavar="FACET", help="Only these facets."),
    metric: list[str] = typer.Option([], metavar="METRIC", help="Only these metrics."),
    match: list[str] = typer.Option([], metavar="MATCH", help="Only these matches."),
    type: list[str] = typer.Option([], metavar="TYPE", help="Only these types."),
    all: bool = typer.Option(False, "--all", help="Show every cell."),
    sparse: float = typer.Option(
        0.01, metavar="SHARE", help="Head to head, leave out subsets below this share of mentions."
    ),
    by_type: bool = typer.Option(False, "--by-type", help="Show the types of every facet, too."),
    method: str = typer.Option(
        "randomisation",
        metavar="NAME",
        help="The test of outputs: randomisation, bootstrap, or a plug-in's.",
    ),
    about: str | None = typer.Option(
        None,
        metavar="WHAT",
        help="Compare outputs (these files) or recipes (other training runs, too); recipes where "
        "a system has several runs.",
    ),
    same_seeds: bool = typer.Option(
        False, "--same-seeds", help="Runs of both systems belong together, in order."
    ),
    margin: float | None = typer.Option(
        None, metavar="POINTS", help="Test whether systems are equivalent: closer than this."
    ),
    correction: str = typer.Option(
        "holm", metavar="NAME", help="For many cells: holm, bonferroni, bh, by or none."
    ),
    simultaneous: bool = typer.Option(
        False, "--simultaneous", help="Intervals that hold for a whole family of cells at once."
    ),
    samples: int = typer.Option(10_000, metavar="N", help="How many swaps or resamples."),
    seed: int = typer.Option(0, metavar="N", help="The same seed gives the same numbers."),
    resample: str | None = typer.Option(None, metavar="UNIT", help=RESAMPLE_HELP),
    over: str | None = typer.Option(
        None,
        metavar="WHAT",
        help="What the datasets are: splits of one corpus, fixed (these alone), drawn (others like "
        "them, too), or domains (either); what the results say otherwise.",
    ),
    ratio: float | None = typer.Option(
        None, metavar="R", help="Of splits: test sentences by training sentences."
    ),
    changes: bool = typer.Option(
        False,
        "--changes",
        help="Count the mentions that B fixed, broke or got wrong like A, and list the first two.",
    ),
    plugin: list[str] = typer.Option([], metavar="FILE.py", help=PLUGIN_HELP),
    format: str = typer.Option("text", metavar="FORMAT", help=FORMAT_HELP),
    quiet: bool = typer.Option(False, "--quiet", "-q", help=QUIET_HELP),
) -> None:
    """Tell whether A is better than B, and where, from results alone."""
    from pathlib import Path
    from shutil import get_terminal_size

    from nerscope.errors import UsageError
    from nerscope.plugins import load_plugins
    from nerscope.render.comparison import changes_document, comparison_document
    from nerscope.results.compare import compare
    from nerscope.results.join import joined_results
    from nerscope.results.results import Results

    load_plugins(plugin)
    checked_format(format)
    loaded, pairs = Results.load(results), None
    if a is not None and a not in loaded.systems and Path(a).is_file():
        (loaded, pairs), a = joined_results(loaded, Results.load(a), results, a), None
    if changes:
        if a is None or b is None:
            raise UsageError(
                "--changes",
                "two systems are needed",
                "name them: nerscope compare RESULTS A B --changes",
            )
        columns = get_terminal_size().columns
        emit(changes_document(loaded, a, b, columns), format, quiet=quiet)
    found = compare(
        loaded,
        a,
        b,
        baseline=baseline,
        pairs=pairs,
        facets=facet or None,
        metrics=metric or None,
        matches=match or None,
        types=type or None,
        by_type=by_type,
        method=method,
        about=about,
        same_seeds=same_seeds,
        margin=margin,
        simultaneous=simultaneous,
        correction=correction,
        samples=samples,
        seed=seed,
        resample=resample,
        over=over,
        ratio=ratio,
    )
    cells = all or bool(facet or metric or match or type or by_type)
    if not 0 <= sparse <= 1:
        raise UsageError("--sparse", f"{sparse} cannot be", "give a share from 0 to 1")
    emit(comparison_document(found, loaded.signature, cells, sparse), format, quiet=quiet)
