"""What the single training runs of two systems say, beside their means."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from nerscope.results.row import ComparisonRow, ResultRow, row_value
from nerscope.scoring.metrics import metric_named
from nerscope.stats.run_order import almost_stochastic_order, next_run_better


@dataclass(frozen=True, slots=True, eq=False)
class RunsRow(ResultRow):
    """Two systems by their single runs.

    `next_run_better` is how likely A's next run beats B's next one; `violation` is how far A is
    from beating B at every quantile (almost stochastic order; 0: it does, 1: B does).
    """

    dataset: str
    system_a: str
    system_b: str
    match: str
    metric: str
    runs_a: list[float | None]
    runs_b: list[float | None]
    next_run_better: float | None
    next_run_low: float | None
    next_run_high: float | None
    violation: float | None
    violation_low: float | None
    violation_high: float | None


def run_records(rows: Iterable[ComparisonRow]) -> Iterator[RunsRow]:
    """One row for each answer about recipes, where the metric has a better side."""
    for row in rows:
        sign = metric_named(row.metric).better
        if row.runs_a is None or row.runs_b is None or sign == 0:
            continue
        ours = [sign * score for score in row.runs_a if score is not None]
        theirs = [sign * score for score in row.runs_b if score is not None]
        chance, order = next_run_better(ours, theirs), almost_stochastic_order(ours, theirs)
        yield RunsRow(
            dataset=row.dataset,
            system_a=row.system_a,
            system_b=row.system_b,
            match=row.match,
            metric=row.metric,
            runs_a=row.runs_a,
            runs_b=row.runs_b,
            next_run_better=row_value(chance.value),
            next_run_low=row_value(chance.low),
            next_run_high=row_value(chance.high),
            violation=row_value(order.value),
            violation_low=row_value(order.low),
            violation_high=row_value(order.high),
        )
