"""Contrasts within systems, as a table."""

from collections.abc import Sequence

from nerscope.corpus.units import ALL
from nerscope.errors import plural
from nerscope.render.document import (
    UNDEFINED,
    Cell,
    Document,
    Table,
    metric_title,
    p_text,
    points,
    score,
)
from nerscope.results.compare import (
    ABOUT_RECIPES,
    SIGNIFICANT,
    is_significant,
    plain_correction,
)
from nerscope.results.contrast import ContrastRow
from nerscope.results.rows import gain_of
from nerscope.results.terms import cell_words


def contrast_document(rows: Sequence[ContrastRow], correction: str, signature: str) -> Document:
    """One line for each system and dataset: a number in both cells, and the difference."""
    tables = [_table(rows)] if rows else []
    data = {"correction": plain_correction(correction), "rows": [row.as_dict() for row in rows]}
    return Document(tables, data, records=rows, signature=signature)


def _table(rows: Sequence[ContrastRow]) -> Table:
    first = rows[0]
    several = len({row.dataset for row in rows}) > 1
    header = (
        *(["dataset"] if several else []),
        *("system", "first", "second", "first better by", "95 % interval", "corrected p"),
        *("n first", "n second"),
    )
    notes = [
        *(
            f"{name}: {_cell_text(code)}"
            for name, code in zip(_SIDES, _cells_of(first), strict=True)
        ),
        f"* corrected p < {SIGNIFICANT} over {plural(len(rows), 'line')}",
    ]
    if any(row.about == ABOUT_RECIPES for row in rows):
        notes.append("for systems with several runs, intervals and p allow for other training runs")
    notes += dict.fromkeys(
        f"{row.system}: not tested: {row.untested}" for row in rows if row.untested
    )
    title = f"{metric_title(first.metric, at_start=True)}: {first.first} against {first.second}"
    body = tuple(_cells(row, several) for row in rows)
    return Table(title, header, body, tuple(notes), labels=1 + several)


_SIDES = ("first", "second")


def _cells_of(row: ContrastRow) -> tuple[str, str]:
    return row.first, row.second


def _cell_text(code: str) -> str:
    """A cell in words with its code; a bucket has no range here."""
    facet, _, level = code.partition("=")
    words = cell_words(facet, level or ALL)
    return f"{words.phrase} ({code})" if words.code else words.phrase


def _cells(row: ContrastRow, several: bool) -> tuple[Cell, ...]:
    metric = row.metric
    gain = gain_of(metric, row.difference, row.low, row.high)
    interval = f"[{points(gain.low, metric)}, {points(gain.high, metric)}]"
    return (
        *([Cell(row.dataset)] if several else []),
        Cell(row.system),
        Cell(score(row.value_first, metric)),
        Cell(score(row.value_second, metric)),
        Cell(points(gain.value, metric), best=is_significant(row.p_corrected)),
        Cell(UNDEFINED if gain.low is None else interval),
        Cell(p_text(row.p_corrected)),
        Cell(f"{row.n_first:,}"),
        Cell(f"{row.n_second:,}"),
    )
