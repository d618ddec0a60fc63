"""What a description lists: ambiguous and unannotated surfaces, duplicates, hard tokens."""

from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from itertools import zip_longest
from typing import Any, NamedTuple

from nerscope.render.document import Cell, Document, Table, percent, records_table

Records = Sequence[Mapping[str, Any]]
_WIDTH = 30  # of a surface where several lists stand side by side


def spelt(labels: Mapping[str, int]) -> str:
    """Labels with their counts.

    >>> spelt({"LOC": 3, "O": 1})
    'LOC 3, O 1'
    """
    return ", ".join(f"{name} {count}" for name, count in labels.items()) or "–"


def _flat(row: Mapping[str, Any]) -> Mapping[str, Any]:
    return {
        key: spelt(value) if isinstance(value, Mapping) else value for key, value in row.items()
    }


def _sentences(rows: Records) -> Iterator[Mapping[str, Any]]:
    """One record a duplicate sentence."""
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
    "ambiguous": Listing("Ambiguous surfaces: two or more types in a split", "ambiguous"),
    "unannotated": Listing("Surfaces that are mentions here and O there", "unannotated"),
    "inconsistent": Listing("Surfaces with a label that training never gives", "inconsistent"),
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
        notes = [f"{len(shown)} of {len(records):,}, the first {most} by {each}; --all shows all"]
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


def overview_tables(description: Mapping[str, Any], most: int) -> list[Table]:
    """The first surfaces of each list side by side: of the first split and the last one, or of
    every file if they are described each by itself.
    """
    names = list(description["splits"])
    if not description["rows"]:
        every = [_overview(f"Surfaces in {name}", _uses(description, name), most) for name in names]
        return [table for table in every if table.rows]
    first, last = names[0], names[-1]
    columns = {
        **{f"{first}: {use}": cells for use, cells in _uses(description, first).items()},
        **{f"{last}: {use}": cells for use, cells in _uses(description, last).items()},
        f"{first} / {last}, with a new label": _inconsistent(description, last),
    }
    table = _overview("Surfaces", columns, most)
    return [table] if table.rows else []


def _overview(title: str, columns: Mapping[str, Sequence[str]], most: int) -> Table:
    """Lists side by side."""
    rows = zip_longest(*(cells[:most] for cells in columns.values()), fillvalue="")
    body = tuple(tuple(map(Cell, row)) for row in rows)
    totals = ", ".join(f"{len(cells):,}" for cells in columns.values())
    cut = any(len(cells) > most for cells in columns.values())
    note = f"the first {most} of {totals}; --all shows all" if cut else f"all of them: {totals}"
    return Table(title, tuple(columns), body, (note,))


def _uses(description: Mapping[str, Any], split: str) -> dict[str, list[str]]:
    return {
        "ambiguous": _ambiguous(description, split),
        "also O": _unannotated(description, split),
    }


def _of(description: Mapping[str, Any], key: str, split: str) -> Iterator[tuple[str, Any]]:
    for row in description[key]:
        if row["split"] == split:
            yield _short(row["surface"]), row


def _short(surface: str) -> str:
    return surface if len(surface) <= _WIDTH else f"{surface[: _WIDTH - 1]}…"


def _ambiguous(description: Mapping[str, Any], split: str) -> list[str]:
    rows = _of(description, "ambiguous", split)
    return [f"{surface}: {spelt(row['types'])}" for surface, row in rows]


def _unannotated(description: Mapping[str, Any], split: str) -> list[str]:
    rows = _of(description, "unannotated", split)
    return [f"{surface}: {row['annotated']}, O {row['unannotated']}" for surface, row in rows]


def _inconsistent(description: Mapping[str, Any], split: str) -> list[str]:
    rows = _of(description, "inconsistent", split)
    return [f"{surface}: {spelt(row['train'])} / {spelt(row['here'])}" for surface, row in rows]


def duplicate_lines(rows: Records) -> list[str]:
    """How many sentences occur again, in words, with the first place of each kind."""
    return [_in_words(row) for row in rows]


def _in_words(row: Mapping[str, Any]) -> str:
    within, near = row["split"] == row["against"], row["kind"] == "near"
    what = "repeated within" if within else f"also in {row['against']}"
    text = f"{row['split']}: {what}{' but for case or digits' if near else ''}: {row['n']:,}"
    if not row["places"]:
        return f"{text} sentences"
    first = row["places"][0]
    counted = f"sentence{'s' * (row['n'] != 1)} ({percent(row['share'], 1)} %)"
    return f"{text} {counted}, first {first['place']} (as {first['first']})"
