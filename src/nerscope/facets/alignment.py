"""Whether a mention begins and ends where tokens of gold do."""

import numpy as np

from nerscope.corpus.arrays import Ints
from nerscope.corpus.units import MENTION
from nerscope.facets.facet import FACETS, Facet, Level, View

ALIGNMENT = "alignment"


def _codes(view: View) -> Ints:
    return np.where(view.mentions.aligned, 0, 1).astype(np.int8)


FACETS.add(
    ALIGNMENT,
    Facet(
        ALIGNMENT,
        MENTION,
        (
            Level(
                "aligned",
                (0,),
                "mentions that fit the tokens of gold",
                "Mentions that begin and end where tokens of gold do; all others are left out.",
            ),
            Level(
                "unaligned",
                (1,),
                "mentions that cut tokens of gold",
                "Mentions that begin or end inside a token of gold, or are not in the text.",
            ),
        ),
        _codes,
        title="Whether a mention begins and ends where tokens of gold do",
        phrase="fit with the tokens of gold",
        definition="Whether a predicted mention begins and ends where tokens of gold do; at the "
        "level aligned, all others are left out.",
    ),
    built_in=True,
    rank=90,
)
