"""Is A better than B, where, and can we believe it? From results alone."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Any

import numpy as np

from nerscope.errors import InputError, UsageError, suggest
from nerscope.results.results import SIGNIFICANT, Results, gain, outcome, row_value
from nerscope.scoring.evidence import SHOWN_UNIT, Evidence, shown_facet
from nerscope.stats.intervals import Sampling
from nerscope.stats.paired import Difference, resample
from nerscope.stats.tests import corrected

Pair = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Comparison:
    """Differences between systems, cell by cell."""

    rows: list[dict[str, Any]]
    settings: dict[str, Any]
    notes: list[str] = field(default_factory=list)

    def tally(self, a: str, b: str) -> Counter[str]:
        """How many cells A wins, loses and ties, by the corrected p-value."""
        counts: Counter[str] = Counter()
        for row in self.rows:
            if (row["system_a"], row["system_b"]) == (a, b) and row["p_corrected"] is not None:
                counts[outcome(row["metric"], row["difference"], row["p_corrected"])] += 1
        return counts

    def as_dict(self) -> dict[str, Any]:
        """What `compare --format json` prints."""
        return {"settings": self.settings, "notes": self.notes, "rows": self.rows}


def compare(
    results: Results,
    a: str | None = None,
    b: str | None = None,
    *,
    baseline: str | None = None,
    facets: Sequence[str] | None = None,
    metrics: Sequence[str] | None = None,
    by_type: bool = False,
    method: str = "bootstrap",
    correction: str = "holm",
    samples: int = 10_000,
    seed: int = 0,
    resample_by: str = "sentence",
) -> Comparison:
    """Compare two systems, each with a baseline, or all pairs; p-values are corrected over the
    cells shown.

    >>> from nerscope import evaluate
    >>> gold = [(["Ada", "met", "Bob"], ["B-PER", "O", "B-PER"])] * 20
    >>> all_found, none = [["B-PER", "O", "B-PER"]] * 20, [["O", "O", "O"]] * 20
    >>> found = compare(evaluate(gold, {"x": all_found, "y": none}), "x", "y", metrics=["f1"], samples=200)
    >>> found.rows[0]["difference"]
    1.0
    """
    if not results.evidence:
        raise InputError(
            "results", "they hold no evidence to resample", "evaluate again, and save with `-o`"
        )
    corrected([], correction)
    _check_chosen(results, facets, metrics)
    sampling = Sampling(resample_by, samples, seed)
    rows, notes = list[dict[str, Any]](), list[str]()
    for evidence in results.evidence:
        pairs, missing = pairs_of(evidence, results, a, b, baseline)
        notes += missing
        chosen = _chosen(evidence, facets, metrics)
        rows += [
            difference_row(chosen, found)
            for found in resample(chosen, sampling, pairs=pairs, method=method)
            if isinstance(found, Difference) and is_shown(found, by_type, alone=metrics is not None)
        ]
    about = {
        "method": method,
        "correction": correction,
        "samples": samples,
        "seed": seed,
        "resample": resample_by,
    }
    return comparison_of(rows, about, notes)


def comparison_of(
    rows: list[dict[str, Any]], about: dict[str, Any], notes: list[str]
) -> Comparison:
    """A comparison whose p-values are corrected over the rows of each pair."""
    pairs: dict[Pair, list[dict[str, Any]]] = {}
    for row in rows:
        pairs.setdefault((row["system_a"], row["system_b"]), []).append(row)
    for own in pairs.values():
        p_values = corrected(
            [np.nan if row["p"] is None else row["p"] for row in own], about["correction"]
        )
        for row, p in zip(own, p_values, strict=True):
            row["p_corrected"] = row_value(p)
    most, samples = max(map(len, pairs.values()), default=0), int(about["samples"])
    if about["correction"] in ("holm", "bonferroni") and most > SIGNIFICANT * (samples + 1):
        notes.append(
            f"{samples} resamples are too few for {most} cells: no corrected p can fall below {SIGNIFICANT}; "
            "take more samples, or fewer facets and metrics"
        )
    return Comparison(rows, about, notes)


def pairs_of(
    evidence: Evidence, results: Results, a: str | None, b: str | None, baseline: str | None
) -> tuple[list[Pair], list[str]]:
    """The pairs to compare on a dataset, and who is missing there."""
    everyone = list(dict.fromkeys(system for part in results.evidence for system in part.systems))
    for name in (a, b, baseline):
        if name is not None and name not in everyone:
            raise UsageError(
                f"system '{name}'", "it is not in the results", suggest(name, everyone)
            )
    if (a is None) != (b is None):
        raise UsageError(
            "compare", "only one system is named", "name two systems, or none for all pairs"
        )
    if len(everyone) < 2:
        raise UsageError(
            "compare",
            "there is only one system in the results",
            "evaluate at least two systems together",
        )
    if a is not None and b is not None:
        wanted = [(a, b)]
    elif baseline is not None:
        wanted = [(system, baseline) for system in everyone if system != baseline]
    else:
        wanted = list(combinations(everyone, 2))
    present = [pair for pair in wanted if all(name in evidence.systems for name in pair)]
    absent = sorted({name for pair in wanted for name in pair if name not in evidence.systems})
    notes = [f"{evidence.dataset}: {name} has no output here and is left out" for name in absent]
    return present, notes


def _chosen(
    evidence: Evidence, facets: Sequence[str] | None, metrics: Sequence[str] | None
) -> Evidence:
    divisions = {
        name: division
        for name, division in evidence.divisions.items()
        if facets is None or name in facets
    }
    if metrics:
        divisions = {
            name: replace(
                division, metrics=tuple(metric for metric in division.metrics if metric in metrics)
            )
            for name, division in divisions.items()
        }
    return replace(evidence, divisions=divisions)


def _check_chosen(
    results: Results, facets: Sequence[str] | None, metrics: Sequence[str] | None
) -> None:
    """Refuse what none of the datasets has."""
    divisions = {
        name: division
        for evidence in results.evidence
        for name, division in evidence.divisions.items()
    }
    measured = {
        metric
        for name, division in divisions.items()
        if not facets or name in facets
        for metric in division.metrics
    }
    for kind, chosen, known in [("facet", facets, set(divisions)), ("metric", metrics, measured)]:
        for name in chosen or ():
            if name not in known:
                raise UsageError(
                    f"{kind} '{name}'", "it is not in the results", suggest(name, known)
                )


def is_shown(found: Difference, by_type: bool, alone: bool = False) -> bool:
    """Types are shown for all mentions together; for the levels of a facet, only if they are asked
    for.
    """
    if not gain(found.key.metric, 1.0) and not alone:
        return False  # a share of errors is neither better nor worse
    return found.key.type is None or by_type or (found.facet == "all" and found.match == "exact")


def difference_row(evidence: Evidence, found: Difference) -> dict[str, Any]:
    """A difference as a tidy row."""
    level, kind, metric = found.key
    difference = found.a - found.b
    return {
        "dataset": evidence.dataset,
        "system_a": found.a_system,
        "system_b": found.b_system,
        "unit": SHOWN_UNIT[evidence.divisions[found.facet].unit],
        "facet": shown_facet(found.facet),
        "level": level,
        "type": None if kind is None else evidence.types[kind],
        "match": found.match,
        "metric": metric,
        **{
            name: row_value(value)
            for name, value in [
                ("a", found.a),
                ("b", found.b),
                ("difference", difference),
                ("low", found.low),
                ("high", found.high),
                ("p", found.p),
            ]
        },
        "p_corrected": None,
        "n": round(found.n),
    }
