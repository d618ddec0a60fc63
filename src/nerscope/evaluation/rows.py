"""From evidence to rows: every facet, level, type, match and metric that was asked for."""

from collections.abc import Iterator, Sequence

import numpy as np

from nerscope.corpus.arrays import Floats, Ints
from nerscope.results.results import Row, row_value, summary_row
from nerscope.scoring.cells import numbers
from nerscope.scoring.evidence import SHOWN_UNIT, Division, Evidence, shown_facet
from nerscope.scoring.ledger import Units
from nerscope.scoring.matching import CORRECT, INCORRECT, PARTIAL, UNPAIRED
from nerscope.scoring.metrics import GOLD, HIT_GOLD, HIT_PRED, METRICS, PRED


def tabulate(evidence: Evidence, zero_division: float | None = None) -> list[Row]:
    """All rows of a dataset: each run of each system, then the summary over the system's runs."""
    types = range(len(evidence.types))
    rows: list[Row] = []
    for system in evidence.systems:
        by_run = [
            list(_run_rows(evidence, run, types, zero_division)) for run in evidence.runs_of(system)
        ]
        for own in by_run:
            rows += own
        rows += [summary_row(same) for same in zip(*by_run, strict=True)]
    return rows


def _run_rows(
    evidence: Evidence, run: int, types: Sequence[int], zero_division: float | None
) -> Iterator[Row]:
    for facet, division in evidence.divisions.items():
        for match in division.matches:
            yield from _facet_rows(evidence, run, facet, division, match, types, zero_division)
    yield from _pair_rows(evidence, run, types, zero_division)
    yield from _surface_rows(evidence, run, zero_division)


def _facet_rows(
    evidence: Evidence,
    run: int,
    facet: str,
    division: Division,
    match: str,
    types: Sequence[int],
    zero_division: float | None,
) -> Iterator[Row]:
    counts = evidence.level_counts(run, facet, match)
    for level, kind, metric, value, n in numbers(division, counts, types, zero_division):
        head = _head(evidence, run, division.unit, shown_facet(facet), match, metric)
        head["level"], head["type"] = level, None if kind is None else evidence.types[kind]
        head["value"], head["n"] = row_value(float(value)), round(float(n))
        yield head


def _head(evidence: Evidence, run: int, unit: str, facet: str, match: str, metric: str) -> Row:
    system, number = evidence.runs[run]
    return {
        "dataset": evidence.dataset,
        "system": system,
        "run": number,
        "unit": SHOWN_UNIT[unit],
        "facet": facet,
        "level": "all",
        "type": None,
        "match": match,
        "metric": metric,
    }


def _pair_rows(
    evidence: Evidence, run: int, types: Sequence[int], zero_division: float | None
) -> Iterator[Row]:
    """How many pairs each partial match made, and of which kind."""
    ledger = evidence.ledgers["mention"]
    outcome = ledger.runs[run]
    for match in evidence.divisions["all"].matches:
        if match == "exact":
            continue
        gold = _by_kind(ledger.gold, outcome.gold_kind[match], len(evidence.types))
        pred = _by_kind(outcome.pred, outcome.pred_kind[match], len(evidence.types))
        for kind in (None, *types):
            g, p = (side.sum(axis=0) if kind is None else side[kind] for side in (gold, pred))
            paired = int(g[CORRECT] + g[PARTIAL])
            numbers: dict[str, tuple[float | None, int]] = {
                "correct": (float(g[CORRECT]), int(g.sum())),
                "partial": (float(g[PARTIAL]), int(g.sum())),
                "incorrect": (float(g[INCORRECT]), int(g.sum())),
                "missed": (float(g[UNPAIRED]), int(g.sum())),
                "spurious": (float(p[UNPAIRED]), int(p.sum())),
                "partial_share": (float(g[PARTIAL] / paired) if paired else zero_division, paired),
            }
            for metric, (value, n) in numbers.items():
                row = _head(evidence, run, "mention", "all", match, metric)
                yield {
                    **row,
                    "type": None if kind is None else evidence.types[kind],
                    "value": value,
                    "n": n,
                }


def _by_kind(units: Units, kinds: Ints, n_types: int) -> Ints:
    return np.bincount(units.type.astype(np.int64) * 4 + kinds, minlength=4 * n_types).reshape(
        n_types, 4
    )


def _surface_rows(evidence: Evidence, run: int, zero_division: float | None) -> Iterator[Row]:
    """Precision, recall and F1 over the distinct (surface, type) pairs, as WNUT17 scores them."""
    ledger = evidence.ledgers["mention"]
    outcome = ledger.runs[run]
    if ledger.gold.surface is None or outcome.pred.surface is None:
        return
    hits = outcome.pred_credit["exact"] == 1
    gold, pred = (_distinct(units, len(evidence.types)) for units in (ledger.gold, outcome.pred))
    correct = len(np.unique(gold_keys(outcome.pred, len(evidence.types))[hits]))
    counts: Floats = np.zeros((1, 4))
    counts[0, [GOLD, HIT_GOLD, PRED, HIT_PRED]] = gold, correct, pred, correct
    for metric in ("precision", "recall", "f1"):
        rule = METRICS[metric]
        value = row_value(float(rule.value(counts, zero_division)))
        yield {
            **_head(evidence, run, "mention", "all", "surface", metric),
            "value": value,
            "n": int(counts[0, rule.column]),
        }


def gold_keys(units: Units, n_types: int) -> Ints:
    """A key for each (surface, type)."""
    assert units.surface is not None
    return units.surface.astype(np.int64) * n_types + units.type


def _distinct(units: Units, n_types: int) -> int:
    return len(np.unique(gold_keys(units, n_types)))
