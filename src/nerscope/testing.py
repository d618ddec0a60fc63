"""Assertions for test suites, with the rules of the gate."""

import os
from typing import Any

from nerscope.errors import visible
from nerscope.results.conditions import ConditionSource
from nerscope.results.gate import gate
from nerscope.results.results import Results

ResultsLike = Results | str | os.PathLike[str]


def assert_no_drop(results: ResultsLike, baseline: ResultsLike, **options: Any) -> None:
    """Raise `AssertionError` unless every drop is significantly smaller than the allowed drop.

    - `results`, `baseline`: results, or the paths of results files.
    - `options`: keyword arguments of `gate`, such as `metric` and `max_drop` (in points).

    >>> from nerscope import evaluate
    >>> gold = [(["Ada", "met", "Bob"], ["B-PER", "O", "B-PER"])] * 20
    >>> same = evaluate(gold, {"bert": [["B-PER", "O", "B-PER"]] * 20})
    >>> assert_no_drop(same, same, metric="f1", max_drop=0.5)
    """
    _assert_passes(results, baseline, options)


def assert_gate(
    results: ResultsLike,
    baseline: ResultsLike | None = None,
    *,
    conditions: ConditionSource,
    **options: Any,
) -> None:
    """Raise `AssertionError` if a condition fails or is undecided.

    - `conditions`: rules as for `gate`: a list of dicts, or the path of a file with them.
    - `options`: other keyword arguments of `gate`.

    >>> from nerscope import evaluate
    >>> gold = [(["Ada", "met", "Bob"], ["B-PER", "O", "B-PER"])] * 20
    >>> results = evaluate(gold, {"bert": [["B-PER", "O", "O"]] * 20}, dataset="d")
    >>> assert_gate(results, conditions=[{"metric": "precision", "floor": 99}])
    >>> assert_gate(results, conditions=[{"metric": "recall", "floor": 60}])
    Traceback (most recent call last):
    AssertionError: FAIL: d, bert, recall: 50.00, n = 40; rule: floor 60 (point estimate)
    """
    _assert_passes(results, baseline, {**options, "conditions": conditions})


def _assert_passes(
    results: ResultsLike, baseline: ResultsLike | None, options: dict[str, Any]
) -> None:
    old = None if baseline is None else _load(baseline)
    verdicts = gate(_load(results), old, **options)
    failed = [str(verdict) for verdict in verdicts if verdict.failed]
    if failed:  # python -O would remove an assert statement
        raise AssertionError(visible("\n".join(failed)))


def _load(results: ResultsLike) -> Results:
    return results if isinstance(results, Results) else Results.load(results)
