"""Comparisons as documents: which system is better, and on which groups."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from nerscope.errors import plural
from nerscope.render.answers import MOST_ANSWERS, answers, decided_pairs, tested_pairs
from nerscope.render.document import (
    OUTPUTS,
    UNDEFINED,
    Cell,
    Document,
    Table,
    metric_title,
    p_text,
    points,
    records_table,
    score,
)
from nerscope.render.head_to_head import head_to_head, tally_table
from nerscope.render.layout import SCREEN_LINES
from nerscope.render.over_datasets import over_datasets_tables
from nerscope.render.ranking import leading_ranking
from nerscope.render.tables import SPARSE
from nerscope.results.compare import SIGNIFICANT, TYPES, WHERE, Comparison, is_significant
from nerscope.results.over_datasets import RunsRow
from nerscope.results.rows import ComparisonRow, or_nan
from nerscope.results.terms import Ranges, number_words
from nerscope.scoring.cluster_units import units_in_words

# How many groups are shown of all pairs together: the first number that fits the screen.
_MOST_GROUPS = (12, 10, 8, 7, 6, 5, 4, 3)
_FEWEST_GROUPS = 3  # of a pair; with so many pairs that fewer would fit, none are shown
_MOST_TYPES = 12
_MOST_PAIRS = 12  # rows of the table of pairs that differ


def comparison_document(
    comparison: Comparison,
    signature: str,
    cells: bool = False,
    sparse: float = SPARSE,
    mentions: Mapping[str, int] | None = None,
) -> Document:
    """Which system is better, and where; with `cells`, a table of every number compared.

    `mentions` are the gold mentions of each dataset, of which `sparse` is a share.
    """
    if cells:
        comparison = replace(comparison, by_cell=True)
    # The signature says how the numbers were tested, then how they were computed.
    about = "|".join(f"{key}:{value}" for key, value in comparison.settings.items())
    document = Document(
        data=comparison.as_dict(),
        records=comparison.rows,
        leading=leading_ranking(comparison),
        opening=answers(comparison),
        notes=comparison.notes,
        signature=f"{about}|{signature}",
    )
    if cells:
        return replace(document, tables=_every_table(comparison, sparse, mentions))
    are_splits = comparison.protocol is not None and comparison.protocol.are_splits
    every = "every group and split" if are_splits else "every group"
    document = replace(
        document, hints=[f"Next: --all shows {every}; --facet, --metric, --type choose some."]
    )
    for most in _MOST_GROUPS:
        groups = _group_tables(comparison, most)
        document = replace(
            document,
            tables=[*_pair_tables(comparison), *over_tables(comparison), *groups],
            lines=_any_star(comparison) if groups else [],
        )
        if OUTPUTS["text"](document).count("\n") <= SCREEN_LINES:
            break
    return document


def _every_table(
    comparison: Comparison, sparse: float, mentions: Mapping[str, int] | None
) -> list[Table]:
    return [
        *over_tables(comparison),
        tally_table(comparison.rows),
        *head_to_head(comparison.rows, sparse, mentions),
        *difference_tables(comparison),
    ]


def _any_star(comparison: Comparison) -> list[str]:
    """How likely any star is though nothing differs."""
    if comparison.any_star is None:
        return []
    share = f"{100 * comparison.any_star:.1f} %"
    return [f"By chance alone, {share} of such comparisons would show a star somewhere."]


def _pairs(rows: Sequence[ComparisonRow]) -> list[tuple[str, str]]:
    return list(dict.fromkeys(row.pair for row in rows))


def _pair_tables(comparison: Comparison) -> list[Table]:
    """Of many pairs, those that differ significantly."""
    if len(tested_pairs(comparison)) <= MOST_ANSWERS:
        return []
    if comparison.protocol and comparison.protocol.are_splits:
        return []
    rows = sorted(decided_pairs(comparison), key=_by_significance)
    several = len({row.dataset for row in comparison.rows}) > 1
    body = []
    for row in rows[:_MOST_PAIRS]:
        better, worse, gain = row.system_a, row.system_b, row.gain
        if or_nan(gain.value) < 0:
            better, worse, gain = worse, better, gain.reversed()
        low, high = points(gain.low, row.metric), points(gain.high, row.metric)
        body.append(
            (
                *([Cell(row.dataset)] if several else []),
                Cell(better),
                Cell(worse),
                Cell(points(gain.value, row.metric)),
                Cell(UNDEFINED if gain.low is None else f"[{low}, {high}]"),
                Cell(p_text(row.p_corrected)),
            )
        )
    if not body:
        return []
    metric = metric_title(rows[0].metric)
    header = ("system", "better than", f"{metric} better by", "95 % interval", "corrected p")
    more = len(rows) - len(body)
    return [
        Table(
            f"Pairs that differ significantly: {len(rows)}",
            (*(["dataset"] if several else []), *header),
            tuple(body),
            (f"{more} more pairs: --all",) if more else (),
            labels=2 + several,
        )
    ]


def over_tables(comparison: Comparison) -> list[Table]:
    """The tables over runs and over datasets."""
    rows = comparison.over_runs()
    several = len({row.dataset for row in rows}) > 1
    runs = [_run_record(row, several, comparison.stochastic_order) for row in rows]
    tables = []
    if 0 < len(runs) <= MOST_ANSWERS:  # JSON has those of many pairs
        notes = ["next run: the chance that A's next run beats B's", *_order_notes(comparison)]
        tables.append(replace(records_table("Runs", runs, notes), labels=2 + several))
    return [*tables, *over_datasets_tables(comparison)]


def _order_notes(comparison: Comparison) -> list[str]:
    """What almost stochastic order is, and its measured error (studies/stochastic_order.py)."""
    if not comparison.stochastic_order:
        return []
    return [
        "ε: almost stochastic order, 0 if A is ahead at every quantile, 1 if B is",
        "In simulations of equal systems with 10 to 30 runs, the interval of ε excludes 0.5 in "
        "25 to 31 % of cases; 5 % would be right. It describes these runs, and is not a test.",
    ]


def _run_record(row: RunsRow, several: bool, stochastic_order: bool) -> dict[str, str]:
    def bounded(value: float | None, low: float | None, high: float | None) -> str:
        if value is None:
            return UNDEFINED
        return f"{value:.2f}" + ("" if low is None else f" [{low:.2f}, {high:.2f}]")

    return {
        **({"dataset": row.dataset} if several else {}),
        "A": row.system_a,
        "B": row.system_b,
        "runs of A": " ".join(score(value, row.metric) for value in row.runs_a),
        "runs of B": " ".join(score(value, row.metric) for value in row.runs_b),
        "next run": bounded(row.next_run_better, row.next_run_low, row.next_run_high),
    } | (
        {"ε": bounded(row.violation, row.violation_low, row.violation_high)}
        if stochastic_order
        else {}
    )


def _by_significance(row: ComparisonRow) -> tuple[float, float, float]:
    # Corrected p-values tie often, as all at 1.0: then the plain one and the size decide.
    return or_nan(row.p_corrected), or_nan(row.p), -abs(or_nan(row.difference))


def _group_tables(comparison: Comparison, most: int) -> list[Table]:
    """For each pair, the groups and the types on which the systems differ most significantly."""
    pairs = _pairs(comparison.rows)
    shown = most // max(1, len(pairs))  # so that all pairs together fit a screen
    return [
        table
        for pair in pairs
        if shown >= min(_FEWEST_GROUPS, most)
        for family, limit in ((WHERE, shown), (TYPES, min(_MOST_TYPES, 2 * shown)))
        for table in _family_tables(comparison, pair, family, limit)
    ]


def _family_tables(
    comparison: Comparison, pair: tuple[str, str], family: str, most: int
) -> list[Table]:
    compared = [
        row
        for row in comparison.rows
        if row.pair == pair and row.family == family and row.difference is not None
    ]
    if not compared:
        return []
    tested = sorted((row for row in compared if row.p is not None), key=_by_significance)
    names = f"{pair[0]} against {pair[1]}"
    title = f"Where they differ: {names}" if family == WHERE else f"By type: {names}"
    several = len({row.dataset for row in comparison.rows}) > 1
    table = _differences(tested[:most], comparison, title, several, with_intervals=False)
    noun = "group" if family == WHERE else "type"
    significant = sum(is_significant(row.p_corrected) for row in tested)
    count = plural(len(tested), noun)
    notes = [f"* significant difference (corrected p < 0.05): {significant} of {count}"]
    notes += [f"{plural(len(tested) - most, f'more {noun}')}: --all"] if len(tested) > most else []
    notes += _untested_note(compared, noun)
    return [replace(table, notes=tuple(notes if tested else _untested_note(compared, noun)))]


def _untested_note(rows: Sequence[ComparisonRow], noun: str = "number") -> list[str]:
    untested = sum(row.p is None for row in rows)
    if not untested:
        return []
    count = plural(untested, noun)
    return [f"{count} not tested: too few differences there to reach p < {SIGNIFICANT}"]


def difference_tables(comparison: Comparison) -> list[Table]:
    """One table per pair: every number with both values, the difference, its interval and p."""
    rows, settings = comparison.rows, comparison.settings
    several = len({row.dataset for row in rows}) > 1
    tables = []
    for a, b in _pairs(rows):
        pair_rows = [row for row in rows if row.pair == (a, b) and _is_defined(row)]
        tested = sum(row.p is not None for row in pair_rows)
        notes = [
            f"* corrected p < {SIGNIFICANT}, corrected within its family; {tested} tested",
            *_untested_note([row for row in pair_rows if row.difference is not None]),
            f"differ: the {units_in_words(settings['resample'])} in which the systems differ",
        ]
        table = _differences(pair_rows, comparison, f"{a} against {b}", several)
        tables.append(replace(table, notes=tuple(notes)))
    return tables


def _is_defined(row: ComparisonRow) -> bool:
    """Whether some system has a number; an empty group has none."""
    return row.a is not None or row.b is not None


def _differences(
    rows: Sequence[ComparisonRow],
    comparison: Comparison,
    title: str,
    several: bool,
    with_intervals: bool = True,
) -> Table:
    """Numbers of both systems, and by how much the first is better."""
    names = rows[0].pair if rows else ("A", "B")
    details = (_interval_title(comparison.settings), "p") if with_intervals else ()
    header = (
        *(["dataset"] if several else []),
        *("number", *names, "better by", *details, "corrected p", "n"),
        *(["differ"] if with_intervals else []),
    )
    body = tuple(
        (
            *([Cell(row.dataset)] if several else []),
            *_difference_cells(row, comparison.ranges, with_intervals),
        )
        for row in rows
    )
    optional = ("differ", "p") if with_intervals else ()
    return Table(title, header, body, labels=1 + several, optional=optional)


def _interval_title(settings: Mapping[str, Any]) -> str:
    return "95 % together" if "intervals" in settings else "95 % interval"


def _difference_cells(row: ComparisonRow, ranges: Ranges, with_intervals: bool) -> tuple[Cell, ...]:
    interval = ranges.get((row.dataset, row.facet, row.level), "")
    words = number_words(row.facet, row.level, row.type, row.match, row.metric, interval)
    metric, gain = row.metric, row.gain
    low, high = points(gain.low, metric), points(gain.high, metric)
    details = (Cell(UNDEFINED if row.low is None else f"[{low}, {high}]"), Cell(p_text(row.p)))
    return (
        Cell(words.phrase, code=words.code),
        Cell(score(row.a, metric)),
        Cell(score(row.b, metric)),
        Cell(points(gain.value, metric), best=is_significant(row.p_corrected)),
        *(details if with_intervals else ()),
        Cell(p_text(row.p_corrected)),
        Cell(f"{row.n:,}"),
        *([Cell(f"{row.differing:,}")] if with_intervals else []),
    )
