"""Groups of clusters: as many as resampling can make use of, and no more."""

from functools import lru_cache
from itertools import pairwise

import numpy as np

from nerscope.corpus.arrays import Ints

MOST_GROUPS = 10_000  # more would not make intervals any better


def groups_of(clusters: Ints) -> Ints:
    """The group of each cluster, by the number of the cluster, counted from 0.

    A group holds clusters that lie far apart, as if they were drawn at random. The first 10,000
    clusters open a group each. Of every further block of 10,000, each group gets one cluster, in an
    order of the block: cluster 10,003 goes to group `permutation_1[3]`. So groups are of equal
    size, and the group of a cluster follows from its number alone, in every process.

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
        groups[begin:end] = _block_order(block, MOST_GROUPS)[here]
    if order is None:
        return groups
    by_cluster = np.empty_like(groups)
    by_cluster[order] = groups
    return by_cluster


@lru_cache(maxsize=4)
def _block_order(block: int, size: int) -> Ints:
    """The group of each cluster of a block."""
    if block == 0:
        return np.arange(size)
    return np.random.default_rng(block).permutation(size)
