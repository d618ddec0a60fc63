"""Whether datasets have texts in common: the same text under two names is no second dataset."""

from collections import Counter
from collections.abc import Collection, Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np

from nerscope.corpus.text_keys import text_key
from nerscope.corpus.units import MENTION
from nerscope.scoring.evidence import TOKEN_JOIN, Evidence

MOST_SHARED = 0.05  # of the smaller dataset; with more, two datasets are not independent
FEWEST_TOKENS = 5  # shorter sentences recur by chance: "Yes .", or a score in a table


class SharedTexts(NamedTuple):
    """How many sentences two datasets have in common, and their share of the smaller one.

    Counted are distinct sentences with gold mentions and at least five tokens: short ones, and a
    line that each article of an agency ends with, recur in independent data.
    """

    first: str
    second: str
    smaller: str
    sentences: int
    share: float

    @property
    def is_much(self) -> bool:
        """Whether nothing that takes the two as independent can be said."""
        return self.share > MOST_SHARED

    @property
    def reason(self) -> str:
        """Why nothing is tested over both."""
        return (
            f"{self.first} and {self.second} share {self.percent} of their texts: they are not two "
            "datasets"
        )

    @property
    def note(self) -> str:
        """What is shared, in a line."""
        noun = "sentence" if self.sentences == 1 else "sentences"
        return (
            f"{self.first} and {self.second} share {self.sentences:,} {noun} ({self.percent} of "
            f"{self.smaller})"
        )

    @property
    def percent(self) -> str:
        """The share in words."""
        return f"{100 * self.share:.0f} %" if self.share >= 0.005 else "less than 1 %"


def shared_texts(parts: Sequence[Evidence]) -> list[SharedTexts]:
    """The pairs of datasets that have any sentence in common, where texts are kept."""
    keys = {part.dataset: _keys(part) for part in parts if part.texts is not None}
    owners: dict[str, list[str]] = {}
    for name, texts in keys.items():
        for text in texts:
            owners.setdefault(text, []).append(name)
    # Only texts with several owners cost more than a look: no pair of datasets is gone through.
    counts = Counter(
        pair for names in owners.values() if len(names) > 1 for pair in combinations(names, 2)
    )
    return [_shared(pair, count, keys) for pair, count in counts.items()]


def _shared(pair: tuple[str, str], count: int, keys: dict[str, set[str]]) -> SharedTexts:
    smaller = min(pair, key=lambda name: len(keys[name]))
    return SharedTexts(*pair, smaller, count, count / len(keys[smaller]))


def _keys(evidence: Evidence) -> set[str]:
    """The distinct texts of a dataset that count."""
    texts, ledger = evidence.texts or (), evidence.ledgers.get(MENTION)
    places = range(len(texts))
    if ledger is not None and evidence.folded is None:
        places = np.unique(ledger.gold.sentence).tolist()
    fewest = FEWEST_TOKENS - 1  # joints between tokens
    return {
        text_key(texts[at].replace(TOKEN_JOIN, ""))
        for at in places
        if texts[at].count(TOKEN_JOIN) >= fewest
    }


def why_refused(shared: Sequence[SharedTexts], datasets: Collection[str]) -> str | None:
    """Why these datasets cannot be taken as independent; None if they can."""
    pairs = [pair for pair in shared if pair.is_much]
    here = [pair for pair in pairs if pair.first in datasets and pair.second in datasets]
    return max(here, key=lambda pair: pair.share).reason if here else None
