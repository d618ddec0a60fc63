"""The first screen: how good each system is, where it is weakest, and what else there is to see."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from nerscope.corpus.units import ALL
from nerscope.errors import UsageError, suggest
from nerscope.facets.alignment import ALIGNMENT
from nerscope.facets.tmr import TMR
from nerscope.render.document import UNDEFINED, Cell, Document, Table, metric_title, percent
from nerscope.render.tables import (
    SCORES,
    NumberKey,
    SummaryIndex,
    TableColumn,
    interval_text,
    match_title,
    means_table,
    overall_key,
    overall_match,
    results_document,
    table_columns,
)
from nerscope.results.results import Results
from nerscope.results.rows import Row
from nerscope.results.weakest import FEW_CLUSTERS
from nerscope.scoring.cluster_units import units_in_words
from nerscope.scoring.matching import EXACT
from nerscope.scoring.metrics import F1, MACRO, PRECISION, WEIGHTED
from nerscope.version import VERSION

_MOST_SYSTEMS = 4  # whose weakest places are shown
_MOST_TYPES = 25  # lines by type, so that the first screen stays one screen
_MOST_LINES = 6  # of systems in the short form


def summary_document(results: Results, *, saved: bool = False) -> Document:
    """What an evaluation shows unasked, or `show` of saved results; everything is in
    `results_document`.
    """
    index = SummaryIndex(results)
    several = len(index.systems) > 1
    tables = [dataset_table(index)] if several else [_overall(results)]
    tables += _both_ways(index)
    means = means_table(results, exact=True)
    tables += [means] if means else []
    systems = [name for names in index.systems.values() for name in names]
    if len(systems) == 1:
        tables.append(_by_type(index, overall_match(index)))
    if len(systems) <= _MOST_SYSTEMS:
        weakest = results.weakest(most=4 if len(systems) == 1 else 3)
        tables += [_weakest(weakest)] if weakest else []
    full = results_document(results, [table for table in tables if table.rows])
    # The first table has intervals even where the rows have none.
    notes = list(dict.fromkeys([*full.notes, *results.interval_notes()]))
    return replace(full, notes=notes, hints=[_more(results, saved)])


def _more(results: Results, saved: bool) -> str:
    """What else these results can answer."""
    evidence = results.evidence
    commands = ["compare"] if any(len(part.systems) > 1 for part in evidence) else []
    commands += [] if any(part.folded for part in evidence) else ["errors"]
    commands += ["diagnose"] if any(part.signature.edges for part in evidence) else []
    has_tough = any(TMR.name in part.facets for part in evidence)
    if saved:
        table = TMR.name if has_tough else "types"
        commands_text = f"; nerscope {', '.join(commands)}" if commands else ""
        return f"more: --all for every table, --table {table} for one{commands_text}"
    # Most facets need the training data; the length of mentions does not.
    option = f"--all for every table, --facet {TMR.name if has_tough else 'eLen'} for one"
    return f"more: {option}; -o FILE, then nerscope {', '.join(['show', *commands])}"


def summary_lines(results: Results) -> list[str]:
    """Results in some ten lines: what was evaluated, the scores, and what can be asked."""
    lines = [f"nerscope results: {len(results.rows):,} rows, {results.signature}"]
    scores = results.overall()
    for row in scores[:_MOST_LINES]:
        f1 = row["f1"]
        lines.append(
            f"  {row['dataset']}, {row['system']}: F1 {percent(f1['value'])}{_interval_of(f1)}, "
            f"precision {percent(row['precision']['value'])}, "
            f"recall {percent(row['recall']['value'])}, support {row['support']:,}"
        )
    if len(scores) > _MOST_LINES:
        lines.append(f"  … {len(scores) - _MOST_LINES} more")
    facets = [
        facet for evidence in results.evidence[:1] for facet in evidence.facets if facet != ALL
    ]
    lines.append(f"facets: {', '.join(facets) or 'none'}")
    lines.append(
        "ask: .value(metric=…), .table(name), .weakest(), .errors(), .to_pandas(), .save()"
    )
    return lines


def _interval_of(number: Mapping[str, Any]) -> str:
    return interval_text(number.get("low"), number.get("high"))


def _overall(results: Results) -> Table:
    """Precision, recall and F1 of each system, with intervals, and the support."""
    body = []
    scores = results.overall()
    best = {
        metric: max((row[metric]["value"] or 0.0 for row in scores), default=0.0)
        for metric in SCORES
    }
    for row in scores:
        cells = []
        for metric in SCORES:
            cell = row[metric]
            text = percent(cell["value"]) + _interval_of(cell)
            if cell["std"] is not None:
                text += f" ± {percent(cell['std'])}"
            cells.append(Cell(text, len(scores) > 1 and cell["value"] == best[metric]))
        body.append((Cell(row["system"]), *cells, Cell(f"{row['support']:,}")))
    over = "+".join(dict.fromkeys(row["over"] for row in scores))
    few = min((row["clusters"] for row in scores), default=FEW_CLUSTERS)
    rough = f": rough, with {few} of them" if few < FEW_CLUSTERS else ""
    notes = [f"[…] 95 % interval over {units_in_words(over)}{rough}"]
    notes += ["* best of its column"] if len(scores) > 1 else []
    if any(row["f1"]["std"] is not None for row in scores):
        notes.append("mean ± standard deviation over runs")
    header = ("system", "precision", "recall", "F1", "support")
    title = match_title(scores[0]["match"] if scores else EXACT)
    return Table(f"{title}: {results.evidence[0].dataset}", header, tuple(body), tuple(notes))


def _both_ways(index: SummaryIndex) -> list[Table]:
    """Scores with and without the mentions that do not fit the tokens of gold, if there are any."""
    body: list[tuple[Cell, ...]] = []
    for dataset, systems in index.systems.items():
        unaligned = index.column(dataset, NumberKey(ALIGNMENT, "unaligned", None, EXACT, PRECISION))
        for place, (system, misfits) in enumerate(zip(systems, unaligned, strict=True)):
            if misfits is None or not misfits.n:
                continue
            for name, facet, level in _WAYS:
                keys = [NumberKey(facet, level, None, EXACT, metric) for metric in SCORES]
                rows = [index.column(dataset, key)[place] for key in keys]
                texts = [percent(None if row is None else row.value) for row in rows]
                body.append((Cell(system), Cell(name), *map(Cell, texts), Cell(f"{misfits.n:,}")))
    header = ("system", "they are", "precision", "recall", "F1", "mentions")
    notes = ("--list unaligned names them",)
    title = "Mentions that do not fit the tokens of gold"
    return [Table(title, header, tuple(body), notes)] if body else []


_WAYS = (("counted as errors", ALL, ALL), ("left out", ALIGNMENT, "aligned"))


def _by_type(index: SummaryIndex, match: str) -> Table:
    """Precision, recall, F1 and support of each type, then the averages."""
    dataset = next(iter(index.systems))

    def line(name: str, metrics: Sequence[str], type: str | None) -> tuple[Cell, ...]:
        rows = [index.column(dataset, overall_key(match, metric, type))[0] for metric in metrics]
        texts = [percent(None if row is None else row.value) for row in rows]
        recall = rows[1]
        support = recall.n if recall else 0
        return (Cell(name), *map(Cell, texts), Cell(f"{support:,}"))

    types = sorted(name for name in index.values(ALL, "type", match=match) if name is not None)
    body = [line(name, SCORES, name) for name in types[:_MOST_TYPES]]
    body.append(line("micro avg", SCORES, None))
    for average in (MACRO, WEIGHTED):
        metrics = [f"{average}_{metric}" for metric in SCORES]
        body.append(line(f"{average} avg", metrics, None))
    notes = () if len(types) <= _MOST_TYPES else (f"{len(types) - _MOST_TYPES} more types: --all",)
    title = "By type" if match == EXACT else f"By type, {match}"
    return Table(title, ("type", "precision", "recall", "F1", "support"), tuple(body), notes)


def dataset_table(index: SummaryIndex, metric: str = F1, match: str | None = None) -> Table:
    """A metric of each system on each dataset, and the mean over datasets."""
    match = match or overall_match(index)
    systems = list(dict.fromkeys(name for names in index.systems.values() for name in names))
    body = []
    for system in systems:
        rows: list[Row | None] = []
        for dataset, names in index.systems.items():
            column = index.column(dataset, overall_key(match, metric))
            rows.append(column[names.index(system)] if system in names else None)
        values = [row.value for row in rows if row is not None and row.value is not None]
        mean = sum(values) / len(values) if values else None
        texts = [
            percent(row.value) + interval_text(row.low, row.high) if row else UNDEFINED
            for row in rows
        ]
        average = percent(mean) + ("" if len(values) == len(rows) else f" ({len(values)})")
        body.append((Cell(system), *map(Cell, texts), Cell(average)))
    notes = ["mean over datasets; (k) rests on k of them only"] if len(body) else []
    title = f"{metric_title(metric, at_start=True)}, {match} match"
    return Table(title, ("system", *index.systems, "mean"), tuple(body), tuple(notes))


def _weakest(spots: Sequence[Mapping[str, Any]]) -> Table:
    """Where each system is weakest."""
    body = []
    names = [key for key in ("dataset", "system") if len({spot[key] for spot in spots}) > 1]
    for spot in spots:
        distance = 100 * (spot["distance"] or 0.0)
        place = f"{spot['facet']}={spot['level']}"
        body.append(
            (
                *(Cell(spot[key]) for key in names),
                Cell(place),
                Cell(spot["metric"]),
                Cell(percent(spot["value"]) + _interval_of(spot)),
                Cell(f"{distance:+.2f}"),
                Cell(f"{spot['n']:,}"),
            )
        )
    header = (*names, "where", "metric", "score", "from the whole", "n")
    note = "ranked by how far they fall short of the whole at the least, with 95 % confidence"
    return Table("Weakest", header, tuple(body), (note,))


MARK = "†"
_TableRow = tuple[Cell, ...]


class ChosenTable(NamedTuple):
    """A table, and which numbers of which systems it holds."""

    table: Table
    keys: frozenset[NumberKey]
    systems: Sequence[str]

    def rows(self, results: Results) -> list[Row]:
        return [
            row
            for row in results.rows
            if NumberKey(row.facet, row.level, row.type, row.match, row.metric) in self.keys
            and (not self.systems or row.system in self.systems or _label(row) in self.systems)
        ]


def _label(row: Row) -> str:
    return f"{row.dataset}: {row.system}"


def tables_document(results: Results, chosen: Sequence[ChosenTable]) -> Document:
    """Some tables; JSON and CSV hold the rows of these tables alone, each once."""
    rows = {id(row): row for table in chosen for row in table.rows(results)}
    records = list(rows.values())
    data = {
        "nerscope": VERSION,
        "signature": results.signature,
        "settings": results.settings,
        "losses": results.losses,
        "rows": records,
    }
    full = results_document(results, [table.table for table in chosen])
    return replace(full, data=data, records=records, results=None)


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
) -> list[ChosenTable]:
    """Some tables by name, narrowed to what was chosen."""
    index = SummaryIndex(results)
    if metric is not None:
        metric = results.metric(metric).name
    known = {row.match for row in results.rows}
    if match is not None and match not in known:
        raise UsageError(f"match '{match}'", "it is not in the results", suggest(match, known))
    tables = []
    for name in names:
        places: list[TableColumn] = []
        if name == "datasets":
            table = dataset_table(index, metric or F1, match)
            places = [TableColumn("", overall_key(match or overall_match(index), metric or F1))]
            if all(cell.text.startswith(UNDEFINED) for row in table.rows for cell in row[1:]):
                raise UsageError(
                    "table 'datasets'",
                    f"it has no {metric or F1} by {match or overall_match(index)}",
                    "choose a metric and a match that were evaluated",
                )
        else:
            table, places = table_columns(index, name, metric, match)
        if against is not None and name != "datasets":
            table = _marked(results, table, places, against)
        table = _narrowed(table, systems, columns)
        if not with_n:
            rows = tuple(row for row in table.rows if not row[0].is_size)
            table = replace(table, rows=rows)
        table = replace(table, title=caption or table.title, label=label or "")
        shown = [place for place in places if not place.name or place.name in table.header]
        keys = {key for place in shown for key in (place.key, place.minus) if key is not None}
        tables.append(ChosenTable(table, frozenset(keys), systems))
    return tables


def _narrowed(table: Table, systems: Sequence[str], columns: Sequence[str]) -> Table:
    known = [row[0].text for row in table.rows if not row[0].is_size]
    # Rows of several datasets begin with "dataset: "; a system may be named without it.
    known += [name.partition(": ")[2] for name in known if ": " in name]  # without the dataset
    for kind, chosen, names in [("system", systems, known), ("column", columns, table.header[1:])]:
        for name in chosen:
            if name not in names:
                raise UsageError(f"--{kind} {name}", "the table has none", suggest(name, names))
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


def _by_dataset(rows: Sequence[_TableRow]) -> Iterator[list[_TableRow]]:
    """The rows of each dataset: up to its denominators."""
    part: list[_TableRow] = []
    for row in rows:
        part.append(row)
        if row[0].is_size:
            yield part
            part = []
    if part:
        yield part


def _in_order(rows: Sequence[_TableRow], systems: Sequence[str]) -> list[_TableRow]:
    chosen = [
        row
        for name in systems
        for row in rows
        if not row[0].is_size and name in (row[0].text, row[0].text.partition(": ")[2])
    ]
    return chosen + [row for row in rows if row[0].is_size]


def _marked(results: Results, table: Table, places: Sequence[TableColumn], baseline: str) -> Table:
    """The table with a mark on every number that differs significantly from the baseline's."""
    from nerscope.results.compare import compare, is_significant  # loads all statistics

    comparison = compare(results, baseline=baseline, by_type=True, metrics=_metrics(places))
    significant = {
        (row.dataset, row.system_a, row.facet, row.level, row.type, row.match, row.metric)
        for row in comparison.rows
        if is_significant(row.p)
    }
    datasets = [evidence.dataset for evidence in results.evidence]
    rows = []
    for row in table.rows:
        dataset, system = datasets[0], row[0].text
        if len(datasets) > 1:
            dataset, _, system = row[0].text.partition(": ")
        cells = [row[0]]
        for cell, column in zip(row[1:], places, strict=True):
            key = (dataset, system, *column.key)
            is_marked = column.minus is None and key in significant
            cells.append(Cell(cell.text + MARK, cell.best) if is_marked else cell)
        rows.append(tuple(cells))
    note = f"{MARK} differs from {baseline} (p < 0.05, each by itself)"
    return replace(table, rows=tuple(rows), notes=(*table.notes, note))


def _metrics(places: Sequence[TableColumn]) -> list[str] | None:
    names = list(dict.fromkeys(column.key.metric for column in places))
    return names or None
