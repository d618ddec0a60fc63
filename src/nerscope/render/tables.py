"""Tables made from rows: what they hold is decided here, how they look by the outputs.

Rows of a table are what is measured (levels, types, matches), columns are systems. The table of
overall scores is the other way round: its columns are metrics.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from nerscope.corpus.units import MENTION
from nerscope.errors import UsageError, suggest
from nerscope.render.document import UNDEFINED, Cell, Document, Table, percent, points
from nerscope.render.means import means_table
from nerscope.render.number_index import NumberKey, SummaryIndex
from nerscope.render.table_plans import (
    TableEntry,
    TablePlan,
    filled_entries,
    overview_plans,
    plan_table,
)
from nerscope.results.results import Results
from nerscope.results.rows import Row
from nerscope.scoring.metrics import Metric

FEW = 30  # a recall on fewer units than this says little
SPARSE = 0.01  # as does one on a smaller share of all mentions
FEW_NOTE = f"! fewer than {FEW} units, or less than {100 * SPARSE:g} % of all mentions"
BEST_NOTE = "* best system"
RUNS_NOTE = "mean ± standard deviation over runs"
MARK = "†"
_DATASET, _SYSTEM, _SIZE = "dataset", "system", "n"


@dataclass(frozen=True, slots=True)
class TableChoice:
    """What a table is narrowed to, and how it is ordered."""

    systems: Sequence[str] = ()  # in this order; all if empty
    only: Sequence[str] = ()  # levels, types, matches or metrics, in this order
    with_intervals: bool = True
    with_sizes: bool = True
    sort: str | None = None  # the column by which rows are sorted
    # Numbers that are marked: dataset, system, key.
    marked: frozenset[tuple[str, str, NumberKey]] = frozenset()


def table(results: Results, name: str) -> Table:
    """A table by name: exact, types, partial, pairs, errors, or any facet of the results."""
    index = SummaryIndex(results)
    return build_table(index, plan_table(index, name))


def overview(results: Results) -> list[Table]:
    """The tables of `evaluate --all`."""
    index = SummaryIndex(results)
    means = means_table(results)
    tables = [build_table(index, plan) for plan in overview_plans(index)]
    tables += [means] if means else []
    return [table for table in tables if len(table.header) > 1 and table.rows]


def results_document(results: Results, tables: Sequence[Table] | None = None) -> Document:
    """The tables of results, by default all of them, with all rows for JSON and CSV."""
    has_intervals = any(row.low is not None for row in results.rows)
    interval_notes = results.interval_notes() if has_intervals else []
    return Document(
        overview(results) if tables is None else tables,
        records=results.rows,
        notes=[*results.short_notes(), *interval_notes],
        every_note=[*results.notes(), *interval_notes],
        signature=results.signature,
        results=results,
    )


def build_table(index: SummaryIndex, plan: TablePlan, choice: TableChoice | None = None) -> Table:
    """Look up the cells of a table."""
    choice = choice or TableChoice()
    entries = chosen_entries(index, plan, choice.only)
    cells = _Cells(index, entries, _chosen_systems(index, choice.systems), choice)
    built = _systems_below(cells, plan) if plan.by_system else _entries_below(cells, plan)
    return sorted_table(built, choice.sort) if choice.sort else built


def chosen_entries(
    index: SummaryIndex, plan: TablePlan, only: Sequence[str]
) -> Sequence[TableEntry]:
    """The entries that hold a number, or of those the chosen ones, in their order."""
    entries = filled_entries(index, plan.entries)
    if not only:
        return entries
    by_name: dict[str, TableEntry] = {}
    for entry in entries:
        names = [entry.name, entry.words]
        if plan.label:  # words as well as codes name a line
            labels = [plan.label(index, dataset, entry) for dataset in index.systems]
            names += [name for label in labels for name in (label.text, label.code)]
        for name in filter(None, names):
            by_name.setdefault(name, entry)
            by_name.setdefault(name.lower(), entry)  # f1 as well as F1
    for name in only:
        if name not in by_name:
            known = [entry.name for entry in entries]
            raise UsageError(f"--only {name}", "the table does not have it", suggest(name, known))
    return [by_name[name] for name in only]


def _chosen_systems(index: SummaryIndex, chosen: Sequence[str]) -> dict[str, list[str]]:
    """By dataset: the systems to show."""
    known = {system for systems in index.systems.values() for system in systems}
    for name in chosen:
        if name not in known:
            raise UsageError(f"--system {name}", "it is not in the results", suggest(name, known))
    if not chosen:
        return index.systems
    return {
        dataset: [name for name in chosen if name in systems]
        for dataset, systems in index.systems.items()
    }


class _Cells:
    """The cells of a table by dataset, entry and system."""

    def __init__(
        self,
        index: SummaryIndex,
        entries: Sequence[TableEntry],
        systems: dict[str, list[str]],
        choice: TableChoice,
    ) -> None:
        self.index, self.entries, self.choice = index, entries, choice
        self.by_dataset = {dataset: names for dataset, names in systems.items() if names}
        self.systems = list(dict.fromkeys(name for names in systems.values() for name in names))
        self._best = {
            (dataset, entry): _best_value(index, self.rows(dataset, entry))
            for dataset in self.by_dataset
            for entry in entries
        }
        # The largest denominator stands for all mentions: levels below 1 % of it are marked.
        self._mentions = {
            dataset: max(
                (
                    row.n
                    for entry in entries
                    for row in self.rows(dataset, entry)
                    if row.unit == MENTION
                ),
                default=0,
            )
            for dataset in self.by_dataset
        }

    def rows(self, dataset: str, entry: TableEntry) -> list[Row]:
        """The rows of an entry, of the systems that are shown."""
        rows = (self.index.row(dataset, name, entry.key) for name in self.by_dataset[dataset])
        return [row for row in rows if row is not None]

    def cell(self, dataset: str, system: str, entry: TableEntry) -> Cell:
        row = self.index.row(dataset, system, entry.key)
        if row is None or row.value is None:
            return Cell(UNDEFINED)
        metric = self.index.metric(row.metric)
        text = number_text(row, metric, self.choice.with_intervals)
        base = self.index.row(dataset, system, entry.minus) if entry.minus else None
        if base is not None and base.value is not None:
            text += f" ({points(row.value - base.value, row.metric)})"
        mark = MARK if (dataset, system, entry.key) in self.choice.marked else ""
        is_best = row.value == self._best[dataset, entry]
        return Cell(text + mark, is_best, value=metric.gain(row.value) or row.value)

    def size(self, dataset: str, entry: TableEntry) -> Cell:
        """The denominator, or its range where systems differ (as in the number of predictions)."""
        rows = self.rows(dataset, entry)
        if not rows:
            return Cell(UNDEFINED)
        low, high = min(row.n for row in rows), max(row.n for row in rows)
        few = low < FEW or (rows[0].unit == MENTION and low < SPARSE * self._mentions[dataset])
        text = f"{low:,}{'' if low == high else f'–{high:,}'}{' !' if few else ''}"
        return Cell(text, value=low)

    def dataset_cells(self, dataset: str) -> list[Cell]:
        """The name of the dataset, if there are several."""
        return [Cell(dataset)] if len(self.index.systems) > 1 else []

    def dataset_heading(self) -> list[str]:
        return [_DATASET] if len(self.index.systems) > 1 else []

    def notes(self, body: Sequence[Sequence[Cell]], plan: TablePlan) -> tuple[str, ...]:
        datasets = self.by_dataset
        rows = [
            row for name in datasets for entry in self.entries for row in self.rows(name, entry)
        ]
        notes = [BEST_NOTE] if any(cell.best for row in body for cell in row) else []
        notes += [RUNS_NOTE] if any((row.runs or 1) > 1 for row in rows) else []
        notes += [FEW_NOTE] if any(cell.text.endswith(" !") for row in body for cell in row) else []
        return (*notes, *plan.notes)


def _systems_below(cells: _Cells, plan: TablePlan) -> Table:
    """Systems as rows; the denominators are the last row of each dataset."""
    body: list[tuple[Cell, ...]] = []
    for dataset, systems in cells.by_dataset.items():
        named = cells.dataset_cells(dataset)
        body += [
            (*named, Cell(name), *(cells.cell(dataset, name, entry) for entry in cells.entries))
            for name in systems
        ]
        if cells.choice.with_sizes:
            # Sorting leaves them where they are.
            sizes = [replace(cells.size(dataset, entry), value=None) for entry in cells.entries]
            body.append((*named, Cell(_SIZE), *sizes))
    header = (*cells.dataset_heading(), _SYSTEM, *(entry.name for entry in cells.entries))
    labels = 1 + len(cells.dataset_heading())
    return Table(plan.title, header, tuple(body), cells.notes(body, plan), labels=labels)


def _entries_below(cells: _Cells, plan: TablePlan) -> Table:
    """What is measured as rows, systems as columns."""
    body: list[tuple[Cell, ...]] = []
    for dataset, systems in cells.by_dataset.items():
        for entry in cells.entries:
            label = (
                plan.label(cells.index, dataset, entry)
                if plan.label
                else Cell(entry.words or entry.name, code=entry.name)
            )
            numbers = [
                cells.cell(dataset, name, entry) if name in systems else Cell(UNDEFINED)
                for name in cells.systems
            ]
            size = [cells.size(dataset, entry)] if cells.choice.with_sizes else []
            body.append((*cells.dataset_cells(dataset), label, *numbers, *size))
    sizes = [_SIZE] if cells.choice.with_sizes else []
    header = (*cells.dataset_heading(), plan.heading, *cells.systems, *sizes)
    return Table(
        plan.title,
        header,
        tuple(body),
        cells.notes(body, plan),
        labels=1 + len(cells.dataset_heading()),
        code_notes=tuple(plan.code_notes),
    )


def sorted_table(table: Table, column: str) -> Table:
    """The table with its rows sorted by a column: the best first, names in alphabetical order."""
    lowered = [name.lower() for name in table.header]
    if column.lower() not in lowered:
        raise UsageError(
            f"--sort {column}", "the table has no such column", suggest(column, table.header)
        )
    at = lowered.index(column.lower())
    groups: dict[tuple[str, ...], list[tuple[Cell, ...]]] = {}
    for row in table.rows:  # rows of a dataset stay together
        groups.setdefault(tuple(cell.text for cell in row[: table.labels - 1]), []).append(row)

    def order(row: tuple[Cell, ...]) -> tuple[bool, float | str]:
        value = row[at].value
        if at < table.labels:
            return False, row[at].text
        return value is None, -(value or 0.0)

    rows = [row for group in groups.values() for row in sorted(group, key=order)]
    return replace(table, rows=tuple(rows))


def _best_value(index: SummaryIndex, rows: Sequence[Row]) -> float | None:
    """The best value of an entry; None if there is nothing to choose, or no better side."""
    values = [row.value for row in rows if row.value is not None]
    if len(values) < 2 or min(values) == max(values):
        return None
    better = index.metric(rows[0].metric).better
    return max(values, key=lambda value: better * value) if better else None


def number_text(row: Row, metric: Metric, with_interval: bool = True) -> str:
    """A number with its interval and its standard deviation over runs."""
    if not metric.is_fraction:
        return UNDEFINED if row.value is None else f"{row.value:,.6g}"
    text = percent(row.value) + (interval_text(row.low, row.high) if with_interval else "")
    return text if row.std is None else f"{text} ± {percent(row.std)}"


def interval_text(low: float | None, high: float | None) -> str:
    """An interval of shares, as it is printed behind a number; nothing where there is none."""
    return "" if low is None or high is None else f" [{percent(low, 1)}, {percent(high, 1)}]"
