"""What people said of partial matches, as tables."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from nerscope.render.document import Document, Table, table_of
from nerscope.results.judged_results import JudgedResults


def judged_tables(
    shares: Sequence[Mapping[str, Any]], agreement: Mapping[str, Any] | None
) -> list[Table]:
    """The shares, and the agreement if there are several judges."""
    tables = [table_of("Partial matches as judged", shares)]
    return [*tables, *([table_of("Agreement of the judges", [agreement])] if agreement else [])]


def with_judgements(document: Document, judged: JudgedResults) -> Document:
    """A document that shows results, and what people said of their pairs."""
    shares: list[dict[str, Any]] = judged.shares
    if len({one["dataset"] for one in shares}) < 2:
        shares = [{key: one[key] for key in one if key != "dataset"} for one in shares]
    return replace(
        document,
        tables=[*document.tables, *(judged_tables(shares, judged.agreement) if shares else [])],
        data=judged.data,
        notes=[*document.notes, *judged.notes],
    )
