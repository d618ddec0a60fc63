"""Print any table of saved results, in any format."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, NoReturn

import typer

from nerscope.cli.common import (
    CODES,
    FORMAT,
    NOTES,
    PLUGIN,
    QUIET,
    RESULTS,
    SIGNATURE,
    emit_and_exit,
    load_results,
    prepare,
    shows_only_exact,
)
from nerscope.errors import UsageError

if TYPE_CHECKING:
    from nerscope.render.document import Document
    from nerscope.results.results import Results

GROUP, RANK = "evaluate", 20


@dataclass(frozen=True)
class ShowOptions:
    results: str = RESULTS
    table: list[str] = typer.Option(
        [],
        metavar="NAME",
        help="exact, types, partial, pairs, errors, weakest, datasets, or a facet; repeatable. "
        "Default: the summary.",
    )
    system: list[str] = typer.Option([], metavar="NAME", help="Only these systems, in this order.")
    only: list[str] = typer.Option(
        [],
        "--only",
        "--column",
        metavar="NAME",
        help="Only these levels, types, matches or metrics, in this order.",
    )
    metric: str | None = typer.Option(None, metavar="METRIC", help="The metric of the table.")
    match: str | None = typer.Option(None, metavar="MATCH", help="The match of the table.")
    sort: str | None = typer.Option(
        None, metavar="COLUMN", help="Sort rows by this column: a system, a metric, or n."
    )
    against: str | None = typer.Option(
        None, metavar="NAME", help="Mark what differs significantly from this system (†)."
    )
    no_intervals: bool = typer.Option(False, "--no-intervals", help="Leave out the intervals.")
    no_n: bool = typer.Option(False, "--no-n", help="Leave out the denominators.")
    caption: str | None = typer.Option(None, metavar="TEXT", help="The caption, for LaTeX.")
    label: str | None = typer.Option(None, metavar="NAME", help="The label, for LaTeX.")
    all: bool = typer.Option(False, "--all", help="Show every table and every row.")
    codes: bool = CODES
    notes: bool = NOTES
    signature: bool = SIGNATURE
    plugin: list[str] = PLUGIN
    format: str = FORMAT
    quiet: bool = QUIET


def run(options: ShowOptions) -> None:
    from dataclasses import replace

    from nerscope.annotation.agreement import is_agreement_file
    from nerscope.render.first_screen import first_screen
    from nerscope.render.tables import results_document

    if is_agreement_file(options.results):
        _show_agreement(options)
    loaded = load_results(options.results, options.plugin, options.format)
    _check_options(options)
    if options.table:
        document = _tables(loaded, options)
    elif options.all:
        document = results_document(loaded)
    else:
        document = first_screen(loaded, options.results)
    # `evaluate` has printed the notes; --notes prints them again.
    emit_and_exit(replace(document, notes=[]), options.format, options=options)


def _show_agreement(options: ShowOptions) -> NoReturn:
    from nerscope.annotation.agreement import Agreement
    from nerscope.render.agreement import agreement_document

    prepare(options.plugin, options.format)
    if options.table or any(getattr(options, name) for name in _OF_A_TABLE):
        raise UsageError(
            "--table",
            "an agreement of annotators has no tables to choose from",
            "--all (every table)",
        )
    document = agreement_document(Agreement.load(options.results), everything=options.all)
    emit_and_exit(document, options.format, options=options)


def _tables(results: "Results", options: ShowOptions) -> "Document":
    from nerscope.render.chosen import TableRequest, chosen_document
    from nerscope.render.layout import SCREEN_ROWS
    from nerscope.render.tables import TableChoice

    choice = TableChoice(
        systems=options.system,
        only=options.only,
        with_intervals=not options.no_intervals,
        with_sizes=not options.no_n,
        sort=options.sort,
    )
    requests = [
        TableRequest(
            name,
            choice,
            options.metric,
            options.match,
            options.against,
            options.caption,
            options.label,
        )
        for name in options.table
    ]
    return chosen_document(results, requests, most_rows=None if options.all else SCREEN_ROWS)


_OF_A_TABLE = (
    *("system", "only", "metric", "match", "sort", "against"),
    *("no_intervals", "no_n", "caption", "label"),
)


def _check_options(options: ShowOptions) -> None:
    if options.table and shows_only_exact(options.format):
        raise UsageError(
            f"--format {options.format}",
            "this format shows exact scores and nothing else",
            "leave --table out",
        )
    if not options.table and any(getattr(options, name) for name in _OF_A_TABLE):
        raise UsageError("--table", "no table is named to choose from", "--table exact")
