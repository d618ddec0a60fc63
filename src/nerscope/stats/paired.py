"""Paired tests: their input, their output, and their registry.

A built-in test is one file in `stats/methods`; users call `register_method`.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from nerscope.arguments import check_arguments
from nerscope.corpus.arrays import Floats
from nerscope.errors import UsageError
from nerscope.registry import Registry, user_code

# Tests that users do not choose. EXACT replaces randomisation if few clusters differ, so that all
# swaps can be enumerated; RUNS is Student's test over training runs.
EXACT, RUNS = "exact", "runs"
DEFAULT_METHOD = "randomisation"
_EPSILON = 1e-12  # tolerance for ties


class Paired(NamedTuple):
    """The input of a test: the observed difference A - B of one number, and resampled data.

    `resampled` are the differences in resamples of the clusters, around the observed difference.
    `swapped` are the differences after random swaps of the systems, around 0.

    `by_cluster` has one entry for each cluster (document or sentence): half of the decrease of the
    observed difference if the outputs of A and B are swapped in this cluster alone. It is positive
    if A is better than B in the cluster, and 0 if both are equally good. For a metric with a
    denominator that is the same for both systems, such as recall, it is the cluster's share of the
    difference, and the entries add up to `observed`. It is NaN if the number is undefined after the
    swap.

    Each of the three is None unless the method needs it: see `Method`.
    """

    observed: float
    resampled: Floats | None = None
    swapped: Floats | None = None
    by_cluster: Floats | None = None


class Method(NamedTuple):
    """A paired test: its name, the function that gives its p-value, and what the function needs.

    `needs_resamples`, `needs_swaps` and `needs_clusters` request the fields `resampled`, `swapped`
    and `by_cluster` of `Paired`; fields that are not requested are not computed. `title`, `phrase`
    and `definition` are its words in tables, sentences and `explain`.
    """

    name: str
    p: Callable[[Paired], float]
    needs_swaps: bool = False
    needs_resamples: bool = True
    title: str = ""
    phrase: str = ""
    definition: str = ""
    # Whether a small number of swaps may be enumerated instead of drawn; only for swap tests.
    is_exact_if_few: bool = False
    needs_clusters: bool = False

    @property
    def is_drawn(self) -> bool:
        """Whether p is estimated from samples, so that 1 / (samples + 1) is its minimum."""
        return self.needs_resamples or self.needs_swaps


METHODS: Registry[Method] = Registry("method", package="nerscope.stats.methods")


def add_method(method: Method, rank: int) -> None:
    """Register a built-in test; `rank` is its position in lists."""
    METHODS.add(method.name, method, built_in=True, rank=rank)


def register_method(method: Method) -> Method:
    """Register a paired test by its name, for `compare(…, method="sign")` and `--method sign`.

    `method.p` is called with a `Paired` once for each number, and must return a p-value from 0 to
    1. The displayed interval is always that of the jackknife.

    >>> from math import comb
    >>> def sign_test(pair):
    ...     better, worse = (pair.by_cluster > 0).sum(), (pair.by_cluster < 0).sum()
    ...     n, fewer = int(better + worse), int(min(better, worse))
    ...     return min(1.0, 2 * sum(comb(n, k) for k in range(fewer + 1)) / 2**n)
    >>> sign = Method("sign", sign_test, needs_resamples=False, needs_clusters=True)
    >>> register_method(sign).name
    'sign'
    >>> sign_test(Paired(0.3, by_cluster=np.array([0.1, 0.1, 0.0, 0.1, 0.1, -0.1])))
    0.375
    """
    check_arguments(register_method, locals())

    def checked(pair: Paired) -> float:
        with user_code(f"method '{method.name}'"):
            p = float(method.p(pair))
        if not 0 <= p <= 1:
            raise UsageError(
                f"method '{method.name}'",
                f"it returns the p-value {p}",
                "return a number from 0 to 1",
            )
        return p

    METHODS.add(method.name, method._replace(p=checked))
    return method


def p_value(difference: float, null: Floats, *, drawn: bool = True) -> float:
    """The share of null differences that are at least as large as the observed one.

    If the null was drawn at random, the observed difference is counted as one more draw.

    >>> p_value(0.0, np.zeros(9)), p_value(1.0, np.array([1.0, 0.0, 0.0, -1.0]), drawn=False)
    (1.0, 0.5)
    """
    undefined = int(np.count_nonzero(np.isnan(null))) if np.isnan(null.sum()) else 0
    # Undefined values are not extreme.
    extreme = np.count_nonzero(np.abs(null) >= abs(difference) - _EPSILON)
    return float((drawn + extreme) / (drawn + len(null) - undefined))
