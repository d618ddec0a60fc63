"""Hard tokens: unseen in training, or labelled otherwise than training would have it."""

from functools import partial

import numpy as np

from nerscope.corpus.arrays import Bools, Ints
from nerscope.corpus.lexicon import Lexicon
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
    # Outside of mentions the token alone decides; those behind the end of the table are unseen.
    table = np.append(_outside_codes(view.lexicon, strict), np.int8(UNSEEN_O))
    code = table.take(view.sentences.corpus.tokens, mode="clip")
    code[view.positions] = _inside_codes(view, strict)
    return code


def _outside_codes(lexicon: Lexicon, strict: bool) -> Ints:
    """The subset of each token that training has, where gold has it outside of mentions."""
    total, inside = lexicon.token_counts, lexicon.inside_totals
    outside = total - inside
    other_side: Bools = outside == 0 if strict else outside < inside
    code = np.full(len(total), OTHER, np.int8)
    code[other_side] = DIFF_O
    code[total == 0] = UNSEEN_O
    return code


def _inside_codes(view: View, strict: bool) -> Ints:
    """The subset of each token inside of gold mentions."""
    lexicon, tokens = view.lexicon, view.tokens
    total, inside = lookup(lexicon.token_counts, tokens), lookup(lexicon.inside_totals, tokens)
    outside = total - inside
    of_gold_type = lookup_pair(lexicon.inside_counts, tokens, view.token_types)
    other_side: Bools = inside == 0 if strict else inside < outside
    most = lookup(lexicon.inside_most, tokens)
    other_type: Bools = of_gold_type == 0 if strict else of_gold_type < most
    code = np.full(len(tokens), OTHER, np.int8)
    code[other_type & (inside >= outside)] = DIFF_E
    code[other_side] = DIFF_I
    code[total == 0] = UNSEEN_I
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
