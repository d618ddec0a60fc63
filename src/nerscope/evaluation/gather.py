"""The second pass over all chunks: what each says, added up to the evidence of a dataset."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from nerscope.corpus.corpus import Reading
from nerscope.corpus.interning import Paths
from nerscope.corpus.schemes import Scheme, scheme_named
from nerscope.corpus.spelling import NOTHING_SPELT
from nerscope.corpus.units import MENTION, TOKEN
from nerscope.engines.base import Engine
from nerscope.errors import InputError
from nerscope.evaluation.noticed import (
    different_scheme,
    foreign_types,
    nested,
    refuse_other_sentences,
    unused_names,
)
from nerscope.evaluation.plan import Plan, Planned, Task, divisions_of, in_pieces
from nerscope.evaluation.score import (
    Scored,
    joined_scores,
    score_piece,
    score_rows,
    with_surfaces,
)
from nerscope.evaluation.subsets import with_subsets
from nerscope.formats.base import Nature
from nerscope.formats.losses import Loss, losses_of
from nerscope.scoring.evidence import Evidence, canonical, with_kinds
from nerscope.scoring.signature import BucketEdges, Signature

Progress = Callable[[int], None]
MOST_TEXTS = 120_000  # sentences; of larger corpora, results keep no text


class Gathered(NamedTuple):
    """What scoring found: evidence for every facet that is needed, and what reading lost."""

    evidence: Evidence
    losses: list[Loss]


def gather(
    task: Task, planned: Planned, engine: Engine, progress: Progress | None = None
) -> Gathered:
    """Score all pieces, and add up what they say."""
    plan, sums = planned.plan, _Sums(planned.plan)
    for part in in_pieces(engine, task.pieces, plan, score_piece, score_rows):
        sums.add(part)
        if progress:
            progress(sums.sentences)
    readings = sums.readings
    if not plan.settings.texts:
        readings = [reading.without_items() for reading in readings]
    for source, reading in zip(task.sources, readings, strict=True):
        refuse_other_sentences(source.name, reading, sums.tokens)
    schemes = [
        scheme_named(told) if told else reading.transitions.scheme()
        for told, reading in zip(sums.told, readings, strict=True)
    ]
    whole = sums.whole()
    evidence = Evidence(
        task.dataset,
        tuple(task.coding.labels.types),
        tuple((run.system, run.number) for run in task.runs),
        whole.ledgers,
        divisions_of(plan),
        whole.documents,
        signature_of(plan, schemes, [run.source.policy for run in task.runs]),
        task.gold.name,
        whole.lines,
        whole.texts,
        planned.zeta,
        whole.line_a_token,
    )
    if not len(evidence.ledgers[MENTION].gold):
        raise InputError(
            task.gold.name,
            "no mention at all: every label is O",
            "check that the label column is the right one",
        )
    losses = _losses(task, planned, readings, schemes)
    odd = _noticed(task, evidence, readings, schemes, plan.natures)
    divided = with_subsets(canonical(evidence), planned.subsets)
    return Gathered(divided, [*losses, *odd])


class _Sums:
    """The parts so far, in the order of the sentences and in the codes of the evaluation."""

    def __init__(self, plan: Plan) -> None:
        self._coding = plan.coding
        self._surfaces = plan.surfaces.copy() if plan.lexicon else Paths()
        self._parts: list[Scored] = []
        self.readings: list[Reading] = [Reading() for _ in plan.natures]
        self.told: tuple[str | None, ...] = ()
        self.sentences = self.tokens = self._document = 0

    def add(self, part: Scored) -> None:
        """Add what the next sentences say."""
        self.readings = [
            one + other for one, other in zip(self.readings, part.readings, strict=True)
        ]
        self.told = part.told
        self.sentences += part.sentences
        self.tokens += part.tokens
        enough = self.sentences > MOST_TEXTS
        if enough and self._parts and self._parts[0].texts is not None:
            self._parts = [replace(one, texts=None) for one in self._parts]
        self._parts.append(replace(self._at_home(part), texts=None if enough else part.texts))

    def _at_home(self, part: Scored) -> Scored:
        """The part in the codes of the evaluation."""
        kinds = self._coding.labels.type_codes_of(part.types)
        ledgers = dict(part.ledgers)
        if not np.array_equal(kinds, np.arange(len(kinds))):
            for unit in ledgers.keys() - {TOKEN}:  # tokens have no type
                ledgers[unit] = with_kinds(ledgers[unit], kinds)
        if len(part.new_surfaces.ends):
            lasting = part.new_surfaces.codes(self._coding.tokens, self._surfaces)
            ledgers[MENTION] = with_surfaces(
                ledgers[MENTION],
                lambda known: np.where(known < -1, lasting[np.maximum(0, -2 - known)], known),
            )
        return replace(part, ledgers=ledgers, new_surfaces=NOTHING_SPELT)

    def whole(self) -> Scored:
        """All parts as one; they are let go, so that memory is not needed twice."""
        parts, self._parts = self._parts, []
        return joined_scores(parts)


def signature_of(
    plan: Plan, schemes: Sequence[Scheme], policies: Sequence[str | None] = ()
) -> Signature:
    """The conditions of all numbers of a dataset."""
    names = dict.fromkeys(scheme.name for scheme in schemes)
    found = "+".join(dict.fromkeys(policy for policy in policies if policy)) or "none"
    edges = {
        facet.name: BucketEdges(
            facet.buckets.edges, dict(zip(facet.levels, facet.buckets.ranges(), strict=True))
        )
        for facet in plan.facets
        if facet.buckets
    }
    settings = plan.settings.signature()
    return Signature(scheme="+".join(names), **settings, answers=found, edges=edges)


def _losses(
    task: Task, planned: Planned, readings: Sequence[Reading], schemes: Sequence[Scheme]
) -> list[Loss]:
    repair = task.settings.repair
    names = [source.name for source in task.sources]
    read = list(zip(names, readings, schemes, strict=True))
    if planned.training is not None:
        training = planned.training
        read.insert(0, (training.name, training.reading, training.scheme))
    found: dict[str, Loss] = {}
    for name, reading, scheme in read:
        for loss in losses_of(name, reading, scheme, repair):
            found.setdefault(f"{name}\n{loss['message']}", loss)  # one file may be read twice
    return list(found.values())


def _noticed(
    task: Task,
    evidence: Evidence,
    readings: Sequence[Reading],
    schemes: Sequence[Scheme],
    natures: Sequence[Nature],
) -> Iterator[Loss]:
    """What is odd about the settings, and about each output beside gold."""
    yield from unused_names(task.settings, task.coding.labels.types)
    for source, nature in zip(task.sources, natures, strict=True):
        yield from nested(source.name, nature.flat)
    for place, run in enumerate(task.runs):
        name, own = run.source.name, (schemes[0], schemes[place + 1])
        if task.gold.always_flat and run.source.always_flat:
            yield from different_scheme(name, readings[place + 1], own)
        yield from foreign_types(name, evidence, place)
