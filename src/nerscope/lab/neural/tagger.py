"""A tagger: an encoder that reads sentences, scores for each label, and a decoder."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn

from nerscope.corpus.schemes import OUTSIDE_LABEL
from nerscope.lab.neural.batches import batches, mask_of, padded
from nerscope.lab.neural.decoders import DECODERS

_AT_ONCE = 128  # sentences to label


class Seen(NamedTuple):
    """A sentence as an encoder sees it."""

    given: Any  # what the encoder wants of it
    places: Sequence[int]  # of the words that it can see
    words: int


class Tagger(nn.Module):
    """Sentences to labels.

    The encoder is a module with a `size`, which turns a batch of `given` into a tensor (sentences,
    words that are seen, size).
    """

    def __init__(self, encoder: nn.Module, labels: Sequence[str], decoder: str) -> None:
        super().__init__()
        self.encoder, self.labels = encoder, labels
        self.head = nn.Linear(encoder.size, len(labels))
        self.decoder = DECODERS[decoder](labels)

    @property
    def device(self) -> torch.device:
        """Where it computes."""
        return self.head.weight.device

    def scores(self, batch: Sequence[Seen]) -> tuple[Tensor, Tensor]:
        """What each label scores at each word that is seen, and where there are words."""
        lengths = [len(one.places) for one in batch]
        read = self.encoder([one.given for one in batch], lengths)
        return self.head(read.float()), mask_of(lengths, self.device)

    def loss(self, batch: Sequence[Seen], gold: Sequence[Sequence[int]]) -> Tensor:
        """How surprising gold labels are, per sentence; words that are not seen teach nothing."""
        scores, mask = self.scores(batch)
        codes = [[labels[at] for at in one.places] for one, labels in zip(batch, gold, strict=True)]
        return self.decoder.loss(scores, padded(codes, self.device), mask)

    @torch.no_grad()
    def label(self, sentences: Sequence[Seen]) -> list[list[str]]:
        """The labels of every word; one that is not seen gets O."""
        self.eval()
        found = [[OUTSIDE_LABEL] * one.words for one in sentences]
        for places in batches([len(one.places) for one in sentences], _AT_ONCE):
            batch = [sentences[at] for at in places]
            best = self.decoder.best(*self.scores(batch)).tolist()
            for at, one, codes in zip(places, batch, best, strict=True):
                for place, code in zip(one.places, codes, strict=False):  # the rest is padding
                    found[at][place] = self.labels[code]
        return found
