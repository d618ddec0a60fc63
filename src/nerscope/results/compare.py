"""Is A better than B, where, and can we believe it? From results alone."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Any

import numpy as np

from nerscope.corpus.units import MENTION, SHOWN_UNIT
from nerscope.errors import InputError, UsageError, suggest
from nerscope.results.errors import check_system
from nerscope.results.results import Results
from nerscope.results.row import row_value
from nerscope.scoring.evidence import Division, Evidence
from nerscope.scoring.metrics import metric_named
from nerscope.stats.corrections import SIGNIFICANT as SIGNIFICANT
from nerscope.stats.corrections import corrected
from nerscope.stats.corrections import is_significant as is_significant
from nerscope.stats.draws import Difference, draw
from nerscope.stats.intervals import Sampling
from nerscope.stats.paired import METHODS

Pair = tuple[str, str]
WIN, LOSS, TIE = "win", "loss", "tie"


@dataclass(frozen=True, slots=True)
class Comparison:
    """Differences between systems, cell by cell."""

    rows: list[dict[str, Any]]
    settings: dict[str, Any]
    notes: list[str] = field(default_factory=list)

    def tally(self, a: str, b: str) -> Counter[str]:
        """How many cells A wins, loses and ties, by the corrected p-value."""
        return Counter(
            standing(row["metric"], row["difference"], row["p_corrected"])
            for row in self.rows
            if (row["system_a"], row["system_b"]) == (a, b) and row["p_corrected"] is not None
        )

    def as_dict(self) -> dict[str, Any]:
        """What `compare --format json` prints."""
        return {"settings": self.settings, "notes": self.notes, "rows": self.rows}


def standing(metric: str, difference: float, p: float | None) -> str:
    """Whether the first of two systems wins a cell, loses it, or ties.

    >>> standing("ter", -0.02, 0.01), standing("f1", -0.02, 0.01), standing("f1", 0.02, 0.3)
    ('win', 'loss', 'tie')
    """
    better = metric_named(metric).gain(difference)
    return TIE if not better or not is_significant(p) else WIN if better > 0 else LOSS


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
    resample: str = "sentence",
) -> Comparison:
    """Compare two systems, each with a baseline, or all pairs; p is corrected over cells shown.

    >>> from nerscope import evaluate
    >>> gold = [(["Ada", "met", "Bob"], ["B-PER", "O", "B-PER"])] * 20
    >>> all_found, none = [["B-PER", "O", "B-PER"]] * 20, [["O", "O", "O"]] * 20
    >>> results = evaluate(gold, {"x": all_found, "y": none})
    >>> compare(results, "x", "y", metrics=["f1"], samples=200).rows[0]["difference"]
    1.0
    """
    if not results.evidence:
        raise InputError(
            "results", "they hold no evidence to resample", "evaluate again, and save with `-o`"
        )
    corrected([], correction)
    METHODS[method]
    _check_chosen(results, facets, metrics)
    sampling = Sampling(resample, samples, seed)
    rows, notes = list[dict[str, Any]](), list[str]()
    for evidence in results.evidence:
        pairs, missing = pairs_of(evidence, results, a, b, baseline)
        notes += missing
        chosen = narrowed(evidence, facets, metrics)
        found = differences_of(chosen, pairs, sampling, method)
        rows += shown_rows(chosen, found, by_type, alone=metrics is not None)
    about = {"method": method, "correction": correction, **sampling.signature()}
    return comparison_of(rows, about, notes)


def differences_of(
    evidence: Evidence, pairs: Sequence[Pair], sampling: Sampling, method: str
) -> Iterator[Difference]:
    """Every number of every pair, tested."""
    systems = list(dict.fromkeys(system for pair in pairs for system in pair))
    if pairs:
        for draws in draw(evidence, sampling, systems, swaps=METHODS[method].needs_swaps):
            yield from draws.differences(pairs, method)


def shown_rows(
    evidence: Evidence, found: Iterable[Difference], by_type: bool, alone: bool = False
) -> list[dict[str, Any]]:
    """The differences that are shown, as tidy rows."""
    return [difference_row(evidence, one) for one in found if _is_shown(one, by_type, alone)]


def _is_shown(found: Difference, by_type: bool, alone: bool) -> bool:
    """Types are shown for all mentions together; for the levels of a facet, only if asked for."""
    if not metric_named(found.key.metric).better and not alone:
        return False  # neither better nor worse, as a share of errors
    overall = found.division.facet == "all" and found.match == "exact"
    return found.key.type is None or by_type or overall


def comparison_of(
    rows: list[dict[str, Any]], about: dict[str, Any], notes: list[str]
) -> Comparison:
    """A comparison whose p-values are corrected over the rows of each pair."""
    pairs: dict[Pair, list[dict[str, Any]]] = {}
    for row in rows:
        pairs.setdefault((row["system_a"], row["system_b"]), []).append(row)
    for own in pairs.values():
        p_values = [np.nan if row["p"] is None else row["p"] for row in own]
        for row, p in zip(own, corrected(p_values, about["correction"]), strict=True):
            row["p_corrected"] = row_value(p)
    most, samples = max(map(len, pairs.values()), default=0), int(about["samples"])
    if about["correction"] in ("holm", "bonferroni") and most > SIGNIFICANT * (samples + 1):
        notes.append(
            f"{samples} resamples are too few for {most} cells: no corrected p can fall below "
            f"{SIGNIFICANT}; take more samples, or fewer facets and metrics"
        )
    return Comparison(rows, about, notes)


def pairs_of(
    evidence: Evidence, results: Results, a: str | None, b: str | None, baseline: str | None
) -> tuple[list[Pair], list[str]]:
    """The pairs to compare on a dataset, and who is missing there."""
    everyone = results.systems
    for name in (a, b, baseline):
        check_system(results, name)
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


def narrowed(
    evidence: Evidence, facets: Sequence[str] | None, metrics: Sequence[str] | None
) -> Evidence:
    """The evidence with some of its facets and metrics."""
    chosen = []
    for division in evidence.divisions:
        if facets is None or division.facet in facets:
            own = {
                match: tuple(name for name in names if metrics is None or name in metrics)
                for match, names in division.metrics.items()
            }
            own = {match: names for match, names in own.items() if names}
            if own:
                chosen.append(replace(division, metrics=own))
    return replace(evidence, divisions=tuple(chosen))


def _check_chosen(
    results: Results, facets: Sequence[str] | None, metrics: Sequence[str] | None
) -> None:
    """Refuse what none of the datasets has."""
    divisions = [division for evidence in results.evidence for division in evidence.divisions]
    measured = {
        metric
        for division in divisions
        if not facets or division.facet in facets
        for names in division.metrics.values()
        for metric in names
    }
    known_facets = {division.facet for division in divisions}
    for kind, chosen, known in [("facet", facets, known_facets), ("metric", metrics, measured)]:
        for name in chosen or ():
            if name not in known:
                raise UsageError(
                    f"{kind} '{name}'", "it is not in the results", suggest(name, known)
                )


def difference_row(evidence: Evidence, found: Difference) -> dict[str, Any]:
    """A difference as a tidy row."""
    level, kind, metric = found.key
    low, high = found.interval or (None, None)
    return {
        "dataset": evidence.dataset,
        "system_a": found.a_system,
        "system_b": found.b_system,
        "unit": SHOWN_UNIT[found.division.unit],
        "facet": found.division.facet,
        "level": level,
        "type": None if kind is None else evidence.types[kind],
        "match": found.match,
        "metric": metric,
        "a": row_value(found.a),
        "b": row_value(found.b),
        "difference": row_value(found.a - found.b),
        "low": low,
        "high": high,
        "p": row_value(found.p),
        "p_corrected": None,
        "n": round(found.n),
    }


def division_named(
    evidence: Evidence, facet: str, match: str | None = None, metric: str | None = None
) -> Division:
    """The division of a facet: that of mentions, or the one that has a match or metric."""
    found = [one for one in evidence.divisions if one.facet == facet]
    if not found:
        raise UsageError(
            f"facet '{facet}'", "it is not in the results", suggest(facet, evidence.facets)
        )
    own = [one for one in found if match in one.matches] or [
        one for one in found if any(metric in names for names in one.metrics.values())
    ]
    own = own or found
    return next((one for one in own if one.unit == MENTION), own[0])
