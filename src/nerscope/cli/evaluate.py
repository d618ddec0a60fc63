"""`nerscope evaluate`: score systems against a gold file, or run a whole experiment."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import typer

from nerscope.cli.common import (
    FILE_HELP,
    PLUGIN_HELP,
    REPAIR_HELP,
    checked_format,
    checked_name,
    checked_outputs,
    edges_of,
    emit,
    number_or_undefined,
    progress,
    say,
    steps,
    systems_of,
)

if TYPE_CHECKING:
    from nerscope.results.results import Results

_LISTS = ("hard", "partial", "confusion")


def command(
    test: str = typer.Argument(
        metavar="TEST", help=f"The gold file, or an experiment file (.toml). {FILE_HELP}"
    ),
    system: list[str] = typer.Option(
        [], metavar="NAME=FILE", help="A system's output; the same NAME again adds a run."
    ),
    train: str | None = typer.Option(
        None, metavar="FILE", help="The training data, which most facets need."
    ),
    dataset: str | None = typer.Option(None, metavar="NAME", help="What to call the dataset."),
    output: str | None = typer.Option(
        None, "-o", "--output", metavar="FILE", help="Write the results to this JSON file."
    ),
    format: str = typer.Option(
        "text",
        metavar="FORMAT",
        help="text, markdown, latex, csv, json, conlleval, or one of a plug-in.",
    ),
    facet: list[str] = typer.Option(
        [],
        metavar="FACET",
        help="Only this facet, or a subset such as 'tmr & type=ORG'; repeatable.",
    ),
    match: list[str] = typer.Option(
        [],
        metavar="MATCH",
        help="Only this match, such as exact or 'iou(threshold=0.5)'; repeatable.",
    ),
    metric: list[str] = typer.Option(
        [], metavar="METRIC", help="Only this metric, such as f1 or 'f(beta=0.5)'; repeatable."
    ),
    intervals: bool = typer.Option(False, "--intervals", help="Give 95 % intervals."),
    samples: int = typer.Option(
        10_000, metavar="N", help="How many resamples the intervals rest on."
    ),
    seed: int = typer.Option(0, metavar="N", help="The same seed gives the same intervals."),
    resample: str = typer.Option(
        "sentence", metavar="UNIT", help="What is resampled: sentence or document."
    ),
    repair: str = typer.Option("conlleval", metavar="NAME", help=REPAIR_HELP),
    token_repair: str = typer.Option(
        "strict",
        metavar="NAME",
        help="The same for token error rates (bilou): strict or conlleval.",
    ),
    token_match: str = typer.Option(
        "bilou", metavar="NAME", help="What token error rates compare: bilou or io."
    ),
    zero_division: str = typer.Option(
        "undefined", metavar="VALUE", help="What 0/0 is: undefined, 0 or 1."
    ),
    buckets: int = typer.Option(4, metavar="N", help="How many buckets an attribute has."),
    bucketing: str | None = typer.Option(
        None,
        metavar="NAME",
        help="How edges are placed: equal-count, equal-width, whole-numbers, zero, zero-and-one.",
    ),
    edges: list[str] = typer.Option(
        [], metavar="ATTR=E1,E2", help="The edges of an attribute's buckets; repeatable."
    ),
    list: list[str] = typer.Option(
        [], metavar="NAME", help="Print a list instead of tables: hard, partial, confusion."
    ),
    errors: str | None = typer.Option(
        None, metavar="FILE", help="Write one row a mention to FILE (.csv, .jsonl or .parquet)."
    ),
    plugin: list[str] = typer.Option([], metavar="FILE.py", help=PLUGIN_HELP),
    engine: str | None = typer.Option(
        None, metavar="NAME", help="Where the work is done: local, pool, or one of a plug-in."
    ),
    workers: int = typer.Option(1, metavar="N", help="How many processes do the work."),
    no_cache: bool = typer.Option(False, "--no-cache", help="Compute an experiment file anew."),
) -> None:
    """Score systems against a gold file, and show where they fail."""
    from nerscope.evaluation.evaluate import evaluate
    from nerscope.formats.base import path_of, source_named
    from nerscope.plugins import load_plugins
    from nerscope.stats.intervals import Sampling

    load_plugins(plugin)
    said = {name: value for name, value in locals().items() if name in _OPTIONS}
    _refuse_nonsense(test, said)
    if test.endswith(".toml"):
        _run_experiment(test, said)
    files = [
        path_of(text) for text in (test, train or "", *(one.partition("=")[2] for one in system))
    ]
    checked_outputs([output, errors], [*files, *plugin])
    plain = format == "conlleval"
    with progress("scoring") as report:
        results = evaluate(
            source_named(test),
            systems_of(system),
            train=source_named(train) if train else None,
            dataset=dataset,
            intervals=Sampling(resample, samples, seed) if intervals else None,
            engine=engine,
            workers=workers,
            plugins=plugin,
            progress=report,
            facets=facet or (() if plain else None),
            matches=match or (("exact",) if plain else None),
            metrics=metric or None,
            repair=repair,
            token_repair=token_repair,
            token_match=token_match,
            zero_division=number_or_undefined("--zero-division", zero_division),
            buckets=buckets,
            bucketing=bucketing,
            edges=edges_of(edges),
        )
    _hand_out(results, said)


# What has its place in an experiment file, and so not beside one.
_IN_THE_FILE: dict[str, Any] = {
    "system": [],
    "train": None,
    "dataset": None,
    "facet": [],
    "match": [],
    "metric": [],
    "intervals": False,
    "samples": 10_000,
    "seed": 0,
    "resample": "sentence",
    "edges": [],
    "repair": "conlleval",
    "token_repair": "strict",
    "token_match": "bilou",
    "buckets": 4,
    "zero_division": "undefined",
    "bucketing": None,
    "list": [],
    "errors": None,
}
_OPTIONS = {
    *_IN_THE_FILE,
    *("test", "output", "format", "plugin", "engine", "workers", "no_cache"),
}


def _refuse_nonsense(test: str, said: Mapping[str, Any]) -> None:
    """Options that do not exist, or do not go together."""
    from nerscope.errors import UsageError

    checked_format(said["format"])
    for name in said["list"]:
        checked_name("--list", name, _LISTS)
    if test.endswith(".toml"):
        for name, default in _IN_THE_FILE.items():
            if said[name] != default:
                raise UsageError(
                    f"--{name.replace('_', '-')}",
                    "it has no place beside an experiment file",
                    "put it into the file",
                )
    if said["format"] == "conlleval" and any(said[name] for name in ("facet", "match", "metric")):
        raise UsageError(
            "--format conlleval",
            "it shows exact scores and nothing else",
            "leave --facet, --match and --metric out",
        )
    if "hard" in said["list"] and not said["train"]:
        raise UsageError("--list hard", "it needs the training data", "give it with --train FILE")


def _hand_out(results: "Results", said: Mapping[str, Any]) -> None:
    """Write what goes to files, and print the rest."""
    from nerscope.render.lists import error_file, list_document
    from nerscope.render.tables import results_document

    files: dict[str, Any] = {}
    if said["errors"]:
        files[said["errors"]] = error_file(said["errors"], results.errors())
    if said["output"]:
        files[said["output"]] = results.to_json
    form = said["format"]
    if said["list"]:
        emit(list_document(_lists(results, said)), form, files=files)
    document = results_document(results)
    if form == "conlleval":
        say(f"signature: {results.signature}")
    emit(document, form, files=files, silent=form == "json" and bool(said["output"]))


def _lists(results: "Results", said: Mapping[str, Any]) -> list[tuple[str, list[dict[str, Any]]]]:
    """The lists that were asked for, each with its title."""
    from nerscope.dataset.hard_tokens import hard_tokens
    from nerscope.formats.base import source_named

    def hard() -> list[dict[str, Any]]:
        train, test = source_named(said["train"]), source_named(said["test"])
        return hard_tokens(train, test, repair=said["repair"])

    made = {
        "hard": ("The most frequent hard tokens", hard),
        "partial": ("Pairs with partial credit", results.partial_pairs),
        "confusion": ("Gold types against predicted types", results.confusion),
    }
    return [(made[name][0], made[name][1]()) for name in said["list"]]


def _run_experiment(path: str, said: Mapping[str, Any]) -> None:
    """Run an experiment; its comparison, if any, is written beside the results."""
    from pathlib import Path

    from nerscope.experiment.cache import Cache
    from nerscope.experiment.config import load_experiment
    from nerscope.experiment.run import run_experiment
    from nerscope.render.comparison import comparison_document
    from nerscope.render.document import Document, as_json
    from nerscope.render.tables import results_document
    from nerscope.results.files import is_special

    output, plugins = said["output"], said["plugin"]
    experiment = load_experiment(path)
    beside = None
    if output and not is_special(output):
        beside = str(Path(output).with_suffix(".comparison.json"))
    checked_outputs([output, beside], [path, *experiment.inputs, *plugins])
    for note in experiment.notes:
        say(f"note: {note}")
    folder = None if said["no_cache"] else Path(path).parent / ".nerscope-cache"
    with steps() as step:
        results, comparison = run_experiment(
            experiment,
            cache=Cache(folder, say),
            engine=said["engine"],
            workers=said["workers"],
            plugins=plugins,
            say=step,
        )
    shown, files = results_document(results), dict[str, Any]()
    if output:
        files[output] = results.to_json
    if comparison is not None:
        who_wins = comparison_document(comparison, results.signature, cells=False)
        shown = Document(
            [*shown.tables, *who_wins.tables],
            records=shown.records,
            notes=[*shown.notes, *comparison.notes],
            signature=shown.signature,
            results=results,
        )
        if beside:
            files[beside] = lambda: as_json(comparison.as_dict())
            say(f"the comparison is in {beside}")
    form = said["format"]
    emit(shown, form, files=files, silent=form == "json" and bool(output))
