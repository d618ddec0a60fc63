"""Agreement beyond chance: Cohen's κ, Fleiss' κ and Krippendorff's α, from counts per cluster.

Every coefficient is a function of sums over units, so its counts can be added over clusters, and a
cluster is left out by subtracting its counts. The classes of units are integers from 0; `MISSING`
marks a unit that an annotator did not see. The last axis of counts holds the columns.
"""

from collections.abc import Callable
from itertools import combinations
from typing import NamedTuple

import numpy as np

from nerscope.corpus.arrays import Bools, Floats, Ints
from nerscope.stats.intervals import Interval, quantiles, score_distances

MISSING = -1
COHEN, FLEISS, ALPHA = "cohen_kappa", "fleiss_kappa", "krippendorff_alpha"
ANNOTATED = "_annotated"  # the suffix of a coefficient over tokens inside a mention
_ALPHA = 0.05  # of 95 % intervals
_DIGITS = 6  # of bounds


class CoefficientWords(NamedTuple):
    """How texts speak of a coefficient; both titles name its tokens."""

    name: str
    title: str
    phrase: str
    definition: str


_COEFFICIENTS = (
    CoefficientWords(
        COHEN,
        "Cohen's κ",
        "agreement of two annotators beyond chance",
        "The agreement of two annotators on the classes of tokens, beyond what their own shares of "
        "classes give by chance: 1 is perfect, 0 is chance.",
    ),
    CoefficientWords(
        FLEISS,
        "Fleiss' κ",
        "agreement of several annotators beyond chance",
        "The agreement of all annotators on the classes of tokens, beyond chance, over the texts "
        "that all of them annotated: 1 is perfect, 0 is chance.",
    ),
    CoefficientWords(
        ALPHA,
        "Krippendorff's α",
        "1 minus the observed share of disagreement by that of chance",
        "1 minus the disagreement on the classes of tokens as a share of that by chance. Texts may "
        "lack annotators: 1 is perfect, 0 is chance.",
    ),
)
_CLASS = "The class of a token is the type of its outermost mention, or O."
_OF_ANNOTATED = (
    "Only tokens that one of the compared annotators put inside a mention count, because the many "
    "tokens outside mentions make agreement look high."
)


def coefficient_words() -> list[CoefficientWords]:
    """The words of every coefficient, over all tokens and over annotated ones.

    >>> [words.title for words in coefficient_words()][:2]
    ["Cohen's κ over tokens", "Cohen's κ over annotated tokens"]
    """
    return [
        CoefficientWords(
            words.name + suffix,
            f"{words.title} over {tokens}",
            f"{words.phrase}, over {tokens}",
            f"{words.definition} {_CLASS}{' ' + _OF_ANNOTATED if suffix else ''}",
        )
        for words in _COEFFICIENTS
        for suffix, tokens in (("", "tokens"), (ANNOTATED, "annotated tokens"))
    ]


class Clusters(NamedTuple):
    """The cluster of each unit, and the number of all clusters."""

    of_unit: Ints
    number: int

    def sums(self, values: Floats | Ints | Bools) -> Floats:
        """The sum of the values of the units of each cluster."""
        return np.asarray(np.bincount(self.of_unit, values, self.number), np.float64)

    def by_class(self, classes: Ints, n_classes: int) -> Floats:
        """The number of units of each class (clusters, classes)."""
        cells = self.of_unit * n_classes + classes
        counts = np.bincount(cells, minlength=self.number * n_classes)
        return counts.reshape(self.number, n_classes).astype(np.float64)

    def chosen(self, units: Bools) -> "Clusters":
        """The clusters of some units."""
        return Clusters(self.of_unit[units], self.number)


class Coefficient(NamedTuple):
    """The counts of a coefficient by cluster, its formula, and the number of units by cluster."""

    counts: Floats
    formula: Callable[[Floats], Floats]
    sizes: Floats

    @property
    def value(self) -> float:
        """The coefficient of all clusters; NaN if it is undefined."""
        return float(self.formula(self.counts.sum(axis=0)))

    @property
    def n(self) -> int:
        """The number of units."""
        return int(self.sizes.sum())

    @property
    def moves(self) -> Floats:
        """By cluster, the change of the value when the cluster is left out."""
        without = self.formula(self.counts.sum(axis=0) - self.counts)
        return np.nan_to_num(self.value - without)

    @property
    def interval(self) -> Interval:
        """The 95 % interval from the jackknife over clusters."""
        return bounds(self.value, self.moves, self.sizes, 2 * self.n, least=-1.0)


def cohen_kappa(first: Ints, second: Ints, clusters: Clusters, n_classes: int) -> Coefficient:
    """Cohen's κ of two annotators over the units that both saw.

    >>> units = Clusters(np.arange(4), 4)
    >>> cohen_kappa(np.array([0, 0, 1, 1]), np.array([0, 0, 1, 0]), units, 2).value
    0.5
    """
    both = (first != MISSING) & (second != MISSING)
    a, b, clusters = first[both], second[both], clusters.chosen(both)
    sizes = clusters.sums(np.ones(len(a)))
    columns = [
        sizes[:, None],
        clusters.sums(a == b)[:, None],
        clusters.by_class(a, n_classes),
        clusters.by_class(b, n_classes),
    ]
    return Coefficient(np.concatenate(columns, axis=1), _cohen_formula, sizes)


def _cohen_formula(counts: Floats) -> Floats:
    n, same = counts[..., 0], counts[..., 1]
    a, b = np.split(counts[..., 2:], 2, axis=-1)
    # With po = same / n and pe = Σ a·b / n², (po - pe) / (1 - pe), both sides times n².
    by_chance = (a * b).sum(axis=-1)
    return _ratio(n * same - by_chance, n * n - by_chance)


def fleiss_kappa(classes: Ints, clusters: Clusters, n_classes: int) -> Coefficient:
    """Fleiss' κ of the annotators (rows) over the units that all of them saw.

    >>> classes = np.array([[0, 0, 1, 1], [0, 1, 1, 1], [0, 0, 1, 1]])
    >>> round(fleiss_kappa(classes, Clusters(np.arange(4), 4), 2).value, 4)
    0.6571
    """
    seen = (classes != MISSING).all(axis=0)
    classes, clusters, m = classes[:, seen], clusters.chosen(seen), len(classes)
    sizes = clusters.sums(np.ones(classes.shape[1]))
    columns = [
        sizes[:, None],
        clusters.sums(_same_pairs(classes))[:, None],
        sum(clusters.by_class(row, n_classes) for row in classes),
    ]

    def formula(counts: Floats) -> Floats:
        n, same, by_class = counts[..., 0], counts[..., 1], counts[..., 2:]
        # With P = 2·same / (n·m·(m-1)) and Pe = Σ (c / (n·m))²: (P - Pe) / (1 - Pe).
        n_ratings = n * m
        by_chance = (by_class**2).sum(axis=-1)
        observed = 2 * same * n_ratings / (m - 1)
        return _ratio(observed - by_chance, n_ratings**2 - by_chance)

    return Coefficient(np.concatenate(columns, axis=1), formula, sizes)


def krippendorff_alpha(classes: Ints, clusters: Clusters, n_classes: int) -> Coefficient:
    """Krippendorff's α for nominal classes; annotators (rows) may have missed units.

    >>> classes = np.array([[0, 0, 1, MISSING], [0, 1, 1, 1], [0, 0, MISSING, 1]])
    >>> round(krippendorff_alpha(classes, Clusters(np.arange(4), 4), 2).value, 4)
    0.64
    """
    n_seen = (classes != MISSING).sum(axis=0)
    paired = n_seen > 1  # a unit that a single annotator saw cannot agree with anything
    classes, clusters, n_seen = classes[:, paired], clusters.chosen(paired), n_seen[paired]
    by_class = np.zeros((clusters.number, n_classes))
    for row in classes:
        present = row != MISSING
        by_class += clusters.chosen(present).by_class(row[present], n_classes)
    agreed = clusters.sums(2 * _same_pairs(classes) / (n_seen - 1))
    counts = np.concatenate([agreed[:, None], by_class], axis=1)
    return Coefficient(counts, _alpha_formula, clusters.sums(np.ones(len(n_seen))))


def _alpha_formula(counts: Floats) -> Floats:
    agreed, by_class = counts[..., 0], counts[..., 1:]
    n = by_class.sum(axis=-1)
    # 1 - Do / De with Do = (n - agreed) / n and De = (n² - Σ c²) / (n·(n-1)).
    different = n * n - (by_class**2).sum(axis=-1)
    return np.asarray(1.0 - _ratio((n - 1) * (n - agreed), different))


def _same_pairs(classes: Ints) -> Ints:
    """For each unit, the number of pairs of annotators who give it the same class."""
    same = np.zeros(classes.shape[1], np.int64)
    for a, b in combinations(classes, 2):
        same += (a == b) & (a != MISSING)
    return same


def _ratio(above: Floats, below: Floats) -> Floats:
    """The ratio; NaN where the denominator is 0, as for units that are all of one class."""
    known = below > 0
    return np.asarray(np.where(known, above / np.where(known, below, 1.0), np.nan))


def bounds(
    value: float, moves: Floats, sizes: Floats, most: float, *, least: float = 0.0
) -> Interval:
    """The 95 % interval of a number between `least` and 1, from its moves by cluster.

    It is Wilson's interval with Student's quantile, as for scores, so it stays within the range and
    has a width even if all clusters agree. `sizes` are the units of each cluster, `most` is the
    largest number of independent units.

    >>> low, high = bounds(0.5, np.array([0.1, -0.1, 0.1, -0.1]), np.ones(4), 100)
    >>> round(low, 2), round(high, 2)
    (0.13, 0.87)
    """
    spread = jackknife_spread(moves, sizes)
    if np.isnan(value) or spread is None:
        return None
    width = 1.0 - least
    share = (value - least) / width
    columns = share, spread.variance / width**2, most, spread.clusters, spread.quantile
    below, above = score_distances(*(np.array([column], np.float64) for column in columns))
    return rounded(value - below[0] * width), rounded(value + above[0] * width)


def rounded(bound: float) -> float:
    """A bound with six digits, so that it is the same on all machines.

    >>> rounded(-1e-17)
    0.0
    """
    return round(float(bound), _DIGITS) + 0.0  # + 0.0 turns -0.0 into 0.0


class Spread(NamedTuple):
    """How far a number varies: its jackknife variance, the clusters, and Student's quantile."""

    variance: float
    clusters: int
    quantile: float


def jackknife_spread(moves: Floats, sizes: Floats) -> Spread | None:
    """The spread of a number from its moves by cluster; None with units in fewer than two."""
    clusters = int((sizes > 0).sum())
    if clusters < 2:
        return None
    # Kish (1965): the effective number of clusters of unequal sizes.
    degrees = max(0.0, float(sizes.sum() ** 2 / (sizes**2).sum()) - 1)
    quantile = quantiles(np.array([_ALPHA]), np.array([degrees]))[0, 0]
    return Spread(float(moves @ moves) * (1 - 1 / clusters), clusters, float(quantile))
