"""Every number of a facet from its counts: one corpus or ten thousand resamples of it, it is the
same arithmetic.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from nerscope.corpus.arrays import Floats
from nerscope.scoring.evidence import Division
from nerscope.scoring.metrics import LEVEL_METRICS, METRICS, filled


class Number(NamedTuple):
    """A level, a type (None for all together), a metric, its value and its denominator; arrays if
    counts were.
    """

    level: str
    type: int | None
    metric: str
    value: Floats
    n: Floats


def numbers(
    division: Division, counts: Floats, types: Sequence[int], zero_division: float | None = None
) -> Iterator[Number]:
    """The numbers made of counts (…, levels, types, 4)."""
    for metric in division.metrics:
        if metric in LEVEL_METRICS:
            pooled = counts.sum(axis=-2)
            by_level = {level: pooled[..., place, :] for place, level in enumerate(division.levels)}
            for level, (value, n) in LEVEL_METRICS[metric](by_level).items():
                yield Number(level, None, metric, filled(value, zero_division), n)
            continue
        rule = METRICS[metric]
        whole = rule.value(counts, zero_division)
        sizes = counts[..., rule.column]
        single = division.by_type and rule.average == "micro"
        by_type = rule.value(counts[..., None, :], zero_division) if single else whole
        for place, level in enumerate(division.levels):
            yield Number(level, None, metric, whole[..., place], sizes[..., place, :].sum(axis=-1))
            for kind in types if single else ():
                yield Number(
                    level, kind, metric, by_type[..., place, kind], sizes[..., place, kind]
                )
