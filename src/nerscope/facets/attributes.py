"""The attributes of mentions and tokens by which performance is broken down."""

from collections.abc import Callable

import numpy as np

from nerscope.corpus.arrays import Floats, Ints
from nerscope.corpus.lookup import lookup, lookup_pair
from nerscope.corpus.units import INSIDE, MENTION
from nerscope.facets.facet import FACETS, Attribute
from nerscope.facets.view import View

Values = Callable[[View], Floats]


def _standard(
    name: str, *, unit: str = MENTION, needs_train: bool = False, bucketing: str = "equal-count"
) -> Callable[[Values], Values]:
    """Register an attribute of the paper, which is used unless other facets are asked for."""

    def register(values: Values) -> Values:
        title = (values.__doc__ or "").rstrip(".")
        kept = Attribute(name, values, unit, needs_train, bucketing, title, True)
        FACETS.add(name, kept, built_in=True)
        return values

    return register


def _share(part: Ints, whole: Ints) -> Floats:
    """Part of whole; 0 where there is no whole."""
    return np.divide(part, whole, out=np.zeros(len(part)), where=whole > 0)


@_standard("eLen", bucketing="whole-numbers")
def entity_length(view: View) -> Floats:
    """Tokens in the mention."""
    return view.mentions.lengths.astype(np.float64)


@_standard("sLen")
def sentence_length(view: View) -> Floats:
    """Tokens in the sentence."""
    return view.sentences.lengths[view.sentence].astype(np.float64)


@_standard("eDen")
def entity_density(view: View) -> Floats:
    """Share of the sentence's tokens that are inside gold mentions."""
    return view.sentences.share_inside[view.sentence]


@_standard("eDen_entities")
def entities_per_token(view: View) -> Floats:
    """Gold mentions of the sentence over its tokens."""
    return view.sentences.gold_per_token[view.sentence]


@_standard("oDen", needs_train=True, bucketing="zero")
def unknown_density(view: View) -> Floats:
    """Share of the sentence's tokens that training does not have."""
    return view.sentences.share_unknown[view.sentence]


@_standard("eFre", needs_train=True, bucketing="zero")
def entity_frequency(view: View) -> Floats:
    """Share of the training mentions that have this surface."""
    same = lookup(view.lexicon.surface_totals, view.surface)
    return same / max(1, view.lexicon.n_mentions)


@_standard("eCon_mentions", needs_train=True, bucketing="zero-and-one")
def entity_consistency_among_mentions(view: View) -> Floats:
    """Share of the training mentions of this surface that have this type."""
    table = view.lexicon.surface_counts
    return _share(
        lookup_pair(table, view.surface, view.mentions.type),
        lookup(view.lexicon.surface_totals, view.surface),
    )


@_standard("eCon", needs_train=True, bucketing="zero-and-one")
def entity_consistency(view: View) -> Floats:
    """Share of all occurrences of the token sequence in the training text that are mentions of this
    type.
    """
    same = lookup_pair(view.lexicon.surface_counts, view.surface, view.mentions.type)
    return _share(same, lookup(view.lexicon.occurrences, view.surface))


@_standard("tFre", unit=INSIDE, needs_train=True, bucketing="zero")
def token_frequency(view: View) -> Floats:
    """Share of the training tokens that are this token."""
    return lookup(view.lexicon.token_counts, view.tokens) / max(1, view.lexicon.n_tokens)


@_standard("tCon", unit=INSIDE, needs_train=True, bucketing="zero-and-one")
def token_consistency(view: View) -> Floats:
    """Share of the token's training occurrences that are inside mentions of this type."""
    same = lookup_pair(view.lexicon.inside_counts, view.tokens, view.token_types)
    return _share(same, lookup(view.lexicon.token_counts, view.tokens))
