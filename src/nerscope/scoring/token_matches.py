"""Matches of tokens: what is compared token by token.

Unlike a match of mentions, it pairs nothing: a token is right if its label is the gold one.
"""

from collections.abc import Callable, Mapping

import numpy as np

from nerscope.corpus.arrays import Ints, expand_ranges
from nerscope.corpus.mentions import Mentions

BILOU, IO, LABEL = "bilou", "io", "label"


def io_labels(mentions: Mentions, size: int) -> Ints:
    """The type of every token, -1 outside of mentions."""
    labels = np.full(size, -1, np.int32)
    labels[expand_ranges(mentions.start, mentions.end)] = np.repeat(
        mentions.type, mentions.end - mentions.start
    )
    return labels


def bilou_labels(mentions: Mentions, size: int) -> Ints:
    """Every token's type and place in its mention, as 4 * type + place; -1 outside.

    The places are 0 inside, 1 begin, 2 last, 3 unit. A mention of type 2 on the tokens 5 to 7 and
    one of type 0 on token 9 give 9 8 10 -1 3.
    """
    labels = io_labels(mentions, size) * 4
    labels[labels < 0] = -1
    mentions = mentions.placed
    is_unit = mentions.end - mentions.start == 1
    labels[mentions.start[~is_unit]] += 1
    labels[mentions.end[~is_unit] - 1] += 2
    labels[mentions.start[is_unit]] += 3
    return labels


TOKEN_MATCHES: Mapping[str, Callable[[Mentions, int], Ints]] = {
    BILOU: bilou_labels,
    IO: io_labels,
}
# The phrase and the definition of each; `label` compares the labels of the files as written.
TOKEN_MATCH_WORDS: Mapping[str, tuple[str, str]] = {
    BILOU: (
        "BILOU label",
        "Labels that tell begin, inside, last and unit tokens of a mention; what token error rates "
        "compare, so that a wrong boundary is an error.",
    ),
    IO: ("type of each token", "A match of types token by token, whatever the boundaries."),
    LABEL: ("whole label", "A match of whole labels token by token, as accuracy has it."),
}
