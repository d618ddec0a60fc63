"""Describe a dataset: sizes, composition, uses of surfaces, duplicates, hard tokens."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

from nerscope.arguments import check_arguments
from nerscope.corpus.arrays import Bools, Ints, lookup
from nerscope.corpus.corpus import Corpus
from nerscope.corpus.lexicon import SENSITIVE
from nerscope.corpus.mentions import CONLLEVAL
from nerscope.corpus.units import ALL, MENTION
from nerscope.dataset.duplicates import DuplicateRow, find_duplicates
from nerscope.dataset.hard_tokens import HardTokenRow, hard_token_rows
from nerscope.dataset.loading import DatasetSplit, load_splits
from nerscope.dataset.usage import (
    AmbiguousRow,
    InconsistentRow,
    UnannotatedRow,
    ambiguous_surfaces,
    count_uses,
    inconsistent_surfaces,
    unannotated_surfaces,
)
from nerscope.facets.facet import Facet, View, fixed_facets
from nerscope.formats.base import CorpusLike, TrainingLike
from nerscope.formats.source import SourceNote, reading_notes
from nerscope.results.rows import ResultRow


@dataclass(frozen=True, slots=True, eq=False)
class CompositionRow(ResultRow):
    """The number of units of a split in a level of a facet."""

    split: str
    facet: str
    level: str
    type: str | None  # None: all types together
    n: int
    share: float | None  # of all units, or of the units of the type; None if there are none


@dataclass(frozen=True, slots=True, eq=False)
class MentionCounts(ResultRow):
    """Mentions and distinct surfaces of a split.

    A surface is ambiguous if it has several types in training, and unseen if it is not a mention in
    training. The counts of unseen surfaces are None without training data.
    """

    mentions: int
    unique: int
    ambiguous: int
    ambiguous_unique: int
    unseen: int | None
    unseen_unique: int | None

    def shares(self) -> "MentionShares":
        def share(n: int | None, total: int) -> float | None:
            return n / total if n is not None and total else None

        return MentionShares(
            share(self.ambiguous, self.mentions),
            share(self.ambiguous_unique, self.unique),
            share(self.unseen, self.mentions),
            share(self.unseen_unique, self.unique),
        )


@dataclass(frozen=True, slots=True, eq=False)
class MentionShares(ResultRow):
    """The counts as shares of all mentions and of all distinct surfaces."""

    ambiguous: float | None
    ambiguous_unique: float | None
    unseen: float | None
    unseen_unique: float | None


@dataclass(frozen=True, slots=True, eq=False)
class TypeSize(ResultRow):
    """The number of mentions of a type."""

    type: str
    n: int
    share: float


@dataclass(frozen=True, slots=True, eq=False)
class LengthSpread(ResultRow):
    """Lengths in tokens; None if there are no units."""

    mean: float | None
    median: float | None
    max: int | None


@dataclass(frozen=True, slots=True, eq=False)
class SplitSizes(ResultRow):
    """Counts of a split that do not depend on other splits."""

    name: str
    sentences: int
    tokens: int
    distinct_tokens: int
    documents: int | None  # None if documents are not marked
    mentions: int
    distinct_surfaces: int
    types: list[TypeSize]
    mention_length: LengthSpread
    sentence_length: LengthSpread


@dataclass(frozen=True, slots=True)
class Description:
    """The result of `describe`; docs/commands/describe.md explains every field.

    Rows have attributes, and can be read like dicts: `row.level` and `row["level"]` are the same.
    """

    rows: list[CompositionRow]
    zeta: dict[str, float | None]  # the mean of each attribute in the last split
    mentions: dict[str, MentionCounts]  # by split, like the next fields
    mention_shares: dict[str, MentionShares]
    splits: dict[str, SplitSizes]
    ambiguous: list[AmbiguousRow]
    unannotated: list[UnannotatedRow]
    inconsistent: list[InconsistentRow]
    duplicates: list[DuplicateRow]
    hard_tokens: list[HardTokenRow]
    losses: list[SourceNote]

    def as_dict(self) -> dict[str, Any]:
        """The output of `describe --format json`."""
        return {field.name: _plain(getattr(self, field.name)) for field in fields(self)}


def _plain(value: Any) -> Any:
    """Rows as dicts, also inside other rows, lists and dicts."""
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items()}
    return [_plain(item) for item in value] if isinstance(value, list) else value


def describe(
    train: TrainingLike,
    *,
    dev: CorpusLike | None = None,
    test: CorpusLike | None = None,
    repair: str = CONLLEVAL,
    case: str = SENSITIVE,
) -> Description:
    """Describe a dataset, or one file.

    - `train`, `dev`, `test`: files, corpora or sentences; dev and test are compared with train.
      Several training files, as a list, are one training set.
    - `repair`: how invalid label sequences are read, as for `evaluate`.
    - `case`: "fold" ignores case when tokens are compared with training.

    >>> train = [(["Ada", "met", "Bob"], ["B-PER", "O", "B-PER"])]
    >>> description = describe(train, test=[(["Ada", "met", "Eve"], ["B-PER", "O", "B-PER"])])
    >>> description.mentions["test"].unseen
    1
    >>> describe(train).splits["train"].tokens
    3
    """
    check_arguments(describe, locals())
    optional = {"dev": dev, "test": test}
    others = {name: source for name, source in optional.items() if source is not None}
    splits = load_splits({"train": train, **others}, repair, case=case)
    return _describe_splits(splits, _all_mention_counts(splits), repair)


def describe_each(
    files: Mapping[str, CorpusLike], *, repair: str = CONLLEVAL, case: str = SENSITIVE
) -> Description:
    """Describe each file separately, without training data, so nothing is seen or unseen."""
    descriptions = []
    for name, source in files.items():
        splits = load_splits({name: source}, repair, case=case)
        counts = {
            split: replace(count, unseen=None, unseen_unique=None)
            for split, count in _all_mention_counts(splits).items()
        }
        descriptions.append(_describe_splits(splits, counts, repair))
    return Description(
        **{
            field.name: _concatenated([getattr(each, field.name) for each in descriptions])
            for field in fields(Description)
        }
    )


def _concatenated(values: Sequence[Any]) -> Any:
    """Concatenated lists, or merged dicts."""
    if isinstance(values[0], dict):
        return {key: item for value in values for key, item in value.items()}
    return [item for value in values for item in value]


def _describe_splits(
    splits: Sequence[DatasetSplit], counts: dict[str, MentionCounts], repair: str
) -> Description:
    # The first split is the training data: only the others have seen and unseen mentions.
    others, uses = splits[1:], count_uses(splits)
    return Description(
        rows=[row for split in others for row in composition_rows(split)],
        zeta={name: _or_none(values.mean()) for name, values in splits[-1].values.items()},
        mentions=counts,
        mention_shares={name: count.shares() for name, count in counts.items()},
        splits={split.name: _sizes(split) for split in splits},
        ambiguous=[row for split in splits for row in ambiguous_surfaces(uses, split.name)],
        unannotated=[row for split in splits for row in unannotated_surfaces(uses, split.name)],
        inconsistent=[row for split in others for row in inconsistent_surfaces(uses, split.name)],
        duplicates=list(find_duplicates(splits)),
        hard_tokens=[
            replace(row, split=split.name)
            for split in others
            for row in hard_token_rows(split.view)
        ],
        losses=[loss for split in splits for loss in _losses(split, repair)],
    )


def _losses(split: DatasetSplit, repair: str) -> list[SourceNote]:
    corpus = split.corpus
    return list(reading_notes(corpus.name, corpus.reading_notes, corpus.scheme, repair))


def composition_rows(split: DatasetSplit) -> Iterator[CompositionRow]:
    """The number of units in each level of each facet, as in the tables of the papers."""
    view = split.view
    for facet in fixed_facets():
        if not (facet.is_headline or facet.is_variant):
            continue
        codes, masks = facet.checked_codes(view), _type_masks(view, facet, split.types)
        levels = {ALL: tuple(range(facet.n_codes)), **facet.level_codes}
        for level, level_codes in levels.items():
            is_inside = np.isin(codes, level_codes)
            for type_, mask in masks.items():
                n, total = int((is_inside & mask).sum()), int(mask.sum())
                share = n / total if total else None
                yield CompositionRow(split.name, facet.name, level, type_, n, share)


def _type_masks(view: View, facet: Facet, types: list[str]) -> dict[str | None, Bools]:
    """A mask for all units (None), and for mentions also one for each type that occurs."""
    masks: dict[str | None, Bools] = {None: np.ones(view.n_units(facet.unit), bool)}
    if facet.unit == MENTION:
        codes: Ints = view.mentions.type
        used = sorted(np.unique(codes).tolist(), key=types.__getitem__)
        masks |= {types[code]: codes == code for code in used}
    return masks


def _all_mention_counts(splits: Sequence[DatasetSplit]) -> dict[str, MentionCounts]:
    return {split.name: _mention_counts(split.view) for split in splits}


def _mention_counts(view: View) -> MentionCounts:
    n_types = (view.lexicon.surface_counts > 0).sum(axis=1)  # in training, by surface
    # `lookup` gives 0 for surfaces that are not in training.
    is_ambiguous: Bools = lookup(n_types, view.surface) >= 2
    is_unseen: Bools = lookup(view.lexicon.surface_totals, view.surface) == 0
    written = view.written_surface

    def distinct(surfaces: Ints) -> int:
        return len(np.unique(surfaces))

    return MentionCounts(
        len(written),
        distinct(written),
        int(is_ambiguous.sum()),
        distinct(written[is_ambiguous]),
        int(is_unseen.sum()),
        distinct(written[is_unseen]),
    )


def _sizes(split: DatasetSplit) -> SplitSizes:
    corpus, mentions = split.corpus, split.mentions
    return SplitSizes(
        name=corpus.name,
        sentences=len(corpus),
        tokens=corpus.n_tokens,
        distinct_tokens=len(np.unique(corpus.tokens)),
        documents=_n_documents(corpus),
        mentions=len(mentions),
        distinct_surfaces=len(np.unique(split.view.written_surface)),
        types=_type_sizes(split),
        mention_length=_length_spread(mentions.lengths),
        sentence_length=_length_spread(np.diff(corpus.starts)),
    )


def _n_documents(corpus: Corpus) -> int | None:
    # If documents are not marked, all sentences are in document 0.
    return len(np.unique(corpus.documents)) if corpus.documents.any() else None


def _type_sizes(split: DatasetSplit) -> list[TypeSize]:
    """The types with their counts and shares, most frequent first."""
    counts = np.bincount(split.mentions.type, minlength=len(split.types)).tolist()
    ranked = sorted(zip(split.types, counts, strict=True), key=lambda item: (-item[1], item[0]))
    total = len(split.mentions)
    return [TypeSize(name, n, n / total) for name, n in ranked if n]


def _length_spread(lengths: Ints) -> LengthSpread:
    if not len(lengths):
        return LengthSpread(None, None, None)
    return LengthSpread(float(lengths.mean()), float(np.median(lengths)), int(lengths.max()))


def _or_none(value: float) -> float | None:
    return None if np.isnan(value) else value
