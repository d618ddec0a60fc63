"""InterpretEval's views of results: by model, by attribute, by bucket."""

import math
from collections.abc import Callable, Iterable, Iterator
from itertools import combinations

from nerscope.errors import InputError, UsageError
from nerscope.results.errors import check_system
from nerscope.results.results import Results
from nerscope.results.tested import METRIC, Record, Tested
from nerscope.stats.interpreteval import (
    Performance,
    Score,
    attribute_wise,
    comparative_diagnosis,
    model_wise,
    relative_change,
    self_diagnosis,
)

PAPER = "interpreteval_"  # what the paper's own tests say begins with this
Views = dict[str, list[Record]]


def diagnose(
    results: Results,
    a: str | None = None,
    b: str | None = None,
    *,
    samples: int = 10_000,
    seed: int = 0,
    resample: str | None = None,
    paper: bool = False,
) -> Views:
    """All views, as rows by the name of the view; with two systems, their comparison and the heat
    map of changes.

    `p` comes from changing the signs of whole documents where they are marked, else of sentences,
    unless `resample` says which. With `paper`, InterpretEval's own tests are there, too, in fields
    that begin with `interpreteval_`. Undefined numbers are None. `notes` says why a test could not
    be made.

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
    pairs = [(a, b)] if a is not None and b is not None else list(combinations(table.systems, 2))
    overlapping = results.protocol is not None and results.protocol.are_splits
    tested = Tested(results.evidence, _matches(results), samples, seed, resample, overlapping)
    views = {
        "model-wise": _joined(model_wise(table, paper), tested.model_wise),
        "attribute-wise": _joined(attribute_wise(table, paper), tested.attribute_wise),
        "self-diagnosis": _joined(self_diagnosis(table, paper), tested.extremes),
    }
    if pairs:
        rows = comparative_diagnosis(table, pairs, paper)
        views["comparative diagnosis"] = _joined(rows, tested.lead)
    if a is not None and b is not None:
        views["relative change"] = list(map(_plain, relative_change(table, a, b)))
    notes = [*_left_out(table), *tested.notes(), *(_paper_notes(table) if paper else ())]
    views["notes"] = [{"note": note} for note in notes]
    return views


def _joined(rows: Iterable[Record], test: Callable[[Record], Record]) -> list[Record]:
    """Rows with what is tested of them, before what the paper tests."""
    joined = []
    for row in rows:
        own = {key: value for key, value in row.items() if not key.startswith(PAPER)}
        joined.append(_plain({**own, **test(row), **row}))
    return joined


def _matches(results: Results) -> dict[str, str]:
    """The attributes with the match they are diagnosed under: of several, the one named first."""
    bucketed = {facet for part in results.evidence for facet in part.signature.edges}
    first: dict[str, str] = {}
    for row in results.rows:
        if row["facet"] in bucketed and row["metric"] == METRIC and row["type"] is None:
            first.setdefault(row["facet"], row["match"])
    return first


def performance(results: Results) -> Performance:
    """The performance table of results: F1 in the buckets of every attribute."""
    matches = _matches(results)
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
        if row["metric"] == METRIC
        and row["type"] is None
        and row["run"] is not None
        and matches.get(row["facet"]) == row["match"]
    ]
    if not scores:
        raise InputError(
            "results",
            "they hold no attribute",
            "evaluate with --train, or with --facet eLen and the like",
        )
    return Performance(scores, {part.dataset: dict(part.zeta) for part in results.evidence})


def _plain(row: Record) -> Record:
    return {
        key: None if isinstance(value, float) and math.isnan(value) else value
        for key, value in row.items()
    }


def _left_out(table: Performance) -> Iterator[str]:
    for dataset in table.datasets:
        missing = [system for system in table.systems if not table.present(dataset, system)]
        yield from (f"{dataset}: {name} has no output here and is left out" for name in missing)


def _paper_notes(table: Performance) -> Iterator[str]:
    """Which of the paper's tests cannot be made, and why: one note for each reason."""
    for dataset in table.datasets:
        if sum(table.present(dataset, system) for system in table.systems) < 2:
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
