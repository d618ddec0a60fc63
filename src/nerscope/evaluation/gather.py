"""The second pass over all chunks: what each says, added up to the evidence of a dataset."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from nerscope.corpus.corpus import ReadingNotes
from nerscope.corpus.schemes import Scheme, scheme_named
from nerscope.engines.base import Engine
from nerscope.errors import InputError
from nerscope.evaluation.noticed import (
    different_scheme,
    foreign_types,
    nested,
    refuse_other_sentences,
    unused_names,
)
from nerscope.evaluation.plan import Plan, Planned, Task, divisions_of, is_for_engine
from nerscope.evaluation.score import (
    ScoredSentences,
    ScoreRequest,
    may_keep_words,
    score_piece,
    score_rows,
)
from nerscope.evaluation.subsets import Subset
from nerscope.evaluation.sums import EvidenceBuilder
from nerscope.formats.notes import SourceNote, notes_of_files
from nerscope.formats.source import JoinedSources, LabelStyle
from nerscope.scoring.evidence import Evidence
from nerscope.scoring.signature import BucketEdges, Signature


class Gathered(NamedTuple):
    """What scoring found: evidence for every facet that is needed, and what reading lost."""

    evidence: Evidence
    losses: list[SourceNote]
    subsets: Sequence[Subset]  # by which it is to be divided


def gather(
    task: Task,
    planned: Planned,
    engine: Engine,
    told: Callable[[int], None] = lambda sentences: None,
    unit: str | None = None,
) -> Gathered:
    """Score all pieces, and add up what they say; `told` hears how many sentences are done."""
    plan = planned.plan
    sums = EvidenceBuilder(_blank(task, planned), planned, apart=task.pieces is not None, unit=unit)
    for part in _parts(task, plan, engine, sums):
        sums.add(part)
        told(sums.sentences)
    readings = [sum(own.values(), ReadingNotes()) for own in sums.readings]
    for source, reading in zip(task.sources, readings, strict=True):
        refuse_other_sentences(source.name, reading, sums.tokens)
    schemes = [
        scheme_named(said) if said else reading.transitions.scheme()
        for said, reading in zip(sums.told, readings, strict=True)
    ]
    signature = signature_of(plan, schemes, [run.source.info.policy for run in task.runs])
    evidence = replace(sums.evidence(), signature=signature)
    if isinstance(task.gold, JoinedSources):
        evidence = replace(evidence, lines=None)  # of which file would they be?
    if not len(evidence.overall.gold):
        raise InputError(
            task.gold.name,
            "no mention at all: every label is O",
            "check that the label column is the right one",
        )
    losses = _losses(task, planned, sums.readings, schemes)
    odd = _noticed(task, evidence, readings, schemes, plan.natures)
    return Gathered(evidence, [*losses, *odd], planned.subsets)


def _parts(
    task: Task, plan: Plan, engine: Engine, sums: EvidenceBuilder
) -> Iterator[ScoredSentences]:
    """What all sentences say; of pieces that come late, without words, which nobody will keep."""
    if not is_for_engine(task, engine):
        return score_rows(plan, task.sources)
    pieces = task.pieces or [task.sources]
    asked = (ScoreRequest(piece, words=may_keep_words(plan, sums.sentences)) for piece in pieces)
    return engine.map(score_piece, plan, asked)


def _blank(task: Task, planned: Planned) -> Evidence:
    """All that is known before anything is counted."""
    return Evidence(
        task.dataset,
        (),
        tuple((run.system, run.number) for run in task.runs),
        {},
        divisions_of(planned.plan),
        np.zeros(0, np.int64),
        gold_name=task.gold.name,
        zeta=planned.zeta,
    )


def signature_of(
    plan: Plan, schemes: Sequence[Scheme], policies: Sequence[str | None] = ()
) -> Signature:
    """The conditions of all numbers of a dataset."""
    names = dict.fromkeys(scheme.name for scheme in schemes)
    found = "+".join(dict.fromkeys(policy for policy in policies if policy)) or "none"
    edges = {
        facet.name: BucketEdges(
            facet.buckets.edges, dict(zip(facet.level_codes, facet.buckets.ranges(), strict=True))
        )
        for facet in plan.facets
        if facet.buckets
    }
    settings = plan.settings.signature()
    return Signature(scheme="+".join(names), **settings, answers=found, edges=edges)


def _losses(
    task: Task,
    planned: Planned,
    readings: Sequence[Mapping[str, ReadingNotes]],
    schemes: Sequence[Scheme],
) -> list[SourceNote]:
    """What reading lost."""
    settings, training = planned.plan.settings, planned.training
    names = [source.name for source in task.sources]
    read = list(zip(names, readings, schemes, strict=True))
    if task.train is not None and training is not None:
        read.insert(0, (task.train.name, training.notes_by_file, training.scheme))
    found: dict[str, SourceNote] = {}
    for name, files, scheme in read:
        if not settings.texts:
            files = {file: reading.without_items() for file, reading in files.items()}
        for loss in notes_of_files(name, files, scheme, settings.repair):
            found.setdefault(f"{name}\n{loss['message']}", loss)  # one file may be read twice
    return list(found.values())


def _noticed(
    task: Task,
    evidence: Evidence,
    readings: Sequence[ReadingNotes],
    schemes: Sequence[Scheme],
    natures: Sequence[LabelStyle],
) -> Iterator[SourceNote]:
    """What is odd about the settings, and about each output beside gold."""
    yield from unused_names(task.settings, task.coding.labels.types)
    for source, nature in zip(task.sources, natures, strict=True):
        yield from nested(source.name, nature.flat)
    for place, run in enumerate(task.runs):
        name, own = run.source.name, (schemes[0], schemes[place + 1])
        if task.gold.always_flat and run.source.always_flat:
            yield from different_scheme(name, readings[place + 1], own)
        yield from foreign_types(name, evidence, place)
