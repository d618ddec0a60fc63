"""Hard tokens: unseen in training, or labelled differently in training."""

from functools import partial

import numpy as np

from nerscope.corpus.arrays import Bools, Ints, lookup, lookup_pair
from nerscope.corpus.lexicon import Lexicon
from nerscope.corpus.units import ALL, TOKEN
from nerscope.facets.facet import FACETS, Facet, Level, View

UNSEEN_I, UNSEEN_O, DIFF_I, DIFF_O, DIFF_E, OTHER = range(6)
OTHER_LEVEL = "other"  # the level of the tokens that are not hard


def hard_token_codes(view: View, strict: bool) -> Ints:
    """The subset of every token. The gold label decides, so the view must be of gold mentions."""
    # Outside mentions, the token alone decides, so one table is enough. A token that is not in
    # training has a code after the end of the table, and is clipped to the entry appended here.
    table = np.append(_outside_codes(view.lexicon, strict), np.int8(UNSEEN_O))
    code = table.take(view.sentences.tokens, mode="clip")
    code[view.positions] = _inside_codes(view, strict)
    return code


def _outside_codes(lexicon: Lexicon, strict: bool) -> Ints:
    """The subset of each training token if it is outside gold mentions."""
    total, inside = lexicon.token_counts, lexicon.inside_totals
    outside = total - inside
    other_side: Bools = outside == 0 if strict else outside < inside
    # Later lines win: a token that is not in training is unseen, whatever its counts.
    code = np.full(len(total), OTHER, np.int8)
    code[other_side] = DIFF_O
    code[total == 0] = UNSEEN_O
    return code


def _inside_codes(view: View, strict: bool) -> Ints:
    """The subset of each token inside gold mentions."""
    lexicon, tokens = view.lexicon, view.tokens
    total, inside = lookup(lexicon.token_counts, tokens), lookup(lexicon.inside_totals, tokens)
    outside = total - inside
    of_gold_type = lookup_pair(lexicon.inside_counts, tokens, view.token_types)
    other_side: Bools = inside == 0 if strict else inside < outside
    most = lookup(lexicon.inside_most, tokens)
    other_type: Bools = of_gold_type == 0 if strict else of_gold_type < most
    # "Jordan" is LOC here: with training counts LOC 2, PER 5 and outside 1 it is diff-E (another
    # type is more frequent); with LOC 2 and outside 5 it is diff-I (mostly outside).
    code = np.full(len(tokens), OTHER, np.int8)
    code[other_type & (inside >= outside)] = DIFF_E
    code[other_side] = DIFF_I
    code[total == 0] = UNSEEN_I
    return code


def _levels(diff: Level, diff_inside: str, diff_outside: str, diff_type: str) -> tuple[Level, ...]:
    """The levels, given the level `diff` and the phrases of its three parts."""
    return (
        Level(ALL, tuple(range(6)), "all words"),
        Level(
            "unseen",
            (UNSEEN_I, UNSEEN_O),
            "words never seen in training",
            "Tokens that are not in training.",
        ),
        Level(
            "unseen-I",
            (UNSEEN_I,),
            "words never seen in training, inside mentions",
            "Unseen tokens inside gold mentions.",
        ),
        Level(
            "unseen-O",
            (UNSEEN_O,),
            "words never seen in training, outside mentions",
            "Unseen tokens outside gold mentions.",
        ),
        diff,
        Level("diff-I", (DIFF_I,), diff_inside, diff.definition),
        Level("diff-O", (DIFF_O,), diff_outside, diff.definition),
        Level("diff-E", (DIFF_E,), diff_type, diff.definition),
        Level(
            OTHER_LEVEL,
            (OTHER,),
            "other words",
            "Tokens that are neither unseen nor labelled differently in training.",
        ),
    )


def _add(
    name: str,
    rank: int,
    *,
    strict: bool,
    title: str,
    phrase: str,
    definition: str,
    levels: tuple[Level, ...],
) -> Facet:
    facet = Facet(
        name,
        TOKEN,
        levels,
        partial(hard_token_codes, strict=strict),
        metrics=("ter", "error_share", "hardeval"),
        by_type=False,
        title=title,
        standard=True,
        needs_train=True,
        phrase=phrase,
        definition=definition,
        is_headline=not strict,
        is_variant=strict,
    )
    FACETS.add(name, facet, built_in=True, rank=rank)
    return facet


HARD = _add(
    "hard",
    20,
    strict=False,
    title="Hard tokens",
    phrase="hard words",
    definition="HardEval's subsets of tokens: unseen in training, labelled differently there "
    "(diff), and other.",
    levels=_levels(
        Level(
            "diff",
            (DIFF_I, DIFF_O, DIFF_E),
            "words labelled differently in training",
            "Tokens that training labels differently: diff-I is inside here but mostly outside in "
            "training, diff-O the reverse, diff-E inside with another type than usual in "
            "training.",
        ),
        "words inside mentions, usually outside in training",
        "words outside mentions, usually inside in training",
        "words with another type in training",
    ),
)
HARD_STRICT = _add(
    "hard-strict",
    21,
    strict=True,
    title="Hard tokens, strictly",
    phrase="hard words, strictly",
    definition="Like hard, but diff holds only tokens that training never labels as gold does.",
    levels=_levels(
        Level(
            "diff",
            (DIFF_I, DIFF_O, DIFF_E),
            "words never labelled this way in training",
            "Tokens that training never labels this way: diff-I is inside here and never in "
            "training, diff-O the reverse, diff-E inside with a type that training never gives it.",
        ),
        "words inside mentions, never inside in training",
        "words outside mentions, never outside in training",
        "words that never have this type in training",
    ),
)
