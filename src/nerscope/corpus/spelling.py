"""Sequences of tokens spelt out, so that they mean the same where other codes are used."""

from typing import NamedTuple

import numpy as np

from nerscope.codec import serialisable
from nerscope.corpus.arrays import Ints
from nerscope.corpus.interning import Paths
from nerscope.corpus.vocabulary import Vocabulary


@serialisable
class Spelt(NamedTuple):
    """Sequences of tokens: sequence k is `tokens[ends[k - 1]:ends[k]]`, places in `words`.

    >>> here, elsewhere = Vocabulary(), Vocabulary()
    >>> tokens = here.encode(["New", "York", "York"])
    >>> spelt = spell(here, tokens, np.array([2, 3]))
    >>> elsewhere.strings(spelt.items(elsewhere))
    ['New', 'York', 'York']
    """

    words: tuple[str, ...]
    tokens: Ints
    ends: Ints

    def items(self, vocabulary: Vocabulary) -> Ints:
        """The tokens in the codes of a vocabulary, to which new ones are added."""
        codes = vocabulary.encode(self.words)
        return codes[self.tokens] if len(codes) else np.zeros(0, np.int32)

    def codes(self, vocabulary: Vocabulary, paths: Paths) -> Ints:
        """The code of each sequence among paths, to which new ones are added."""
        starts = np.concatenate([[0], self.ends[:-1]]) if len(self.ends) else self.ends
        return paths.codes(self.items(vocabulary), starts, self.ends).astype(np.int64)


def spell(vocabulary: Vocabulary, tokens: Ints, ends: Ints) -> Spelt:
    """Sequences of codes, spelt out; each distinct token once."""
    used, places = np.unique(tokens, return_inverse=True)
    return Spelt(tuple(vocabulary.strings(used)), places.astype(np.int32), ends.astype(np.int32))


def joined_spelt(parts: list[Spelt]) -> Spelt:
    """The sequences of all parts, one part after the other."""
    if len(parts) == 1:
        return parts[0]
    places: dict[str, int] = {}
    tokens, ends, behind = [], [], 0
    for part in parts:
        known = [places.setdefault(word, len(places)) for word in part.words]
        tokens.append(np.array(known, np.int32)[part.tokens])
        ends.append(part.ends + behind)
        behind += len(part.tokens)
    return Spelt(tuple(places), np.concatenate(tokens), np.concatenate(ends))


NOTHING_SPELT = Spelt((), np.zeros(0, np.int32), np.zeros(0, np.int32))
