"""All that was counted for one dataset: ledgers, how facets divide them, and whose runs they hold."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from nerscope.corpus.arrays import Floats, Ints
from nerscope.scoring.ledger import Ledger, Units

TOKEN_JOIN = "\x1f"
SHOWN_UNIT = {"mention": "mention", "inside": "token", "token": "token"}


@dataclass(frozen=True, slots=True)
class Division:
    """How a facet divides units: each level is a set of codes. `matches` and `metrics` are those to
    be reported.
    """

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


@dataclass(frozen=True, slots=True, eq=False)
class Evidence:
    """The ledgers of one dataset, by unit."""

    dataset: str
    types: tuple[str, ...]
    runs: tuple[tuple[str, str], ...]  # system and run
    ledgers: Mapping[str, Ledger]
    divisions: Mapping[str, Division]
    documents: Ints = field(repr=False)  # of each sentence
    texts: tuple[str, ...] | None = field(
        default=None, repr=False
    )  # of each sentence, tokens joined by TOKEN_JOIN
    zeta: Mapping[str, float | None] = field(default_factory=dict)  # mean value of each attribute

    @property
    def systems(self) -> list[str]:
        """The systems, in the order given."""
        return list(dict.fromkeys(system for system, _ in self.runs))

    def level_counts(self, run: int, facet: str, match: str) -> Floats:
        """Counts (levels, types, 4) of a facet."""
        division = self.divisions[facet]
        ledger = self.ledgers[division.unit]
        return division.by_level(
            ledger.counts(run, facet, match, division.n_codes, len(self.types))
        )

    def runs_of(self, system: str) -> list[int]:
        """The places of a system's runs."""
        return [index for index, (name, _) in enumerate(self.runs) if name == system]


def with_types(evidence: Evidence, types: Sequence[str]) -> Evidence:
    """The same evidence with types coded in another order; types that do not occur may be left out."""
    codes = np.array(
        [types.index(name) if name in types else -1 for name in evidence.types], np.int16
    )

    def recoded(units: Units) -> Units:
        return replace(units, type=codes[units.type]) if len(evidence.types) else units

    ledgers = {
        unit: ledger
        if unit == "token"
        else _mapped(ledger, recoded)  # tokens are not divided by type
        for unit, ledger in evidence.ledgers.items()
    }
    return replace(evidence, types=tuple(types), ledgers=ledgers)


def _mapped(ledger: Ledger, change: Callable[[Units], Units]) -> Ledger:
    return Ledger(
        change(ledger.gold), tuple(replace(run, pred=change(run.pred)) for run in ledger.runs)
    )


def canonical(evidence: Evidence) -> Evidence:
    """Types in alphabetical order, and only those that occur: so that the way the data came cannot
    move a rounding.
    """
    ledger = evidence.ledgers["mention"]
    used = set().union(
        *(
            np.unique(units.type).tolist()
            for units in [ledger.gold, *(run.pred for run in ledger.runs)]
        )
    )
    return with_types(evidence, sorted(evidence.types[code] for code in used))


def only_run(evidence: Evidence, run: int) -> Evidence:
    """The evidence of one run alone."""
    ledgers = {
        unit: Ledger(ledger.gold, (ledger.runs[run],)) for unit, ledger in evidence.ledgers.items()
    }
    return replace(evidence, runs=(evidence.runs[run],), ledgers=ledgers)


def joined_runs(parts: Sequence[Evidence]) -> Evidence:
    """Evidence of different runs on the same gold data, as one."""
    types = sorted({name for part in parts for name in part.types})
    parts = [with_types(part, types) for part in parts]
    ledgers = {
        unit: Ledger(ledger.gold, tuple(run for part in parts for run in part.ledgers[unit].runs))
        for unit, ledger in parts[0].ledgers.items()
    }
    return canonical(
        replace(parts[0], runs=tuple(run for part in parts for run in part.runs), ledgers=ledgers)
    )


def shown_facet(name: str) -> str:
    """The facet as rows call it: the labels' accuracy is a number of all tokens."""
    return "all" if name == "accuracy" else name
