"""Summaries of scores and of differences between systems, over runs and over datasets."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from nerscope.errors import UsageError
from nerscope.results.families import PRIMARY
from nerscope.results.protocol import DECIDING, DRAWN, Protocol
from nerscope.results.results import Results
from nerscope.results.rows import (
    ComparisonRow,
    RankRow,
    ResultRow,
    Row,
    or_nan,
    row_value,
    scale_of,
)
from nerscope.results.shared_texts import SharedTexts, shared_texts, why_refused
from nerscope.scoring.metrics import metric_named
from nerscope.stats.across import (
    Numbers,
    beaten_at_bonferroni,
    beaten_on,
    mean_ranks,
    resampled_t,
    sign_test,
    signed_rank,
)
from nerscope.stats.bayes import correlated_t_probabilities, signed_rank_probabilities
from nerscope.stats.corrections import SIGNIFICANT, correct_p_values, single_level
from nerscope.stats.dataset_means import (
    DatasetDifference,
    MeanDifference,
    RunScores,
    ScoreMean,
    fixed_mean,
    mean_of_drawn,
    score_mean,
    share_runs,
)
from nerscope.stats.run_order import (
    FEWEST_RUNS_OF_ORDER,
    Violation,
    almost_stochastic_order,
    next_run_better,
)
from nerscope.stats.system_differences import agree_with_test

_Cell = tuple[str, str, str, str, str]  # unit, facet, level, match, metric


@dataclass(frozen=True, slots=True, eq=False)
class AverageRow(ResultRow):
    """The mean of one number of a system over datasets."""

    system: str
    unit: str
    facet: str
    level: str
    match: str
    metric: str
    over: str  # the relation between datasets
    datasets: list[str]
    value: float
    std: float
    n: int
    low: float | None  # for these datasets
    high: float | None
    low_drawn: float | None  # for other datasets like these
    high_drawn: float | None


def average_rows(results: Results) -> list[AverageRow]:
    """The mean of each number over two or more datasets that all systems have.

    `low` and `high` are bounds for these datasets, `low_drawn` and `high_drawn` for other datasets
    like these. Splits have only `low` and `high`, which account for their overlap. For other
    datasets, the bounds allow for the same trained models on several datasets. Datasets that share
    too many texts have no bounds.
    """
    protocol = results.protocol or Protocol()
    texts = [] if protocol.are_splits else shared_texts(results.evidence)
    cells: dict[_Cell, dict[str, dict[str, Row]]] = {}
    runs: dict[tuple[_Cell, str, str], list[float]] = {}
    for row in results.rows:
        if row.type is None:
            cell = (row.unit, row.facet, row.level, row.match, row.metric)
            if row.run is not None:
                scores = runs.setdefault((cell, row.dataset, row.system), [])
                scores.append(or_nan(row.value))
            elif row.value is not None:
                cells.setdefault(cell, {}).setdefault(row.dataset, {})[row.system] = row
    return [
        average
        for cell, by_dataset in cells.items()
        for average in _averages(cell, by_dataset, runs, protocol, texts)
    ]


def _averages(
    cell: _Cell,
    by_dataset: dict[str, dict[str, Row]],
    runs: dict[tuple[_Cell, str, str], list[float]],
    protocol: Protocol,
    texts: Sequence[SharedTexts],
) -> Iterator[AverageRow]:
    """One row for each system, over the datasets on which all systems have the number."""
    systems = list(dict.fromkeys(name for by_system in by_dataset.values() for name in by_system))
    shared = [name for name, by_system in by_dataset.items() if len(by_system) == len(systems)]
    if len(shared) < 2:
        return
    for system in systems:
        rows = [by_dataset[name][system] for name in shared]
        values = [or_nan(row.value) for row in rows]
        of_runs: list[RunScores] = [(runs.get((cell, name, system), []),) for name in shared]
        bounds = ScoreMean(*[np.nan] * 4)
        if not why_refused(texts, shared):
            bounds = _mean_bounds(rows, values, of_runs, protocol)
        if metric_named(cell[-1]).is_fraction:
            bounds = ScoreMean(*(float(np.clip(bound, 0, 1)) for bound in bounds))
        yield AverageRow(
            system,
            *cell,
            protocol.datasets,
            shared,
            float(np.mean(values)),
            float(np.std(values, ddof=1)),
            round(float(np.mean([row.n for row in rows]))),
            *map(row_value, bounds),
        )


def _mean_bounds(
    rows: Sequence[Row], values: Numbers, runs: Sequence[RunScores], protocol: Protocol
) -> ScoreMean:
    if protocol.ratio is not None:
        mean = resampled_t(values, protocol.ratio)
        return ScoreMean(mean.low, mean.high, np.nan, np.nan)
    lows, highs = [or_nan(row.low) for row in rows], [or_nan(row.high) for row in rows]
    return score_mean(values, lows, highs, runs)


@dataclass(frozen=True, slots=True, eq=False)
class RunsRow(ResultRow):
    """Two systems by their single runs.

    `next_run_better` is the probability that A's next run beats B's next run. `violation`, if
    requested and if each side has 10 runs, measures almost stochastic order: 0 if A beats B at
    every quantile, 1 if B beats A at every quantile.
    """

    dataset: str
    system_a: str
    system_b: str
    match: str
    metric: str
    runs_a: list[float | None]
    runs_b: list[float | None]
    next_run_better: float | None
    next_run_low: float | None
    next_run_high: float | None
    violation: float | None
    violation_low: float | None
    violation_high: float | None


_NO_ORDER = Violation(float("nan"), float("nan"), float("nan"))


def runs_rows(rows: Iterable[ComparisonRow], stochastic_order: bool = False) -> Iterator[RunsRow]:
    """One row for each comparison of recipes by a metric that has a better direction."""
    for row in rows:
        sign = metric_named(row.metric).better
        if row.runs_a is None or row.runs_b is None or sign == 0:
            continue
        ours = [sign * score for score in row.runs_a if score is not None]
        theirs = [sign * score for score in row.runs_b if score is not None]
        chance, order = next_run_better(ours, theirs), _NO_ORDER
        if stochastic_order and _has_order(row):
            order = almost_stochastic_order(ours, theirs)
        yield RunsRow(
            dataset=row.dataset,
            system_a=row.system_a,
            system_b=row.system_b,
            match=row.match,
            metric=row.metric,
            runs_a=row.runs_a,
            runs_b=row.runs_b,
            next_run_better=row_value(chance.value),
            next_run_low=row_value(chance.low),
            next_run_high=row_value(chance.high),
            violation=row_value(order.value),
            violation_low=row_value(order.low),
            violation_high=row_value(order.high),
        )


def _has_order(row: ComparisonRow) -> bool:
    return min(len(row.runs_a or ()), len(row.runs_b or ())) >= FEWEST_RUNS_OF_ORDER


def stochastic_order_notes(primary: Sequence[ComparisonRow]) -> list[str]:
    """Notes on pairs with too few runs for almost stochastic order; an error if all have."""
    lacking = dict.fromkeys(row.pair for row in primary if not _has_order(row))
    needed = f"almost stochastic order needs {FEWEST_RUNS_OF_ORDER} runs of each system"
    if lacking and not any(map(_has_order, primary)):
        raise UsageError(
            "stochastic_order",
            f"{needed}, and no pair has so many",
            "evaluate more runs, or leave it out: the column 'next run' works with fewer",
        )
    return [f"{a} and {b}: {needed}" for a, b in lacking]


Rows = Sequence[ComparisonRow]
_P_VALUES = ("p_fixed", "p_drawn", "p_resampled", "p_sign", "p_wilcoxon")


@dataclass(frozen=True, slots=True, eq=False)
class DatasetsRow(ResultRow):
    """Two systems over several datasets, by one metric.

    `over` is the relation between datasets; numbers that need another relation are None.
    """

    system_a: str
    system_b: str
    unit: str
    facet: str
    level: str
    type: str | None
    match: str
    metric: str
    family: str  # p-values are corrected within it
    over: str
    datasets: list[str]
    difference: float | None  # the mean over datasets
    ahead: int  # datasets on which A is better, significantly or not
    behind: int
    refused: str | None = None  # why datasets are not independent, if so
    share_runs: bool = False  # whether datasets may share trained models
    low: float | None = None
    high: float | None = None
    # For independent datasets: bounds for others like these, and significant wins and losses.
    low_drawn: float | None = None
    high_drawn: float | None = None
    better_on: int | None = None
    worse_on: int | None = None
    # For splits of one corpus:
    splits: int | None = None
    ratio: float | None = None
    alpha: float | None = None
    beats_on: int | None = None
    loses_on: int | None = None
    # With a region of practical equivalence, in points: the probabilities that A is better, that
    # both are equivalent, and that B is better.
    rope: float | None = None
    probability_better: float | None = None
    probability_equivalent: float | None = None
    probability_worse: float | None = None
    # p-values, followed by the values corrected over the cells and pairs of the family:
    p_fixed: float | None = None
    p_drawn: float | None = None
    p_resampled: float | None = None
    p_sign: float | None = None
    p_wilcoxon: float | None = None
    p_fixed_corrected: float | None = None
    p_drawn_corrected: float | None = None
    p_resampled_corrected: float | None = None
    p_sign_corrected: float | None = None
    p_wilcoxon_corrected: float | None = None

    @property
    def pair(self) -> tuple[str, str]:
        """The names of both systems."""
        return self.system_a, self.system_b


class Rope(NamedTuple):
    """A region of practical equivalence, in points, and the draws for its probabilities."""

    points: float
    samples: int
    seed: int


def datasets_rows(
    compared: Rows,
    correction: str,
    protocol: Protocol | None = None,
    shared: Sequence[SharedTexts] = (),
    rope: Rope | None = None,
) -> list[DatasetsRow]:
    """One row for each metric of a pair that was compared on two or more datasets.

    The fields depend on the relation between datasets. Those that assume independence are undefined
    for splits and for datasets that share too many texts. p-values are corrected over all cells and
    pairs of a family; the primary family has one cell, so only over pairs. Its intervals hold for
    all pairs at once, and exclude 0 exactly if the corrected p-value is below 0.05.
    """
    protocol = protocol or Protocol()
    by_cell: dict[tuple[object, ...], list[ComparisonRow]] = {}
    for row in compared:
        if row.difference is not None:
            cell = (row.unit, row.facet, row.level, row.type, row.match, row.metric)
            by_cell.setdefault((cell, row.pair), []).append(row)
    n_datasets = len({row.dataset for row in compared})
    several = [rows for rows in by_cell.values() if len(rows) > 1]
    primary = sum(rows[0].family == PRIMARY for rows in several)
    joint = single_level(primary, correction)
    summaries = [
        _over_datasets(
            rows, protocol, n_datasets, shared, joint if rows[0].family == PRIMARY else SIGNIFICANT
        )
        for rows in several
    ]
    if rope is not None:
        both = zip(summaries, several, strict=True)
        summaries = [_with_rope(summary, rows, rope) for summary, rows in both]
    families: dict[str, list[int]] = {}
    for at, summary in enumerate(summaries):
        families.setdefault(summary.family, []).append(at)
    for places in families.values():
        for at, corrected in zip(
            places, _corrected([summaries[at] for at in places], correction), strict=True
        ):
            summaries[at] = replace(summaries[at], **corrected)
    return [_agreeing(row) if row.family == PRIMARY else row for row in summaries]


def _agreeing(row: DatasetsRow) -> DatasetsRow:
    """The row, with intervals that exclude 0 exactly if the corrected p-value is below 0.05."""
    agreeing = dict[str, Any]()
    for test in (DECIDING[row.over], DECIDING[DRAWN]):
        p = getattr(row, f"{test.p}_corrected")
        low, high = (or_nan(getattr(row, name)) for name in (test.low, test.high))
        bounds = agree_with_test(or_nan(row.difference), low, high, or_nan(p), SIGNIFICANT)
        if p is not None and bounds is not None:
            agreeing |= {test.low: bounds[0], test.high: bounds[1]}
    return replace(row, **agreeing) if agreeing else row


def _with_rope(summary: DatasetsRow, rows: Rows, rope: Rope) -> DatasetsRow:
    """Add the probabilities that A is better, equivalent, or worse (Benavoli et al. 2017)."""
    if summary.refused:
        return replace(summary, rope=rope.points)
    metric = metric_named(summary.metric)
    gains = [metric.gain(or_nan(row.difference)) for row in rows]
    within = rope.points / scale_of(metric.name)
    found = (
        signed_rank_probabilities(np.round(gains, 12), within, rope.samples, rope.seed)
        if summary.ratio is None
        else correlated_t_probabilities(gains, within, summary.ratio)
    )
    return replace(
        summary,
        rope=rope.points,
        probability_better=row_value(found.better),
        probability_equivalent=row_value(found.equivalent),
        probability_worse=row_value(found.worse),
    )


def _corrected(family: Sequence[DatasetsRow], correction: str) -> list[dict[str, Any]]:
    """The corrected p-values of each row of a family, by field."""
    columns = {
        f"{name}_corrected": correct_p_values(
            [or_nan(getattr(row, name)) for row in family], correction
        )
        for name in _P_VALUES
    }
    return [
        {name: row_value(column[at]) for name, column in columns.items()}
        for at in range(len(family))
    ]


def _over_datasets(
    rows: Rows,
    protocol: Protocol,
    n_datasets: int,
    shared: Sequence[SharedTexts],
    alpha: float,
) -> DatasetsRow:
    metric = metric_named(rows[0].metric)
    differences = [or_nan(row.difference) for row in rows]
    gains = [metric.gain(difference) for difference in differences]
    first = rows[0]
    summary = DatasetsRow(
        system_a=first.system_a,
        system_b=first.system_b,
        unit=first.unit,
        facet=first.facet,
        level=first.level,
        type=first.type,
        match=first.match,
        metric=metric.name,
        family=first.family,
        over=protocol.datasets,
        datasets=[row.dataset for row in rows],
        difference=row_value(float(np.mean(differences))),
        ahead=sum(gain > 0 for gain in gains),
        behind=sum(gain < 0 for gain in gains),
    )
    if protocol.ratio is not None:
        return _with_splits(summary, rows, differences, gains, protocol.ratio, n_datasets, alpha)
    refused = why_refused(shared, summary.datasets)
    if refused:
        return replace(summary, refused=refused)
    return _with_domains(summary, rows, gains, alpha)


def _with_domains(summary: DatasetsRow, rows: Rows, gains: Numbers, alpha: float) -> DatasetsRow:
    """Add the fields for independent datasets: for these datasets, and for others like them.

    `better_on` is a lower 95 % bound on the number of datasets on which A is better (partial
    conjunction, Dror et al. 2017). Runs may be the same trained models on all datasets, so the
    p-values of datasets may be dependent. Then Bonferroni's bound is valid, but Fisher's
    combination, the sign test and the signed-rank test are not.
    """
    better = [_one_sided(row.p, gain) for row, gain in zip(rows, gains, strict=True)]
    worse = [_one_sided(row.p, -gain) for row, gain in zip(rows, gains, strict=True)]
    parts = [_parts(row) for row in rows]
    shared = share_runs(parts)
    combined = "bonferroni" if shared else "fisher"
    these = _within_scale(fixed_mean(parts, alpha), rows[0].metric)
    others = mean_of_drawn(parts, alpha)
    return replace(
        summary,
        share_runs=shared,
        low=row_value(these.low),
        high=row_value(these.high),
        p_fixed=row_value(these.p),
        low_drawn=row_value(others.low),
        high_drawn=row_value(others.high),
        p_drawn=row_value(others.p),
        better_on=beaten_on(better, method=combined),
        worse_on=beaten_on(worse, method=combined),
        p_sign=None if shared else row_value(sign_test(gains)),
        # Rounding keeps ties that differ only in their last bits.
        p_wilcoxon=None if shared else row_value(signed_rank(np.round(gains, 12))),
    )


def _parts(row: ComparisonRow) -> DatasetDifference:
    if row.parts is None or row.low is None:  # without an interval, the variance is unknown
        return DatasetDifference(or_nan(row.difference), np.nan, np.nan, 1.0)
    return row.parts


def _within_scale(mean: MeanDifference, metric: str) -> MeanDifference:
    if not metric_named(metric).is_fraction:
        return mean
    return mean._replace(low=max(mean.low, -1.0), high=min(mean.high, 1.0))


def _with_splits(
    summary: DatasetsRow,
    rows: Rows,
    differences: Numbers,
    gains: Numbers,
    ratio: float,
    n_splits: int,
    alpha: float,
) -> DatasetsRow:
    """Add the fields for overlapping splits: `beats_on`, the number on which A is significantly
    better at alpha divided by the number of splits (Gorman and Bedrick 2019), and the test of the
    mean (Nadeau and Bengio 2003).

    Splits without numbers of the pair count as splits, too.
    """
    missing = n_splits - len(rows)
    p_values = [*(or_nan(row.p) for row in rows), *[np.nan] * missing]
    beaten = beaten_at_bonferroni(p_values, [*gains, *[0.0] * missing])
    mean = resampled_t(differences, ratio, alpha)
    return replace(
        summary,
        low=row_value(mean.low),
        high=row_value(mean.high),
        splits=n_splits,
        ratio=ratio,
        alpha=SIGNIFICANT,
        beats_on=beaten.better,
        loses_on=beaten.worse,
        p_resampled=row_value(mean.p),
    )


def _one_sided(p: float | None, gain: float) -> float:
    """The one-sided p-value of "A is not better"; 1 if there was no test."""
    if p is None:
        return 1.0
    return p / 2 if gain > 0 else 1 - p / 2


def rank_rows(primary: Rows) -> list[RankRow]:
    """The mean rank of each system over the datasets that all of them have (Demšar 2006)."""
    scores: dict[str, dict[str, float]] = {}
    for row in primary:
        for system, score in ((row.system_a, row.a), (row.system_b, row.b)):
            if score is not None:
                scores.setdefault(row.dataset, {})[system] = score
    systems = list(dict.fromkeys(name for by_system in scores.values() for name in by_system))
    if len(scores) < 2 or len(systems) < 2:
        return []
    table = np.array(
        [[by_system.get(name, np.nan) for name in systems] for by_system in scores.values()]
    )
    ranking = mean_ranks(table, metric_named(primary[0].metric).better > 0)
    rows = [
        RankRow(name, row_value(float(rank)), ranking.datasets)
        for name, rank in zip(systems, ranking.ranks, strict=True)
    ]
    return sorted(rows, key=lambda row: row.rank or np.inf)
