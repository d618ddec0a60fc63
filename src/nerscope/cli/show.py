"""Showing results: to standard output in the format asked for, with their conditions."""

import typer

from nerscope.compat.conlleval import conlleval_text
from nerscope.render.comparison import head_to_head, tally_table
from nerscope.render.tables import overview
from nerscope.render.writers import TABLE_WRITERS, rows_as_csv, with_conditions
from nerscope.results.compare import Comparison
from nerscope.results.results import Results


def show_comparison(comparison: Comparison, form: str) -> None:
    """Print who wins where; the cells themselves are in the file beside the results, or in
    `nerscope compare`.
    """
    for note in comparison.notes:
        typer.echo(f"nerscope: note: {note}", err=True)
    if form in TABLE_WRITERS and form != "csv":
        duel = head_to_head(comparison.rows)
        typer.echo(
            "\n" + TABLE_WRITERS[form]([tally_table(comparison.rows), *([duel] if duel else [])]),
            nl=False,
        )


def show(results: Results, form: str, saved: bool) -> None:
    """Print results; JSON that was saved to a file is not printed, too."""
    if form in TABLE_WRITERS and form != "csv":
        typer.echo(with_conditions(TABLE_WRITERS[form](overview(results)), form, results), nl=False)
        return
    if form == "csv":
        typer.echo(rows_as_csv(results), nl=False)
    elif form == "conlleval":
        typer.echo(conlleval_text(results), nl=False)
        typer.echo(f"signature: {results.signature}", err=True)
    elif not saved:
        typer.echo(results.to_json(), nl=False)
    for loss in results.losses:
        typer.echo(f"nerscope: note: {loss['places'][0]}: {loss['message']}", err=True)
