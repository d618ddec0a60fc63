"""Aligned text for a terminal."""

import io
import sys
from collections.abc import Sequence

from nerscope.render.document import (
    OUTPUTS,
    Document,
    OutputFormat,
    Table,
    column_side,
    escape_controls,
)


def as_text(document: Document) -> str:
    """Aligned text; on a terminal, the best values stand out."""
    above = "\n".join(escape_controls(line) for line in document.opening)
    below = [escape_controls(line) for line in (*document.lines, *document.hints)]
    if document.signature is not None:
        below.append(f"signature: {escape_controls(document.signature)}")
        below += [f"note: {escape_controls(note)}" for note in document.notes]
    tables = [_tables_text(group) for group in (document.leading, document.tables)]
    parts = [part for part in (tables[0], above, tables[1], "\n".join(below)) if part]
    return "\n\n".join(parts) + "\n" if parts else ""


def _tables_text(tables: Sequence[Table]) -> str:
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table as RichTable
    from rich.text import Text

    buffer = io.StringIO()
    # rich would cut numbers off to fit the terminal: a long line is better.
    console = Console(
        file=buffer,
        force_terminal=sys.stdout is not None and sys.stdout.isatty(),
        width=10_000_000,
        highlight=False,
        markup=False,
        emoji=False,
    )
    for table in tables:
        console.print(Text(escape_controls(table.title), style="bold"))
        grid = RichTable(box=SIMPLE_HEAD, pad_edge=False)
        for place, name in enumerate(table.header):
            grid.add_column(
                Text(escape_controls(name)), justify=column_side(table, place), no_wrap=True
            )
        for row in table.rows:
            grid.add_row(
                *(
                    Text(
                        escape_controls(cell.text) + ("*" if cell.best else ""),
                        style="bold green" if cell.best else "",
                    )
                    for cell in row
                )
            )
        console.print(grid)
        for note in table.notes:
            console.print(Text(f"  {escape_controls(note)}", style="dim"))
        console.print()
    # rich pads every line to the width of the table; trailing blanks would differ between files.
    lines = [line.rstrip() for line in buffer.getvalue().split("\n")]
    return "\n".join(lines).strip("\n")


OUTPUTS.add(
    "text",
    # Every part is escaped before it is aligned; what remains are the styles of the table.
    OutputFormat(as_text, "Text", "plain text", "Aligned tables for a terminal.", escape=str),
    built_in=True,
    rank=10,
)
