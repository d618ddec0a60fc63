"""Partial credit for a shared boundary: the same start, the same end, or any shared token."""

import numpy as np

from nerscope.corpus.arrays import Floats
from nerscope.scoring.matching import MATCHES, CandidatePairs, CreditRule, match_factory

LEFT, RIGHT, OVERLAP = "left", "right", "overlap"
_CREDIT = 0.5


def _same_start(pairs: CandidatePairs) -> Floats:
    return pairs.same_start.astype(np.float64)


def _same_end(pairs: CandidatePairs) -> Floats:
    return pairs.same_end.astype(np.float64)


def _any_overlap(pairs: CandidatePairs) -> Floats:
    return np.ones(len(pairs.gold))


def _add(name: str, rule: CreditRule, rank: int, phrase: str, definition: str) -> None:
    words = (name, phrase, definition)
    MATCHES.add(
        name, match_factory(name, rule, {"credit": _CREDIT}, words), built_in=True, rank=rank
    )


_add(
    LEFT,
    _same_start,
    20,
    "match of the start",
    "Partial credit (0.5) for a mention of the same type and start.",
)
_add(
    RIGHT,
    _same_end,
    21,
    "match of the end",
    "Partial credit (0.5) for a mention of the same type and end.",
)
_add(
    OVERLAP,
    _any_overlap,
    22,
    "overlap",
    "Partial credit (0.5) for a mention of the same type that shares a token.",
)
