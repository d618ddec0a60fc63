"""A helper for test suites: the rule of the gate as an assertion."""

import os
from typing import Any

from nerscope.results.gate import gate
from nerscope.results.results import Results


def assert_no_drop(
    results: Results | str | os.PathLike[str],
    baseline: Results | str | os.PathLike[str],
    **options: Any,
) -> None:
    """Fail if a number dropped by more than is allowed, and significantly; options as for `gate`.

    >>> from nerscope import evaluate
    >>> gold = [(["Ada", "met", "Bob"], ["B-PER", "O", "B-PER"])] * 20
    >>> same = evaluate(gold, {"bert": [["B-PER", "O", "B-PER"]] * 20})
    >>> assert_no_drop(same, same, metric="f1", samples=100)
    """
    new, old = (
        given if isinstance(given, Results) else Results.load(given)
        for given in (results, baseline)
    )
    failed = [str(verdict) for verdict in gate(new, old, **options) if verdict.failed]
    assert not failed, "\n".join(failed)
