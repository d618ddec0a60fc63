"""Comma-separated values: records if there are any, else the cells of tables."""

import csv
import io
from collections.abc import Sequence

from nerscope.render.document import OUTPUTS, Document, OutputFormat

# A spreadsheet computes cells that begin so, even those of a stranger's file. An apostrophe
# before them makes them text: =HYPERLINK(…) becomes '=HYPERLINK(…).
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def as_csv(document: Document) -> str:
    """Records with the signature, or tables one after the other with their titles."""
    if document.records is not None:
        extra = {} if document.signature is None else {"signature": document.signature}
        records = [{**record, **extra} for record in document.records]
        columns = list(dict.fromkeys(key for record in records for key in record))
        return csv_text(columns, [[record.get(key) for key in columns] for record in records])
    return "\n".join(
        csv_text(
            ["table", *table.header],
            [[table.title, *map(table.shown, row)] for row in table.rows],
        )
        for table in (*document.leading, *document.tables)
    )


def csv_text(columns: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """Comma-separated values; undefined is empty, and text is never a formula."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow([_plain(name) for name in columns])
    writer.writerows([_plain(value) for value in row] for row in rows)
    return buffer.getvalue()


def _plain(value: object) -> object:
    if value is None:
        return ""
    if not isinstance(value, str):
        return value
    text = value.replace("\r", "\\r")
    return (
        f"'{text}" if text.startswith(_FORMULA) and len(text) > 1 and not _is_number(text) else text
    )


def _is_number(text: str) -> bool:
    return text.lstrip("+-").replace(".", "", 1).isdigit()


OUTPUTS.add(
    "csv",
    OutputFormat(
        as_csv, "CSV", "CSV", "Comma-separated values: one line per record, or the cells of tables."
    ),
    built_in=True,
    rank=40,
)
