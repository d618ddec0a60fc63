"""Sentences that occur again, within a split and in another one: leaks.

Two sentences are exact duplicates if they are the same text, whatever their tokens. They are near
duplicates if they differ in case and digits only (case-folded, each run of digits taken as one 0)
and the other split has no exact duplicate. Labels do not matter.
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
    """A sentence that occurs again, and where it occurs first."""

    place: str
    first: str
    text: str


@dataclass(frozen=True, slots=True, eq=False)
class DuplicateRow(ResultRow):
    """How many sentences of a split occur in another one, or earlier in the same one."""

    split: str
    against: str
    kind: str
    n: int
    share: float
    places: list[DuplicatePlace]


def find_duplicates(splits: Sequence[DatasetSplit]) -> Iterator[DuplicateRow]:
    """For each split: what it repeats of itself, then what it shares with each split before it."""
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
    """By code: the first sentence that has it, -1 if none has."""
    first = np.full(int(codes.max(initial=-1)) + 1, -1, np.int64)
    first[codes[::-1]] = np.arange(len(codes))[::-1]  # assigned backwards: the first one wins
    return first


def _twins(codes: Ints, others: Ints) -> Ints:
    """By sentence: the first of the other sentences with the same code, -1 if there is none."""
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
    """Where sentences begin: file and line."""
    return [split.corpus.place(token) for token in split.corpus.starts[sentences].tolist()]


def _texts(split: DatasetSplit, sentences: Ints) -> list[str]:
    # Each distinct token is decoded once: duplicates are often long lists of the same words.
    starts, ends = split.corpus.starts[sentences], split.corpus.starts[sentences + 1]
    used, inverse = np.unique(split.corpus.tokens[expand_ranges(starts, ends)], return_inverse=True)
    words = np.array(split.corpus.coding.tokens.strings(used), object)[inverse].tolist()
    last = np.cumsum(ends - starts).tolist()
    return [" ".join(words[begin:end]) for begin, end in pairwise([0, *last])]
