"""The second pass: score all sentences, and combine them to the evidence of a dataset."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import NamedTuple

import numpy as np

from nerscope.corpus.arrays import Ints
from nerscope.corpus.corpus import ReadingNotes
from nerscope.corpus.lexicon import TrainingData
from nerscope.corpus.schemes import Scheme, scheme_named
from nerscope.corpus.units import MENTION, TOKEN
from nerscope.corpus.vocabulary import NO_SEQUENCES, SequenceTrie
from nerscope.engines.base import Engine
from nerscope.errors import AlignmentError, InputError
from nerscope.evaluation.answers import with_answer_counts
from nerscope.evaluation.notes import notes_on_outputs, notes_on_reading, refuse_other_sentences
from nerscope.evaluation.plan import FirstPass, Plan, facet_tables, goes_to_engine, make_plan
from nerscope.evaluation.score import (
    FOLD_ABOVE,
    ScoredSentences,
    ScoreRequest,
    join_reading_notes,
    join_scores,
    needs_words,
    recode_surfaces,
    score_chunks,
    score_shard,
    scored_runs,
)
from nerscope.evaluation.subsets import Subset, with_subsets
from nerscope.evaluation.task import Task
from nerscope.formats.source import DocumentCount, SourceNote
from nerscope.results.errors import gold_side, run_side
from nerscope.scoring.cluster_units import (
    DOCUMENT,
    SENTENCE,
    BlockCount,
    block_size,
    place_unit,
)
from nerscope.scoring.error_sample import (
    ErrorCollector,
    SampleFilter,
    ScoredErrors,
    ScoredSide,
    joined_errors,
    score_errors,
)
from nerscope.scoring.evidence import (
    BucketEdges,
    Evidence,
    Folded,
    Signature,
    canonical,
    with_kinds,
)
from nerscope.scoring.folding import Folding, groups_of


class ScoredTask(NamedTuple):
    """The evidence of a task for all facets that its subsets need, and notes on its files."""

    evidence: Evidence
    notes: list[SourceNote]
    subsets: Sequence[Subset]  # the evidence is not yet divided by them, unless it is folded


class OverlapError(Exception):
    """Mentions of these sides overlap, but the plan assumes that they do not.

    Users never see this error: the evaluation starts again with another plan.
    """

    def __init__(self, sides: frozenset[int]) -> None:
        super().__init__(f"mentions of {sorted(sides)} overlap")
        self.sides = sides


class EvidenceBuilder:
    """Builds the evidence of a dataset from scored sentences, which are added in order.

    Every worker has its own numbers for types, surfaces and documents; here they are unified.
    Example for types: a worker that reads ORG, then PER, uses ORG = 0 and PER = 1. If this process
    already has PER = 0 and LOC = 1, then ORG becomes 2, and a column 0 1 1 of the worker becomes
    2 0 0.

    Up to FOLD_ABOVE sentences, single mentions are stored. For more sentences they are replaced by
    sums over groups of documents, sentences or blocks (`cluster_unit`; None: documents if there are
    several), so that memory does not grow with the data.
    """

    def __init__(
        self,
        blank: Evidence,
        first_pass: FirstPass,
        *,
        in_shards: bool,
        cluster_unit: str | None = None,
    ) -> None:
        self._blank = blank
        self._plan, self._subsets = first_pass.plan, first_pass.subsets
        self._surfaces = self._plan.surfaces.copy() if self._plan.lexicon else SequenceTrie()
        # Documents are numbered from 0 in each shard, but continuously in the chunks of a file.
        self._in_shards = in_shards
        self._documents, self._last_document = DocumentCount(), 0
        self._unfolded: list[ScoredSentences] = []
        self._n_unfolded = 0
        self._folding: Folding | None = None
        self._errors = ErrorCollector() if self._plan.keeps_errors else None
        self._filter = SampleFilter()
        self._cluster_unit = None if cluster_unit is None else place_unit(cluster_unit)
        self._blocks = BlockCount(block_size(cluster_unit or "") or 1)
        # The document of the last folded sentence: its number, and its rank among documents with
        # sentences.
        self._last_folded = self._last_rank = -1
        self.reading_notes: list[dict[str, ReadingNotes]] = [{} for _ in self._plan.label_styles]
        self.declared_schemes: tuple[str | None, ...] = ()
        self.sentences = self.tokens = 0

    def add(self, scored: ScoredSentences) -> None:
        """Add the next sentences; raise an OverlapError if the plan does not fit them."""
        styles = zip(scored.are_flat, self._plan.label_styles, strict=True)
        overlapping = [side for side, (flat, style) in enumerate(styles) if style.flat and not flat]
        if overlapping:
            raise OverlapError(frozenset(overlapping))
        for known, new in zip(self.reading_notes, scored.reading_notes, strict=True):
            before = {name: known.get(name, ReadingNotes()) for name in new}
            known |= join_reading_notes([before, new])
        self.declared_schemes = scored.declared_schemes
        self.sentences += scored.sentences
        self.tokens += scored.tokens
        self._unfolded.append(self._recode(scored))
        self._n_unfolded += scored.sentences
        if self._plan.settings.fold is not False and self._n_unfolded > FOLD_ABOVE:
            self._fold()

    def evidence(self) -> Evidence:
        """The evidence of all added sentences; folded evidence is divided into its subsets."""
        if self._folding is None and not self._plan.settings.fold:
            return canonical(self._evidence_of(self._take_unfolded()))
        if self._unfolded:
            self._fold()
        assert self._folding is not None
        counts = (self.sentences, self._last_rank + 1, self._blocks.blocks)
        folded = Folded(str(self._cluster_unit), *counts)
        like = replace(self._blank, types=tuple(self._plan.coding.labels.types))
        evidence = self._folding.evidence(like, folded)
        if self._errors is not None:
            # Folding sorts the types, so that the sample needs other codes.
            codes = np.array([evidence.types.index(name) for name in like.types], np.int32)
            errors = self._errors.errors(like.types).with_kinds(codes)
            evidence = replace(evidence, errors=errors)
        return canonical(evidence)

    def _recode(self, scored: ScoredSentences) -> ScoredSentences:
        """The same sentences with the codes for types, surfaces and documents of this process."""
        coding = self._plan.coding
        type_codes = coding.labels.type_codes_of(scored.types)
        ledgers = dict(scored.ledgers)
        if not np.array_equal(type_codes, np.arange(len(type_codes))):
            for unit in ledgers.keys() - {TOKEN}:  # tokens have no type
                ledgers[unit] = with_kinds(ledgers[unit], type_codes)
        if len(scored.new_surfaces.ends):
            # new_codes[k] is the code in this process of the worker's surface -2 - k.
            new_codes = scored.new_surfaces.codes(coding.tokens, self._surfaces)
            ledgers[MENTION] = recode_surfaces(
                ledgers[MENTION],
                lambda codes: np.where(codes < -1, new_codes[np.maximum(0, -2 - codes)], codes),
            )
        documents = self._number_documents(scored) if self._in_shards else scored.documents
        return replace(
            scored,
            ledgers=ledgers,
            new_surfaces=NO_SEQUENCES,
            documents=documents,
            errors=scored.errors and scored.errors.with_types(type_codes),
        )

    def _number_documents(self, scored: ScoredSentences) -> Ints:
        """The documents of a shard, numbered from the last document of the shards before it.

        A document in two shards is one document: a shard that does not begin a file continues the
        last document of the shard before it.
        """
        in_file = scored.documents if scored.begins_file else scored.documents + self._last_document
        self._last_document = int(in_file[-1])
        return self._documents.after(
            in_file, begins=scored.begins_file, marked=scored.has_document_marks
        )

    def _fold(self) -> None:
        errors = None if self._errors is None else self._scored_errors()
        scored = self._take_unfolded()
        if self._folding is None:
            self._folding = Folding()
            several = _has_several_documents(scored.documents[:FOLD_ABOVE])
            self._cluster_unit = self._cluster_unit or (DOCUMENT if several else SENTENCE)
        numbers = self._cluster_numbers(scored)
        for subset in self._subsets:
            # A subset may name a type that occurs only later, but needs its code now.
            self._plan.coding.labels.type_codes_of(subset.types())
        # Subsets are made before mentions are summed, because sums are not divisible.
        divided = with_subsets(self._evidence_of(scored), self._subsets)
        self._folding.add(divided, groups_of(numbers))
        if self._errors is not None and errors is not None:
            self._errors.add(divided, errors, self.sentences - scored.sentences)

    def _scored_errors(self) -> ScoredErrors:
        """The errors of all unfolded sentences."""
        parts, before = list[tuple[int, ScoredErrors]](), 0
        for scored in self._unfolded:
            parts.append((before, scored.errors or self._errors_of(scored)))
            before += scored.sentences
        return joined_errors(parts)

    def _errors_of(self, scored: ScoredSentences) -> ScoredErrors:
        """The errors of sentences that were read with their words."""
        evidence = self._evidence_of(scored)
        n_runs = len(evidence.runs)
        sides = [
            ScoredSide(side.mentions, side.units.sentence, side.names)
            for side in (gold_side(evidence), *map(partial(run_side, evidence), range(n_runs)))
        ]
        runs = scored_runs(sides[1:], evidence.mentions)
        name = next(iter(scored.reading_notes[0]))
        errors = score_errors(sides[0], runs, (name, scored.lines), self._filter)
        texts = scored.texts
        if texts is None:
            return errors
        return errors._replace(texts=tuple(texts[at] for at in errors.sentence.tolist()))

    def _cluster_numbers(self, scored: ScoredSentences) -> Ints:
        """The number of each sentence's cluster, continued from the sentences before."""
        ranks = self._document_ranks(scored.documents)
        if self._cluster_unit == DOCUMENT:
            return ranks
        if self._cluster_unit == SENTENCE:
            return self.sentences - scored.sentences + np.arange(scored.sentences)
        return self._blocks.number(ranks)

    def _take_unfolded(self) -> ScoredSentences:
        # The list is emptied before its items are joined, so that their memory can be freed.
        chunks, self._unfolded, self._n_unfolded = self._unfolded, [], 0
        return join_scores(chunks)

    def _document_ranks(self, documents: Ints) -> Ints:
        """The rank of each sentence's document among the documents with sentences.

        Documents 0 0 2 2 5 have the ranks 0 0 1 1 2: documents 1, 3 and 4 are empty.
        """
        changed = np.diff(documents, prepend=self._last_folded) != 0
        ranks: Ints = self._last_rank + np.cumsum(changed)
        self._last_rank, self._last_folded = int(ranks[-1]), int(documents[-1])
        return ranks

    def _evidence_of(self, scored: ScoredSentences) -> Evidence:
        return replace(
            self._blank,
            types=tuple(self._plan.coding.labels.types),
            ledgers=scored.ledgers,
            documents=scored.documents,
            lines=scored.lines,
            texts=scored.texts,
            line_a_token=scored.has_line_per_token,
            record_ids=scored.record_ids,
            record_names=scored.record_names,
            glued=scored.glued,
        )


def run_passes(
    task: Task,
    engine: Engine,
    surveyed: Callable[[], None] = lambda: None,
    scored: Callable[[int], None] = lambda sentences: None,
    cluster_unit: str | None = None,
) -> ScoredTask:
    """Both passes over the data; `surveyed` and `scored` report the progress of each.

    There are two passes because facets depend on all of gold (the edges of buckets, surfaces with
    several types), which is unknown while the first sentences are read.
    """
    training: TrainingData | None = None
    while True:
        first_pass = make_plan(task, engine, surveyed, training)
        training = first_pass.training
        try:
            # The second pass gives every mention and token its codes and its outcome in each run.
            return score_task(task, first_pass, engine, scored, cluster_unit)
        except OverlapError as error:  # found in the first chunk of most files that have it
            task = task._replace(overlapping=task.overlapping | error.sides)


def score_joined(
    task: Task,
    error: AlignmentError,
    surveyed: Callable[[], None] = lambda: None,
    scored: Callable[[int], None] = lambda sentences: None,
    *,
    cluster_unit: str | None = None,
    needs_all: bool = False,
) -> ScoredTask:
    """Both passes over data that could not be read in order, joined by the ids or texts of records.

    `error` is raised if they cannot be joined; with `needs_all`, also if records are left out.
    """
    from nerscope.engines.local import Local  # rarely needed
    from nerscope.formats.align import OrderError
    from nerscope.formats.record_join import ORDER, join_records

    joined = join_records(task.sources)
    is_needless = joined is not None and joined.by == ORDER and not isinstance(error, OrderError)
    if joined is None or is_needless or (needs_all and not joined.is_complete):
        raise error
    gold, *outputs = joined.sources
    runs = [run._replace(source=output) for run, output in zip(task.runs, outputs, strict=True)]
    in_order = task._replace(gold=gold, runs=runs, shards=None)
    done = run_passes(in_order, Local(), surveyed, scored, cluster_unit)
    return done._replace(notes=[*joined.notes, *done.notes])


def score_task(
    task: Task,
    first_pass: FirstPass,
    engine: Engine,
    report: Callable[[int], None] = lambda sentences: None,
    cluster_unit: str | None = None,
) -> ScoredTask:
    """Score all sentences of a task.

    - `report` is called after each shard or chunk with the number of sentences scored so far.
    - `cluster_unit`: large data are folded into groups of these units, "document",
      "sentence" or a block; None: documents if the first sentences have several, else sentences.
    """
    plan = first_pass.plan
    blank = _blank_evidence(task, first_pass)
    in_shards = task.shards is not None
    builder = EvidenceBuilder(blank, first_pass, in_shards=in_shards, cluster_unit=cluster_unit)
    for scored in _score_sentences(task, plan, engine, builder):
        builder.add(scored)
        report(builder.sentences)
    notes_by_side = [sum(by_file.values(), ReadingNotes()) for by_file in builder.reading_notes]
    for source, reading_notes in zip(task.sources, notes_by_side, strict=True):
        refuse_other_sentences(source.name, reading_notes, builder.tokens)
    schemes = [
        scheme_named(declared) if declared else reading_notes.transitions.scheme()
        for declared, reading_notes in zip(builder.declared_schemes, notes_by_side, strict=True)
    ]
    signature = signature_of(plan, schemes, [run.source.info.policy for run in task.runs])
    evidence = replace(builder.evidence(), signature=signature)
    evidence = with_answer_counts(evidence, task, notes_by_side)
    if task.gold.members:
        evidence = replace(evidence, lines=None)  # a line number is ambiguous with several files
    if not len(evidence.overall.gold):
        raise InputError(
            task.gold.name,
            "no mentions: every label is O",
            f"check the label column, for example {task.gold.name}::label=1"
            if task.gold.column_file is not None
            else "give data with mentions",
        )
    notes = [  # the first ones change scores most: a screen shows only a few
        *notes_on_outputs(task, evidence, notes_by_side, schemes, plan.label_styles),
        *notes_on_reading(task, first_pass.training, builder.reading_notes, schemes),
    ]
    return ScoredTask(evidence, notes, first_pass.subsets)


def _score_sentences(
    task: Task, plan: Plan, engine: Engine, builder: EvidenceBuilder
) -> Iterator[ScoredSentences]:
    if not goes_to_engine(task, engine):
        return score_chunks(plan, task.sources)
    # Requests are made while earlier shards are added. Once the evidence is folded, words would be
    # dropped, so later shards do not send them.
    requests = (
        ScoreRequest(shard, with_words=needs_words(plan, builder.sentences))
        for shard in task.shards or [task.sources]
    )
    return engine.map(score_shard, plan, requests)


def _blank_evidence(task: Task, first_pass: FirstPass) -> Evidence:
    """Evidence without counts: everything that is known before scoring."""
    return Evidence(
        task.dataset,
        (),
        tuple((run.system, run.number) for run in task.runs),
        {},
        facet_tables(first_pass.plan),
        np.zeros(0, np.int64),
        gold_name=task.gold.name,
        zeta=first_pass.zeta,
    )


def signature_of(
    plan: Plan, schemes: Sequence[Scheme], policies: Sequence[str | None] = ()
) -> Signature:
    """The conditions of all numbers of a dataset.

    `policies` are the policies by which answers of language models were read, if there are any.
    """
    names = dict.fromkeys(scheme.name for scheme in schemes)
    answers = "+".join(dict.fromkeys(policy for policy in policies if policy)) or "none"
    edges = {
        facet.name: BucketEdges(
            facet.buckets.edges, dict(zip(facet.level_codes, facet.buckets.ranges(), strict=True))
        )
        for facet in plan.facets
        if facet.buckets
    }
    settings = plan.settings.signature()
    return Signature(scheme="+".join(names), **settings, answers=answers, edges=edges)


def _has_several_documents(documents: Ints) -> bool:
    return bool(documents[0] != documents[-1])
