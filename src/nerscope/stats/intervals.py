"""Intervals: percentiles of resamples where there is enough to resample, a score interval else.

With few units the percentiles of a bootstrap are too narrow. There, the interval is Wilson's, for
as many independent units as would give the variance that the jackknife over clusters finds, and
with the quantile of Student's distribution.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from typing import NamedTuple

import numpy as np

from nerscope.corpus.arrays import Floats
from nerscope.errors import UsageError, suggest
from nerscope.stats.resampling import CLUSTERS, RunShares

Z95 = 1.959963984540054
MOST_SAMPLES = 1_000_000
Interval = tuple[float, float] | None


@dataclass(frozen=True, slots=True)
class Sampling:
    """How to resample: what is drawn (sentence or document), how often, and from which seed."""

    resample: str = "sentence"
    samples: int = 10_000
    seed: int = 0

    def __post_init__(self) -> None:
        if not _is_whole(self.samples) or not 1 <= self.samples <= MOST_SAMPLES:
            raise UsageError(
                "samples",
                f"{self.samples!r} cannot be",
                f"give 10000 for publication, {MOST_SAMPLES} at the most",
            )
        if not _is_whole(self.seed) or self.seed < 0:
            raise UsageError("seed", f"{self.seed!r} cannot be", "give a whole number from 0 on")
        if self.resample not in CLUSTERS:
            raise UsageError(
                "resample",
                f"there is no '{self.resample}' to resample",
                suggest(str(self.resample), CLUSTERS),
            )

    def signature(self) -> dict[str, str]:
        """How the intervals were made."""
        return {
            "resample": self.resample,
            "samples": str(self.samples),
            "seed": str(self.seed),
        }


def _is_whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def bounded(found: Interval, low: float, high: float) -> Interval:
    """An interval cut to the scale of its number."""
    return found and (max(low, found[0]), min(high, found[1]))


def percentile_interval(values: Floats, alpha: float = 0.05) -> Interval:
    """Between which points all but `alpha` of the defined values lie: 2.5 % and 97.5 %.

    >>> percentile_interval(np.arange(1001.0))
    (25.0, 975.0)
    """
    if np.isnan(values.sum()):
        values = values[~np.isnan(values)]
    last = len(values) - 1
    if last < 0:
        return None
    at = [alpha / 2 * last, (1 - alpha / 2) * last]
    ordered = np.partition(
        values, sorted({int(place) for low in at for place in (low, min(low + 1, last))})
    )
    bounds = [
        float(ordered[int(place)])
        + (place - int(place)) * float(ordered[min(int(place) + 1, last)] - ordered[int(place)])
        for place in at
    ]
    return bounds[0], bounds[1]


def mean_over_runs(values: Sequence[Floats]) -> Floats:
    """The mean over runs in each resample."""
    mean: Floats = values[0] if len(values) == 1 else np.stack(values).mean(axis=0)
    return mean


_FOR_VARIANCE = 1000  # resamples are enough to estimate a variance


class RunNoise(NamedTuple):
    """How far the mean over runs would move with other runs: in each resample, its variance, and
    how many runs tell so.

    The runs of a system differ for two reasons: training went differently, and they disagree on
    single sentences. The second is in the resampling of sentences already. So the spread of the
    runs is shrunk to what sentences do not explain.
    """

    moves: Floats | float
    variance: float
    n_runs: int

    @classmethod
    def of(
        cls, observed: Floats, resampled: Sequence[Floats], shares: RunShares | None
    ) -> "RunNoise":
        """The noise of the runs with these observed and resampled values."""
        if shares is None or np.isnan(observed).any():
            return cls(0.0, 0.0, len(observed))
        residuals = observed - observed.mean()
        spread = float(residuals @ residuals) / (len(observed) - 1)
        few = np.stack([values[:_FOR_VARIANCE] for values in resampled])
        by_sentences = sum(_variance(own) for own in few - few.mean(axis=0)) / (len(observed) - 1)
        unexplained = max(0.0, spread - by_sentences)
        if not unexplained:
            return cls(0.0, 0.0, len(observed))
        moves: Floats = (residuals * np.sqrt(unexplained / spread)).astype(np.float32) @ shares
        return cls(moves, unexplained / len(observed), len(observed))


def _variance(values: Floats) -> float:
    """The variance of what is defined; 0 if nothing is."""
    defined = values[~np.isnan(values)]
    return float(defined.var()) if len(defined) else 0.0


def widened(centre: float, deviations: Floats, noises: Sequence[tuple[int, RunNoise]]) -> Floats:
    """Resampled values around a centre: deviations by sentences, plus noise of runs (with its
    sign).

    The variance of few runs is itself uncertain. Where it matters, the tails are widened to
    Student's distribution, with the degrees of freedom that Satterthwaite's formula gives to the
    sum.
    """
    by_runs = sum(noise.variance for _, noise in noises)
    if not by_runs:
        return centre + deviations
    by_sentences = _variance(deviations[:_FOR_VARIANCE])
    degrees = (by_sentences + by_runs) ** 2 / sum(
        noise.variance**2 / (noise.n_runs - 1) for _, noise in noises if noise.variance
    )
    factor = student_quantile(max(2, int(degrees))) / Z95
    moved = deviations + sum(sign * noise.moves for sign, noise in noises)
    return centre + factor * moved


def score_interval(value: float, size: float, variance: float, most: float) -> tuple[float, float]:
    """Wilson's interval for the number of independent units that has this variance, which is taken
    to be `most` at the most.

    >>> [round(bound, 3) for bound in score_interval(0.9, 100, 0.0009, 200)]
    [0.825, 0.945]
    """
    z = student_quantile(max(1, int(size) - 1))
    if variance > 0 and 0 < value < 1:
        size = min(value * (1 - value) / variance, most)
    scale = 1 + z * z / size
    centre = (value + z * z / (2 * size)) / scale
    half = z / scale * sqrt(value * (1 - value) / size + z * z / (4 * size * size))
    return max(0.0, centre - half), min(1.0, centre + half)


def student_quantile(degrees: int) -> float:
    """The 97.5 % point of Student's distribution, by the expansion of Cornish and Fisher.

    >>> round(student_quantile(10), 3), round(student_quantile(30), 3)
    (2.228, 2.042)
    """
    z, n = Z95, degrees
    return (
        z
        + (z**3 + z) / (4 * n)
        + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * n**2)
        + (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / (384 * n**3)
    )
