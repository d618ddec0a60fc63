"""Tables by name, narrowed to what a user chose: what `show --table` prints."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from nerscope.errors import UsageError, suggest
from nerscope.render.document import UNDEFINED, Document, Table
from nerscope.render.means import dataset_table
from nerscope.render.number_index import NumberKey, SummaryIndex, key_of, overall_key, overall_match
from nerscope.render.table_plans import TableEntry, plan_table
from nerscope.render.tables import (
    MARK,
    TableChoice,
    build_table,
    chosen_entries,
    results_document,
    sorted_table,
)
from nerscope.render.weakest import weakest_table
from nerscope.results.results import Results
from nerscope.results.rows import Row
from nerscope.scoring.metrics import F1
from nerscope.version import VERSION


@dataclass(frozen=True, slots=True)
class TableRequest:
    """A table by name, and what is chosen of it."""

    name: str
    choice: TableChoice
    metric: str | None = None
    match: str | None = None
    against: str | None = None  # the system from which significant differences are marked
    caption: str | None = None
    label: str | None = None


class ChosenTable(NamedTuple):
    """A table, and which numbers it holds."""

    table: Table
    keys: frozenset[NumberKey]


def chosen_document(
    results: Results, requests: Sequence[TableRequest], most_rows: int | None = None
) -> Document:
    """Some tables; JSON and CSV hold the rows of these tables alone, each once."""
    index = SummaryIndex(results)
    tables, rows = list[Table](), dict[int, Row]()
    for request in requests:
        chosen = chosen_table(index, request)
        tables.append(chosen.table)
        systems = request.choice.systems
        rows |= {
            id(row): row
            for row in results.rows
            if key_of(row) in chosen.keys and (not systems or row.system in systems)
        }
    records = list(rows.values())
    data = {
        "nerscope": VERSION,
        "signature": results.signature,
        "settings": results.settings,
        "losses": results.losses,
        "rows": records,
    }
    full = results_document(results, tables)
    return replace(full, data=data, records=records, results=None, most_rows=most_rows)


def table_named(results: Results, name: str, codes: bool = False) -> Table:
    """A table by name, as `results.table(name)` gives it."""
    chosen = chosen_table(SummaryIndex(results), TableRequest(name, TableChoice()))
    return replace(chosen.table, codes=codes)


def chosen_table(index: SummaryIndex, request: TableRequest) -> ChosenTable:
    """A table by name, narrowed, ordered and marked."""
    if request.metric is not None:
        request = replace(request, metric=index.results.metric(request.metric).name)
    known = {row.match for row in index.results.rows}
    if request.match is not None and request.match not in known:
        raise UsageError(
            f"match '{request.match}'",
            "it is not in the results",
            suggest(request.match, known),
        )
    made = _SPECIAL.get(request.name, _entries_table)(index, request)
    table = made.table
    if request.name in _SPECIAL and request.choice.sort:
        table = sorted_table(table, request.choice.sort)
    title = request.caption or table.title
    return ChosenTable(replace(table, title=title, label=request.label or ""), made.keys)


def _entries_table(index: SummaryIndex, request: TableRequest) -> ChosenTable:
    plan = plan_table(index, request.name, request.metric, request.match)
    choice, against = request.choice, request.against
    entries = chosen_entries(index, plan, choice.only)
    if against is not None:
        choice = replace(choice, marked=_significant(index.results, entries, against))
    table = build_table(index, plan, choice)
    if against is not None:
        note = f"{MARK} differs significantly from {against} (p < 0.05, not corrected)"
        table = replace(table, notes=(*table.notes, note))
    return ChosenTable(table, frozenset(entry.key for entry in entries))


def _dataset_table(index: SummaryIndex, request: TableRequest) -> ChosenTable:
    metric, match = request.metric or F1, request.match or overall_match(index)
    choice = request.choice
    table = dataset_table(
        index, metric, match, systems=choice.systems, with_intervals=choice.with_intervals
    )
    if all(cell.text.startswith(UNDEFINED) for row in table.rows for cell in row[1:]):
        raise UsageError(
            "table 'datasets'",
            f"the results have no {metric} by the match {match}",
            "choose a metric and a match that were evaluated",
        )
    return ChosenTable(table, frozenset([overall_key(match, metric)]))


def _weakest_table(index: SummaryIndex, request: TableRequest) -> ChosenTable:
    choice = request.choice
    spots = [
        spot
        for spot in index.results.weakest(most=10)
        if not choice.systems or spot.system in choice.systems
    ]
    table = weakest_table(
        index.results, spots, "Weakest groups", ranked=True, with_intervals=choice.with_intervals
    )
    keys = {NumberKey(s.facet, s.level, None, s.match, s.metric) for s in spots}
    return ChosenTable(table, frozenset(keys))


_SPECIAL: dict[str, Callable[[SummaryIndex, TableRequest], ChosenTable]] = {
    "datasets": _dataset_table,
    "weakest": _weakest_table,
}


def _significant(
    results: Results, entries: Sequence[TableEntry], baseline: str
) -> frozenset[tuple[str, str, NumberKey]]:
    """The numbers that differ significantly from the baseline's."""
    from nerscope.results.compare import compare, is_significant  # loads all statistics

    metrics = list(dict.fromkeys(entry.key.metric for entry in entries))
    comparison = compare(results, baseline=baseline, by_type=True, metrics=metrics)
    return frozenset(
        (
            row.dataset,
            row.system_a,
            NumberKey(row.facet, row.level, row.type, row.match, row.metric),
        )
        for row in comparison.rows
        if is_significant(row.p)
    )
