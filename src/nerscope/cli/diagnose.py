"""`nerscope diagnose`: how attributes act on systems and datasets."""

import json
from typing import Any

import typer

from nerscope.cli.common import FORMATS, checked_format, table_of

_TITLES = {
    "model-wise": "Model-wise: correlation of F1 with the buckets, and its spread over them",
    "attribute-wise": "Attribute-wise: mean value ζ, and strength ρ of the correlation with F1",
    "self-diagnosis": "Self-diagnosis: the best and the worst bucket",
    "comparative diagnosis": "Comparative diagnosis: where A is furthest ahead of B, and furthest behind",
    "relative change": "Relative change from B to A",
}


def command(
    results: str = typer.Argument(metavar="RESULTS", help="What `evaluate -o` wrote."),
    a: str | None = typer.Argument(
        None, metavar="[A]", help="A system, for the comparison of two."
    ),
    b: str | None = typer.Argument(None, metavar="[B]", help="The other one."),
    format: str = typer.Option(
        "text", metavar="FORMAT", help="text, markdown, latex, csv or json."
    ),
) -> None:
    """Show InterpretEval's views: model-wise, attribute-wise and bucket-wise, with their tests."""
    from nerscope.render.writers import TABLE_WRITERS
    from nerscope.results.diagnose import diagnose
    from nerscope.results.results import Results

    checked_format(format, FORMATS)
    views = diagnose(Results.load(results), a, b)
    if format == "json":
        typer.echo(json.dumps(views, ensure_ascii=False, allow_nan=False, indent=1))
        return
    tables = [
        table_of(_TITLES[name], list(map(_marked, rows)))
        for name, rows in views.items()
        if name != "notes" and rows
    ]
    typer.echo(TABLE_WRITERS[format](tables), nl=False)
    typer.echo("(…) fails its test at p = 0.05, or cannot be tested", err=format != "text")
    for row in views["notes"]:
        typer.echo(f"nerscope: note: {row['note']}", err=True)


def _marked(row: dict[str, Any]) -> dict[str, Any]:
    """Numbers that fail their test in parentheses, as the paper greys them."""
    shown = {key: value for key, value in row.items() if key != "significant"}
    if row.get("significant") is False:
        for key in ("spearman", "std", "rho", "gap", "difference"):
            if isinstance(shown.get(key), float):
                shown[key] = f"({shown[key]:.3f})"
    return shown
