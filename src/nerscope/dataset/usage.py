"""The uses of surfaces: as mentions of which types, how often without annotation, and where.

A use of a surface is a mention with its tokens, or an occurrence of its tokens outside all
mentions. The label of the latter is O.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from nerscope.corpus.arrays import Ints, count_table
from nerscope.corpus.lexicon import find_sequences
from nerscope.corpus.mentions import Mentions, join_mentions, token_runs
from nerscope.corpus.schemes import OUTSIDE_LABEL
from nerscope.corpus.vocabulary import SequenceTrie
from nerscope.dataset.loading import DatasetSplit
from nerscope.results.rows import ResultRow


@dataclass(frozen=True, slots=True, eq=False)
class AmbiguousRow(ResultRow):
    """A surface with two or more types in a split."""

    split: str
    surface: str
    n: int
    types: dict[str, int]
    places: dict[str, str]  # by type: the first place, as file:line


@dataclass(frozen=True, slots=True, eq=False)
class UnannotatedRow(ResultRow):
    """A surface that is a mention in some places of a split and plain text in others."""

    split: str
    surface: str
    annotated: int
    unannotated: int
    places: dict[str, str]  # by label (O for plain text): the first place


@dataclass(frozen=True, slots=True, eq=False)
class InconsistentRow(ResultRow):
    """A surface with a label in a split that it never has in training."""

    split: str
    surface: str
    n: int  # the number of uses with such a label
    train: dict[str, int]  # its labels in training
    here: dict[str, int]
    places: dict[str, str]  # by new label: the first place in the split


@dataclass(frozen=True, slots=True, eq=False)
class SurfaceUses:
    """The uses of all surfaces that are a mention in any split: by split, surface and label."""

    splits: Sequence[DatasetSplit]
    surfaces: SequenceTrie
    counts: Mapping[str, Ints]  # by split: surface × label; the last label is O
    first: Mapping[str, Ints]  # same shape: the first token of the first use

    def texts(self, codes: Ints) -> list[str]:
        strings = self.splits[0].corpus.coding.tokens.strings
        return [" ".join(strings(self.surfaces.sequence(code))) for code in codes.tolist()]

    def labels(self, split: str, code: int) -> dict[str, int]:
        """The labels of a surface in a split with their counts, most frequent first, O last."""
        names = [*self.splits[0].types, OUTSIDE_LABEL]
        counts = zip(names, self.counts[split][code].tolist(), strict=True)
        ranked = sorted(counts, key=lambda item: (item[0] == OUTSIDE_LABEL, -item[1], item[0]))
        return {name: count for name, count in ranked if count}

    def places(self, split: str, code: int, labels: Iterable[str]) -> dict[str, str]:
        """The first place of a surface with each of the labels."""
        names = [*self.splits[0].types, OUTSIDE_LABEL]
        (corpus,) = (part.corpus for part in self.splits if part.name == split)
        first = self.first[split][code]
        return {label: corpus.place(int(first[names.index(label)])) for label in labels}


def count_uses(splits: Sequence[DatasetSplit]) -> SurfaceUses:
    """Count the uses of surfaces in each split."""
    surfaces = SequenceTrie()
    codes = [surfaces.codes(*token_runs(split.corpus.tokens, split.mentions)) for split in splits]
    distinct, first = np.unique(np.concatenate(codes), return_index=True)
    all_tokens = np.concatenate([split.corpus.tokens for split in splits])
    # The tokens of each distinct surface, taken from its first mention.
    tokens, start, end = token_runs(all_tokens, _all_mentions(splits)[first])
    patterns = Mentions(start, end, np.zeros(len(start), np.int64))
    n_types = len(splits[0].types)
    counts, places = {}, {}
    for split, split_codes in zip(splits, codes, strict=True):
        shape = (len(surfaces), n_types + 1)
        table = count_table(split_codes, split.mentions.type, shape)
        first = np.full(shape, split.corpus.n_tokens, np.int64)
        np.minimum.at(first, (split_codes, split.mentions.type), split.mentions.start)
        table[distinct, n_types], first[distinct, n_types] = _unannotated(split, tokens, patterns)
        counts[split.name], places[split.name] = table, first
    return SurfaceUses(splits, surfaces, counts, places)


def _all_mentions(splits: Sequence[DatasetSplit]) -> Mentions:
    """The mentions of all splits, as places in the concatenated tokens."""
    offsets = np.cumsum([0, *(split.corpus.n_tokens for split in splits[:-1])]).tolist()
    return join_mentions(
        [split.mentions.shifted(offset) for split, offset in zip(splits, offsets, strict=True)]
    )


def _unannotated(split: DatasetSplit, tokens: Ints, patterns: Mentions) -> tuple[Ints, Ints]:
    """By pattern: how often its tokens occur outside all mentions, and the first such token."""
    inside = np.zeros(split.corpus.n_tokens, np.int64)
    inside[split.mentions.positions] = 1
    # before[end] - before[begin] tokens from begin to end are inside mentions.
    before = np.concatenate([[0], np.cumsum(inside)])
    pattern, begin = find_sequences(split.corpus, tokens, patterns)
    end = begin + (patterns.end - patterns.start)[pattern]
    outside = before[begin] == before[end]
    pattern, begin = pattern[outside], begin[outside]
    first = np.full(len(patterns), split.corpus.n_tokens, np.int64)
    np.minimum.at(first, pattern, begin)
    return np.bincount(pattern, minlength=len(patterns)), first


def ambiguous_surfaces(uses: SurfaceUses, split: str) -> Iterator[AmbiguousRow]:
    """Surfaces with two or more types in a split, most frequent first."""
    table = uses.counts[split][:, :-1]
    chosen = np.flatnonzero((table > 0).sum(axis=1) >= 2)
    for code, surface, n in _ranked(uses, chosen, table.sum(axis=1)):
        labels = uses.labels(split, code)
        types = {name: count for name, count in labels.items() if name != OUTSIDE_LABEL}
        yield AmbiguousRow(split, surface, n, types, uses.places(split, code, types))


def unannotated_surfaces(uses: SurfaceUses, split: str) -> Iterator[UnannotatedRow]:
    """Surfaces that are both mentions and plain text, the most frequent mentions first."""
    annotated, unannotated = uses.counts[split][:, :-1].sum(axis=1), uses.counts[split][:, -1]
    chosen = np.flatnonzero((annotated > 0) & (unannotated > 0))
    for code, surface, n in _ranked(uses, chosen, annotated):
        labels = uses.labels(split, code)
        places = uses.places(split, code, labels)
        yield UnannotatedRow(split, surface, n, int(unannotated[code]), places)


def inconsistent_surfaces(uses: SurfaceUses, split: str) -> Iterator[InconsistentRow]:
    """Surfaces with a label that they never have in training, most frequent first."""
    train = uses.splits[0].name
    in_training, here = uses.counts[train], uses.counts[split]
    new = np.where(in_training == 0, here, 0).sum(axis=1)
    chosen = np.flatnonzero((in_training.sum(axis=1) > 0) & (new > 0))
    for code, surface, n in _ranked(uses, chosen, new):
        known, labels = uses.labels(train, code), uses.labels(split, code)
        places = uses.places(split, code, [label for label in labels if label not in known])
        yield InconsistentRow(split, surface, n, known, labels, places)


def _ranked(uses: SurfaceUses, chosen: Ints, counts: Ints) -> list[tuple[int, str, int]]:
    """Code, text and count of some surfaces, most frequent first, then in alphabetical order."""
    surfaces = zip(chosen.tolist(), uses.texts(chosen), counts[chosen].tolist(), strict=True)
    return sorted(surfaces, key=lambda item: (-item[2], item[1]))
