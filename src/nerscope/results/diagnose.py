"""InterpretEval's views of results by model, attribute and bucket, with valid tests."""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from nerscope.corpus.arrays import Floats
from nerscope.corpus.units import MENTION
from nerscope.errors import InputError, UsageError
from nerscope.results.errors import check_system
from nerscope.results.results import Results
from nerscope.scoring.evidence import Evidence, FacetTable
from nerscope.scoring.metrics import F1, metric_named
from nerscope.stats.clusters import clusters_of
from nerscope.stats.corrections import is_significant
from nerscope.stats.effects import (
    FlippedScores,
    NullTest,
    any_effect,
    bucket_parts,
    by_surface,
    chance_spearman,
    flip_signs,
    gap,
    lead,
    mean_lead,
    over_datasets,
    over_systems,
    trend,
)
from nerscope.stats.interpreteval import (
    Performance,
    Score,
    attribute_wise,
    comparative_diagnosis,
    model_wise,
    relative_change,
    self_diagnosis,
)
from nerscope.stats.intervals import Sampling

Record = dict[str, Any]
METRIC = F1


class _TestableBuckets(NamedTuple):
    """One system on one dataset in the buckets of one attribute, ready to be tested.

    `ways` are changes of the signs of documents or sentences, and then, where the mentions can be
    read, of names: all mentions of one surface at once.
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


class DiagnosisTests:
    """Every system on every dataset and attribute, each dataset with its own changes of signs.

    `matches` says under which match an attribute is diagnosed. Datasets that are `overlapping`, as
    splits are, do not make one test.
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
        self.samples, self.seed = samples, seed
        self.overlapping = overlapping and len(evidence) > 1
        self._found: dict[tuple[str, str, str], _TestableBuckets] = {}
        self._reasons: dict[tuple[str, str, str], list[str]] = {}  # why not, with the attributes
        for number, part in enumerate(evidence):
            sampling = Sampling(resample, samples, seed)
            for (dataset, system, attribute), buckets in _testable_buckets(
                part, matches, sampling, number
            ):
                reason = buckets.flipped.why_not(buckets.unit)
                if reason is None:
                    self._found[dataset, system, attribute] = buckets
                else:
                    self._reasons.setdefault((dataset, system, reason), []).append(attribute)

    def _known(
        self, dataset: str | None = None, system: str | None = None, attribute: str | None = None
    ) -> list[_TestableBuckets]:
        """What can be tested of a dataset, a system, an attribute."""
        if dataset is not None and system is not None and attribute is not None:
            buckets = self._found.get((dataset, system, attribute))
            return [buckets] if buckets else []
        filters = (dataset, system, attribute)
        return [
            buckets
            for key, buckets in self._found.items()
            if all(name in (None, value) for name, value in zip(filters, key, strict=True))
        ]

    def model_wise(self, row: Record) -> Record:
        """Any effect and trend of an attribute on a system, over all datasets."""
        if self.overlapping:
            return {
                **_noise_fields("spearman", []),
                **_p_fields(None, "_trend"),
                **_test_fields(None, []),
            }
        system, attribute = row["system"], row["attribute"]
        testable = self._known(system=system, attribute=attribute)
        by_chance = [
            chance_spearman(buckets.flipped)
            for name in row["datasets"]
            for buckets in self._known(name, system, attribute)
        ]
        rng = np.random.default_rng(self.seed)  # datasets do not know each other's chance
        by_chance = [rng.choice(correlations, self.samples) for correlations in by_chance]
        size = (self.samples, self.seed)
        slope = _least_significant(
            testable, lambda many: over_datasets(map(trend, many), *size, signed=True)
        )
        effect = _least_significant(
            testable, lambda many: over_datasets(map(any_effect, many), *size)
        )
        return {
            **_noise_fields("spearman", by_chance),
            **_p_fields(slope, "_trend"),
            **_test_fields(effect, testable),
        }

    def attribute_wise(self, row: Record) -> Record:
        """Any effect and trend of an attribute on a dataset, over all systems."""
        testable = self._known(dataset=row["dataset"], attribute=row["attribute"])
        by_chance = [
            np.abs(chance_spearman(buckets.flipped)) for buckets in testable if buckets.whole()
        ]
        slope = _least_significant(testable, lambda many: over_systems(map(trend, many)))
        whole = _least_significant(testable, lambda many: over_systems(map(any_effect, many)))
        return {
            **_noise_fields("rho", by_chance),
            **_p_fields(slope, "_trend"),
            **_test_fields(whole, testable),
        }

    def extremes(self, row: Record) -> Record:
        """The best against the worst bucket."""
        testable = self._known(row["dataset"], row["system"], row["attribute"])
        places = [buckets.place(row[side]) for buckets in testable for side in ("best", "worst")]
        return _test_fields(
            _least_significant(testable, lambda many: gap(many[0], *places)), testable
        )

    def lead(self, row: Record) -> Record:
        """Whether A's lead in a bucket is another than over all buckets, which is `overall`."""
        testable = [
            buckets
            for side in "ab"
            for buckets in self._known(row["dataset"], row[side], row["attribute"])
        ]
        if len(testable) < 2:
            return {"overall": float("nan"), **_test_fields(None, [])}
        overall = mean_lead(testable[0].flipped, testable[1].flipped)
        place = testable[0].place(row["bucket"])
        chance = _least_significant(testable, lambda many: lead(many[0], many[1], place))
        return {"overall": overall, **_test_fields(chance, testable)}

    def notes(self) -> Iterator[str]:
        """What cannot be tested, and why: one note for each dataset and reason."""
        if self.overlapping:
            yield "no test over datasets: splits of one corpus overlap"
        alike: dict[tuple[str, str, str], list[str]] = {}
        for (dataset, system, why), attributes in self._reasons.items():
            alike.setdefault((dataset, ", ".join(attributes), why), []).append(system)
        for (dataset, names, why), systems in alike.items():
            yield f"{dataset}, {', '.join(systems)}: no test of {names}: {why}"


def _testable_buckets(
    evidence: Evidence, matches: Mapping[str, str], sampling: Sampling, number: int
) -> Iterator[tuple[tuple[str, str, str], _TestableBuckets]]:
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
        by_sentence = replace(sampling, resample="sentence")  # whose place the names have taken
        of_names = dict(
            _flip_all(named, readable, matches, by_sentence, [sampling.seed, number, 1])
        )
    for system, division in chosen:
        key = (system, division.facet)
        both = [ways[key], *([of_names[key]] if key in of_names else [])]
        both[1:] = [table for table in both[1:] if table.why_not() is None]
        buckets = _TestableBuckets(
            both, list(division.levels), sampling.cluster_unit(evidence), evidence.dataset
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
    """The division of a facet that has the metric, if any."""
    tables = [table for table in evidence.tables if table.facet == facet]
    return [table for table in tables if METRIC in table.metrics.get(match, ())][:1]


def _least_significant(
    testable: Sequence[_TestableBuckets], test: Callable[[Sequence[FlippedScores]], NullTest]
) -> NullTest | None:
    """A test by documents or sentences, and by names: what is less sure counts."""
    if not testable:
        return None
    # Clusters are flipped by document, then by surface: both dependences must be ruled out, so the
    # larger p counts.
    ways = range(max(len(buckets.ways) for buckets in testable))
    chances = [
        test([buckets.ways[min(way, len(buckets.ways) - 1)] for buckets in testable])
        for way in ways
    ]
    return max(chances, key=lambda chance: chance.p)


def _p_fields(chance: NullTest | None, which: str = "") -> Record:
    p = float("nan") if chance is None else chance.p
    return {f"p{which}": p, f"significant{which}": is_significant(p)}


def _test_fields(chance: NullTest | None, testable: Sequence[_TestableBuckets]) -> Record:
    """A test in the words of a record."""
    fields, clusters = _p_fields(chance), dict[str, int]()
    for buckets in testable:
        clusters[buckets.dataset] = max(clusters.get(buckets.dataset, 0), buckets.flipped.clusters)
    units = list(dict.fromkeys(f"{buckets.unit}s" for buckets in testable))
    units += ["names"] if any(len(buckets.ways) > 1 for buckets in testable) else []
    exact = ", exact" if all(way.every for buckets in testable for way in buckets.ways) else ""
    test = None if np.isnan(fields["p"]) else f"sign flips of {' and of '.join(units)}{exact}"
    return {**fields, "test": test, "clusters": sum(clusters.values())}


def _noise_fields(name: str, by_chance: Sequence[Floats]) -> Record:
    """The mean size of a correlation by chance, and the size that 5 % are above."""
    if not by_chance:
        return {f"{name}_noise": float("nan"), f"{name}_noise_95": float("nan")}
    sizes = np.abs(np.mean(by_chance, axis=0))
    sizes = sizes[~np.isnan(sizes)]
    if not len(sizes):
        return _noise_fields(name, [])
    return {
        f"{name}_noise": float(sizes.mean()),
        f"{name}_noise_95": float(np.quantile(sizes, 0.95)),
    }


PAPER = "interpreteval_"  # what the paper's own tests say begins with this
Views = dict[str, list[Record]]


def diagnose(
    results: Results,
    a: str | None = None,
    b: str | None = None,
    *,
    samples: int = 10_000,
    seed: int = 0,
    resample: str | None = None,
    paper: bool = False,
) -> Views:
    """All views, as rows by the name of the view; with two systems, their comparison and the heat
    map of changes.

    `p` comes from changing the signs of whole documents where they are marked, else of sentences,
    unless `resample` says which. With `paper`, InterpretEval's own tests are there, too, in fields
    that begin with `interpreteval_`. Undefined numbers are None. `notes` says why a test could not
    be made.

    >>> from nerscope import evaluate
    >>> gold = [(["Ada", "met", "Eve", "Lee"], ["B-PER", "O", "B-PER", "I-PER"])]
    >>> results = evaluate(gold, {"x": [["B-PER", "O", "B-PER", "O"]]}, facets=["eLen"])
    >>> diagnose(results)["self-diagnosis"][0]["worst"]
    'S'
    """
    check_system(results, None)
    if (a is None) != (b is None):
        raise UsageError(
            "diagnose", "only one system is named", "name two systems, or none for all pairs"
        )
    table = performance_table(results)
    for name in (a, b):
        check_system(results, name)
    pairs = [(a, b)] if a is not None and b is not None else list(combinations(table.systems, 2))
    overlapping = results.protocol is not None and results.protocol.are_splits
    tested = DiagnosisTests(
        results.evidence, _matches(results), samples, seed, resample, overlapping
    )
    views = {
        "model-wise": _with_tests(model_wise(table, paper), tested.model_wise),
        "attribute-wise": _with_tests(attribute_wise(table, paper), tested.attribute_wise),
        "self-diagnosis": _with_tests(self_diagnosis(table, paper), tested.extremes),
    }
    if pairs:
        rows = comparative_diagnosis(table, pairs, paper)
        views["comparative diagnosis"] = _with_tests(rows, tested.lead)
    if a is not None and b is not None:
        views["relative change"] = list(map(_nan_to_none, relative_change(table, a, b)))
    notes = [*_missing_notes(table), *tested.notes(), *(_paper_notes(table) if paper else ())]
    views["notes"] = [{"note": note} for note in notes]
    return views


def _with_tests(rows: Iterable[Record], test: Callable[[Record], Record]) -> list[Record]:
    """Rows with what is tested of them, before what the paper tests."""
    joined = []
    for row in rows:
        ours = {key: value for key, value in row.items() if not key.startswith(PAPER)}
        joined.append(_nan_to_none({**ours, **test(row), **row}))
    return joined


def _matches(results: Results) -> dict[str, str]:
    """The attributes with the match they are diagnosed under: of several, the one named first."""
    bucketed = {facet for part in results.evidence for facet in part.signature.edges}
    first: dict[str, str] = {}
    for row in results.rows:
        if row["facet"] in bucketed and row["metric"] == METRIC and row["type"] is None:
            first.setdefault(row["facet"], row["match"])
    return first


def performance_table(results: Results) -> Performance:
    """The performance table of results: F1 in the buckets of every attribute."""
    matches = _matches(results)
    scores = [
        Score(
            row["dataset"],
            row["system"],
            row["run"],
            row["facet"],
            row["level"],
            math.nan if row["value"] is None else row["value"],
        )
        for row in results.rows
        if row["metric"] == METRIC
        and row["type"] is None
        and row["run"] is not None
        and matches.get(row["facet"]) == row["match"]
    ]
    if not scores:
        raise InputError(
            "results",
            "they hold no attribute",
            "evaluate with --train, or with --facet eLen and the like",
        )
    return Performance(scores, {part.dataset: dict(part.zeta) for part in results.evidence})


def _nan_to_none(row: Record) -> Record:
    return {
        key: None if isinstance(value, float) and math.isnan(value) else value
        for key, value in row.items()
    }


def _missing_notes(table: Performance) -> Iterator[str]:
    for dataset in table.datasets:
        missing = [system for system in table.systems if not table.present(dataset, system)]
        yield from (f"{dataset}: {name} has no output here and is left out" for name in missing)


def _paper_notes(table: Performance) -> Iterator[str]:
    """Which of the paper's tests cannot be made, and why: one note for each reason."""
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
