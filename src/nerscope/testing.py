"""Helpers for test suites: the rules of the gate as assertions."""

import os
from typing import Any

from nerscope.results.conditions import ConditionSource
from nerscope.results.gate import gate
from nerscope.results.results import Results

Place = Results | str | os.PathLike[str]


def assert_no_drop(results: Place, baseline: Place, **options: Any) -> None:
    """Fail unless every number surely dropped by less than is allowed; options as for `gate`.

    >>> from nerscope import evaluate
    >>> gold = [(["Ada", "met", "Bob"], ["B-PER", "O", "B-PER"])] * 20
    >>> same = evaluate(gold, {"bert": [["B-PER", "O", "B-PER"]] * 20})
    >>> assert_no_drop(same, same, metric="f1", max_drop=0.5)
    """
    _assert(results, baseline, options)


def assert_gate(
    results: Place, baseline: Place | None = None, *, conditions: ConditionSource, **options: Any
) -> None:
    """Fail if a condition does, or is undecided; options as for `gate`.

    >>> from nerscope import evaluate
    >>> gold = [(["Ada", "met", "Bob"], ["B-PER", "O", "B-PER"])] * 20
    >>> results = evaluate(gold, {"bert": [["B-PER", "O", "O"]] * 20}, dataset="d")
    >>> assert_gate(results, conditions=[{"metric": "precision", "floor": 99}])
    >>> assert_gate(results, conditions=[{"metric": "recall", "floor": 60}])
    Traceback (most recent call last):
    AssertionError: FAIL: d, bert, all, recall: 50.00, n = 40; rule: floor 60
    """
    _assert(results, baseline, {**options, "conditions": conditions})


def _assert(results: Place, baseline: Place | None, options: dict[str, Any]) -> None:
    old = None if baseline is None else _loaded(baseline)
    verdicts = gate(_loaded(results), old, **options)
    failed = [str(verdict) for verdict in verdicts if verdict.failed]
    if failed:  # an assert statement would be gone with python -O
        raise AssertionError("\n".join(failed))


def _loaded(given: Place) -> Results:
    return given if isinstance(given, Results) else Results.load(given)
