"""The first screen: how good each system is, where it is weakest, and what else there is to see."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from nerscope.errors import UsageError, suggest
from nerscope.render.document import UNDEFINED, Cell, Document, Table, metric_title, percent
from nerscope.render.tables import Column, Summaries, means_table, results_document, table_columns
from nerscope.results.compare import compare, is_significant
from nerscope.results.results import Results
from nerscope.results.rows import Row
from nerscope.results.weakest import FEW_CLUSTERS

_MOST_SYSTEMS = 4  # whose weakest places are shown
_MOST_TYPES = 25
_MOST_LINES = 6  # of systems in the short form
_SCORES = ("precision", "recall", "f1")


def summary_document(results: Results, *, saved: bool = False) -> Document:
    """What an evaluation shows unasked, or `show` of saved results; everything is in
    `results_document`.
    """
    rows = Summaries(results)
    several = len(rows.systems) > 1
    tables = [dataset_table(rows)] if several else [_overall(results)]
    tables += _both_ways(rows)
    means = means_table(results, exact=True)
    tables += [means] if means else []
    whole = [name for names in rows.systems.values() for name in names]
    if len(whole) == 1:
        tables.append(_by_type(rows))
    if len(whole) <= _MOST_SYSTEMS:
        weakest = results.weakest(most=4 if len(whole) == 1 else 3)
        tables += [_weakest(weakest)] if weakest else []
    full = results_document(results, [table for table in tables if table.rows])
    return replace(full, hints=[_more(results, saved)])


def _more(results: Results, saved: bool) -> str:
    """What else can be asked."""
    folded = any(part.folded for part in results.evidence)
    others = ", ".join(["compare", *([] if folded else ["errors"]), "diagnose"])
    if saved:
        return f"more: --all for every table, --table tmr for one; nerscope {others}"
    option = "--all for every table, --facet tmr for one"
    return f"more: {option}; -o FILE, then nerscope show, {others}"


def summary_lines(results: Results) -> list[str]:
    """Results in some ten lines: what was evaluated, the scores, and what can be asked."""
    lines = [f"nerscope results: {len(results.rows):,} rows, {results.signature}"]
    found = results.overall()
    for one in found[:_MOST_LINES]:
        f1 = one["f1"]
        lines.append(
            f"  {one['dataset']}, {one['system']}: F1 {percent(f1['value'])}{_interval(f1)}, "
            f"precision {percent(one['precision']['value'])}, "
            f"recall {percent(one['recall']['value'])}, support {one['support']:,}"
        )
    if len(found) > _MOST_LINES:
        lines.append(f"  … {len(found) - _MOST_LINES} more")
    facets = [facet for part in results.evidence[:1] for facet in part.facets if facet != "all"]
    lines.append(f"facets: {', '.join(facets) or 'none'}")
    lines.append(
        "ask: .value(metric=…), .table(name), .weakest(), .errors(), .to_pandas(), .save()"
    )
    return lines


def _interval(cell: Mapping[str, Any] | None) -> str:
    if not cell or cell.get("low") is None or cell.get("high") is None:
        return ""
    return f" [{percent(cell['low'], 1)}, {percent(cell['high'], 1)}]"


def _overall(results: Results) -> Table:
    """Precision, recall and F1 of each system, with intervals, and the support."""
    body = []
    sure = results.overall()
    best = {
        metric: max((row[metric]["value"] or 0.0 for row in sure), default=0.0)
        for metric in _SCORES
    }
    for row in sure:
        cells = []
        for metric in _SCORES:
            cell = row[metric]
            text = percent(cell["value"]) + _interval(cell)
            if cell["std"] is not None:
                text += f" ± {percent(cell['std'])}"
            cells.append(Cell(text, len(sure) > 1 and cell["value"] == best[metric]))
        body.append((Cell(row["system"]), *cells, Cell(f"{row['support']:,}")))
    over = "+".join(dict.fromkeys(row["over"] for row in sure))
    few = min((row["clusters"] for row in sure), default=FEW_CLUSTERS)
    rough = f": rough, with {few} of them" if few < FEW_CLUSTERS else ""
    notes = [f"[…] 95 % interval over {over}s{rough}"]
    notes += ["* best of its column"] if len(sure) > 1 else []
    if any(row["f1"]["std"] is not None for row in sure):
        notes.append("mean ± standard deviation over runs")
    header = ("system", "precision", "recall", "F1", "support")
    return Table(f"Exact match: {results.evidence[0].dataset}", header, tuple(body), tuple(notes))


def _both_ways(rows: Summaries) -> list[Table]:
    """Scores with and without the mentions that do not fit the tokens of gold, if there are any."""
    body: list[tuple[Cell, ...]] = []
    for dataset, systems in rows.systems.items():
        amiss = rows.column(dataset, _cell("alignment", "unaligned", "precision"))
        for place, (system, one) in enumerate(zip(systems, amiss, strict=True)):
            if one is None or not one["n"]:
                continue
            for name, facet, level in _WAYS:
                found = [rows.column(dataset, _cell(facet, level, name))[place] for name in _SCORES]
                texts = [percent(None if row is None else row["value"]) for row in found]
                body.append((Cell(system), Cell(name), *map(Cell, texts), Cell(f"{one['n']:,}")))
    header = ("system", "they are", "precision", "recall", "F1", "mentions")
    notes = ("--list unaligned names them",)
    title = "Mentions that do not fit the tokens of gold"
    return [Table(title, header, tuple(body), notes)] if body else []


_WAYS = (("counted as errors", "all", "all"), ("left out", "alignment", "aligned"))


def _cell(facet: str, level: str, metric: str) -> dict[str, object]:
    return {"facet": facet, "level": level, "type": None, "match": "exact", "metric": metric}


def _by_type(rows: Summaries) -> Table:
    """Precision, recall, F1 and support of each type, then the averages."""
    dataset = next(iter(rows.systems))

    def cell(metric: str, kind: str | None) -> Row | None:
        wanted = {"facet": "all", "level": "all", "type": kind, "match": "exact", "metric": metric}
        return rows.column(dataset, wanted)[0]

    def line(name: str, metrics: Sequence[str], kind: str | None) -> tuple[Cell, ...]:
        found = [cell(metric, kind) for metric in metrics]
        texts = [percent(None if one is None else one["value"]) for one in found]
        support = found[1]["n"] if found[1] else 0
        return (Cell(name), *map(Cell, texts), Cell(f"{support:,}"))

    kinds = sorted(kind for kind in rows.values("all", "type", match="exact") if kind is not None)
    body = [line(kind, _SCORES, kind) for kind in kinds[:_MOST_TYPES]]
    body.append(line("micro avg", _SCORES, None))
    for average in ("macro", "weighted"):
        metrics = [f"{average}_{metric}" for metric in _SCORES]
        body.append(line(f"{average} avg", metrics, None))
    notes = () if len(kinds) <= _MOST_TYPES else (f"{len(kinds) - _MOST_TYPES} more types: --all",)
    return Table("By type", ("type", "precision", "recall", "F1", "support"), tuple(body), notes)


def dataset_table(rows: Summaries, metric: str = "f1", match: str = "exact") -> Table:
    """A metric of each system on each dataset, and the mean over datasets."""
    systems = list(dict.fromkeys(name for names in rows.systems.values() for name in names))
    wanted = {"facet": "all", "level": "all", "type": None, "match": match, "metric": metric}
    body = []
    for system in systems:
        found: list[Row | None] = []
        for dataset, names in rows.systems.items():
            column = rows.column(dataset, wanted)
            found.append(column[names.index(system)] if system in names else None)
        values = [one["value"] for one in found if one is not None and one["value"] is not None]
        mean = sum(values) / len(values) if values else None
        texts = [percent(one["value"]) + _interval(one) if one else "–" for one in found]
        average = percent(mean) + ("" if len(values) == len(found) else f" ({len(values)})")
        body.append((Cell(system), *map(Cell, texts), Cell(average)))
    notes = ["mean over datasets; (k) rests on k of them only"] if len(body) else []
    title = f"{metric_title(metric, at_start=True)}, {match} match"
    return Table(title, ("system", *rows.systems, "mean"), tuple(body), tuple(notes))


def _weakest(found: Sequence[Mapping[str, Any]]) -> Table:
    """Where each system is weakest."""
    body = []
    names = [key for key in ("dataset", "system") if len({one[key] for one in found}) > 1]
    for one in found:
        distance = 100 * (one["distance"] or 0.0)
        place = f"{one['facet']}={one['level']}"
        body.append(
            (
                *(Cell(one[key]) for key in names),
                Cell(place),
                Cell(one["metric"]),
                Cell(percent(one["value"]) + _interval(one)),
                Cell(f"{distance:+.2f}"),
                Cell(f"{one['n']:,}"),
            )
        )
    header = (*names, "where", "metric", "score", "from the whole", "n")
    note = "ranked by how far they fall short of the whole at the least, with 95 % confidence"
    return Table("Weakest", header, tuple(body), (note,))


MARK = "†"
_TableRow = tuple[Cell, ...]
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
