"""Tables made from rows: what they hold is decided here, how they look by the outputs."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from nerscope.corpus.units import ALL, MENTION
from nerscope.errors import UsageError, plural, suggest
from nerscope.facets.facet import fixed_facets
from nerscope.facets.hard import HARD
from nerscope.render.document import (
    UNDEFINED,
    Cell,
    Document,
    Table,
    metric_title,
    percent,
    points,
    score,
)
from nerscope.results.protocol import DOMAINS, DRAWN, FIXED, SPLITS
from nerscope.results.results import Results
from nerscope.results.rows import SURFACE, Row
from nerscope.results.shared_texts import shared_texts, why_refused
from nerscope.scoring.matching import BILOU, EXACT, IO, LABEL, leading_match
from nerscope.scoring.metrics import (
    ACCURACY,
    ERROR_SHARE,
    F1,
    HARDEVAL,
    MACRO,
    SCORE_NAMES,
    TER,
    WEIGHTED,
    Metric,
    leading_metric,
    metric_named,
)

if TYPE_CHECKING:
    from nerscope.results.over_datasets import AverageRow

FEW = 30  # a recall on fewer units than this says little
SPARSE = 0.01  # as does one on a smaller share of all mentions
FEW_NOTE = f"! fewer than {FEW} units, or under {SPARSE:.0%} of all: read with care"
BEST_NOTE = "* best of its column"
SIZE_ROW = "n"  # the name of the row of denominators
SCORES = SCORE_NAMES
USUAL_MATCHES = (EXACT, IO, BILOU, LABEL)  # headings do not mention them
_ERROR_LEVELS = ("unseen", "diff", "other")  # which together hold every wrong token


class NumberKey(NamedTuple):
    """What a number is of, apart from its dataset, system and run."""

    facet: str
    level: str
    type: str | None
    match: str
    metric: str


def overall_key(match: str, metric: str, type: str | None = None) -> NumberKey:
    """The key of a number over all units, or over those of a type."""
    return NumberKey(ALL, ALL, type, match, metric)


class TableColumn(NamedTuple):
    """A column of a table: its name, and which numbers it holds.

    With `minus`, it holds how far they are above those of another key.
    """

    name: str
    key: NumberKey
    minus: NumberKey | None = None


class SummaryIndex:
    """The summary rows of results, indexed by what they are numbers of."""

    def __init__(self, results: Results) -> None:
        self.results = results
        self.by_facet: dict[str, list[Row]] = {}
        self.systems: dict[str, list[str]] = {}  # by dataset
        self._rows: dict[tuple[str, str, NumberKey], Row] = {}
        self._metrics: dict[str, Metric] = {}
        for row in results.rows:
            if row.run is None:
                self.by_facet.setdefault(row.facet, []).append(row)
                systems = self.systems.setdefault(row.dataset, [])
                if row.system not in systems:
                    systems.append(row.system)
                key = NumberKey(row.facet, row.level, row.type, row.match, row.metric)
                self._rows[row.dataset, row.system, key] = row

    def column(self, dataset: str, key: NumberKey) -> list[Row | None]:
        """The rows of all systems on a dataset."""
        return [self._rows.get((dataset, system, key)) for system in self.systems[dataset]]

    def metric(self, name: str) -> Metric:
        # Looked up once: a table asks for every one of its cells.
        if name not in self._metrics:
            self._metrics[name] = self.results.metric(name)
        return self._metrics[name]

    def facet_title(self, facet: str) -> str:
        if self.is_bucketed(facet):
            return facet
        return self.results.facet_titles().get(facet) or facet

    def is_bucketed(self, facet: str) -> bool:
        """Whether a facet was made of an attribute."""
        return any(facet in evidence.signature.edges for evidence in self.results.evidence)

    def has_fixed_levels(self, facet: str) -> bool:
        """Whether a facet is a built-in or registered one that divides mentions by itself."""
        return any(known.name == facet and known.unit == MENTION for known in fixed_facets())

    def range_notes(self, facet: str) -> list[str]:
        """The buckets in words: once if all datasets have the same, else for each."""
        ranges = {
            evidence.dataset: ", ".join(
                f"{level} {text}" for level, text in evidence.signature.edges[facet].ranges.items()
            )
            for evidence in self.results.evidence
            if facet in evidence.signature.edges
        }
        if len(set(ranges.values())) < 2:
            return [f"{facet}: {text}" for text in dict.fromkeys(ranges.values())]
        return [f"{facet}: {dataset} {text}" for dataset, text in ranges.items()]

    def values(self, facet: str, field: str, **conditions: object) -> list[Any]:
        """The values of a field in the rows of a facet that fulfil the conditions, in order."""
        return list(
            dict.fromkeys(
                getattr(row, field)
                for row in self.by_facet.get(facet, [])
                if all(getattr(row, name) == value for name, value in conditions.items())
            )
        )


class TablePlan(NamedTuple):
    """What a table shows, before its cells are looked up."""

    columns: list[TableColumn]
    title: str
    notes: Sequence[str] = ()


def table(results: Results, name: str) -> Table:
    """A table by name: exact, types, partial, pairs, errors, or any facet of the results."""
    return table_columns(SummaryIndex(results), name)[0]


def table_columns(
    index: SummaryIndex, name: str, metric: str | None = None, match: str | None = None
) -> tuple[Table, list[TableColumn]]:
    """A table by name, of a metric and a match if they are given, and what its columns hold."""
    plan = _plan(index, name, metric, match)
    if plan is None:
        known = dict.fromkeys([*_FIXED, *(facet for facet in index.by_facet if facet != ALL)])
        raise UsageError(
            f"table '{name}'", "there is no such table in these results", suggest(name, known)
        )
    columns = _filled_columns(index, plan.columns)
    if not columns:
        raise UsageError(
            f"table '{name}'",
            f"it has no {metric or 'such metric'} by {match or 'its match'}",
            "choose a metric and a match that were evaluated",
        )
    return _build(index, plan), columns


def _plan(
    index: SummaryIndex, name: str, metric: str | None = None, match: str | None = None
) -> TablePlan | None:
    """The columns, title and notes of a table, if the results have it."""
    if name in index.by_facet and name != ALL:
        return _plan_facet(index, name, metric, match)
    if name not in _FIXED or ALL not in index.by_facet:
        return None
    plan = _FIXED[name](index, metric, match)
    return plan if plan.columns else None


_NO_TABLE = TablePlan([], "")  # the results lack the numbers


_PAIR_METRICS = ("correct", "partial", "incorrect", "missed", "spurious", "partial_share")


def _plan_exact(index: SummaryIndex, metric: str | None, match: str | None) -> TablePlan:
    match = overall_match(index)
    names = index.values(ALL, "metric", match=match, type=None)
    order = [*SCORES, *(f"{average}_{F1}" for average in (MACRO, WEIGHTED))]
    shown = [name for name in order if name in names]
    # Other averages over types are in JSON and CSV; here they would hide the numbers that count.
    hidden = [f"{average}_{name}" for average in (MACRO, WEIGHTED) for name in SCORES]
    hidden += _PAIR_METRICS if shown else []  # they have a table of their own
    others = [name for name in names if name not in (*order, *hidden)]
    columns = [
        TableColumn(metric_title(name), overall_key(match, name)) for name in [*shown, *others]
    ]
    if index.values(ALL, "metric", match=SURFACE, metric=F1):
        columns.append(TableColumn(f"{SURFACE} {metric_title(F1)}", overall_key(SURFACE, F1)))
    if index.values(ALL, "metric", match=LABEL):
        columns.append(TableColumn(metric_title(ACCURACY), overall_key(LABEL, ACCURACY)))
    return TablePlan(columns, match_title(match))


def overall_match(index: SummaryIndex) -> str:
    """The match of the first tables: exact, unless only others were evaluated."""
    names = index.values(ALL, "match", unit=MENTION)
    return leading_match([name for name in names if name not in (SURFACE, LABEL)])


def match_title(match: str) -> str:
    """The heading of a table of overall scores.

    >>> match_title("exact"), match_title("iou(threshold=0.5)")
    ('Exact match', 'Scores by iou(threshold=0.5)')
    """
    return "Exact match" if match == EXACT else f"Scores by {match}"


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
    columns = [
        TableColumn(name or ALL, overall_key(match, metric, name))
        for name in [None, *sorted(types)]
    ]
    by = "" if match in USUAL_MATCHES else f" by {match}"
    return TablePlan(columns, f"{metric_title(metric, at_start=True)} by type{by}")


def _plan_partial(index: SummaryIndex, metric: str | None, match: str | None) -> TablePlan:
    matches = [name for name in index.values(ALL, "match") if name not in (SURFACE, LABEL)]
    if len(matches) < 2:  # the table of overall scores holds a single match
        return _NO_TABLE
    metric = metric or leading_metric(index.values(ALL, "metric", match=matches[-1]))
    columns = list[TableColumn]()
    for name in matches:
        columns.append(TableColumn(name, overall_key(name, metric)))
        if EXACT in matches and name != EXACT:
            columns.append(TableColumn(f"{name} gain", columns[-1].key, overall_key(EXACT, metric)))
    notes = ["gain: points above exact match"] if EXACT in matches else []
    return TablePlan(columns, f"{metric_title(metric, at_start=True)} with partial credit", notes)


def _plan_pairs(index: SummaryIndex, metric: str | None, match: str | None) -> TablePlan:
    columns = [
        TableColumn(f"{match_name}: {metric_title(name)}", overall_key(match_name, name))
        for match_name in index.values(ALL, "match")
        for name in _PAIR_METRICS
        if index.values(ALL, "metric", match=match_name, metric=name)
    ]
    return TablePlan(columns, "Pairs of each match")


def _plan_errors(index: SummaryIndex, metric: str | None, match: str | None) -> TablePlan:
    facet = HARD.name
    if not index.values(facet, "metric", metric=ERROR_SHARE):
        return _NO_TABLE
    token_match = index.values(facet, "match")[0]
    columns = [
        TableColumn(level, NumberKey(facet, level, None, token_match, ERROR_SHARE))
        for level in _ERROR_LEVELS
    ]
    return TablePlan(columns, "Where the errors are: share of all wrong tokens")


_FIXED = {
    "exact": _plan_exact,
    "types": _plan_types,
    "partial": _plan_partial,
    "pairs": _plan_pairs,
    "errors": _plan_errors,
}
# The fixed tables that the overview shows before and after those of headline facets.
_BEFORE_HEADLINES, _AFTER_HEADLINES = ("exact", "types", "partial"), ("errors",)


def _plan_facet(
    index: SummaryIndex, facet: str, metric: str | None = None, match: str | None = None
) -> TablePlan:
    metric = metric or leading_metric(index.values(facet, "metric"))
    matches = index.values(facet, "match", metric=metric)
    match = match or (matches[0] if matches else "")
    columns = [
        TableColumn(level, NumberKey(facet, level, None, match, metric))
        for level in index.values(facet, "level", metric=metric)
    ]
    if index.has_fixed_levels(facet) and _filled_columns(
        index, columns
    ):  # what the levels are parts of
        columns.insert(0, TableColumn(ALL, overall_key(match, metric)))
    if metric == TER:  # HardEval's score is the mean of two of these rates
        columns += [
            TableColumn(metric_title(HARDEVAL), NumberKey(facet, level, None, match, HARDEVAL))
            for level in index.values(facet, "level", metric=HARDEVAL)
        ]
    title = f"{index.facet_title(facet)}: {metric_title(metric)}"
    if match not in USUAL_MATCHES:
        title += f" by {match}"
    title += " (lower is better)" if index.metric(metric).better < 0 else ""
    return TablePlan(columns, title, index.range_notes(facet))


def overview(results: Results) -> list[Table]:
    """The tables of `evaluate --all`: scores, tough mentions, hard tokens, attributes, the rest."""
    index = SummaryIndex(results)
    bucketed = [facet for facet in index.by_facet if index.is_bucketed(facet)]
    headlines = [facet.name for facet in fixed_facets() if facet.is_headline]
    variants = [facet.name for facet in fixed_facets() if facet.is_variant]
    others = [
        facet for facet in index.by_facet if facet not in (ALL, *headlines, *variants, *bucketed)
    ]
    tables = list(_known_tables(index, [*_BEFORE_HEADLINES, *headlines, *_AFTER_HEADLINES]))
    tables += [_attribute_table(index, bucketed)] if bucketed else []
    tables += _known_tables(index, others)
    means = means_table(results)
    tables += [means] if means else []
    return [table for table in tables if len(table.header) > 1 and table.rows]


def _known_tables(index: SummaryIndex, names: Sequence[str]) -> Iterator[Table]:
    """The tables of these names that the results have."""
    for name in names:
        if plan := _plan(index, name):
            yield _build(index, plan)


def results_document(results: Results, tables: Sequence[Table] | None = None) -> Document:
    """The tables of results, by default all of them, with all rows for JSON and CSV."""
    has_intervals = any(row.low is not None for row in results.rows)
    return Document(
        overview(results) if tables is None else tables,
        records=results.rows,
        notes=[*results.notes(), *(results.interval_notes() if has_intervals else [])],
        signature=results.signature,
        results=results,
    )


def _attribute_table(index: SummaryIndex, facets: Sequence[str]) -> Table:
    """One table of all attributes, each with its buckets side by side."""
    tables = [_build(index, _plan_facet(index, facet)) for facet in facets]
    header = max((table.header for table in tables), key=len)
    body = []
    for facet, table in zip(facets, tables, strict=True):
        for number, row in enumerate(table.rows):
            # An attribute may have fewer buckets than the others: the line is filled up.
            padding = (Cell("") for _ in range(len(header) - len(row)))
            body.append((Cell("" if number else facet), *row, *padding))
    notes = list(dict.fromkeys(note for table in tables for note in table.notes))
    ranges = [note for note in notes if note.startswith(tuple(f"{facet}: " for facet in facets))]
    general = [note for note in notes if note not in ranges]
    metrics = dict.fromkeys(leading_metric(index.values(facet, "metric")) for facet in facets)
    matches = dict.fromkeys(index.values(facet, "match")[0] for facet in facets)
    title = f"{' / '.join(metric_title(name) for name in metrics)} by attribute"
    unusual = [match for match in matches if match not in USUAL_MATCHES]
    title = title[:1].upper() + title[1:] + (f", by {' / '.join(unusual)}" if unusual else "")
    return Table(title, ("attribute", *header), tuple(body), (*general, *ranges))


def _filled_columns(index: SummaryIndex, columns: Sequence[TableColumn]) -> list[TableColumn]:
    """The columns that hold a number on some dataset."""
    return [
        column
        for column in columns
        if any(any(index.column(dataset, column.key)) for dataset in index.systems)
    ]


def _build(index: SummaryIndex, plan: TablePlan) -> Table:
    columns = _filled_columns(index, plan.columns)
    body: list[tuple[Cell, ...]] = []
    several_runs = sparse = False
    for dataset, systems in index.systems.items():
        cells = [index.column(dataset, column.key) for column in columns]
        label = f"{dataset}: " if len(index.systems) > 1 else ""
        rows = [row for column in cells for row in column if row]
        several_runs |= any((row.runs or 1) > 1 for row in rows)
        # The largest denominator stands for all mentions: levels below 1 % of it are marked.
        mentions = max((row.n for row in rows if row.unit == MENTION), default=0)
        best = [
            None if column.minus else _best_value(index, rows)
            for column, rows in zip(columns, cells, strict=True)
        ]
        for place, system in enumerate(systems):
            texts = (
                _cell(index, dataset, place, column, value)
                for column, value in zip(columns, best, strict=True)
            )
            body.append((Cell(label + system), *texts))
        sizes = [_size_text(column, mentions) for column in cells]
        sparse |= any(size.endswith("!") for size in sizes)
        body.append(tuple(Cell(text, is_size=True) for text in (label + SIZE_ROW, *sizes)))
    notes = [BEST_NOTE] if any(cell.best for row in body for cell in row) else []
    notes += ["mean ± standard deviation over runs"] if several_runs else []
    notes += [FEW_NOTE] if sparse else []
    names = tuple(column.name for column in columns)
    return Table(plan.title, ("system", *names), tuple(body), (*notes, *plan.notes))


def _cell(
    index: SummaryIndex, dataset: str, place: int, column: TableColumn, best: float | None
) -> Cell:
    row = index.column(dataset, column.key)[place]
    if column.minus is None:
        return Cell(_cell_text(index, row), _is_best(row, best))
    base = index.column(dataset, column.minus)[place]
    values = (None if row is None else row.value), (None if base is None else base.value)
    if values[0] is None or values[1] is None:
        return Cell(UNDEFINED)
    return Cell(points(values[0] - values[1], column.key.metric))


def _is_best(row: Row | None, value: float | None) -> bool:
    return row is not None and value is not None and row.value == value


def _best_value(index: SummaryIndex, rows: Sequence[Row | None]) -> float | None:
    """The best value of a column; None if there is nothing to choose, or no better side."""
    values = [row.value for row in rows if row is not None and row.value is not None]
    if len(values) < 2 or min(values) == max(values):
        return None
    better = index.metric(next(row.metric for row in rows if row is not None)).better
    return max(values, key=lambda value: better * value) if better else None


def _cell_text(index: SummaryIndex, row: Row | None) -> str:
    if row is None:
        return UNDEFINED
    if not index.metric(row.metric).is_fraction:
        return UNDEFINED if row.value is None else f"{row.value:,.6g}"
    text = percent(row.value) + interval_text(row.low, row.high)
    return text if row.std is None else f"{text} ± {percent(row.std)}"


def interval_text(low: float | None, high: float | None) -> str:
    """An interval of shares as it stands behind a number; nothing where there is none."""
    return "" if low is None or high is None else f" [{percent(low, 1)}, {percent(high, 1)}]"


def _size_text(column: Sequence[Row | None], mentions: int) -> str:
    """The denominator, or its range where systems differ (as in the number of predictions)."""
    rows = [row for row in column if row is not None]
    if not rows:
        return UNDEFINED
    low, high = min(row.n for row in rows), max(row.n for row in rows)
    few = low < FEW or (rows[0].unit == MENTION and low < SPARSE * mentions)
    return f"{low:,}{'' if low == high else f'–{high:,}'}{' !' if few else ''}"


_FOR_THESE, _FOR_OTHERS = ("these", ""), ("others like them", "_drawn")
_NOTES = {
    SPLITS: "95 % interval: Student's, corrected for the sentences that splits share",
    FIXED: "95 % intervals: for these datasets alone",
    DRAWN: "95 % intervals: for others like these datasets (Student's)",
    DOMAINS: "95 % intervals: for these datasets alone, or for others like them (Student's)",
}
# By what datasets are to each other: the headings of intervals, and the suffixes of their fields.
_INTERVALS = {
    SPLITS: [("95 % interval", "")],
    FIXED: [_FOR_THESE],
    DRAWN: [_FOR_OTHERS],
    DOMAINS: [_FOR_THESE, _FOR_OTHERS],
}


def means_table(results: Results, *, exact: bool = False) -> Table | None:
    """The means over datasets of all measures, or only of exact scores; None if there are none."""
    metrics = {} if exact else _mean_metrics()
    rows = [row for row in results.over_datasets() if _has_mean(row, metrics)]
    if not rows:
        return None
    over = rows[0].over
    intervals = _INTERVALS[over]
    most = max(len(row.datasets) for row in rows)
    body = [_mean_line(row, [suffix for _, suffix in intervals], most) for row in rows]
    title = f"Mean over {plural(most, 'split' if over == SPLITS else 'dataset')}"
    header = ("system", "number", "mean", "std", *(name for name, _ in intervals))
    shared = [] if over == SPLITS else shared_texts(results.evidence)
    refused = why_refused(shared, max((row.datasets for row in rows), key=len))
    notes = [f"no intervals: {refused}" if refused else _NOTES[over]]
    notes += _missing_notes(results, rows, most)
    return Table(title, header, tuple(body), tuple(notes))


def _mean_metrics() -> dict[str, list[str]]:
    """Of which metrics of a facet means are shown, beside those of exact scores."""
    metrics = {ALL: [F1]}
    for facet in fixed_facets():
        if facet.is_headline:
            # What is neither better nor worse, as a share of errors, has no mean worth a line.
            metrics[facet.name] = [name for name in facet.metrics if metric_named(name).better]
    return metrics


def _has_mean(row: "AverageRow", metrics: Mapping[str, Sequence[str]]) -> bool:
    if row.facet == ALL and row.match == EXACT:
        return row.metric in SCORES
    return row.metric in metrics.get(row.facet, ())


def _mean_line(row: "AverageRow", suffixes: list[str], most: int) -> tuple[Cell, ...]:
    """A mean; (k) if it rests on k datasets only."""
    bounds = [(getattr(row, f"low{suffix}"), getattr(row, f"high{suffix}")) for suffix in suffixes]
    fewer = "" if len(row.datasets) == most else f" ({len(row.datasets)})"
    return (
        Cell(row.system),
        Cell(_mean_name(row)),
        Cell(score(row.value, row.metric) + fewer),
        Cell(score(row.std, row.metric)),
        *(
            Cell(
                UNDEFINED
                if None in pair
                else f"[{', '.join(score(bound, row.metric) for bound in pair)}]"
            )
            for pair in bounds
        ),
    )


def _mean_name(row: "AverageRow") -> str:
    title = metric_title(row.metric)
    if row.facet == ALL:
        return title if row.match == EXACT else f"{row.match} {title}"
    return f"{row.facet}={row.level} {title}"


def _missing_notes(results: Results, rows: Sequence["AverageRow"], most: int) -> list[str]:
    """Which datasets the means rest on, if some are missing."""
    names = next(row.datasets for row in rows if len(row.datasets) == most)
    notes = []
    if len(names) < len(results.evidence):
        notes.append(f"over {', '.join(names)}: the others lack a system or a number")
    if any(len(row.datasets) < most for row in rows):
        notes.append("(k) rests on k of them only")
    return notes
