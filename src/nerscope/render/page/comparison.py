"""What a page says about differences between systems."""

from dataclasses import replace

from nerscope.corpus.units import ALL
from nerscope.render.page.columns import columns_of, short, short_row
from nerscope.render.page.schema import PageComparison, PageVerdict, Verdict
from nerscope.results.compare import OTHER, Comparison, compare
from nerscope.results.results import Results
from nerscope.results.rows import ComparisonRow
from nerscope.scoring.matching import EXACT
from nerscope.scoring.metrics import F1, MICRO
from nerscope.stats.corrections import is_significant

MOST_COMPARED = 12  # systems that are compared each with each
_CELL = ("dataset", "system_a", "system_b", "facet", "level", "type", "match", "metric")
_DIFFERENCE = ("a", "b", "difference", "low", "high", "p", "p_corrected", "family", "n")
_TESTED = ("differing", "about", "test", "untested")


def page_comparison(results: Results) -> PageComparison | None:
    """Each system with each, if there are several; of very many, each with the best one."""
    comparison = _comparison(results)
    if comparison is None:
        return None
    return {
        "settings": {name: str(value) for name, value in comparison.settings.items()},
        "verdicts": [_verdict(row, len(comparison.primary)) for row in comparison.primary],
        "ranking": [
            {
                "dataset": row.dataset,
                "system": row.system,
                "place": row.rank,
                "groups": "".join(row.groups),
            }
            for row in comparison.ranking
        ],
        "rows": columns_of(
            [row for row in comparison.rows if row.family != OTHER],
            (*_CELL, *_DIFFERENCE, *_TESTED),
        ),
        "overDatasets": [short_row(row) for row in comparison.over_datasets()],
        "changes": columns_of([], ("dataset", "a", "b", "kindA", "kindB", "type", "n")),
        "notes": comparison.notes,
    }


def _comparison(results: Results) -> Comparison | None:
    if all(len(evidence.systems) < 2 for evidence in results.evidence):
        return None
    metrics = [results.metric(name) for name in dict.fromkeys(row.metric for row in results.rows)]
    # Averages over types are never asked for first: without them, all other p-values are the same.
    plain = [
        metric.name
        for metric in metrics
        if metric.better and metric.is_fraction and metric.average == MICRO
    ]
    if len(results.systems) <= MOST_COMPARED:
        return compare(results, metrics=plain or None)
    best = max(results.systems, key=lambda system: _mean_score(results, system))
    comparison = compare(results, metrics=plain or None, baseline=best)
    note = f"of more than {MOST_COMPARED} systems, each is compared with the best one, {best}"
    return replace(comparison, notes=[*comparison.notes, note])


def _mean_score(results: Results, system: str) -> float:
    rows = results.select(system=system, facet=ALL, metric=F1, match=EXACT, type=None)
    values = [row.value or 0.0 for row in rows if row.run is None]
    return sum(values) / len(values) if values else 0.0


def _verdict(row: ComparisonRow, k: int) -> PageVerdict:
    return {
        "dataset": row.dataset,
        "a": row.system_a,
        "b": row.system_b,
        "metric": row.metric,
        "aValue": short(row.a),
        "bValue": short(row.b),
        "difference": short(row.difference),
        "low": short(row.low),
        "high": short(row.high),
        "p": short(row.p),
        "pCorrected": short(row.p_corrected),
        "k": k,
        "verdict": _word(row),
        "sentence": "",
        "about": row.about,
        "detectable": short(row.detectable),
        "runsA": len(row.runs_a or [None]),
        "runsB": len(row.runs_b or [None]),
        "untested": row.untested,
    }


def _word(row: ComparisonRow) -> Verdict:
    if row.p_corrected is None:
        return "not tested"
    if not is_significant(row.p_corrected):
        return "no clear difference"
    return "better" if (row.gain.value or 0.0) > 0 else "worse"
