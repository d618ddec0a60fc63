"""The number of characters of a mention."""

import numpy as np

from nerscope.corpus.arrays import Floats
from nerscope.facets.facet import FACETS, Attribute, View


def _values(view: View) -> Floats:
    return np.array([len(text) for text in view.texts()], np.float64)


FACETS.add(
    "eChars",
    Attribute(
        "eChars",
        _values,
        title="Characters in the mention",
        phrase="mention length (characters)",
        definition="Characters in the mention, including one blank between two tokens.",
        noun="character",
    ),
    built_in=True,
    rank=54,
)
