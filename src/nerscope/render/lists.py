"""Lists of single mentions and tokens: as tables, as CSV, as JSON, and as files."""

import io
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from nerscope.errors import OutputError
from nerscope.render.csv import csv_text
from nerscope.render.document import Document, table_of
from nerscope.results.row import plain_row

Records = Sequence[Mapping[str, Any]]


def list_document(lists: Sequence[tuple[str, Records]]) -> Document:
    """Some lists, each with its title."""
    data = [{"title": title, "rows": list(records)} for title, records in lists]
    together = [record for _, records in lists for record in records]
    return Document([table_of(title, records) for title, records in lists], data, together)


def error_file(path: str, records: Records) -> Callable[[], bytes | str]:
    """How to write one row a mention, in the format that the name of the file says."""
    ending = Path(path).suffix.lower()
    writers: dict[str, Callable[[str, Records], bytes | str]] = {
        ".csv": _csv,
        ".jsonl": _jsonl,
        ".parquet": _parquet,
    }
    if ending not in writers:
        raise OutputError(
            path, f"the ending '{ending}' is unknown", "end the name in .csv, .jsonl or .parquet"
        )
    return lambda: writers[ending](path, records)


def _csv(path: str, records: Records) -> str:
    columns = list(dict.fromkeys(key for record in records for key in record if key != "tokens"))
    return csv_text(columns, [[record.get(key) for key in columns] for record in records])


def _jsonl(path: str, records: Records) -> str:
    return "".join(
        json.dumps(record, ensure_ascii=False, default=plain_row) + "\n" for record in records
    )


def _parquet(path: str, records: Records) -> bytes:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise OutputError(
            path, "Parquet needs the package pyarrow", "install nerscope[tables], or write .csv"
        ) from None
    buffer = io.BytesIO()
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(list(map(dict, records))), buffer)
    return buffer.getvalue()
