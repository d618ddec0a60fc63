"""Views over many numbers: how attributes act on models, on datasets, and on single buckets
(InterpretEval).
"""

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from nerscope.corpus.arrays import Floats
from nerscope.stats.corrections import SIGNIFICANT
from nerscope.stats.ranks import friedman, spearman, wilcoxon


class Score(NamedTuple):
    """One entry of the performance table: the F1 of a run in one bucket on one dataset."""

    dataset: str
    system: str
    run: str
    attribute: str
    bucket: str
    value: float


class Performance:
    """The performance table T, with rows for runs (blocks) and columns for buckets."""

    def __init__(self, scores: Sequence[Score], zeta: dict[str, dict[str, float | None]]) -> None:
        self.zeta = zeta
        self.datasets = list(dict.fromkeys(score.dataset for score in scores))
        self.systems = list(dict.fromkeys(score.system for score in scores))
        self.attributes = list(dict.fromkeys(score.attribute for score in scores))
        self.buckets = {
            name: list(dict.fromkeys(score.bucket for score in scores if score.attribute == name))
            for name in self.attributes
        }
        self._values = {score[:5]: score.value for score in scores}
        self._runs: dict[tuple[str, str], list[str]] = {}
        for score in scores:
            runs = self._runs.setdefault((score.dataset, score.system), [])
            if score.run not in runs:
                runs.append(score.run)

    def blocks(
        self, attribute: str, dataset: str | None = None, system: str | None = None
    ) -> Floats:
        """One row a run (of one dataset, or of one system, or of both), one column a bucket."""
        rows = [
            [self._values[name, own, run, attribute, bucket] for bucket in self.buckets[attribute]]
            for (name, own), runs in self._runs.items()
            if dataset in (None, name) and system in (None, own)
            for run in runs
        ]
        return np.array(rows, np.float64).reshape(len(rows), len(self.buckets[attribute]))

    def mean(self, dataset: str, system: str, attribute: str) -> Floats:
        """The mean over runs in each bucket."""
        table: Floats = self.blocks(attribute, dataset, system).mean(axis=0)
        return table

    def present(self, dataset: str, system: str) -> bool:
        """Whether the system has an output for the dataset."""
        return (dataset, system) in self._runs

    def number_of_runs(self, dataset: str, system: str) -> int:
        """How many runs the system has on the dataset."""
        return len(self._runs.get((dataset, system), []))


def model_wise(table: Performance) -> Iterator[dict[str, Any]]:
    """For each system and attribute: rank correlation with the buckets, and spread over them,
    averaged over datasets.
    """
    for system in table.systems:
        for attribute in table.attributes:
            means = [
                table.mean(name, system, attribute)
                for name in table.datasets
                if table.present(name, system)
            ]
            ranks = np.arange(1.0, len(table.buckets[attribute]) + 1)
            p = friedman(table.blocks(attribute, system=system))
            yield {
                "system": system,
                "attribute": attribute,
                "spearman": _mean([spearman(scores, ranks) for scores in means]),
                "std": _mean(
                    [
                        float(np.nanstd(scores)) if not np.isnan(scores).all() else np.nan
                        for scores in means
                    ]
                ),
                "p": p,
                "significant": bool(p < SIGNIFICANT),
            }


def attribute_wise(table: Performance) -> Iterator[dict[str, Any]]:
    """For each dataset and attribute: its mean value ζ, and ρ, the mean strength of its correlation
    with performance.
    """
    for dataset in table.datasets:
        for attribute in table.attributes:
            ranks = np.arange(1.0, len(table.buckets[attribute]) + 1)
            strengths = [
                abs(spearman(table.mean(dataset, system, attribute), ranks))
                for system in table.systems
                if table.present(dataset, system)
            ]
            p = friedman(table.blocks(attribute, dataset=dataset))
            zeta = table.zeta.get(dataset, {}).get(attribute)
            yield {
                "dataset": dataset,
                "attribute": attribute,
                "zeta": np.nan if zeta is None else zeta,
                "rho": _mean(strengths),
                "p": p,
                "significant": bool(p < SIGNIFICANT),
            }


def self_diagnosis(table: Performance) -> Iterator[dict[str, Any]]:
    """For each dataset, system and attribute: the best and the worst bucket."""
    for dataset in table.datasets:
        for system in table.systems:
            if not table.present(dataset, system):
                continue
            for attribute in table.attributes:
                scores = table.mean(dataset, system, attribute)
                if np.isnan(scores).all():
                    continue
                best, worst = int(np.nanargmax(scores)), int(np.nanargmin(scores))
                blocks = table.blocks(attribute, system=system)
                p = wilcoxon(blocks[:, best], blocks[:, worst])
                names = table.buckets[attribute]
                yield {
                    "dataset": dataset,
                    "system": system,
                    "attribute": attribute,
                    "best": names[best],
                    "best_value": float(scores[best]),
                    "worst": names[worst],
                    "worst_value": float(scores[worst]),
                    "gap": float(scores[best] - scores[worst]),
                    "p": p,
                    "significant": bool(p < SIGNIFICANT),
                }


def comparative_diagnosis(
    table: Performance, pairs: Sequence[tuple[str, str]] | None = None
) -> Iterator[dict[str, Any]]:
    """For each dataset, pair and attribute: the buckets in which A is furthest ahead of B, and
    furthest behind.
    """
    for a, b in pairs or list(combinations(table.systems, 2)):
        for dataset in table.datasets:
            if not (table.present(dataset, a) and table.present(dataset, b)):
                continue
            for attribute in table.attributes:
                gaps = table.mean(dataset, a, attribute) - table.mean(dataset, b, attribute)
                if np.isnan(gaps).all():
                    continue
                names = table.buckets[attribute]
                for side, place in [
                    ("largest", int(np.nanargmax(gaps))),
                    ("smallest", int(np.nanargmin(gaps))),
                ]:
                    p = _paired_p(table, a, b, attribute, place)
                    yield {
                        "dataset": dataset,
                        "a": a,
                        "b": b,
                        "attribute": attribute,
                        "gap": side,
                        "bucket": names[place],
                        "difference": float(gaps[place]),
                        "p": p,
                        "significant": bool(p < SIGNIFICANT),
                    }


def _paired_p(table: Performance, a: str, b: str, attribute: str, bucket: int) -> float:
    """Wilcoxon's test over the runs that both systems have, dataset by dataset."""
    left, right = [], []
    for dataset in table.datasets:
        shared = min(table.number_of_runs(dataset, a), table.number_of_runs(dataset, b))
        if shared:
            left.append(table.blocks(attribute, dataset, a)[:shared, bucket])
            right.append(table.blocks(attribute, dataset, b)[:shared, bucket])
    return wilcoxon(np.concatenate(left), np.concatenate(right)) if left else float("nan")


def relative_change(table: Performance, a: str, b: str) -> Iterator[dict[str, Any]]:
    """The heat map: by how much A is above B, relative to B, in each bucket of each attribute on
    each dataset.
    """
    for dataset in table.datasets:
        if not (table.present(dataset, a) and table.present(dataset, b)):
            continue
        for attribute in table.attributes:
            ours, theirs = table.mean(dataset, a, attribute), table.mean(dataset, b, attribute)
            for bucket, one, other in zip(table.buckets[attribute], ours, theirs, strict=True):
                change = (one - other) / other if other > 0 else float("nan")
                yield {
                    "dataset": dataset,
                    "attribute": attribute,
                    "bucket": bucket,
                    "change": float(change),
                }


def _mean(values: Sequence[float]) -> float:
    defined = [value for value in values if not np.isnan(value)]
    return float(np.mean(defined)) if defined else float("nan")
