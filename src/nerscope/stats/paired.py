"""Paired tests by name: what a test sees, what it gives, and where it is registered.

A built-in test is one file in `stats/methods`; users call `register_method`.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from nerscope.corpus.arrays import Floats
from nerscope.errors import UsageError
from nerscope.plugins import user_code
from nerscope.registry import Registry

# Tests that cannot be chosen. EXACT takes the place of randomisation where so few clusters differ
# that all swaps can be enumerated; RUNS is Student's test over training runs.
EXACT, RUNS = "exact", "runs"
DEFAULT_METHOD = "randomisation"
_EPSILON = 1e-7  # rounding in 32-bit sums must not decide a tie


class Paired(NamedTuple):
    """What a test sees of one number: the observed difference A - B, and resamples of it.

    `resampled` are differences in resamples of the clusters, around the observed one. `swapped` are
    differences after the systems have changed places at random, around 0. Both are there only for
    tests that need them.
    """

    observed: float
    resampled: Floats | None = None
    swapped: Floats | None = None


class Method(NamedTuple):
    """A paired test: its name, the function that gives its p-value, and what the function needs.

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


METHODS: Registry[Method] = Registry("method", package="nerscope.stats.methods")


def add_method(method: Method, rank: int) -> None:
    """Register a built-in test; `rank` is its place in lists."""
    METHODS.add(method.name, method, built_in=True, rank=rank)


def register_method(method: Method) -> Method:
    """Make a paired test known by its name, for `compare(…, method="sign")` and `--method sign`.

    `method.p` is called once for each number with what a `Paired` holds, and must return a p-value
    from 0 to 1.

    >>> sign = Method("sign", lambda pair: float((pair.resampled * pair.observed <= 0).mean()))
    >>> register_method(sign).name
    'sign'
    """

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
