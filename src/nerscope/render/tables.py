"""Tables made from rows: what they hold is decided here, how they look by the outputs."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from nerscope.errors import UsageError, plural, suggest
from nerscope.render.document import UNDEFINED, Cell, Document, Table, metric_title, percent, score
from nerscope.results.protocol import DOMAINS, DRAWN, FIXED, SPLITS
from nerscope.results.results import Results
from nerscope.results.rows import Row

FEW = 30  # a recall on fewer units than this says little
SPARSE = 0.01  # as does one on a smaller share of all mentions
FEW_NOTE = f"! fewer than {FEW} units, or under {SPARSE:.0%} of all: read with care"
BEST_NOTE = "* best of its column"
SIZE_ROW = "n"  # what the row of denominators is called
_KEY = ("facet", "level", "type", "match", "metric")
# Of the metrics that a table could show, the first of these that it has.
_PREFERRED = ("f1", "recall", "ter", "precision")
_SCORES = {"precision", "recall", "f1", "macro_f1", "weighted_f1", "accuracy"}
_ERRORS_SHOWN = ("unseen", "diff", "other")


class Column(NamedTuple):
    """A column of a table: its name, and what rows it holds."""

    name: str
    wanted: Mapping[str, object]


class Summaries:
    """The summary rows of results, by what they are numbers of."""

    def __init__(self, results: Results) -> None:
        self.results = results
        self.by_facet: dict[str, list[Row]] = {}
        self.systems: dict[str, list[str]] = {}  # by dataset
        self._index: dict[tuple[object, ...], Row] = {}
        for row in results.rows:
            if row["run"] is None:
                fields: Mapping[str, Any] = row
                self.by_facet.setdefault(row["facet"], []).append(row)
                systems = self.systems.setdefault(row["dataset"], [])
                if row["system"] not in systems:
                    systems.append(row["system"])
                key = (row["dataset"], row["system"], *(fields[key] for key in _KEY))
                self._index[key] = row

    def column(self, dataset: str, wanted: Mapping[str, object]) -> list[Row | None]:
        """The rows of all systems on a dataset."""
        key = tuple(wanted[key] for key in _KEY)
        return [self._index.get((dataset, system, *key)) for system in self.systems[dataset]]

    def better(self, metric: str) -> int:
        """1 if higher is better, -1 if lower is, 0 if neither."""
        return self.results.metric(metric).better

    def is_fraction(self, metric: str) -> bool:
        """Whether a metric is shown in percent."""
        return self.results.metric(metric).is_fraction

    def facet_title(self, facet: str) -> str:
        """What a facet is called in headings."""
        titles = self.results.facet_titles()
        title = titles.get(facet) or facet
        return facet if self.is_bucketed(facet) else title

    def is_bucketed(self, facet: str) -> bool:
        """Whether a facet was made of an attribute."""
        return any(facet in part.signature.edges for part in self.results.evidence)

    def range_notes(self, facet: str) -> list[str]:
        """The buckets in words: once if all datasets have the same, else for each."""
        found = {
            part.dataset: ", ".join(
                f"{level} {text}" for level, text in part.signature.edges[facet].ranges.items()
            )
            for part in self.results.evidence
            if facet in part.signature.edges
        }
        if len(set(found.values())) < 2:
            return [f"{facet}: {text}" for text in dict.fromkeys(found.values())]
        return [f"{facet}: {dataset} {text}" for dataset, text in found.items()]

    def values(self, facet: str, field: str, **wanted: object) -> list[Any]:
        """The values that a field has in the rows of a facet, in order."""
        rows: list[Any] = self.by_facet.get(facet, [])
        return list(
            dict.fromkeys(
                row[field]
                for row in rows
                if all(row[key] == value for key, value in wanted.items())
            )
        )


def _title(rows: Summaries, what: str, metric: str, match: str) -> str:
    """A heading made from what the table shows."""
    title = f"{what}: {metric_title(metric)}"
    if match not in ("exact", "io", "bilou", "label"):
        title += f" by {match}"
    return title + (" (lower is better)" if rows.better(metric) < 0 else "")


def table(results: Results, name: str) -> Table:
    """One table by name: one of the fixed ones, or any facet of the results."""
    return table_columns(Summaries(results), name)[0]


def table_columns(
    rows: Summaries, name: str, metric: str | None = None, match: str | None = None
) -> tuple[Table, list[Column]]:
    """A table by name, of a metric and a match if they are told, and what its columns hold."""
    made = _made(rows, name, metric, match)
    if made is None:
        known = dict.fromkeys([*_FIXED, *(facet for facet in rows.by_facet if facet != "all")])
        raise UsageError(
            f"table '{name}'", "there is no such table in these results", suggest(name, known)
        )
    columns, title, notes = made
    kept = [one for one in columns if any(any(rows.column(d, one.wanted)) for d in rows.systems)]
    if not kept:
        raise UsageError(
            f"table '{name}'",
            f"it has no {metric or 'such metric'} by {match or 'its match'}",
            "choose a metric and a match that were evaluated",
        )
    return _built(rows, title, kept, notes), kept


_FIXED = ("exact", "types", "partial", "pairs", "errors")
Parts = tuple[list[Column], str, Sequence[str]]


def _made(rows: Summaries, name: str, metric: str | None, match: str | None) -> Parts | None:
    """Columns, title and notes of a table, if the results have it."""
    if name in rows.by_facet and name != "all":
        return _facet_parts(rows, name, metric, match)
    if name not in _FIXED or "all" not in rows.by_facet:
        return None
    if name == "types":
        columns, title = _types(rows, metric, match)
    elif name == "partial":
        columns, title = _partial(rows, metric)
    else:
        columns, title = {"exact": _exact, "pairs": _pairs, "errors": _errors}[name](rows)
    return (columns, title, ()) if columns else None


def _tables(rows: Summaries, name: str) -> Iterator[Table]:
    """The table of a name, if the results have it."""
    made = _made(rows, name, None, None)
    if made is not None:
        yield _built(rows, made[1], made[0], made[2])


Made = tuple[list[Column], str]
_ALL = {"facet": "all", "level": "all", "type": None}


def _exact(rows: Summaries) -> Made:
    order = ["precision", "recall", "f1", "macro_f1", "weighted_f1"]
    exact = rows.values("all", "metric", match="exact", type=None)
    chosen = [name for name in order if name in exact]
    rest = [name for name in exact if name not in _AVERAGES and name not in order]
    columns = [
        Column(metric_title(name), {**_ALL, "match": "exact", "metric": name})
        for name in [*chosen, *rest]
    ]
    if rows.values("all", "metric", match="surface", metric="f1"):
        columns.append(Column("surface F1", {**_ALL, "match": "surface", "metric": "f1"}))
    if rows.values("all", "metric", match="label"):
        columns.append(Column("accuracy", {**_ALL, "match": "label", "metric": "accuracy"}))
    return columns, "Exact match"


_AVERAGES = {
    f"{average}_{name}"
    for average in ("macro", "weighted")
    for name in ("precision", "recall", "f1")
}


def _types(rows: Summaries, metric: str | None = None, match: str | None = None) -> Made:
    match = match or "exact"
    known = rows.values("all", "metric", match=match)
    typed = [
        name for name in known if rows.values("all", "type", metric=name, match=match) != [None]
    ]
    chosen = metric or (_preferred(typed) if typed else None)
    if chosen not in typed:
        return [], ""
    names = sorted(name for name in rows.values("all", "type", metric=chosen) if name is not None)
    columns = [
        Column(kind or "all", {**_ALL, "match": match, "metric": chosen, "type": kind})
        for kind in [None, *names]
    ]
    return columns, f"{metric_title(str(chosen), at_start=True)} by type"


def _partial(rows: Summaries, metric: str | None = None) -> Made:
    matches = [name for name in rows.values("all", "match") if name not in ("surface", "label")]
    if matches in ([], ["exact"]):
        return [], ""
    metric = metric or _preferred(rows.values("all", "metric", match=matches[-1]))
    columns = [Column(match, {**_ALL, "match": match, "metric": metric}) for match in matches]
    return columns, f"{metric_title(metric, at_start=True)} with partial credit"


def _pairs(rows: Summaries) -> Made:
    names = ("correct", "partial", "incorrect", "missed", "spurious", "partial_share")
    columns = [
        Column(f"{match}: {metric_title(name)}", {**_ALL, "match": match, "metric": name})
        for match in rows.values("all", "match")
        for name in names
        if rows.values("all", "metric", match=match, metric=name)
    ]
    return columns, "Pairs of each match"


def _errors(rows: Summaries) -> Made:
    match = next(iter(rows.values("hard", "match")), None)
    wanted = {"facet": "hard", "type": None, "match": match, "metric": "error_share"}
    if not rows.values("hard", "metric", metric="error_share"):
        return [], ""
    columns = [Column(level, {**wanted, "level": level}) for level in _ERRORS_SHOWN]
    return columns, "Where the errors are: share of all wrong tokens"


def _preferred(metrics: Sequence[str]) -> str:
    return next((name for name in _PREFERRED if name in metrics), metrics[0])


def _facet_parts(
    rows: Summaries, facet: str, metric: str | None = None, match: str | None = None
) -> Parts:
    metric = metric or _preferred(rows.values(facet, "metric"))
    known = rows.values(facet, "match", metric=metric)
    match = match or (known[0] if known else "")
    common = {"facet": facet, "type": None, "match": match, "metric": metric}
    columns = [
        Column(level, {**common, "level": level})
        for level in rows.values(facet, "level", metric=metric)
    ]
    if metric == "ter" and rows.values(facet, "metric", metric="hardeval"):
        columns.append(Column("score", {**common, "level": "score", "metric": "hardeval"}))
    title = _title(rows, rows.facet_title(facet), metric, match)
    return columns, title, rows.range_notes(facet)


def _facet_table(rows: Summaries, facet: str) -> Table:
    columns, title, notes = _facet_parts(rows, facet)
    return _built(rows, title, columns, notes)


def overview(results: Results) -> list[Table]:
    """The tables that an evaluation shows unasked."""
    rows = Summaries(results)
    bucketed = [facet for facet in rows.by_facet if rows.is_bucketed(facet)]
    names = ["exact", "types", "partial"]
    names += [name for name in ("tmr", "hard") if name in rows.by_facet]
    names.append("errors")
    others = [
        facet
        for facet in rows.by_facet
        if facet not in ("all", "tmr", "hard", "hard-strict", *bucketed)
    ]
    made = [one for name in names for one in _tables(rows, name)]
    made += [_attribute_table(rows, bucketed)] if bucketed else []
    made += [one for name in others for one in _tables(rows, name)]
    means = means_table(results)
    made += [means] if means else []
    return [one for one in made if len(one.header) > 1 and one.rows]


def results_document(results: Results, tables: Sequence[Table] | None = None) -> Document:
    """What an evaluation has to say."""
    rows: list[Any] = results.rows
    return Document(
        overview(results) if tables is None else tables,
        records=rows,
        notes=results.notes(),
        signature=results.signature,
        results=results,
    )


def _attribute_table(rows: Summaries, facets: Sequence[str]) -> Table:
    parts = [_facet_table(rows, facet) for facet in facets]
    header = max((part.header for part in parts), key=len)
    body = []
    for facet, part in zip(facets, parts, strict=True):
        for number, row in enumerate(part.rows):
            rest = (Cell("") for _ in range(len(header) - len(row)))
            body.append((Cell("" if number else facet), *row, *rest))
    notes = list(dict.fromkeys(note for part in parts for note in part.notes))
    ranges = [note for note in notes if note.startswith(tuple(f"{facet}: " for facet in facets))]
    metrics = dict.fromkeys(_preferred(rows.values(facet, "metric")) for facet in facets)
    matches = dict.fromkeys(rows.values(facet, "match")[0] for facet in facets)
    title = f"{' / '.join(metric_title(name) for name in metrics)} by attribute"
    odd = [match for match in matches if match not in ("exact", "io")]
    title = title[:1].upper() + title[1:] + (f", by {' / '.join(odd)}" if odd else "")
    kept = [note for note in notes if note not in ranges]
    return Table(title, ("attribute", *header), tuple(body), (*kept, *ranges))


def _built(
    rows: Summaries, title: str, every: Sequence[Column], notes: Sequence[str] = ()
) -> Table:
    columns = [
        one
        for one in every
        if any(any(rows.column(dataset, one.wanted)) for dataset in rows.systems)
    ]
    body: list[tuple[Cell, ...]] = []
    several_runs = sparse = False
    for dataset, systems in rows.systems.items():
        cells = [rows.column(dataset, column.wanted) for column in columns]
        label = f"{dataset}: " if len(rows.systems) > 1 else ""
        found = [cell for column in cells for cell in column if cell]
        several_runs |= any((cell.get("runs") or 1) > 1 for cell in found)
        whole = max((cell["n"] for cell in found if cell["unit"] == "mention"), default=0)
        best = [_best(rows, column) for column in cells]
        for place, system in enumerate(systems):
            own = [column[place] for column in cells]
            body.append(
                (
                    Cell(label + system),
                    *(
                        Cell(_text(rows, cell), _is_best(cell, value))
                        for cell, value in zip(own, best, strict=True)
                    ),
                )
            )
        sizes = [_size(column, whole) for column in cells]
        sparse |= any(size.endswith("!") for size in sizes)
        body.append(tuple(Cell(text, is_size=True) for text in (label + SIZE_ROW, *sizes)))
    said = [BEST_NOTE] if any(cell.best for row in body for cell in row) else []
    said += ["mean ± standard deviation over runs"] if several_runs else []
    said += [FEW_NOTE] if sparse else []
    names = tuple(column.name for column in columns)
    return Table(title, ("system", *names), tuple(body), (*said, *notes))


def _is_best(cell: Row | None, value: float | None) -> bool:
    return cell is not None and value is not None and cell["value"] == value


def _best(rows: Summaries, cells: Sequence[Row | None]) -> float | None:
    values = [cell["value"] for cell in cells if cell is not None and cell["value"] is not None]
    if len(values) < 2 or min(values) == max(values):
        return None
    better = rows.better(next(cell["metric"] for cell in cells if cell is not None))
    return max(values, key=lambda value: better * value) if better else None


def _text(rows: Summaries, cell: Row | None) -> str:
    if cell is None:
        return UNDEFINED
    if not rows.is_fraction(cell["metric"]):
        return UNDEFINED if cell["value"] is None else f"{cell['value']:,.6g}"
    text = percent(cell["value"])
    if cell.get("low") is not None and cell.get("high") is not None:
        text += f" [{percent(cell['low'], 1)}, {percent(cell['high'], 1)}]"
    if cell.get("std") is not None:
        text += f" ± {percent(cell['std'])}"
    return text


def _size(cells: Sequence[Row | None], whole: int) -> str:
    """The denominator, or its range where systems differ (as in the number of predictions)."""
    found = [cell for cell in cells if cell is not None]
    if not found:
        return UNDEFINED
    low, high = min(cell["n"] for cell in found), max(cell["n"] for cell in found)
    few = low < FEW or (found[0]["unit"] == "mention" and low < SPARSE * whole)
    return f"{low:,}{'' if low == high else f'–{high:,}'}{' !' if few else ''}"


_Record = Mapping[str, Any]
_EXACT_SCORES = ("precision", "recall", "f1")
# Of each facet, what is shown beside exact scores.
_MEASURES = {"all": ("f1",), "tmr": ("recall",), "hard": ("ter", "hardeval")}
_FOR_THESE, _FOR_OTHERS = ("these", ""), ("others like them", "_drawn")
_NOTES = {
    SPLITS: "95 % interval: Student's, corrected for the sentences that splits share",
    FIXED: "95 % intervals: for these datasets alone",
    DRAWN: "95 % intervals: for others like these datasets (Student's)",
    DOMAINS: "95 % intervals: for these datasets alone, or for others like them (Student's)",
}
_INTERVALS = {
    SPLITS: [("95 % interval", "")],
    FIXED: [_FOR_THESE],
    DRAWN: [_FOR_OTHERS],
    DOMAINS: [_FOR_THESE, _FOR_OTHERS],
}


def means_table(results: Results, *, exact: bool = False) -> Table | None:
    """The means over datasets of all measures, or only of exact scores; None if there are none."""
    records = [one for one in results.over_datasets() if _is_shown(one, exact)]
    if not records:
        return None
    over = records[0]["over"]
    intervals = _INTERVALS[over]
    most = max(len(one["datasets"]) for one in records)
    body = [_line(one, [suffix for _, suffix in intervals], most) for one in records]
    title = f"Mean over {plural(most, 'split' if over == SPLITS else 'dataset')}"
    header = ("system", "number", "mean", "std", *(name for name, _ in intervals))
    notes = [_NOTES[over], *_left_out(results, records, most)]
    return Table(title, header, tuple(body), tuple(notes))


def _is_shown(one: _Record, exact: bool) -> bool:
    if one["facet"] == "all" and one["match"] == "exact":
        return one["metric"] in _EXACT_SCORES
    return not exact and one["metric"] in _MEASURES.get(one["facet"], ())


def _line(one: _Record, suffixes: list[str], most: int) -> tuple[Cell, ...]:
    """A mean; (k) if it rests on k datasets only."""
    metric = one["metric"]
    bounds = [(one[f"low{suffix}"], one[f"high{suffix}"]) for suffix in suffixes]
    fewer = "" if len(one["datasets"]) == most else f" ({len(one['datasets'])})"
    return (
        Cell(one["system"]),
        Cell(_number(one)),
        Cell(score(one["value"], metric) + fewer),
        Cell(score(one["std"], metric)),
        *(
            Cell(UNDEFINED if None in pair else f"[{', '.join(score(b, metric) for b in pair)}]")
            for pair in bounds
        ),
    )


def _number(one: _Record) -> str:
    title = metric_title(one["metric"])
    if one["facet"] == "all":
        return title if one["match"] == "exact" else f"{one['match']} {title}"
    return f"{one['facet']}={one['level']} {title}"


def _left_out(results: Results, records: Sequence[_Record], most: int) -> list[str]:
    """Which datasets the means rest on, if some are missing."""
    named = next(one["datasets"] for one in records if len(one["datasets"]) == most)
    fewer = [f"over {', '.join(named)}: the others lack a system or a number"]
    fewer = fewer if len(named) < len(results.evidence) else []
    some = any(len(one["datasets"]) < most for one in records)
    return [*fewer, *(["(k) rests on k of them only"] if some else [])]
