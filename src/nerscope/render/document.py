"""Documents: the tables, data and notes of a command, before an output writes them."""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from nerscope.arguments import check_arguments
from nerscope.errors import visible
from nerscope.registry import Registry, user_code
from nerscope.results.results import Results
from nerscope.results.rows import plain_row, scale_of
from nerscope.scoring.metrics import F1, metric_named

if TYPE_CHECKING:
    import pandas

UNDEFINED = "–"
# A column with any word is set to the left; "12.5 !" or "N/A" are not words.
_WORD = re.compile(r"[^\W\d_]{2}")  # two letters in a row: not a number, nor N/A


class Verbatim(str):
    """A line that is never wrapped, such as a command to paste."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Cell:
    """One entry of a table; outputs highlight the `best` ones."""

    text: str
    best: bool = False
    is_superscript: bool = False  # LaTeX sets it behind the cell to its left
    code: str = ""  # the short name of what `text` says in words
    value: float | None = None  # what rows are sorted by, the largest first


@dataclass(frozen=True, slots=True)
class Table:
    """A table; its notes are printed below it.

    Words come with their code: `mentions whose text is new (unseen-tokens)`. With `codes`, the
    code stands alone.
    """

    title: str
    header: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    notes: tuple[str, ...] = ()
    label: str = ""  # by which LaTeX refers to it
    labels: int = 1  # how many columns name the rows
    codes: bool = False
    code_notes: tuple[str, ...] = ()  # what only a table of codes must explain
    optional: tuple[str, ...] = ()  # columns that a narrow terminal may leave out, the first first

    def shown(self, cell: Cell) -> str:
        """The text of a cell, with its code if it has one."""
        if not cell.code or cell.code == cell.text:
            return cell.text
        return cell.code if self.codes else f"{cell.text} ({cell.code})"

    @property
    def all_notes(self) -> tuple[str, ...]:
        """The notes to print below the table."""
        return (*self.notes, *(self.code_notes if self.codes else ()))

    @property
    def bold_notes(self) -> tuple[str, ...]:
        """The notes for an output that sets cells in bold instead of marking them with a star."""
        return tuple(re.sub(r"^\* ", "bold: ", note) for note in self.all_notes)

    def to_markdown(self) -> str:
        """The table in Markdown."""
        return OUTPUTS["markdown"](Document([self]))

    def to_latex(self) -> str:
        """The table in LaTeX, with booktabs."""
        return OUTPUTS["latex"](Document([self]))

    def to_pandas(self) -> "pandas.DataFrame":
        """The cells as a pandas data frame of strings."""
        import pandas

        return pandas.DataFrame(
            [[self.shown(cell) for cell in row] for row in self.rows], columns=list(self.header)
        )

    def _repr_html_(self) -> str:
        from nerscope.render.outputs.html import table_html

        return table_html(self)

    def __str__(self) -> str:
        return OUTPUTS["text"](Document([self]))

    def __repr__(self) -> str:
        return str(self).rstrip("\n")


ERROR = "error"  # the outcome of a check that could not be made


@dataclass(frozen=True, slots=True)
class Check:
    """A condition that a build passes or fails by, as `gate` gives them.

    `group` is the dataset and system, `facts` everything that is known about the outcome.
    """

    group: str
    name: str
    outcome: str
    failed: bool
    message: str
    facts: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Document:
    """Everything that a command prints or writes, whatever the format.

    The order is: `leading` tables, `opening` lines, `tables`, `lines`, `hints` at further commands,
    `notes`. `data` is the content of JSON, or is added to that of results. `records` are the rows
    of CSV; without them, CSV has the cells of tables. `every_note` has what `notes` sum up.
    `checks` decide whether a build passes.
    """

    tables: Sequence[Table] = ()
    data: Any = None
    records: Sequence[Mapping[str, Any]] | None = None
    opening: Sequence[str] = ()
    lines: Sequence[str] = ()
    hints: Sequence[str] = ()
    notes: Sequence[str] = ()
    every_note: Sequence[str] | None = None
    signature: str | None = None
    leading: Sequence[Table] = ()
    results: Results | None = field(default=None, repr=False)
    checks: Sequence[Check] | None = None
    most_rows: int | None = None  # of each table on a terminal; --all shows the rest


DocumentWriter = Callable[[Document], str]


@dataclass(frozen=True, slots=True)
class OutputFormat:
    """A format of `--format`: a function that writes a document as text, and its words.

    An output that is `exact_only` shows the exact scores of results and nothing else, so that
    other measures need not be computed for it. `escape` makes control characters visible when the
    text is printed.
    """

    write: DocumentWriter
    title: str = ""
    phrase: str = ""
    definition: str = ""
    exact_only: bool = False
    escape: Callable[[str], str] = visible

    def __call__(self, document: Document) -> str:
        return self.write(document)


OUTPUTS: Registry[OutputFormat] = Registry("format", package="nerscope.render.outputs")


def register_output(
    name: str,
    output: DocumentWriter,
    *,
    title: str = "",
    phrase: str = "",
    definition: str = "",
) -> None:
    """Register a function that writes a document as text, for `--format NAME`.

    `title` names the format in headings, `phrase` in sentences; `definition` explains it.

    >>> register_output("titles", lambda document: " ".join(t.title for t in document.tables))
    >>> OUTPUTS["titles"](Document([Table("Exact match", (), ())]))
    'Exact match'
    """
    check_arguments(register_output, locals())

    def watched(document: Document) -> str:
        with user_code(f"format '{name}'"):
            text = output(document)
            if not isinstance(text, str):
                raise TypeError(f"it gives a {type(text).__name__}, not a text")
            return text

    OUTPUTS.add(name, OutputFormat(watched, title or name, phrase or title or name, definition))


def as_json(data: object) -> str:
    """Indented strict JSON: undefined is null, never NaN."""
    return json.dumps(data, ensure_ascii=False, allow_nan=False, indent=1, default=plain_row) + "\n"


def records_table(
    title: str, records: Sequence[Mapping[str, Any]], notes: Sequence[str] = ()
) -> Table:
    """A table with a column for each key of the records."""
    keys = dict.fromkeys(key for record in records for key in record)
    shown = [key for key in keys if key != "judgement"]  # that is for a file to fill in
    header = tuple(key.replace("_", " ") for key in shown)
    body = tuple(tuple(Cell(format_value(record.get(key))) for key in shown) for record in records)
    return Table(title, header, body, tuple(notes))


def column_side(table: Table, place: int) -> Literal["left", "right"]:
    """The alignment of a column: words to the left, numbers to the right."""
    words = any(_WORD.search(row[place].text) for row in table.rows)
    return "left" if place < table.labels or words else "right"


def escape_controls(text: str) -> str:
    """A text on one line, with control characters escaped.

    >>> escape_controls("a\\x1b[31mb")
    'a\\\\x1b[31mb'
    """
    return visible(text).replace("\n", "\\n")


def format_value(value: Any) -> str:
    if value is None:
        return UNDEFINED
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def percent(value: float | None, digits: int = 2) -> str:
    """A fraction as a percentage; only an exact 0 or 1 is shown as 0 or 100.

    >>> percent(0.99999), percent(1.0), percent(0.00001), percent(None)
    ('99.99', '100.00', '0.01', '–')
    """
    if value is None:
        return UNDEFINED
    # 0.99999 would round to 100.00, which would claim that no mistake was made.
    least = 10.0**-digits
    points = 100 * value
    if 0 < value < 1:
        points = min(max(points, least), 100 - least)
    return f"{points:.{digits}f}"


_HARDLY = 0.001  # points; a smaller difference would print as +0.00, as if there were none


def metric_title(name: str, at_start: bool = False) -> str:
    """The title of a metric in tables.

    >>> metric_title("macro_f1"), metric_title("ter", at_start=True)
    ('macro F1', 'Token error rate')
    """
    text = metric_named(name).title or name.replace("_", " ")
    return text[:1].upper() + text[1:] if at_start else text


def score(value: float | None, metric: str) -> str:
    """A value of a metric: in percent if it is a share."""
    if value is None or scale_of(metric) == 100:
        return percent(value)
    return f"{value:,.2f}"


def points(value: float | None, metric: str = F1) -> str:
    """A difference with its sign, in points for shares; a tiny one is shown as >0 or <0.

    >>> points(0.0123), points(-1e-6), points(0.0)
    ('+1.23', '<0', '+0.00')
    """
    if value is None:
        return "–"
    shown = scale_of(metric) * value
    if 0 < abs(shown) < _HARDLY:
        return ">0" if shown > 0 else "<0"
    return f"{shown + 0.0:+,.2f}"


def p_text(p: float | None) -> str:
    """A p-value; below 0.001 only the bound is shown.

    >>> p_text(0.00004), p_text(0.25)
    ('<0.001', '0.250')
    """
    return "–" if p is None else "<0.001" if p < 0.001 else f"{p:.3f}"


def p_words(p: float | None) -> str:
    """The part of a sentence that follows the letter p.

    >>> f"p {p_words(0.00004)}, p {p_words(0.25)}"
    'p < 0.001, p = 0.250'
    """
    text = p_text(p)
    return text.replace("<", "< ") if text.startswith("<") else f"= {text}"
