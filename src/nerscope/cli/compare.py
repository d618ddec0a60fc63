"""`nerscope compare`: tells whether A is better than B, and where."""

import json
from typing import Any

import typer

from nerscope.cli.common import FORMATS, checked_format, table_of
from nerscope.version import VERSION


def command(
    results: str = typer.Argument(metavar="RESULTS", help="What `evaluate -o` wrote."),
    a: str | None = typer.Argument(None, metavar="[A]", help="A system."),
    b: str | None = typer.Argument(
        None, metavar="[B]", help="Another one; without names, all pairs are compared."
    ),
    baseline: str | None = typer.Option(
        None, metavar="NAME", help="Compare each system with this one."
    ),
    facet: list[str] = typer.Option([], metavar="FACET", help="Only these facets."),
    metric: list[str] = typer.Option([], metavar="METRIC", help="Only these metrics."),
    by_type: bool = typer.Option(False, "--by-type", help="Show the types of every facet, too."),
    method: str = typer.Option(
        "bootstrap", metavar="NAME", help="The test: bootstrap or randomisation."
    ),
    correction: str = typer.Option(
        "holm", metavar="NAME", help="For many cells: holm, bonferroni, bh or none."
    ),
    samples: int = typer.Option(10_000, metavar="N", help="How many resamples."),
    seed: int = typer.Option(0, metavar="N", help="The same seed gives the same numbers."),
    resample: str = typer.Option(
        "sentence", metavar="UNIT", help="What is resampled: sentence or document."
    ),
    changes: bool = typer.Option(
        False,
        "--changes",
        help="Count the mentions that B fixed, broke or got wrong like A, and list the first two.",
    ),
    format: str = typer.Option(
        "text", metavar="FORMAT", help="text, markdown, latex, csv or json."
    ),
) -> None:
    """Tell whether A is better than B, and where, from results alone."""
    from nerscope.errors import UsageError
    from nerscope.render.comparison import difference_tables, head_to_head, tally_table
    from nerscope.render.writers import TABLE_WRITERS
    from nerscope.results.changes import change_counts
    from nerscope.results.changes import changes as all_changes
    from nerscope.results.compare import compare
    from nerscope.results.results import Results

    checked_format(format, FORMATS)
    loaded = Results.load(results)
    if changes:
        if a is None or b is None:
            raise UsageError(
                "--changes",
                "two systems are needed",
                "name them: nerscope compare RESULTS A B --changes",
            )
        listed = [row for row in all_changes(loaded, a, b) if row["change"] in ("fixed", "broken")]
        counts = change_counts(loaded, a, b)
        if format == "json":
            typer.echo(
                json.dumps({"counts": counts, "mentions": listed}, ensure_ascii=False, indent=1)
            )
            return
        shown = [
            {key: row[key] for key in ("dataset", "change", "type", "text", "sentence")}
            for row in listed
        ]
        tables = [
            table_of(f"From {a} to {b}: mentions by facet and level", counts),
            table_of("Mentions that changed", shown),
        ]
        typer.echo(TABLE_WRITERS[format](tables), nl=False)
        return
    found = compare(
        loaded,
        a,
        b,
        baseline=baseline,
        facets=facet or None,
        metrics=metric or None,
        by_type=by_type,
        method=method,
        correction=correction,
        samples=samples,
        seed=seed,
        resample_by=resample,
    )
    for note in found.notes:
        typer.echo(f"nerscope: note: {note}", err=True)
    if format == "json":
        typer.echo(json.dumps(found.as_dict(), ensure_ascii=False, allow_nan=False, indent=1))
        return
    duel = head_to_head(found.rows)
    tables = [
        tally_table(found.rows),
        *([duel] if duel else []),
        *difference_tables(found.rows, found.settings),
    ]
    typer.echo(TABLE_WRITERS[format](tables), nl=False)
    typer.echo(_conditions(found.settings, loaded), err=format != "text")


def _conditions(settings: dict[str, Any], results: Any) -> str:
    inherited = {
        key: value
        for key, value in results.settings.get("signature", {}).items()
        if key not in settings
    }
    parts = {**settings, **inherited, "version": VERSION}
    return "signature: " + "|".join(f"{key}:{value}" for key, value in parts.items())
