"""Is A better than B over several datasets: on how many, on average, and in rank."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from nerscope.results.row import row_value
from nerscope.scoring.metrics import metric_named
from nerscope.stats.across import averaged, beaten_on, mean_ranks, sign_test, signed_rank
from nerscope.stats.corrections import corrected

Rows = Sequence[Mapping[str, Any]]


def dataset_records(primary: Rows, correction: str) -> list[dict[str, Any]]:
    """One record for each pair that was compared on two datasets or more, by its primary number.

    `better_on` is the number of datasets on which A is better, with 95 % confidence that it is no
    smaller (partial conjunction, Dror et al. 2017); p-values are corrected over the pairs.
    """
    pairs: dict[tuple[str, str], list[Mapping[str, Any]]] = {}
    for row in primary:
        if row["difference"] is not None:
            pairs.setdefault((row["system_a"], row["system_b"]), []).append(row)
    found = [_record(a, b, own) for (a, b), own in pairs.items() if len(own) > 1]
    for name in ("p_sign", "p_wilcoxon"):
        p_values = [np.nan if one[name] is None else one[name] for one in found]
        for one, p in zip(found, corrected(p_values, correction), strict=True):
            one[f"{name}_corrected"] = row_value(p)
    return found


def _record(a: str, b: str, rows: Rows) -> dict[str, Any]:
    metric = metric_named(rows[0]["metric"])
    differences = [row["difference"] for row in rows]
    gains = [metric.gain(one) for one in differences]
    bounds = [[_or_nan(row[side]) for row in rows] for side in ("low", "high")]
    mean, low, high = averaged(differences, *bounds)
    better = [_one_sided(row["p"], gain) for row, gain in zip(rows, gains, strict=True)]
    worse = [_one_sided(row["p"], -gain) for row, gain in zip(rows, gains, strict=True)]
    return {
        "system_a": a,
        "system_b": b,
        "match": rows[0]["match"],
        "metric": metric.name,
        "datasets": [row["dataset"] for row in rows],
        "difference": row_value(mean),
        "low": row_value(low),
        "high": row_value(high),
        "ahead": sum(gain > 0 for gain in gains),
        "behind": sum(gain < 0 for gain in gains),
        "better_on": beaten_on(better),
        "worse_on": beaten_on(worse),
        "p_sign": row_value(sign_test(gains)),
        "p_wilcoxon": row_value(signed_rank(np.round(gains, 12))),
    }


def _one_sided(p: float | None, gain: float) -> float:
    """How surprising it is if A is in truth no better; what cannot be tested says nothing."""
    if p is None:
        return 1.0
    return p / 2 if gain > 0 else 1 - p / 2


def _or_nan(value: float | None) -> float:
    return np.nan if value is None else value


def rank_records(primary: Rows) -> list[dict[str, Any]]:
    """The mean rank of each system over the datasets that all of them have (Demšar 2006)."""
    scores: dict[str, dict[str, float]] = {}
    for row in primary:
        for side in ("a", "b"):
            if row[side] is not None:
                scores.setdefault(row["dataset"], {})[row[f"system_{side}"]] = row[side]
    systems = list(dict.fromkeys(name for own in scores.values() for name in own))
    if len(scores) < 2 or len(systems) < 2:
        return []
    table = np.array([[own.get(name, np.nan) for name in systems] for own in scores.values()])
    found = mean_ranks(table, metric_named(primary[0]["metric"]).better > 0)
    records = [
        {"system": name, "rank": row_value(float(rank)), "datasets": found.datasets}
        for name, rank in zip(systems, found.ranks, strict=True)
    ]
    return sorted(records, key=lambda one: one["rank"] or np.inf)
