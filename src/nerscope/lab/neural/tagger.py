"""A tagger: an encoder that reads sentences, a score for each label, and a decoder."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import pad_sequence

from nerscope.corpus.arrays import Ints
from nerscope.corpus.schemes import OUTSIDE_LABEL
from nerscope.lab.neural.decoders import DECODERS

_LABEL_BATCH = 128  # sentences that are labelled at a time


class EncodedSentence(NamedTuple):
    """A sentence as an encoder reads it."""

    inputs: Any  # whatever the encoder needs
    places: Sequence[int]  # of the words that the encoder can read
    n_words: int


class Tagger(nn.Module):
    """Sentences to labels.

    The encoder is a module with a `size` that turns a batch of `inputs` into a tensor (sentences,
    readable words, size).
    """

    def __init__(self, encoder: nn.Module, labels: Sequence[str], decoder: str) -> None:
        super().__init__()
        self.encoder, self.labels = encoder, labels
        self.head = nn.Linear(encoder.size, len(labels))
        self.decoder = DECODERS[decoder](labels)

    @property
    def device(self) -> torch.device:
        return self.head.weight.device

    def scores(self, batch: Sequence[EncodedSentence]) -> tuple[Tensor, Tensor]:
        """The score of each label at each readable word, and the mask of these words."""
        lengths = [len(sentence.places) for sentence in batch]
        vectors = self.encoder([sentence.inputs for sentence in batch], lengths)
        return self.head(vectors.float()), mask_of(lengths, self.device)

    def loss(self, batch: Sequence[EncodedSentence], gold: Sequence[Sequence[int]]) -> Tensor:
        """The loss per sentence; words that the encoder cannot read do not count."""
        scores, mask = self.scores(batch)
        codes = [
            [labels[at] for at in sentence.places]
            for sentence, labels in zip(batch, gold, strict=True)
        ]
        return self.decoder.loss(scores, padded(codes, self.device), mask)

    @torch.no_grad()
    def label(self, sentences: Sequence[EncodedSentence]) -> list[list[str]]:
        """The labels of every word; one that the encoder cannot read gets O."""
        self.eval()
        labels = [[OUTSIDE_LABEL] * sentence.n_words for sentence in sentences]
        lengths = [len(sentence.places) for sentence in sentences]
        for numbers in batches(lengths, _LABEL_BATCH):
            batch = [sentences[number] for number in numbers]
            best = self.decoder.best(*self.scores(batch)).tolist()
            for number, sentence, codes in zip(numbers, batch, best, strict=True):
                for place, code in zip(sentence.places, codes, strict=False):  # more is padding
                    labels[number][place] = self.labels[code]
        return labels


def batches(
    lengths: Sequence[int], size: int, random: np.random.Generator | None = None
) -> list[list[int]]:
    """The numbers of sentences of similar length, together; sentences without words are left out.

    Similar lengths need little padding, which costs as much time as words do.

    >>> batches([5, 1, 0, 2, 6], 2)
    [[1, 3], [0, 4]]
    """
    n_words = np.asarray(lengths)
    order = np.flatnonzero(n_words)
    if random:
        order = random.permutation(order)  # shuffles sentences of equal length: the sort is stable
    order = order[np.argsort(n_words[order], kind="stable")]
    numbers = [order[first : first + size].tolist() for first in range(0, len(order), size)]
    if random:
        random.shuffle(numbers)
    return numbers


def padded(rows: Sequence[Sequence[int] | Ints], device: torch.device, fill: int = 0) -> Tensor:
    """Rows of numbers as one table, filled up to the longest row.

    >>> padded([[1, 2], [3]], torch.device("cpu")).tolist()
    [[1, 2], [3, 0]]
    """
    tensors = [torch.as_tensor(row, dtype=torch.long) for row in rows]
    return pad_sequence(tensors, batch_first=True, padding_value=fill).to(device)


def mask_of(lengths: Sequence[int], device: torch.device) -> Tensor:
    """Which places of a padded table are filled.

    >>> mask_of([2, 1], torch.device("cpu")).tolist()
    [[True, True], [True, False]]
    """
    ends = torch.tensor(lengths)
    return (torch.arange(int(ends.max())) < ends[:, None]).to(device)
