"""Clusters (documents, sentences, blocks) and their counts, the basis of all resampling.

All numbers of a facet are computed from counts (…, levels, types, columns). The leading axis has
one entry for each cluster that is left out, or for each resample. A resample is a weight for each
cluster: how often it was drawn, or whether the outputs of two systems are swapped in it. All
numbers and pairs of systems share the same weights. Above `MOST_GROUPS`, clusters are pooled
pseudo-randomly into that many groups, which keeps the variance and limits the cost.
"""

from collections.abc import Iterator, Sequence
from copy import copy
from functools import cache, cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from nerscope.corpus.arrays import Bools, Floats, Ints
from nerscope.errors import InputError, plural_of
from nerscope.scoring import folding
from nerscope.scoring.cluster_units import (
    DOCUMENT,
    SENTENCE,
    BlockCount,
    block_size,
    place_unit,
    unit_noun,
)
from nerscope.scoring.evidence import Evidence, FacetTable, Units
from nerscope.scoring.metrics import MICRO, Metric

Weights = npt.NDArray[np.uint8]
CountArray = npt.NDArray[np.floating[Any]]
_EXACT_HALVES = 1 << 24  # up to this, whole numbers are exact in a four-byte float


def cluster_unit_of(evidence: Evidence) -> str:
    """The default unit: that of the intervals, else documents if marked, else sentences."""
    if evidence.folded is not None:
        return evidence.folded.unit
    if chosen := evidence.signature.resampling.get("resample"):
        return chosen
    return DOCUMENT if has_documents(evidence) else SENTENCE


def has_documents(evidence: Evidence) -> bool:
    """Whether the data marks more than one document."""
    documents = evidence.documents
    return len(documents) > 0 and bool(documents.min() != documents.max())


def clusters_of(evidence: Evidence, cluster_unit: str | None = None) -> Ints:
    """The cluster of each sentence, numbered from 0."""
    cluster_unit = place_unit(cluster_unit or cluster_unit_of(evidence))
    if evidence.folded is not None and cluster_unit != evidence.folded.unit:
        raise InputError(
            evidence.dataset,
            f"the results keep only sums over groups of "
            f"{plural_of(unit_noun(evidence.folded.unit))}, so a {unit_noun(cluster_unit)} "
            "cannot be used as a cluster",
            f"evaluate with --intervals --resample {cluster_unit}, or with --keep-mentions",
        )
    size = block_size(cluster_unit)
    if cluster_unit == DOCUMENT:
        names, clusters = np.unique(evidence.documents, return_inverse=True)
        if len(names) < 2:
            raise InputError(
                evidence.dataset,
                "the data has no document boundaries",
                "--resample sentence, or mark documents with -DOCSTART-",
            )
    elif size is not None and evidence.folded is None:
        clusters = BlockCount(size).number(evidence.documents)
    else:
        clusters = np.arange(len(evidence.documents))
    return folding.groups_of(clusters)


def number_of_clusters(evidence: Evidence, cluster_unit: str) -> int:
    """The number of clusters of the data, with and without mentions."""
    if evidence.folded is not None:
        return evidence.folded.clusters
    if (size := block_size(cluster_unit)) is not None:
        return int(BlockCount(size).number(evidence.documents)[-1]) + 1
    if place_unit(cluster_unit) == DOCUMENT:
        return len(np.unique(evidence.documents))
    return len(evidence.documents)


def pooled_by(evidence: Evidence, cluster_unit: str) -> float:
    """The mean number of clusters per group; 1 if none were pooled."""
    return max(1.0, number_of_clusters(evidence, cluster_unit) / folding.MOST_GROUPS)


def bootstrap_weights(n_clusters: int, samples: int, seed: int) -> Weights:
    """How often each cluster (row) is drawn in each resample (column). A resample draws as many
    clusters as there are, with replacement.
    """
    rng = np.random.default_rng(seed)
    weights = np.zeros((n_clusters, samples), np.uint8)
    step = max(1, 2_000_000 // n_clusters)
    for first in range(0, samples, step):
        width = min(step, samples - first)
        drawn = rng.integers(0, n_clusters, (n_clusters, width))
        # One bincount for all resamples of a block: cluster 2 in resample 3 of 10 is the key 23.
        drawn *= width
        drawn += np.arange(width)
        weights[:, first : first + width] = np.bincount(
            drawn.ravel(), minlength=n_clusters * width
        ).reshape(n_clusters, width)
    return weights


def swap_weights(n_clusters: int, samples: int, seed: int) -> Weights:
    """For each cluster and resample, whether the outputs of the two systems are swapped."""
    rng = np.random.default_rng(seed)
    return rng.integers(0, 2, (n_clusters, samples), dtype=np.uint8)


def exact_type(values: npt.NDArray[Any]) -> type[np.floating[Any]]:
    """The narrowest float type in which all sums of the values are exact, else double precision.

    Whole numbers and halves, which is nearly all credit, are exact in four bytes up to 2**23, and
    are added in half the time. Thirds and fifths are not exact.

    >>> exact_type(np.array([0.5, 3.0])), exact_type(np.array([0.2]))
    (<class 'numpy.float32'>, <class 'numpy.float64'>)
    """
    twice = 2 * values
    is_exact = np.abs(twice).sum() < _EXACT_HALVES and np.array_equal(twice, np.rint(twice))
    return np.float32 if is_exact else np.float64


def dense_counts(
    evidence: Evidence,
    table: FacetTable,
    match: str,
    clusters: Ints,
    runs: Sequence[int],
    *,
    by_type: bool = True,
) -> CountArray:
    """The counts of a facet as an array (cells, columns, clusters); a cell is a code and a type.

    Without `by_type`, all types count as one.
    """
    ledger, with_pairs = evidence.ledger(table), table.needs_pairs(match)
    n_types, n_clusters = len(evidence.types) if by_type else 1, int(clusters.max()) + 1
    n_cells = table.n_codes * n_types

    def keys_of(units: Units) -> Ints:
        cells = units.cells(table.facet, n_types) if by_type else units.codes_of(table.facet)
        return cells * n_clusters + clusters[units.sentence]

    def counted(keys: Ints, values: Floats | Ints | None) -> CountArray:
        # Units outside every level of a subset have a code after the last one: drop them.
        every = np.bincount(keys, values, n_cells * n_clusters)[: n_cells * n_clusters]
        return every.astype(exact_type(every)).reshape(n_cells, n_clusters)

    gold_keys = keys_of(ledger.gold)
    columns = [counted(gold_keys, ledger.gold.weight)]
    for run in runs:
        pred_keys = keys_of(ledger.runs[run].pred)
        for units, values in ledger.columns(run, match, with_pairs)[1:]:
            columns.append(counted(gold_keys if units is ledger.gold else pred_keys, values))
    return np.stack(columns, axis=1)


_MOST_VALUES = 4_000_000  # computed at once
_PROBE = np.array([[40.0, 23, 37, 19, 17, 5, 3, 31], [9.0, 4, 7, 5, 2, 1, 1, 6]])


class CellKey(NamedTuple):
    """The key of a number of a facet: level, type (None for all), metric."""

    level: str
    type: int | None
    metric: str


class UnitGroup(NamedTuple):
    """A group of units: a level (by its index) and a type (0: all types, else 1 + its code)."""

    level: int
    type: int


class ClusterCounts:
    """The counts of systems in each cluster, under one match."""

    def __init__(
        self,
        evidence: Evidence,
        table: FacetTable,
        match: str,
        systems: Sequence[str],
        clusters: Ints,
    ) -> None:
        self.table, self.match, self.systems = table, match, tuple(systems)
        self.zero_division = evidence.signature.zero_division
        runs = [
            (place, run) for place, system in enumerate(systems) for run in evidence.runs_of(system)
        ]
        self.owners = np.array([place for place, _ in runs])  # the system of each run
        # If no number is by type, types are added up: most facets, at a fifth of the cost.
        by_type = table.by_type or any(m.average != MICRO for m in table.metrics_of(match))
        every_run = [run for _, run in runs]
        dense = dense_counts(evidence, table, match, clusters, every_run, by_type=by_type)
        by_code = dense.reshape(table.n_codes, -1, *dense.shape[1:])
        levels = [by_code[list(codes)].sum(axis=0) for codes in table.levels.values()]
        # (clusters, levels, types, columns): gold, then the other columns of each run
        self.counts = np.ascontiguousarray(np.stack(levels).transpose(3, 0, 1, 2))
        self.width = 8 if table.needs_pairs(match) else 4
        self.averages = _averages(table.metrics_of(match))
        self._sum_up()

    def _sum_up(self) -> None:
        """The numbers of each run, from the counts of all clusters."""
        self.totals = self.by_run(self.counts.sum(axis=0, dtype=np.float64))
        keys, metrics, values, sizes = list[CellKey](), list[Metric](), [], []
        shape = (len(self.owners), -1)
        for metric, numbers in self.table.numbers(self.match, self.totals, self.zero_division):
            values.append(numbers.values.reshape(shape))
            sizes.append(np.broadcast_to(numbers.sizes, numbers.values.shape).reshape(shape))
            for level in numbers.levels:
                for at in range(numbers.values.shape[-1]):
                    keys.append(CellKey(level, at - 1 if at else None, metric.name))
                    metrics.append(metric)
        self.keys, self.metrics = tuple(keys), tuple(metrics)
        self.values = np.concatenate(values, axis=-1)  # (runs, numbers)
        self.sizes = np.concatenate(sizes, axis=-1)
        self.shares = self.shares_in(self.totals)  # (runs, shares)

    def with_counts(
        self, counts: CountArray, systems: Sequence[str], owners: Ints
    ) -> "ClusterCounts":
        """The same numbers for other counts (clusters, levels, types, columns of all runs)."""
        other = self._divided(systems, owners)
        other.counts = counts
        other._sum_up()
        return other

    def _divided(self, systems: Sequence[str], owners: Ints) -> "ClusterCounts":
        other = copy(self)
        other.systems, other.owners = tuple(systems), owners
        other.__dict__.pop("_mean_counts", None)
        return other

    def runs_of(self, system: str) -> list[int]:
        """The indices of a system's runs."""
        return np.flatnonzero(self.owners == self.systems.index(system)).tolist()

    def columns_of_run(self, run: int, counts: CountArray) -> Floats:
        """The counts of one run, from counts with the columns of all runs."""
        # Gold is the same for all runs and is stored once, before 3 (or 7) columns per run.
        first = 1 + (self.width - 1) * run
        columns: Floats = np.empty((*counts.shape[:-1], self.width))
        columns[..., 0] = counts[..., 0]
        columns[..., 1:] = counts[..., first : first + self.width - 1]
        return columns

    def by_run(self, counts: CountArray) -> Floats:
        """The counts of each run (runs, …, columns), from counts (…, columns of all runs)."""
        return np.stack([self.columns_of_run(run, counts) for run in range(len(self.owners))])

    def values_in(self, counts: Floats) -> Floats:
        """Every number of counts (…, levels, types, columns), along the last axis."""
        by_metric = self.table.numbers(self.match, counts, self.zero_division)
        shape = (*counts.shape[:-3], -1)
        return np.concatenate([numbers.values.reshape(shape) for _, numbers in by_metric], axis=-1)

    def shares_in(self, counts: Floats) -> Floats:
        """The formula of each average for every level and type, all types first."""
        whole = with_all_types(counts, -2) if self.averages else counts
        shape = (*counts.shape[:-3], -1)
        shares = [
            metric.shares(whole, self.zero_division).reshape(shape) for metric in self.averages
        ]
        return np.concatenate([np.zeros((*counts.shape[:-3], 0)), *shares], axis=-1)

    def blocks(self, width: int) -> Iterator[CountArray]:
        """Clusters that have units, in blocks; each cluster gives `width` values."""
        step = max(1, _MOST_VALUES // max(1, width))
        counts = self.counts[self.counts.any(axis=(1, 2, 3))]
        for first in range(0, len(counts), step):
            yield counts[first : first + step]

    def places(self, key: CellKey, metric: Metric) -> list[UnitGroup]:
        """The groups of units of a number; several if it combines levels."""
        levels = list(self.table.levels)
        kind = 0 if key.type is None else 1 + key.type
        if key.level in levels:
            return [UnitGroup(levels.index(key.level), kind)]
        needed = metric.needs_levels or levels
        return [UnitGroup(levels.index(level), 0) for level in needed]

    def shares_of(self, metric: Metric, parts: Sequence[UnitGroup]) -> list[int]:
        """The indices of the shares of an average."""
        n_kinds = 1 + self.counts.shape[2]
        formulas = [average.formula for average in self.averages]
        first = formulas.index(metric.formula) * self.counts.shape[1] * n_kinds
        return [first + level * n_kinds + kind for level, kind in parts]

    def parts(self, key: CellKey, metric: Metric) -> list[UnitGroup]:
        """The shares of which a number is the plain mean; empty for other numbers."""
        levels = list(self.table.levels)
        if metric.mean_of_levels:
            return [UnitGroup(levels.index(level), 0) for level in metric.mean_of_levels]
        if metric.is_mean_of_types:
            level = levels.index(key.level)
            return [UnitGroup(level, 1 + kind) for kind in range(self.counts.shape[2])]
        return []

    def differing(self, a: str, b: str) -> "DifferingClusters":
        """The clusters in which the counts of two systems (means over runs) differ."""
        return DifferingClusters(self, self._mean_counts[a], self._mean_counts[b])

    @cached_property
    def _mean_counts(self) -> dict[str, Floats]:
        """By system, the counts of each cluster as means over runs."""
        return {
            system: np.mean(
                [self.columns_of_run(run, self.counts) for run in self.runs_of(system)], axis=0
            )
            for system in self.systems
        }

    def with_runs_as_systems(self, names: Sequence[str]) -> "ClusterCounts":
        """The same counts with each run as a separate system, under these names."""
        return self._divided(names, np.arange(len(self.owners)))


class DifferingClusters:
    """The clusters in which two systems differ in the counts that a number uses."""

    def __init__(self, clustered: ClusterCounts, a: Floats, b: Floats) -> None:
        self.clustered = clustered
        self._unequal = a != b  # clusters, levels, types, columns
        # One type more and another one less cancel out over all types.
        self._whole_unequal = a.sum(axis=2, keepdims=True) != b.sum(axis=2, keepdims=True)
        self._found: dict[tuple[int, ...], Bools] = {}

    def clusters(self, at: int) -> Bools:
        """For each cluster, whether the systems differ in a number."""
        key, metric = self.clustered.keys[at], self.clustered.metrics[at]
        columns = columns_of(metric, self.clustered.width)
        if columns not in self._found:
            by_type = self._unequal[..., list(columns)].any(axis=-1)
            whole = self._whole_unequal[..., list(columns)].any(axis=-1)
            self._found[columns] = np.concatenate([whole, by_type], axis=-1)
        unequal = self._found[columns]
        places = self.clustered.places(key, metric)
        differs: Bools = np.any([unequal[:, level, kind] for level, kind in places], axis=0)
        return differs

    def number(self) -> Floats:
        """For every number, the number of clusters in which the systems differ."""
        known: dict[tuple[object, ...], float] = {}
        numbers = []
        for at, (key, metric) in enumerate(
            zip(self.clustered.keys, self.clustered.metrics, strict=True)
        ):
            name = (key.level, key.type, columns_of(metric, self.clustered.width))
            if name not in known:
                known[name] = float(self.clusters(at).sum())
            numbers.append(known[name])
        return np.array(numbers)


def _averages(metrics: Sequence[Metric]) -> list[Metric]:
    """The metrics that are plain means of shares, one for each formula."""
    means = [metric for metric in metrics if metric.is_mean_of_types or metric.mean_of_levels]
    return list({metric.formula: metric for metric in means}.values())


@cache
def columns_of(metric: Metric, width: int) -> tuple[int, ...]:
    """The columns of counts that a metric depends on.

    >>> from nerscope.scoring.metrics import metric_named
    >>> columns_of(metric_named("recall"), 4), columns_of(metric_named("precision"), 4)
    ((0, 1), (2, 3))
    """
    # Found by experiment: if raising a column by one never changes the result, the formula does not
    # use it. Recall, for example, ignores the columns of predictions.
    probe = _PROBE[:, :width]
    before = metric.shares(probe)
    changed = [
        column
        for column in range(width)
        if (metric.shares(probe + (np.arange(width) == column)) != before).any()
    ]
    return tuple(changed) or tuple(range(width))


def with_all_types(counts: Floats, axis: int = -1) -> Floats:
    """The types, preceded by their sum."""
    return np.concatenate([counts.sum(axis=axis, keepdims=True), counts], axis=axis)
