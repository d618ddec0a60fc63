"""`nerscope evaluate`: score systems against a gold file, or run a whole experiment."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

import typer

from nerscope.cli.common import (
    FILE_HELP,
    PLUGIN_HELP,
    QUIET_HELP,
    REPAIR_HELP,
    RESAMPLE_HELP,
    all_cores,
    checked_format,
    checked_name,
    checked_outputs,
    edges_of,
    emit,
    number_or_undefined,
    progress,
    renames_of,
    say,
    steps,
    systems_of,
)
from nerscope.cli.experiments import beside, files_of, hand_out, judged_of, judges_of, with_judged

if TYPE_CHECKING:
    from nerscope.formats.base import Source
    from nerscope.results.results import Results
    from nerscope.stats.intervals import Sampling

_Rows = list[dict[str, Any]]


def command(
    test: str = typer.Argument(
        metavar="TEST",
        help="The gold file; a file of three columns, whose last is predicted; an experiment "
        f"file (.toml); or - for standard input. {FILE_HELP}",
    ),
    system: list[str] = typer.Option(
        [], metavar="NAME=FILE", help="A system's output; the same NAME again adds a run."
    ),
    train: list[str] = typer.Option(
        [], metavar="FILE", help="The training data, which most facets need; several are one."
    ),
    dataset: str | None = typer.Option(None, metavar="NAME", help="What to call the dataset."),
    output: str | None = typer.Option(
        None, "-o", "--output", metavar="FILE", help="Write the results to this JSON file."
    ),
    report: str | None = typer.Option(
        None, metavar="FILE", help="Write a page that shows where systems fail (.html)."
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
    resample: str | None = typer.Option(None, metavar="UNIT", help=RESAMPLE_HELP),
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
    map: list[str] = typer.Option(
        [], metavar="OLD=NEW", help="Let a type count as another, on all sides; repeatable."
    ),
    drop: list[str] = typer.Option(
        [], metavar="TYPE", help="Leave a type out, on all sides; repeatable."
    ),
    all: bool = typer.Option(False, "--all", help="Show every table, not only the summary."),
    no_text: bool = typer.Option(
        False, "--no-text", help="Keep no sentences in the results, for data under licence."
    ),
    list: list[str] = typer.Option(
        [],
        metavar="NAME",
        help="A list instead of tables: hard, hard-errors, partial, confusion, types, unaligned.",
    ),
    errors: str | None = typer.Option(
        None, metavar="FILE", help="Write one row a mention to FILE (.csv, .jsonl or .parquet)."
    ),
    judgements: list[str] = typer.Option(
        [],
        metavar="FILE",
        help="What a person said of partial matches: the JSON that a report page exports; "
        "repeatable, one a judge.",
    ),
    plugin: list[str] = typer.Option([], metavar="FILE.py", help=PLUGIN_HELP),
    engine: str | None = typer.Option(
        None,
        metavar="NAME",
        help="Where the work is done: local, pool, ray://HOST:PORT, or one of a plug-in.",
    ),
    workers: int | None = typer.Option(
        None, metavar="N", help="How many processes do the work: all cores; for an experiment, 1."
    ),
    checkpoint: str | None = typer.Option(
        None, metavar="DIR", help="Keep what is done here, so that a stopped run goes on."
    ),
    keep_mentions: bool = typer.Option(
        False, "--keep-mentions", help="Keep single mentions of more than 120,000 sentences too."
    ),
    no_cache: bool = typer.Option(False, "--no-cache", help="Compute an experiment file anew."),
    quiet: bool = typer.Option(False, "--quiet", "-q", help=QUIET_HELP),
) -> None:
    """Score systems against a gold file, and show where they fail."""
    from nerscope.engines.checkpoint import checkpoint_of
    from nerscope.evaluation.evaluate import evaluate
    from nerscope.formats.base import source_named
    from nerscope.plugins import load_plugins

    load_plugins(plugin)
    said = {name: value for name, value in locals().items() if name in _OPTIONS}
    _refuse_nonsense(test, said)
    said["judges"] = judges_of(judgements)
    if test.endswith(".toml"):
        _run_experiment(test, said)
    files = [test, *train, *(one.partition("=")[2] for one in system)]
    checked_outputs([output, report, errors], [*files, *plugin, *judgements])
    sampling = _sampling(resample) if intervals or resample else None
    plain = format == "conlleval"
    gold, training = source_named(test), [source_named(one) for one in train]
    needs_mentions = bool(keep_mentions or errors or judgements or _OF_MENTIONS & {*list})
    kept = checkpoint_of(checkpoint)
    with progress("scoring", quiet=quiet) as done, _stopping(checkpoint):
        results = evaluate(
            gold,
            systems_of(system) if system else None,
            train=training or None,
            dataset=dataset,
            intervals=sampling if intervals else None,
            engine=engine,
            workers=all_cores() if workers is None else workers,
            plugins=plugin,
            progress=done,
            checkpoint=kept,
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
            map=renames_of(map),
            drop=drop,
            texts=not no_text,
            fold=False if needs_mentions else None,
        )
    for note in results.folded_notes() if (output or report) and not quiet else ():
        say(f"note: {note}")
    try:
        _hand_out(results, said, gold if system else gold.two_sides()[0], training)
    except typer.Exit:  # all is written and printed
        if kept is not None:
            kept.finish()
        raise


@contextmanager
def _stopping(checkpoint: str | None) -> Iterator[None]:
    """Tell whoever stops the program what remains of it."""
    try:
        yield
    except KeyboardInterrupt:
        if checkpoint is not None:
            say(f"stopped; what is done is kept in {checkpoint}: the same command goes on")
        raise


def _sampling(resample: str | None) -> "Sampling":
    from nerscope.stats.intervals import Sampling

    return Sampling(resample)


# What has its place in an experiment file, and so not beside one.
_IN_THE_FILE: dict[str, Any] = {
    "system": [],
    "train": [],
    "dataset": None,
    "map": [],
    "drop": [],
    "no_text": False,
    "facet": [],
    "match": [],
    "metric": [],
    "intervals": False,
    "resample": None,
    "edges": [],
    "repair": "conlleval",
    "token_repair": "strict",
    "token_match": "bilou",
    "buckets": 4,
    "zero_division": "undefined",
    "bucketing": None,
}
_OF_ONE_EVALUATION: dict[str, Any] = {  # what has no place in an experiment at all
    "list": [],
    "errors": None,
    "checkpoint": None,
    "keep_mentions": False,
}
_OPTIONS = {
    *_IN_THE_FILE,
    *_OF_ONE_EVALUATION,
    *("test", "output", "report", "judgements", "format", "plugin", "engine", "workers"),
    *("no_cache", "all", "quiet"),
}
_BEYOND_EXACT = ("facet", "match", "metric", "judgements")


def _refuse_nonsense(test: str, said: Mapping[str, Any]) -> None:
    """Options that do not exist, or do not go together."""
    from nerscope.errors import UsageError

    checked_format(said["format"])
    for name in said["list"]:
        checked_name("--list", name, _LISTS)
    if test.endswith(".toml"):
        for name, default in {**_IN_THE_FILE, **_OF_ONE_EVALUATION}.items():
            if said[name] != default:
                raise UsageError(
                    f"--{name.replace('_', '-')}",
                    "it has no place beside an experiment file",
                    "put it into the file" if name in _IN_THE_FILE else "leave it out",
                )
    if said["format"] == "conlleval" and any(said[name] for name in _BEYOND_EXACT):
        raise UsageError(
            "--format conlleval",
            "it shows exact scores and nothing else",
            "leave --facet, --match, --metric and --judgements out",
        )
    if said["list"] and said["judgements"]:
        raise UsageError(
            "--judgements",
            "lists are shown instead of tables, and this is a table",
            "leave --list out, or evaluate twice",
        )
    needy = [name for name in said["list"] if name.startswith("hard")]
    if needy and not said["train"]:
        raise UsageError(
            f"--list {needy[0]}", "it needs the training data", "give it with --train FILE"
        )


def _hand_out(
    results: "Results", said: Mapping[str, Any], gold: "Source", training: Sequence["Source"]
) -> None:
    """Write what goes to files, and print the rest."""
    from nerscope.render.lists import error_file, list_document
    from nerscope.render.summary import summary_document
    from nerscope.render.tables import results_document

    judged = judged_of(results, said["judges"])
    files = files_of(results, said, said["judges"], judged.data if judged else None)
    if said["errors"]:
        files[said["errors"]] = error_file(said["errors"], results.errors())
    form = said["format"]
    quiet = said["quiet"]
    if said["list"]:
        given = _Given(results, said, gold, training)
        lists = [(_LISTS[name].title, _LISTS[name].rows(given)) for name in said["list"]]
        emit(list_document(lists), form, files=files, quiet=quiet)
    chosen = any(said[name] for name in ("all", "facet", "match", "metric"))
    document = results_document(results) if chosen else summary_document(results)
    document = with_judged(document, judged)
    if form == "conlleval" and not quiet:
        say(f"signature: {results.signature}")
    silent = form == "json" and bool(said["output"])
    emit(document, form, files=files, silent=silent, quiet=quiet)


class _Given(NamedTuple):
    """What lists are made of."""

    results: "Results"
    said: Mapping[str, Any]
    gold: "Source"
    training: Sequence["Source"]

    def sides(self) -> tuple["Source", Any]:
        """The gold file and the outputs, or the one file that has both."""
        from nerscope.formats.base import source_named

        if self.said["system"]:
            return self.gold, systems_of(self.said["system"])
        return source_named(self.said["test"]), None

    def options(self, *names: str) -> dict[str, Any]:
        """Options by these names, and what becomes of types."""
        own = {name: self.said[name] for name in names}
        return {**own, "map": renames_of(self.said["map"]), "drop": self.said["drop"]}


def _hard(given: _Given) -> _Rows:
    from nerscope.dataset.hard_tokens import hard_tokens
    from nerscope.formats.base import Several

    return hard_tokens(Several(given.training), given.gold, **given.options("repair"))


def _hard_errors(given: _Given) -> _Rows:
    from nerscope.evaluation.hard_errors import hard_errors
    from nerscope.evaluation.plan import open_task
    from nerscope.evaluation.settings import Settings

    options = given.options("repair", "token_repair", "token_match")
    settings = Settings.of({"facets": ("hard", "hard-strict"), **options})
    return hard_errors(open_task(*given.sides(), given.training, None, settings))


def _types(given: _Given) -> _Rows:
    from nerscope.evaluation.coverage import coverage

    return coverage(*given.sides(), **given.options("repair"))


def _unaligned(given: _Given) -> _Rows:
    from nerscope.results.unaligned import unaligned

    return unaligned(given.results)


class _List(NamedTuple):
    title: str
    rows: Callable[[_Given], _Rows]


_LISTS = {
    "hard": _List("The most frequent hard tokens", _hard),
    "hard-errors": _List("Hard tokens that are labelled wrong most often", _hard_errors),
    "partial": _List("Pairs with partial credit", lambda given: given.results.partial_pairs()),
    "confusion": _List(
        "Gold types against predicted types", lambda given: given.results.confusion()
    ),
    "types": _List("Types as they are written, and what they count as", _types),
    "unaligned": _List("Mentions that do not fit the tokens of gold", _unaligned),
}
_OF_MENTIONS = {"partial", "confusion", "unaligned"}  # lists that are made of single mentions


def _run_experiment(path: str, said: Mapping[str, Any]) -> None:
    """Run an experiment; its comparison, if any, is written beside the results."""
    from pathlib import Path

    from nerscope.experiment.cache import Cache
    from nerscope.experiment.config import load_experiment
    from nerscope.experiment.run import run_experiment

    plugins = said["plugin"]
    experiment = load_experiment(path)
    inputs = [path, *experiment.inputs, *plugins, *said["judgements"]]
    checked_outputs([said["output"], said["report"], beside(said["output"])], inputs)
    for note in experiment.notes if not said["quiet"] else ():
        say(f"note: {note}")
    folder = None if said["no_cache"] else Path(path).parent / ".nerscope-cache"
    with steps() as step:
        results, comparison = run_experiment(
            experiment,
            cache=Cache(folder, say),
            engine=said["engine"],
            workers=said["workers"] or 1,
            plugins=plugins,
            say=step,
        )
    hand_out(results, comparison, said, judges=said["judges"])
