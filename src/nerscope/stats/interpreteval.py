"""Views over many numbers: how attributes act on models, on datasets, and on single buckets
(InterpretEval).
"""

from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from nerscope.corpus.arrays import Floats
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
    """The performance table T, with rows for runs and columns for buckets."""

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
            [
                self._values[name, owner, run, attribute, bucket]
                for bucket in self.buckets[attribute]
            ]
            for (name, owner), runs in self._runs.items()
            if dataset in (None, name) and system in (None, owner)
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

    def datasets_of(self, system: str) -> list[str]:
        """The datasets for which the system has an output."""
        return [name for name in self.datasets if self.present(name, system)]

    def number_of_runs(self, dataset: str, system: str) -> int:
        """How many runs the system has on the dataset."""
        return len(self._runs.get((dataset, system), []))


def model_wise(table: Performance, paper: bool = False) -> Iterator[dict[str, Any]]:
    """For each system and attribute: rank correlation with the buckets, and spread over them.

    Both are means over the same datasets: those where no bucket is undefined and F1 varies.
    """
    for system, attribute in product(table.systems, table.attributes):
        datasets = table.datasets_of(system)
        shapes = {name: _shape(table.mean(name, system, attribute)) for name in datasets}
        known = [name for name, shape in shapes.items() if not np.isnan(shape).any()]
        yield {
            "system": system,
            "attribute": attribute,
            "spearman": _mean([shapes[name][0] for name in known]),
            "std": _mean([shapes[name][1] for name in known]),
            "datasets": known,
            **(
                _by_friedman([table.mean(name, system, attribute) for name in datasets])
                if paper
                else {}
            ),
        }


def _shape(scores: Floats) -> tuple[float, float]:
    """Spearman with the order of the buckets, and the standard deviation over them."""
    return spearman(scores, np.arange(1.0, len(scores) + 1)), float(np.std(scores))


def attribute_wise(table: Performance, paper: bool = False) -> Iterator[dict[str, Any]]:
    """For each dataset and attribute: its mean value ζ, and ρ, the mean strength of its correlation
    with performance.
    """
    for dataset, attribute in product(table.datasets, table.attributes):
        systems = [system for system in table.systems if table.present(dataset, system)]
        means = [table.mean(dataset, system, attribute) for system in systems]
        strengths = [abs(_shape(scores)[0]) for scores in means]
        zeta = table.zeta.get(dataset, {}).get(attribute)
        yield {
            "dataset": dataset,
            "attribute": attribute,
            "zeta": np.nan if zeta is None else zeta,
            "rho": _mean(strengths),
            "systems": [
                system for system, rho in zip(systems, strengths, strict=True) if not np.isnan(rho)
            ],
            **(_by_friedman(means) if paper else {}),
        }


# The paper's own tests, which do not hold their level: runs and systems share a test set.
def _by_friedman(blocks: Sequence[Floats]) -> dict[str, Any]:
    """Friedman's test over buckets, in the words of a record."""
    test = friedman(np.array(blocks))
    name = test.method and f"Friedman, {test.method}"
    return {
        "interpreteval_p": test.p,
        "interpreteval_test": name,
        "interpreteval_blocks": test.blocks,
    }


def _by_wilcoxon(left: Floats, right: Floats) -> dict[str, Any]:
    """Wilcoxon's test over pairs, in the words of a record."""
    p = wilcoxon(left, right)
    return {
        "interpreteval_p": p,
        "interpreteval_test": None if np.isnan(p) else "Wilcoxon",
        "interpreteval_pairs": int((~(np.isnan(left) | np.isnan(right))).sum()),
    }


def self_diagnosis(table: Performance, paper: bool = False) -> Iterator[dict[str, Any]]:
    """For each dataset, system and attribute: the best and the worst bucket.

    The paper's test pairs each run's own best bucket with its own worst one, over runs and
    datasets.
    """
    for dataset, system in product(table.datasets, table.systems):
        if not table.present(dataset, system):
            continue
        for attribute in table.attributes:
            scores = table.mean(dataset, system, attribute)
            if np.isnan(scores).all():
                continue
            best, worst = int(np.nanargmax(scores)), int(np.nanargmin(scores))
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
                "datasets": table.datasets_of(system),
                **(_best_and_worst(table, system, attribute) if paper else {}),
            }


def _best_and_worst(table: Performance, system: str, attribute: str) -> dict[str, Any]:
    """The best against the worst bucket of each run that has a defined one."""
    blocks = table.blocks(attribute, system=system)
    known = blocks[~np.isnan(blocks).all(axis=1)]
    best = np.nanmax(known, axis=1, initial=-np.inf)
    return _by_wilcoxon(best, np.nanmin(known, axis=1, initial=np.inf))


def comparative_diagnosis(
    table: Performance, pairs: Sequence[tuple[str, str]], paper: bool = False
) -> Iterator[dict[str, Any]]:
    """For each dataset, pair and attribute: the buckets in which A is furthest ahead of B, and
    furthest behind.
    """
    for a, b in pairs:
        shared = [name for name in table.datasets_of(a) if table.present(name, b)]
        for dataset, attribute in product(shared, table.attributes):
            gaps = table.mean(dataset, a, attribute) - table.mean(dataset, b, attribute)
            if np.isnan(gaps).all():
                continue
            places = {"largest": int(np.nanargmax(gaps)), "smallest": int(np.nanargmin(gaps))}
            for side, place in places.items():
                yield {
                    "dataset": dataset,
                    "a": a,
                    "b": b,
                    "attribute": attribute,
                    "gap": side,
                    "bucket": table.buckets[attribute][place],
                    "difference": float(gaps[place]),
                    "datasets": shared,
                    **(_by_runs(table, a, b, attribute, place) if paper else {}),
                }


def _by_runs(table: Performance, a: str, b: str, attribute: str, bucket: int) -> dict[str, Any]:
    """One bucket in the runs that both systems have, dataset by dataset."""
    left, right = [], []
    for dataset in table.datasets:
        shared = min(table.number_of_runs(dataset, a), table.number_of_runs(dataset, b))
        left.append(table.blocks(attribute, dataset, a)[:shared, bucket])
        right.append(table.blocks(attribute, dataset, b)[:shared, bucket])
    return _by_wilcoxon(np.concatenate(left), np.concatenate(right))


def relative_change(table: Performance, a: str, b: str) -> Iterator[dict[str, Any]]:
    """The heat map: by how much A is above B, relative to B, in each bucket of each attribute on
    each dataset.
    """
    for dataset in table.datasets:
        if not (table.present(dataset, a) and table.present(dataset, b)):
            continue
        for attribute in table.attributes:
            ours, theirs = table.mean(dataset, a, attribute), table.mean(dataset, b, attribute)
            for bucket, ours_here, theirs_here in zip(
                table.buckets[attribute], ours, theirs, strict=True
            ):
                change = (
                    (ours_here - theirs_here) / theirs_here if theirs_here > 0 else float("nan")
                )
                yield {
                    "dataset": dataset,
                    "attribute": attribute,
                    "bucket": bucket,
                    "change": float(change),
                }


def _mean(values: Sequence[float]) -> float:
    defined = [value for value in values if not np.isnan(value)]
    return float(np.mean(defined)) if defined else float("nan")
