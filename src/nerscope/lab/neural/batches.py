"""Batches: sentences of like length together, padded to the longest of them."""

from collections.abc import Sequence

import numpy as np
import torch
from torch.nn.utils.rnn import pad_sequence

from nerscope.corpus.arrays import Ints


def batches(
    lengths: Sequence[int], size: int, random: np.random.Generator | None = None
) -> list[list[int]]:
    """The places of sentences of like length, together; sentences without words are left out.

    >>> batches([5, 1, 0, 2, 6], 2)
    [[1, 3], [0, 4]]
    """
    many = np.asarray(lengths)
    order = np.flatnonzero(many)
    if random:
        order = random.permutation(order)  # among sentences of one length
    order = order[np.argsort(many[order], kind="stable")]
    cut = [order[at : at + size].tolist() for at in range(0, len(order), size)]
    if random:
        random.shuffle(cut)
    return cut


def padded(rows: Sequence[Sequence[int] | Ints], device: torch.device) -> torch.Tensor:
    """Rows of numbers as one table, filled up with 0.

    >>> padded([[1, 2], [3]], torch.device("cpu")).tolist()
    [[1, 2], [3, 0]]
    """
    every = [torch.as_tensor(row, dtype=torch.long) for row in rows]
    return pad_sequence(every, batch_first=True).to(device)


def mask_of(lengths: Sequence[int], device: torch.device) -> torch.Tensor:
    """Which places of a padded table are filled.

    >>> mask_of([2, 1], torch.device("cpu")).tolist()
    [[True, True], [True, False]]
    """
    many = torch.tensor(lengths)
    return (torch.arange(int(many.max())) < many[:, None]).to(device)
