"""How nervaluate pairs predicted with gold entities, for all documents at once.

Predicted entities choose in the order of the list, each among the gold entities that are still
free: one that is right if there is one, else the first that overlaps enough. So the order matters,
but only where entities compete: where one predicted and one gold entity have nobody but each other,
the outcome is read off at once; the few others choose one by one.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import compress, groupby
from operator import itemgetter
from typing import Any, NamedTuple

import numpy as np

from nerscope.compat.nervaluate_entities import Documents
from nerscope.corpus.arrays import Bools, Floats, Ints
from nerscope.corpus.lookup import ranges

Places = list[tuple[int, int]]
CORRECT, INCORRECT, PARTIAL, MISSED, SPURIOUS = range(5)  # as the fields below


@dataclass
class EvaluationIndices:
    """Which entities came out how: (document, place among its entities with a known tag).

    Missed ones are places among the gold entities, all others among the predicted ones.
    """

    correct_indices: Places = field(default_factory=list)
    incorrect_indices: Places = field(default_factory=list)
    partial_indices: Places = field(default_factory=list)
    missed_indices: Places = field(default_factory=list)
    spurious_indices: Places = field(default_factory=list)


@dataclass
class EvaluationResult:
    """Counts of outcomes, and the scores that follow from them."""

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


class Strategy(NamedTuple):
    """When a pair is right, and what it is when it only overlaps enough."""

    span: bool  # must be the same
    label: bool  # must be the same
    overlap: bool  # must be enough, even where the span is the same
    otherwise: int
    halves: bool  # a partial outcome counts half


STRATEGIES = {
    "strict": Strategy(True, True, False, INCORRECT, halves=False),
    "partial": Strategy(True, False, True, PARTIAL, halves=True),
    "ent_type": Strategy(False, True, True, INCORRECT, halves=True),
    "exact": Strategy(True, False, False, INCORRECT, halves=False),
}


class Side(NamedTuple):
    """The gold or the predicted entities of all documents, in order: parallel arrays."""

    document: Ints
    start: Ints
    end: Ints
    label: Ints  # the place of the tag

    @property
    def low(self) -> Ints:
        """The smaller end: some entities end before they begin."""
        return np.minimum(self.start, self.end)

    @property
    def high(self) -> Ints:
        """The larger end."""
        return np.maximum(self.start, self.end)


def side_of(documents: Documents, tags: Sequence[str]) -> Side:
    """All entities with one of the tags.

    >>> from nerscope.compat.nervaluate_entities import Entity
    >>> side_of([[], [Entity("PER", 0, 1), Entity("LOC", 3, 3)]], ["LOC"]).document.tolist()
    [1]
    """
    codes = {tag: place for place, tag in enumerate(tags)}
    rows = [
        (document, one.start, one.end, codes[one.label])
        for document, entities in enumerate(documents)
        for one in entities
        if one.label in codes
    ]
    return Side(*np.array(rows, np.int64).reshape(-1, 4).T)


class Pairs(NamedTuple):
    """Gold and predicted entities that may be paired, by predicted, then by gold entity."""

    gold: Ints
    pred: Ints
    same_span: Bools
    same_label: Bools
    enough: Bools  # of the gold entity is covered
    distance: Ints

    def where(self, chosen: Bools) -> "Pairs":
        """Some of the pairs."""
        columns: Any = self
        return Pairs(*(column[chosen] for column in columns))


def pairs_of(gold: Side, pred: Side, least: float) -> Pairs:
    """Who may be paired with whom; `least` is the percentage of a gold entity to be covered.

    >>> gold, pred = np.array([[0, 0, 3, 0], [0, 4, 4, 0]]).T, np.array([[0, 3, 4, 0]]).T
    >>> pairs_of(Side(*gold), Side(*pred), 50).gold.tolist()
    [1]
    """
    one, other = touching(gold, pred)
    starts = np.abs(gold.start[one] - pred.start[other])
    distance = starts + np.abs(gold.end[one] - pred.end[other])
    same_span = distance == 0
    same_label = gold.label[one] == pred.label[other]
    enough = _covered(gold, one, pred, other) >= least
    return Pairs(one, other, same_span, same_label, enough, distance).where(enough | same_span)


def touching(gold: Side, pred: Side, at_once: int = 1 << 22) -> tuple[Ints, Ints]:
    """All gold and predicted entities of one document that share a place.

    Gold entities are sorted by their beginning; those that a predicted one can touch are a range of
    them. A book with an entity around all others has wide ranges: so many are looked at at once.
    """
    (low, high), (pred_low, pred_high) = _on_one_line(gold, pred)
    order = np.argsort(low, kind="stable")
    first = np.searchsorted(np.maximum.accumulate(high[order]), pred_low)
    last = np.maximum(np.searchsorted(low[order], pred_high, side="right"), first)
    found = []
    for part in _parts(last - first, at_once):
        other = np.repeat(part, (last - first)[part])
        one = order[ranges(first[part], last[part])]
        real = high[one] >= pred_low[other]
        found.append((one[real], other[real]))
    one, other = (np.concatenate(side) for side in zip(*found, strict=True))
    by_pred = np.lexsort((one, other))
    return one[by_pred], other[by_pred]


def _on_one_line(gold: Side, pred: Side) -> list[tuple[Ints, Ints]]:
    """The ends of all entities, document after document; only their order is kept."""
    ends = (gold.low, gold.high, pred.low, pred.high)
    places, ranks = np.unique(np.concatenate(ends), return_inverse=True)
    cuts = np.cumsum([len(gold.low), len(gold.low), len(pred.low)])
    ranked = np.split(ranks, cuts)
    for documents, pair in ((gold.document, ranked[:2]), (pred.document, ranked[2:])):
        for column in pair:
            column += documents * len(places)
    return [(ranked[0], ranked[1]), (ranked[2], ranked[3])]


def _parts(sizes: Ints, at_once: int) -> list[Ints]:
    """Places in order, cut where the sizes add up to too much."""
    step = np.cumsum(sizes) // at_once
    return np.split(np.arange(len(sizes)), np.flatnonzero(np.diff(step)) + 1)


def _covered(gold: Side, one: Ints, pred: Side, other: Ints) -> Floats:
    """The percentage of the gold entity that the predicted one covers."""
    start, end = gold.start[one], gold.end[one]
    both = np.minimum(end, pred.end[other]) - np.maximum(start, pred.start[other]) + 1
    apart = (pred.start[other] > end) | (pred.end[other] < start)
    length = end - start + 1
    nothing = apart | (length == 0)
    return np.where(nothing, 0.0, both / np.where(nothing, 1, length) * 100.0)


class Outcome(NamedTuple):
    """How each predicted entity came out, and whether a gold one was taken."""

    pred: Ints
    taken: Bools


def judged(pairs: Pairs, strategy: Strategy, n_gold: int, n_pred: int) -> Outcome:
    """What becomes of every entity."""
    outcome = Outcome(np.full(n_pred, SPURIOUS), np.zeros(n_gold, bool))
    right = pairs.enough if strategy.overlap else np.ones(len(pairs.gold), bool)
    if strategy.span:
        right = right & pairs.same_span
    if strategy.label:
        right = right & pairs.same_label
    useful = right | pairs.enough
    pairs, right = pairs.where(useful), right[useful]
    golds, preds = (np.bincount(side, minlength=1) for side in (pairs.gold, pairs.pred))
    alone = (golds[pairs.gold] == 1) & (preds[pairs.pred] == 1)
    outcome.pred[pairs.pred[alone]] = np.where(right[alone], CORRECT, strategy.otherwise)
    outcome.taken[pairs.gold[alone]] = True
    _choose(pairs.where(~alone), right[~alone], strategy, outcome)
    return outcome


def _choose(pairs: Pairs, right: Bools, strategy: Strategy, outcome: Outcome) -> None:
    """Those that compete, one by one in the order of the predicted entities."""
    columns = (pairs.pred, pairs.gold, right, pairs.distance)
    rows = zip(*(column.tolist() for column in columns), strict=True)
    for pred, group in groupby(rows, itemgetter(0)):
        free = [row for row in group if not outcome.taken[row[1]]]
        best = [row for row in free if row[2]]
        if free:
            chosen = min(best, key=itemgetter(3)) if best else free[0]
            outcome.pred[pred] = CORRECT if best else strategy.otherwise
            outcome.taken[chosen[1]] = True


def _indices(outcome: Outcome, gold: Places, pred: Places) -> EvaluationIndices:
    """The outcome as places in documents."""
    lists: list[Places] = [[] for _ in range(5)]
    for code, place in zip(outcome.pred.tolist(), pred, strict=True):
        lists[code].append(place)
    lists[MISSED] = list(compress(gold, (~outcome.taken).tolist()))
    return EvaluationIndices(*lists)


def _places(documents: Ints) -> Places:
    """The document of each entity, and its place there."""
    place = np.arange(len(documents)) - np.searchsorted(documents, documents)
    return list(zip(documents.tolist(), place.tolist(), strict=True))


def result_of(outcome: EvaluationIndices, strategy: Strategy) -> EvaluationResult:
    """The counts and scores of an outcome; a score without a denominator is 0, as in nervaluate.

    >>> result_of(EvaluationIndices([(0, 0)], [(0, 1)]), STRATEGIES["strict"]).precision
    0.5
    """
    result = EvaluationResult(*map(len, vars(outcome).values()))
    kept = result.correct + result.incorrect + result.partial
    result.actual, result.possible = kept + result.spurious, kept + result.missed
    credit = result.correct + 0.5 * result.partial if strategy.halves else result.correct
    result.precision = credit / result.actual if result.actual else 0
    result.recall = credit / result.possible if result.possible else 0
    both = result.precision + result.recall
    result.f1 = 2 * (result.precision * result.recall) / both if both else 0
    return result


Outcomes = dict[str, EvaluationIndices]


def overall(gold: Side, pred: Side, pairs: Pairs) -> Outcomes:
    """The outcome of each strategy, all tags together."""
    places = _places(gold.document), _places(pred.document)
    outcomes = _judged_by_each(gold, pred, pairs)
    return {name: _indices(outcome, *places) for name, outcome in outcomes.items()}


def by_tag(gold: Side, pred: Side, pairs: Pairs, tags: Sequence[str]) -> dict[str, Outcomes]:
    """The outcome of each strategy for the entities of one tag, as if there were no others."""
    outcomes = _judged_by_each(gold, pred, pairs.where(pairs.same_label))
    found: dict[str, Outcomes] = {}
    for code, tag in enumerate(tags):
        golds, preds = gold.label == code, pred.label == code
        places = _places(gold.document[golds]), _places(pred.document[preds])
        found[tag] = {
            name: _indices(Outcome(outcome.pred[preds], outcome.taken[golds]), *places)
            for name, outcome in outcomes.items()
        }
    return found


def _judged_by_each(gold: Side, pred: Side, pairs: Pairs) -> dict[str, Outcome]:
    sizes = len(gold.document), len(pred.document)
    return {name: judged(pairs, strategy, *sizes) for name, strategy in STRATEGIES.items()}
