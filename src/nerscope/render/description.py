"""What a dataset is like: a page for people, tidy records and everything for programs."""

from collections.abc import Iterator, Mapping
from typing import Any

from nerscope.render.composition import (
    TITLES,
    composition_tables,
    size_table,
    zeta_line,
    zeta_table,
)
from nerscope.render.document import Document, Table
from nerscope.render.findings import (
    LISTINGS,
    duplicate_lines,
    listing_document,
    listing_table,
    overview_tables,
)

MOST = 10  # entries of a list, unless all are wanted
Record = dict[str, Any]


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
        list(tidy(description)),
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
        *composition_tables(description["rows"], ("tmr", "hard")),
        *overview_tables(description, MOST),
    ]


def all_tables(description: Mapping[str, Any]) -> list[Table]:
    """All there is."""
    zeta = description["zeta"]
    lists = [listing_table(description, name, None) for name in LISTINGS]
    return [
        size_table(description, None),
        *composition_tables(description["rows"], list(TITLES)),
        *([zeta_table(zeta)] if zeta else []),
        *(table for table in lists if table.rows),
    ]


def tidy(description: Mapping[str, Any]) -> Iterator[Record]:
    """All numbers, one a record, with what each is about."""
    for own in (_of_splits, _of_mentions, _of_levels, _of_surfaces, _of_duplicates):
        yield from own(description)
    for row in description["hard_tokens"]:
        about = {"facet": row["facet"], "level": row["level"], "item": row["token"]}
        yield _record("hard_tokens", row["split"], "n", row["count"], **about)
    last = list(description["splits"])[-1]
    for name, mean in description["zeta"].items():
        yield _record("zeta", last, "mean", mean, item=name)


def _record(table: str, split: str, measure: str, value: float | None, **about: Any) -> Record:
    keys = ("against", "facet", "level", "type", "item")
    rest = {key: about.get(key) for key in keys}
    return {"table": table, "split": split, **rest, "measure": measure, "value": value}


def _of_splits(description: Mapping[str, Any]) -> Iterator[Record]:
    for split, own in description["splits"].items():
        for name, value in own.items():
            if name == "types":
                for row in value:
                    for measure in ("n", "share"):
                        yield _record("types", split, measure, row[measure], type=row["type"])
            elif isinstance(value, Mapping):
                for measure, number in value.items():
                    yield _record("splits", split, measure, number, item=name)
            elif name != "name":
                yield _record("splits", split, "n", value, item=name)


def _of_mentions(description: Mapping[str, Any]) -> Iterator[Record]:
    for split, own in description["mentions"].items():
        for name, n in own.items():
            yield _record("mentions", split, "n", n, item=name)
            if name in description["mention_shares"][split]:
                share = description["mention_shares"][split][name]
                yield _record("mentions", split, "share", share, item=name)


def _of_levels(description: Mapping[str, Any]) -> Iterator[Record]:
    for row in description["rows"]:
        about = {key: row[key] for key in ("facet", "level", "type")}
        for measure in ("n", "share"):
            yield _record("composition", row["split"], measure, row[measure], **about)


def _of_surfaces(description: Mapping[str, Any]) -> Iterator[Record]:
    for row in description["ambiguous"]:
        for name, n in row["types"].items():
            yield _record("ambiguous", row["split"], "n", n, type=name, item=row["surface"])
    for row in description["unannotated"]:
        for measure in ("annotated", "unannotated"):
            value = row[measure]
            yield _record("unannotated", row["split"], measure, value, item=row["surface"])
    for row in description["inconsistent"]:
        about = {"against": "train", "item": row["surface"]}
        yield _record("inconsistent", row["split"], "n", row["n"], **about)
        for measure in ("train", "here"):
            for name, n in row[measure].items():
                yield _record("inconsistent", row["split"], measure, n, type=name, **about)


def _of_duplicates(description: Mapping[str, Any]) -> Iterator[Record]:
    for row in description["duplicates"]:
        about = {"against": row["against"], "item": row["kind"]}
        for measure in ("n", "share"):
            yield _record("duplicates", row["split"], measure, row[measure], **about)
