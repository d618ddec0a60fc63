"""Lists of single mistakes: chosen, ordered, and predictions that fit no token."""

import random
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from nerscope.corpus.mentions import Shape
from nerscope.corpus.units import ALL, MENTION
from nerscope.errors import UsageError, suggest
from nerscope.results.errors import OUTCOMES, MentionRow, mention_records, run_side
from nerscope.results.results import Results
from nerscope.results.rows import ResultRow

KINDS = tuple(outcome for outcome in OUTCOMES if outcome != "correct")
SORTS: dict[str, Callable[[MentionRow], Any]] = {
    "place": lambda row: 0,  # as they stand in the data
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
    """The mistakes that fit, and how many there are at all.

    A pair of a gold and a predicted mention is one mistake, told from the gold side.
    """
    for name, given, known in [("kind", kinds, KINDS), ("sort", [sort], SORTS)]:
        for name_given in given:
            if name_given not in known:
                raise UsageError(
                    f"--{name} {name_given}",
                    "there is none of this name",
                    suggest(name_given, known),
                )
    if sample is not None and sample < 1:
        raise UsageError("--sample", f"{sample} cannot be", "give a whole number from 1 on")
    if seed < 0:
        raise UsageError("seed", f"{seed} cannot be", "give a whole number from 0 on")
    known_types = {name for part in results.evidence for name in part.types}
    for name in types:
        if name not in known_types:
            raise UsageError(
                f"--type {name}", "the results do not have it", suggest(name, known_types)
            )
    for facet in facets:
        _check_level(results, facet)
    everything = [
        (key, row)
        for key, row in _keyed(mention_records(results, system))
        if row.outcome != "correct" and (row.side == "gold" or row.other_start is None)
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
    """Refuse a level that no facet of mentions has."""
    name, _, level = facet.partition("=")
    known = {
        table.facet: list(table.levels)
        for part in results.evidence
        for table in part.tables
        if table.unit == MENTION and table.facet != ALL
    }
    fact = "the results do not have it"
    if name not in known:
        raise UsageError(f"--facet {facet}", fact, suggest(name, known))
    if level not in known[name]:
        raise UsageError(f"--facet {facet}", fact, suggest(level, known[name]))


def _has(row: MentionRow, facet: str) -> bool:
    name, _, level = facet.partition("=")
    return level in row.levels.get(name, "").split()


_Key: TypeAlias = tuple[str, str, int]  # the dataset, the side, and which of its mentions


def _keyed(rows: Iterable[MentionRow]) -> Iterator[tuple[_Key, MentionRow]]:
    """Rows with a key of the mention: gold ones come in the same order for every run, and a
    span does not tell two of them apart.
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
    """A predicted mention that fits no tokens, and why."""

    dataset: str
    system: str
    run: str
    text: str | None
    type: str
    problem: str
    place: str


def unaligned(results: Results) -> list[UnalignedRow]:
    """One row a mention: whose it is, its text and type, where it stands, and what is wrong.

    >>> from nerscope import answers, evaluate
    >>> predictions = answers([[["Eve", "PER"]]])
    >>> [row] = unaligned(evaluate([(["Ada"], ["B-PER"])], {"m": predictions}))
    >>> row.text, row.problem
    ('Eve', 'nowhere in the text')
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
        return "nowhere in the text"
    if shape.right < 0:
        return "beyond its sentence"
    inside = "begins or ends inside a token"
    return "an edge is not in gold, or inside a token" if shape.adrift else inside
