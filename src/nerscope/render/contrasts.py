"""Contrasts within systems, as a table."""

from collections.abc import Sequence

from nerscope.render.document import UNDEFINED, Cell, Document, Table, p_text, points, score
from nerscope.results.compare import (
    ABOUT_RECIPES,
    SIGNIFICANT,
    is_significant,
    plain_correction,
)
from nerscope.results.contrast import ContrastRow


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
        *("system", first.first, first.second, "difference", "95 % interval"),
        *("p", "corrected p", f"n {first.first}", f"n {first.second}"),
    )
    notes = [f"* p below {SIGNIFICANT} after correction over the {len(rows)} lines"]
    if any(row.about == ABOUT_RECIPES for row in rows):
        notes.append("of systems with several runs, this is about other training runs, too")
    notes += dict.fromkeys(
        f"{row.system}: not tested: {row.untested}" for row in rows if row.untested
    )
    title = f"{first.first} against {first.second}: {first.metric}"
    return Table(title, header, tuple(_cells(row, several) for row in rows), tuple(notes))


def _cells(row: ContrastRow, several: bool) -> tuple[Cell, ...]:
    metric = row.metric
    interval = f"[{points(row.low, metric)}, {points(row.high, metric)}]"
    return (
        *([Cell(row.dataset)] if several else []),
        Cell(row.system),
        Cell(score(row.value_first, metric)),
        Cell(score(row.value_second, metric)),
        Cell(points(row.difference, metric), best=is_significant(row.p_corrected)),
        Cell(UNDEFINED if row.low is None else interval),
        Cell(p_text(row.p)),
        Cell(p_text(row.p_corrected)),
        Cell(f"{row.n_first:,}"),
        Cell(f"{row.n_second:,}"),
    )
