"""Tables for a paper, with booktabs."""

from collections.abc import Sequence

from nerscope.render.document import OUTPUTS, Cell, Document, OutputFormat, Table, column_side

_GREEK = {"ε": "varepsilon", "ζ": "zeta", "ρ": "rho"}
_LATEX = str.maketrans(
    {
        **{sign: f"\\{sign}" for sign in "&%$#_{}"},
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "\\": r"\textbackslash{}",
        "±": r"$\pm$",
        "–": "--",
        "≤": r"$\leq$",
        "≥": r"$\geq$",
        "<": r"$<$",
        ">": r"$>$",
        "†": r"\textdagger{}",
        "✓": r"$\checkmark$",
        **{sign: f"$\\{name}$" for sign, name in _GREEK.items()},
    }
)


def as_latex(document: Document) -> str:
    """One table environment each; it needs the package booktabs."""
    text = "% needs \\usepackage{booktabs}\n" + "\n".join(
        map(_table, (*document.leading, *document.tables))
    )
    below = [*document.opening, *document.lines]
    if document.signature is not None:
        below += [f"signature: {document.signature}", *(f"note: {note}" for note in document.notes)]
    return text + "\n" + "".join(f"% {_one_line(line)}\n" for line in below)


def _table(table: Table) -> str:
    # A superscript belongs to the cell on its left, and is not a column of its own.
    shown = [
        at
        for at in range(len(table.header))
        if not any(row[at].is_superscript for row in table.rows)
    ]
    columns = "".join("l" if column_side(table, at) == "left" else "r" for at in shown)
    body = "".join(
        f"{' & '.join(_cell(table, row, at) for at in shown)} \\\\\n" for row in table.rows
    )
    notes = [_escaped(note) for note in table.bold_notes]
    caption = ". ".join([_escaped(table.title), *notes])
    label = f"\\label{{{table.label}}}\n" if table.label else ""
    return (
        "\\begin{table}\n\\centering\n"
        f"\\caption{{{caption}.}}\n{label}"
        f"\\begin{{tabular}}{{{columns}}}\n\\toprule\n"
        f"{' & '.join(_escaped(table.header[at]) for at in shown)} \\\\\n\\midrule\n"
        f"{body}\\bottomrule\n\\end{{tabular}}\n\\end{{table}}\n"
    )


def _cell(table: Table, row: Sequence[Cell], at: int) -> str:
    cell, following = row[at], row[at + 1 : at + 2]
    text = _escaped(table.shown(cell))
    text = f"\\textbf{{{text}}}" if cell.best else text
    if following and following[0].is_superscript and following[0].text:
        return f"{text}\\textsuperscript{{{_escaped(following[0].text)}}}"
    return text


def _escaped(text: str) -> str:
    return _one_line(text).translate(_LATEX)


def _one_line(text: str) -> str:
    return " ".join(text.split("\n"))


OUTPUTS.add(
    "latex",
    OutputFormat(as_latex, "LaTeX", "LaTeX", "Tables for a paper, with booktabs."),
    built_in=True,
    rank=30,
)
