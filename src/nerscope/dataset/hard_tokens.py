"""The most frequent hard tokens of a test set, with their labels in training."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from nerscope.arguments import check_arguments
from nerscope.corpus.arrays import Ints, lookup
from nerscope.corpus.lexicon import SENSITIVE
from nerscope.corpus.mentions import CONLLEVAL
from nerscope.corpus.schemes import OUTSIDE_LABEL
from nerscope.dataset.loading import load_splits
from nerscope.facets.facet import Facet, View
from nerscope.facets.hard import HARD, HARD_STRICT, OTHER
from nerscope.formats.base import CorpusLike, TrainingLike
from nerscope.results.rows import ResultRow


@dataclass(frozen=True, slots=True, eq=False)
class HardTokenRow(ResultRow):
    """A hard token with its count in the test set."""

    facet: str
    level: str
    token: str
    count: int
    training_labels: str  # such as "O 2, LOC 1"; in dicts, the key is "training labels"
    place: str  # of the first occurrence, as file:line
    split: str | None = None  # in descriptions only

    def as_dict(self) -> dict[str, Any]:
        return {
            **({} if self.split is None else {"split": self.split}),
            "facet": self.facet,
            "level": self.level,
            "token": self.token,
            "count": self.count,
            "training labels": self.training_labels,
            "place": self.place,
        }


def hard_tokens(
    train: TrainingLike,
    test: CorpusLike,
    *,
    most: int | None = 10,
    repair: str = CONLLEVAL,
    map: Mapping[str, str] | None = None,
    drop: Iterable[str] = (),
    case: str = SENSITIVE,
) -> list[HardTokenRow]:
    """The most frequent tokens of each subset of hard tokens.

    - `train`, `test`: files, corpora or sentences; several files are one training set.
    - `most`: the number of tokens per subset; None: all tokens.
    - `repair`, `map`, `drop`, `case`: as for `evaluate`; `case="fold"` ignores case when tokens are
      compared with training.

    >>> train = [(["May", "came"], ["O", "O"])]
    >>> hard_tokens(train, [(["May", "left"], ["B-PER", "O"])])[0].token
    'left'
    """
    check_arguments(hard_tokens, locals())
    _, split = load_splits({"train": train, "test": test}, repair, map, drop, case)
    return list(hard_token_rows(split.view, most))


def hard_token_rows(view: View, most: int | None = None) -> Iterator[HardTokenRow]:
    """Like `hard_tokens`, for a test set that is already loaded."""
    for facet in (HARD, HARD_STRICT):
        codes = facet.checked_codes(view)
        for level, level_codes in facet.level_codes.items():
            # Levels of several codes, such as unseen, are skipped: other levels list their tokens.
            if len(level_codes) == 1 and level_codes != (OTHER,):
                positions = np.flatnonzero(codes == level_codes[0])
                yield from _rows(facet, level, view, positions, most)


def _rows(
    facet: Facet, level: str, view: View, positions: Ints, most: int | None
) -> Iterator[HardTokenRow]:
    corpus = view.sentences.corpus
    distinct, first, times = np.unique(
        corpus.tokens[positions], return_index=True, return_counts=True
    )
    counts, words = times.tolist(), corpus.coding.tokens.strings(distinct)
    ranked = sorted(range(len(distinct)), key=lambda at: (-counts[at], words[at]))[:most]
    labels = training_labels(view, distinct[ranked])
    for at, counted in zip(ranked, labels, strict=True):
        place = corpus.place(int(positions[first[at]]))
        yield HardTokenRow(facet.name, level, words[at], counts[at], counted, place)


def training_labels(view: View, tokens: Ints) -> Iterator[str]:
    """How often each token is outside mentions in training, and inside mentions of each type."""
    tokens = view.sentences.compared(tokens)
    inside = lookup(view.lexicon.inside_counts, tokens)
    total, anywhere = view.lexicon.token_counts, view.lexicon.inside_totals
    outside = lookup(total, tokens) - lookup(anywhere, tokens)
    names = [OUTSIDE_LABEL, *view.sentences.corpus.coding.labels.types]
    for counts in np.column_stack([outside, inside]).tolist():
        labels = zip(names, counts, strict=False)
        yield ", ".join(f"{name} {count}" for name, count in labels if count) or "–"
