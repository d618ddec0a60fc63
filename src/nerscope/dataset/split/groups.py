"""What moves as a whole: sentences or documents, and whatever shares a sentence with them."""

import numpy as np

from nerscope.corpus.arrays import Ints


def linked(units: Ints, codes: Ints) -> Ints:
    """The group of each sentence: units with a sentence in common are one group.

    `units` is the document of each sentence, or what else stays whole; sentences with the same
    tokens have the same code. Groups are numbered in the order in which they begin.

    >>> linked(np.array([0, 0, 1, 2]), np.array([7, 8, 9, 7])).tolist()
    [0, 0, 1, 0]
    """
    first = np.zeros(int(codes.max()) + 1, np.int64)
    first[codes[::-1]] = units[::-1]
    return dense(_components(first[codes], units)[units])


def dense(labels: Ints) -> Ints:
    """Numbers from 0 on, without gaps, in the order of the labels."""
    return np.unique(labels, return_inverse=True)[1]


def _components(left: Ints, right: Ints) -> Ints:
    """The smallest node that each node hangs together with, by edges from left to right.

    Every root is hung on the smallest root that an edge joins it to; then all paths are shortened.
    Only roots smaller than all their neighbours are left after a round, so there are few rounds.
    """
    root = np.arange(int(max(left.max(), right.max())) + 1)
    while True:
        one, other = root[left], root[right]
        low, high = np.minimum(one, other), np.maximum(one, other)
        if (low == high).all():
            return root
        np.minimum.at(root, high, low)
        while (root[root] != root).any():
            root = root[root]
