"""Where sequences of tokens stand in a text."""

import numpy as np

from nerscope.corpus.arrays import Ints
from nerscope.corpus.corpus import Corpus
from nerscope.corpus.lookup import lookup, ranges
from nerscope.corpus.mentions import Mentions


def places_of(text: Corpus, tokens: Ints, wanted: Mentions) -> tuple[Ints, Ints]:
    """All places in a text of the sequences `tokens[start:end]`: which one, and where it begins.

    "Bank of Ghana" is looked for where "Ghana" stands, not where "of" does: candidates begin two
    tokens before each "Ghana", must lie in one sentence, and are then compared token by token.

    >>> text = Corpus.of([(["a", "b", "a", "b"], ["B-X", "I-X", "O", "O"])])
    >>> which, begin = places_of(text, text.tokens, text.mentions())
    >>> which.tolist(), begin.tolist()
    ([0, 0], [0, 2])
    """
    which, begin = _candidates(text, tokens, wanted)
    lengths = wanted.end - wanted.start
    for step in range(int(lengths.max(initial=0))):
        at = np.minimum(begin + step, text.n_tokens - 1)
        right = tokens[np.minimum(wanted.start[which] + step, len(tokens) - 1)]
        good = (lengths[which] <= step) | (text.tokens[at] == right)
        which, begin = which[good], begin[good]
    return which, begin


def _candidates(text: Corpus, tokens: Ints, wanted: Mentions) -> tuple[Ints, Ints]:
    """Where a sequence would begin if the token of it that is rarest in the text told."""
    order = np.argsort(text.tokens, kind="stable")
    rarest = _rarest(text, tokens, wanted)
    low = np.searchsorted(text.tokens, tokens[rarest], sorter=order)
    high = np.searchsorted(text.tokens, tokens[rarest], side="right", sorter=order)
    which = np.repeat(np.arange(len(wanted)), high - low)
    begin = order[ranges(low, high)] - (rarest - wanted.start)[which]
    final = begin + (wanted.end - wanted.start)[which] - 1
    good = (begin >= 0) & (final < text.n_tokens)
    which, begin, final = which[good], begin[good], final[good]
    sentence_of = np.repeat(np.arange(len(text)), np.diff(text.starts))
    good = sentence_of[begin] == sentence_of[final]
    return which[good], begin[good]


def _rarest(text: Corpus, tokens: Ints, wanted: Mentions) -> Ints:
    """The position of the token of each sequence that the text has least often."""
    lengths = wanted.end - wanted.start
    owner = np.repeat(np.arange(len(wanted)), lengths)
    position = ranges(wanted.start, wanted.end)
    frequency = lookup(np.bincount(text.tokens), tokens[position])
    rarest: Ints = position[np.lexsort((frequency, owner))[np.cumsum(lengths) - lengths]]
    return rarest
