"""A comparison of tools as tables: their numbers, then where they part ways."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from nerscope.compat.peers.compare import ToolComparison, ToolScore
from nerscope.compat.peers.credits import same
from nerscope.compat.peers.differences import KINDS, Disagreement, worth
from nerscope.compat.peers.table import PEERS
from nerscope.errors import plural
from nerscope.render.document import UNDEFINED, Cell, Document, Table, percent

_SHOWN = 10  # of each list, unless everything is asked for
_FEW = 3  # tools that a line names one by one; examples of a cause


def tools_document(
    found: ToolComparison, *, everything: bool = False, text: bool = True
) -> Document:
    """Numbers of all tools, stretches that they read differently, pairs that some credit.

    In text, stretches are told in lines, and pairs are listed if everything is asked for.
    """
    runs = [list(rows) for _, rows in groupby(found.scores, key=lambda one: (one.system, one.run))]
    opening = [
        f"{name}, labels read as {scheme}: {_verdict(rows)}"
        for (name, scheme), rows in zip(found.schemes.items(), runs, strict=True)
    ]
    scores = [_scores(name, rows, text) for name, rows in zip(found.schemes, runs, strict=True)]
    tables = [*scores, _kinds(found)]
    if not text:
        tables.insert(len(scores), _stretches(found, everything))
    if everything or not text:
        tables.append(_pairs(found, everything))
    if everything:
        rules = [(peer.name, peer.rule) for peer in PEERS.values()]
        tables.append(_table("Rules", ("tool", "rule"), rules))
    shown = [table for table in tables if table.rows]
    lines = list(_told(found, everything)) if text else []
    return Document(shown, found.as_dict(), opening=opening, lines=lines)


def _verdict(rows: Sequence[ToolScore]) -> str:
    """Which tools agree on F1, of those that ask for the right span and type."""
    said: dict[float | None, list[str]] = {}
    for row in rows:
        if PEERS[row.name].credit is same:
            said.setdefault(row.score.f1, []).append(row.name)
    ordered = sorted(said.items(), key=lambda item: -len(item[1]))
    return "; ".join(
        f"{_several(names)}: {'no number' if value is None else f'F1 {percent(value)}'}"
        for value, names in ordered
    )


def _several(names: Sequence[str]) -> str:
    return ", ".join(names) if len(names) <= _FEW else f"{len(names)} tools"


def _scores(name: str, rows: Sequence[ToolScore], text: bool) -> Table:
    """The numbers of each tool; what it says instead is a column, or in text a line below."""
    header = ("tool", "mode", "precision", "recall", "F1", "gold", "predicted", "right", "note")
    body = [
        (row.tool, row.mode, *map(percent, row.score[:3]), *map(_count, row.score[3:]), row.note)
        for row in rows
    ]
    title = f"{name} as tools would score it"
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


def _count(value: float | None) -> str:
    return UNDEFINED if value is None else f"{value:.10g}"


def _title(found: ToolComparison) -> str:
    return f"Labels that tools read differently: {plural(len(found.disagreements), 'place')}"


def _stretches(found: ToolComparison, everything: bool) -> Table:
    shown = _examples(found.disagreements, everything)
    header = ("place", "in", "labels", "why", "read as", "by")
    body = [
        (one.place, one.side, one.labels, one.why, *row) for one in shown for row in _views(one)
    ]
    return _table(_title(found), header, body, _more(len(found.disagreements) - len(shown)))


def _told(found: ToolComparison, everything: bool) -> Iterator[str]:
    """The stretches in lines: where and why, the labels, and how they are read."""
    yield _title(found)
    shown = _examples(found.disagreements, everything)
    for one in shown:
        yield f"{one.place} ({one.side}): {one.why}"
        yield f"    {one.labels}"
        views = _views(one, most="the others")
        width = max(len(mentions) for mentions, _ in views)
        yield from (f"    {mentions:{width}}  {tools}" for mentions, tools in views)
    yield from _more(len(found.disagreements) - len(shown))
    for why, times in Counter(one.why for one in found.disagreements).most_common(_SHOWN):
        yield f"  {times:6d}  {why}"


def _examples(every: Sequence[Disagreement], everything: bool) -> list[Disagreement]:
    """The first few for each cause: where a tool does not know a letter, all places look alike."""
    times: Counter[str] = Counter()
    shown = []
    for one in every:
        cause = one.why.partition(": ")[2]
        times[cause] += 1
        if everything or times[cause] <= _FEW:
            shown.append(one)
    return shown


def _views(one: Disagreement, most: str = "") -> list[tuple[str, str]]:
    """Each way to read a stretch, and the tools that do; the most common one may have a name."""
    rows = [(" · ".join(view.mentions) or "nothing", ", ".join(view.tools)) for view in one.views]
    if most:
        rows[0] = rows[0][0], most
    return [*rows, ("refused", ", ".join(one.refused_by))] if one.refused_by else rows


def _kinds(found: ToolComparison) -> Table:
    times = Counter(pair.kind for pair in found.pairs)
    first = {pair.kind: pair.place for pair in reversed(found.pairs)}
    body = [
        (kind, str(times[kind]), first[kind], *(f"{value:g}" for value in worth(kind).values()))
        for kind in KINDS
        if times[kind]
    ]
    note = "what such a pair by itself is worth to nervaluate's modes; to other tools, nothing"
    header = ("pair", "times", "first", *worth(KINDS[0]))
    return _table("Mentions that overlap without being equal", header, body, [note])


def _pairs(found: ToolComparison, everything: bool) -> Table:
    shown = found.pairs if everything else found.pairs[:_SHOWN]
    header = ("place", "system", "run", "gold", "predicted", "pair")
    body = [(one.place, one.system, one.run, one.gold, one.predicted, one.kind) for one in shown]
    return _table("These pairs, one by one", header, body, _more(len(found.pairs) - len(shown)))


def _more(left_out: int) -> tuple[str, ...]:
    return (f"… and {left_out} more: --all shows them",) if left_out else ()
