"""What changed from one system to another: mentions that B fixed, broke, or got wrong like A."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from nerscope.corpus.arrays import Bools, Ints
from nerscope.corpus.units import ALL, MENTION
from nerscope.errors import InputError
from nerscope.results.errors import (
    LevelledRow,
    MentionSide,
    check_system,
    gold_side,
    pair_sides,
    run_side,
)
from nerscope.results.results import Results
from nerscope.results.rows import ResultRow
from nerscope.scoring.evidence import Evidence
from nerscope.scoring.matching import EXACT

FIXED, BROKEN, BOTH_WRONG, BOTH_RIGHT = "fixed", "broken", "both wrong", "both right"
CHANGES = (FIXED, BROKEN, BOTH_WRONG, BOTH_RIGHT)


@dataclass(frozen=True, slots=True, eq=False)
class ChangeRow(LevelledRow):
    """What became of a gold mention from system A to system B."""

    dataset: str
    change: str
    type: str
    text: str | None  # None where results keep no texts
    start: int  # tokens of the sentence
    end: int
    a: str | None  # type and text of what A predicts there; None: nothing
    b: str | None
    levels: Mapping[str, str]
    sentence: str | None
    tokens: list[str] | None
    place: str


@dataclass(frozen=True, slots=True, eq=False)
class ChangeCounts(ResultRow):
    """How many gold mentions of a type or level changed in which way from A to B."""

    dataset: str
    facet: str
    level: str
    fixed: int
    broken: int
    both_wrong: int
    both_right: int

    def as_dict(self) -> dict[str, Any]:
        """The row as JSON has it; the keys of the counts are CHANGES."""
        counts = (self.fixed, self.broken, self.both_wrong, self.both_right)
        return {
            "dataset": self.dataset,
            "facet": self.facet,
            "level": self.level,
            **dict(zip(CHANGES, counts, strict=True)),
        }


def change_records(results: Results, a: str, b: str) -> Iterator[ChangeRow]:
    """One row for each gold mention: what became of it from A to B, and what each predicts.

    With several runs, a system is right about a mention if more than half of its runs are, and what
    it predicts is what its first run predicts.
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
    """What a system took each gold mention for, if it saw any there."""
    pred = run_side(evidence, evidence.runs_of(system)[0])
    pairs = pair_sides(gold, pred)
    return {
        g: " ".join(filter(None, [pred.type(p), pred.text(p)]))
        for g, p in zip(pairs.gold.tolist(), pairs.pred.tolist(), strict=True)
    }


def change_counts(results: Results, a: str, b: str) -> list[ChangeCounts]:
    """How many mentions changed: all, by type, and by the levels of each facet, where any are.

    Nothing is told of datasets of which only sums were kept.
    """
    for system in (a, b):
        check_system(results, system)
    shared = [part for part in results.evidence if {a, b} <= set(part.systems)]
    if not shared:
        raise InputError(
            "results", f"no dataset has outputs of both {a} and {b}", "evaluate them together"
        )
    return [
        ChangeCounts(part.dataset, facet, level, *counts.tolist())
        for part in shared
        if part.folded is None
        for facet, level, counts in _counted(part, _changed(part, a, b))
        if counts.any()
    ]


def _changed(evidence: Evidence, a: str, b: str) -> Ints:
    """The place in CHANGES of each gold mention."""
    right_a, right_b = _right(evidence, a), _right(evidence, b)
    names = (
        CHANGES.index(_change(is_right_a, is_right_b))
        for is_right_a in (False, True)
        for is_right_b in (False, True)
    )
    changed: Ints = np.array(list(names))[2 * right_a + right_b]
    return changed


def _counted(evidence: Evidence, change: Ints) -> Iterator[tuple[str, str, Ints]]:
    """How many mentions of each group changed in which way."""
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
