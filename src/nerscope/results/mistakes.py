"""Lists of single mistakes, and of predictions that do not fit the tokens."""

import random
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from nerscope.corpus.mentions import Shape
from nerscope.corpus.units import ALL, MENTION
from nerscope.errors import UsageError, suggest
from nerscope.results.errors import (
    MentionRow,
    is_error,
    mention_records,
    run_side,
)
from nerscope.results.results import Results
from nerscope.results.rows import ResultRow
from nerscope.scoring.outcomes import OUTCOMES, WRONG_BOTH

KINDS = tuple(outcome for outcome in OUTCOMES if outcome != "correct")
_SHORT_KINDS = {"both": WRONG_BOTH}  # as the first screen heads its columns
SORTS: dict[str, Callable[[MentionRow], Any]] = {
    "place": lambda row: 0,  # the order of the data
    "type": lambda row: row.type,
    "kind": lambda row: KINDS.index(row.outcome),
    "text": lambda row: row.text or "",
}


def mistakes(
    results: Results,
    *,
    system: str | None = None,
    types: Sequence[str] = (),
    kinds: Sequence[str] = (),
    facets: Sequence[str] = (),
    all_wrong: bool = False,
    text: str | None = None,
    sample: int | None = None,
    sort: str = "place",
    seed: int = 0,
) -> tuple[list[MentionRow], int]:
    """The selected mistakes, and the total number of mistakes.

    A pair of a gold and a predicted mention is one mistake, listed as the gold mention.
    """
    kinds = [_SHORT_KINDS.get(kind, kind) for kind in kinds]
    for name, given, known in [("kind", kinds, KINDS), ("sort", [sort], SORTS)]:
        for name_given in given:
            if name_given not in known:
                raise UsageError(
                    f"--{name} {name_given}",
                    f"unknown {name} '{name_given}'",
                    suggest(name_given, known),
                )
    if sample is not None and sample < 1:
        raise UsageError("--sample", f"invalid value {sample}", "give a whole number, 1 or more")
    if seed < 0:
        raise UsageError("seed", f"invalid value {seed}", "give a whole number, 0 or more")
    known_types = {name for part in results.evidence for name in part.types}
    for name in types:
        if name not in known_types:
            raise UsageError(
                f"--type {name}", "it is not in the results", suggest(name, known_types)
            )
    for facet in facets:
        _check_level(results, facet)
    everything = [
        (key, row) for key, row in _keyed(mention_records(results, system)) if is_error(row)
    ]
    wrong_everywhere = _wrong_everywhere(results) if all_wrong else None
    chosen = [
        row
        for key, row in everything
        if (not types or row.type in types or row.other_type in types)
        and (not kinds or row.outcome in kinds)
        and (text is None or text.lower() in (row.text or "").lower())
        and all(_has(row, facet) for facet in facets)
        and (wrong_everywhere is None or key in wrong_everywhere)
    ]
    if sample is not None and sample < len(chosen):
        chosen = [chosen[k] for k in sorted(random.Random(seed).sample(range(len(chosen)), sample))]
    return sorted(chosen, key=SORTS[sort]), len(everything)


def _check_level(results: Results, facet: str) -> None:
    """Raise a UsageError for a level that no facet of mentions has."""
    name, _, level = facet.partition("=")
    known = {
        table.facet: list(table.levels)
        for part in results.evidence
        for table in part.tables
        if table.unit == MENTION and table.facet != ALL
    }
    fact = "it is not in the results"
    if name not in known:
        raise UsageError(f"--facet {facet}", fact, suggest(name, known))
    if level not in known[name]:
        raise UsageError(f"--facet {facet}", fact, suggest(level, known[name]))


def _has(row: MentionRow, facet: str) -> bool:
    name, _, level = facet.partition("=")
    return level in row.levels.get(name, "").split()


_Key: TypeAlias = tuple[str, str, int]  # the dataset, the side, and the index of the mention


def _keyed(rows: Iterable[MentionRow]) -> Iterator[tuple[_Key, MentionRow]]:
    """Rows with the key of their mention. Gold mentions have the same order in every run, so their
    index identifies them; a span does not, since two mentions may share it.
    """
    seen = Counter[tuple[str, ...]]()
    for row in rows:
        run = (row.dataset, row.side, row.system, row.run)
        yield (row.dataset, row.side, seen[run]), row
        seen[run] += 1


def _wrong_everywhere(results: Results) -> set[_Key]:
    """Gold mentions that no run of any system gets right."""
    right: set[_Key] = set()
    wrong: set[_Key] = set()
    for key, row in _keyed(mention_records(results)):
        if row.side == "gold":
            (right if row.outcome == "correct" else wrong).add(key)
    return wrong - right


@dataclass(frozen=True, slots=True, eq=False)
class UnalignedRow(ResultRow):
    """A predicted mention that does not fit the tokens, and why."""

    dataset: str
    system: str
    run: str
    text: str | None
    type: str
    problem: str
    place: str


def unaligned(results: Results) -> list[UnalignedRow]:
    """One row per mention: its system, text, type and place, and the problem.

    >>> from nerscope import answers, evaluate
    >>> predictions = answers([[["Eve", "PER"]]])
    >>> [row] = unaligned(evaluate([(["Ada"], ["B-PER"])], {"m": predictions}))
    >>> row.text, row.problem
    ('Eve', 'not in the text')
    """
    return list(_unaligned_rows(results))


def _unaligned_rows(results: Results) -> Iterator[UnalignedRow]:
    for evidence in results.evidence:
        for place, (system, run) in enumerate(evidence.runs):
            side = run_side(evidence, place)
            if side.units.shape is None:
                continue
            for at in np.flatnonzero(~side.mentions.aligned).tolist():
                start, end = side.span(at)
                yield UnalignedRow(
                    evidence.dataset,
                    system,
                    run,
                    side.text(at),
                    side.type(at),
                    _problem(side.units.shape[at], end - start),
                    side.place(at),
                )


def _problem(shape: Shape, size: int) -> str:
    if not size:
        return "not in the text"
    if shape.right < 0:
        return "beyond its sentence"
    inside = "begins or ends inside a token"
    return "an edge is not in gold, or inside a token" if shape.adrift else inside
