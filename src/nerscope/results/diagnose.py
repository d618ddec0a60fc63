"""InterpretEval's views of results: by model, by attribute, by bucket."""

import math
from collections.abc import Iterable, Iterator
from typing import Any

from nerscope.errors import InputError, UsageError
from nerscope.results.errors import check_system
from nerscope.results.results import Results
from nerscope.stats.interpreteval import (
    Performance,
    Score,
    attribute_wise,
    comparative_diagnosis,
    model_wise,
    relative_change,
    self_diagnosis,
)


def diagnose(
    results: Results, a: str | None = None, b: str | None = None
) -> dict[str, list[dict[str, Any]]]:
    """All views, as rows by the name of the view; with two systems, their comparison and the heat
    map of changes.

    Undefined numbers are None. `notes` says why a test could not be made.

    >>> from nerscope import evaluate
    >>> gold = [(["Ada", "met", "Eve", "Lee"], ["B-PER", "O", "B-PER", "I-PER"])]
    >>> results = evaluate(gold, {"x": [["B-PER", "O", "B-PER", "O"]]}, facets=["eLen"])
    >>> diagnose(results)["self-diagnosis"][0]["worst"]
    'S'
    """
    check_system(results, None)
    if (a is None) != (b is None):
        raise UsageError(
            "diagnose", "only one system is named", "name two systems, or none for all pairs"
        )
    table = performance(results)
    for name in (a, b):
        check_system(results, name)
    views = {
        "model-wise": _plain(model_wise(table)),
        "attribute-wise": _plain(attribute_wise(table)),
        "self-diagnosis": _plain(self_diagnosis(table)),
    }
    if a is not None and b is not None:
        views["comparative diagnosis"] = _plain(comparative_diagnosis(table, [(a, b)]))
        views["relative change"] = _plain(relative_change(table, a, b))
    elif len(table.systems) > 1:
        views["comparative diagnosis"] = _plain(comparative_diagnosis(table))
    views["notes"] = [{"note": note} for note in _notes(table)]
    return views


def performance(results: Results) -> Performance:
    """The performance table of results: F1 in the buckets of every attribute."""
    bucketed = {facet for part in results.evidence for facet in part.signature.edges}
    first: dict[str, str] = {}  # of several matches, the one that was named first counts
    scores = [
        Score(
            row["dataset"],
            row["system"],
            row["run"],
            row["facet"],
            row["level"],
            math.nan if row["value"] is None else row["value"],
        )
        for row in results.rows
        if row["facet"] in bucketed
        and row["metric"] == "f1"
        and row["type"] is None
        and row["run"] is not None
        and first.setdefault(row["facet"], row["match"]) == row["match"]
    ]
    if not scores:
        raise InputError(
            "results",
            "they hold no attribute",
            "evaluate with --train, or with --facet eLen and the like",
        )
    return Performance(scores, {part.dataset: dict(part.zeta) for part in results.evidence})


def _plain(rows: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    return [
        {
            key: None if isinstance(value, float) and math.isnan(value) else value
            for key, value in row.items()
        }
        for row in rows
    ]


def _notes(table: Performance) -> Iterator[str]:
    """Which tests cannot be made, and why: one note for each reason."""
    for dataset in table.datasets:
        missing = [system for system in table.systems if not table.present(dataset, system)]
        yield from (f"{dataset}: {name} has no output here and is left out" for name in missing)
        if len(table.systems) - len(missing) < 2:
            yield f"{dataset}: Friedman's test over buckets needs at least two systems"
    alone = [system for system in table.systems if len(table.datasets_of(system)) < 2]
    if alone:
        yield f"{', '.join(alone)}: Friedman's test over buckets needs at least two datasets"
    once = [
        system
        for system in table.systems
        if len(table.blocks(table.attributes[0], system=system)) < 2
    ]
    if once:
        yield f"{', '.join(once)}: Wilcoxon's test needs at least two runs or datasets"
    few = [name for name, buckets in table.buckets.items() if len(buckets) < 3]
    if few:
        yield f"Friedman's test needs at least three buckets: {', '.join(few)} have fewer"
