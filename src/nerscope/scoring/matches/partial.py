"""Partial credit for a mention of the same type, by boundaries or by shared tokens."""

from collections.abc import Mapping

import numpy as np

from nerscope.corpus.arrays import Floats
from nerscope.scoring.matching import LEFT, MATCHES, OVERLAP, RIGHT, CreditRule, match_factory
from nerscope.scoring.pairing import CandidatePairs

_CREDIT = {"credit": 0.5}  # of a rule that returns True or False
_THRESHOLD = {"threshold": 0.0}  # of a rule that returns a number: pairs below it get no credit


def _same_start(pairs: CandidatePairs) -> Floats:
    return pairs.same_start.astype(np.float64)


def _same_end(pairs: CandidatePairs) -> Floats:
    return pairs.same_end.astype(np.float64)


def _any_overlap(pairs: CandidatePairs) -> Floats:
    return np.ones(len(pairs.gold))


def _iou(pairs: CandidatePairs) -> Floats:
    gold, pred = pairs.sizes
    return np.asarray(pairs.shared / (gold + pred - pairs.shared), np.float64)


def _dice(pairs: CandidatePairs) -> Floats:
    gold, pred = pairs.sizes
    return np.asarray(2 * pairs.shared / (gold + pred), np.float64)


def _coverage(pairs: CandidatePairs) -> Floats:
    gold, _ = pairs.sizes
    return np.asarray(pairs.shared / gold, np.float64)


def _add(
    name: str,
    rule: CreditRule,
    options: Mapping[str, float],
    rank: int,
    phrase: str,
    definition: str,
) -> None:
    factory = match_factory(name, rule, options, (name, phrase, definition))
    MATCHES.add(name, factory, built_in=True, rank=rank)


_add(
    LEFT,
    _same_start,
    _CREDIT,
    20,
    "same type and start",
    "Partial credit (0.5) for a mention of the same type and start.",
)
_add(
    RIGHT,
    _same_end,
    _CREDIT,
    21,
    "same type and end",
    "Partial credit (0.5) for a mention of the same type and end.",
)
_add(
    OVERLAP,
    _any_overlap,
    _CREDIT,
    22,
    "same type, overlapping",
    "Partial credit (0.5) for a mention of the same type that shares a token.",
)
_add(
    "iou",
    _iou,
    _THRESHOLD,
    30,
    "intersection over union",
    "Credit for a mention of the same type: common tokens divided by the tokens of either.",
)
_add(
    "dice",
    _dice,
    _THRESHOLD,
    31,
    "Dice overlap",
    "Credit for a mention of the same type: twice the common tokens divided by all tokens.",
)
_add(
    "coverage",
    _coverage,
    _THRESHOLD,
    32,
    "coverage of the gold mention",
    "Credit for a mention of the same type: the share of the gold mention's tokens it covers.",
)
