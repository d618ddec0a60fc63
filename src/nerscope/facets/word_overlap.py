"""The overlap of a mention with training mentions of its type (Taillé et al. 2020)."""

import numpy as np

from nerscope.corpus.arrays import Ints, lookup_pair
from nerscope.corpus.units import MENTION
from nerscope.facets.facet import FACETS, Facet, Level, View

EXACT, PARTIAL, NEW = range(3)
# The stop words of the authors' program, in lower case.
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
    definition="The overlap of a mention with training mentions of its type: the complete text, "
    "some words, or none (Taillé et al. 2020).",
    unit=MENTION,
    levels=(
        Level(
            "exact-overlap",
            (EXACT,),
            "mentions seen in training with this type",
            "Mentions whose text and type are those of a training mention.",
        ),
        Level(
            "partial-overlap",
            (PARTIAL,),
            "mentions partly new",
            "Mentions that are not in training, with at least one word (except stop words and "
            "punctuation) that is in a training mention of this type.",
        ),
        Level(
            "no-overlap",
            (NEW,),
            "mentions completely new",
            "Mentions without a word (except stop words and punctuation) that is in a training "
            "mention of this type.",
        ),
    ),
    codes=_codes,
    needs_train=True,
)
FACETS.add(WORD_OVERLAP.name, WORD_OVERLAP, built_in=True, rank=52)
