"""From files to results: the whole flow, in one screen."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from nerscope.corpus.corpus import Coding, Corpus
from nerscope.corpus.interning import Paths
from nerscope.errors import InputError
from nerscope.formats.sources import CorpusLike, chunks, side_by_side, source_of, with_scheme
from nerscope.lexicon import Lexicon
from nerscope.losses import losses_of
from nerscope.results import Loss, Results
from nerscope.runs import runs_of
from nerscope.score import Plan, score_chunk
from nerscope.scoring.evidence import Evidence
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
from nerscope.subsets import with_subsets
from nerscope.survey import Survey, surveyed
from nerscope.tabulate import tabulate

Systems = Mapping[str, CorpusLike | Sequence[CorpusLike]]
Progress = Callable[[int], None]


def evaluate(
    test: CorpusLike,
    systems: Systems,
    *,
    train: CorpusLike | None = None,
    dataset: str | None = None,
    progress: Progress | None = None,
    **options: Any,
) -> Results:
    """Score systems against a gold corpus. The options are the fields of `Settings`.

    >>> gold = [(["Ada", "met", "Bob"], ["B-PER", "O", "B-PER"])]
    >>> results = evaluate(gold, {"half": [["B-PER", "O", "O"]]})
    >>> results.value(metric="f1")
    0.6666666666666666
    """
    settings = Settings.of(options)
    evidence, about, losses = gather(test, systems, train, dataset, settings, progress)
    return Results(tabulate(evidence, settings.zero_division), about, losses, [evidence])


def gather(
    test: CorpusLike,
    systems: Systems,
    train: CorpusLike | None,
    dataset: str | None,
    settings: Settings,
    progress: Progress | None = None,
) -> tuple[Evidence, dict[str, Any], list[Loss]]:
    """Two passes over the data: what facets must know, then the ledgers of all units."""
    gold, runs = source_of(test, "<gold>"), runs_of(systems)
    subsets = settings.subsets(with_train=train is not None)
    names = base_facets(subsets, with_train=train is not None)
    coding, surfaces = Coding(), Paths()

    training = list(chunks(source_of(train, "<train>"), coding)) if train is not None else []
    lexicon = Lexicon.of(training, surfaces, settings.repair) if training else None
    survey = surveyed(chunks(gold, coding), attributes_of(names), surfaces, lexicon, settings.repair) if names else Survey()
    facets = fixed_facets(names, survey, settings)
    plan = Plan(facets, matchers_of(settings), settings, surfaces, lexicon, survey.types_of_surface)

    sources = [gold, *(run.source for run in runs)]
    if settings.repair == "discard":  # the one repair that must know the scheme beforehand
        sources = [with_scheme(source) for source in sources]
    parts, documents, row, done = [], [], list[Corpus](), 0
    for row in side_by_side(sources, coding, tokens=bool(names)):
        parts.append(score_chunk(row, plan, done))
        documents.append(row[0].documents)
        done += len(row[0])
        if progress:
            progress(done)
    evidence = Evidence(
        dataset or dataset_name(gold.name),
        tuple(coding.labels.types),
        tuple((run.system, run.number) for run in runs),
        {unit: merged([part[unit] for part in parts]) for unit in parts[0]},
        divisions_of(facets, settings),
        np.concatenate(documents),
    )
    if not len(evidence.ledgers["mention"].gold):
        raise InputError(gold.name, "no mention at all: every label is O", "check that the label column is the right one")
    losses = losses_of([*training[:1], *row], settings.repair)
    return with_subsets(evidence, subsets), _about(settings, facets, row), losses


def _about(settings: Settings, facets: Sequence[Any], row: Sequence[Corpus]) -> dict[str, Any]:
    schemes = list(dict.fromkeys(corpus.column.scheme.name for corpus in row))
    return {
        "signature": {"scheme": "+".join(schemes), **settings.signature()},
        "schemes": {corpus.name: corpus.column.scheme.name for corpus in row},
        "facets": facet_settings(facets),
    }
