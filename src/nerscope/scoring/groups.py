"""Groups of sentences or documents: as many as resampling can make use of, and no more.

A group holds clusters that lie far apart, as if they were drawn at random. The first clusters each
open a group of their own; of every further block of so many, each group gets one, in an order of
the block's own. So groups are of equal size, and the group of a cluster follows from its number
alone, whoever asks and however many clusters there are.
"""

from functools import lru_cache

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
    block, place = np.divmod(clusters, MOST_GROUPS)
    groups = np.empty_like(place)
    for number in np.unique(block).tolist():
        here = block == number
        groups[here] = _order(number, MOST_GROUPS)[place[here]]
    return groups


@lru_cache(maxsize=4)
def _order(block: int, size: int) -> Ints:
    """The groups to which the clusters of a block go."""
    if block == 0:
        return np.arange(size)
    return np.random.default_rng(block).permutation(size)
