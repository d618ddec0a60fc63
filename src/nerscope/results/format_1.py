"""Read results files of format 1, which nerscope 0.1 and 0.2 wrote.

Format 1 holds all rows, and evidence as JSON whose columns are packed one by one:
`{"size": 3, "type": "|u1", "data": "base64 of zlib", "steps": true, "palette": […], "width": 2}`.
"""

import base64
import json
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from nerscope.results.rows import Row, row_from, rows_of
from nerscope.scoring.evidence import Evidence
from nerscope.scoring.packing import evidence_from, finite

_MOST_BYTES = 1 << 31  # of one column; format 1 never held larger columns
_COLUMN_KEYS = {"size", "type", "data"}
_KEY_FIELDS = ("dataset", "system", "run", "unit", "facet", "level", "type", "match", "metric")


def read_evidence(plain: Mapping[str, Any]) -> Evidence:
    """The evidence of one dataset."""
    unpacked = _with_columns(plain)
    if unpacked["texts"] is not None:
        unpacked["texts"] = json.loads(zlib.decompress(base64.b64decode(unpacked["texts"])))
    return evidence_from(unpacked)


def _with_columns(plain: Any) -> Any:
    """The same structure, with arrays instead of packed columns."""
    if isinstance(plain, list):
        return [_with_columns(item) for item in plain]
    if not isinstance(plain, dict):
        return plain
    if plain.keys() >= _COLUMN_KEYS:
        return _read_column(plain)
    return {key: _with_columns(value) for key, value in plain.items()}


def _read_column(packed: Mapping[str, Any]) -> Any:
    kind = np.dtype(packed["type"])
    if kind.kind not in "iuf" or type(packed["size"]) is not int:
        raise ValueError(f"invalid array of {packed['type']!r} with size {packed['size']!r}")
    # Decompression is limited, so that a few bytes cannot fill the memory.
    unpacker = zlib.decompressobj()
    data = unpacker.decompress(base64.b64decode(packed["data"], validate=True), _MOST_BYTES)
    values: Any = np.frombuffer(data, kind)
    if len(values) != packed["size"] or not unpacker.eof:
        raise ValueError(f"an array has {len(values)} values instead of {packed['size']}")
    if "palette" in packed:
        values = np.array(packed["palette"], np.float64)[values]
    elif packed.get("steps"):
        values = np.cumsum(values.astype(np.int64))
    elif kind.kind != "f":
        values = values.astype(np.int64)
    return values.reshape(-1, int(packed["width"])) if "width" in packed else values


def read_rows(plain: Sequence[Any], evidence: Sequence[Evidence]) -> list[Row]:
    """The rows; raise a ValueError unless they are the numbers of the evidence, each once."""
    rows = [_checked_row(row) for row in plain]
    computed = {_key(row): row for part in evidence for row in rows_of(part)}
    keys = {_key(row) for row in rows}
    if evidence and (len(keys) != len(rows) or not computed.keys() <= keys):
        raise ValueError("a row is missing, or is there twice")
    for at, row in enumerate(rows):
        other = computed.get(_key(row))
        if other is None:
            continue
        if not _is_close(row.value, other.value):
            raise ValueError(f"a row has the value {row.value}, the evidence {other.value}")
        if row.runs != other.runs:  # format 1 also counted runs in which the number is undefined
            rows[at] = replace(row, runs=other.runs)
    return rows


def _checked_row(row: Any) -> Row:
    for key in _KEY_FIELDS:
        if not isinstance(row[key], str) and (key not in ("run", "type") or row[key] is not None):
            raise ValueError(f"invalid {key} {row[key]!r} in a row")
    for key in ("value", "n", "low", "high", "std", "runs"):
        number = row.get(key)
        if not finite([number]):
            raise ValueError(f"invalid {key} {number!r} in a row")
    return row_from(row)


def _key(row: Row) -> tuple[object, ...]:
    return tuple(getattr(row, name) for name in _KEY_FIELDS)


def _is_close(a: float | None, b: float | None) -> bool:
    return a == b or (a is not None and b is not None and abs(a - b) < 1e-9)
