"""Test whether A is better than B, and where."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import typer

from nerscope.cli.common import (
    CODES,
    FORMAT,
    NOTES,
    PLUGIN,
    QUIET,
    RESAMPLE,
    RESULTS,
    SEED,
    SIGNATURE,
    emit_and_exit,
    load_results,
)
from nerscope.errors import UsageError

if TYPE_CHECKING:
    from nerscope.results.results import Results

GROUP, RANK = "compare", 60


@dataclass(frozen=True)
class CompareOptions:
    results: str = RESULTS
    a: str | None = typer.Argument(
        None, metavar="[A]", help="A system, or newer results on the same gold data."
    )
    b: str | None = typer.Argument(
        None, metavar="[B]", help="Another system. Without names: all pairs."
    )
    baseline: str | None = typer.Option(
        None, metavar="NAME", help="Compare each system with this one."
    )
    facet: list[str] = typer.Option([], metavar="FACET", help="Only this facet; repeatable.")
    metric: list[str] = typer.Option([], metavar="METRIC", help="Only this metric; repeatable.")
    match: list[str] = typer.Option([], metavar="MATCH", help="Only this match; repeatable.")
    type: list[str] = typer.Option([], metavar="TYPE", help="Only this type; repeatable.")
    all: bool = typer.Option(False, "--all", help="Show every number that was compared.")
    sparse: float = typer.Option(
        0.01, metavar="SHARE", help="Smallest share of mentions for a head-to-head verdict."
    )
    by_type: bool = typer.Option(
        False, "--by-type", help="Compare the types within every facet, too."
    )
    method: str = typer.Option(
        "randomisation",
        metavar="NAME",
        help="Test of outputs: randomisation, bootstrap, or a test of a plug-in.",
    )
    about: str | None = typer.Option(
        None,
        metavar="WHAT",
        help="What is compared: outputs (these files) or recipes (the methods, allowing for other "
        "training runs). Default: recipes if a system has several runs.",
    )
    same_seeds: bool = typer.Option(
        False, "--same-seeds", help="Pair the runs of both systems, in order."
    )
    margin: float | None = typer.Option(
        None, metavar="POINTS", help="Also test whether systems are equivalent within this margin."
    )
    plausible: float = typer.Option(
        1.0,
        metavar="POINTS",
        help="A plausible true difference: a warning is printed if a significant result would "
        "often exaggerate it.",
    )
    correction: str = typer.Option(
        "step-down",
        metavar="NAME",
        help="Correction for many tests: step-down, holm, bonferroni, bh, by or none.",
    )
    simultaneous: bool = typer.Option(
        False, "--simultaneous", help="Intervals that hold for all numbers of a family at once."
    )
    samples: int = typer.Option(10_000, metavar="N", help="Number of random swaps or resamples.")
    seed: int = SEED
    resample: str | None = RESAMPLE
    datasets: list[str] = typer.Option(
        [], metavar="NAME[,NAME]", help="Only these datasets; repeatable."
    )
    over: str | None = typer.Option(
        None,
        metavar="WHAT",
        help="What the datasets are: splits of one corpus, fixed (these alone), drawn (a sample of "
        "others like them), or domains (both). Default: what the results say.",
    )
    ratio: float | None = typer.Option(
        None, metavar="R", help="For splits: test sentences divided by training sentences."
    )
    ranking: bool = typer.Option(
        False,
        "--ranking",
        help="Only rank the systems, with groups that do not differ and rank probabilities.",
    )
    rope: float | None = typer.Option(
        None,
        metavar="POINTS",
        help="Over datasets: probability that systems are equivalent within this margin.",
    )
    stochastic_order: bool = typer.Option(
        False,
        "--stochastic-order",
        help="Add almost stochastic order to the table of runs; needs 10 runs per system.",
    )
    contrast: tuple[str, str] | None = typer.Option(
        None,
        metavar="CELL CELL",
        help="Compare two groups within each system, such as hard=diff hard=unseen.",
    )
    changes: bool = typer.Option(
        False,
        "--changes",
        help="Count the mentions that B fixed and broke against A, and print them.",
    )
    codes: bool = CODES
    notes: bool = NOTES
    signature: bool = SIGNATURE
    plugin: list[str] = PLUGIN
    format: str = FORMAT
    quiet: bool = QUIET


def run(options: CompareOptions) -> None:
    from nerscope.corpus.units import ALL
    from nerscope.render.comparison import comparison_document
    from nerscope.render.ranking import ranking_document
    from nerscope.results.compare import compare
    from nerscope.scoring.matching import EXACT
    from nerscope.scoring.metrics import RECALL

    if not 0 <= options.sparse <= 1:
        raise UsageError("--sparse", f"invalid value {options.sparse}", "give a share from 0 to 1")
    if options.ranking and (options.a or options.b or options.baseline):
        raise UsageError(
            "--ranking", "a ranking has all systems", "leave out system names and --baseline"
        )
    loaded, a, pairs = _load(options)
    if options.changes:
        _emit_changes(loaded, a, options)
    if options.contrast:
        _emit_contrast(loaded, options.contrast, options)
    comparison = compare(
        loaded,
        a,
        options.b,
        baseline=options.baseline,
        pairs=pairs,
        facets=_facets(loaded, options),
        metrics=options.metric or None,
        matches=options.match or None,
        types=options.type or None,
        by_type=options.by_type,
        method=options.method,
        about=options.about,
        same_seeds=options.same_seeds,
        margin=options.margin,
        plausible=options.plausible,
        simultaneous=options.simultaneous,
        correction=options.correction,
        samples=options.samples,
        seed=options.seed,
        resample=options.resample,
        datasets=named_datasets(loaded, options.datasets),
        over=options.over,
        ratio=options.ratio,
        rope=options.rope,
        stochastic_order=options.stochastic_order,
    )
    if options.ranking:
        document = ranking_document(comparison, loaded.signature)
        emit_and_exit(document, options.format, options=options)
    narrowed = options.facet or options.metric or options.match or options.type or options.by_type
    overall = loaded.select(run=None, facet=ALL, type=None, match=EXACT, metric=RECALL)
    document = comparison_document(
        comparison,
        loaded.signature,
        options.all or bool(narrowed),
        options.sparse,
        {row.dataset: row.n for row in overall},
    )
    emit_and_exit(document, options.format, options=options)


def _facets(results: "Results", options: CompareOptions) -> list[str] | None:
    """The facets to compare: of a ranking, the one with the number that ranks."""
    from nerscope.results.ranking import ranking_facet

    if options.ranking and not options.facet:
        return [ranking_facet(results, next(iter(options.metric), None))]
    return options.facet or None


def _load(options: CompareOptions) -> tuple["Results", str | None, list[tuple[str, str]] | None]:
    """The results, the name of system A, and the pairs to compare if A is another results file."""
    from nerscope.results.joining import join_results
    from nerscope.results.results import Results

    loaded = load_results(options.results, options.plugin, options.format)
    a = options.a
    if a is None or a in loaded.systems or not Path(a).is_file():
        return loaded, a, None
    joined, pairs = join_results(loaded, Results.load(a), options.results, a)
    return joined, None, pairs


def named_datasets(results: "Results", given: list[str]) -> list[str] | None:
    """The names in `--datasets a,b --datasets c`; a name may itself hold a comma."""
    known = {part.dataset for part in results.evidence}
    names = (name for text in given for name in ([text] if text in known else text.split(",")))
    return [name for name in names if name] or None


def _emit_contrast(results: "Results", cells: tuple[str, str], options: CompareOptions) -> NoReturn:
    from nerscope.render.contrasts import contrast_document
    from nerscope.results.contrast import contrast

    for name in ("baseline", "facet", "match", "type"):
        if getattr(options, name):
            raise UsageError(f"--{name}", "--contrast names its groups", f"leave out --{name}")
    if len(options.metric) > 1:
        raise UsageError("--metric", "a contrast has one metric", "give one --metric")
    rows = contrast(
        results,
        *cells,
        metric=options.metric[0] if options.metric else None,
        systems=[name for name in (options.a, options.b) if name is not None],
        datasets=named_datasets(results, options.datasets),
        about=options.about,
        correction=options.correction,
        resample=options.resample,
    )
    document = contrast_document(rows, options.correction, results.signature)
    emit_and_exit(document, options.format, options=options)


def _emit_changes(results: "Results", a: str | None, options: CompareOptions) -> NoReturn:
    from shutil import get_terminal_size

    from nerscope.render.changes import changes_document

    if a is None or options.b is None:
        raise UsageError(
            "--changes",
            "two systems are needed",
            f"nerscope compare {options.results} A B --changes",
        )
    columns = get_terminal_size().columns
    document = changes_document(results, a, options.b, columns)
    emit_and_exit(document, options.format, options=options)
