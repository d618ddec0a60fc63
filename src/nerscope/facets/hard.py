"""Hard tokens: unseen in training, or labelled otherwise than training would have it."""

from functools import partial

import numpy as np

from nerscope.corpus.arrays import Bools, Ints
from nerscope.corpus.lookup import lookup, lookup_pair
from nerscope.corpus.units import TOKEN
from nerscope.facets.facet import FACETS, Facet
from nerscope.facets.view import View

UNSEEN_I, UNSEEN_O, DIFF_I, DIFF_O, DIFF_E, OTHER = range(6)
LEVELS = {
    "all": (UNSEEN_I, UNSEEN_O, DIFF_I, DIFF_O, DIFF_E, OTHER),
    "unseen": (UNSEEN_I, UNSEEN_O),
    "unseen-I": (UNSEEN_I,),
    "unseen-O": (UNSEEN_O,),
    "diff": (DIFF_I, DIFF_O, DIFF_E),
    "diff-I": (DIFF_I,),
    "diff-O": (DIFF_O,),
    "diff-E": (DIFF_E,),
    "other": (OTHER,),
}


def _codes(view: View, strict: bool) -> Ints:
    """The subset of every token; the gold label decides, so the view must be one of gold."""
    lexicon, tokens = view.lexicon, view.sentences.corpus.tokens
    kind = np.full(len(tokens), -1, np.int64)
    kind[view.positions] = view.token_types
    gold_inside = kind >= 0
    total = lookup(lexicon.token_counts, tokens)
    by_type = lexicon.inside_counts
    inside = lookup(lexicon.inside_totals, tokens)
    outside = total - inside
    of_gold_type = lookup_pair(by_type, tokens, np.maximum(kind, 0))
    most = lookup(lexicon.inside_most, tokens)
    other_side: Bools
    other_type: Bools
    if strict:
        other_side = np.where(gold_inside, inside == 0, outside == 0)
        other_type = of_gold_type == 0
    else:
        other_side = np.where(gold_inside, inside < outside, outside < inside)
        other_type = of_gold_type < most
    code = np.full(len(tokens), OTHER, np.int8)
    code[gold_inside & other_type & (inside >= outside)] = DIFF_E
    code[gold_inside & other_side] = DIFF_I
    code[~gold_inside & other_side] = DIFF_O
    unseen = total == 0
    code[unseen & gold_inside] = UNSEEN_I
    code[unseen & ~gold_inside] = UNSEEN_O
    return code


def _facet(name: str, title: str, strict: bool) -> Facet:
    facet = Facet(
        name,
        TOKEN,
        LEVELS,
        partial(_codes, strict=strict),
        metrics=("ter", "error_share", "hardeval"),
        by_type=False,
        title=title,
        standard=True,
        needs_train=True,
    )
    FACETS.add(name, facet, built_in=True)
    return facet


HARD = _facet("hard", "Hard tokens", strict=False)
HARD_STRICT = _facet("hard-strict", "Hard tokens, strictly", strict=True)
