"""Buckets: ranges of the values of an attribute.

Edges are upper bounds: with the edges 1, 2 and 3, the value 2 belongs to the second of four
buckets (XS, S, L, XL).
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from nerscope.codec import serialisable
from nerscope.corpus.arrays import Floats, Ints
from nerscope.errors import UsageError, plural

NAMES = {2: ("S", "L"), 3: ("S", "M", "L"), 4: ("XS", "S", "L", "XL")}


@serialisable
@dataclass(frozen=True, slots=True)
class ValueCounts:
    """Distinct values and their counts, from which edges are placed.

    The counts of chunks add up.
    """

    value: Floats
    count: Ints

    @classmethod
    def of(cls, values: Floats) -> "ValueCounts":
        return cls(*np.unique(values, return_counts=True))

    def __add__(self, other: "ValueCounts") -> "ValueCounts":
        value, inverse = np.unique(np.concatenate([self.value, other.value]), return_inverse=True)
        return ValueCounts(
            value, np.bincount(inverse, np.concatenate([self.count, other.count])).astype(np.int64)
        )

    def between(self, low: float, high: float) -> "ValueCounts":
        """The values strictly between two bounds."""
        inside = (self.value > low) & (self.value < high)
        return ValueCounts(self.value[inside], self.count[inside])

    def mean(self) -> float:
        """The mean value; NaN without values."""
        return (
            float(np.average(self.value, weights=self.count)) if len(self.value) else float("nan")
        )


class Buckets(NamedTuple):
    """Buckets as cut points: `bounds` are all of them, `edges` those that were fitted or given.

    With a separate bucket for 0, bounds are (0, 0.1, 0.4) and edges (0.1, 0.4).
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
        for bound in self.bounds:  # with few bounds, faster than a binary search per value
            codes += values > bound
        return codes

    def ranges(self) -> list[str]:
        """The range of each bucket as text.

        >>> Buckets((0.0, 0.5), (0.5,)).ranges()
        ['0', '(0, 0.5]', '> 0.5']
        """
        below_one = float(np.nextafter(1.0, 0.0))  # as a bound, it makes a separate bucket for 1
        first = "0" if self.bounds[0] == 0 else f"≤ {self.bounds[0]:.4g}"
        middle = [
            f"({low:.4g}, 1)" if high == below_one else f"({low:.4g}, {high:.4g}]"
            for low, high in pairwise(self.bounds)
        ]
        return [first, *middle, "1" if self.bounds[-1] == below_one else f"> {self.bounds[-1]:.4g}"]


_INTERVAL = re.compile(r"\((?P<low>.+), (?P<high>.+)(?P<end>[])])")


def range_phrase(interval: str, noun: str = "") -> str:
    """A bucket in plain words, from its interval in the results.

    `noun` is what the values count; with a noun, whole numbers replace bounds.

    >>> [range_phrase(text, "token") for text in ("≤ 1", "(1, 2]", "(2, 5]", "> 5")]
    ['1 token', '2 tokens', '3 to 5 tokens', '6 tokens or more']
    >>> range_phrase("(4, 4]", "token")
    'empty'
    >>> [range_phrase(text) for text in ("0", "(0, 0.5]", "(0.5, 1)", "> 0.7512", "1")]
    ['0', 'above 0, up to 0.5', 'above 0.5, below 1', 'above 0.751', '1']
    """
    exact = _INTERVAL.fullmatch(interval)
    if exact and exact["low"] == exact["high"]:  # with few values, edges may coincide
        return "empty"
    interval = _LONG_NUMBER.sub(lambda number: _three_digits(number[0]), interval)
    if bounds := _INTERVAL.fullmatch(interval):
        low, high = bounds["low"], bounds["high"]
        if noun and low.isdigit() and high.isdigit() and bounds["end"] == "]":
            first = int(low) + 1
            return plural(first, noun) if first == int(high) else f"{first} to {high} {noun}s"
        return f"above {low}, {'up to' if bounds['end'] == ']' else 'below'} {high}"
    sign, _, bound = interval.partition(" ")
    if sign == "≤":
        if noun and bound.isdigit():
            return plural(1, noun) if bound == "1" else f"up to {bound} {noun}s"
        return f"up to {bound}"
    if sign == ">":
        if noun and bound.isdigit():
            return f"{plural(int(bound) + 1, noun)} or more"
        return f"above {bound}"
    return f"{interval} {noun}s" if noun else interval


_LONG_NUMBER = re.compile(r"\d*\.\d+(?:e-?\d+)?|\d+e-\d+")


def _three_digits(number: str) -> str:
    """A fraction with three significant digits, without an exponent.

    >>> _three_digits("0.2571"), _three_digits("4.256e-05")
    ('0.257', '0.0000426')
    """
    return np.format_float_positional(float(f"{float(number):.3g}"), trim="-")


def equal_count(values: ValueCounts, parts: int, floor: float = 0.0) -> tuple[float, ...]:
    """The edges of buckets with equal counts: edge k is the value at rank ⌈k·n/parts⌉.

    >>> equal_count(ValueCounts.of(np.array([1.0, 2.0, 3.0, 4.0])), 2)
    (2.0,)
    """
    total = int(values.count.sum())
    if not total:
        return (floor,) * (parts - 1)
    # -(-a // b) is a / b rounded up. For the values 1 2 2 9 in two parts, it is rank 2, value 2.
    ranks = [-(-k * total // parts) for k in range(1, parts)]
    return tuple(
        float(edge) for edge in values.value[np.searchsorted(np.cumsum(values.count), ranks)]
    )


def equal_width(values: ValueCounts, parts: int) -> tuple[float, ...]:
    low, high = (
        (float(values.value.min()), float(values.value.max())) if len(values.value) else (0.0, 0.0)
    )
    return tuple(low + (high - low) * k / parts for k in range(1, parts))


def _whole_range(values: ValueCounts, size: int) -> Buckets:
    edges = equal_count(values, size)
    return Buckets(edges, edges)


def _zero_apart(values: ValueCounts, size: int) -> Buckets:
    edges = equal_count(values.between(0.0, np.inf), size - 1)
    return Buckets((0.0, *edges), edges)


def _zero_and_one_apart(values: ValueCounts, size: int) -> Buckets:
    if size < 3:  # no bucket would be left between 0 and 1
        return _whole_range(values, size)
    edges = equal_count(values.between(0.0, 1.0), size - 2)
    return Buckets((0.0, *edges, float(np.nextafter(1.0, 0.0))), edges)


def _whole_numbers(values: ValueCounts, size: int) -> Buckets:
    edges = tuple(float(number) for number in range(1, size))
    return Buckets(edges, edges)


def _equal_width(values: ValueCounts, size: int) -> Buckets:
    edges = equal_width(values, size)
    return Buckets(edges, edges)


WHOLE_NUMBERS, ZERO_AND_ONE, ZERO = "whole-numbers", "zero-and-one", "zero"
EQUAL_COUNT, EQUAL_WIDTH = "equal-count", "equal-width"
Bucketing = Callable[[ValueCounts, int], Buckets]
BUCKETINGS: dict[str, Bucketing] = {
    WHOLE_NUMBERS: _whole_numbers,  # 1, 2, 3, more
    ZERO_AND_ONE: _zero_and_one_apart,  # 0, buckets of equal count between, 1
    ZERO: _zero_apart,  # 0, buckets of equal count above
    EQUAL_COUNT: _whole_range,
    EQUAL_WIDTH: _equal_width,
}


def given_edges(attribute: str, edges: Sequence[float]) -> Buckets:
    """Buckets with given edges; raise a UsageError unless they are increasing numbers."""
    numbers = list(edges) if isinstance(edges, Sequence) and not isinstance(edges, str) else []
    are_finite = numbers and all(
        isinstance(edge, int | float) and not isinstance(edge, bool) and np.isfinite(edge)
        for edge in numbers
    )
    if not are_finite or any(high <= low for low, high in pairwise(numbers)):
        raise UsageError(
            f"edges of {attribute}",
            f"{edges!r} are not increasing numbers",
            "give numbers in increasing order, each once",
        )
    return Buckets(tuple(numbers), tuple(numbers))
