"""Where values are cut: edges, ties, empty parts, and every number of buckets."""

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.scoring.toys import corpus

import nerscope
from nerscope.errors import UsageError
from nerscope.facets.buckets import (
    BUCKETINGS,
    Buckets,
    ValueCounts,
    equal_count,
    equal_width,
    given_edges,
)

BELOW_ONE = float(np.nextafter(1.0, 0.0))


def values(*numbers: float) -> ValueCounts:
    return ValueCounts.of(np.array(numbers, float))


@pytest.mark.parametrize(
    ("numbers", "parts", "edges"),
    [
        # edge k is the value at rank ⌈k·n/m⌉
        ((1, 2, 3, 4, 5, 6, 7, 8), 4, (2, 4, 6)),
        ((1, 2, 3, 4, 5, 6, 7), 4, (2, 4, 6)),  # ranks 2, 4, 6
        ((1, 2, 3, 4, 5), 4, (2, 3, 4)),  # ranks 2, 3, 4
        ((1, 2, 3, 4, 5), 2, (3,)),
        ((1, 2, 3, 4, 5), 3, (2, 4)),
        ((1, 2, 3, 4, 5), 5, (1, 2, 3, 4)),
        # fewer values than parts
        ((7,), 4, (7, 7, 7)),
        ((1, 9), 4, (1, 1, 9)),
        # ties
        ((1, 1, 1, 1, 2, 3), 3, (1, 1)),
        ((5, 5, 5, 5), 4, (5, 5, 5)),
        # one part has no edge; no value has nowhere to be cut
        ((1, 2, 3), 1, ()),
        ((), 4, (0, 0, 0)),
    ],
)
def test_equal_count_edges(
    numbers: tuple[float, ...], parts: int, edges: tuple[float, ...]
) -> None:
    assert equal_count(values(*numbers), parts) == edges


@pytest.mark.parametrize(
    ("numbers", "parts", "edges"),
    [
        ((0, 8), 4, (2, 4, 6)),
        ((1, 2, 4), 3, (2, 3)),
        ((3, 3), 2, (3,)),
        ((), 3, (0, 0)),
    ],
)
def test_equal_width_edges(
    numbers: tuple[float, ...], parts: int, edges: tuple[float, ...]
) -> None:
    assert equal_width(values(*numbers), parts) == pytest.approx(edges)


@pytest.mark.parametrize(
    ("bucketing", "size", "bounds", "edges"),
    [
        # over 0, 0, 0.2, 0.4, 0.6, 0.8, 1, 1
        ("whole-numbers", 4, (1, 2, 3), (1, 2, 3)),
        ("whole-numbers", 2, (1,), (1,)),
        ("zero-and-one", 4, (0, 0.4, BELOW_ONE), (0.4,)),
        ("zero-and-one", 3, (0, BELOW_ONE), ()),
        ("zero-and-one", 2, (0.4,), (0.4,)),  # no room for three parts: plain halves
        ("zero-and-one", 5, (0, 0.4, 0.6, BELOW_ONE), (0.4, 0.6)),
        ("zero", 4, (0, 0.4, 0.8), (0.4, 0.8)),
        ("zero", 3, (0, 0.6), (0.6,)),
        ("zero", 2, (0,), ()),
        ("zero", 5, (0, 0.4, 0.6, 1), (0.4, 0.6, 1)),
        ("equal-count", 4, (0, 0.4, 0.8), (0, 0.4, 0.8)),
        ("equal-width", 4, (0.25, 0.5, 0.75), (0.25, 0.5, 0.75)),
    ],
)
def test_bucketing(
    bucketing: str, size: int, bounds: tuple[float, ...], edges: tuple[float, ...]
) -> None:
    found = BUCKETINGS[bucketing](values(0, 0, 0.2, 0.4, 0.6, 0.8, 1, 1), size)
    assert found == Buckets(bounds, edges)
    assert len(found.names) == size


@pytest.mark.parametrize(
    ("bounds", "numbers", "codes"),
    [
        # a value equal to an edge belongs below it
        ((1, 2, 3), (0, 1, 1.5, 2, 3, 3.1, 99), (0, 0, 1, 1, 2, 3, 3)),
        # 0 and 1 stand apart
        ((0, 0.5, BELOW_ONE), (0, 1e-12, 0.5, 0.51, BELOW_ONE, 1), (0, 1, 1, 2, 2, 3)),
        # equal edges leave a bucket empty
        ((1, 1, 2), (1, 1.5, 2, 3), (0, 2, 2, 3)),
    ],
)
def test_bucket_of_a_value(
    bounds: tuple[float, ...], numbers: tuple[float, ...], codes: tuple[int, ...]
) -> None:
    assert tuple(Buckets(bounds, bounds).codes(np.array(numbers, float)).tolist()) == codes


@pytest.mark.parametrize(
    ("bounds", "names", "ranges"),
    [
        ((3,), ("S", "L"), ["≤ 3", "> 3"]),
        ((0,), ("S", "L"), ["0", "> 0"]),
        ((1, 2), ("S", "M", "L"), ["≤ 1", "(1, 2]", "> 2"]),
        ((0, 0.5, BELOW_ONE), ("XS", "S", "L", "XL"), ["0", "(0, 0.5]", "(0.5, 1)", "1"]),
        (
            (1, 2, 3, 4),
            ("B1", "B2", "B3", "B4", "B5"),
            ["≤ 1", "(1, 2]", "(2, 3]", "(3, 4]", "> 4"],
        ),
    ],
)
def test_buckets_in_words(
    bounds: tuple[float, ...], names: tuple[str, ...], ranges: list[str]
) -> None:
    found = Buckets(bounds, bounds)
    assert found.names == names
    assert found.ranges() == ranges


@pytest.mark.parametrize("edges", [(), (2, 1), (1, 1), (1, 2, 2)])
def test_given_edges_must_increase(edges: tuple[float, ...]) -> None:
    with pytest.raises(UsageError, match="are not increasing numbers"):
        given_edges("eLen", edges)


def test_values_of_chunks_add_up() -> None:
    whole = values(1, 2) + values(2, 3, 3)
    assert (whole.value.tolist(), whole.count.tolist()) == ([1, 2, 3], [1, 2, 2])
    assert whole.mean() == pytest.approx(11 / 5)
    assert np.isnan(values().mean())
    between = values(0, 0.5, 0.5, 1).between(0, 1)
    assert (between.value.tolist(), between.count.tolist()) == ([0.5], [2])


numbers = st.lists(st.integers(-20, 20).map(lambda whole: whole / 4), min_size=1, max_size=40)


@given(numbers, st.integers(1, 6))
def test_equal_count_edges_increase_and_are_values(own: list[float], parts: int) -> None:
    edges = equal_count(values(*own), parts)
    assert len(edges) == parts - 1
    assert set(edges) <= set(own)
    assert all(low <= high for low, high in pairwise(edges))
    # at least the share of k parts is at or below edge k, and fewer are below it
    for k, edge in enumerate(edges, 1):
        assert sum(value <= edge for value in own) * parts >= k * len(own)
        assert sum(value < edge for value in own) * parts < k * len(own)


@given(numbers, numbers, st.sampled_from(sorted(BUCKETINGS)), st.integers(2, 6))
def test_every_value_has_a_bucket_and_larger_ones_are_not_below(
    fitted: list[float], asked: list[float], bucketing: str, size: int
) -> None:
    codes = BUCKETINGS[bucketing](values(*fitted), size).codes(np.sort(np.array(asked)))
    assert ((codes >= 0) & (codes < size)).all()
    assert (np.diff(codes) >= 0).all()


GOLD = corpus("a/B-PER", "a/B-PER b", "a/B-PER b c", "a/B-PER b c d", "a/B-PER b c d e")


@pytest.mark.parametrize(
    ("options", "edges", "sizes"),
    [
        ({}, [2.0, 3.0, 4.0], [2, 1, 1, 1]),
        ({"buckets": 2}, [3.0], [3, 2]),
        ({"buckets": 5}, [1.0, 2.0, 3.0, 4.0], [1, 1, 1, 1, 1]),
        ({"bucketing": "equal-width", "buckets": 2}, [3.0], [3, 2]),
        ({"bucketing": "whole-numbers", "buckets": 3}, [1.0, 2.0], [1, 1, 3]),
        ({"edges": {"sLen": [1, 4]}}, [1, 4], [1, 3, 1]),
        ({"edges": {"sLen": [10]}, "buckets": 7}, [10], [5, 0]),
        ({"edges": {"sLen": [0]}}, [0], [0, 5]),
    ],
)
def test_buckets_of_an_evaluation_are_cut_as_asked(
    options: dict[str, Any], edges: list[float], sizes: list[int]
) -> None:
    results = nerscope.evaluate(GOLD, {"s": GOLD}, facets=["sLen"], **options)
    assert results.settings["facets"]["sLen"]["edges"] == edges
    assert [
        row["n"] for row in results.select(facet="sLen", metric="recall", type=None, run=None)
    ] == sizes


def test_many_buckets_are_possible() -> None:
    gold = [(["a", *["b"] * number], ["B-PER", *["O"] * number]) for number in range(150)]
    results = nerscope.evaluate(gold, {"s": gold}, facets=["sLen"], buckets=150)
    assert [
        row["n"] for row in results.select(facet="sLen", metric="recall", type=None, run=None)
    ] == [1] * 150
