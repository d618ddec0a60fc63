"""The second pass over all chunks: what each says, added up to the evidence of a dataset."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from nerscope.corpus.arrays import Ints
from nerscope.corpus.corpus import Corpus, Reading
from nerscope.corpus.interning import Paths
from nerscope.corpus.schemes import Scheme
from nerscope.corpus.units import MENTION
from nerscope.engines.base import Engine
from nerscope.errors import InputError
from nerscope.evaluation.noticed import (
    different_scheme,
    foreign_types,
    nested,
    refuse_other_sentences,
    unused_names,
)
from nerscope.evaluation.plan import Plan, Planned, Task, divisions_of
from nerscope.evaluation.score import NewSurfaces, Scored, score_chunk
from nerscope.formats.base import Nature
from nerscope.formats.losses import Loss, losses_of
from nerscope.scoring.evidence import TOKEN_JOIN, Evidence, canonical
from nerscope.scoring.ledger import Ledger, Units, merged, moved
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
    """Score all chunks, and add up what they say."""
    plan, log = planned.plan, _Log(task, planned.plan, engine.remote)
    fold = _Fold(plan)
    for part in engine.map(score_chunk, plan, log.rows()):
        fold.add(part)
        if progress:
            progress(fold.sentences)
    if not plan.settings.texts:
        fold.readings = [reading.without_items() for reading in fold.readings]
    for source, reading in zip(task.sources, fold.readings, strict=True):
        refuse_other_sentences(source.name, reading, log.tokens)
    schemes = [
        corpus.told or reading.transitions.scheme()
        for corpus, reading in zip(log.last, fold.readings, strict=True)
    ]
    evidence = Evidence(
        task.dataset,
        tuple(task.coding.labels.types),
        tuple((run.system, run.number) for run in task.runs),
        fold.ledgers(),
        divisions_of(plan),
        np.concatenate(log.documents),
        signature_of(plan, schemes, [run.source.policy for run in task.runs]),
        task.gold.name,
        np.concatenate(log.lines),
        log.texts if log.texts is None else tuple(log.texts),
        planned.zeta,
        log.line_a_token,
    )
    if not len(evidence.ledgers[MENTION].gold):
        raise InputError(
            task.gold.name,
            "no mention at all: every label is O",
            "check that the label column is the right one",
        )
    losses = _losses(task, planned, fold, schemes)
    odd = _noticed(task, evidence, fold, schemes, plan.natures)
    return Gathered(canonical(evidence), [*losses, *odd])


class _Log:
    """Passes the rows on, and notes where their sentences stand and what they say."""

    def __init__(self, task: Task, plan: Plan, detach: bool) -> None:
        self._task, self._plan, self._detach = task, plan, detach
        self.documents, self.lines = list[Ints](), list[Ints]()
        self.texts: list[str] | None = [] if plan.settings.texts else None
        self.tokens, self.line_a_token = 0, True
        self.last: list[Corpus] = []

    def rows(self) -> Iterator[list[Corpus]]:
        wanted = self._plan.needs_tokens or self._task.gold.is_small
        for row in self._task.rows(tokens=wanted):
            self.last = row
            self._note(row[0])
            needs_text = self._plan.needs_text
            yield [corpus.detached(needs_text) for corpus in row] if self._detach else row

    def _note(self, gold: Corpus) -> None:
        self.tokens += gold.n_tokens
        self.documents.append(gold.documents)
        firsts = gold.lines[gold.starts[:-1]]
        self.lines.append(firsts)
        steps = np.arange(gold.n_tokens) + np.repeat(
            firsts - gold.starts[:-1], np.diff(gold.starts)
        )
        self.line_a_token = self.line_a_token and np.array_equal(gold.lines, steps)
        if self.texts is not None:
            enough = len(gold.tokens) and len(self.texts) + len(gold) <= MOST_TEXTS
            self.texts = self.texts + gold.texts(TOKEN_JOIN) if enough else None


class _Fold:
    """The parts so far, in the order of the sentences."""

    def __init__(self, plan: Plan) -> None:
        self._surfaces = plan.surfaces.copy() if plan.lexicon else Paths()
        self._parts: list[dict[str, Ledger]] = []
        self.readings: list[Reading] = [Reading() for _ in plan.natures]
        self.sentences = 0

    def add(self, part: Scored) -> None:
        ledgers = dict(part.ledgers)
        ledgers[MENTION] = _with_surfaces(ledgers[MENTION], self._known(part.new_surfaces))
        behind = self.sentences
        self._parts.append({unit: moved(own, behind) for unit, own in ledgers.items()})
        self.readings = [
            one + other for one, other in zip(self.readings, part.readings, strict=True)
        ]
        self.sentences += part.sentences

    def _known(self, new: NewSurfaces) -> Ints:
        """The lasting codes of a chunk's new surfaces."""
        starts = np.concatenate([[0], new.ends[:-1]]) if len(new.ends) else new.ends
        return self._surfaces.codes(new.tokens, starts, new.ends).astype(np.int64)

    def ledgers(self) -> dict[str, Ledger]:
        """One ledger for each unit; parts are let go, so that memory is not needed twice."""
        units = list(self._parts[0])
        return {unit: merged([part.pop(unit) for part in self._parts]) for unit in units}


def _with_surfaces(ledger: Ledger, known: Ints) -> Ledger:
    """The ledger with lasting codes for the surfaces that were new in its chunk."""
    if not len(known):
        return ledger

    def lasting(units: Units) -> Units:
        if units.surface is None:
            return units
        surface = units.surface.copy()
        new = surface < -1
        surface[new] = known[-2 - surface[new]]
        return replace(units, surface=surface)

    runs = tuple(replace(run, pred=lasting(run.pred)) for run in ledger.runs)
    return Ledger(lasting(ledger.gold), runs)


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


def _losses(task: Task, planned: Planned, fold: _Fold, schemes: Sequence[Scheme]) -> list[Loss]:
    repair = task.settings.repair
    names = [source.name for source in task.sources]
    read = list(zip(names, fold.readings, schemes, strict=True))
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
    fold: _Fold,
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
            yield from different_scheme(name, fold.readings[place + 1], own)
        yield from foreign_types(name, evidence, place)
