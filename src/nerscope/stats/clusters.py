"""The counts of every cluster, a document or a sentence: what is left out, drawn again, or swapped.

All numbers of a facet come from counts (…, levels, types, columns), whatever the leading axis is:
one entry for each cluster that is left out, or for each resample.
"""

from collections.abc import Iterator, Sequence
from copy import copy
from functools import cache, cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from nerscope.corpus.arrays import Bools, Floats, Ints
from nerscope.scoring.evidence import Evidence, FacetTable
from nerscope.scoring.metrics import MICRO, Metric
from nerscope.stats.resampling import dense_counts

_MOST_VALUES = 4_000_000  # that are computed at once
_PROBE = np.array([[40.0, 23, 37, 19, 17, 5, 3, 31], [9.0, 4, 7, 5, 2, 1, 1, 6]])


class CellKey(NamedTuple):
    """Which number of a facet: level, type (None for all), metric."""

    level: str
    type: int | None
    metric: str


class Place(NamedTuple):
    """Where units are: a level (by its place) and a type (0: all of them, else 1 + its code)."""

    level: int
    type: int


class Numbers(NamedTuple):
    """Numbers in a row, and the shares of which averages are made."""

    keys: tuple[CellKey, ...]
    metrics: tuple[Metric, ...]
    values: Floats
    sizes: Floats
    shares: Floats


class Clustered:
    """The counts of some systems in each cluster, under one match."""

    def __init__(
        self,
        evidence: Evidence,
        division: FacetTable,
        match: str,
        systems: Sequence[str],
        clusters: Ints,
    ) -> None:
        self.division, self.match, self.systems = division, match, tuple(systems)
        self.zero_division = evidence.signature.zero_division
        runs = [(place, run) for place, one in enumerate(systems) for run in evidence.runs_of(one)]
        self.owners = np.array([place for place, _ in runs])  # the system of each run
        dense = dense_counts(evidence, division, match, clusters, [run for _, run in runs])
        by_code = dense.reshape(division.n_codes, len(evidence.types), *dense.shape[1:])
        levels = [by_code[list(codes)].sum(axis=0) for codes in division.levels.values()]
        # clusters, levels, types, columns: gold, then the others of each run
        self.counts = np.ascontiguousarray(np.stack(levels).transpose(3, 0, 1, 2))
        self.width = 8 if division.needs_pairs(match) else 4
        self.averages = _averages(division.metrics_of(match))
        self._sum_up()

    def _sum_up(self) -> None:
        """The numbers of each run, from the counts of all clusters."""
        totals = self.counts.sum(axis=0, dtype=np.float64)
        self.totals = [self.of_run(run, totals) for run in range(len(self.owners))]
        found = [self._numbers(own) for own in self.totals]
        self.keys, self.metrics = found[0].keys, found[0].metrics
        self.values = np.stack([one.values for one in found])  # (runs, numbers)
        self.sizes = np.stack([one.sizes for one in found])
        self.shares = np.stack([one.shares for one in found])  # (runs, shares)

    def with_counts(
        self, counts: npt.NDArray[np.float32], systems: Sequence[str], owners: Ints
    ) -> "Clustered":
        """The same numbers of other counts (clusters, levels, types, columns of all runs)."""
        found = self._divided(systems, owners)
        found.counts = counts
        found._sum_up()
        return found

    def _divided(self, systems: Sequence[str], owners: Ints) -> "Clustered":
        found = copy(self)
        found.systems, found.owners = tuple(systems), owners
        found.__dict__.pop("_mean_counts", None)
        return found

    def runs_of(self, system: str) -> list[int]:
        """The places of a system's runs."""
        return np.flatnonzero(self.owners == self.systems.index(system)).tolist()

    def of_run(self, run: int, counts: Floats | npt.NDArray[np.float32]) -> Floats:
        """Of counts with the columns of all runs, those of one run."""
        first = 1 + (self.width - 1) * run
        columns = [0, *range(first, first + self.width - 1)]
        return counts[..., columns].astype(np.float64)

    def needed(self, run: int, counts: Floats | npt.NDArray[np.float32]) -> Floats:
        """The counts of a run, with types added up where no number tells them apart."""
        own = self.of_run(run, counts)
        apart = self.division.by_type or any(
            metric.average != MICRO for metric in self.division.metrics_of(self.match)
        )
        return own if apart else own.sum(axis=-2, keepdims=True)

    def values_in(self, counts: Floats) -> Floats:
        """Every number of counts (…, levels, types, columns), in a row."""
        found = self.division.numbers(self.match, counts, self.zero_division)
        shape = (*counts.shape[:-3], -1)
        return np.concatenate([own.values.reshape(shape) for _, own in found], axis=-1)

    def shares_in(self, counts: Floats) -> Floats:
        """What the formula of each average gives for every level and type, all types first."""
        whole = with_whole(counts, -2) if self.averages else counts
        shape = (*counts.shape[:-3], -1)
        found = [one.shares(whole, self.zero_division).reshape(shape) for one in self.averages]
        return np.concatenate([np.zeros((*counts.shape[:-3], 0)), *found], axis=-1)

    def _numbers(self, counts: Floats) -> Numbers:
        """Every number of counts (levels, types, columns), with its key."""
        keys, metrics, sizes = [], [], []
        for metric, found in self.division.numbers(self.match, counts, self.zero_division):
            sizes.append(np.broadcast_to(found.sizes, found.values.shape).reshape(-1))
            for level in found.levels:
                for at in range(found.values.shape[-1]):
                    keys.append(CellKey(level, at - 1 if at else None, metric.name))
                    metrics.append(metric)
        return Numbers(
            tuple(keys),
            tuple(metrics),
            self.values_in(counts),
            np.concatenate(sizes),
            self.shares_in(counts),
        )

    def blocks(self, width: int) -> Iterator[npt.NDArray[np.float32]]:
        """Clusters in blocks, each of which makes so many values."""
        step = max(1, _MOST_VALUES // max(1, width))
        for first in range(0, len(self.counts), step):
            yield self.counts[first : first + step]

    def places(self, key: CellKey, metric: Metric) -> list[Place]:
        """The units on which a number rests; several levels if it is made of them."""
        levels = list(self.division.levels)
        kind = 0 if key.type is None else 1 + key.type
        if key.level in levels:
            return [Place(levels.index(key.level), kind)]
        needed = metric.needs_levels or levels
        return [Place(levels.index(level), 0) for level in needed]

    def shares_of(self, metric: Metric, parts: Sequence[Place]) -> list[int]:
        """Where the shares of an average stand."""
        n_kinds = 1 + self.counts.shape[2]
        formulas = [one.formula for one in self.averages]
        first = formulas.index(metric.formula) * self.counts.shape[1] * n_kinds
        return [first + level * n_kinds + kind for level, kind in parts]

    def parts(self, key: CellKey, metric: Metric) -> list[Place]:
        """The shares of which a number is the plain mean; none, if it is no such mean."""
        levels = list(self.division.levels)
        if metric.mean_of_levels:
            return [Place(levels.index(level), 0) for level in metric.mean_of_levels]
        if metric.is_mean_of_types:
            level = levels.index(key.level)
            return [Place(level, 1 + kind) for kind in range(self.counts.shape[2])]
        return []

    def differing(self, a: str, b: str) -> "Differing":
        """Where the counts of two systems differ, on the mean over their runs."""
        return Differing(self, np.asarray(self._mean_counts[a] != self._mean_counts[b]))

    @cached_property
    def _mean_counts(self) -> dict[str, Floats]:
        """By system: the counts of each cluster, on the mean over its runs."""
        return {
            system: np.mean([self.of_run(run, self.counts) for run in self.runs_of(system)], axis=0)
            for system in self.systems
        }

    def apart(self, names: Sequence[str]) -> "Clustered":
        """The same counts with each run as a system of its own, under these names."""
        return self._divided(names, np.arange(len(self.owners)))


class Differing:
    """In which clusters two systems differ, as far as a number looks."""

    def __init__(self, clustered: Clustered, unequal: Bools) -> None:
        self.clustered = clustered
        self._unequal = unequal  # clusters, levels, types, columns
        self._found: dict[tuple[int, ...], Bools] = {}

    def clusters(self, at: int) -> Bools:
        """Of each cluster, whether the systems differ there in a number."""
        key, metric = self.clustered.keys[at], self.clustered.metrics[at]
        columns = columns_of(metric, self.clustered.width)
        if columns not in self._found:
            by_type = self._unequal[..., list(columns)].any(axis=-1)
            whole = by_type.any(axis=-1, keepdims=True)
            self._found[columns] = np.concatenate([whole, by_type], axis=-1)
        unequal = self._found[columns]
        places = self.clustered.places(key, metric)
        found: Bools = np.any([unequal[:, level, kind] for level, kind in places], axis=0)
        return found

    def number(self) -> Floats:
        """In how many clusters the systems differ, for every number."""
        known: dict[tuple[object, ...], float] = {}
        found = []
        for at, (key, metric) in enumerate(
            zip(self.clustered.keys, self.clustered.metrics, strict=True)
        ):
            name = (key.level, key.type, columns_of(metric, self.clustered.width))
            if name not in known:
                known[name] = float(self.clusters(at).sum())
            found.append(known[name])
        return np.array(found)


def _averages(metrics: Sequence[Metric]) -> list[Metric]:
    """Of the metrics that are plain means of shares, one for each formula."""
    means = [one for one in metrics if one.is_mean_of_types or one.mean_of_levels]
    return list({one.formula: one for one in means}.values())


@cache
def columns_of(metric: Metric, width: int) -> tuple[int, ...]:
    """The columns of counts at which a metric looks: those that change what it says.

    >>> from nerscope.scoring.metrics import metric_named
    >>> columns_of(metric_named("recall"), 4), columns_of(metric_named("precision"), 4)
    ((0, 1), (2, 3))
    """
    probe = _PROBE[:, :width]
    before = metric.shares(probe)
    changed = [
        column
        for column in range(width)
        if (metric.shares(probe + (np.arange(width) == column)) != before).any()
    ]
    return tuple(changed) or tuple(range(width))


def with_whole(counts: Floats, axis: int = -1) -> Floats:
    """Types, preceded by all of them together."""
    return np.concatenate([counts.sum(axis=axis, keepdims=True), counts], axis=axis)
