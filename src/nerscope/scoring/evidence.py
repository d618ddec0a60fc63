"""All that was counted for one dataset: ledgers, how facets divide them, and whose runs they hold."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from nerscope.corpus.arrays import Floats, Ints
from nerscope.scoring.ledger import Ledger


@dataclass(frozen=True, slots=True)
class Division:
    """How a facet divides units: each level is a set of codes. `matches` and `metrics` are those to be reported."""

    unit: str
    levels: Mapping[str, tuple[int, ...]]
    matches: tuple[str, ...]
    metrics: tuple[str, ...]
    by_type: bool = True

    @property
    def n_codes(self) -> int:
        """Codes are below this."""
        return 1 + max(code for codes in self.levels.values() for code in codes)

    def by_level(self, counts: Floats) -> Floats:
        """Add counts (…, codes, types, 4) up to counts (…, levels, types, 4)."""
        membership = np.zeros((len(self.levels), counts.shape[-3]))
        for row, codes in enumerate(self.levels.values()):
            membership[row, list(codes)] = 1.0
        levels: Floats = np.einsum("lc,...cts->...lts", membership, counts)
        return levels


@dataclass(frozen=True, slots=True)
class Evidence:
    """The ledgers of one dataset, by unit."""

    dataset: str
    types: tuple[str, ...]
    runs: tuple[tuple[str, str], ...]  # system and run
    ledgers: Mapping[str, Ledger]
    divisions: Mapping[str, Division]
    documents: Ints = field(repr=False)  # of each sentence

    @property
    def systems(self) -> list[str]:
        """The systems, in the order given."""
        return list(dict.fromkeys(system for system, _ in self.runs))

    def level_counts(self, run: int, facet: str, match: str) -> Floats:
        """Counts (levels, types, 4) of a facet."""
        division = self.divisions[facet]
        ledger = self.ledgers[division.unit]
        return division.by_level(ledger.counts(run, facet, match, division.n_codes, len(self.types)))

    def runs_of(self, system: str) -> list[int]:
        """The places of a system's runs."""
        return [index for index, (name, _) in enumerate(self.runs) if name == system]


def used_types(evidence: Evidence) -> list[int]:
    """The types that occur in gold or in a prediction, in alphabetical order."""
    ledger = evidence.ledgers["mention"]
    used = set().union(*(np.unique(units.type).tolist() for units in [ledger.gold, *(run.pred for run in ledger.runs)]))
    return sorted(used, key=lambda code: evidence.types[code])
