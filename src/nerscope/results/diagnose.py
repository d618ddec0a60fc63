"""InterpretEval's views of results by model, attribute and bucket, with valid tests."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np

from nerscope.arguments import check_arguments
from nerscope.corpus.arrays import Floats
from nerscope.corpus.units import ALL, TYPE
from nerscope.errors import InputError, UsageError, suggest
from nerscope.results.errors import check_system
from nerscope.results.results import Results
from nerscope.results.rows import ResultRow, or_nan, row_value
from nerscope.results.selection import narrow_results
from nerscope.results.shared_texts import shared_texts
from nerscope.scoring.cluster_units import is_crossed, place_unit, units_in_words
from nerscope.scoring.evidence import Evidence
from nerscope.scoring.matching import leading_match
from nerscope.stats.corrections import is_significant
from nerscope.stats.effects import (
    NullTest,
    any_effect,
    chance_spearman,
    gap,
    lead,
    mean_lead,
    over_datasets,
    over_systems,
    trend,
)
from nerscope.stats.interpreteval import (
    METRIC,
    AttributeView,
    ExtremesView,
    FlippedBuckets,
    LeadView,
    ModelView,
    Performance,
    Score,
    attribute_wise,
    bucket_tests,
    comparative_diagnosis,
    flipped_buckets,
    least_significant,
    model_wise,
    relative_change,
    self_diagnosis,
)
from nerscope.stats.intervals import Sampling

_BLOCKS, _PAIRS = "interpreteval_blocks", "interpreteval_pairs"


class DiagnosisRow(ResultRow):
    """A row of a view. Fields that begin with `interpreteval_` hold the test of the paper."""

    __slots__ = ()

    def as_dict(self) -> dict[str, Any]:
        """The row as JSON, without `interpreteval_` fields if the paper's test is missing."""
        names = list(self.__dataclass_fields__)
        sizes = [name for name in names if name in (_BLOCKS, _PAIRS)]
        was_made = any(getattr(self, size) is not None for size in sizes)
        return {
            name: getattr(self, name)
            for name in names
            if was_made or not name.startswith("interpreteval_")
        }


@dataclass(frozen=True, slots=True, eq=False)
class ModelRow(DiagnosisRow):
    """The effect of an attribute on a system, over all datasets."""

    system: str
    attribute: str
    spearman: float | None  # rank correlation of F1 with the buckets
    std: float | None  # of F1 over the buckets
    datasets: list[str]
    spearman_noise: float | None  # the mean absolute value by chance alone
    spearman_noise_95: float | None  # the 95 % quantile of the absolute value by chance alone
    p_trend: float | None  # null hypothesis: F1 neither rises nor falls with the buckets
    significant_trend: bool
    p: float | None  # null hypothesis: F1 is the same in all buckets
    significant: bool
    test: str | None
    clusters: int
    interpreteval_p: float | None = None
    interpreteval_test: str | None = None
    interpreteval_blocks: int | None = None
    interpreteval_chi_square_p: float | None = None  # the approximation that the paper prints


@dataclass(frozen=True, slots=True, eq=False)
class AttributeRow(DiagnosisRow):
    """The effect of an attribute on a dataset, over all systems."""

    dataset: str
    attribute: str
    zeta: float | None  # the mean value of the attribute
    rho: float | None  # the mean absolute correlation with F1
    systems: list[str]
    rho_noise: float | None
    rho_noise_95: float | None
    p_trend: float | None
    significant_trend: bool
    p: float | None
    significant: bool
    test: str | None
    clusters: int
    interpreteval_p: float | None = None
    interpreteval_test: str | None = None
    interpreteval_blocks: int | None = None
    interpreteval_chi_square_p: float | None = None


@dataclass(frozen=True, slots=True, eq=False)
class ExtremesRow(DiagnosisRow):
    """The best and the worst bucket of an attribute."""

    dataset: str
    system: str
    attribute: str
    best: str
    best_value: float
    worst: str
    worst_value: float
    gap: float
    p: float | None  # best against worst, corrected for the choice among all pairs
    significant: bool
    test: str | None
    clusters: int
    interpreteval_p: float | None = None
    interpreteval_test: str | None = None
    interpreteval_pairs: int | None = None
    interpreteval_datasets: list[str] | None = None  # the datasets of the paper's test


@dataclass(frozen=True, slots=True, eq=False)
class LeadRow(DiagnosisRow):
    """The bucket in which A is furthest ahead of B, or furthest behind."""

    dataset: str
    a: str
    b: str
    attribute: str
    gap: str  # largest or smallest
    bucket: str
    difference: float
    overall: float | None  # the lead over all buckets
    p: float | None  # null hypothesis: the lead is the same as over all buckets
    significant: bool
    test: str | None
    clusters: int
    interpreteval_p: float | None = None
    interpreteval_test: str | None = None
    interpreteval_pairs: int | None = None
    interpreteval_datasets: list[str] | None = None


@dataclass(frozen=True, slots=True, eq=False)
class BucketRow(DiagnosisRow):
    """Two systems in a chosen bucket: the paper's test over runs and datasets.

    Runs share their test sets, so the test overstates the evidence; `compare` does not.
    """

    a: str
    b: str
    attribute: str
    bucket: str
    difference: float | None  # the mean over the pairs of runs
    datasets: list[str]
    significant: bool
    interpreteval_p: float | None
    interpreteval_test: str | None
    interpreteval_pairs: int | None


@dataclass(frozen=True, slots=True, eq=False)
class RelativeChangeRow(ResultRow):
    """The difference between A and B in a bucket, relative to B."""

    dataset: str
    attribute: str
    bucket: str
    change: float | None


@dataclass(frozen=True, slots=True, eq=False)
class Diagnosis(ResultRow):
    """All views; `diagnosis.self_diagnosis` and `diagnosis["self-diagnosis"]` are the same."""

    model_wise: list[ModelRow]
    attribute_wise: list[AttributeRow]
    self_diagnosis: list[ExtremesRow]
    comparative_diagnosis: list[LeadRow] | None  # None: fewer than two systems
    chosen_buckets: list[BucketRow] | None  # None: no bucket was chosen
    relative_change: list[RelativeChangeRow] | None  # None: no two systems were named
    notes: list[str]  # why a test is missing

    def as_dict(self) -> dict[str, Any]:
        """The views by their names in JSON, without those that are None."""
        views = {
            "model-wise": self.model_wise,
            "attribute-wise": self.attribute_wise,
            "self-diagnosis": self.self_diagnosis,
            "comparative diagnosis": self.comparative_diagnosis,
            "chosen buckets": self.chosen_buckets,
            "relative change": self.relative_change,
            "notes": [{"note": note} for note in self.notes],
        }
        return {name: rows for name, rows in views.items() if rows is not None}


class DiagnosisTests:
    """Tests of every system, dataset and attribute; each dataset has its own sign flips.

    `matches` maps an attribute to the match it is diagnosed under. Datasets that overlap
    (`overlapping`), such as splits, have no joint test.
    """

    def __init__(
        self,
        evidence: Sequence[Evidence],
        matches: Mapping[str, str],
        samples: int,
        seed: int,
        resample: str | None,
        overlapping: bool = False,
    ) -> None:
        if resample is not None and is_crossed(resample):
            raise UsageError(
                "resample",
                f"'{resample}' does not apply: mentions of one name are always clusters here",
                f"--resample {place_unit(resample)}",
            )
        self.samples, self.seed = samples, seed
        self.overlapping = overlapping and len(evidence) > 1
        self._testable: dict[tuple[str, str, str], FlippedBuckets] = {}
        # Why a test is missing: attributes by dataset, system and reason.
        self._reasons: dict[tuple[str, str, str], list[str]] = {}
        for number, part in enumerate(evidence):
            sampling = Sampling(resample, samples, seed)
            for (dataset, system, attribute), buckets in flipped_buckets(
                part, matches, sampling, number
            ):
                reason = buckets.flipped.why_not(buckets.unit)
                if reason is None:
                    self._testable[dataset, system, attribute] = buckets
                else:
                    self._reasons.setdefault((dataset, system, reason), []).append(attribute)

    def _known(
        self, dataset: str | None = None, system: str | None = None, attribute: str | None = None
    ) -> list[FlippedBuckets]:
        """The testable buckets of a dataset, a system and an attribute."""
        if dataset is not None and system is not None and attribute is not None:
            buckets = self._testable.get((dataset, system, attribute))
            return [buckets] if buckets else []
        filters = (dataset, system, attribute)
        return [
            buckets
            for key, buckets in self._testable.items()
            if all(name in (None, value) for name, value in zip(filters, key, strict=True))
        ]

    def model_row(self, view: ModelView) -> ModelRow:
        """The effect and the trend of an attribute on a system, over all datasets."""
        testable, datasets = (
            self._known(system=view.system, attribute=view.attribute),
            view.datasets,
        )
        if self.overlapping:
            testable, datasets = [], []
        by_chance = [
            chance_spearman(buckets.flipped)
            for name in datasets
            for buckets in self._known(name, view.system, view.attribute)
        ]
        rng = np.random.default_rng(self.seed)  # datasets are independent
        by_chance = [rng.choice(correlations, self.samples) for correlations in by_chance]
        size = (self.samples, self.seed)
        slope = least_significant(
            testable, lambda many: over_datasets(map(trend, many), *size, signed=True)
        )
        effect = least_significant(
            testable, lambda many: over_datasets(map(any_effect, many), *size)
        )
        fields = (*view[:-1], *_noise(by_chance), *_p(slope))
        return ModelRow(*fields, *_test(effect, testable), *view.paper)

    def attribute_row(self, view: AttributeView) -> AttributeRow:
        """The effect and the trend of an attribute on a dataset, over all systems."""
        testable = self._known(dataset=view.dataset, attribute=view.attribute)
        by_chance = [
            np.abs(chance_spearman(buckets.flipped)) for buckets in testable if buckets.whole()
        ]
        slope = least_significant(
            testable, lambda many: over_systems(map(trend, many)), same_clusters=True
        )
        effect = least_significant(
            testable, lambda many: over_systems(map(any_effect, many)), same_clusters=True
        )
        fields = (*view[:-1], *_noise(by_chance), *_p(slope))
        return AttributeRow(*fields, *_test(effect, testable), *view.paper)

    def extremes_row(self, view: ExtremesView) -> ExtremesRow:
        """The best bucket against the worst bucket."""
        testable = self._known(view.dataset, view.system, view.attribute)
        places = [buckets.place(name) for buckets in testable for name in (view.best, view.worst)]
        difference = least_significant(testable, lambda many: gap(many[0], *places))
        found = _test(difference, testable)
        return ExtremesRow(*view[:-2], *found, *view.paper, view.datasets)

    def lead_row(self, view: LeadView) -> LeadRow:
        """Whether A's lead in a bucket differs from `overall`, its lead over all buckets."""
        testable = [
            buckets
            for system in (view.a, view.b)
            for buckets in self._known(view.dataset, system, view.attribute)
        ]
        if len(testable) < 2:
            return LeadRow(*view[:-2], None, *_test(None, []), *view.paper, view.datasets)
        overall = row_value(mean_lead(testable[0].flipped, testable[1].flipped))
        place = testable[0].place(view.bucket)
        difference = least_significant(
            testable, lambda many: lead(many[0], many[1], place), same_clusters=True
        )
        found = _test(difference, testable)
        return LeadRow(*view[:-2], overall, *found, *view.paper, view.datasets)

    def notes(self) -> Iterator[str]:
        """Which tests are missing, and why: one note for each dataset and reason."""
        if self.overlapping:
            yield "no test over datasets: splits of one corpus overlap"
        alike: dict[tuple[str, str, str], list[str]] = {}
        for (dataset, system, why), attributes in self._reasons.items():
            alike.setdefault((dataset, ", ".join(attributes), why), []).append(system)
        for (dataset, names, why), systems in alike.items():
            yield f"{dataset}, {', '.join(systems)}: no test of {names}: {why}"


def _p(chance: NullTest | None) -> tuple[float | None, bool]:
    p = None if chance is None else row_value(chance.p)
    return p, is_significant(p)


def _test(
    chance: NullTest | None, testable: Sequence[FlippedBuckets]
) -> tuple[float | None, bool, str | None, int]:
    """p, whether it is significant, the name of the test, and its number of clusters."""
    p, significant = _p(chance)
    clusters = dict[str, int]()
    for buckets in testable:
        clusters[buckets.dataset] = max(clusters.get(buckets.dataset, 0), buckets.flipped.clusters)
    units = list(dict.fromkeys(units_in_words(buckets.unit) for buckets in testable))
    units += ["names"] if any(len(buckets.ways) > 1 for buckets in testable) else []
    exact = ", exact" if all(way.every for buckets in testable for way in buckets.ways) else ""
    name = None if p is None else f"sign flips of {' and of '.join(units)}{exact}"
    return p, significant, name, sum(clusters.values())


def _noise(by_chance: Sequence[Floats]) -> tuple[float | None, float | None]:
    """The mean and the 95 % quantile of the absolute correlation by chance."""
    sizes = np.abs(np.mean(by_chance, axis=0)) if by_chance else np.zeros(0)
    sizes = sizes[~np.isnan(sizes)]
    if not len(sizes):
        return None, None
    return float(sizes.mean()), float(np.quantile(sizes, 0.95))


def diagnose(
    results: Results,
    a: str | None = None,
    b: str | None = None,
    *,
    samples: int = 10_000,
    seed: int = 0,
    resample: str | None = None,
    paper: bool = False,
    types: bool = False,
    datasets: Sequence[str] = (),
    buckets: Sequence[str] = (),
) -> Diagnosis:
    """All views; with two systems, their comparison and the heat map of changes.

    `p` comes from flipping the signs of whole documents if they are marked, else of sentences;
    `resample` chooses another unit. `datasets` selects datasets (default: all). With `types`, the
    entity type is one more attribute, without an order and without a test. `buckets` such as
    "eLen=XL" are compared by Wilcoxon's test over runs and datasets. With `paper`, InterpretEval's
    own tests are added, in fields that begin with `interpreteval_`. Undefined numbers are None.
    `notes` explains missing tests.

    >>> from nerscope import evaluate
    >>> gold = [(["Ada", "met", "Eve", "Lee"], ["B-PER", "O", "B-PER", "I-PER"])]
    >>> results = evaluate(gold, {"x": [["B-PER", "O", "B-PER", "O"]]}, facets=["eLen"])
    >>> diagnose(results).self_diagnosis[0].worst
    'S'
    """
    check_arguments(diagnose, locals())
    check_system(results, None)
    results = narrow_results(results, datasets=datasets) if datasets else results
    if (a is None) != (b is None):
        raise UsageError(
            "diagnose", "only one system is named", "name two systems, or none for all pairs"
        )
    table = performance_table(results, types=types)
    for name in (a, b):
        check_system(results, name)
    pairs = [(a, b)] if a is not None and b is not None else list(combinations(table.systems, 2))
    overlapping = results.protocol is not None and results.protocol.are_splits
    tested = DiagnosisTests(
        results.evidence, _matches(results), samples, seed, resample, overlapping
    )
    notes = [*_missing_notes(table), *tested.notes(), *(_paper_notes(table) if paper else ())]
    if not overlapping:
        shared = [pair for pair in shared_texts(results.evidence) if pair.is_much]
        notes += [f"{pair.reason}, so tests over both count these texts twice" for pair in shared]
    views = _views(table, pairs, tested, paper)
    changes = None
    if a is not None and b is not None:
        changes = [RelativeChangeRow(*change) for change in relative_change(table, a, b)]
    chosen = _chosen_buckets(table, pairs, buckets) if buckets else None
    return replace(views, chosen_buckets=chosen, relative_change=changes, notes=notes)


def untested_views(results: Results) -> Diagnosis:
    """The views of all pairs without their tests, which take a hundred times as long.

    The fields of tests are None.
    """
    table = performance_table(results)
    pairs = list(combinations(table.systems, 2))
    return _views(table, pairs, DiagnosisTests([], {}, 0, 0, None), paper=False)


def _views(
    table: Performance, pairs: Sequence[tuple[str, str]], tested: DiagnosisTests, paper: bool
) -> Diagnosis:
    """The views that every diagnosis has."""
    leads = map(tested.lead_row, comparative_diagnosis(table, pairs, paper))
    return Diagnosis(
        model_wise=[tested.model_row(view) for view in model_wise(table, paper)],
        attribute_wise=[tested.attribute_row(view) for view in attribute_wise(table, paper)],
        self_diagnosis=[tested.extremes_row(view) for view in self_diagnosis(table, paper)],
        comparative_diagnosis=list(leads) if pairs else None,
        chosen_buckets=None,
        relative_change=None,
        notes=[],
    )


def _chosen_buckets(
    table: Performance, pairs: Sequence[tuple[str, str]], buckets: Sequence[str]
) -> list[BucketRow]:
    """The paper's test of each pair of systems in each of the buckets, written ATTRIBUTE=BUCKET."""
    known = [f"{name}={bucket}" for name in table.attributes for bucket in table.buckets[name]]
    for text in buckets:
        if text not in known:
            raise UsageError(f"bucket '{text}'", "it is not in the results", suggest(text, known))
    if not pairs:
        raise UsageError(
            "bucket", "the results have only one system", "evaluate two systems together"
        )
    chosen = [tuple(text.split("=", 1)) for text in buckets]
    tests = bucket_tests(table, pairs, [(name, bucket) for name, bucket in chosen])
    return [BucketRow(*test[:-1], is_significant(test.paper.p), *test.paper) for test in tests]


def _matches(results: Results) -> dict[str, str]:
    """The attributes, each with the match it is diagnosed under: the first one."""
    bucketed = {facet for part in results.evidence for facet in part.signature.edges}
    first: dict[str, str] = {}
    for row in results.rows:
        if row.facet in bucketed and row.metric == METRIC and row.type is None:
            first.setdefault(row.facet, row.match)
    return first


def performance_table(results: Results, *, types: bool = False) -> Performance:
    """The performance table of results: F1 in the buckets of every attribute, and by type."""
    matches = _matches(results)
    scores = [
        Score(row.dataset, row.system, row.run, row.facet, row.level, or_nan(row.value))
        for row in results.rows
        if row.metric == METRIC
        and row.type is None
        and row.run is not None
        and matches.get(row.facet) == row.match
    ]
    if types:
        scores += _type_scores(results)
    if not scores:
        raise InputError(
            "results",
            "no attribute was evaluated",
            "evaluate again with --train FILE, or with --facet eLen",
        )
    return Performance(scores, {part.dataset: dict(part.zeta) for part in results.evidence})


def _type_scores(results: Results) -> list[Score]:
    """F1 of each type, as if types were the buckets of an attribute."""
    rows = [row for row in results.rows if row.facet == ALL and row.metric == METRIC]
    match = leading_match([row.match for row in rows])
    return [
        Score(row.dataset, row.system, row.run, TYPE, row.type, or_nan(row.value))
        for row in rows
        if row.match == match and row.type is not None and row.run is not None
    ]


def _missing_notes(table: Performance) -> Iterator[str]:
    for dataset in table.datasets:
        missing = [system for system in table.systems if not table.present(dataset, system)]
        yield from (f"{dataset}: {name} has no output and is left out" for name in missing)


def _paper_notes(table: Performance) -> Iterator[str]:
    """Which of the paper's tests are missing, and why: one note for each reason."""
    for dataset in table.datasets:
        if sum(table.present(dataset, system) for system in table.systems) < 2:
            yield f"{dataset}: Friedman's test over buckets needs at least two systems"
    alone = [system for system in table.systems if len(table.datasets_of(system)) < 2]
    if alone:
        yield f"{', '.join(alone)}: Friedman's test over buckets needs at least two datasets"
    once = [
        system
        for system in table.systems
        if len(table.blocks(table.attributes[0], system=system)) < 2
    ]
    if once:
        yield f"{', '.join(once)}: Wilcoxon's test needs at least two runs or datasets"
    few = [name for name, buckets in table.buckets.items() if len(buckets) < 3]
    if few:
        yield f"Friedman's test needs at least three buckets: {', '.join(few)} have fewer"
