"""The first pass over the gold data: what must be known before facets can be fixed."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from nerscope.corpus.arrays import Ints
from nerscope.corpus.corpus import Corpus
from nerscope.corpus.interning import Paths
from nerscope.corpus.lexicon import Lexicon
from nerscope.corpus.mentions import Mentions
from nerscope.facets.buckets import Values
from nerscope.facets.facet import Attribute
from nerscope.facets.view import Sentences, View


@dataclass(frozen=True, slots=True, eq=False)
class SurveyPart:
    """What a chunk says: the tokens and types of its mentions, and the values of attributes."""

    mentions: Mentions  # counted from the start of `tokens`
    tokens: Ints  # those inside mentions, one mention after the other
    values: Mapping[str, Values]


@dataclass(frozen=True, slots=True, eq=False)
class Survey:
    """What all chunks say: surfaces of training and gold, types of each, values of attributes."""

    surfaces: Paths
    types_of_surface: Ints  # how many, among gold test mentions
    values: Mapping[str, Values]


def survey_chunk(
    chunk: Corpus, mentions: Mentions, attributes: Sequence[Attribute], lexicon: Lexicon | None
) -> SurveyPart:
    """Look at the gold mentions of a chunk; nothing is learnt on the side."""
    surfaces = lexicon.surfaces if lexicon else Paths()
    view = View(Sentences(chunk, mentions, surfaces, lexicon), mentions)
    ends = np.cumsum(mentions.lengths)
    moved = Mentions(ends - mentions.lengths, ends, mentions.type)
    tokens = chunk.tokens[mentions.positions]
    values = {one.name: Values.of(one.checked_values(view)) for one in attributes}
    return SurveyPart(moved, tokens, values)


def surveyed(parts: Iterable[SurveyPart], lexicon: Lexicon | None) -> Survey:
    """Add up what chunks say."""
    surfaces = lexicon.surfaces.copy() if lexicon else Paths()
    pairs: set[int] = set()
    values: dict[str, Values] = {}
    for part in parts:
        own = part.mentions
        codes = surfaces.codes(part.tokens, own.start, own.end).astype(np.int64)
        pairs.update(np.unique(codes << _TYPE_BITS | own.type).tolist())
        for name, found in part.values.items():
            values[name] = values[name] + found if name in values else found
    of_pairs = np.array(sorted(pairs), np.int64) >> _TYPE_BITS
    return Survey(surfaces, np.bincount(of_pairs, minlength=len(surfaces)), values)


_TYPE_BITS = 20
