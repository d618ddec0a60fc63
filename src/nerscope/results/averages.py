"""How good systems are on the mean over datasets, and how far that mean may be trusted."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from nerscope.results.protocol import Protocol
from nerscope.results.results import Results
from nerscope.results.row import Row, or_nan, row_value
from nerscope.scoring.metrics import metric_named
from nerscope.stats.across import Numbers, averaged
from nerscope.stats.splits import drawn, resampled_t

_Cell = tuple[str, str, str, str, str]
_KEYS = ("unit", "facet", "level", "match", "metric")


def average_records(results: Results) -> list[dict[str, Any]]:
    """The mean of each number over two datasets or more, the same ones for all systems.

    `low` and `high` are for these datasets, `low_drawn` and `high_drawn` for others like them; of
    splits there are `low` and `high` only, which reckon with their overlap.
    """
    protocol = results.protocol or Protocol()
    cells: dict[_Cell, dict[str, dict[str, Row]]] = {}
    for row in results.rows:
        if row["run"] is None and row["type"] is None and row["value"] is not None:
            key = (row["unit"], row["facet"], row["level"], row["match"], row["metric"])
            cells.setdefault(key, {}).setdefault(row["dataset"], {})[row["system"]] = row
    return [record for key, own in cells.items() for record in _records(key, own, protocol)]


def _records(
    key: _Cell, by_dataset: dict[str, dict[str, Row]], protocol: Protocol
) -> Iterator[dict[str, Any]]:
    """One record for each system, over the datasets on which all of them have the number."""
    systems = list(dict.fromkeys(name for own in by_dataset.values() for name in own))
    shared = [name for name, own in by_dataset.items() if len(own) == len(systems)]
    if len(shared) < 2:
        return
    for system in systems:
        rows = [by_dataset[name][system] for name in shared]
        values = [or_nan(row["value"]) for row in rows]
        yield {
            "system": system,
            **dict(zip(_KEYS, key, strict=True)),
            "over": protocol.datasets,
            "datasets": shared,
            "value": float(np.mean(values)),
            "std": float(np.std(values, ddof=1)),
            "n": round(float(np.mean([row["n"] for row in rows]))),
            **_bounds(key[-1], values, rows, protocol),
        }


def _bounds(
    metric: str, values: Numbers, rows: Sequence[Row], protocol: Protocol
) -> dict[str, float | None]:
    if protocol.ratio is not None:
        found = resampled_t(values, protocol.ratio)
        low, high, others = found.low, found.high, drawn([])
    else:
        lows = [or_nan(row.get("low")) for row in rows]
        highs = [or_nan(row.get("high")) for row in rows]
        (_, low, high), others = averaged(values, lows, highs), drawn(values)
    return _kept(metric, "", low, high) | _kept(metric, "_drawn", others.low, others.high)


def _kept(metric: str, suffix: str, low: float, high: float) -> dict[str, float | None]:
    """Bounds as records hold them; a share is from 0 to 1."""
    if metric_named(metric).is_fraction:
        low, high = float(np.clip(low, 0, 1)), float(np.clip(high, 0, 1))
    return {f"low{suffix}": row_value(low), f"high{suffix}": row_value(high)}
