"""From scores to labels: each word for itself, or the whole sentence by a linear-chain CRF."""

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor, nn

from nerscope.corpus.schemes import BIO, OUTSIDE, Label, parse_label, stray_labels

# Scores are (sentences, words, labels); gold labels and the mask are (sentences, words).


class Softmax(nn.Module):
    """Each word gets the label that scores highest, whatever its neighbours get."""

    def __init__(self, labels: Sequence[str]) -> None:
        super().__init__()

    def loss(self, scores: Tensor, gold: Tensor, mask: Tensor) -> Tensor:
        """The negative log-likelihood of the gold labels, per sentence."""
        return nn.functional.cross_entropy(scores[mask], gold[mask], reduction="sum") / len(gold)

    def best(self, scores: Tensor, mask: Tensor) -> Tensor:
        return scores.argmax(2).cpu()


class Crf(nn.Module):
    """A linear-chain CRF: a label is scored at its word and after the label before it.

    Training accepts label sequences that the scheme bio forbids, since real data have them;
    labelling never gives them.
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

        After each word the sums are normalised, and the logarithm of their total is added to the
        result: so a step is one product of matrices, and nothing overflows. At padding the matrix
        is the identity.
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
        """The labels that score highest together, among those that bio allows (Viterbi).

        It runs on the CPU: for many small steps this is faster than a GPU.
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
    """Which labels may not begin a sentence in bio, and which may not follow which other.

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
