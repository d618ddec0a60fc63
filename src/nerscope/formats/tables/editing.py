"""Change the labels of some rows in the text of a CSV file; all other characters stay."""

import re
from collections.abc import Iterable, Mapping

from nerscope.formats.tables.delimited import Dialect, RowBatch

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n|\Z)")


def edited_rows(
    text: str,
    batches: Iterable[RowBatch],
    labels: Mapping[int, str],
    column: int,
    dialect: Dialect,
) -> str | None:
    """The text with new labels; None if a row to change is not one line.

    `batches` are the rows behind the header, of which those with cells are the tokens; `labels` are
    the new labels by token.

    >>> batch = RowBatch([2, 3], [["Ada", "B-PER"], ["spoke", "O"]], True)
    >>> text = 'token,label\\nAda,"B-PER"\\nspoke,O\\n'
    >>> edited_rows(text, [batch], {0: "B-LOC"}, 1, Dialect(","))
    'token,label\\nAda,"B-LOC"\\nspoke,O\\n'
    """
    lines = _LINE.findall(text)
    rows = (
        (line, cells)
        for batch in batches
        for line, cells in zip(batch.lines, batch.rows, strict=True)
        if cells
    )
    for token, (line, cells) in enumerate(rows):
        if token in labels:
            new = _with_cell(lines[line - 1], len(cells), column, labels[token], dialect)
            if new is None:
                return None
            lines[line - 1] = new
    return "".join(lines)


def _with_cell(line: str, width: int, column: int, value: str, dialect: Dialect) -> str | None:
    """A line with another value in a column, quoted as before; None if it is not a whole row.

    >>> _with_cell("Ada, O\\r\\n", 2, 1, "B-PER", Dialect(",", skips_blanks=True))
    'Ada, B-PER\\r\\n'
    """
    content = line.rstrip("\r\n")
    sign = re.escape(dialect.separator)
    quoted = r'"(?:[^"]|"")*"|' if dialect.quotes else ""
    blanks = " *" if dialect.skips_blanks else ""
    cell = re.compile(f"{blanks}({quoted}[^{sign}]*)(?:{sign}|\\Z)")
    places, at = list[tuple[int, int]](), 0
    while (match := cell.match(content, at)) and len(places) < width:
        places.append(match.span(1))
        at = match.end()
    if len(places) != width or at < len(content):
        return None
    begin, end = places[column]
    is_quoted = dialect.quotes and content[begin:end].startswith('"')
    needs_quotes = dialect.quotes and (dialect.separator in value or '"' in value)
    new = '"' + value.replace('"', '""') + '"' if is_quoted or needs_quotes else value
    return line[:begin] + new + line[end:]
