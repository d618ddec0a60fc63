"""What a facet may look at: the mentions of a chunk, gold or predicted, in their sentences, with
training and test lore.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from nerscope.corpus.arrays import Floats, Ints
from nerscope.corpus.corpus import Corpus
from nerscope.corpus.interning import Paths
from nerscope.corpus.lexicon import Lexicon
from nerscope.corpus.lookup import ranges
from nerscope.corpus.mentions import Mentions


@dataclass
class Sentences:
    """The gold sentences of a chunk: what facets of the sentence are computed from, for every
    system alike.
    """

    corpus: Corpus
    gold: Mentions
    surfaces: Paths
    lexicon: Lexicon | None = None
    types_of_surface: Ints = field(
        default_factory=lambda: np.zeros(0, np.int64)
    )  # how many, among gold test mentions

    @cached_property
    def lengths(self) -> Ints:
        """Tokens in each sentence."""
        return np.diff(self.corpus.starts)

    def share(self, per_sentence: Ints) -> Floats:
        """A count per sentence divided by the sentence's length."""
        return per_sentence / self.lengths


@dataclass
class View:
    """Mentions in their sentences. The same functions of a view serve gold and predicted mentions.

    `positions`, `tokens` and `token_types` run over the tokens inside the mentions; the rest runs
    over the mentions.
    """

    sentences: Sentences
    mentions: Mentions

    @property
    def lexicon(self) -> Lexicon:
        """What training says; only facets that need training data may ask."""
        assert self.sentences.lexicon is not None
        return self.sentences.lexicon

    @cached_property
    def sentence(self) -> Ints:
        """The sentence of each mention."""
        return self.mentions.sentences(self.sentences.corpus.starts)

    @cached_property
    def surface(self) -> Ints:
        """The surface code of each mention."""
        return self.sentences.surfaces.codes(
            self.sentences.corpus.tokens, self.mentions.start, self.mentions.end
        )

    @cached_property
    def positions(self) -> Ints:
        """The tokens inside mentions, mention by mention."""
        return ranges(self.mentions.start, self.mentions.end)

    @cached_property
    def tokens(self) -> Ints:
        """The token codes at `positions`."""
        return self.sentences.corpus.tokens[self.positions]

    @cached_property
    def token_types(self) -> Ints:
        """The type of the mention around each of `positions`."""
        return np.repeat(self.mentions.type, self.mentions.end - self.mentions.start)

    def texts(self) -> list[str]:
        """The mentions as text, tokens joined by blanks."""
        words = self.sentences.corpus.coding.tokens.strings(self.tokens)
        ends = np.cumsum(self.mentions.end - self.mentions.start)
        return (
            [" ".join(words[begin:end]) for begin, end in zip([0, *ends[:-1]], ends, strict=True)]
            if len(ends)
            else []
        )


def io_labels(view: View) -> Ints:
    """The type of every token, -1 outside of mentions."""
    labels = np.full(view.sentences.corpus.n_tokens, -1, np.int64)
    labels[view.positions] = view.token_types
    return labels


def bilou_labels(view: View) -> Ints:
    """Every token's type and place in its mention (inside, begin, last, unit); -1 outside of
    mentions.
    """
    mentions = view.mentions
    labels = io_labels(view) * 4
    labels[labels < 0] = -1
    alone = mentions.end - mentions.start == 1
    labels[mentions.start[~alone]] += 1
    labels[mentions.end[~alone] - 1] += 2
    labels[mentions.start[alone]] += 3
    return labels


TOKEN_MATCHES: Mapping[str, Callable[[View], Ints]] = {"bilou": bilou_labels, "io": io_labels}
