"""A ranking of systems: rank probabilities, and groups without significant differences.

Scores of systems on the same texts rise and fall together, so ranks are drawn from their joint
distribution: the jackknife covariance over clusters and the noise of training, each with Student's
distribution and its own degrees of freedom.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from string import ascii_lowercase

import numpy as np

from nerscope.corpus.arrays import Bools, Floats
from nerscope.stats.jackknife import Jackknife
from nerscope.stats.runs import defined_runs, pooled_run_variance, run_spread
from nerscope.stats.system_pair import ALONE

RANK_CONFIDENCE = 0.95
_MOST_HELD = 4_000_000  # comparisons of drawn scores in memory at once
_FEWEST_CLUSTERS = 2
_VAST = 1e18  # a variance that makes all differences of scores negligible
_DIGITS = 10  # of drawn scores, so that rounding does not separate equal systems


@dataclass(frozen=True, slots=True, eq=False)
class Noise:
    """One source of noise: normal draws times `factor` (systems, sources), with Student's tails.

    `degrees` of freedom are one number for all sources, which then share their scale, or one number
    per source.
    """

    factor: Floats
    degrees: float | Floats

    def draw(self, samples: int, random: np.random.Generator) -> Floats:
        """The noise of all systems (samples, systems)."""
        normal = random.standard_normal((samples, self.factor.shape[1]))
        degrees = np.maximum(1.0, np.atleast_1d(self.degrees))
        # A normal variable divided by the root of chi-square / degrees is Student's t.
        scale = random.chisquare(degrees, (samples, len(degrees))) / degrees
        drawn: Floats = (normal / np.sqrt(scale)) @ self.factor.T
        return drawn


@dataclass(frozen=True, slots=True, eq=False)
class JointScores:
    """The scores of systems, and their uncertainty."""

    values: Floats
    noise: Sequence[Noise]

    def draw(self, samples: int, seed: int) -> Floats:
        """Draws of plausible true scores (samples, systems)."""
        random = np.random.default_rng(seed)
        drawn = self.values + sum(part.draw(samples, random) for part in self.noise)
        return np.asarray(np.round(drawn, _DIGITS))


@dataclass(frozen=True, slots=True, eq=False)
class DatasetScores:
    """The scores of systems on one dataset, and the parts of their covariance."""

    values: Floats
    covariance: Floats  # over clusters
    degrees: float
    run_part: Floats  # the part of single runs in the diagonal of the covariance
    runs: Sequence[Floats] = ()  # the scores of each system's runs; empty for outputs


def dataset_scores(
    spread: Jackknife, at: int, systems: Sequence[str], about_runs: bool
) -> DatasetScores:
    """One number of these systems on a dataset."""
    places = [spread.systems.index(name) for name in systems]
    clusters = float(spread.clusters[places, at].max())
    shrink = 1 - 1 / max(1.0, clusters)
    covariance = spread.products[np.ix_(places, places)][..., at] * shrink
    if clusters < _FEWEST_CLUSTERS:  # one cluster has no variance: all orders are equally likely
        covariance = _VAST * np.eye(len(places))
    runs = [spread.runs[name][:, at] for name in systems]
    n_runs = np.array([float(defined_runs(scores[:, None])[0]) for scores in runs])
    return DatasetScores(
        np.array([float(np.nanmean(scores)) for scores in runs]),
        covariance,
        float(spread.degrees[places, at].min()),
        spread.single_run_squares[places, at] * shrink / n_runs,
        [scores[~np.isnan(scores)] for scores in runs] if about_runs else (),
    )


def joint_scores(parts: Sequence[DatasetScores], same_seeds: bool = False) -> JointScores:
    """The scores on a dataset, or their means over several datasets whose texts are independent."""
    n = len(parts)
    covariance = np.sum([part.covariance for part in parts], axis=0) / n**2
    run_part = np.sum([part.run_part for part in parts], axis=0) / n**2
    by_dataset = np.array([float(np.trace(part.covariance)) for part in parts])
    degrees = np.array([max(1.0, part.degrees) for part in parts])
    squares = float((by_dataset**2 / degrees).sum())
    # Satterthwaite (1946): closer to the degrees of the datasets with larger variances.
    joint = float(by_dataset.sum()) ** 2 / squares if squares else float(degrees.min())
    values = np.mean([part.values for part in parts], axis=0)
    if not all(part.runs for part in parts):
        return JointScores(values, [Noise(_root(covariance), joint)])
    by_texts = Noise(_root(covariance - np.diag(run_part)), joint)
    return JointScores(values, [by_texts, _training_noise(parts, run_part, same_seeds)])


def joint_of_spread(parts: Sequence[DatasetScores], ratio: float | None = None) -> JointScores:
    """The means over a sample of datasets, from the variance over datasets.

    Splits of one corpus overlap: with the `ratio` of test to training sentences, the variance is
    that of the corrected resampled t-test (Nadeau and Bengio 2003).
    """
    by_dataset = np.stack([part.values for part in parts])
    n = len(by_dataset)
    covariance = np.atleast_2d(np.cov(by_dataset, rowvar=False)) * (1 / n + (ratio or 0.0))
    noise = [Noise(_root(covariance), n - 1.0)]
    if ratio is None and all(part.runs for part in parts):  # each split has its own training runs
        noise.append(_training_noise(parts, np.zeros(by_dataset.shape[1])))
    return JointScores(by_dataset.mean(axis=0), noise)


def _root(covariance: Floats) -> Floats:
    """A factor of a covariance; negative eigenvalues from estimation or rounding count as 0."""
    values, vectors = np.linalg.eigh(covariance)
    return np.asarray(vectors * np.sqrt(np.maximum(0.0, values)))


def _training_noise(
    parts: Sequence[DatasetScores], least: Floats, same_seeds: bool = False
) -> Noise:
    """The noise of training in the means over runs and datasets; `least` is its minimum variance.

    The same trained models may have been tested on all datasets, so it is estimated from the mean
    of each run over the datasets. If numbers of runs differ, runs are assumed to be fully
    correlated over datasets, which is the worst case.
    """
    numbers = {tuple(len(scores) for scores in part.runs) for part in parts}
    if len(numbers) == 1:
        runs = [np.mean(scores, axis=0) for scores in zip(*(p.runs for p in parts), strict=True)]
        if same_seeds:  # runs of all systems are paired in order
            n_runs = len(runs[0])
            return Noise(_root(np.atleast_2d(np.cov(np.stack(runs))) / n_runs), n_runs - 1.0)
        variance, degrees = _run_variances(runs)
    else:
        each = [_run_variances(part.runs) for part in parts]
        variance = np.mean([np.sqrt(found) for found, _ in each], axis=0) ** 2
        degrees = np.min([found for _, found in each], axis=0)
    # Runs may agree by chance, so their part of the variance over clusters is a lower bound.
    return Noise(np.diag(np.sqrt(np.maximum(variance, least))), degrees)


def _run_variances(runs: Sequence[Floats]) -> tuple[Floats, Floats]:
    """The variance of each system's mean from training, and its degrees of freedom.

    It is the variance of the system's own runs, moderated by the other systems. If there are too
    few other systems, or the system has one run, it is pooled over all systems. The variance of a
    single run is doubled, as in `compare`, because the run may have failed.
    """
    spreads = {at: run_spread(one[:, None]) for at, one in enumerate(runs) if len(one) > 1}
    pooled = pooled_run_variance(list(spreads.values()))
    found = []
    for at in range(len(runs)):
        moderated = pooled
        if at in spreads:
            others = [spread for place, spread in spreads.items() if place != at]
            moderated = pooled_run_variance([spreads[at]], others)
        found.append(moderated if moderated.borrowed[0] else pooled)
    shares = np.array([1 / len(scores) if len(scores) > 1 else ALONE for scores in runs])
    variance = np.array([float(part.variance[0]) for part in found])
    return variance * shares, np.array([float(part.degrees[0]) for part in found])


def rank_probabilities(scores: Floats) -> Floats:
    """The share of draws (rows) in which each system has each rank: (systems, ranks).

    The highest score has rank 1; equal scores share their ranks.

    >>> rank_probabilities(np.array([[0.9, 0.7, 0.7], [0.6, 0.8, 0.7]])).tolist()
    [[0.5, 0.0, 0.5], [0.5, 0.25, 0.25], [0.0, 0.75, 0.25]]
    """
    samples, n = scores.shape
    shares = np.zeros((n, n))
    step = max(1, _MOST_HELD // n**2)
    every = np.arange(n)
    for first in range(0, samples, step):
        block = scores[first : first + step]
        better = (block[:, None, :] > block[:, :, None]).sum(axis=2)
        equal = (block[:, None, :] == block[:, :, None]).sum(axis=2)
        owners = np.broadcast_to(every, better.shape)
        for size in np.unique(equal):
            here = equal == size
            for place in range(size):
                np.add.at(shares, (owners[here], better[here] + place), 1 / size)
    return np.asarray(shares / samples)


def rank_bounds(
    probabilities: Floats, confidence: float = RANK_CONFIDENCE
) -> list[tuple[int, int]]:
    """The interval of ranks of each system with this probability, with equal tails.

    >>> rank_bounds(np.array([[0.98, 0.02], [0.5, 0.5]]))
    [(1, 1), (1, 2)]
    """
    tail = (1 - confidence) / 2 + 1e-12
    below = np.cumsum(probabilities, axis=1)
    above = np.cumsum(probabilities[:, ::-1], axis=1)
    n = probabilities.shape[1]
    return [
        (int((low <= tail).sum()) + 1, n - int((high <= tail).sum()))
        for low, high in zip(below, above, strict=True)
    ]


def letter_groups(different: Bools) -> list[list[str]]:
    """The letters of each system: two share one if and only if they do not differ.

    The systems are in the order of the ranking. Insert and absorb (Piepho 2004): all systems begin
    in one group; each pair that differs splits the groups that hold both, and a group within
    another one is removed.

    >>> letter_groups(np.array([[0, 0, 1], [0, 0, 0], [1, 0, 0]], bool))
    [['a'], ['a', 'b'], ['b']]
    """
    n = len(different)
    groups = [frozenset(range(n))]
    for a, b in zip(*np.nonzero(np.triu(different)), strict=True):
        divided = [
            part
            for group in groups
            for part in ([group - {a}, group - {b}] if {a, b} <= group else [group])
        ]
        distinct = set(divided)
        groups = [group for group in distinct if not any(group < other for other in distinct)]
    ordered = sorted(groups, key=sorted)
    return [
        [_letter(place) for place, group in enumerate(ordered) if system in group]
        for system in range(n)
    ]


def _letter(place: int) -> str:
    """a to z, then a2 to z2, and so on."""
    times, at = divmod(place, len(ascii_lowercase))
    return ascii_lowercase[at] + (str(times + 1) if times else "")
