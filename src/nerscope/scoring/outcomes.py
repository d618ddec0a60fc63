"""The outcome of every mention of a run, and sums of outcomes by type.

A gold mention and the prediction that it is paired with count once in the sums, so a sum over the
wrong outcomes is the number of errors. In "Ada met Bob", gold has two mentions PER; a run predicts
Bob as LOC. The sums are (PER, none, missed, 1) and (PER, LOC, wrong type, 1).
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

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


class KindWords(NamedTuple):
    """How texts speak of a kind of error."""

    title: str
    definition: str


KIND_WORDS = {
    "missed": KindWords("Missed", "A gold mention that overlaps no prediction."),
    "spurious": KindWords("Spurious", "A prediction that overlaps no gold mention."),
    "wrong type": KindWords("Wrong type", "The same words as a gold mention, with another type."),
    "wrong boundary": KindWords(
        "Wrong boundary",
        "Some of the words of a gold mention with the same type, or other words in addition. Split "
        "and merged mentions count here.",
    ),
    WRONG_BOTH: KindWords("Wrong type and boundary", "An overlap with another type."),
    HALLUCINATED: KindWords(
        "Hallucinated", "A prediction whose text is not in the sentence or document."
    ),
}
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


NO_TYPE = -1  # the type of a mention that is not there


class OutcomeSums(NamedTuple):
    """How often gold and predicted types meet with an outcome in a run, in parallel columns."""

    run: Ints
    gold: Ints  # the code of the type; NO_TYPE: no gold mention
    predicted: Ints
    outcome: Ints  # an index in OUTCOMES
    n: Ints

    @property
    def are_errors(self) -> Bools:
        """Which rows count errors."""
        wrong: Bools = self.outcome != CORRECT
        return wrong

    def of_runs(self, runs: Sequence[int]) -> "OutcomeSums":
        """The rows of these runs."""
        inside = np.isin(self.run, runs)
        return OutcomeSums(*(column[inside] for column in self))

    def rows(self) -> Iterator[tuple[int, int, int, int, int]]:
        """The rows as plain numbers."""
        return zip(*(column.tolist() for column in self), strict=True)


def outcome_sums(
    run: int, gold: Mentions, pred: Mentions, pairs: MatchedPairs, codes: tuple[Ints, Ints]
) -> OutcomeSums:
    """The sums of one run; `codes` are the outcomes of gold mentions and of predictions."""
    by_gold, by_pred = codes
    mate: Ints = np.full(len(gold), NO_TYPE)
    mate[pairs.gold] = pred.type[pairs.pred]
    alone = np.delete(np.arange(len(pred)), pairs.pred)
    alone = alone[by_pred[alone] != CORRECT]  # a mention that is predicted twice is no error
    cells = count_cells(
        np.concatenate([gold.type, np.full(len(alone), NO_TYPE)]),
        np.concatenate([mate, pred.type[alone]]),
        np.concatenate([by_gold, by_pred[alone]]),
    )
    return OutcomeSums(np.full(len(cells), run), *cells.T)


def count_cells(gold: Ints, predicted: Ints, outcome: Ints) -> Ints:
    """Rows of gold type, predicted type, outcome and their number."""
    most = 2 + int(max(gold.max(initial=NO_TYPE), predicted.max(initial=NO_TYPE)))
    shape = (most, most, len(OUTCOMES))
    cells = np.ravel_multi_index(
        (gold.astype(np.int64) + 1, predicted.astype(np.int64) + 1, outcome), shape
    )
    used, numbers = np.unique(cells, return_counts=True)
    first, second, kind = np.unravel_index(used, shape)
    return np.stack([first - 1, second - 1, kind, numbers], axis=1)


def joined_sums(parts: list[OutcomeSums]) -> OutcomeSums:
    """The sums of several runs, one after the other."""
    nothing = OutcomeSums(*[np.zeros(0, np.int64)] * 5)
    return OutcomeSums(*map(np.concatenate, zip(nothing, *parts, strict=True)))
