"""What a split came to: the size of every part, and what a design reached."""

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
            f"{folder} holds the parts, manifest.json (which sentence is where) and nerscope.toml",
            f"next: name systems in {folder}/nerscope.toml, "
            f"then nerscope evaluate {folder}/nerscope.toml",
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
        notes.append("leaks: sentences that train, or train and dev, have too")
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
        "The test set by design",
        shown,
        [
            "random: what test sets of this size are by chance: their mean, where 95 % of them lie",
            "size: of all sentences; types: how far their distribution is from that of all data",
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
    source = "as told" if file["told"] else "found by looking"
    total = plural(len(file["violations"]), "invalid transition")
    yield f"{file['name']}: scheme {file['scheme']} ({source}), {total}"
    for fault, count in Counter(fault for _, fault in file["violations"]).most_common():
        yield f"  {count:6d}  {fault}"
