"""A ranking of systems on each dataset, and by the mean over datasets."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from nerscope.corpus.units import ALL
from nerscope.errors import UsageError
from nerscope.results.over_datasets import DatasetsRow
from nerscope.results.protocol import DECIDING, DRAWN, SPLITS, Protocol
from nerscope.results.results import Results
from nerscope.results.rows import ComparisonRow, ResultRow
from nerscope.scoring.metrics import F1, NEITHER, Metric, metric_named
from nerscope.stats.across import resampled_t
from nerscope.stats.corrections import is_significant
from nerscope.stats.dataset_means import RunScores, score_mean
from nerscope.stats.intervals import Interval, Sampling, intervals
from nerscope.stats.ranking import (
    DatasetScores,
    JointScores,
    dataset_scores,
    joint_of_spread,
    joint_scores,
    letter_groups,
    rank_bounds,
    rank_probabilities,
)
from nerscope.stats.system_differences import Difference
from nerscope.stats.system_pair import ABOUT_OUTPUTS, ABOUT_RECIPES


@dataclass(frozen=True, slots=True, eq=False)
class RankingRow(ResultRow):
    """The rank of a system among all compared systems.

    `dataset` is None for the mean over datasets. Two systems share a group if and only if they do
    not differ significantly, after correction over all pairs. `probabilities` are those of rank 1,
    2 and so on; `rank_low` and `rank_high` are the bounds of the 95 % interval.
    """

    dataset: str | None
    system: str
    match: str
    metric: str
    value: float
    low: float | None
    high: float | None
    groups: list[str]
    rank: int
    rank_low: int
    rank_high: int
    probabilities: list[float]
    about: str
    runs: int  # of the system; over datasets, the smallest number


class _Board(NamedTuple):
    """The systems of a dataset, or of the mean over datasets, before sorting."""

    dataset: str | None
    systems: list[str]
    joint: JointScores
    bounds: list[Interval]
    significant: set[frozenset[str]]  # pairs that differ significantly
    about: str
    n_runs: list[int]


class _Scored(NamedTuple):
    """The systems of one dataset."""

    systems: list[str]
    scores: DatasetScores
    bounds: list[Interval]
    runs: list[list[float]]
    about: str


def ranking_rows(
    compared: Sequence[tuple[ComparisonRow, Difference]],
    over: Sequence[DatasetsRow],
    protocol: Protocol | None,
    sampling: Sampling,
    same_seeds: bool = False,
) -> list[RankingRow]:
    """The ranking by the primary metric of all pairs: over datasets, then on each dataset."""
    if not compared or metric_named(compared[0][0].metric).better == NEITHER:
        return []
    row = compared[0][0]
    by_dataset: dict[str, list[tuple[ComparisonRow, Difference]]] = {}
    for cell in compared:
        by_dataset.setdefault(cell[0].dataset, []).append(cell)
    scored = {name: _scored(cells) for name, cells in by_dataset.items()}
    boards = [
        _Board(
            name,
            part.systems,
            joint_scores([part.scores], same_seeds and part.about == ABOUT_RECIPES),
            part.bounds,
            {
                frozenset(cell.pair)
                for cell, _ in by_dataset[name]
                if is_significant(cell.p_corrected)
            },
            part.about,
            [len(runs) for runs in part.runs],
        )
        for name, part in scored.items()
    ]
    mean = _mean_board(list(scored.values()), over, protocol or Protocol(), same_seeds)
    metric = metric_named(row.metric)
    return [
        place
        for board in ([mean] if mean else []) + boards
        for place in _rows(board, row.match, metric, sampling)
    ]


class RankedNumber(NamedTuple):
    """The metric of a ranking, as the arguments of `compare` that select only it."""

    facets: list[str]
    metrics: list[str] | None
    matches: list[str] | None


def ranked_number(
    results: Results, metric: str | None = None, match: str | None = None
) -> RankedNumber:
    """An overall metric; default: F1, or the first metric if F1 was not evaluated."""
    facet = ranking_facet(results, metric)
    if metric is None and any(row.facet == facet and row.metric == F1 for row in results.rows):
        metric = F1
    return RankedNumber(
        [facet], None if metric is None else [metric], None if match is None else [match]
    )


def ranking_facet(results: Results, metric: str | None) -> str:
    """The facet with an overall score of a metric: all mentions, else the tokens of a facet."""
    chosen = metric_named(metric or F1)
    facets = dict.fromkeys(
        row.facet
        for row in results.rows
        if row.metric == chosen.name and (row.level == ALL or chosen.is_over_levels)
    )
    return ALL if ALL in facets else next(iter(facets), ALL)


def required_ranking(rows: Sequence[RankingRow]) -> list[RankingRow]:
    """The rows; raise a UsageError if there are none."""
    if not rows:
        raise UsageError(
            "ranking",
            "the results have no overall score with a better direction",
            "--metric f1 (or precision, recall, accuracy, ter, hardeval, if evaluated)",
        )
    return list(rows)


def _scored(cells: Sequence[tuple[ComparisonRow, Difference]]) -> _Scored:
    """The systems of one dataset that have a score."""
    difference = cells[0][1]
    spread, at = difference.pair.spread, difference.at
    systems = [name for name in spread.systems if not np.isnan(spread.values(name)[at])]
    # A pair is about outputs if both systems have one run; the ranking is if all pairs are.
    has_runs = any(row.about == ABOUT_RECIPES for row, _ in cells)
    about = ABOUT_RECIPES if has_runs else ABOUT_OUTPUTS
    return _Scored(
        systems,
        dataset_scores(spread, at, systems, about == ABOUT_RECIPES),
        [intervals(spread, name)[at] for name in systems],
        [spread.runs[name][:, at].tolist() for name in systems],
        about,
    )


def _mean_board(
    parts: Sequence[_Scored], over: Sequence[DatasetsRow], protocol: Protocol, same_seeds: bool
) -> _Board | None:
    """The means over all datasets, for the systems that are on every dataset."""
    if len(parts) < 2 or not over or any(row.refused for row in over):
        return None
    systems = [name for name in parts[0].systems if all(name in part.systems for part in parts)]
    if len(systems) < 2:
        return None
    chosen = [_chosen(part, systems) for part in parts]
    scores = [part.scores for part in chosen]
    if protocol.datasets in (SPLITS, DRAWN):
        joint = joint_of_spread(scores, protocol.ratio)
    else:
        joint = joint_scores(scores, same_seeds)
    p_name = f"{DECIDING[protocol.datasets].p}_corrected"
    significant = {
        frozenset((row.system_a, row.system_b))
        for row in over
        if is_significant(getattr(row, p_name))
    }
    every = range(len(systems))
    bounds = [_mean_bounds(chosen, at, protocol) for at in every]
    # Each split has its own training run.
    is_method = protocol.are_splits or all(part.about == ABOUT_RECIPES for part in parts)
    about = ABOUT_RECIPES if is_method else ABOUT_OUTPUTS
    n_runs = [min(len(part.runs[at]) for part in chosen) for at in every]
    return _Board(None, systems, joint, bounds, significant, about, n_runs)


def _chosen(part: _Scored, systems: Sequence[str]) -> _Scored:
    """The part with these systems, in this order."""
    places = [part.systems.index(name) for name in systems]
    scores = part.scores
    runs = [scores.runs[at] for at in places] if scores.runs else ()
    return _Scored(
        list(systems),
        DatasetScores(
            scores.values[places],
            scores.covariance[np.ix_(places, places)],
            scores.degrees,
            scores.run_part[places],
            runs,
        ),
        [part.bounds[at] for at in places],
        [part.runs[at] for at in places],
        part.about,
    )


def _mean_bounds(parts: Sequence[_Scored], at: int, protocol: Protocol) -> Interval:
    """The interval of a system's mean over datasets."""
    values = [float(part.scores.values[at]) for part in parts]
    if protocol.ratio is not None:
        mean = resampled_t(values, protocol.ratio)
        low, high = mean.low, mean.high
    else:
        sides = [part.bounds[at] or (np.nan, np.nan) for part in parts]
        runs: list[RunScores] = [
            (part.runs[at],) if part.about == ABOUT_RECIPES else () for part in parts
        ]
        found = score_mean(values, [low for low, _ in sides], [high for _, high in sides], runs)
        is_drawn = protocol.datasets == DRAWN
        low, high = (found.low_drawn, found.high_drawn) if is_drawn else (found.low, found.high)
    return None if np.isnan(low) else (low, high)


def _rows(board: _Board, match: str, metric: Metric, sampling: Sampling) -> Iterator[RankingRow]:
    """The systems in order, the best first; ties keep the order of the input."""
    values, systems = board.joint.values, board.systems
    order = np.argsort(-metric.better * values, kind="stable")
    different = np.array(
        [[frozenset((systems[a], systems[b])) in board.significant for b in order] for a in order]
    )
    groups = letter_groups(different)
    draws = metric.better * board.joint.draw(sampling.samples, sampling.seed)
    probabilities = rank_probabilities(draws)
    bounds = rank_bounds(probabilities)
    for place, at in enumerate(order):
        low, high = board.bounds[at] or (None, None)
        if metric.is_fraction and low is not None and high is not None:
            low, high = max(0.0, low), min(1.0, high)
        yield RankingRow(
            dataset=board.dataset,
            system=systems[at],
            match=match,
            metric=metric.name,
            value=float(values[at]),
            low=low,
            high=high,
            groups=groups[place],
            rank=1 + int((metric.better * (values - values[at]) > 0).sum()),
            rank_low=bounds[at][0],
            rank_high=bounds[at][1],
            probabilities=probabilities[at].tolist(),
            about=board.about,
            runs=board.n_runs[at],
        )
