"""Credit that grows with the common tokens: intersection over union, Dice, coverage of gold."""

import numpy as np

from nerscope.corpus.arrays import Floats
from nerscope.scoring.matching import MATCHES, CandidatePairs, CreditRule, match_factory


def _iou(pairs: CandidatePairs) -> Floats:
    gold, pred = pairs.sizes
    return np.asarray(pairs.shared / (gold + pred - pairs.shared), np.float64)


def _dice(pairs: CandidatePairs) -> Floats:
    gold, pred = pairs.sizes
    return np.asarray(2 * pairs.shared / (gold + pred), np.float64)


def _coverage(pairs: CandidatePairs) -> Floats:
    gold, _ = pairs.sizes
    return np.asarray(pairs.shared / gold, np.float64)


def _add(name: str, rule: CreditRule, rank: int, phrase: str, definition: str) -> None:
    # With a threshold, a pair below it gets nothing: iou(threshold=0.5).
    factory = match_factory(name, rule, {"threshold": 0.0}, (name, phrase, definition))
    MATCHES.add(name, factory, built_in=True, rank=rank)


_add(
    "iou",
    _iou,
    30,
    "intersection over union",
    "Credit for a mention of the same type: common tokens over the tokens of either.",
)
_add(
    "dice",
    _dice,
    31,
    "Dice overlap",
    "Credit for a mention of the same type: twice the common tokens over the tokens of both.",
)
_add(
    "coverage",
    _coverage,
    32,
    "coverage of the gold mention",
    "Credit for a mention of the same type: the share of the gold mention's tokens that it has.",
)
