"""The verdicts of a gate."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any

from nerscope.render.document import ERROR, OUTPUTS, Cell, Check, Document, Table
from nerscope.render.layout import SCREEN_LINES
from nerscope.results.verdict import FAIL, OK, UNDECIDED, Verdict

_ORDER = (FAIL, UNDECIDED, OK)
_HEADER = ("Condition", "New", "Baseline", "Drop in points [bounds]", "Rule", "Verdict")


def verdict_document(
    verdicts: Sequence[Verdict], text: bool, notes: Sequence[str] = (), everything: bool = False
) -> Document:
    """Lines for people, one record per verdict for programs, one check for a build.

    Failed verdicts come first, undecided ones next; what passed is cut to one screen.
    """
    records = [
        {
            key: None if isinstance(value, float) and math.isnan(value) else value
            for key, value in asdict(verdict).items()
        }
        for verdict in verdicts
    ]
    checks = [_check(*both) for both in zip(verdicts, records, strict=True)]
    document = Document(
        [] if text else [_table(verdicts)],
        {"verdicts": records},
        records,
        checks=checks,
        notes=list(notes),
    )
    if not text:
        return document
    ranked = sorted(verdicts, key=lambda one: (_ORDER.index(one.verdict), not one.failed))
    counts = Counter(verdict.word for verdict in ranked)
    summary = ", ".join(f"{count} {word}" for word, count in counts.items())
    heading = [f"{len(verdicts)} conditions: {summary}"] if len(verdicts) > 1 else []
    least = max(1, sum(verdict.failed for verdict in ranked))  # no failure is cut
    for most in range(len(ranked), least - 1, -1):
        lines = [*heading, *map(str, ranked[:most])]
        if most < len(ranked):
            lines.append(f"{len(ranked) - most} more: --all")
        document = replace(document, lines=lines)
        if everything or OUTPUTS["text"](document).count("\n") <= SCREEN_LINES:
            break
    return document


def _table(verdicts: Sequence[Verdict]) -> Table:
    rows = tuple(tuple(map(Cell, verdict.columns)) for verdict in verdicts)
    return Table("Verdicts", _HEADER, rows)


def error_document(place: str, message: str) -> Document:
    """The report for a build when the gate could not decide."""
    return Document(checks=[Check(place, "gate", ERROR, True, message)])


def _check(verdict: Verdict, record: Mapping[str, Any]) -> Check:
    group = f"{verdict.dataset}, {verdict.system}"
    name = verdict.name.removeprefix(f"{group}, ")
    return Check(group, name, verdict.verdict, verdict.failed, verdict.reason, record)
