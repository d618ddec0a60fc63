"""Families of p-values, their correction, and simultaneous intervals.

A family is one question: whether A is better overall, on which levels of which facets, on which
types, or anything else. The chance of any false star in a family is at most 5 %.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from math import comb
from typing import NamedTuple

import numpy as np

from nerscope.corpus.arrays import Bools, Ints
from nerscope.corpus.units import ALL, MENTION
from nerscope.results.rows import ComparisonRow, or_nan, row_value
from nerscope.scoring.matching import EXACT
from nerscope.scoring.metrics import F1, NEITHER, metric_named
from nerscope.stats.corrections import (
    CORRECTIONS,
    HOLM,
    MIN_P,
    SHAFFER,
    SIGNIFICANT,
    STEP_DOWN,
    correct_p_values,
    shaffer,
    single_level,
    step_down_min_p,
)
from nerscope.stats.paired import METHODS
from nerscope.stats.system_differences import agree_with_test

PRIMARY, WHERE, TYPES, OTHER = "primary", "where", "types", "other"
# Rows with equal values in all of these fields are about the same units.
_QUESTION = ("dataset", "system_a", "system_b", "metric", "a", "b", "n", "low", "high", "differing")
_STARRED = (PRIMARY, WHERE, TYPES)  # families whose stars are shown by default


def label_families(rows: Sequence[ComparisonRow]) -> list[ComparisonRow]:
    """The rows, each with the family of its question."""
    primary, questions = _primary(rows), set[tuple[object, ...]]()
    labelled = []
    for row in rows:
        family = _family(row, primary)
        if family == WHERE:
            # Levels of two facets with the same units are tested once.
            question = tuple(getattr(row, name) for name in _QUESTION)
            family = OTHER if question in questions else WHERE
            questions.add(question)
        labelled.append(row if row.family == family else replace(row, family=family))
    return labelled


_Cell = tuple[str, str, str, str, str]  # unit, facet, level, match, metric


def _cell(row: ComparisonRow) -> _Cell:
    return row.unit, row.facet, row.level, row.match, row.metric


def _primary(rows: Sequence[ComparisonRow]) -> _Cell | None:
    """The primary cell: overall exact F1 if it was evaluated, else another overall metric of
    mentions or, if only tokens were compared, the first overall metric of tokens.
    """
    whole = {_cell(row): row for row in rows if row.type is None and _is_overall(row)}
    mentions = [cell for cell, row in whole.items() if row.facet == ALL and row.unit == MENTION]
    by_f1 = [cell for cell in mentions if cell[-1] == F1]
    exact = [cell for cell in by_f1 if cell[-2] == EXACT]
    return next(iter([*exact, *by_f1, *mentions, *whole]), None)


def _is_overall(row: ComparisonRow) -> bool:
    metric = metric_named(row.metric)
    return row.level == ALL or (metric.is_over_levels and metric.better != NEITHER)


def _family(row: ComparisonRow, primary: _Cell | None) -> str:
    if _cell(row) == primary:
        return PRIMARY if row.type is None else TYPES
    if row.facet == ALL or row.type is not None or not row.leads_facet:
        return OTHER
    return WHERE


def families_of(rows: Sequence[ComparisonRow]) -> dict[tuple[str, ...], list[int]]:
    """The indices of the rows whose p-values are corrected together.

    The levels and the types of a pair are families of this pair; the primary family has the rows of
    all pairs.
    """
    families: dict[tuple[str, ...], list[int]] = {}
    for at, row in enumerate(rows):
        key = (row.family,) if row.family == PRIMARY else (row.family, *row.pair)
        families.setdefault(key, []).append(at)
    return families


class CorrectedFamilies(NamedTuple):
    """Rows with corrected p-values, and facts about their families."""

    rows: list[ComparisonRow]
    levels: Mapping[int, float]  # by index of a row: the level of each single test of its family
    any_star: float | None  # the chance of any star if nothing differs; None: no bound


def correct_families(
    rows: Sequence[ComparisonRow], correction: str, seed: int
) -> CorrectedFamilies:
    """Correct p-values within their families.

    The step-down correction uses the draws of the randomisation test, if all tests of a family have
    them. Otherwise it is Shaffer's if all pairs of systems are compared, and Holm's if not.
    """
    corrected, levels = list(rows), dict[int, float]()
    starred, n_families = list[Bools](), 0
    order = _sample_orders(rows, seed)
    for places in families_of(rows).values():
        tested = [at for at in places if rows[at].p is not None]
        if not tested:
            continue
        family = _Family([rows[at] for at in tested], order)
        p_values, rule = family.correct(correction)
        for at, p in zip(tested, p_values, strict=True):
            corrected[at] = replace(rows[at], p_corrected=row_value(p), corrected_by=rule)
        level = family.level(correction)
        levels |= dict.fromkeys(places, level)
        if rows[tested[0]].family in _STARRED:
            n_families += 1
            if family.null is not None:
                starred.append(family.smallest <= level * (family.samples + 1))
    return CorrectedFamilies(corrected, levels, _any_star(correction, starred, n_families))


def _any_star(correction: str, starred: Sequence[Bools], families: int) -> float | None:
    """The chance that any family has a star if nothing differs."""
    if not CORRECTIONS[correction].scales_smallest or not families:
        return None
    if len(starred) == families:  # counted in the samples, since families are dependent
        return float(np.any(starred, axis=0).mean())
    return float(1 - (1 - SIGNIFICANT) ** families)


def _sample_orders(rows: Sequence[ComparisonRow], seed: int) -> dict[str, Ints | None]:
    """For each dataset, an order of its samples, which makes datasets independent.

    All datasets use one seed: otherwise the k-th samples of two datasets would swap the same
    clusters.
    """
    samples = max((len(row.null) for row in rows if row.null is not None), default=0)
    datasets = list(dict.fromkeys(row.dataset for row in rows))
    return {
        name: np.random.default_rng([seed, at]).permutation(samples) if at else None
        for at, name in enumerate(datasets)
    }


class _Family:
    """The tested rows of a family."""

    def __init__(self, rows: Sequence[ComparisonRow], order: Mapping[str, Ints | None]) -> None:
        self.rows = rows
        self.p = np.array([or_nan(row.p) for row in rows])
        self.null: list[Ints] | None = []
        for row in rows:
            if row.null is None:
                self.null = None
                break
            reordered = order[row.dataset]
            self.null.append(row.null if reordered is None else row.null[reordered])
        self.samples = len(self.null[0]) if self.null else 0

    @cached_property
    def smallest(self) -> Ints:
        """The smallest p-value in each sample, as a count of samples."""
        assert self.null is not None
        smallest: Ints = np.minimum.reduce(self.null)
        return smallest

    def correct(self, correction: str) -> tuple[list[float], str]:
        """The corrected p-values, and the name of the correction."""
        if correction != STEP_DOWN:
            return correct_p_values(self.p.tolist(), correction), correction
        systems = self._systems_of_all_pairs()
        if self.rows[0].family == PRIMARY and systems and max(systems) > 2:
            return shaffer(self.p, systems).tolist(), SHAFFER
        if self.null is not None and len(self.rows) > 1:
            return step_down_min_p(self.p, self.null, self.samples).tolist(), MIN_P
        return correct_p_values(self.p.tolist(), HOLM), HOLM

    def _systems_of_all_pairs(self) -> list[int]:
        """The number of systems of each dataset if all pairs were tested, else an empty list."""
        pairs: dict[str, set[frozenset[str]]] = {}
        for row in self.rows:
            pairs.setdefault(row.dataset, set()).add(frozenset(row.pair))
        sizes = []
        for compared in pairs.values():
            systems = frozenset[str]().union(*compared)
            if len(compared) < comb(len(systems), 2):
                return []
            sizes.append(len(systems))
        return sizes

    def level(self, correction: str) -> float:
        """The level of each single test that keeps the family at 5 %."""
        single = single_level(len(self.rows), correction)
        if single == SIGNIFICANT or correction != STEP_DOWN or self.null is None:
            return single
        # The largest level such that fewer than 5 % of samples have a p-value this small.
        most = int(SIGNIFICANT * (self.samples + 1)) - 1
        below = np.sort(self.smallest)[max(0, most)] - 1
        return max(single, float(below) / (self.samples + 1))


def with_joint_intervals(found: CorrectedFamilies, *, every_family: bool) -> list[ComparisonRow]:
    """The rows, with simultaneous intervals for the primary family, or for every family. An
    interval excludes 0 exactly if the corrected p-value is below 0.05.
    """
    rows = list(found.rows)
    for at, level in found.levels.items():
        row = rows[at]
        if row.family != PRIMARY and not every_family:
            continue
        if level < SIGNIFICANT and row.low is not None and row.variance is not None:
            rows[at] = row = _at_level(row, level)
        if row.low is not None and row.high is not None:
            p = or_nan(row.p_corrected)
            bounds = agree_with_test(or_nan(row.difference), row.low, row.high, p, SIGNIFICANT)
            low, high = bounds or (None, None)
            rows[at] = replace(row, low=low, high=high)
    return rows


def _at_level(row: ComparisonRow, level: float) -> ComparisonRow:
    """The row with bounds at another level."""
    assert row.variance is not None
    difference, reach = or_nan(row.difference), row.variance.reach(level)
    scale = 1.0 if metric_named(row.metric).is_fraction else np.inf
    return replace(
        row,
        low=max(difference - reach, -scale),
        high=min(difference + reach, scale),
    )


def too_few_samples(rows: Sequence[ComparisonRow], correction: str, samples: int) -> int:
    """The number of tests in the largest family in which no corrected p-value can be significant
    because of too few samples; 0 if all families can.
    """
    # The smallest possible p-value is 1 / (samples + 1), and `tests` times as large after
    # correction. For example, 99 samples and 6 tests: 6 / 100 is above 0.05.
    if not CORRECTIONS[correction].scales_smallest:
        return 0
    drawn_tests = {name for name in METHODS if METHODS[name].is_drawn}
    sizes = [
        sum(rows[at].test in drawn_tests and rows[at].corrected_by != MIN_P for at in places)
        for places in families_of(rows).values()
    ]
    most = max(sizes, default=0)
    return most if most > SIGNIFICANT * (samples + 1) else 0
