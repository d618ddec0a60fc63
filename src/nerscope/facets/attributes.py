"""The attributes of mentions and tokens by which performance is broken down."""

import numpy as np

from nerscope.corpus.arrays import Floats, Ints
from nerscope.corpus.lookup import lookup, lookup_pair
from nerscope.facets.facet import INSIDE, attribute
from nerscope.facets.view import View


def _share(part: Ints, whole: Ints) -> Floats:
    """Part of whole; 0 where there is no whole."""
    return np.divide(part, whole, out=np.zeros(len(part)), where=whole > 0)


@attribute("eLen", bucketing="whole-numbers")
def entity_length(view: View) -> Floats:
    """Tokens in the mention."""
    return (view.mentions.end - view.mentions.start).astype(np.float64)


@attribute("sLen")
def sentence_length(view: View) -> Floats:
    """Tokens in the sentence."""
    return view.sentences.lengths[view.sentence].astype(np.float64)


@attribute("eDen")
def entity_density(view: View) -> Floats:
    """Share of the sentence's tokens that are inside gold mentions."""
    sentences = view.sentences
    gold = View(sentences, sentences.gold)
    per_sentence = np.bincount(
        gold.sentence, gold.mentions.end - gold.mentions.start, len(sentences.lengths)
    )
    return sentences.share(per_sentence.astype(np.int64))[view.sentence]


@attribute("eDen_entities")
def entities_per_token(view: View) -> Floats:
    """Gold mentions of the sentence over its tokens."""
    sentences = view.sentences
    per_sentence = np.bincount(
        sentences.gold.sentences(sentences.corpus.starts), minlength=len(sentences.lengths)
    )
    return sentences.share(per_sentence)[view.sentence]


@attribute("oDen", needs_train=True, bucketing="zero")
def unknown_density(view: View) -> Floats:
    """Share of the sentence's tokens that training does not have."""
    corpus = view.sentences.corpus
    unknown = lookup(view.lexicon.token_counts, corpus.tokens) == 0
    per_sentence = np.add.reduceat(unknown, corpus.starts[:-1], dtype=np.int64)
    return view.sentences.share(per_sentence)[view.sentence]


@attribute("eFre", needs_train=True, bucketing="zero")
def entity_frequency(view: View) -> Floats:
    """Share of the training mentions that have this surface."""
    same = lookup(view.lexicon.surface_counts.sum(axis=1), view.surface)
    return same / max(1, view.lexicon.n_mentions)


@attribute("eCon_mentions", needs_train=True, bucketing="zero-and-one")
def entity_consistency_among_mentions(view: View) -> Floats:
    """Share of the training mentions of this surface that have this type."""
    table = view.lexicon.surface_counts
    return _share(
        lookup_pair(table, view.surface, view.mentions.type),
        lookup(table.sum(axis=1), view.surface),
    )


@attribute("eCon", needs_train=True, bucketing="zero-and-one")
def entity_consistency(view: View) -> Floats:
    """Share of all occurrences of the token sequence in the training text that are mentions of this
    type.
    """
    same = lookup_pair(view.lexicon.surface_counts, view.surface, view.mentions.type)
    return _share(
        same, view.lexicon.occurrences(view.sentences.corpus.tokens, view.mentions, view.surface)
    )


@attribute("tFre", unit=INSIDE, needs_train=True, bucketing="zero")
def token_frequency(view: View) -> Floats:
    """Share of the training tokens that are this token."""
    return lookup(view.lexicon.token_counts, view.tokens) / max(1, view.lexicon.n_tokens)


@attribute("tCon", unit=INSIDE, needs_train=True, bucketing="zero-and-one")
def token_consistency(view: View) -> Floats:
    """Share of the token's training occurrences that are inside mentions of this type."""
    same = lookup_pair(view.lexicon.inside_counts, view.tokens, view.token_types)
    return _share(same, lookup(view.lexicon.token_counts, view.tokens))


NAMES = (
    "eLen",
    "sLen",
    "eDen",
    "eDen_entities",
    "oDen",
    "eFre",
    "eCon",
    "eCon_mentions",
    "tFre",
    "tCon",
)
