"""Tables as a reader wants them: chosen systems and columns, marks of significance, a caption."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from nerscope.errors import UsageError, suggest
from nerscope.render.document import UNDEFINED, Cell, Table
from nerscope.render.summary import dataset_table
from nerscope.render.tables import Column, Summaries, table_columns
from nerscope.results.compare import compare, is_significant
from nerscope.results.results import Results

MARK = "†"
Row = tuple[Cell, ...]
_CELL = ("facet", "level", "type", "match", "metric")


def chosen_tables(
    results: Results,
    names: Sequence[str],
    *,
    systems: Sequence[str] = (),
    columns: Sequence[str] = (),
    metric: str | None = None,
    match: str | None = None,
    against: str | None = None,
    with_n: bool = True,
    caption: str | None = None,
    label: str | None = None,
) -> list[Table]:
    """Some tables by name, narrowed to what was chosen."""
    rows = Summaries(results)
    if metric is not None:
        metric = results.metric(metric).name
    known = {row["match"] for row in results.rows}
    if match is not None and match not in known:
        raise UsageError(f"match '{match}'", "it is not in the results", suggest(match, known))
    made = []
    for name in names:
        places: list[Column] = []
        if name == "datasets":
            table = dataset_table(rows, metric or "f1", match or "exact")
            if all(cell.text.startswith(UNDEFINED) for row in table.rows for cell in row[1:]):
                raise UsageError(
                    "table 'datasets'",
                    f"it has no {metric or 'f1'} by {match or 'exact'}",
                    "choose a metric and a match that were evaluated",
                )
        else:
            table, places = table_columns(rows, name, metric, match)
        if against is not None and places:
            table = _marked(results, table, places, against)
        table = _narrowed(table, systems, columns)
        if not with_n:
            kept = tuple(row for row in table.rows if not row[0].is_size)
            table = replace(table, rows=kept)
        made.append(replace(table, title=caption or table.title, label=label or ""))
    return made


def _narrowed(table: Table, systems: Sequence[str], columns: Sequence[str]) -> Table:
    known = [row[0].text for row in table.rows if not row[0].is_size]
    known += [name.partition(": ")[2] for name in known if ": " in name]  # without the dataset
    for kind, chosen, names in [("system", systems, known), ("column", columns, table.header[1:])]:
        for one in chosen:
            if one not in names:
                raise UsageError(f"--{kind} {one}", "the table has none", suggest(one, names))
    rows = list(table.rows)
    if systems:
        rows = [row for part in _by_dataset(rows) for row in _in_order(part, systems)]
    places = [0, *range(1, len(table.header))]
    if columns:
        places = [0, *(table.header.index(name) for name in columns)]
    header = tuple(table.header[place] for place in places)
    return replace(
        table, header=header, rows=tuple(tuple(row[place] for place in places) for row in rows)
    )


def _by_dataset(rows: Sequence[Row]) -> Iterator[list[Row]]:
    """The rows of each dataset: up to its denominators."""
    part: list[Row] = []
    for row in rows:
        part.append(row)
        if row[0].is_size:
            yield part
            part = []
    if part:
        yield part


def _in_order(rows: Sequence[Row], systems: Sequence[str]) -> list[Row]:
    chosen = [
        row
        for name in systems
        for row in rows
        if not row[0].is_size and name in (row[0].text, row[0].text.partition(": ")[2])
    ]
    return chosen + [row for row in rows if row[0].is_size]


def _marked(results: Results, table: Table, places: Sequence[Column], baseline: str) -> Table:
    """The table with a mark on every number that differs significantly from the baseline's."""
    found = compare(results, baseline=baseline, by_type=True, metrics=_metrics(places))
    sure = {
        (row["dataset"], row["system_a"], *(row[name] for name in _CELL))
        for row in found.rows
        if is_significant(row["p"])
    }
    datasets = [part.dataset for part in results.evidence]
    rows = []
    for row in table.rows:
        dataset, system = datasets[0], row[0].text
        if len(datasets) > 1:
            dataset, _, system = row[0].text.partition(": ")
        cells = [row[0]]
        for cell, column in zip(row[1:], places, strict=True):
            key = (dataset, system, *(column.wanted[name] for name in _CELL))
            cells.append(Cell(cell.text + MARK, cell.best) if key in sure else cell)
        rows.append(tuple(cells))
    note = f"{MARK} differs from {baseline} (p < 0.05, each by itself)"
    return replace(table, rows=tuple(rows), notes=(*table.notes, note))


def _metrics(places: Sequence[Column]) -> list[str] | None:
    names = list(dict.fromkeys(str(column.wanted["metric"]) for column in places))
    return names or None
