"""What a dataset is like: a page for people, tidy records and everything for programs."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from nerscope.corpus.units import ALL, SHOWN_UNIT
from nerscope.facets.facet import fixed_facets
from nerscope.render.document import UNDEFINED, Cell, Document, Table, percent
from nerscope.render.findings import (
    LISTINGS,
    duplicate_lines,
    listing_document,
    listing_table,
    overview_tables,
)
from nerscope.results.rows import ResultRow

MOST = 10  # entries of a list, unless all are wanted


@dataclass(frozen=True, slots=True, eq=False)
class DescribedNumber(ResultRow):
    """One number of a description, and what it is about; None: of all."""

    table: str
    split: str
    against: str | None  # the split that this one is compared with
    facet: str | None
    level: str | None
    type: str | None
    item: str | None
    measure: str
    value: float | None


def description_document(
    description: Mapping[str, Any], *, everything: bool = False, lists: tuple[str, ...] = ()
) -> Document:
    """What a description has to say: a page, or some lists; cut unless everything is wanted."""
    if lists:
        return listing_document(description, lists, None if everything else MOST)
    zeta = description["zeta"]
    lines = [zeta_line(zeta)] if zeta and not everything else []
    return Document(
        all_tables(description) if everything else page_tables(description),
        dict(description),
        list(number_rows(description)),
        lines=[*lines, *duplicate_lines(description["duplicates"])],
        notes=[
            f"{loss['places'][0]}: {loss['message']}"
            for loss in description["losses"]
            if loss["kind"] != "comment lines"
        ],
    )


def page_tables(description: Mapping[str, Any]) -> list[Table]:
    """What fits on a page."""
    return [
        size_table(description, MOST),
        *composition_tables(description["rows"], variants=False),
        *overview_tables(description, MOST),
    ]


def all_tables(description: Mapping[str, Any]) -> list[Table]:
    """All there is."""
    zeta = description["zeta"]
    lists = [listing_table(description, name, None) for name in LISTINGS]
    return [
        size_table(description, None),
        *composition_tables(description["rows"], variants=True),
        *([zeta_table(zeta)] if zeta else []),
        *(table for table in lists if table.rows),
    ]


def number_rows(description: Mapping[str, Any]) -> Iterator[DescribedNumber]:
    """All numbers, one a row, with what each is about."""
    for numbers_of in (_of_splits, _of_mentions, _of_levels, _of_surfaces, _of_duplicates):
        yield from numbers_of(description)
    for row in description["hard_tokens"]:
        about = {"facet": row["facet"], "level": row["level"], "item": row["token"]}
        yield _row("hard_tokens", row["split"], "n", row["count"], **about)
    last = list(description["splits"])[-1]
    for name, mean in description["zeta"].items():
        yield _row("zeta", last, "mean", mean, item=name)


def _row(
    table: str,
    split: str,
    measure: str,
    value: float | None,
    *,
    against: str | None = None,
    facet: str | None = None,
    level: str | None = None,
    type: str | None = None,
    item: str | None = None,
) -> DescribedNumber:
    return DescribedNumber(table, split, against, facet, level, type, item, measure, value)


def _of_splits(description: Mapping[str, Any]) -> Iterator[DescribedNumber]:
    for split, numbers in description["splits"].items():
        for name, value in numbers.items():
            if name == "types":
                for row in value:
                    for measure in ("n", "share"):
                        yield _row("types", split, measure, row[measure], type=row["type"])
            elif isinstance(value, Mapping):
                for measure, number in value.items():
                    yield _row("splits", split, measure, number, item=name)
            elif name != "name":
                yield _row("splits", split, "n", value, item=name)


def _of_mentions(description: Mapping[str, Any]) -> Iterator[DescribedNumber]:
    for split, counts in description["mentions"].items():
        for name, n in counts.items():
            yield _row("mentions", split, "n", n, item=name)
            if name in description["mention_shares"][split]:
                share = description["mention_shares"][split][name]
                yield _row("mentions", split, "share", share, item=name)


def _of_levels(description: Mapping[str, Any]) -> Iterator[DescribedNumber]:
    for row in description["rows"]:
        about = {key: row[key] for key in ("facet", "level", "type")}
        for measure in ("n", "share"):
            yield _row("composition", row["split"], measure, row[measure], **about)


def _of_surfaces(description: Mapping[str, Any]) -> Iterator[DescribedNumber]:
    for row in description["ambiguous"]:
        for name, n in row["types"].items():
            yield _row("ambiguous", row["split"], "n", n, type=name, item=row["surface"])
    for row in description["unannotated"]:
        for measure in ("annotated", "unannotated"):
            value = row[measure]
            yield _row("unannotated", row["split"], measure, value, item=row["surface"])
    for row in description["inconsistent"]:
        about = {"against": "train", "item": row["surface"]}
        yield _row("inconsistent", row["split"], "n", row["n"], **about)
        for measure in ("train", "here"):
            for name, n in row[measure].items():
                yield _row("inconsistent", row["split"], measure, n, type=name, **about)


def _of_duplicates(description: Mapping[str, Any]) -> Iterator[DescribedNumber]:
    for row in description["duplicates"]:
        about = {"against": row["against"], "item": row["kind"]}
        for measure in ("n", "share"):
            yield _row("duplicates", row["split"], measure, row[measure], **about)


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
    all_splits = list(splits.values())
    yield ["sentences", *(_number(split["sentences"]) for split in all_splits)]
    yield ["documents", *(_number(split["documents"]) for split in all_splits)]
    yield [
        "tokens / distinct",
        *(_pair(split, "tokens", "distinct_tokens") for split in all_splits),
    ]
    yield ["sentence length", *(_spread(split["sentence_length"]) for split in all_splits)]
    yield [
        "mentions / surfaces",
        *(_pair(split, "mentions", "distinct_surfaces") for split in all_splits),
    ]
    yield ["mention length", *(_spread(split["mention_length"]) for split in all_splits)]


def _mentions(description: Mapping[str, Any]) -> Iterator[list[str]]:
    counts, shares = description["mentions"], description["mention_shares"]
    for name in ("ambiguous", "unseen"):
        if all(split_counts[name] is None for split_counts in counts.values()):
            continue
        keys = (name, f"{name}_unique")
        yield [
            f"{name} mentions / surfaces",
            *(
                " / ".join(_shared(split_counts[key], shares[split][key]) for key in keys)
                for split, split_counts in counts.items()
            ),
        ]


def _types(splits: Mapping[str, Mapping[str, Any]], most: int | None) -> Iterator[list[str]]:
    by_split = {
        split: {row["type"]: row for row in rows_by_type["types"]}
        for split, rows_by_type in splits.items()
    }
    names = list(
        dict.fromkeys(name for rows_by_type in by_split.values() for name in rows_by_type)
    )[:most]
    for name in names:
        rows = [
            rows_by_type.get(name, {"n": 0, "share": 0.0}) for rows_by_type in by_split.values()
        ]
        yield [f"of type {name}", *(_shared(row["n"], row["share"]) for row in rows)]


def _number(count: int | None) -> str:
    return UNDEFINED if count is None else f"{count:,}"


def _pair(numbers: Mapping[str, Any], first: str, second: str) -> str:
    return f"{_number(numbers[first])} / {_number(numbers[second])}"


def _shared(count: int | None, share: float | None) -> str:
    return UNDEFINED if count is None else f"{count:,} ({percent(share, 1)})"


def _spread(lengths: Mapping[str, float | None]) -> str:
    values = [lengths[name] for name in _SPREAD]
    return ", ".join(UNDEFINED if value is None else f"{value:.4g}" for value in values)


def composition_tables(
    rows: Sequence[Mapping[str, Any]], *, variants: bool, first: str = "split"
) -> list[Table]:
    """A table for each headline facet, and for each variant of one: what splits are made of."""
    tables = []
    for facet in fixed_facets():
        facet_rows = [row for row in rows if row["facet"] == facet.name]
        if facet_rows and (variants or not facet.is_variant):
            title = f"{facet.title}: number (% of all {SHOWN_UNIT[facet.unit]}s)"
            tables.append(_composition_table(title, facet_rows, first))
    return tables


def _composition_table(title: str, rows: Sequence[Mapping[str, Any]], first: str) -> Table:
    levels = list(dict.fromkeys(row["level"] for row in rows))
    groups = list(dict.fromkeys((row["split"], row["type"]) for row in rows))
    index = {(row["split"], row["type"], row["level"]): row for row in rows}
    body = []
    for split, kind in groups:
        cells = [index[split, kind, level] for level in levels]
        texts = [
            _number(row["n"]) if row["level"] == ALL else _shared(row["n"], row["share"])
            for row in cells
        ]
        body.append((Cell(split), Cell(kind or ALL), *map(Cell, texts)))
    return Table(title, (first, "type", *levels), tuple(body))


def bias_document(bias: Mapping[str, Any]) -> Document:
    """Datasets side by side: ζ of each attribute, and the composition tables of the papers."""
    datasets = list(dict.fromkeys(row["dataset"] for row in bias["zeta"]))
    attributes = list(dict.fromkeys(row["attribute"] for row in bias["zeta"]))
    values = {(row["dataset"], row["attribute"]): row["zeta"] for row in bias["zeta"]}
    body = tuple(
        (Cell(name), *(Cell(_mean_text(values[dataset, name])) for dataset in datasets))
        for name in attributes
    )
    means = Table("Mean attribute values ζ over the test mentions", ("attribute", *datasets), body)
    overall = [row for row in bias["composition"] if row["type"] is None]
    tables = composition_tables(overall, variants=False, first="dataset")
    return Document([means, *tables], dict(bias), bias["zeta"])


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
    return {name: _mean_text(mean) for name, mean in zeta.items()}


def _mean_text(mean: float | None) -> str:
    return UNDEFINED if mean is None else f"{mean:.4g}"
