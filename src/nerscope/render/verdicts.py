"""The verdicts of a gate."""

import math
from collections.abc import Sequence
from dataclasses import asdict

from nerscope.render.document import Document, table_of
from nerscope.results.gate import Verdict


def verdict_document(verdicts: Sequence[Verdict], text: bool) -> Document:
    """One line a verdict for people, one record for programs."""
    records = [
        {
            key: None if isinstance(value, float) and math.isnan(value) else value
            for key, value in asdict(verdict).items()
        }
        for verdict in verdicts
    ]
    tables = [] if text else [table_of("Verdicts", records)]
    lines = [str(verdict) for verdict in verdicts] if text else []
    return Document(tables, {"verdicts": records}, records, lines)
