"""Aligned text for a terminal."""

import io
import re
import sys
from typing import Literal

from nerscope.render.document import OUTPUTS, Document, Table

_WORD = re.compile(r"[^\W\d_]{2}")  # two letters in a row: not a number, nor N/A
# What would steer a terminal instead of being shown.
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")


def side(table: Table, place: int) -> Literal["left", "right"]:
    """Where a column is set: words to the left, numbers to the right."""
    words = any(_WORD.search(row[place].text) for row in table.rows)
    return "left" if place == 0 or words else "right"


def harmless(text: str) -> str:
    """Text in which control characters are spelt out.

    >>> harmless("a\\x1b[31mb")
    'a\\\\x1b[31mb'
    """
    return _CONTROL.sub(lambda found: ascii(found[0])[1:-1], text).replace("\n", "\\n")


def as_text(document: Document) -> str:
    """Aligned text; on a terminal, the best values stand out."""
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table as RichTable
    from rich.text import Text

    buffer = io.StringIO()
    # Never narrower than the tables: a number that is cut off is worse than a long line.
    console = Console(
        file=buffer,
        force_terminal=sys.stdout is not None and sys.stdout.isatty(),
        width=10_000_000,
        highlight=False,
        markup=False,
        emoji=False,
    )
    for table in document.tables:
        console.print(Text(harmless(table.title), style="bold"))
        grid = RichTable(box=SIMPLE_HEAD, pad_edge=False)
        for place, name in enumerate(table.header):
            grid.add_column(Text(harmless(name)), justify=side(table, place), no_wrap=True)
        for row in table.rows:
            grid.add_row(
                *(
                    Text(
                        harmless(cell.text) + ("*" if cell.best else ""),
                        style="bold green" if cell.best else "",
                    )
                    for cell in row
                )
            )
        console.print(grid)
        for note in table.notes:
            console.print(Text(f"  {harmless(note)}", style="dim"))
        console.print()
    lines = [line.rstrip() for line in buffer.getvalue().split("\n")]
    text = "\n".join(lines).strip("\n")
    below = [harmless(line) for line in (*document.lines, *document.hints)]
    if document.signature is not None:
        below.append(f"signature: {harmless(document.signature)}")
        below += [f"note: {harmless(note)}" for note in document.notes]
    above = "\n".join(harmless(line) for line in document.opening)
    parts = [part for part in (above, text, "\n".join(below)) if part]
    return "\n\n".join(parts) + "\n" if parts else ""


OUTPUTS.add("text", as_text, built_in=True)
