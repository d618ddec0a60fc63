"""A gate for releases: fails only when a number dropped by more than is allowed, and not by chance."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeGuard

import numpy as np

from nerscope.errors import InputError, UsageError, suggest
from nerscope.results.results import Results, gain, is_significant
from nerscope.scoring.evidence import Evidence, joined_runs
from nerscope.stats.intervals import Bounds, Sampling
from nerscope.stats.paired import Difference, resample

NEW, OLD = "new", "baseline"


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
    cells: Sequence[str] = ("all",),
    match: str = "exact",
    system: str | None = None,
    samples: int = 10_000,
    seed: int = 0,
) -> list[Verdict]:
    """Compare results with those of a baseline, cell by cell; `max_drop` is in points, so 0.5 is
    half a percent.

    A cell is "all", or facet=level such as "tmr=unseen-tokens". Systems are compared by name; if
    each side has only one, these two are.

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
    verdicts = []
    for new in results.evidence:
        old = next((part for part in baseline.evidence if part.dataset == new.dataset), None)
        if old is None:
            continue
        for name, old_name in _systems(new, old, system):
            joint = _joint(new, name, old, old_name)
            verdicts += [
                _verdict(
                    joint, name, cell, metric, match, max_drop, Sampling("sentence", samples, seed)
                )
                for cell in cells
            ]
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
    if set(new.divisions) != set(old.divisions):
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
        ours, theirs = ledger.gold, old.ledgers[unit].gold
        pairs = [(ours.sentence, theirs.sentence), (ours.weight, theirs.weight)]
        pairs += [(ours.start, theirs.start), (ours.length, theirs.length)]
        pairs += [(ours.codes[facet], theirs.codes[facet]) for facet in ours.codes]
        if not all(
            np.array_equal(a, b) if a is not None and b is not None else a is b for a, b in pairs
        ):
            return False
        if unit != "token" and [new.types[kind] for kind in ours.type] != [
            old.types[kind] for kind in theirs.type
        ]:
            return False
    return True


def _renamed(evidence: Evidence, system: str, name: str) -> Evidence:
    runs = evidence.runs_of(system)
    ledgers = {
        unit: replace(ledger, runs=tuple(ledger.runs[run] for run in runs))
        for unit, ledger in evidence.ledgers.items()
    }
    return replace(
        evidence, runs=tuple((name, evidence.runs[run][1]) for run in runs), ledgers=ledgers
    )


def _verdict(
    joint: Evidence,
    system: str,
    cell: str,
    metric: str,
    match: str,
    max_drop: float,
    sampling: Sampling,
) -> Verdict:
    facet, _, level = cell.partition("=")
    level = level or "all"
    if facet not in joint.divisions:
        raise UsageError(
            f"cell '{cell}'",
            f"there is no facet '{facet}' in the results",
            suggest(facet, joint.divisions),
        )
    division = joint.divisions[facet]
    if metric not in division.metrics:
        raise UsageError(
            f"cell '{cell}'",
            f"there is no metric '{metric}' of {facet}",
            suggest(metric, division.metrics),
        )
    chosen = match if match in division.matches else division.matches[0]
    if any(chosen not in run.gold_credit for run in joint.ledgers[division.unit].runs):
        raise InputError(
            f"match '{chosen}'",
            "results and baseline do not both have it",
            "evaluate both with the same matches",
        )
    narrow = replace(
        joint, divisions={facet: replace(division, matches=(chosen,), metrics=(metric,))}
    )
    found = {
        one.key.level: one
        for one in resample(narrow, sampling, pairs=[(NEW, OLD)])
        if _is_whole(one)
    }
    if level not in found:
        raise UsageError(
            f"cell '{cell}'", f"there is no level '{level}' of {facet}", suggest(level, found)
        )
    return _judged(joint.dataset, system, cell, metric, found[level], max_drop)


def _is_whole(found: Bounds | Difference) -> TypeGuard[Difference]:
    return isinstance(found, Difference) and found.key.type is None


def _judged(
    dataset: str, system: str, cell: str, metric: str, found: Difference, max_drop: float
) -> Verdict:
    drop = 100 * gain(metric, found.b - found.a) + 0.0  # never minus zero
    lost = np.isnan(found.a) and not np.isnan(
        found.b
    )  # a number that was there is not even defined any more
    failed = lost or (drop > max_drop and is_significant(found.p))
    return Verdict(dataset, system, cell, metric, found.a, found.b, drop, found.p, bool(failed))
