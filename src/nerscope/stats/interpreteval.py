"""InterpretEval's views: the effect of attributes on models, datasets and single buckets, the tests
of the paper, and the data for valid tests.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product
from typing import NamedTuple

import numpy as np

from nerscope.corpus.arrays import Floats
from nerscope.corpus.units import MENTION, TYPE
from nerscope.scoring.cluster_units import place_unit
from nerscope.scoring.evidence import Evidence, FacetTable
from nerscope.scoring.metrics import F1, metric_named
from nerscope.stats.clusters import clusters_of
from nerscope.stats.effects import (
    FlippedScores,
    NullTest,
    bucket_parts,
    flip_signs,
)
from nerscope.stats.intervals import Sampling
from nerscope.stats.ranks import friedman, spearman, wilcoxon
from nerscope.stats.two_way import by_surface

METRIC = F1  # of all views


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
        """One row per run (of one dataset, of one system, or of both), one column per bucket."""
        rows = [
            [
                self._values.get((name, owner, run, attribute, bucket), np.nan)
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
        """The number of runs of the system on the dataset."""
        return len(self._runs.get((dataset, system), []))


class PaperTest(NamedTuple):
    """One of the paper's own tests. They do not keep their level, because runs and systems share a
    test set.
    """

    p: float | None  # None: the test is not possible
    name: str | None
    size: int | None  # the number of blocks or pairs; None: not requested


class PaperFriedman(NamedTuple):
    """Friedman's test: exact if possible, and by chi-square, as in the paper."""

    p: float | None
    name: str | None
    size: int | None
    chi_square_p: float | None


_NO_TEST = PaperTest(None, None, None)
_NO_FRIEDMAN = PaperFriedman(None, None, None, None)


class ModelView(NamedTuple):
    """The effect of an attribute on a system, as means over datasets."""

    system: str
    attribute: str
    spearman: float | None  # rank correlation of F1 with the buckets
    std: float | None  # of F1 over the buckets
    datasets: list[str]
    paper: PaperFriedman


def model_wise(table: Performance, paper: bool = False) -> Iterator[ModelView]:
    """For each system and attribute, the rank correlation with the buckets and the standard
    deviation.

    Both are means over the datasets on which every bucket is defined and F1 varies.
    """
    for system, attribute in product(table.systems, table.attributes):
        means = {name: table.mean(name, system, attribute) for name in table.datasets_of(system)}
        shapes = {name: _shape(scores, attribute) for name, scores in means.items()}
        decisive = 1 if attribute == TYPE else 0  # types have no order: use the deviation
        known = [name for name, shape in shapes.items() if not np.isnan(shape[decisive])]
        yield ModelView(
            system,
            attribute,
            _mean([shapes[name][0] for name in known]),
            _mean([shapes[name][1] for name in known]),
            known,
            _by_friedman(list(means.values())) if paper else _NO_FRIEDMAN,
        )


def _shape(scores: Floats, attribute: str) -> tuple[float, float]:
    """Spearman's correlation with the order of the buckets, and the standard deviation over them.

    Types have no order, and a dataset may lack some of them.
    """
    if attribute == TYPE:
        known = scores[~np.isnan(scores)]
        return float("nan"), float(np.std(known)) if len(known) else float("nan")
    return spearman(scores, np.arange(1.0, len(scores) + 1)), float(np.std(scores))


class AttributeView(NamedTuple):
    """The effect of an attribute on a dataset."""

    dataset: str
    attribute: str
    zeta: float | None  # the mean value of the attribute
    rho: float | None  # the mean absolute correlation with F1
    systems: list[str]
    paper: PaperFriedman


def attribute_wise(table: Performance, paper: bool = False) -> Iterator[AttributeView]:
    """For each dataset and attribute, its mean value ζ and ρ, the mean absolute correlation with
    F1.
    """
    for dataset, attribute in product(table.datasets, table.attributes):
        systems = [system for system in table.systems if table.present(dataset, system)]
        means = [table.mean(dataset, system, attribute) for system in systems]
        strengths = [abs(_shape(scores, attribute)[0]) for scores in means]
        yield AttributeView(
            dataset,
            attribute,
            _defined(table.zeta.get(dataset, {}).get(attribute)),
            _mean(strengths),
            [system for system, rho in zip(systems, strengths, strict=True) if not np.isnan(rho)],
            _by_friedman(means) if paper else _NO_FRIEDMAN,
        )


def _by_friedman(blocks: Sequence[Floats]) -> PaperFriedman:
    """Friedman's test over buckets."""
    test = friedman(np.array(blocks))
    name = test.method and f"Friedman, {test.method}"
    return PaperFriedman(_defined(test.p), name, test.blocks, _defined(test.chi_square_p))


def _by_wilcoxon(left: Floats, right: Floats) -> PaperTest:
    """Wilcoxon's test over pairs."""
    p = _defined(wilcoxon(left, right))
    pairs = int((~(np.isnan(left) | np.isnan(right))).sum())
    return PaperTest(p, None if p is None else "Wilcoxon", pairs)


class ExtremesView(NamedTuple):
    """The best and the worst bucket of an attribute, for a system on a dataset."""

    dataset: str
    system: str
    attribute: str
    best: str
    best_value: float
    worst: str
    worst_value: float
    gap: float
    datasets: list[str]
    paper: PaperTest


def self_diagnosis(table: Performance, paper: bool = False) -> Iterator[ExtremesView]:
    """For each dataset, system and attribute: the best and the worst bucket.

    The paper's test pairs the best and the worst bucket of each run, over runs and datasets.
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
            yield ExtremesView(
                dataset,
                system,
                attribute,
                names[best],
                float(scores[best]),
                names[worst],
                float(scores[worst]),
                float(scores[best] - scores[worst]),
                table.datasets_of(system),
                _best_and_worst(table, system, attribute) if paper else _NO_TEST,
            )


def _best_and_worst(table: Performance, system: str, attribute: str) -> PaperTest:
    """The best against the worst bucket of each run that has a defined bucket."""
    blocks = table.blocks(attribute, system=system)
    known = blocks[~np.isnan(blocks).all(axis=1)]
    best = np.nanmax(known, axis=1, initial=-np.inf)
    return _by_wilcoxon(best, np.nanmin(known, axis=1, initial=np.inf))


class LeadView(NamedTuple):
    """The bucket of an attribute in which A is furthest ahead of B, or furthest behind."""

    dataset: str
    a: str
    b: str
    attribute: str
    gap: str  # largest or smallest
    bucket: str
    difference: float
    datasets: list[str]
    paper: PaperTest


def comparative_diagnosis(
    table: Performance, pairs: Sequence[tuple[str, str]], paper: bool = False
) -> Iterator[LeadView]:
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
            for gap, place in places.items():
                yield LeadView(
                    dataset,
                    a,
                    b,
                    attribute,
                    gap,
                    table.buckets[attribute][place],
                    float(gaps[place]),
                    shared,
                    _by_runs(table, a, b, attribute, place) if paper else _NO_TEST,
                )


def _by_runs(table: Performance, a: str, b: str, attribute: str, bucket: int) -> PaperTest:
    return _by_wilcoxon(*_paired_runs(table, a, b, attribute, bucket))


def _paired_runs(
    table: Performance, a: str, b: str, attribute: str, bucket: int
) -> tuple[Floats, Floats]:
    """One bucket in the runs that both systems have, dataset by dataset."""
    left, right = [], []
    for dataset in table.datasets:
        shared = min(table.number_of_runs(dataset, a), table.number_of_runs(dataset, b))
        left.append(table.blocks(attribute, dataset, a)[:shared, bucket])
        right.append(table.blocks(attribute, dataset, b)[:shared, bucket])
    return np.concatenate(left), np.concatenate(right)


class BucketTest(NamedTuple):
    """Two systems in a chosen bucket, over runs and datasets."""

    a: str
    b: str
    attribute: str
    bucket: str
    difference: float | None  # the mean over the pairs of runs
    datasets: list[str]
    paper: PaperTest


def bucket_tests(
    table: Performance, pairs: Sequence[tuple[str, str]], chosen: Sequence[tuple[str, str]]
) -> Iterator[BucketTest]:
    """Wilcoxon's test of each pair in each chosen (attribute, bucket), over runs and datasets."""
    for (a, b), (attribute, bucket) in product(pairs, chosen):
        shared = [name for name in table.datasets_of(a) if table.present(name, b)]
        place = table.buckets[attribute].index(bucket)
        left, right = _paired_runs(table, a, b, attribute, place)
        yield BucketTest(
            *(a, b, attribute, bucket),
            *(_mean((left - right).tolist()), shared, _by_wilcoxon(left, right)),
        )


class BucketChange(NamedTuple):
    """The difference between A and B in a bucket, relative to B."""

    dataset: str
    attribute: str
    bucket: str
    change: float | None


def relative_change(table: Performance, a: str, b: str) -> Iterator[BucketChange]:
    """The heat map: the difference between A and B relative to B, in each bucket of each attribute
    on each dataset.
    """
    for dataset in table.datasets:
        if not (table.present(dataset, a) and table.present(dataset, b)):
            continue
        for attribute in table.attributes:
            means = (table.mean(dataset, system, attribute).tolist() for system in (a, b))
            for bucket, ours, theirs in zip(table.buckets[attribute], *means, strict=True):
                change = _defined((ours - theirs) / theirs) if theirs > 0 else None
                yield BucketChange(dataset, attribute, bucket, change)


def _mean(values: Sequence[float]) -> float | None:
    defined = [value for value in values if not np.isnan(value)]
    return float(np.mean(defined)) if defined else None


def _defined(value: float | None) -> float | None:
    return None if value is None or np.isnan(value) else value


class FlippedBuckets(NamedTuple):
    """One system on one dataset in the buckets of one attribute, with flipped signs.

    `ways` are sign flips of documents or sentences and, if mentions have texts, of surfaces: all
    mentions of one surface at once.
    """

    ways: Sequence[FlippedScores]
    buckets: Sequence[str]
    unit: str
    dataset: str

    @property
    def flipped(self) -> FlippedScores:
        return self.ways[0]

    def place(self, bucket: str) -> int:
        return list(self.buckets).index(bucket)

    def whole(self) -> bool:
        return bool(self.flipped.defined.all())


def flipped_buckets(
    evidence: Evidence, matches: Mapping[str, str], sampling: Sampling, number: int
) -> Iterator[tuple[tuple[str, str, str], FlippedBuckets]]:
    """Every system and attribute of a dataset under the match of the attribute. Keys are dataset,
    system and attribute; `number` is the index of the dataset, for the seed.
    """
    divisions = [
        buckets for name in matches for buckets in _diagnosed_table(evidence, name, matches[name])
    ]
    if not divisions or not len(evidence.documents):
        return
    chosen = [(system, table) for table in divisions for system in evidence.systems]
    ways = dict(_flip_all(evidence, chosen, matches, sampling, [sampling.seed, number]))
    named = by_surface(evidence)
    of_names = {}
    if named is not None:
        readable = [(system, table) for system, table in chosen if table.unit == MENTION]
        by_sentence = replace(sampling, resample="sentence")  # surfaces replace sentences
        of_names = dict(
            _flip_all(named, readable, matches, by_sentence, [sampling.seed, number, 1])
        )
    for system, division in chosen:
        key = (system, division.facet)
        both = [ways[key], *([of_names[key]] if key in of_names else [])]
        both[1:] = [table for table in both[1:] if table.why_not() is None]
        buckets = FlippedBuckets(
            both,
            list(division.levels),
            place_unit(sampling.cluster_unit(evidence)),
            evidence.dataset,
        )
        yield (evidence.dataset, *key), buckets


def _flip_all(
    evidence: Evidence,
    chosen: Sequence[tuple[str, FacetTable]],
    matches: Mapping[str, str],
    sampling: Sampling,
    seed: Sequence[int],
) -> Iterator[tuple[tuple[str, str], FlippedScores]]:
    """The scores of each system with the signs of clusters flipped, by system and attribute."""
    clusters, metric = clusters_of(evidence, sampling.resample), metric_named(METRIC)
    parts = [
        bucket_parts(
            *(evidence, division, matches[division.facet], metric),
            *(clusters, evidence.runs_of(system)),
        )
        for system, division in chosen
    ]
    every = flip_signs(parts, sampling.samples, seed) if parts else []
    for (system, division), flipped in zip(chosen, every, strict=True):
        yield (system, division.facet), flipped


def _diagnosed_table(evidence: Evidence, facet: str, match: str) -> list[FacetTable]:
    """The table of a facet that has the metric, if any."""
    tables = [table for table in evidence.tables if table.facet == facet]
    return [table for table in tables if METRIC in table.metrics.get(match, ())][:1]


def least_significant(
    testable: Sequence[FlippedBuckets],
    test: Callable[[Sequence[FlippedScores]], NullTest],
    *,
    same_clusters: bool = False,
) -> NullTest | None:
    """The larger p of two tests: by documents or sentences, and by surfaces.

    Systems on the `same_clusters` have their signs flipped together, so surfaces are tested only if
    all systems allow it.
    """
    if not testable:
        return None
    # Signs are flipped by document, then by surface. Both kinds of dependence must be ruled out, so
    # the larger p counts.
    n_ways = [len(buckets.ways) for buckets in testable]
    ways = range(min(n_ways) if same_clusters else max(n_ways))
    chances = [
        test([buckets.ways[min(way, len(buckets.ways) - 1)] for buckets in testable])
        for way in ways
    ]
    return max(chances, key=lambda chance: chance.p)
