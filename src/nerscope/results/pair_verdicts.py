"""Is A better than B: the verdict on each pair of systems, which all surfaces share."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

from nerscope.results.compare import (
    ABOUT_OUTPUTS,
    ABOUT_RECIPES,
    LOSS,
    UNDECIDED,
    WIN,
    Comparison,
    standing,
)
from nerscope.results.over_datasets import DatasetsRow
from nerscope.results.protocol import DECIDING
from nerscope.results.rows import ComparisonRow, Gain, ResultRow, gain_of, or_nan

VerdictWord = Literal["better", "worse", "no clear difference", "not tested"]
BETTER: Final = "better"
WORSE: Final = "worse"
NO_CLEAR_DIFFERENCE: Final = "no clear difference"
NOT_TESTED: Final = "not tested"
_WORDS: dict[str, VerdictWord] = {WIN: BETTER, LOSS: WORSE, UNDECIDED: NO_CLEAR_DIFFERENCE}


@dataclass(frozen=True, slots=True, eq=False)
class PairVerdict(ResultRow):
    """Whether A is better than B by the primary metric.

    `dataset` is None for the verdict over `datasets`; `a` and `b` are then means. `p` stands alone.
    `p_corrected` is corrected for all `tests` of the comparison. The verdict rests on it, and the
    interval excludes 0 exactly if it is below 0.05.
    """

    dataset: str | None
    datasets: list[str]
    system_a: str
    system_b: str
    metric: str
    a: float | None
    b: float | None
    difference: float | None  # A minus B
    low: float | None
    high: float | None
    p: float | None
    p_corrected: float | None
    tests: int
    verdict: VerdictWord  # on A
    about: str
    untested: str | None  # why p is missing
    detectable: float | None  # the true difference that is found with 80 % power
    row: ComparisonRow | DatasetsRow  # all numbers; not in `as_dict`

    def as_dict(self) -> dict[str, object]:
        """The verdict as a JSON object."""
        plain = ResultRow.as_dict(self)
        del plain["row"]
        return plain

    @property
    def pair(self) -> tuple[str, str]:
        """The names of both systems."""
        return self.system_a, self.system_b

    @property
    def is_decided(self) -> bool:
        """Whether one of the systems is better."""
        return self.verdict in (BETTER, WORSE)

    @property
    def order(self) -> tuple[str, str]:
        """Both systems as a sentence names them: the better one first."""
        return self.pair[::-1] if self.verdict == WORSE else self.pair

    @property
    def scores(self) -> tuple[float | None, float | None]:
        """The scores of both systems in this order."""
        return (self.b, self.a) if self.verdict == WORSE else (self.a, self.b)

    @property
    def gain(self) -> Gain:
        """The difference in favour of the system that is named first."""
        gain = gain_of(self.metric, self.difference, self.low, self.high)
        return gain.reversed() if self.verdict == WORSE else gain


def pair_verdicts(comparison: Comparison) -> list[PairVerdict]:
    """The verdict on each pair: over all datasets, if there are several, then on each dataset."""
    return [*verdicts_over_datasets(comparison), *verdicts_by_dataset(comparison)]


def verdicts_by_dataset(comparison: Comparison) -> list[PairVerdict]:
    """The verdicts on each dataset."""
    tests = sum(row.p is not None for row in comparison.primary)
    return [dataset_verdict(row, tests) for row in comparison.primary]


def dataset_verdict(row: ComparisonRow, tests: int = 1) -> PairVerdict:
    """The verdict of a row of the primary family."""
    return PairVerdict(
        dataset=row.dataset,
        datasets=[row.dataset],
        system_a=row.system_a,
        system_b=row.system_b,
        metric=row.metric,
        a=row.a,
        b=row.b,
        difference=row.difference,
        low=row.low,
        high=row.high,
        p=row.p,
        p_corrected=row.p_corrected,
        tests=tests,
        verdict=_verdict(row.metric, row.difference, row.p, row.p_corrected),
        about=row.about,
        untested=row.untested,
        detectable=row.detectable,
        row=row,
    )


def verdicts_over_datasets(comparison: Comparison) -> list[PairVerdict]:
    """The verdicts over all datasets, by the test that fits the relation between datasets."""
    rows = comparison.over_datasets(every=False)
    about = _about_pairs(comparison)
    tests = sum(getattr(row, DECIDING[row.over].p) is not None for row in rows)
    return [
        _over_verdict(row, _scores_on(comparison.primary, row), about[row.pair], tests)
        for row in rows
    ]


def _over_verdict(
    row: DatasetsRow, scores: tuple[float, float], about: str, tests: int
) -> PairVerdict:
    deciding = DECIDING[row.over]
    p, corrected = getattr(row, deciding.p), getattr(row, f"{deciding.p}_corrected")
    return PairVerdict(
        dataset=None,
        datasets=row.datasets,
        system_a=row.system_a,
        system_b=row.system_b,
        metric=row.metric,
        a=scores[0],
        b=scores[1],
        difference=row.difference,
        low=getattr(row, deciding.low),
        high=getattr(row, deciding.high),
        p=p,
        p_corrected=corrected,
        tests=tests,
        verdict=_verdict(row.metric, row.difference, p, corrected),
        about=about,
        untested=row.refused or (deciding.untested if p is None else None),
        detectable=None,
        row=row,
    )


def _verdict(
    metric: str, difference: float | None, p: float | None, p_corrected: float | None
) -> VerdictWord:
    if p is None:
        return NOT_TESTED
    return _WORDS[standing(metric, or_nan(difference), p_corrected)]


def _scores_on(primary: Sequence[ComparisonRow], over: DatasetsRow) -> tuple[float, float]:
    """The mean scores of a pair over the datasets of a row."""
    rows = [row for row in primary if row.pair == over.pair and row.dataset in over.datasets]
    sums = sum(or_nan(row.a) for row in rows), sum(or_nan(row.b) for row in rows)
    return sums[0] / len(rows), sums[1] / len(rows)


def _about_pairs(comparison: Comparison) -> dict[tuple[str, str], str]:
    """By pair: whether the answer over datasets is about methods or about outputs alone.

    Each split has its own training run, so that splits are about methods whatever their number
    of runs; of other datasets, each must have several.
    """
    about: dict[tuple[str, str], str] = {}
    are_splits = comparison.protocol is not None and comparison.protocol.are_splits
    for row in comparison.primary:
        is_method = are_splits or (
            row.about == ABOUT_RECIPES and about.get(row.pair) != ABOUT_OUTPUTS
        )
        about[row.pair] = ABOUT_RECIPES if is_method else ABOUT_OUTPUTS
    return about
