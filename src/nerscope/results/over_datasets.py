"""Is A better than B over several datasets: on how many, on average, and in rank."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from nerscope.results.protocol import Protocol
from nerscope.results.row import or_nan, row_value
from nerscope.scoring.metrics import metric_named
from nerscope.stats.across import (
    Numbers,
    averaged,
    beaten_on,
    mean_ranks,
    p_of_mean,
    sign_test,
    signed_rank,
)
from nerscope.stats.corrections import SIGNIFICANT, corrected
from nerscope.stats.splits import beaten_at_bonferroni, drawn, resampled_t

Rows = Sequence[Mapping[str, Any]]
_P_VALUES = ("p_fixed", "p_drawn", "p_resampled", "p_sign", "p_wilcoxon")
_OF_DOMAINS = ("low_drawn", "high_drawn", "better_on", "worse_on")
_OF_SPLITS = ("splits", "ratio", "alpha", "beats_on", "loses_on")
_UNDEFINED = dict.fromkeys(("low", "high", *_OF_DOMAINS, *_OF_SPLITS, *_P_VALUES))


def dataset_records(
    primary: Rows, correction: str, protocol: Protocol | None = None
) -> list[dict[str, Any]]:
    """One record for each pair that was compared on two datasets or more, by its primary number.

    What is said rests on what datasets are to each other; what assumes independent ones is
    undefined for splits. p-values are corrected over the pairs.
    """
    pairs: dict[tuple[str, str], list[Mapping[str, Any]]] = {}
    for row in primary:
        if row["difference"] is not None:
            pairs.setdefault((row["system_a"], row["system_b"]), []).append(row)
    told = protocol or Protocol()
    every = len({row["dataset"] for row in primary})
    found = [_record(a, b, own, told, every) for (a, b), own in pairs.items() if len(own) > 1]
    for name in _P_VALUES:
        p_values = [or_nan(one[name]) for one in found]
        for one, p in zip(found, corrected(p_values, correction), strict=True):
            one[f"{name}_corrected"] = row_value(p)
    return found


def _record(a: str, b: str, rows: Rows, protocol: Protocol, every: int) -> dict[str, Any]:
    metric = metric_named(rows[0]["metric"])
    differences = [row["difference"] for row in rows]
    gains = [metric.gain(one) for one in differences]
    summed = (
        _of_splits(rows, differences, gains, protocol.ratio, every)
        if protocol.ratio is not None
        else _of_domains(rows, differences, gains)
    )
    return {
        "system_a": a,
        "system_b": b,
        "match": rows[0]["match"],
        "metric": metric.name,
        "over": protocol.datasets,
        "datasets": [row["dataset"] for row in rows],
        "difference": row_value(float(np.mean(differences))),
        "ahead": sum(gain > 0 for gain in gains),
        "behind": sum(gain < 0 for gain in gains),
        **_UNDEFINED,
        **summed,
    }


def _of_domains(rows: Rows, differences: Numbers, gains: Numbers) -> dict[str, Any]:
    """What holds for independent datasets: on these alone, and on others like them.

    `better_on` is the number of datasets on which A is better, with 95 % confidence that it is no
    smaller (partial conjunction, Dror et al. 2017).
    """
    lows, highs = ([or_nan(row[side]) for row in rows] for side in ("low", "high"))
    _, low, high = averaged(differences, lows, highs)
    better = [_one_sided(row["p"], gain) for row, gain in zip(rows, gains, strict=True)]
    worse = [_one_sided(row["p"], -gain) for row, gain in zip(rows, gains, strict=True)]
    others = drawn(differences)
    degrees = [or_nan(row.get("degrees")) for row in rows]
    return {
        "low": row_value(low),
        "high": row_value(high),
        "p_fixed": row_value(p_of_mean(differences, lows, highs, degrees)),
        "low_drawn": row_value(others.low),
        "high_drawn": row_value(others.high),
        "p_drawn": row_value(others.p),
        "better_on": beaten_on(better),
        "worse_on": beaten_on(worse),
        "p_sign": row_value(sign_test(gains)),
        "p_wilcoxon": row_value(signed_rank(np.round(gains, 12))),
    }


def _of_splits(
    rows: Rows, differences: Numbers, gains: Numbers, ratio: float, every: int
) -> dict[str, Any]:
    """What holds for splits, although they overlap: `beats_on` of them A is better, each tested at
    alpha by their number (Gorman and Bedrick 2019), and the mean (Nadeau and Bengio 2003).

    Splits on which the pair has no numbers were meant to be tested, too: they count among all.
    """
    missing = every - len(rows)
    p_values = [*(or_nan(row["p"]) for row in rows), *[np.nan] * missing]
    beaten = beaten_at_bonferroni(p_values, [*gains, *[0.0] * missing])
    found = resampled_t(differences, ratio)
    return {
        "low": row_value(found.low),
        "high": row_value(found.high),
        "splits": every,
        "ratio": ratio,
        "alpha": SIGNIFICANT,
        "beats_on": beaten.better,
        "loses_on": beaten.worse,
        "p_resampled": row_value(found.p),
    }


def _one_sided(p: float | None, gain: float) -> float:
    """How surprising it is if A is in truth no better; what cannot be tested says nothing."""
    if p is None:
        return 1.0
    return p / 2 if gain > 0 else 1 - p / 2


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
