"""Compare systems: differences, intervals and corrected p-values, computed from results."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from nerscope.arguments import check_arguments
from nerscope.corpus.units import ALL, SHOWN_UNIT
from nerscope.errors import InputError, UsageError, expect
from nerscope.results.families import OTHER as OTHER
from nerscope.results.families import PRIMARY as PRIMARY
from nerscope.results.families import TYPES as TYPES
from nerscope.results.families import WHERE as WHERE
from nerscope.results.families import (
    correct_families,
    families_of,
    label_families,
    too_few_samples,
    with_joint_intervals,
)
from nerscope.results.joining import version_note
from nerscope.results.neighbours import likeness_note
from nerscope.results.over_datasets import (
    DatasetsRow,
    Rope,
    RunsRow,
    datasets_rows,
    rank_rows,
    runs_rows,
    stochastic_order_notes,
)
from nerscope.results.plausible import (
    DEFAULT_PLAUSIBLE,
    check_plausible,
    row_design,
    with_plausible,
)
from nerscope.results.protocol import Protocol, choose_protocol
from nerscope.results.ranking import RankingRow, ranking_rows
from nerscope.results.results import Results
from nerscope.results.rows import ComparisonRow, RankRow, row_value
from nerscope.results.selection import (
    CellChoice,
    check_choice,
    check_names_list,
    narrow_evidence,
    on_datasets,
)
from nerscope.results.selection import PairNames as PairNames
from nerscope.results.selection import pairs_of as pairs_of
from nerscope.results.shared_texts import SharedTexts, shared_texts
from nerscope.results.terms import Ranges, bucket_ranges
from nerscope.scoring.evidence import Evidence, FacetTable
from nerscope.scoring.folding import MOST_GROUPS
from nerscope.scoring.matching import EXACT
from nerscope.scoring.metrics import NEITHER, metric_named
from nerscope.stats.corrections import DEFAULT_CORRECTION, check_correction, correct_p_values
from nerscope.stats.corrections import SIGNIFICANT as SIGNIFICANT
from nerscope.stats.corrections import is_significant as is_significant
from nerscope.stats.corrections import plain_correction as plain_correction
from nerscope.stats.dataset_means import DatasetDifference, dataset_differences
from nerscope.stats.intervals import FEW_CLUSTERS as FEW_CLUSTERS
from nerscope.stats.intervals import Sampling
from nerscope.stats.paired import DEFAULT_METHOD
from nerscope.stats.runs import FEWEST_SYSTEMS
from nerscope.stats.system_differences import (
    ComparisonPlan,
    Difference,
    differences,
    leading_metric_of,
)
from nerscope.stats.system_pair import ABOUT_OUTPUTS as ABOUT_OUTPUTS
from nerscope.stats.system_pair import ABOUT_RECIPES as ABOUT_RECIPES
from nerscope.stats.system_pair import SystemPair

WIN, LOSS, UNDECIDED = "win", "loss", "undecided"
_MOST_MARGIN = 1e6
MOST_UNPOOLED = MOST_GROUPS - 1  # up to this many clusters are counted individually


@dataclass(frozen=True, slots=True)
class Comparison:
    """Differences between systems, cell by cell."""

    rows: list[ComparisonRow]
    settings: dict[str, Any]
    notes: list[str] = field(default_factory=list)
    protocol: Protocol | None = None  # how datasets relate to each other
    shared: Sequence[SharedTexts] = ()  # datasets with texts in common
    by_cell: bool = False  # facets were chosen: `over_datasets` has every cell
    stochastic_order: bool = False  # whether `over_runs` includes it
    ranking: Sequence[RankingRow] = ()  # of all systems; empty if only some pairs were compared
    any_star: float | None = None  # the chance of any star if nothing differs
    ranges: Ranges = field(default_factory=dict)  # of buckets, to name them in words

    def tally(self, a: str, b: str) -> Counter[str]:
        """The numbers of wins, losses and undecided cells of A against B, by the corrected p."""
        return Counter(standings(row for row in self.rows if row.pair == (a, b)))

    @property
    def primary(self) -> list[ComparisonRow]:
        """The rows of the primary question: is A better than B?"""
        return [row for row in self.rows if row.family == PRIMARY]

    def over_runs(self) -> list[RunsRow]:
        """Single runs: all scores, and the chance that A's next run beats B's next run."""
        return list(runs_rows(self.primary, self.stochastic_order))

    def over_datasets(self, every: bool | None = None) -> list[DatasetsRow]:
        """Each pair over all datasets: mean difference, and on how many A is better.

        With `every`, there is a row for every cell, the primary cell first. By default, the cells
        are those of the chosen facets or, without any, the primary cell alone.
        """
        rows = self.primary
        if self.by_cell if every is None else every:
            rows = [*rows, *(row for row in self.rows if row.family != PRIMARY)]
        chosen = self.settings
        rope = None
        if "rope" in chosen:
            rope = Rope(float(chosen["rope"]), int(chosen["samples"]), int(chosen["seed"]))
        return datasets_rows(rows, chosen["correction"], self.protocol, self.shared, rope)

    def ranks(self) -> list[RankRow]:
        """The mean rank of each system over the datasets."""
        return rank_rows(self.primary)

    def __str__(self) -> str:
        from nerscope.render.answers import answers

        return "\n".join(answers(self)) or "no comparison"

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        from nerscope.render.comparison import comparison_document
        from nerscope.render.document import OUTPUTS

        return OUTPUTS["html"](comparison_document(self, ""))

    def as_dict(self) -> dict[str, Any]:
        """The comparison as `compare --format json` prints it."""
        return {
            "settings": self.settings,
            "notes": self.notes,
            "any_star": self.any_star,
            "rows": [row.as_dict() for row in self.rows],
            "over_runs": [row.as_dict() for row in self.over_runs()],
            "over_datasets": [row.as_dict() for row in self.over_datasets()],
            "ranks": [row.as_dict() for row in self.ranks()],
            "ranking": [row.as_dict() for row in self.ranking],
        }


def standing(metric: str, difference: float, p: float | None) -> str:
    """Whether the first of two systems wins a cell, loses it, or the cell is undecided.

    >>> standing("ter", -0.02, 0.01), standing("f1", -0.02, 0.01), standing("f1", 0.02, 0.3)
    ('win', 'loss', 'undecided')
    """
    better = metric_named(metric).gain(difference)
    return UNDECIDED if not better or not is_significant(p) else WIN if better > 0 else LOSS


def standings(rows: Iterable[ComparisonRow]) -> Iterator[str]:
    """The standing of the first system in each row that was tested."""
    better: dict[str, int] = {}  # by metric: 1 if higher is better, -1 if lower is, 0 if neither
    for row in rows:
        if row.p_corrected is None or row.difference is None:
            continue
        if row.metric not in better:
            better[row.metric] = metric_named(row.metric).better
        gain = better[row.metric] * row.difference
        if not gain or row.p_corrected >= SIGNIFICANT:
            yield UNDECIDED
        else:
            yield WIN if gain > 0 else LOSS


def version_notes(parts: Sequence[Evidence]) -> Iterator[str]:
    """A note for each dataset whose results were created by several versions of nerscope.

    The numbers are comparable: settings and gold data were checked to be equal.
    """
    for evidence in parts:
        versions = evidence.signature.version.split("+")
        if len(versions) > 1:
            yield version_note(evidence.dataset, versions)


def compare(
    results: Results,
    a: str | None = None,
    b: str | None = None,
    *,
    baseline: str | None = None,
    pairs: Sequence[PairNames] | None = None,
    facets: Sequence[str] | None = None,
    metrics: Sequence[str] | None = None,
    matches: Sequence[str] | None = None,
    types: Sequence[str] | None = None,
    by_type: bool = False,
    method: str = DEFAULT_METHOD,
    about: str | None = None,
    same_seeds: bool = False,
    margin: float | None = None,
    simultaneous: bool = False,
    correction: str = DEFAULT_CORRECTION,
    samples: int = 10_000,
    seed: int = 0,
    resample: str | None = None,
    datasets: Sequence[str] | None = None,
    over: str | None = None,
    ratio: float | None = None,
    rope: float | None = None,
    stochastic_order: bool = False,
    plausible: float | None = DEFAULT_PLAUSIBLE,
) -> Comparison:
    """Compare two systems, all systems with a baseline, given pairs, or all pairs.

    Every row belongs to a family: "primary" (overall exact F1, or the first metric chosen), "where"
    (the levels of each facet by one metric), "types", or "other". p is corrected within the family
    of a pair; in the primary family, over all pairs. `about` is "outputs" or "recipes" (training
    methods); default: recipes if a system has several runs. With `same_seeds`, runs are paired in
    order. `margin` (in points) adds a test of equivalence within this margin. `simultaneous`
    intervals hold for all rows of a family at once. `datasets` selects datasets. `over` is the
    relation between datasets, if the results do not have one: "splits" (with the `ratio` of test to
    training sentences), "fixed", "drawn", or "domains", which may be either of the last two.
    `plausible` is a true difference in points: rows of the primary family give the power of the
    test for it, and how far a significant result misleads (errors of type S and M). `rope` (in
    points) adds to `over_datasets()` the probability that the systems are practically equivalent,
    that is, differ by less. `stochastic_order` adds almost stochastic order to `over_runs()`, for
    pairs with ten runs of each system.

    >>> from nerscope import evaluate
    >>> gold = [(["Ada", "met", "Bob"], ["B-PER", "O", "B-PER"])] * 20
    >>> all_found, none = [["B-PER", "O", "B-PER"]] * 20, [["O", "O", "O"]] * 20
    >>> results = evaluate(gold, {"x": all_found, "y": none})
    >>> compare(results, "x", "y", metrics=["f1"], samples=200).rows[0]["difference"]
    1.0
    """
    check_arguments(compare, locals())
    choice = CellChoice(facets, metrics, matches, types, by_type)
    _check_comparison(results, choice, method, correction, margin)
    _check_points("rope", rope)
    check_plausible(plausible)
    results = on_datasets(results, datasets)
    protocol = choose_protocol(results.protocol, over, ratio)
    sampling, plan = Sampling(resample, samples, seed), ComparisonPlan(method, about, same_seeds)
    cells, notes = list[ComparedCell](), list(version_notes(results.evidence))
    is_split = protocol is not None and protocol.are_splits and len(results.evidence) > 1
    for evidence in results.evidence:
        pairs_here, missing = pairs_of(evidence, results, a, b, baseline, pairs)
        chosen = narrow_evidence(evidence, facets, metrics, matches)
        compared = compared_cells(
            chosen, pairs_here, sampling, plan, choice.has_types, metrics is not None
        )
        cells += [cell for cell in compared if types is None or cell.row.type in types]
        notes += [*missing, *run_notes(chosen, pairs_here, plan, is_split)]
        notes += likeness_note(evidence, pairs_here, sampling.cluster_unit(evidence))
    settings = {
        "method": method,
        "correction": correction,
        **sampling.as_settings(results.evidence),
    }
    if rope is not None:
        settings["rope"] = f"{rope:g}"
        one = "--rope needs several datasets. Fix: --margin (tests equivalence on one dataset)"
        notes += [one] if len(results.evidence) < 2 else []
    rows = [cell.row for cell in cells]
    comparison = comparison_of(
        rows, settings, list(dict.fromkeys(notes)), protocol, simultaneous=simultaneous
    )
    if stochastic_order:
        notes = [*comparison.notes, *stochastic_order_notes(comparison.primary)]
        comparison = replace(comparison, notes=notes, stochastic_order=True)
    measured = [cell.difference for cell in cells]
    if margin is not None:
        comparison = _with_equivalence(comparison, measured, margin)
    rows = with_plausible(comparison.rows, PRIMARY, plausible, correction)
    comparison = replace(
        comparison,
        rows=rows,
        by_cell=facets is not None,
        ranges=bucket_ranges(results.evidence),
    )
    comparison = note_shared_texts(comparison, results.evidence)
    if (a, b, baseline, pairs) != (None, None, None, None):
        return comparison
    return _with_ranking(comparison, measured, sampling, same_seeds)


def _with_ranking(
    comparison: Comparison, measured: Sequence[Difference], sampling: Sampling, same_seeds: bool
) -> Comparison:
    """The comparison of all pairs, with a ranking of its systems."""
    primary = [
        (row, difference)
        for row, difference in zip(comparison.rows, measured, strict=True)
        if row.family == PRIMARY and row.difference is not None
    ]
    over, protocol = comparison.over_datasets(every=False), comparison.protocol
    ranking = ranking_rows(primary, over, protocol, sampling, same_seeds)
    return replace(comparison, ranking=ranking)


def note_shared_texts(comparison: Comparison, parts: Sequence[Evidence]) -> Comparison:
    """The comparison with the datasets that share texts; splits always do."""
    if len(parts) < 2 or (comparison.protocol and comparison.protocol.are_splits):
        return comparison
    shared = shared_texts(parts)
    notes = [*comparison.notes, *(pair.note for pair in shared)]
    return replace(comparison, shared=shared, notes=notes)


def _check_comparison(
    results: Results, choice: CellChoice, method: str, correction: str, margin: float | None
) -> None:
    """Raise an error for invalid options, before anything is computed."""
    expect("results", results, Results, "give the results of evaluate or Results.load")
    for name in ("facets", "metrics", "matches", "types"):
        check_names_list(name, getattr(choice, name))
    expect("method", method, str, "give the name of a method")
    expect("correction", correction, str, "give the name of a correction")
    if not results.evidence:
        raise InputError(
            "results",
            "no evidence to resample",
            "evaluate again, and save the results with -o FILE",
        )
    check_correction(correction)
    check_choice(results, choice)
    _check_points("margin", margin)


class ComparedCell(NamedTuple):
    """A row, and the difference that it was computed from."""

    row: ComparisonRow
    difference: Difference


def _check_points(name: str, given: float | None) -> None:
    number = isinstance(given, int | float) and not isinstance(given, bool)
    if given is not None and not (number and 0 < given <= _MOST_MARGIN):
        raise UsageError(
            name, f"invalid value {given!r}", "give a number of points above 0, such as 1"
        )


def compared_cells(
    evidence: Evidence,
    pairs: Sequence[PairNames],
    sampling: Sampling,
    plan: ComparisonPlan,
    by_type: bool = False,
    alone: bool = False,
) -> list[ComparedCell]:
    """The displayed differences, as tidy rows."""
    chosen = evidence if by_type else _only_overall_types(evidence)
    if not alone:
        chosen = judged_metrics(chosen)
    # Every lookup is made once per facet, because there are many rows.
    cells, facts = list[ComparedCell](), dict[tuple[str, str, str], _FacetFacts]()
    parts = dict[SystemPair, list[DatasetDifference]]()
    for difference in differences(chosen, pairs, sampling, plan):
        spread, key = difference.pair.spread, difference.key
        table, match = spread.table, spread.match
        place = (table.unit, table.facet, match)
        if place not in facts:
            facts[place] = _facet_facts(table, match)
        if key.type is None or by_type or facts[place].has_types:
            if difference.pair not in parts:
                parts[difference.pair] = dataset_differences(difference.pair)
            here = parts[difference.pair][difference.at]
            row = difference_row(evidence, difference, facts[place], here)
            cells.append(ComparedCell(row, difference))
    return cells


class _FacetFacts(NamedTuple):
    """Facts that the rows of a facet and a match share."""

    unit: str
    has_types: bool  # types are shown by default
    leading_metric: str | None  # the metric by which levels are judged


def _facet_facts(table: FacetTable, match: str) -> _FacetFacts:
    return _FacetFacts(
        SHOWN_UNIT[table.unit],
        _has_types(table.facet, match),
        leading_metric_of(table, match),
    )


def _only_overall_types(evidence: Evidence) -> Evidence:
    """The evidence without types that are not shown; types of overall exact match are shown."""
    tables = []
    for table in evidence.tables:
        shown = {
            name: metrics
            for name, metrics in table.metrics.items()
            if _has_types(table.facet, name)
        }
        rest = {name: metrics for name, metrics in table.metrics.items() if name not in shown}
        tables += [replace(table, metrics=shown)] if shown else []
        tables += [replace(table, metrics=rest, by_type=False)] if rest else []
    return replace(evidence, tables=tuple(tables))


def judged_metrics(evidence: Evidence) -> Evidence:
    """The evidence without metrics that have no better direction, such as a share of errors."""
    tables = []
    for table in evidence.tables:
        judged = {
            match: tuple(name for name in names if metric_named(name).better != NEITHER)
            for match, names in table.metrics.items()
        }
        judged = {match: names for match, names in judged.items() if names}
        tables += [replace(table, metrics=judged)] if judged else []
    return replace(evidence, tables=tuple(tables))


def _has_types(facet: str, match: str) -> bool:
    """Whether types are shown by default."""
    return facet == ALL and match == EXACT


def run_notes(
    evidence: Evidence, pairs: Sequence[PairNames], plan: ComparisonPlan, is_split: bool = False
) -> Iterator[str]:
    """Notes on what the numbers of runs mean for the conclusions.

    With `is_split`, the evidence is one of several splits: each has its own training run, so that
    one run each is enough to compare methods.
    """
    sizes = {pair: [len(evidence.runs_of(name)) for name in pair] for pair in pairs}
    single = [pair for pair, counts in sizes.items() if max(counts) == 1]
    borrowed = [pair for pair, counts in sizes.items() if min(counts) == 1 < max(counts)]
    if single and not is_split:
        yield "one run each: this compares two outputs, not two methods"
    if plan.about == ABOUT_OUTPUTS and len(single) < len(sizes):
        yield "this compares only these outputs: other training runs may differ more"
    elif borrowed:
        a, b = borrowed[0]
        alone = a if sizes[a, b][0] == 1 else b
        yield f"{alone} has one run: its variance over runs is assumed to equal the other system's"
    if plan.about != ABOUT_OUTPUTS and not plan.same_seeds and len(single) < len(sizes):
        several = sum(len(evidence.runs_of(name)) > 1 for name in evidence.systems)
        if several >= FEWEST_SYSTEMS:
            yield f"the variance over runs is estimated from all {several} systems"


def _with_equivalence(
    comparison: Comparison, differences: Sequence[Difference], margin: float
) -> Comparison:
    """The comparison with tests of equivalence, corrected within the families."""
    rows, correction = list(comparison.rows), comparison.settings["correction"]
    for places in families_of(rows).values():
        p_values = [_p_equivalent(differences[at], margin) for at in places]
        for at, p in zip(places, correct_p_values(p_values, correction), strict=True):
            rows[at] = replace(rows[at], p_equivalent=row_value(p), margin=margin)
    return replace(comparison, rows=rows, settings=comparison.settings | {"margin": f"{margin:g}"})


def _p_equivalent(difference: Difference, margin: float) -> float:
    """The p-value of equivalence within the margin: the larger of two one-sided p-values
    (Schuirmann 1987).
    """
    scale = 100.0 if difference.pair.spread.metrics[difference.at].is_fraction else 1.0
    return max(difference.p_below(margin / scale), difference.p_above(-margin / scale))


def comparison_of(
    rows: Sequence[ComparisonRow],
    settings: dict[str, Any],
    notes: Sequence[str],
    protocol: Protocol | None = None,
    *,
    simultaneous: bool = False,
) -> Comparison:
    """A comparison whose rows have families, with p-values corrected within them."""
    correction, samples = settings["correction"], int(settings["samples"])
    found = correct_families(label_families(rows), correction, int(settings.get("seed", 0)))
    rows = with_joint_intervals(found, every_family=simultaneous)
    settings = {
        **settings,
        "about": "+".join(sorted({row.about for row in rows if row.about})),
        "tests": "+".join(sorted({row.test for row in rows if row.test})),
    }
    if protocol is not None:
        settings |= {"over": protocol.datasets}
        settings |= {"ratio": protocol.ratio} if protocol.are_splits else {}
    if simultaneous:
        settings["intervals"] = "simultaneous"
    most = too_few_samples(rows, correction, samples)
    too_few_note = (
        f"{samples} resamples are too few for {most} cells: no corrected p-value can be below "
        f"{SIGNIFICANT}. Fix: more --samples, or fewer facets and metrics"
    )
    notes = [*notes, *([too_few_note] if most else [])]
    return Comparison(rows, settings, notes, protocol, any_star=found.any_star)


def difference_row(
    evidence: Evidence, difference: Difference, facts: _FacetFacts, parts: DatasetDifference
) -> ComparisonRow:
    """A difference as a tidy row."""
    level, kind, metric = difference.key
    pair, spread = difference.pair, difference.pair.spread
    low, high = difference.interval or (None, None)
    # Overall rows also list the scores of all runs, if the comparison is about methods.
    has_runs = pair.about == ABOUT_RECIPES and spread.table.facet == ALL and kind is None
    leads = level == ALL and metric == facts.leading_metric
    is_overall = leads or spread.metrics[difference.at].is_over_levels
    return ComparisonRow(
        dataset=evidence.dataset,
        system_a=pair.a,
        system_b=pair.b,
        unit=facts.unit,
        facet=spread.table.facet,
        level=level,
        type=None if kind is None else evidence.types[kind],
        match=spread.match,
        metric=metric,
        a=row_value(difference.a),
        b=row_value(difference.b),
        difference=row_value(difference.a - difference.b),
        low=low,
        high=high,
        p=row_value(difference.p),
        p_corrected=None,
        family=OTHER,
        n=round(difference.n),
        clusters=difference.clusters,
        degrees=row_value(difference.degrees),
        differing=difference.differing,
        about=pair.about,
        test=difference.test,
        untested=difference.untested_reason,
        detectable=difference.detectable,
        runs_a=_run_scores(difference, pair.a) if has_runs else None,
        runs_b=_run_scores(difference, pair.b) if has_runs else None,
        leads_facet=metric == facts.leading_metric,
        design=row_design(difference) if is_overall and kind is None else None,
        null=difference.null,
        variance=pair.variance_parts[difference.at],
        parts=parts,
    )


def _run_scores(difference: Difference, system: str) -> list[float | None]:
    return [
        row_value(float(score)) for score in difference.pair.spread.runs[system][:, difference.at]
    ]
