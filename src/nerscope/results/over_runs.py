"""What the single training runs of two systems say, beside their means."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from nerscope.results.row import row_value
from nerscope.scoring.metrics import metric_named
from nerscope.stats.run_order import almost_stochastic_order, next_run_better


def run_records(rows: Iterable[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    """For each answer about recipes: all scores, how likely A's next run beats B's next one, and
    how far A is from beating B at every quantile (almost stochastic order; 0: it does, 1: B does).
    """
    for row in rows:
        if row.get("runs_a") is None or metric_named(row["metric"]).better == 0:
            continue
        sign = metric_named(row["metric"]).better
        ours, theirs = (
            [sign * score for score in row[side] if score is not None]
            for side in ("runs_a", "runs_b")
        )
        chance, order = next_run_better(ours, theirs), almost_stochastic_order(ours, theirs)
        yield {
            **{key: row[key] for key in ("dataset", "system_a", "system_b", "match", "metric")},
            "runs_a": row["runs_a"],
            "runs_b": row["runs_b"],
            "next_run_better": row_value(chance.value),
            "next_run_low": row_value(chance.low),
            "next_run_high": row_value(chance.high),
            "violation": row_value(order.value),
            "violation_low": row_value(order.low),
            "violation_high": row_value(order.high),
        }
