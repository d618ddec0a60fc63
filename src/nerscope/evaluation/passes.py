"""The two passes over the data: what must be known before facets are fixed, then the score of every
unit.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from nerscope.corpus.corpus import Coding, Corpus
from nerscope.corpus.interning import Paths
from nerscope.corpus.lexicon import Lexicon
from nerscope.errors import InputError
from nerscope.evaluation.score import Plan, score_chunk
from nerscope.evaluation.settings import (
    Settings,
    attributes_of,
    base_facets,
    dataset_name,
    divisions_of,
    facet_settings,
    fixed_facets,
    matchers_of,
)
from nerscope.evaluation.subsets import Subset
from nerscope.evaluation.systems import Run, Systems, runs_of
from nerscope.facets.survey import Survey, surveyed
from nerscope.formats.base import (
    CorpusLike,
    Source,
    chunks,
    side_by_side,
    source_of,
    with_scheme,
    with_tokens,
)
from nerscope.formats.losses import Loss, losses_of
from nerscope.results.results import row_value
from nerscope.scoring.evidence import TOKEN_JOIN, Evidence, canonical
from nerscope.scoring.ledger import Ledger, merged

Progress = Callable[[int], None]
MOST_TEXTS = 20_000  # sentences; of larger corpora, results keep no text


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
        if tokens:
            with_tokens(self.sources[0])
        return side_by_side(self.sources, self.coding, tokens=tokens)


def prepare(
    test: CorpusLike,
    systems: Systems,
    train: CorpusLike | None,
    dataset: str | None,
    settings: Settings,
) -> Prepared:
    """Read the training data, survey the gold data, and fix the facets."""
    gold, runs = source_of(test, "<gold>"), runs_of(systems)
    subsets = settings.subsets(with_train=train is not None)
    names = base_facets(subsets, with_train=train is not None)
    coding, surfaces = Coding(), Paths()
    training = (
        list(chunks(with_tokens(source_of(train, "<train>")), coding)) if train is not None else []
    )
    lexicon = Lexicon.of(training, surfaces, settings.repair) if training else None
    survey = Survey()
    if names:
        survey = surveyed(
            chunks(with_tokens(gold), coding),
            attributes_of(names),
            surfaces,
            lexicon,
            settings.repair,
        )
    facets = fixed_facets(names, survey, settings)
    plan = Plan(facets, matchers_of(settings), settings, surfaces, lexicon, survey.types_of_surface)
    sources = [gold, *(run.source for run in runs)]
    if settings.repair == "discard":  # the one repair that must know the scheme beforehand
        sources = [with_scheme(source) for source in sources]
    zeta = {name: row_value(values.mean()) for name, values in survey.values.items()}
    return Prepared(
        dataset or dataset_name(gold.name), runs, sources, coding, plan, subsets, training, zeta
    )


class Gathered(NamedTuple):
    """What scoring found: evidence for every facet that is needed, its conditions, and what was
    lost in reading.
    """

    evidence: Evidence
    about: dict[str, Any]
    losses: list[Loss]


def gather(prepared: Prepared, progress: Progress | None = None) -> Gathered:
    """Score all chunks, and add up what they say."""
    parts, documents, texts, row, done = [], [], list[str](), list[Corpus](), 0
    for row in prepared.rows(
        tokens=bool(prepared.plan.facets) or prepared.plan.lexicon is not None
    ):
        parts.append(score_chunk(row, prepared.plan, done))
        documents.append(row[0].documents)
        done += len(row[0])
        if done <= MOST_TEXTS and len(row[0].tokens):
            texts += row[0].texts(TOKEN_JOIN)
        if progress:
            progress(done)
    settings, facets = prepared.plan.settings, prepared.plan.facets
    evidence = Evidence(
        prepared.dataset,
        tuple(prepared.coding.labels.types),
        tuple((run.system, run.number) for run in prepared.runs),
        _added_up(parts),
        divisions_of(facets, settings),
        np.concatenate(documents),
        tuple(texts) if len(texts) == done else None,
        prepared.zeta,
    )
    if not len(evidence.ledgers["mention"].gold):
        place = prepared.sources[0].name
        raise InputError(
            place,
            "no mention at all: every label is O",
            "check that the label column is the right one",
        )
    schemes = list(dict.fromkeys(corpus.column.scheme.name for corpus in row))
    about = {
        "signature": {"scheme": "+".join(schemes), **settings.signature()},
        "facets": facet_settings(facets),
    }
    return Gathered(
        canonical(evidence), about, losses_of([*prepared.training[-1:], *row], settings.repair)
    )


def _added_up(parts: Sequence[dict[str, Ledger]]) -> dict[str, Ledger]:
    """The ledgers of all chunks as one for each unit; what is added up is let go, so that memory is
    not needed twice.
    """
    return {unit: merged([part.pop(unit) for part in parts]) for unit in list(parts[0])}
