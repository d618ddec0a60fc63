"""The ledger: every scored unit with its sentence, type, facet codes and credit, from which all
counts are made.

Counts per sentence for every facet, match and run would be large; but a unit's codes are the same
for all matches, and a gold unit's are the same for all systems. So the ledger keeps units, in
narrow columns, and counts are one `bincount` away: for the whole corpus, for each sentence (what
resampling needs), for any pair of systems. Ledgers of chunks add up.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

import numpy as np

from nerscope.corpus.arrays import Floats, Ints

Column = TypeVar("Column", Ints, Floats)


@dataclass(frozen=True, slots=True, eq=False)
class Units:
    """Gold or predicted units: parallel columns. A row stands for `weight` equal units of one
    sentence.
    """

    sentence: Ints
    type: Ints
    codes: Mapping[str, Ints] = field(default_factory=dict)  # by facet
    weight: Ints | None = None
    surface: Ints | None = None
    start: Ints | None = None  # first token, counted from the start of the sentence
    length: Ints | None = None  # number of tokens

    def __len__(self) -> int:
        return len(self.sentence)

    def cells(self, facet: str, n_types: int) -> Ints:
        """The cell (code and type) of each unit."""
        codes = self.codes.get(facet)
        kind = self.type.astype(np.int64)
        return kind if codes is None else codes * np.int64(n_types) + kind


@dataclass(frozen=True, slots=True, eq=False)
class Outcome:
    """What one run made of the units: its predictions, and by match the credit and the kind of pair
    of each unit.
    """

    pred: Units
    gold_credit: Mapping[str, Floats]
    pred_credit: Mapping[str, Floats]
    gold_kind: Mapping[str, Ints] = field(default_factory=dict)
    pred_kind: Mapping[str, Ints] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, eq=False)
class Ledger:
    """One kind of unit (mentions, or tokens), for all runs."""

    gold: Units
    runs: tuple[Outcome, ...]

    def counts(self, run: int, facet: str, match: str, n_codes: int, n_types: int) -> Floats:
        """Counts (codes, types, 4) of the whole corpus."""
        outcome = self.runs[run]
        gold, pred = self.gold.cells(facet, n_types), outcome.pred.cells(facet, n_types)
        columns = [
            np.bincount(gold, self.gold.weight, n_codes * n_types),
            np.bincount(gold, outcome.gold_credit[match], n_codes * n_types),
            np.bincount(pred, outcome.pred.weight, n_codes * n_types),
            np.bincount(pred, outcome.pred_credit[match], n_codes * n_types),
        ]
        # Units outside of every level of a subset have a code behind the last one, and are cut off.
        columns = [column[: n_codes * n_types] for column in columns]
        return np.stack(columns, axis=-1).reshape(n_codes, n_types, 4).astype(np.float64)


def merged(parts: Sequence[Ledger]) -> Ledger:
    """The ledger of a corpus from those of its chunks."""
    if len(parts) == 1:
        return parts[0]
    runs = tuple(
        Outcome(
            _joined([outcome.pred for outcome in outcomes]),
            *(
                _joined_columns([getattr(outcome, name) for outcome in outcomes])
                for name in ("gold_credit", "pred_credit", "gold_kind", "pred_kind")
            ),
        )
        for outcomes in zip(*(part.runs for part in parts), strict=True)
    )
    return Ledger(_joined([part.gold for part in parts]), runs)


def _joined(parts: Sequence[Units]) -> Units:
    return Units(
        np.concatenate([part.sentence for part in parts]),
        np.concatenate([part.type for part in parts]),
        _joined_columns([part.codes for part in parts]),
        *(
            _joined_optional([getattr(part, name) for part in parts])
            for name in ("weight", "surface", "start", "length")
        ),
    )


def _joined_optional(parts: Sequence[Ints | None]) -> Ints | None:
    given = [part for part in parts if part is not None]
    return np.concatenate(given) if given else None


def _joined_columns(parts: Sequence[Mapping[str, Column]]) -> dict[str, Column]:
    return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
