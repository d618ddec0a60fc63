"""What a facet gets to see: mentions of a chunk, gold or predicted, in their sentences."""

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from nerscope.corpus.arrays import Bools, Floats, Ints
from nerscope.corpus.corpus import Corpus
from nerscope.corpus.interning import SequenceTrie
from nerscope.corpus.lexicon import Lexicon
from nerscope.corpus.mentions import Mentions, token_runs
from nerscope.corpus.units import MENTION, TOKEN
from nerscope.errors import UsageError


@dataclass
class Sentences:
    """The gold sentences of a chunk with the tables of training and test, shared by all systems.

    Properties are computed once, when a facet needs them, and then serve every system.
    """

    corpus: Corpus
    gold: Mentions
    surfaces: SequenceTrie  # of training and gold; fixed before the first view
    lexicon: Lexicon | None = None
    # By surface: how many types it has among gold test mentions.
    types_of_surface: Ints = field(default_factory=lambda: np.zeros(0, np.int64))

    @cached_property
    def lengths(self) -> Ints:
        return np.diff(self.corpus.starts)

    @cached_property
    def of_token(self) -> Ints:
        return np.repeat(np.arange(len(self.lengths), dtype=np.int32), self.lengths)

    @cached_property
    def share_inside(self) -> Floats:
        """The share of each sentence's tokens that are inside gold mentions."""
        inside = np.zeros(self.corpus.n_tokens, bool)
        inside[self.gold.positions] = True  # a token of nested mentions counts once
        return self._share_of(inside)

    @cached_property
    def share_unknown(self) -> Floats:
        """The share of each sentence's tokens that training does not have."""
        assert self.lexicon is not None
        # Tokens that came after training have codes behind the table: clipped to the last entry.
        is_unknown = np.append(self.lexicon.token_counts == 0, True)
        return self._share_of(is_unknown.take(self.corpus.tokens, mode="clip"))

    @cached_property
    def gold_per_token(self) -> Floats:
        """The number of each sentence's gold mentions divided by that of its tokens."""
        sentences = self.gold.sentences(self.corpus.starts)
        return self.share(np.bincount(sentences, minlength=len(self.lengths)))

    def _share_of(self, chosen: Bools) -> Floats:
        return self.share(np.add.reduceat(chosen, self.corpus.starts[:-1], dtype=np.int64))

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

    def n_units(self, unit: str) -> int:
        """How many mentions, tokens inside mentions, or tokens at all there are."""
        if unit == MENTION:
            return len(self.mentions)
        return self.sentences.corpus.n_tokens if unit == TOKEN else len(self.positions)

    @property
    def lexicon(self) -> Lexicon:
        """The counts of the training data, for facets with `needs_train=True`."""
        if self.sentences.lexicon is None:
            raise UsageError(
                "view.lexicon",
                "a facet asks for the training data, and there is none",
                "register the facet with needs_train=True, and give the data with --train FILE",
            )
        return self.sentences.lexicon

    @cached_property
    def sentence(self) -> Ints:
        """The sentence of each mention."""
        # Without hallucinated mentions every start is a token: a lookup instead of a search.
        if self.mentions.shape is None:
            return self.sentences.of_token.take(self.mentions.start)
        return self.mentions.sentences(self.sentences.corpus.starts)

    @cached_property
    def surface(self) -> Ints:
        """The surface code of each mention; -1 if neither training nor gold mentions have it."""
        runs = token_runs(self.sentences.corpus.tokens, self.mentions)
        return self.sentences.surfaces.codes(*runs, grow=False)

    @cached_property
    def positions(self) -> Ints:
        """The tokens inside mentions, mention by mention."""
        return self.mentions.positions

    @cached_property
    def tokens(self) -> Ints:
        """The token codes at `positions`."""
        return self.sentences.corpus.tokens[self.positions]

    @cached_property
    def token_types(self) -> Ints:
        """The type of the mention around each of `positions`."""
        return np.repeat(self.mentions.type, self.mentions.lengths)

    def texts(self) -> list[str]:
        """The mentions as text, tokens joined by blanks."""
        words = self.sentences.corpus.coding.tokens.strings(self.tokens)
        ends = np.cumsum(self.mentions.lengths).tolist()
        starts = [0, *ends[:-1]]
        return [" ".join(words[begin:end]) for begin, end in zip(starts, ends, strict=False)]
