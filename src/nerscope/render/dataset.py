"""Splits as tables: the size of every part, and what a hard test set reached."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from nerscope.errors import plural
from nerscope.render.document import Document, Table, percent, records_table

Record = Mapping[str, Any]


def split_document(split: Mapping[str, Any]) -> Document:
    """The tables, where everything is, and what to do next."""
    folder, rows, design = split["folder"], split["rows"], split["design"]
    records = [{key: value for key, value in row.items() if key != "types"} for row in rows]
    return Document(
        [_sizes(rows), *([_design(design)] if design else [])],
        dict(split),
        records,
        lines=[
            f"Wrote the parts, manifest.json (the place of every sentence) and nerscope.toml to "
            f"{folder}.",
            f"Next: add systems to {folder}/nerscope.toml, then: "
            f"nerscope run {folder}/nerscope.toml (nerscope evaluate, if nothing is trained)",
        ],
        notes=split["notes"],
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
        notes.append("leaks: sentences that are also in train, or in train and dev")
    return records_table("Parts", shown, notes)


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
    return records_table(
        "The hard test set",
        shown,
        [
            "random: mean of random test sets of this size; from, to: where 95 % of them lie",
            "size: share of all sentences; types: distance of their distribution from all data",
        ],
    )


def validation_document(files: Sequence[Mapping[str, Any]], text: bool) -> Document:
    """Every violation, then how many there are of each."""
    records = [
        {"place": place, "fault": fault} for file in files for place, fault in file["violations"]
    ]
    data = [
        {**file, "violations": [violation._asdict() for violation in file["violations"]]}
        for file in files
    ]
    if text:
        return Document(lines=[line for file in files for line in _lines(file)])
    return Document([records_table("Invalid labels", records)], data, records)


def _lines(file: Mapping[str, Any]) -> Iterator[str]:
    for place, fault in file["violations"]:
        yield f"{place}: {fault}"
    source = "given" if file["declared"] else "auto-detected"
    if file["scheme"] == "spans":
        total = plural(len(file["violations"]), "fault")
        yield f"{file['name']}: {total}; it has spans, not labels"
    else:
        total = plural(len(file["violations"]), "invalid transition")
        yield f"{file['name']}: {total} for the scheme {file['scheme']} ({source})"
    for fault, count in Counter(fault for _, fault in file["violations"]).most_common():
        yield f"  {count:6d}  {fault}"
