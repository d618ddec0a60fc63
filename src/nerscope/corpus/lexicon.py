"""What the training data says of every token and every surface.

Everything is a table that is asked by code. A worked example: training holds "New York" five times,
three times as LOC, once as ORG and once without a mention. Then the surface code of (New, York) has
the row LOC 3, ORG 1 in `surface_counts` and 5 in `occurrences`; the token "York" has 5 in
`token_counts` and the row LOC 3, ORG 1 in `inside_counts`.
"""

from dataclasses import dataclass

import numpy as np

from nerscope.corpus.arrays import Ints
from nerscope.corpus.corpus import Corpus
from nerscope.corpus.interning import Paths
from nerscope.corpus.lookup import counted
from nerscope.corpus.mentions import Mentions, token_runs
from nerscope.corpus.sequences import places_of


@dataclass(frozen=True, slots=True, eq=False)
class Lexicon:
    """Counts over the training data, fixed once they are made.

    Codes are those of the evaluation's vocabulary, of its labels, and of `surfaces`, which knows
    the training mentions; whatever is unknown has the code -1 there.
    """

    surfaces: Paths
    n_mentions: int
    n_tokens: int
    token_counts: Ints  # by token
    inside_counts: Ints  # by token and type: occurrences inside mentions of the type
    inside_totals: Ints  # by token: the same for all types together
    inside_most: Ints  # by token: of its most frequent type
    surface_counts: Ints  # by surface and type
    surface_totals: Ints  # by surface: for all types together
    occurrences: Ints  # by surface: of its tokens anywhere in the text, annotated or not


def lexicon_of(training: Corpus, repair: str = "conlleval") -> Lexicon:
    """Count the training data.

    >>> text = [(["New", "York"], ["B-LOC", "I-LOC"]), (["New", "York", "Times"], ["O", "O", "O"])]
    >>> lexicon = lexicon_of(Corpus.of(text))
    >>> lexicon.occurrences[lexicon.surface_counts.sum(axis=1) > 0].tolist()
    [2]
    """
    mentions, tokens = training.mentions(repair), training.tokens
    kinds = max(1, len(training.coding.labels.types))
    bound = training.coding.tokens.bound
    surfaces = Paths()
    codes = surfaces.codes(*token_runs(tokens, mentions))
    inside = mentions.positions
    inside_types = np.repeat(mentions.type, mentions.lengths)
    if not mentions.are_flat:  # a token counts once for each type around it
        once = np.unique(inside * np.int64(kinds) + inside_types)
        inside, inside_types = once // kinds, once % kinds
    by_token = counted(tokens[inside], inside_types, (bound, kinds))
    by_surface = counted(codes, mentions.type, (len(surfaces), kinds))
    return Lexicon(
        surfaces,
        n_mentions=len(mentions),
        n_tokens=len(tokens),
        token_counts=np.bincount(tokens, minlength=bound),
        inside_counts=by_token,
        inside_totals=np.bincount(tokens[np.unique(inside)], minlength=bound),
        inside_most=by_token.max(axis=1, initial=0),
        surface_counts=by_surface,
        surface_totals=by_surface.sum(axis=1),
        occurrences=_occurrences(training, mentions, codes, len(surfaces)),
    )


def _occurrences(training: Corpus, mentions: Mentions, codes: Ints, size: int) -> Ints:
    """How often the tokens of each surface stand side by side in the text, or are a mention with
    holes.
    """
    distinct, first = np.unique(codes, return_index=True)
    tokens, start, end = token_runs(training.tokens, mentions[first])
    which, _ = places_of(training, tokens, Mentions(start, end, mentions.type[first]))
    found = np.bincount(distinct[which], minlength=size)
    with_holes = mentions.lengths < mentions.end - mentions.start
    return found + np.bincount(codes[with_holes], minlength=size)
