"""Wrong tokens: the token error rate, the shares of wrong tokens, and HardEval's score."""

from nerscope.corpus.arrays import Floats
from nerscope.corpus.units import ALL, TOKEN
from nerscope.scoring.metrics import (
    ERROR_SHARE,
    HARDEVAL,
    LOWER,
    MEAN,
    NEITHER,
    TER,
    Counts,
    LevelCounts,
    LevelNumbers,
    Metric,
    add_built_in,
    filled,
    ratio,
)

# The levels of hard tokens whose error rates HardEval averages, and the level of the mean.
_HARD_LEVELS = ("unseen", "diff")
_SCORE_LEVEL = "score"


def errors(counts: Counts) -> Floats:
    return counts.gold - counts.hit_gold


def error_rate(counts: Counts) -> Floats:
    return ratio(errors(counts), counts.gold)


def error_shares(levels: LevelCounts, zero_division: float | None) -> LevelNumbers:
    """The share of all errors in each level."""
    total = errors(levels[ALL])
    return {level: (ratio(errors(counts), total), total) for level, counts in levels.items()}


def hardeval(levels: LevelCounts, zero_division: float | None) -> LevelNumbers:
    """The mean of the error rates on unseen and on diff tokens, as the level `score`."""
    unseen, diff = (levels[level] for level in _HARD_LEVELS)
    # zero_division applies to each rate: with zero_division=0, a test set without unseen tokens has
    # the mean of 0 and the rate on diff tokens.
    rates = [filled(error_rate(counts), zero_division) for counts in (unseen, diff)]
    return {_SCORE_LEVEL: ((rates[0] + rates[1]) / 2, unseen.gold + diff.gold)}


add_built_in(
    Metric(
        TER,
        error_rate,
        better=LOWER,
        unit=TOKEN,
        title="token error rate",
        phrase="token error rate",
        definition="Token error rate: share of tokens whose BILOU label is wrong; lower is better.",
        priority=1,
    ),
    rank=40,
)
add_built_in(
    Metric(
        ERROR_SHARE,
        error_rate,
        better=NEITHER,
        kind=MEAN,
        unit=TOKEN,
        over_levels=error_shares,
        needs_levels=(ALL,),
        phrase="share of all wrong tokens",
        definition="The share of all wrong tokens that are in a subset.",
    ),
    rank=41,
)
add_built_in(
    Metric(
        HARDEVAL,
        error_rate,
        better=LOWER,
        kind=MEAN,
        unit=TOKEN,
        over_levels=hardeval,
        needs_levels=_HARD_LEVELS,
        mean_of_levels=_HARD_LEVELS,
        title="score",
        phrase="mean token error rate on unseen and differently labelled words",
        definition="Mean of the token error rates on unseen and on diff tokens; lower is better.",
    ),
    rank=42,
)
