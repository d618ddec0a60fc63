"""How much of a mention training mentions of its type have (Taillé et al. 2020)."""

import numpy as np

from nerscope.corpus.arrays import Ints, lookup_pair
from nerscope.corpus.units import MENTION
from nerscope.facets.facet import FACETS, Facet, Level, View

EXACT, PARTIAL, NEW = range(3)
# The words that the authors' program leaves out, compared in lower case.
_STOP_WORDS = frozenset([*".,:;?!()\"'%-", "the", "on", "'s", "of", "a", "an"])


def _codes(view: View) -> Ints:
    mentions, lexicon = view.mentions, view.lexicon
    codes = np.full(len(mentions), NEW, np.int8)
    is_known = lookup_pair(lexicon.inside_counts, view.tokens, view.token_types) > 0
    distinct, inverse = np.unique(view.tokens, return_inverse=True)
    words = view.sentences.corpus.coding.tokens.strings(distinct)
    is_stop_word = np.array([word.lower() in _STOP_WORDS for word in words], bool)[inverse]
    of_token = np.repeat(np.arange(len(mentions)), mentions.lengths)
    codes[of_token[is_known & ~is_stop_word]] = PARTIAL
    codes[lookup_pair(lexicon.surface_counts, view.surface, mentions.type) > 0] = EXACT
    return codes


WORD_OVERLAP = Facet(
    name="word-overlap",
    title="Word overlap with training mentions",
    phrase="word overlap with training mentions",
    definition="How much of a mention training mentions of its type have: all of it, some words, "
    "or none (Taillé et al. 2020).",
    unit=MENTION,
    levels=(
        Level(
            "exact-overlap",
            (EXACT,),
            "mentions that training has with this type",
            "Mentions whose text and type are those of a training mention.",
        ),
        Level(
            "partial-overlap",
            (PARTIAL,),
            "mentions partly new",
            "Mentions that training does not have, with at least one word (stop words and "
            "punctuation aside) that stands in a training mention of this type.",
        ),
        Level(
            "no-overlap",
            (NEW,),
            "mentions wholly new",
            "Mentions with no word (stop words and punctuation aside) that stands in a training "
            "mention of this type.",
        ),
    ),
    codes=_codes,
    needs_train=True,
)
FACETS.add(WORD_OVERLAP.name, WORD_OVERLAP, built_in=True, rank=52)
