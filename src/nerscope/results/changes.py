"""What changed from one system to another: mentions that B fixed, broke, or got wrong like A."""

from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np

from nerscope.corpus.arrays import Bools
from nerscope.corpus.units import MENTION
from nerscope.errors import InputError
from nerscope.results.errors import Side, check_system, gold_side, run_side
from nerscope.results.results import Results
from nerscope.scoring.evidence import Evidence
from nerscope.scoring.matching import match_named

FIXED, BROKEN, BOTH_WRONG, BOTH_RIGHT = "fixed", "broken", "both wrong", "both right"
CHANGES = (FIXED, BROKEN, BOTH_WRONG, BOTH_RIGHT)


def change_records(results: Results, a: str, b: str) -> Iterator[dict[str, Any]]:
    """One record for each gold mention: what became of it from A to B, and what each said.

    With several runs, a system is right about a mention if more than half of its runs are, and what
    it said is what its first run said.
    """
    for system in (a, b):
        check_system(results, system)
    for evidence in results.evidence:
        if a not in evidence.systems or b not in evidence.systems:
            continue
        gold = gold_side(evidence)
        right_a, right_b = _right(evidence, a), _right(evidence, b)
        said_a, said_b = _said(evidence, gold, a), _said(evidence, gold, b)
        for index in range(len(gold.units)):
            tokens = gold.tokens(index)
            yield {
                "dataset": evidence.dataset,
                "change": _change(bool(right_a[index]), bool(right_b[index])),
                "type": gold.type(index),
                "text": gold.text(index),
                "start": gold.span(index)[0],
                "end": gold.span(index)[1],
                "a": said_a.get(index),
                "b": said_b.get(index),
                **gold.levels(index),
                "sentence": None if tokens is None else " ".join(tokens),
                "tokens": tokens,
                "place": gold.place(index),
            }


def _change(right_a: bool, right_b: bool) -> str:
    if right_a:
        return BOTH_RIGHT if right_b else BROKEN
    return FIXED if right_b else BOTH_WRONG


def _right(evidence: Evidence, system: str) -> Bools:
    ledger = evidence.ledgers[MENTION]
    hits = [ledger.runs[run].gold_credit["exact"] == 1 for run in evidence.runs_of(system)]
    majority: Bools = np.mean(hits, axis=0) > 0.5
    return majority


def _said(evidence: Evidence, gold: Side, system: str) -> dict[int, str]:
    """What a system took each gold mention for, if it saw any there."""
    pred = run_side(evidence, evidence.runs_of(system)[0])
    pairs = match_named("muc-strict")(gold.mentions, pred.mentions)
    return {
        g: " ".join(filter(None, [pred.type(p), pred.text(p)]))
        for g, p in zip(pairs.gold.tolist(), pairs.pred.tolist(), strict=True)
    }


def change_counts(results: Results, a: str, b: str) -> list[dict[str, Any]]:
    """How many mentions changed, by type and by the levels of each facet."""
    counts: dict[tuple[str, str, str], Counter[str]] = {}
    for record in change_records(results, a, b):
        facets = next(part for part in results.evidence if part.dataset == record["dataset"]).facets
        groups = [("all", "all"), ("type", record["type"])]
        for facet in facets:
            groups += [(facet, level) for level in str(record.get(facet, "")).split()]
        for facet, level in groups:
            key = (record["dataset"], facet, level)
            counts.setdefault(key, Counter())[record["change"]] += 1
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
    place = next(k for k, part in enumerate(results.evidence) if part.dataset == dataset)
    if facet in ("all", "type"):
        return place, -2 if facet == "all" else -1, 0, level
    divisions = results.evidence[place].divisions
    number = next(k for k, division in enumerate(divisions) if division.facet == facet)
    return place, number, list(divisions[number].levels).index(level), level
