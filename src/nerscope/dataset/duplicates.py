"""Sentences that occur again, within a split and in another: leaks.

Two sentences are exact duplicates if they have the same tokens; near duplicates if their tokens are
the same but for case and digits (case-folded, each run of digits taken as one 0) and no sentence
there is an exact duplicate. Labels do not matter.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from nerscope.corpus.arrays import Bools, Ints, expand_ranges
from nerscope.corpus.interning import SequenceTrie
from nerscope.dataset.splits import Split

_DIGITS = re.compile(r"\d+")


def duplicates(splits: Sequence[Split]) -> Iterator[dict[str, Any]]:
    """For each split: what it repeats of itself, then what it shares with each one before."""
    tokens = [one.corpus.tokens for one in splits]
    exact = _sentence_codes(splits, tokens)
    near = _sentence_codes(splits, _alike(splits, tokens))
    for number, split in enumerate(splits):
        first = _first_in(exact[number])[exact[number]]
        yield _row("exact", split, split, first, first < np.arange(len(first)))
        for before in range(number):
            same = _twins(exact[number], exact[before])
            yield _row("exact", split, splits[before], same, same >= 0)
            alike = _twins(near[number], near[before])
            yield _row("near", split, splits[before], alike, (alike >= 0) & (same < 0))


def _sentence_codes(splits: Sequence[Split], tokens: Sequence[Ints]) -> list[Ints]:
    """A code for each sentence of each split, equal if and only if the tokens are."""
    paths = SequenceTrie()
    starts = [one.corpus.starts for one in splits]
    return [paths.codes(own, at[:-1], at[1:]) for own, at in zip(tokens, starts, strict=True)]


def _alike(splits: Sequence[Split], tokens: Sequence[Ints]) -> list[Ints]:
    """Token codes that are equal if tokens differ only in case and digits."""
    used = np.unique(np.concatenate(tokens))
    words = splits[0].corpus.coding.tokens.strings(used)
    known: dict[str, int] = {}
    table = np.zeros(int(used[-1]) + 1, np.int64)
    table[used] = [known.setdefault(alike(word), len(known)) for word in words]
    return [table[own] for own in tokens]


def alike(token: str) -> str:
    """What near duplicates have in common.

    >>> alike("MARCH-1996"), alike("March-7")
    ('march-0', 'march-0')
    """
    return _DIGITS.sub("0", token.casefold())


def _first_in(codes: Ints) -> Ints:
    """By code: the first sentence that has it, -1 if none has."""
    first = np.full(int(codes.max(initial=-1)) + 1, -1, np.int64)
    first[codes[::-1]] = np.arange(len(codes))[::-1]
    return first


def _twins(codes: Ints, others: Ints) -> Ints:
    """The first of other sentences with the code of each, -1 where there is none."""
    first = _first_in(others)
    return np.where(codes < len(first), first[np.minimum(codes, len(first) - 1)], -1)


def _row(kind: str, split: Split, against: Split, twin: Ints, chosen: Bools) -> dict[str, Any]:
    """How many sentences of a split have a twin, and each of them with its place."""
    found = np.flatnonzero(chosen)
    columns = _places(split, found), _places(against, twin[found]), _texts(split, found)
    places = [
        {"place": place, "first": first, "text": text}
        for place, first, text in zip(*columns, strict=True)
    ]
    return {
        "split": split.name,
        "against": against.name,
        "kind": kind,
        "n": len(found),
        "share": len(found) / len(twin),
        "places": places,
    }


def _places(split: Split, sentences: Ints) -> list[str]:
    """Where sentences begin: file and line."""
    return [split.corpus.place(token) for token in split.corpus.starts[sentences].tolist()]


def _texts(split: Split, sentences: Ints) -> list[str]:
    """Sentences as text; each distinct token is spelt out once."""
    starts, ends = split.corpus.starts[sentences], split.corpus.starts[sentences + 1]
    used, inverse = np.unique(split.corpus.tokens[expand_ranges(starts, ends)], return_inverse=True)
    words = np.array(split.corpus.coding.tokens.strings(used), object)[inverse].tolist()
    last = np.cumsum(ends - starts).tolist()
    return [" ".join(words[begin:end]) for begin, end in pairwise([0, *last])]
