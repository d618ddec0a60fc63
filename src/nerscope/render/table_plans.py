"""What each table shows: its title, its lines, and how they are called."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from nerscope.corpus.units import ALL
from nerscope.errors import UsageError
from nerscope.facets.facet import OTHER_LABEL, fix_for_absent, fixed_facets
from nerscope.facets.hard import HARD
from nerscope.render.document import Cell, metric_title
from nerscope.render.number_index import NumberKey, SummaryIndex, overall_key, overall_match
from nerscope.results.rows import SURFACE
from nerscope.results.terms import cell_words, facet_words, match_words, metric_words
from nerscope.scoring.matching import EXACT, LABEL, USUAL_MATCHES
from nerscope.scoring.metrics import (
    ACCURACY,
    ERROR_SHARE,
    F1,
    HARDEVAL,
    MACRO,
    SCORE_NAMES,
    TER,
    WEIGHTED,
    leading_metric,
)

_ERROR_LEVELS = ("unseen", "diff", "other")  # which together hold every wrong token


class TableEntry(NamedTuple):
    """A line of a table, or a column of the overall scores: its name, and which number it holds.

    With `minus`, the gain over another number stands behind it. `words` are used where the name
    does not say enough.
    """

    name: str
    key: NumberKey
    minus: NumberKey | None = None
    words: str = ""


@dataclass(frozen=True, slots=True)
class TablePlan:
    """What a table shows, before its cells are looked up."""

    entries: Sequence[TableEntry]
    title: str
    heading: str = "group"  # of the entries
    by_system: bool = False  # systems are rows, entries are columns
    notes: Sequence[str] = ()
    code_notes: Sequence[str] = ()
    # The label of an entry on a dataset, where its name is not enough.
    label: Callable[[SummaryIndex, str, TableEntry], Cell] | None = None


def plan_table(
    index: SummaryIndex, name: str, metric: str | None = None, match: str | None = None
) -> TablePlan:
    """What a table of this name shows, of a metric and a match if they are given."""
    plan = _plan(index, name, metric, match)
    if plan is None:
        fixed = [known for known in _FIXED if _plan(index, known) is not None]
        known = dict.fromkeys([*fixed, *(facet for facet in index.by_facet if facet != ALL)])
        raise UsageError(
            f"table '{name}'",
            "these results have no such table",
            fix_for_absent(HARD.name if name == "errors" else name, known),
        )
    entries = filled_entries(index, plan.entries)
    if not entries:
        raise UsageError(
            f"table '{name}'",
            f"it has no {metric or 'metric'} by the match {match or 'of the table'}",
            "choose a metric and a match that were evaluated",
        )
    return replace(plan, entries=entries)


def _plan(
    index: SummaryIndex, name: str, metric: str | None = None, match: str | None = None
) -> TablePlan | None:
    """The plan of a table; None if the results do not have it."""
    if name in index.by_facet and name != ALL:
        return _plan_facet(index, name, metric, match)
    if name not in _FIXED or ALL not in index.by_facet:
        return None
    plan = _FIXED[name](index, metric, match)
    return plan if plan.entries else None


_NO_TABLE = TablePlan([], "")  # the results lack the numbers


_PAIR_METRICS = ("correct", "partial", "incorrect", "missed", "spurious", "partial_share")


def _plan_exact(index: SummaryIndex, metric: str | None, match: str | None) -> TablePlan:
    match = overall_match(index)
    names = index.values(ALL, "metric", match=match, type=None)
    order = [*SCORE_NAMES, *(f"{average}_{F1}" for average in (MACRO, WEIGHTED))]
    shown = [name for name in order if name in names]
    # Other averages over types are in JSON and CSV; here they would hide the numbers that count.
    hidden = [f"{average}_{name}" for average in (MACRO, WEIGHTED) for name in SCORE_NAMES]
    hidden += _PAIR_METRICS if shown else []  # they have a table of their own
    others = [name for name in names if name not in (*order, *hidden)]
    entries = [
        TableEntry(metric_title(name), overall_key(match, name)) for name in [*shown, *others]
    ]
    if index.values(ALL, "metric", match=SURFACE, metric=F1):
        entries.append(TableEntry(f"{SURFACE} {metric_title(F1)}", overall_key(SURFACE, F1)))
    if index.values(ALL, "metric", match=LABEL):
        entries.append(TableEntry(metric_title(ACCURACY), overall_key(LABEL, ACCURACY)))
    return TablePlan(entries, match_title(match), by_system=True)


def match_title(match: str) -> str:
    """The heading of a table of overall scores.

    >>> match_title("exact"), match_title("iou(threshold=0.5)")
    ('Exact match', 'Scores: iou(threshold=0.5) match')
    """
    return "Exact match" if match == EXACT else f"Scores: {match} match"


def _plan_types(index: SummaryIndex, metric: str | None, match: str | None) -> TablePlan:
    match = match or overall_match(index)
    by_type = [
        name
        for name in index.values(ALL, "metric", match=match)
        if index.values(ALL, "type", metric=name, match=match) != [None]
    ]
    metric = metric or (leading_metric(by_type) if by_type else None)
    if metric is None or metric not in by_type:
        return _NO_TABLE
    types = [name for name in index.values(ALL, "type", metric=metric) if name is not None]
    entries = [
        TableEntry(name or ALL, overall_key(match, metric, name)) for name in [None, *sorted(types)]
    ]
    by = "" if match in USUAL_MATCHES else f", {match} match"
    return TablePlan(entries, f"{metric_title(metric, at_start=True)} by type{by}", "type")


def _plan_partial(index: SummaryIndex, metric: str | None, match: str | None) -> TablePlan:
    matches = [name for name in index.values(ALL, "match") if name not in (SURFACE, LABEL)]
    if len(matches) < 2:  # the table of overall scores holds a single match
        return _NO_TABLE
    metric = metric or leading_metric(index.values(ALL, "metric", match=matches[-1]))
    base = overall_key(EXACT, metric) if EXACT in matches else None
    entries = [
        TableEntry(
            name,
            overall_key(name, metric),
            base if name != EXACT else None,
            match_words(name).phrase,
        )
        for name in matches
    ]
    notes = ["(+…): gain over exact match, in points"] if base else []
    title = f"{metric_title(metric, at_start=True)} with partial credit"
    return TablePlan(entries, title, "match", notes=notes)


def _plan_pairs(index: SummaryIndex, metric: str | None, match: str | None) -> TablePlan:
    entries = [
        TableEntry(f"{match_name}: {metric_title(name)}", overall_key(match_name, name))
        for match_name in index.values(ALL, "match")
        for name in _PAIR_METRICS
        if index.values(ALL, "metric", match=match_name, metric=name)
    ]
    return TablePlan(entries, "Pairs of each match", "match: count")


def _plan_errors(index: SummaryIndex, metric: str | None, match: str | None) -> TablePlan:
    facet = HARD.name
    if not index.values(facet, "metric", metric=ERROR_SHARE):
        return _NO_TABLE
    token_match = index.values(facet, "match")[0]
    entries = [
        TableEntry(level, NumberKey(facet, level, None, token_match, ERROR_SHARE))
        for level in _ERROR_LEVELS
    ]
    return TablePlan(entries, "Share of all wrong tokens", label=_level_label)


_FIXED = {
    "exact": _plan_exact,
    "types": _plan_types,
    "partial": _plan_partial,
    "pairs": _plan_pairs,
    "errors": _plan_errors,
}
# The fixed tables that the overview shows before and after those of headline facets.
_BEFORE_HEADLINES, _AFTER_HEADLINES = ("exact", "types", "partial"), ("errors",)


def _level_label(index: SummaryIndex, dataset: str, entry: TableEntry) -> Cell:
    """A level in words, within the table of its facet."""
    facet, level = entry.key.facet, entry.key.level
    if entry.key.metric == HARDEVAL:
        return Cell(metric_words(HARDEVAL).phrase, code=HARDEVAL)
    if facet == ALL:
        return Cell(facet_words(ALL).phrase)
    code = "" if level == ALL else level
    return Cell(index.level_phrase(dataset, facet, level), code=code)


def _cell_label(index: SummaryIndex, dataset: str, entry: TableEntry) -> Cell:
    """A level in words, where facets stand below each other."""
    facet, level = entry.key.facet, entry.key.level
    words = cell_words(facet, level, None, index.ranges.get((dataset, facet, level), ""))
    return Cell(words.phrase, code=words.code)


def _plan_facet(
    index: SummaryIndex, facet: str, metric: str | None = None, match: str | None = None
) -> TablePlan:
    metric = metric or leading_metric(index.values(facet, "metric"))
    matches = index.values(facet, "match", metric=metric)
    match = match or (matches[0] if matches else "")
    entries = [
        TableEntry(level, NumberKey(facet, level, None, match, metric))
        for level in index.values(facet, "level", metric=metric)
    ]
    # What the levels are parts of comes first.
    if index.has_fixed_levels(facet) and filled_entries(index, entries):
        entries.insert(0, TableEntry(ALL, overall_key(match, metric)))
    if metric == TER:  # HardEval's score is the mean of two of these rates
        entries += [
            TableEntry(metric_title(HARDEVAL), NumberKey(facet, level, None, match, HARDEVAL))
            for level in index.values(facet, "level", metric=HARDEVAL)
        ]
    title = f"{index.facet_title(facet)}: {metric_title(metric)}"
    if match not in USUAL_MATCHES:
        title += f", {match} match"
    title += " (lower is better)" if index.metric(metric).better < 0 else ""
    return TablePlan(entries, title, code_notes=tuple(index.range_notes(facet)), label=_level_label)


def overview_plans(index: SummaryIndex) -> list[TablePlan]:
    """The tables of `evaluate --all`: scores, tough mentions, hard tokens, attributes, the rest."""
    bucketed = [facet for facet in index.by_facet if index.is_bucketed(facet)]
    headlines = [facet.name for facet in fixed_facets() if facet.is_headline]
    variants = [facet.name for facet in fixed_facets() if facet.is_variant]
    others = [
        facet for facet in index.by_facet if facet not in (ALL, *headlines, *variants, *bucketed)
    ]
    plans = [_plan(index, name) for name in (*_BEFORE_HEADLINES, *headlines, *_AFTER_HEADLINES)]
    plans += [_plan_attributes(index, bucketed)] if bucketed else []
    plans += [_plan(index, name) for name in others]
    return [plan for plan in plans if plan is not None]


def _plan_attributes(index: SummaryIndex, facets: Sequence[str]) -> TablePlan:
    """One table of all attributes, bucket by bucket."""
    plans = [_plan_facet(index, facet) for facet in facets]
    metrics = dict.fromkeys(entry.key.metric for plan in plans for entry in plan.entries)
    matches = dict.fromkeys(entry.key.match for plan in plans for entry in plan.entries)
    title = f"{' / '.join(metric_title(name) for name in metrics)} by attribute"
    unusual = [match for match in matches if match not in USUAL_MATCHES]
    return TablePlan(
        [entry for plan in plans for entry in plan.entries],
        title[:1].upper() + title[1:] + (f", {' / '.join(unusual)} match" if unusual else ""),
        code_notes=tuple(note for plan in plans for note in plan.code_notes),
        label=_cell_label,
    )


def filled_entries(index: SummaryIndex, entries: Sequence[TableEntry]) -> list[TableEntry]:
    """The entries that hold a number on some dataset."""
    return [
        entry
        for entry in entries
        if any(
            row is not None and (row.value is not None or entry.key.level != OTHER_LABEL)
            for dataset in index.systems
            for row in index.column(dataset, entry.key)
        )
    ]
