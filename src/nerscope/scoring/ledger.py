"""The ledger: every scored unit with its sentence, type, facet codes and credit.

Counts per sentence for every facet, match and run would be large; but a unit's codes are the same
for all matches, and a gold unit's are the same for all systems. So the ledger keeps units, in
narrow columns, and counts are one `bincount` away: for the whole corpus, for each sentence (what
resampling needs), for any pair of systems. Ledgers of chunks add up.

A worked example: in "Ada met Bob in Oslo", gold has PER, PER and LOC; a run finds the first two.
`gold.type` is [0 0 1], `gold.codes["tmr"]` perhaps [0 2 0], and the run's `gold_credit["exact"]` is
[1 1 0]: recall by level of `tmr` is one bincount of the credit by code, and one of the units.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple, TypeVar

import numpy as np

from nerscope.codec import serialisable
from nerscope.corpus.arrays import Floats, Ints, Objects
from nerscope.corpus.mentions import explicit_shapes
from nerscope.scoring.counts import CORRECT, INCORRECT, PARTIAL, UNPAIRED

Column = TypeVar("Column", Ints, Floats)


@serialisable
@dataclass(frozen=True, slots=True, eq=False)
class Units:
    """Gold or predicted units: parallel columns. A row is `weight` equal units of one sentence."""

    sentence: Ints
    type: Ints
    codes: Mapping[str, Ints] = field(default_factory=dict)  # by facet
    weight: Ints | None = None
    surface: Ints | None = None
    start: Ints | None = None  # first token, counted from the start of the sentence
    length: Ints | None = None  # number of tokens from the first to the last
    shape: Objects | None = None  # of mentions, where some are more than a run of whole tokens

    def __len__(self) -> int:
        return len(self.sentence)

    def cells(self, facet: str, n_types: int) -> Ints:
        """The cell of each unit: code * n_types + type."""
        codes = self.codes.get(facet)
        kind = self.type.astype(np.int64)
        return kind if codes is None else codes * np.int64(n_types) + kind


@serialisable
class SurfaceCounts(NamedTuple):
    """How many distinct (surface, type) pairs gold and a run have, and how many are right."""

    gold: int
    right: int
    pred: int


@serialisable
@dataclass(frozen=True, slots=True, eq=False)
class Output:
    """One run: its predictions, and by match the credit and the kind of each unit.

    Where a row stands for many units, its kinds are counts: how many are correct, partial and
    incorrect, and of predictions, how many are paired.
    """

    pred: Units
    gold_credit: Mapping[str, Floats]
    pred_credit: Mapping[str, Floats]
    gold_kind: Mapping[str, Ints] = field(default_factory=dict)
    pred_kind: Mapping[str, Ints] = field(default_factory=dict)
    # Only evidence from a results file has them: there, mentions have no surfaces.
    surfaces: SurfaceCounts | None = field(default=None, kw_only=True)


@serialisable
@dataclass(frozen=True, slots=True, eq=False)
class Ledger:
    """One kind of unit (mentions, or tokens), for all runs."""

    gold: Units
    runs: tuple[Output, ...]

    def columns(
        self, run: int, match: str, with_pairs: bool
    ) -> list[tuple[Units, Ints | Floats | None]]:
        """Whose units each column of the counts adds up, and what they add (None: one each)."""
        output = self.runs[run]
        pred = output.pred
        credit = [
            (self.gold, self.gold.weight),
            (self.gold, output.gold_credit[match]),
            (pred, pred.weight),
            (pred, output.pred_credit[match]),
        ]
        if not with_pairs:
            return credit
        gold_kind, pred_kind = output.gold_kind[match], output.pred_kind[match]
        if gold_kind.ndim == 2:
            kinds = [(self.gold, times) for times in gold_kind.T]
            return [*credit, *kinds, (pred, pred_kind[:, 0])]
        each = [(self.gold, gold_kind == kind) for kind in (CORRECT, PARTIAL, INCORRECT)]
        return [*credit, *each, (pred, pred_kind != UNPAIRED)]

    def counts(
        self, run: int, facet: str, match: str, n_codes: int, n_types: int, with_pairs: bool
    ) -> Floats:
        """Counts (codes, types, columns) of the whole corpus."""
        size = n_codes * n_types
        cells: dict[int, Ints] = {}
        counts = np.empty((size, 8 if with_pairs else 4))
        for place, (units, values) in enumerate(self.columns(run, match, with_pairs)):
            if id(units) not in cells:
                cells[id(units)] = units.cells(facet, n_types)
            # Units outside of every level of a subset have a code behind the last one: cut off.
            counts[:, place] = np.bincount(cells[id(units)], values, size)[:size]
        return counts.reshape(n_codes, n_types, -1)

    def with_runs(self, runs: Iterable[int]) -> "Ledger":
        return Ledger(self.gold, tuple(self.runs[run] for run in runs))


def merged(ledgers: Sequence[Ledger]) -> Ledger:
    """The ledger of a corpus from the ledgers of its chunks."""
    if len(ledgers) == 1:
        return ledgers[0]
    runs = tuple(
        Output(
            _joined([output.pred for output in outputs]),
            *(
                _joined_columns([getattr(output, name) for output in outputs])
                for name in ("gold_credit", "pred_credit", "gold_kind", "pred_kind")
            ),
        )
        for outputs in zip(*(ledger.runs for ledger in ledgers), strict=True)
    )
    return Ledger(_joined([ledger.gold for ledger in ledgers]), runs)


def moved(ledger: Ledger, by: int) -> Ledger:
    """The ledger of a chunk that stands behind `by` other sentences."""
    if not by:
        return ledger

    def shifted(units: Units) -> Units:
        return replace(units, sentence=(units.sentence + by).astype(units.sentence.dtype))

    runs = tuple(replace(run, pred=shifted(run.pred)) for run in ledger.runs)
    return Ledger(shifted(ledger.gold), runs)


def _joined(units: Sequence[Units]) -> Units:
    return Units(
        np.concatenate([some.sentence for some in units]),
        np.concatenate([some.type for some in units]),
        _joined_columns([some.codes for some in units]),
        **{
            name: _joined_optional([getattr(some, name) for some in units])
            for name in ("weight", "surface", "start", "length")
        },
        shape=_joined_shapes(units),
    )


def _joined_shapes(units: Sequence[Units]) -> Objects | None:
    if all(some.shape is None for some in units):
        return None
    return np.concatenate([explicit_shapes(some.shape, len(some)) for some in units])


def _joined_optional(columns: Sequence[Ints | None]) -> Ints | None:
    given = [column for column in columns if column is not None]
    return np.concatenate(given) if given else None


def _joined_columns(columns: Sequence[Mapping[str, Column]]) -> dict[str, Column]:
    return {name: np.concatenate([column[name] for column in columns]) for name in columns[0]}
