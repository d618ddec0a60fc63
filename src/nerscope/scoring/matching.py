"""Which predicted mention goes with which gold one, and for how much credit.

Exact pairs are settled first. Of what is left, a gold mention takes at most one prediction and a
prediction serves at most one gold mention, so that the total credit is the largest possible; among
equals the most pairs count, then the most pairs of one type, then the largest common length. So
numbers do not depend on the order of mentions, on reading direction, or on which side is gold.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from nerscope.corpus.arrays import Bools, Floats, Ints
from nerscope.corpus.lookup import ranges
from nerscope.corpus.mentions import Mentions, shape_codes
from nerscope.errors import UsageError
from nerscope.plugins import user_code
from nerscope.registry import FactoryRegistry, name_with_options
from nerscope.scoring.assignment import best_assignment
from nerscope.scoring.counts import CORRECT, INCORRECT, PARTIAL


class Pairs(NamedTuple):
    """A one-to-one matching: pairs of gold and predicted mentions, with credit and kind.

    The kind is CORRECT, PARTIAL or INCORRECT.
    """

    gold: Ints
    pred: Ints
    credit: Floats
    kind: Ints


class Touch(NamedTuple):
    """Candidate pairs of mentions that share a token, as parallel arrays."""

    gold: Mentions
    pred: Mentions

    @property
    def shared(self) -> Ints:
        """How many tokens both have."""
        shared = np.minimum(self.gold.end, self.pred.end) - np.maximum(
            self.gold.start, self.pred.start
        )
        if self._plain:
            return shared
        for at in np.flatnonzero(_has_holes(self.gold) | _has_holes(self.pred)).tolist():
            both = [set(side[np.array([at])].positions.tolist()) for side in (self.gold, self.pred)]
            shared[at] = len(both[0] & both[1])
        return shared

    @property
    def sizes(self) -> tuple[Ints, Ints]:
        """How many tokens each has."""
        return self.gold.lengths, self.pred.lengths

    @property
    def same_type(self) -> Bools:
        """Whether both have the same type."""
        return np.equal(self.gold.type, self.pred.type)

    @property
    def same_span(self) -> Bools:
        """Whether both are the same characters of the same tokens."""
        same = np.equal(self.gold.start, self.pred.start) & np.equal(self.gold.end, self.pred.end)
        return same if self._plain else same & np.equal(*shape_codes([self.gold, self.pred]))

    @property
    def _plain(self) -> bool:
        """Whether all are runs of whole tokens."""
        return self.gold.shape is None and self.pred.shape is None

    @property
    def same_start(self) -> Bools:
        """Whether both begin together."""
        same: Bools = np.equal(self.gold.start, self.pred.start)
        return same if self._plain else same & np.equal(*self._cuts("left"))

    @property
    def same_end(self) -> Bools:
        """Whether both end together."""
        same: Bools = np.equal(self.gold.end, self.pred.end)
        return same if self._plain else same & np.equal(*self._cuts("right"))

    def _cuts(self, side: str) -> tuple[Ints, Ints]:
        """How many characters the mentions leave out on one side."""
        gold, pred = (
            np.zeros(len(one), np.int64)
            if one.shape is None
            else np.array([getattr(shape, side) for shape in one.shape], np.int64)
            for one in (self.gold, self.pred)
        )
        return gold, pred


def _has_holes(mentions: Mentions) -> Bools:
    if mentions.shape is None:
        return np.zeros(len(mentions), bool)
    return np.array([bool(shape.holes) for shape in mentions.shape], bool)


class Judged(NamedTuple):
    """What a match says of candidate pairs, as parallel arrays."""

    exact: Bools  # to be settled before all others
    credit: Floats
    kind: Ints
    may_pair: Bools


@dataclass(frozen=True, slots=True, eq=False)
class Match:
    """A way to pair mentions, under the name by which it is written."""

    name: str
    pairs: Callable[[Mentions, Mentions], Pairs]

    def __str__(self) -> str:
        return self.name

    def __reduce__(self) -> tuple[Callable[[str], "Match"], tuple[str]]:
        """A match travels as its name; whoever gets it must know the name."""
        return match_named, (self.name,)

    def __call__(self, gold: Mentions, pred: Mentions) -> Pairs:
        """The pairs of gold and predicted mentions."""
        return self.pairs(gold, pred)


CreditRule = Callable[[Touch], Floats | Bools]
MATCHES: FactoryRegistry[Match] = FactoryRegistry("match")


def match_named(text: str) -> Match:
    """The match that a text names, such as `overlap(credit=1)` or `iou(threshold=0.5, typed=no)`.

    >>> str(match_named("overlap( credit=1 )"))
    'overlap(credit=1)'
    """
    return MATCHES.make(text)


def register_match(name: str, rule: CreditRule, **defaults: float) -> None:
    """Register a match: exact pairs get 1, other pairs what the rule says; 0 is no match.

    The rule is asked about mentions that share a token. `credit` (of a rule that says yes or no)
    and `threshold` (of a rule that grades) become options if they have a default.

    >>> register_match("no-longer", lambda touch: touch.sizes[1] <= touch.sizes[0], credit=0.5)
    >>> str(match_named("no-longer(credit=0.25)"))
    'no-longer(credit=0.25)'
    """
    _add_family(name, rule, built_in=False, **defaults)


def _add_family(name: str, rule: CreditRule | None, built_in: bool, **defaults: float) -> None:
    if unknown := defaults.keys() - {"credit", "threshold"}:
        raise UsageError(
            f"match '{name}'", f"it cannot have an option {unknown}", "name it credit or threshold"
        )

    def make(typed: bool = True, **options: float) -> Match:
        if not isinstance(typed, bool):
            raise UsageError(f"match '{name}'", f"typed={typed} cannot be", "say yes or no")
        if unknown := options.keys() - defaults.keys():
            raise TypeError(f"{', '.join(unknown)} is not among {', '.join(['typed', *defaults])}")
        for key, value in {**defaults, **options}.items():
            is_number = isinstance(value, int | float) and not isinstance(value, bool)
            if not is_number or not 0 <= value <= 1:
                fact = f"{key}={_shown(value)} cannot be"
                raise UsageError(f"match '{name}'", fact, "give a number from 0 to 1")
        given = {**({} if typed else {"typed": False}), **options}
        own_name = name_with_options(name, **given)
        values = {**defaults, **options}

        def judge(touch: Touch) -> Judged:
            exact = touch.same_span & (not typed)
            graded = np.zeros(len(exact))
            if rule is not None:
                with user_code(f"match '{own_name}'"):
                    graded = _checked_credit(own_name, rule(touch), touch)
                graded = graded * values.get("credit", 1.0)
            credit = np.where(graded >= values.get("threshold", 0.0), graded, 0.0)
            credit = np.where(touch.same_type | (not typed), np.where(exact, 1.0, credit), 0.0)
            return Judged(exact, credit, np.where(exact, CORRECT, PARTIAL), credit > 0)

        if rule is None and typed:  # mentions that are not equal have nothing in common
            return Match(own_name, lambda gold, pred: _equal_pairs(gold, pred))
        return Match(own_name, lambda gold, pred: _pairs(gold, pred, judge))

    make()  # defaults that cannot be are refused at once
    MATCHES.add(name, make, built_in=built_in)


def _shown(value: object) -> str:
    return f"{value:g}" if isinstance(value, float) else repr(value)


def _checked_credit(name: str, given: Floats | Bools, touch: Touch) -> Floats:
    """What a rule says, refused if it is not one number from 0 to 1 for each candidate pair."""
    credit = np.asarray(given, np.float64)
    size = len(touch.gold)
    if credit.shape != (size,) or not ((credit >= 0) & (credit <= 1)).all():
        raise UsageError(
            f"match '{name}'",
            f"its rule does not give {size} numbers from 0 to 1 for {size} candidate pairs",
            "return one number for each pair of the touch, 0 where there is no match",
        )
    return credit


def _left(touch: Touch) -> Floats:
    return touch.same_start.astype(np.float64)


def _right(touch: Touch) -> Floats:
    return touch.same_end.astype(np.float64)


def _overlap(touch: Touch) -> Floats:
    return np.ones(len(touch.gold))


def _iou(touch: Touch) -> Floats:
    gold, pred = touch.sizes
    return np.asarray(touch.shared / (gold + pred - touch.shared), np.float64)


def _dice(touch: Touch) -> Floats:
    gold, pred = touch.sizes
    return np.asarray(2 * touch.shared / (gold + pred), np.float64)


def _coverage(touch: Touch) -> Floats:
    return np.asarray(touch.shared / touch.sizes[0], np.float64)


_add_family("exact", None, built_in=True)
for _name, _rule in [("left", _left), ("right", _right), ("overlap", _overlap)]:
    _add_family(_name, _rule, built_in=True, credit=0.5)
for _name, _rule in [("iou", _iou), ("dice", _dice), ("coverage", _coverage)]:
    _add_family(_name, _rule, built_in=True, threshold=0.0)


def _add_schema(name: str, span_matters: bool, type_matters: bool, near_credit: float) -> None:
    """Add a MUC-5 / SemEval-2013 schema: mentions that share a token are paired, then judged."""

    def judge(touch: Touch) -> Judged:
        right_type = touch.same_type | (not type_matters)
        near = right_type & ~touch.same_span & span_matters
        credit = np.where(right_type & ~near, 1.0, near_credit * near)
        kind = np.where(credit == 1, CORRECT, np.where(credit > 0, PARTIAL, INCORRECT))
        return Judged(touch.same_span & (not type_matters), credit, kind, credit >= 0)

    def make() -> Match:
        return Match(name, lambda gold, pred: _pairs(gold, pred, judge))

    MATCHES.add(name, make, built_in=True)


_add_schema("muc-strict", span_matters=True, type_matters=True, near_credit=0.0)
_add_schema("muc-exact", span_matters=True, type_matters=False, near_credit=0.0)
_add_schema("muc-partial", span_matters=True, type_matters=False, near_credit=0.5)
_add_schema("muc-type", span_matters=False, type_matters=True, near_credit=0.0)


def _equal_pairs(gold: Mentions, pred: Mentions) -> Pairs:
    """The pairs of mentions of equal span and type."""
    at_gold, at_pred = equal_mentions(gold, pred)
    size = len(at_gold)
    return Pairs(at_gold, at_pred, np.ones(size), np.full(size, CORRECT, np.int8))


def _pairs(gold: Mentions, pred: Mentions, judge: Callable[[Touch], Judged]) -> Pairs:
    """Settle mentions of equal span and type; pair the rest so that it is worth most."""
    at_gold, at_pred = equal_mentions(gold, pred)
    left, right = _candidates(gold, pred, at_gold, at_pred)
    exact, credit, kind, may = judge(Touch(gold[left], pred[right]))
    left, right, credit = left[may], right[may], credit[may]
    touch = Touch(gold[left], pred[right])
    taken = best_assignment(left, right, exact[may], credit, touch.same_type, touch.shared)
    return Pairs(
        np.concatenate([at_gold, left[taken]]),
        np.concatenate([at_pred, right[taken]]),
        np.concatenate([np.ones(len(at_gold)), credit[taken]]),
        np.concatenate([np.full(len(at_gold), CORRECT), kind[may][taken]]).astype(np.int8),
    )


def equal_mentions(gold: Mentions, pred: Mentions) -> tuple[Ints, Ints]:
    """Pairs of equal span and type; of several equal ones, the k-th goes with the k-th."""
    plain = gold.shape is None and pred.shape is None
    if plain and _increasing(gold.start) and _increasing(pred.start):
        return _equal_in_order(gold, pred)
    n_types = 1 + int(max(gold.type.max(initial=0), pred.type.max(initial=0)))
    longest = 1 + int(
        max((gold.end - gold.start).max(initial=0), (pred.end - pred.start).max(initial=0))
    )
    gold_keys, pred_keys = (_keys(mentions, longest, n_types) for mentions in (gold, pred))
    if not plain:
        codes = shape_codes([gold, pred])
        n_shapes = 1 + max(int(own.max(initial=0)) for own in codes)
        gold_keys, pred_keys = gold_keys * n_shapes + codes[0], pred_keys * n_shapes + codes[1]
    gold_keys, pred_keys = _made_distinct(gold_keys, pred_keys)
    _, at_gold, at_pred = np.intersect1d(
        gold_keys, pred_keys, assume_unique=True, return_indices=True
    )
    return at_gold, at_pred


def _equal_in_order(gold: Mentions, pred: Mentions) -> tuple[Ints, Ints]:
    """The same for decoded labels, of which no two begin together: each token is asked which gold
    mention begins there.
    """
    size = 1 + max(int(side.start[-1]) if len(side) else 0 for side in (gold, pred))
    beginning = np.full(size, -1, np.int32)
    beginning[gold.start] = np.arange(len(gold), dtype=np.int32)
    at = beginning.take(pred.start)
    hits = np.flatnonzero(at >= 0)
    at = at.take(hits)
    same = gold.end.take(at) == pred.end.take(hits)
    same &= gold.type.take(at) == pred.type.take(hits)
    return at[same], hits[same]


def _keys(mentions: Mentions, longest: int, n_types: int) -> Ints:
    keys: Ints = mentions.start.astype(np.int64) * longest + (mentions.end - mentions.start)
    return keys * n_types + mentions.type


def _increasing(keys: Ints) -> bool:
    return bool((keys[1:] > keys[:-1]).all())


def _made_distinct(gold_keys: Ints, pred_keys: Ints) -> tuple[Ints, Ints]:
    """Small keys in which equal ones are numbered."""
    _, codes = np.unique(np.concatenate([gold_keys, pred_keys]), return_inverse=True)
    parts = []
    for keys in (codes[: len(gold_keys)], codes[len(gold_keys) :]):
        order = np.argsort(keys, kind="stable")
        numbers = np.empty_like(keys)
        numbers[order] = np.arange(len(keys)) - np.searchsorted(keys[order], keys[order])
        parts.append(keys * (len(codes) + 1) + numbers)
    return parts[0], parts[1]


def _free(size: int, taken: Ints) -> Ints:
    free: Bools = np.ones(size, bool)
    free[taken] = False
    return np.flatnonzero(free)


def _candidates(
    gold: Mentions, pred: Mentions, used_gold: Ints, used_pred: Ints
) -> tuple[Ints, Ints]:
    """All pairs that share a token among the mentions that are still free."""
    free_gold = _in_order(gold, _free(len(gold), used_gold))
    free_pred = _in_order(pred, _free(len(pred), used_pred))
    left, right = overlapping(gold[free_gold], pred[free_pred])
    return free_gold[left], free_pred[right]


def _in_order(mentions: Mentions, chosen: Ints) -> Ints:
    part = mentions[chosen]
    return chosen[np.lexsort((part.type, part.end, part.start))]


def overlapping(gold: Mentions, pred: Mentions) -> tuple[Ints, Ints]:
    """All pairs that share a token; both sides must be sorted by start. Spans may be nested."""
    reach = np.maximum.accumulate(gold.end) if len(gold) else gold.end
    low = np.searchsorted(reach, pred.start, side="right")
    high = np.maximum(low, np.searchsorted(gold.start, pred.end, side="left"))
    left, right = ranges(low, high), np.repeat(np.arange(len(pred)), high - low)
    real = gold.end[left] > pred.start[right]
    left, right = left[real], right[real]
    if gold.shape is None and pred.shape is None:
        return left, right
    real = Touch(gold[left], pred[right]).shared > 0  # one may lie in a hole of the other
    return left[real], right[real]
