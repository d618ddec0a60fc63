"""Tough mentions: unseen in training, or with more than one type in the test set."""

import numpy as np

from nerscope.corpus.arrays import Ints, lookup, lookup_pair
from nerscope.corpus.units import MENTION
from nerscope.facets.facet import FACETS, Facet, Level, View

SEEN, UNSEEN_TYPE, UNSEEN_TOKENS = range(3)
# Added to the code of a mention whose text has two or more types among the gold test mentions:
# 3 is seen and ambiguous, 4 unseen-type and ambiguous, 5 unseen-tokens and ambiguous.
CONFUSABLE = 3


def tough_mention_codes(view: View) -> Ints:
    surface, kind = view.surface, view.mentions.type
    table = view.lexicon.surface_counts
    # From the hardest to the easiest: each line overwrites the previous one.
    code = np.full(len(surface), UNSEEN_TOKENS, np.int8)
    code[lookup(view.lexicon.surface_totals, surface) > 0] = UNSEEN_TYPE
    code[lookup_pair(table, surface, kind) > 0] = SEEN
    code[lookup(view.sentences.types_of_surface, surface) >= 2] += CONFUSABLE
    return code


TMR = Facet(
    name="tmr",
    title="Tough mentions",
    phrase="tough mentions",
    definition="Tough Mentions Recall: recall on mentions unseen in training and on "
    "type-confusable ones.",
    unit=MENTION,
    levels=(
        Level(
            "seen",
            codes=(0, 3),
            phrase="mentions seen in training",
            definition="Mentions whose text and type are those of a training mention.",
        ),
        Level(
            "unseen-any",
            codes=(1, 2, 4, 5),
            phrase="mentions not seen with this type",
            definition="Mentions not in training with this text and type: unseen-tokens, "
            "unseen-type.",
        ),
        Level(
            "unseen-tokens",
            codes=(2, 5),
            phrase="mentions whose text is new",
            definition="Mentions whose text is not a training mention.",
        ),
        Level(
            "unseen-type",
            codes=(1, 4),
            phrase="mentions seen only with another type",
            definition="Mentions whose text is a training mention, but never with this type.",
        ),
        Level(
            "tcm-all",
            codes=(3, 4, 5),
            phrase="ambiguous mentions (several types in the test set)",
            definition="Type-confusable mentions: their text has two or more types among gold "
            "test mentions.",
        ),
        Level(
            "tcm-seen",
            codes=(3, 4),
            phrase="ambiguous mentions, seen",
            definition="Type-confusable mentions whose text is a training mention.",
        ),
        Level(
            "tcm-unseen",
            codes=(5,),
            phrase="ambiguous mentions, unseen",
            definition="Type-confusable mentions whose text is not a training mention.",
        ),
    ),
    codes=tough_mention_codes,
    metrics=("recall",),
    standard=True,
    is_headline=True,
    needs_train=True,
)
FACETS.add(TMR.name, TMR, built_in=True, rank=10)
