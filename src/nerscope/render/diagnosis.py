"""InterpretEval's views as tables: the surest and strongest effects first, or everything."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from nerscope.render.document import Document, Table, records_table

Record = Mapping[str, Any]


class _DiagnosisView(NamedTuple):
    """How a view is shown: its heading, what makes a row strong, how many rows a digest has."""

    title: str
    strength: str
    rows: int
    once: tuple[str, ...] = ()  # a digest shows the strongest row of each of these


_VIEWS = {
    "attribute-wise": _DiagnosisView(
        "Attribute-wise: mean value ζ, and strength ρ of the correlation with F1", "rho", 10
    ),
    "model-wise": _DiagnosisView(
        "Model-wise: correlation of F1 with the buckets, and its spread over them", "spearman", 8
    ),
    "self-diagnosis": _DiagnosisView(
        "Self-diagnosis: the best and the worst bucket", "gap", 8, ("dataset", "system")
    ),
    "comparative diagnosis": _DiagnosisView(
        "Comparative diagnosis: where A is furthest ahead of B, and behind", "difference", 8
    ),
    "chosen buckets": _DiagnosisView(
        "Chosen buckets: A − B over runs and datasets (the paper's footnote 11)", "difference", 1000
    ),
    "relative change": _DiagnosisView("Relative change from B to A", "change", 0),
}
_LEGEND = (
    "p_trend: does F1 rise or fall with the buckets?  "
    "…_noise: the mean size of the correlation by chance alone",
    "p: do buckets differ; do best and worst, picked among all pairs; "
    "is A's lead here another than over all buckets (overall)?",
    "(…) p is not below 0.05, or cannot be told; a correlation: p_trend is not, or chance gives as "
    "much",
)
_PAPER = (
    "interpreteval_p: exact Friedman test where it can be made; interpreteval_chi_square_p: the "
    "chi-square approximation, which the paper prints",
    "interpreteval_…: the paper's own tests; on attributes that mean nothing they were below 0.05 "
    "in 93 % (Friedman's, attribute-wise),",
    "5 % (Friedman's, model-wise), 100 % (Wilcoxon's, best against worst) and 58 % "
    "(Wilcoxon's, two systems) of all cases; 5 % is right",
)
_TESTED = ("std", "gap", "difference")
_CORRELATIONS = ("spearman", "rho")
_LEFT_OUT = ("significant", "significant_trend", "test", "clusters")


def diagnosis_document(
    views: Mapping[str, Sequence[Record]], *, everything: bool = False, paper: bool = False
) -> Document:
    """What a diagnosis has to say: a digest of each view, or everything."""
    tables = [_table(_VIEWS[name], views.get(name, ()), everything) for name in _VIEWS]
    shown = [table for table in tables if table.rows]
    tests = sorted(
        {row["test"] for name in _VIEWS for row in views.get(name, ()) if row.get("test")}
    )
    lines = [*_LEGEND, *([f"tests: {'; '.join(tests)}"] if tests else [])]
    if paper:
        lines += _PAPER
    if not everything:
        lines.append("the surest and strongest effects are shown; --all shows everything")
    return Document(
        shown, dict(views), lines=lines, notes=[record["note"] for record in views["notes"]]
    )


def _table(view: _DiagnosisView, records: Sequence[Record], everything: bool) -> Table:
    chosen = list(records) if everything else _digest(view, records)
    rest = f" (the strongest {len(chosen)} of {len(records)})" if len(chosen) < len(records) else ""
    return records_table(view.title + rest, list(map(_shown, chosen)))


def _digest(view: _DiagnosisView, records: Sequence[Record]) -> list[Record]:
    """The strongest rows, those first that are more than chance; with `once`, only the first of
    each.
    """
    ordered = sorted(
        records,
        key=lambda row: (may_be_chance(row, view.strength), -abs(row[view.strength] or 0.0)),
    )
    if view.once:
        first: dict[tuple[object, ...], Record] = {}
        for record in ordered:
            first.setdefault(tuple(record[key] for key in view.once), record)
        ordered = list(first.values())
    return ordered[: view.rows]


def may_be_chance(row: Record, key: str) -> bool:
    """Whether a number is no more than chance may give, or cannot be told from it."""
    if key not in _CORRELATIONS:
        return not row.get("significant")
    noise = row.get(f"{key}_noise")
    return not row.get("significant_trend") or noise is None or abs(row[key] or 0.0) <= noise


def _shown(row: Record) -> dict[str, object]:
    """A row in words; numbers that may be chance are in parentheses, as the paper greys them."""
    shown = {key: value for key, value in row.items() if key not in _LEFT_OUT}
    for key in (*_CORRELATIONS, *_TESTED):
        if isinstance(row.get(key), float) and may_be_chance(row, key):
            shown[key] = f"({row[key]:.3f})"
        shown.pop(f"{key}_noise_95", None)
    for key in ("p", "p_trend"):
        if row.get(key) is not None:
            shown[key] = f"{row[key]:.4f}"
    for key in ("datasets", "systems", "interpreteval_datasets"):
        if key in shown:
            del shown[key]  # to stand behind the numbers
            shown[key] = ", ".join(row[key]) if len(row[key]) < 3 else len(row[key])
    for size in ("blocks", "pairs"):
        number = shown.pop(f"interpreteval_{size}", None)
        if number is not None and row["interpreteval_test"]:
            shown["interpreteval_test"] = f"{row['interpreteval_test']}, {number} {size}"
    return shown
