"""The ledger: every scored unit with its sentence, type, facet codes and credit.

Counts per sentence for every facet, match and run would be large; but a unit's codes are the same
for all matches, and a gold unit's are the same for all systems. So the ledger keeps units, in
narrow columns, and counts are one `bincount` away: for the whole corpus, for each sentence (what
resampling needs), for any pair of systems. Ledgers of chunks add up.
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
        """The cell (code and type) of each unit."""
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
    """What one run made of the units: its predictions, and by match the credit and kind of each.

    Where a row is many units, its kinds are numbers: how many are correct, partial and incorrect,
    and of predictions, how many are paired.
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
            kinds = [(self.gold, own) for own in gold_kind.T]
            return [*credit, *kinds, (pred, pred_kind[:, 0])]
        each = [(self.gold, gold_kind == kind) for kind in (CORRECT, PARTIAL, INCORRECT)]
        return [*credit, *each, (pred, pred_kind != UNPAIRED)]

    def counts(
        self, run: int, facet: str, match: str, n_codes: int, n_types: int, with_pairs: bool
    ) -> Floats:
        """Counts (codes, types, columns) of the whole corpus."""
        size = n_codes * n_types
        cells: dict[int, Ints] = {}
        counted = np.empty((size, 8 if with_pairs else 4))
        for place, (units, values) in enumerate(self.columns(run, match, with_pairs)):
            if id(units) not in cells:
                cells[id(units)] = units.cells(facet, n_types)
            # Units outside of every level of a subset have a code behind the last one: cut off.
            counted[:, place] = np.bincount(cells[id(units)], values, size)[:size]
        return counted.reshape(n_codes, n_types, -1)

    def with_runs(self, runs: Iterable[int]) -> "Ledger":
        """The ledger of some runs."""
        return Ledger(self.gold, tuple(self.runs[run] for run in runs))


def merged(parts: Sequence[Ledger]) -> Ledger:
    """The ledger of a corpus from those of its chunks."""
    if len(parts) == 1:
        return parts[0]
    runs = tuple(
        Output(
            _joined([output.pred for output in outputs]),
            *(
                _joined_columns([getattr(output, name) for output in outputs])
                for name in ("gold_credit", "pred_credit", "gold_kind", "pred_kind")
            ),
        )
        for outputs in zip(*(part.runs for part in parts), strict=True)
    )
    return Ledger(_joined([part.gold for part in parts]), runs)


def moved(ledger: Ledger, by: int) -> Ledger:
    """The ledger of a chunk that stands behind `by` other sentences."""
    if not by:
        return ledger

    def shifted(units: Units) -> Units:
        return replace(units, sentence=(units.sentence + by).astype(units.sentence.dtype))

    runs = tuple(replace(run, pred=shifted(run.pred)) for run in ledger.runs)
    return Ledger(shifted(ledger.gold), runs)


def _joined(parts: Sequence[Units]) -> Units:
    return Units(
        np.concatenate([part.sentence for part in parts]),
        np.concatenate([part.type for part in parts]),
        _joined_columns([part.codes for part in parts]),
        **{
            name: _joined_optional([getattr(part, name) for part in parts])
            for name in ("weight", "surface", "start", "length")
        },
        shape=_joined_shapes(parts),
    )


def _joined_shapes(parts: Sequence[Units]) -> Objects | None:
    if all(part.shape is None for part in parts):
        return None
    return np.concatenate([explicit_shapes(part.shape, len(part)) for part in parts])


def _joined_optional(parts: Sequence[Ints | None]) -> Ints | None:
    given = [part for part in parts if part is not None]
    return np.concatenate(given) if given else None


def _joined_columns(parts: Sequence[Mapping[str, Column]]) -> dict[str, Column]:
    return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
