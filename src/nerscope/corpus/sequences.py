"""Where sequences of tokens occur in a text."""

from collections.abc import Iterable

import numpy as np

from nerscope.corpus.arrays import Ints, expand_ranges, lookup
from nerscope.corpus.corpus import Corpus
from nerscope.corpus.interning import SequenceTrie
from nerscope.corpus.mentions import Mentions


def find_sequences(text: Corpus, tokens: Ints, sequences: Mentions) -> tuple[Ints, Ints]:
    """All places in a text of the sequences `tokens[start:end]`: which one, and where it begins.

    "Bank of Ghana" is looked for where "Ghana" stands, not where "of" does: candidates begin two
    tokens before each "Ghana", must lie in one sentence, and are then compared token by token.

    >>> text = Corpus.of([(["a", "b", "a", "b"], ["B-X", "I-X", "O", "O"])])
    >>> which, begin = find_sequences(text, text.tokens, text.mentions())
    >>> which.tolist(), begin.tolist()
    ([0, 0], [0, 2])
    """
    which, begin = _candidates(text, tokens, sequences)
    lengths = sequences.end - sequences.start
    for step in range(int(lengths.max(initial=0))):
        at = np.minimum(begin + step, text.n_tokens - 1)
        right = tokens[np.minimum(sequences.start[which] + step, len(tokens) - 1)]
        good = (lengths[which] <= step) | (text.tokens[at] == right)
        which, begin = which[good], begin[good]
    return which, begin


def count_occurrences(trie: SequenceTrie, texts: Iterable[tuple[Ints, Ints]]) -> Ints:
    """How often each sequence of a trie occurs in texts, within a sentence.

    A text is its tokens, and where its sentences begin (and the last one ends). From every token
    the trie is walked as long as there is a branch: the time does not grow with the number of
    sequences.

    >>> text = Corpus.of([(["a", "b", "a"], ["O"] * 3), (["b"], ["O"])])
    >>> trie = SequenceTrie()
    >>> code = trie.codes(text.tokens, np.array([0]), np.array([2]))
    >>> count_occurrences(trie, [(text.tokens, text.starts)])[code].tolist()
    [1]
    """
    counts = np.zeros(len(trie), np.int64)
    first_codes, has_children = trie.first_codes(), trie.has_children()
    for tokens, starts in texts if len(trie) else ():
        codes = np.where(
            tokens < len(first_codes), first_codes[np.minimum(tokens, len(first_codes) - 1)], -1
        )
        last = np.repeat(starts[1:] - 1, np.diff(starts))  # of the sentence of each token
        at = np.flatnonzero(codes >= 0)
        codes = codes[at]
        while len(at):
            np.add.at(counts, codes, 1)
            going = has_children[codes] & (at < last[at])
            at = at[going] + 1
            codes = trie.children(codes[going], tokens[at])
            at, codes = at[codes >= 0], codes[codes >= 0]
    return counts


def _candidates(text: Corpus, tokens: Ints, sequences: Mentions) -> tuple[Ints, Ints]:
    """Where a sequence would begin, judged by its token that is rarest in the text."""
    order = np.argsort(text.tokens, kind="stable")
    rarest = _rarest(text, tokens, sequences)
    low = np.searchsorted(text.tokens, tokens[rarest], sorter=order)
    high = np.searchsorted(text.tokens, tokens[rarest], side="right", sorter=order)
    which = np.repeat(np.arange(len(sequences)), high - low)
    begin = order[expand_ranges(low, high)] - (rarest - sequences.start)[which]
    final = begin + (sequences.end - sequences.start)[which] - 1
    good = (begin >= 0) & (final < text.n_tokens)
    which, begin, final = which[good], begin[good], final[good]
    sentence_of = np.repeat(np.arange(len(text)), np.diff(text.starts))
    good = sentence_of[begin] == sentence_of[final]
    return which[good], begin[good]


def _rarest(text: Corpus, tokens: Ints, sequences: Mentions) -> Ints:
    """The position of the token of each sequence that the text has least often."""
    lengths = sequences.end - sequences.start
    owner = np.repeat(np.arange(len(sequences)), lengths)
    position = expand_ranges(sequences.start, sequences.end)
    frequency = lookup(np.bincount(text.tokens), tokens[position])
    rarest: Ints = position[np.lexsort((frequency, owner))[np.cumsum(lengths) - lengths]]
    return rarest
