"""Facets: every unit gets a code, and every level is a set of codes.

Codes partition the units, so they add up; levels may overlap, as the subsets of the papers do.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from nerscope.corpus.arrays import Floats, Ints
from nerscope.errors import UsageError
from nerscope.facets.buckets import BUCKETINGS, Buckets
from nerscope.facets.view import View
from nerscope.registry import Registry

MENTION, INSIDE, TOKEN = "mention", "inside", "token"


class Facet(NamedTuple):
    """A fixed way to divide units.

    `unit` is "mention", "inside" (a token inside a mention) or "token" (any token); `levels` maps
    each level to its codes.
    """

    name: str
    unit: str
    levels: dict[str, tuple[int, ...]]
    codes: Callable[[View], Ints]
    metrics: tuple[str, ...] = ("precision", "recall", "f1")
    by_type: bool = True
    buckets: Buckets | None = None

    @property
    def n_codes(self) -> int:
        """Codes are below this."""
        return 1 + max(code for codes in self.levels.values() for code in codes)


class Attribute(NamedTuple):
    """A number for each unit, from which buckets make a facet."""

    name: str
    values: Callable[[View], Floats]
    unit: str = MENTION
    needs_train: bool = False
    bucketing: str = "equal-count"

    def checked_values(self, view: View) -> Floats:
        """The values, refused if there is not one finite number for each unit."""
        values = np.asarray(self.values(view), np.float64)
        expected = len(view.mentions) if self.unit == MENTION else len(view.positions)
        if values.shape != (expected,):
            raise UsageError(
                f"attribute '{self.name}'",
                f"it gives values of shape {values.shape} for {expected} {self.unit} units",
                "return one number for each unit of the view",
            )
        if not np.isfinite(values).all():
            raise UsageError(
                f"attribute '{self.name}'",
                "it gives NaN or infinity",
                "return a finite number for each unit",
            )
        return values

    def facet(self, buckets: Buckets) -> Facet:
        """The facet that divides by these buckets."""
        return Facet(
            self.name,
            self.unit,
            {name: (code,) for code, name in enumerate(buckets.names)},
            lambda view: buckets.codes(self.checked_values(view)),
            buckets=buckets,
        )


class FacetMaker(NamedTuple):
    """A facet before anything is known of the data; attributes become facets only when their edges
    are fixed.
    """

    facet: Facet | None = None
    attribute: Attribute | None = None
    needs_train: bool = False


FACETS: Registry[FacetMaker] = Registry("facet")


def register_facet(facet: Facet, *, needs_train: bool = False) -> Facet:
    """Make a facet known by its name.

    >>> def in_capitals(view):
    ...     return np.array([text.isupper() for text in view.texts()], np.int8)
    >>> register_facet(Facet("shouting", MENTION, {"quiet": (0,), "loud": (1,)}, in_capitals)).name
    'shouting'
    """
    FACETS.add(facet.name, FacetMaker(facet=facet, needs_train=needs_train))
    return facet


def attribute(
    name: str, *, unit: str = MENTION, needs_train: bool = False, bucketing: str = "equal-count"
) -> Callable[[Callable[[View], Floats]], Callable[[View], Floats]]:
    """Register a function of a view as an attribute, and so as a facet of buckets.

    >>> @attribute("capitals")
    ... def capitals(view):
    ...     return np.array([sum(letter.isupper() for letter in text) for text in view.texts()], float)
    >>> "capitals" in FACETS
    True
    """
    if bucketing not in BUCKETINGS:
        raise UsageError(
            f"attribute '{name}'",
            f"there is no bucketing '{bucketing}'",
            f"choose from {', '.join(BUCKETINGS)}",
        )

    def register(values: Callable[[View], Floats]) -> Callable[[View], Floats]:
        FACETS.add(
            name,
            FacetMaker(
                attribute=Attribute(name, values, unit, needs_train, bucketing),
                needs_train=needs_train,
            ),
        )
        return values

    return register
