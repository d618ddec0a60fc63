"""What a dataset is like: a page for people, tidy records and everything for programs."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePath
from typing import Any, NamedTuple

from nerscope.corpus.units import ALL, SHOWN_UNIT
from nerscope.facets.facet import fixed_facets
from nerscope.render.document import OUTPUTS, UNDEFINED, Cell, Document, Table, percent
from nerscope.render.findings import (
    LISTINGS,
    duplicate_lines,
    example_lines,
    listing_document,
    listing_table,
)
from nerscope.render.layout import SCREEN_LINES
from nerscope.results.rows import ResultRow
from nerscope.results.terms import attribute_phrase, facet_words, level_words

MOST = 10  # entries of a list, unless all are wanted


class _Sizes(NamedTuple):
    """How much a page shows."""

    types: int
    facets: int  # composition tables
    examples: int  # lines with examples


# The first of them with which everything fits the screen is taken.
_SIZES = tuple(
    _Sizes(*sizes) for sizes in ((12, 2, 9), (12, 2, 3), (8, 1, 3), (6, 1, 2), (4, 1, 1), (4, 1, 0))
)


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
    description: Mapping[str, Any],
    *,
    everything: bool = False,
    lists: tuple[str, ...] = (),
    notes: Sequence[str] = (),
    every_note: Sequence[str] | None = None,
) -> Document:
    """What a description has to say: a page, or some lists; cut unless everything is wanted."""
    if lists:
        return listing_document(description, lists, None if everything else MOST)
    document = Document(
        all_tables(description),
        dict(description),
        list(number_rows(description)),
        lines=duplicate_lines(description["duplicates"]),
        notes=notes,
        every_note=every_note,
    )
    if everything:
        return document
    examples, duplicates = example_lines(description), list(document.lines)
    for sizes in _SIZES:
        composition = composition_tables(description["rows"], variants=False)[: sizes.facets]
        document = replace(
            document,
            tables=[size_table(description, sizes.types), *composition],
            lines=[*examples[: sizes.examples], *duplicates[: max(1, sizes.examples - 1)]],
            hints=["Next: --all shows every table and list; --list NAME prints one list."],
        )
        if OUTPUTS["text"](document).count("\n") <= SCREEN_LINES:
            break
    return document


def all_tables(description: Mapping[str, Any]) -> list[Table]:
    """All there is."""
    zeta = description["zeta"]
    lists = [listing_table(description, name, None) for name in LISTINGS]
    return [
        size_table(description, None),
        *composition_tables(description["rows"], variants=True, by_type=True),
        *([zeta_table(zeta)] if zeta else []),
        *(table for table in lists if table.rows),
    ]


def number_rows(description: Mapping[str, Any]) -> Iterator[DescribedNumber]:
    """All numbers, one per row, with what each is about."""
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


def size_table(description: Mapping[str, Any], most: int | None) -> Table:
    """How large each split is, and how many mentions are ambiguous or unseen."""
    splits = description["splits"]
    lines = [*_sizes(splits), *_mentions(description), *_types(splits, most)]
    rows = tuple((Cell(name), *map(Cell, cells)) for name, *cells in lines)
    kinds = max(len(split["types"]) for split in splits.values())
    notes = [f"{kinds - most} more types: --all"] if most and kinds > most else []
    return Table("Size: number (%)", ("", *_short_names(splits)), rows, tuple(notes))


def _short_names(paths: Sequence[str]) -> list[str]:
    """Files without the folders that they share.

    >>> _short_names(["data/a/test.conll", "data/b/test.conll"]), _short_names(["data/x.conll"])
    (['a/test.conll', 'b/test.conll'], ['x.conll'])
    """
    parts = [PurePath(path).parts or (path,) for path in paths]
    for size in range(1, max(map(len, parts)) + 1):
        names = ["/".join(part[-size:]) for part in parts]
        if len(set(names)) == len(set(paths)):
            return names
    return list(paths)


def _sizes(splits: Mapping[str, Mapping[str, Any]]) -> Iterator[list[str]]:
    counted = {
        "sentences": "sentences",
        "documents": "documents",
        "tokens": "tokens",
        "distinct tokens": "distinct_tokens",
        "mentions": "mentions",
        "distinct mentions": "distinct_surfaces",
    }
    for name, key in counted.items():
        yield [name, *(_number(split[key]) for split in splits.values())]
    for name, key in (("sentence", "sentence_length"), ("mention", "mention_length")):
        label = f"{name} length (mean, median, max)"
        yield [label, *(_spread(split[key]) for split in splits.values())]


_MENTION_ROWS = {
    "ambiguous": "mentions of several types{in_training}",
    "ambiguous_unique": "  distinct",
    "unseen": "mentions whose text is new",
    "unseen_unique": "  distinct",
}


def _mentions(description: Mapping[str, Any]) -> Iterator[list[str]]:
    counts, shares = description["mentions"], description["mention_shares"]
    in_training = " in training" if description["rows"] else ""
    for name, label in _MENTION_ROWS.items():
        if all(split_counts[name] is None for split_counts in counts.values()):
            continue
        cells = [_shared(counted[name], shares[split][name]) for split, counted in counts.items()]
        yield [label.format(in_training=in_training), *cells]


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
        yield [f"type {name}", *(_shared(row["n"], row["share"]) for row in rows)]


def _number(count: int | None) -> str:
    return UNDEFINED if count is None else f"{count:,}"


def _shared(count: int | None, share: float | None) -> str:
    return UNDEFINED if count is None else f"{count:,} ({percent(share, 1)})"


def _spread(lengths: Mapping[str, float | None]) -> str:
    values = [lengths[name] for name in ("mean", "median", "max")]
    return ", ".join(UNDEFINED if value is None else f"{value:.4g}" for value in values)


def composition_tables(
    rows: Sequence[Mapping[str, Any]],
    *,
    variants: bool,
    by_type: bool = False,
) -> list[Table]:
    """A table for each headline facet, and for each variant of one: what splits are made of."""
    tables = []
    for facet in fixed_facets():
        facet_rows = [row for row in rows if row["facet"] == facet.name]
        if facet_rows and (variants or not facet.is_variant):
            title = f"{facet.title}: number (% of all {SHOWN_UNIT[facet.unit]}s)"
            tables.append(_composition_table(title, facet_rows, by_type))
    return tables


def _composition_table(title: str, rows: Sequence[Mapping[str, Any]], by_type: bool) -> Table:
    """Levels as lines; splits as columns, with each type if types are wanted."""
    kinds = [None, *sorted({row["type"] for row in rows if row["type"]})] if by_type else [None]
    splits = list(dict.fromkeys(row["split"] for row in rows))
    index = {(row["split"], row["type"], row["level"]): row for row in rows}
    columns = [(split, kind) for split in splits for kind in kinds if (split, kind, ALL) in index]
    body = []
    for level in dict.fromkeys(row["level"] for row in rows):
        words = level_words(rows[0]["facet"], level)
        label = Cell(words.phrase, code=level)
        if level == ALL:
            label = Cell("all")
        cells = [index[split, kind, level] for split, kind in columns]
        texts = [
            _number(row["n"]) if level == ALL else _shared(row["n"], row["share"]) for row in cells
        ]
        body.append((label, *map(Cell, texts)))
    names = [split if kind is None else f"{split} {kind}" for split, kind in columns]
    return Table(title, ("group", *names), tuple(body))


def bias_document(bias: Mapping[str, Any]) -> Document:
    """Datasets side by side: ζ of each attribute, and the composition tables of the papers."""
    datasets = list(dict.fromkeys(row["dataset"] for row in bias["zeta"]))
    attributes = list(dict.fromkeys(row["attribute"] for row in bias["zeta"]))
    values = {(row["dataset"], row["attribute"]): row["zeta"] for row in bias["zeta"]}
    body = tuple(
        (
            _attribute_cell(name),
            *(Cell(_mean_text(values[dataset, name])) for dataset in datasets),
        )
        for name in attributes
    )
    means = Table("Mean attribute values ζ over the test mentions", ("attribute", *datasets), body)
    overall = [row for row in bias["composition"] if row["type"] is None]
    tables = composition_tables(overall, variants=False)
    return Document([means, *tables], dict(bias), bias["zeta"])


def _attribute_cell(name: str) -> Cell:
    return Cell(attribute_phrase(name) or facet_words(name).phrase, code=name)


def zeta_table(zeta: Mapping[str, float | None]) -> Table:
    """Mean attribute values."""
    cells = tuple((_attribute_cell(name), Cell(_mean_text(mean))) for name, mean in zeta.items())
    return Table("Mean attribute values ζ", ("attribute", "mean"), cells)


def _mean_text(mean: float | None) -> str:
    return UNDEFINED if mean is None else f"{mean:.4g}"
