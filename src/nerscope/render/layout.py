"""Fit text and tables to the width of a terminal: nothing is cut, columns wrap or move below."""

import re
import shutil
import unicodedata
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from nerscope.render.document import Cell, Table, column_side, escape_controls

SCREEN_LINES = 40  # of a first screen; more is shown where a user asks for it
SCREEN_ROWS = 30  # of a table, which leaves room for its title, heading and notes
GAP = 2  # blanks between two columns
_LEAST_WORDS = 20  # columns of a terminal that a column of words keeps before others move below
_FAIR_WORDS = 36  # columns that words get before headings of numbers are written in one line
_LEAST = 20  # columns, however narrow the terminal


def screen_width() -> int:
    """The columns of the terminal; 80 where there is none, or what COLUMNS says."""
    return max(_LEAST, shutil.get_terminal_size().columns)


def text_width(text: str) -> int:
    """How many columns of a terminal a text fills.

    A wide character fills two columns, a combining one none.

    >>> text_width("Oslo"), text_width("東京"), text_width("e\\u0301")
    (4, 4, 1)
    """
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.combining(sign) else 1 + (unicodedata.east_asian_width(sign) in "WF")
        for sign in text
    )


def wrap_text(text: str, width: int, indent: str = "  ") -> list[str]:
    """A text in lines of at most `width` columns; all but the first begin with `indent`.

    A text that fits stays as it is. Blanks at its beginning are kept for every line.

    >>> wrap_text("mentions whose text is new", 14)
    ['mentions whose', '  text is new']
    """
    if text_width(text) <= width:
        return [text]
    start = text[: len(text) - len(text.lstrip(" "))]
    lines = [start]
    for word in _words(text):
        for piece in _pieces(word, width - text_width(start + indent)):
            blank = "" if lines[-1] in (start, start + indent) else " "
            if text_width(lines[-1] + blank + piece) > width:
                lines.append(start + indent)
                blank = ""
            lines[-1] += blank + piece
    return lines


_BOUND = re.compile(r"(?<=\d) (?=%)|(?<=\b[pn]) (?=[<=])|(?<=[<=]) (?=\d)")


def _words(text: str) -> list[str]:
    """The words of a text; `95 %` and `p < 0.001` are one word each.

    >>> _words("95 % interval, p < 0.001")
    ['95 %', 'interval,', 'p < 0.001']
    """
    return [word.replace("\0", " ") for word in _BOUND.sub("\0", text).split()]


def _pieces(word: str, width: int) -> list[str]:
    """A word, divided if it alone is too long for a line."""
    if text_width(word) <= width:
        return [word]
    pieces = [""]
    for sign in word:
        if text_width(pieces[-1] + sign) > max(2, width):
            pieces.append("")
        pieces[-1] += sign
    return pieces


def plain_cell(table: Table, cell: Cell) -> str:
    """A cell as plain text; a star stands behind the best ones."""
    return escape_controls(table.shown(cell)) + ("*" if cell.best else "")


class Block(NamedTuple):
    """Columns of a table that are shown side by side, and how wide each is."""

    columns: list[int]
    widths: list[int]


def table_blocks(table: Table, width: int) -> list[Block]:
    """The columns of a table in as many blocks as the width needs.

    Every block begins with the columns that name the rows. Columns of words are made narrower
    before columns of numbers move to another block: words can wrap, numbers cannot.
    """
    sizes = [_column_size(table, at) for at in range(len(table.header))]
    labels = list(range(min(table.labels, len(sizes))))
    blocks = [labels.copy()]
    for at in range(len(labels), len(sizes)):
        is_full = _total([sizes[other].least for other in (*blocks[-1], at)]) > width
        if is_full and blocks[-1] != labels:
            blocks.append(labels.copy())
        blocks[-1].append(at)
    return [Block(block, _widths([sizes[at] for at in block], width)) for block in blocks]


def without_optional(table: Table, width: int) -> Table:
    """The table without optional columns that do not fit beside the others, and a note of them.

    If it would be too wide even so, it stays as it is.
    """
    sizes = [_column_size(table, at).least for at in range(len(table.header))]
    shown = list(range(len(sizes)))
    left_out = list[str]()
    for name in table.optional:
        if _total([sizes[at] for at in shown]) <= width:
            break
        shown.remove(table.header.index(name))
        left_out.append(name)
    if not left_out or _total([sizes[at] for at in shown]) > width:
        return table
    note = f"not shown here: {', '.join(left_out)}; use a wider terminal, or --format json"
    return replace(
        table,
        header=tuple(table.header[at] for at in shown),
        rows=tuple(tuple(row[at] for at in shown) for row in table.rows),
        notes=(*table.notes, note),
    )


class _ColumnSize(NamedTuple):
    least: int  # narrower, it would break numbers or words
    body: int  # no cell wraps
    natural: int  # neither a cell nor the heading wraps
    wraps: bool  # whether its cells are words, which may wrap


def _column_size(table: Table, at: int) -> _ColumnSize:
    head = table.header[at]
    body = max((text_width(plain_cell(table, row[at])) for row in table.rows), default=0)
    longest = max((text_width(word) for word in _words(head)), default=0)
    longest = min(longest, _LEAST_WORDS)  # the name of a system may be of any length
    wraps = at < table.labels or column_side(table, at) == "left"
    least = min(body, _LEAST_WORDS) if wraps else body
    return _ColumnSize(max(least, longest), max(body, longest), max(body, text_width(head)), wraps)


def _total(widths: Sequence[int]) -> int:
    return sum(widths) + GAP * max(0, len(widths) - 1)


def _widths(sizes: Sequence[_ColumnSize], width: int) -> list[int]:
    """As wide as there is room for: words in few lines, then headings, then words in one line."""
    widths = [size.least for size in sizes]
    passes = (
        [min(size.body, _FAIR_WORDS) if size.wraps else size.body for size in sizes],
        [size.least if size.wraps else size.natural for size in sizes],
        [size.natural for size in sizes],
    )
    for wanted in passes:
        for at, most in enumerate(wanted):
            room = width - _total(widths)
            widths[at] += max(0, min(room, most - widths[at]))
    return widths
