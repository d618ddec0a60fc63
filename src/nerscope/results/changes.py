"""What changed from one system to another: mentions that B fixed, broke, or got wrong like A."""

from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np

from nerscope.corpus.arrays import Bools
from nerscope.errors import InputError, UsageError, suggest
from nerscope.results.results import Results
from nerscope.scoring.evidence import TOKEN_JOIN, Evidence

CHANGES = ("fixed", "broken", "both wrong", "both right")


def changes(results: Results, a: str, b: str) -> Iterator[dict[str, Any]]:
    """One row for each gold mention: what became of it from A to B.

    With several runs, a system is right about a mention if more than half of its runs are.
    """
    everyone = [system for evidence in results.evidence for system in evidence.systems]
    for name in (a, b):
        if name not in everyone:
            raise UsageError(
                f"system '{name}'", "it is not in the results", suggest(name, set(everyone))
            )
    for evidence in results.evidence:
        if a not in evidence.systems or b not in evidence.systems:
            continue
        gold = evidence.ledgers["mention"].gold
        right_a, right_b = _right(evidence, a), _right(evidence, b)
        for index in range(len(gold)):
            change = CHANGES[
                3
                if right_a[index] and right_b[index]
                else 2
                if not (right_a[index] or right_b[index])
                else 0
            ]
            if right_a[index] and not right_b[index]:
                change = "broken"
            yield {
                "dataset": evidence.dataset,
                "change": change,
                "type": evidence.types[gold.type[index]],
                "levels": _levels(evidence, index),
                **_text(evidence, index),
            }


def _right(evidence: Evidence, system: str) -> Bools:
    ledger = evidence.ledgers["mention"]
    hits = [ledger.runs[run].gold_credit["exact"] == 1 for run in evidence.runs_of(system)]
    majority: Bools = np.mean(hits, axis=0) > 0.5
    return majority


def _levels(evidence: Evidence, index: int) -> dict[str, list[str]]:
    codes = evidence.ledgers["mention"].gold.codes
    found = {}
    for facet, division in evidence.divisions.items():
        if division.unit == "mention" and facet in codes:
            code = int(codes[facet][index])
            found[facet] = [level for level, members in division.levels.items() if code in members]
    return found


def _text(evidence: Evidence, index: int) -> dict[str, Any]:
    gold = evidence.ledgers["mention"].gold
    if evidence.texts is None or gold.start is None or gold.length is None:
        return {"text": None, "sentence": None}
    tokens = evidence.texts[int(gold.sentence[index])].split(TOKEN_JOIN)
    start = int(gold.start[index])
    return {
        "text": " ".join(tokens[start : start + int(gold.length[index])]),
        "sentence": " ".join(tokens),
    }


def change_counts(results: Results, a: str, b: str) -> list[dict[str, Any]]:
    """How many mentions changed, by type and by the levels of each facet."""
    counts: dict[tuple[str, str, str], Counter[str]] = {}
    for row in changes(results, a, b):
        groups = [("all", "all"), ("type", row["type"])]
        groups += [(facet, level) for facet, levels in row["levels"].items() for level in levels]
        for facet, level in groups:
            counts.setdefault((row["dataset"], facet, level), Counter())[row["change"]] += 1
    if not counts:
        raise InputError(
            "results", f"no dataset has outputs of both {a} and {b}", "evaluate them together"
        )
    return [
        {
            "dataset": dataset,
            "facet": facet,
            "level": level,
            **{change: counter[change] for change in CHANGES},
        }
        for (dataset, facet, level), counter in sorted(
            counts.items(), key=lambda item: _order(results, *item[0])
        )
    ]


def _order(results: Results, dataset: str, facet: str, level: str) -> tuple[int, int, int, str]:
    """All, then types by name, then the facets and their levels as the results have them."""
    place = next(
        place for place, evidence in enumerate(results.evidence) if evidence.dataset == dataset
    )
    divisions = results.evidence[place].divisions
    if facet not in divisions or facet == "all":
        return place, -1 if facet == "type" else -2, 0, level
    return place, list(divisions).index(facet), list(divisions[facet].levels).index(level), level
