"""The most frequent hard tokens of a test set, with how training labels them."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from nerscope.corpus.arrays import Ints, lookup
from nerscope.dataset.splits import read_splits
from nerscope.facets.facet import Facet
from nerscope.facets.hard import HARD, HARD_STRICT
from nerscope.facets.view import View
from nerscope.formats.base import CorpusLike


def hard_tokens(
    train: CorpusLike,
    test: CorpusLike,
    *,
    most: int | None = 10,
    repair: str = "conlleval",
    map: Mapping[str, str] | None = None,
    drop: Iterable[str] = (),
) -> list[dict[str, Any]]:
    """The most frequent tokens of each subset of hard tokens; all of them if `most` is None.

    >>> train = [(["May", "came"], ["O", "O"])]
    >>> hard_tokens(train, [(["May", "left"], ["B-PER", "O"])])[0]["token"]
    'left'
    """
    _, split = read_splits({"train": train, "test": test}, repair, map, drop)
    return list(hard_tokens_in(split.view, most))


def hard_tokens_in(view: View, most: int | None = None) -> Iterator[dict[str, Any]]:
    """The same, of mentions that are read already."""
    for facet in (HARD, HARD_STRICT):
        codes = facet.checked_codes(view)
        for level, members in facet.level_codes.items():
            if len(members) == 1 and level != "other":
                chosen = view.sentences.corpus.tokens[codes == members[0]]
                yield from _rows(facet, level, view, chosen, most)


def _rows(
    facet: Facet, level: str, view: View, chosen: Ints, most: int | None
) -> Iterator[dict[str, Any]]:
    found, times = np.unique(chosen, return_counts=True)
    counts, words = times.tolist(), view.sentences.corpus.coding.tokens.strings(found)
    ranked = sorted(range(len(found)), key=lambda one: (-counts[one], words[one]))[:most]
    labels = _training_labels(view, found[ranked])
    for one, known in zip(ranked, labels, strict=True):
        yield {
            "facet": facet.name,
            "level": level,
            "token": words[one],
            "count": counts[one],
            "training labels": known,
        }


def _training_labels(view: View, tokens: Ints) -> Iterator[str]:
    """How often training has tokens outside of mentions, and inside those of each type."""
    inside = lookup(view.lexicon.inside_counts, tokens)
    total, anywhere = view.lexicon.token_counts, view.lexicon.inside_totals
    outside = lookup(total, tokens) - lookup(anywhere, tokens)
    names = ["O", *view.sentences.corpus.coding.labels.types]
    for counts in np.column_stack([outside, inside]).tolist():
        labels = zip(names, counts, strict=False)
        yield ", ".join(f"{name} {count}" for name, count in labels if count) or "–"
