"""How good systems are on the mean over datasets, and how far that mean may be trusted."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from nerscope.results.protocol import Protocol
from nerscope.results.results import Results
from nerscope.results.row import ResultRow, Row, or_nan, row_value
from nerscope.scoring.metrics import metric_named
from nerscope.stats.across import averaged
from nerscope.stats.splits import drawn, resampled_t

_Cell = tuple[str, str, str, str, str]  # unit, facet, level, match, metric


@dataclass(frozen=True, slots=True, eq=False)
class AverageRow(ResultRow):
    """The mean of one number of a system over datasets."""

    system: str
    unit: str
    facet: str
    level: str
    match: str
    metric: str
    over: str  # what datasets are to each other
    datasets: list[str]
    value: float
    std: float
    n: int
    low: float | None  # of these datasets
    high: float | None
    low_drawn: float | None  # of others like them
    high_drawn: float | None


def average_records(results: Results) -> list[AverageRow]:
    """The mean of each number over two datasets or more, the same ones for all systems.

    `low` and `high` are for these datasets, `low_drawn` and `high_drawn` for others like them; of
    splits there are `low` and `high` only, which reckon with their overlap.
    """
    protocol = results.protocol or Protocol()
    cells: dict[_Cell, dict[str, dict[str, Row]]] = {}
    for row in results.rows:
        if row.run is None and row.type is None and row.value is not None:
            cell = (row.unit, row.facet, row.level, row.match, row.metric)
            cells.setdefault(cell, {}).setdefault(row.dataset, {})[row.system] = row
    return [
        average
        for cell, by_dataset in cells.items()
        for average in _averages(cell, by_dataset, protocol)
    ]


def _averages(
    cell: _Cell, by_dataset: dict[str, dict[str, Row]], protocol: Protocol
) -> Iterator[AverageRow]:
    """One row for each system, over the datasets on which all of them have the number."""
    systems = list(dict.fromkeys(name for by_system in by_dataset.values() for name in by_system))
    shared = [name for name, by_system in by_dataset.items() if len(by_system) == len(systems)]
    if len(shared) < 2:
        return
    for system in systems:
        rows = [by_dataset[name][system] for name in shared]
        values = [or_nan(row.value) for row in rows]
        if protocol.ratio is not None:
            mean = resampled_t(values, protocol.ratio)
            low, high, others = mean.low, mean.high, drawn([])
        else:
            lows, highs = [or_nan(row.low) for row in rows], [or_nan(row.high) for row in rows]
            (_, low, high), others = averaged(values, lows, highs), drawn(values)
        bounds = [low, high, others.low, others.high]
        if metric_named(cell[-1]).is_fraction:
            bounds = [float(np.clip(bound, 0, 1)) for bound in bounds]
        yield AverageRow(
            system,
            *cell,
            protocol.datasets,
            shared,
            float(np.mean(values)),
            float(np.std(values, ddof=1)),
            round(float(np.mean([row.n for row in rows]))),
            *map(row_value, bounds),
        )
