"""Duplicate sentences, within a split and between splits (leaks).

Two sentences are exact duplicates if their texts are equal, even if they are tokenised differently.
They are near duplicates if they differ only in case and digits (case-folded, each run of digits
replaced by one 0) and the other split has no exact duplicate. Labels are ignored.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from nerscope.corpus.arrays import Bools, Ints, expand_ranges
from nerscope.corpus.text_keys import near_text_key, sentence_codes
from nerscope.dataset.loading import DatasetSplit
from nerscope.results.rows import ResultRow

_EXACT, _NEAR = "exact", "near"  # kinds of duplicates


@dataclass(frozen=True, slots=True, eq=False)
class DuplicatePlace(ResultRow):
    """A duplicate sentence, and the place of its first occurrence."""

    place: str
    first: str
    text: str


@dataclass(frozen=True, slots=True, eq=False)
class DuplicateRow(ResultRow):
    """The number of sentences of a split that occur in another split or earlier in this one."""

    split: str
    against: str
    kind: str
    n: int
    share: float
    places: list[DuplicatePlace]


def find_duplicates(splits: Sequence[DatasetSplit]) -> Iterator[DuplicateRow]:
    """For each split: duplicates within it, then duplicates of each split before it."""
    corpora = [split.corpus for split in splits]
    exact, near = sentence_codes(corpora), sentence_codes(corpora, near_text_key)
    for number, split in enumerate(splits):
        first = _first_sentences(exact[number])[exact[number]]
        yield _row(_EXACT, split, split, first, first < np.arange(len(first)))
        for before in range(number):
            same = _twins(exact[number], exact[before])
            yield _row(_EXACT, split, splits[before], same, same >= 0)
            similar = _twins(near[number], near[before])
            yield _row(_NEAR, split, splits[before], similar, (similar >= 0) & (same < 0))


def _first_sentences(codes: Ints) -> Ints:
    """By code: the first sentence with this code; -1 if there is none."""
    first = np.full(int(codes.max(initial=-1)) + 1, -1, np.int64)
    first[codes[::-1]] = np.arange(len(codes))[::-1]  # backwards: the first sentence remains
    return first


def _twins(codes: Ints, others: Ints) -> Ints:
    """By sentence: the first of the other sentences with the same code; -1 if there is none."""
    first = _first_sentences(others)
    return np.where(codes < len(first), first[np.minimum(codes, len(first) - 1)], -1)


def _row(
    kind: str, split: DatasetSplit, against: DatasetSplit, twin: Ints, chosen: Bools
) -> DuplicateRow:
    repeated = np.flatnonzero(chosen)
    columns = (
        _places(split, repeated),
        _places(against, twin[repeated]),
        _texts(split, repeated),
    )
    places = [DuplicatePlace(*place) for place in zip(*columns, strict=True)]
    n = len(repeated)
    return DuplicateRow(split.name, against.name, kind, n, n / len(twin), places)


def _places(split: DatasetSplit, sentences: Ints) -> list[str]:
    """The file and line of the start of each sentence."""
    return [split.corpus.place(token) for token in split.corpus.starts[sentences].tolist()]


def _texts(split: DatasetSplit, sentences: Ints) -> list[str]:
    # Each distinct token is decoded once, since duplicates repeat the same words.
    starts, ends = split.corpus.starts[sentences], split.corpus.starts[sentences + 1]
    used, inverse = np.unique(split.corpus.tokens[expand_ranges(starts, ends)], return_inverse=True)
    words = np.array(split.corpus.coding.tokens.strings(used), object)[inverse].tolist()
    last = np.cumsum(ends - starts).tolist()
    return [" ".join(words[begin:end]) for begin, end in pairwise([0, *last])]
