"""InterpretEval's views as tables: the clearest and strongest effects first, or everything."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from nerscope.corpus.units import TYPE
from nerscope.render.document import OUTPUTS, UNDEFINED, Cell, Document, Table, p_text
from nerscope.render.layout import SCREEN_LINES
from nerscope.results.terms import Ranges, attribute_phrase, cell_words

Record = Mapping[str, Any]
_CORRELATIONS = ("spearman", "rho")
_PAPER_COLUMNS = {
    "interpreteval_p": "paper's p",
    "interpreteval_chi_square_p": "paper's p (chi-square)",
    "interpreteval_test": "paper's test",
}


class _Column(NamedTuple):
    """A column of a view: its heading, the cell of a row, and whether a digest has it."""

    heading: str
    cell: Callable[[Record, Ranges], Cell]
    in_digest: bool = True

    def only_in_full(self) -> "_Column":
        return self._replace(in_digest=False)


class _DiagnosisView(NamedTuple):
    """How a view is shown: its title, columns, and which rows come first."""

    title: str
    columns: tuple[_Column, ...]
    labels: int  # how many columns name a row
    strength: str  # the field by which rows are ranked
    rows: int  # of a digest
    once: tuple[str, ...] = ()  # a digest shows the strongest row of each of these


def _text(field: str, heading: str = "") -> _Column:
    return _Column(heading or field, lambda row, ranges: Cell(str(row[field])))


def _names(field: str, heading: str) -> _Column:
    """A list of names, or how many there are."""

    def cell(row: Record, ranges: Ranges) -> Cell:
        names = row[field]
        return Cell(", ".join(names) if len(names) < 3 else str(len(names)))

    return _Column(heading, cell)


def _attribute(row: Record, ranges: Ranges) -> Cell:
    name = row["attribute"]
    phrase = "entity type" if name == TYPE else attribute_phrase(name) or name
    return Cell(phrase, code=name)


def _bucket(field: str, heading: str) -> _Column:
    """A bucket of an attribute by its range."""

    def cell(row: Record, ranges: Ranges) -> Cell:
        attribute, bucket = row["attribute"], row[field]
        interval = ranges.get((row.get("dataset", ""), attribute, bucket), "")
        words = cell_words(attribute, bucket, None, interval)
        return Cell(words.phrase, code=words.code)

    return _Column(heading, cell)


def _number(field: str, heading: str, form: Callable[[float], str]) -> _Column:
    """A number; what may be chance is in parentheses, as the paper greys it."""

    def cell(row: Record, ranges: Ranges) -> Cell:
        value = row[field]
        if value is None:
            return Cell(UNDEFINED)
        is_effect = field in (*_CORRELATIONS, "std", "gap", "difference")
        text = form(value)
        return Cell(f"({text})" if is_effect and may_be_chance(row, field) else text, value=value)

    return _Column(heading, cell)


def _points(value: float) -> str:
    return f"{100 * value:+.2f}"


def _percent(value: float) -> str:
    return f"{100 * value:.2f}"


def _p(field: str, heading: str) -> _Column:
    return _Column(heading, lambda row, ranges: Cell(p_text(row[field])))


_ATTRIBUTE = _Column("attribute", _attribute)
_VIEWS = {
    "attribute-wise": _DiagnosisView(
        "Attributes that go with F1, over all systems (attribute-wise)",
        (
            _text("dataset"),
            _ATTRIBUTE,
            _number("zeta", "mean ζ", lambda value: f"{value:.4g}"),
            _number("rho", "correlation ρ", lambda value: f"{value:.2f}"),
            _number("rho_noise", "by chance", lambda value: f"{value:.2f}").only_in_full(),
            _p("p_trend", "p of trend"),
            _p("p", "p").only_in_full(),
            _names("systems", "systems").only_in_full(),
        ),
        2,
        "rho",
        10,
    ),
    "model-wise": _DiagnosisView(
        "Attributes that go with F1, by system (model-wise)",
        (
            _text("system"),
            _ATTRIBUTE,
            _number("std", "spread of F1", _percent),
            _number("spearman", "correlation", lambda value: f"{value:+.2f}"),
            _number("spearman_noise", "by chance", lambda value: f"{value:.2f}").only_in_full(),
            _p("p_trend", "p of trend"),
            _p("p", "p").only_in_full(),
            _names("datasets", "datasets").only_in_full(),
        ),
        2,
        "spearman",
        8,
    ),
    "self-diagnosis": _DiagnosisView(
        "Worst and best bucket (self-diagnosis)",
        (
            _text("dataset"),
            _text("system"),
            _bucket("worst", "worst bucket"),
            _number("worst_value", "F1", _percent),
            _bucket("best", "best bucket").only_in_full(),
            _number("best_value", "best F1", _percent),
            _number("gap", "gap", _percent),
            _p("p", "p"),
        ),
        3,
        "gap",
        8,
        ("dataset", "system"),
    ),
    "comparative diagnosis": _DiagnosisView(
        "Buckets where {A} leads {B} most and least (comparative diagnosis)",
        (
            _text("dataset"),
            _text("a", "A"),
            _text("b", "B"),
            _bucket("bucket", "bucket"),
            _text("gap", "lead").only_in_full(),
            _number("difference", "A better by", _points),
            _number("overall", "overall", _points),
            _p("p", "p"),
        ),
        4,
        "difference",
        8,
    ),
    "chosen buckets": _DiagnosisView(
        "Chosen buckets, over runs and datasets (the paper's footnote 11)",
        (
            _text("a", "A"),
            _text("b", "B"),
            _bucket("bucket", "bucket"),
            _number("difference", "A better by", _points),
            _names("datasets", "datasets"),
        ),
        3,
        "difference",
        1000,
    ),
    "relative change": _DiagnosisView(
        "Relative change from {B} to {A}, in percent of {B}",
        (_text("dataset"), _bucket("bucket", "bucket"), _number("change", "change", _points)),
        2,
        "change",
        0,
    ),
}
_CHANCE = "(…): may be chance: p is not below 0.05, or chance gives as large a correlation"
_LEGEND = (
    _CHANCE,
    "p of trend: does F1 rise or fall with the buckets? by chance: mean correlation without effect",
    "p: do buckets differ; do best and worst differ; is the lead here another than overall?",
)
_PAPER = (
    "paper's p: exact Friedman test where it can be made; chi-square: the approximation that the "
    "paper prints",
    "On attributes that mean nothing, the paper's own tests were below 0.05 in 93 % (Friedman's, "
    "attribute-wise), 5 % (Friedman's, model-wise), 100 % (Wilcoxon's, best against worst) and "
    "58 % (Wilcoxon's, two systems) of all cases. 5 % would be right.",
)
# How many rows of each view a digest has at most: the first number that fits the screen.
_MOST_ROWS = (10, 8, 6, 5, 4, 3, 2, 1)


def diagnosis_document(
    views: Mapping[str, Sequence[Record]],
    ranges: Ranges,
    *,
    everything: bool = False,
    paper: bool = False,
) -> Document:
    """What a diagnosis has to say: a digest of each view, or everything."""
    records = [{"view": name, **dict(row)} for name in _VIEWS for row in views.get(name, ())]
    lines = [*(_LEGEND if everything else (_CHANCE,)), *(_PAPER if paper else ())]
    notes = [record["note"] for record in views["notes"]]
    hints = [] if everything else ["Next: --all shows every attribute and bucket."]
    document = Document(data=dict(views), records=records, lines=lines, notes=notes, hints=hints)
    for most in (None,) if everything else _MOST_ROWS:
        tables = [
            _table(view, views.get(name, ()), ranges, most, paper) for name, view in _VIEWS.items()
        ]
        document = replace(document, tables=[table for table in tables if table.rows])
        if OUTPUTS["text"](document).count("\n") <= SCREEN_LINES:
            break
    return document


def _table(
    view: _DiagnosisView, records: Sequence[Record], ranges: Ranges, most: int | None, paper: bool
) -> Table:
    chosen = list(records) if most is None else _digest(view, records, most)
    rest = f": {len(chosen)} of {len(records)}" if len(chosen) < len(records) else ""
    columns = [
        column
        for column in view.columns
        if (column.in_digest or most is None) and _says_something(column, records, ranges)
    ]
    if paper:
        columns += [
            _paper(field, heading)
            for field, heading in _PAPER_COLUMNS.items()
            if any(row.get(field) is not None for row in chosen)
        ]
    body = tuple(tuple(column.cell(row, ranges) for column in columns) for row in chosen)
    labels = sum(column in columns for column in view.columns[: view.labels])
    header = tuple(column.heading for column in columns)
    pairs = {(row.get("a", "A"), row.get("b", "B")) for row in records}
    a, b = pairs.pop() if len(pairs) == 1 else ("A", "B")  # a single pair is named in the title
    return Table(view.title.format(A=a, B=b) + rest, header, body, labels=max(1, labels))


def _says_something(column: _Column, rows: Sequence[Record], ranges: Ranges) -> bool:
    """A single dataset or pair of systems is not repeated on every line."""
    if column.heading not in ("dataset", "datasets", "systems", "A", "B"):
        return True
    return len({column.cell(row, ranges).text for row in rows}) > 1


def _paper(field: str, heading: str) -> _Column:
    """A number of the paper's own test, or its name and size."""

    def cell(row: Record, ranges: Ranges) -> Cell:
        value = row.get(field)
        if value is None:
            return Cell(UNDEFINED)
        if field != "interpreteval_test":
            return Cell(p_text(value))
        sizes = [(row.get(f"interpreteval_{noun}"), noun) for noun in ("blocks", "pairs")]
        return Cell(", ".join([value, *(f"{n} {noun}" for n, noun in sizes if n is not None)]))

    return _Column(heading, cell)


def _digest(view: _DiagnosisView, records: Sequence[Record], most: int) -> list[Record]:
    """The strongest rows, those first that are more than chance; with `once`, only the first of
    each.
    """
    ordered = sorted(
        records,
        key=lambda row: (may_be_chance(row, view.strength), -abs(row[view.strength] or 0.0)),
    )
    if view.once:
        first: dict[tuple[object, ...], Record] = {}
        for record in ordered:
            first.setdefault(tuple(record[key] for key in view.once), record)
        ordered = list(first.values())
    return ordered[: min(view.rows, most)]


def may_be_chance(row: Record, key: str) -> bool:
    """Whether a number may be chance: it is not significant, or no larger than by chance."""
    if key not in _CORRELATIONS:
        return not row.get("significant")
    noise = row.get(f"{key}_noise")
    return not row.get("significant_trend") or noise is None or abs(row[key] or 0.0) <= noise
