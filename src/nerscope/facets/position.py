"""The position of a mention in its sentence."""

from nerscope.corpus.arrays import Floats
from nerscope.facets.buckets import ZERO
from nerscope.facets.facet import FACETS, Attribute, View


def _values(view: View) -> Floats:
    before = view.mentions.start - view.sentences.corpus.starts[view.sentence]
    return before / view.sentences.lengths[view.sentence]


FACETS.add(
    "ePos",
    Attribute(
        "ePos",
        _values,
        bucketing=ZERO,
        title="Position in the sentence",
        phrase="position of the mention in its sentence",
        definition="Share of the sentence's tokens before the mention: 0 at the start of the "
        "sentence.",
    ),
    built_in=True,
    rank=53,
)
