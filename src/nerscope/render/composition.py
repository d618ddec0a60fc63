"""What a dataset is like, as tables."""

from collections.abc import Mapping, Sequence
from typing import Any

from nerscope.render.document import Cell, Document, Table, percent

TITLES = {
    "tmr": "Tough mentions: share of all mentions (%)",
    "hard": "Hard tokens: share of all tokens (%)",
    "hard-strict": "Hard tokens, strictly: share of all tokens (%)",
}


def description_document(description: Mapping[str, Any]) -> Document:
    """What a description has to say."""
    notes = [f"{loss['places'][0]}: {loss['message']}" for loss in description["losses"]]
    return Document(description_tables(description), dict(description), notes=notes)


def description_tables(description: Mapping[str, Any]) -> list[Table]:
    """The composition tables of a description."""
    tables = [_mention_table(description["mentions"])]
    for facet, title in TITLES.items():
        rows = [row for row in description["rows"] if row["facet"] == facet]
        if rows:
            tables.append(_composition_table(title, rows))
    if description["zeta"]:
        cells = tuple(
            (Cell(name), Cell("–" if mean is None else f"{mean:.4g}"))
            for name, mean in description["zeta"].items()
        )
        tables.append(Table("Mean attribute values ζ", ("attribute", "mean"), cells))
    return tables


def _mention_table(mentions: Mapping[str, Mapping[str, int]]) -> Table:
    columns = list(next(iter(mentions.values())))
    rows = tuple(
        (Cell(split), *(Cell(f"{counts[column]:,}") for column in columns))
        for split, counts in mentions.items()
    )
    notes = (
        "ambiguous: of two or more types in training; unseen: no training mention; "
        "unique: distinct surfaces",
    )
    return Table(
        "Mentions", ("split", *(column.replace("_", " ") for column in columns)), rows, notes
    )


def _composition_table(title: str, rows: Sequence[Mapping[str, Any]]) -> Table:
    levels = list(dict.fromkeys(row["level"] for row in rows))
    groups = list(dict.fromkeys((row["split"], row["type"]) for row in rows))
    index = {(row["split"], row["type"], row["level"]): row for row in rows}
    body = []
    for split, kind in groups:
        cells = [index[split, kind, level] for level in levels]
        texts = [
            f"{cell['n']:,}" if cell["level"] == "all" else percent(cell["share"], 1)
            for cell in cells
        ]
        body.append((Cell(split), Cell(kind or "all"), *map(Cell, texts)))
    return Table(title, ("split", "type", *levels), tuple(body))
