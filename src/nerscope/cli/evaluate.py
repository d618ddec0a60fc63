"""`nerscope evaluate`: score systems against a gold file."""

import typer

from nerscope.cli.common import FILE_HELP, FORMATS, checked_format, checked_output, progress, systems_of, table_of

_LISTS = ("hard", "partial", "confusion")


def command(
    test: str = typer.Argument(metavar="TEST", help=f"The gold file. {FILE_HELP}"),
    system: list[str] = typer.Option([], metavar="NAME=FILE", help="A system's output; the same NAME again adds a run."),
    train: str | None = typer.Option(None, metavar="FILE", help="The training data, which most facets need."),
    dataset: str | None = typer.Option(None, metavar="NAME", help="What to call the dataset."),
    output: str | None = typer.Option(None, "-o", "--output", metavar="FILE", help="Write the results to this JSON file."),
    format: str = typer.Option("text", metavar="FORMAT", help="text, markdown, latex, csv, json or conlleval."),
    facet: list[str] = typer.Option([], metavar="FACET", help="Only these facets, or subsets such as 'tmr & type=ORG'."),
    match: list[str] = typer.Option([], metavar="MATCH", help="Only these matches, such as exact or 'iou(threshold=0.5)'."),
    metric: list[str] = typer.Option([], metavar="METRIC", help="Only these metrics, such as f1 or f0.5."),
    repair: str = typer.Option(
        "conlleval", metavar="NAME", help="How to read invalid labels: conlleval, strict, discard, none."
    ),
    token_repair: str = typer.Option("strict", metavar="NAME", help="The same for token error rates: strict or conlleval."),
    token_match: str = typer.Option("bilou", metavar="NAME", help="What token error rates compare: bilou or io."),
    zero_division: str = typer.Option("undefined", metavar="VALUE", help="What 0/0 is: undefined, 0 or 1."),
    buckets: int = typer.Option(4, metavar="N", help="How many buckets an attribute has."),
    bucketing: str | None = typer.Option(None, metavar="NAME", help="How edges are placed: equal-count, equal-width, …"),
    edges: list[str] = typer.Option([], metavar="ATTR=E1,E2", help="The edges of an attribute's buckets."),
    list: list[str] = typer.Option([], metavar="NAME", help="Print a list instead of tables: hard, partial or confusion."),
    errors: str | None = typer.Option(None, metavar="FILE", help="Write one row a mention to FILE (.csv, .jsonl or .parquet)."),
) -> None:
    """Score systems against a gold file, and show where they fail."""
    from nerscope.errors import UsageError, suggest
    from nerscope.evaluate import gather, prepare
    from nerscope.formats.conll import ConllFile
    from nerscope.render.conlleval import conlleval_text
    from nerscope.render.tables import overview
    from nerscope.render.writers import TABLE_WRITERS, rows_as_csv, with_conditions
    from nerscope.results import Results
    from nerscope.settings import Settings
    from nerscope.tabulate import tabulate

    checked_format(format, (*FORMATS, "conlleval"))
    for name in list:
        if name not in _LISTS:
            raise UsageError("--list", f"there is no list '{name}'", suggest(name, _LISTS))
    for path in (output, errors):
        checked_output(path)
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
    training = ConllFile.parse(train) if train else None
    prepared = prepare(ConllFile.parse(test), systems_of(system), training, dataset, settings)
    with progress("scoring") as report:
        evidence, about, losses = gather(prepared, report)
    results = Results(tabulate(evidence, settings.zero_division), about, losses, [evidence])
    if errors:
        from nerscope.cli.listing import write_errors

        write_errors(prepared, errors)
    if output:
        results.save(output)
    if list:
        from nerscope.cli.listing import lists

        tables = [table_of(title, rows) for name in list for title, rows in lists(prepared, name)]
        typer.echo(TABLE_WRITERS[format if format in TABLE_WRITERS else "text"](tables), nl=False)
        return
    if format == "json" and not output:
        typer.echo(results.to_json(), nl=False)
    elif format == "csv":
        typer.echo(rows_as_csv(results), nl=False)
    elif format == "conlleval":
        typer.echo(conlleval_text(results), nl=False)
        typer.echo(f"signature: {results.signature}", err=True)
    elif format != "json":
        typer.echo(with_conditions(TABLE_WRITERS[format](overview(results)), format, results), nl=False)
    if format in ("json", "csv", "conlleval"):
        for loss in losses:
            typer.echo(f"nerscope: note: {loss['places'][0]}: {loss['message']}", err=True)


def _zero_division(text: str) -> float | None:
    from nerscope.errors import UsageError

    if text == "undefined":
        return None
    try:
        return float(text)
    except ValueError:
        raise UsageError("--zero-division", f"'{text}' is no number", "give undefined, 0 or 1") from None


def _edges(text: str) -> tuple[str, list[float]]:
    from nerscope.errors import UsageError

    name, _, numbers = text.partition("=")
    try:
        return name, [float(number) for number in numbers.split(",")]
    except ValueError:
        raise UsageError(f"--edges {text}", "it cannot be read", "write for example --edges eLen=1,3,5") from None
