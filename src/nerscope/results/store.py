"""Read and write results files.

A results file is strict JSON. Its first keys are human-readable: version, format, signature,
settings, losses. The evidence of each dataset follows as packed columns. Rows would take ten times
the space, so they are computed from the evidence when the file is read. Two things are stored in
addition: the bounds of intervals, which take long to compute, and rows from files of format 1 whose
evidence is incomplete.
"""

import base64
import hashlib
import json
import re
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Any, NamedTuple

import numpy as np

from nerscope.codec import pack, unpack
from nerscope.errors import InputError, UsageError
from nerscope.formats.source import SourceNote
from nerscope.results.format_1 import read_evidence, read_rows
from nerscope.results.protocol import Protocol
from nerscope.results.rows import Row, plain_row, rows_of
from nerscope.scoring.evidence import Evidence, joint
from nerscope.scoring.packing import pack_evidence, unpack_evidence

# Increased if older programs would misread new files; not the version of the package.
FORMAT = 2
_SURROGATES = re.compile("[\ud800-\udfff]")
_REMEDY = "give a file that evaluate -o wrote"
_REPAIR = "evaluate again, and save the results with -o FILE"
_MOST_BYTES = 1 << 31  # of the columns of a dataset; larger ones are refused before decompression
_KEY_FIELDS = ("dataset", "system", "run", "unit", "facet", "level", "type", "match", "metric")
_MICRO = 1_000_000  # bounds are rounded to six digits, so millionths are exact
_DAMAGE = (
    AttributeError,
    IndexError,
    KeyError,
    MemoryError,
    OverflowError,
    RecursionError,
    TypeError,
    ValueError,
    zlib.error,
)


class StoredResults(NamedTuple):
    """The content of a results file, in the order of the arguments of `Results`."""

    evidence: list[Evidence]
    losses: list[SourceNote]
    rows: list[Row]
    protocol: Protocol | None


def to_json(
    rows: list[Row],
    evidence: list[Evidence],
    losses: list[SourceNote],
    version: str,
    more: Mapping[str, Any],
    *,
    with_rows: bool,
) -> str:
    """Results as strict JSON; undefined numbers are null.

    Rows are for other programs; `from_json` computes them from the evidence.
    """
    content: dict[str, Any] = {
        "nerscope": version,
        "format": FORMAT,
        "signature": joint(part.signature for part in evidence),
        "settings": settings_of(evidence),
        "losses": losses,
        **more,
    }
    lines = [_compact(content)[:-1]]
    if with_rows:
        lines.append(',"rows":[\n' + ",\n".join(map(_compact, rows)) + "\n]")
    computed = [row for part in evidence for row in rows_of(part)]
    if not _are_same(rows, computed):
        lines.append(f',"stored_rows":{_compact(rows)}')
    elif any(row.has_interval for row in rows):
        lines.append(f',"intervals":{_compact(_Bounds.of(rows).as_plain())}')
    entries = ",\n".join(_compact(_plain_entry(part)) for part in evidence)
    text = "".join([*lines, f',"evidence":[\n{entries}\n]}}\n'])
    return _SURROGATES.sub("\ufffd", text)  # in file names that are not UTF-8


def _are_same(rows: Sequence[Row], computed: Sequence[Row]) -> bool:
    """Whether two lists of rows have the same numbers in the same order, apart from bounds."""
    return rows is computed or (
        len(rows) == len(computed)
        and all(
            (a.value, a.n, a.std, a.runs, _key(a)) == (b.value, b.n, b.std, b.runs, _key(b))
            for a, b in zip(rows, computed, strict=True)
        )
    )


# The key of a row; `attrgetter` reads all fields at once, which is fast for many rows.
_key: Callable[[Row], tuple[object, ...]] = attrgetter(*_KEY_FIELDS)


def settings_of(evidence: list[Evidence]) -> dict[str, Any]:
    """The settings as plain data: the signature, and the edges of buckets by dataset."""
    by_dataset = {
        part.dataset: {
            "signature": part.signature.parts(),
            "facets": part.signature.as_dict()["edges"],
        }
        for part in evidence
    }
    facets: dict[str, Any] = {}
    for conditions in by_dataset.values():
        facets = {**conditions["facets"], **facets}
    signatures = [conditions["signature"] for conditions in by_dataset.values()]
    return {
        "signature": signatures[0] if signatures else {},
        "facets": facets,
        "datasets": by_dataset,
    }


def from_json(text: str, name: str) -> StoredResults:
    """Results from their JSON; raise an InputError if it is invalid."""
    try:
        content = json.loads(text, parse_constant=_refuse_constant)
    except (TypeError, ValueError, RecursionError) as error:
        raise InputError(name, f"it is not JSON ({error})", _REMEDY) from None
    _check_head(content, name)
    try:
        read = _read_format_1 if content["format"] == 1 else _read_format_2
        losses = [_checked_loss(loss) for loss in content["losses"]]
        evidence, rows = read(content)
        protocol = _checked_protocol(content.get("protocol"))
        return StoredResults(evidence, losses, rows, protocol)
    except UsageError as error:  # a metric of a plug-in that is not loaded
        fact = f"{error.place}: {error.fact}"
        raise InputError(
            name, fact, f"--plugin FILE (the plug-in that defines it). {error.fix}"
        ) from None
    except _DAMAGE as error:
        raise InputError(name, f"the results are damaged ({error!r})", _REPAIR) from None


def _check_head(content: Any, name: str) -> None:
    kinds: dict[str, type] = {"nerscope": str, "format": int, "settings": dict, "losses": list}
    known = isinstance(content, dict) and not isinstance(content.get("format"), bool)
    if known and content.get("format") == 1:
        kinds["rows"] = list
    if not known or not all(isinstance(content.get(key), kind) for key, kind in kinds.items()):
        raise InputError(name, "it holds no nerscope results", _REMEDY)
    if content["format"] < 1:
        raise InputError(name, f"unknown format {content['format']}", _REMEDY)
    if content["format"] > FORMAT:
        raise InputError(
            name,
            f"its format is {content['format']} (nerscope {content['nerscope']}), "
            f"this version reads {FORMAT}",
            "pip install --upgrade nerscope",
        )


def _read_format_1(content: Mapping[str, Any]) -> tuple[list[Evidence], list[Row]]:
    evidence = [read_evidence(part) for part in _listed(content.get("evidence", []))]
    _check_datasets(evidence)
    return evidence, read_rows(content["rows"], evidence)


def _read_format_2(content: Mapping[str, Any]) -> tuple[list[Evidence], list[Row]]:
    evidence = [unpack_evidence(_inflate(entry)) for entry in _listed(content["evidence"])]
    _check_datasets(evidence)
    if "stored_rows" in content:
        return evidence, read_rows(content["stored_rows"], evidence)
    # Computed now, not on first access, so that damaged evidence raises its error here.
    rows = [row for part in evidence for row in rows_of(part)]
    if "intervals" in content:
        rows = _Bounds.from_plain(content["intervals"]).added_to(rows)
    return evidence, rows


def _listed(value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise TypeError("the evidence is not a list")
    return value


def _check_datasets(evidence: Sequence[Evidence]) -> None:
    names = [part.dataset for part in evidence]
    if len(set(names)) != len(names):
        raise ValueError("a dataset is there twice")


@dataclass(frozen=True, slots=True)
class _Bounds:
    """The bounds of all rows, as columns in the order of the rows."""

    order: str  # a digest of the keys of the rows, to detect columns of other rows
    status: np.ndarray  # 0: not computed, 1: undefined, 2: defined
    low: np.ndarray
    high: np.ndarray
    clusters: np.ndarray
    caution: np.ndarray  # indices in `cautions`; -1: none
    cautions: list[str]

    @classmethod
    def of(cls, rows: Sequence[Row]) -> "_Bounds":
        cautions = list(dict.fromkeys(row.caution for row in rows if row.caution is not None))
        places = {text: place for place, text in enumerate(cautions)}
        return cls(
            _order_of(rows),
            np.array([(1 + (row.low is not None)) * row.has_interval for row in rows], np.int8),
            _numbers([row.low for row in rows]),
            _numbers([row.high for row in rows]),
            np.array([row.clusters or 0 for row in rows], np.int64),
            np.array([places.get(row.caution or "", -1) for row in rows], np.int16),
            cautions,
        )

    def as_plain(self) -> dict[str, Any]:
        columns = (self.status, self.low, self.high, self.clusters, self.caution)
        return {"order": self.order, "cautions": self.cautions, **_deflated(pack(columns))}

    @classmethod
    def from_plain(cls, plain: Mapping[str, Any]) -> "_Bounds":
        columns = unpack(_inflate(plain))
        cautions = list(plain["cautions"])
        arrays = isinstance(columns, tuple) and all(isinstance(c, np.ndarray) for c in columns)
        if not arrays or len({column.shape for column in columns}) != 1 or columns[0].ndim != 1:
            raise ValueError("columns of intervals differ in length")
        status, low, high, clusters, caution = columns
        if not np.isin(caution, np.arange(-1, len(cautions))).all():
            raise ValueError("unknown caution of an interval")
        if not all(isinstance(text, str) for text in cautions) or not np.isfinite(low + high).all():
            raise ValueError("an interval is not a pair of numbers")
        return cls(str(plain["order"]), status, low, high, clusters, caution, cautions)

    def added_to(self, rows: Sequence[Row]) -> list[Row]:
        """The rows with their bounds."""
        if len(rows) != len(self.status) or _order_of(rows) != self.order:
            raise ValueError("the intervals belong to other rows")
        columns = (self.status, _fractions(self.low), _fractions(self.high))
        more = (self.clusters, self.caution)
        return [
            row
            if not status
            else row.with_bounds(
                low if status > 1 else None,
                high if status > 1 else None,
                clusters,
                self.cautions[caution] if caution >= 0 else None,
            )
            for row, status, low, high, clusters, caution in zip(
                rows, *(column.tolist() for column in (*columns, *more)), strict=True
            )
        ]


def _order_of(rows: Sequence[Row]) -> str:
    names = hashlib.sha256()
    for row in rows:
        names.update("\t".join(map(str, _key(row))).encode("utf-8", "surrogatepass") + b"\n")
    return names.hexdigest()[:32]


def _numbers(bounds: Sequence[float | None]) -> np.ndarray:
    """Bounds as millionths if that is exact, as for rounded bounds."""
    values = np.array([0.0 if bound is None else bound for bound in bounds])
    millionths = np.rint(values * _MICRO)
    return millionths.astype(np.int64) if np.array_equal(millionths / _MICRO, values) else values


def _fractions(column: np.ndarray) -> np.ndarray:
    return column / _MICRO if column.dtype.kind == "i" else column


def _plain_entry(evidence: Evidence) -> dict[str, Any]:
    """The evidence of a dataset, with readable facts about it."""
    runs = {system: len(evidence.runs_of(system)) for system in evidence.systems}
    return {
        "dataset": evidence.dataset,
        "runs": runs,
        "sentences": len(evidence.documents),
        **_deflated(pack_evidence(evidence)),
    }


def _deflated(data: bytes) -> dict[str, Any]:
    return {"size": len(data), "columns": base64.b64encode(zlib.compress(data, 9)).decode()}


def _inflate(entry: Mapping[str, Any]) -> bytes:
    """The bytes of packed columns; raise a ValueError if their number is not the stated one.

    The size is checked before and during decompression, because a small file may expand to more
    than the memory.
    """
    size = entry["size"]
    if type(size) is not int or not 0 <= size <= _MOST_BYTES:
        raise ValueError(f"invalid size of columns {size!r}")
    inflater = zlib.decompressobj()
    data = inflater.decompress(base64.b64decode(entry["columns"], validate=True), size + 1)
    if len(data) != size or not inflater.eof or inflater.unused_data:
        raise ValueError(f"columns do not have {size} bytes")
    return data


def _refuse_constant(text: str) -> None:
    raise ValueError(f"{text} is not valid JSON")


def _checked_loss(loss: Any) -> SourceNote:
    if not isinstance(loss["message"], str) or not isinstance(loss["places"][0], str):
        raise ValueError("a loss has no message or no place")
    checked: SourceNote = loss
    return checked


def _checked_protocol(plain: Any) -> Protocol | None:
    if plain is None:
        return None
    try:
        return Protocol(plain["datasets"], plain.get("ratio"))
    except UsageError as error:
        raise ValueError(f"protocol: {error.fact}") from None


def _compact(value: object) -> str:
    return json.dumps(
        value, ensure_ascii=False, allow_nan=False, separators=(",", ":"), default=plain_row
    )
