"""How tables look: one function an output."""

import csv
import io
import re
import sys
from collections.abc import Callable, Sequence
from typing import IO, Literal

from nerscope.render.tables import Cell, Table
from nerscope.results.results import Results


def plain_text(tables: Sequence[Table], file: IO[str] | None = None) -> str:
    """Aligned text; on a terminal, the best values stand out."""
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table as RichTable
    from rich.text import Text

    buffer = io.StringIO()
    on_terminal = file is not None and file.isatty()
    # Never narrower than the tables: a number that is cut off is worse than a long line.
    console = Console(file=buffer, force_terminal=on_terminal, width=10_000, highlight=False)
    for table in tables:
        console.print(Text(table.title, style="bold"))
        grid = RichTable(box=SIMPLE_HEAD, pad_edge=False)
        for place, name in enumerate(table.header):
            grid.add_column(name, justify=_side(table, place), no_wrap=True)
        for row in table.rows:
            grid.add_row(
                *(
                    Text(
                        cell.text + ("*" if cell.best else ""),
                        style="bold green" if cell.best else "",
                    )
                    for cell in row
                )
            )
        console.print(grid)
        for note in table.notes:
            console.print(Text(f"  {note}", style="dim"))
        console.print()
    lines = [line.rstrip() for line in buffer.getvalue().split("\n")]
    return "\n".join(lines).strip("\n") + "\n"


def _side(table: Table, place: int) -> Literal["left", "right"]:
    """Words to the left, numbers to the right."""
    words = any(_WORD.search(row[place].text) for row in table.rows)
    return "left" if place == 0 or words else "right"


_WORD = re.compile(r"[^\W\d_]{2}")  # two letters in a row: not a number, nor N/A


def markdown(tables: Sequence[Table]) -> str:
    """Tables for a README or an issue."""
    parts = []
    for table in tables:
        rule = [
            "---" if _side(table, place) == "left" else "---:" for place in range(len(table.header))
        ]
        rows = [[_bold(cell, "**", "**") for cell in row] for row in table.rows]
        lines = [
            "| " + " | ".join(_pipe(text) for text in row) + " |"
            for row in [list(table.header), rule, *rows]
        ]
        notes = [f"\n{note}" for note in table.notes if not note.startswith("*")]
        parts.append("\n".join([f"### {table.title}\n", *lines, *notes]))
    return "\n\n".join(parts) + "\n"


def _pipe(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


def _bold(cell: Cell, before: str, after: str) -> str:
    return f"{before}{cell.text}{after}" if cell.best else cell.text


_LATEX = str.maketrans(
    {
        **{sign: f"\\{sign}" for sign in "&%$#_{}"},
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "\\": r"\textbackslash{}",
        "±": r"$\pm$",
        "–": "--",
        "≤": r"$\leq$",
        "<": r"$<$",
        ">": r"$>$",
        "†": r"\textdagger{}",
    }
)


def latex(tables: Sequence[Table]) -> str:
    """Tables for a paper, with booktabs."""
    parts = []
    for table in tables:
        columns = "".join(
            "l" if _side(table, place) == "left" else "r" for place in range(len(table.header))
        )
        header = " & ".join(name.translate(_LATEX) for name in table.header)
        body = [
            " & ".join(
                f"\\textbf{{{cell.text.translate(_LATEX)}}}"
                if cell.best
                else cell.text.translate(_LATEX)
                for cell in row
            )
            for row in table.rows
        ]
        notes = [note.translate(_LATEX) for note in table.notes if not note.startswith("*")]
        caption = ". ".join([table.title.translate(_LATEX), *notes])
        parts.append(
            "\\begin{table}\n\\centering\n"
            f"\\caption{{{caption}.}}\n"
            f"\\begin{{tabular}}{{{columns}}}\n\\toprule\n{header} \\\\\n\\midrule\n"
            + "".join(f"{line} \\\\\n" for line in body)
            + "\\bottomrule\n\\end{tabular}\n\\end{table}\n"
        )
    return "\n".join(parts)


def csv_of(columns: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """Comma-separated values; undefined is empty."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(["" if value is None else value for value in row] for row in rows)
    return buffer.getvalue()


def tables_as_csv(tables: Sequence[Table]) -> str:
    """Tables one after the other, each with its title in front of every line."""
    return "\n".join(
        csv_of(
            ["table", *one.header], [[one.title, *(cell.text for cell in row)] for row in one.rows]
        )
        for one in tables
    )


TABLE_WRITERS: dict[str, Callable[[Sequence[Table]], str]] = {
    "text": lambda tables: plain_text(tables, sys.stdout),
    "markdown": markdown,
    "latex": latex,
    "csv": tables_as_csv,
}


def rows_as_csv(results: Results) -> str:
    """The tidy rows of results, each with the signature."""
    columns = list(dict.fromkeys(key for row in results.rows for key in row))
    return csv_of(
        [*columns, "signature"],
        [[*(row.get(column) for column in columns), results.signature] for row in results.rows],
    )


_SIGNED: dict[str, Callable[[str], str]] = {
    "text": lambda line: line,
    "markdown": lambda line: f"\n`{line}`",
    "latex": lambda line: f"% {line}",
}


def with_conditions(text: str, form: str, results: Results) -> str:
    """Add the signature and what was lost in reading."""
    lines = [
        f"signature: {results.signature}",
        *(f"note: {loss['places'][0]}: {loss['message']}" for loss in results.losses),
    ]
    return text + "\n" + "\n".join(map(_SIGNED[form], lines)) + "\n"
