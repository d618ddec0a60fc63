"""Paired tests by name: what a test sees, what it gives, and where it is registered.

A built-in test is one file in `stats/methods`; users call `register_method`.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from nerscope.arguments import check_arguments
from nerscope.corpus.arrays import Floats
from nerscope.errors import UsageError
from nerscope.registry import Registry, user_code

# Tests that cannot be chosen. EXACT takes the place of randomisation where so few clusters differ
# that all swaps can be enumerated; RUNS is Student's test over training runs.
EXACT, RUNS = "exact", "runs"
DEFAULT_METHOD = "randomisation"
_EPSILON = 1e-12  # rounding must not decide a tie


class Paired(NamedTuple):
    """What a test sees of one number: the observed difference A - B, and what is derived from it.

    `resampled` are differences in resamples of the clusters, around the observed one. `swapped` are
    differences after the systems have changed places at random, around 0.

    `by_cluster` has one entry for each cluster (document or sentence): half of what the observed
    difference loses if the outputs of A and B change places in this cluster alone. It is positive
    where A does better than B, and 0 where both do equally well. For a metric with a denominator
    that is the same for both systems, such as recall, it is the cluster's share of the difference,
    and the entries add up to `observed`. It is NaN where the number is undefined after the swap.

    Each of the three is None unless the method needs it: see `Method`.
    """

    observed: float
    resampled: Floats | None = None
    swapped: Floats | None = None
    by_cluster: Floats | None = None


class Method(NamedTuple):
    """A paired test: its name, the function that gives its p-value, and what the function needs.

    `needs_resamples`, `needs_swaps` and `needs_clusters` ask for the fields `resampled`, `swapped`
    and `by_cluster` of `Paired`; what no method needs is not computed.
    `title`, `phrase` and `definition` are its words in tables, sentences and `explain`.
    """

    name: str
    p: Callable[[Paired], float]
    needs_swaps: bool = False
    needs_resamples: bool = True
    title: str = ""
    phrase: str = ""
    definition: str = ""
    # Whether few swaps may be enumerated instead of drawn. It needs the null of swapped outputs.
    is_exact_if_few: bool = False
    needs_clusters: bool = False

    @property
    def is_drawn(self) -> bool:
        """Whether its p rests on samples, and so cannot be smaller than one in all samples."""
        return self.needs_resamples or self.needs_swaps


METHODS: Registry[Method] = Registry("method", package="nerscope.stats.methods")


def add_method(method: Method, rank: int) -> None:
    """Register a built-in test; `rank` is its place in lists."""
    METHODS.add(method.name, method, built_in=True, rank=rank)


def register_method(method: Method) -> Method:
    """Make a paired test known by its name, for `compare(…, method="sign")` and `--method sign`.

    `method.p` is called with a `Paired` once for each number, and must return a p-value from 0 to
    1. The interval that is shown beside p is that of the jackknife, whatever the method.

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
                f"it gives the p-value {p}",
                "return a number from 0 to 1",
            )
        return p

    METHODS.add(method.name, method._replace(p=checked))
    return method


def p_value(difference: float, null: Floats, *, drawn: bool = True) -> float:
    """How often a difference as large as the observed one comes about without any.

    If the null was drawn at random, the observed difference counts as one more of its kind.

    >>> p_value(0.0, np.zeros(9)), p_value(1.0, np.array([1.0, 0.0, 0.0, -1.0]), drawn=False)
    (1.0, 0.5)
    """
    undefined = int(np.count_nonzero(np.isnan(null))) if np.isnan(null.sum()) else 0
    # What is undefined is not extreme.
    extreme = np.count_nonzero(np.abs(null) >= abs(difference) - _EPSILON)
    return float((drawn + extreme) / (drawn + len(null) - undefined))
