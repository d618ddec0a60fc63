"""Results as JSON, both ways."""

import json
import zlib
from typing import Any

from nerscope.errors import InputError
from nerscope.formats.losses import Loss
from nerscope.results.row import Row
from nerscope.scoring.evidence import Evidence
from nerscope.scoring.packing import pack_evidence, unpack_evidence
from nerscope.scoring.signature import joint

# Raised when files change so that an older program would misread them; not the package's version.
FORMAT = 1
_REMEDY = "give a file that `evaluate -o` wrote"
_ROW_KEYS = ("dataset", "system", "run", "unit", "facet", "level", "type", "match", "metric")
Parts = tuple[list[Row], list[Evidence], list[Loss]]


def to_json(rows: list[Row], evidence: list[Evidence], losses: list[Loss], version: str) -> str:
    """Strict JSON: undefined is null."""
    head = {
        "nerscope": version,
        "format": FORMAT,
        "signature": joint(part.signature for part in evidence),
        "settings": settings_of(evidence),
        "losses": losses,
    }
    lines = ",\n".join(map(_compact, rows))
    packed = _compact([pack_evidence(part) for part in evidence])
    return f'{_compact(head)[:-1]},"rows":[\n{lines}\n],"evidence":{packed}}}\n'


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
    except (ValueError, RecursionError) as error:
        raise InputError(name, f"it is not JSON ({error})", _REMEDY) from None
    kinds = {"nerscope": str, "format": int, "rows": list, "settings": dict, "losses": list}
    if not isinstance(content, dict) or not all(
        isinstance(content.get(key), kind) for key, kind in kinds.items()
    ):
        raise InputError(name, "it holds no nerscope results", _REMEDY)
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
        losses = [_checked_loss(loss) for loss in content["losses"]]
    except (
        AttributeError,
        IndexError,
        KeyError,
        MemoryError,
        OverflowError,
        TypeError,
        ValueError,
        zlib.error,
    ) as error:
        raise InputError(
            name, f"these results are damaged ({error!r})", "evaluate again, and save with `-o`"
        ) from None
    return rows, evidence, losses


def _refuse_constant(text: str) -> None:
    raise ValueError(f"{text} is no number of JSON")


def _checked_row(row: Any) -> Row:
    for key in _ROW_KEYS:
        if not isinstance(row[key], str) and (key not in ("run", "type") or row[key] is not None):
            raise ValueError(f"{key} of a row is {row[key]!r}")
    for key in ("value", "n", "low", "high", "std"):
        given = row.get(key)
        if isinstance(given, bool) or not (given is None or isinstance(given, int | float)):
            raise ValueError(f"{key} of a row is {given!r}")
    checked: Row = row
    return checked


def _checked_loss(loss: Any) -> Loss:
    if not isinstance(loss["message"], str) or not isinstance(loss["places"][0], str):
        raise ValueError("a loss has no message or no place")
    checked: Loss = loss
    return checked


def _compact(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
