"""A comparison of tools as tables: their numbers, and where they disagree."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from nerscope.compat.peers.compare import ToolComparison, ToolScore
from nerscope.compat.peers.differences import KINDS, Disagreement, credit_by_mode
from nerscope.compat.peers.tools import PEERS
from nerscope.errors import plural
from nerscope.render.document import UNDEFINED, Cell, Document, Table, percent
from nerscope.render.layout import text_width

_SHOWN = 10  # rows of each list, without --all
_COLUMN = 36  # wider mentions are followed by their tools, since lines are wrapped
_FEW = 3  # maximum of tools named in a line, and of examples per cause


def tools_document(
    compared: ToolComparison, *, everything: bool = False, text: bool = True
) -> Document:
    """The numbers of all tools, stretches that they read differently, pairs that some credit.

    `everything` lists all stretches, pairs and rules instead of the first few. `text` is for the
    screen, where stretches are lines, because a table would be too wide.
    """
    by_run = groupby(compared.scores, key=lambda row: (row.system, row.run))
    runs = [list(rows) for _, rows in by_run]
    opening = [
        f"{name}, labels read as {scheme}: {_verdict(rows)}"
        for (name, scheme), rows in zip(compared.schemes.items(), runs, strict=True)
    ]
    scores = [_scores(name, rows, text) for name, rows in zip(compared.schemes, runs, strict=True)]
    tables = [*scores, _kinds(compared, text)]
    if not text:
        tables.insert(len(scores), _stretches(compared, everything))
    if everything or not text:
        tables.append(_pairs(compared, everything))
    if everything:
        rules = [(peer.name, peer.rule) for peer in PEERS.values()]
        tables.append(_table("Rules", ("tool", "rule"), rules))
    shown = [table for table in tables if table.rows]
    lines = list(_stretch_lines(compared, everything)) if text else []
    return Document(shown, compared.as_dict(), opening=opening, lines=lines)


def _verdict(rows: Sequence[ToolScore]) -> str:
    """Which tools agree on F1, among those that require the correct span and type."""
    tools_of: dict[float | None, list[str]] = {}  # by F1
    for row in rows:
        if PEERS[row.name].needs_equal_mentions:
            tools_of.setdefault(row.score.f1, []).append(row.name)
    ordered = sorted(tools_of.items(), key=lambda item: -len(item[1]))
    return "; ".join(
        f"{_several(names)}: {'no number' if value is None else f'F1 {percent(value)}'}"
        for value, names in ordered
    )


def _several(names: Sequence[str]) -> str:
    if len(names) <= _FEW:
        return ", ".join(names)
    tools = {PEERS[name].tool for name in names}
    return f"{plural(len(tools), 'tool')} in {plural(len(names), 'mode')}"


def _scores(name: str, rows: Sequence[ToolScore], text: bool) -> Table:
    """The numbers of each tool; notes are a column, or lines below the table in text."""
    header = ("tool", "mode", "precision", "recall", "F1", "gold", "predicted", "right", "note")
    body = [
        (
            *(row.tool, row.mode, *map(percent, row.score[:3])),
            *(_count(value, text) for value in row.score[3:]),
            row.note,
        )
        for row in rows
    ]
    title = f"{name} as scored by each tool"
    if not text:
        return _table(title, header, body)
    notes: dict[str, list[str]] = {}
    for row in rows:
        notes.setdefault(row.note, []).append(row.name)
    below = [f"{', '.join(names)}: {note}" for note, names in notes.items() if note]
    return _table(title, header[:-1], [row[:-1] for row in body], below)


def _table(
    title: str, header: Sequence[str], body: Iterable[Sequence[str]], notes: Sequence[str] = ()
) -> Table:
    return Table(title, tuple(header), tuple(tuple(map(Cell, row)) for row in body), tuple(notes))


def _count(value: float | None, text: bool) -> str:
    """A count, with half credits; the thousands are separated on screen, not in CSV."""
    if value is None:
        return UNDEFINED
    return f"{value:,.10g}" if text else f"{value:.10g}"


def _title(compared: ToolComparison) -> str:
    return f"Labels that tools read differently: {plural(len(compared.disagreements), 'place')}"


def _stretches(compared: ToolComparison, everything: bool) -> Table:
    shown = _examples(compared.disagreements, everything)
    header = ("place", "in", "labels", "why", "read as", "by")
    body = [
        (stretch.place, stretch.side, stretch.labels, stretch.why, *row)
        for stretch in shown
        for row in _views(stretch)
    ]
    return _table(_title(compared), header, body, _more(len(compared.disagreements) - len(shown)))


def _stretch_lines(compared: ToolComparison, everything: bool) -> Iterator[str]:
    """The stretches as lines: place and cause, the labels, and their readings."""
    yield _title(compared)
    shown = _examples(compared.disagreements, everything)
    for stretch in shown:
        yield f"{stretch.place} ({stretch.side}): {stretch.why}"
        yield f"    {stretch.labels}"
        views = _views(stretch, most="the others")
        width = max(text_width(mentions) for mentions, _ in views)
        for mentions, tools in views:
            blanks = "  " + " " * (width - text_width(mentions))
            yield f"    {mentions}{blanks if width <= _COLUMN else ': '}{tools}"
    yield from _more(len(compared.disagreements) - len(shown))
    for why, times in Counter(row.why for row in compared.disagreements).most_common(_SHOWN):
        yield f"  {times:6,d}  {why}"


def _examples(every: Sequence[Disagreement], everything: bool) -> list[Disagreement]:
    """The first few disagreements of each cause, since many look alike."""
    times: Counter[str] = Counter()
    shown = []
    for stretch in every:
        cause = stretch.why.partition(": ")[2]
        times[cause] += 1
        if everything or times[cause] <= _FEW:
            shown.append(stretch)
    return shown


def _views(stretch: Disagreement, most: str = "") -> list[tuple[str, str]]:
    """Each reading of a stretch, and its tools; `most` replaces the tools of the most common."""
    rows = [
        (" · ".join(view.mentions) or "nothing", ", ".join(view.tools)) for view in stretch.views
    ]
    if most:
        rows[0] = rows[0][0], most
    return [*rows, ("refused", ", ".join(stretch.refused_by))] if stretch.refused_by else rows


def _kinds(compared: ToolComparison, text: bool) -> Table:
    times = Counter(pair.kind for pair in compared.pairs)
    first = {pair.kind: pair.place for pair in reversed(compared.pairs)}
    body = [
        (
            kind,
            _count(times[kind], text),
            first[kind],
            *(f"{value:g}" for value in credit_by_mode(kind).values()),
        )
        for kind in KINDS
        if times[kind]
    ]
    note = "credit of such a pair in each mode of nervaluate; other tools give no credit"
    # One column for each mode of nervaluate.
    header = ("pair", "times", "first", *credit_by_mode(KINDS[0]))
    return _table("Mentions that overlap without being equal", header, body, [note])


def _pairs(compared: ToolComparison, everything: bool) -> Table:
    shown = compared.pairs if everything else compared.pairs[:_SHOWN]
    header = ("place", "system", "run", "gold", "predicted", "pair")
    body = [
        (pair.place, pair.system, pair.run, pair.gold, pair.predicted, pair.kind) for pair in shown
    ]
    return _table("List of these pairs", header, body, _more(len(compared.pairs) - len(shown)))


def _more(left_out: int) -> tuple[str, ...]:
    return (f"… and {left_out:,} more: --all shows them",) if left_out else ()
