"""What a dataset is like: sizes, composition, how surfaces are used, duplicates, hard tokens."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from nerscope.dataset.composition import composition, mention_counts, mention_shares
from nerscope.dataset.duplicates import duplicates
from nerscope.dataset.hard_tokens import hard_tokens_in
from nerscope.dataset.sizes import sizes
from nerscope.dataset.splits import Split, read_splits
from nerscope.dataset.usage import ambiguous, inconsistent, unannotated, usage_of
from nerscope.formats.base import CorpusLike
from nerscope.formats.losses import Loss, losses_of

Records = list[dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Description:
    """All that is known of each split; docs/commands/describe.md explains every field."""

    rows: Records
    zeta: dict[str, float | None]
    mentions: dict[str, dict[str, int | None]]
    mention_shares: dict[str, dict[str, float | None]]
    splits: dict[str, dict[str, Any]]
    ambiguous: Records
    unannotated: Records
    inconsistent: Records
    duplicates: Records
    hard_tokens: Records
    losses: list[Loss]

    def as_dict(self) -> dict[str, Any]:
        """What `describe --format json` prints."""
        return {one.name: getattr(self, one.name) for one in fields(self)}


def describe(
    train: CorpusLike,
    *,
    dev: CorpusLike | None = None,
    test: CorpusLike | None = None,
    repair: str = "conlleval",
) -> Description:
    """Describe a dataset, or one file.

    >>> train = [(["Ada", "met", "Bob"], ["B-PER", "O", "B-PER"])]
    >>> found = describe(train, test=[(["Ada", "met", "Eve"], ["B-PER", "O", "B-PER"])])
    >>> found.mentions["test"]["unseen"]
    1
    >>> describe(train).splits["train"]["tokens"]
    3
    """
    others = {"dev": dev, "test": test}
    given = {name: one for name, one in others.items() if one is not None}
    splits = read_splits({"train": train, **given}, repair)
    counts = {one.name: mention_counts(one) for one in splits}
    return _described(splits, counts, repair)


def describe_each(files: Mapping[str, CorpusLike], *, repair: str = "conlleval") -> Description:
    """Describe files each by itself: none is training data, so nothing is seen or unseen."""
    parts = []
    for name, given in files.items():
        splits = read_splits({name: given}, repair)
        counts = mention_counts(splits[0])
        unknown = dict.fromkeys(("unseen", "unseen_unique"))
        parts.append(_described(splits, {name: {**counts, **unknown}}, repair).as_dict())
    return Description(**{key: _joined([part[key] for part in parts]) for key in parts[0]})


def _joined(values: Sequence[Any]) -> Any:
    """Lists one after the other, or mappings put together."""
    if isinstance(values[0], dict):
        return {key: item for value in values for key, item in value.items()}
    return [item for value in values for item in value]


def _described(
    splits: Sequence[Split], counts: dict[str, dict[str, int | None]], repair: str
) -> Description:
    others, usage = splits[1:], usage_of(splits)
    return Description(
        rows=[row for one in others for row in composition(one)],
        zeta={name: _or_none(one.mean()) for name, one in splits[-1].values.items()},
        mentions=counts,
        mention_shares={name: mention_shares(own) for name, own in counts.items()},
        splits={one.name: sizes(one) for one in splits},
        ambiguous=[row for one in splits for row in ambiguous(usage, one.name)],
        unannotated=[row for one in splits for row in unannotated(usage, one.name)],
        inconsistent=[row for one in others for row in inconsistent(usage, one.name)],
        duplicates=list(duplicates(splits)),
        hard_tokens=[
            {"split": one.name, **row} for one in others for row in hard_tokens_in(one.view)
        ],
        losses=[loss for one in splits for loss in _losses(one, repair)],
    )


def _losses(split: Split, repair: str) -> list[Loss]:
    corpus = split.corpus
    return list(losses_of(corpus.name, corpus.reading_notes, corpus.scheme, repair))


def _or_none(value: float) -> float | None:
    return None if np.isnan(value) else value
