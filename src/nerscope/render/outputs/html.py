"""Tables for a notebook."""

from collections.abc import Sequence
from html import escape

from nerscope.render.document import OUTPUTS, Cell, Document, OutputFormat, Table, column_side


def table_html(table: Table) -> str:
    """One table; the best values are bold."""
    header = "".join(f"<th>{escape(name)}</th>" for name in table.header)
    body = "".join(f"<tr>{_row(table, row)}</tr>" for row in table.rows)
    notes = "".join(f"<div><small>{escape(note)}</small></div>" for note in _notes(table))
    title = f"<caption>{escape(table.title)}</caption>"
    head = f"<thead><tr>{header}</tr></thead>"
    return f"<table>{title}{head}<tbody>{body}</tbody></table>{notes}"


def _notes(table: Table) -> list[str]:
    """The notes without hints at options, which only a command line has."""
    notes = [note.removesuffix(": --all") for note in table.bold_notes]
    return [note for note in notes if not note.startswith("--")]


def _row(table: Table, row: Sequence[Cell]) -> str:
    return "".join(
        f'<td style="text-align:{column_side(table, place)}">{_cell(table, cell)}</td>'
        for place, cell in enumerate(row)
    )


def _cell(table: Table, cell: Cell) -> str:
    text = escape(table.shown(cell))
    return f"<b>{text}</b>" if cell.best else text


def as_html(document: Document) -> str:
    """All tables and lines, in the order of the terminal."""
    opening = "".join(f"<div>{escape(line)}</div>" for line in document.opening)
    lines = [*document.lines, *document.notes]
    notes = "".join(f"<div><small>{escape(line)}</small></div>" for line in lines)
    leading, tables = (map(table_html, part) for part in (document.leading, document.tables))
    return "\n".join(part for part in (*leading, opening, *tables) if part) + notes + "\n"


OUTPUTS.add(
    "html",
    OutputFormat(as_html, "HTML", "HTML", "Tables for a notebook or a web page."),
    built_in=True,
    rank=60,
)
