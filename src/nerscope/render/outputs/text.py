"""Aligned text for a terminal."""

import io
import sys
from collections.abc import Sequence
from dataclasses import replace

from nerscope.render.document import (
    OUTPUTS,
    Document,
    OutputFormat,
    Table,
    Verbatim,
    column_side,
    escape_controls,
)
from nerscope.render.layout import (
    GAP,
    Block,
    plain_cell,
    screen_width,
    table_blocks,
    without_optional,
    wrap_text,
)

_MOST_NOTE_LINES = 5
_NOTE = "note: "


def as_text(document: Document) -> str:
    """Aligned text, as wide as the terminal; on a terminal, the best values stand out."""
    width = screen_width()
    lines = [_wrapped(line, width) for line in (*document.lines, *document.hints)]
    parts = [
        _tables_text(document.leading, width),
        "\n".join(_wrapped(line, width) for line in document.opening),
        _tables_text([_cut(table, document.most_rows) for table in document.tables], width),
        "\n".join([*lines, *note_lines(document.notes, width)]),
    ]
    shown = [part for part in parts if part]
    return "\n\n".join(shown) + "\n" if shown else ""


def _wrapped(line: str, width: int) -> str:
    text = escape_controls(line)
    return text if isinstance(line, Verbatim) else "\n".join(wrap_text(text, width))


def note_lines(notes: Sequence[str], width: int, most: int = _MOST_NOTE_LINES) -> list[str]:
    """Notes in at most so many lines; of the rest, the number and how to see them.

    >>> note_lines([f"file {number} is empty" for number in range(9)], 80, most=3)
    ['note: file 0 is empty', 'note: file 1 is empty', 'note: 7 more notes: --notes prints all']
    """
    wrapped = [wrap_text(_NOTE + escape_controls(note), width, " " * len(_NOTE)) for note in notes]
    if sum(map(len, wrapped)) <= most:
        return [line for lines in wrapped for line in lines]
    shown = list[str]()
    for at, lines in enumerate(wrapped):
        if len(shown) + len(lines) > most - 1:
            left = len(wrapped) - at
            more = "more note" if at else "note"
            return [*shown, f"{_NOTE}{left} {more}{'s' * (left != 1)}: --notes prints all"]
        shown += lines
    return shown


def _cut(table: Table, most: int | None) -> Table:
    """The first rows of a table, and how to see the others."""
    if most is None or len(table.rows) <= most:
        return table
    note = f"{len(table.rows) - most:,} more rows: --all"
    return replace(table, rows=table.rows[:most], notes=(*table.notes, note))


def _tables_text(tables: Sequence[Table], width: int) -> str:
    return "\n\n".join(_table_text(table, width) for table in tables)


def _table_text(table: Table, width: int) -> str:
    """A title, the columns in as many blocks as the width needs, and notes.

    Where the first column has no heading, the title stands in its place.
    """
    from rich.console import Console
    from rich.text import Text

    table = without_optional(table, width)
    buffer = io.StringIO()
    console = Console(
        file=buffer,
        force_terminal=sys.stdout is not None and sys.stdout.isatty(),
        force_jupyter=False,  # in a notebook, rich would display the text, and give none
        width=10_000_000,  # widths are computed here; rich would cut numbers
        highlight=False,
        markup=False,
        emoji=False,
    )
    if table.header and not table.header[0]:
        table = replace(table, header=(table.title, *table.header[1:]))
    else:
        for line in wrap_text(escape_controls(table.title), width):
            console.print(Text(line, style="bold"))
    for number, block in enumerate(table_blocks(table, width)):
        if number:
            console.print()
        console.print(_grid(table, block))
    for note in table.all_notes:
        for line in wrap_text(f"  {escape_controls(note)}", width):
            console.print(Text(line, style="dim"))
    # rich pads every line to the width of the table; trailing blanks would differ between files.
    lines = [line.rstrip() for line in buffer.getvalue().split("\n")]
    return "\n".join(lines).strip("\n")


def _grid(table: Table, block: Block) -> object:
    from rich.box import SIMPLE_HEAD
    from rich.table import Table as RichTable
    from rich.text import Text

    grid = RichTable(box=SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, GAP - 1, 0, 0))
    for at, width in zip(block.columns, block.widths, strict=True):
        head = Text("\n".join(wrap_text(escape_controls(table.header[at]), width, "")))
        grid.add_column(head, justify=column_side(table, at), no_wrap=True, width=width)
    for row in table.rows:
        cells = []
        for at, width in zip(block.columns, block.widths, strict=True):
            text = "\n".join(wrap_text(plain_cell(table, row[at]), width))
            cells.append(Text(text, style="bold green" if row[at].best else ""))
        grid.add_row(*cells)
    return grid


OUTPUTS.add(
    "text",
    # Every part is escaped before it is aligned; what remains are the styles of the table.
    OutputFormat(as_text, "Text", "plain text", "Aligned tables for a terminal.", escape=str),
    built_in=True,
    rank=10,
)
