"""`nerscope evaluate`: score systems against a gold file, or run a whole experiment."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import typer

from nerscope.cli.common import (
    FILE_HELP,
    FORMATS,
    checked_format,
    checked_output,
    progress,
    steps,
    systems_of,
)

if TYPE_CHECKING:
    from nerscope.evaluation.passes import Prepared
    from nerscope.evaluation.settings import Settings
    from nerscope.results.results import Results
    from nerscope.stats.intervals import Sampling

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
        "text", metavar="FORMAT", help="text, markdown, latex, csv, json or conlleval."
    ),
    facet: list[str] = typer.Option(
        [],
        metavar="FACET",
        help="Only this facet, or a subset such as 'tmr & type=ORG'; may be repeated.",
    ),
    match: list[str] = typer.Option(
        [],
        metavar="MATCH",
        help="Only this match, such as exact or 'iou(threshold=0.5)'; may be repeated.",
    ),
    metric: list[str] = typer.Option(
        [], metavar="METRIC", help="Only this metric, such as f1 or f0.5; may be repeated."
    ),
    intervals: bool = typer.Option(False, "--intervals", help="Give 95 % intervals."),
    samples: int = typer.Option(
        10_000, metavar="N", help="How many resamples the intervals rest on."
    ),
    seed: int = typer.Option(0, metavar="N", help="The same seed gives the same intervals."),
    resample: str = typer.Option(
        "sentence", metavar="UNIT", help="What is resampled: sentence or document."
    ),
    repair: str = typer.Option(
        "conlleval",
        metavar="NAME",
        help="How to read invalid labels: conlleval, strict, discard, none.",
    ),
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
        [], metavar="ATTR=E1,E2", help="The edges of an attribute's buckets; may be repeated."
    ),
    list: list[str] = typer.Option(
        [],
        metavar="NAME",
        help="Print a list instead of tables: hard, partial or confusion; may be repeated.",
    ),
    errors: str | None = typer.Option(
        None, metavar="FILE", help="Write one row a mention to FILE (.csv, .jsonl or .parquet)."
    ),
    plugin: list[str] = typer.Option(
        [],
        metavar="FILE.py",
        help="Python file that registers your own facets, matches or metrics.",
    ),
    workers: int = typer.Option(
        1, metavar="N", help="Processes that score the runs of an experiment file."
    ),
    no_cache: bool = typer.Option(False, "--no-cache", help="Compute an experiment file anew."),
) -> None:
    """Score systems against a gold file, and show where they fail."""
    from nerscope.evaluation.settings import Settings
    from nerscope.plugins import load_plugins
    from nerscope.stats.intervals import Sampling

    chosen = {"facet": facet, "match": match, "metric": metric}
    said = {
        "system": system,
        "train": train,
        "dataset": dataset,
        **chosen,
        "intervals": intervals,
        "list": list,
    }
    said |= {"errors": errors, "edges": edges}
    _refuse_nonsense(format, list, chosen, said if test.endswith(".toml") else {})
    inputs = [
        text.partition("::")[0]
        for text in (test, train or "", *(text.partition("=")[2] for text in system))
    ]
    for path in (output, errors):
        checked_output(path, inputs)
    load_plugins(plugin)
    if test.endswith(".toml"):
        _run_experiment(test, workers, no_cache, plugin, output, format)
        return
    settings = Settings.of(
        {
            "facets": facet or (() if format == "conlleval" else None),
            "matches": match or (("exact",) if format == "conlleval" else None),
            "metrics": metric or None,
            "repair": repair,
            "token_repair": token_repair,
            "token_match": token_match,
            "zero_division": _zero_division(zero_division),
            "buckets": buckets,
            "bucketing": bucketing,
            "edges": dict(map(_edges, edges)),
        }
    )
    prepared = _prepared(test, system, train, dataset, settings)
    results = _results(prepared, Sampling(resample, samples, seed) if intervals else None)
    _hand_out(results, prepared, output, format, errors, list)


def _refuse_nonsense(
    form: str, lists: Sequence[str], chosen: Mapping[str, object], beside: Mapping[str, object]
) -> None:
    """Options that do not exist, or do not go together."""
    from nerscope.errors import UsageError, suggest

    checked_format(form, (*FORMATS, "conlleval"))
    for name in lists:
        if name not in _LISTS:
            raise UsageError("--list", f"there is no list '{name}'", suggest(name, _LISTS))
    for name, value in beside.items():
        if value:
            raise UsageError(
                f"--{name}", "it has no place beside an experiment file", "put it into the file"
            )
    if form == "conlleval" and any(chosen.values()):
        remedy = "leave --facet, --match and --metric out"
        raise UsageError("--format conlleval", "it shows exact scores and nothing else", remedy)


def _hand_out(
    results: "Results",
    prepared: "Prepared",
    output: str | None,
    form: str,
    errors: str | None,
    lists: Sequence[str],
) -> None:
    """Write what goes to files, and print the rest."""
    from nerscope.cli.listing import show_lists, write_errors
    from nerscope.cli.show import show

    if errors:
        write_errors(prepared, errors)
    if output:
        results.save(output)
    if lists:
        show_lists(prepared, lists, form)
    else:
        show(results, form, saved=output is not None)


def _prepared(
    test: str, system: Sequence[str], train: str | None, dataset: str | None, settings: "Settings"
) -> "Prepared":
    from nerscope.evaluation.passes import prepare
    from nerscope.formats.conll import ConllFile

    training = ConllFile.parse(train) if train else None
    return prepare(ConllFile.parse(test), systems_of(system), training, dataset, settings)


def _results(prepared: "Prepared", sampling: "Sampling | None") -> "Results":
    from nerscope.evaluation.evaluate import results_of

    with progress("scoring") as report:
        return results_of(prepared, sampling, report)


def _run_experiment(
    path: str, workers: int, no_cache: bool, plugins: Sequence[str], output: str | None, form: str
) -> None:
    """Run an experiment; its comparison, if any, is written beside the results."""
    import json
    from pathlib import Path

    from nerscope.cli.show import show, show_comparison
    from nerscope.experiment.cache import Cache
    from nerscope.experiment.run import load_experiment, run_experiment
    from nerscope.results.results import write_text

    def say(note: str) -> None:
        typer.echo(f"nerscope: {note}", err=True)

    experiment = load_experiment(path)
    for note in experiment.notes:
        say(f"note: {note}")
    folder = None if no_cache else Path(path).parent / ".nerscope-cache"
    with steps() as step:
        results, comparison = run_experiment(
            experiment, cache=Cache(folder, say), workers=workers, plugins=plugins, say=step
        )
    if output:
        results.save(output)
    show(results, form, saved=output is not None)
    if comparison is not None:
        show_comparison(comparison, form)
        if output:
            beside = Path(output).with_suffix(".comparison.json")
            write_text(
                beside,
                json.dumps(comparison.as_dict(), ensure_ascii=False, allow_nan=False, indent=1)
                + "\n",
            )
            say(f"the comparison is in {beside}")


def _zero_division(text: str) -> float | None:
    from nerscope.errors import UsageError

    if text == "undefined":
        return None
    try:
        return float(text)
    except ValueError:
        raise UsageError(
            "--zero-division", f"'{text}' is no number", "give undefined, 0 or 1"
        ) from None


def _edges(text: str) -> tuple[str, "list[float]"]:
    from nerscope.errors import UsageError

    name, _, numbers = text.partition("=")
    try:
        return name, [float(number) for number in numbers.split(",")]
    except ValueError:
        raise UsageError(
            f"--edges {text}", "it cannot be read", "write for example --edges eLen=1,3,5"
        ) from None
