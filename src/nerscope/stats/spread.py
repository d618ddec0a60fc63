"""How far every number moves when a cluster is left out: what intervals and tests rest on.

Leaving out each cluster in turn (the jackknife) gives the variance of any number, however it is
computed, and the covariance of two systems, without drawing anything at random.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from nerscope.corpus.arrays import Floats
from nerscope.scoring.evidence import Division
from nerscope.scoring.metrics import Metric
from nerscope.stats.clusters import CellKey, Clustered, Place, with_whole


@dataclass(frozen=True, slots=True, eq=False)
class Parts:
    """The shares of which a number is the plain mean, such as the F1 of each type for macro F1."""

    values: Floats  # parts
    sizes: Floats
    clusters: Floats
    degrees: Floats
    products: Floats  # (parts, parts): sums over clusters of how far both moved


@dataclass(frozen=True, slots=True, eq=False)
class Spread:
    """All numbers of one facet under one match, for some systems; arrays end in the numbers."""

    division: Division
    match: str
    systems: tuple[str, ...]
    keys: tuple[CellKey, ...]
    metrics: tuple[Metric, ...]  # of each number
    runs: Mapping[str, Floats]  # by system: (runs, numbers)
    sizes: Floats  # (systems, numbers): denominators, means over runs
    clusters: Floats  # (systems, numbers): in how many clusters it occurs
    degrees: Floats  # (systems, numbers): how many clusters of equal size would say as much, less 1
    products: Floats  # (systems, systems, numbers): sums over clusters of how far both moved
    of_run: Floats  # (systems, numbers): the same for what a single run has of its own
    parts: Mapping[tuple[int, int], Parts]  # by system and number, where it is a mean of shares

    def values(self, system: str) -> Floats:
        """The means over the runs in which a number is defined."""
        return mean_of_defined(self.runs[system])


def mean_of_defined(values: Floats) -> Floats:
    """The means over rows, of what is defined; NaN where nothing is."""
    known = (~np.isnan(values)).sum(axis=0)
    total = np.nan_to_num(values).sum(axis=0)
    mean: Floats = np.divide(total, known, out=np.full(total.shape, np.nan), where=known > 0)
    return mean


def spread_of(clustered: Clustered, paired: bool = True) -> Spread:
    """Leave out each cluster in turn: every number of every system, alone or also in pairs."""
    return spreads_of([clustered], paired)[0]


def spreads_of(several: Sequence[Clustered], paired: bool = False) -> list[Spread]:
    """The same for counts that are divided among systems in several ways."""
    moved = _moved(several, paired)
    return [_spread(one, *found) for one, found in zip(several, moved, strict=True)]


def _spread(clustered: Clustered, products: Floats, of_run: Floats) -> Spread:
    n_systems, owners = len(clustered.systems), clustered.owners
    occurs, effective = _sizes_of_clusters(clustered)
    places = [
        clustered.places(key, metric)
        for key, metric in zip(clustered.keys, clustered.metrics, strict=True)
    ]
    return Spread(
        clustered.division,
        clustered.match,
        clustered.systems,
        clustered.keys,
        clustered.metrics,
        {name: clustered.values[owners == at] for at, name in enumerate(clustered.systems)},
        np.stack([clustered.sizes[owners == at].mean(axis=0) for at in range(n_systems)]),
        _most(occurs, places),
        np.maximum(0.0, _most(effective, places) - 1),
        products,
        of_run,
        _parts(clustered, occurs, effective),
    )


def _moved(several: Sequence[Clustered], paired: bool) -> list[tuple[Floats, Floats]]:
    """Sums over clusters of how far each pair of systems moved, and single runs by themselves."""
    first = several[0]
    sums = [_Sums(one, paired) for one in several]
    for block in first.blocks(len(first.keys) * len(first.owners)):
        moves = np.empty((len(first.owners), len(block), len(first.keys)))
        for run, total in enumerate(first.totals):
            without = first.numbers(total - first.of_run(run, block)).values
            moves[run] = np.nan_to_num(first.values[run] - without)
        for own in sums:
            own.add(moves)
    return [own.found() for own in sums]


class _Sums:
    """Sums of products of moves, as systems share them."""

    def __init__(self, clustered: Clustered, paired: bool) -> None:
        n_systems, n_keys = len(clustered.systems), len(clustered.keys)
        self.owners, self.paired = clustered.owners, paired
        self.n_runs = np.bincount(clustered.owners, minlength=n_systems)
        self.products = np.zeros((n_systems, n_systems, n_keys))
        self.squares = np.zeros((n_systems, n_keys))  # of single runs

    def add(self, moves: Floats) -> None:
        """Add the moves (runs, clusters, numbers) of some clusters."""
        np.add.at(self.squares, self.owners, np.einsum("rbk,rbk->rk", moves, moves))
        if len(self.n_runs) < len(self.owners):
            every = range(len(self.n_runs))
            moves = np.stack([moves[self.owners == system].mean(axis=0) for system in every])
        if self.paired:
            self.products += np.einsum("sbk,tbk->stk", moves, moves)
        else:
            np.einsum("ssk->sk", self.products)[:] += np.einsum("sbk,sbk->sk", moves, moves)

    def found(self) -> tuple[Floats, Floats]:
        """The products, and the variance of what a single run has of its own."""
        shared = np.einsum("ssk->sk", self.products) * self.n_runs[:, None]
        own = np.maximum(0.0, self.squares - shared) / np.maximum(1, self.n_runs - 1)[:, None]
        return self.products, own


def _sizes_of_clusters(clustered: Clustered) -> tuple[Floats, Floats]:
    """By system, level and type (all first): in how many clusters there is something, and how many
    of equal size would say as much (Kish): the square of the sum of sizes, over that of squares.
    """
    counts = clustered.counts
    shape = (len(clustered.systems), counts.shape[1], 1 + counts.shape[2])
    occurs, effective = np.zeros(shape), np.zeros(shape)
    gold = with_whole(counts[..., 0].astype(np.float64))
    for at, system in enumerate(clustered.systems):
        runs = clustered.runs_of(system)
        pred = [counts[..., 2 + (clustered.width - 1) * run] for run in runs]
        sizes = np.maximum(gold, with_whole(np.mean(pred, axis=0, dtype=np.float64)))
        occurs[at] = (sizes > 0).sum(axis=0)
        squares = (sizes * sizes).sum(axis=0)
        effective[at] = sizes.sum(axis=0) ** 2 / np.where(squares > 0, squares, 1.0)
    return occurs, effective


def _most(table: Floats, places: Sequence[Sequence[Place]]) -> Floats:
    """Entries of a table (systems, levels, types); of several places, the largest."""
    return np.stack(
        [np.max([table[:, level, kind] for level, kind in own], axis=0) for own in places], axis=-1
    )


def _parts(clustered: Clustered, occurs: Floats, effective: Floats) -> dict[tuple[int, int], Parts]:
    found = {}
    for at, (key, metric) in enumerate(zip(clustered.keys, clustered.metrics, strict=True)):
        places = clustered.parts(key, metric)
        for system in range(len(clustered.systems)) if places else ():
            sizes = occurs[system], effective[system]
            found[system, at] = _parts_of(clustered, system, metric, places, *sizes)
    return found


def _parts_of(
    clustered: Clustered,
    system: int,
    metric: Metric,
    places: Sequence[Place],
    occurs: Floats,
    effective: Floats,
) -> Parts:
    levels, kinds = (np.array(column) for column in zip(*places, strict=True))

    def shares(counts: Floats) -> Floats:
        chosen = with_whole(counts, -2)[..., levels, kinds, :]
        return metric.shares(chosen, clustered.zero_division)

    runs = clustered.runs_of(clustered.systems[system])
    by_run = {run: shares(clustered.totals[run]) for run in runs}
    values = mean_of_defined(np.stack(list(by_run.values())))
    known = np.flatnonzero(~np.isnan(values))
    products = np.zeros((len(known), len(known)))
    for block in clustered.blocks(len(places)):
        moves = np.zeros((len(block), len(known)))
        for run in runs:
            without = shares(clustered.totals[run] - clustered.of_run(run, block))
            moves += np.nan_to_num(by_run[run] - without)[:, known] / len(runs)
        products += moves.T @ moves
    totals = with_whole(np.mean([clustered.totals[run] for run in runs], axis=0), -2)
    sizes = totals[levels, kinds, 0] + totals[levels, kinds, 2]
    clusters, degrees = occurs[levels, kinds], np.maximum(0.0, effective[levels, kinds] - 1)
    return Parts(values[known], sizes[known], clusters[known], degrees[known], products)
