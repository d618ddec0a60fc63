"""Tough mentions: unseen in training, or of more than one type in test."""

import numpy as np

from nerscope.corpus.arrays import Ints
from nerscope.corpus.lookup import lookup, lookup_pair
from nerscope.corpus.units import MENTION
from nerscope.facets.facet import FACETS, Facet
from nerscope.facets.view import View

SEEN, UNSEEN_TYPE, UNSEEN_TOKENS = range(3)
CONFUSABLE = (
    3  # added to the code of a surface that carries two or more types among the gold test mentions
)


def _codes(view: View) -> Ints:
    surface, kind = view.surface, view.mentions.type
    table = view.lexicon.surface_counts
    code = np.full(len(surface), UNSEEN_TOKENS, np.int8)
    code[lookup(view.lexicon.surface_totals, surface) > 0] = UNSEEN_TYPE
    code[lookup_pair(table, surface, kind) > 0] = SEEN
    code[lookup(view.sentences.types_of_surface, surface) >= 2] += CONFUSABLE
    return code


TMR = Facet(
    "tmr",
    MENTION,
    {
        "seen": (0, 3),
        "unseen-any": (1, 2, 4, 5),
        "unseen-tokens": (2, 5),
        "unseen-type": (1, 4),
        "tcm-all": (3, 4, 5),
        "tcm-seen": (3, 4),
        "tcm-unseen": (5,),
    },
    _codes,
    metrics=("recall",),
    title="Tough mentions",
    standard=True,
    needs_train=True,
)
FACETS.add(TMR.name, TMR, built_in=True)
