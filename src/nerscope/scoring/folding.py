"""Ledgers added up by groups of sentences: what is kept of data too large to keep by the mention.

Of each division, a cell is a group, a type and a code, and what it keeps is sums: how many units
there are, and their credit under every match. Which mentions these were is forgotten, so a fold is
as large as its cells are many, however long the text is. A group takes the place of a sentence, and
whoever counts or resamples sees no difference.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from nerscope.corpus.arrays import Bools, Floats, Ints
from nerscope.corpus.units import MENTION
from nerscope.scoring import groups as grouping
from nerscope.scoring.counts import CORRECT, INCORRECT, PARTIAL, UNPAIRED
from nerscope.scoring.evidence import SURFACES, Division, Evidence, Folded, folded_place
from nerscope.scoring.ledger import Ledger, Output, Units

# Credit is added up in steps so small that nobody sees them, and so large that sums are exact:
# neither the order of adding nor the division into parts can then move the last digit.
_STEP = float(1 << 32)
_TYPE_BITS, _GROUP_BITS = 20, 14
_FEW = 2  # groups of a surface: to have more of them makes no difference


# What is known of all mentions together, even if nobody asks for it.
_OVERALL = Division("all", MENTION, {"all": (0,)}, {"exact": ("f1",)})


class Folding:
    """The sums so far; what is added later may have types that were unknown before."""

    def __init__(self) -> None:
        self._cells: dict[str, _Cells] = {}
        self._surfaces: list[Ints] = []  # of gold, then of each run
        self._divisions: dict[str, Division] = {folded_place(_OVERALL): _OVERALL}

    def add(self, evidence: Evidence, groups: Ints) -> None:
        """Add the ledgers of some sentences, given the group of each."""
        self._divisions |= {folded_place(one): one for one in evidence.divisions}
        for place, division in self._divisions.items():
            cells = self._cells.setdefault(place, _Cells(division))
            cells.add(evidence.ledgers[division.unit], groups, len(evidence.types))
        ledger = evidence.ledgers[MENTION]
        if ledger.gold.surface is not None:
            pred = ((run.pred, run.pred_credit["exact"] == 1) for run in ledger.runs)
            sides = [(ledger.gold, np.ones(len(ledger.gold), bool)), *pred]
            keys = [_surface_keys(units, right, groups) for units, right in sides]
            known = self._surfaces or [keys[0][:0]] * len(keys)
            self._surfaces = [_few(old, new) for old, new in zip(known, keys, strict=True)]

    def evidence(self, like: Evidence, folded: Folded) -> Evidence:
        """The evidence of all that was added; what is no sum is like that of another evidence."""
        n_groups = min(grouping.MOST_GROUPS, folded.clusters)
        documents = np.arange(n_groups) if folded.unit == "document" else np.zeros(n_groups, int)
        n_runs = len(like.runs)
        ledgers = {place: cells.ledger(n_runs) for place, cells in self._cells.items()}
        if self._surfaces:
            ledgers[SURFACES] = _surface_ledger(self._surfaces)
        return replace(
            like,
            ledgers=ledgers,
            divisions=tuple(one for one in self._divisions.values() if one is not _OVERALL),
            documents=documents,
            lines=None,
            texts=None,
            folded=folded,
        )


class _Name(NamedTuple):
    """What a column holds: -1 stands for gold's own weight, else the run comes first."""

    run: int
    side: str  # "gold" or "pred"
    match: str = ""
    what: str = "weight"  # or "credit", or a kind of pair


_OWN = -1
_KINDS = {"correct": CORRECT, "partial": PARTIAL, "incorrect": INCORRECT}


_Values = Floats | Ints | Bools | None  # None: one each


def _columns(ledger: Ledger, division: Division) -> Iterator[tuple[_Name, Units, _Values]]:
    """All that is to be added up of a division."""
    yield _Name(_OWN, "gold"), ledger.gold, ledger.gold.weight
    for number, run in enumerate(ledger.runs):
        yield _Name(number, "pred"), run.pred, run.pred.weight
        for match in division.matches:
            yield _Name(number, "gold", match, "credit"), ledger.gold, run.gold_credit[match]
            yield _Name(number, "pred", match, "credit"), run.pred, run.pred_credit[match]
            if division.needs_pairs(match):
                for what, kind in _KINDS.items():
                    is_kind = run.gold_kind[match] == kind
                    yield _Name(number, "gold", match, what), ledger.gold, is_kind
                paired = run.pred_kind[match] != UNPAIRED
                yield _Name(number, "pred", match, "paired"), run.pred, paired


class _Cells:
    """The sums of one division: columns over cells, sorted by type, code and group."""

    def __init__(self, division: Division) -> None:
        self._division, self._n_codes, self._n_types = division, division.n_codes, 0
        self._sums: dict[_Name, Floats] = {}

    def add(self, ledger: Ledger, groups: Ints, n_types: int) -> None:
        """Add all columns of a ledger."""
        self._n_types = max(self._n_types, n_types)
        known: dict[int, tuple[Ints, Bools | None]] = {}
        for name, units, values in _columns(ledger, self._division):
            if id(units) not in known:
                known[id(units)] = self._cells_of(units, groups)
            cells, inside = known[id(units)]
            chosen = values if values is None or inside is None else values[inside]
            self._add_column(name, cells, chosen)

    def _add_column(self, name: _Name, cells: Ints, values: _Values) -> None:
        size = self._n_types * self._n_codes * grouping.MOST_GROUPS
        exact, fine = _exact(values)
        added = np.bincount(cells, exact, size)
        known = self._sums.get(name)
        if known is None:
            self._sums[name] = added.astype(np.float32 if fine else np.float64)
            return
        if not fine and known.dtype == np.float32:
            known = known.astype(np.float64)
        if len(known) < size:
            known = np.concatenate([known, np.zeros(size - len(known), known.dtype)])
        known += added.astype(known.dtype)
        self._sums[name] = known

    def _cells_of(self, units: Units, groups: Ints) -> tuple[Ints, Bools | None]:
        """The cell of each unit, and which units have one: those of a subset's levels."""
        codes, kind = units.codes.get(self._division.facet), units.type.astype(np.int64)
        group, inside = groups[units.sentence], None
        if codes is not None and len(codes) and codes.max() >= self._n_codes:
            inside = codes < self._n_codes
            codes, kind, group = codes[inside], kind[inside], group[inside]
        cells = kind * self._n_codes + (0 if codes is None else codes)
        return cells * grouping.MOST_GROUPS + group, inside

    def ledger(self, n_runs: int) -> Ledger:
        """A row for each cell in which there is something, sorted by group."""
        division = self._division
        gold, at_gold = self._units(_Name(_OWN, "gold"), division.facet)
        runs = []
        for run in range(n_runs):
            pred, at_pred = self._units(_Name(run, "pred"), division.facet)

            def credit(side: str, at: Ints, run: int = run) -> dict[str, Floats]:
                names = {match: _Name(run, side, match, "credit") for match in division.matches}
                return {match: self._column(name, at) for match, name in names.items()}

            def kinds(side: str, what: Sequence[str], at: Ints, run: int = run) -> dict[str, Ints]:
                needed = [match for match in division.matches if division.needs_pairs(match)]
                return {
                    match: np.stack(
                        [self._column(_Name(run, side, match, one), at) for one in what], axis=1
                    ).astype(np.int64)
                    for match in needed
                }

            runs.append(
                Output(
                    pred,
                    credit("gold", at_gold),
                    credit("pred", at_pred),
                    kinds("gold", list(_KINDS), at_gold),
                    kinds("pred", ["paired"], at_pred),
                )
            )
        return Ledger(gold, tuple(runs))

    def _units(self, name: _Name, facet: str) -> tuple[Units, Ints]:
        """The cells of one side that hold something, and where they stand."""
        weight = self._padded(name).reshape(-1, grouping.MOST_GROUPS)
        group, cell = np.nonzero(weight.T)
        kind, code = np.divmod(cell, self._n_codes)
        codes = {} if facet == "all" else {facet: code.astype(np.int16)}
        units = Units(
            group.astype(np.int32),
            kind.astype(np.int32),
            codes,
            weight=weight[cell, group].astype(np.int64),
        )
        return units, cell * grouping.MOST_GROUPS + group

    def _column(self, name: _Name, at: Ints) -> Floats:
        return self._padded(name)[at].astype(np.float64)

    def _padded(self, name: _Name) -> Floats:
        """A column with room for the types that came after it was last added to."""
        size = self._n_types * self._n_codes * grouping.MOST_GROUPS
        known = self._sums[name]
        return np.concatenate([known, np.zeros(size - len(known), known.dtype)])


def _exact(values: _Values) -> tuple[_Values, bool]:
    """The values in steps whose sums are exact, and whether four bytes hold these sums: those of
    halves, as most credit is.
    """
    if values is None or values.dtype.kind != "f":
        return values, True
    twice = 2 * values.astype(np.float32 if values.dtype.itemsize < 8 else np.float64)
    if np.array_equal(twice, np.rint(twice)):
        return values, True
    return np.rint(values.astype(np.float64) * _STEP) / _STEP, False


def _surface_keys(units: Units, right: Bools, groups: Ints) -> Ints:
    """Surface, type, whether it is right, and group, in one number each."""
    assert units.surface is not None
    kind = units.surface.astype(np.int64) << _TYPE_BITS | units.type
    return np.unique((kind << 1 | right) << _GROUP_BITS | groups[units.sentence])


def _few(known: Ints, new: Ints) -> Ints:
    """Of each surface, type and outcome, the first groups only."""
    keys = np.union1d(known, new)
    surface = keys >> _GROUP_BITS
    keep = np.ones(len(keys), bool)
    keep[_FEW:] = surface[_FEW:] != surface[:-_FEW]
    return keys[keep]


def _surface_ledger(keys: Sequence[Ints]) -> Ledger:
    """The surfaces of gold and of each run, as a ledger that speaks of nothing else."""
    (gold, _), *runs = (_surface_units(own) for own in keys)
    return Ledger(gold, tuple(Output(pred, {}, {"exact": right}) for pred, right in runs))


def _surface_units(keys: Ints) -> tuple[Units, Floats]:
    group = keys & ((1 << _GROUP_BITS) - 1)
    order = np.argsort(group, kind="stable")
    kind, group = keys[order] >> _GROUP_BITS, group[order]
    right, kind = (kind & 1).astype(np.float64), kind >> 1
    types = kind & ((1 << _TYPE_BITS) - 1)
    units = Units(group.astype(np.int32), types, surface=kind >> _TYPE_BITS)
    return units, right
