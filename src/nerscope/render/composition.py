"""What splits are made of, as tables: sizes, tough mentions, hard tokens, mean attributes."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from nerscope.render.document import UNDEFINED, Cell, Table, percent

TITLES = {
    "tmr": "Tough mentions: number (% of all mentions)",
    "hard": "Hard tokens: number (% of all tokens)",
    "hard-strict": "Hard tokens, strictly: number (% of all tokens)",
}
_SPREAD = ("mean", "median", "max")


def size_table(description: Mapping[str, Any], most: int | None) -> Table:
    """How large each split is, and how many mentions are ambiguous or unseen."""
    splits = description["splits"]
    lines = [*_sizes(splits), *_mentions(description), *_types(splits, most)]
    rows = tuple((Cell(name), *map(Cell, cells)) for name, *cells in lines)
    notes = "length: tokens, as mean, median, maximum; surface: the tokens of a mention"
    known = "two or more types"
    if description["rows"]:
        known += " in training; unseen: no training mention"
    kinds = max(len(split["types"]) for split in splits.values())
    cut = (f"the {most} most frequent types; --all shows all",) if most and kinds > most else ()
    return Table(
        "Splits: number (%)", ("", *splits), rows, (f"{notes}; ambiguous: of {known}", *cut)
    )


def _sizes(splits: Mapping[str, Mapping[str, Any]]) -> Iterator[list[str]]:
    every = list(splits.values())
    yield ["sentences", *(_number(one["sentences"]) for one in every)]
    yield ["documents", *(_number(one["documents"]) for one in every)]
    yield ["tokens / distinct", *(_pair(one, "tokens", "distinct_tokens") for one in every)]
    yield ["sentence length", *(_spread(one["sentence_length"]) for one in every)]
    yield ["mentions / surfaces", *(_pair(one, "mentions", "distinct_surfaces") for one in every)]
    yield ["mention length", *(_spread(one["mention_length"]) for one in every)]


def _mentions(description: Mapping[str, Any]) -> Iterator[list[str]]:
    counts, shares = description["mentions"], description["mention_shares"]
    for name in ("ambiguous", "unseen"):
        if all(own[name] is None for own in counts.values()):
            continue
        keys = (name, f"{name}_unique")
        yield [
            f"{name} mentions / surfaces",
            *(
                " / ".join(_shared(own[key], shares[split][key]) for key in keys)
                for split, own in counts.items()
            ),
        ]


def _types(splits: Mapping[str, Mapping[str, Any]], most: int | None) -> Iterator[list[str]]:
    found = {split: {row["type"]: row for row in own["types"]} for split, own in splits.items()}
    names = list(dict.fromkeys(name for own in found.values() for name in own))[:most]
    for name in names:
        rows = [own.get(name, {"n": 0, "share": 0.0}) for own in found.values()]
        yield [f"of type {name}", *(_shared(row["n"], row["share"]) for row in rows)]


def _number(count: int | None) -> str:
    return UNDEFINED if count is None else f"{count:,}"


def _pair(own: Mapping[str, Any], one: str, other: str) -> str:
    return f"{_number(own[one])} / {_number(own[other])}"


def _shared(count: int | None, share: float | None) -> str:
    return UNDEFINED if count is None else f"{count:,} ({percent(share, 1)})"


def _spread(lengths: Mapping[str, float | None]) -> str:
    values = [lengths[name] for name in _SPREAD]
    return ", ".join(UNDEFINED if value is None else f"{value:.4g}" for value in values)


def composition_tables(rows: Sequence[Mapping[str, Any]], facets: Sequence[str]) -> list[Table]:
    """A table for each facet that has rows: what splits are made of, overall and by type."""
    found = {name: [row for row in rows if row["facet"] == name] for name in facets}
    return [_composition_table(TITLES[name], own) for name, own in found.items() if own]


def _composition_table(title: str, rows: Sequence[Mapping[str, Any]]) -> Table:
    levels = list(dict.fromkeys(row["level"] for row in rows))
    groups = list(dict.fromkeys((row["split"], row["type"]) for row in rows))
    index = {(row["split"], row["type"], row["level"]): row for row in rows}
    body = []
    for split, kind in groups:
        cells = [index[split, kind, level] for level in levels]
        texts = [
            _number(one["n"]) if one["level"] == "all" else _shared(one["n"], one["share"])
            for one in cells
        ]
        body.append((Cell(split), Cell(kind or "all"), *map(Cell, texts)))
    return Table(title, ("split", "type", *levels), tuple(body))


def zeta_line(zeta: Mapping[str, float | None]) -> str:
    """Mean attribute values in one line."""
    return "mean attribute values ζ: " + ", ".join(
        f"{name} {mean}" for name, mean in _means(zeta).items()
    )


def zeta_table(zeta: Mapping[str, float | None]) -> Table:
    """Mean attribute values."""
    cells = tuple((Cell(name), Cell(mean)) for name, mean in _means(zeta).items())
    return Table("Mean attribute values ζ", ("attribute", "mean"), cells)


def _means(zeta: Mapping[str, float | None]) -> dict[str, str]:
    return {name: UNDEFINED if mean is None else f"{mean:.4g}" for name, mean in zeta.items()}
