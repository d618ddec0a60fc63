"""Evidence as JSON: narrow columns, packed, so that comparison and report never ask for the corpora
again.
"""

import base64
import json
import zlib
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

import numpy as np

from nerscope.corpus.arrays import Floats, Ints, Objects
from nerscope.corpus.mentions import PLAIN, Shape, explicit_shapes
from nerscope.scoring.checking import check_evidence
from nerscope.scoring.evidence import SURFACES, Evidence, FacetTable, Folded
from nerscope.scoring.ledger import Ledger, Output, Units
from nerscope.scoring.signature import Signature


def pack_array(values: Ints | Floats) -> dict[str, Any]:
    """An array as text. Sorted integers are stored as steps, few distinct numbers as codes.

    >>> unpack_array(pack_array(np.array([0.0, 0.5, 0.5]))).tolist()
    [0.0, 0.5, 0.5]
    """
    if values.ndim == 2:
        return {**pack_array(values.reshape(-1)), "width": values.shape[1]}
    packed: dict[str, Any] = {"size": len(values)}
    if values.dtype.kind == "f":
        palette, codes = np.unique(values, return_inverse=True)
        if len(palette) < 256:
            packed["palette"], values = palette.tolist(), codes
    elif len(values) and (np.diff(values) >= 0).all():
        packed["steps"], values = True, np.diff(values, prepend=0)
    if values.dtype.kind != "f":
        values = values.astype(
            np.min_scalar_type(int(values.max(initial=0)))
            if values.min(initial=0) >= 0
            else np.int64
        )
    packed["type"] = values.dtype.str
    packed["data"] = base64.b64encode(
        zlib.compress(np.ascontiguousarray(values).tobytes(), 6)
    ).decode()
    return packed


_MOST = 1 << 31  # bytes of one array; more is no array of ours


def unpack_array(packed: Mapping[str, Any]) -> Any:
    """The array behind the text; what its size does not fit is refused."""
    if "width" in packed:
        flat = unpack_array({key: packed[key] for key in packed if key != "width"})
        return flat.reshape(-1, int(packed["width"]))
    kind = np.dtype(packed["type"])
    if kind.kind not in "iuf" or type(packed["size"]) is not int:
        raise ValueError(f"an array of {packed['type']!r}, {packed['size']!r} long")
    unpacker = zlib.decompressobj()
    data = unpacker.decompress(base64.b64decode(packed["data"], validate=True), _MOST)
    raw = np.frombuffer(data, kind)
    if len(raw) != packed["size"] or not unpacker.eof:
        raise ValueError(f"an array of {len(raw)} that should have {packed['size']}")
    if "palette" in packed:
        return np.array(packed["palette"], np.float64)[raw]
    if packed.get("steps"):
        return np.cumsum(raw.astype(np.int64))
    return raw.astype(np.int64) if raw.dtype.kind != "f" else raw


def pack_evidence(evidence: Evidence, *, whole: bool = False) -> dict[str, Any]:
    """Evidence as plain data; surfaces, of which only rows are made, are left out unless wanted."""
    return {
        "dataset": evidence.dataset,
        "types": list(evidence.types),
        "runs": [list(run) for run in evidence.runs],
        "signature": evidence.signature.as_dict(),
        "gold": evidence.gold_name,
        "documents": pack_array(evidence.documents),
        "lines": None if evidence.lines is None else pack_array(evidence.lines),
        "divisions": [asdict(division) for division in evidence.divisions],
        "ledgers": {
            place: _pack_ledger(ledger, whole)
            for place, ledger in evidence.ledgers.items()
            if whole or place != SURFACES
        },
        "texts": _pack_texts(evidence.texts),
        "zeta": evidence.zeta,
        "line_a_token": evidence.line_a_token,
        "folded": evidence.folded._asdict() if evidence.folded else None,
    }


_OUTCOME_COLUMNS = ("gold_credit", "pred_credit", "gold_kind", "pred_kind")
_UNIT_COLUMNS = ("weight", "start", "length", "surface")


def _pack_ledger(ledger: Ledger, whole: bool) -> dict[str, Any]:
    return {
        "gold": _pack_units(ledger.gold, whole),
        "runs": [
            {
                "pred": _pack_units(run.pred, whole),
                **{name: _pack_columns(getattr(run, name)) for name in _OUTCOME_COLUMNS},
            }
            for run in ledger.runs
        ],
    }


def _pack_columns(columns: Mapping[str, Any]) -> dict[str, Any]:
    return {name: pack_array(values) for name, values in columns.items()}


def _pack_units(units: Units, whole: bool) -> dict[str, Any]:
    packed: dict[str, Any] = {
        "sentence": pack_array(units.sentence),
        "type": pack_array(units.type),
        "codes": _pack_columns(units.codes),
    }
    for name in _UNIT_COLUMNS if whole else _UNIT_COLUMNS[:3]:
        values = getattr(units, name)
        if values is not None:
            packed[name] = pack_array(values)
    if units.shape is not None:
        odd = [(at, one) for at, one in enumerate(units.shape.tolist()) if one != PLAIN]
        packed["shapes"] = [[at, *shape] for at, shape in odd]
    return packed


def _pack_texts(texts: tuple[str, ...] | None) -> str | None:
    return (
        None
        if texts is None
        else base64.b64encode(zlib.compress(json.dumps(texts).encode(), 6)).decode()
    )


def unpack_evidence(packed: Mapping[str, Any]) -> Evidence:
    """Evidence from plain data."""
    texts, lines = packed["texts"], packed["lines"]
    evidence = Evidence(
        packed["dataset"],
        tuple(packed["types"]),
        tuple((system, run) for system, run in packed["runs"]),
        {unit: _unpack_ledger(ledger) for unit, ledger in packed["ledgers"].items()},
        tuple(_unpack_division(division) for division in packed["divisions"]),
        unpack_array(packed["documents"]),
        Signature.from_dict(packed["signature"]),
        packed["gold"],
        None if lines is None else unpack_array(lines),
        None if texts is None else tuple(json.loads(zlib.decompress(base64.b64decode(texts)))),
        packed["zeta"],
        packed.get("line_a_token", True) is True,
        _unpack_folded(packed.get("folded")),
    )
    check_evidence(evidence)
    return evidence


def _unpack_folded(packed: Mapping[str, Any] | None) -> Folded | None:
    if packed is None:
        return None
    return Folded(str(packed["unit"]), int(packed["sentences"]), int(packed["documents"]))


def _unpack_division(packed: Mapping[str, Any]) -> FacetTable:
    return FacetTable(
        packed["facet"],
        packed["unit"],
        {level: tuple(codes) for level, codes in packed["levels"].items()},
        {match: tuple(metrics) for match, metrics in packed["metrics"].items()},
        packed["by_type"],
        packed["title"],
    )


def _unpack_ledger(packed: Mapping[str, Any]) -> Ledger:
    runs = tuple(
        Output(
            _unpack_units(run["pred"]),
            *(
                {name: unpack_array(values) for name, values in run.get(column, {}).items()}
                for column in _OUTCOME_COLUMNS
            ),
        )
        for run in packed["runs"]
    )
    return Ledger(_unpack_units(packed["gold"]), runs)


def _unpack_units(packed: Mapping[str, Any]) -> Units:
    sentence = unpack_array(packed["sentence"])
    return Units(
        sentence,
        unpack_array(packed["type"]),
        {name: unpack_array(values) for name, values in packed["codes"].items()},
        **{name: unpack_array(packed[name]) for name in _UNIT_COLUMNS if name in packed},
        shape=_unpack_shapes(packed["shapes"], len(sentence)) if "shapes" in packed else None,
    )


def _unpack_shapes(packed: list[list[Any]], size: int) -> Objects:
    shapes = explicit_shapes(None, size)
    for at, holes, left, right, adrift, said in packed:
        if type(at) is not int or not 0 <= at < size:
            raise ValueError(f"a shape of mention {at!r}")
        ranges = tuple((int(low), int(high)) for low, high in holes)
        shapes[at] = Shape(ranges, int(left), int(right), adrift is True, str(said))
    return shapes
