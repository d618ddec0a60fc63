"""A gate for releases: check results against conditions, with or without a baseline."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from nerscope.arguments import check_arguments
from nerscope.corpus.units import ALL
from nerscope.errors import InputError, UsageError, suggest
from nerscope.results.conditions import (
    BY_INTERVAL,
    Condition,
    ConditionSource,
    check_condition,
    conditions_of,
)
from nerscope.results.joining import (
    Pairing,
    SystemOnDataset,
    join_pair,
    pairings,
    version_note,
)
from nerscope.results.results import Results
from nerscope.results.rows import scale_of
from nerscope.results.verdict import (
    BASELINE,
    FAIL,
    NAN,
    REFERENCE,
    UNDECIDED,
    MeasuredCell,
    Measurement,
    Measurements,
    Verdict,
    decide,
    floor_level,
    measure_differences,
    measure_intervals,
    measure_system,
    measured_cell,
    pick_measurement,
    points_of,
)
from nerscope.scoring.cluster_units import count_units
from nerscope.scoring.evidence import Evidence
from nerscope.stats.clusters import number_of_clusters
from nerscope.stats.intervals import FEW_CLUSTERS, Interval, Sampling

PASSES, FAILS = "pass", "fail"  # the effect of an undecided condition
_DROP = 1.0  # the default of max_drop, in points


def gate(
    results: Results,
    baseline: Results | None = None,
    conditions: ConditionSource | None = None,
    *,
    max_drop: float | None = None,
    floor: float | None = None,
    alpha: float | None = None,
    metric: str | None = None,
    facets: Sequence[str] | None = None,
    type: str | None = None,
    match: str | None = None,
    system: str | None = None,
    undecided: str = FAILS,
    resample: str | None = None,
    reference: Results | None = None,
    max_total_drop: float | None = None,
    floor_rule: str | None = None,
    always_valid: bool | None = None,
    tuned_to: float | None = None,
) -> list[Verdict]:
    """Check results against conditions; numbers are in points (0.5 is half a percent).

    Without `conditions`, the other options define one condition for each of `facets`: "all", or
    facet=level such as "tmr=unseen-tokens". Without any rule, a number may drop by 1 point. A
    condition is fulfilled if the drop is significantly smaller than `max_drop`, and violated if it
    is significantly larger. Otherwise it is undecided, and counts as `undecided` says: "fail" or
    "pass". Systems are paired by name; if each side has only one system, these two are paired.

    The same conditions are checked against a fixed `reference`, such as the results of the first
    release, with `max_total_drop` instead of `max_drop` if it is given. This detects many small
    drops in a row. With `floor_rule="interval"`, the bound of a number must be above the floor, not
    only its value. `always_valid` bounds hold for all sizes of a test set at once, so that it may
    grow and be checked daily; they are narrowest at `tuned_to` documents or sentences (default:
    200).

    >>> from nerscope import evaluate
    >>> gold = [(["Ada", "met", "Bob"], ["B-PER", "O", "B-PER"])] * 20
    >>> old = evaluate(gold, {"bert": [["B-PER", "O", "B-PER"]] * 20})
    >>> new = evaluate(gold, {"bert": [["B-PER", "O", "O"]] * 20})
    >>> gate(new, old)[0].failed
    True
    >>> [one.verdict for one in gate(new, conditions=[{"floor": 60}, {"floor": 70}])]
    ['ok', 'fail']
    """
    check_arguments(gate, locals())
    rules = {"floor": floor, "max_drop": max_drop, "max_total_drop": max_total_drop}
    bounds = {"floor_rule": floor_rule, "always_valid": always_valid, "tuned_to": tuned_to}
    cell = {"metric": metric, "type": type, "match": match, "system": system}
    options = {**rules, **bounds, **cell, "alpha": alpha}
    chosen = _chosen_conditions(conditions, facets, options)
    if undecided not in (PASSES, FAILS):
        raise UsageError(
            "undecided", f"unknown value '{undecided}'", suggest(undecided, (PASSES, FAILS))
        )
    sampling = Sampling(resample)
    _check_sides(results, baseline, reference, chosen)
    strict, verdicts = undecided == FAILS, list[Verdict]()
    judge = _Gatekeeper(results, baseline, sampling, strict)
    judge_in_total = _Gatekeeper(results, reference, sampling, strict, REFERENCE)
    for condition in chosen:
        total = condition.against_reference() if reference is not None else None
        if baseline is not None or condition.floor is not None:
            verdicts += judge.verdicts(condition)
        if total is not None:
            verdicts += judge_in_total.verdicts(total)
    return verdicts


def baseline_notes(results: Results, baseline: Results | None) -> list[str]:
    """Notes on datasets whose baseline has another version of nerscope or other answer policies.

    Versions may differ if the settings are equal, which `gate` checks.
    """
    old = {part.dataset: part.signature for part in baseline.evidence} if baseline else {}
    notes = []
    for part in results.evidence:
        ours, theirs = part.signature, old.get(part.dataset, part.signature)
        if ours.version != theirs.version:
            notes.append(version_note(part.dataset, [theirs.version, ours.version]))
        # Each may belong to another system, so this is no reason to refuse.
        if ours.answers != theirs.answers and "none" not in (ours.answers, theirs.answers):
            notes.append(
                f"{part.dataset}: the results have the answer policies {ours.answers}, "
                f"the baseline {theirs.answers}"
            )
    return notes


def few_clusters_notes(verdicts: Sequence[Verdict]) -> list[str]:
    """A note for each dataset in which bounds come from few documents or sentences."""
    fewest = dict[str, tuple[int, str]]()
    for one in verdicts:
        if one.clusters is not None and one.differing and not math.isnan(one.low):
            found = (one.clusters, str(one.over))
            fewest[one.dataset] = min(fewest.get(one.dataset, found), found)
    return [
        f"{dataset}: bounds over only {count_units(clusters, over)} are rough"
        for dataset, (clusters, over) in fewest.items()
        if clusters < FEW_CLUSTERS
    ]


def _chosen_conditions(
    conditions: ConditionSource | None, facets: Sequence[str] | None, options: dict[str, Any]
) -> list[Condition]:
    """The given conditions, or those that the options define."""
    given = {key: value for key, value in options.items() if value is not None}
    if conditions is not None:
        for key in [*given, *(["facet"] if facets else [])]:
            raise UsageError(
                key, "this option cannot be used with conditions", "put it into the conditions"
            )
        return conditions_of(conditions)
    if "floor" not in given and "max_drop" not in given:
        given["max_drop"] = _DROP
    return [check_condition(Condition(**given, facet=facet)) for facet in facets or [ALL]]


def _check_sides(
    results: Results,
    baseline: Results | None,
    reference: Results | None,
    conditions: list[Condition],
) -> None:
    if reference is None:
        for condition in conditions:
            if condition.max_total_drop is not None:
                raise UsageError(
                    condition.at("max_total_drop", ""),
                    "max_total_drop needs a reference",
                    "--reference FILE",
                )
    else:
        _check_datasets(results, reference, REFERENCE)
    if baseline is None:
        for condition in conditions:
            if condition.compares and reference is None:
                raise UsageError(
                    condition.at("", "") or "baseline",
                    "max_drop needs a baseline",
                    "--baseline FILE, or give only a floor",
                )
        if not results.evidence:
            raise InputError(
                "results",
                "no evidence to judge",
                "evaluate again, and save the results with -o FILE",
            )
        return
    _check_datasets(results, baseline, BASELINE)


def _check_datasets(results: Results, other: Results, name: str) -> None:
    ours, known = (
        dict.fromkeys(part.dataset for part in side.evidence) for side in (results, other)
    )
    if not set(ours) & set(known):
        raise InputError(
            name,
            f"it has none of the datasets of the results ({_names(ours)}); it has {_names(known)}",
            "evaluate both with the same --dataset NAME",
        )


def _names(datasets: Iterable[str]) -> str:
    return ", ".join(datasets) or "none"


class _Gatekeeper:
    """Judges conditions one by one, and reuses resampled data between them."""

    def __init__(
        self,
        results: Results,
        baseline: Results | None,
        sampling: Sampling,
        strict: bool,
        against: str = BASELINE,
    ) -> None:
        self.results, self.baseline, self.against = results, baseline, against
        self.sampling, self.strict = sampling, strict
        self._joints: dict[tuple[str, str], Evidence] = {}
        self._numbers: dict[tuple[object, ...], Measurements] = {}
        self._intervals: dict[tuple[object, ...], Mapping[tuple[str, str | None], Interval]] = {}

    def verdicts(self, condition: Condition) -> list[Verdict]:
        """The verdict of a condition for each system and dataset that it applies to."""
        chosen = pairings(self.results, self.baseline, condition)
        return [self._verdict(condition, pairing) for pairing in chosen]

    def _verdict(self, condition: Condition, pairing: Pairing) -> Verdict:
        unmeasured = Verdict(
            dataset=pairing.dataset,
            system=pairing.system,
            against=self.against if self.baseline is not None and condition.compares else None,
            cell=condition.cell,
            type=condition.type,
            match=condition.match,
            metric=condition.metric,
            alpha=condition.alpha,
            rule=pairing.missing,
            verdict=FAIL,
            failed=True,
        )
        if pairing.missing:
            return unmeasured
        compared = condition.compares and pairing.old is not None
        measured, match = self._measured(condition, pairing, compared)
        verdict, rule = decide(condition, measured, compared, self.against)
        joint = self._joints.get((pairing.dataset, pairing.system))
        return replace(
            _with_numbers(unmeasured, condition, measured),
            match=match,
            compared=compared,
            over=self.sampling.cluster_unit(joint) if compared and joint is not None else None,
            rule=rule,
            verdict=verdict,
            failed=verdict == FAIL or (verdict == UNDECIDED and self.strict),
        )

    def _measured(
        self, condition: Condition, pairing: Pairing, compared: bool
    ) -> tuple[Measurement, str]:
        """The measurement for a condition, and its match."""
        assert pairing.new is not None
        place, metric = (pairing.dataset, pairing.system), condition.metric
        if compared and place not in self._joints:
            assert pairing.old is not None
            self._joints[place] = join_pair(pairing.new, pairing.old)
        there = measured_cell(pairing.new.evidence, condition)
        # Conditions on other levels or types of the facet share this jackknife.
        key = (*place, there.table.facet, there.table.unit, there.match, metric)
        if (key, compared) not in self._numbers:
            self._numbers[key, compared] = (
                measure_differences(self._joints[place], there, metric, self.sampling)
                if compared
                else measure_system(pairing.new, there, metric)
            )
        measured = pick_measurement(self._numbers[key, compared], there, condition)
        return self._with_bounds(measured, condition, pairing.new, there), there.match

    def _with_bounds(
        self,
        measured: Measurement,
        condition: Condition,
        side: SystemOnDataset,
        there: MeasuredCell,
    ) -> Measurement:
        """The measurement with its own interval and the number of clusters, if needed."""
        if condition.always_valid:
            unit = self.sampling.cluster_unit(side.evidence)
            measured = measured._replace(all_clusters=number_of_clusters(side.evidence, unit))
        if condition.floor is None or condition.floor_rule != BY_INTERVAL:
            return measured
        alpha = floor_level(condition)
        key = (side.evidence.dataset, side.system, there.table.facet, there.match, alpha)
        if (key, condition.metric) not in self._intervals:
            self._intervals[key, condition.metric] = measure_intervals(
                side, there, condition.metric, self.sampling, alpha
            )
        levels = self._intervals[key, condition.metric]
        return measured._replace(interval=pick_measurement(levels, there, condition))


def _with_numbers(verdict: Verdict, condition: Condition, measurement: Measurement) -> Verdict:
    """The verdict with the measured numbers."""
    points, difference = points_of(condition, measurement), measurement.difference
    scale = scale_of(condition.metric)
    return replace(
        verdict,
        n=measurement.n,
        new_low=NAN if measurement.interval is None else points.least / scale,
        new_high=NAN if measurement.interval is None else points.most / scale,
        e_value=points.e_value,
        new=measurement.new,
        old=measurement.old,
        drop=-points.gain + 0.0,  # + 0.0 turns -0.0 into 0.0
        low=points.low,
        high=points.high,
        p=points.p,
        detectable=points.detectable,
        clusters=None if difference is None else difference.clusters,
        differing=None if difference is None else difference.differing,
    )
