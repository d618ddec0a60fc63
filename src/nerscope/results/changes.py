"""Changes from system A to system B: gold mentions that B fixes, breaks, or also gets wrong."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from math import prod
from typing import Any, TypedDict

import numpy as np

from nerscope.corpus.arrays import Bools, Ints
from nerscope.corpus.units import ALL, MENTION
from nerscope.errors import InputError
from nerscope.results.errors import (
    OUTCOMES,
    LevelledRow,
    MentionSide,
    check_system,
    gold_side,
    pair_sides,
    run_side,
)
from nerscope.results.results import Results
from nerscope.results.rows import ResultRow
from nerscope.results.spans import Spans
from nerscope.scoring.evidence import Evidence
from nerscope.scoring.matching import EXACT

FIXED, BROKEN, BOTH_WRONG, BOTH_RIGHT = "fixed", "broken", "both wrong", "both right"
_CORRECT = OUTCOMES.index("correct")
CHANGES = (FIXED, BROKEN, BOTH_WRONG, BOTH_RIGHT)


@dataclass(frozen=True, slots=True, eq=False)
class ChangeRow(LevelledRow):
    """The change of a gold mention from system A to system B."""

    dataset: str
    change: str
    type: str
    text: str | None  # None if the results keep no texts
    start: int  # in tokens of the sentence
    end: int
    a: str | None  # type and text of A's prediction; None: no prediction
    b: str | None
    levels: Mapping[str, str]
    sentence: str | None
    tokens: list[str] | None
    place: str


@dataclass(frozen=True, slots=True, eq=False)
class ChangeCounts(ResultRow):
    """The numbers of gold mentions of a type or level, by their change from A to B."""

    dataset: str
    facet: str
    level: str
    fixed: int
    broken: int
    both_wrong: int
    both_right: int

    def as_dict(self) -> dict[str, Any]:
        """The row as a JSON object; the keys of the counts are CHANGES."""
        counts = (self.fixed, self.broken, self.both_wrong, self.both_right)
        return {
            "dataset": self.dataset,
            "facet": self.facet,
            "level": self.level,
            **dict(zip(CHANGES, counts, strict=True)),
        }


def change_records(results: Results, a: str, b: str) -> Iterator[ChangeRow]:
    """One row for each gold mention: its change from A to B, and both predictions.

    With several runs, a system is right if more than half of its runs are, and its prediction is
    the one of its first run.
    """
    for system in (a, b):
        check_system(results, system)
    for evidence in results.evidence:
        if a not in evidence.systems or b not in evidence.systems:
            continue
        gold = gold_side(evidence)
        right_a, right_b = _right(evidence, a), _right(evidence, b)
        answers_a, answers_b = _answers(evidence, gold, a), _answers(evidence, gold, b)
        for index in range(len(gold.units)):
            start, end = gold.span(index)
            yield ChangeRow(
                dataset=evidence.dataset,
                change=_change(bool(right_a[index]), bool(right_b[index])),
                type=gold.type(index),
                text=gold.text(index),
                start=start,
                end=end,
                a=answers_a.get(index),
                b=answers_b.get(index),
                levels=gold.levels(index),
                sentence=gold.sentence_text(index),
                tokens=gold.tokens(index),
                place=gold.place(index),
            )


def _change(right_a: bool, right_b: bool) -> str:
    if right_a:
        return BOTH_RIGHT if right_b else BROKEN
    return FIXED if right_b else BOTH_WRONG


def _right(evidence: Evidence, system: str) -> Bools:
    ledger = evidence.mentions
    hits = [ledger.runs[run].gold_credit[EXACT] == 1 for run in evidence.runs_of(system)]
    majority: Bools = np.mean(hits, axis=0) > 0.5
    return majority


def _answers(evidence: Evidence, gold: MentionSide, system: str) -> dict[int, str]:
    """The prediction of a system for each gold mention, if it has one."""
    pred = run_side(evidence, evidence.runs_of(system)[0])
    pairs = pair_sides(gold, pred)
    return {
        g: " ".join(filter(None, [pred.type(p), pred.text(p)]))
        for g, p in zip(pairs.gold.tolist(), pairs.pred.tolist(), strict=True)
    }


class KindChange(TypedDict):
    """The number of gold mentions of a type with these kinds in two systems, as the page has it."""

    dataset: str
    a: str
    b: str
    kindA: str
    kindB: str
    type: str
    n: int


def kind_changes(
    evidence: Evidence, spans: Spans, pairs: Iterable[tuple[str, str]]
) -> Iterator[KindChange]:
    """The numbers of gold mentions by type, and by kind in both systems of each pair.

    A system with several runs is right if more than half of them are; else its kind is the most
    frequent wrong one, of equally frequent ones the first in OUTCOMES.
    """
    outcome, types = spans.outcome[:, spans.is_gold], spans.type[spans.is_gold]
    kinds = {name: usual_kind(outcome[evidence.runs_of(name)]) for name in evidence.systems}
    shape = (len(OUTCOMES), len(OUTCOMES), len(evidence.types))
    for a, b in pairs:
        cells = np.ravel_multi_index((kinds[a], kinds[b], types), shape)
        counts = np.bincount(cells, minlength=prod(shape))
        used = np.flatnonzero(counts)
        places = (column.tolist() for column in (*np.unravel_index(used, shape), counts[used]))
        for kind_a, kind_b, type_code, n in zip(*places, strict=True):
            yield KindChange(
                dataset=evidence.dataset,
                a=a,
                b=b,
                kindA=OUTCOMES[kind_a],
                kindB=OUTCOMES[kind_b],
                type=evidence.types[type_code],
                n=n,
            )


def usual_kind(outcome: Ints) -> Ints:
    """The kind of each mention in most runs, from its kinds (runs, mentions).

    >>> usual_kind(np.array([[0, 2, 0], [0, 0, 4], [4, 2, 2]])).tolist()
    [0, 2, 2]
    """
    right = 2 * (outcome == _CORRECT).sum(axis=0) > len(outcome)
    wrong = [kind for kind in range(len(OUTCOMES)) if kind != _CORRECT]
    times = np.stack([(outcome == kind).sum(axis=0) for kind in wrong])
    usual: Ints = np.where(right, _CORRECT, np.array(wrong)[times.argmax(axis=0)])
    return usual


def change_counts(results: Results, a: str, b: str) -> list[ChangeCounts]:
    """The numbers of changes: overall, by type, and by the levels of each facet.

    Datasets whose results keep only sums are left out.
    """
    for system in (a, b):
        check_system(results, system)
    shared = [part for part in results.evidence if {a, b} <= set(part.systems)]
    if not shared:
        raise InputError(
            "results",
            f"no dataset has outputs of both {a} and {b}",
            "evaluate both systems together",
        )
    return [
        ChangeCounts(part.dataset, facet, level, *counts.tolist())
        for part in shared
        if part.folded is None
        for facet, level, counts in _counted(part, _changed(part, a, b))
        if counts.any()
    ]


def _changed(evidence: Evidence, a: str, b: str) -> Ints:
    """The index in CHANGES of each gold mention."""
    right_a, right_b = _right(evidence, a), _right(evidence, b)
    names = (
        CHANGES.index(_change(is_right_a, is_right_b))
        for is_right_a in (False, True)
        for is_right_b in (False, True)
    )
    changed: Ints = np.array(list(names))[2 * right_a + right_b]
    return changed


def _counted(evidence: Evidence, change: Ints) -> Iterator[tuple[str, str, Ints]]:
    """The counts of changes in each group."""
    gold, size = evidence.mentions.gold, len(CHANGES)
    yield ALL, ALL, np.bincount(change, minlength=size)
    by_type = _crossed(gold.type, change, len(evidence.types))
    yield from (("type", name, by_type[code]) for code, name in enumerate(evidence.types))
    for table in evidence.tables:
        codes = gold.codes.get(table.facet)
        if table.unit == MENTION and codes is not None:
            by_code = _crossed(codes, change, max(int(codes.max(initial=0)) + 1, table.n_codes))
            for level, level_codes in table.levels.items():
                yield table.facet, level, by_code[list(level_codes)].sum(axis=0)


def _crossed(codes: Ints, change: Ints, n_codes: int) -> Ints:
    """Counts by code (rows) and change (columns)."""
    cells = codes.astype(np.int64) * len(CHANGES) + change
    size = n_codes * len(CHANGES)
    crossed: Ints = np.bincount(cells, minlength=size).reshape(n_codes, len(CHANGES))
    return crossed
