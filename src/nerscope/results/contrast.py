"""Contrasts within a system: one cell against another, such as unseen tokens against others."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from nerscope.arguments import check_arguments
from nerscope.corpus.units import ALL, MENTION
from nerscope.errors import UsageError, suggest
from nerscope.results.errors import check_system
from nerscope.results.results import Results
from nerscope.results.rows import ResultRow, or_nan, row_value
from nerscope.results.selection import check_names_list, on_datasets
from nerscope.scoring.cluster_units import count_units, is_crossed, unit_noun
from nerscope.scoring.evidence import Evidence, FacetTable
from nerscope.scoring.matching import leading_match
from nerscope.scoring.metrics import leading_metric
from nerscope.stats.clusters import CellKey, ClusterCounts, clusters_of
from nerscope.stats.corrections import DEFAULT_CORRECTION, SIGNIFICANT, correct_p_values
from nerscope.stats.intervals import Sampling
from nerscope.stats.jackknife import jackknife_between
from nerscope.stats.system_differences import fewest_differing
from nerscope.stats.system_pair import ABOUT_OUTPUTS, ABOUT_RECIPES, SystemPair
from nerscope.stats.two_way import with_block_degrees

_FIRST, _SECOND = "first", "second"
_TYPE = "type"  # the facet name of an entity type: type=PER
_IN = "in"  # the level of a subset


@dataclass(frozen=True, slots=True, eq=False)
class ContrastRow(ResultRow):
    """A metric of a system in two cells of a dataset; `difference` is the first minus the second.

    `low` and `high` are the 95 % interval; `p_corrected` is corrected over all rows. If a system
    has several runs, the interval and p allow for other training runs.
    """

    dataset: str
    system: str
    first: str
    second: str
    match: str
    metric: str
    value_first: float | None
    value_second: float | None
    difference: float | None
    low: float | None
    high: float | None
    p: float | None
    p_corrected: float | None
    n_first: int
    n_second: int
    clusters: int  # clusters that change the difference
    about: str
    untested: str | None  # why p is missing


class _Cell(NamedTuple):
    """A cell: its facet table, its level, and its type if it has one."""

    table: FacetTable
    level: str
    type: int | None


def contrast(
    results: Results,
    first: str,
    second: str,
    *,
    metric: str | None = None,
    systems: Sequence[str] | None = None,
    datasets: Sequence[str] | None = None,
    about: str | None = None,
    correction: str = DEFAULT_CORRECTION,
    resample: str | None = None,
) -> list[ContrastRow]:
    """The difference between two cells for each system, with interval and p.

    A cell is FACET=LEVEL, `all`, or type=NAME. The two cells may be of different facets that have
    the `metric` (default: the leading one). Runs are paired, because each run is in both cells. p
    is corrected over all rows.

    >>> from nerscope import evaluate
    >>> gold = [(["Ada", "saw", "Rome"], ["B-PER", "O", "B-LOC"])] * 20
    >>> found = [["B-PER", "O", "B-LOC"]] * 10 + [["B-PER", "O", "O"]] * 10
    >>> [row] = contrast(evaluate(gold, {"s": found}), "type=PER", "type=LOC", metric="recall")
    >>> row.value_first, row.value_second, row.difference, row.p < 0.01
    (1.0, 0.5, 0.5, True)
    """
    check_arguments(contrast, locals())
    check_names_list("systems", systems)
    for name in systems or ():
        check_system(results, name)
    if about not in (None, ABOUT_OUTPUTS, ABOUT_RECIPES):
        raise UsageError(
            "about", f"unknown value '{about}'", suggest(about, [ABOUT_OUTPUTS, ABOUT_RECIPES])
        )
    names, sampling = (first, second), Sampling(resample)
    chosen = on_datasets(results, datasets).evidence
    having = [evidence for evidence in chosen if all(_has_cell(evidence, name) for name in names)]
    rows = [
        row
        for evidence in having or chosen  # if no dataset has both cells: an error that says so
        for row in _rows(evidence, names, metric, systems, about, sampling)
    ]
    p_values = correct_p_values([or_nan(row.p) for row in rows], correction)
    return [replace(row, p_corrected=row_value(p)) for row, p in zip(rows, p_values, strict=True)]


def _rows(
    evidence: Evidence,
    names: tuple[str, str],
    metric: str | None,
    systems: Sequence[str] | None,
    about: str | None,
    sampling: Sampling,
) -> Iterator[ContrastRow]:
    """One row for each system that has an output for the dataset."""
    cells = [_cell(evidence, name) for name in names]
    metric = _metric(names, cells, metric)
    unit = sampling.cluster_unit(evidence)
    if is_crossed(unit):
        raise UsageError(
            "resample",
            f"contrasts do not support the two-way clusters '{unit}'",
            "--resample document (or sentence, or block:20)",
        )
    clusters = clusters_of(evidence, unit)
    for system in evidence.systems:
        if systems and system not in systems:
            continue
        ours, theirs = (
            ClusterCounts(evidence, table, next(iter(table.metrics)), [system], clusters)
            for table in (_narrowed(cell, metric) for cell in cells)
        )
        first, second = (CellKey(cell.level, cell.type, metric) for cell in cells)
        spread, differing = jackknife_between(ours, theirs, (_FIRST, _SECOND), (first, second))
        spread = with_block_degrees(spread, unit)
        several = len(spread.runs[_FIRST]) > 1 and about != ABOUT_OUTPUTS
        if about == ABOUT_RECIPES and not several:
            raise UsageError(
                "about",
                f"{system} has one run, so recipes cannot be compared",
                "evaluate several runs of each system, or use --about outputs",
            )
        spoken_of = ABOUT_RECIPES if several else ABOUT_OUTPUTS
        pair = SystemPair(spread, _FIRST, _SECOND, differing, spoken_of, same_seeds=several)
        yield _row(evidence.dataset, system, names, pair, unit)


def _row(
    dataset: str, system: str, names: tuple[str, str], pair: SystemPair, unit: str
) -> ContrastRow:
    spread = pair.spread
    low, high = (float(bound[0]) for bound in pair.bounds(SIGNIFICANT))
    p, untested = float(pair.p_at()[0]), None
    fewest = fewest_differing(SIGNIFICANT)
    if pair.difference[0] != pair.difference[0]:
        untested = "undefined"
    elif spread.clusters.min() < 2:
        low = high = float("nan")
        untested = f"a cell occurs in one {unit_noun(unit)} only"
    elif pair.differing[0] < fewest:
        untested = f"differs in {count_units(int(pair.differing[0]), unit)}, {fewest} are needed"
    return ContrastRow(
        dataset=dataset,
        system=system,
        first=names[0],
        second=names[1],
        match=spread.match,
        metric=spread.metrics[0].name,
        value_first=row_value(float(spread.values(_FIRST)[0])),
        value_second=row_value(float(spread.values(_SECOND)[0])),
        difference=row_value(float(pair.difference[0])),
        low=row_value(low),
        high=row_value(high),
        p=None if untested else row_value(p),
        p_corrected=None,
        n_first=round(float(spread.sizes[0, 0])),
        n_second=round(float(spread.sizes[1, 0])),
        clusters=int(pair.differing[0]),
        about=pair.about,
        untested=untested,
    )


def _has_cell(evidence: Evidence, text: str) -> bool:
    try:
        _cell(evidence, text)
    except UsageError:
        return False
    return True


def _cell(evidence: Evidence, text: str) -> _Cell:
    """The cell with this name."""
    known = {
        **{table.facet: table for table in reversed(evidence.tables)},
        # For a facet of mentions and tokens, such as `all`, take mentions.
        **{table.facet: table for table in evidence.tables if table.unit == MENTION},
    }
    if text in known:
        levels = known[text].levels
        return _Cell(known[text], _IN if _IN in levels else ALL, None)
    facet, _, level = text.rpartition("=")
    if facet == _TYPE and level in evidence.types and ALL in known:
        return _Cell(known[ALL], ALL, evidence.types.index(level))
    if facet not in known or level not in known[facet].levels:
        named = known[facet].levels if facet in known else evidence.types
        cells = [f"{facet}={name}" for name in named if facet in (*known, _TYPE)] or list(known)
        fact = f"it is not in the results for {evidence.dataset}"
        raise UsageError(f"cell '{text}'", fact, suggest(text, cells))
    return _Cell(known[facet], level, None)


def _metric(names: tuple[str, str], cells: Sequence[_Cell], metric: str | None) -> str:
    """The requested metric, or the first leading metric that both cells have."""
    first, second = (
        [name for names in cell.table.metrics.values() for name in names] for cell in cells
    )
    common = [name for name in dict.fromkeys(first) if name in second]
    if metric is not None and metric not in common:
        raise UsageError(
            f"metric '{metric}'",
            f"{' and '.join(names)} do not both have it",
            suggest(metric, common),
        )
    if not common:
        raise UsageError(
            "contrast",
            f"{' and '.join(names)} have no metric in common",
            "choose cells of facets with the same metrics",
        )
    return metric or leading_metric(common)


def _narrowed(cell: _Cell, metric: str) -> FacetTable:
    """The facet table with one metric under one match, so that nothing else is computed."""
    matches = [match for match, names in cell.table.metrics.items() if metric in names]
    return replace(
        cell.table, metrics={leading_match(matches): (metric,)}, by_type=cell.type is not None
    )
