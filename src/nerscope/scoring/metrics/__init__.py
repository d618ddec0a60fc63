"""Metrics: a formula over counts, with its properties and its words.

Counts are additive columns. There are four instead of tp, fp and fn, because the two sides of a
pair may be in different levels: under partial matching, a gold mention of two tokens may be paired
with a prediction of three. Metrics about pairs need four more columns.

The built-in metrics are the other modules of this package, one file per family; the registry
imports them. The text of a metric (`f(beta=0.5)`) can be parsed again, and a metric works on every
facet and every resample.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from nerscope.arguments import check_arguments
from nerscope.corpus.arrays import Floats
from nerscope.errors import UsageError
from nerscope.registry import FactoryRegistry, user_code


class Counts(NamedTuple):
    """An array whose last axis holds the columns; the other axes are levels, types, resamples …

    >>> counts = Counts(np.array([[4.0, 2.0, 3.0, 2.0]]))
    >>> counts.gold.tolist(), counts.hit_pred.tolist()
    ([4.0], [2.0])
    """

    array: Floats

    @property
    def gold(self) -> Floats:
        """The number of gold units."""
        return self.array[..., 0]

    @property
    def hit_gold(self) -> Floats:
        """The credit of gold units; 2.5 for two exact pairs and a partial pair of credit 0.5."""
        return self.array[..., 1]

    @property
    def pred(self) -> Floats:
        """The number of predicted units."""
        return self.array[..., 2]

    @property
    def hit_pred(self) -> Floats:
        """The credit of predicted units."""
        return self.array[..., 3]

    @property
    def correct(self) -> Floats:
        """Gold units whose pair is completely correct."""
        return self.array[..., 4]

    @property
    def partial(self) -> Floats:
        """Gold units whose pair is partially correct."""
        return self.array[..., 5]

    @property
    def incorrect(self) -> Floats:
        """Gold units whose pair is incorrect."""
        return self.array[..., 6]

    @property
    def paired(self) -> Floats:
        """Predicted units that have a pair."""
        return self.array[..., 7]


def ratio(numerator: Floats, denominator: Floats) -> Floats:
    """Divide; 0 / 0 is undefined (NaN).

    >>> ratio(np.array([1.0, 0.0]), np.array([2.0, 0.0])).tolist()
    [0.5, nan]
    """
    # full_like keeps the memory order of the counts, which keeps resamples next to each other.
    quotient: Floats = np.full_like(numerator, np.nan)
    np.divide(numerator, denominator, out=quotient, where=denominator > 0)
    return quotient


def filled(values: Floats, zero_division: float | None) -> Floats:
    """The values, with the undefined ones replaced by the user's `zero_division`."""
    return values if zero_division is None else np.where(np.isnan(values), zero_division, values)


# The names of metrics that other packages use; each is defined in a module of this package.
PRECISION, RECALL, F1 = "precision", "recall", "f1"
ACCURACY, TER, ERROR_SHARE, HARDEVAL = "accuracy", "ter", "error_share", "hardeval"
SCORE_NAMES = (PRECISION, RECALL, F1)

Formula = Callable[[Counts], Floats]
LevelCounts = Mapping[str, Counts]
LevelNumbers = Mapping[str, tuple[Floats, Floats]]  # by level: value and denominator
LevelFormula = Callable[[LevelCounts, float | None], LevelNumbers]
MICRO, MACRO, WEIGHTED = "micro", "macro", "weighted"
HIGHER, LOWER, NEITHER = 1, -1, 0
SHARE, MEAN, COUNT, FREE = "share", "mean", "count", "free"


class LevelValues(NamedTuple):
    """The numbers of a facet: levels, and arrays (…, levels, 1 + types) of values and denominators.

    Column 0 is for all types together. The other columns exist only for metrics by type.
    """

    levels: Sequence[str]
    values: Floats
    sizes: Floats


def gold_units(counts: Counts) -> Floats:
    """The denominator of recall and of most metrics."""
    return counts.gold


def predicted_units(counts: Counts) -> Floats:
    """The denominator of precision."""
    return counts.pred


_CHOICES: Mapping[str, tuple[object, ...]] = {
    "average": (MICRO, MACRO, WEIGHTED),
    "better": (HIGHER, LOWER, NEITHER),
    "kind": (SHARE, MEAN, COUNT, FREE),
}


@dataclass(frozen=True, slots=True, eq=False)
class Metric:
    """A number from counts.

    `formula` computes it from `Counts`, entry by entry; `n` computes the denominator that rows
    show. `average` is "micro" (add the types up, then compute), "macro" or "weighted" (compute for
    each type, then average). `better` is 1 if higher is better, -1 if lower is, 0 if neither.
    `kind` is "share" (of units, between 0 and 1), "mean" (of shares), "count", or "free" (any
    number). `needs_pairs` requests the columns about pairs. `title` names it in headings, `phrase`
    in sentences; `definition` explains it in a sentence or two.

    A metric with `over_levels` uses all levels of a facet at once, such as the share of all errors
    in each level; the facet must have `needs_levels`.

    A facet is judged by the metric with the highest `priority`.

    >>> def miss_rate(counts):
    ...     return ratio(counts.gold - counts.hit_gold, counts.gold)
    >>> metric = Metric("miss-rate", miss_rate, better=LOWER)
    >>> metric.value(np.array([[4.0, 3.0, 5.0, 3.0]])).tolist()  # one type: 3 of 4 found
    0.25
    """

    name: str
    formula: Formula
    n: Formula = gold_units
    average: str = MICRO
    better: int = HIGHER
    kind: str = SHARE
    needs_pairs: bool = False
    unit: str | None = None  # the only unit of the metric; None: any
    mean_of_levels: tuple[str, ...] = ()  # the plain mean of the formula on these levels
    over_levels: LevelFormula | None = None
    needs_levels: tuple[str, ...] = ()  # levels that the formula needs
    title: str = ""
    phrase: str = ""
    definition: str = ""
    priority: int = 0

    def __str__(self) -> str:
        return self.name

    def __post_init__(self) -> None:
        for name, choices in _CHOICES.items():
            if getattr(self, name) not in choices:
                raise UsageError(
                    f"metric '{self.name}'",
                    f"invalid value {name}={getattr(self, name)!r}",
                    f"choose from {', '.join(map(str, choices))}",
                )

    @property
    def is_over_levels(self) -> bool:
        """Whether the metric uses all levels of a facet at once, and has no numbers by type."""
        return self.over_levels is not None

    @property
    def is_fraction(self) -> bool:
        """Whether the metric is between 0 and 1, and shown in percent."""
        return self.kind in (SHARE, MEAN)

    @property
    def is_mean_of_types(self) -> bool:
        """Whether the metric is the plain mean of its formula over types."""
        return self.average == MACRO

    def shares(self, counts: Floats, zero_division: float | None = None) -> Floats:
        """The formula applied to counts (…, columns), before averaging."""
        return filled(self._computed(counts), zero_division)

    def gain(self, difference: float) -> float:
        """A difference, positive if it is better; 0 if the metric has no better direction."""
        return self.better * difference + 0.0  # + 0.0 turns -0.0 into 0.0

    def value(self, counts: Floats, zero_division: float | None = None) -> Floats:
        """The number from counts (…, types, columns); NaN if it is undefined."""
        if self.average == MICRO:
            return filled(self._computed(counts.sum(axis=-2)), zero_division)
        values = filled(self._computed(counts), zero_division)
        return self._averaged(values, counts[..., 0], zero_division)

    def _averaged(self, values: Floats, gold: Floats, zero_division: float | None) -> Floats:
        # A type without gold mentions and predictions has no value, and is not in the mean.
        defined = values == values  # false only for NaN
        weights = gold * defined if self.average == WEIGHTED else defined.astype(np.float64)
        weighted = np.where(defined, values, 0.0) * weights
        return filled(ratio(weighted.sum(axis=-1), weights.sum(axis=-1)), zero_division)

    def _computed(self, counts: Floats) -> Floats:
        values = np.asarray(self.formula(Counts(counts)), np.float64)
        if values.shape != counts.shape[:-1]:
            raise UsageError(
                f"metric '{self.name}'",
                f"its formula returns shape {values.shape} for counts of shape {counts.shape}",
                "return one number for each entry; the last axis of counts holds the columns",
            )
        if self.is_fraction and np.nanmax(values, initial=0.0) > 1 + 1e-9:
            raise UsageError(
                f"metric '{self.name}'",
                "its formula returns more than 1 for a share",
                'use kind="count" or kind="free"',
            )
        if np.isinf(values).any():
            raise UsageError(
                f"metric '{self.name}'",
                "its formula returns infinity",
                "divide with nerscope.ratio",
            )
        return values

    def _sizes(self, counts: Floats) -> Floats:
        """The denominators; raise a UsageError if they are not one number for each entry."""
        sizes = np.asarray(self.n(Counts(counts)), np.float64)
        if sizes.shape != counts.shape[:-1] or not np.isfinite(sizes).all():
            place = user_code(f"metric '{self.name}'")
            raise place.message("ValueError: n is not one finite number for each entry")
        return sizes

    def numbers(
        self,
        levels: Sequence[str],
        counts: Floats,
        zero_division: float | None = None,
        values: Floats | None = None,
    ) -> LevelValues:
        """The numbers of all levels, from counts (…, levels, 1 + types, columns).

        Column 0 of the types is the sum of the others, which may be missing. `values` is the result
        of `shares(counts, zero_division)`, if the caller has it: a metric and its averages share
        one formula.
        """
        if self.over_levels is not None:
            return self._numbers_over_levels(self.over_levels, levels, counts, zero_division)
        values = self.shares(counts, zero_division) if values is None else values
        sizes = self._sizes(counts)
        if self.average == MICRO:
            return LevelValues(levels, values, sizes)
        mean = self._averaged(values[..., 1:], counts[..., 1:, 0], zero_division)
        return LevelValues(levels, mean[..., None], sizes[..., :1])

    def _numbers_over_levels(
        self,
        over_levels: LevelFormula,
        levels: Sequence[str],
        counts: Floats,
        zero_division: float | None,
    ) -> LevelValues:
        by_level = {level: Counts(counts[..., at, 0, :]) for at, level in enumerate(levels)}
        numbers = over_levels(by_level, zero_division)
        values = np.stack([value for value, _ in numbers.values()], axis=-1)[..., None]
        sizes = np.stack([size for _, size in numbers.values()], axis=-1)[..., None]
        return LevelValues(list(numbers), filled(values, zero_division), sizes)


METRICS: FactoryRegistry[Metric] = FactoryRegistry("metric", package="nerscope.scoring.metrics")


def metric_named(text: str) -> Metric:
    """The metric of a text, such as `f(beta=0.5)`.

    >>> str(metric_named("f(beta=0.5)")), metric_named("ter").better
    ('f(beta=0.5)', -1)
    """
    return METRICS.instances.get(text) or METRICS.make(text)


def leading_metric(names: Sequence[str]) -> str:
    """The metric by which a facet is judged: the one of the highest priority, else the first.

    >>> leading_metric(["precision", "recall"]), leading_metric(["correct", "missed"])
    ('recall', 'correct')
    """
    return max(names, key=lambda name: metric_named(name).priority)


def add_built_in(metric: Metric, rank: int) -> Metric:
    """Register a built-in metric; `rank` is its position in listings."""
    METRICS.add(metric.name, lambda: metric, built_in=True, rank=rank)
    return metric


def register_metric(metric: Metric) -> Metric:
    """Register a metric by its name.

    >>> def jaccard(counts):
    ...     return ratio(counts.hit_gold, counts.gold + counts.pred - counts.hit_gold)
    >>> register_metric(Metric("jaccard", jaccard)).name
    'jaccard'
    """
    check_arguments(register_metric, locals())
    guarded = replace(
        metric, formula=_guard(metric.name, metric.formula), n=_guard(metric.name, metric.n)
    )
    METRICS.add(metric.name, lambda: guarded)
    return metric


def _guard(name: str, formula: Formula) -> Formula:
    """A user's formula; its errors are reported with the name of the metric.

    Built-in formulas are not guarded: they run tens of thousands of times in a comparison.
    """

    def guarded(counts: Counts) -> Floats:
        with user_code(f"metric '{name}'"):
            return np.asarray(formula(counts), np.float64)

    return guarded
