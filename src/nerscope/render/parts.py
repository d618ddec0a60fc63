"""What a split came to: the size of every part, and what a design reached."""

from collections.abc import Mapping, Sequence
from typing import Any

from nerscope.render.document import Document, Table, percent, table_of

Record = Mapping[str, Any]


def split_document(found: Mapping[str, Any]) -> Document:
    """The tables, where everything is, and what to do next."""
    folder, rows, design = found["folder"], found["rows"], found["design"]
    records = [{key: value for key, value in row.items() if key != "types"} for row in rows]
    return Document(
        [_sizes(rows), *([_design(design)] if design else [])],
        dict(found),
        records,
        lines=[
            f"{folder} holds the parts, manifest.json (which sentence is where) and nerscope.toml",
            f"next: name systems in {folder}/nerscope.toml, "
            f"then nerscope evaluate {folder}/nerscope.toml",
        ],
        notes=found["notes"],
    )


def _sizes(rows: Sequence[Record]) -> Table:
    leaks = any(row["leaks"] for row in rows)
    shown = [
        {
            "split": row["split"],
            "part": row["part"],
            "sentences": row["sentences"],
            "tokens": row["tokens"],
            "mentions": row["mentions"],
            "share %": percent(row["share"]),
            **({"leaks": row["leaks"]} if leaks else {}),
        }
        for row in rows
    ]
    notes = ["share: of all sentences"]
    if leaks:
        notes.append("leaks: sentences that train, or train and dev, have too")
    return table_of("Parts", shown, notes)


def _design(design: Sequence[Record]) -> Table:
    shown = [
        {
            "of the test set": row["name"],
            "wanted %": percent(row["wanted"]),
            "reached %": percent(row["reached"]),
            "random %": percent(row["random_mean"]),
            "from": percent(row["random_low"]),
            "to": percent(row["random_high"]),
            "nearest random %": percent(row["best_random"]),
        }
        for row in design
    ]
    return table_of(
        "The test set by design",
        shown,
        [
            "random: what test sets of this size are by chance: their mean, where 95 % of them lie",
            "size: of all sentences; types: how far their distribution is from that of all data",
        ],
    )
