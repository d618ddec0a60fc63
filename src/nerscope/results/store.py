"""Results as JSON, both ways."""

import json
import re
import zlib
from collections.abc import Mapping
from typing import Any

from nerscope.errors import InputError, UsageError
from nerscope.formats.losses import Loss
from nerscope.results.protocol import Protocol
from nerscope.results.rows import Row, plain_row, row_from, rows_of
from nerscope.scoring.checking import finite
from nerscope.scoring.evidence import Evidence
from nerscope.scoring.packing import pack_evidence, unpack_evidence
from nerscope.scoring.signature import joint

# Raised when files change so that an older program would misread them; not the package's version.
FORMAT = 1
_SURROGATES = re.compile("[\ud800-\udfff]")
_REMEDY = "give a file that `evaluate -o` wrote"
_ROW_KEYS = ("dataset", "system", "run", "unit", "facet", "level", "type", "match", "metric")
Parts = tuple[list[Evidence], list[Loss], list[Row], Protocol | None]


def to_json(
    rows: list[Row],
    evidence: list[Evidence],
    losses: list[Loss],
    version: str,
    also: Mapping[str, Any],
) -> str:
    """Strict JSON: undefined is null."""
    head = {
        "nerscope": version,
        "format": FORMAT,
        "signature": joint(part.signature for part in evidence),
        "settings": settings_of(evidence),
        "losses": losses,
        **also,
    }
    lines = ",\n".join(map(_compact, rows))
    packed = _compact([pack_evidence(part) for part in evidence])
    text = f'{_compact(head)[:-1]},"rows":[\n{lines}\n],"evidence":{packed}}}\n'
    return _SURROGATES.sub("\ufffd", text)  # of names that are not UTF-8


def settings_of(evidence: list[Evidence]) -> dict[str, Any]:
    """The conditions as plain data: the signature, and the edges of buckets by dataset."""
    by_dataset = {
        part.dataset: {
            "signature": part.signature.parts(),
            "facets": part.signature.as_dict()["edges"],
        }
        for part in evidence
    }
    facets: dict[str, Any] = {}
    for one in by_dataset.values():
        facets = {**one["facets"], **facets}
    signatures = [one["signature"] for one in by_dataset.values()]
    return {
        "signature": signatures[0] if signatures else {},
        "facets": facets,
        "datasets": by_dataset,
    }


def from_json(text: str, name: str) -> Parts:
    """The parts of results from their JSON; whatever is not as it should be is refused."""
    try:
        content = json.loads(text, parse_constant=_refuse_constant)
    except (TypeError, ValueError, RecursionError) as error:
        raise InputError(name, f"it is not JSON ({error})", _REMEDY) from None
    kinds: dict[str, type] = {
        "nerscope": str,
        "format": int,
        "rows": list,
        "settings": dict,
        "losses": list,
    }
    if not isinstance(content, dict) or not all(
        isinstance(content.get(key), kind) for key, kind in kinds.items()
    ):
        raise InputError(name, "it holds no nerscope results", _REMEDY)
    if isinstance(content["format"], bool):
        raise InputError(name, "it holds no nerscope results", _REMEDY)
    if content["format"] < 1:
        raise InputError(name, f"its format is {content['format']}, which never was", _REMEDY)
    if content["format"] > FORMAT:
        raise InputError(
            name,
            f"its format is {content['format']} (nerscope {content['nerscope']}), "
            f"this program knows {FORMAT}",
            "install that version of nerscope or a newer one",
        )
    try:
        evidence = [unpack_evidence(part) for part in content.get("evidence", [])]
        rows = [_checked_row(row) for row in content["rows"]]
        _check_rows(rows, evidence)
        losses = [_checked_loss(loss) for loss in content["losses"]]
        protocol = _checked_protocol(content.get("protocol"))
    except UsageError as error:  # a metric that only a plug-in knows
        fact = f"{error.place}: {error.fact}"
        raise InputError(name, fact, f"load its plug-in with --plugin, or {error.remedy}") from None
    except (
        AttributeError,
        IndexError,
        KeyError,
        MemoryError,
        OverflowError,
        RecursionError,
        TypeError,
        ValueError,
        zlib.error,
    ) as error:
        raise InputError(
            name, f"these results are damaged ({error!r})", "evaluate again, and save with `-o`"
        ) from None
    return evidence, losses, rows, protocol


def _check_rows(rows: list[Row], evidence: list[Evidence]) -> None:
    """Rows must be the numbers of the evidence: each of them once, with its value."""
    names = [part.dataset for part in evidence]
    if len(set(names)) != len(names):
        raise ValueError("a dataset is there twice")
    if not evidence:
        return
    own = [row for part in evidence for row in rows_of(part)]
    known = {_row_key(row): row for row in own}
    given = {_row_key(row) for row in rows}
    if len(given) != len(rows) or not known.keys() <= given:
        raise ValueError("a row is missing, or there twice")
    for row in rows:
        same = known.get(_row_key(row))
        if same is not None and not _close(row["value"], same["value"]):
            raise ValueError(f"a row says {row['value']}, the evidence {same['value']}")


def _row_key(row: Row) -> tuple[object, ...]:
    fields: Any = row
    return tuple(fields[key] for key in _ROW_KEYS)


def _close(a: float | None, b: float | None) -> bool:
    return a == b or (a is not None and b is not None and abs(a - b) < 1e-9)


def _refuse_constant(text: str) -> None:
    raise ValueError(f"{text} is no number of JSON")


def _checked_row(row: Any) -> Row:
    for key in _ROW_KEYS:
        if not isinstance(row[key], str) and (key not in ("run", "type") or row[key] is not None):
            raise ValueError(f"{key} of a row is {row[key]!r}")
    for key in ("value", "n", "low", "high", "std", "runs"):
        given = row.get(key)
        if not finite([given]):
            raise ValueError(f"{key} of a row is {given!r}")
    return row_from(row)


def _checked_loss(loss: Any) -> Loss:
    if not isinstance(loss["message"], str) or not isinstance(loss["places"][0], str):
        raise ValueError("a loss has no message or no place")
    checked: Loss = loss
    return checked


def _checked_protocol(said: Any) -> Protocol | None:
    if said is None:
        return None
    try:
        return Protocol(said["datasets"], said.get("ratio"))
    except UsageError as error:
        raise ValueError(f"protocol: {error.fact}") from None


def _compact(value: object) -> str:
    return json.dumps(
        value, ensure_ascii=False, allow_nan=False, separators=(",", ":"), default=plain_row
    )
