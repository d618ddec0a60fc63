"""Larger context: which consecutive sentences of a document become one."""

import numpy as np

from nerscope.corpus.arrays import Ints


def context_ranges(documents: Ints, size: int) -> list[tuple[int, int]]:
    """The sentences from `first` up to `last` that become one: `size` of them, or what is left at
    the end of a document.

    >>> context_ranges(np.array([0, 0, 0, 1, 1]), 2)
    [(0, 2), (2, 3), (3, 5)]
    """
    run = context_runs(documents, size)
    first = np.flatnonzero(np.diff(run, prepend=-1))
    last = np.append(first[1:], len(run))
    return list(zip(first.tolist(), last.tolist(), strict=True))


def context_runs(documents: Ints, size: int) -> Ints:
    """For each sentence the number of the one that it becomes a piece of.

    >>> context_runs(np.array([0, 0, 0, 1, 1]), 2).tolist()
    [0, 0, 1, 2, 2]
    """
    position = np.arange(len(documents))
    opens = np.diff(documents, prepend=documents[:1] - 1) != 0
    since = position - np.maximum.accumulate(np.where(opens, position, 0))
    runs: Ints = np.cumsum(since % size == 0) - 1
    return runs
