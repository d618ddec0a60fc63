"""Compare in-domain and out-of-domain training on the same test sets."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from nerscope.corpus.units import ALL, MENTION, TOKEN
from nerscope.results.results import Results
from nerscope.results.rows import ResultRow, or_nan, row_value
from nerscope.scoring.evidence import Evidence, FacetTable
from nerscope.scoring.matching import EXACT
from nerscope.stats.clusters import CellKey, ClusterCounts, clusters_of
from nerscope.stats.corrections import DEFAULT_CORRECTION, SIGNIFICANT, correct_p_values
from nerscope.stats.intervals import Sampling
from nerscope.stats.jackknife import jackknife_between
from nerscope.stats.system_pair import ABOUT_OUTPUTS, ABOUT_RECIPES, SystemPair
from nerscope.stats.two_way import with_block_degrees

# HardEval's tables 5 to 11: unit, facet, level and metric of each number.
_NUMBERS = (
    (MENTION, ALL, ALL, "f1"),
    (TOKEN, "hard", "unseen", "ter"),
    (TOKEN, "hard", "diff", "ter"),
    (TOKEN, "hard", "score", "hardeval"),
)
_INSIDE, _OUTSIDE = "in domain", "out of domain"


@dataclass(frozen=True, slots=True, eq=False)
class DomainRow(ResultRow):
    """A number of a system on one test set, trained in domain and out of domain.

    The training data decides which words are unseen or labelled differently, so error rates are
    over different tokens on each side. `difference` is out of domain minus in domain; `p_corrected`
    is corrected over the rows of the same level and metric.
    """

    dataset: str
    system: str
    facet: str
    level: str
    match: str
    metric: str
    in_domain: float | None
    out_of_domain: float | None
    difference: float | None
    low: float | None
    high: float | None
    p: float | None
    p_corrected: float | None
    n_in_domain: int
    n_out_of_domain: int


def domain_rows(
    inside: Results, outside: Results, names: Mapping[str, str], sampling: Sampling | None = None
) -> list[DomainRow]:
    """F1, token error rates and the hardeval score of each system, in domain and out of domain.

    - `inside`, `outside`: results on the same test sets.
    - `names`: maps each dataset of `outside` to one of `inside`.
    - `sampling`: as for intervals; of two-way clusters, only places are resampled.
    """
    of_inside = {evidence.dataset: evidence for evidence in inside.evidence}
    rows = [
        row
        for evidence in outside.evidence
        if names[evidence.dataset] in of_inside
        for row in _rows(of_inside[names[evidence.dataset]], evidence, sampling or Sampling())
    ]
    return [
        corrected for *_, level, metric in _NUMBERS for corrected in _correct(rows, level, metric)
    ]


def _correct(rows: Sequence[DomainRow], level: str, metric: str) -> Iterator[DomainRow]:
    same = [row for row in rows if (row.level, row.metric) == (level, metric)]
    p_values = correct_p_values([or_nan(row.p) for row in same], DEFAULT_CORRECTION)
    for row, p in zip(same, p_values, strict=True):
        yield replace(row, p_corrected=row_value(p))


def _rows(inside: Evidence, outside: Evidence, sampling: Sampling) -> Iterator[DomainRow]:
    for unit, facet, level, metric in _NUMBERS:
        tables = [_table(evidence, unit, facet) for evidence in (inside, outside)]
        if None in tables:  # the facet was not evaluated
            continue
        for system in inside.systems:
            if system in outside.systems:
                sides = [
                    _counts(evidence, table, system, sampling)
                    for evidence, table in zip((inside, outside), tables, strict=True)
                    if table is not None
                ]
                cluster_unit = sampling.cluster_unit(inside)
                yield _row(inside.dataset, system, facet, sides, cluster_unit, level, metric)


def _table(evidence: Evidence, unit: str, facet: str) -> FacetTable | None:
    return next(
        (table for table in evidence.tables if (table.unit, table.facet) == (unit, facet)), None
    )


def _counts(
    evidence: Evidence, table: FacetTable, system: str, sampling: Sampling
) -> ClusterCounts:
    match = EXACT if table.unit == MENTION else next(iter(table.matches))
    clusters = clusters_of(evidence, sampling.cluster_unit(evidence))
    return ClusterCounts(evidence, table, match, [system], clusters)


def _row(
    dataset: str,
    system: str,
    facet: str,
    sides: Sequence[ClusterCounts],
    unit: str,
    level: str,
    metric: str,
) -> DomainRow:
    inside, outside = sides
    key = CellKey(level, None, metric)
    spread, differing = jackknife_between(outside, inside, (_OUTSIDE, _INSIDE), (key, key))
    spread = with_block_degrees(spread, unit)
    several = min(len(spread.runs[side]) for side in (_OUTSIDE, _INSIDE)) > 1
    pair = SystemPair(
        spread, _OUTSIDE, _INSIDE, differing, ABOUT_RECIPES if several else ABOUT_OUTPUTS
    )
    low, high = pair.bounds(SIGNIFICANT)
    return DomainRow(
        dataset=dataset,
        system=system,
        facet=facet,
        level=level,
        match=inside.match,
        metric=metric,
        in_domain=row_value(float(spread.values(_INSIDE)[0])),
        out_of_domain=row_value(float(spread.values(_OUTSIDE)[0])),
        difference=row_value(float(pair.difference[0])),
        low=row_value(float(low[0])),
        high=row_value(float(high[0])),
        p=row_value(float(pair.p_at()[0])),
        p_corrected=None,
        n_in_domain=round(float(spread.sizes[1, 0])),
        n_out_of_domain=round(float(spread.sizes[0, 0])),
    )
