"""The data of a page: names, rows with intervals, and what the other modules of the page make."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from typing import Any

from nerscope.corpus.units import ALL
from nerscope.errors import InputError
from nerscope.facets.facet import FACETS
from nerscope.render.document import metric_title
from nerscope.render.page.answers import page_answers
from nerscope.render.page.columns import columns_of, page_unit, short
from nerscope.render.page.comparison import page_comparison
from nerscope.render.page.errors import (
    DatasetErrors,
    dataset_errors,
    error_columns,
    page_forgiven,
    page_gains,
    page_kinds,
)
from nerscope.render.page.findings import Facts, page_findings
from nerscope.render.page.notes import (
    RelativeNames,
    has_training,
    page_caveats,
    page_citations,
    page_commands,
    page_notes,
    page_settings,
)
from nerscope.render.page.schema import (
    Columns,
    PageData,
    PageDataset,
    PageFacet,
    PageMetric,
    PagePair,
    PageSentences,
    PageSide,
)
from nerscope.render.page.sentences import no_sentences, page_sentences
from nerscope.results.compare_all import best_system
from nerscope.results.diagnose import untested_views
from nerscope.results.error_sums import PairedMentions, paired_mentions
from nerscope.results.explanations import all_terms
from nerscope.results.intervals import with_bounds
from nerscope.results.judged import PairMention, judged_pair_rows
from nerscope.results.judgements import JudgedFile
from nerscope.results.results import Results
from nerscope.results.rows import SURFACE, Row
from nerscope.results.sentences import folded_sample, sample_sentences, token_count
from nerscope.results.spans import Spans, spans_of
from nerscope.results.terms import cell_words, facet_words, level_words, match_words, metric_words
from nerscope.results.weakest import cluster_unit_of
from nerscope.scoring.evidence import Evidence, FacetTable
from nerscope.scoring.matching import leading_match
from nerscope.scoring.metrics import SCORE_NAMES, metric_named
from nerscope.scoring.outcomes import OUTCOMES
from nerscope.version import VERSION

MOST_ROWS = 200_000
RESULTS_FILE = "results.json"  # the usual name of saved results
_ROW = ("dataset", "system", "unit", "facet", "level", "type", "match", "metric")
_RUN = ("dataset", "system", "run")
_NUMBERS = ("value", "n", "std", "runs", "low", "high", "clusters", "caution")
# Fields of a diagnosis that only tests fill.
_OF_TESTS = frozenset(
    (
        *("p", "significant", "test", "clusters", "overall", "p_trend", "significant_trend"),
        *("spearman_noise", "spearman_noise_95", "rho_noise", "rho_noise_95"),
    )
)


def page_data(
    results: Results, judges: Sequence[JudgedFile] = (), file: str = RESULTS_FILE
) -> PageData:
    """All that the page shows, as plain data; `file` has the saved results."""
    return _Page(with_bounds(results), judges, file).data()


@dataclass(frozen=True)
class _Page:
    """Results on their way to a page; what several parts of it need is computed once."""

    results: Results
    judges: Sequence[JudgedFile]
    file: str

    @cached_property
    def listed(self) -> dict[str, Evidence]:
        """The evidence of single mentions by dataset: of all, or of a sample of folded data."""
        parts = {
            part.dataset: part.sample if part.folded else part for part in self.results.evidence
        }
        return {dataset: part for dataset, part in parts.items() if part is not None}

    @cached_property
    def paired(self) -> dict[str, PairedMentions]:
        return {dataset: paired_mentions(part) for dataset, part in self.listed.items()}

    @cached_property
    def spans(self) -> dict[str, Spans]:
        return {dataset: spans_of(paired) for dataset, paired in self.paired.items()}

    @cached_property
    def errors(self) -> list[DatasetErrors]:
        return [dataset_errors(part, self.paired) for part in self.results.evidence]

    @cached_property
    def sentences(self) -> dict[str, PageSentences]:
        """The sentences by dataset."""
        parts = [part for part in self.results.evidence if part.folded is None]
        samples = sample_sentences([(part, self.spans[part.dataset]) for part in parts])
        made = dict(zip([part.dataset for part in parts], samples, strict=True))
        for part in self.results.evidence:
            if part.folded is not None and part.dataset in self.listed:
                made[part.dataset] = folded_sample(part, self.spans[part.dataset])
        return {
            part.dataset: page_sentences(self.listed[part.dataset], made[part.dataset])
            if part.dataset in made
            else no_sentences(part)
            for part in self.results.evidence
        }

    def data(self) -> PageData:
        results = self.results
        rows, row_notes = _rows(results)
        comparison = page_comparison(results, self.spans)
        best = best_system(results)
        gains, forgiven = page_gains(self.errors), page_forgiven(self.errors)
        facts = Facts(results, best, self.errors, gains, forgiven, comparison)
        names = RelativeNames.of_results(results)
        datasets = self._datasets(names)
        return {
            "version": VERSION,
            "title": "nerscope report: " + ", ".join(part.dataset for part in results.evidence),
            "date": date.today().isoformat(),
            "signature": results.signature,
            "settings": page_settings(results),
            "notes": page_notes(results, names, [*results.interval_notes(), *row_notes]),
            "commands": page_commands(results, self.file, best),
            "citations": page_citations(results),
            "train": has_training(results),
            "systems": results.systems,
            "datasets": datasets,
            "facets": _facets(results),
            "metrics": {name: _metric(results, name) for name in _names(rows, "metric")},
            "matches": {name: match_words(name).definition for name in _names(rows, "match")},
            "outcomes": list(OUTCOMES),
            "kinds": page_kinds(),
            "glossary": all_terms(),
            "rows": columns_of(list(map(_defined, rows)), (*_ROW, *_NUMBERS)),
            "runScores": _run_scores(results),
            "errors": error_columns(self.errors),
            "gains": gains,
            "forgiven": forgiven,
            "findings": page_findings(facts),
            "caveats": page_caveats(results, datasets),
            "comparison": comparison,
            "diagnosis": _diagnosis(results),
            "pairs": self._pairs(),
        }

    def _datasets(self, names: RelativeNames) -> list[PageDataset]:
        """Names, sizes and sentences of each dataset."""
        return [
            {
                "name": evidence.dataset,
                "file": names.shorten(evidence.gold_name),
                "types": list(evidence.types),
                "runs": [list(run) for run in evidence.runs],
                "documents": evidence.n_documents,
                "tokens": token_count(evidence),
                "mentions": _mention_count(evidence),
                "folded": evidence.folded is not None,
                "resample": page_unit(cluster_unit_of(evidence)),
                "ranges": {
                    name: {
                        level: _range_words(name, level, text)
                        for level, text in edges.ranges.items()
                    }
                    for name, edges in evidence.signature.edges.items()
                },
                "sentences": self.sentences[evidence.dataset],
                "answers": page_answers(self.results, evidence),
            }
            for evidence in self.results.evidence
        ]

    def _pairs(self) -> list[PagePair]:
        """The pairs of the sentences that are there."""
        parts = [part for part in self.results.evidence if part.folded is None]
        shown = {dataset: set(part["number"]) for dataset, part in self.sentences.items()}
        pairs = judged_pair_rows(Results(parts, rows=self.results.rows), self.judges)
        return [
            {
                "dataset": pair.dataset,
                "sentence": pair.sentence,
                "gold": _side(pair.gold),
                "predicted": _side(pair.predicted),
                "systems": pair.systems,
                "judgement": pair.judgement,
            }
            for pair in pairs
            if pair.sentence in shown[pair.dataset]
        ]


def _side(mention: PairMention) -> PageSide:
    return {
        "start": mention.start,
        "end": mention.end,
        "type": mention.type,
        "text": mention.text,
    }


def _rows(results: Results) -> tuple[list[Row], list[str]]:
    """Means over runs, with their intervals."""
    # Scores of surfaces have their own unit; they are in tables, not among these charts.
    shown = [row for row in results.rows if row.run is None and row.match != SURFACE]
    if len(shown) <= MOST_ROWS:
        return shown, []
    fewer = [row for row in shown if row.type is None or row.facet == ALL]
    return fewer, [f"{len(shown) - len(fewer):,} rows by type and facet are left out of this page"]


def _defined(row: Row) -> Mapping[str, Any]:
    """The row; a share of no units is undefined, whatever `--zero-division` or the formula say."""
    if row.n or not metric_named(row.metric).is_fraction:
        return row
    return {**row.as_dict(), "value": None, "low": None, "high": None}


def _run_scores(results: Results) -> Columns:
    """Precision, recall and F1 of each run."""
    overall = [row for row in results.rows if row.facet == ALL and row.type is None and row.run]
    match = leading_match([row.match for row in overall])
    scores: dict[tuple[str, ...], dict[str, object]] = {}
    for row in overall:
        if row.match == match and row.metric in SCORE_NAMES:
            names = (row.dataset, row.system, row.run or "")
            scores.setdefault(names, dict(zip(_RUN, names, strict=True)))[row.metric] = row.value
    return columns_of(list(scores.values()), (*_RUN, *SCORE_NAMES))


def _names(rows: Sequence[Row], field: str) -> list[str]:
    return list(dict.fromkeys(row[field] for row in rows))


def _metric(results: Results, name: str) -> PageMetric:
    metric = results.metric(name)
    return {
        "title": metric_title(name),
        "better": metric.better,
        "fraction": metric.is_fraction,
        "about": metric_words(name).definition,
    }


def _mention_count(evidence: Evidence) -> int:
    gold = evidence.overall.gold
    return len(gold) if gold.weight is None else int(gold.weight.sum())


def _facets(results: Results) -> list[PageFacet]:
    """The facets of all datasets, in order."""
    facets: dict[str, PageFacet] = {}
    for evidence in results.evidence:
        for table in evidence.tables:
            if table.facet != ALL:
                facets.setdefault(table.facet, _facet(evidence, table))
    return list(facets.values())


def _facet(evidence: Evidence, table: FacetTable) -> PageFacet:
    """What a facet is called, and how its codes make up levels."""
    name = table.facet
    return {
        "name": name,
        "title": facet_words(table.facet).phrase,
        "about": facet_words(name).definition,
        "unit": table.unit,
        "bucketed": name in evidence.signature.edges,
        "needsTrain": name in FACETS and FACETS[name].needs_train,
        "levels": [
            {"name": level, "phrase": words.phrase, "about": words.definition, "codes": list(codes)}
            for level, codes in table.levels.items()
            for words in [level_words(name, level)]
        ],
        "metrics": {match: list(names) for match, names in table.metrics.items()},
        "byType": table.by_type,
    }


def _range_words(facet: str, level: str, interval: str) -> str:
    """A bucket without the name of its attribute.

    >>> _range_words("eLen", "XL", "> 3"), _range_words("eDen", "XS", "≤ 0.25")
    ('4 tokens or more', 'up to 0.25')
    """
    phrase = cell_words(facet, level, interval=interval).phrase
    return phrase.partition(": ")[2] or phrase


def _diagnosis(results: Results) -> dict[str, list[dict[str, object]]] | None:
    """InterpretEval's views without tests, if the results have attributes."""
    try:
        views = untested_views(results).as_dict()
    except InputError:  # they hold no attribute
        return None
    return {
        name: [{key: short(row[key]) for key in row if key not in _OF_TESTS} for row in views[name]]
        for name in views
        if name != "notes"
    }
