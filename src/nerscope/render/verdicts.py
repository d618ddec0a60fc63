"""The verdicts of a gate."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from nerscope.render.document import Check, Document, table_of
from nerscope.results.verdict import Verdict


def verdict_document(
    verdicts: Sequence[Verdict], text: bool, notes: Sequence[str] = ()
) -> Document:
    """One line a verdict for people, one record for programs, one check for a build."""
    records = [
        {
            key: None if isinstance(value, float) and math.isnan(value) else value
            for key, value in asdict(verdict).items()
        }
        for verdict in verdicts
    ]
    tables = [] if text else [table_of("Verdicts", records)]
    lines = [str(verdict) for verdict in verdicts] if text else []
    checks = [_check(*both) for both in zip(verdicts, records, strict=True)]
    return Document(
        tables, {"verdicts": records}, records, lines=lines, checks=checks, notes=list(notes)
    )


def _check(verdict: Verdict, record: Mapping[str, Any]) -> Check:
    group = f"{verdict.dataset}, {verdict.system}"
    name = verdict.name.removeprefix(f"{group}, ")
    return Check(group, name, verdict.verdict, verdict.failed, verdict.said, record)
