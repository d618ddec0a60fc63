"""Score systems against gold, and show where they fail."""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import typer

from nerscope.cli.common import (
    CASE,
    CODES,
    FILE_HELP,
    NOTES,
    PLUGIN,
    QUIET,
    REPAIR,
    RESAMPLE,
    SIGNATURE,
    emit_and_exit,
    format_option,
    prepare,
    print_message,
    progress,
    shows_only_exact,
    status_line,
)
from nerscope.cli.options import (
    check_name,
    check_outputs,
    parse_edges,
    parse_renames,
    parse_systems,
    parse_zero_division,
    split_name,
)
from nerscope.cli.results_output import (
    LISTS,
    ListRequest,
    add_judgements,
    comparison_path,
    emit_results,
    judge_results,
    read_judges,
    result_files,
)
from nerscope.errors import UsageError

if TYPE_CHECKING:
    from nerscope.engines.checkpoint import Checkpoint
    from nerscope.results.judgements import JudgedFile

GROUP, RANK = "evaluate", 10


@dataclass(frozen=True)
class EvaluateOptions:
    test: str = typer.Argument(
        metavar="GOLD",
        help="The gold file; a file with the columns token, …, gold, predicted; an experiment "
        f"file (.toml); or - for standard input. {FILE_HELP}",
    )
    predictions: list[str] = typer.Argument(
        None, metavar="[PRED…]", help="Outputs of systems, each named after its file."
    )
    system: list[str] = typer.Option(
        [],
        metavar="[NAME=]FILE",
        help="A system's output. The same NAME again adds a run, and so does each file of a "
        "pattern: bert='bert.*.conll'.",
    )
    train: list[str] = typer.Option(
        [], metavar="FILE", help="Training data; repeated files are joined. Most facets need it."
    )
    dataset: str | None = typer.Option(
        None, metavar="NAME", help="Name of the dataset; default: the name of the gold file."
    )
    output: str | None = typer.Option(
        None,
        "-o",
        "--output",
        metavar="FILE",
        help="Save the results as JSON, for show, compare, errors, report …",
    )
    report: str | None = typer.Option(None, metavar="FILE", help="Write a report page (.html).")
    format: str = format_option("conlleval")
    facet: list[str] = typer.Option(
        [],
        metavar="FACET",
        help="Only this facet, or a subset such as 'tmr & type=ORG'; repeatable.",
    )
    match: list[str] = typer.Option(
        [],
        metavar="MATCH",
        help="Only this match, such as exact or 'iou(threshold=0.5)'; repeatable.",
    )
    metric: list[str] = typer.Option(
        [], metavar="METRIC", help="Only this metric, such as f1 or 'f(beta=0.5)'; repeatable."
    )
    intervals: bool = typer.Option(
        False, "--intervals", help="Compute a 95 % interval for every number."
    )
    resample: str | None = RESAMPLE
    repair: str = REPAIR
    token_repair: str = typer.Option(
        "strict",
        metavar="NAME",
        help="How invalid labels are read for token error rates: strict or conlleval.",
    )
    token_match: str = typer.Option(
        "bilou", metavar="NAME", help="Labels that token error rates compare: bilou or io."
    )
    zero_division: str = typer.Option(
        "undefined", metavar="VALUE", help="Value of 0/0: undefined, 0 or 1."
    )
    buckets: int = typer.Option(4, metavar="N", help="Number of buckets per attribute.")
    bucketing: str | None = typer.Option(
        None,
        metavar="NAME",
        help="Placement of bucket edges: equal-count, equal-width, whole-numbers, zero, "
        "zero-and-one. Default: that of each attribute.",
    )
    edges: list[str] = typer.Option(
        [], metavar="ATTR=E1,E2", help="Bucket edges of an attribute; repeatable."
    )
    case: str = CASE
    map: list[str] = typer.Option(
        [], metavar="OLD=NEW", help="Rename a type in gold, systems and training; repeatable."
    )
    drop: list[str] = typer.Option(
        [], metavar="TYPE", help="Ignore a type in gold, systems and training; repeatable."
    )
    all: bool = typer.Option(False, "--all", help="Show every table, not only the summary.")
    no_text: bool = typer.Option(
        False, "--no-text", help="Save no sentences with the results (licensed data)."
    )
    lists: list[str] = typer.Option(
        [],
        "--list",
        metavar="NAME",
        help=f"Print a list instead of tables: {', '.join(LISTS)}; repeatable.",
    )
    errors: str | None = typer.Option(
        None, metavar="FILE", help="Write one row per mention to FILE (.csv, .jsonl or .parquet)."
    )
    judgements: list[str] = typer.Option(
        [],
        metavar="FILE",
        help="Judgements of partial matches, exported by a report page; one file per judge.",
    )
    codes: bool = CODES
    notes: bool = NOTES
    signature: bool = SIGNATURE
    plugin: list[str] = PLUGIN
    engine: str | None = typer.Option(
        None,
        metavar="NAME",
        help="Where the work runs: local, pool, ray://HOST:PORT, or an engine of a plug-in.",
    )
    workers: int | None = typer.Option(
        None, metavar="N", help="Number of processes. Default: all cores; for an experiment, 1."
    )
    checkpoint: str | None = typer.Option(
        None, metavar="DIR", help="Save finished parts here, so that a stopped run can resume."
    )
    keep_mentions: bool = typer.Option(
        False, "--keep-mentions", help="Keep single mentions even beyond 120,000 sentences."
    )
    no_cache: bool = typer.Option(False, "--no-cache", help="Ignore cached parts of an experiment.")
    quiet: bool = QUIET


def run(options: EvaluateOptions) -> None:
    prepare(options.plugin, options.format)
    _check_options(options)
    judges = read_judges(options.judgements)
    if _is_experiment(options):
        _run_experiment(options, judges)
    else:
        _evaluate_files(options, judges)


def _is_experiment(options: EvaluateOptions) -> bool:
    return options.test.endswith(".toml")


# Options that belong into an experiment file, and so are refused beside one.
_SET_IN_EXPERIMENT = (
    *("predictions", "system", "train", "dataset", "map", "drop", "no_text"),
    *("facet", "match", "metric"),
    *("intervals", "resample", "edges", "repair", "token_repair", "token_match", "buckets"),
    *("zero_division", "bucketing", "case"),
)
# Options that an experiment does not have at all.
_NOT_IN_EXPERIMENT = ("lists", "errors", "checkpoint", "keep_mentions")


def _check_options(options: EvaluateOptions) -> None:
    """Refuse options that do not exist, or do not go together."""
    for name in options.lists:
        check_name("--list", name, LISTS)
    if _is_experiment(options):
        _check_experiment_options(options)
    beyond_exact = options.facet or options.match or options.metric or options.judgements
    if beyond_exact and shows_only_exact(options.format):
        raise UsageError(
            f"--format {options.format}",
            "this format shows exact scores and nothing else",
            "leave out --facet, --match, --metric and --judgements",
        )
    if options.lists and options.judgements:
        raise UsageError(
            "--judgements",
            "lists are printed instead of tables, and judgements are a table",
            "leave out --list, or evaluate twice",
        )
    for name in options.lists:
        if LISTS[name].needs_training and not options.train:
            raise UsageError(f"--list {name}", "this list needs training data", "--train FILE")


def _check_experiment_options(options: EvaluateOptions) -> None:
    infos: dict[str, Any] = {field.name: field.default for field in fields(options)}
    for name in (*_SET_IN_EXPERIMENT, *_NOT_IN_EXPERIMENT):
        if getattr(options, name) != infos[name].default:
            flag = infos[name].param_decls or [f"--{name.replace('_', '-')}"]
            raise UsageError(
                flag[0],
                "this option cannot be used with an experiment file",
                "write it into the file" if name in _SET_IN_EXPERIMENT else "leave it out",
            )


def _checkpoint(folder: str | None) -> "Checkpoint | None":
    if folder is None:
        return None
    from nerscope.engines.checkpoint import Checkpoint

    return Checkpoint(folder)


def _evaluate_files(options: EvaluateOptions, judges: Sequence["JudgedFile"]) -> None:
    from nerscope.evaluation.evaluate import evaluate
    from nerscope.formats.base import source_named
    from nerscope.stats.intervals import Sampling

    outputs = [*(options.predictions or []), *options.system]
    system_files = [split_name(text)[1] for text in outputs]
    inputs = [options.test, *options.train, *system_files, *options.plugin, *options.judgements]
    check_outputs([options.output, options.report, options.errors], inputs)
    # --resample is about intervals, so it asks for them.
    sampling = Sampling(options.resample) if options.intervals or options.resample else None
    gold, training = source_named(options.test), [source_named(path) for path in options.train]
    systems = parse_systems(outputs, gold) if outputs else None
    checkpoint, settings = _checkpoint(options.checkpoint), _settings(options)
    with progress("scoring", quiet=options.quiet) as on_progress, _note_checkpoint(options):
        results = evaluate(
            gold,
            systems,
            train=training or None,
            dataset=options.dataset,
            intervals=sampling,
            engine=options.engine,
            workers=_core_count() if options.workers is None else options.workers,
            plugins=options.plugin,
            progress=on_progress,
            checkpoint=checkpoint,
            **settings,
        )
    for note in results.folded_notes() if options.output or options.report else ():
        if not options.quiet:
            print_message(f"note: {note}")
    try:
        _emit_evaluation(options, judges, ListRequest(results, gold, systems, training, settings))
    except typer.Exit:
        # Everything is written and printed: only now the parts of the checkpoint may go.
        if checkpoint is not None:
            checkpoint.finish()
        raise


def _settings(options: EvaluateOptions) -> dict[str, Any]:
    """The fields of `nerscope.evaluation.task.Settings`."""
    from nerscope.scoring.matching import EXACT

    exact_only = shows_only_exact(options.format)
    # Lists of single mentions need every mention, however many sentences there are.
    keeps_mentions = bool(
        options.keep_mentions
        or options.errors
        or options.judgements
        or any(LISTS[name].needs_mentions for name in options.lists)
    )
    return {
        "facets": options.facet or (() if exact_only else None),
        "matches": options.match or ((EXACT,) if exact_only else None),
        "metrics": options.metric or None,
        "repair": options.repair,
        "token_repair": options.token_repair,
        "token_match": options.token_match,
        "zero_division": parse_zero_division("--zero-division", options.zero_division),
        "buckets": options.buckets,
        "bucketing": options.bucketing,
        "edges": parse_edges(options.edges),
        "case": options.case,
        "map": parse_renames(options.map),
        "drop": options.drop,
        "texts": not options.no_text,
        "fold": False if keeps_mentions else None,
    }


def _core_count() -> int:
    """The number of cores that this process may use."""
    allowed = getattr(os, "sched_getaffinity", None)  # Linux only; respects taskset and containers
    return len(allowed(0)) if allowed else os.cpu_count() or 1


@contextmanager
def _note_checkpoint(options: EvaluateOptions) -> Iterator[None]:
    """Say where the finished parts are if the user stops the program."""
    try:
        yield
    except KeyboardInterrupt:
        if options.checkpoint is not None:
            print_message(
                f"stopped; finished parts are in {options.checkpoint}. "
                "Fix: run the same command again to resume"
            )
        raise


def _emit_evaluation(
    options: EvaluateOptions, judges: Sequence["JudgedFile"], request: ListRequest
) -> NoReturn:
    """Write the files, and print the lists or the tables."""
    from nerscope.render.first_screen import first_screen
    from nerscope.render.tables import results_document

    results = request.results
    judged = judge_results(results, judges)
    files = result_files(results, options, judges, judged.data if judged else None)
    if options.errors:
        from nerscope.render.mentions import error_file

        files[options.errors] = error_file(options.errors, results.errors())
    if options.lists:
        from nerscope.render.mentions import list_document

        lists = [(LISTS[name].title, LISTS[name].rows(request)) for name in options.lists]
        emit_and_exit(list_document(lists), options.format, files=files, options=options)
    is_narrowed = options.all or options.facet or options.match or options.metric
    document = results_document(results) if is_narrowed else first_screen(results, options.output)
    document = add_judgements(document, judged)
    silent = options.format == "json" and bool(options.output)
    emit_and_exit(document, options.format, files=files, silent=silent, options=options)


def _run_experiment(options: EvaluateOptions, judges: Sequence["JudgedFile"]) -> None:
    """Run an experiment; its comparison, if any, is written beside the results."""
    from nerscope.experiment.cache import Cache
    from nerscope.experiment.config import load_experiment
    from nerscope.experiment.run import run_experiment

    experiment = load_experiment(options.test)
    inputs = [options.test, *experiment.inputs, *options.plugin, *options.judgements]
    check_outputs([options.output, options.report, comparison_path(options.output)], inputs)
    for note in experiment.notes if not options.quiet else ():
        print_message(f"note: {note}")
    folder = None if options.no_cache else Path(options.test).parent / ".nerscope-cache"
    with status_line() as show_step:
        results, comparison = run_experiment(
            experiment,
            cache=Cache(folder, print_message),
            engine=options.engine,
            workers=options.workers or 1,
            plugins=options.plugin,
            say=show_step,
        )
    emit_results(results, comparison, options, judges=judges)
