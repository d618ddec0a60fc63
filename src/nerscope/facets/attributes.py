"""InterpretEval's attributes of mentions and tokens."""

from collections.abc import Callable

import numpy as np

from nerscope.corpus.arrays import Floats, Ints, lookup, lookup_pair
from nerscope.corpus.units import INSIDE, MENTION
from nerscope.facets.buckets import EQUAL_COUNT, WHOLE_NUMBERS, ZERO, ZERO_AND_ONE
from nerscope.facets.facet import FACETS, Attribute, AttributeFunction, View


def _standard(
    name: str,
    *,
    rank: int,
    short: str,
    phrase: str,
    definition: str,
    unit: str = MENTION,
    needs_train: bool = False,
    bucketing: str = EQUAL_COUNT,
    noun: str = "",
) -> Callable[[AttributeFunction], AttributeFunction]:
    """Register an attribute of the paper; its title is the docstring of its function."""

    def register(values: AttributeFunction) -> AttributeFunction:
        title = (values.__doc__ or "").rstrip(".")
        words = title, True, phrase, definition, noun, short
        attribute = Attribute(name, values, unit, needs_train, bucketing, *words)
        FACETS.add(name, attribute, built_in=True, rank=rank)
        return values

    return register


def _share(numerator: Ints, denominator: Ints) -> Floats:
    """Divide; 0 / 0 is 0, as for a mention that is not in training."""
    size = len(numerator)
    return np.divide(numerator, denominator, out=np.zeros(size), where=denominator > 0)


@_standard(
    "eLen",
    short="mention length",
    rank=30,
    bucketing=WHOLE_NUMBERS,
    phrase="mention length",
    definition="Entity length: tokens in the mention.",
    noun="token",
)
def entity_length(view: View) -> Floats:
    """Tokens in the mention."""
    return view.mentions.lengths.astype(np.float64)


@_standard(
    "sLen",
    short="sentence length",
    rank=31,
    phrase="sentence length",
    definition="Tokens in the sentence.",
    noun="token",
)
def sentence_length(view: View) -> Floats:
    """Tokens in the sentence."""
    return view.sentences.lengths[view.sentence].astype(np.float64)


@_standard(
    "eDen",
    short="share of words inside mentions",
    rank=32,
    phrase="share of the sentence inside mentions",
    definition="Entity density: share of the sentence's tokens that are inside gold mentions.",
)
def entity_density(view: View) -> Floats:
    """Share of the sentence's tokens that are inside gold mentions."""
    return view.sentences.share_inside[view.sentence]


@_standard(
    "eDen_entities",
    short="mentions per token",
    rank=33,
    phrase="mentions per token of the sentence",
    definition="Gold mentions of the sentence divided by its tokens.",
)
def entities_per_token(view: View) -> Floats:
    """Gold mentions of the sentence divided by its tokens."""
    return view.sentences.gold_per_token[view.sentence]


@_standard(
    "oDen",
    short="share of new words",
    rank=34,
    needs_train=True,
    bucketing=ZERO,
    phrase="share of the sentence's words not seen in training",
    definition="Share of the sentence's tokens that are not in training.",
)
def unknown_density(view: View) -> Floats:
    """Share of the sentence's tokens that training does not have."""
    return view.sentences.share_unknown[view.sentence]


@_standard(
    "eFre",
    short="mention frequency",
    rank=35,
    needs_train=True,
    bucketing=ZERO,
    phrase="frequency of the mention in training",
    definition="Entity frequency: share of the training mentions that have this text.",
)
def entity_frequency(view: View) -> Floats:
    """Share of the training mentions that have this surface."""
    same = lookup(view.lexicon.surface_totals, view.surface)
    return same / max(1, view.lexicon.n_mentions)


@_standard(
    "eCon_mentions",
    short="type consistency",
    rank=36,
    needs_train=True,
    bucketing=ZERO_AND_ONE,
    phrase="how consistently training mentions with this text have this type",
    definition="Like eCon, but only over training mentions with this text.",
)
def entity_consistency_among_mentions(view: View) -> Floats:
    """Share of the training mentions of this surface that have this type."""
    table = view.lexicon.surface_counts
    return _share(
        lookup_pair(table, view.surface, view.mentions.type),
        lookup(view.lexicon.surface_totals, view.surface),
    )


@_standard(
    "eCon",
    short="mention consistency",
    rank=37,
    needs_train=True,
    bucketing=ZERO_AND_ONE,
    phrase="how consistently training labels this mention",
    definition="Entity consistency: training mentions with this text and type, divided by all "
    "occurrences of the text in training, annotated or not. 0: never this type, or not in "
    "training; 1: always this type.",
)
def entity_consistency(view: View) -> Floats:
    """Share of all occurrences of the token sequence in the training text that are mentions of this
    type.
    """
    same = lookup_pair(view.lexicon.surface_counts, view.surface, view.mentions.type)
    return _share(same, lookup(view.lexicon.occurrences, view.surface))


@_standard(
    "tFre",
    short="word frequency",
    rank=38,
    unit=INSIDE,
    needs_train=True,
    bucketing=ZERO,
    phrase="frequency of the word in training",
    definition="Share of the training tokens that are this token.",
)
def token_frequency(view: View) -> Floats:
    """Share of the training tokens that are this token."""
    return lookup(view.lexicon.token_counts, view.tokens) / max(1, view.lexicon.n_tokens)


@_standard(
    "tCon",
    short="word consistency",
    rank=39,
    unit=INSIDE,
    needs_train=True,
    bucketing=ZERO_AND_ONE,
    phrase="how consistently training labels this word",
    definition="Token consistency: share of the token's training occurrences that are inside "
    "mentions of this type. 0: never this type, or not in training; 1: always this type.",
)
def token_consistency(view: View) -> Floats:
    """Share of the token's training occurrences that are inside mentions of this type."""
    same = lookup_pair(view.lexicon.inside_counts, view.tokens, view.token_types)
    return _share(same, lookup(view.lexicon.token_counts, view.tokens))
