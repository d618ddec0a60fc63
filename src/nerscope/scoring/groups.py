"""Groups of sentences or documents: as many as resampling can make use of, and no more.

A group holds clusters that lie far apart, as if they were drawn at random. The first clusters each
open a group of their own; of every further block of so many, each group gets one, in an order of
the block's own. So groups are of equal size, and the group of a cluster follows from its number
alone, whoever asks and however many clusters there are.
"""

from functools import lru_cache
from itertools import pairwise

import numpy as np

from nerscope.corpus.arrays import Ints

MOST_GROUPS = 10_000


def groups_of(clusters: Ints) -> Ints:
    """The group of each cluster by its number, counted from 0.

    >>> groups_of(np.array([0, 7, 9_999])).tolist()
    [0, 7, 9999]
    >>> len(np.unique(groups_of(np.arange(10_000, 20_000))))
    10000
    """
    if not len(clusters) or clusters.max() < MOST_GROUPS:
        return clusters
    ascending = np.sort(clusters)
    order = None if np.array_equal(ascending, clusters) else np.argsort(clusters, kind="stable")
    first, last = int(ascending[0]) // MOST_GROUPS, int(ascending[-1]) // MOST_GROUPS
    edges = np.searchsorted(ascending, MOST_GROUPS * np.arange(first, last + 2)).tolist()
    groups = np.empty_like(ascending)
    for block, (begin, end) in enumerate(pairwise(edges), first):
        here = ascending[begin:end] - block * MOST_GROUPS
        groups[begin:end] = _order(block, MOST_GROUPS)[here]
    if order is None:
        return groups
    by_cluster = np.empty_like(groups)
    by_cluster[order] = groups
    return by_cluster


@lru_cache(maxsize=4)
def _order(block: int, size: int) -> Ints:
    """The groups to which the clusters of a block go."""
    if block == 0:
        return np.arange(size)
    return np.random.default_rng(block).permutation(size)
