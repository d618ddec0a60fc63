"""Where sequences of tokens stand in a text."""

from collections.abc import Iterable

import numpy as np

from nerscope.corpus.arrays import Ints, expand_ranges, lookup
from nerscope.corpus.corpus import Corpus
from nerscope.corpus.interning import SequenceTrie
from nerscope.corpus.mentions import Mentions


def find_sequences(text: Corpus, tokens: Ints, wanted: Mentions) -> tuple[Ints, Ints]:
    """All places in a text of the sequences `tokens[start:end]`: which one, and where it begins.

    "Bank of Ghana" is looked for where "Ghana" stands, not where "of" does: candidates begin two
    tokens before each "Ghana", must lie in one sentence, and are then compared token by token.

    >>> text = Corpus.of([(["a", "b", "a", "b"], ["B-X", "I-X", "O", "O"])])
    >>> which, begin = find_sequences(text, text.tokens, text.mentions())
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


def count_occurrences(paths: SequenceTrie, texts: Iterable[tuple[Ints, Ints]]) -> Ints:
    """How often each path stands in texts, within a sentence. A text is tokens, and where sentences
    begin; it ends where the last one does.

    From every place of the text the tree of paths is walked as long as there is a branch; so the
    time does not depend on how many paths there are.

    >>> text = Corpus.of([(["a", "b", "a"], ["O"] * 3), (["b"], ["O"])])
    >>> paths = SequenceTrie()
    >>> code = paths.codes(text.tokens, np.array([0]), np.array([2]))
    >>> count_occurrences(paths, [(text.tokens, text.starts)])[code].tolist()
    [1]
    """
    found = np.zeros(len(paths), np.int64)
    beginnings, goes_on = paths.first_codes(), paths.has_children()
    for tokens, starts in texts if len(paths) else ():
        codes = np.where(
            tokens < len(beginnings), beginnings[np.minimum(tokens, len(beginnings) - 1)], -1
        )
        last = np.repeat(starts[1:] - 1, np.diff(starts))  # of the sentence of each token
        at = np.flatnonzero(codes >= 0)
        codes = codes[at]
        while len(at):
            np.add.at(found, codes, 1)
            going = goes_on[codes] & (at < last[at])
            at = at[going] + 1
            codes = paths.children(codes[going], tokens[at])
            at, codes = at[codes >= 0], codes[codes >= 0]
    return found


def _candidates(text: Corpus, tokens: Ints, wanted: Mentions) -> tuple[Ints, Ints]:
    """Where a sequence would begin if the token of it that is rarest in the text told."""
    order = np.argsort(text.tokens, kind="stable")
    rarest = _rarest(text, tokens, wanted)
    low = np.searchsorted(text.tokens, tokens[rarest], sorter=order)
    high = np.searchsorted(text.tokens, tokens[rarest], side="right", sorter=order)
    which = np.repeat(np.arange(len(wanted)), high - low)
    begin = order[expand_ranges(low, high)] - (rarest - wanted.start)[which]
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
    position = expand_ranges(wanted.start, wanted.end)
    frequency = lookup(np.bincount(text.tokens), tokens[position])
    rarest: Ints = position[np.lexsort((frequency, owner))[np.cumsum(lengths) - lengths]]
    return rarest
