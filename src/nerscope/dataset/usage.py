"""How surfaces are used: as mentions of which types, and how often without annotation.

A use of a surface is a mention with its tokens, or a place where its tokens stand and none of them
is inside a mention: its label is then O.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from nerscope.corpus.arrays import Ints, count_table
from nerscope.corpus.interning import SequenceTrie
from nerscope.corpus.mentions import Mentions, join_mentions, token_runs
from nerscope.corpus.sequences import find_sequences
from nerscope.dataset.splits import Split

OUTSIDE = "O"
Rows: TypeAlias = Iterator[dict[str, Any]]


@dataclass(frozen=True, slots=True, eq=False)
class Usage:
    """The uses of all surfaces that are a mention in any split: by split, surface and label."""

    splits: Sequence[Split]
    surfaces: SequenceTrie
    counts: Mapping[str, Ints]  # by split; the last column is O

    def texts(self, codes: Ints) -> list[str]:
        """How surfaces are spelt."""
        spell = self.splits[0].corpus.coding.tokens.strings
        return [" ".join(spell(self.surfaces.sequence(code))) for code in codes.tolist()]

    def labels(self, split: str, code: int) -> dict[str, int]:
        """The labels of a surface in a split with their counts, most frequent first."""
        names = [*self.splits[0].types, OUTSIDE]
        used = zip(names, self.counts[split][code].tolist(), strict=True)
        ranked = sorted(used, key=lambda one: (one[0] == OUTSIDE, -one[1], one[0]))
        return {name: count for name, count in ranked if count}


def usage_of(splits: Sequence[Split]) -> Usage:
    """Count how surfaces are used in each split."""
    surfaces = SequenceTrie()
    codes = [surfaces.codes(*token_runs(one.corpus.tokens, one.mentions)) for one in splits]
    distinct, first = np.unique(np.concatenate(codes), return_index=True)
    every = np.concatenate([one.corpus.tokens for one in splits])
    tokens, start, end = token_runs(every, _together(splits)[first])
    wanted = Mentions(start, end, np.zeros(len(start), np.int64))
    kinds = len(splits[0].types)
    counts = {}
    for split, own in zip(splits, codes, strict=True):
        table = count_table(own, split.mentions.type, (len(surfaces), kinds + 1))
        table[distinct, kinds] = _unannotated(split, tokens, wanted)
        counts[split.name] = table
    return Usage(splits, surfaces, counts)


def _together(splits: Sequence[Split]) -> Mentions:
    """The mentions of all splits, counted from the start of the first."""
    offsets = np.cumsum([0, *(one.corpus.n_tokens for one in splits[:-1])]).tolist()
    return join_mentions(
        [one.mentions.shifted(offset) for one, offset in zip(splits, offsets, strict=True)]
    )


def _unannotated(split: Split, tokens: Ints, wanted: Mentions) -> Ints:
    """How often each sequence stands where no token is inside a mention."""
    inside = np.zeros(split.corpus.n_tokens, np.int64)
    inside[split.mentions.positions] = 1
    before = np.concatenate([[0], np.cumsum(inside)])
    which, begin = find_sequences(split.corpus, tokens, wanted)
    end = begin + (wanted.end - wanted.start)[which]
    return np.bincount(which[before[begin] == before[end]], minlength=len(wanted))


def ambiguous(usage: Usage, split: str) -> Rows:
    """Surfaces with two or more types in a split, most frequent first."""
    table = usage.counts[split][:, :-1]
    chosen = np.flatnonzero((table > 0).sum(axis=1) >= 2)
    for code, surface, n in _ranked(usage, chosen, table.sum(axis=1)):
        types = {name: k for name, k in usage.labels(split, code).items() if name != OUTSIDE}
        yield {"split": split, "surface": surface, "n": n, "types": types}


def unannotated(usage: Usage, split: str) -> Rows:
    """Surfaces that are mentions here and plain text there, the most frequent mentions first."""
    annotated, not_so = usage.counts[split][:, :-1].sum(axis=1), usage.counts[split][:, -1]
    chosen = np.flatnonzero((annotated > 0) & (not_so > 0))
    for code, surface, n in _ranked(usage, chosen, annotated):
        yield {
            "split": split,
            "surface": surface,
            "annotated": n,
            "unannotated": int(not_so[code]),
        }


def inconsistent(usage: Usage, split: str) -> Rows:
    """Surfaces that training uses, but never with a label that they have in a split.

    `n` is how often they have such a label; the largest comes first.
    """
    train = usage.splits[0].name
    known, here = usage.counts[train], usage.counts[split]
    new = np.where(known == 0, here, 0).sum(axis=1)
    chosen = np.flatnonzero((known.sum(axis=1) > 0) & (new > 0))
    for code, surface, n in _ranked(usage, chosen, new):
        labels = usage.labels(train, code), usage.labels(split, code)
        yield {"split": split, "surface": surface, "n": n, "train": labels[0], "here": labels[1]}


def _ranked(usage: Usage, chosen: Ints, counts: Ints) -> list[tuple[int, str, int]]:
    """Code, text and count of some surfaces, most frequent first, then by the alphabet."""
    found = zip(chosen.tolist(), usage.texts(chosen), counts[chosen].tolist(), strict=True)
    return sorted(found, key=lambda one: (-one[2], one[1]))
