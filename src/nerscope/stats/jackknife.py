"""The jackknife: how far every number moves when a cluster is left out.

Leaving out each cluster in turn gives the variance of any number, whatever its formula, and the
covariance of two systems, without random draws. Intervals and tests are based on it.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache

import numpy as np

from nerscope.corpus.arrays import Floats
from nerscope.scoring.evidence import Evidence, FacetTable
from nerscope.scoring.metrics import Metric
from nerscope.stats.clusters import CellKey, ClusterCounts, UnitGroup, with_all_types
from nerscope.stats.runs import RunVariance, mean_of_defined, run_spread


@dataclass(frozen=True, slots=True, eq=False)
class MeanParts:
    """The shares of which a number is the plain mean, such as the F1 of each type for macro F1."""

    values: Floats  # parts
    sizes: Floats
    clusters: Floats
    degrees: Floats
    products: Floats  # (parts, parts): sums over clusters of the products of moves
    one_way_products: tuple[Floats, ...] = ()  # of two-way clusters, the products of each way


@dataclass(frozen=True, slots=True, eq=False)
class Jackknife:
    """All numbers of one facet under one match, for some systems; numbers are the last axis."""

    table: FacetTable
    match: str
    systems: tuple[str, ...]
    keys: tuple[CellKey, ...]
    metrics: tuple[Metric, ...]  # of each number
    runs: Mapping[str, Floats]  # by system: (runs, numbers)
    sizes: Floats  # (systems, numbers): denominators, means over runs
    clusters: Floats  # (systems, numbers): clusters with units
    degrees: Floats  # (systems, numbers): effective number of clusters, minus 1
    products: Floats  # (systems, systems, numbers): sums over clusters of products of moves
    single_run_squares: Floats  # (systems, numbers): the part of a single run alone
    parts: Mapping[tuple[int, int], MeanParts]  # by system and number, for means of shares
    one_way_products: tuple[Floats, ...] = ()  # of two-way clusters, the products of each way
    # The runs of other systems, to borrow variances over runs: by system (runs, numbers).
    lent: Mapping[str, Floats] = field(default_factory=dict)

    def run_spreads(self) -> Mapping[str, RunVariance]:
        """The variance of single runs of each system that has several runs."""
        return _run_spreads(self)

    def largest(self, squares: Callable[[Floats], Floats]) -> Floats:
        """Sums of squares from the products; for two-way clusters, at least those of either way."""
        ways = (self.products, *self.one_way_products)
        largest: Floats = np.max([squares(products) for products in ways], axis=0)
        return largest

    def values(self, system: str) -> Floats:
        """The means over the runs in which a number is defined."""
        return mean_of_defined(self.runs[system])


@lru_cache(maxsize=2)  # shared by all pairs of systems
def _run_spreads(spread: Jackknife) -> Mapping[str, RunVariance]:
    every = {**spread.lent, **spread.runs}
    return {name: run_spread(runs) for name, runs in every.items() if len(runs) > 1}


def jackknife(clustered: ClusterCounts, paired: bool = True) -> Jackknife:
    """Leave out each cluster in turn; with `paired`, also compute products between systems."""
    return jackknife_all([clustered], paired)[0]


def jackknife_all(several: Sequence[ClusterCounts], paired: bool = False) -> list[Jackknife]:
    """The jackknife for several divisions of the same counts among systems."""
    moved = _leave_each_out(several, paired)
    return [_jackknife_from(counts, sums) for counts, sums in zip(several, moved, strict=True)]


def with_lenders(spread: Jackknife, evidence: Evidence) -> Jackknife:
    """The jackknife with the runs of all other systems of the evidence that have several runs."""
    others = [
        system
        for system in evidence.systems
        if system not in spread.systems and len(evidence.runs_of(system)) > 1
    ]
    if not others:
        return spread
    # Only the numbers of complete runs are needed, so all sentences are one cluster.
    together = np.zeros(len(evidence.documents), np.int64)
    counts = ClusterCounts(evidence, spread.table, spread.match, others, together)
    lent = {system: counts.values[counts.runs_of(system)] for system in others}
    return replace(spread, lent=lent)


def _jackknife_from(clustered: ClusterCounts, sums: "_ProductSums") -> Jackknife:
    n_systems, owners = len(clustered.systems), clustered.owners
    occurs, effective = _sizes_of_clusters(clustered)
    places = [
        clustered.places(key, metric)
        for key, metric in zip(clustered.keys, clustered.metrics, strict=True)
    ]
    return Jackknife(
        clustered.table,
        clustered.match,
        clustered.systems,
        clustered.keys,
        clustered.metrics,
        {name: clustered.values[owners == at] for at, name in enumerate(clustered.systems)},
        np.stack([clustered.sizes[owners == at].mean(axis=0) for at in range(n_systems)]),
        _fewest(occurs, places),
        np.maximum(0.0, _fewest(effective, places) - 1),
        sums.products,
        sums.single_run_squares(),
        _parts(clustered, sums, occurs, effective),
    )


def _leave_each_out(several: Sequence[ClusterCounts], paired: bool) -> "list[_ProductSums]":
    """Leave out each cluster in turn, in blocks, and sum up the products of moves."""
    first = several[0]
    sums = [_ProductSums(counts, paired) for counts in several]
    before = np.concatenate([first.values, first.shares], axis=-1)
    # Jackknife: with t the total of 3 clusters and c their counts, the numbers of t - c[0],
    # t - c[1] and t - c[2] show how far each cluster moves the number. The sum of squared moves
    # estimates the variance, for any formula (Tukey 1958; Efron and Stein 1981).
    for block in first.blocks(before.size):
        without = first.totals[:, None] - first.by_run(block)
        after = np.concatenate([first.values_in(without), first.shares_in(without)], axis=-1)
        moves = np.nan_to_num(before[:, None] - after, copy=False)
        for division_sums in sums:
            division_sums.add(moves)
    return sums


class _ProductSums:
    """Sums over clusters of products of moves, by system."""

    def __init__(self, clustered: ClusterCounts, paired: bool) -> None:
        n_systems, n_keys = len(clustered.systems), len(clustered.keys)
        self.owners, self.paired = clustered.owners, paired
        known = ~np.isnan(np.concatenate([clustered.values, clustered.shares], axis=-1))
        every = range(n_systems)
        # The number of runs of each system in which a number is defined; only these are in its
        # mean.
        self.n_runs = np.stack([known[self.owners == system].sum(axis=0) for system in every])
        self.products = np.zeros((n_systems, n_systems, n_keys))
        self.squares = np.zeros((n_systems, n_keys))  # of single runs
        self.shares: dict[int, list[int]] = {}  # by number: the indices of its shares
        for at, (key, metric) in enumerate(zip(clustered.keys, clustered.metrics, strict=True)):
            parts = clustered.parts(key, metric)
            if parts:
                self.shares[at] = clustered.shares_of(metric, parts)
        self.of_parts = {
            at: np.zeros((n_systems, len(places), len(places)))
            for at, places in self.shares.items()
        }

    def add(self, moves: Floats) -> None:
        """Add the moves (runs, clusters, numbers and shares) of a block of clusters."""
        n_keys = self.squares.shape[-1]
        single = moves[..., :n_keys]
        np.add.at(self.squares, self.owners, np.einsum("rbk,rbk->rk", single, single))
        if len(self.n_runs) < len(self.owners):
            every = range(len(self.n_runs))
            added = np.stack([moves[self.owners == system].sum(axis=0) for system in every])
            moves = added / np.maximum(1, self.n_runs)[:, None]
        numbers = moves[..., :n_keys]
        if self.paired:
            self.products += np.einsum("sbk,tbk->stk", numbers, numbers)
        else:
            squares = np.einsum("sbk,sbk->sk", numbers, numbers)
            np.einsum("ssk->sk", self.products)[:] += squares
        for at, places in self.shares.items():
            parts = moves[..., [n_keys + place for place in places]]
            self.of_parts[at] += parts.transpose(0, 2, 1) @ parts

    def single_run_squares(self) -> Floats:
        """The sums of squares of the part of a single run alone."""
        # Σ (move - mean)² = Σ move² - k · mean² over the k runs; divided by k - 1, it is the
        # variance of a single run.
        n_runs = self.n_runs[:, : self.squares.shape[-1]]
        shared = np.einsum("ssk->sk", self.products) * n_runs
        variance = np.maximum(0.0, self.squares - shared) / np.maximum(1, n_runs - 1)
        return np.asarray(variance)


def _sizes_of_clusters(clustered: ClusterCounts) -> tuple[Floats, Floats]:
    """By system, level and type (all types first): the number of clusters with units, and Kish's
    effective number of clusters: the squared sum of sizes divided by the sum of squares.
    """
    counts = clustered.counts
    shape = (len(clustered.systems), counts.shape[1], 1 + counts.shape[2])
    occurs, effective = np.zeros(shape), np.zeros(shape)
    gold = with_all_types(counts[..., 0].astype(np.float64))
    for at, system in enumerate(clustered.systems):
        runs = clustered.runs_of(system)
        pred = [counts[..., 2 + (clustered.width - 1) * run] for run in runs]
        sizes = np.maximum(gold, with_all_types(np.mean(pred, axis=0, dtype=np.float64)))
        occurs[at] = (sizes > 0).sum(axis=0)
        # Kish (1965): (Σ size)² / Σ size². Sizes 2, 2, 2 are 3 clusters; 4, 1, 1 are 36 / 18 = 2.
        squares = (sizes * sizes).sum(axis=0)
        effective[at] = sizes.sum(axis=0) ** 2 / np.where(squares > 0, squares, 1.0)
    return occurs, effective


def _fewest(table: Floats, places: Sequence[Sequence[UnitGroup]]) -> Floats:
    """Entries of a table (systems, levels, types); the smallest of several places."""
    return np.stack(
        [np.min([table[:, level, kind] for level, kind in groups], axis=0) for groups in places],
        axis=-1,
    )


def _parts(
    clustered: ClusterCounts, sums: _ProductSums, occurs: Floats, effective: Floats
) -> dict[tuple[int, int], MeanParts]:
    parts = {}
    for at, places in sums.shares.items():
        cells = clustered.parts(clustered.keys[at], clustered.metrics[at])
        levels, kinds = (np.array(column) for column in zip(*cells, strict=True))
        for system, name in enumerate(clustered.systems):
            runs = clustered.runs_of(name)
            values = mean_of_defined(clustered.shares[runs][:, places])
            known = np.flatnonzero(~np.isnan(values))
            totals = with_all_types(np.mean([clustered.totals[run] for run in runs], axis=0), -2)
            sizes = totals[levels, kinds, 0] + totals[levels, kinds, 2]
            parts[system, at] = MeanParts(
                values[known],
                sizes[known],
                occurs[system, levels, kinds][known],
                np.maximum(0.0, effective[system, levels, kinds] - 1)[known],
                sums.of_parts[at][system][np.ix_(known, known)],
            )
    return parts


def jackknife_between(
    ours: ClusterCounts,
    theirs: ClusterCounts,
    names: tuple[str, str],
    keys: tuple[CellKey, CellKey],
) -> tuple[Jackknife, Floats]:
    """Two numbers of one system on the same clusters, and the number of differing clusters.

    They are one number of two evaluations, which may divide units differently (for example by other
    training data), or two numbers of one evaluation, such as two levels. Leaving out a cluster
    moves both, and the sum of the products of the moves is their covariance.
    """
    sides = [
        (counts, jackknife(counts), counts.keys.index(key))
        for counts, key in zip((ours, theirs), keys, strict=True)
    ]
    moves = np.stack([mean_moves(counts)[:, at] for counts, _, at in sides])
    products = moves @ moves.T

    def column(name: str) -> Floats:
        return np.stack([getattr(side, name)[0, at : at + 1] for _, side, at in sides])

    parts = {
        (place, 0): side.parts[0, at]
        for place, (_, side, at) in enumerate(sides)
        if (0, at) in side.parts
    }
    (_, first, at), _ = sides
    spread = Jackknife(
        first.table,
        first.match,
        names,
        keys[:1],
        (first.metrics[at],),
        {
            name: side.runs[side.systems[0]][:, at : at + 1]
            for name, (_, side, at) in zip(names, sides, strict=True)
        },
        column("sizes"),
        column("clusters"),
        column("degrees"),
        products[:, :, None],
        column("single_run_squares"),
        parts,
    )
    differs = moves[0] != moves[1]
    if keys[0] == keys[1]:
        # A cluster with equal outcomes may still move the two sides of one number differently.
        counted = [_mean_counts(counts, keys[0], side.metrics[at]) for counts, side, at in sides]
        differs = (counted[0] != counted[1]).any(axis=(1, 2))
    return spread, np.array([float(differs.sum())])


def _mean_counts(clustered: ClusterCounts, key: CellKey, metric: Metric) -> Floats:
    """By cluster, the counts of a number over all types, as means over runs."""
    levels = [group.level for group in clustered.places(key, metric)]
    every = range(len(clustered.owners))
    by_run = [clustered.columns_of_run(run, clustered.counts[:, levels]) for run in every]
    counts: Floats = np.mean(by_run, axis=0).sum(axis=2)
    return counts


def mean_moves(clustered: ClusterCounts) -> Floats:
    """By cluster and number, the change of the mean over runs when the cluster is left out."""
    moves = np.zeros((len(clustered.counts), len(clustered.keys)))
    for run, total in enumerate(clustered.totals):
        without = total - clustered.columns_of_run(run, clustered.counts)
        moves += np.nan_to_num(clustered.values[run] - clustered.values_in(without))
    defined = (~np.isnan(clustered.values)).sum(axis=0)
    mean: Floats = moves / np.maximum(1, defined)
    return mean
