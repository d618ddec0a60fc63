"""Folding: sum the ledgers of very large data by groups of clusters.

For each facet, a cell is a group, a type and a code. It holds sums: the number of units, and their
credit under every match. Single mentions are not kept, so memory depends on the number of cells and
not on the length of the text. A group replaces a sentence; counting and resampling work as before.
The number of groups is the largest that improves resampling.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from nerscope.corpus.arrays import Bools, Floats, Ints
from nerscope.corpus.units import ALL, MENTION, TOKEN
from nerscope.scoring.cluster_units import DOCUMENT
from nerscope.scoring.evidence import (
    SURFACES,
    Evidence,
    FacetTable,
    Folded,
    Ledger,
    Output,
    Units,
    folded_place,
    with_kinds,
)
from nerscope.scoring.matching import EXACT
from nerscope.scoring.metrics import F1
from nerscope.scoring.pairing import CORRECT, INCORRECT, PARTIAL, UNPAIRED

MOST_GROUPS = 10_000  # more groups would not improve intervals
# Credit such as 1/3 is summed in two columns: multiples of 2**-22, and the remainder in multiples
# of 2**-54, as precise as a float64. Both sums are exact (up to 2**31, and for 2**22 numbers), so
# neither the order of summation nor the division into chunks changes the last digit.
_COARSE, _FINE = float(1 << 22), float(1 << 54)
_MOST_CELLS = 2_000_000  # up to this size, sums are an array over all cells
_EXACT_IN_FOUR_BYTES = 1 << 23  # up to this, a float32 is exact, also for halves
_TYPE_BITS, _GROUP_BITS = 20, 14
_GROUP = (1 << _GROUP_BITS) - 1
_FEW = 2  # groups kept per surface: if one cluster is left out, the other still has it
_NO_LIMIT = 1 << _GROUP_BITS  # larger than any group
# The exact F1 of all mentions is always kept, for comparisons and the report.
_OVERALL = FacetTable(ALL, MENTION, {ALL: (0,)}, {EXACT: (F1,)})


def groups_of(clusters: Ints) -> Ints:
    """The group of each cluster, given the number of the cluster, counted from 0.

    A group holds clusters that are far apart, as if drawn at random. Each of the first 10,000
    clusters starts a group. Of every further block of 10,000 clusters, each group gets one, in the
    order of a permutation: cluster 10,003 goes to group `permutation_1[3]`. So groups have equal
    sizes, and the group of a cluster depends only on its number, in every process.

    >>> groups_of(np.array([0, 7, 9_999])).tolist()
    [0, 7, 9999]
    >>> len(np.unique(groups_of(np.arange(10_000, 20_000))))
    10000
    """
    if not len(clusters) or clusters.max() < MOST_GROUPS:
        return clusters
    ascending = np.sort(clusters)
    order = None if np.array_equal(ascending, clusters) else np.argsort(clusters, kind="stable")
    first, last = int(ascending[0]) // MOST_GROUPS, int(ascending[-1]) // MOST_GROUPS
    edges = np.searchsorted(ascending, MOST_GROUPS * np.arange(first, last + 2)).tolist()
    groups = np.empty_like(ascending)
    for block, (begin, end) in enumerate(pairwise(edges), first):
        here = ascending[begin:end] - block * MOST_GROUPS
        groups[begin:end] = _block_order(block, MOST_GROUPS)[here]
    if order is None:
        return groups
    by_cluster = np.empty_like(groups)
    by_cluster[order] = groups
    return by_cluster


@lru_cache(maxsize=4)
def _block_order(block: int, size: int) -> Ints:
    """The group of each cluster of a block."""
    if block == 0:
        return np.arange(size)
    return np.random.default_rng(block).permutation(size)


class Folding:
    """Sums evidence by group, chunk by chunk; later chunks may add new types.

    A worked example: two sentences of group 7 hold three gold PER mentions of level code 0, of
    which a run finds two. They become one row of the folded ledger: sentence 7, type PER, code 0,
    weight 3, exact credit 2. Every count stays the same.
    """

    def __init__(self) -> None:
        self._cells: dict[str, _FacetSums] = {}
        self._surfaces: list[_SurfaceGroups] = []  # of gold, then of each run
        self._tables: dict[str, FacetTable] = {folded_place(_OVERALL): _OVERALL}

    def add(self, evidence: Evidence, groups: Ints) -> None:
        """Add the ledgers of sentences, given the group of each sentence."""
        self._tables |= {folded_place(table): table for table in evidence.tables}
        for place, table in self._tables.items():
            cells = self._cells.setdefault(place, _FacetSums(table))
            n_types = 1 if table.unit == TOKEN else len(evidence.types)  # tokens have no type
            cells.add(evidence.ledgers[table.unit], groups, n_types)
        ledger = evidence.ledgers[MENTION]
        if ledger.gold.surface is not None:
            pred = ((run.pred, run.pred_credit[EXACT] == 1) for run in ledger.runs)
            sides = [(ledger.gold, np.ones(len(ledger.gold), bool)), *pred]
            self._surfaces = self._surfaces or [_SurfaceGroups() for _ in sides]
            for known, (units, right) in zip(self._surfaces, sides, strict=True):
                known.add(units, right, groups[units.sentence], len(evidence.types))

    def evidence(self, like: Evidence, folded: Folded) -> Evidence:
        """The folded evidence; `like` gives the names and settings.

        Types are sorted before rows are created, because their order of occurrence depends on the
        systems and must not affect the rows of gold.
        """
        order = np.argsort(np.array(like.types, object))
        n_groups = min(MOST_GROUPS, folded.clusters)
        documents = np.arange(n_groups) if folded.unit == DOCUMENT else np.zeros(n_groups, int)
        n_runs = len(like.runs)
        ranks = np.argsort(order)
        ledgers = {place: cells.ledger(n_runs, ranks) for place, cells in self._cells.items()}
        if self._surfaces:
            ledgers[SURFACES] = with_kinds(_surface_ledger(self._surfaces), ranks)
        return replace(
            like,
            types=tuple(like.types[at] for at in order),
            ledgers=ledgers,
            tables=tuple(table for table in self._tables.values() if table is not _OVERALL),
            documents=documents,
            lines=None,
            texts=None,
            folded=folded,
        )


class _ColumnKey(NamedTuple):
    """The content of a column of sums."""

    run: int  # _GOLD: the weight of gold units, which all runs share
    side: str  # "gold" or "pred"
    match: str = ""
    what: str = "weight"  # or "credit", or _REST, or a kind of pair


_GOLD = -1
_REST = "rest of the credit"
_KINDS = {"correct": CORRECT, "partial": PARTIAL, "incorrect": INCORRECT}


_Values = Floats | Ints | Bools | None  # None: 1 each


def _matches(table: FacetTable) -> list[str]:
    """The matches of a facet; all mentions always include the exact match."""
    exact = [EXACT] if folded_place(table) == folded_place(_OVERALL) else []
    return list(dict.fromkeys([*table.matches, *exact]))


def _columns(ledger: Ledger, table: FacetTable) -> Iterator[tuple[_ColumnKey, Units, _Values]]:
    """The columns to sum for a facet: their keys, units and values."""
    yield _ColumnKey(_GOLD, "gold"), ledger.gold, ledger.gold.weight
    for number, run in enumerate(ledger.runs):
        yield _ColumnKey(number, "pred"), run.pred, run.pred.weight
        for match in _matches(table):
            yield _ColumnKey(number, "gold", match, "credit"), ledger.gold, run.gold_credit[match]
            yield _ColumnKey(number, "pred", match, "credit"), run.pred, run.pred_credit[match]
            if match in table.matches and table.needs_pairs(match):
                for what, kind in _KINDS.items():
                    is_kind = run.gold_kind[match] == kind
                    yield _ColumnKey(number, "gold", match, what), ledger.gold, is_kind
                paired = run.pred_kind[match] != UNPAIRED
                yield _ColumnKey(number, "pred", match, "paired"), run.pred, paired


class _FacetSums:
    """The sums of one facet: columns over cells.

    A cell is numbered (type * n_codes + code) * MOST_GROUPS + group.
    """

    def __init__(self, table: FacetTable) -> None:
        self._table, self._n_codes = table, table.n_codes
        self._columns: dict[_ColumnKey, _CellSums] = {}

    def add(self, ledger: Ledger, groups: Ints, n_types: int) -> None:
        """Add all columns of a ledger."""
        size = n_types * self._n_codes * MOST_GROUPS
        known: dict[int, _UnitCells] = {}
        for name, units, values in _columns(ledger, self._table):
            if id(units) not in known:
                known[id(units)] = self._where(units, groups)
            coarse, rest = _exact_parts(values)
            self._columns.setdefault(name, _CellSums()).add(known[id(units)], coarse, size)
            if rest is not None:
                sums = self._columns.setdefault(name._replace(what=_REST), _CellSums())
                sums.add(known[id(units)], rest, size)

    def _where(self, units: Units, groups: Ints) -> "_UnitCells":
        """The cell of each unit, and which units have one (units in a level of a subset)."""
        codes, kind = units.codes.get(self._table.facet), units.type.astype(np.int64)
        group, inside = groups[units.sentence], None
        if codes is not None and len(codes) and codes.max() >= self._n_codes:
            inside = codes < self._n_codes
            codes, kind, group = codes[inside], kind[inside], group[inside]
        cells = kind * self._n_codes + (0 if codes is None else codes)
        return _UnitCells(cells * MOST_GROUPS + group, inside)

    def ledger(self, n_runs: int, ranks: Ints) -> Ledger:
        """A ledger with one row per nonempty cell, by group, rank of its type, and code."""
        gold, at_gold = self._units(_ColumnKey(_GOLD, "gold"), ranks)
        runs = []
        for run in range(n_runs):
            pred, at_pred = self._units(_ColumnKey(run, "pred"), ranks)
            credit = self._credit(run, "gold", at_gold), self._credit(run, "pred", at_pred)
            kinds = self._pairs(run, "gold", _KINDS, at_gold)
            runs.append(Output(pred, *credit, kinds, self._pairs(run, "pred", ["paired"], at_pred)))
        return Ledger(gold, tuple(runs))

    def _units(self, name: _ColumnKey, ranks: Ints) -> tuple[Units, Ints]:
        """The nonempty cells of one side, and their indices."""
        cells = self._columns[name].cells()
        cell, group = np.divmod(cells, MOST_GROUPS)
        kind, code = np.divmod(cell, self._n_codes)
        kind = kind if self._table.unit == TOKEN else ranks[kind]
        order = np.lexsort((code, kind, group))
        facet, cells = self._table.facet, cells[order]
        units = Units(
            group[order].astype(np.int32),
            kind[order].astype(np.int32),
            {} if facet == ALL else {facet: code[order].astype(np.int16)},
            weight=self._columns[name].at(cells).astype(np.int64),
        )
        return units, cells

    def _credit(self, run: int, side: str, at: Ints) -> dict[str, Floats]:
        """The credit of these cells by match."""
        credit = {}
        for match in _matches(self._table):
            name = _ColumnKey(run, side, match, "credit")
            rest = self._columns.get(name._replace(what=_REST), _CellSums())
            credit[match] = self._columns[name].at(at) + rest.at(at)
        return credit

    def _pairs(self, run: int, side: str, kinds: Iterable[str], at: Ints) -> dict[str, Ints]:
        """The number of pairs of each kind in these cells, by match."""
        pairs = {}
        for match in filter(self._table.needs_pairs, self._table.matches):
            names = [_ColumnKey(run, side, match, kind) for kind in kinds]
            columns = np.stack([self._columns[name].at(at) for name in names], axis=1)
            pairs[match] = columns.astype(np.int64)
        return pairs


class _UnitCells(NamedTuple):
    """The cells of units, and the indices of these units; None: all units."""

    cells: Ints
    inside: Bools | None


class _CellSums:
    """A sum for each cell; if there are very many possible cells, only for those that occur."""

    def __init__(self) -> None:
        self._sums: npt.NDArray[np.floating[Any]] = np.zeros(0, np.float32)
        self._keys: Ints | None = None  # the cells that occur; None: all cells

    def add(self, where: _UnitCells, values: _Values, size: int) -> None:
        """Add values to cells; `size` is the number of possible cells."""
        chosen = values if values is None or where.inside is None else values[where.inside]
        added: npt.NDArray[Any]
        if self._keys is None and size <= _MOST_CELLS:
            added = np.bincount(where.cells, chosen, size)
            self._grow(np.arange(len(self._sums)), size)
        else:
            self._drop_empty_cells()
            assert self._keys is not None
            cells, place = np.unique(where.cells, return_inverse=True)
            keys = np.union1d(self._keys, cells)
            self._grow(np.searchsorted(keys, self._keys), len(keys))
            added = np.zeros(len(keys))
            added[np.searchsorted(keys, cells)] = np.bincount(place, chosen, len(cells))
            self._keys = keys
        most = self._sums.max(initial=0) + added.max(initial=0)
        if not _are_halves(chosen) or most > _EXACT_IN_FOUR_BYTES:
            self._sums = self._sums.astype(np.float64)
        self._sums += added.astype(self._sums.dtype)

    def _grow(self, places: Ints, size: int) -> None:
        """Make room: move the sums to these places of an array of this size."""
        if size > len(self._sums):
            grown = np.zeros(size, self._sums.dtype)
            grown[places] = self._sums
            self._sums = grown

    def _drop_empty_cells(self) -> None:
        if self._keys is None:
            self._keys = np.flatnonzero(self._sums)
            self._sums = self._sums[self._keys]

    def cells(self) -> Ints:
        """The nonempty cells."""
        here = np.flatnonzero(self._sums)
        return here if self._keys is None else self._keys[here]

    def at(self, cells: Ints) -> Floats:
        """The sums of these cells."""
        if self._keys is None:
            sums: Floats = np.zeros(len(cells))
            inside = cells < len(self._sums)
            sums[inside] = self._sums[cells[inside]]
            return sums
        if not len(self._keys):
            return np.zeros(len(cells), np.float64)
        place = np.minimum(np.searchsorted(self._keys, cells), len(self._keys) - 1)
        return np.where(self._keys[place] == cells, self._sums[place], 0.0)


def _are_halves(values: _Values) -> bool:
    """Whether all are whole or half numbers, as most credit is; their sums fit a float32."""
    if values is None or values.dtype.kind != "f":
        return True
    twice = 2 * values.astype(np.float32 if values.dtype.itemsize < 8 else np.float64)
    return np.array_equal(twice, np.rint(twice))


def _exact_parts(values: _Values) -> tuple[_Values, Floats | None]:
    """The values in two parts with exact sums; halves need no second part.

    >>> coarse, rest = _exact_parts(np.array([1 / 3, 0.5]))
    >>> (coarse + rest).tolist() == [1 / 3, 0.5]
    True
    """
    if values is None or _are_halves(values):
        return values, None
    coarse: Floats = np.rint(values.astype(np.float64) * _COARSE) / _COARSE
    return coarse, np.rint((values - coarse) * _FINE) / _FINE


class _SurfaceGroups:
    """The distinct surfaces of one side, for the surface F1, which counts each surface once.

    A key is one number: surface, type (20 bits), whether it is correct (1 bit), and group (14
    bits). For each (surface, type, correct), only the first two groups are kept: if resampling
    leaves out a group, the surface remains if any other group has it.
    """

    def __init__(self) -> None:
        self.keys: Ints = np.zeros(0, np.int64)
        self._kinds = 2  # per surface: each type, correct or wrong
        # By surface and kind: the second group; later groups are not needed.
        self._last: Ints = np.zeros(0, np.int16)

    def add(self, units: Units, right: Bools, group: Ints, n_types: int) -> None:
        """Add mentions, most of which have a surface that is known from earlier groups."""
        assert units.surface is not None
        surface, kind = units.surface.astype(np.int64), units.type.astype(np.int64) << 1 | right
        self._make_room(int(surface.max(initial=0)) + 1, 2 * n_types)
        near = group < self._last[surface * self._kinds + kind]
        named = (surface[near] << _TYPE_BITS + 1 | kind[near]) << _GROUP_BITS
        keys = np.union1d(self.keys, named | group[near])
        which = keys >> _GROUP_BITS
        surplus = np.zeros(len(keys), bool)
        surplus[_FEW:] = which[_FEW:] == which[:-_FEW]
        self.keys = keys[~surplus]
        self._update_limits()

    def _make_room(self, surfaces: int, kinds: int) -> None:
        size = max(surfaces, len(self._last) // self._kinds)
        if kinds > self._kinds or size * self._kinds > len(self._last):
            self._kinds = max(kinds, self._kinds)
            self._last = np.full((size + size // 4) * self._kinds, _NO_LIMIT, np.int16)
            self._update_limits()

    def _update_limits(self) -> None:
        which = self.keys >> _GROUP_BITS
        enough = np.flatnonzero(which[_FEW - 1 :] == which[: len(which) - _FEW + 1]) + _FEW - 1
        surface, kind = np.divmod(which[enough], 1 << _TYPE_BITS + 1)
        self._last[surface * self._kinds + kind] = self.keys[enough] & _GROUP


def _surface_ledger(sides: Sequence[_SurfaceGroups]) -> Ledger:
    """A ledger of the surfaces of gold and of each run."""
    (gold, _), *runs = (_surface_units(side.keys) for side in sides)
    return Ledger(gold, tuple(Output(pred, {}, {EXACT: right}) for pred, right in runs))


def _surface_units(keys: Ints) -> tuple[Units, Floats]:
    group = keys & _GROUP
    order = np.argsort(group, kind="stable")
    kind, group = keys[order] >> _GROUP_BITS, group[order]
    right, kind = (kind & 1).astype(np.float64), kind >> 1
    types = kind & ((1 << _TYPE_BITS) - 1)
    units = Units(group.astype(np.int32), types, surface=kind >> _TYPE_BITS)
    return units, right
