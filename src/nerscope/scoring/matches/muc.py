"""The schemas of MUC-5 and SemEval-2013: pair mentions that share a token, then judge the pairs."""

import numpy as np

from nerscope.corpus.mentions import Mentions
from nerscope.scoring.matching import MATCHES, Match
from nerscope.scoring.pairing import (
    CORRECT,
    INCORRECT,
    PARTIAL,
    CandidateCredit,
    CandidatePairs,
    MatchedPairs,
    MentionNames,
    best_pairs,
)


def _any_overlap(pairs: CandidatePairs) -> CandidateCredit:
    """All schemas judge the same pairs: equal spans first, then as many pairs as possible.

    A pair without credit is still a pair, and counts as incorrect.
    """
    size = len(pairs.gold)
    undecided = np.full(size, INCORRECT, np.int64)
    return CandidateCredit(pairs.same_span, np.zeros(size), undecided, np.ones(size, bool))


def _add(
    name: str,
    rank: int,
    definition: str,
    *,
    span_matters: bool,
    type_matters: bool,
    near_credit: float = 0.0,
) -> None:
    """Add a schema; `near_credit` is for a pair of the right type whose spans only overlap."""

    def pairs(gold: Mentions, pred: Mentions, names: MentionNames) -> MatchedPairs:
        matched = best_pairs(gold, pred, _any_overlap, names)
        chosen = CandidatePairs(gold[matched.gold], pred[matched.pred])
        right_type = chosen.same_type | (not type_matters)
        near = right_type & ~chosen.same_span & span_matters
        credit = np.where(right_type & ~near, 1.0, near_credit * near)
        kind = np.where(credit == 1, CORRECT, np.where(credit > 0, PARTIAL, INCORRECT))
        return matched._replace(credit=credit, kind=kind.astype(np.int8))

    match = Match(
        name,
        pairs,
        title=name,
        phrase=f"MUC schema {name.removeprefix('muc-')}",
        definition=definition,
    )
    MATCHES.add(name, lambda: match, built_in=True, rank=rank)


_add(
    "muc-strict",
    40,
    "The MUC schema that requires span and type; a pair that only overlaps is incorrect.",
    span_matters=True,
    type_matters=True,
)
_add(
    "muc-exact",
    41,
    "The MUC schema that requires the span and ignores the type.",
    span_matters=True,
    type_matters=False,
)
_add(
    "muc-partial",
    42,
    "The MUC schema with half credit for a span that overlaps; it ignores the type.",
    span_matters=True,
    type_matters=False,
    near_credit=0.5,
)
_add(
    "muc-type",
    43,
    "The MUC schema that requires the type of a span that overlaps.",
    span_matters=False,
    type_matters=True,
)
