"""Lists to read: hard tokens, partial matches, confusions, and the error table."""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import typer

from nerscope.cli.common import table_of
from nerscope.errors import OutputError, UsageError
from nerscope.evaluation.inspection import confusion, hard_tokens, mention_rows, partial_pairs
from nerscope.evaluation.passes import Prepared
from nerscope.render.writers import TABLE_WRITERS, csv_of
from nerscope.results.results import write_text


def lists(prepared: Prepared, name: str) -> Iterator[tuple[str, Sequence[dict[str, Any]]]]:
    """The tables of a list, each with its title."""
    if name == "hard":
        if prepared.plan.lexicon is None:
            raise UsageError(
                "--list hard", "it needs the training data", "give it with --train FILE"
            )
        yield "The most frequent hard tokens", hard_tokens(prepared)
    elif name == "partial":
        matches = [match for match in prepared.plan.matches if match != "exact"]
        yield "Pairs with partial credit", list(partial_pairs(prepared, matches))
    else:
        for (system, run), counts in confusion(prepared).items():
            kinds = sorted({kind for pair in counts for kind in pair} - {"missed", "spurious"})
            rows = [
                {"gold": gold, **{pred: counts[gold, pred] for pred in [*kinds, "missed"]}}
                for gold in [*kinds, "spurious"]
            ]
            yield f"Gold types (rows) against predicted types: {system}, run {run}", rows


def show_lists(prepared: Prepared, names: Sequence[str], form: str) -> None:
    """Print lists as tables, as plain CSV or as JSON."""
    found = [item for name in names for item in lists(prepared, name)]
    if form == "json":
        typer.echo(
            json.dumps(
                [{"title": title, "rows": rows} for title, rows in found],
                ensure_ascii=False,
                indent=1,
            )
        )
    elif form == "csv":
        for _, rows in found:
            typer.echo(
                csv_of(list(rows[0]) if rows else [], [list(row.values()) for row in rows]),
                nl=False,
            )
    else:
        tables = [table_of(title, rows) for title, rows in found]
        typer.echo(TABLE_WRITERS.get(form, TABLE_WRITERS["text"])(tables), nl=False)


def write_errors(prepared: Prepared, path: str) -> None:
    """One row a mention, in the format that the name of the file says."""
    rows = list(mention_rows(prepared))
    columns = list(rows[0]) if rows else []
    ending = Path(path).suffix.lower()
    if ending == ".csv":
        write_text(path, csv_of(columns, [list(row.values()) for row in rows]))
    elif ending == ".jsonl":
        write_text(path, "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows))
    elif ending == ".parquet":
        _write_parquet(path, rows)
    else:
        raise OutputError(
            path, f"the ending '{ending}' is unknown", "end the name in .csv, .jsonl or .parquet"
        )


def _write_parquet(path: str, rows: list[dict[str, Any]]) -> None:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise OutputError(
            path, "Parquet needs the package pyarrow", "install nerscope[tables], or write .csv"
        ) from None
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(rows), path)
