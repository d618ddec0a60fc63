"""From files to results: the whole flow, in one screen."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from nerscope.corpus.corpus import Coding, Corpus
from nerscope.corpus.interning import Paths
from nerscope.errors import InputError
from nerscope.formats.sources import CorpusLike, Source, chunks, side_by_side, source_of, with_scheme
from nerscope.lexicon import Lexicon
from nerscope.losses import losses_of
from nerscope.results import Loss, Results, row_value
from nerscope.runs import Run, runs_of
from nerscope.score import Plan, score_chunk
from nerscope.scoring.evidence import TOKEN_JOIN, Evidence, canonical
from nerscope.scoring.ledger import merged
from nerscope.settings import (
    Settings,
    attributes_of,
    base_facets,
    dataset_name,
    divisions_of,
    facet_settings,
    fixed_facets,
    matchers_of,
)
from nerscope.subsets import Subset, with_subsets
from nerscope.survey import Survey, surveyed
from nerscope.tabulate import tabulate

if TYPE_CHECKING:
    from nerscope.stats.intervals import Sampling

Systems = Mapping[str, CorpusLike | Sequence[CorpusLike]]
Progress = Callable[[int], None]
MOST_TEXTS = 20_000  # sentences; of larger corpora, results keep no text


def evaluate(
    test: CorpusLike,
    systems: Systems,
    *,
    train: CorpusLike | None = None,
    dataset: str | None = None,
    intervals: "Sampling | None" = None,
    progress: Progress | None = None,
    **options: Any,
) -> Results:
    """Score systems against a gold corpus. The options are the fields of `Settings`; `intervals` says how to resample.

    >>> gold = [(["Ada", "met", "Bob"], ["B-PER", "O", "B-PER"])]
    >>> results = evaluate(gold, {"half": [["B-PER", "O", "O"]]})
    >>> results.value(metric="f1")
    0.6666666666666666
    """
    settings = Settings.of(options)
    return finish(*gather(prepare(test, systems, train, dataset, settings), progress), settings, intervals)


def finish(
    evidence: Evidence, about: dict[str, Any], losses: list[Loss], settings: Settings, sampling: "Sampling | None"
) -> Results:
    """Turn evidence into rows, with intervals if they are wanted."""
    results = Results(tabulate(evidence, settings.zero_division), about, losses, [evidence])
    if sampling:
        from nerscope.uncertainty import add_intervals, bounds_of  # resampling is imported by those who want it

        add_intervals(results.rows, evidence.dataset, bounds_of(evidence, evidence.systems, sampling))
        about["signature"].update(sampling.signature())
    return results


class Prepared(NamedTuple):
    """All that is settled before units are scored."""

    dataset: str
    runs: list[Run]
    sources: list[Source]
    coding: Coding
    plan: Plan
    subsets: list[Subset]
    training: list[Corpus]
    zeta: dict[str, float | None]

    def rows(self, *, tokens: bool = True) -> Iterator[list[Corpus]]:
        """The chunks of gold and of each run, side by side; without tokens if nobody looks at them."""
        gold = self.sources[0]
        if tokens and isinstance(gold, Corpus) and not len(gold.tokens):
            raise InputError(gold.name, "the gold sentences have no tokens", "give each as (tokens, labels)")
        return side_by_side(self.sources, self.coding, tokens=tokens)


def prepare(test: CorpusLike, systems: Systems, train: CorpusLike | None, dataset: str | None, settings: Settings) -> Prepared:
    """Read the training data, survey the gold data, and fix the facets."""
    gold, runs = source_of(test, "<gold>"), runs_of(systems)
    subsets = settings.subsets(with_train=train is not None)
    names = base_facets(subsets, with_train=train is not None)
    coding, surfaces = Coding(), Paths()
    training = list(chunks(source_of(train, "<train>"), coding)) if train is not None else []
    lexicon = Lexicon.of(training, surfaces, settings.repair) if training else None
    if names and isinstance(gold, Corpus) and not len(gold.tokens):
        raise InputError(gold.name, "the gold sentences have no tokens", "give each as (tokens, labels)")
    survey = surveyed(chunks(gold, coding), attributes_of(names), surfaces, lexicon, settings.repair) if names else Survey()
    facets = fixed_facets(names, survey, settings)
    plan = Plan(facets, matchers_of(settings), settings, surfaces, lexicon, survey.types_of_surface)
    sources = [gold, *(run.source for run in runs)]
    if settings.repair == "discard":  # the one repair that must know the scheme beforehand
        sources = [with_scheme(source) for source in sources]
    zeta = {name: row_value(values.mean()) for name, values in survey.values.items()}
    return Prepared(dataset or dataset_name(gold.name), runs, sources, coding, plan, subsets, training, zeta)


def gather(prepared: Prepared, progress: Progress | None = None) -> tuple[Evidence, dict[str, Any], list[Loss]]:
    """Score all chunks, and add up what they say."""
    parts, documents, texts, row, done = [], [], list[str](), list[Corpus](), 0
    for row in prepared.rows(tokens=bool(prepared.plan.facets) or prepared.plan.lexicon is not None):
        parts.append(score_chunk(row, prepared.plan, done))
        documents.append(row[0].documents)
        done += len(row[0])
        if done <= MOST_TEXTS and len(row[0].tokens):
            texts += (TOKEN_JOIN.join(row[0].words(sentence)) for sentence in range(len(row[0])))
        if progress:
            progress(done)
    settings, facets = prepared.plan.settings, prepared.plan.facets
    evidence = Evidence(
        prepared.dataset,
        tuple(prepared.coding.labels.types),
        tuple((run.system, run.number) for run in prepared.runs),
        {unit: merged([part.pop(unit) for part in parts]) for unit in list(parts[0])},
        divisions_of(facets, settings),
        np.concatenate(documents),
        tuple(texts) if len(texts) == done else None,
        prepared.zeta,
    )
    if not len(evidence.ledgers["mention"].gold):
        place = prepared.sources[0].name
        raise InputError(place, "no mention at all: every label is O", "check that the label column is the right one")
    schemes = list(dict.fromkeys(corpus.column.scheme.name for corpus in row))
    about = {"signature": {"scheme": "+".join(schemes), **settings.signature()}, "facets": facet_settings(facets)}
    return (
        with_subsets(canonical(evidence), prepared.subsets),
        about,
        losses_of([*prepared.training[-1:], *row], settings.repair),
    )
