"""Numbers made of counts: a metric says all about itself, and works on every facet and resample.

A metric is a value: it prints as it is written (`f(beta=0.5)`), reads back as itself, and tells
whoever asks whether higher is better, whether it is a share, and what it needs to be counted.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np

from nerscope.corpus.arrays import Floats
from nerscope.corpus.units import TOKEN
from nerscope.errors import UsageError
from nerscope.plugins import user_code
from nerscope.registry import FactoryRegistry, name_with_options
from nerscope.scoring.counts import Counts, filled, ratio

Formula = Callable[[Counts], Floats]
Known = dict[Formula, Floats]  # what formulas gave for some counts
LevelCounts = Mapping[str, Counts]
LevelNumbers = Mapping[str, tuple[Floats, Floats]]
LevelFormula = Callable[[LevelCounts, float | None], LevelNumbers]
MICRO, MACRO, WEIGHTED = "micro", "macro", "weighted"
HIGHER, LOWER, NEITHER = 1, -1, 0
SHARE, MEAN, COUNT, FREE = "share", "mean", "count", "free"


class Numbers(NamedTuple):
    """The numbers of a facet: levels, and arrays (…, levels, 1 + types) of values and denominators.

    The first type is all of them together; the others are there only if the metric goes by type.
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

    `n` is the denominator that rows show; `average` is "micro" (add the types up, then compute),
    "macro" or "weighted" (compute for each type, then average). `better` is 1 if higher is better,
    -1 if lower is, 0 if neither. Its `kind` is "share" (of units, between 0 and 1), "mean" (of
    shares), "count", or "free" (any number). `needs_pairs`: it asks for the columns about pairs.
    """

    name: str
    formula: Formula
    n: Formula = gold_units
    average: str = MICRO
    better: int = HIGHER
    kind: str = SHARE
    needs_pairs: bool = False
    unit: str | None = None  # the only kind of unit it is about
    mean_of_levels: tuple[str, ...] = ()  # it is the plain mean of its formula on these

    def __str__(self) -> str:
        return self.name

    def __post_init__(self) -> None:
        for name, known in _CHOICES.items():
            if getattr(self, name) not in known:
                raise UsageError(
                    f"metric '{self.name}'",
                    f"{name}={getattr(self, name)!r} cannot be",
                    f"choose from {', '.join(map(str, known))}",
                )

    @property
    def is_fraction(self) -> bool:
        """Whether it lies between 0 and 1, and is shown in percent."""
        return self.kind in (SHARE, MEAN)

    @property
    def is_mean_of_types(self) -> bool:
        """Whether it is the plain mean of what its formula gives for each type."""
        return self.average == MACRO

    def shares(self, counts: Floats, zero_division: float | None = None) -> Floats:
        """What the formula gives for counts (…, columns), before any average."""
        return filled(self._computed(counts), zero_division)

    def gain(self, difference: float) -> float:
        """A difference, positive if it is for the better; 0 if neither side is the better one."""
        return self.better * difference + 0.0  # never minus zero

    def value(self, counts: Floats, zero_division: float | None = None) -> Floats:
        """The number from counts (…, types, columns); NaN where it is undefined."""
        if self.average == MICRO:
            return filled(self._computed(counts.sum(axis=-2)), zero_division)
        values = filled(self._computed(counts), zero_division)
        return self._averaged(values, counts[..., 0], zero_division)

    def _averaged(self, values: Floats, gold: Floats, zero_division: float | None) -> Floats:
        """The mean over types; the undefined has no share in it."""
        defined = values == values
        weights = gold * defined if self.average == WEIGHTED else defined.astype(np.float64)
        weighted = np.where(defined, values, 0.0) * weights
        return filled(ratio(weighted.sum(axis=-1), weights.sum(axis=-1)), zero_division)

    def _computed(self, counts: Floats) -> Floats:
        with user_code(f"metric '{self.name}'"):
            values = np.asarray(self.formula(Counts(counts)), np.float64)
        if values.shape != counts.shape[:-1]:
            raise UsageError(
                f"metric '{self.name}'",
                f"its formula gives shape {values.shape} for counts of shape {counts.shape}",
                "return one number for each entry; the last axis of counts holds the columns",
            )
        if self.is_fraction and np.nanmax(values, initial=0.0) > 1 + 1e-9:
            raise UsageError(
                f"metric '{self.name}'",
                "its formula gives more than 1",
                'say kind="count" or kind="free" if it is no share',
            )
        if np.isinf(values).any():
            raise UsageError(
                f"metric '{self.name}'", "its formula gives infinity", "divide with nerscope.ratio"
            )
        return values

    def _sizes(self, counts: Floats) -> Floats:
        """The denominators, refused if they are not one number for each entry."""
        with user_code(f"metric '{self.name}'"):
            sizes = np.asarray(self.n(Counts(counts)), np.float64)
            if sizes.shape != counts.shape[:-1] or not np.isfinite(sizes).all():
                raise ValueError("n is not one finite number for each entry")
        return sizes

    def numbers(
        self,
        levels: Sequence[str],
        counts: Floats,
        zero_division: float | None = None,
        known: Known | None = None,
    ) -> Numbers:
        """The numbers of all levels, from counts (…, levels, 1 + types, columns).

        The first type is the sum of the others, which may be missing. `known` keeps what formulas
        gave for these counts: a metric and its averages share one.
        """
        known = {} if known is None else known
        if self.formula not in known:
            known[self.formula] = filled(self._computed(counts), zero_division)
        values, sizes = known[self.formula], self._sizes(counts)
        if self.average == MICRO:
            return Numbers(levels, values, sizes)
        whole = self._averaged(values[..., 1:], counts[..., 1:, 0], zero_division)
        return Numbers(levels, whole[..., None], sizes[..., :1])


@dataclass(frozen=True, slots=True, eq=False)
class LevelMetric(Metric):
    """A metric that needs the levels of a facet together, such as the share of all errors."""

    over_levels: LevelFormula | None = None
    needs_levels: tuple[str, ...] = ("all",)

    def numbers(
        self,
        levels: Sequence[str],
        counts: Floats,
        zero_division: float | None = None,
        known: Known | None = None,
    ) -> Numbers:
        """The numbers that the formula over all levels gives."""
        assert self.over_levels is not None
        by_level = {level: Counts(counts[..., at, 0, :]) for at, level in enumerate(levels)}
        found = self.over_levels(by_level, zero_division)
        values, sizes = (
            np.stack([one[part] for one in found.values()], axis=-1)[..., None] for part in (0, 1)
        )
        return Numbers(list(found), filled(values, zero_division), sizes)


METRICS: FactoryRegistry[Metric] = FactoryRegistry("metric")


def metric_named(text: str) -> Metric:
    """The metric that a text names.

    >>> str(metric_named("f(beta=0.5)")), metric_named("ter").better
    ('f(beta=0.5)', -1)
    """
    return METRICS.make(text)


def register_metric(metric: Metric) -> Metric:
    """Make a metric known by its name.

    >>> def jaccard(counts):
    ...     return ratio(counts.hit_gold, counts.gold + counts.pred - counts.hit_gold)
    >>> register_metric(Metric("jaccard", jaccard)).name
    'jaccard'
    """
    METRICS.add(metric.name, lambda: metric)
    return metric


def precision(counts: Counts) -> Floats:
    """Credit over predictions."""
    return ratio(counts.hit_pred, counts.pred)


def recall(counts: Counts) -> Floats:
    """Credit over gold units."""
    return ratio(counts.hit_gold, counts.gold)


def f_score(counts: Counts, beta: float = 1.0) -> Floats:
    """The F score. Finding nothing scores 0; it is undefined only without gold and prediction.

    >>> f_score(Counts(np.array([[4.0, 2.0, 2.0, 2.0], [3.0, 0, 0, 0], [0, 0, 0, 0]]))).round(3)
    array([0.667, 0.   ,   nan])
    """
    p, r = _or_zero(counts.hit_pred, counts.pred), _or_zero(counts.hit_gold, counts.gold)
    weight = beta * beta
    score = _or_zero((1 + weight) * p * r, weight * p + r)
    score[counts.gold + counts.pred == 0] = np.nan
    return score


def _or_zero(numerator: Floats, denominator: Floats) -> Floats:
    """Divide; anything divided by nothing is 0."""
    quotient: Floats = np.zeros_like(numerator)
    np.divide(numerator, denominator, out=quotient, where=denominator > 0)
    return quotient


def errors(counts: Counts) -> Floats:
    """Gold units that got no credit."""
    return counts.gold - counts.hit_gold


def error_rate(counts: Counts) -> Floats:
    """Errors over gold units."""
    return ratio(errors(counts), counts.gold)


def _found(counts: Counts) -> Floats:
    return counts.correct + counts.partial


def error_share(levels: LevelCounts, zero_division: float | None) -> LevelNumbers:
    """Of all errors, the share that falls on each level."""
    total = errors(levels["all"])
    return {level: (ratio(errors(counts), total), total) for level, counts in levels.items()}


def hardeval(levels: LevelCounts, zero_division: float | None) -> LevelNumbers:
    """The mean of the error rates on unseen and on diff tokens, as the level `score`."""
    unseen, diff = levels["unseen"], levels["diff"]
    rates = [filled(error_rate(counts), zero_division) for counts in (unseen, diff)]
    return {"score": ((rates[0] + rates[1]) / 2, unseen.gold + diff.gold)}


def _f(beta: float = 1.0) -> Metric:
    if isinstance(beta, bool) or not 0 < beta < np.inf:
        raise UsageError("metric 'f'", f"beta={beta:g} cannot be", "give a number above 0")
    return Metric(name_with_options("f", beta=beta), partial(f_score, beta=beta))


def _built_in() -> Iterator[Metric]:
    plain = [
        Metric("precision", precision, predicted_units),
        Metric("recall", recall),
        Metric("f1", f_score),
    ]
    yield from plain
    for average in (MACRO, WEIGHTED):
        for one in plain:
            name = f"{average}_{one.name}"
            yield Metric(name, one.formula, one.n, average, kind=MEAN)
    yield Metric("f0.5", partial(f_score, beta=0.5))
    yield Metric("f2", partial(f_score, beta=2.0))
    yield Metric("accuracy", recall)
    yield Metric("ter", error_rate, better=LOWER, unit=TOKEN)
    yield LevelMetric(
        "error_share",
        error_rate,
        better=NEITHER,
        kind=MEAN,
        unit=TOKEN,
        over_levels=error_share,
    )
    yield LevelMetric(
        "hardeval",
        error_rate,
        better=LOWER,
        kind=MEAN,
        unit=TOKEN,
        over_levels=hardeval,
        needs_levels=("unseen", "diff"),
        mean_of_levels=("unseen", "diff"),
    )
    for name, formula, n in [
        ("correct", lambda counts: counts.correct, gold_units),
        ("partial", lambda counts: counts.partial, gold_units),
        ("incorrect", lambda counts: counts.incorrect, gold_units),
        ("missed", lambda counts: counts.gold - _found(counts) - counts.incorrect, gold_units),
        ("spurious", lambda counts: counts.pred - counts.paired, predicted_units),
    ]:
        yield Metric(name, formula, n, better=NEITHER, kind=COUNT, needs_pairs=True)
    yield Metric(
        "partial_share",
        lambda counts: ratio(counts.partial, _found(counts)),
        _found,
        better=NEITHER,
        needs_pairs=True,
    )


for _metric in _built_in():
    METRICS.add(_metric.name, lambda metric=_metric: metric, built_in=True)
METRICS.add("f", _f, built_in=True)
