"""The first pass over the gold data: what must be known before facets can be fixed."""

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

from nerscope.corpus.arrays import Ints
from nerscope.corpus.corpus import Corpus
from nerscope.corpus.interning import Paths
from nerscope.corpus.lexicon import Lexicon
from nerscope.facets.buckets import Values
from nerscope.facets.facet import Attribute
from nerscope.facets.view import Sentences, View


@dataclass(slots=True, eq=False)
class Survey:
    """The types of each surface among gold test mentions, and the values of each attribute."""

    pairs: Ints = field(default_factory=lambda: np.zeros(0, np.int64))  # distinct (surface, type)
    values: dict[str, Values] = field(default_factory=dict)

    @property
    def types_of_surface(self) -> Ints:
        """How many types each surface carries."""
        return np.bincount(self.pairs >> _TYPE_BITS)


_TYPE_BITS = 20


def surveyed(
    chunks: Iterable[Corpus],
    attributes: Iterable[Attribute],
    surfaces: Paths,
    lexicon: Lexicon | None,
    repair: str,
) -> Survey:
    """Walk over the gold data once."""
    survey, attributes = Survey(), list(attributes)
    for chunk in chunks:
        mentions = chunk.mentions(repair)
        view = View(Sentences(chunk, mentions, surfaces, lexicon), mentions)
        pairs = view.surface.astype(np.int64) << _TYPE_BITS | mentions.type
        survey.pairs = np.union1d(survey.pairs, pairs)
        for attribute in attributes:
            values = Values.of(attribute.checked_values(view))
            known = survey.values.get(attribute.name)
            survey.values[attribute.name] = known + values if known else values
    return survey
