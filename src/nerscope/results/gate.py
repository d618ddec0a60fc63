"""A gate for releases: conditions that results must fulfil, alone or against a baseline."""

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
from nerscope.scoring.evidence import Evidence
from nerscope.stats.clusters import number_of_clusters
from nerscope.stats.intervals import Interval, Sampling

PASSES, FAILS = "pass", "fail"  # what an undecided condition does
_DROP = 1.0  # points that a number may drop by default


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
    """Hold results against conditions; numbers are in points, so 0.5 is half a percent.

    Without `conditions`, the other options make one for each of `facets`: "all", or facet=level
    such as "tmr=unseen-tokens"; without any rule, a number may drop by 1 point. A condition is
    fulfilled if the drop is surely smaller than `max_drop`, violated if it is surely larger, and
    else undecided, which is a "fail" or a "pass". Systems are compared by name; if each side has
    only one, these two are.

    A fixed `reference`, such as the results of the first release, is held against the same
    conditions beside the baseline, with `max_total_drop` in the place of `max_drop` if it is given:
    ten releases that each lose a little are seen. With `floor_rule="interval"`, the bound of a
    number must be above the floor, not its value alone. `always_valid` bounds hold at all sizes of
    a test set at once, so that it may grow and be looked at daily; they are narrowest at `tuned_to`
    documents or sentences, 200 by default.

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
            "undecided", f"there is no '{undecided}'", suggest(undecided, (PASSES, FAILS))
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
    """A note for each dataset that another version of nerscope evaluated for the baseline.

    Versions may differ as long as the settings agree, which `gate` checks.
    """
    old = {part.dataset: part.signature.version for part in baseline.evidence} if baseline else {}
    return [
        version_note(part.dataset, [old[part.dataset], part.signature.version])
        for part in results.evidence
        if old.get(part.dataset, part.signature.version) != part.signature.version
    ]


def _chosen_conditions(
    conditions: ConditionSource | None, facets: Sequence[str] | None, options: dict[str, Any]
) -> list[Condition]:
    """The conditions that were given, or those that the options make."""
    given = {key: value for key, value in options.items() if value is not None}
    if conditions is not None:
        for key in [*given, *(["facet"] if facets else [])]:
            raise UsageError(key, "it has no place beside conditions", "put it into them")
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
                    "it asks how far a number drops in total, and there is no reference",
                    "give --reference FILE",
                )
    else:
        _check_datasets(results, reference, REFERENCE)
    if baseline is None:
        for condition in conditions:
            if condition.compares and reference is None:
                raise UsageError(
                    condition.at("", "") or "baseline",
                    "it asks how far a number drops, and there is no baseline",
                    "give --baseline FILE, or only a floor",
                )
        if not results.evidence:
            raise InputError(
                "results", "they hold no evidence to judge", "evaluate again, and save with `-o`"
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
            "name datasets alike with --dataset",
        )


def _names(datasets: Iterable[str]) -> str:
    return ", ".join(datasets) or "none"


class _Gatekeeper:
    """Judges conditions one by one; what is resampled for one serves the others."""

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
        """The number that a condition means, and the match that it was found by."""
        assert pairing.new is not None
        place, metric = (pairing.dataset, pairing.system), condition.metric
        if compared and place not in self._joints:
            assert pairing.old is not None
            self._joints[place] = join_pair(pairing.new, pairing.old)
        there = measured_cell(pairing.new.evidence, condition)
        # Conditions on other levels or types of the facet need the same jackknife: computed once.
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
        """The number with its own interval, and the clusters that there are, if they are needed."""
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
    """A verdict with what was measured."""
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
        drop=-points.gain + 0.0,  # never minus zero
        low=points.low,
        high=points.high,
        p=points.p,
        detectable=points.detectable,
        clusters=None if difference is None else difference.clusters,
        differing=None if difference is None else difference.differing,
    )
