"""Whether a mention begins and ends at boundaries of gold tokens."""

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
                "mentions that fit the gold tokens",
                "Mentions that begin and end at boundaries of gold tokens; all others are left "
                "out.",
            ),
            Level(
                "unaligned",
                (1,),
                "mentions that cut gold tokens",
                "Mentions that begin or end inside a gold token, or are not in the text.",
            ),
        ),
        _codes,
        title="Fit of mentions with gold tokens",
        phrase="fit with the gold tokens",
        definition="Whether a predicted mention begins and ends at boundaries of gold tokens; at "
        "the level aligned, all others are left out.",
    ),
    built_in=True,
    rank=90,
)
