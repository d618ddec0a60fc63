"""Detect texts that datasets share: datasets with the same texts are not independent."""

from collections import Counter
from collections.abc import Collection, Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np

from nerscope.corpus.text_keys import text_key
from nerscope.corpus.units import MENTION
from nerscope.scoring.evidence import TOKEN_JOIN, Evidence

MOST_SHARED = 0.05  # of the smaller dataset; above it, two datasets are not independent
FEWEST_TOKENS = 5  # shorter sentences recur by chance, such as "Yes ."


class SharedTexts(NamedTuple):
    """The number of sentences that two datasets share, and their share of the smaller one.

    Only distinct sentences with gold mentions and at least five tokens count. Short sentences, and
    standard lines of a news agency, recur in independent data.
    """

    first: str
    second: str
    smaller: str
    sentences: int
    share: float

    @property
    def is_much(self) -> bool:
        """Whether the two datasets are too similar to count as independent."""
        return self.share > MOST_SHARED

    @property
    def reason(self) -> str:
        """Why there are no tests over both datasets."""
        return (
            f"{self.first} and {self.second} share {self.percent} of their texts and are not "
            "independent"
        )

    @property
    def note(self) -> str:
        """A note on the shared sentences."""
        noun = "sentence" if self.sentences == 1 else "sentences"
        return (
            f"{self.first} and {self.second} share {self.sentences:,} {noun} ({self.percent} of "
            f"{self.smaller})"
        )

    @property
    def percent(self) -> str:
        """The share as a percentage."""
        return f"{100 * self.share:.0f} %" if self.share >= 0.005 else "less than 1 %"


def shared_texts(parts: Sequence[Evidence]) -> list[SharedTexts]:
    """The pairs of datasets that share a sentence, if the results keep texts."""
    keys = {part.dataset: _keys(part) for part in parts if part.texts is not None}
    owners: dict[str, list[str]] = {}
    for name, texts in keys.items():
        for text in texts:
            owners.setdefault(text, []).append(name)
    # Only texts in several datasets are counted by pair, which avoids a loop over all pairs.
    counts = Counter(
        pair for names in owners.values() if len(names) > 1 for pair in combinations(names, 2)
    )
    return [_shared(pair, count, keys) for pair, count in counts.items()]


def _shared(pair: tuple[str, str], count: int, keys: dict[str, set[str]]) -> SharedTexts:
    smaller = min(pair, key=lambda name: len(keys[name]))
    return SharedTexts(*pair, smaller, count, count / len(keys[smaller]))


def _keys(evidence: Evidence) -> set[str]:
    """The distinct texts of a dataset that are long enough and have gold mentions."""
    texts, ledger = evidence.texts or (), evidence.ledgers.get(MENTION)
    places = range(len(texts))
    if ledger is not None and evidence.folded is None:
        places = np.unique(ledger.gold.sentence).tolist()
    fewest = FEWEST_TOKENS - 1  # separators between tokens
    return {
        text_key(texts[at].replace(TOKEN_JOIN, ""))
        for at in places
        if texts[at].count(TOKEN_JOIN) >= fewest
    }


def why_refused(shared: Sequence[SharedTexts], datasets: Collection[str]) -> str | None:
    """Why these datasets are not independent; None if they are."""
    pairs = [pair for pair in shared if pair.is_much]
    here = [pair for pair in pairs if pair.first in datasets and pair.second in datasets]
    return max(here, key=lambda pair: pair.share).reason if here else None
