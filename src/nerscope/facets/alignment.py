"""Whether a mention begins and ends where tokens of gold do."""

import numpy as np

from nerscope.corpus.arrays import Ints
from nerscope.corpus.units import MENTION
from nerscope.facets.facet import FACETS, Facet
from nerscope.facets.view import View

ALIGNMENT = "alignment"


def _codes(view: View) -> Ints:
    return np.where(view.mentions.aligned, 0, 1).astype(np.int8)


# The level `aligned` has the scores with all others left out; `all` counts those as errors.
FACETS.add(
    ALIGNMENT,
    Facet(
        ALIGNMENT,
        MENTION,
        {"aligned": (0,), "unaligned": (1,)},
        _codes,
        title="Whether a mention begins and ends where tokens of gold do",
    ),
    built_in=True,
)
