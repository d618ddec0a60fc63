"""Single mentions: mistakes in their sentences, lists, files of errors, judgements."""

import io
import json
import unicodedata
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nerscope.errors import OutputError, plural
from nerscope.render.document import Document, Table, escape_controls, records_table
from nerscope.render.outputs.csv import csv_text
from nerscope.results.rows import plain_row

if TYPE_CHECKING:
    from nerscope.results.errors import MentionRow
    from nerscope.results.judged import JudgedResults
    from nerscope.results.token_mistakes import TokenRow

_LEAST = 20  # columns, however narrow the terminal
_MOST_WORDS = 10  # of a summary
_BOUNDARY_KINDS = {"split", "merged"}
_BOUNDARY_NOTE = "split and merged: the first screen of evaluate counts them as wrong boundary"
Span = tuple[int, int, str]  # first token, the one behind the last, type
Cells = list[str]  # one for each column of the terminal


def errors_document(
    rows: Sequence["MentionRow"],
    total: int,
    width: int,
    shown: int,
    repeated: Collection[str] = (),
) -> Document:
    """A summary of kinds, then each mistake in its sentence.

    `repeated` are the systems with several runs, of which each mistake names the run.
    """
    counts = Counter((row.system, row.outcome) for row in rows)
    systems = list(dict.fromkeys(row.system for row in rows))
    kinds = list(dict.fromkeys(row.outcome for row in rows))
    summary = [
        {"kind": kind, **{system: counts[system, kind] for system in systems}} for kind in kinds
    ]
    lines = []
    for row in rows[:shown]:
        lines += [*error_lines(row, width, row.system in repeated), ""]
    if len(rows) > shown:
        lines.append(f"{plural(len(rows) - shown, 'more error')}: --most N shows more")
    if not rows:
        lines.append(f"None of {plural(total, 'error')} fits these options.")
    notes = [_BOUNDARY_NOTE] if _BOUNDARY_KINDS.intersection(kinds) else []
    tables = [records_table("Errors by kind", summary, notes)] if summary else []
    return Document(tables, rows, rows, lines=lines)


def token_errors_document(
    rows: Sequence["TokenRow"],
    total: int,
    width: int,
    shown: int,
    repeated: Collection[str] = (),
) -> Document:
    """How often each system has each word wrong, then each wrong token in its sentence."""
    counts = Counter((row.system, row.token) for row in rows)
    systems = list(dict.fromkeys(row.system for row in rows))
    words = [word for word, _ in Counter(row.token for row in rows).most_common(_MOST_WORDS)]
    summary = [
        {"token": word, **{system: counts[system, word] for system in systems}} for word in words
    ]
    lines = []
    for row in rows[:shown]:
        source = f"{row.system} {row.run}" if row.system in repeated else row.system
        gold, predicted = (
            (row.position, row.position + 1, label) for label in (row.gold, row.predicted)
        )
        lines += [
            escape_controls(f"{row.place}  {source}: {row.gold} labelled {row.predicted}"),
            *marked_lines(row.tokens, gold, predicted, width),
            "",
        ]
    if len(rows) > shown:
        lines.append(f"{plural(len(rows) - shown, 'more wrong token')}: --most N shows more")
    if not rows:
        lines.append(f"None of {plural(total, 'wrong token')} fits these options.")
    tables = [records_table("Words that are wrong most often", summary)] if summary else []
    return Document(tables, rows, rows, lines=lines)


def error_lines(row: "MentionRow", width: int, with_run: bool = False) -> list[str]:
    """One mistake: where, what, and the sentence with both spans marked."""
    gold, pred = _sides(row)
    source = f"{row.system} {row.run}" if with_run else row.system
    head = f"{row.place}  {source}: {row.outcome}"
    if row.tokens is None:
        both = (("gold", gold), ("predicted", pred))
        return [head, "  " + "   ".join(f"{name} {span[2]}" for name, span in both if span)]
    return [head, *marked_lines(row.tokens, gold, pred, width), *_text_notes(row, row.tokens)]


def _text_notes(row: "MentionRow", tokens: Sequence[str]) -> list[str]:
    """The text of mentions that does not equal the marked tokens, as of LLM answers."""
    lines = []
    other = (row.other_start, row.other_end, row.other_text, row.other_type)
    for start, end, text, kind in ((row.start, row.end, row.text, row.type), other):
        if start is not None and text is not None and " ".join(tokens[start:end]) != text:
            # Without tokens, no mark in the sentence has the type.
            nowhere = f" ({kind}), which is not in the text" if start == end else ""
            lines.append(f"  predicted text: '{escape_controls(text)}'{nowhere}")
    return lines


def marked_lines(
    tokens: Sequence[str], gold: Span | None, pred: Span | None, width: int
) -> list[str]:
    """A sentence with a span marked above it and another below, as far as the width goes."""
    columns = max(_LEAST, width) - 3
    first, tokens = _tokens_near(tokens, [span for span in (gold, pred) if span], columns)
    gold, pred = (
        (span[0] - first, span[1] - first, span[2]) if span else None for span in (gold, pred)
    )
    above, words, below = _drawn([escape_controls(token) for token in tokens], gold, pred)
    return _window(above, words, below, columns)


Marks = Sequence[tuple[Sequence[Span], str]]


def sentence_lines(
    tokens: Sequence[str], marks: Marks, around: tuple[int, int], width: int
) -> list[str]:
    """A sentence, and below it one line of spans for each of several annotations, with its name.

    >>> for line in sentence_lines(["Ada", "spoke"], [([(0, 1, "PER")], "ann")], (0, 1), 40):
    ...     print(line)
      Ada spoke
      ─── PER   ann
    """
    columns = max(_LEAST, width) - 3
    first, tokens = _tokens_near(tokens, [(*around, "")], columns)
    shown = [escape_controls(token) for token in tokens]
    above, words, _ = _drawn(shown, (around[0] - first, around[1] - first, ""), None)
    edge = above.index("─")
    lines = [words]
    for spans, name in marks:
        moved = [(start - first, end - first, kind) for start, end, kind in spans]
        lines.append(_marked(shown, moved, name, edge))
    return _cut_lines(lines, edge, columns)


def _marked(tokens: Sequence[str], spans: Sequence[Span], name: str, edge: int) -> Cells:
    """The spans of an annotation below its sentence, then their types, and whose they are."""
    cells: Cells = []
    for start, end, _ in sorted(spans):
        above = _drawn(tokens, (start, end, ""), None)[0]
        drawn = above[: len(above) - 1]  # without the blank before a type
        cells += drawn[len(cells) :]
    kinds = " ".join(kind for _, _, kind in sorted(spans))
    text = f" {kinds}" if kinds else "no mention"
    return [*(cells or [" "] * edge), *_cells(escape_controls(f"{text}   {name}"))]


def _cut_lines(lines: Sequence[Cells], edge: int, width: int) -> list[str]:
    """The part of a sentence around a column, and of the lines below it."""
    first = 0 if max(map(len, lines)) <= width else max(0, edge - width // 4)
    words, *below = lines
    before, behind = ("…" if first else " "), ("…" if first + width < len(words) else "")
    shown = [f"{before} {''.join(words[first : first + width]).rstrip()}{behind}"]
    return [*shown, *(f"  {''.join(line[first : first + width]).rstrip()}" for line in below)]


def _tokens_near(
    tokens: Sequence[str], spans: Sequence[Span], columns: int
) -> tuple[int, Sequence[str]]:
    """The tokens that a window may show, and the place of the first of them.

    A token takes a column or more, so those further away than the window is wide are never seen.
    A text without line ends is one sentence of any length.
    """
    first = max(0, min((span[0] for span in spans), default=0) - columns)
    behind = max((span[1] for span in spans), default=0) + columns
    return first, tokens[first:behind]


def _sides(row: "MentionRow") -> tuple[Span | None, Span | None]:
    mention, other = (row.start, row.end, row.type), None
    if row.other_start is not None and row.other_end is not None and row.other_type is not None:
        other = (row.other_start, row.other_end, row.other_type)
    return (mention, other) if row.side == "gold" else (other, mention)


def _cells(text: str) -> Cells:
    """The columns that a text fills: a wide character fills two, a combining one none."""
    # Marks are set by columns of the terminal, not by characters: 東京 is two characters and four
    # columns, and é written as e + accent is two characters and one column.
    cells: Cells = []
    for letter in text:
        if unicodedata.combining(letter) and cells:
            cells[-1] += letter
        else:
            cells.append(letter)
            if unicodedata.east_asian_width(letter) in "WF":
                cells.append("")  # the second column of a wide character
    return cells


def _drawn(
    tokens: Sequence[str], gold: Span | None, pred: Span | None
) -> tuple[Cells, Cells, Cells]:
    """Three lines: gold above, the words, the prediction below."""
    starts, ends, words = [], [], Cells()
    for token in tokens:
        words += [" "] if words else []
        starts.append(len(words))
        words += _cells(token)
        ends.append(len(words))

    def marked(span: Span | None) -> Cells:
        if span is None or span[0] == span[1]:
            return []
        begin, end = starts[span[0]], ends[span[1] - 1]
        return [" "] * begin + ["─"] * (end - begin) + _cells(f" {escape_controls(span[2])}")

    return marked(gold), words, marked(pred)


def _window(above: Cells, words: Cells, below: Cells, width: int) -> list[str]:
    """The part of the lines around the spans that fits the width."""
    marks = [line.index("─") for line in (above, below) if "─" in line]
    # A quarter of the line is left for what stands before the first mark.
    first = max(0, min(marks, default=0) - width // 4)
    if max(map(len, (above, words, below))) <= width:
        first = 0
    shown = []
    for line in (above, words, below):
        part = "".join(line[first : first + width])
        if not part.strip():
            continue
        before = "…" if first and line is words else " "
        behind = "…" if first + width < len(line) and line is words else ""
        shown.append(f"{before} {part.rstrip()}{behind}")
    return shown


Records = Sequence[Mapping[str, Any]]


def list_document(lists: Sequence[tuple[str, Records]]) -> Document:
    data = [{"title": title, "rows": list(records)} for title, records in lists]
    together = [record for _, records in lists for record in records]
    return Document([records_table(title, records) for title, records in lists], data, together)


def error_file(path: str, records: Records) -> Callable[[], bytes | str]:
    """A function that writes one row per mention, in the format of the file's ending."""
    ending = Path(path).suffix.lower()
    writers: dict[str, Callable[[str, Records], bytes | str]] = {
        ".csv": _csv,
        ".jsonl": _jsonl,
        ".parquet": _parquet,
    }
    if ending not in writers:
        raise OutputError(
            path, f"the ending '{ending}' is unknown", "end the name in .csv, .jsonl or .parquet"
        )
    return lambda: writers[ending](path, records)


def _csv(path: str, records: Records) -> str:
    # A cell cannot hold a list of tokens; JSON Lines and Parquet can.
    columns = list(dict.fromkeys(key for record in records for key in record if key != "tokens"))
    return csv_text(columns, [[record.get(key) for key in columns] for record in records])


def _jsonl(path: str, records: Records) -> str:
    return "".join(
        json.dumps(record, ensure_ascii=False, default=plain_row) + "\n" for record in records
    )


def _parquet(path: str, records: Records) -> bytes:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise OutputError(
            path, "Parquet needs the package pyarrow", "install nerscope[tables], or write .csv"
        ) from None
    buffer = io.BytesIO()
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(list(map(dict, records))), buffer)
    return buffer.getvalue()


def judged_tables(
    shares: Sequence[Mapping[str, Any]], agreement: Mapping[str, Any] | None
) -> list[Table]:
    """The shares, and the agreement if there are several judges."""
    shown = [{**share, "share good": _percent(share["share good"])} for share in shares]
    tables = [records_table("Partial matches as judged", shown)]
    if agreement:
        agreed = {**agreement, "raw": _percent(agreement["raw"])}
        tables.append(records_table("Agreement of the judges", [agreed]))
    return tables


def _percent(share: float | None) -> str | None:
    return None if share is None else f"{100 * share:.1f} %"


def add_judgement_tables(document: Document, judged: "JudgedResults") -> Document:
    """Add the tables and notes of judged pairs to a document."""
    shares: Sequence[Mapping[str, Any]] = judged.shares
    if len({share["dataset"] for share in shares}) < 2:
        shares = [{key: share[key] for key in share if key != "dataset"} for share in shares]
    return replace(
        document,
        tables=[*document.tables, *(judged_tables(shares, judged.agreement) if shares else [])],
        data=judged.data,
        notes=[*document.notes, *judged.notes],
    )
