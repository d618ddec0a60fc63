"""Evidence as the plain columns that results files and the cache hold.

The names here are those of the file format: they stay when a class or a field is renamed. A reader
ignores keys that it does not know, so that later versions may add some (docs/results.md lists those
that are foreseen); a key that changes what others mean needs another format.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from nerscope.codec import pack, unpack
from nerscope.corpus.mentions import PLAIN, Shape, explicit_shapes
from nerscope.scoring.checking import check_evidence
from nerscope.scoring.evidence import SURFACES, Evidence, FacetTable, Folded
from nerscope.scoring.ledger import Ledger, Output, SurfaceCounts, Units
from nerscope.scoring.signature import Signature

_OUTCOME_COLUMNS = ("gold_credit", "pred_credit", "gold_kind", "pred_kind")
_UNIT_COLUMNS = ("weight", "start", "length", "surface")


def pack_evidence(evidence: Evidence, *, with_surfaces: bool = False) -> bytes:
    """Evidence as bytes, from which all rows, comparisons and reports can be made again.

    Only intervals of scores over distinct surfaces need `with_surfaces`, as the cache does. Results
    files do without: the codes of surfaces depend on the order in which data were read, and rows
    need only how many there are.
    """
    return pack(_plain_evidence(evidence, with_surfaces), compact=True)


def unpack_evidence(data: bytes) -> Evidence:
    """The evidence that was packed; refused, with a ValueError, if no evaluation writes such."""
    return evidence_from(unpack(data))


def _plain_evidence(evidence: Evidence, with_surfaces: bool) -> dict[str, Any]:
    runs = range(len(evidence.runs))
    return {
        "dataset": evidence.dataset,
        "types": list(evidence.types),
        "runs": [list(run) for run in evidence.runs],
        "signature": evidence.signature.as_dict(),
        "gold": evidence.gold_name,
        "documents": evidence.documents,
        "lines": evidence.lines,
        "divisions": [_plain_division(division) for division in evidence.divisions],
        "ledgers": {
            place: _plain_ledger(ledger, with_surfaces)
            for place, ledger in evidence.ledgers.items()
            if with_surfaces or place != SURFACES
        },
        "surfaces": [_plain_counts(evidence.surface_counts(run)) for run in runs],
        "texts": None if evidence.texts is None else list(evidence.texts),
        "zeta": dict(evidence.zeta),
        "line_a_token": evidence.line_a_token,
        "folded": evidence.folded._asdict() if evidence.folded else None,
    }


def _plain_counts(counts: SurfaceCounts | None) -> list[int] | None:
    return None if counts is None else list(counts)


def _plain_division(division: FacetTable) -> dict[str, Any]:
    return {
        "facet": division.facet,
        "unit": division.unit,
        "levels": {level: list(codes) for level, codes in division.levels.items()},
        "metrics": {match: list(metrics) for match, metrics in division.metrics.items()},
        "by_type": division.by_type,
        "title": division.title,
    }


def _plain_ledger(ledger: Ledger, with_surfaces: bool) -> dict[str, Any]:
    runs = [
        {
            "pred": _plain_units(run.pred, with_surfaces),
            **{name: dict(getattr(run, name)) for name in _OUTCOME_COLUMNS},
        }
        for run in ledger.runs
    ]
    return {"gold": _plain_units(ledger.gold, with_surfaces), "runs": runs}


def _plain_units(units: Units, with_surfaces: bool) -> dict[str, Any]:
    plain: dict[str, Any] = {
        "sentence": units.sentence,
        "type": units.type,
        "codes": dict(units.codes),
    }
    for name in _UNIT_COLUMNS:
        values = getattr(units, name)
        if values is not None and (with_surfaces or name != "surface"):
            plain[name] = values
    if units.shape is not None:
        # Nearly all mentions are plain: only the others are written, each with its place.
        shapes = enumerate(units.shape.tolist())
        plain["shapes"] = [[place, *shape] for place, shape in shapes if shape != PLAIN]
    return plain


def evidence_from(plain: Mapping[str, Any]) -> Evidence:
    """Evidence from plain columns, each of which is checked."""
    lines, texts = plain["lines"], plain["texts"]
    evidence = Evidence(
        plain["dataset"],
        tuple(plain["types"]),
        tuple((system, run) for system, run in plain["runs"]),
        _ledgers_from(plain),
        tuple(_division_from(division) for division in plain["divisions"]),
        _column(plain["documents"]),
        Signature.from_dict(plain["signature"]),
        plain["gold"],
        None if lines is None else _column(lines),
        None if texts is None else tuple(texts),
        plain["zeta"],
        plain.get("line_a_token", True) is True,
        _folded_from(plain.get("folded")),
    )
    check_evidence(evidence)
    return evidence


def _column(values: Any, most_dimensions: int = 1) -> Any:
    numbers = isinstance(values, np.ndarray) and values.dtype.kind in "iufb"
    if not numbers or not 1 <= values.ndim <= most_dimensions:
        raise ValueError("a column is no array of numbers")
    return values


def _columns(plain: Mapping[str, Any], most_dimensions: int = 1) -> dict[str, Any]:
    return {name: _column(values, most_dimensions) for name, values in plain.items()}


def _ledgers_from(plain: Mapping[str, Any]) -> dict[str, Ledger]:
    counts = plain.get("surfaces") or [None] * len(plain["runs"])
    surfaces = [None if three is None else _counts_from(three) for three in counts]
    return {place: _ledger_from(ledger, surfaces) for place, ledger in plain["ledgers"].items()}


def _counts_from(plain: Sequence[Any]) -> SurfaceCounts:
    if not all(type(number) is int and number >= 0 for number in plain):
        raise ValueError("a number of surfaces is none")
    return SurfaceCounts(*plain)


def _ledger_from(plain: Mapping[str, Any], surfaces: list[SurfaceCounts | None]) -> Ledger:
    runs = tuple(
        Output(
            _units_from(run["pred"]),
            # Folded evidence has a column for each kind of pair.
            *(_columns(run.get(name, {}), 2) for name in _OUTCOME_COLUMNS),
            surfaces=counts,
        )
        for run, counts in zip(plain["runs"], surfaces, strict=True)
    )
    return Ledger(_units_from(plain["gold"]), runs)


def _units_from(plain: Mapping[str, Any]) -> Units:
    sentence = _column(plain["sentence"])
    return Units(
        sentence,
        _column(plain["type"]),
        _columns(plain["codes"]),
        **{name: _column(plain[name]) for name in _UNIT_COLUMNS if name in plain},
        shape=_shapes_from(plain["shapes"], len(sentence)) if "shapes" in plain else None,
    )


def _shapes_from(plain: list[list[Any]], size: int) -> Any:
    shapes = explicit_shapes(None, size)
    for place, holes, left, right, adrift, text in plain:
        if type(place) is not int or not 0 <= place < size:
            raise ValueError(f"a shape of mention {place!r}")
        ranges = tuple((int(low), int(high)) for low, high in holes)
        shapes[place] = Shape(ranges, int(left), int(right), adrift is True, str(text))
    return shapes


def _division_from(plain: Mapping[str, Any]) -> FacetTable:
    return FacetTable(
        plain["facet"],
        plain["unit"],
        {level: tuple(codes) for level, codes in plain["levels"].items()},
        {match: tuple(metrics) for match, metrics in plain["metrics"].items()},
        plain["by_type"],
        plain["title"],
    )


def _folded_from(plain: Mapping[str, Any] | None) -> Folded | None:
    if plain is None:
        return None
    return Folded(str(plain["unit"]), int(plain["sentences"]), int(plain["documents"]))
