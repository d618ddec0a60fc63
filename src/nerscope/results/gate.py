"""A gate for releases: fails only when a number dropped by more than is allowed, not by chance."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from nerscope.corpus.units import TOKEN
from nerscope.errors import InputError, UsageError, suggest
from nerscope.results.compare import differences_of, division_named
from nerscope.results.results import Results
from nerscope.scoring.evidence import Evidence, joined_runs, only_runs
from nerscope.scoring.metrics import metric_named
from nerscope.stats.corrections import is_significant
from nerscope.stats.draws import Difference
from nerscope.stats.intervals import Sampling

NEW, OLD = "new", "baseline"
# What must be the same on both sides, so that only the systems differ.
_CONDITIONS = ("repair", "ter", "buckets", "zero_division")


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the gate found for one cell: values as fractions, the drop in points (percent)."""

    dataset: str
    system: str
    cell: str
    metric: str
    new: float
    old: float
    drop: float
    p: float
    failed: bool

    def __str__(self) -> str:
        said = "FAIL" if self.failed else "ok"
        place = f"{said}: {self.dataset}, {self.system}, {self.cell}, {self.metric}"
        new, old = (
            "undefined" if np.isnan(value) else f"{100 * value:.2f}"
            for value in (self.new, self.old)
        )
        if np.isnan(self.drop):
            return f"{place}: {new} against {old}"
        return f"{place}: {new} against {old}, drop {self.drop:.2f} points, p = {self.p:.4f}"


def gate(
    results: Results,
    baseline: Results,
    *,
    max_drop: float = 0.0,
    metric: str = "f1",
    facets: Sequence[str] = ("all",),
    match: str | None = None,
    system: str | None = None,
    samples: int = 10_000,
    seed: int = 0,
    resample: str = "sentence",
) -> list[Verdict]:
    """Compare results with those of a baseline; `max_drop` is in points, so 0.5 is half a percent.

    Of `facets`, each is "all", or facet=level such as "tmr=unseen-tokens". Systems are compared by
    name; if each side has only one, these two are.

    >>> from nerscope import evaluate
    >>> gold = [(["Ada", "met", "Bob"], ["B-PER", "O", "B-PER"])] * 20
    >>> old = evaluate(gold, {"bert": [["B-PER", "O", "B-PER"]] * 20})
    >>> new = evaluate(gold, {"bert": [["B-PER", "O", "O"]] * 20})
    >>> gate(new, old, samples=200)[0].failed
    True
    """
    if not (np.isfinite(max_drop) and max_drop >= 0):
        raise UsageError(
            "max_drop", f"{max_drop} cannot be", "give the points that a number may drop, 0 or more"
        )
    sampling = Sampling(resample, samples, seed)
    verdicts = []
    for new in results.evidence:
        old = next((part for part in baseline.evidence if part.dataset == new.dataset), None)
        if old is None:
            continue
        for name, old_name in _systems(new, old, system):
            joint = _joint(new, name, old, old_name)
            for cell in facets:
                found = _difference(joint, cell, metric, match, sampling)
                verdicts.append(_judged(joint.dataset, name, cell, metric, found, max_drop))
    if not verdicts:
        known = [part.dataset for part in baseline.evidence]
        raise InputError(
            "baseline",
            f"it has none of the datasets of the results ({', '.join(known) or 'no evidence'})",
            "name datasets alike with --dataset",
        )
    return verdicts


def _systems(new: Evidence, old: Evidence, wanted: str | None) -> list[tuple[str, str]]:
    if wanted is not None:
        for part in (new, old):
            if wanted not in part.systems:
                raise UsageError(
                    f"system '{wanted}'",
                    f"it is not in the results for {part.dataset}",
                    suggest(wanted, part.systems),
                )
        return [(wanted, wanted)]
    if len(new.systems) == 1 and len(old.systems) == 1:
        return [(new.systems[0], old.systems[0])]
    shared = [name for name in new.systems if name in old.systems]
    if not shared:
        raise UsageError(
            "systems",
            f"{new.systems} and {old.systems} have no name in common",
            "give the systems the same name",
        )
    return [(name, name) for name in shared]


def _joint(new: Evidence, name: str, old: Evidence, old_name: str) -> Evidence:
    """Both systems on the same gold data, which is checked."""
    for condition in _CONDITIONS:
        ours, theirs = (getattr(part.signature, condition) for part in (new, old))
        if ours != theirs:
            raise InputError(
                new.dataset,
                f"the results have {condition} {ours}, the baseline {theirs}",
                "evaluate both with the same options",
            )
    if set(new.facets) != set(old.facets):
        raise InputError(
            new.dataset,
            "results and baseline have different facets",
            "evaluate both with the same options",
        )
    if len(new.documents) != len(old.documents) or not _same_units(new, old):
        raise InputError(
            new.dataset,
            "results and baseline were made on different gold data or training data",
            "evaluate both with the same test and training files",
        )
    return joined_runs([_renamed(new, name, NEW), _renamed(old, old_name, OLD)])


def _same_units(new: Evidence, old: Evidence) -> bool:
    """Whether the gold units are the same, in the same levels."""
    for unit, ledger in new.ledgers.items():
        if unit not in old.ledgers:
            return False
        ours, theirs = ledger.gold, old.ledgers[unit].gold
        pairs = [(ours.sentence, theirs.sentence), (ours.weight, theirs.weight)]
        pairs += [(ours.start, theirs.start), (ours.length, theirs.length)]
        pairs += [(ours.codes[facet], theirs.codes.get(facet)) for facet in ours.codes]
        if not all(
            np.array_equal(a, b) if a is not None and b is not None else a is b for a, b in pairs
        ):
            return False
        if unit != TOKEN and [new.types[kind] for kind in ours.type] != [
            old.types[kind] for kind in theirs.type
        ]:
            return False
    return True


def _renamed(evidence: Evidence, system: str, name: str) -> Evidence:
    part = only_runs(evidence, evidence.runs_of(system))
    return replace(part, runs=tuple((name, number) for _, number in part.runs))


def _difference(
    joint: Evidence, cell: str, metric: str, match: str | None, sampling: Sampling
) -> Difference:
    """The difference between both systems in one cell."""
    facet, _, level = cell.partition("=")
    level = level or "all"
    division = division_named(joint, facet, match, metric)
    chosen = match or division.matches[0]
    if chosen not in division.matches:
        raise UsageError(
            f"match '{chosen}'", f"{facet} is not measured by it", suggest(chosen, division.matches)
        )
    if metric not in division.metrics[chosen]:
        raise UsageError(
            f"cell '{cell}'",
            f"there is no metric '{metric}' of {facet}",
            suggest(metric, division.metrics[chosen]),
        )
    if any(chosen not in run.gold_credit for run in joint.ledgers[division.unit].runs):
        raise InputError(
            f"match '{chosen}'",
            "results and baseline do not both have it",
            "evaluate both with the same matches",
        )
    narrow = replace(joint, divisions=(replace(division, metrics={chosen: (metric,)}),))
    everyone = differences_of(narrow, [(NEW, OLD)], sampling, "bootstrap")
    found = {one.key.level: one for one in everyone if one.key.type is None}
    if level not in found:
        raise UsageError(
            f"cell '{cell}'", f"there is no level '{level}' of {facet}", suggest(level, found)
        )
    return found[level]


def _judged(
    dataset: str, system: str, cell: str, metric: str, found: Difference, max_drop: float
) -> Verdict:
    drop = 100 * metric_named(metric).gain(found.b - found.a) + 0.0  # never minus zero
    # A number that was there is not even defined any more.
    lost = np.isnan(found.a) and not np.isnan(found.b)
    failed = lost or (drop > max_drop and is_significant(found.p))
    return Verdict(dataset, system, cell, metric, found.a, found.b, drop, found.p, bool(failed))
