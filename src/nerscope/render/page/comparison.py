"""The comparisons of a page: verdicts, a ranking, differences by type and level, changes."""

from collections.abc import Mapping, Sequence

from nerscope.render.answers import answer
from nerscope.render.over_datasets import counted_answer, over_answer
from nerscope.render.page.columns import columns_of, page_unit, short, short_row
from nerscope.render.page.schema import Columns, PageComparison, PageRank, PageVerdict
from nerscope.results.changes import KindChange, kind_changes
from nerscope.results.compare import (
    Comparison,
    plain_correction,
)
from nerscope.results.compare_all import compare_all
from nerscope.results.error_sums import paired_mentions
from nerscope.results.over_datasets import DatasetsRow
from nerscope.results.pair_verdicts import PairVerdict, pair_verdicts
from nerscope.results.ranking import RankingRow
from nerscope.results.results import Results
from nerscope.results.spans import Spans, spans_of
from nerscope.scoring.metrics import metric_named

_CELL = ("dataset", "system_a", "system_b", "facet", "level", "type", "match", "metric")
_NUMBERS = ("a", "b", "difference", "low", "high", "p", "p_corrected", "family", "n")
_TESTED = ("differing", "untested")


def page_comparison(
    results: Results, spans: Mapping[str, Spans] | None = None
) -> PageComparison | None:
    """All comparisons of the page; None if no dataset has two systems.

    `spans` are those of `spans_of` by dataset, if they are known.
    """
    if all(len(evidence.systems) < 2 for evidence in results.evidence):
        return None
    compared = compare_all(results)
    comparison, verdicts = compared.comparison, pair_verdicts(compared.comparison)
    settings = {name: str(value) for name, value in comparison.settings.items()}
    return {
        "settings": settings | {"resample": page_unit(settings["resample"])},
        "verdicts": [_page_verdict(results, comparison, verdict) for verdict in verdicts],
        "ranking": _ranks(comparison.ranking) or _ranks_by_score(verdicts),
        "rows": columns_of(compared.details, (*_CELL, *_NUMBERS, *_TESTED)),
        "overDatasets": [short_row(row) for row in comparison.over_datasets(every=False)],
        "changes": _changes(results, verdicts, spans or {}),
        "notes": comparison.notes,
    }


def _page_verdict(results: Results, comparison: Comparison, verdict: PairVerdict) -> PageVerdict:
    runs_a, runs_b = (_n_runs(results, verdict.datasets, name) for name in verdict.pair)
    return {
        "dataset": verdict.dataset,
        "a": verdict.system_a,
        "b": verdict.system_b,
        "metric": verdict.metric,
        "aValue": short(verdict.a),
        "bValue": short(verdict.b),
        "difference": short(verdict.difference),
        "low": short(verdict.low),
        "high": short(verdict.high),
        "p": short(verdict.p),
        "pCorrected": short(verdict.p_corrected),
        "k": verdict.tests,
        "verdict": verdict.verdict,
        "sentence": _sentence(verdict, comparison),
        "about": verdict.about,
        "detectable": short(verdict.detectable),
        "runsA": runs_a,
        "runsB": runs_b,
        "untested": verdict.untested,
    }


def _sentence(verdict: PairVerdict, comparison: Comparison) -> str:
    """The verdict as `compare` prints it; empty if a score is undefined."""
    if verdict.difference is None:
        return ""
    if not isinstance(verdict.row, DatasetsRow):
        return answer(verdict, comparison.settings)
    correction = plain_correction(comparison.settings["correction"])
    first = over_answer(verdict, correction)
    return first if verdict.row.refused else f"{first} {counted_answer(verdict, correction)}"


def _n_runs(results: Results, datasets: Sequence[str], system: str) -> int:
    """The runs of a system; over several datasets, the smallest number."""
    parts = (evidence for evidence in results.evidence if evidence.dataset in datasets)
    return min(len(evidence.runs_of(system)) for evidence in parts)


def _ranks(ranking: Sequence[RankingRow]) -> list[PageRank]:
    return [
        {
            "dataset": row.dataset,
            "system": row.system,
            "place": row.rank,
            "groups": "".join(row.groups),
        }
        for row in ranking
    ]


def _ranks_by_score(verdicts: Sequence[PairVerdict]) -> list[PageRank]:
    """Places without groups, for systems that are compared only with the best one."""
    scores: dict[str | None, dict[str, float]] = {}
    for verdict in verdicts:
        better = metric_named(verdict.metric).better
        for system, score in zip(verdict.pair, (verdict.a, verdict.b), strict=True):
            if score is not None:
                scores.setdefault(verdict.dataset, {})[system] = better * score
    return [
        {
            "dataset": dataset,
            "system": system,
            "place": 1 + sum(other > score for other in by_system.values()),
            "groups": "",
        }
        for dataset, by_system in scores.items()
        for system, score in sorted(by_system.items(), key=lambda item: -item[1])
    ]


_CHANGE = ("dataset", "a", "b", "kindA", "kindB", "type", "n")


def _changes(
    results: Results, verdicts: Sequence[PairVerdict], spans: Mapping[str, Spans]
) -> Columns:
    """Gold mentions by type, and by their kinds in A and in B."""
    records = list[KindChange]()
    for evidence in results.evidence:
        pairs = [verdict.pair for verdict in verdicts if verdict.dataset == evidence.dataset]
        if pairs and evidence.folded is None:
            known = spans.get(evidence.dataset) or spans_of(paired_mentions(evidence))
            records += kind_changes(evidence, known, pairs)
    return columns_of(records, _CHANGE)
