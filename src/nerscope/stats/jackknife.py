"""How sure a number is, without resampling: the jackknife over clusters."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from nerscope.corpus.arrays import Floats, Ints
from nerscope.scoring.counts import Counts
from nerscope.scoring.evidence import Division, Evidence
from nerscope.scoring.metrics import SHARE, Metric
from nerscope.stats.intervals import Interval, score_interval
from nerscope.stats.resampling import ClusterCounts, dense_counts


class Sure(NamedTuple):
    """A number with its denominator, its variance over clusters, and a 95 % interval."""

    value: float
    n: float
    variance: float
    interval: Interval


def clustered(
    counts: ClusterCounts, codes: Sequence[int], kind: int | None, places: Sequence[int]
) -> list[Floats] | None:
    """For each run, counts (clusters, types, columns) of some codes (and a type).

    Only clusters that these runs know are there; None if there is none.
    """
    chosen = []
    for cell in counts.cells:
        code, own = divmod(cell.cell, counts.n_types)
        if code in codes and kind in (None, own):
            chosen.append((own, cell))
    if not chosen:
        return None
    clusters = np.unique(np.concatenate([cell.support for _, cell in chosen]))
    dense = np.zeros((len(clusters), counts.n_types, counts.n_columns))
    for own, cell in chosen:
        dense[np.searchsorted(clusters, cell.support), own] += cell.distinct[cell.place].T
    columns = sorted({column for place in places for column in counts.columns_of(place)})
    dense = dense[dense[..., columns].any(axis=(1, 2))]
    return [dense[..., counts.columns_of(place)] for place in places]


def jackknife_variance(
    by_run: Sequence[Floats], metric: Metric, zero_division: float | None
) -> float:
    """The variance of the mean over runs, from leaving out each cluster."""
    values = np.mean([metric.value(own.sum(axis=0) - own, zero_division) for own in by_run], axis=0)
    values = values[~np.isnan(values)]
    m = len(values)
    return float((m - 1) / m * ((values - values.mean()) ** 2).sum()) if m > 1 else 0.0


@dataclass(frozen=True, slots=True, eq=False)
class Jackknife:
    """One facet under one match, for the runs of a system."""

    evidence: Evidence
    n_runs: int
    counts: npt.NDArray[np.float32]  # codes, types, columns, clusters

    @classmethod
    def of(
        cls, evidence: Evidence, division: Division, match: str, runs: Sequence[int], clusters: Ints
    ) -> "Jackknife":
        """Gather the counts of each cluster."""
        dense = dense_counts(evidence, division, match, clusters, runs)
        shape = (division.n_codes, len(evidence.types), *dense.shape[1:])
        return cls(evidence, len(runs), dense.reshape(shape))

    def sure(self, codes: Sequence[int], metric: Metric, kind: int | None = None) -> Sure:
        """A number of some codes (and a type), averaged over the runs."""
        chosen = self.counts[list(codes)].sum(axis=0)
        chosen = chosen if kind is None else chosen[kind : kind + 1]
        by_cluster = chosen.transpose(2, 0, 1).astype(np.float64)
        by_cluster = by_cluster[by_cluster.any(axis=(1, 2))]
        width = (by_cluster.shape[-1] - 1) // self.n_runs
        by_run = [
            by_cluster[..., [0, *range(1 + width * run, 1 + width * (run + 1))]]
            for run in range(self.n_runs)
        ]
        zero_division = self.evidence.signature.zero_division
        sums = [own.sum(axis=0) for own in by_run]
        value = float(np.mean([metric.value(own, zero_division) for own in sums]))
        n = float(np.mean([metric.n(Counts(own)).sum() for own in sums]))
        variance = jackknife_variance(by_run, metric, zero_division)
        interval = None
        if metric.kind == SHARE and n and not np.isnan(value):
            interval = score_interval(value, n, variance, most=2 * n)
        return Sure(value, n, variance, interval)
