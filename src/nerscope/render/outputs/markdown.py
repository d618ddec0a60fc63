"""Tables for a README or an issue."""

from nerscope.render.document import OUTPUTS, Cell, Document, OutputFormat, Table, column_side


def as_markdown(document: Document) -> str:
    """Tables with a heading each, then what holds for all of them."""
    parts = [*map(_table, document.leading), *document.opening, *map(_table, document.tables)]
    parts += list(document.lines)
    if document.signature is not None:
        parts.append(f"`signature: {document.signature}`")
        parts += [f"`note: {note}`" for note in document.notes]
    return "\n\n".join(parts) + "\n"


def _table(table: Table) -> str:
    rule = [
        "---" if column_side(table, place) == "left" else "---:"
        for place in range(len(table.header))
    ]
    body = [[_bold(table, cell) for cell in row] for row in table.rows]
    head = [_escaped(name) for name in table.header]
    lines = ["| " + " | ".join(row) + " |" for row in [head, rule, *body]]
    notes = [f"\n{note}" for note in table.bold_notes]
    return "\n".join([f"### {table.title}\n", *lines, *notes])


def _bold(table: Table, cell: Cell) -> str:
    text = _escaped(table.shown(cell))
    return f"**{text}**" if cell.best else text


def _escaped(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ").replace("\r", " ")


OUTPUTS.add(
    "markdown",
    OutputFormat(as_markdown, "Markdown", "Markdown", "Tables for a README or an issue."),
    built_in=True,
    rank=20,
)
