"""Known faults of known corpora, mended on request and counted."""

from collections.abc import Callable

import numpy as np

from nerscope.corpus.arrays import Ints
from nerscope.corpus.schemes import BEGIN, INSIDE, Label, Labels
from nerscope.corpus.vocabulary import Vocabulary


def join_handles(
    tokens: Ints, labels: Ints, starts: Ints, words: Vocabulary, known: Labels
) -> Ints:
    """The labels with `B-X` right after an `@` labelled `B-X` turned into `I-X`, as the Broad
    Twitter Corpus needs it.
    """
    inside = np.arange(len(known.known))
    for code, label in enumerate(known.known):
        if label.role == BEGIN:
            inside[code] = known.code(Label(INSIDE, label.type))
    after = np.zeros(len(tokens), bool)
    after[1:] = (tokens[:-1] == words.encode(["@"])[0]) & (labels[1:] == labels[:-1])
    after[starts[:-1]] = False
    return np.where(after & (inside[labels] != labels), inside[labels], labels)


MENDS: dict[str, Callable[[Ints, Ints, Ints, Vocabulary, Labels], Ints]] = {"handles": join_handles}
