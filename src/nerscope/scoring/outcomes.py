"""Kinds of errors: the outcome of every gold mention and of every prediction of a run."""

from collections.abc import Mapping

import numpy as np

from nerscope.corpus.arrays import Bools, Ints
from nerscope.corpus.mentions import Mentions
from nerscope.scoring.pairing import CandidatePairs, MatchedPairs, overlapping

HALLUCINATED, WRONG_BOTH = "hallucinated", "wrong type and boundary"
OUTCOMES = (
    "correct",
    "wrong type",
    "wrong boundary",
    WRONG_BOTH,
    "missed",
    "spurious",
    "split",
    "merged",
    HALLUCINATED,
)
# The kinds of a summary, and the detailed kinds that each of them counts.
SUMMARY_KINDS: Mapping[str, tuple[str, ...]] = {
    "missed": ("missed",),
    "spurious": ("spurious",),
    "wrong type": ("wrong type",),
    "wrong boundary": ("wrong boundary", "split", "merged"),
    WRONG_BOTH: (WRONG_BOTH,),
    HALLUCINATED: (HALLUCINATED,),
}
CODE_OF = {name: code for code, name in enumerate(OUTCOMES)}
CORRECT = CODE_OF["correct"]
# The MUC schemas pair all overlapping mentions, so they find most counterparts.
PAIRED_BY = "muc-strict"


def outcome_codes(gold: Mentions, pred: Mentions, pairs: MatchedPairs) -> tuple[Ints, Ints]:
    """The outcome of every gold mention and of every prediction, as indices in OUTCOMES.

    Mentions of equal span come first. Of the rest, a gold mention with several predictions inside
    it is split, and so are these predictions. A prediction with several gold mentions inside it is
    merged, and so are these gold mentions. All other overlapping mentions have a wrong boundary.
    Their type is wrong, too, if the types of the pair differ or, outside pairs, if they overlap no
    mention of their type.
    """
    left, right = overlapping(gold, pred)
    touching = CandidatePairs(gold[left], pred[right])
    same_span, same_type = touching.same_span, touching.same_type
    by_gold: Ints = np.full(len(gold), CODE_OF["missed"], np.int8)
    by_pred: Ints = np.where(
        pred.end > pred.start, CODE_OF["spurious"], CODE_OF[HALLUCINATED]
    ).astype(np.int8)

    def settle(kind: str, at_gold: Ints, at_pred: Ints) -> None:
        by_gold[at_gold], by_pred[at_pred] = CODE_OF[kind], CODE_OF[kind]

    # Later kinds overwrite earlier ones.
    settle(WRONG_BOTH, left, right)
    settle("wrong boundary", left[same_type], right[same_type])
    differ: Bools = gold.type[pairs.gold] != pred.type[pairs.pred]
    settle(WRONG_BOTH, pairs.gold[differ], pairs.pred[differ])
    for kind, inside in _split_and_merged(touching, left, right).items():
        settle(kind, left[inside], right[inside])
    settle("wrong type", left[same_span], right[same_span])
    correct = same_span & same_type
    settle("correct", left[correct], right[correct])
    return by_gold, by_pred


def _split_and_merged(touching: CandidatePairs, left: Ints, right: Ints) -> dict[str, Bools]:
    """Which overlapping pairs are parts of a split or of a merge.

    A mention whose exact span is on the other side is never part of one.
    """
    settled_gold, settled_pred = left[touching.same_span], right[touching.same_span]
    loose: Bools = ~np.isin(left, settled_gold) & ~np.isin(right, settled_pred)
    parts = {}
    sides = zip(("split", "merged"), (left, right), reversed(touching.sizes), strict=True)
    for kind, whole, size_of_part in sides:
        inside: Bools = loose & (touching.shared == size_of_part)
        times = np.bincount(whole[inside], minlength=1)
        several: Bools = np.zeros(len(whole), bool)
        several[inside] = times[whole[inside]] > 1
        parts[kind] = several
    return parts
