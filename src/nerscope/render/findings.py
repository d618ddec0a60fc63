"""What a description lists: ambiguous and unannotated surfaces, duplicates, hard tokens."""

from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from nerscope.errors import plural
from nerscope.render.document import Document, Table, percent, records_table

Records = Sequence[Mapping[str, Any]]
_WIDTH = 30  # of a surface among examples
_EXAMPLES = 3


def labels_text(labels: Mapping[str, int]) -> str:
    """Labels with their counts.

    >>> labels_text({"LOC": 3, "O": 1})
    'LOC 3, O 1'
    """
    return ", ".join(f"{name} {count}" for name, count in labels.items()) or "–"


def _flat(row: Mapping[str, Any]) -> Mapping[str, Any]:
    """A row whose cells are texts; places come last."""
    flat = {
        key: labels_text(value) if isinstance(value, Mapping) else value
        for key, value in row.items()
        if key != "places"
    }
    return {**flat, "first places": labels_text(row["places"])} if "places" in row else flat


def _sentences(rows: Records) -> Iterator[Mapping[str, Any]]:
    """One record per duplicate sentence."""
    for row in rows:
        about = {key: row[key] for key in ("split", "against", "kind")}
        yield from ({**about, **place} for place in row["places"])


class Listing(NamedTuple):
    """A list: its title, its key in a description, and what is counted apart."""

    title: str
    key: str
    apart: tuple[str, ...] = ("split",)


LISTINGS = {
    "hard": Listing("Hard tokens", "hard_tokens", ("split", "facet", "level")),
    "ambiguous": Listing("Mentions with two or more types in a split", "ambiguous"),
    "unannotated": Listing("Mentions whose text also occurs unannotated (O)", "unannotated"),
    "inconsistent": Listing("Texts with a label that training never gives them", "inconsistent"),
    "duplicates": Listing("Sentences that occur again", "duplicates", ("split", "against", "kind")),
}


def records_of(description: Mapping[str, Any], name: str) -> Records:
    """The records of a list, each a flat row."""
    rows = description[LISTINGS[name].key]
    return list(_sentences(rows)) if name == "duplicates" else [_flat(row) for row in rows]


def listing_table(description: Mapping[str, Any], name: str, most: int | None) -> Table:
    """A list as a table, cut to the first ones of each group."""
    listing, records = LISTINGS[name], records_of(description, name)
    shown = _cut(records, most, lambda row: tuple(row[key] for key in listing.apart))
    notes = [] if records else ["there is none"]
    if len(shown) < len(records):
        each = ", ".join(listing.apart)
        notes = [f"{len(shown)} of {len(records):,}: the first {most} by {each}; --all shows all"]
    if len(description["splits"]) == 1:  # its name would be the same on every line
        shown = [{key: row[key] for key in row if key != "split"} for row in shown]
    return records_table(listing.title, shown, notes)


def _cut(
    records: Records, most: int | None, group: Callable[[Mapping[str, Any]], Hashable]
) -> Records:
    """The first records of each group."""
    seen: Counter[Hashable] = Counter()
    first = []
    for record in records:
        seen[group(record)] += 1
        if most is None or seen[group(record)] <= most:
            first.append(record)
    return first


def listing_document(
    description: Mapping[str, Any], names: Sequence[str], most: int | None
) -> Document:
    """Some lists: tables are cut, data and records hold all."""
    tables = [listing_table(description, name, most) for name in names]
    records = [record for name in names for record in records_of(description, name)]
    data = [
        {"title": LISTINGS[name].title, "rows": description[LISTINGS[name].key]} for name in names
    ]
    return Document(tables, data, records)


def example_lines(description: Mapping[str, Any]) -> list[str]:
    """How many surfaces each list has, with its first ones: of the last split, or of every file."""
    names = list(description["splits"])
    shown = names[-1:] if description["rows"] else names
    lines = []
    for split in shown:
        place = f"{split}: " if len(names) > 1 else ""
        for key, text, detail in _EXAMPLE_KINDS:
            rows = [row for row in description[key] if row["split"] == split]
            if rows:
                examples = "; ".join(
                    f"{_short(row['surface'])} ({detail(row)})" for row in rows[:_EXAMPLES]
                )
                count = plural(len(rows), "text")
                lines.append(f"{place}{count} {text}: {examples}. --list {key}")
    return lines


_EXAMPLE_KINDS: tuple[tuple[str, str, Callable[[Mapping[str, Any]], str]], ...] = (
    ("ambiguous", "with several types", lambda row: labels_text(row["types"])),
    (
        "unannotated",
        "both annotated and not",
        lambda row: f"{row['annotated']}, O {row['unannotated']}",
    ),
    (
        "inconsistent",
        "with a label that training never gives",
        lambda row: f"{labels_text(row['here'])}; training {labels_text(row['train'])}",
    ),
)


def _short(surface: str) -> str:
    return surface if len(surface) <= _WIDTH else f"{surface[: _WIDTH - 1]}…"


def duplicate_lines(rows: Records) -> list[str]:
    """How many sentences occur again, with the first place of each kind; other splits first."""
    found = [row for row in rows if row["places"]]
    return [_duplicate_line(row) for row in sorted(found, key=_is_within)]


def _is_within(row: Mapping[str, Any]) -> bool:
    return bool(row["split"] == row["against"])


def _duplicate_line(row: Mapping[str, Any]) -> str:
    near = row["kind"] == "near"
    what = "repeated" if _is_within(row) else f"also in {row['against']}"
    but = " but for case or digits" if near else ""
    first, n = row["places"][0], plural(row["n"], "sentence")
    return (
        f"{row['split']}: {n} ({percent(row['share'], 1)} %) {what}{but}, "
        f"first {first['place']} (as {first['first']}). --list duplicates"
    )
