"""Agreement over mentions: F1 of each pair of annotators, from the ledgers of an evaluation.

One annotator takes the place of gold and the others that of systems. Facets are fixed on the
mentions of all annotators together, so a number does not depend on who takes the place of gold.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from nerscope.annotation.agreement import AgreementScore, Ceiling, Deviation
from nerscope.annotation.texts import AnnotatedTexts
from nerscope.corpus.arrays import Floats
from nerscope.corpus.mentions import join_mentions
from nerscope.corpus.units import MENTION
from nerscope.engines.base import Engine
from nerscope.engines.local import Local
from nerscope.evaluation.gather import EvidenceBuilder
from nerscope.evaluation.plan import FirstPass, facet_tables, make_plan
from nerscope.evaluation.score import ScoreRequest, score_shard
from nerscope.evaluation.subsets import with_subsets
from nerscope.evaluation.task import Run, Settings, Task
from nerscope.formats.base import CorpusSource
from nerscope.formats.source import Source
from nerscope.scoring.evidence import Evidence
from nerscope.scoring.folding import groups_of
from nerscope.scoring.metrics import F1
from nerscope.stats.chance import bounds, jackknife_spread, rounded
from nerscope.stats.clusters import ClusterCounts, with_all_types
from nerscope.stats.intervals import Interval
from nerscope.stats.jackknife import mean_moves

FACETS = ("eLen", "sLen")
TRAINING_FACETS = ("tmr",)
_BLOCK = 20_000  # sentences that a worker scores at once


class Cell(NamedTuple):
    """What a number is measured on; `type` None: all types together."""

    facet: str
    level: str
    type: str | None
    match: str


class CellScore(NamedTuple):
    """The F1 of two annotators on a cell, and what its mean over pairs needs."""

    value: float
    n: int  # mentions of both
    moves: Floats  # by cluster, the change when the cluster is left out
    sizes: Floats  # by cluster, the mentions of the one who has more

    @property
    def interval(self) -> Interval:
        """The interval, which like the value does not depend on who is gold."""
        return bounds(self.value, self.moves, self.sizes, self.n)


@dataclass(frozen=True, slots=True)
class PairScores:
    """The F1 of two annotators, or of an annotator and a system, on every cell."""

    a: str
    b: str
    cells: Mapping[Cell, CellScore]

    def rows(self) -> Iterator[AgreementScore]:
        """The numbers as rows."""
        for cell, score in self.cells.items():
            yield _row(self.a, self.b, cell, score.value, score.interval, score.n)


def _row(
    a: str | None, b: str | None, cell: Cell, value: float, interval: Interval, n: int
) -> AgreementScore:
    low, high = interval or (None, None)
    facet, level, type_, match = cell
    known = None if np.isnan(value) else value
    return AgreementScore(a, b, F1, MENTION, facet, level, type_, match, known, low, high, n)


class MentionScorer:
    """Scores all pairs of annotators, and each annotator with each system."""

    def __init__(
        self,
        texts: AnnotatedTexts,
        settings: Settings,
        train: Source | None,
        engine: Engine,
        report: Callable[[int], None],
    ) -> None:
        self._texts, self._engine, self._report = texts, engine, report
        facets = (*FACETS, *(TRAINING_FACETS if train is not None else ()))
        self._settings = replace(settings, facets=facets, metrics=(F1,), fold=False)
        self._first_pass = self._make_plan(train)
        self._clusters = groups_of(texts.cluster)
        self._n_clusters = int(self._clusters.max()) + 1

    @property
    def edges(self) -> dict[str, Any]:
        """The edges of buckets and the ranges of levels by facet, as in the settings of results."""
        return {
            facet.name: {
                "edges": list(facet.buckets.edges),
                "ranges": dict(zip(facet.level_codes, facet.buckets.ranges(), strict=True)),
            }
            for facet in self._first_pass.plan.facets
            if facet.buckets
        }

    def _make_plan(self, train: Source | None) -> FirstPass:
        """The first pass over the mentions of all annotators, each distinct one once."""
        texts = self._texts
        annotators = texts.corpora[: texts.n_annotators]
        pooled = [corpus.spans for corpus in annotators if corpus.spans is not None]
        spans = join_mentions(pooled).in_order()
        together = replace(texts.corpus, spans=spans[~spans.repeats])
        runs = [Run(name, "1", CorpusSource(together)) for name in texts.names]
        sides = frozenset(range(len(runs) + 1))  # mentions of any side may overlap
        task = Task(
            "agreement",
            CorpusSource(together),
            runs[1:],
            train,
            self._settings,
            texts.coding,
            overlapping=sides,
        )
        return make_plan(task, Local())

    def pairs(self) -> Iterator[PairScores]:
        """The scores of every pair, in the order of the annotators and then of the systems."""
        texts = self._texts
        n_first = texts.n_annotators if texts.systems else texts.n_annotators - 1
        scored = self._score(range(n_first))
        for a in range(n_first):
            evidence = next(scored)
            for b in range(a + 1, len(texts.names)):
                if b >= texts.n_annotators or a < texts.n_annotators - 1:
                    yield self._pair(evidence, a, b)

    def _score(self, golds: Sequence[int]) -> Iterator[Evidence]:
        """The evidence with each of these annotators in the place of gold."""
        size = len(self._texts.corpus)
        blocks = [(low, min(low + _BLOCK, size)) for low in range(0, size, _BLOCK)]
        requests = (self._request(gold, *block) for gold in golds for block in blocks)
        parts = self._engine.map(score_shard, self._first_pass.plan, requests)
        for number, gold in enumerate(golds):
            runs = tuple((name, "1") for name in self._texts.names if name != self._name(gold))
            tables = facet_tables(self._first_pass.plan)
            blank = Evidence("", (), runs, {}, tables, np.zeros(0, np.int64))
            builder = EvidenceBuilder(blank, self._first_pass, in_shards=True)
            for _, high in blocks:
                builder.add(next(parts))
                self._report(number * size + high)
            yield with_subsets(builder.evidence(), self._first_pass.subsets)

    def _name(self, at: int) -> str:
        return self._texts.names[at]

    def _request(self, gold: int, low: int, high: int) -> ScoreRequest:
        corpora = list(self._texts.corpora)
        row = [corpora.pop(gold), *corpora]
        shard = tuple(CorpusSource(corpus.sentences(low, high)) for corpus in row)
        return ScoreRequest(shard, with_words=False)

    def _pair(self, evidence: Evidence, a: int, b: int) -> PairScores:
        """The numbers of two annotators over the sentences that both have."""
        # Sentences that only one of them has are in a last cluster, which is then dropped.
        shared = self._texts.shared(a, b)
        clusters = np.where(shared, self._clusters, self._n_clusters)
        cells: dict[Cell, CellScore] = {}
        for table in evidence.tables:
            for match in table.metrics:
                counted = ClusterCounts(evidence, table, match, [self._name(b)], clusters)
                counts = counted.with_counts(
                    counted.counts[: self._n_clusters], counted.systems, counted.owners
                )
                cells |= _cell_scores(counts, evidence.types)
        return PairScores(self._name(a), self._name(b), cells)


def _cell_scores(counts: ClusterCounts, types: Sequence[str]) -> dict[Cell, CellScore]:
    """Every number of one facet under one match, with its moves by cluster."""
    moves = mean_moves(counts)
    first, second = (
        with_all_types(counts.counts[..., column].astype(np.float64)) for column in (0, 2)
    )
    scores = {}
    for at, (key, metric) in enumerate(zip(counts.keys, counts.metrics, strict=True)):
        [group] = counts.places(key, metric)
        place = slice(None), group.level, group.type
        name = None if key.type is None else types[key.type]
        scores[Cell(counts.table.facet, key.level, name, counts.match)] = CellScore(
            float(counts.values[0, at]),
            int(first[place].sum() + second[place].sum()),
            moves[:, at],
            np.maximum(first[place], second[place]),
        )
    return scores


@dataclass(frozen=True)
class MeanOfPairs:
    """The mean over pairs of one number, over the pairs in which it is defined."""

    scores: Sequence[CellScore]

    @cached_property
    def _known(self) -> list[CellScore]:
        return [score for score in self.scores if not np.isnan(score.value)]

    @cached_property
    def value(self) -> float:
        """The mean; NaN if it is undefined for every pair."""
        known = [score.value for score in self._known]
        return float(np.mean(known)) if known else float("nan")

    @cached_property
    def moves(self) -> Floats:
        """By cluster, the change of the mean when the cluster is left out."""
        if not self._known:
            return np.zeros_like(self.scores[0].moves)
        return np.asarray(np.mean([score.moves for score in self._known], axis=0))

    @cached_property
    def sizes(self) -> Floats:
        """By cluster, the sum of the sizes of all pairs."""
        return np.asarray(np.sum([score.sizes for score in self.scores], axis=0))

    @property
    def n(self) -> int:
        """The mentions of both sides, over all pairs."""
        return sum(score.n for score in self.scores)

    def interval(self, n_sides: int) -> Interval:
        """The interval, given that a mention is in the pairs of `n_sides` - 1 others."""
        return bounds(self.value, self.moves, self.sizes, self.n / max(1, n_sides - 1))


def mean_rows(pairs: Sequence[PairScores], b: str | None, n_sides: int) -> Iterator[AgreementScore]:
    """The mean of every number over these pairs; `b` is the system whose pairs they are."""
    for cell in pairs[0].cells:
        mean = MeanOfPairs([pair.cells[cell] for pair in pairs])
        yield _row(None, b, cell, mean.value, mean.interval(n_sides), mean.n)


def deviations(
    pairs: Sequence[PairScores], annotators: Sequence[str], cell: Cell
) -> list[Deviation]:
    """How far each annotator differs from the others, with the interval of the difference."""
    rows = []
    for name in annotators:
        own = [pair.cells[cell] for pair in pairs if name in (pair.a, pair.b)]
        rest = [pair.cells[cell] for pair in pairs if name not in (pair.a, pair.b)]
        rows.append(Deviation(name, *_difference(own, rest)))
    return rows


def ceiling(
    name: str, pairs: Sequence[PairScores], among: Sequence[PairScores], cell: Cell
) -> Ceiling:
    """A system's mean F1 against the annotators, beside theirs among themselves."""
    own, rest = ([pair.cells[cell] for pair in side] for side in (pairs, among))
    return Ceiling(name, *_difference(own, rest))


_Difference = tuple[float | None, float | None, float | None, float | None, float | None]


def _difference(own: Sequence[CellScore], rest: Sequence[CellScore]) -> _Difference:
    """Two means over pairs, the first minus the second, and the interval of this difference."""
    first = MeanOfPairs(own)
    value = None if np.isnan(first.value) else first.value
    if not rest:
        return value, None, None, None, None
    second = MeanOfPairs(rest)
    other = None if np.isnan(second.value) else second.value
    if value is None or other is None:
        return value, other, None, None, None
    spread = jackknife_spread(first.moves - second.moves, first.sizes + second.sizes)
    if spread is None:
        return value, other, value - other, None, None
    reach = spread.quantile * float(np.sqrt(spread.variance))
    difference = value - other
    low, high = max(-1.0, difference - reach), min(1.0, difference + reach)
    return value, other, difference, rounded(low), rounded(high)
