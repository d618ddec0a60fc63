"""A tagger: an encoder that reads sentences, a score for each label, and a decoder.

A decoder chooses labels: for each word independently, or for the sentence with a linear-chain CRF.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import pad_sequence

from nerscope.corpus.arrays import Ints
from nerscope.corpus.schemes import (
    BIO,
    OUTSIDE,
    OUTSIDE_LABEL,
    Label,
    parse_label,
    stray_labels,
)

_LABEL_BATCH = 128  # sentences per batch in prediction


class EncodedSentence(NamedTuple):
    """A sentence as an encoder reads it."""

    inputs: Any  # whatever the encoder needs
    places: Sequence[int]  # indices of the words that the encoder can read
    n_words: int


class Tagger(nn.Module):
    """A network that labels sentences.

    The encoder is a module with an attribute `size`. It turns a batch of `inputs` into a tensor of
    the shape (sentences, readable words, size).
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
        """The loss per sentence, without the words that the encoder cannot read."""
        scores, mask = self.scores(batch)
        codes = [
            [labels[at] for at in sentence.places]
            for sentence, labels in zip(batch, gold, strict=True)
        ]
        return self.decoder.loss(scores, padded(codes, self.device), mask)

    @torch.no_grad()
    def label(self, sentences: Sequence[EncodedSentence]) -> list[list[str]]:
        """The labels of all words; a word that the encoder cannot read gets O."""
        self.eval()
        labels = [[OUTSIDE_LABEL] * sentence.n_words for sentence in sentences]
        lengths = [len(sentence.places) for sentence in sentences]
        for numbers in batches(lengths, _LABEL_BATCH):
            batch = [sentences[number] for number in numbers]
            best = self.decoder.best(*self.scores(batch)).tolist()
            for number, sentence, codes in zip(numbers, batch, best, strict=True):
                for place, code in zip(sentence.places, codes, strict=False):  # the rest is padding
                    labels[number][place] = self.labels[code]
        return labels


def batches(
    lengths: Sequence[int], size: int, random: np.random.Generator | None = None
) -> list[list[int]]:
    """Batches of sentence indices; empty sentences are left out.

    Sentences of similar length share a batch: they need little padding, which costs as much time as
    words do.

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
    """Rows of numbers as one table, padded to the longest row.

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


# The shape of scores is (sentences, words, labels), that of gold labels and masks is (sentences,
# words).


class Softmax(nn.Module):
    """Each word gets the label with the highest score, independently of its neighbours."""

    def __init__(self, labels: Sequence[str]) -> None:
        super().__init__()

    def loss(self, scores: Tensor, gold: Tensor, mask: Tensor) -> Tensor:
        """The negative log-likelihood of the gold labels, per sentence."""
        return nn.functional.cross_entropy(scores[mask], gold[mask], reduction="sum") / len(gold)

    def best(self, scores: Tensor, mask: Tensor) -> Tensor:
        return scores.argmax(2).cpu()


class Crf(nn.Module):
    """A linear-chain CRF: labels have scores at a word, and pairs of labels have transition scores.

    Training accepts label sequences that are invalid in the scheme bio, since real data contain
    them. Prediction never returns them.
    """

    def __init__(self, labels: Sequence[str]) -> None:
        super().__init__()
        self.start = nn.Parameter(torch.zeros(len(labels)))
        self.step = nn.Parameter(torch.zeros(len(labels), len(labels)))  # from, to
        self.end = nn.Parameter(torch.zeros(len(labels)))
        self.no_start, self.no_step = map(torch.from_numpy, forbidden(labels))

    def loss(self, scores: Tensor, gold: Tensor, mask: Tensor) -> Tensor:
        """The negative log-likelihood of the gold labels, per sentence."""
        return (self.total(scores, mask) - self.score(scores, gold, mask)).mean()

    def score(self, scores: Tensor, gold: Tensor, mask: Tensor) -> Tensor:
        """The score of the gold labels."""
        words = scores.gather(2, gold[:, :, None]).squeeze(2) * mask
        steps = self.step[gold[:, :-1], gold[:, 1:]] * mask[:, 1:]
        last = gold.gather(1, mask.sum(1, keepdim=True) - 1).squeeze(1)
        return words.sum(1) + steps.sum(1) + self.start[gold[:, 0]] + self.end[last]

    def total(self, scores: Tensor, mask: Tensor) -> Tensor:
        """The logarithm of the sum of exp(score) over all label sequences (forward algorithm).

        The sums are normalised after each word, and the logarithm of their total is added to the
        result. So a step is one matrix product, and nothing overflows. At padding the matrix is the
        identity.
        """
        steps = self.step + scores[:, 1:, None, :]
        highest = steps.amax((2, 3), keepdim=True)
        identity = torch.eye(len(self.start), device=scores.device)
        factors = torch.where(mask[:, 1:, None, None], (steps - highest).exp(), identity)
        first = self.start + scores[:, 0]
        total = first.logsumexp(1) + (highest[:, :, 0, 0] * mask[:, 1:]).sum(1)
        sums = first.softmax(1)[:, None]
        for factor in factors.unbind(1):
            sums = sums @ factor
            size = sums.sum(2, keepdim=True)
            sums, total = sums / size, total + size[:, 0, 0].log()
        return total + (sums[:, 0] @ self.end.exp()).log()

    def best(self, scores: Tensor, mask: Tensor) -> Tensor:
        """The valid bio label sequence with the highest score (Viterbi).

        It runs on the CPU, which is faster than a GPU for many small steps.
        """
        scores, mask = scores.cpu(), mask.cpu()
        step = self.step.cpu().masked_fill(self.no_step, -torch.inf)
        best = (self.start.cpu() + scores[:, 0]).masked_fill(self.no_start, -torch.inf)
        stay = torch.arange(best.shape[1])
        sources = []
        for at in range(1, scores.shape[1]):
            highest, source = (best[:, :, None] + step).max(1)
            here = mask[:, at, None]
            best = torch.where(here, highest + scores[:, at], best)
            sources.append(torch.where(here, source, stay))
        path = [(best + self.end.cpu()).argmax(1, keepdim=True)]
        for source in reversed(sources):
            path.append(source.gather(1, path[-1]))
        return torch.cat(path[::-1], 1)


DECODERS: dict[str, type[Crf] | type[Softmax]] = {"crf": Crf, "softmax": Softmax}


def forbidden(labels: Sequence[str]) -> tuple[np.ndarray, np.ndarray]:
    """The labels that must not begin a sentence in bio, and the pairs that must not be neighbours.

    >>> start, step = forbidden(["B-X", "I-X", "O"])
    >>> start.tolist(), step[:, 1].tolist()
    ([False, True, False], [False, False, True])
    """
    parsed = [parse_label(label) or Label(OUTSIDE, "") for label in labels]
    codes = {label.type: code for code, label in enumerate(parsed)}
    role = np.array([label.role for label in parsed])
    type_ = np.array([codes[label.type] for label in parsed])
    size = len(parsed)
    before, after = np.divmod(np.arange(size * size), size)
    pairs = np.stack([before, after], 1).ravel()  # every pair as a sentence of two words
    step = stray_labels(role[pairs], type_[pairs], np.arange(0, 2 * size * size + 1, 2), BIO)
    return stray_labels(role, type_, np.arange(size + 1), BIO), step[1::2].reshape(size, size)
