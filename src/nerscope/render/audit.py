"""The suspects of an audit, and scores under doubt, as documents."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from nerscope.errors import plural
from nerscope.render.document import UNDEFINED, Cell, Document, Table, Verbatim, percent
from nerscope.render.layout import screen_width, text_width, wrap_text

if TYPE_CHECKING:
    from nerscope.annotation.apply import AppliedLog
    from nerscope.annotation.audit.doubt import Doubt
    from nerscope.annotation.audit.result import Audit
    from nerscope.annotation.audit.suspects import Suspect, SuspectGroup

FIRST_SCREEN = 11  # groups
_PROBABLE = 0.5


def audit_document(
    audit: "Audit",
    *,
    as_list: bool,
    most: int | None,
    gold: str,
    hints: Sequence[str] = (),
    notes: Sequence[str] = (),
    every_note: Sequence[str] = (),
) -> Document:
    """The list of groups for a terminal, or a table for other outputs; all of it as data.

    `most` is the number of groups to show; None shows all. `notes` are those on reading.
    """
    groups = audit.groups if most is None else audit.groups[:most]
    left = len(audit.groups) - len(groups)
    lines = [*(_group_lines(audit, groups) if as_list else ())]
    if left and as_list:
        lines.append(f"{left:,} more: --all")
    return Document(
        tables=() if as_list else [_groups_table(audit, groups), *_doubt_tables(audit.doubt)],
        data=audit.as_dict(),
        records=[_record(suspect) for suspect in audit.suspects],
        opening=[*_opening(audit, gold), *lines, *(_doubt_lines(audit.doubt) if as_list else ())],
        hints=[Verbatim(hint) for hint in hints],
        notes=[*audit.warnings, *notes],
        every_note=[*audit.warnings, *every_note],
    )


def _opening(audit: "Audit", gold: str) -> Iterator[str]:
    size = f"{plural(audit.n_sentences, 'sentence')}, {plural(audit.n_mentions, 'mention')}"
    names = ", ".join(f"{row.system} (F1 {percent(row.f1, 1)})" for row in audit.systems)
    yield f"{gold}: {size}; compared with {names}"
    if not audit.suspects:
        yield "No suspects: nothing disagrees with gold."
        return
    n = sum(suspect.score >= _PROBABLE for suspect in audit.suspects)
    groups = f"{plural(len(audit.suspects), 'suspect')} in {plural(len(audit.groups), 'group')}"
    yield f"{groups}; {n:,} with a score of {_PROBABLE} or more"


def _group_lines(audit: "Audit", groups: Sequence["SuspectGroup"]) -> Iterator[str]:
    """Each group in two lines: where it is and what is proposed; why."""
    width = screen_width()
    for group in groups:
        first = audit.suspects[group.suspects[0]]
        times = f" ({group.n} times)" if group.n > 1 else ""
        head = f"{group.score:.2f}  line {first.line}  {group.kind}"
        change = "" if group.kind == "broken" else f": {group.gold} → {group.proposed}"
        yield Verbatim(_cut(f"{head}{change}{times}", width))
        yield Verbatim(_cut(f"      {'; '.join(first.reasons)}", width))


def _cut(text: str, width: int) -> str:
    """A text in one line of a terminal."""
    return text if text_width(text) <= width else f"{wrap_text(text, width - 2, '')[0]} …"


def _groups_table(audit: "Audit", groups: Sequence["SuspectGroup"]) -> Table:
    header = ("score", "line", "n", "kind", "gold", "proposed", "reasons")
    rows = []
    for group in groups:
        first = audit.suspects[group.suspects[0]]
        texts = (
            f"{group.score:.2f}",
            str(first.line),
            str(group.n),
            group.kind,
            group.gold,
            group.proposed,
            "; ".join(first.reasons),
        )
        rows.append(tuple(map(Cell, texts)))
    return Table("Suspects", header, tuple(rows), label="suspects")


def _record(suspect: "Suspect") -> Mapping[str, Any]:
    """A suspect in one row of CSV; spans as start-end-type."""
    row = suspect.as_dict()
    for key in ("gold", "proposed"):
        row[key] = " ".join(f"{span['start']}-{span['end']}-{span['type']}" for span in row[key])
    row["reasons"] = "; ".join(suspect.reasons)
    return row


def _doubt_lines(doubt: "Doubt | None") -> Iterator[str]:
    """What errors of gold mean for the scores of systems."""
    if doubt is None:
        return
    if not doubt.judged:
        for row in doubt.scores:
            yield (
                f"{row.system}: F1 {percent(row.f1)}, expected {percent(row.corrected)} against "
                f"corrected gold, at the extremes {percent(row.least)} to {percent(row.most)}"
            )
    for row in doubt.scores if doubt.judged else ():
        yield (
            f"{row.system}: F1 {percent(row.f1)}, against corrected gold {percent(row.corrected)} "
            f"[{percent(row.low)}, {percent(row.high)}]"
        )
    if doubt.judged:
        value, low, high = map(percent, doubt.wrong)
        judged = plural(doubt.judged, "judged sentence")
        yield f"wrong gold mentions: {value} % [{low}, {high}], from {judged}"
    for pair in doubt.rankings[:1]:
        if pair.can_turn:
            yield (
                f"Corrections could rank {pair.worse} above {pair.better} (probability "
                f"{pair.chance:.2f})"
            )
        else:
            yield f"No choice of suspects ranks {pair.worse} above {pair.better}"


def _doubt_tables(doubt: "Doubt | None") -> list[Table]:
    if doubt is None:
        return []
    header = ("system", "F1", "corrected F1", "low", "high", "least", "most")
    rows = tuple(
        (
            Cell(row.system),
            *(
                Cell(percent(value))
                for value in (row.f1, row.corrected, row.low, row.high, row.least, row.most)
            ),
        )
        for row in doubt.scores
    )
    basis = (
        f"corrected F1 with its 95 % interval: from {plural(doubt.judged, 'judged sentence')}"
        if doubt.judged
        else "corrected F1: expected from the scores of suspects, without judged sentences"
    )
    extremes = "least, most: if all suspects that lower F1, or all that raise it, are errors"
    return [Table("Scores under doubt", header, rows, (basis, extremes), label="doubt")]


def applied_document(log: "AppliedLog") -> Document:
    """What `--apply` changed: a row per sentence."""
    header = ("line", "sentence", "before", "after", "by")
    rows = tuple(
        tuple(
            map(
                Cell,
                (
                    row.record or str(row.line),
                    str(row.sentence),
                    _spans(row.before),
                    _spans(row.after),
                    row.by or UNDEFINED,
                ),
            )
        )
        for row in log.rows
    )
    done = f"wrote {log.output}" if log.output else "nothing written"
    opening = (
        f"{log.file}: {plural(len(rows), 'sentence')} changed, {log.confirmed:,} confirmed, "
        f"{log.already:,} already applied; {done}"
    )
    data = {
        "file": log.file,
        "output": log.output,
        "rows": [row.as_dict() for row in log.rows],
        "confirmed": log.confirmed,
        "already": log.already,
        "rewritten": log.rewritten,
        "messages": list(log.messages),
    }
    tables = [Table("Changes", header, rows, label="changes")] if rows else []
    records = [row.as_dict() for row in log.rows]
    return Document(tables, data, records, opening=[opening], notes=list(log.messages))


def _spans(spans: Sequence[tuple[int, int, str]]) -> str:
    return " ".join(f"{start}-{end}-{kind}" for start, end, kind in spans) or UNDEFINED
