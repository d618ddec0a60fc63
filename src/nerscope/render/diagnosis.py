"""InterpretEval's views as tables: the strongest effects first, or everything."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from nerscope.render.document import Document, Table, table_of

Record = dict[str, Any]


class _View(NamedTuple):
    """How a view is shown: its heading, what makes a row strong, how many rows a digest has."""

    title: str
    strength: str
    rows: int
    once: tuple[str, ...] = ()  # a digest shows the strongest row of each of these


_VIEWS = {
    "attribute-wise": _View(
        "Attribute-wise: mean value ζ, and strength ρ of the correlation with F1", "rho", 10
    ),
    "model-wise": _View(
        "Model-wise: correlation of F1 with the buckets, and its spread over them", "spearman", 8
    ),
    "self-diagnosis": _View(
        "Self-diagnosis: the best and the worst bucket", "gap", 8, ("dataset", "system")
    ),
    "comparative diagnosis": _View(
        "Comparative diagnosis: where A is furthest ahead of B, and behind", "difference", 8
    ),
    "relative change": _View("Relative change from B to A", "change", 0),
}
_LEGEND = (
    "(…) does not reach p < 0.05 in the test that its row names, or cannot be tested: "
    "Friedman's over buckets",
    "(model-wise one block a dataset, attribute-wise one a system), "
    "Wilcoxon's over runs and datasets elsewhere",
)


def diagnosis_document(
    views: Mapping[str, Sequence[Record]], *, everything: bool = False
) -> Document:
    """What a diagnosis has to say: a digest of each view, or everything."""
    tables = [_table(_VIEWS[name], views.get(name, ()), everything) for name in _VIEWS]
    shown = [table for table in tables if table.rows]
    more = () if everything else ("the strongest effects are shown; --all shows everything",)
    return Document(
        shown,
        dict(views),
        lines=[*_LEGEND, *more],
        notes=[record["note"] for record in views["notes"]],
    )


def _table(view: _View, records: Sequence[Record], everything: bool) -> Table:
    chosen = list(records) if everything else _digest(view, records)
    rest = f" (the strongest {len(chosen)} of {len(records)})" if len(chosen) < len(records) else ""
    return table_of(view.title + rest, list(map(_marked, chosen)))


def _digest(view: _View, records: Sequence[Record]) -> list[Record]:
    """The strongest rows; with `once`, only the strongest one of each."""
    ordered = sorted(records, key=lambda record: -abs(record[view.strength] or 0.0))
    if view.once:
        first: dict[tuple[Any, ...], Record] = {}
        for record in ordered:
            first.setdefault(tuple(record[key] for key in view.once), record)
        ordered = list(first.values())
    return ordered[: view.rows]


def _marked(row: Record) -> Record:
    """Numbers that fail their test in parentheses, as the paper greys them."""
    left_out = ("significant", "blocks", "pairs")
    shown = {key: value for key, value in row.items() if key not in left_out}
    if row.get("significant") is False:
        for key in ("spearman", "std", "rho", "gap", "difference"):
            if isinstance(shown.get(key), float):
                shown[key] = f"({shown[key]:.3f})"
    for key in ("datasets", "systems"):
        if key in shown:
            names = shown[key]
            shown[key] = ", ".join(names) if len(names) < 3 else len(names)
    for size in ("blocks", "pairs"):
        if row.get("test") and size in row:
            shown["test"] = f"{row['test']}, {row[size]} {size}"
    return shown
