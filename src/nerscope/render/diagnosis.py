"""InterpretEval's views as tables."""

from collections.abc import Mapping, Sequence
from typing import Any

from nerscope.render.document import Document, table_of

_TITLES = {
    "model-wise": "Model-wise: correlation of F1 with the buckets, and its spread over them",
    "attribute-wise": "Attribute-wise: mean value ζ, and strength ρ of the correlation with F1",
    "self-diagnosis": "Self-diagnosis: the best and the worst bucket",
    "comparative diagnosis": "Comparative diagnosis: where A is furthest ahead of B, and behind",
    "relative change": "Relative change from B to A",
}


def diagnosis_document(views: Mapping[str, Sequence[dict[str, Any]]]) -> Document:
    """What a diagnosis has to say."""
    tables = [
        table_of(_TITLES[name], list(map(_marked, records)))
        for name, records in views.items()
        if name != "notes" and records
    ]
    return Document(
        tables,
        dict(views),
        lines=["(…) fails its test at p = 0.05, or cannot be tested"],
        notes=[record["note"] for record in views["notes"]],
    )


def _marked(row: dict[str, Any]) -> dict[str, Any]:
    """Numbers that fail their test in parentheses, as the paper greys them."""
    shown = {key: value for key, value in row.items() if key != "significant"}
    if row.get("significant") is False:
        for key in ("spearman", "std", "rho", "gap", "difference"):
            if isinstance(shown.get(key), float):
                shown[key] = f"({shown[key]:.3f})"
    return shown
