"""Buckets: where a range of values is cut. Edges are upper bounds, and a value equal to an edge
belongs below it.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from nerscope.codec import serialisable
from nerscope.corpus.arrays import Floats, Ints
from nerscope.errors import UsageError

NAMES = {2: ("S", "L"), 3: ("S", "M", "L"), 4: ("XS", "S", "L", "XL")}


@serialisable
@dataclass(frozen=True, slots=True)
class Values:
    """Distinct values and how often each occurs: all that is needed to place edges. Values of
    chunks add up.
    """

    value: Floats
    count: Ints

    @classmethod
    def of(cls, values: Floats) -> "Values":
        """Count some values."""
        return cls(*np.unique(values, return_counts=True))

    def __add__(self, other: "Values") -> "Values":
        value, inverse = np.unique(np.concatenate([self.value, other.value]), return_inverse=True)
        return Values(
            value, np.bincount(inverse, np.concatenate([self.count, other.count])).astype(np.int64)
        )

    def between(self, low: float, high: float) -> "Values":
        """The values strictly between two bounds."""
        inside = (self.value > low) & (self.value < high)
        return Values(self.value[inside], self.count[inside])

    def mean(self) -> float:
        """The mean value; NaN if there is none."""
        return (
            float(np.average(self.value, weights=self.count)) if len(self.value) else float("nan")
        )


class Buckets(NamedTuple):
    """Cut points with the names of the parts between them; `edges` are the ones that were fitted or
    given.
    """

    bounds: tuple[float, ...]
    edges: tuple[float, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """XS, S, L, XL for four buckets; B1, B2 … for other numbers."""
        size = len(self.bounds) + 1
        return NAMES.get(size) or tuple(f"B{number}" for number in range(1, size + 1))

    def codes(self, values: Floats) -> Ints:
        """The bucket of each value."""
        codes: Ints = np.zeros(len(values), np.int8 if len(self.bounds) < 127 else np.int16)
        for bound in self.bounds:  # which are few: quicker than to search for each value
            codes += values > bound
        return codes

    def ranges(self) -> list[str]:
        """Each bucket in words.

        >>> Buckets((0.0, 0.5), (0.5,)).ranges()
        ['0', '(0, 0.5]', '> 0.5']
        """
        below_one = float(np.nextafter(1.0, 0.0))  # as a bound it sets 1 apart
        first = "0" if self.bounds[0] == 0 else f"≤ {self.bounds[0]:.4g}"
        middle = [
            f"({low:.4g}, 1)" if high == below_one else f"({low:.4g}, {high:.4g}]"
            for low, high in pairwise(self.bounds)
        ]
        return [first, *middle, "1" if self.bounds[-1] == below_one else f"> {self.bounds[-1]:.4g}"]


def equal_count(values: Values, parts: int, floor: float = 0.0) -> tuple[float, ...]:
    """The edges of parts that hold equally many values: edge k is the value at rank ⌈k·n/parts⌉.

    >>> equal_count(Values.of(np.array([1.0, 2.0, 3.0, 4.0])), 2)
    (2.0,)
    """
    total = int(values.count.sum())
    if not total:
        return (floor,) * (parts - 1)
    ranks = [-(-k * total // parts) for k in range(1, parts)]
    return tuple(
        float(edge) for edge in values.value[np.searchsorted(np.cumsum(values.count), ranks)]
    )


def equal_width(values: Values, parts: int) -> tuple[float, ...]:
    """The edges of parts that are equally wide."""
    low, high = (
        (float(values.value.min()), float(values.value.max())) if len(values.value) else (0.0, 0.0)
    )
    return tuple(low + (high - low) * k / parts for k in range(1, parts))


def _whole_range(values: Values, size: int) -> Buckets:
    edges = equal_count(values, size)
    return Buckets(edges, edges)


def _zero_apart(values: Values, size: int) -> Buckets:
    edges = equal_count(values.between(0.0, np.inf), size - 1)
    return Buckets((0.0, *edges), edges)


def _zero_and_one_apart(values: Values, size: int) -> Buckets:
    if size < 3:
        return _whole_range(values, size)
    edges = equal_count(values.between(0.0, 1.0), size - 2)
    return Buckets((0.0, *edges, float(np.nextafter(1.0, 0.0))), edges)


def _whole_numbers(values: Values, size: int) -> Buckets:
    edges = tuple(float(number) for number in range(1, size))
    return Buckets(edges, edges)


def _equal_width(values: Values, size: int) -> Buckets:
    edges = equal_width(values, size)
    return Buckets(edges, edges)


Bucketing = Callable[[Values, int], Buckets]
BUCKETINGS: dict[str, Bucketing] = {
    "whole-numbers": _whole_numbers,  # 1, 2, 3, more
    "zero-and-one": _zero_and_one_apart,  # 0, parts of equal count between, 1
    "zero": _zero_apart,  # 0, parts of equal count above
    "equal-count": _whole_range,
    "equal-width": _equal_width,
}


def given_edges(attribute: str, edges: Sequence[float]) -> Buckets:
    """Buckets with the edges that a user gives."""
    numbers = list(edges) if isinstance(edges, Sequence) and not isinstance(edges, str) else []
    fine = numbers and all(
        isinstance(edge, int | float) and not isinstance(edge, bool) and np.isfinite(edge)
        for edge in numbers
    )
    if not fine or any(high <= low for low, high in pairwise(numbers)):
        raise UsageError(
            f"edges of {attribute}",
            f"{edges!r} do not increase, or are no numbers",
            "give numbers in increasing order, each once",
        )
    return Buckets(tuple(numbers), tuple(numbers))
