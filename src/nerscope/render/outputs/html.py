"""Tables for a notebook."""

from collections.abc import Sequence
from html import escape

from nerscope.render.document import OUTPUTS, Cell, Document, OutputFormat, Table, column_side


def table_html(table: Table) -> str:
    """One table; the best values are bold."""
    header = "".join(f"<th>{escape(name)}</th>" for name in table.header)
    body = "".join(f"<tr>{_row(table, row)}</tr>" for row in table.rows)
    notes = "".join(f"<div><small>{escape(note)}</small></div>" for note in table.all_notes)
    title = f"<caption>{escape(table.title)}</caption>"
    head = f"<thead><tr>{header}</tr></thead>"
    return f"<table>{title}{head}<tbody>{body}</tbody></table>{notes}"


def _row(table: Table, row: Sequence[Cell]) -> str:
    return "".join(
        f'<td style="text-align:{column_side(table, place)}">{_cell(table, cell)}</td>'
        for place, cell in enumerate(row)
    )


def _cell(table: Table, cell: Cell) -> str:
    text = escape(table.shown(cell))
    return f"<b>{text}</b>" if cell.best else text


def as_html(document: Document) -> str:
    """All tables, and what holds for them."""
    lines = [*document.opening, *document.lines, *document.notes]
    notes = "".join(f"<div><small>{escape(line)}</small></div>" for line in lines)
    return "\n".join(map(table_html, (*document.leading, *document.tables))) + notes + "\n"


OUTPUTS.add(
    "html",
    OutputFormat(as_html, "HTML", "HTML", "Tables for a notebook or a web page."),
    built_in=True,
    rank=60,
)
