"""The matching of predicted with gold entities by nervaluate, for all documents at once.

Predicted entities are matched in the order of the list, each with one of the gold entities that are
still free: a correct one if there is one, otherwise the first with enough overlap. So the order
matters, but only where entities compete. If a predicted and a gold entity overlap only each other,
the outcome is clear; array operations handle all such pairs at once. The few other entities are
matched one by one.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import compress, groupby
from operator import itemgetter
from typing import Any, NamedTuple

import numpy as np

from nerscope.corpus.arrays import Bools, Floats, Ints, expand_ranges

Places = list[tuple[int, int]]  # (document, place among its entities with a known tag)
CORRECT, INCORRECT, PARTIAL, MISSED, SPURIOUS = range(5)  # in the order of EvaluationIndices


@dataclass(unsafe_hash=True)
class Entity:
    """An entity: its type, its first and its last position. Ends are inclusive, as in nervaluate.

    >>> Entity("PER", 0, 1)
    Entity(label='PER', start=0, end=1)
    """

    label: str
    start: int
    end: int


EntityDocuments = list[list[Entity]]


@dataclass
class EvaluationIndices:
    """The entities of each outcome, as (document, place among its entities with a known tag).

    Missed entities are places among the gold entities, all others among the predicted entities.
    """

    correct_indices: Places = field(default_factory=list)
    incorrect_indices: Places = field(default_factory=list)
    partial_indices: Places = field(default_factory=list)
    missed_indices: Places = field(default_factory=list)
    spurious_indices: Places = field(default_factory=list)


@dataclass
class EvaluationResult:
    """Counts of outcomes, and the scores computed from them."""

    correct: int = 0
    incorrect: int = 0
    partial: int = 0
    missed: int = 0
    spurious: int = 0
    precision: float = 0.0
    recall: float = 0.0
    f1: float = 0.0
    actual: int = 0
    possible: int = 0

    def compute_metrics(self, partial_or_type: bool = False) -> None:
        """Compute totals and scores from the counts; `partial_or_type` counts partial as half.

        A score without a denominator is 0, as in nervaluate.

        >>> result = EvaluationResult(correct=1, partial=1)
        >>> result.compute_metrics(partial_or_type=True)
        >>> result.actual, result.precision
        (2, 0.75)
        """
        paired = self.correct + self.incorrect + self.partial
        self.actual, self.possible = paired + self.spurious, paired + self.missed
        credit = self.correct + 0.5 * self.partial if partial_or_type else self.correct
        self.precision = credit / self.actual if self.actual else 0
        self.recall = credit / self.possible if self.possible else 0
        both = self.precision + self.recall
        self.f1 = 2 * (self.precision * self.recall) / both if both else 0


class Strategy(NamedTuple):
    """When a pair is correct, and the outcome of a pair that only overlaps enough."""

    needs_span: bool
    needs_label: bool
    needs_overlap: bool  # even if the spans are equal
    otherwise: int
    halves: bool  # a partial outcome counts half


STRATEGIES = {
    "strict": Strategy(True, True, False, INCORRECT, halves=False),
    "partial": Strategy(True, False, True, PARTIAL, halves=True),
    "ent_type": Strategy(False, True, True, INCORRECT, halves=True),
    "exact": Strategy(True, False, False, INCORRECT, halves=False),
}


class EntityColumns(NamedTuple):
    """The gold or the predicted entities of all documents, in order: parallel arrays."""

    document: Ints
    start: Ints
    end: Ints
    label: Ints  # the place of the tag in the list of tags

    @property
    def low(self) -> Ints:
        """The smaller offset: nervaluate accepts entities that end before they begin."""
        return np.minimum(self.start, self.end)

    @property
    def high(self) -> Ints:
        return np.maximum(self.start, self.end)


def entity_columns(documents: EntityDocuments, tags: Sequence[str]) -> EntityColumns:
    """All entities with one of the tags.

    >>> documents = [[], [Entity("PER", 0, 1), Entity("LOC", 3, 3)]]
    >>> entity_columns(documents, ["LOC"]).document.tolist()
    [1]
    """
    codes = {tag: code for code, tag in enumerate(tags)}
    rows = [
        (document, entity.start, entity.end, codes[entity.label])
        for document, entities in enumerate(documents)
        for entity in entities
        if entity.label in codes
    ]
    return EntityColumns(*np.array(rows, np.int64).reshape(-1, 4).T)


class EntityPairs(NamedTuple):
    """Candidate pairs of gold and predicted entities, sorted by predicted, then by gold entity."""

    gold: Ints
    pred: Ints
    same_span: Bools
    same_label: Bools
    enough: Bools  # whether enough of the gold entity is covered
    distance: Ints  # distance of the starts plus distance of the ends

    def where(self, mask: Bools) -> "EntityPairs":
        columns: Any = self
        return EntityPairs(*(column[mask] for column in columns))


def possible_pairs(gold: EntityColumns, pred: EntityColumns, least: float) -> EntityPairs:
    """The candidate pairs; `least` is the percentage of a gold entity that must be covered.

    >>> gold, pred = np.array([[0, 0, 3, 0], [0, 4, 4, 0]]).T, np.array([[0, 3, 4, 0]]).T
    >>> possible_pairs(EntityColumns(*gold), EntityColumns(*pred), 50).gold.tolist()
    [1]
    """
    gold_at, pred_at = touching(gold, pred)
    starts = np.abs(gold.start[gold_at] - pred.start[pred_at])
    distance = starts + np.abs(gold.end[gold_at] - pred.end[pred_at])
    same_span = distance == 0
    same_label = gold.label[gold_at] == pred.label[pred_at]
    enough = _covered_percent(gold, gold_at, pred, pred_at) >= least
    pairs = EntityPairs(gold_at, pred_at, same_span, same_label, enough, distance)
    return pairs.where(enough | same_span)


def touching(gold: EntityColumns, pred: EntityColumns, at_once: int = 1 << 22) -> tuple[Ints, Ints]:
    """All pairs of gold and predicted entities of one document that overlap.

    Gold entities are sorted by their start, so the candidates of a predicted entity are a range.
    One gold entity around all others makes the ranges wide, so at most about `at_once` candidate
    pairs are in memory at a time.
    """
    (low, high), (pred_low, pred_high) = _on_one_line(gold, pred)
    order = np.argsort(low, kind="stable")
    # Ends are not sorted, but their running maximum is. Gold entities before `first` end before
    # the predicted entity begins; those from `last` on begin after it ends.
    first = np.searchsorted(np.maximum.accumulate(high[order]), pred_low)
    last = np.maximum(np.searchsorted(low[order], pred_high, side="right"), first)
    pairs = []
    for preds in _groups(last - first, at_once):
        pred_at = np.repeat(preds, (last - first)[preds])
        gold_at = order[expand_ranges(first[preds], last[preds])]
        touches = high[gold_at] >= pred_low[pred_at]
        pairs.append((gold_at[touches], pred_at[touches]))
    gold_at, pred_at = (np.concatenate(side) for side in zip(*pairs, strict=True))
    by_pred = np.lexsort((gold_at, pred_at))
    return gold_at[by_pred], pred_at[by_pred]


def _on_one_line(gold: EntityColumns, pred: EntityColumns) -> list[tuple[Ints, Ints]]:
    """The bounds of all entities on one common axis, document after document, in the same order.

    Offsets are first replaced by their ranks. Document d begins at d times the number of distinct
    offsets, so entities of different documents never overlap.
    """
    ends = (gold.low, gold.high, pred.low, pred.high)
    places, ranks = np.unique(np.concatenate(ends), return_inverse=True)
    cuts = np.cumsum([len(gold.low), len(gold.low), len(pred.low)])
    ranked = np.split(ranks, cuts)
    for documents, columns in ((gold.document, ranked[:2]), (pred.document, ranked[2:])):
        for column in columns:
            column += documents * len(places)
    return [(ranked[0], ranked[1]), (ranked[2], ranked[3])]


def _groups(sizes: Ints, at_once: int) -> list[Ints]:
    """Consecutive indices, in groups whose sizes sum to about `at_once`."""
    step = np.cumsum(sizes) // at_once
    return np.split(np.arange(len(sizes)), np.flatnonzero(np.diff(step)) + 1)


def _covered_percent(
    gold: EntityColumns, gold_at: Ints, pred: EntityColumns, pred_at: Ints
) -> Floats:
    """The percentage of each gold entity that the predicted entity covers."""
    start, end = gold.start[gold_at], gold.end[gold_at]
    shared = np.minimum(end, pred.end[pred_at]) - np.maximum(start, pred.start[pred_at]) + 1
    apart = (pred.start[pred_at] > end) | (pred.end[pred_at] < start)
    length = end - start + 1
    nothing = apart | (length == 0)
    return np.where(nothing, 0.0, shared / np.where(nothing, 1, length) * 100.0)


class MatchOutcomes(NamedTuple):
    """The outcome code of each predicted entity, and whether each gold entity is matched."""

    pred: Ints
    taken: Bools


def match_entities(
    pairs: EntityPairs, strategy: Strategy, n_gold: int, n_pred: int
) -> MatchOutcomes:
    """The outcome of every entity under one strategy."""
    outcomes, taken = np.full(n_pred, SPURIOUS), np.zeros(n_gold, bool)
    right = pairs.enough if strategy.needs_overlap else np.ones(len(pairs.gold), bool)
    if strategy.needs_span:
        right = right & pairs.same_span
    if strategy.needs_label:
        right = right & pairs.same_label
    useful = right | pairs.enough
    pairs, right = pairs.where(useful), right[useful]
    golds, preds = (np.bincount(side, minlength=1) for side in (pairs.gold, pairs.pred))
    alone = (golds[pairs.gold] == 1) & (preds[pairs.pred] == 1)
    outcomes[pairs.pred[alone]] = np.where(right[alone], CORRECT, strategy.otherwise)
    taken[pairs.gold[alone]] = True
    for pred, gold, is_right in _choices(pairs.where(~alone), right[~alone]):
        outcomes[pred] = CORRECT if is_right else strategy.otherwise
        taken[gold] = True
    return MatchOutcomes(outcomes, taken)


def _choices(pairs: EntityPairs, right: Bools) -> Iterator[tuple[int, int, bool]]:
    """(predicted, gold, is correct) of competing entities, in the order of predicted entities."""
    taken: set[int] = set()
    columns = (pairs.pred, pairs.gold, right, pairs.distance)
    rows = zip(*(column.tolist() for column in columns), strict=True)
    for pred, group in groupby(rows, itemgetter(0)):
        free = [row for row in group if row[1] not in taken]
        best = [row for row in free if row[2]]
        if free:
            _, gold, is_right, _ = min(best, key=itemgetter(3)) if best else free[0]
            taken.add(gold)
            yield pred, gold, is_right


def _indices(outcomes: MatchOutcomes, gold: Places, pred: Places) -> EvaluationIndices:
    lists: list[Places] = [[] for _ in range(5)]
    for code, place in zip(outcomes.pred.tolist(), pred, strict=True):
        lists[code].append(place)
    lists[MISSED] = list(compress(gold, (~outcomes.taken).tolist()))
    return EvaluationIndices(*lists)


def _places(documents: Ints) -> Places:
    """The document of each entity, and its place in it."""
    place = np.arange(len(documents)) - np.searchsorted(documents, documents)
    return list(zip(documents.tolist(), place.tolist(), strict=True))


def result_of(indices: EvaluationIndices, strategy: Strategy) -> EvaluationResult:
    """The counts and scores of an outcome.

    >>> result_of(EvaluationIndices([(0, 0)], [(0, 1)]), STRATEGIES["strict"]).precision
    0.5
    """
    result = EvaluationResult(*map(len, vars(indices).values()))
    result.compute_metrics(strategy.halves)
    return result


StrategyIndices = dict[str, EvaluationIndices]


def overall_indices(
    gold: EntityColumns, pred: EntityColumns, pairs: EntityPairs
) -> StrategyIndices:
    """The outcome of each strategy over all tags."""
    places = _places(gold.document), _places(pred.document)
    by_strategy = _match_with_each(gold, pred, pairs)
    return {name: _indices(outcomes, *places) for name, outcomes in by_strategy.items()}


def indices_by_tag(
    gold: EntityColumns, pred: EntityColumns, pairs: EntityPairs, tags: Sequence[str]
) -> dict[str, StrategyIndices]:
    """The outcome of each strategy by tag, as if there were no other tags."""
    # Entities of different tags do not compete here, so one matching is enough for all tags.
    by_strategy = _match_with_each(gold, pred, pairs.where(pairs.same_label))
    by_tag: dict[str, StrategyIndices] = {}
    for code, tag in enumerate(tags):
        golds, preds = gold.label == code, pred.label == code
        places = _places(gold.document[golds]), _places(pred.document[preds])
        by_tag[tag] = {
            name: _indices(MatchOutcomes(outcomes.pred[preds], outcomes.taken[golds]), *places)
            for name, outcomes in by_strategy.items()
        }
    return by_tag


def _match_with_each(
    gold: EntityColumns, pred: EntityColumns, pairs: EntityPairs
) -> dict[str, MatchOutcomes]:
    sizes = len(gold.document), len(pred.document)
    return {name: match_entities(pairs, strategy, *sizes) for name, strategy in STRATEGIES.items()}
