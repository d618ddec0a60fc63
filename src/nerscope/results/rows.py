"""From evidence to rows: every facet, level, type, match and metric that was asked for."""

from collections.abc import Iterator

import numpy as np

from nerscope.corpus.arrays import Ints
from nerscope.corpus.units import MENTION, SHOWN_UNIT
from nerscope.results.row import Row, row_value, summary_row
from nerscope.scoring.evidence import Evidence
from nerscope.scoring.ledger import Units
from nerscope.scoring.metrics import metric_named

SURFACE = "surface"  # the match over distinct surfaces


def rows_of(evidence: Evidence) -> list[Row]:
    """All rows of a dataset: each run of each system, then the summary over the system's runs."""
    rows: list[Row] = []
    for system in evidence.systems:
        by_run = [_run_rows(evidence, run) for run in evidence.runs_of(system)]
        for own in by_run:
            rows += own
        rows += map(summary_row, zip(*by_run, strict=True))
    return rows


def _run_rows(evidence: Evidence, run: int) -> list[Row]:
    system, number = evidence.runs[run]
    dataset = evidence.dataset
    types = (None, *evidence.types)  # None: all of them together
    rows: list[Row] = []
    for division in evidence.divisions:
        unit, facet = SHOWN_UNIT[division.unit], division.facet
        for match in division.matches:
            for metric, numbers in evidence.numbers(run, division, match):
                name, values, sizes = metric.name, numbers.values.tolist(), numbers.sizes.tolist()
                for level, by_type, n_by_type in zip(numbers.levels, values, sizes, strict=True):
                    rows += [
                        Row(
                            dataset,
                            system,
                            number,
                            unit,
                            facet,
                            level,
                            kind,
                            match,
                            name,
                            None if value != value else value,
                            round(n),
                        )
                        for kind, value, n in zip(types, by_type, n_by_type, strict=False)
                    ]
    rows += _surface_rows(evidence, run)
    return rows


def _surface_rows(evidence: Evidence, run: int) -> Iterator[Row]:
    """Precision, recall and F1 over the distinct (surface, type) pairs, as WNUT17 scores them.

    The one number that is not a sum over sentences, and so stands outside of divisions.
    """
    ledger, wanted = evidence.surfaces, _wanted_metrics(evidence)
    if ledger is None or ledger.runs[run].pred.surface is None or not wanted:
        return
    output = ledger.runs[run]
    n_types = len(evidence.types)
    gold, pred = (len(np.unique(_keys(side, n_types))) for side in (ledger.gold, output.pred))
    right = len(np.unique(_keys(output.pred, n_types)[output.pred_credit["exact"] == 1]))
    counts = np.array([[gold, right, pred, right]], np.float64)
    system, number = evidence.runs[run]
    for name in wanted:
        metric = metric_named(name)
        value = metric.value(counts, evidence.signature.zero_division)
        yield Row(
            dataset=evidence.dataset,
            system=system,
            run=number,
            unit=MENTION,
            facet="all",
            level="all",
            type=None,
            match=SURFACE,
            metric=name,
            value=row_value(float(value)),
            n=pred if name == "precision" else gold,
        )


def _wanted_metrics(evidence: Evidence) -> list[str]:
    overall = [one for one in evidence.divisions if one.facet == "all" and one.unit == MENTION]
    asked = {name for one in overall for names in one.metrics.values() for name in names}
    return [name for name in ("precision", "recall", "f1") if name in asked]


def _keys(units: Units, n_types: int) -> Ints:
    """A key for each (surface, type)."""
    assert units.surface is not None
    return units.surface.astype(np.int64) * n_types + units.type
