"""Predicted mentions that do not begin and end where tokens of gold do, to be read."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from nerscope.corpus.mentions import Shape
from nerscope.results.errors import run_side
from nerscope.results.results import Results


def unaligned(results: Results) -> list[dict[str, Any]]:
    """One row a mention: whose it is, what was said, of which type, where, and what is wrong.

    >>> from nerscope import answers, evaluate
    >>> said = answers([[["Eve", "PER"]]])
    >>> [one] = unaligned(evaluate([(["Ada"], ["B-PER"])], {"m": said}))
    >>> one["text"], one["problem"]
    ('Eve', 'nowhere in the text')
    """
    return list(_rows(results))


def _rows(results: Results) -> Iterator[dict[str, Any]]:
    for evidence in results.evidence:
        for place, (system, run) in enumerate(evidence.runs):
            side = run_side(evidence, place)
            if side.units.shape is None:
                continue
            for at in np.flatnonzero(~side.mentions.aligned).tolist():
                start, end = side.span(at)
                yield {
                    "dataset": evidence.dataset,
                    "system": system,
                    "run": run,
                    "text": side.text(at),
                    "type": side.type(at),
                    "problem": _problem(side.units.shape[at], end - start),
                    "place": side.place(at),
                }


def _problem(shape: Shape, size: int) -> str:
    if not size:
        return "nowhere in the text"
    if shape.right < 0:
        return "beyond its sentence"
    inside = "begins or ends inside a token"
    return "an edge is not in gold, or inside a token" if shape.adrift else inside
