"""The schemas of MUC-5 and SemEval-2013: mentions that share a token are paired, then judged."""

import numpy as np

from nerscope.scoring.matching import MATCHES, Match
from nerscope.scoring.pairing import (
    CORRECT,
    INCORRECT,
    PARTIAL,
    CandidateCredit,
    CandidatePairs,
    best_pairs,
)


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

    def credit_of(pairs: CandidatePairs) -> CandidateCredit:
        right_type = pairs.same_type | (not type_matters)
        near = right_type & ~pairs.same_span & span_matters
        credit = np.where(right_type & ~near, 1.0, near_credit * near)
        kind = np.where(credit == 1, CORRECT, np.where(credit > 0, PARTIAL, INCORRECT))
        exact = pairs.same_span & (not type_matters)
        # Unlike under other matches, a pair without any credit is a pair: it counts as incorrect.
        return CandidateCredit(exact, credit, kind, credit >= 0)

    match = Match(
        name,
        lambda gold, pred: best_pairs(gold, pred, credit_of),
        title=name,
        phrase=f"MUC schema {name.removeprefix('muc-')}",
        definition=definition,
    )
    MATCHES.add(name, lambda: match, built_in=True, rank=rank)


_add(
    "muc-strict",
    40,
    "The MUC schema that asks for span and type; a pair that overlaps is incorrect.",
    span_matters=True,
    type_matters=True,
)
_add(
    "muc-exact",
    41,
    "The MUC schema that asks for the span, whatever the type.",
    span_matters=True,
    type_matters=False,
)
_add(
    "muc-partial",
    42,
    "The MUC schema with half credit for a span that overlaps, whatever the type.",
    span_matters=True,
    type_matters=False,
    near_credit=0.5,
)
_add(
    "muc-type",
    43,
    "The MUC schema that asks for the type of a span that overlaps.",
    span_matters=False,
    type_matters=True,
)
