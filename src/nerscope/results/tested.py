"""The tests behind a diagnosis, in the words of its records."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from nerscope.corpus.arrays import Floats
from nerscope.corpus.units import MENTION
from nerscope.scoring.evidence import Evidence, FacetTable
from nerscope.scoring.metrics import metric_named
from nerscope.stats.corrections import is_significant
from nerscope.stats.effects import (
    Chance,
    Flipped,
    any_effect,
    by_name,
    chance_spearman,
    flipped,
    gap,
    lead,
    mean_lead,
    over_datasets,
    over_systems,
    parts_of,
    trend,
)
from nerscope.stats.intervals import Sampling
from nerscope.stats.resampling import clusters_of

Record = dict[str, Any]
METRIC = "f1"


class _Found(NamedTuple):
    """One system on one dataset in the buckets of one attribute, ready to be tested.

    `ways` are changes of the signs of documents or sentences, and then, where the mentions can be
    read, of names: all mentions of one surface at once.
    """

    ways: Sequence[Flipped]
    buckets: Sequence[str]
    unit: str
    dataset: str

    @property
    def flipped(self) -> Flipped:
        return self.ways[0]

    def place(self, bucket: str) -> int:
        return list(self.buckets).index(bucket)

    def whole(self) -> bool:
        return bool(self.flipped.defined.all())


class Tested:
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
        self._found: dict[tuple[str, str, str], _Found] = {}
        self._reasons: dict[tuple[str, str, str], list[str]] = {}  # why not, with the attributes
        for number, part in enumerate(evidence):
            sampling = Sampling(resample, samples, seed)
            for (dataset, system, attribute), one in _gathered(part, matches, sampling, number):
                why = one.flipped.why_not(one.unit)
                if why is None:
                    self._found[dataset, system, attribute] = one
                else:
                    self._reasons.setdefault((dataset, system, why), []).append(attribute)

    def _known(
        self, dataset: str | None = None, system: str | None = None, attribute: str | None = None
    ) -> list[_Found]:
        """What can be tested of a dataset, a system, an attribute."""
        if dataset is not None and system is not None and attribute is not None:
            found = self._found.get((dataset, system, attribute))
            return [found] if found else []
        wanted = (dataset, system, attribute)
        return [
            one
            for key, one in self._found.items()
            if all(name in (None, own) for name, own in zip(wanted, key, strict=True))
        ]

    def model_wise(self, row: Record) -> Record:
        """Any effect and trend of an attribute on a system, over all datasets."""
        if self.overlapping:
            return {**_noise("spearman", []), **_p(None, "_trend"), **_said(None, [])}
        system, attribute = row["system"], row["attribute"]
        found = self._known(system=system, attribute=attribute)
        by_chance = [
            chance_spearman(one.flipped)
            for name in row["datasets"]
            for one in self._known(name, system, attribute)
        ]
        rng = np.random.default_rng(self.seed)  # datasets do not know each other's chance
        by_chance = [rng.choice(own, self.samples) for own in by_chance]
        size = (self.samples, self.seed)
        slope = _tested(found, lambda many: over_datasets(map(trend, many), *size, signed=True))
        whole = _tested(found, lambda many: over_datasets(map(any_effect, many), *size))
        return {**_noise("spearman", by_chance), **_p(slope, "_trend"), **_said(whole, found)}

    def attribute_wise(self, row: Record) -> Record:
        """Any effect and trend of an attribute on a dataset, over all systems."""
        found = self._known(dataset=row["dataset"], attribute=row["attribute"])
        by_chance = [np.abs(chance_spearman(one.flipped)) for one in found if one.whole()]
        slope = _tested(found, lambda many: over_systems(map(trend, many)))
        whole = _tested(found, lambda many: over_systems(map(any_effect, many)))
        return {**_noise("rho", by_chance), **_p(slope, "_trend"), **_said(whole, found)}

    def extremes(self, row: Record) -> Record:
        """The best against the worst bucket."""
        found = self._known(row["dataset"], row["system"], row["attribute"])
        places = [one.place(row[side]) for one in found for side in ("best", "worst")]
        return _said(_tested(found, lambda many: gap(many[0], *places)), found)

    def lead(self, row: Record) -> Record:
        """Whether A's lead in a bucket is another than over all buckets, which is `overall`."""
        found = [
            one for side in "ab" for one in self._known(row["dataset"], row[side], row["attribute"])
        ]
        if len(found) < 2:
            return {"overall": float("nan"), **_said(None, [])}
        overall = mean_lead(found[0].flipped, found[1].flipped)
        place = found[0].place(row["bucket"])
        chance = _tested(found, lambda many: lead(many[0], many[1], place))
        return {"overall": overall, **_said(chance, found)}

    def notes(self) -> Iterator[str]:
        """What cannot be tested, and why: one note for each dataset and reason."""
        if self.overlapping:
            yield "no test over datasets: splits of one corpus overlap"
        alike: dict[tuple[str, str, str], list[str]] = {}
        for (dataset, system, why), attributes in self._reasons.items():
            alike.setdefault((dataset, ", ".join(attributes), why), []).append(system)
        for (dataset, names, why), systems in alike.items():
            yield f"{dataset}, {', '.join(systems)}: no test of {names}: {why}"


def _gathered(
    evidence: Evidence, matches: Mapping[str, str], sampling: Sampling, number: int
) -> Iterator[tuple[tuple[str, str, str], _Found]]:
    divisions = [found for name in matches for found in _division(evidence, name, matches[name])]
    if not divisions or not len(evidence.documents):
        return
    chosen = [(system, one) for one in divisions for system in evidence.systems]
    ways = dict(_flipped(evidence, chosen, matches, sampling, [sampling.seed, number]))
    named = by_name(evidence)
    of_names = {}
    if named is not None:
        readable = [(system, one) for system, one in chosen if one.unit == MENTION]
        own = replace(sampling, resample="sentence")  # whose place the names have taken
        of_names = dict(_flipped(named, readable, matches, own, [sampling.seed, number, 1]))
    for system, division in chosen:
        key = (system, division.facet)
        both = [ways[key], *([of_names[key]] if key in of_names else [])]
        both[1:] = [one for one in both[1:] if one.why_not() is None]
        found = _Found(both, list(division.levels), sampling.unit(evidence), evidence.dataset)
        yield (evidence.dataset, *key), found


def _flipped(
    evidence: Evidence,
    chosen: Sequence[tuple[str, FacetTable]],
    matches: Mapping[str, str],
    sampling: Sampling,
    seed: Sequence[int],
) -> Iterator[tuple[tuple[str, str], Flipped]]:
    """Everyone with changed signs, by system and attribute."""
    clusters, metric = clusters_of(evidence, sampling.resample), metric_named(METRIC)
    parts = [
        parts_of(
            *(evidence, division, matches[division.facet], metric),
            *(clusters, evidence.runs_of(system)),
        )
        for system, division in chosen
    ]
    every = flipped(parts, sampling.samples, seed) if parts else []
    for (system, division), one in zip(chosen, every, strict=True):
        yield (system, division.facet), one


def _division(evidence: Evidence, facet: str, match: str) -> list[FacetTable]:
    """The division of a facet that has the metric, if any."""
    found = [one for one in evidence.divisions if one.facet == facet]
    return [one for one in found if METRIC in one.metrics.get(match, ())][:1]


def _tested(found: Sequence[_Found], test: Callable[[Sequence[Flipped]], Chance]) -> Chance | None:
    """A test by documents or sentences, and by names: what is less sure counts."""
    if not found:
        return None
    ways = range(max(len(one.ways) for one in found))
    chances = [test([one.ways[min(way, len(one.ways) - 1)] for one in found]) for way in ways]
    return max(chances, key=lambda chance: chance.p)


def _p(chance: Chance | None, which: str = "") -> Record:
    p = float("nan") if chance is None else chance.p
    return {f"p{which}": p, f"significant{which}": is_significant(p)}


def _said(chance: Chance | None, found: Sequence[_Found]) -> Record:
    """A test in the words of a record."""
    said, clusters = _p(chance), dict[str, int]()
    for one in found:
        clusters[one.dataset] = max(clusters.get(one.dataset, 0), one.flipped.clusters)
    units = list(dict.fromkeys(f"{one.unit}s" for one in found))
    units += ["names"] if any(len(one.ways) > 1 for one in found) else []
    exact = ", exact" if all(way.every for one in found for way in one.ways) else ""
    test = None if np.isnan(said["p"]) else f"sign flips of {' and of '.join(units)}{exact}"
    return {**said, "test": test, "clusters": sum(clusters.values())}


def _noise(name: str, by_chance: Sequence[Floats]) -> Record:
    """The mean size of a correlation by chance, and the size that 5 % are above."""
    if not by_chance:
        return {f"{name}_noise": float("nan"), f"{name}_noise_95": float("nan")}
    sizes = np.abs(np.mean(by_chance, axis=0))
    sizes = sizes[~np.isnan(sizes)]
    if not len(sizes):
        return _noise(name, [])
    return {
        f"{name}_noise": float(sizes.mean()),
        f"{name}_noise_95": float(np.quantile(sizes, 0.95)),
    }
